"""JSON objects as models write them: read without changing a character of what they say, or refused.

What is put right has one meaning only; anything else would be a guess, and a guess would be written to a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from cococat.core.reply import Invalid

NEAR = 40  # characters that are shown of the place where reading ended
_CLOSING = {"{": "}", "[": "]"}
_LITERALS = {"True": "true", "False": "false", "None": "null"}
# a quote that matches alone begins a string without an end
_TOKEN = re.compile(
    r""" "[^"\\]*+(?:\\.[^"\\]*+)*+"  |  '[^'\\]*+(?:\\.[^'\\]*+)*+'  |  [{}\[\],:"']  |  [^\s{}\[\],:"']++ """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE_OR_QUOTE = re.compile(r"\\.|\"", re.DOTALL)
_FENCE = re.compile(r"```\w*")
_NO_PROSE = re.compile(r"[\"{}\[\]\\]|(?<!\w)'|'(?!\w)")  # the one quote of prose is the apostrophe


class _Broken(Exception):
    """The text cannot be read without a guess; the message says why."""


def read_object(text: str) -> dict[str, object] | Invalid:
    """
    Return the one JSON object that *text* is, or what is wrong with it.

    Put right are control characters in strings, trailing commas, brackets missing at the end, single quotes and
    Python's literals, and a fence or prose around the object. What may be cut short is refused, and so is a key
    with two values.

    Source: docs/adr/0009-lossless-arguments.md.
    """
    try:
        try:
            parsed = _load(text)
        except ValueError as error:
            parsed = _load_rewritten(text, error)
    except _Broken as broken:
        return Invalid(f"Invalid JSON parse error: {broken}")
    except RecursionError:
        return Invalid("Invalid JSON parse error: RecursionError: nested too deep")
    return parsed if isinstance(parsed, dict) else Invalid(f"it must be a JSON object, got {type(parsed).__name__}")


def _load(json_text: str) -> object:
    """Load JSON whose strings may hold control characters; what Python allows beyond JSON is a ValueError."""
    return json.loads(json_text, strict=False, object_pairs_hook=_pairs, parse_constant=no_number)


def no_number(name: str) -> float:
    """Refuse what Python alone knows as a number."""
    raise ValueError(f"{name} is no JSON number")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    for key, value in pairs if len(found) < len(pairs) else ():
        if value != found[key] or type(value) is not type(found[key]):
            raise _Broken(f"the key {key!r} is given twice, with different values")
    return found


def _load_rewritten(text: str, error: ValueError) -> object:
    """
    Load the object that *text* holds in another notation.

    Args:
        error: why it is no JSON as it is.
    """
    start = text.find("{")
    if start < 0:
        raise _Broken(_described(error, text))
    try:
        tokens, end = _tokens(text, start)
        _check_surroundings(text[:start], text[end:])
        return _load(" ".join(tokens))
    except _Broken as broken:
        raise _Broken(f"{_described(error, text)} ({broken})") from None
    except ValueError:
        raise _Broken(_described(error, text)) from None


def _described(error: ValueError, text: str) -> str:
    words = f"{type(error).__name__}: {error}"
    if not isinstance(error, json.JSONDecodeError):
        return words
    near = text[max(0, error.pos - NEAR) : error.pos]
    return f'{words}, behind {near!r}. In a string a quote is written \\" and a backslash \\\\' if near else words


def _tokens(text: str, start: int) -> tuple[list[str], int]:
    """
    Write the object that begins at *start* as tokens of JSON.

    Returns: the tokens, in which missing brackets are closed, and where the object ends in *text*.
    """
    tokens: list[str] = []
    due: list[str] = []  # closing brackets
    token, nested = None, set[str]()
    for token in _TOKEN.finditer(text, start):
        word = token[0]
        if word in _CLOSING:
            due.append(_CLOSING[word])
        elif word in ("}", "]"):
            _close(word, tokens, due)
        elif word in ('"', "'"):
            raise _Broken("a string has no end: was it cut off?")
        elif word == ",":
            nested.update(due[-1:] if due.count(due[-1]) > 1 else ())
        tokens.append(_double_quoted(word) if word[0] == "'" else _LITERALS.get(word, word))
        if not due:
            return tokens, token.end()
    if not _is_complete(tokens, blank_behind=token is not None and token.end() < len(text)):
        raise _Broken("the object has no end: was it cut off?")
    if nested.intersection(due):  # what follows a comma could as well belong to an outer bracket of that kind
        raise _Broken("brackets are missing that could stand in more than one place")
    return [*tokens, *reversed(due)], len(text)


def _close(bracket: str, tokens: list[str], due: list[str]) -> None:
    """Check that *bracket* is the one that is due, and take a trailing comma away from the end of *tokens*."""
    if due.pop() != bracket:
        raise _Broken(f"{bracket} closes what was not opened")
    if tokens[-1] == "," and tokens[-2] not in ("{", "[", ",", ":"):
        tokens.pop()


def _is_complete(tokens: Sequence[str], *, blank_behind: bool) -> bool:
    """Return whether the last of *tokens* cannot go on: 1 may be the beginning of 12, a comma that of a field."""
    last = tokens[-1]
    if last[0] in '"}]' or last in ("true", "false", "null"):
        return True
    return blank_behind and last not in ("{", "[", ",", ":")


def _double_quoted(string: str) -> str:
    """Write a string in single quotes as JSON does; only escapes that mean the same there and in Python are known."""

    def translate(found: re.Match[str]) -> str:
        match found[0]:
            case '"':
                return r"\""
            case r"\'":
                return "'"
            case r"\/":
                raise _Broken(r"\/ in single quotes can be read in two ways: write JSON, in double quotes")
            case escape:
                return escape

    return f'"{_ESCAPE_OR_QUOTE.sub(translate, string[1:-1])}"'


def _check_surroundings(before: str, after: str) -> None:
    """
    Check that what stands around the object is prose, in which no part of the object can be.

    Behind an object that nothing stands before, prose begins on a line of its own: on the same line it
    could be the rest of a string whose quotes were not escaped.
    """
    before, own_line = _FENCE.sub("", before), after.lstrip(" \t")[:1] in ("", "\n", "\r", "`", "<")
    after = _FENCE.sub("", after)
    if _NO_PROSE.search(before) or _NO_PROSE.search(after) or not (own_line or before.strip()):
        beside = " ".join((after.strip() or before.strip()).split())
        raise _Broken(f"there is more than one JSON object: {beside[:NEAR]!r} stands beside it")
