"""A shell command taken apart: its words, where one command ends, and whatever makes it more than plain words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

__all__ = ["Scan", "Word", "scan"]

_REDIRECTION = re.compile(r"<<<|<<-|<<|<&|<>|>>|>&|>\||<|>")


@dataclass(frozen=True, slots=True)
class Word:
    """One word, quotes removed; *fixed* is False when the shell would expand it."""

    text: str
    fixed: bool = True


@dataclass(slots=True)
class Scan:
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
        """Add *char* to the word; not *fixed*: the shell would expand it."""
        self.text += char
        self.open = True
        self.fixed = self.fixed and fixed

    def odd(self, reason: str) -> None:
        """Note something that plain words do not have."""
        if reason not in self.oddities:
            self.oddities.append(reason)

    def end_word(self) -> None:
        """End the word, if one has begun; what a redirection points at is no word of the command."""
        if self.open and not self.target:
            self.segments[-1].append(Word(self.text, self.fixed))
        self.target = self.target and not self.open
        self.text, self.fixed, self.open = "", True, False

    def end_segment(self) -> None:
        """End the command."""
        self.end_word()
        self.target = False
        if self.segments[-1]:
            self.segments.append([])


def scan(command: str) -> Scan:
    """Split *command* into words and commands the way a POSIX shell or bash would."""
    found = Scan()
    place = 0
    while place < len(command):
        place = _step(found, command, place)
    found.end_segment()
    return found


def _step(found: Scan, command: str, place: int) -> int:
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


def _plain(found: Scan, char: str) -> None:
    """Take in an unquoted character that may still be more than itself."""
    expands = char in "*?[]{}" or (char == "~" and (not found.open or found.text[-1:] in "=:"))
    if expands:
        found.odd(f"an unquoted `{char}`")
    if _invisible(char):
        found.odd("a control or invisible character")
    found.put(char, fixed=not expands)


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or (char.isspace() and char != " ")


def _single(found: Scan, command: str, start: int) -> int:
    end = command.find("'", start)
    if end < 0:
        found.broken = True
        end = len(command)
    _quoted(found, command[start:end])
    return end + 1


def _quoted(found: Scan, text: str) -> None:
    if any(_invisible(char) for char in text):
        found.odd("a control or invisible character")
    found.put(text)


def _double(found: Scan, command: str, place: int) -> int:
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


def _backslash(found: Scan, command: str, place: int) -> int:
    following = command[place + 1 : place + 2]
    if not following:
        found.broken = True
    elif following == "\n":
        found.odd("a continued line")
    else:
        _quoted(found, following)
    return place + 2


def _expansion(found: Scan, command: str, place: int, *, quoted: bool = False) -> int:
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


def _ansi_quoted(found: Scan, command: str, place: int) -> int:
    """Skip `$'…'`, whose escapes can spell anything."""
    while place < len(command) and command[place] != "'":
        place += 2 if command[place] == "\\" else 1
    found.broken = found.broken or place >= len(command)
    return place + 1


def _substitution(found: Scan, command: str, start: int, closing: str) -> int:
    found.odd("a command substitution")
    found.put("$", fixed=False)
    end = command.find("`", start) if closing == "`" else _closing(command, start, "(", ")")
    if end < 0:
        found.broken = True
        return len(command)
    found.nested.append(command[start:end])
    return end + 1


def _redirection(found: Scan, command: str, place: int) -> int:
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
