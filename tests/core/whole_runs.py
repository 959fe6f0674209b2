"""Whole runs for Hypothesis: scripts, a model in memory that plays them, and what must hold of every turn.

Public: Script, Trip, Watch, Playing, Hourglass, scripts, played, check.
"""

from __future__ import annotations

import asyncio
import json
import re
import selectors
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from cococat.context.budget import ContextBounds
from cococat.context.consolidate import MAX_TURN
from cococat.context.fit import Fitting
from cococat.core.agent import Agent
from cococat.core.events import (
    MessageAdded,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.history import assert_valid
from cococat.core.limits import Limits, Stop, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import Assistant, Summary, User
from cococat.core.model import FinishPiece
from cococat.core.settings import RetryPolicy
from cococat.core.tools import Allow, Ask, Deny, Report, ToolFailure, ToolOutcome, tool
from cococat.model import faults, wire
from cococat.model.endpoint import Endpoint
from cococat.model.faults import Refusal
from cococat.model.watchdog import Silence
from cococat.prompts import prompt
from cococat.protocol.decision import Decision
from cococat.protocol.native import Native
from cococat.protocol.written import Auto
from cococat.system.text import shorten
from tests.scripted import CUT, RESET, STALL, Delta, Turn, broken, calls, fault, raw, reasons, says
from tests.scripted.strict import violations
from tests.scripted.turns import DONE, Cost, Mark

PROTOCOLS = {"native": Native, "auto": Auto, "json": Decision}
ENDPOINT = Endpoint("http://model.example/v1", "", "scripted")
MAX_REQUESTS = 120  # of one turn; the loop's own bounds add up to less
DIALECTS = (
    "openai", "interleaved", "same_index", "no_index", "no_id", "empty_id", "duplicate_id", "split_name", "object",
    "whole",
)  # fmt: skip
NOTES_PROMPT = prompt("compact")[:60]
LEFT_OUT = re.compile(r"^\((\d+) older messages left out\)$", re.MULTILINE)


@dataclass(frozen=True)
class Script:
    """
    What happens in one conversation, all of it decided before it begins.

    Args:
        turns: what is asked, and the numbers of the events and of the waits at which the turn is cancelled.
        replies, notes: what the model says to each request, and to each that asks for notes.
        verdicts, consents: what the gate and the user say, in turn.
    """

    turns: tuple[tuple[str, frozenset[int], frozenset[int]], ...]
    replies: tuple[Turn, ...]
    notes: tuple[Turn, ...]
    protocol: str
    limits: Limits
    bounds: ContextBounds
    verdicts: tuple[str, ...]
    consents: tuple[str, ...]


class Trip:
    """Counts the waits of a turn, and cancels it at those that the script names; *scale* 0 waits for nothing."""

    def __init__(self, scale=1):
        self.scale = scale
        self.arm(None, frozenset())

    def arm(self, task, at):
        self.task, self.at, self.count, self.pulled = task, at, 0, False

    def pull(self):
        self.pulled = True
        self.task.cancel()

    async def wait(self, seconds=0):
        self.count += 1
        if self.count in self.at:
            self.pull()
        await asyncio.sleep(seconds * self.scale)


class Hourglass:
    """A selector and a clock: time passes only when everything waits, and then at once."""

    def __init__(self):
        self.now = 0.0
        self._selector = selectors.DefaultSelector()

    def __getattr__(self, name):
        return getattr(self._selector, name)

    def select(self, timeout=None):
        if ready := self._selector.select(0):
            return ready
        assert timeout is not None, "everything waits for ever"
        self.now += timeout
        return []

    def loop(self):
        made = asyncio.SelectorEventLoop(self)
        made.time = lambda: self.now
        return made


class Desk:
    """Hands out the replies of a script and keeps what was asked; the same in memory and behind HTTP."""

    def __init__(self, script):
        self._replies, self._notes = list(script.replies), list(script.notes)
        self.bodies, self.last = [], says("")
        self.begin()

    def begin(self):
        """Count again for another turn."""
        self.step, self.offered, self.shown, self.asked = 0, set(), False, 0

    def __call__(self, body):
        """The reply to a request; an answer, in any protocol, once the script is at its end."""
        if for_notes(body):
            return self._notes.pop(0) if self._notes else says(HEADED)
        self.bodies.append(body)
        self.asked += 1
        assert self.asked <= MAX_REQUESTS, "there is no end of requests"
        self.shown = False
        self.offered |= {self.step} if body.get("tools") else set()
        self.last = self._replies.pop(0) if self._replies else says(json.dumps({"action": "finish", "final": "done"}))
        return self.last


def for_notes(body):
    return NOTES_PROMPT in str(body["messages"][0]["content"])


def runnable(turn):
    """Say whether calls of this reply may run: it came to its end, and the output limit did not cut them."""
    called = something = False
    for step in turn.steps if turn.status == 200 else ():
        match step:
            case Delta(delta, finish):
                called = called or bool(delta.get("tool_calls"))
                something = something or called or bool(delta.get("content"))
                if finish:
                    return finish != "length" or not called
            case bytes():
                return step == DONE and something
            case Mark() | Mapping():
                return False
    return False


class Playing:
    """A model in memory that plays a script as the scripted server does, and is as strict."""

    def __init__(self, desk, trip):
        self.desk, self.trip = desk, trip
        self.problems, self.open = [], 0

    async def stream(self, request):
        self.open += 1
        try:
            await self.trip.wait()
            body = {**wire.body_of(request, "scripted"), "stream": True}
            self.problems += violations(body)
            turn = self.desk(body)
            if turn.status != 200:
                raise faults.from_refusal(ENDPOINT, Refusal(turn.status, turn.headers, turn.steps[0].decode()), 0)
            async for piece in self._pieces(turn):
                yield piece
        finally:
            self.open -= 1

    async def _pieces(self, turn):
        finished = something = done = False
        for step in turn.steps:
            await self.trip.wait(step if isinstance(step, float) else 0)
            event = _event(step)
            if event and (error := wire.error_of(event)):
                raise faults.from_event(ENDPOINT, error, 0)
            for piece in wire.pieces_of(event or {}):
                something = True
                finished = finished or isinstance(piece, FinishPiece)
                yield piece
            done = done or step == DONE
            if step is STALL and not finished:
                await self.trip.wait(60)
                raise faults.from_silence(ENDPOINT, Silence("idle", 60))
            if isinstance(step, Mark):
                break
        if done and something and not finished:
            yield FinishPiece("stop")
        elif not finished:
            raise faults.cut_reply_error(ENDPOINT) if something else faults.not_a_completion(ENDPOINT, "text/html", "")


def _event(step):
    """A step as the object that the server would send."""
    match step:
        case Delta(delta, finish):
            return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        case Cost(prompt_tokens, completion):
            return {"usage": {"prompt_tokens": prompt_tokens, "completion_tokens": completion}}
        case Mapping():
            return step
    return None


class Watch:
    """Takes the events of a conversation and holds each against what was told before it."""

    def __init__(self, desk, trip):
        self.desk, self.trip = desk, trip
        self.folded, self.states, self.running = [], {}, Counter()
        self.begin(frozenset())

    def begin(self, at):
        """Take the events of another turn, which is cancelled at those whose numbers are in *at*."""
        self.events, self.at, self.step = [], at, 0
        self.desk.begin()
        self.states.clear()

    def emit(self, event):
        assert not self.events or not isinstance(self.events[-1], TurnFinished), "something came after the end"
        self.events.append(event)
        match event:
            case StepStarted(step):
                assert self.step + 1 == step
                self.step = self.desk.step = step
            case TextDelta():
                self.desk.shown = True
            case Retrying():
                assert not self.desk.shown, "a reply that was shown is asked for again"
            case MessageAdded(message):
                self._message(message)
            case ToolPending(call_id):
                assert call_id, "an empty id"
                made = [call.id for message in self.folded if isinstance(message, Assistant) for call in message.calls]
                assert call_id not in self.states, "an id is used twice in a turn"
                assert 1 == made.count(call_id), "an id is used twice in a history"
                self.states[call_id] = "pending" if runnable(self.desk.last) else "cut"
            case ToolRunning(call_id, name):
                assert "pending" == self.states[call_id]
                self.states[call_id] = "running"
                self.running[name] += 1
            case ToolCompleted(call_id):
                assert "running" == self.states[call_id]
                self.states[call_id] = "ended"
            case ToolFailed(call_id):
                assert self.states[call_id] in ("pending", "running", "cut")
                self.states[call_id] = "ended"
        if len(self.events) in self.at:
            self.trip.pull()

    def _message(self, message):
        match message:
            case Summary(_, covers):
                assert 0 < covers <= len(self.folded)
                self.folded[:covers] = [message]
            case _:
                self.folded.append(message)


def tools_of(trip, ran):  # noqa: C901 - eight tools of three lines each
    """One tool for each way in which a tool can end; *ran* counts the bodies that were begun."""

    @tool("reads")
    async def look(n: int) -> str:
        """Return a text of about n words."""
        ran["look"] += 1
        await trip.wait(0.5)
        return f"{n} " + "word " * (n % 300)

    @tool("reads")
    async def crash(n: int) -> str:
        """Crash."""
        ran["crash"] += 1
        await trip.wait()
        raise ValueError(f"no {n}")

    @tool("runs")
    async def refuse(n: int) -> str:
        """Fail in a way the model can fix."""
        ran["refuse"] += 1
        raise ToolFailure(f"name another, not {n}")

    @tool("runs")
    async def hang(n: int, report: Report) -> str:
        """Print something and wait for ever."""
        ran["hang"] += 1
        report(f"so far {n}")
        await trip.wait()
        await asyncio.Event().wait()
        return ""

    @tool("network")
    async def stubborn(n: int, report: Report) -> str:
        """Go on after a cancel, print something late, and fail."""
        ran["stubborn"] += 1
        for _ in range(3):
            try:
                await trip.wait(2)
            except asyncio.CancelledError:
                continue
        report("late")
        raise OSError("too late")

    @tool("writes")
    async def change(n: int, report: Report) -> str:
        """Change something and say so line by line."""
        ran["change"] += 1
        for number in range(n % 4):
            report(f"line {number}\n")
            await trip.wait(0.1)
        return f"changed {n}"

    @tool("asks")
    async def ask(n: int) -> ToolOutcome:
        """Ask the user."""
        ran["ask"] += 1
        await trip.wait()
        return ToolOutcome("asked", stop=Stop(StopReason.QUESTION, "which one?"))

    @tool("ends")
    async def finish(n: int) -> ToolOutcome:
        """Finish."""
        ran["finish"] += 1
        return ToolOutcome("done", stop=Stop(StopReason.ANSWERED, f"answer {n}"))

    return look, crash, refuse, hang, stubborn, change, ask, finish


def agent_for(script, model, trip, ran, clock, **fields):
    """Everything of a run but what the turns before it left."""
    verdicts, consents = list(script.verdicts), list(script.consents)

    def gate(wanted, arguments):
        match verdicts.pop(0) if verdicts else "allow":
            case "ask":
                return Ask(f"{wanted.name} is loud", (wanted.name,))
            case "deny":
                return Deny("the rules forbid it")
        return Allow()

    async def consent(wanted, arguments, asked):
        await trip.wait()
        return consents.pop(0) if consents else "yes"

    return Agent(
        model=model,
        protocol=PROTOCOLS[script.protocol](),
        system="Be brief.",
        tools=tools_of(trip, ran),
        limits=script.limits,
        gate=gate,
        clock=clock,
        consent=consent,
        closing="Sum up.",
        retry=RetryPolicy(base_ms=1, jitter_ms=0),
        sleep=trip.wait,
        chance=lambda: 0.5,
        **fields,
    )


async def played(script, agent, watch, ran, each_turn):
    """Run every turn of *script*, and hold what each of them gave against what it must give."""
    history, said, trip = (), [], watch.trip
    task = asyncio.current_task()
    for text, events, waits in script.turns:
        said.append(text)
        before = len(watch.desk.bodies)
        watch.begin(events)
        trip.arm(task, waits)
        turn = await run_turn(replace(agent, context=Fitting(script.bounds)), history, User(text), watch.emit)
        trip.at = frozenset()
        await asyncio.sleep(0)  # where a cancel that is left over would strike
        check(script, turn, watch, said)
        requests_hold(text, watch.desk.bodies[before:])
        assert all(ran[name] <= watch.running[name] for name in ran), "a tool ran that nobody was told of"
        each_turn(turn)
        history = turn.history


def check(script, turn, watch, said):
    """Everything that must hold of a turn, however it went."""
    end, limits = watch.events[-1], script.limits
    assert_valid(turn.history)
    assert watch.folded == list(turn.history)
    assert {"ended"} >= set(watch.states.values()), "a call has no end"
    assert all(part.state.status in ("completed", "error") for part in turn.parts if part.state)
    assert isinstance(end, TurnFinished)
    assert (end.answer, end.stop, end.steps, watch.step) == (turn.answer, turn.stop, turn.steps, turn.steps)
    again = (2 if limits.spent is StopReason.ANSWERED else 0) + (2 if script.protocol != "native" else 0)
    assert turn.steps <= limits.max_steps + 1 + again, "too many steps"
    assert len(watch.desk.offered) <= limits.max_steps, "tools were offered too often"
    remembered(turn.history, said)
    match turn.stop.reason:
        case StopReason.CANCELLED:
            assert watch.trip.pulled
        case StopReason.MODEL_ERROR:
            assert turn.stop.problem
        case StopReason.TIME_LIMIT:
            assert limits.max_seconds
        case StopReason.ANSWERED:
            assert turn.answer.strip()
        case reason:
            assert reason is not StopReason.INTERNAL_ERROR


def requests_hold(text, bodies):
    """Each request of a turn holds what the user asked for in it."""
    for body in bodies:
        assert any(text in str(message["content"]) for message in body["messages"]), "a request without the request"


def remembered(history, said):
    """What the user said is there word for word: as it was, quoted by the summary, or counted as left out."""
    there = {message.text for message in history if isinstance(message, User) and not message.synthetic}
    assert not any(isinstance(message, Summary) for message in history[1:])
    text = history[0].text if isinstance(history[0], Summary) else ""
    gone = [words for words in said if words not in there and _quoted(words) not in f"{text}\n"]
    counted = LEFT_OUT.search(text)
    assert len(gone) == (int(counted[1]) if counted else 0), "words of the user are gone without a word"


def _quoted(words):
    return "".join(f"{f'> {line}'.rstrip()}\n" for line in shorten(words.strip(), MAX_TURN).split("\n"))


def scripts(*, live=False):
    """Any script; *live*: over real HTTP, where nobody waits for what never comes."""
    replies = _replies(live=live)
    return st.builds(
        Script,
        turns=st.lists(st.tuples(_texts, _numbers, _numbers), min_size=1, max_size=4).map(_numbered),
        replies=st.lists(replies, min_size=4, max_size=14).map(tuple),
        notes=st.lists(_notes | replies, max_size=4).map(tuple),
        protocol=st.sampled_from(["native", "auto", "json", "native"]),
        limits=_limits(live=live),
        bounds=st.builds(
            ContextBounds,
            window=st.sampled_from([128_000, 128_000, 500, 700, 1000, 2000, 4000]),
            reserved_output=st.integers(0, 1000),
            protect=st.integers(0, 600),
            keep=st.integers(0, 6),
        ),
        verdicts=st.lists(st.sampled_from(["allow", "allow", "ask", "deny"]), max_size=6).map(tuple),
        consents=st.lists(st.sampled_from(["yes", "no", "no user"]), max_size=4).map(tuple),
    )


def _numbered(turns):
    """Make what is asked in each turn unlike what is asked in the others."""
    return tuple((f"question {number}: {text}", *cancels) for number, (text, *cancels) in enumerate(turns))


def _limits(*, live):
    return st.builds(
        Limits,
        max_steps=st.integers(1, 6),
        max_total_tokens=st.sampled_from([0, 0, 0, 500, 2000, 6000]),
        max_seconds=st.just(0) if live else st.sampled_from([0, 0, 0, 2, 9]),
        min_tool_calls=st.integers(0, 2),
        max_parallel_tools=st.integers(1, 3),
        tool_timeout_s=st.just(0.02 if live else 3),
        spent=st.sampled_from([StopReason.STEP_LIMIT, StopReason.ANSWERED]),
    )


_numbers = st.just(frozenset()) | st.just(frozenset()) | st.frozensets(st.integers(1, 24), min_size=1, max_size=3)
_texts = st.text(max_size=12) | st.integers(0, 250).map(lambda number: "lorem " * number)
_finish = st.sampled_from(["stop", "stop", "stop", "length", "content_filter", None])
_usage = st.none() | st.just((10, 5)) | st.tuples(st.integers(0, 3000), st.integers(0, 500))
_arguments = st.one_of(
    st.integers(0, 3).map(lambda n: {"n": n}),
    st.integers(0, 2000).map(lambda n: {"n": n}),
    st.sampled_from(['{"n": 1', "", "[]", '{"n": "x"}', '{"m": 1}', "null", '{"n": 1}}', "{'n': 2}"]),
)
_ids = st.sampled_from(["a", "b", "c", "call_1", "call_2", "call_same", "", "long" * 15])
_names = st.sampled_from(
    ["look", "look", "look", "crash", "refuse", "hang", "stubborn", "change", "change", "ask", "finish", "nothing"]
)
_decisions = st.one_of(
    st.builds(lambda name, n: {"action": "tool_call", "tool": name, "tool_input": {"n": n}}, _names, st.integers(0, 3)),
    st.builds(lambda action, final: {"action": action, "final": final}, st.sampled_from(["finish", "replan"]), _texts),
    st.builds(lambda name, n: {"name": name, "arguments": {"n": n}}, _names, st.integers(0, 3)),
).map(json.dumps)
_odd = st.sampled_from([
    fault(503, "busy"),
    fault(429, "slow down", headers={"retry-after": "1"}),
    fault(429, "slow down", headers={"retry-after": "90"}),
    fault(401, "no"),
    fault(400, "nonsense"),
    fault(400, "maximum context length is 600 tokens", code="context_length_exceeded"),
    fault(400, "the prompt is too long"),
    fault(400, "this model does not support tools"),
    broken(),
    says(""),
    says(" \n"),
    raw(DONE),
    raw(b"<html>", content_type="text/html"),
])  # fmt: skip
HEADED = "## Task\nnotes\n## State\n-\n## Findings\n-\n## Next steps\n-"
_notes = st.sampled_from([says(HEADED), says(HEADED, " more ", "notes", usage=(200, 20)), says("notes"), says("")])


def _replies(*, live):
    """Anything that a server may send, whole, cut or refused."""
    pieces = st.lists(_texts if live else _texts | st.sampled_from([0.3, 30.0]), max_size=4)
    words = st.builds(
        lambda deltas, finish, usage, done: says(*deltas, finish=finish, usage=usage, done=done),
        pieces, _finish, _usage, st.booleans(),
    )  # fmt: skip
    called = st.builds(
        lambda wanted, text, dialect, finish, usage: calls(
            *wanted, text=text, dialect=dialect, finish=finish, usage=usage
        ),
        st.lists(st.tuples(_names, _arguments, _ids), min_size=1, max_size=4),
        _texts,
        st.sampled_from(DIALECTS),
        st.sampled_from(["tool_calls", "tool_calls", "stop", "length", None]),
        _usage,
    )
    decided = st.builds(
        lambda text, at, finish: says(text[:at], text[at:], finish=finish), _decisions, st.integers(0, 30), _finish
    )
    thought = st.builds(lambda deltas, then: reasons(*deltas, then=then), st.lists(_texts, max_size=2), words | called)
    whole = st.one_of(called, called, called, words, decided, thought)
    ends = [CUT, RESET, {"error": {"message": "overloaded"}}, *(() if live else (STALL,))]
    cut = st.builds(
        lambda turn, at, end: replace(turn, steps=(*turn.steps[:at], end)),
        whole, st.integers(0, 12), st.sampled_from(ends),
    )  # fmt: skip
    return st.one_of(whole, whole, whole, whole, cut, _odd)
