"""Runs that go in circles, and runs that only look like it: what the model is told, and when it is the end."""

from __future__ import annotations

import pytest

from cococat.core.events import ToolRunning
from cococat.core.guards import nearly_same, shrinking
from cococat.core.limits import Limits, StopReason
from cococat.core.tools import tool
from tests.scripted import calls, forever, says

LONG = "\n".join(
    f"line {number} of a report about the state of the build and what it found there" for number in range(40)
)


def told(server):
    """The last message of each request."""
    return [request["messages"][-1]["content"] for request in server.requests]


def counting(effect, *results):
    """A tool that gives one result after the other, the last one for ever, and how often it ran."""
    given = list(results)

    @tool(effect)
    async def probe(what: str) -> str:
        """Look at what changes by itself."""
        return given.pop(0) if len(given) > 1 else given[0]

    return probe


def probes(number, what="job"):
    return [calls(("probe", {"what": what})) for _ in range(number)]


@pytest.mark.parametrize("effect", ["reads", "runs", "network"])
def test_a_call_whose_result_is_another_each_time_is_no_repetition(scripted, run, effect):
    """The clock, a flaky test, a job that gets on: the same call is made as often as there is news."""
    server = scripted(*probes(8), says("It is done."))

    ran = run(server, [counting(effect, *(f"{number} {chr(97 + number) * 30}" for number in range(8)))])

    assert (StopReason.ANSWERED, 8) == (ran.turn.stop.reason, len(ran.of(ToolRunning)))
    assert "Repeated" not in str(server.requests)


def test_a_result_that_goes_to_and_fro_is_no_repetition(scripted, run):
    """A flaky test passes and fails in turn; that is news each time."""
    server = scripted(*probes(6), says("It is flaky."))

    ran = run(server, [counting("runs", *["exit 0\n3 passed", "exit 1\n1 failed: the port was taken"] * 3)])

    assert (StopReason.ANSWERED, 6) == (ran.turn.stop.reason, len(ran.of(ToolRunning)))


def test_a_command_that_waits_may_be_run_again_with_a_warning(scripted, run):
    """Polling: four times the same and then the news; the third time the model is told to wait longer."""
    server = scripted(*probes(4), calls(("probe", {"what": "now"})), says("Ready."))

    ran = run(server, [counting("runs", *["pending"] * 4, "ready")])

    assert (StopReason.ANSWERED, 5) == (ran.turn.stop.reason, len(ran.of(ToolRunning)))
    assert ["wait longer" in text for text in told(server)] == [False, False, False, True, False, False]


def test_a_command_that_only_ever_tells_the_same_is_warned_about_refused_and_then_the_end(scripted, run):
    """A warning comes before the refusal, and the refusal before the stop."""
    server = scripted(forever(lambda body: probes(1)[0] if body.get("tools") else says("It hangs.")))

    ran = run(server, [counting("runs", "pending")])

    assert (StopReason.LOOP, "It hangs.") == (ran.turn.stop.reason, ran.turn.answer)
    assert 4 == len(ran.of(ToolRunning))
    assert "same as last time" in told(server)[2]
    assert "wait longer" in told(server)[3]
    assert "4 times without any news" in told(server)[5]


def test_a_refused_call_that_is_made_again_is_the_end_even_if_the_result_would_be_news(scripted, run):
    """A call that reads is refused the third time, when it told the same twice."""
    server = scripted(*probes(4), says("Stuck."))

    ran = run(server, [counting("reads", "same", "same", "new")])

    assert (StopReason.LOOP, 2) == (ran.turn.stop.reason, len(ran.of(ToolRunning)))


def test_three_equal_calls_in_one_reply_are_one_too_many(scripted, run):
    """Before any of them has a result, the third cannot be news."""
    server = scripted(calls(*[("probe", {"what": "x"})] * 3), says("done"))

    ran = run(server, [counting("reads", "a", "b", "c")])

    assert 2 == len(ran.of(ToolRunning))
    assert "Repeated" in told(server)[1]


def test_results_that_are_nearly_the_same_are_hinted_at_once_and_never_the_end(scripted, run):
    """E14, E20: another time in the same report is worth a word, not a stop; the next near one is not told again."""
    results = [f"{LONG}\nat {number}:00" for number in range(6)]
    server = scripted(*(calls(("probe", {"what": str(number)})) for number in range(6)), says("Nothing new."))

    ran = run(server, [counting("reads", *results)])

    assert (StopReason.ANSWERED, "Nothing new.") == (ran.turn.stop.reason, ran.turn.answer)
    assert [False, False, True, False, False, False, False] == ["nearly the same" in text for text in told(server)]


def test_failures_have_a_maximum(scripted, run):
    """D8: ten rounds of other failures are the end, with an answer; a warning comes long before."""

    @tool("reads")
    async def probe(what: str) -> str:
        """Fail, in another way each time."""
        raise ValueError(f"{what * 20} is not there")

    def failing(body):
        number = len(body["messages"]) // 2
        return calls(("probe", {"what": chr(97 + number)})) if body.get("tools") else says("I could not.")

    server = scripted(forever(failing))

    ran = run(server, [probe], limits=Limits(max_steps=30))

    assert (StopReason.NO_PROGRESS, "I could not.", 11) == (ran.turn.stop.reason, ran.turn.answer, ran.turn.steps)
    assert "10 rounds" in ran.turn.stop.detail
    assert [3] == [number for number, text in enumerate(told(server)) if "last 3 rounds failed" in text]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        pytest.param("done at 10:00:01, 3 tests passed", "done at 10:00:02, 3 tests passed", True, id="another second"),
        pytest.param("Same  Words", "same words", True, id="case and space"),
        pytest.param("", "", True, id="nothing twice"),
        pytest.param("no", "yes", False, id="short and other"),
        pytest.param("apples are red and round", "bananas are long and yellow", False, id="other words"),
        pytest.param(LONG, LONG.replace("line 7 ", "line 7! "), True, id="one line of many"),
        pytest.param(LONG, LONG.replace("line ", "line 4"), False, id="another page of the same report"),
        pytest.param("构建正在进行、请稍候、已完成百分之一" * 3, "构建正在进行、请稍候、已完成百分之二" * 3, True, id="Chinese, near"),
        pytest.param("构建正在进行、请稍候。" * 9, "测试已经失败、端口被占用。" * 9, False, id="Chinese, other"),
        pytest.param("今" + "天气很好我们去公园散步" * 70, "明" + "天气很好我们去公园散步" * 70, True, id="long Chinese, near"),
        pytest.param("今天气很好我们去公园散步" * 70, "端口被占用测试失败请检查" * 70, False, id="long Chinese, other"),
        pytest.param("x" * 5000, "y" * 9, False, id="lengths far apart"),
    ],
)  # fmt: skip
def test_likeness_is_of_letters_in_short_texts_and_of_words_in_long_ones(one, other, near):
    """Another time or counter is near, another content is not, in any script."""
    assert near == nearly_same([[one], [other]])


@pytest.mark.parametrize(
    ("sizes", "shrinks"),
    [
        pytest.param([80, 40, 20, 10], True, id="halved each time"),
        pytest.param([9, 80, 40, 20, 10], True, id="the last four count"),
        pytest.param([80, 40, 20], False, id="three only"),
        pytest.param([80, 41, 20, 10], False, id="hardly less once"),
        pytest.param([80, 8, 0, 0], True, id="down to nothing"),
    ],
)
def test_ever_less_is_half_or_less_four_times(sizes, shrinks):
    """D14: what is only a little shorter is another result, not a drying well."""
    assert shrinks == shrinking([["x" * size] for size in sizes])


def test_what_is_put_above_a_result_is_no_part_of_it(ask, scripted, tmp_path):
    """D14: 8, 4, 2 files, then one, are ever less, although the line above them is longer than all of their names."""
    folders = [tmp_path / str(number) for number in (8, 4, 2, 1)]
    for folder in folders:
        folder.mkdir()
        for number in range(int(folder.name)):
            (folder / f"{number}.txt").touch()
    server = scripted(*(calls(("list_dir", {"path": folder.name})) for folder in folders), says("Nothing more."))

    ask(server, "--mode", "react", "where is it?")

    assert ["get shorter" in text for text in told(server)] == [False, False, False, False, True]


def test_rounds_of_another_size_are_not_compared():
    """One call and two calls did not tell the same."""
    assert not nearly_same([["a"]])
    assert not nearly_same([["a"], ["a", "a"]])
