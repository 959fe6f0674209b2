"""Texts: long ones made short, halves of letters, the JSON object that one is, and parts of one that do not overlap."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
Span = TypeVar("Span", bound=tuple[Any, ...])  # where it begins and ends, and whatever else


def clip(text: str, limit: int) -> str:
    """Return the beginning of *text*, *limit* characters at most, and show where the rest is missing."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def shorten(text: str, limit: int = 2000, missing: int = 0) -> str:
    """
    Keep the head and the tail of *text*, and say in between how much is missing.

    Args:
        limit: characters that are kept, the marker not counted; >= 0.
        missing: characters of the whole that *text* lacks already, between its head and its tail.
    Returns: *text* itself when it is no longer than *limit*.
    Source: docs/acceptance.md, A20.
    """
    over = len(text) - limit
    if over <= 0:
        return text
    head = limit - limit // 2
    return f"{text[:head]}[truncated {over + missing} chars]{text[head + over :]}"


def encodable(text: str) -> str:
    """Return *text* with each half of a letter as `?`: no file and no JSON can hold one."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def join_surrogates(text: str) -> str:
    """Join surrogate pairs and put U+FFFD in the place of lone surrogates, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def apart(spans: Iterable[Span]) -> list[Span]:
    """Put *spans* in the order of their beginnings, and leave out what overlaps an earlier one."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: span[0]):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def json_object(text: str | bytes | bytearray) -> dict[str, Any] | None:
    """Return the JSON object that *text* is; None for any other value, and for what is no JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_items(row: Mapping[str, object], name: str, kind: type[T]) -> list[T]:
    """Return what of *kind* the list in the field *name* holds; nothing where there is no list."""
    found = row.get(name)
    return [item for item in found if isinstance(item, kind)] if isinstance(found, list) else []
