"""A shell command taken apart: its words, where one command ends, and whatever makes it more than plain words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

_REDIRECTION = re.compile(r"<<<|<<-|<<|<&|<>|>>|>&|>\||<|>")
_DELIMITER = re.compile(r"""[ \t]*(?:(["'])([\w.:+-]+)\1|(\\?)([\w.:+-]+))(?=[\s;&|()<>]|$)""")
_BACKQUOTED = re.compile(r"((?:[^`\\]|\\.)*)`", re.DOTALL)
MAX_DEPTH = 30  # of substitutions in each other


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
        sinks: those among them that are fed by the command, `>(…)`.
        targets: operator and word of each redirection, `<<<` too; not those of here-documents.
        bodies: of here-documents.
        pipes: the segments that are fed by the one before, and whether that is one simple command.
        inert: segments that are words of an array or of arithmetic.
    """

    segments: list[list[Word]] = field(default_factory=lambda: [[]])
    oddities: list[str] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    sinks: list[str] = field(default_factory=list)
    targets: list[tuple[str, Word]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    pipes: dict[int, bool] = field(default_factory=dict)
    inert: set[int] = field(default_factory=set)
    announced: list[tuple[str, bool, bool]] = field(default_factory=list)  # delimiter, tabs dropped, nothing expanded
    depth: int = 0
    broken: bool = False
    text: str = ""
    fixed: bool = True
    open: bool = False  # a word has begun
    target: str = ""  # the operator of a redirection; the next word is where it goes

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
        if self.open and self.target:
            self.targets.append((self.target, Word(self.text, self.fixed)))
            self.target = ""
        elif self.open:
            self.segments[-1].append(Word(self.text, self.fixed))
        self.text, self.fixed, self.open = "", True, False

    def end_segment(self) -> None:
        """End the command."""
        self.end_word()
        self.target = ""
        if self.segments[-1]:
            self.segments.append([])


def scan(command: str) -> Scan:
    """Split *command* into words and commands the way a POSIX shell or bash would."""
    found = Scan()
    _walk(found, command, 0)
    return found


def _walk(found: Scan, command: str, place: int, *, nested: bool = False) -> int:
    """Take in what begins at *place*, up to the bracket that closes if it is *nested*; give where that ended, or -1."""
    depth = 0
    while place < len(command):
        if nested and command[place] == ")":
            if not depth:
                break
            depth -= 1
        elif nested and command[place] == "(":
            depth += 1
        place = _step(found, command, place)
    found.end_segment()
    return place if not nested or place < len(command) else -1


def _step(found: Scan, command: str, place: int) -> int:
    """Take in what stands at *place*; give the place after it."""
    char = command[place]
    if char in " \t":
        found.end_word()
    elif char == "\n":
        found.odd("more than one line")
        found.end_segment()
        return _here_documents(found, command, place + 1)
    elif char == "'":
        return _single(found, command, place + 1)
    elif char == '"':
        return _double(found, command, place + 1)
    elif char == "\\":
        return _backslash(found, command, place)
    elif char in "$`":
        return _expansion(found, command, place)
    elif char in ";&|()":
        return _separator(found, command, place)
    elif char in "<>":
        return _redirection(found, command, place)
    elif char == "#" and not found.open:
        return _comment(found, command, place)
    else:
        _plain(found, char)
    return place + 1


def _comment(found: Scan, command: str, place: int) -> int:
    found.odd("a comment")
    text, end = _line(command, place)
    if any(_invisible(char) for char in text):
        found.odd("a control or invisible character")
    return end - 1


def _separator(found: Scan, command: str, place: int) -> int:
    """End a command, and note what feeds the next one."""
    char = command[place]
    sign = char * 2 if char in "&|" and command.startswith(char * 2, place) else char
    found.odd(f"`{sign}`")
    simple = bool(found.open or found.segments[-1])
    if sign in (";", "|", "||", "&&") and not simple:
        found.odd("an empty command")  # after which a shell reads no further
    array = char == "(" and found.open and found.text.endswith("=")
    found.end_segment()
    following = len(found.segments) - 1
    if array or command.startswith("((", place):
        found.inert.add(following)
    if sign == "|":
        found.pipes[following] = simple
    return place + len(sign)


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
        return _backquoted(found, command, place + 1)
    following = command[place + 1 : place + 2]
    if following == "(":
        return _substitution(found, command, place + 2)
    found.odd("an expansion (`$`)")
    found.put("$", fixed=False)
    if following == "{":
        end = _closing(command, place + 2, quoted=quoted)
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


def _backquoted(found: Scan, command: str, start: int) -> int:
    found.odd("a command substitution")
    found.put("$", fixed=False)
    text = _BACKQUOTED.match(command, start)
    if not text:
        found.broken = True
        return len(command)
    found.nested.append(re.sub(r"\\([`\\$])", r"\1", text[1]))
    return text.end()


def _substitution(found: Scan, command: str, start: int, operator: str = "$") -> int:
    """Take in what stands in brackets; `<(` and `>(` are an *operator* of their own."""
    found.odd("a command substitution")
    found.put("$" if operator == "$" else f"{operator}(", fixed=False)
    inner = Scan(depth=found.depth + 1)
    end = _walk(inner, command, start, nested=True) if found.depth < MAX_DEPTH else -1
    texts = [[word.text for word in segment] for segment in inner.segments]
    unsure = any("case" in words and "in" in words[words.index("case") :] for words in texts)  # its `)` closes nothing
    if end < 0 or inner.broken or inner.announced or unsure:
        found.broken = True
    end = end if end >= 0 else len(command)
    (found.sinks if operator == ">" else found.nested).append(command[start:end])
    return end + 1


def _redirection(found: Scan, command: str, place: int) -> int:
    char = command[place]
    found.odd(f"`{char}`")
    if command[place + 1 : place + 2] == "(":
        return _substitution(found, command, place + 2, char)
    if found.open and found.text.isdigit():
        found.text, found.open = "", False
    found.end_word()
    operator = _REDIRECTION.match(command, place)
    assert operator  # it begins with what every operator begins with
    if operator[0] in ("<<", "<<-") and not _shifts(found, command, place):
        return _announced(found, command, operator.end(), tabs=operator[0] == "<<-")
    found.target = operator[0]
    return operator.end()


def _shifts(found: Scan, command: str, place: int) -> bool:
    """Return whether `<<` stands in arithmetic; where that cannot be said nothing is certain."""
    opening = command.rfind("((", 0, place)
    if opening < 0 or command.rfind("))", opening, place) >= 0:
        return False
    line, end = _line(command, place)
    found.broken = found.broken or ("))" not in line and end <= len(command))
    return True


def _announced(found: Scan, command: str, place: int, *, tabs: bool) -> int:
    """Take in the delimiter of a here-document, which begins on the next line."""
    delimiter = _DELIMITER.match(command, place)
    if not delimiter:
        found.broken = True
        return place
    found.announced.append((delimiter[2] or delimiter[4], tabs, bool(delimiter[1] or delimiter[3])))
    return delimiter.end()


def _here_documents(found: Scan, command: str, place: int) -> int:
    """Take in the here-documents that were announced before the line that begins at *place*."""
    for delimiter, tabs, literal in found.announced:
        body: list[str] = []
        while place < len(command):
            line, place = _line(command, place)
            while not literal and re.search(r"(?<!\\)(\\\\)*\\$", line) and place < len(command):
                more, place = _line(command, place)
                line = line[:-1] + more
            if (line.lstrip("\t") if tabs else line) == delimiter:
                break
            body.append(line)
        found.bodies.append("\n".join(body))
        if not literal:
            _expand(found, found.bodies[-1])
    found.announced.clear()
    return min(place, len(command))


def _line(command: str, place: int) -> tuple[str, int]:
    """Return the line that begins at *place*, and where the next one does."""
    end = command.find("\n", place)
    end = len(command) if end < 0 else end
    return command[place:end], end + 1


def _expand(found: Scan, body: str) -> None:
    """Take in the substitutions of a here-document."""
    inner, place = Scan(depth=found.depth), 0
    while place < len(body):
        if body[place] in "$`":
            place = _expansion(inner, body, place, quoted=True)
        else:
            place += 2 if body[place] == "\\" else 1
    found.nested += inner.nested
    found.broken = found.broken or inner.broken


def _closing(command: str, place: int, *, quoted: bool) -> int:
    """Find the brace that closes `${`, quotes respected; -1 when there is none."""
    depth, quote = 1, ""
    while place < len(command):
        char = command[place]
        if char == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char == '"' or (char == "'" and not quoted):
            quote = char
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return place
        place += 1
    return -1
