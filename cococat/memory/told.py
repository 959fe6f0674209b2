"""What a change of the memory did, line by line, with the user's own words beside what is new."""

from __future__ import annotations

from pathlib import Path

from cococat.errors import StorageError, UsageError
from cococat.memory.edits import changed_lines
from cococat.memory.file import as_text, memory_lines
from cococat.memory.provenance import sources_of
from cococat.memory.versions import show

__all__ = ["facts_of"]


def facts_of(folder: Path, number: int, first: int = 0) -> tuple[tuple[str, str, str], ...]:
    """
    Return each fact that entry *number* of the log changed: "+" or "-", the line, and the words that it rests on.

    Args:
        first: the entry that a dream of several parts began with; they are taken as a whole.
    Returns: empty when there is no such entry any more; no words where the line is these words.
    """
    try:
        version = show(folder, number)
        before = show(folder, first).before if first else version.before
        removed, added = changed_lines(as_text(before), as_text(version.after))
        new = memory_lines("\n".join(added))
        quotes = {line: _quote(folder, line, range(first or number, number + 1)) for line in new}
    except (StorageError, UsageError, UnicodeDecodeError):
        return ()
    gone = [("-", _bare(line), "") for line in memory_lines("\n".join(removed))]
    return (*gone, *(("+", _bare(line), quotes[line]) for line in new))


def _quote(folder: Path, line: str, dreams: range) -> str:
    sources = [source for source in sources_of(folder, [line]) if source.dream in dreams]
    return sources[0].quote if sources and sources[0].quote not in line else ""


def _bare(line: str) -> str:
    return line.lstrip("-*+ ")
