"""What is kept of an internal error: where it happened, and nothing that anybody said."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from cococat import __version__
from cococat.config import folders
from cococat.system.private import open_private, private_dir

__all__ = ["place_of", "save_report"]

PACKAGE = Path(__file__).parents[2]


def save_report(error: BaseException, command: str) -> Path | None:
    """
    Write types, files and lines of *error* to the state folder; no message, no value, no argument.

    Returns: where it is; None when it could not be written.
    """
    lines = [
        f"cococat {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        f"command: {command}",
        *_story(error, ""),
    ]
    try:
        folder = private_dir(folders(os.environ).state / "crashes")
        path = folder / f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.txt"
        handle = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    except Exception:  # noqa: BLE001 - a report that cannot be kept must not become a second crash
        return None
    return path


def place_of(error: BaseException) -> str:
    """The file and line where *error* was raised."""
    frames = list(_frames(error.__traceback__))
    return frames[-1].rpartition(" in ")[0].strip() if frames else "?"


def _story(error: BaseException, indent: str, seen: frozenset[int] = frozenset()) -> Iterator[str]:
    if id(error) in seen:
        return
    seen |= {id(error)}
    yield f"{indent}{type(error).__module__}.{type(error).__qualname__}"
    yield from (f"{indent}  {frame}" for frame in _frames(error.__traceback__))
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _story(inner, indent + "  | ", seen)
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield f"{indent}after:"
        yield from _story(before, indent, seen)


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        yield f"{_relative(code.co_filename)}:{traceback.tb_lineno} in {code.co_name}"
        traceback = traceback.tb_next


def _relative(name: str) -> str:
    """*name* without the folders that tell whose machine this is."""
    path = Path(name)
    for base in (PACKAGE, *map(Path, sys.path)):
        if base.is_absolute() and path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return path.name
