"""What a command left behind that makes other programs run: taken away, put back, and told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cococat.sandbox.bounds import Survey

__all__ = ["put_aside"]


def put_aside(root: Path, before: Survey, after: Survey, place: Path, plain: Callable[[str], bool]) -> str:
    """
    Move what is new and delicate to *place*, and make what was changed or removed as it was.

    Args:
        plain: of the settings of a new repository: they name no program, so that `git init` and `git clone` work.
    Returns: one line for the user and the model; empty where there was nothing.
    """
    new = [path for path in after.delicate if path not in before.delicate and not _is_plain(path, after, plain)]
    new = [path for path in new if os.path.dirname(path) not in new]  # what is in a new folder goes with it
    moved, back = [], []
    for path in new:
        place.mkdir(0o700, parents=True, exist_ok=True)
        with suppress(OSError):
            shutil.move(path, place / f"{len(os.listdir(place))}-{os.path.basename(path)}")
            moved.append(os.path.relpath(path, root))
    for path, content in before.delicate.items():
        if content is not None and content != after.delicate.get(path):
            with suppress(OSError):
                _restore(path, content)
                back.append(os.path.relpath(path, root))
    said = [f"put aside in {place}: {', '.join(moved)}"] if moved else []
    said += [f"put back as it was: {', '.join(back)}"] if back else []
    return f"[makes other programs run, {'; '.join(said)}; write_file can make it, and asks]" if said else ""


def _is_plain(path: str, after: Survey, plain: Callable[[str], bool]) -> bool:
    content = after.delicate[path]
    return (
        path.endswith("/config")
        and path in after.git
        and content is not None
        and plain(content.decode("utf-8", "replace"))
    )


def _restore(path: str, content: bytes) -> None:
    """Write *content* to *path* as a file of its own: whatever stands there now may be a link."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    mode = 0o644
    with suppress(OSError):
        mode = os.lstat(path).st_mode & 0o777
        os.unlink(path)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
