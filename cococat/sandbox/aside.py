"""What a command left behind that makes other programs run: taken away, put back, and told."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cococat.sandbox.survey import SavedFile, Survey
from cococat.system.below import folder_below

MAX_NAMED = 10  # of a kind


def put_aside(
    root: Path, before: Survey, after: Survey, place: Path, plain: Callable[[str], bool], *, held: bool
) -> str:
    """
    Move what is new and delicate to a folder in *place*, and make what was changed or removed as it was.

    Args:
        plain: of the settings of a new repository: they name no program, so that `git init` and `git clone` work.
        held: the kernel kept what there was as it was, but for links and folders moved as a whole; who has changed
            it meanwhile is the user.
    Returns: one line for the user and the model; empty where there was nothing.
    """
    remade = tuple(f"{folder}/" for folder, number in before.above.items() if _number(folder) != number)
    was = {path: kept for path, kept in before.delicate.items() if not (held and path.startswith(remade))}
    made = [path for path in after.delicate if path not in was and not _is_harmless(path, before, after, plain)]
    news = {next((over for over in _above(path) if over in after.delicate and over not in was), path) for path in made}
    told: dict[str, list[str]] = {}
    for path in sorted(news):
        told.setdefault(_take_away(path, place), []).append(os.path.relpath(path, root))
    for path, kept in was.items():
        if kept and kept != after.delicate.get(path) and (not held or isinstance(kept.data, str)):
            told.setdefault(_restore(root, path, kept), []).append(os.path.relpath(path, root))
    said = "; ".join(f"{what}: {_listed(paths)}" for what, paths in told.items())
    return f"[makes other programs run, {said}; write_file can make it, and asks]" if said else ""


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else ""
    return f"{', '.join(paths[:MAX_NAMED])}{more}"


def _above(path: str) -> list[str]:
    """The folders above *path*, the outermost first."""
    return [str(folder) for folder in Path(path).parents][::-1]


def _number(folder: str) -> int:
    try:
        return os.lstat(folder).st_ino
    except OSError:
        return -1


def _is_harmless(path: str, before: Survey, after: Survey, plain: Callable[[str], bool]) -> bool:
    """Whether *path* is a folder, a file that was moved, or settings of git's that run nothing and lead to no other place."""
    kept = after.delicate[path]
    folder, name = os.path.split(path)
    if kept is None or isinstance(kept.data, str):
        return os.path.isdir(path) and kept is None
    if any(kept == other and name == os.path.basename(there) for there, other in before.delicate.items()):
        return True
    text = kept.data.decode("utf-8", "replace")
    if name == ".git" or (name == "commondir" and folder in after.repositories):
        return os.path.realpath(os.path.join(folder, text.removeprefix("gitdir:").strip())) in after.repositories
    return name in ("config", "config.worktree") and folder in after.repositories and plain(text)


def _take_away(path: str, place: Path) -> str:
    """Move what a command made out of the folder, whatever it is; return what became of it."""
    try:
        place.mkdir(0o700, parents=True, exist_ok=True)
        shutil.move(path, os.path.join(tempfile.mkdtemp(dir=place), os.path.basename(path)))
    except OSError:  # a full disk, or a pipe in it, which cannot be copied
        with suppress(OSError):
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        return "COULD NOT BE PUT ASIDE, look at it" if os.path.lexists(path) else "removed"
    return f"put aside in {place}"


def _restore(root: Path, path: str, kept: SavedFile) -> str:
    """Make *path* hold again what it held, through no link that may stand in its way now; return what became of it."""
    *above, name = Path(path).relative_to(root).parts
    try:
        for depth in range(1, len(above) + 1):
            over = root.joinpath(*above[:depth])
            if os.path.islink(over) or (os.path.lexists(over) and not os.path.isdir(over)):
                os.unlink(over)
        with folder_below(root, above, create=True) as folder:
            at, fd = folder.name(name), folder.fd
            if name in os.listdir(fd if fd is not None else folder.path):
                shutil.rmtree(at, dir_fd=fd) if _is_folder(at, fd) else os.unlink(at, dir_fd=fd)
            if isinstance(kept.data, str):
                os.symlink(kept.data, at, dir_fd=fd)
                return "put back as it was"
            handle = os.open(at, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=fd)
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, kept.mode)
                file.write(kept.data)
    except OSError:
        return "COULD NOT BE PUT BACK, look at it"
    return "put back as it was"


def _is_folder(at: str, fd: int | None) -> bool:
    return stat.S_ISDIR(os.stat(at, dir_fd=fd, follow_symlinks=False).st_mode)
