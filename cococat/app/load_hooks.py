"""Hooks of other packages: installed ones that name an entry point of our group."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from cococat.core.hooks import Hooks

__all__ = ["GROUP", "load_hooks"]

GROUP = "cococat.hooks"


def load_hooks(tell: Callable[[str], None]) -> tuple[Hooks, ...]:
    """Load every hook that is installed; one that cannot be loaded is told and left out."""
    loaded: list[Hooks] = []
    for folder in _naming_us():
        try:
            loaded += _of(folder)
        except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises, the chat goes on
            why = (str(error).splitlines() or [""])[0]
            tell(f"the hooks of {folder.stem} are not used: {type(error).__name__}: {why}")
    return tuple(loaded)


def _of(folder: Path) -> list[Hooks]:
    """Import the hooks that the metadata in *folder* name."""
    from importlib.metadata import Distribution

    hooks = [entry.load() for entry in Distribution.at(folder).entry_points.select(group=GROUP)]
    if any(not isinstance(each, Hooks) for each in hooks):
        raise TypeError("the entry point names no cococat.core.hooks.Hooks")
    return hooks


def _naming_us() -> Iterator[Path]:
    """
    Return the metadata of installed packages that mention our group: a look of 1 ms.

    The working folder is passed over: nothing in it may run because it is there.
    """
    here = Path.cwd()
    for folder in sys.path:
        path = Path(folder)
        if not folder or path == here:
            continue
        for file in path.glob("*-info/entry_points.txt"):
            try:
                if GROUP in file.read_text("utf-8", "replace"):
                    yield file.parent
            except OSError:
                continue
