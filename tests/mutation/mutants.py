"""Which small changes of a source file there are, and the file with one of them made.

Public: Mutant, mutants_of, mutated.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

Change = Callable[[ast.AST], ast.AST]
_SWAPPED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SKIPPED = (ast.JoinedStr, ast.AnnAssign)  # the wording of messages; annotations, whose values are looked at alone


@dataclass(frozen=True, slots=True)
class Mutant:
    """
    One change of one file.

    Args:
        index: of the changed node, in the order of `ast.walk`.
        variant: which change of that node.
        name: where and what, without line numbers, so that it stays the same when code moves.
    """

    file: str
    line: int
    index: int
    variant: int
    name: str


def mutants_of(file: str, source: str) -> tuple[Mutant, ...]:
    """Return every mutant of *source*."""
    tree = ast.parse(source)
    inside = _places(tree)
    guarding = {id(node.body[-1]) for node in ast.walk(tree) if isinstance(node, ast.If)}  # the `if` is changed instead
    found = []
    for index, node in enumerate(ast.walk(tree)):
        if id(node) not in inside or (isinstance(node, ast.Raise) and id(node) in guarding):
            continue
        for variant, change in enumerate(_changes(node)):
            after = change(copy.deepcopy(node))
            name = f"{inside[id(node)]}: {_shown(node)} -> {_shown(after)}"
            place = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0), variant)
            found.append((place, Mutant(file, place[0], index, variant, name)))
    found.sort(key=lambda one: one[0])
    return tuple(_numbered([mutant for _, mutant in found]))


def _numbered(mutants: Sequence[Mutant]) -> Iterator[Mutant]:
    """Return mutants that look the same numbers of their own."""
    seen: Counter[str] = Counter()
    for mutant in mutants:
        seen[mutant.name] += 1
        number = seen[mutant.name]
        yield mutant if number == 1 else replace(mutant, name=f"{mutant.name} ({number})")


def mutated(source: str, mutant: Mutant) -> str:
    """Return *source* with *mutant* made."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[mutant.index]
    after = list(_changes(node))[mutant.variant](copy.deepcopy(node))
    replaced = _Replace(node, after).visit(tree)
    return ast.unparse(ast.fix_missing_locations(replaced))


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _places(tree: ast.Module) -> dict[int, str]:
    """Say for each node that may be changed in which function it stands."""
    found: dict[int, str] = {}

    def walk(node: ast.AST, name: str) -> None:
        found[id(node)] = name
        for child in _children(node):
            inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            walk(child, f"{name}.{child.name}".removeprefix("module.") if inner else name)

    walk(tree, "module")
    return found


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Return what of *node* does something."""
    match node:
        case ast.JoinedStr() | ast.Raise():
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body)
        case ast.ClassDef():
            yield from node.body
        case ast.AnnAssign():
            yield from filter(None, (node.value,))
        case _:
            yield from ast.iter_child_nodes(node)


def _changes(node: ast.AST) -> Iterator[Change]:
    """Return the changes of one node."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _SWAPPED:
            yield _swapped
        case ast.BoolOp():
            yield _other_join
        case ast.UnaryOp(op=ast.Not()):
            yield lambda found: found.operand  # type: ignore[attr-defined]
        case (
            ast.If(test=test, body=[*_, ast.Raise()])
            | ast.If(test=test, body=[ast.Return(ast.Constant() | ast.JoinedStr())])
        ):
            yield _never
            if _plain(test):
                yield _negated
        case ast.If(test=test) | ast.IfExp(test=test) if _plain(test):
            yield _negated
        case ast.Expr(ast.Call()):
            yield lambda _: ast.Pass()
        case ast.Raise():
            yield lambda _: ast.Pass()
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool) and repr(node.value) != "0.0":
            yield lambda _: ast.Constant(_more(node.value))
            yield lambda _: ast.Constant(_less(node.value))
        case _:
            pass


def _swapped(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    node.ops = [_SWAPPED[type(node.ops[0])]()]
    return node


def _other_join(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return node


def _never(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If)
    keeps = [one for one in ast.walk(node.test) if isinstance(one, ast.NamedExpr)]
    nothing = ast.Constant(value=False)
    node.test = ast.BoolOp(ast.And(), [node.test, nothing]) if keeps else nothing
    return node


def _negated(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _plain(test: ast.AST) -> bool:
    """Return whether no other change negates *test*."""
    return not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp)


def _more(value: object) -> float:
    assert isinstance(value, int | float)
    return value + 1 if isinstance(value, int) else value * 1.2


def _less(value: object) -> float:
    assert isinstance(value, int | float)
    return value - 1 if isinstance(value, int) else value * 0.8


def _shown(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text.split("\n", 1)[0][:90]
