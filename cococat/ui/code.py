"""Source code in a few colours, line by line, so that a finished line never changes again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Protocol

from rich.text import Text

from cococat.ui.theme import STYLES

__all__ = ["highlighted"]

MAX_CHARS = 300  # characters of a line that is coloured; some lexers are slow on long ones
_COLOURS = (  # the first that a token's type begins with
    ("Token.Keyword.Constant", "number"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Comment", "comment"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Class", "name"),
    ("Token.Name.Decorator", "name"),
    ("Token.Name.Tag", "name"),
    ("Token.Generic.Inserted", "added"),
    ("Token.Generic.Deleted", "removed"),
    ("Token.Generic.Subheading", "hunk"),
)


def highlighted(line: str, language: str) -> Text:
    """Return *line* of *language* in colours; as it is when the language is unknown."""
    lexer = _lexer(language.lower()) if language and len(line) <= MAX_CHARS else None
    text = Text(end="")
    if lexer is None:
        return text.append(line)
    for _, kind, value in lexer.get_tokens_unprocessed(line + "\n"):
        text.append(value.rstrip("\n"), STYLES[_colour(str(kind))] or None)
    return text if text.plain == line else Text(line, end="")


class _Lexer(Protocol):
    """What is used of a lexer of pygments, which has no types of its own."""

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, object, str]]: ...


@lru_cache(maxsize=16)
def _lexer(language: str) -> _Lexer | None:
    # imported here: 20 ms that only code should cost
    try:
        lexer: _Lexer = import_module("pygments.lexers").get_lexer_by_name(language)
    except import_module("pygments.util").ClassNotFound:
        return None
    return lexer


@lru_cache(maxsize=256)
def _colour(kind: str) -> str:
    return next((style for prefix, style in _COLOURS if kind.startswith(prefix)), "")
