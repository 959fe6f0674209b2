"""Permission rules: `tool` or `tool(pattern)`.

A pattern names one simple command word by word (`*` one word, a last `**` the rest), a path below
the root (`*`, `?` within a component, `**` any number of them), or a host by labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cococat.core.tools import Declared
from cococat.permissions.hazards import proven
from cococat.permissions.network import host_labels
from cococat.permissions.paths import compile_pattern
from cococat.permissions.shell_scan import Word, scan
from cococat.permissions.shell_split import Segment, program, quote

__all__ = [
    "Rule",
    "command_rule",
    "covers_command",
    "covers_host",
    "covers_path",
    "denies_command",
    "denies_path",
    "parse_rule",
]

_REST = Word("**", fixed=False)
_ONE = Word("*", fixed=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """
    A parsed rule.

    Args:
        pattern: as it was written; None for the bare tool.
        words: of a pattern for a tool that runs a command.
        path: of a pattern for a tool that takes a path.
        labels: of a pattern for a tool that takes an address.
    """

    tool: str
    pattern: str | None = None
    words: tuple[Word, ...] = ()
    path: re.Pattern[str] | None = None
    labels: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """It names one command, path or host, without wildcards."""
        if self.pattern is None:
            return False
        if self.words:
            return all(word.fixed for word in self.words)
        return "*" not in re.sub(r"\\.", "", self.pattern) and "?" not in re.sub(r"\\.", "", self.pattern)


def parse_rule(text: str, declared: Declared) -> Rule:
    """
    Read one rule.

    Args:
        declared: says what a tool is about, and so how its pattern is read.
    Raises: ValueError: what is wrong with it, and what a right one looks like.
    """
    match = re.fullmatch(r"\s*([A-Za-z_][\w.-]*)\s*(?:\((.*)\)\s*)?", text, re.DOTALL)
    if not match:
        raise ValueError(f"{text!r} is no rule; write `tool` or `tool(pattern)`, as in run_shell(git status)")
    tool, pattern = match.groups()
    if pattern is None:
        return Rule(tool)
    if not pattern.strip():
        raise ValueError(f"{text!r} has an empty pattern; write {tool} to mean every call")
    try:
        match known.about if (known := declared(tool)) else None:
            case "command":
                return Rule(tool, pattern, words=_shell_pattern(pattern))
            case "url":
                return Rule(tool, pattern, labels=host_labels(pattern.strip()))
            case "path":
                return Rule(tool, pattern, path=compile_pattern(pattern))
            case None:
                pass
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from error
    raise ValueError(f"{text!r}: {tool} takes no pattern; write {tool}")


def command_rule(tool: str, argv: Sequence[str]) -> str:
    """Write the rule that covers exactly this command."""
    return f"{tool}({quote(argv)})"


def covers_command(rule: Rule, argv: Sequence[str]) -> bool:
    """Return whether an allow rule with a pattern covers a simple command; wildcards cover what is proven to read."""
    words = rule.words
    rest = words[-1] == _REST
    fixed = words[:-1] if rest else words
    if len(argv) < len(fixed) or (len(argv) > len(fixed) and not rest):
        return False
    if any(word.fixed and word.text != given for word, given in zip(fixed, argv, strict=False)):
        return False
    wild = [place for place in range(len(argv)) if place >= len(fixed) or not fixed[place].fixed]
    return not wild or proven(argv, wild, len(fixed))


def denies_command(rule: Rule, segment: Segment) -> bool | None:
    """
    Return whether a deny rule names one of the commands that may run.

    A deny rule holds for everything that begins with its words, and for the program in any folder.
    Returns: None when an expansion keeps it from being known.
    """
    words = rule.words[:-1] if rule.words[-1] == _REST else rule.words
    if len(segment) < len(words):
        return None if any(not given.fixed for given in segment) and _agree(words, segment) is not False else False
    return _agree(words, segment)


def _agree(words: Sequence[Word], segment: Segment) -> bool | None:
    certain = True
    for place, (word, given) in enumerate(zip(words, segment, strict=False)):
        if not word.fixed:
            continue
        if not given.fixed:
            certain = False
        elif word.text not in (given.text, program(given.text) if place == 0 else given.text):
            return False
    return True if certain else None


def covers_path(rule: Rule, parts: Sequence[str]) -> bool:
    """Return whether a path rule names the path with these components below the root."""
    return rule.path is not None and rule.path.fullmatch("/".join(parts)) is not None


def denies_path(rule: Rule, parts: Sequence[str]) -> bool:
    """Return whether a deny rule names this path; case makes no difference, as on some file systems."""
    return (
        rule.path is not None
        and re.fullmatch(rule.path.pattern, "/".join(parts), re.IGNORECASE | re.DOTALL) is not None
    )


def covers_host(rule: Rule, host: str) -> bool:
    """Return whether a host rule names *host*, label by label."""
    given, wanted = host.split("."), rule.labels
    if wanted and wanted[0] == "**":
        wanted = wanted[1:]
        if len(given) <= len(wanted):
            return False
        given = given[len(given) - len(wanted) :]
    return len(given) == len(wanted) and all(mine in ("*", theirs) for mine, theirs in zip(wanted, given, strict=True))


def _shell_pattern(pattern: str) -> tuple[Word, ...]:
    found = scan(pattern)
    words = tuple(word for segment in found.segments for word in segment)
    strange = [reason for reason in found.oddities if reason != "an unquoted `*`"]
    if found.broken or strange:
        raise ValueError(f"a rule covers one simple command, this has {', '.join(strange) or 'an open quote'}")
    if not words[0].fixed:
        raise ValueError("the first word must name the program")
    for word in words:
        if not word.fixed and word not in (_ONE, _REST):
            raise ValueError(f"`*` stands for a whole word; quote it in {word.text!r} to mean the character")
    if _REST in words[:-1]:
        raise ValueError("`**` may only be the last word")
    return words
