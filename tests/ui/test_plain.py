"""Off a terminal: the answer byte for byte on stdout, everything else as plain lines on stderr."""

import asyncio
import io
import re

import pytest
from inline_snapshot import snapshot

from cococat.core.events import (
    DreamFinished,
    Notice,
    ReasoningDelta,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.result import Result
from cococat.ui.steps.plain import Plain
from tests.ui.terminal import Terminal

ANSWER = "# Hi\n\x1b[2J**raw** \u202e\ttext\r\n"


def end(answer, reason=StopReason.ANSWERED, detail="", problem=None):
    return TurnFinished(answer, Stop(reason, detail, problem), 2, Usage(10, 5), 1.5)


REACT = (
    StepStarted(1),
    ReasoningDelta("hm"),
    TextDelta("I must "),
    TextDelta("look."),
    ToolPending("a", "grep_search", '{"pattern": "x"}'),
    ToolRunning("a", "grep_search"),
    ToolCompleted("a", "grep_search", "1\n2", "2 hits", 0.25),
    StepStarted(2),
    TextDelta(ANSWER[:5]),
    TextDelta(ANSWER[5:]),
)


def played(*events, **options):
    out, err = io.StringIO(newline=""), io.StringIO()
    sink = Plain(out, err, **options)
    for event in events:
        sink.emit(event)
    return out, err, sink


def test_stdout_holds_the_answer_byte_for_byte_and_one_line_feed():
    """Thoughts, steps and footers do not reach stdout, and nothing of the answer is changed."""
    out, err, _ = played(*REACT, end(ANSWER))

    assert ANSWER + "\n" == out.getvalue()
    assert [
        "  think    hm",
        "  think    I must look.",
        '  act      grep_search "x"'.ljust(61) + "observe  ✓ 2 hits",
        "           1",
        "           2",
        "2 steps · 15 tokens · 1.5 s",
    ] == err.getvalue().splitlines()


def test_text_waits_until_it_is_known_to_be_the_answer():
    """While tools are offered nothing is written before the turn is over."""
    out, _, sink = played(*REACT)
    before = out.getvalue()

    sink.emit(end(ANSWER))

    assert ("", ANSWER + "\n") == (before, out.getvalue())


def test_without_tools_text_is_written_at_once():
    """A reply that can be nothing but the answer streams."""
    out, _, sink = played(StepStarted(1), TextDelta("Hel"), hold=False)
    before = out.getvalue()

    sink.emit(TextDelta("lo"))
    sink.emit(end("Hello"))

    assert ("Hel", "Hello\n") == (before, out.getvalue())


@pytest.mark.parametrize(
    ("sent", "answer", "wanted"),
    [
        ("Hel", "Hello", "Hello\n"),
        ("", "Hello", "Hello\n"),
        ("", "", ""),
        ("thought Hello", "Hello", "thought Hello\n"),
    ],
    ids=["rest", "all", "nothing", "more"],
)
def test_the_end_adds_what_was_not_streamed(sent, answer, wanted):
    """The answer is whole and never twice on stdout; no answer is no line."""
    out, _, _ = played(StepStarted(1), *([TextDelta(sent)] if sent else []), end(answer), hold=False)

    assert wanted == out.getvalue()


def test_quiet_leaves_the_answer_and_errors():
    """`-q` silences steps, notices and footers, not errors."""
    broken = Problem("auth", "401: no key", "export OPENAI_API_KEY=...")
    out, err, _ = played(*REACT, Notice("by the way"), end("so far", StopReason.MODEL_ERROR, "x", broken), quiet=True)

    assert "so far\n" == out.getvalue()
    assert snapshot(["cococat: error: 401: no key", "  hint: export OPENAI_API_KEY=..."]) == err.getvalue().splitlines()


def test_verbose_shows_reasoning_and_outputs():
    """`-v` keeps nothing back."""
    _, err, _ = played(*REACT, end(ANSWER), verbose=True)

    assert "  think    hm" == err.getvalue().splitlines()[0]
    assert ["           1", "           2"] == err.getvalue().splitlines()[3:5]


def test_failures_retries_and_receipts_are_lines():
    """Everything a user should know is said once."""
    _, err, _ = played(
        StepStarted(1),
        Retrying(1, 2.0, "503"),
        ToolPending("a", "run_shell", '{"command": "x"}'),
        ToolFailed("a", "run_shell", "[TOOL_ERROR] PermissionDenied: no\nmore"),
        DreamFinished("changed", "dream 1: +1 line", "+x"),
    )

    assert [
        "attempt 1 failed (503); again in 2 s",
        "  act      $ x".ljust(61) + "observe  ✗ denied: no",
        "dream 1: +1 line",
        "+x",
    ] == err.getvalue().splitlines()


def test_an_answer_is_not_taken_for_a_thought_of_the_next_turn():
    """Turns of one session leave nothing behind."""
    out, err, sink = played(StepStarted(1), TextDelta("one"), end("one"))

    for event in (StepStarted(1), TextDelta("two"), end("two")):
        sink.emit(event)

    assert "one\ntwo\n" == out.getvalue()
    assert "think" not in err.getvalue()


@pytest.mark.parametrize(
    ("result", "wanted"),
    [
        (Result(None, StopReason.USAGE_ERROR, 2, error=Problem("usage", "no such flag", "--help")), 2),
        (Result("so far", StopReason.STEP_LIMIT, 5, error=Problem("step_limit", "3 steps used")), 0),
        (Result("x", StopReason.ANSWERED, 0), 0),
    ],
    ids=["before any turn", "told with its turn", "no error"],
)
def test_an_error_is_printed_once(result, wanted):
    """The end of a command does not repeat what the end of its turn said."""
    _, err, sink = played(StepStarted(1), end("so far", StopReason.STEP_LIMIT, "3 steps used"))
    before = len(err.getvalue().splitlines())

    sink.finish(result)

    assert wanted == len(err.getvalue().splitlines()) - before


def test_a_failure_that_has_words_for_people_is_shown_in_them():
    """What the model is told says besides what to do instead; neither kind of words reaches the terminal raw."""
    _, err, _ = played(
        StepStarted(1),
        ToolPending("a", "edit_file", '{"path": "MEMORY.md"}'),
        ToolFailed("a", "edit_file", "[TOOL_ERROR] ToolFailure: quote it letter by letter", "not \x1b[2Jyours\nmore"),
    )

    assert re.search(r"observe  ✗ not \S*yours\n", err.getvalue())
    assert not any(text in err.getvalue() for text in ("letter", "more", "\x1b"))


def test_stderr_gets_no_control_character():
    """Names, arguments and outputs of tools are harmless in a log, too."""
    _, err, _ = played(
        StepStarted(1),
        TextDelta("\x1b[2Jthought"),
        ToolPending("a", "\x1b]0;x\x07", '{"a": "\x9b2J"}'),
        ToolFailed("a", "\x1b]0;x\x07", "\x1b[31mred"),
        end("x", StopReason.MODEL_ERROR, "\x1b[2J"),
    )

    assert not {"\x1b", "\x07", "\x9b"} & set(err.getvalue())


def test_a_terminal_without_colours_streams_and_gets_no_escape():
    """On a dumb terminal thoughts and answer appear as they come, made harmless."""
    terminal = Terminal()
    sink = Plain(terminal, terminal)

    for event in (*REACT[:6], StepStarted(2), TextDelta(ANSWER[:7]), end(ANSWER)):
        sink.emit(event)

    assert "\x1b" not in terminal.raw
    assert ["  think    hm", "I must look."] == terminal.shown()[:2]
    assert "␛[[2J]**raw**" in terminal.raw


class Broken(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


@pytest.mark.parametrize("looped", [False, True], ids=["no loop", "in a loop"])
def test_a_reader_that_is_gone_is_told_to_the_caller(looped):
    """A broken pipe leaves as the error it is, at the latest with the next event."""
    sink = Plain(Broken(), io.StringIO(), hold=False)

    def stream():
        sink.emit(TextDelta("a"))
        sink.close()

    async def later():
        sink.emit(TextDelta("a"))
        await asyncio.sleep(0)
        sink.close()

    with pytest.raises(BrokenPipeError):
        asyncio.run(later()) if looped else stream()


class Counting(io.StringIO):
    flushes = 0

    def flush(self):
        self.flushes += 1
        super().flush()


def test_what_comes_together_is_written_together():
    """Deltas of one network read cost one write and one flush."""
    out = Counting()
    sink = Plain(out, io.StringIO(), hold=False)

    async def read():
        for _ in range(100):
            sink.emit(TextDelta("abcd"))
        await asyncio.sleep(0)

    asyncio.run(read())

    assert (1, 400) == (out.flushes, len(out.getvalue()))
