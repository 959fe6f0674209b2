"""Tools: async functions with annotated arguments, and what may be decided about a call, or by nobody."""

from __future__ import annotations

import inspect
import shlex
import types
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from cococat.core.guards import Key
from cococat.core.limits import Problem, Stop, StopReason
from cococat.core.messages import Picture
from cococat.core.model import ToolSpec

Effect: TypeAlias = Literal["reads", "writes", "runs", "network", "asks", "ends", "foreign"]
Subject: TypeAlias = Literal["path", "command", "url"]  # each the name of an argument
Report: TypeAlias = Callable[[str], None]
Arguments: TypeAlias = Mapping[str, object]
MAX_EQUAL = 3  # denials of one call
MAX_DENIALS = 8  # of a run
NO_RULE = "no rule names this call alone: run it yourself, or use chat"
DENIED = (
    "[TOOL_ERROR] PermissionDenied: {reason}, and nobody can be asked: this call did not run. {allowed}"
    "The user can allow it in another run: {fix}. Go on without it, and say in the answer what is left to do."
)
_SCALARS: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_known: dict[tuple[object, ...], dict[str, Any]] = {}  # a tool is made anew for each turn, its arguments are the same


@dataclass(frozen=True, slots=True)
class FullOutput:
    """
    Where all of a text is kept that a tool gives back only a part of.

    Args:
        name: what its keeper knows it by.
        lines: of the whole text.
        missing: characters that the part lacks.
    """

    name: str
    lines: int
    missing: int = 0


class ToolFailure(Exception):
    """
    A tool could not do its work; the message is written for the model and names the next step.

    Args:
        display: one line for the user; empty = the screen makes one from the message.
    """

    def __init__(self, message: str = "", full_output: FullOutput | None = None, *, display: str = "") -> None:
        super().__init__(message)
        self.full_output, self.display = full_output, display


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """
    What a tool gives back.

    Args:
        output: text for the model.
        display: one line for the user ("41 lines"); empty = the screen makes one from *output*.
        data: the same for machines.
        stop: ends the run, for the tools that ask the user or finish.
        shown: text for the user, where the model needs less than that; empty = *output*.
        full_output: where the rest is, when *output* is a part of something longer.
        pictures: shown to the model behind the results of the step; each is of a kind and size that can be sent.
    """

    output: str
    display: str = ""
    data: Mapping[str, object] | None = None
    stop: Stop | None = None
    shown: str = ""
    full_output: FullOutput | None = None
    pictures: tuple[Picture, ...] = ()


def unchecked(arguments: Arguments) -> None:
    """Find nothing wrong with a call before it runs."""


@dataclass(frozen=True, slots=True)
class Tool:
    """
    A named function that a model may call.

    Args:
        effect: what a call does; "foreign": what only the server knows whose tool it is.
        about: the argument that says to what, where one does: permissions, undo and reports look at it.
        lists_urls: its output lists addresses of pages, which a call of another tool may then be about.
        concurrent: calls may overlap with others.
        timeout_s: seconds for one call; None is the run's own limit.
        check: raises the ToolFailure that a call would end with, before a user is asked for leave; it changes nothing.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    run: Callable[[Arguments, Report], Awaitable[ToolOutcome]]
    effect: Effect
    concurrent: bool
    about: Subject | None = None
    lists_urls: bool = False
    timeout_s: float | None = None
    check: Callable[[Arguments], None] = unchecked

    @property
    def properties(self) -> Mapping[str, object]:
        """The schemas of its arguments, by their names."""
        known = self.parameters.get("properties")
        return known if isinstance(known, dict) else {}

    @property
    def required(self) -> Collection[str]:
        """The names of the arguments that a call must have."""
        needed = self.parameters.get("required")
        return needed if isinstance(needed, list) else ()

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        return ToolSpec(self.name, self.description, self.parameters)


def tool(
    effect: Effect,
    *,
    about: Subject | None = None,
    lists_urls: bool = False,
    timeout_s: float | None = None,
    check: Callable[..., object] | None = None,
) -> Callable[[Callable[..., Awaitable[str | ToolOutcome]]], Tool]:
    """
    Make a Tool of an async function: its name, its docstring, its annotated arguments; see `Tool` for the rest; *check* takes the same.

    An argument annotated `Report` is not offered to the model: it receives a function that
    shows output while the tool runs. Tools that only read may run side by side.
    """

    def make(function: Callable[..., Awaitable[str | ToolOutcome]]) -> Tool:
        # under `from __future__ import annotations` the annotation is the word itself
        reports = [n for n, p in inspect.signature(function).parameters.items() if p.annotation in (Report, "Report")]

        parameters = parameters_of(function, skip=(Report,))
        name = getattr(function, "__name__", "tool")
        if about and about not in parameters["properties"]:
            raise TypeError(f"{name} says that it is about its {about}, which is none of its arguments")

        async def run(arguments: Arguments, report: Report) -> ToolOutcome:
            result = await function(**arguments, **dict.fromkeys(reports, report))
            return result if isinstance(result, ToolOutcome) else ToolOutcome(result)

        def checked(arguments: Arguments) -> None:
            if check:
                check(**arguments)

        return Tool(
            name=name,
            description=" ".join((inspect.getdoc(function) or "").split("\n\n")[0].split()),
            parameters=parameters,
            run=run,
            effect=effect,
            concurrent=effect in ("reads", "network"),
            about=about,
            lists_urls=lists_urls,
            timeout_s=timeout_s,
            check=checked if check else unchecked,
        )

    return make


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run; *concurrent* where it only reads, although its tool can do more."""

    concurrent: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """
    A user must agree first.

    Args:
        rules: what would have let this call pass, and little more; none: no rule can.
        longer: where one rule would have, those of more words, up to one for this call alone.
    """

    reason: str
    rules: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deny:
    """The call must not run; *reason* is for the model."""

    reason: str


Verdict: TypeAlias = Allow | Ask | Deny
Declared: TypeAlias = Callable[[str], Tool | None]  # the tool of a name as it is declared, offered now or not
Gate: TypeAlias = Callable[[Tool, Arguments], Verdict]
Consent: TypeAlias = Callable[[Tool, Arguments, Ask], Awaitable[Literal["yes", "no", "no user"] | Deny]]


def allow_all(tool: Tool, arguments: Arguments) -> Verdict:
    """Let every call pass: for tools that can do no harm by construction."""
    return Allow()


async def no_user(tool: Tool, arguments: Arguments, ask: Ask) -> Literal["yes", "no", "no user"]:
    """Answer for a run that no user watches."""
    return "no user"


@dataclass(frozen=True, slots=True)
class Denied:
    """A call that did not run, and the verdict on it."""

    key: Key
    ask: Ask

    @property
    def fix(self) -> str:
        """The flags that would let this call pass."""
        return " ".join(f"--allow {shlex.quote(rule)}" for rule in self.ask.rules) or NO_RULE


def explain(denied: Denied, permitted: str) -> str:
    """Return what the model is told instead of a result; *permitted* is what runs without a user's leave."""
    allowed = f"Without asking run: {permitted}. " if permitted else ""
    return DENIED.format(reason=denied.ask.reason, allowed=allowed, fix=denied.fix)


def too_many(denials: Collection[Denied]) -> Stop | None:
    """Return the end of a run that asks again and again for what it may not do."""
    keys = [denied.key for denied in denials]
    over = len(keys) >= MAX_DENIALS or any(keys.count(key) >= MAX_EQUAL for key in keys)
    return _stop(denials) if over else None


def ending(denials: Collection[Denied], stop: Stop) -> Stop:
    """Return how a run ends: an answer that had to do without a call is told from one that had not."""
    return _stop(denials) if denials and stop.reason is StopReason.ANSWERED else stop


def _stop(denials: Collection[Denied]) -> Stop:
    """Name every reason once, and the flags that would have let all of the calls pass."""
    reasons = list(dict.fromkeys(denied.ask.reason for denied in denials))
    fixes = sorted(dict.fromkeys(denied.fix for denied in denials), key=NO_RULE.__eq__)
    message = f"{'; '.join(reasons)}, and nobody could be asked"
    return Stop(StopReason.PERMISSION_DENIED, message, Problem("permission", message, " ".join(fixes)))


def parameters_of(function: Callable[..., object], skip: tuple[object, ...] = ()) -> dict[str, Any]:
    """
    Derive the JSON Schema of *function*'s arguments.

    Args:
        function: every argument annotated; `Annotated[T, "text"]` adds a description; an argument
            with a default is optional; `T | None` accepts null where the default is None.
        skip: annotations of arguments that the caller supplies itself.
    Returns: a schema of type object with additionalProperties false.
    Raises: TypeError: an annotation has no JSON counterpart.
    """
    if (lines := _lines_of(function, skip)) is None:
        return _derived(function, skip)
    if lines not in _known:
        _known[lines] = _derived(function, skip)
    return _known[lines]


def _lines_of(function: Callable[..., object], skip: tuple[object, ...]) -> tuple[object, ...] | None:
    """Return what functions share that are made of the same lines; None where their annotations are no text to compare."""
    if not isinstance(function, types.FunctionType):
        return None
    if not all(isinstance(hint, str) for hint in function.__annotations__.values()):
        return None
    defaults = len(function.__defaults__ or ()), frozenset(function.__kwdefaults__ or ())
    return function.__code__, tuple(function.__annotations__.items()), defaults, skip


def _derived(function: Callable[..., object], skip: tuple[object, ...]) -> dict[str, Any]:
    hints = get_type_hints(function, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, str)
        if hint in skip:
            continue
        properties[name] = _schema(hint)
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def _schema(hint: object) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        texts = [note for note in arguments[1:] if isinstance(note, str)]
        extras = {key: value for note in arguments[1:] if isinstance(note, dict) for key, value in note.items()}
        return {**_schema(arguments[0]), **({"description": texts[0]} if texts else {}), **extras}
    if origin in (Union, types.UnionType):
        inner = [argument for argument in arguments if argument is not type(None)]
        if len(inner) == 1:
            return _schema(inner[0])
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin is dict:
        return {"type": "object"}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    raise TypeError(f"no JSON Schema for {hint!r}")
