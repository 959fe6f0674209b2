"""The rows of a step: what was thought, and each call beside what it gave.

A step reads the same live, replayed and in a pipe:

      think    The port is set somewhere in src; find it. · 2 s
      act      grep_search "PORT"              observe  3 hits
               src/server.py:4: PORT = 8080
      act      $ make build                    observe  exit 0 · 3.2 s
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.lines.columns import cells, cut_start
from cococat.ui.lines.format import Line, first_line, plain, seconds
from cococat.ui.steps.view import Call

INDENT, LABEL = 2, 9  # columns before a label, and of the label with its gap
NARROW = 50  # columns of a screen below which nothing is aligned
SHARE = 0.46  # of the columns behind the label, those of a call that has its observation beside it
GAP = 2  # columns between a call and the observation beside it, at least
RESULT = 160  # characters of one result that are shown
MIN_S = 1.0  # seconds that are worth a word
_KINDS = {  # types of errors that the loop gives its refusals, as a user would say them
    "PermissionDenied": "denied", "UnknownTool": "no such tool", "InvalidArguments": "wrong arguments",
    "TooEarly": "too early", "Repeated": "repeated", "AskedEnough": "asked enough", "ToolFailure": "",
    "FileNotFoundError": "", "IsADirectoryError": "", "NotADirectoryError": "", "PermissionError": "", "OutsideError": "",
    "FileTypeError": "", "NotReadError": "", "ChangedError": "", "NoMatchError": "", "ManyMatchesError": "",
    "MaskError": "", "PatternError": "", "ProtectedError": "", "ValueError": "",
}  # fmt: skip

_ENDINGS = ("exit ", "ended by signal")  # how the result of a command begins
_SAID_NO = "denied: the user said no: "  # and why, in words of their own
CALL = 120  # characters of a call where no room is named
VALUE = 40  # characters of one argument that are always shown
NAME = 40
_TYPED = {"command": "$ ", "code": ">>> "}  # arguments that are what a user would type, behind these marks
_PASSAGES = frozenset(("content", "old_text", "new_text", "evidence"))  # of a file: the diff shows them better
_ELSEWHERE = ({"answer"}, {"items"})  # a call that gives only these: an answer and a plan are shown below the steps
_ASKED = ({"question"}, {"question", "choices"})  # stands above the call, with its answer
_HERE = (".", "./", "")  # the folder in which a search begins by itself
_WORD = re.compile(r"(?:https?://[^\s\"']+|[^\s\"'=]+)\Z")


def column(width: int) -> int:
    """Return where the words of a step begin, behind its labels."""
    return INDENT + LABEL if width >= NARROW else 0


def thought(text: str, width: int, style: str = "", elapsed_s: float = 0) -> tuple[Line, ...]:
    """What the model said before its calls, and how long it took where that is worth a word."""
    words = safe(text).strip().split("\n")
    indent = " " * (column(width) or INDENT)
    rows: list[Line] = [((indent, ""), (word.rstrip(), style)) if word.strip() else () for word in words[1:]]
    rows.insert(0, (*_label("think", width), (words[0].rstrip(), style)))
    if elapsed_s >= MIN_S:
        took = f"· {seconds(elapsed_s)}".replace(" ", "\xa0")  # in one row
        rows[-1] = (*rows[-1], (" ", ""), (took, "dim"))
    return tuple(rows)


def pair(
    call: Call, result: Line, rows: tuple[Line, ...], width: int, *, first: bool = True, full: bool = False
) -> tuple[Line, ...]:
    """
    A call and what it gave: on one line where both fit, else below each other.

    Args:
        result: from `result_text` or `running_text`; empty while there is none.
        rows: what was found, to stand below.
        first: the call stands behind the word act; others of its step stand below it.
        full: nothing of the arguments is cut.
    """
    at = column(width)
    room = max(NARROW, width - at)
    said = call_text(
        call.name, call.arguments, 1 << 20 if full else room * 2, asked=call.status != "failed" and not full
    )
    head = _label("act", width) if first or not at else ((" " * at, ""),)
    below = tuple(((" " * (at or INDENT), ""), *row) for row in rows)
    if not result:
        return ((*head, *said), *below)
    used = at + cells(plain(said))
    place = max(at + int((width - at) * SHARE), used + GAP)
    if at and place + LABEL + cells(plain(result)) <= width:
        gap = " " * (place - used)
        return ((*head, *said, (gap, ""), ("observe".ljust(LABEL), "dim"), *result), *below)
    return ((*head, *said), (*_label("observe", width), *result), *below)


def result_text(call: Call) -> Line:
    """Write what an ended call gave: `✓ exit 0 · 3.2 s`, or the first line of its failure."""
    took = ((f" · {seconds(call.seconds)}", "dim"),) if call.seconds >= MIN_S else ()
    if call.status == "failed":
        reason = first_line(call.display) or why_failed(first_line(call.output))[0]
        return (("✗ ", "error"), (clip(reason or "failed", RESULT), "error"), *took)
    said = clip(first_line(call.display) or _gist(call), RESULT)
    if said.startswith(_ENDINGS) and not re.match(r"exit 0\b", said):
        return (("✗ ", "error"), (said, "error"), *took)
    return (("✓ ", "done"), (said, ""), *took)


def running_text(call: Call, elapsed_s: float, room: int) -> Line:
    """Write where a call stands that has not ended: its seconds, and what it printed last."""
    if call.status == "pending":
        return (("waits", "dim"),)
    last = safe(call.tail).rstrip().rpartition("\n")[2].strip().replace("\t", " ")
    words = f"{elapsed_s:.0f} s"
    return ((f"{words}  {cut_start(last, max(0, room - len(words) - GAP))}".rstrip(), "dim"),)


def why_failed(told: str) -> tuple[str, str]:
    """Return why a call failed, as a user would say it, and what the model is told to do instead."""
    reason = in_words(re.sub(r"^\[TOOL_ERROR\] ", "", told))
    if reason.startswith(_SAID_NO):
        return reason, ""
    reason, _, hint = reason.partition("; ")
    return reason, hint


def in_words(reason: str) -> str:
    """Return *reason* without the name of an error type, which is for the model."""
    kind, sign, rest = reason.partition(": ")
    return (f"{_KINDS[kind]}{sign}" if _KINDS[kind] else "") + rest if sign and kind in _KINDS else reason


def _label(name: str, width: int) -> Line:
    if width < NARROW:
        return ((f"{name} ", "dim"),)
    return ((" " * INDENT, ""), (name.ljust(LABEL), "dim"))


def _gist(call: Call) -> str:
    """One line for a result that came without its own."""
    if call.lines == 1:
        return clip(first_line(call.output), RESULT // 2)
    return f"{call.lines} lines" if call.lines else "no output"


def call_text(name: str, arguments: str, limit: int = CALL, *, asked: bool = False) -> Line:
    """
    Write a call in at most *limit* characters.

    Args:
        name, arguments: as the model wrote them, which may be anything.
        asked: a question to the user was put to them.
    """
    given = arguments_of(arguments)
    if given is None:
        return ((_one_line(clip(name, NAME)), "tool"), (clip(_one_line(f" {' '.join(arguments.split())}"), limit), ""))
    typed = next((key for key in _TYPED if isinstance(given.get(key), str)), "")
    if typed:
        head = f"{_TYPED[typed]}{given[typed]}"
        rest = {key: value for key, value in given.items() if key != typed}
        return ((clip(_one_line(head), limit), "tool"), *_styled(_values(rest, limit, bare=False), limit - len(head)))
    head = _one_line(clip(name, NAME))
    if given.keys() in _ELSEWHERE or (asked and given.keys() in _ASKED):
        return ((head, "tool"),)
    shown = {key: value for at, (key, value) in enumerate(given.items()) if not _is_noise(at, key, value, given)}
    return ((head, "tool"), *_styled(_values(shown, limit, bare=True), limit - len(head)))


def _is_noise(at: int, key: str, value: object, given: Mapping[str, object]) -> bool:
    """Return whether an argument tells nothing: the folder that is meant anyway, a passage that the diff shows."""
    return (at > 0 and key == "path" and value in _HERE) or (key in _PASSAGES and "path" in given)


def arguments_of(raw: str) -> Mapping[str, object] | None:
    """Return the arguments of a call as the model wrote them; None where they are no object."""
    try:
        given = json.loads(raw or "{}")
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _values(given: Mapping[str, object], limit: int, *, bare: bool) -> str:
    """The arguments behind the name; what the first of them means is told by the name of the tool."""
    each = max(VALUE, limit // max(1, len(given)))
    words = ""
    for index, (key, value) in enumerate(given.items()):
        first = bare and index == 0
        text = value if first and key != "pattern" and _is_word(value) else json.dumps(value, ensure_ascii=False)
        text = str(text)
        text = text if len(text) <= each else f"{text[: each - 2]}…{text[-1]}"
        words += f" {text}" if first else f" {key}={text}"
    return words


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(_WORD.match(value))


def _styled(words: str, room: int) -> Line:
    return ((clip(_one_line(words), max(VALUE, room)), ""),) if words else ()


def _one_line(text: str) -> str:
    """Return *text* with its line ends visible: a line of its own could be taken for one of ours."""
    return safe(text, "exact").replace("\n", "␊").replace("\t", "␉")
