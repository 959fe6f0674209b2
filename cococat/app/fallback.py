"""Which model goes on when the one that was chosen is overloaded or down."""

from __future__ import annotations

from dataclasses import replace

from cococat.app.endpoint import Connection, fall_back
from cococat.config import Folders, Settings
from cococat.core.limits import Problem

__all__ = ["next_model"]

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
    settings = replace(settings, model=replace(settings.model, name=name, fallback=tuple(rest)))
    said = f"{problem.message}: {name} answers in the place of {before}"
    return said, settings, fall_back(connection, settings, folders)
