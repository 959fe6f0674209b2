"""Why a line is in the memory.

Public: why.
"""

from __future__ import annotations

from pathlib import Path

from cococat.memory.file import memory_lines, read
from cococat.memory.provenance import Source, sources_of
from cococat.memory.words import SAME, key, similarity


def why(folder: Path, wanted: str) -> tuple[Source, ...]:
    """
    Give the sources of the lines that *wanted* names, oldest first; empty when none is known.

    Args:
        wanted: the number of a line, a part of one, or nearly the same words.
    Raises: StorageError: the memory is not readable.
    """
    return sources_of(folder, _named(read(folder).text, wanted))


def _named(text: str, wanted: str) -> tuple[str, ...]:
    if wanted.strip().isdigit():
        number = int(wanted)
        return tuple(text.split("\n")[number - 1 : number]) if number else ()
    folded = key(wanted)
    if not folded:
        return ()
    return tuple(line for line in memory_lines(text) if folded in key(line) or similarity(line, wanted) >= SAME)
