"""Think: one request, streamed to whoever watches, sent again while nothing was shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace

from cococat.core.agent import Fitted, Need, estimate_tokens, keep_all
from cococat.core.events import ContextCompacted, Notice, ReasoningDelta, Retrying, TextDelta, Working
from cococat.core.guards import repeated_text
from cococat.core.history import assert_valid
from cococat.core.hooks import show
from cococat.core.limits import Problem, Stop, StopReason, Usage, hard_stop
from cococat.core.messages import User
from cococat.core.model import CallPiece, Draft, NoticePiece, ProviderError, ReasoningPiece, Request, TextPiece
from cococat.core.retry import retry_delay
from cococat.core.run import Run
from cococat.core.tools import Tool

RETRIES = 6  # of a whole run, whatever its steps
FIRST_LOOK = 2000  # characters before a reply is looked at for repetition
USED_UP = "reasoning used up the whole reply: asking once more, with room for {reply:,} tokens"
REPEATS = "repeats"  # the finish reason we give a reply that goes in circles


async def think(run: Run, tools: Sequence[Tool]) -> Draft | Stop:
    """
    Ask the model for its next step; the hints of *run* go with this request only.

    A request that the model finds too long is sent once more: with less room for the reply, or made
    smaller, that once a run, or as often as the context knows how; one whose tools the endpoint refuses is sent once more in the way the
    protocol changes to. One that failed for good is sent to the model that the agent falls back to. One whose reply
    was used up by reasoning is sent once more in a run, with all the room for the reply that there is, where that is more.

    Returns: the reply, or a Stop when the history cannot be made to fit or making it fit used up the budget.
    Raises: ProviderError: the policy is spent, or something of the reply was shown already.
    """
    hints = tuple(User(hint, synthetic=True) for hint in run.hints)
    run.hints.clear()
    draft = await _ask(run, tools, hints)
    if isinstance(draft, Stop) or draft.finish != "length" or not draft.is_empty or run.requests.raised:
        return draft
    run.requests = replace(run.requests, raised=True)
    return await _ask(run, tools, hints, draft)


async def _ask(run: Run, tools: Sequence[Tool], hints: Sequence[User], used_up: Draft | None = None) -> Draft | Stop:
    """Send the request in whatever form is taken; where *used_up* can have no more room, that is all there will be."""
    refused = ""
    while True:
        fitted = await _fit(run, tools, hints, refused)
        agent, tools = run.agent, run.agent.tools if tools else ()
        if refused and fitted.how:
            run.requests = replace(run.requests, refused=True)
        reply = fitted.reply_tokens or agent.limits.max_output_tokens
        if ended := fitted.stop or hard_stop(agent.limits, run.spent()) or _without_more_room(run, reply, used_up):
            return ended
        messages = [*fitted.messages, *hints]
        await show(agent.hooks, run.tell, "before_think", tuple(messages))
        try:
            request = agent.protocol.request(agent.system, messages, tools)
            return await _send(run, replace(request, max_output_tokens=reply))
        except ProviderError as error:
            shown = run.draft and run.draft.shown
            if tools and not shown and (changed := agent.protocol.degrade(error.problem.kind)):
                run.tell(Notice(changed))
                continue
            if not shown and (other := agent.fallback(error.problem)):
                notice, run.agent = other
                run.attempts["retried"], refused = 0, ""
                run.tell(Notice(notice, "warning"))
                continue
            if error.problem.kind != "context_overflow" or shown or agent.context is keep_all:
                raise
            if (run.requests.refused or refused) and not fitted.again:
                return _too_large(fitted, error.problem)
            refused = error.problem.message


def _without_more_room(run: Run, reply: int, used_up: Draft | None) -> Draft | None:
    """Note that *reply* tokens are asked for; return the reply that is *used_up* when those are no more than it had."""
    if used_up and reply <= run.requests.reply_tokens:
        return used_up
    if used_up:
        run.tell(Notice(USED_UP.format(reply=reply), "warning"))
    run.requests = replace(run.requests, reply_tokens=reply)
    return None


async def _fit(run: Run, tools: Sequence[Tool], hints: Sequence[User], refused: str) -> Fitted:
    """Let the agent's context say what of the history is sent, and take over what it changed."""
    limit = run.agent.limits.max_total_tokens
    left = max(1, limit - run.budget.usage.total_tokens) if limit else 0
    assert_valid(run.messages)

    def noting(messages: int) -> None:
        run.tell(Working("notes", messages))

    need = Need(tuple(run.messages), tools, hints, run.budget.asked_tokens, left, refused, noting=noting)
    need = replace(need, full_reply=run.requests.raised)
    fitted = await run.agent.context(run.agent, need)
    run.pay(fitted.usage)
    requests, notes = run.budget.requests + fitted.notes, run.budget.notes + fitted.notes
    run.budget = replace(run.budget, requests=requests, notes=notes)
    if fitted.stop and fitted.stop.reason is StopReason.CANCELLED:
        raise asyncio.CancelledError  # only now: what the notes cost is paid all the same
    run.agent = fitted.agent or run.agent
    if fitted.summary:
        run.fold(fitted.summary)
    if fitted.how:
        run.tell(ContextCompacted(fitted.before_tokens, fitted.after_tokens, fitted.how))
    assert_valid(fitted.messages)
    return fitted


def _too_large(fitted: Fitted, problem: Problem) -> Stop:
    """The model refused a request that was made smaller in this run already."""
    sizes = f"about {fitted.after_tokens:,} tokens are too many for the model, even with {fitted.reply_tokens:,} for the reply"
    told = Problem(problem.kind, f"{sizes}: {problem.message}", problem.hint)
    return Stop(StopReason.TOKEN_LIMIT, sizes, told)


async def _send(run: Run, request: Request) -> Draft:
    """Send *request*, again while its failure may pass and nothing was shown."""
    agent, attempt = run.agent, 1
    while True:
        run.draft = draft = Draft()
        run.budget = replace(run.budget, requests=run.budget.requests + 1)
        run.tell(Working("prompt"))
        try:
            with _tell_of_silence(run, draft):
                await _stream(run, request, draft)
        except asyncio.CancelledError:
            # the request is paid for; a tokenizer could take longer than whoever stopped it wants to wait
            run.pay(draft.usage or _estimate(estimate_tokens, request, draft))
            raise
        except ProviderError as error:
            run.pay(draft.usage or (_estimate(agent.count, request, draft) if draft.size else Usage()))
            delay = None if draft.shown else retry_delay(agent.retry, error, attempt, agent.chance())
            if delay is None or run.attempts["retried"] >= RETRIES:
                raise
            run.attempts["retried"] += 1
            run.tell(Retrying(attempt, delay, error.problem.message))
            await agent.sleep(delay)
            attempt += 1
        else:
            return draft


@contextmanager
def _tell_of_silence(run: Run, draft: Draft) -> Iterator[None]:
    """Tell the user, once, when nothing of *draft* came for long: a request that was taken is not sent again for that."""
    after_s, words = run.agent.still_waiting

    def tell() -> None:
        if not draft.size:
            run.tell(Notice(words))

    timer = asyncio.get_running_loop().call_later(after_s, tell)
    try:
        yield
    finally:
        timer.cancel()


async def _stream(run: Run, request: Request, draft: Draft) -> None:
    """Fold the reply into *draft* and show it; stop reading once a budget is used up."""
    agent = run.agent
    lens = agent.protocol.lens()
    look_at, calling = FIRST_LOOK, False
    async with aclosing(agent.model.stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, ReasoningPiece) and piece.so_far:
                lens = _afresh(run, draft)
            draft.add(piece)
            match piece:
                case TextPiece(text):
                    if shown := lens(text):
                        draft.show(shown)
                        run.tell(TextDelta(shown))
                case ReasoningPiece(text, so_far):
                    draft.show()
                    run.tell(ReasoningDelta(text, so_far))
                case NoticePiece() | CallPiece():
                    calling = _tell_beside(run, piece, calling)
                case _:
                    pass
            if draft.size >= look_at:  # ever rarer looks keep a long reply's cost linear
                if repeated_text(draft.text):
                    draft.finish = REPEATS
                    break
                look_at = draft.size * 5 // 4
            if agent.limits.max_total_tokens and hard_stop(agent.limits, run.spent()):
                break
    cost = draft.usage or _estimate(agent.count, request, draft)
    run.budget = replace(run.budget, usage=run.budget.usage + cost, asked_tokens=cost.prompt_tokens)


def _tell_beside(run: Run, piece: NoticePiece | CallPiece, calling: bool) -> bool:
    """Tell of *piece*, of a call that it is being written; return whether one is."""
    if isinstance(piece, NoticePiece):
        run.tell(Notice(piece.text))
    elif not calling:
        run.tell(Working("call"))
    return calling or isinstance(piece, CallPiece)


def _afresh(run: Run, draft: Draft) -> Callable[[str], str]:
    """Begin to look at the reply anew; what was shown of it cannot be taken back, so the answer stands apart from it."""
    if draft.visible:
        run.tell(TextDelta("\n\n"))
    return run.agent.protocol.lens()


def _estimate(count: Callable[[str], int], request: Request, draft: Draft) -> Usage:
    """Return the usage of a reply that came without, or was not read to its end."""
    asked = sum(count(repr(part)) for part in (*request.messages, *request.tools))
    asked += sum(picture.tokens for picture in request.pictures)
    beside = (draft.size - len(draft.text)) // 4  # reasoning and calls
    return Usage(asked, (count(draft.text) if draft.text else 0) + beside, estimated=True)
