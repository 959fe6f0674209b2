"""Amounts that flags take: numbers, spans of time, sizes."""

from __future__ import annotations

import re

from cococat.errors import UsageError

__all__ = ["bytes_of", "count_of", "days_of"]

_AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([a-z]*)", re.ASCII)
_DAYS = {"": 1, "d": 1, "day": 1, "days": 1, "h": 1 / 24, "w": 7, "m": 30, "y": 365}
_BYTES = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12}
_BYTES |= {"tb": 10**12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


def count_of(text: str | None, flag: str) -> int | None:
    """
    Read a whole number from 0 on; None stays None.

    Raises: UsageError: it is none.
    """
    if text is None or re.fullmatch(r"[0-9]{1,9}", text):
        return None if text is None else int(text)
    raise UsageError(f"{flag}: wanted a whole number, 0 for no limit, got {ascii(text)[:40]}", f"e.g. {flag} 20")


def days_of(text: str | None, flag: str) -> float | None:
    """
    Read a span of time such as `30d` as days; None stays None.

    Raises: UsageError: it is none.
    """
    return _read(text, _DAYS, f"{flag}: wanted a time such as 30d, 12h or 2w", f"e.g. {flag} 30d")


def bytes_of(text: str | None, flag: str) -> int | None:
    """
    Read a size such as `500MB` as bytes; None stays None.

    Raises: UsageError: it is none.
    """
    size = _read(text, _BYTES, f"{flag}: wanted a size such as 500MB, 2GB or 1GiB", f"e.g. {flag} 500MB")
    return None if size is None else int(size)


def _read(text: str | None, units: dict[str, int] | dict[str, float], wanted: str, fix: str) -> float | None:
    if text is None:
        return None
    found = _AMOUNT.fullmatch(text.strip().lower())
    if found is None or found[2] not in units:
        raise UsageError(f"{wanted}, got {ascii(text)[:40]}", fix)
    return float(found[1]) * units[found[2]]
