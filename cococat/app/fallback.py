"""Which model goes on when the one that was chosen is overloaded or down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cococat.app.endpoint import fall_back
from cococat.core.agent import Agent
from cococat.core.limits import Problem

if TYPE_CHECKING:
    from cococat.app.conversation import Conversation

__all__ = ["next_model"]

PASSING = frozenset({"rate_limit", "server", "timeout", "stalled", "stream_cut"})  # never auth, quota or content


def next_model(conversation: Conversation, problem: Problem) -> tuple[str, Agent] | None:
    """
    Let the next of `model.fallback` answer from now on, for the rest of the session.

    Returns: the line for the user and the agent that goes on; None when *problem* would be the same there, or none is left.
    """
    model = conversation.settings.model
    if problem.kind not in PASSING or not model.fallback:
        return None
    name, *rest = model.fallback
    conversation.settings = replace(conversation.settings, model=replace(model, name=name, fallback=tuple(rest)))
    conversation.connection = fall_back(conversation.connection, conversation.settings, conversation.folders)
    return f"{problem.message}: {name} answers in the place of {model.name}", conversation.agent()
