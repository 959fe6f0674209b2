"""A session against an oracle: whatever is done to it, crashes and damage included, what was acknowledged is there."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from itertools import accumulate, count
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from cococat.core.events import (
    MessageAdded,
    ReasoningDelta,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.history import UNKNOWN_OUTCOME, assert_valid
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Assistant, Summary, ToolCall, ToolResult, User
from cococat.store.listing import list_sessions
from cococat.store.record import decode, encode
from cococat.store.sessions import create, load, repair_log, resume

IN_MEMORY = Path("/dev/shm")  # where there is one: each fsync of a disk takes milliseconds
TEXT = st.text(max_size=8)
CALLS = st.integers(0, 3)
GARBAGE = st.sampled_from([
    b"\x00" * 512 + b"\n",
    b"not json\n",
    b"\xff\xfe\n",
    b"\n",
    b'{"v":1,"seq":2,"ts":0,"type":"message"}\n',
    encode(1, 0, {"type": "text_delta", "text": "an old number"}),
])  # fmt: skip


@dataclass(frozen=True)
class TerminalInfo:
    """What the log was told, and said it had saved."""

    messages: tuple = ()
    turns: int = 0
    title: str = ""

    def whole(self):
        """The messages as a resumed session has them: results in the order of calls, missing ones said to be unknown."""
        results = {message.call_id: message for message in self.messages if isinstance(message, ToolResult)}
        made = []
        for message in self.messages:
            if isinstance(message, ToolResult):
                continue
            made.append(message)
            calls = message.calls if isinstance(message, Assistant) else ()
            made += [results.get(c.id) or ToolResult(c.id, c.name, UNKNOWN_OUTCOME, "error") for c in calls]
        return replace(self, messages=tuple(made))

    def open_calls(self):
        answered = {message.call_id for message in self.messages if isinstance(message, ToolResult)}
        made = [call for message in self.messages if isinstance(message, Assistant) for call in message.calls]
        return [call for call in made if call.id not in answered]

    def boundaries(self):
        """Where the messages can be parted without separating a call from its result."""
        return [n for n, message in enumerate(self.messages) if not isinstance(message, ToolResult)][1:]


@dataclass
class Oracle:
    """What must be in one log: its bytes never change, and up to each of its marks it tells what was told."""

    marks: list = field(default_factory=list)  # (bytes, Told)
    durable: int = 0  # bytes
    kept: bytes = b""
    unknown: list = field(default_factory=list)

    @property
    def told(self):
        return self.marks[-1][1]


class Sessions(RuleBasedStateMachine):
    """One session at a time is open; the others, its parents and forks, lie beside it."""

    def __init__(self):
        super().__init__()
        self.home = Path(mkdtemp(prefix="cococat-machine-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
        self.worlds, self.numbers, self.seconds = count(), count(), count(1_700_000_000)
        self.folder = self.home / str(next(self.worlds))
        self.oracles, self.id, self.log = {}, "", None

    def teardown(self):
        if self.log:
            self.log.close()
        shutil.rmtree(self.home)

    @property
    def path(self):
        return self.folder / f"{self.id}.jsonl"

    @property
    def oracle(self):
        return self.oracles[self.id]

    @property
    def told(self):
        return self.oracle.told

    def clock(self):
        return float(next(self.seconds))

    def saved(self, *, lasting=True, **changes):
        """The log took something and reports no problem: from now on it must be there."""
        assert self.log.problem is None
        oracle, size = self.oracle, self.path.stat().st_size
        oracle.marks.append((size, replace(self.told, **changes)))
        oracle.durable = size if lasting else oracle.durable

    def add(self, message):
        self.log.emit(MessageAdded(message))
        self.saved(messages=(*self.told.messages, message))

    is_open = precondition(lambda self: self.log)
    is_closed = precondition(lambda self: not self.log)
    between_calls = precondition(lambda self: self.log and not self.told.open_calls())
    within_calls = precondition(lambda self: self.log and self.told.open_calls())

    @initialize(text=TEXT)
    def begin(self, text):
        self.log = create(self.folder, model="m", host="h", mode="react", cwd="/", clock=self.clock)
        self.id = self.log.id
        self.oracles[self.id] = Oracle([(self.path.stat().st_size, TerminalInfo())])
        self.add(User(text))

    @between_calls
    @rule(text=TEXT, synthetic=st.booleans())
    def user(self, text, synthetic):
        self.add(User(text, synthetic=synthetic))

    @between_calls
    @rule(text=TEXT, thought=TEXT, calls=CALLS)
    def assistant(self, text, thought, calls):
        for event in (ReasoningDelta(thought), TextDelta(text), TextDelta("\n")):
            self.log.emit(event)
        made = tuple(ToolCall(f"c{next(self.numbers)}", "look", "{}") for _ in range(calls))
        self.add(Assistant(text, thought, made))
        for call in made:
            self.log.emit(ToolPending(call.id, call.name, call.arguments))
        self.saved(lasting=False)

    @within_calls
    @rule(which=st.integers(0, 9), text=TEXT)
    def tool_starts(self, which, text):
        calls = self.told.open_calls()
        call = calls[which % len(calls)]
        self.log.emit(ToolRunning(call.id, call.name))
        self.log.emit(ToolOutput(call.id, text))
        self.saved(lasting=False)

    @within_calls
    @rule(which=st.integers(0, 9), text=TEXT)
    def tool_ends(self, which, text):
        calls = self.told.open_calls()
        call = calls[which % len(calls)]
        self.log.emit(ToolCompleted(call.id, call.name, text))
        self.add(ToolResult(call.id, call.name, text))

    @is_open
    @rule()
    def cancel(self):
        for call in self.told.open_calls():
            self.log.emit(ToolFailed(call.id, call.name, "cancelled"))
            self.add(ToolResult(call.id, call.name, "cancelled", "error"))
        self.ends(StopReason.CANCELLED)

    @between_calls
    @rule(reason=st.sampled_from([StopReason.ANSWERED, StopReason.LOOP]))
    def ends(self, reason):
        self.log.emit(TurnFinished("", Stop(reason), 1, Usage(1, 1), 0.5))
        self.saved(turns=self.told.turns + 1)

    @precondition(lambda self: self.log and not self.told.open_calls() and self.told.boundaries())
    @rule(which=st.integers(0, 9), text=TEXT)
    def compact(self, which, text):
        places = self.told.boundaries()
        covers = places[which % len(places)]
        summary = Summary(text, covers)
        self.log.emit(MessageAdded(summary))
        self.saved(messages=(summary, *self.told.messages[covers:]))

    @precondition(lambda self: self.log and not self.told.open_calls() and self.told.boundaries())
    @rule(which=st.integers(0, 9))
    def undo(self, which):
        places = self.told.boundaries()
        after = self.told.messages[: places[which % len(places)]]
        self.log.rewrite("rewind", self.told.messages, after)
        self.saved(messages=after)

    @between_calls
    @rule(which=st.integers(0, 99))
    def go_back_to_any_history_of_before(self, which):
        marks = [told for _, told in self.oracle.marks if not told.open_calls()]
        after = marks[which % len(marks)].messages
        self.log.rewrite("rewind", self.told.messages, after)
        self.saved(messages=after)

    @is_open
    @rule(title=TEXT.map("a {}".format))
    def rename(self, title):
        self.log.rename(title)
        self.saved(title=" ".join(title.split()))

    @is_open
    @rule(text=TEXT)
    def close(self, text):
        self.log.emit(TextDelta(text))
        self.log.close()
        self.log = None

    @is_closed
    @rule(twice=st.booleans())
    def resume(self, twice):
        """Going on gives what was told; doing it again gives the same and writes nothing."""
        self._fixed(self._resume())
        if twice:
            before, kept = self.log, self.path.read_bytes()
            before.close()
            assert [] == [note for note in self._resume() if "damaged" not in note]
            assert kept == self.path.read_bytes()

    @is_closed
    @rule()
    def repair(self):
        self._fixed(repair_log(self.folder, self.id))
        assert [] == [note for note in repair_log(self.folder, self.id) if "damaged" not in note]

    def _resume(self):
        self.log, messages, notes = resume(self.folder, self.id, clock=self.clock)
        assert self.log.problem is None
        assert self.told.whole().messages == messages
        return notes

    def _fixed(self, notes):
        """The log is as it was up to its last good line, with at most a repair behind it."""
        oracle, data = self.oracle, self.path.read_bytes()
        assert data.startswith(oracle.kept)
        assert (self.told.whole() != self.told) == any("unknown outcome" in note for note in notes)
        oracle.marks.append((len(data), self.told.whole()))
        oracle.durable = len(data)

    @precondition(lambda self: self.told.messages)
    @rule()
    def fork(self):
        """The copy holds the same, and goes on; the original has not changed by a byte."""
        before = self.path.read_bytes()
        copy, messages, _ = resume(self.folder, self.id, fork=True, clock=self.clock)
        told = self.told.whole()
        assert told.messages == messages
        assert before == self.path.read_bytes()
        if self.log:
            self.close("")
        self.log, self.id = copy, copy.id
        ends = list(accumulate(map(len, self.path.read_bytes().splitlines(keepends=True))))
        first = TerminalInfo(turns=told.turns)
        parts = [replace(told, messages=messages[: n + 1]) for n in range(len(messages))]
        self.oracles[self.id] = Oracle(list(zip(ends, [first, *parts], strict=True)), ends[-1])

    @precondition(lambda self: len(self.oracles) > 1)
    @rule(which=st.integers(0, 9))
    def switch(self, which):
        if self.log:
            self.close("")
        self.id = sorted(self.oracles)[which % len(self.oracles)]

    @is_open
    @rule(back=st.integers(0, 400), nul=st.booleans())
    def crash(self, back, nul):
        """The machine stops: bytes that were not synced, or a part of the last line, are gone or zeros."""
        data, oracle = self.path.read_bytes(), self.oracle
        lines = data.splitlines(keepends=True)
        earliest = max(min(oracle.durable, len(data) - len(lines[-1])), len(lines[0]))
        cut = max(len(data) - back, earliest)
        left = data[:cut] + b"\x00" * (len(data) - cut if nul else 0)
        old, self.folder = self.folder, self.home / str(next(self.worlds))
        shutil.copytree(old, self.folder)
        self.log.close()
        self.log = None
        self.path.write_bytes(left)
        oracle.marks = [(size, told) for size, told in oracle.marks if size <= cut]
        oracle.unknown = [line for line in oracle.unknown if line in left]
        oracle.kept = b"".join(good_lines(left))

    @is_closed
    @rule(which=st.integers(0, 99), garbage=GARBAGE)
    def damage(self, which, garbage):
        """A bad line appears between two others."""
        lines = self.path.read_bytes().splitlines(keepends=True)
        at = 1 + which % max(len(good_lines(b"".join(lines))) - 1, 1)
        place = sum(map(len, lines[:at]))
        self.path.write_bytes(b"".join([*lines[:at], garbage, *lines[at:]]))
        self.oracle.marks = [(n + len(garbage) if n > place else n, told) for n, told in self.oracle.marks]
        self.oracle.kept = b"".join(good_lines(self.path.read_bytes()))

    @is_closed
    @rule(what=TEXT)
    def a_newer_version_adds_a_line(self, what):
        data = b"".join(good_lines(self.path.read_bytes()))
        seq = max(record.seq for record in map(decode, data.splitlines(keepends=True)) if record)
        line = encode(seq + 1, self.clock(), {"type": "tomorrow", "what": what})
        self.path.write_bytes(data + line)
        self.oracle.unknown.append(line)
        self.oracle.kept = data + line

    @invariant()
    def every_log_tells_what_was_told(self):
        """Read by anybody at any time; nothing that was there has changed, and the list agrees."""
        infos = {info.id: info for info in list_sessions(self.folder)}
        for session_id, oracle in self.oracles.items():
            data = (self.folder / f"{session_id}.jsonl").read_bytes()
            assert data.startswith(oracle.kept)
            assert all(line in data for line in oracle.unknown)
            oracle.kept = b"".join(good_lines(data))
            session, told = load(self.folder, session_id), oracle.told.whole()
            assert told.messages == session.messages
            assert_valid(session.messages)
            assert told.turns == session.info.turns
            assert not told.title or told.title == session.info.title
            assert infos.get(session_id, session.info) == session.info


def good_lines(data):
    """The lines up to the last that was written whole, with a number above those before it."""
    lines = data.splitlines(keepends=True)
    seq = end = 0
    for number, line in enumerate(lines, 1):
        if (record := decode(line)) and record.seq > seq:
            seq, end = record.seq, number
    return lines[:end]


def test_a_line_whose_newline_never_reached_the_disk_is_torn(tmp_path):
    """A zero in its place ends no line: what is written next must not be joined to it and be lost with it."""
    log = create(tmp_path, model="m", host="h", mode="react", cwd="/")
    for text in ("first", "second"):
        log.emit(MessageAdded(User(text)))
    log.close()
    log.path.write_bytes(log.path.read_bytes()[:-1] + b"\x00")

    again, messages, notes = resume(tmp_path, log.id)
    again.emit(MessageAdded(User("third")))
    again.close()

    assert (User("first"),) == messages
    assert "torn" in notes[0]
    assert (User("first"), User("third")) == load(tmp_path, log.id).messages


QUICK = settings(
    max_examples=30,
    stateful_step_count=25,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # to make an example small takes minutes: the slow run does it
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def test_whatever_happens_to_a_session_nothing_acknowledged_is_lost():
    """Appends, crashes at any byte, damage, repairs, rewinds and forks in any order."""
    run_state_machine_as_test(Sessions, settings=QUICK)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_same_holds_for_thousands_of_sessions():
    """As above, longer and with other steps each time."""
    run_state_machine_as_test(
        Sessions,
        settings=settings(QUICK, max_examples=1500, stateful_step_count=50, derandomize=False, phases=list(Phase)),
    )
