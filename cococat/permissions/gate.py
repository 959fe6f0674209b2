"""The verdict on one tool call: deny > always ask > allow rule > mode > ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cococat.core.tools import Allow, Arguments, Ask, Declared, Deny, Gate, Tool, Verdict
from cococat.permissions.hazards import only_reads, reads_files, removal
from cococat.permissions.network import Target, parse_url
from cococat.permissions.origins import LONG_QUERY, Origins, carries, given
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
    denies_command,
    denies_path,
    denies_paths,
    parse_rule,
)
from cococat.permissions.shell_split import Script, Unclear, read, simple
from cococat.permissions.summary import HARMLESS

__all__ = ["FREE", "MODES", "gate", "unreadable"]

FREE: Mapping[str, str] = {
    "plan": "reading below the folder runs; what changes or connects is refused",
    "ask-first": "reading below the folder runs; the rest asks",
    "edits": "reading and edits of files below the folder run; the rest asks",
    "auto": "reading and edits of files below the folder run, and so do commands that are proven to read files there and "
    "nothing else, and addresses that you or a search gave word for word; the rest asks",
}
MODES = tuple(FREE)
LEAVES = {"network": "the network, from inside the box", "files": "to leave the box: with your files and network"}
BOXED = ("edits", "auto")  # modes in which a command that runs in a box is not asked about


@dataclass(frozen=True, slots=True)
class _Place:
    """A call about a path; *parts* is None outside the root."""

    text: str
    parts: Parts | None
    own: bool  # it is, or lies in, a folder of cococat's own
    root: Path


@dataclass(frozen=True, slots=True)
class _Command:
    """A call that runs a command; *root* is where."""

    argv: tuple[str, ...] | Unclear
    script: Script
    removal: str
    root: Path


@dataclass(frozen=True, slots=True)
class _Address:
    """A call that fetches an address; *given* by the user or a search, or else perhaps one that *carries* something."""

    target: Target
    given: bool
    carries: str


_Subject: TypeAlias = _Place | _Command | _Address | None


def gate(
    mode: str,
    allow: Sequence[str],
    deny: Sequence[str],
    root: Path,
    own: Sequence[Path] = (),
    *,
    declared: Declared,
    origins: Callable[[], Origins] = Origins,
    boxed: Callable[[], bool] = bool,
) -> Gate:
    """
    Make the function that decides each call.

    Args:
        mode: one of MODES. `plan` lets nothing but reads, questions and answers pass, whatever *allow* says.
        root: the folder tools may see.
        own: folders of cococat itself, where every access is asked for.
        declared: says what the tool of a rule is about.
        origins: gives what the session was told until now; asked for a fetch only.
        boxed: whether commands run in a box; asked for those only.
    Raises: ValueError: an unknown mode or a bad rule, in words for the user.
    """
    if mode not in MODES:
        raise ValueError(f"{mode!r} is no permission mode; there are {', '.join(MODES)}")
    allowed, denied = (tuple(parse_rule(text, declared) for text in texts) for texts in (allow, deny))
    root = Path(os.path.realpath(root))
    mine = tuple(Path(os.path.realpath(folder)) for folder in own)
    hidden = unreadable(deny, declared)
    paths = [
        (rule, known.effect == "writes") for rule in denied if rule.path and (known := declared(rule.tool)) is not None
    ]

    def readable(word: str) -> bool:
        place = _place(word, root, mine)
        return isinstance(place, _Place) and not (place.own or hidden(place.parts or ()))

    def decide(tool: Tool, arguments: Arguments) -> Verdict:
        subject = _subject(tool, arguments, root, mine, origins)
        if isinstance(subject, Deny):
            return subject
        if verdict := _denied(tool, subject, [rule for rule in denied if rule.tool == tool.name], paths):
            return verdict
        if mode == "plan" and tool.effect not in HARMLESS:
            return Deny(f"{tool.name} is not available in plan mode, which only reads; describe the change instead")
        rules = [rule for rule in allowed if rule.tool == tool.name]
        free = mode in BOXED and _may_be_boxed(tool, arguments, subject) and boxed()
        if free or _only_ends(subject, arguments):
            return Allow()
        if verdict := _always_ask(tool, subject, rules):
            return verdict
        if any(_covers(rule, subject) for rule in rules) or _by_mode(mode, tool, subject, readable):
            beside = isinstance(subject, _Command) and _reads(subject) and not arguments.get("background")
            return Allow(concurrent=beside)
        return _ask(tool, subject, arguments)

    return decide


def unreadable(deny: Sequence[str], declared: Declared) -> Callable[[Sequence[str]], bool]:
    """Return which paths a search over a folder must pass over: secrets, and what *deny* keeps from being read."""
    rules = [parse_rule(text, declared) for text in deny]
    rules = [rule for rule in rules if rule.path and (known := declared(rule.tool)) and known.effect == "reads"]
    return lambda parts: secret(parts) or any(denies_path(rule, parts) for rule in rules)


def _subject(
    tool: Tool, arguments: Arguments, root: Path, own: Sequence[Path], origins: Callable[[], Origins]
) -> _Subject | Deny:
    """What the call is about; a Deny when that can never be."""
    match tool.about:
        case "path":
            return _place(str(arguments.get("path", ".")), root, own)
        case "command":
            command = str(arguments.get("command", ""))
            script = read(command)
            return _Command(simple(command), script, removal(script, root), root)
        case "url":
            return _address(str(arguments.get("url", "")), origins)
        case None:
            return None


def _address(url: str, origins: Callable[[], Origins]) -> _Address | Deny:
    try:
        target = parse_url(url, ports=None)
    except ValueError as error:
        return Deny(str(error))
    known = origins()
    return _Address(target, given(target, known.words), carries(target, known))


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
        return Ask(f"{tool.name} may break a deny rule: what it runs is only known when it runs", "")
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
            return Ask(f"{tool.name} needs a user: {why}", "")
        case _Command(script=Script(unread=why)) as command if why:
            if not any(rule.exact and _covers(rule, command) for rule in rules):
                return Ask(
                    f"{tool.name} needs a user: {why}", _rule(tool, command) if isinstance(command.argv, tuple) else ""
                )
        case _Place() as place:
            why = _delicate(tool, place)
            if why and not any(rule.exact and _covers(rule, place) for rule in rules):
                return Ask(f"{tool.name} needs permission: {why}", _rule(tool, place))
        case _Address(target=target, carries=why) as address if why:
            if not any(rule.exact and _covers(rule, address) for rule in rules):
                reason = f"neither you nor a search gave this address of {target.host}, and {why}"
                return Ask(f"{tool.name} needs permission: {reason}", _rule(tool, address))
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


def _reads(command: _Command) -> bool:
    return isinstance(command.argv, tuple) and only_reads(command.argv)


def _covers(rule: Rule, subject: _Subject) -> bool:
    if rule.pattern is None:
        return not (isinstance(subject, _Address) and len(subject.target.path) > LONG_QUERY and not subject.given)
    match subject:
        case _Command(argv=tuple() as argv):
            return covers_command(rule, argv)
        case _Place(parts=parts):
            return parts is not None and covers_path(rule, parts)
        case _Address(target=target):
            return covers_host(rule, target.host)
        case _:
            return False


def _by_mode(mode: str, tool: Tool, subject: _Subject, readable: Callable[[str], bool]) -> bool:
    """What passes without any rule; see `FREE`."""
    if tool.effect in HARMLESS:
        return True
    match subject:
        case _Place(parts=parts, root=root):
            return mode in ("edits", "auto") and tool.effect == "writes" and not new_hidden(root, parts or ())
        case _Command(argv=tuple() as argv):
            return mode == "auto" and reads_files(argv, readable)
        case _Address(given=True):
            return mode == "auto"
        case _:
            return False


def _ask(tool: Tool, subject: _Subject, arguments: Arguments) -> Ask:
    if beyond := LEAVES.get(str(arguments.get("outside"))):
        return Ask(f"{tool.name} wants {beyond}", _rule(tool, subject))
    match subject:
        case _Command(argv=Unclear(reason)):
            why = f"it runs a program, asked about each time as {reason}"
        case _Command():
            why = "it runs a program"
        case _Place(text=text, parts=parts, root=root):
            hidden = new_hidden(root, parts or ()) if tool.effect == "writes" else ""
            why = f"it {tool.effect} {text}{f', and {hidden} is new and hidden' if hidden else ''}"
        case _Address(target=Target(host=host)):
            why = f"it connects to {host}"
        case None:
            why = {"runs": "it runs a program", "network": "it uses the network"}.get(
                tool.effect, "it changes something"
            )
    return Ask(f"{tool.name} needs permission: {why}", _rule(tool, subject))


def _rule(tool: Tool, subject: _Subject) -> str:
    """Write the narrowest rule that would let exactly this call pass."""
    match subject:
        case _Command(argv=tuple() as argv):
            return command_rule(tool.name, argv)
        case _Place(parts=parts):
            return f"{tool.name}({literal_pattern(parts or ())})"
        case _Address(target=Target(host=host)):
            return f"{tool.name}({host})"
        case _:
            return tool.name
