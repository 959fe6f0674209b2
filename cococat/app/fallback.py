"""Another model of the same endpoint: of the user's choice, or when the one that was chosen is overloaded or down."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from cococat.app.endpoint import Connection, remote
from cococat.config import Folders, Settings
from cococat.config.settings import Origin
from cococat.core.limits import Problem

__all__ = ["change_model", "next_model"]

PASSING = frozenset({"rate_limit", "server", "timeout", "stalled", "stream_cut"})  # never auth, quota or content


def next_model(
    settings: Settings, connection: Connection, folders: Folders, problem: Problem
) -> tuple[str, Settings, Connection] | None:
    """
    Return the line for the user, the settings and the connection with which the next of `model.fallback` goes on.

    Returns: None when *problem* would be the same there, or none is left.
    """
    if problem.kind not in PASSING or not settings.model.fallback:
        return None
    before, (name, *rest) = settings.model.name, settings.model.fallback
    settings = replace(settings, model=replace(settings.model, fallback=tuple(rest)))
    said = f"{problem.message}: {name} answers in the place of {before}"
    return said, *change_model(connection, settings, folders, name)


def change_model(before: Connection, settings: Settings, folders: Folders, name: str) -> tuple[Settings, Connection]:
    """Connect to the model *name* of the same endpoint; closing it closes the one *before* as well."""
    origins = dict(settings.origins) | {"model.name": Origin("flag", "/model")}
    if before.base_url != settings.model.base_url:  # a server of this machine that was found
        origins["model.base_url"] = origins["model.name"]
    model = replace(settings.model, name=name, base_url=before.base_url)
    settings = replace(settings, model=model, origins=MappingProxyType(origins))
    connection = remote(settings, folders)

    async def close() -> None:
        await before.close()
        await connection.close()

    return settings, replace(connection, close=close)
