"""Reading of shell commands: one simple command word by word, or everything that might run.

Two readings of the same text, each wrong only on the safe side: `simple` gives up on anything but
plain words; `segments` finds more commands than there are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cococat.permissions.shell_scan import Word, scan

__all__ = ["MAX_COMMAND", "WRAPPERS", "Segment", "Unclear", "program", "quote", "segments", "simple"]

# ruff: noqa: SIM905 - long lists of words read better as a text

MAX_COMMAND = 10_000  # characters of a command that a rule may cover
DEEPEST = 6  # nested substitutions that are followed
KEYWORDS = frozenset(
    "if then else elif fi do done case esac while until for in function select time coproc { } ! [[ ]]".split()
)
WRAPPERS = frozenset(
    "env sudo doas su xargs parallel timeout nice ionice nohup setsid stdbuf chroot unshare nsenter command builtin "
    "exec eval source . trap sh bash dash zsh ksh fish ash busybox watch flock strace ltrace script ssh "
    "start-stop-daemon runuser setpriv chrt taskset time entr".split()
)
CARRIERS = WRAPPERS | {"find", "fd", "fdfind", "docker", "podman", "kubectl", "git"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=")
_OPTION = re.compile(r"--[\w-]+=|-\w")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why a text is not one simple command."""

    reason: str


Segment: TypeAlias = tuple[Word, ...]


def simple(command: str) -> tuple[str, ...] | Unclear:
    """Return the words of *command* when it is one simple command without any expansion."""
    if len(command) > MAX_COMMAND:
        return Unclear(f"the command is longer than {MAX_COMMAND:,} characters")
    if os.name == "nt" and not _PLAIN.fullmatch(command.replace(" ", "_").replace("%", "'")):
        return Unclear("it has characters that cmd.exe reads in its own way")
    found = scan(command)
    if found.broken:
        return Unclear("a quote or bracket is left open")
    if found.oddities:
        return Unclear(f"it has {', '.join(found.oddities)}")
    words = [word.text for segment in found.segments for word in segment]
    if not words or not words[0]:
        return Unclear("it is empty")
    if words[0] in KEYWORDS:
        return Unclear(f"it has the shell keyword `{words[0]}`")
    if _ASSIGNMENT.match(words[0]):
        return Unclear("it has an assignment")
    return tuple(words)


def segments(command: str, depth: int = 0) -> tuple[Segment, ...] | None:
    """
    Return every command that *command* might run, behind wrappers and in substitutions too.

    Returns: None when the text cannot be read, so that anything might run.
    """
    found = scan(command)
    if found.broken or depth > DEEPEST:
        return None
    inner = list(found.nested)
    result: list[Segment] = []
    for words in found.segments:
        for segment in _unwrapped(words):
            result.append(segment)
            inner += _scripts(segment)
    for text in inner:
        more = segments(text, depth + 1)
        if more is None:
            return None
        result += more
    return tuple(dict.fromkeys(result))


def quote(words: Sequence[str]) -> str:
    """Write *words* so that a shell, or a rule, reads exactly them; without single quotes."""
    return " ".join(
        word if _PLAIN.fullmatch(word) else '"' + re.sub(r'(["\\$`])', r"\\\1", word) + '"' for word in words
    )


def program(word: str) -> str:
    """The name of the program, without its folder."""
    return word.rpartition("/")[2]


def _unwrapped(words: Sequence[Word]) -> Iterator[Segment]:
    """Drop keywords and assignments in front; behind a wrapper, every later word may begin a command."""
    start = 0
    while start < len(words) and (words[start].text in KEYWORDS or _ASSIGNMENT.match(words[start].text)):
        start += 1
    rest = tuple(words[start:])
    if not rest:
        return
    yield rest
    if program(rest[0].text) in CARRIERS:
        for place in range(1, len(rest)):
            yield rest[place:]


def _scripts(segment: Segment) -> list[str]:
    """Words of a wrapper that are commands themselves, as in `sh -c '…'`."""
    if program(segment[0].text) not in CARRIERS:
        return []
    texts = [_OPTION.sub("", word.text) for word in segment[1:]]
    return [text for text in texts if re.search(r"[\s;&|$`(){}<>]", text)]
