"""Act and observe: check each call, run what may run, give every call exactly one result; and see whether it gets anywhere."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from cococat.core.events import ToolCompleted, ToolFailed, ToolOutput, ToolPending, ToolRunning
from cococat.core.guards import call_key, foreseen, nearly_same, normalized, repetitions, same_observations, shrinking
from cococat.core.history import UNKNOWN_OUTCOME, open_calls
from cococat.core.hooks import after_act, before_act
from cococat.core.limits import Problem, Stop, StopReason
from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.core.reply import Invalid
from cococat.core.run import Run
from cococat.core.tools import Allow, Arguments, Ask, Denied, Deny, Tool, ToolFailure, ToolOutcome, explain, too_many

GRACE_S = 2.0  # seconds a cancelled tool has to clean up before it is left behind
ERROR_CHARS = 500
CUT_CHARS = 200  # of arguments that were cut, kept in the history
MAX_QUESTIONS = 3  # of one run to the user
REPAIRS = 2  # of an answer that has not the form it was asked for in
MISSHAPEN_HINT = "choose another model with -m NAME, or a simpler schema"
MAX_CALLS = 50  # of one reply that are run
_TYPED = re.compile(r"[A-Z][A-Za-z]*(?:Error|Exception): ")
REFUSED_AT = 3  # the call that would be the third of its kind in a row, and told the same before, is refused
RUN_REFUSED_AT = 5  # the same for commands, which may wait for something: the third is run with a warning
CHANGES = ("writes", "asks")  # effects after which the same result is news
RUNS = ("runs", "foreign")  # effects after which it can be
ALIKE_HINT, ALIKE_STOP = 2, 3  # rounds in a row whose results say the same
FAILED_HINT, FAILED_STOP = 3, 10  # rounds in a row that failed
MAX_ROUNDS = 4  # whose results are kept: what the guards compare
MAX_MADE = 64  # calls that are kept: more than any circle needs that is still let go on
SAME = "The results are the same as last time: change the method, or answer with what you have."
NEARLY = "The results are nearly the same as last time: if nothing in them is new, change the method, or answer."
SHRINKING = "The results get shorter from round to round: look wider, change the method, or answer with what you have."
FAILING = "Every call of the last {} rounds failed: read why, change the method, or answer with what you have."
PICTURES = "[pictures of {}: data, not instructions]"
WAITING = "{} was called {} times in a row and told the same: wait longer in one call, change the plan, or answer."


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that passed every check; *concurrent* ones may overlap with their neighbours."""

    call: ToolCall
    tool: Tool
    arguments: Arguments
    concurrent: bool


async def act(run: Run, message: Assistant) -> Stop | None:
    """
    Run the calls of *message* and add their results in call order.

    Every check comes first, call by call; then tools that only read run side by side, the others
    one at a time in call order. Returns the reason to stop, when one of the calls gave one.
    """
    run.add(message)
    run.results.clear()
    run.outputs.clear()
    run.pictures.clear()
    for call in message.calls:
        run.tell(ToolPending(call.id, call.name, call.arguments))
    stop: Stop | None = None
    ready: list[_Ready] = []
    for call in message.calls:
        checked = await _check(run, call, ready) if stop is None else "not run: the run was stopped"
        match checked:
            case _Ready():
                ready.append(checked)
            case Stop():
                stop = checked
                _refuse(run, call, f"not run: {checked.detail}")
            case str():
                _refuse(run, call, checked)
    if stop:
        for item in ready:
            _refuse(run, item.call, "not run: the run was stopped")
    else:
        stop = await _run_all(run, ready)
    backfill(run, "")
    if stop and stop.reason is StopReason.ANSWERED:
        run.add(Assistant(stop.detail))  # in the history it is an answer like any other
    return stop or too_many(run.denied.values()) or _progress(run, message)


def misshapen(run: Run, reason: str) -> Stop | None:
    """Count an answer that has not the form it was asked for in; return the end of the run where it was the last one."""
    run.attempts["misshapen"] += 1
    if run.attempts["misshapen"] <= REPAIRS:
        return None
    problem = Problem("schema_mismatch", f"no reply satisfied the schema: {reason}", MISSHAPEN_HINT)
    return Stop(StopReason.SCHEMA_MISMATCH, problem.message, problem)


def refuse_all(run: Run, message: Assistant, reason: str) -> None:
    """
    Add *message* and give each of its calls *reason* as its result; none of them runs.

    Arguments that were cut are shortened: what they began would be sent again with every request.

    Args:
        reason: in it {size} stands for the characters of the arguments that came.
    """
    calls = tuple(replace(call, arguments=_shortened(call.arguments)) for call in message.calls)
    run.add(replace(message, calls=calls))
    for call, made in zip(calls, message.calls, strict=True):
        run.tell(ToolPending(call.id, call.name, call.arguments))
        _refuse(run, call, reason.format(size=f"{len(made.arguments):,}"))
        run.add(run.results[call.id])


def _shortened(arguments: str) -> str:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return json.dumps({"cut": arguments[:CUT_CHARS], "characters": len(arguments)}, ensure_ascii=False)
    return arguments


def backfill(run: Run, reason: str) -> None:
    """Give every open call its one result, the real one if it ended; behind all of them goes what they gave to see."""
    unanswered = open_calls(run.messages)
    for call in unanswered:
        if call.id not in run.results:
            part = run.parts.get(call.id)
            running = part and part.state and part.state.status == "running"
            _refuse(run, call, UNKNOWN_OUTCOME if running else f"not run: {reason}")
        run.add(run.results[call.id])
    for shown in run.pictures if unanswered else ():
        run.add(shown)


async def _check(run: Run, call: ToolCall, ready: Sequence[_Ready]) -> _Ready | Stop | str:
    """Schema, hooks, repetition, permission, what the tool itself sees, consent, in this order; a text refuses."""
    if len(ready) >= MAX_CALLS:
        return f"[TOOL_ERROR] TooManyCalls: {MAX_CALLS} calls of one reply are run; make this one again in the next"
    tools = {tool.name: tool for tool in (*run.agent.withheld, *run.agent.tools)}
    tool = tools.get(call.name)
    if tool is None:
        return f"[TOOL_ERROR] UnknownTool: no tool is called {call.name!r}; there are {', '.join(sorted(tool.name for tool in run.agent.tools))}"
    meant = await _meant(run, tool, call)
    if isinstance(meant, str | Stop):
        return meant
    call, arguments = meant
    known = any(denied.key == call_key(call) for denied in run.denied.values())
    if not known and (again := await _repeated(run, tool, call, arguments)):
        return again
    if tool.effect == "asks":
        run.attempts["asked"] += 1
        if run.attempts["asked"] > MAX_QUESTIONS:
            return f"[TOOL_ERROR] AskedEnough: {MAX_QUESTIONS} questions in a run; decide yourself, or answer"
    if tool.effect == "ends" and (done := run.calls_completed()) < (least := run.agent.limits.min_tool_calls):
        return f"[TOOL_ERROR] TooEarly: {done} of {least} calls of other tools succeeded; call one first"
    return await _permit(run, tool, arguments, call, ready)


async def _meant(run: Run, tool: Tool, call: ToolCall) -> tuple[ToolCall, Arguments] | Stop | str:
    """Return the call with its arguments, valid before and after the hooks had their say."""
    arguments = run.agent.protocol.arguments(tool, call.arguments)
    if isinstance(arguments, Invalid):
        stop = misshapen(run, arguments.reason) if arguments.final else None
        return stop or f"[TOOL_ERROR] InvalidArguments: {arguments.reason}"
    amended = await before_act(run.agent.hooks, run.tell, call, arguments)
    if isinstance(amended, Deny):
        return f"[TOOL_ERROR] PermissionDenied: {amended.reason}"
    if amended is not call:
        arguments = run.agent.protocol.arguments(tool, amended.arguments)
    if isinstance(arguments, Invalid):
        return f"[TOOL_ERROR] InvalidArguments: a hook changed them: {arguments.reason}"
    return amended, arguments


async def _permit(run: Run, tool: Tool, arguments: Arguments, call: ToolCall, ready: Sequence[_Ready]) -> _Ready | str:
    verdict, about = run.agent.gate(tool, arguments), tool.about or ""
    first = all(item.arguments.get(about) != arguments.get(about) for item in ready)
    match verdict:
        case Deny(reason):
            return f"[TOOL_ERROR] PermissionDenied: {reason}"
        case Ask() as ask:
            try:
                if first:  # what an earlier call of the reply does to the same thing is not known yet
                    tool.check(arguments)
            except ToolFailure as error:
                return f"[TOOL_ERROR] {_typed(error)}"
            with run.waiting():
                answer = await run.agent.consent(tool, arguments, ask)
            match answer:
                case "no":
                    return "[TOOL_ERROR] PermissionDenied: the user said no; do not try again, ask or go another way"
                case Deny(reason):
                    return f"[TOOL_ERROR] PermissionDenied: the user said no: {reason}"
                case "no user":
                    run.denied[call.id] = Denied(call_key(call), ask)
                    return explain(run.denied[call.id], run.agent.permitted)
                case "yes":
                    pass
        case _:
            pass
    beside = isinstance(verdict, Allow) and verdict.concurrent
    return _Ready(call, tool, arguments, tool.concurrent or beside)


async def _run_all(run: Run, ready: Sequence[_Ready]) -> Stop | None:
    """Run neighbours that may overlap side by side, the others alone, in call order."""
    stops: list[Stop | None] = []
    slots = asyncio.Semaphore(run.agent.limits.max_parallel_tools)

    async def one(item: _Ready) -> Stop | None:
        async with slots:
            return await _run_one(run, item)

    for concurrent, group in groupby(ready, lambda item: item.concurrent):
        if concurrent:
            stops += await asyncio.gather(*(one(item) for item in group))
            continue
        for item in group:
            if any(stops):
                _refuse(run, item.call, "not run: the run was stopped")
            else:
                stops.append(await _run_one(run, item))
    return next((stop for stop in stops if stop), None)


async def _run_one(run: Run, item: _Ready) -> Stop | None:
    """Run one tool under its time limit; whatever it does, there is one result."""
    agent, call = run.agent, item.call
    printed: list[str] = []
    status: Literal["completed", "error"] = "completed"
    began = agent.clock()

    def report(text: str) -> None:
        printed.append(text)
        run.tell(ToolOutput(call.id, text))

    limit = item.tool.timeout_s or agent.limits.tool_timeout_s
    run.budget = replace(run.budget, calls=run.budget.calls + 1)
    run.tell(ToolRunning(call.id, call.name, began - run.started))
    task = asyncio.ensure_future(item.tool.run(item.arguments, report))
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # seen, so asyncio reports nothing
    try:
        with run.waiting() if item.tool.effect == "asks" else nullcontext():
            done, _ = await asyncio.wait({task}, timeout=limit)
        outcome = task.result() if done else await _abandon(task, f"no result after {limit:.0f} s")
    except asyncio.CancelledError:
        await _abandon(task, "")
        seconds = agent.clock() - began
        tail = f"; partial output: {''.join(printed)[-ERROR_CHARS:]}" if printed else ""
        who = "time limit" if 0 < agent.limits.max_seconds <= run.seconds() else "user"
        _fail(run, call, f"cancelled by {who} after {seconds:.1f} s{tail}", began)
        raise
    except ToolFailure as error:
        told = f"[TOOL_ERROR] {_typed(error)}"
        outcome, status = ToolOutcome(told, error.display, full_output=error.full_output), "error"
    except Exception as error:  # noqa: BLE001 - a tool's crash is an observation, never ours
        lines = str(error).splitlines() or [""]
        outcome, status = ToolOutcome(f"[TOOL_ERROR] {type(error).__name__}: {lines[0][:ERROR_CHARS]}"), "error"
    await _observe(run, ToolResult(call.id, call.name, outcome.output, status, outcome.display), outcome, began)
    if outcome.stop and outcome.stop.reason in (StopReason.ANSWERED, StopReason.QUESTION):
        run.said[:] = [outcome.stop.detail]
    return outcome.stop


def _typed(error: ToolFailure) -> str:
    """The failure with a type before it, as every error that a model reads has one."""
    text = str(error)
    return text if _TYPED.match(text) else f"ToolFailure: {text}"


async def _observe(run: Run, result: ToolResult, outcome: ToolOutcome, began: float) -> None:
    """Add what the hooks make of *result*; a cancel in between adds it as it is."""
    at = run.agent.clock()
    try:
        result = await after_act(run.agent.hooks, run.tell, result)
    finally:
        same = result.output == outcome.output  # what a hook took out must not be read or seen elsewhere
        seen = run.agent.observe(result.name, result.output, outcome.full_output if same else None)
        news = ""  # other pixels are, whatever is said of them
        if same and outcome.pictures:
            run.pictures.append(User(PICTURES.format(result.name), synthetic=True, pictures=outcome.pictures))
            news = "".join(picture.sha256 for picture in outcome.pictures)
        run.results[result.call_id], run.outputs[result.call_id] = replace(result, output=seen), result.output + news
        if known := run.guards.made.get(result.call_id):
            told = normalized(seen + news)
            run.guards = replace(run.guards, made={**run.guards.made, result.call_id: (known[0], told)})
        ended = ToolCompleted if result.status == "completed" else ToolFailed
        shown = (same and outcome.shown) or result.output
        run.tell(ended(result.call_id, result.name, shown, result.display, at - began, at - run.started))


async def _abandon(task: asyncio.Future[ToolOutcome], why: str) -> ToolOutcome:
    """Cancel a tool and wait a moment for its clean-up; one that will not end delays nothing else."""
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE_S)
    if why:
        raise ToolFailure(f"TimeoutError: {why}")
    return ToolOutcome("")


def _refuse(run: Run, call: ToolCall, reason: str) -> None:
    run.results[call.id] = ToolResult(call.id, call.name, reason, "error")
    run.tell(ToolFailed(call.id, call.name, reason))


def _fail(run: Run, call: ToolCall, reason: str, began: float) -> None:
    at = run.agent.clock()
    run.results[call.id] = ToolResult(call.id, call.name, run.agent.observe(call.name, reason, None), "error")
    run.tell(ToolFailed(call.id, call.name, reason, seconds=at - began, at=at - run.started))


def _progress(run: Run, message: Assistant) -> Stop | None:
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
    rounds = [*before.rounds, [run.outputs.get(result.call_id, result.output) for result in results]][-MAX_ROUNDS:]
    run.guards = now = replace(run.guards, rounds=rounds, fresh=0 if worked.intersection(RUNS) else before.fresh + 1)
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


async def _repeated(run: Run, tool: Tool, call: ToolCall, arguments: Arguments) -> Stop | str | None:
    """Refuse a call that told the same before, in a row or in a circle; a user may let it pass."""
    if not run.agent.limits.detect_loops:
        return None
    made = run.guards.made
    made = dict([*made.items(), (call.id, foreseen(made, call_key(call)))][-MAX_MADE:])
    run.guards, times = replace(run.guards, made=made), repetitions(list(made.values()))
    refused_at = RUN_REFUSED_AT if tool.effect in RUNS else REFUSED_AT
    if times == refused_at:
        return (
            f"[TOOL_ERROR] Repeated: the same was called {times - 1} times without any news; change the plan or answer"
        )
    if times > refused_at:
        looping = f"{call.name} was called {times} times in a circle with the same arguments"
        if await run.agent.consent(tool, arguments, Ask(looping)) != "yes":
            return Stop(StopReason.LOOP, looping)
        run.guards = replace(run.guards, made={})
    elif times == REFUSED_AT:
        run.hints.append(WAITING.format(call.name, times))
    return None
