"""What a wrong model name may have meant."""

from __future__ import annotations

from dataclasses import replace

from cococat.app.named_endpoint import named_endpoint
from cococat.config import Settings
from cococat.core.agent import Turn
from cococat.core.events import Emit, Notice
from cococat.core.model import ProviderError
from cococat.errors import UsageError

__all__ = ["named_right"]

NEAREST = 3  # names


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
