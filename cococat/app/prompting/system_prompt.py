"""The system prompt: the mode's text, what the user gave, the memory as data, where and when we are."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cococat.app.endpoint.connect import Connection
from cococat.app.endpoint.context_profile import is_small
from cococat.prompts import prompt


def system_prompt(
    connection: Connection,
    root: Path,
    given: Sequence[str],
    *,
    mode: str,
    tools: bool,
    steps: int,
    day: str,
    place: Callable[[], str],
) -> str:
    """
    Return the system prompt of a conversation.

    JSON decisions bring a text of their own; what differs from day to day is left out there, so that
    the embedded model need not read its whole prompt again.

    Args:
        given: what stands below our own text; empty ones are left out.
        tools: some are offered.
        day: as YYYY-MM-DD.
        place: where and when we are, for `react` in a window that has room for it.

    What may change from turn to turn stands last, so that caches keep what is before it.
    """
    if connection.protocol.name == "json" and tools:
        return "\n\n".join(filter(None, given))
    react, small = mode == "react" and tools, is_small(connection)
    own = prompt(("react_short" if small else "react") if react else "single").replace("{steps}", str(steps))
    here = f"Today is {day}. System: {platform.system()}. Folder: {root.name or root}"
    return "\n\n".join(filter(None, (own, *given, place() if react and not small else here)))


def today() -> str:
    """Return the date where the user is, as YYYY-MM-DD."""
    return datetime.now(UTC).astimezone().date().isoformat()
