"""What waits for a user while dreams go on: its change is made in the memory as that has become since."""

from __future__ import annotations

from collections.abc import Mapping

from cococat.memory import receipt
from cococat.memory.patch import patched
from cococat.memory.versions import Version

__all__ = ["carried", "joined", "of_records"]


def of_records(meta: Mapping[str, object]) -> bool:
    """Return whether a change was made of what a user said, rather than of the notes alone."""
    return bool(meta.get("records")) or "to_cursor" in meta


def carried(before: bytes, after: bytes, current: bytes) -> bytes | None:
    """
    Make the step from *before* to *after* in *current*; None when what it changes was changed since.

    Lines that only come always find a place: the end, where theirs is gone. None comes that is there.
    """
    old, new, now = (data.decode("utf-8", "surrogateescape").split("\n") for data in (before, after, current))
    fresh = [line for line in new if line.strip() and line not in old]
    only_comes = all(line in new for line in old)
    new = [line for line in new if line not in fresh or line not in now]
    made = patched(before, "\n".join(new).encode("utf-8", "surrogateescape"), current)
    if made is not None or not only_comes:
        return made
    left = [line for line in fresh if line not in now]
    return "\n".join([*"\n".join(now).rstrip("\n").split("\n"), *left, ""]).encode("utf-8", "surrogateescape")


def joined(
    waits: Version, before: bytes, after: bytes, meta: Mapping[str, object]
) -> tuple[bytes, Mapping[str, object]]:
    """Return the change from *before* to *after* and its *meta* with what *waits* already, so that one review asks about both."""
    whole = carried(waits.before, waits.after, after) if of_records(waits.meta) else None
    if whole is None:
        return after, meta
    lists = {name: [*_list(waits.meta, name), *_list(meta, name)] for name in ("records", "rows")}
    told = receipt.proposed(before.decode("utf-8", "replace"), whole.decode("utf-8", "replace"))
    return whole, {**meta, **lists, "told": told}


def _list(meta: Mapping[str, object], name: str) -> list[object]:
    found = meta.get(name)
    return found if isinstance(found, list) else []
