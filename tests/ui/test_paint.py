"""How a step looks: text snapshots at width 80 and below."""

import json
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from cococat.core.events import (
    ContextCompacted,
    DreamFinished,
    Notice,
    ReasoningDelta,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolPending,
    TurnFinished,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.ui.lines import format as fmt
from cococat.ui.lines.paint import paint
from cococat.ui.lines.theme import STYLES, ansi, colour
from cococat.ui.steps.step_rows import call_text, result_text
from cococat.ui.steps.steps import Display, Steps
from cococat.ui.steps.view import Call, Step

GREP = Call("a", "grep_search", '{"pattern": "port", "path": "."}', "completed", "1\n2\n3", 3, "3 hits", "", 0.02)
READ = Call("b", "read_file", '{"path": "app.toml"}', "failed", "[TOOL_ERROR] no such file\nmore", 2, "", "", 0.004)
STEP = Step(2, "The config names a port; check what listens on it.", 50, "", 0, (GREP, READ))


def drawn(step, width=80, *, verbose=False):
    """The lines that a run of this one step prints."""
    calls = step.calls
    events = [StepStarted(step.number), ReasoningDelta(step.reasoning), TextDelta(step.text)]
    events += [ToolPending(call.id, call.name, call.arguments) for call in calls]
    for call in calls:
        ended = ToolFailed if call.status == "failed" else ToolCompleted
        events.append(ended(call.id, call.name, call.output, call.display, call.seconds))
    steps = Steps(Display(verbose), lambda: width)
    return [paint(line).plain for event in events for line in steps.feed(event)]


def test_a_step_shows_its_thought_its_calls_and_what_they_gave():
    """Each call stands beside what it gave, and what it found below both."""
    assert snapshot(
        [
            "  think    The config names a port; check what listens on it.",
            '  act      grep_search "port"             observe  ✓ 3 hits',
            "           1",
            "           2",
            "           3",
            "  act      read_file app.toml             observe  ✗ no such file",
        ]
    ) == drawn(STEP)


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        (15, ['  act      grep_search "xxxxxxxxxxxxxxx"  observe  ✓ 3 hits']),
        (36, [f"  act      grep_search {json.dumps('x' * 36)}  observe  ✓ 3 hits"]),
        (60, [f"  act      grep_search {json.dumps('x' * 60)}", "  observe  ✓ 3 hits"]),
    ],
    ids=["a little longer", "as long as fits", "too long"],
)
def test_a_call_and_its_observation_pair_by_eye(pattern, rows):
    """On one line where both fit, else below each other; the observation is never out of sight."""
    call = replace(GREP, arguments=json.dumps({"pattern": "x" * pattern}), lines=1)

    assert rows == drawn(Step(3, calls=(call,)))[: len(rows)]


@pytest.mark.parametrize("width", [20, 1])
def test_a_narrow_screen_gets_lines_without_columns(width):
    """Nothing is aligned where there is no room for it, and nothing fails."""
    assert snapshot(
        [
            "think The config names a port; check what listens on it.",
            'act grep_search "port"',
            "observe ✓ 3 hits",
            "  1",
            "  2",
            "  3",
            "act read_file app.toml",
            "observe ✗ no such file",
        ]
    ) == drawn(STEP, width)


def test_a_verbose_step_shows_reasoning_and_output():
    """Those who ask for it see everything."""
    shown = drawn(Step(1, "go", 2, "hm, let me see", 14, (GREP,)), verbose=True)

    assert snapshot("  think    hm, let me see") == shown[0]
    assert [f"{' ' * 11}{row}" for row in "123"] == shown[-3:]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ('{"query": "' + "x" * 500 + '"}', "f " + "x" * 117 + "…"),
        ('{"a": "line\\nline", "n": [1, {"b": null}]}', 'f "line\\nline" n=[1, {"b": null}]'),
        ("not json \n at all", "f not json at all"),
        ("[1]", "f [1]"),
        ("", "f"),
        ('{"pattern": "x", "path": ".", "glob": "*.py"}', 'f "x" glob="*.py"'),
        ('{"path": "."}', "f ."),
        ('{"url": "https://a.example/x?y=1#z", "n": 1}', "f https://a.example/x?y=1#z n=1"),
        ('{"a": "\\u001b]52;c;x\\u0007\\u202e"}', 'f "\\u001b]52;c;x\\u0007\\u{202e}"'),
    ],
    ids=[
        "long value",
        "nested",
        "broken",
        "list",
        "none",
        "the folder that is meant anyway",
        "the folder alone",
        "an address",
        "hostile",
    ],
)
def test_arguments_are_shown_as_a_person_would_write_them(arguments, wanted):
    """Long values are cut, line feeds stay escaped, invisible characters become visible."""
    assert wanted == fmt.plain(call_text("f", arguments))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (Call("a", "f", "", "completed", "one line", 1, "", "", 0.5), "✓ one line"),
        (Call("a", "f", "", "completed", "1\n2", 2, "", "", 12.34), "✓ 2 lines · 12 s"),
        (Call("a", "f", "", "completed", "", 0, "", "", 125), "✓ no output · 2 min 5 s"),
        (Call("a", "f", "", "failed", "PermissionDenied: no; ask first", 1), "✗ denied: no"),
    ],
)
def test_a_result_is_one_line_whatever_the_tool_gave(call, wanted):
    """A result without a line of its own gets one."""
    assert wanted == fmt.plain(result_text(call))


def test_markup_in_foreign_text_is_printed_literally():
    """Square brackets mean nothing."""
    text = paint((("[/INST] [red]x[/red] [link=http://evil]y", "error"),))

    assert snapshot("[/INST] [red]x[/red] [link=http://evil]y") == text.plain
    assert snapshot("\x1b[31m[/INST] [red]x[/red] [link=http://evil]y\x1b[0m") == ansi(text)


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (fmt.stopped(Stop(StopReason.ANSWERED)), []),
        (fmt.stopped(Stop(StopReason.QUESTION, "which?")), []),
        (fmt.stopped(Stop(StopReason.STEP_LIMIT, "3 steps used")), ["cococat: error: 3 steps used"]),
        (
            fmt.stopped(Stop(StopReason.MODEL_ERROR, "x", Problem("auth", "401: no key", "export OPENAI_API_KEY=…"))),
            ["cococat: error: 401: no key", "  hint: export OPENAI_API_KEY=…"],
        ),
        (
            fmt.problem(Problem("usage", "a\nb\x1b[2J", "one\ntwo\nthree")),
            ["cococat: error: a b␛[[2J]", "  hint: one", "        two"],
        ),
        (fmt.notice(Notice("saved\nto x")), ["cococat: saved", "to x"]),
        (
            [fmt.compacted(ContextCompacted(12000, 4000, "pruned"))],
            ["context compacted: 12,000 → 4,000 tokens (pruned)"],
        ),
        ([fmt.retrying(Retrying(1, 3.0, "503\nbusy"), 2.6)], ["attempt 1 failed (503); again in 3 s"]),
        (
            fmt.receipt(DreamFinished("changed", "dream 3: +1 -1 lines", "--- a\n+++ b\n@@\n-x\n+y\u202e"), diff=True),
            ["dream 3: +1 -1 lines", "--- a", "+++ b", "@@", "-x", "+y\\u{202e}"],
        ),
        (
            [fmt.footer(TurnFinished("", Stop(StopReason.ANSWERED), 1, Usage(1000, 234, estimated=True), 4.2))],
            ["1 step · about 1.2k tokens · 4.2 s"],
        ),
    ],
    ids=["answered", "question", "guard", "error", "hostile", "notice", "compacted", "retry", "dream", "footer"],
)
def test_everything_else_is_said_in_one_to_three_lines(told, wanted):
    """Stops, notices, retries and receipts in words."""
    assert wanted == [fmt.plain(line) for line in told]


def test_a_diff_is_coloured_by_its_signs():
    """Removed lines red, added lines green."""
    told = fmt.receipt(DreamFinished("changed", "r", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z"), diff=True)

    assert ["dim", "label", "label", "hunk", "removed", "added", ""] == [line[0][1] for line in told]


def test_no_style_depends_on_the_background():
    """A theme of black, white or bright colours would vanish on somebody's terminal."""
    words = {word for style in STYLES.values() for word in style.split()}

    assert not {word for word in words if "white" in word or "black" in word or "bright" in word}


class Stream:
    def __init__(self, terminal):
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.mark.parametrize(
    ("flag", "terminal", "env", "wanted"),
    [
        ("auto", True, {"TERM": "xterm"}, True),
        ("auto", False, {"TERM": "xterm"}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", True, {}, False),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", False, {"FORCE_COLOR": "0", "TERM": "xterm"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {"FORCE_COLOR": "1", "TERM": "xterm"}, False),
    ],
)
def test_colours_follow_the_flag_then_the_environment_then_the_stream(flag, terminal, env, wanted):
    """NO_COLOR, FORCE_COLOR and TERM=dumb are honoured; the flag wins."""
    assert wanted is colour(flag, Stream(terminal), env)
