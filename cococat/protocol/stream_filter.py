"""What a user may see of a JSON decision while it is still being streamed: the answer, unescaped."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
# receives a text one character at a time
Scanner: TypeAlias = Generator[None, str, T]
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HIGH, _LOW, _END = 0xD800, 0xDC00, 0xE000  # of the surrogates
_CLOSING = -1
_UNPAIRED = "\ufffd"


def final_lens() -> Callable[[str], str]:
    """
    Return a filter that turns the deltas of a decision into the deltas of its answer.

    Only the string `final` of the first object is shown, and only once the object has said that
    its action is `finish`. Where the deltas are split makes no difference.
    """
    shown: list[str] = []
    scanner = _object(shown)
    next(scanner)

    def look(text: str) -> str:
        for char in text:
            scanner.send(char)
        visible = "".join(shown)
        shown.clear()
        return visible

    return look


def _object(shown: list[str]) -> Scanner[None]:
    """Follow the first object of the text; ignore whatever is around it."""
    while (yield) != "{":
        pass
    depth, key, action, naming = 1, "", "", True
    while depth:
        match (yield):
            case '"':
                visible = depth == 1 and not naming and key == "final" and action == "finish"
                word = yield from _string(shown if visible else [])
                if depth == 1 and naming:
                    key = word
                elif depth == 1 and key == "action":
                    action = word
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case "," | ":" as mark:
                naming = mark == ","
            case _:
                pass
    while True:
        yield


def _string(out: list[str]) -> Scanner[str]:
    """Follow a string to its closing quote; its characters go to *out* as they arrive."""
    said: list[str] = []
    high = 0  # the first half of a surrogate pair, which waits for its second

    def say(char: str) -> None:
        said.append(char)
        out.append(char)

    while (code := (yield from _code())) != _CLOSING:
        if high and _LOW <= code < _END:
            say(chr(0x10000 + ((high - _HIGH) << 10) + code - _LOW))
            high = 0
            continue
        if high:
            say(_UNPAIRED)
        high = code if _HIGH <= code < _LOW else 0
        if not high:
            say(_UNPAIRED if _LOW <= code < _END else chr(code))
    if high:
        say(_UNPAIRED)
    return "".join(said)


def _code() -> Scanner[int]:
    """Return the code of the next character or escape of a string; `_CLOSING` for its end."""
    char = yield
    if char == '"':
        return _CLOSING
    if char != "\\":
        return ord(char)
    char = yield
    if char == "u":
        return (yield from _hex())
    return ord(_SHORT.get(char, char))


def _hex() -> Scanner[int]:
    digits = ""
    for _ in range(4):
        digits += yield
    try:
        return int(digits, 16)
    except ValueError:
        return ord(_UNPAIRED)
