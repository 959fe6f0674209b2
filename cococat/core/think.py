"""Think: one request, streamed to whoever watches, sent again while nothing was shown.

Public: think, REPEATS.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from cococat.core.events import ReasoningDelta, Retrying, TextDelta
from cococat.core.guards import repeated_text
from cococat.core.history import assert_valid
from cococat.core.limits import Usage, hard_stop
from cococat.core.messages import User
from cococat.core.model import Draft, ProviderError, ReasoningPiece, Request, TextPiece
from cococat.core.retry import retry_delay
from cococat.core.run import Run
from cococat.core.tools import Tool

FIRST_LOOK = 2000  # characters before a reply is looked at for repetition
REPEATS = "repeats"  # the finish reason we give a reply that goes in circles


async def think(run: Run, tools: Sequence[Tool]) -> Draft:
    """
    Ask the model for its next step; the hints of *run* go with this request only.

    Raises: ProviderError: the policy is spent, or something of the reply was shown already.
    """
    agent, attempt = run.agent, 1
    hints = [User(hint, synthetic=True) for hint in run.hints]
    run.hints.clear()
    assert_valid(run.messages)
    request = agent.protocol.request(agent.system, [*run.messages, *hints], tools)
    while True:
        run.draft = draft = Draft()
        try:
            await _stream(run, request, draft)
        except ProviderError as error:
            run.usage += draft.usage or (_estimate(run, request, draft) if draft.size else Usage())
            delay = None if draft.shown else retry_delay(agent.retry, error, attempt, agent.chance())
            if delay is None:
                raise
            run.tell(Retrying(attempt, delay, error.problem.message))
            await agent.sleep(delay)
            attempt += 1
        else:
            return draft


async def _stream(run: Run, request: Request, draft: Draft) -> None:
    """Fold the reply into *draft* and show it; stop reading once a budget is used up."""
    agent = run.agent
    lens = agent.protocol.lens()
    look_at = FIRST_LOOK
    async with aclosing(agent.model.stream(request)) as pieces:
        async for piece in pieces:
            draft.add(piece)
            match piece:
                case TextPiece(text):
                    if shown := lens(text):
                        draft.show(shown)
                        run.tell(TextDelta(shown))
                case ReasoningPiece(text):
                    draft.show()
                    run.tell(ReasoningDelta(text))
                case _:
                    pass
            if draft.size >= look_at:  # ever rarer looks keep a long reply's cost linear
                if repeated_text(draft.text):
                    draft.finish = REPEATS
                    break
                look_at = draft.size * 5 // 4
            if agent.limits.max_total_tokens and hard_stop(agent.limits, run.spent()):
                break
    cost = draft.usage or _estimate(run, request, draft)
    run.asked_tokens = cost.prompt_tokens
    run.usage += cost


def _estimate(run: Run, request: Request, draft: Draft) -> Usage:
    """Usage for a server that reports none."""
    asked = sum(run.agent.count(repr(part)) for part in (*request.messages, *request.tools))
    return Usage(asked, run.agent.count(draft.text) + draft.size // 4, estimated=True)
