"""Whether a run gets anywhere: calls made again, results that say the same, failures in a row."""

from __future__ import annotations

from dataclasses import replace

from cococat.core.guards import call_key, foreseen, nearly_same, repetitions, same_observations, shrinking
from cococat.core.limits import Stop, StopReason
from cococat.core.messages import Assistant, ToolCall
from cococat.core.run import Run
from cococat.core.tools import Arguments, Ask, Tool

__all__ = ["progress", "repeated"]

REFUSED_AT = 3  # the call that would be the third of its kind in a row, and told the same before, is refused
RUN_REFUSED_AT = 5  # the same for commands, which may wait for something: the third is run with a warning
CHANGES = ("writes", "asks")  # effects after which the same result is news; after "runs" it can be
ALIKE_HINT, ALIKE_STOP = 2, 3  # rounds in a row whose results say the same
FAILED_HINT, FAILED_STOP = 3, 10  # rounds in a row that failed
MAX_ROUNDS = 4  # whose results are kept: what the guards compare
MAX_MADE = 64  # calls that are kept: more than any circle needs that is still let go on
SAME = "The results are the same as last time: change the method, or answer with what you have."
NEARLY = "The results are nearly the same as last time: if nothing in them is new, change the method, or answer."
SHRINKING = "The results get shorter from round to round: look wider, change the method, or answer with what you have."
FAILING = "Every call of the last {} rounds failed: read why, change the method, or answer with what you have."
WAITING = "{} was called {} times in a row and told the same: wait longer in one call, change the plan, or answer."


def progress(run: Run, message: Assistant) -> Stop | None:
    """Hint when a round told nothing new or failed again, stop when it goes on so; a change is progress."""
    effects = {tool.name: tool.effect for tool in run.agent.tools}
    results = [run.results[call.id] for call in message.calls]
    worked = {effects.get(result.name) for result in results if result.status == "completed"}
    before = run.guards
    run.guards = replace(before, failed=0 if worked else before.failed + 1)
    if all(call.id in run.denied for call in message.calls):
        return None  # what a denial says is no observation, and their number has a bound of its own
    if worked.intersection(CHANGES):
        run.guards = replace(run.guards, rounds=(), fresh=0)
        return None
    rounds = [*before.rounds, [result.output for result in results]][-MAX_ROUNDS:]
    run.guards = now = replace(run.guards, rounds=rounds, fresh=0 if "runs" in worked else before.fresh + 1)
    alike = same_observations(rounds[-now.fresh :]) if now.fresh and run.agent.limits.detect_loops else 0
    if alike >= ALIKE_STOP:
        return Stop(StopReason.NO_PROGRESS, f"{alike} rounds of calls in a row gave the same results")
    if now.failed >= FAILED_STOP:
        return Stop(StopReason.NO_PROGRESS, f"all calls of {now.failed} rounds in a row failed")
    if alike == ALIKE_HINT or (nearly_same(rounds) and not nearly_same(before.rounds)):
        run.hints.append(SAME if same_observations(rounds[-2:]) == ALIKE_HINT else NEARLY)
    elif shrinking(rounds) and not shrinking(before.rounds):
        run.hints.append(SHRINKING)
    elif now.failed == FAILED_HINT:
        run.hints.append(FAILING.format(now.failed))
    return None


async def repeated(run: Run, tool: Tool, call: ToolCall, arguments: Arguments) -> Stop | str | None:
    """Refuse a call that told the same before, in a row or in a circle; a user may let it pass."""
    if not run.agent.limits.detect_loops:
        return None
    made = run.guards.made
    made = dict([*made.items(), (call.id, foreseen(made, call_key(call)))][-MAX_MADE:])
    run.guards, times = replace(run.guards, made=made), repetitions(list(made.values()))
    refused_at = RUN_REFUSED_AT if tool.effect == "runs" else REFUSED_AT
    if times == refused_at:
        return (
            f"[TOOL_ERROR] Repeated: the same was called {times - 1} times without any news; change the plan or answer"
        )
    if times > refused_at:
        looping = f"{call.name} was called {times} times in a circle with the same arguments"
        if await run.agent.consent(tool, arguments, Ask(looping, "")) != "yes":
            return Stop(StopReason.LOOP, looping)
        run.guards = replace(run.guards, made={})
    elif times == REFUSED_AT:
        run.hints.append(WAITING.format(call.name, times))
    return None
