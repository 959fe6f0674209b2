"""The verdict on one tool call: deny > always ask > allow rule > mode > ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from cococat.core.tools import Allow, Arguments, Ask, Declared, Deny, Gate, Tool, Verdict
from cococat.permissions.hazards import only_reads, removal, runs_what_it_is_fed
from cococat.permissions.network import Target, parse_url
from cococat.permissions.origins import LONG_QUERY, Origins, carries, names_address, overdrawn
from cococat.permissions.paths import (
    Parts,
    completes_repository,
    inside,
    literal_pattern,
    new_hidden,
    protected,
    secret,
)
from cococat.permissions.rules import (
    Rule,
    command_rule,
    covers_command,
    covers_host,
    covers_path,
    covers_tool,
    denies_command,
    denies_path,
    denies_paths,
    offered_rules,
    parse_rule,
)
from cococat.permissions.shell_split import Script, Unclear, commands, quote, read
from cococat.permissions.summary import HARMLESS
from cococat.permissions.unasked import Sight, only_passes_on, reads_unasked

FREE: Mapping[str, str] = {
    "plan": "reading below the folder runs; what changes or connects is refused",
    "ask-first": "reading below the folder runs; the rest asks",
    "edits": "reading and edits of files below the folder run; the rest asks",
    "auto": "reading and edits of files below the folder run, and so do commands that are proven to read files there and "
    "nothing else, and addresses that you or a search gave word for word; the rest asks",
}
MODES = tuple(FREE)
MAX_BASES = 16  # folders that a part of a line may run in: each `cd` may double them
MAX_RULES = 5  # that one question offers, or one refusal names
LEAVES = {"network": "the network, from inside the box", "files": "to leave the box: with your files and network"}
BOXED = ("edits", "auto")  # modes in which a command that runs in a box is not asked about


Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A call about a path; *parts* is None outside the root."""

    text: str
    parts: Parts | None
    own: bool  # it is, or lies in, a folder of cococat's own
    root: Path


@dataclass(frozen=True, slots=True)
class _Command:
    """A call that runs simple commands one after the other; *root* is where."""

    parts: tuple[Words, ...] | Unclear
    script: Script
    removal: str
    root: Path


@dataclass(frozen=True, slots=True)
class _Address:
    """A call that fetches an address; *given* by the user or a search; *carries* says what it may carry out unasked."""

    target: Target
    given: bool
    carries: str


@dataclass(frozen=True, slots=True)
class Known:
    """
    What is asked for where a verdict depends on it.

    Args:
        origins: gives what the session was told until now.
        boxed: whether commands run in a box.
        clean: of a text: it holds no secret, so that a command may turn it around.
    """

    origins: Callable[[], Origins] = Origins
    boxed: Callable[[], bool] = bool
    clean: Callable[[str], bool] = str.isspace


_Subject: TypeAlias = _Place | _Command | _Address | None


def gate(
    mode: str,
    allow: Sequence[str],
    deny: Sequence[str],
    root: Path,
    own: Sequence[Path] = (),
    *,
    declared: Declared,
    known: Known | None = None,
) -> Gate:
    """
    Make the function that decides each call.

    Args:
        mode: one of MODES. `plan` lets nothing but reads, questions and answers pass, whatever *allow* says.
        root: the folder tools may see.
        own: folders of cococat itself, where every access is asked for.
        declared: says what the tool of a rule is about.
        known: what else a verdict may need to know.
    Raises: ValueError: an unknown mode or a bad rule, in words for the user.
    """
    if mode not in MODES:
        raise ValueError(f"{mode!r} is no permission mode; there are {', '.join(MODES)}")
    allowed, denied = (tuple(parse_rule(text, declared) for text in texts) for texts in (allow, deny))
    known, root = known or Known(), Path(os.path.realpath(root))
    mine = tuple(Path(os.path.realpath(folder)) for folder in own)
    address = partial(_address, known.origins, [rule for rule in allowed if rule.exact and rule.labels])
    paths = [
        (rule, named.effect == "writes") for rule in denied if rule.path and (named := declared(rule.tool)) is not None
    ]

    reads = (
        _reader(root, mine, unreadable(deny, declared), known.clean)
        if mode == "auto"
        else partial(only_passes_on, root)
    )

    def decide(tool: Tool, arguments: Arguments) -> Verdict:
        subject = _subject(tool, arguments, root, mine, address)
        if isinstance(subject, Deny):
            return subject
        if verdict := _denied(tool, subject, [rule for rule in denied if covers_tool(rule, tool.name)], paths):
            return verdict
        if mode == "plan" and tool.effect not in HARMLESS:
            return Deny(f"{tool.name} is not available in plan mode, which only reads; describe the change instead")
        rules = [rule for rule in allowed if covers_tool(rule, tool.name)]
        # what a program opens that a command starts is not read, and the box knows nothing of denied paths
        free = mode in BOXED and not paths and _may_be_boxed(tool, arguments, subject) and known.boxed()
        if free or _only_ends(subject, arguments):
            return Allow()
        if verdict := _always_ask(tool, subject, rules):
            return verdict
        left = _left(subject, rules, reads) if isinstance(subject, _Command) else None
        if left == () or _covered(subject, rules) or _by_mode(mode, tool, subject):
            return Allow(concurrent=_reads(subject) and not arguments.get("background"))
        return _ask(tool, subject, arguments, left or ())

    return decide


def _reader(
    root: Path, own: Sequence[Path], hidden: Callable[[Sequence[str]], bool], clean: Callable[[str], bool]
) -> Callable[[Words, Sequence[Words], Sequence[str]], bool]:
    """Return what tells whether a command is proven to read what it may, from each of the folders that it may run in."""

    def readable(word: str) -> bool:
        place = _place(word, root, own)
        return isinstance(place, _Place) and not (place.own or hidden(place.parts or ()))

    sight = Sight(root, readable, hidden, clean)
    return lambda argv, line, bases: reads_unasked(argv, line, bases, sight)


def unreadable(deny: Sequence[str], declared: Declared) -> Callable[[Sequence[str]], bool]:
    """Return which paths a search over a folder must pass over: secrets, and what *deny* keeps from being read."""
    rules = [parse_rule(text, declared) for text in deny]
    rules = [rule for rule in rules if rule.path and (known := declared(rule.tool)) and known.effect == "reads"]
    return lambda parts: secret(parts) or any(denies_path(rule, parts) for rule in rules)


def _subject(
    tool: Tool, arguments: Arguments, root: Path, own: Sequence[Path], address: Callable[[str], _Address | Deny]
) -> _Subject | Deny:
    """What the call is about; a Deny when that can never be."""
    match tool.about:
        case "path":
            return _place(str(arguments.get("path", ".")), root, own)
        case "command":
            command = str(arguments.get("command", ""))
            script = read(command)
            return _Command(commands(command), script, removal(script, root), root)
        case "url":
            return address(str(arguments.get("url", "")))
        case None:
            return None


def _address(origins: Callable[[], Origins], exact: Sequence[Rule], url: str) -> _Address | Deny:
    try:
        target = parse_url(url, ports=None)
    except ValueError as error:
        return Deny(str(error))
    known = origins()
    why = carries(target, known)
    reason = f"neither you nor a search gave this address of {target.host}, and {why}" if why else ""
    return _Address(
        target,
        names_address(target, known.words),
        reason or overdrawn(target, known, lambda host: any(covers_host(rule, host) for rule in exact)),
    )


def _place(text: str, root: Path, own: Sequence[Path]) -> _Place | Deny:
    parts = inside(root, text)
    if parts is None:
        return Deny(f"{text!r} is outside the folder {root.name or root}, which is all the tools can see")
    real = root.joinpath(*parts)
    return _Place(text, parts, any(real.is_relative_to(folder) for folder in own), root)


def _denied(tool: Tool, subject: _Subject, rules: Sequence[Rule], paths: Sequence[tuple[Rule, bool]]) -> Verdict | None:
    """Apply the deny rules, those of *paths* to commands too; when it cannot be known whether one applies, a user decides."""
    verdicts = [(rule, True if rule.pattern is None else _denies(rule, subject)) for rule in rules]
    if isinstance(subject, _Command):
        verdicts += [(rule, denies_paths(rule, subject.script, subject.root, writes=writes)) for rule, writes in paths]
    for rule, verdict in verdicts:
        if verdict:
            text = rule.tool if rule.pattern is None else f"{rule.tool}({rule.pattern})"
            return Deny(f"the user's rule `{text}` forbids it")
    if any(verdict is None for _, verdict in verdicts):
        return Ask(f"{tool.name} may break a deny rule: what it runs is only known when it runs")
    return None


def _denies(rule: Rule, subject: _Subject) -> bool | None:
    match subject:
        case _Command(script=script):
            verdicts = {denies_command(rule, segment) for segment in script.segments}
            return True if True in verdicts else None if None in verdicts or script.unread else False
        case _Place(parts=parts):
            return parts is not None and denies_path(rule, parts)
        case _Address(target=target):
            return covers_host(rule, target.host)
        case None:
            return False


def _always_ask(tool: Tool, subject: _Subject, rules: Sequence[Rule]) -> Ask | None:
    """Ask whatever the mode is; only a rule that names exactly this path or host answers in advance."""
    match subject:
        case _Command(removal=why) if why:
            return Ask(f"{tool.name} needs a user: {why}")
        case _Command(script=Script(unread=why), parts=parts) as command if why:
            # what feeds a shell is no matter of two rules
            own = tuple(command_rule(tool.name, argv) for argv in parts) if isinstance(parts, tuple) else ()
            exact = [rule for rule in rules if rule.exact]
            if len(own) != 1 or _left(command, exact, lambda *_: False) != ():
                return Ask(f"{tool.name} needs a user: {why}", own if len(own) == 1 else ())
        case _Place() as place:
            why = _delicate(tool, place)
            if why and not any(rule.exact and _covers(rule, place) for rule in rules):
                return Ask(f"{tool.name} needs permission: {why}", _rules(tool, place))
        case _Address(carries=why) as address if why:
            if not any(rule.exact and _covers(rule, address) for rule in rules):
                return Ask(f"{tool.name} needs permission: {why}", _rules(tool, address))
        case _:
            pass
    return None


def _delicate(tool: Tool, place: _Place) -> str:
    """Why a path is never routine; empty when it is."""
    parts = place.parts or ()
    if place.own:
        return f"{place.text} belongs to cococat itself"
    if secret(parts):
        return f"{place.text} may hold secrets"
    if tool.effect == "writes" and (protected(parts) or completes_repository(place.root, parts)):
        return f"{place.text} can change what other programs do"
    return ""


def _only_ends(subject: _Subject, arguments: Arguments) -> bool:
    """Whether a call of the shell starts nothing: it ends what it started."""
    empty = not str(arguments.get("command", "")).strip()
    return isinstance(subject, _Command) and bool(arguments.get("background")) and empty


def _may_be_boxed(tool: Tool, arguments: Arguments, subject: _Subject) -> bool:
    """
    Whether a box holds all that a call can do.

    It does not where it leaves the box, or removes much of the folder itself; and what a command makes that would make
    other programs run can be told from what the user makes while it is short, not while it stays in the background.
    """
    more = arguments.get("outside") or arguments.get("background")
    return tool.effect == "runs" and not more and not (isinstance(subject, _Command) and subject.removal)


def _left(
    command: _Command, rules: Sequence[Rule], reads: Callable[[Words, Sequence[Words], Sequence[str]], bool]
) -> tuple[Words, ...] | None:
    """Return the commands that no rule covers and that do not only read, or None for what is not read as commands."""
    if any(rule.pattern is None for rule in rules):
        return ()
    if isinstance(command.parts, Unclear) or (len(command.parts) > 1 and any(map(runs_what_it_is_fed, command.parts))):
        return None
    left, bases = list[Words](), [""]
    for argv in command.parts:
        if below := _goes_below(argv, command.root, bases):
            bases = list(dict.fromkeys([*bases, *below]))
            if len(bases) > MAX_BASES:
                return None
        elif argv[0] == "cd" and len(command.parts) > 1:
            return None  # where the others run is for a user to say
        elif not (any(covers_command(rule, argv) for rule in rules) or reads(argv, command.parts, bases)):
            left.append(argv)
    return tuple(dict.fromkeys(left))


def _goes_below(argv: Words, root: Path, bases: Sequence[str]) -> list[str]:
    """Return where `cd` may lead to from each of *bases*; nothing for another command, and for one that leads out."""
    if len(argv) != 2 or argv[0] != "cd" or not argv[1] or argv[1].startswith("-"):  # noqa: PLR2004 - cd, and where
        return []
    there = [os.path.join(base, argv[1]) for base in bases]  # noqa: PTH118 - see `inside`
    return there if all(inside(root, place) is not None for place in there) else []


def _reads(subject: _Subject) -> bool:
    return isinstance(subject, _Command) and isinstance(subject.parts, tuple) and all(map(only_reads, subject.parts))


def _covered(subject: _Subject, rules: Sequence[Rule]) -> bool:
    return not isinstance(subject, _Command) and any(_covers(rule, subject) for rule in rules)


def _covers(rule: Rule, subject: _Subject) -> bool:
    if rule.pattern is None:
        return not (isinstance(subject, _Address) and len(subject.target.path) > LONG_QUERY and not subject.given)
    match subject:
        case _Place(parts=parts):
            return parts is not None and covers_path(rule, parts)
        case _Address(target=target):
            return covers_host(rule, target.host)
        case _:
            return False


def _by_mode(mode: str, tool: Tool, subject: _Subject) -> bool:
    """What passes without any rule, commands aside; see `FREE`."""
    if tool.effect in HARMLESS:
        return True
    match subject:
        case _Place(parts=parts, root=root):
            return mode in ("edits", "auto") and tool.effect == "writes" and not new_hidden(root, parts or ())
        case _Address(given=True):
            return mode == "auto"
        case _:
            return False


def _ask(tool: Tool, subject: _Subject, arguments: Arguments, left: Sequence[Words] = ()) -> Ask:
    if beyond := LEAVES.get(str(arguments.get("outside"))):
        return Ask(f"{tool.name} wants {beyond}", _rules(tool, subject, left))
    match subject:
        case _Command(parts=Unclear(reason)):
            why = f"it runs a program, asked about each time as {reason}"
        case _Command(parts=tuple() as parts):
            some = f", of which `{quote(left[0])}` asks" if len(left) == 1 < len(parts) else ""
            why = f"it runs {'a program' if len(parts) == 1 else f'{len(parts)} programs'}{some}"
        case _Place(text=text, parts=parts, root=root):
            hidden = new_hidden(root, parts or ()) if tool.effect == "writes" else ""
            why = f"it {tool.effect} {text}{f', and {hidden} is new and hidden' if hidden else ''}"
        case _Address(target=Target(host=host)):
            why = f"it connects to {host}"
        case None:
            server = f"it calls the server {tool.name.partition('__')[0]}"
            why = {"runs": "it runs a program", "network": "it uses the network", "foreign": server}.get(
                tool.effect, "it changes something"
            )
    longer = offered_rules(tool.name, left[0])[1:] if len(left) == 1 else ()
    return Ask(f"{tool.name} needs permission: {why}", _rules(tool, subject, left), longer)


def _rules(tool: Tool, subject: _Subject, left: Sequence[Words] = ()) -> tuple[str, ...]:
    """Write the rules that would let this call pass: of each command that asks, the shortest; never a wider one."""
    match subject:
        case _Command():
            rules = tuple(dict.fromkeys(offered_rules(tool.name, argv)[0] for argv in left))
            return rules if len(rules) <= MAX_RULES else ()
        case _Place(parts=parts):
            return (f"{tool.name}({literal_pattern(parts or ())})",)
        case _Address(target=Target(host=host)):
            return (f"{tool.name}({host})",)
        case None:
            return (tool.name,)
