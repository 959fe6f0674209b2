"""Keeping a key: in the system keyring where there is one, else in a file that is open to its owner alone."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.config.keys import KEYRING, read_kept
from cococat.errors import ConfigError, StorageError
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

__all__ = ["fetch", "keep"]

SERVICE = "cococat"  # what a keyring lists the keys under


def keep(file: Path, origin: str, key: str) -> str:
    """
    Keep *key* for *origin* and note in *file* where; return the place, as users are told.

    Raises: ConfigError: *file* is not as it was written. StorageError: it cannot be written.
    """
    kept = dict(read_kept(file))
    ring = _kept_in_keyring(origin, key)
    try:
        private_dir(file.parent)
        write_atomic(file, json.dumps({**kept, origin: "" if ring else key}, indent=2).encode() + b"\n")
    except OSError as error:
        hint = f"chmod u+w {file.parent}, or set COCOCAT_HOME"
        raise StorageError(f"{file}: cannot be written: {error.strerror}", hint) from error
    fetch.cache_clear()
    return KEYRING if ring else str(file)


@cache
def fetch(origin: str) -> str:
    """
    Return the key that the system keyring has for *origin*.

    Raises: ConfigError: it gives none.
    """
    found, why = None, "the package keyring is not installed, or finds none that is safe"
    if ring := _keyring():
        why = "it has none"
        try:
            found = ring.get_password(SERVICE, origin)
        except Exception as error:  # noqa: BLE001 - each backend raises what its system does
            why = type(error).__name__
    if found:
        return found
    again = f"cococat config set-key {origin}"
    raise ConfigError(
        f"the key for {origin} cannot be had from {KEYRING}: {why}", f"unlock it, or set it again: {again}"
    )


def _kept_in_keyring(origin: str, key: str) -> bool:
    """Return whether the system keyring has taken *key*: it gives it back."""
    with suppress(Exception):  # locked, refused, or no session to ask in: then the file keeps it
        if ring := _keyring():
            ring.set_password(SERVICE, origin, key)
            return ring.get_password(SERVICE, origin) == key
    return False


def _keyring() -> KeyringBackend | None:
    """Return the backend that `keyring` would take, or the first of a chain, if it recommends it: no plain text, no null."""
    try:
        from keyring import get_keyring
        from keyring.core import recommended
    except ImportError:
        return None
    chosen = get_keyring()
    chain = getattr(chosen, "backends", (chosen,))
    return next((one for one in chain if recommended(one)), None)
