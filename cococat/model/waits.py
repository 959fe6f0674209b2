"""How long a server asks to wait: in its headers, or in its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

__all__ = ["duration", "retry_after_s", "wait_in_words_s", "when"]

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_UNIT = r"ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?"
_PART = re.compile(rf"({_NUMBER}) ?({_UNIT})(?![a-z])")
_PARTS = rf"(?P<parts>(?:{_NUMBER} ?(?:{_UNIT})(?![a-z])[ ,]*(?:and )?)+)"
# "try again in 6m0s", "retry after 20 seconds", "please wait 1.5s", "retrydelay": "25s"
_WORDS = re.compile(
    rf"(?:try again|retry|retrying|wait|retry.?delay|resets?)\W{{0,4}}(?:in|after|for|at least)?\W{{0,4}}{_PARTS}"
)
# "retry_after": 12, "retry_after_ms": 1500
_FIELD = re.compile(rf"retry.?after(?P<unit>.?ms|.?seconds|.?s)?\"?\s*[:=]\s*\"?(?P<number>{_NUMBER})(?![\w.])")


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """
    Return the seconds that the server asks to wait, from `retry-after-ms` or `retry-after` (seconds or HTTP date).

    Args:
        headers: names in lower case.
        now: wall-clock seconds since 1970.
    Returns: None for values that make no sense, negative ones too; a date that has passed is 0.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return float(value) * unit
    if not (date := headers.get("retry-after")):
        return None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def wait_in_words_s(text: str) -> float | None:
    """Return the seconds that an error asks to wait, "try again in 6m0s" or a field of its JSON; None when it does not."""
    words = " ".join(text.lower().split())
    if found := _WORDS.search(words):
        return sum(
            float(number) * _SECONDS["ms" if unit.startswith(("ms", "mil")) else unit[0]]
            for number, unit in _PART.findall(found["parts"])
        )
    if field := _FIELD.search(words):
        return float(field["number"]) * (0.001 if (field["unit"] or "").endswith("ms") else 1.0)
    return None


def duration(seconds: float) -> str:
    """Write a wait of a minute and more in words: 10 min, 1 h 30 min, 3 days."""
    minutes = round(seconds / 60)
    if minutes < 120:  # noqa: PLR2004 - two hours
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
    return f"{round(minutes / 60 / 24)} days"


def when(seconds: float, now: float) -> str:
    """Return the local time of day that is *seconds* after *now*, with the date when it is not today's."""
    begin, end = datetime.fromtimestamp(now).astimezone(), datetime.fromtimestamp(now + seconds).astimezone()
    return end.strftime("%H:%M" if begin.date() == end.date() else "%Y-%m-%d %H:%M")
