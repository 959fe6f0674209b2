"""The only loop: think, act, observe, until there is an answer or a reason to stop.

`single`, `react`, the final summary and the dream are all `run_turn` with another Agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from cococat.core.act import act, backfill, misshapen, refuse_all
from cococat.core.agent import Agent, Turn
from cococat.core.events import Emit, Notice, StepStarted, TextDelta, TurnFinished
from cococat.core.guards import nearly_same
from cococat.core.history import call_ids
from cococat.core.hooks import show
from cococat.core.limits import Problem, Spent, Stop, StopReason, hard_stop
from cococat.core.messages import Assistant, Message, User
from cococat.core.model import Draft, ProviderError
from cococat.core.reply import Answer, Calls, Invalid, Replan
from cococat.core.run import GuardState, Run
from cococat.core.think import REPEATS, think
from cococat.core.tools import Tool, ending

CONTINUATIONS = 3  # replies cut by max_output_tokens that are continued
RE_ASKS = 2  # unreadable decisions that are asked for again
EMPTY_REPLIES = 2  # empty replies that are asked for again, before a last request without tools
REPLANS = 2  # in a row
UNABLE = "Unable to proceed. Please clarify the goal."
CLOSING_TOKENS = 256  # kept back for the answer of a run whose tokens are nearly used up
CONTINUE = "Continue exactly where you stopped; repeat nothing."
USED_UP = (
    "reasoning used up the whole reply{tokens}; lower it (-o reasoning_effort=low), raise model.max_output_tokens where that is set,"
    " or choose another model with -m NAME"
)
CUT = "the reply was cut by the output limit{tokens} when {{size}} characters of it had arrived: {way}"
MISSHAPEN = "Your answer does not satisfy the schema: {reason}. Answer with JSON alone that does."
SHORTER = "make it shorter, or do it in parts"
FILTERED_CALL = "not run: the provider's content filter ended the reply"
FAILURES = {  # of the model, by kind
    "content_filter": StopReason.CONTENT_FILTER,
    "config": StopReason.USAGE_ERROR,
    "no_images": StopReason.USAGE_ERROR,
}
FILTER_HINT = "say it in other words, or choose another model with -m NAME"
CALLED_AGAIN = "the model called a tool once more after its last round; --mode react goes on"
NO_ANSWER = "the model's last reply was no answer; --mode react goes on"
DEGRADED = "I couldn't produce a valid tool/action plan. Please clarify your goal and constraints."
ROWS = 20
INPUT_CHARS = 80
# stops by a guard that leave room for a last request
SUMMED_UP = (StopReason.LOOP, StopReason.NO_PROGRESS, StopReason.PERMISSION_DENIED)
GUARDED = (
    *SUMMED_UP,
    StopReason.STEP_LIMIT,
    StopReason.TOKEN_LIMIT,
    StopReason.TIME_LIMIT,
    StopReason.OUTPUT_LIMIT,
    StopReason.CONTENT_FILTER,
)


async def run_turn(agent: Agent, history: Sequence[Message], prompt: User, emit: Emit) -> Turn:
    """
    Answer *prompt*.

    Args:
        history: valid messages of the turns before this one.
        emit: told of everything, in order; must not block.
    Returns: always a Turn, also when cancelled or when the model failed; its history is valid.
    """
    run = Run(agent, emit, agent.clock(), list(history))
    run.add(prompt)
    stop: Stop | None = None
    try:
        async with asyncio.timeout(agent.limits.max_seconds or None):
            while stop is None:
                stop = hard_stop(agent.limits, run.spent()) or await _step(run)
    except asyncio.CancelledError:
        stop = Stop(StopReason.CANCELLED, "cancelled")
        _uncancel()
    except ProviderError as error:
        closing = run.closing if run.closing and run.closing.reason is not StopReason.ANSWERED else None
        reason = FAILURES.get(error.problem.kind, StopReason.MODEL_ERROR)
        stop = closing or Stop(reason, error.problem.message, error.problem)
    except TimeoutError:
        stop = hard_stop(agent.limits, Spent(0, max(run.seconds(), agent.limits.max_seconds)))
    end = _finish(run, ending(run.denied.values(), stop or Stop(StopReason.TIME_LIMIT)))
    with _calm():
        await show(agent.hooks, run.tell, "on_stop", end)
    run.tell(end)
    with _calm():
        await asyncio.sleep(0)  # a cancel that came with the last event must not hit the caller
    parts = tuple(run.parts.values())
    return Turn(end.answer, end.stop, run.budget.steps, run.budget.usage, tuple(run.messages), parts, run.worked())


@contextmanager
def _calm() -> Iterator[None]:
    """Let a cancel end what is being waited for, and nothing else."""
    try:
        yield
    except asyncio.CancelledError:
        _uncancel()


def _uncancel() -> None:
    if task := asyncio.current_task():
        task.uncancel()


async def _due(run: Run) -> None:
    """Make the next request the last when the steps are used up and no more are granted, or the tokens for another."""
    limits = run.agent.limits
    left = limits.max_total_tokens - run.budget.usage.total_tokens
    if run.budget.steps >= limits.max_steps + run.budget.granted_steps and not await _more_steps(run):
        detail = f"{run.budget.steps} step{'' if run.budget.steps == 1 else 's'} used; raise --max-steps to go on"
        _close(run, Stop(limits.spent, "" if limits.spent is StopReason.ANSWERED else detail))
    elif run.budget.calls and limits.max_total_tokens and left < 2 * run.budget.asked_tokens + CLOSING_TOKENS:
        used = f"{run.budget.usage.total_tokens:,} of {limits.max_total_tokens:,} tokens used"
        _close(run, Stop(StopReason.TOKEN_LIMIT, f"{used}; raise --max-tokens to go on"))


async def _more_steps(run: Run) -> bool:
    """Let the user grant as many steps again, so that the turn goes on with all it has."""
    limits = run.agent.limits
    if run.closing or not limits.max_steps or limits.spent is StopReason.ANSWERED:
        return False
    with run.waiting():
        more = await run.agent.more(run.budget.steps, not run.guards.failed and not nearly_same(run.guards.rounds))
    if not more:
        return False
    run.budget = replace(run.budget, granted_steps=run.budget.granted_steps + limits.max_steps)
    return True


def _steer(run: Run) -> None:
    """Take in what the user has said while the turn ran, which a last request could not follow; it is news for every guard."""
    if run.budget.steps and not run.closing and (said := run.agent.steered()):
        run.add(replace(said, steers=True))
        run.guards = GuardState()


def _close(run: Run, stop: Stop) -> None:
    """Let the run end with *stop*, after one more request without tools that asks for an answer."""
    if run.closing is None:
        run.closing = stop
        if run.agent.closing:
            run.hints.append(run.agent.closing)


async def _step(run: Run) -> Stop | None:
    """Think once and act on it; give the reason to stop, or None to go on."""
    if not run.attempts["continued"] and not run.attempts["unreadable"]:
        await _due(run)
        _steer(run)
        run.budget = replace(run.budget, steps=run.budget.steps + 1)
        run.tell(StepStarted(run.budget.steps))
    draft = await think(run, () if run.closing else run.agent.tools)
    if isinstance(draft, Stop):
        return draft
    if stop := hard_stop(run.agent.limits, run.spent()):
        return stop
    if draft.finish == REPEATS:
        return Stop(StopReason.LOOP, "the reply repeated itself")
    message = draft.message(call_ids(run.messages) | run.parts.keys())
    await show(run.agent.hooks, run.tell, "after_think", message)
    run.draft = None
    if draft.refused or draft.finish == "content_filter":
        return _filtered(run, draft, message)
    if draft.finish == "length" and draft.is_empty:
        tokens = f" of {run.requests.reply_tokens:,} tokens" if run.requests.reply_tokens else ""
        return Stop(StopReason.OUTPUT_LIMIT, USED_UP.format(tokens=tokens))
    if draft.finish == "length" and (run.agent.protocol.continues or message.calls):
        _reveal(run, draft, message.text)
        return _continue(run, draft, message)
    if draft.finish == "length":
        message = replace(message, cut="length")
    run.attempts["continued"] = 0
    return await _read(run, draft, message, () if run.closing else (*run.agent.tools, *run.agent.withheld))


def _filtered(run: Run, draft: Draft, message: Assistant) -> Stop:
    """End with the text of a reply that a filter ended, or that refuses; its calls never run."""
    reply = run.agent.protocol.read(replace(message, calls=()), ())
    text = reply.text if isinstance(reply, Answer) else draft.visible
    _reveal(run, draft, text)
    if text:
        run.said.append(text)
    if message.calls:
        refuse_all(run, replace(message, cut="content_filter"), FILTERED_CALL)
    elif text:
        run.add(replace(message, text=text, cut="content_filter"))
    why = "the model refused to answer" if draft.refused else "the provider's content filter ended the reply"
    return Stop(StopReason.CONTENT_FILTER, why, Problem("content_filter", why, FILTER_HINT))


def _reveal(run: Run, draft: Draft, text: str) -> None:
    """Show what of *text* was held back while it streamed."""
    if text.startswith(draft.visible) and (rest := text[len(draft.visible) :]):
        run.tell(TextDelta(rest))


async def _read(run: Run, draft: Draft, message: Assistant, tools: Sequence[Tool]) -> Stop | None:
    """Act on a whole reply."""
    reply = run.agent.protocol.read(message, tools)
    run.attempts["unreadable"] = run.attempts["unreadable"] if isinstance(reply, Invalid) else 0
    if isinstance(reply, Invalid) and message.cut:
        reply = replace(reply, reason=_how_it_was_cut(run, draft, reply).format(size=f"{len(message.text):,}"))
    match reply:
        case Calls(said) if not run.closing:
            run.attempts["replanned"] = run.attempts["empty"] = 0
            stop = await act(run, said)
            if stop is None or stop.reason not in SUMMED_UP:
                return stop
            _close(run, stop)
        case Answer(text):
            _reveal(run, draft, text)
            return _answer(run, message, text)
        case Calls(said) if said.text.strip() or not run.answers():
            return _answer(run, replace(said, calls=()), said.text)
        case Calls():
            return _instead(run, CALLED_AGAIN)
        case Replan(text) if run.closing:
            return _answer(run, message, text)
        case Replan(text):
            return _replan(run, text)
        case Invalid():
            return await _ask_again(run, reply)
    return None


def _was_last(run: Run) -> bool:
    """Return whether the round of `single` is over, so that nothing is asked for once more."""
    return run.budget.calls > 0 and run.answers()


def _instead(run: Run, why: str) -> Stop | None:
    """Answer with a plain account of what was done."""
    text = _account(run, why)
    return _answer(run, Assistant(text), text)


def _answer(run: Run, message: Assistant, text: str) -> Stop | None:
    """Take *text* as the answer, unless it is empty or comes before the work it has to rest on."""
    if not text.strip():
        return _instead(run, NO_ANSWER) if _was_last(run) else _empty(run)
    run.said.append(text)
    run.add(replace(message, text=text, calls=(), cut=""))
    done, least = run.calls_completed(), run.agent.limits.min_tool_calls
    if done < least and run.answers():
        run.tell(Notice(f"the answer rests on {done} of the {least} tool calls of --min-tool-calls", "warning"))
        return Stop(StopReason.ANSWERED)
    if run.closing:
        return run.closing if run.closing.problem is None else Stop(StopReason.ANSWERED)
    if done < least:
        run.said.clear()
        run.hints.append("You must use tools to get information before you answer: call one now.")
        return None
    return Stop(StopReason.ANSWERED)


def _replan(run: Run, text: str) -> Stop | None:
    """Let the model change its plan, with the evidence kept; a third time in a row is the user's to solve."""
    run.add(Assistant(text or "I need another plan."))
    run.attempts["replanned"] += 1
    if run.attempts["replanned"] > REPLANS:
        run.said.append(UNABLE)
        run.add(Assistant(UNABLE))
        return Stop(StopReason.QUESTION, UNABLE)
    run.hints.append("Replan: the approach so far failed, change it. If external facts are needed, call a tool.")
    return None


def _empty(run: Run) -> Stop | None:
    """Ask again after an empty reply, at last without tools; then give up."""
    run.attempts["empty"] = empties = run.attempts["empty"] + 1
    problem = Problem("empty_reply", f"the model sent {empties} empty replies", "try again, or another --model")
    if run.closing and (run.closing.reason is not StopReason.ANSWERED or empties > EMPTY_REPLIES):
        ended = run.closing.reason is not StopReason.ANSWERED and run.closing.problem is None
        return run.closing if ended else Stop(StopReason.MODEL_ERROR, problem.message, problem)
    if empties > EMPTY_REPLIES:
        _close(run, Stop(StopReason.MODEL_ERROR, problem.message, problem))
    return None


def _how_it_was_cut(run: Run, draft: Draft, reply: Invalid | None = None) -> str:
    """Tell the model the limit that cut its call, how much of it came, and how to do it; {size} is left open."""
    limit = draft.usage.completion_tokens if draft.usage else run.requests.reply_tokens
    way = SHORTER if reply and reply.final else run.agent.in_parts or SHORTER
    return CUT.format(tokens=f" of {limit:,} tokens" if limit else "", way=way)


def _continue(run: Run, draft: Draft, message: Assistant) -> Stop | None:
    """Go on after a reply that the output limit cut; a call in it never runs."""
    run.attempts["continued"] += 1
    if message.calls:
        refuse_all(run, message, f"not run: {_how_it_was_cut(run, draft)}")
    elif message.text:
        run.said.append(message.text)
        run.add(replace(message, cut="length"))
    if run.attempts["continued"] > CONTINUATIONS:
        detail = f"the answer is still incomplete after {CONTINUATIONS} continuations; raise model.max_output_tokens"
        return Stop(StopReason.OUTPUT_LIMIT, detail)
    if not message.calls:
        run.add(User(CONTINUE, synthetic=True))
    return None


async def _ask_again(run: Run, reply: Invalid) -> Stop | None:
    """
    Tell the model why its decision could not be read; after three tries ask the user instead.

    An answer in another form than it has to have is asked for without tools: some endpoints can hold it to that then.
    """
    if reply.final:
        run.closing = run.closing or Stop(StopReason.ANSWERED)
        run.hints.append(MISSHAPEN.format(reason=reply.reason))
        return misshapen(run, reply.reason)
    if _was_last(run):
        return _instead(run, NO_ANSWER)
    run.attempts["unreadable"] += 1
    if run.attempts["unreadable"] > RE_ASKS:
        run.said.append(DEGRADED)
        run.add(Assistant(DEGRADED))
        return Stop(StopReason.QUESTION, DEGRADED)
    run.hints.append(
        f"Your previous output failed validation: {reply.reason}. Output ONLY one valid JSON object that matches the schema."
    )
    await run.agent.sleep(min(2.0, 0.4 * 2 ** (run.attempts["unreadable"] - 1)) + run.agent.chance() * 0.1)
    return None


def _account(run: Run, why: str = "") -> str:
    """
    List the calls of *run* and how each ended; made from the parts, never from the model's words.

    Args:
        why: there was no answer; empty where that is told beside it, as an error is.
    """
    calls = [part for part in run.parts.values() if part.state]
    rows = [
        f"- {part.tool}({' '.join(part.state.input.split())[:INPUT_CHARS]}): {part.state.status}"
        for part in calls[:ROWS]
        if part.state
    ]
    if len(calls) > ROWS:
        rows.append(f"- and {len(calls) - ROWS} more")
    done = "\n".join(["What was done:", *rows]) if rows else "Nothing was done."
    return f"Stopped before there was an answer{f': {why}' if why else '.'}\n\n{done}"


def _finish(run: Run, stop: Stop) -> TurnFinished:
    """Close whatever is still open, so that the history is valid; give how it ended."""
    if run.draft and (text := run.draft.visible):
        run.said.append(text)
        run.add(replace(run.draft.message(), text=text, calls=(), cut=stop.reason))
    backfill(run, stop.detail or stop.reason)
    answer = "".join(run.said) or _last_words(run)
    if not answer and stop.reason in GUARDED:
        answer = _account(run)
    if run.agent.form:
        answer, stop = run.agent.form(answer, stop)
    made = run.budget
    return TurnFinished(answer, stop, made.steps, made.usage, run.worked(), made.requests, made.notes)


def _last_words(run: Run) -> str:
    """What the model said last in this turn, for a run that was stopped before its answer."""
    for message in reversed(run.messages):
        match message:
            case Assistant(text) if text:
                return text
            case User(synthetic=False, steers=False):
                return ""
            case _:
                pass
    return ""
