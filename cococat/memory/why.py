"""Why a line is in the memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cococat.memory.exchanges import pending
from cococat.memory.file import read
from cococat.memory.find_lines import Found, named
from cococat.memory.provenance import Source, sources_of

__all__ = ["Reason", "reasons"]


@dataclass(frozen=True, slots=True)
class Reason:
    """
    A line and what it rests on.

    Args:
        sources: oldest first, each with the moment it was said where the user was, if the history still tells;
            none for a line that a user wrote.
    """

    found: Found
    sources: tuple[tuple[Source, datetime | None], ...]


def reasons(folder: Path, wanted: str) -> tuple[Reason, ...]:
    """
    Return each line that *wanted* names with its sources; empty when no line does.

    Args:
        wanted: the number of a line, a part of one, or nearly the same words.
    Raises: StorageError: the memory is not readable.
    """
    lines = named(read(folder), wanted, near=True)
    sources = [sources_of(folder, [found.line]) for found in lines]
    said = _moments(folder) if any(sources) else {}
    return tuple(
        Reason(found, tuple((source, said.get((source.session, source.seq))) for source in own))
        for found, own in zip(lines, sources, strict=True)
    )


def _moments(folder: Path) -> dict[tuple[str, int], datetime]:
    return {(record.session, record.seq): record.ts for record in pending(folder, 0).records}
