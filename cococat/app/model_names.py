"""The names of the models that an endpoint lists, kept so that a menu has them at once."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cococat.config import Folders, Settings
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.urls import origin_of

__all__ = ["keep_names", "known_names"]

FILE = "models.json"
MAX_AGE_S = 7 * 24 * 3600
MAX_NAMES, MAX_ORIGINS, MAX_BYTES = 1000, 20, 1 << 20


def keep_names(settings: Settings, folders: Folders, names: Sequence[str]) -> None:
    """Write down what the configured endpoint lists; where nothing can be written, menus stay empty."""
    kept = _read(folders.cache / FILE)
    kept[origin_of(settings.model.base_url)] = {"names": list(names[:MAX_NAMES]), "at": int(time.time())}
    newest = dict(list(kept.items())[-MAX_ORIGINS:])
    with suppress(OSError):
        write_atomic(private_dir(folders.cache) / FILE, json.dumps(newest).encode())


def known_names(settings: Settings, folders: Folders) -> tuple[str, ...]:
    """Names that the configured endpoint listed less than a week ago, sorted; asks nobody, so a menu may call it."""
    match _read(folders.cache / FILE).get(origin_of(settings.model.base_url)):
        case {"names": list(names), "at": int(at)} if 0 <= time.time() - at < MAX_AGE_S:
            return tuple(sorted(name for name in names if isinstance(name, str)))
        case _:
            return ()


def _read(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as stream:
            kept = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
