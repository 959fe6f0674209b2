"""The live screen: what was printed is never touched again, what is live is small."""

import asyncio
import io
import json
import random
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
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
    Working,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.result import Result
from cococat.ui.screen.draft import LineDraft
from cococat.ui.screen.input_row import input_row
from cococat.ui.screen.live import FRAME_S, LiveScreen
from cococat.ui.steps.steps import Display
from tests.ui.terminal import ESCAPE, Clock, Paper, Terminal

DRAWN = "\x1b[?7l"  # what each drawing begins with
PROSE = "The **quick** brown `fox` jumps over the lazy dog, 日本語 too 👍. "
ANSWER = f"# Title\n\n{PROSE * 6}\n\n- one\n- two\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"


def end(answer="", reason=StopReason.ANSWERED, detail="", problem=None):
    return TurnFinished(answer, Stop(reason, detail, problem), 2, Usage(1000, 234), 4.2)


class Stage:
    """A live screen on a terminal whose clock the test moves."""

    def __init__(self, columns=80, rows=24, *, terminal=None, out=None, err=None, **options):
        self.terminal = terminal or Terminal(columns, rows)
        self.clock = Clock()
        self.screen = LiveScreen(
            out or self.terminal,
            err or self.terminal,
            Display(**options),
            clock=self.clock,
            size=self.terminal.size,
            env={"TERM": "xterm"},
        )

    def play(self, *events, pace=0.1):
        for event in events:
            self.clock.now += pace
            self.screen.emit(event)
        return self

    def tick(self, seconds=0.1):
        self.clock.now += seconds
        self.screen.tick()
        return self.terminal.shown()

    @property
    def shown(self):
        return self.terminal.shown()


def deltas(text, size=4):
    return [TextDelta(text[at : at + size]) for at in range(0, len(text), size)]


CALLS = (
    ToolPending("a", "grep_search", '{"pattern": "port"}'),
    ToolPending("b", "run_shell", '{"command": "make"}'),
    ToolRunning("a", "grep_search"),
    ToolRunning("b", "run_shell"),
)
RESULTS = (
    ToolCompleted("a", "grep_search", "x", "3 hits", 0.02),
    ToolFailed("b", "run_shell", "[TOOL_ERROR] exit 2\nmore", "", 1.5),
)


def test_a_turn_leaves_its_steps_its_answer_and_what_it_cost():
    """The whole screen after two steps, as it stays in the scrollback."""
    stage = Stage().play(StepStarted(1), *deltas("I look for the port."), *CALLS, *RESULTS)

    stage.play(StepStarted(2), *deltas("It is **8080**.\n\n- a\n- b\n"), end("It is **8080**.\n\n- a\n- b\n"))
    stage.screen.close()

    assert (
        snapshot(
            [
                "  think    I look for the port.",
                '  act      grep_search "port"             observe  ✓ 3 hits',
                "           $ make                         observe  ✗ exit 2 · 1.5 s",
                "",
                "It is 8080.",
                "",
                "- a",
                "- b",
                "── 2 steps · 1.2k tokens · 4.2 s ──────────────────────────",
            ]
        )
        == stage.shown
    )


def test_waiting_and_reasoning_are_shown_while_they_last():
    """Seconds count up, reasoning scrolls by in a few labelled rows, and its gist stays above the answer."""
    stage = Stage().play(StepStarted(1))
    waiting = stage.tick(2)
    thinking = stage.play(ReasoningDelta("one\ntwo\nthree\nfour")).tick()

    stage.play(TextDelta("Yes."), end("Yes."))

    assert snapshot(["  thinking · 2 s · Ctrl-C stops"]) == waiting
    rows = ["  think    two", " " * 11 + "three", " " * 11 + "four", "  thinking · 2 s · Ctrl-C stops"]
    assert rows == thinking
    assert (
        snapshot(
            [
                "  think    one two three four · 2.4 s",
                "",
                "Yes.",
                "── 2 steps · 1.2k tokens · 4.2 s ──────────────────────────",
            ]
        )
        == stage.shown
    )


def test_reasoning_leaves_a_short_trace_above_the_words_of_its_step():
    """Its end in dim rows, with the key that shows the rest, whether the step says more, calls at once, or answers."""
    long = " ".join(f"thought {number}" for number in range(40))
    gist = "… 26 thought 27 thought 28 thought 29 thought 30 thought 31 thought"
    rest = "32 thought 33 thought 34 thought 35 thought 36 thought 37 thought 38"
    last = "thought 39 (Ctrl-O)"
    stage = Stage(unfold="Ctrl-O", wrap=True).play(
        StepStarted(1), ReasoningDelta(long), TextDelta("I look."), CALLS[0], RESULTS[0]
    )
    stage.play(StepStarted(2), ReasoningDelta(long), CALLS[0], RESULTS[0])
    stage.play(StepStarted(3), ReasoningDelta("short"), TextDelta("Yes."), end("Yes."))

    act = '  act      grep_search "port"             observe  ✓ 3 hits'
    trace = [f"  think    {gist}", f"           {rest}", f"           {last}"]
    assert [*trace, "  think    I look.", act, *trace, act, "  think    short", "", "Yes."] == stage.shown[:-1]


@pytest.mark.parametrize(("before", "rows"), [("\n\n", ["  think    hm"]), ("Let me see.", ["Let me see."])])
def test_a_model_that_thinks_again_behind_its_first_words_is_seen_to(before, rows):
    """Blank text hides no reasoning, and behind words the line of status says that it thinks."""
    stage = Stage().play(StepStarted(1), TextDelta(before), ReasoningDelta("hm"))

    assert [*rows, "  thinking · 1 s · Ctrl-C stops"] == stage.tick(1)


def test_running_tools_show_their_seconds_and_their_last_line():
    """A long command is seen to go on."""
    stage = Stage().play(StepStarted(1), *CALLS, ToolOutput("b", "building\nhalf way"))

    assert snapshot(
        [
            '  act      grep_search "port"             observe  3 s',
            "           $ make                         observe  3 s  half way",
            "  Ctrl-C stops",
        ]
    ) == stage.tick(3)


def test_a_retry_counts_down():
    """The reason and the seconds that are left, until the reply comes."""
    stage = Stage().play(StepStarted(1), Retrying(1, 5.0, "503 busy"))

    assert snapshot(["  attempt 1 failed (503 busy); again in 3 s"]) == stage.tick(2)
    stage.play(TextDelta("hi"))
    assert ["hi"] == stage.tick()


def test_silence_is_said():
    """After a minute without data the screen says so, and how to stop; a shorter one is none."""
    stage = Stage(stops="Esc").play(StepStarted(1), *deltas("some text"))

    assert ["some text"] == stage.tick(59)
    assert snapshot(["some text", "  no data for 60 s · Esc stops"]) == stage.tick(1)


def test_what_the_turn_waits_for_is_named_however_long_it_takes():
    """Reading, thinking, writing a call and making notes are no silence; each is timed from where it began."""
    stage = Stage(stops="Esc").play(StepStarted(1), Working("notes", 40))
    told = [stage.tick(61)[-1]]
    told += [stage.play(event).tick(70)[-1] for event in (Working("prompt"), ReasoningDelta("hm"), Working("call"))]

    assert [
        "  making notes of 40 older messages · 61 s · Esc stops",
        "  reading the prompt · 70 s · Esc stops",
        "  thinking · 140 s · Esc stops",
        "  writing a call · 70 s · Esc stops",
    ] == told


def test_a_receipt_counts_requests_and_notes_and_stands_below_no_failure():
    """Where there were more than steps; and nothing is kept where nothing was said."""
    whole = TurnFinished("Yes.", Stop(StopReason.ANSWERED), 2, Usage(1000, 234), 4.2, 4, 1)
    stage = Stage().play(StepStarted(1), *deltas("Yes."), whole)
    assert "2 steps · 4 requests, 1 for notes · 1.2k tokens · 4.2 s" == stage.shown[-1]

    stage = Stage().play(StepStarted(1), TurnFinished("", Stop(StopReason.CANCELLED), 1, Usage(), 0.1, 1))
    assert ["cococat: stopped"] == [row for row in stage.shown if row]


def test_nothing_that_was_printed_is_ever_changed():
    """Whatever left the screen stays as it was, and the live rows are fewer than the screen's."""
    stage = Stage(40, 10)
    above = []

    for event in (StepStarted(1), *deltas(ANSWER * 3, 7), end(ANSWER * 3)):
        stage.play(event)
        scrolled = stage.terminal.scrolled()
        assert above == scrolled[: len(above)]
        above = scrolled
    stage.screen.close()

    whole = Stage(40, 10, hold=False).play(StepStarted(1), TextDelta(ANSWER * 3), end(ANSWER * 3))
    assert whole.shown == stage.shown


@pytest.mark.parametrize("columns", [1, 2, 20, 80, 2000])
@pytest.mark.parametrize("rows", [1, 5, 24])
def test_every_size_of_screen_shows_the_same_text(columns, rows):
    """A streamed answer equals the answer printed at once, on any screen."""
    source = PROSE.replace("日本語", "").replace("👍", "") * 3 + "\n\n- a\n" if columns < 2 else ANSWER
    streamed = Stage(columns, rows).play(StepStarted(1), *deltas(source, 5), end(source))

    whole = Stage(columns, rows).play(StepStarted(1), TextDelta(source), end(source))

    assert whole.shown == streamed.shown


def test_a_long_paragraph_is_wrapped_by_the_terminal():
    """The answer is written without line feeds of ours, so copying gives the model's text."""
    stage = Stage(40, 10).play(StepStarted(1), *deltas(PROSE * 10), end(PROSE * 10))

    printed = next(text for text in (ESCAPE.sub("", one) for one in reversed(stage.terminal.written)) if "fox" in text)

    assert PROSE.replace("**", "").replace("`", "") * 10 + "\n" == printed


def test_a_line_without_end_is_printed_piece_by_piece():
    """A line that is longer than any screen costs no more than its length and loses nothing."""
    source = ("abcdefg " * 5000)[:30_001]
    stage = Stage(50, 10).play(StepStarted(1), *deltas(source, 97), end(source))

    assert source.strip() == "".join(line.ljust(50) for line in stage.shown[:-1]).strip()


@pytest.mark.parametrize(
    ("word", "parts"),
    [("word ", True), ("日本語 ", True), ("👨\u200d👩\u200d👧 ", False), ("🇫🇷 ", False), ("नमस्ते ", False)],
    ids=["letters", "wide", "a family", "a flag", "marks"],
)
def test_a_line_without_end_is_printed_in_parts_only_where_its_width_is_sure(word, parts):
    """Where terminals disagree its end could not be found again, and what follows would be written over it."""
    stage = Stage(terminal=Paper(), hold=False).play(StepStarted(1), *deltas(word * 1500, 97))

    assert parts is bool(stage.screen._canvas.column)


@pytest.mark.parametrize(
    "source",
    [PROSE * 500, "- item **one** with `code`\n" * 1300, "```python\n" + "x = foo(1, 'a')\n" * 2200, ANSWER * 60],
    ids=["one paragraph", "one list", "one fence", "mixed"],
)
def test_what_is_written_grows_with_the_text_alone(source):
    """A flood of ten thousand deltas at a reader's pace costs a few times its own length."""
    stage = Stage(terminal=Paper())
    chunks = deltas(source[:40_000])

    stage.play(StepStarted(1), *chunks, end(source[:40_000]), pace=1 / 240)

    assert len(stage.terminal.raw) < 10 * 40_000


def test_drawing_waits_for_its_time():
    """However fast deltas come, the screen is drawn twelve times a second."""
    stage = Stage().play(StepStarted(1))
    before = len(stage.terminal.written)

    stage.play(*deltas("x" * 4000), pace=1 / 1000)

    assert len(stage.terminal.written) - before <= 1 / FRAME_S


def test_a_second_has_at_most_twelve_drawings_whatever_happens_in_it():
    """Calls that come and end side by side, output, reasoning and keys wait for the same frames."""
    stage = Stage(rows=50).play(StepStarted(1))
    before = stage.terminal.raw.count(DRAWN)

    for number in range(100):
        name = str(number)
        pending, running = ToolPending(name, "read_file", '{"path": "a"}'), ToolRunning(name, "read_file")
        done = ToolCompleted(name, "read_file", "a\nb", "2 lines")
        stage.play(pending, running, ToolOutput(name, "a\n"), done, ReasoningDelta(f"hm {name} "), pace=1 / 500)
        stage.screen.redraw()

    assert stage.terminal.raw.count(DRAWN) - before <= 12
    stage.play(end())
    assert 100 == sum("read_file" in line for line in stage.shown)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_reasoning_that_streams_clears_few_lines_and_breaks_no_word(columns):
    """A hundred deltas a second: at most 15 cleared lines a second, three rows, whole words below the label."""
    stage = Stage(columns).play(StepStarted(1))
    words = ReasoningDelta("thinking about *the* next step, quite long ")
    seen = set()

    for _ in range(400):
        stage.play(words, pace=1 / 100)
        seen.update(stage.shown)

    assert len(re.findall(r"\x1b\[[02]?K", stage.terminal.raw)) <= 15 * 4
    rows = [row for row in seen if "stops" not in row]
    assert all(word in f"think {words.text}" for row in rows for word in row.split()[:-1])
    assert all(row.startswith(("  think    ", " " * 11) if columns > 50 else ("think ", "  ")) for row in rows if row)


@pytest.mark.parametrize(("rows", "air"), [(24, [""]), (12, [])], ids=["tall", "low"])
def test_the_input_row_stands_apart_where_there_is_room(rows, air):
    """What is typed does not stick to the answer that comes; a low screen has no row for that."""
    stage = Stage(rows=rows, air=True, hold=False)
    stage.screen.begin(lambda width: input_row(LineDraft("next"), (), width))
    begun = stage.shown

    stage.play(StepStarted(1), *deltas("It is so."))

    assert ["", "  thinking · 0 s · Ctrl-C stops", *air, "> next"] == begun
    assert ["", "It is so.", *air, "> next"] == stage.tick()


def test_a_question_has_air_around_it_and_never_two_blank_lines():
    """What is asked does not stick to the steps above and below it."""
    stage = Stage(air=True).play(StepStarted(1), *deltas("I look."), *CALLS[:1], RESULTS[0])

    for _ in "ab":
        with stage.screen.apart():
            stage.terminal.write("? may it run\n  [y]es\n")
    stage.play(*CALLS[1:2], RESULTS[1])
    with stage.screen.apart():
        stage.terminal.write("? and this\n  [y]es\n")
    stage.play(end("Done."))

    kinds = "".join(" " if not line else "?" if line[0] == "?" else "x" for line in stage.shown)
    assert " xx ?x ?x x ?x x x" == kinds


def test_a_line_of_ours_breaks_at_words_below_its_own_beginning():
    """A greeting, a notice, a footer and an error on a narrow screen; with `wrap = "none"` the terminal breaks them."""
    words = "  | a line that is too long for the screen"
    stage, bare = Stage(30, wrap=True), Stage(30)
    for one in (stage, bare):
        one.screen.say(f"words of ours that are longer than it\n{words}")
        one.play(StepStarted(1), Notice("a notice of many words, too"), end("", StopReason.STEP_LIMIT, "2 steps used"))

    assert (
        snapshot(
            [
                "words of ours that are longer",
                "  than it",
                "  | a line that is too long",
                "  for the screen",
            ]
        )
        == stage.shown[:4]
    )
    assert snapshot(["cococat: a notice of many", "  words, too"]) == stage.shown[4:6]
    assert snapshot(["words of ours that are longer", "than it"]) == [row.strip() for row in bare.shown[:2]]
    assert f"{words}\n" in bare.terminal.raw


def test_what_was_queued_is_shown_as_it_was_entered_where_it_begins():
    """The same mark as at the prompt, rows below its words; nothing of it is a line of ours."""
    stage = Stage(30, wrap=True)

    stage.screen.say("first line of a queued question\nand its second\x1b[2J", "> ")

    assert snapshot(["> first line of a queued", "  question", "  and its second␛[[2J]"]) == stage.shown
    assert stage.terminal.raw.startswith("\x1b[1;36m> \x1b[0m\x1b[1mfirst")


def test_the_last_delta_of_a_burst_is_drawn_without_another_event():
    """In an event loop the screen catches up by itself."""
    waiting, done = asyncio.Event(), asyncio.Event()

    class Watched(Terminal):
        def write(self, text):
            super().write(text)
            (done if self.shown() == ["Hello"] else waiting).set()

    async def burst(terminal):
        screen = LiveScreen(terminal, terminal, Display(), size=terminal.size, env={"TERM": "xterm"})
        screen.emit(StepStarted(1))
        await asyncio.wait_for(waiting.wait(), 5)
        for event in (TextDelta("Hel"), TextDelta("lo")):
            screen.emit(event)
        await asyncio.wait_for(done.wait(), 5)
        screen.close()
        return terminal.shown()

    assert [] == asyncio.run(burst(Watched()))


def test_the_answer_goes_to_a_pipe_byte_for_byte():
    """With stdout in a pipe the terminal shows the steps, and the reply while it comes."""
    out = io.StringIO(newline="")
    stage = Stage(out=out).play(StepStarted(1), *deltas("looking"), *CALLS, *RESULTS, StepStarted(2))
    live = stage.play(*deltas("**a**\x1b[2J")).tick()

    stage.play(end("**a**\x1b[2J"))

    assert "**a**\x1b[2J\n" == out.getvalue()
    assert "**a**␛[[2J]" == live[-1]
    assert ["  think    looking", "2 steps · 1.2k tokens · 4.2 s"] == [stage.shown[0], stage.shown[-1].strip("─ ")]


def test_stderr_in_a_file_gets_plain_lines():
    """With stderr in a file the terminal shows the answer, and the file holds no escape."""
    err = io.StringIO()
    stage = Stage(err=err).play(StepStarted(1), *CALLS, *RESULTS, StepStarted(2), *deltas("**yes**"), end("**yes**"))

    assert ["yes"] == [line for line in stage.shown if line]
    assert "\x1b" not in err.getvalue()
    assert 'grep_search "port"             observe  ✓ 3 hits' in err.getvalue()


def test_quiet_shows_the_answer_alone():
    """No steps, no status, no footer; errors are not silenced."""
    stage = Stage(quiet=True).play(StepStarted(1), *deltas("look"), *CALLS, *RESULTS, StepStarted(2))
    before = stage.tick(3)

    stage.play(*deltas("yes"), Notice("hm"), end("yes", StopReason.STEP_LIMIT, "2 steps used"))

    assert [] == before
    assert snapshot(["yes", "cococat: error: 2 steps used"]) == stage.shown


def test_verbose_shows_reasoning_and_outputs():
    """`-v` keeps reasoning and outputs on the screen; what stands beside a call is not said again in words for the model."""
    stage = Stage(verbose=True).play(StepStarted(1), ReasoningDelta("hm"), TextDelta("go"), *CALLS, *RESULTS)

    assert ["  think    hm", "  think    go"] == stage.shown[:2]
    assert [f"{' ' * 11}{row}" for row in ("x", "more")] == stage.shown[3:4] + stage.shown[5:]
    assert stage.shown[4].endswith("observe  ✗ exit 2 · 1.5 s")


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ((end("42"),), ["42"]),
        ((*deltas("42"), end("42")), ["42"]),
        ((*deltas("41"), StepStarted(2), *deltas("42"), end("42")), ["  think    41", "", "42"]),
        (
            (*deltas("look"), *CALLS[:1], ToolFailed("a", "grep_search", "no"), end("look", StopReason.CANCELLED)),
            [
                "  think    look",
                '  act      grep_search "port"             observe  ✗ no',
                "cococat: stopped; what there is of the answer is kept",
            ],
        ),
        ((*deltas("long " * 200), end("long " * 200)), [("long " * 16).rstrip()] * 12 + [("long " * 8).rstrip()]),
        (
            (*deltas("4"), end("", StopReason.MODEL_ERROR, "", Problem("x", "cut", "retry"))),
            ["4", "cococat: error: cut", "  hint: retry"],
        ),
    ],
    ids=["from a tool", "streamed", "after a change of mind", "cancelled in a tool", "long", "failed"],
)
def test_the_answer_is_shown_once(events, wanted):
    """Wherever the answer came from, it stands on the screen exactly once."""
    stage = Stage().play(StepStarted(1), *events)

    assert [*wanted, "── 2 steps · 1.2k tokens · 4.2 s ".ljust(59, "─")] == stage.shown


def test_a_notice_in_the_middle_of_a_long_line_gets_a_line_of_its_own():
    """Words of ours never run into words of the model."""
    stage = Stage(hold=False).play(StepStarted(1), *deltas("x" * 9999, 90), Notice("by the way"))

    assert "cococat: by the way" in stage.shown


def test_a_long_reply_streams_although_it_may_be_a_thought():
    """What is longer than a thought is printed as it comes, and not again when calls follow."""
    text = "line of words\n" * 12
    stage = Stage(rows=8).play(StepStarted(1), *deltas(text))
    scrolled = len(stage.terminal.scrolled())

    stage.play(*CALLS, *RESULTS)

    assert scrolled > 0
    assert 12 == stage.shown.count("line of words")
    labelled = stage.shown.index("  think    (the words above)")
    assert snapshot('  act      grep_search "port"             observe  ✓ 3 hits') == stage.shown[labelled + 1]


def test_the_thinking_of_an_answer_stands_above_it_and_never_in_the_next_turn():
    """Each turn shows its own thoughts: the one behind an answer was printed as the first of the turn that followed."""
    first = (StepStarted(1), ReasoningDelta("count to two"), TextDelta("Two."), end("Two."))
    second = (StepStarted(1), ReasoningDelta("now three"), TextDelta("Three."), end("Three."))
    stage = Stage().play(*first).play(*second)

    assert snapshot(["  think    count to two", "", "Two."]) == stage.shown[:3]
    assert 1 == sum("count to two" in line for line in stage.shown)
    assert stage.shown.index("  think    now three") < stage.shown.index("Three.")


def test_errors_are_printed_once_with_their_fix():
    """The turn says why it stopped; the end of the command does not say it again."""
    problem = Problem("auth", "401: the key was refused", "export OPENAI_API_KEY=...")
    stage = Stage().play(StepStarted(1), end("", StopReason.MODEL_ERROR, problem.message, problem))

    stage.screen.finish(Result(None, StopReason.MODEL_ERROR, 3, error=problem))
    stage.screen.close()

    assert (
        snapshot(["cococat: error: 401: the key was refused", "  hint: export OPENAI_API_KEY=..."]) == stage.shown[:2]
    )
    assert 3 == len(stage.shown)


def test_a_dream_shows_its_receipt_and_its_diff():
    """Removed lines are red, added ones green."""
    stage = Stage().play(DreamFinished("changed", "dream 3: +1 -1 lines", "-old\n+new"))

    assert ["dream 3: +1 -1 lines", "-old", "+new"] == stage.shown
    assert "\x1b[31m-old\x1b[0m" in stage.terminal.raw
    assert "\x1b[32m+new\x1b[0m" in stage.terminal.raw


def test_the_terminal_can_be_lent_to_a_question():
    """While somebody else asks the user something nothing is drawn; what was thought is there to read."""
    stage = Stage().play(StepStarted(1), *deltas("I ask."), *CALLS[:2])

    with stage.screen.suspended():
        asked = stage.tick(20)
    stage.play(*CALLS[2:], *RESULTS)

    assert ["  think    I ask."] == asked
    assert 3 == len([line for line in stage.shown if line])


def test_hostile_text_does_not_reach_the_terminal():
    """Split over chunks or not: no sequence but our own is written."""
    evil = "\x1b]52;c;eA==\x07\x1b[2J\x9b2J\x1b]0;t\x1b\\\u202e[/INST] [red]x&#27;[2J"
    stage = Stage().play(StepStarted(1), *(TextDelta(char) for char in evil), ReasoningDelta(evil))
    stage.tick()
    stage.play(ToolPending("a", evil, evil), ToolRunning("a", evil), ToolOutput("a", evil), ToolFailed("a", evil, evil))

    stage.play(Notice(evil), Retrying(1, 1.0, evil), end(evil, StopReason.MODEL_ERROR, evil))
    ours = re.compile(r"\x1b\[(?:[0-9;]*m|[0-9]*[ABCK]|J|\?(?:7|25)[hl])|\x1b[78D]")

    assert "\x1b" not in ours.sub("", stage.terminal.raw)
    assert not {"\x07", "\x9b", "\u202e"} & set(stage.terminal.raw)


def test_a_stream_that_is_gone_is_told_to_the_caller():
    """A hangup leaves as the error it is."""

    class Gone(Terminal):
        def write(self, text):
            raise BrokenPipeError

    screen = LiveScreen(Gone(), Gone(), Display(), size=lambda: (80, 24), env={"TERM": "xterm"})

    with pytest.raises(BrokenPipeError):
        screen.emit(Notice("x"))


def test_a_screen_that_changes_its_size_keeps_what_was_printed():
    """Resizing in the middle of an answer loses nothing that is final."""
    stage, chance = Stage(60, 20), random.Random(3)
    words = [f"word{number}" for number in range(400)]

    stage.play(StepStarted(1))
    for word in words:
        stage.terminal.columns = chance.choice([60, 61, 70])  # what the screen is told; the real one is 60
        stage.play(TextDelta(f"{word}\n"), pace=0.05)
    stage.play(end("".join(f"{word}\n" for word in words)))

    assert words == stage.shown[:-1]


def test_closing_twice_writes_nothing_more():
    """The end is the end."""
    stage = Stage().play(StepStarted(1))
    stage.screen.close()
    written = len(stage.terminal.written)

    stage.screen.close()
    stage.tick(5)

    assert (written, []) == (len(stage.terminal.written), stage.shown)


def test_forced_colours_reach_stderr_but_not_the_answer():
    """FORCE_COLOR colours the steps off a terminal; stdout stays what the model wrote."""
    out, err = io.StringIO(newline=""), io.StringIO()
    screen = LiveScreen(out, err, Display(), env={"FORCE_COLOR": "1"})

    for event in (StepStarted(1), *CALLS, *RESULTS, StepStarted(2), TextDelta("**a**"), end("**a**")):
        screen.emit(event)
    screen.close()

    assert "**a**\n" == out.getvalue()
    assert "\x1b[36mgrep_search\x1b[0m" in err.getvalue()
    assert "\x1b[2K" not in err.getvalue()


def test_calls_side_by_side_pair_with_their_own_results_in_call_order():
    """A quick call waits below for the slow one above it, and each row holds its own observation."""
    stage = Stage().play(StepStarted(1), *CALLS, RESULTS[1])
    waiting = stage.tick()

    stage.play(RESULTS[0])

    assert snapshot(['  act      grep_search "port"             observe  0 s']) == waiting[:1]
    assert snapshot("           $ make                         observe  ✗ exit 2 · 1.5 s") == waiting[1]
    assert (
        snapshot(
            [
                '  act      grep_search "port"             observe  ✓ 3 hits',
                "           $ make                         observe  ✗ exit 2 · 1.5 s",
            ]
        )
        == stage.shown[:2]
    )


@pytest.mark.parametrize("columns", [80, 40])
def test_a_running_call_and_a_wait_break_at_words_as_what_is_printed_does(columns):
    """A long command stands while it runs as it stands afterwards; a reason for waiting loses no word at the edge."""
    command = "for step in one two three four five six seven eight nine ten; do echo $step; sleep 1; done"
    stage = Stage(columns, wrap=True)
    run = ToolPending("a", "run_shell", json.dumps({"command": command})), ToolRunning("a", "run_shell")
    stage.play(StepStarted(1), *run, ToolOutput("a", "building step ten\n"))
    running = stage.tick()

    stage.play(ToolCompleted("a", "run_shell", "exit 0\nx", "exit 0", 2.0), StepStarted(2))
    printed = stage.shown
    stage.play(Retrying(1, 4.0, "the host answered 429: too many tokens are asked for in one minute, wait a little"))
    waiting = stage.tick()[len(printed) - 1 :]  # the last row said that it thinks

    above = next(at for at, row in enumerate(running) if "observe" in row)
    assert running[:above] == printed[:above]
    assert running[above].endswith("building step ten")
    assert "one minute, wait a little); again in 4 s" in " ".join(" ".join(waiting).split())
    assert all(row.startswith("  ") for row in waiting if row)


def test_the_last_turn_is_unfolded_in_full_below_itself():
    """Its reasoning, every argument and every line of output, then its answer; the next call folds again."""
    built = ToolCompleted("b", "run_shell", "exit 0\n" + "".join(f"line {n}\n" for n in range(9)), "exit 0")
    stage = Stage(unfold="Ctrl-O").play(StepStarted(1), ReasoningDelta("hm"), TextDelta("I build."), CALLS[1], built)
    stage.play(StepStarted(2), ReasoningDelta("so be it"), *deltas("**Built.**"), end("**Built.**"))
    folded = stage.shown

    stage.screen.unfold()
    unfolded = stage.shown[len(folded) :]
    stage.screen.unfold()

    assert "           … 4 lines above (Ctrl-O)" in folded
    assert snapshot(["the last turn in full:", "", "  think    hm", "  think    I build."]) == unfolded[:4]
    assert [f"           line {n}" for n in range(9)] == unfolded[5:14]
    assert snapshot(["  think    so be it", "", "Built."]) == unfolded[14:]
    assert folded == stage.shown[: len(folded)]
    assert not stage.screen.verbose


def test_marks_are_ascii_where_the_locale_is_not_utf_8():
    """Our own marks never become boxes or question marks; what the model writes stays as it is."""
    terminal = Terminal()
    screen = LiveScreen(terminal, terminal, Display(), size=terminal.size, env={"TERM": "xterm", "LC_ALL": "C"})

    for event in (StepStarted(1), Retrying(1, 5, "busy"), *CALLS, *RESULTS, end("Grün · 1")):
        screen.emit(event)

    assert "           $ make                         observe  [!] exit 2 - 1.5 s" in terminal.shown()
    assert "Grün · 1" in terminal.shown()
    assert "-- 2 steps - 1.2k tokens - 4.2 s" == terminal.shown()[-1].rstrip("- ")
