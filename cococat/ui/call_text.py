"""A tool call as a user would type it: `$ make build`, `grep_search "PORT"`, `edit_file src/server.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.format import Line

__all__ = ["CALL", "call_text"]

CALL = 120  # characters of a call where no room is named
VALUE = 40  # characters of one argument that are always shown
NAME = 40
_TYPED = {"command": "$ ", "code": ">>> "}  # arguments that are what a user would type, behind these marks
_PASSAGES = frozenset(("content", "old_text", "new_text", "evidence"))  # of a file: the diff shows them better
_ELSEWHERE = ({"answer"}, {"items"})  # a call that gives only these: an answer and a plan are shown below the steps
_ASKED = ({"question"}, {"question", "choices"})  # stands above the call, with its answer
_HERE = (".", "./", "")  # the folder in which a search begins by itself
_WORD = re.compile(r"(?:https?://[^\s\"']+|[^\s\"'=]+)\Z")


def call_text(name: str, arguments: str, limit: int = CALL, *, asked: bool = False) -> Line:
    """
    Write a call in at most *limit* characters.

    Args:
        name, arguments: as the model wrote them, which may be anything.
        asked: a question to the user was put to them.
    """
    given = _arguments(arguments)
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


def _arguments(raw: str) -> Mapping[str, object] | None:
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
