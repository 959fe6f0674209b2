"""The names of the models that an endpoint lists, kept so that a menu has them at once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cococat.app.named_endpoint import endpoint_of
from cococat.config import Folders, Settings
from cococat.core.model import ProviderError
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.urls import origin_of

__all__ = ["keep_names", "known_names", "list_names"]

FILE = "models.json"
MAX_AGE_S = 7 * 24 * 3600
MAX_NAMES, MAX_ORIGINS, MAX_BYTES = 1000, 20, 1 << 20


def keep_names(base_url: str, folders: Folders, names: Sequence[str]) -> None:
    """Write down what an endpoint lists; where nothing can be written, menus stay empty."""
    kept = _read(folders.cache / FILE)
    kept[origin_of(base_url)] = {"names": list(names[:MAX_NAMES]), "at": int(time.time())}
    newest = dict(list(kept.items())[-MAX_ORIGINS:])
    with suppress(OSError):
        write_atomic(private_dir(folders.cache) / FILE, json.dumps(newest).encode())


def known_names(base_url: str, folders: Folders) -> tuple[str, ...]:
    """Names that an endpoint listed less than a week ago, sorted; asks nobody, so a menu may call it."""
    match _read(folders.cache / FILE).get(origin_of(base_url)):
        case {"names": list(names), "at": int(at)} if 0 <= time.time() - at < MAX_AGE_S:
            return tuple(sorted(name for name in names if isinstance(name, str)))
        case _:
            return ()


def list_names(settings: Settings, folders: Folders, base_url: str) -> None:
    """Ask an endpoint for its names and keep them; one that does not tell has none. Blocks: for a thread of its own."""
    from cococat.model.catalog import list_models

    own = base_url == settings.model.base_url
    endpoint = endpoint_of(settings) if own else endpoint_of(settings, base_url)
    with suppress(ProviderError):
        models = asyncio.run(list_models(endpoint, settings.timeouts))
        keep_names(base_url, folders, [model.name for model in models])


def _read(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as stream:
            kept = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
