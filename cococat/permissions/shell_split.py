"""Reading of shell commands: one simple command word by word, or everything that might run.

Two readings of the same text, each wrong only on the safe side: `simple` gives up on anything but
plain words; `segments` finds more commands than there are.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["MAX_COMMAND", "WRAPPERS", "Segment", "Unclear", "Word", "program", "quote", "scan", "segments", "simple"]

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
_REDIRECTION = re.compile(r"<<<|<<-|<<|<&|<>|>>|>&|>\||<|>")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word, quotes removed; *fixed* is False when the shell would expand it."""

    text: str
    fixed: bool = True


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why a text is not one simple command."""

    reason: str


Segment: TypeAlias = tuple[Word, ...]


@dataclass(slots=True)
class _Scan:
    """
    What was found in a command.

    Args:
        oddities: everything that keeps it from being one simple command, in order.
        broken: quotes or brackets are open at the end, so nothing is certain.
        nested: texts that are commands themselves, from substitutions.
    """

    segments: list[list[Word]] = field(default_factory=lambda: [[]])
    oddities: list[str] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    broken: bool = False
    text: str = ""
    fixed: bool = True
    open: bool = False  # a word has begun
    target: bool = False  # the next word is where a redirection goes

    def put(self, char: str, *, fixed: bool = True) -> None:
        self.text += char
        self.open = True
        self.fixed = self.fixed and fixed

    def odd(self, reason: str) -> None:
        if reason not in self.oddities:
            self.oddities.append(reason)

    def end_word(self) -> None:
        if self.open and not self.target:
            self.segments[-1].append(Word(self.text, self.fixed))
        self.target = self.target and not self.open
        self.text, self.fixed, self.open = "", True, False

    def end_segment(self) -> None:
        self.end_word()
        self.target = False
        if self.segments[-1]:
            self.segments.append([])


def scan(command: str) -> _Scan:
    """Split *command* into words and commands the way a POSIX shell or bash would."""
    found = _Scan()
    place = 0
    while place < len(command):
        place = _step(found, command, place)
    found.end_segment()
    return found


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


def _step(found: _Scan, command: str, place: int) -> int:
    """Take in what stands at *place*; give the place after it."""
    char = command[place]
    if char in " \t":
        found.end_word()
    elif char == "\n":
        found.odd("more than one line")
        found.end_segment()
    elif char == "'":
        return _single(found, command, place + 1)
    elif char == '"':
        return _double(found, command, place + 1)
    elif char == "\\":
        return _backslash(found, command, place)
    elif char in "$`":
        return _expansion(found, command, place)
    elif char in ";&|()":
        found.odd(f"`{char}`")
        found.end_segment()
    elif char in "<>":
        return _redirection(found, command, place)
    elif char == "#" and not found.open:
        found.odd("a comment")
        end = command.find("\n", place)
        return len(command) if end < 0 else end
    else:
        _plain(found, char)
    return place + 1


def _plain(found: _Scan, char: str) -> None:
    """Take in an unquoted character that may still be more than itself."""
    expands = char in "*?[]{}" or (char == "~" and (not found.open or found.text[-1:] in "=:"))
    if expands:
        found.odd(f"an unquoted `{char}`")
    if _invisible(char):
        found.odd("a control or invisible character")
    found.put(char, fixed=not expands)


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or (char.isspace() and char != " ")


def _single(found: _Scan, command: str, start: int) -> int:
    end = command.find("'", start)
    if end < 0:
        found.broken = True
        end = len(command)
    _quoted(found, command[start:end])
    return end + 1


def _quoted(found: _Scan, text: str) -> None:
    if any(_invisible(char) for char in text):
        found.odd("a control or invisible character")
    found.put(text)


def _double(found: _Scan, command: str, place: int) -> int:
    found.put("")
    while place < len(command):
        char = command[place]
        if char == '"':
            return place + 1
        if char in "$`":
            place = _expansion(found, command, place, quoted=True)
        elif char == "\\" and command[place + 1 : place + 2] in ('"', "\\", "$", "`"):
            found.put(command[place + 1])
            place += 2
        elif command[place : place + 2] == "\\\n":
            found.odd("a continued line")
            place += 2
        else:
            _quoted(found, char)
            place += 1
    found.broken = True
    return place


def _backslash(found: _Scan, command: str, place: int) -> int:
    following = command[place + 1 : place + 2]
    if not following:
        found.broken = True
    elif following == "\n":
        found.odd("a continued line")
    else:
        _quoted(found, following)
    return place + 2


def _expansion(found: _Scan, command: str, place: int, *, quoted: bool = False) -> int:
    """Take in `$name`, `${…}`, `$(…)`, `$'…'` or a backquoted command; its value is unknown."""
    if command[place] == "`":
        return _substitution(found, command, place + 1, "`")
    following = command[place + 1 : place + 2]
    if following == "(":
        return _substitution(found, command, place + 2, ")")
    found.odd("an expansion (`$`)")
    found.put("$", fixed=False)
    if following == "{":
        end = _closing(command, place + 2, "{", "}")
        found.broken = found.broken or end < 0
        found.nested += re.findall(r"(?:\$\(|`)(.+)", command[place + 2 : end]) if end > 0 else []
        return end + 1 if end > 0 else len(command)
    if following == "'" and not quoted:
        return _ansi_quoted(found, command, place + 2)
    return place + 1


def _ansi_quoted(found: _Scan, command: str, place: int) -> int:
    """Skip `$'…'`, whose escapes can spell anything."""
    while place < len(command) and command[place] != "'":
        place += 2 if command[place] == "\\" else 1
    found.broken = found.broken or place >= len(command)
    return place + 1


def _substitution(found: _Scan, command: str, start: int, closing: str) -> int:
    found.odd("a command substitution")
    found.put("$", fixed=False)
    end = command.find("`", start) if closing == "`" else _closing(command, start, "(", ")")
    if end < 0:
        found.broken = True
        return len(command)
    found.nested.append(command[start:end])
    return end + 1


def _redirection(found: _Scan, command: str, place: int) -> int:
    found.odd(f"`{command[place]}`")
    if command[place + 1 : place + 2] == "(":
        return _substitution(found, command, place + 2, ")")
    if found.open and found.text.isdigit():
        found.text, found.open = "", False
    found.end_word()
    found.target = True
    operator = _REDIRECTION.match(command, place)
    return operator.end() if operator else place + 1


def _closing(command: str, place: int, opening: str, closing: str) -> int:
    """Find the bracket that closes, quotes respected; -1 when there is none."""
    depth, quoted = 1, ""
    while place < len(command):
        char = command[place]
        if char == "\\" and quoted != "'":
            place += 1
        elif quoted:
            quoted = "" if char == quoted else quoted
        elif char in "'\"":
            quoted = char
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return place
        place += 1
    return -1
