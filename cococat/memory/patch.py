"""One change of a text, made in another state of it: what a person or a dream changed elsewhere meanwhile stays."""

from __future__ import annotations

from difflib import SequenceMatcher

__all__ = ["patched"]


def patched(before: bytes, after: bytes, current: bytes) -> bytes | None:
    """Make the step from *before* to *after* in *current*; None when what it changes was changed since."""
    old, new, now = (data.splitlines(keepends=True) for data in (after, before, current))
    place = _places(new, now)
    out = list(now)
    for how, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if how == "equal":
            continue
        start = _where(place, j1, j2, len(new), len(now))
        if start is None:
            return None
        out[start : start + j2 - j1] = old[i1:i2]
    return b"".join(line if line.endswith((b"\n", b"\r")) else line + b"\n" for line in out[:-1]) + b"".join(out[-1:])


def _places(new: list[bytes], now: list[bytes]) -> dict[int, int]:
    """Return where each line of *new* stands in *now*, if it still does."""
    blocks = SequenceMatcher(None, new, now, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _where(place: dict[int, int], j1: int, j2: int, new_size: int, now_size: int) -> int | None:
    """Return where lines j1..j2 stand now, all of them side by side, or where lines between them would."""
    if j1 < j2:
        start = place.get(j1)
        whole = start is not None and all(place.get(j1 + step) == start + step for step in range(j2 - j1))
        return start if whole else None
    if j1 == 0:
        return 0 if place.get(0, 0) == 0 else None
    if (above := place.get(j1 - 1)) is not None:
        return above + 1
    return place.get(j1) if j1 < new_size else now_size
