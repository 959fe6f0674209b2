"""Taking back what the tools of one turn or several did to files, unless somebody changed a file since, or between."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from cococat.core.tools import ToolFailure
from cococat.permissions.paths import Parts
from cococat.system.below import folder_below
from cococat.system.text_file import decode_file
from cococat.tools.access import MAX_EDIT, display_path, open_regular, translate_os_errors
from cococat.tools.checked_write import put
from cococat.tools.diff import unified
from cococat.tools.preimages import Preimage


@dataclass(frozen=True, slots=True)
class Back:
    """A file that will hold *before* again instead of *now*; None is no file."""

    path: Parts
    before: bytes | None
    now: bytes | None
    mode: int


@dataclass(frozen=True, slots=True)
class Clash:
    """A file that is not as the tools left it; *diff* is what taking it back would do to it."""

    path: str
    diff: str


def plan(root: Path, images: Iterable[tuple[Preimage, bytes | None]]) -> tuple[tuple[Back, ...], tuple[Clash, ...]]:
    """
    Compare the files with what the tools left.

    Args:
        images: of turns that follow one another, oldest first.
    Returns: what to put back, and what stands in the way; a file that is back already is in neither.
    Raises: ToolFailure: a file cannot be read.
    """
    backs: list[Back] = []
    clashes: list[Clash] = []
    for parts, own in _by_file(images).items():
        first, before = own[0]
        now = _now(root, parts)
        if now == before:
            continue
        if _hash(now) == own[-1][0].after and not _changed_between(own):
            backs.append(Back(parts, before, now, first.mode))
            continue
        clashes.append(Clash(display_path(parts), unified(_text(now), _text(before), display_path(parts))[0]))
    return tuple(backs), tuple(clashes)


def put_back(root: Path, back: Back) -> str:
    """
    Return a file the bytes it had, and say so in words.

    Raises: ToolFailure: it changed meanwhile, or cannot be written.
    """
    name = display_path(back.path)
    with translate_os_errors(root, back.path):
        if back.before is not None:
            put(root, back.path, back.before, {}, None, replaces=back.now, mode=back.mode, held=True)
            return f"{name} is as it was"
        with folder_below(root, back.path[:-1]) as folder:
            if _now(root, back.path) != back.now:
                raise ToolFailure(f"{name} changed meanwhile")
            folder.remove(back.path[-1])
    return f"{name} is gone again"


def _changed_between(own: list[tuple[Preimage, bytes | None]]) -> bool:
    """Return whether a turn did not find a file as the one before had left it: somebody else's change would be lost."""
    return any(
        earlier.turn != later.turn and earlier.after != _hash(found) for (earlier, _), (later, found) in pairwise(own)
    )


def _by_file(images: Iterable[tuple[Preimage, bytes | None]]) -> dict[Parts, list[tuple[Preimage, bytes | None]]]:
    found: dict[Parts, list[tuple[Preimage, bytes | None]]] = {}
    for image, before in images:
        found.setdefault(tuple(image.path), []).append((image, before))
    return found


def _now(root: Path, parts: Parts) -> bytes | None:
    with (
        translate_os_errors(root, parts),
        contextlib.suppress(FileNotFoundError),
        open_regular(root, parts) as (file, _),
    ):
        return file.read(MAX_EDIT + 1)
    return None


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _text(data: bytes | None) -> str:
    return read.visible if (read := decode_file(data or b"")) else "(binary)"
