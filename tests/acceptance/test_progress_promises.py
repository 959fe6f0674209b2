"""A run that gets nowhere, seen through `cococat ask`; the ids are those of acceptance.toml."""

from __future__ import annotations

import json

import pytest

from tests.scripted import calls, forever, says, tool_results

pytestmark = pytest.mark.ask("--mode", "react", "--no-dream", "--output-format", "json")
REPORT = "\n".join(f"line {number}: nothing of note was found in the harbour" for number in range(40))


def reads(*names):
    """One reply a file."""
    return [calls(("read_file", {"path": name})) for name in names]


def told(server, words):
    """Of each request whether its last message says *words*."""
    return [words in request["messages"][-1]["content"] for request in server.requests]


def result_of(ran):
    """What a script gets."""
    return json.loads(ran.stdout)


def test_failures_of_calls_have_a_maximum(ask, scripted):
    """D8, D12: ten rounds that fail, each in its own way, are the end; a word comes after the third."""

    def failing(body):
        name = chr(96 + len(body["messages"]) // 2) * 9
        return calls(("read_file", {"path": name})) if body.get("tools") else says("I found none.")

    server = scripted(forever(failing))

    ran = ask(server, "find it")

    result = result_of(ran)
    assert (5, "no_progress", 11) == (ran.code, result["stop_reason"], len(server.requests))
    assert "10 rounds" in result["error"]["message"]
    assert [3] == [number for number, there in enumerate(told(server, "last 3 rounds failed")) if there]


def test_results_that_are_nearly_the_same_bring_one_hint(ask, scripted, tmp_path):
    """E14, E20, E22: another time in the same report is worth a word with one request, and never the end."""
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"{REPORT}\nat {number}:00\n")
    server = scripted(*reads("0.txt", "1.txt", "2.txt", "3.txt"), says("Nothing new."))

    ran = ask(server, "any news?")

    assert (0, "Nothing new.") == (ran.code, result_of(ran)["answer"])
    assert [False, False, True, False, False] == told(server, "nearly the same as last time")


def test_the_same_results_bring_a_hint_and_then_the_end(ask, scripted, tmp_path):
    """D13, D14, E14, E20, E22: other searches, the same nothing: a hint the second time, the third is the end."""
    (tmp_path / "a.txt").write_text("Nothing to see.\n")
    searches = [calls(("grep_search", {"pattern": word, "path": "a.txt"})) for word in ("tide", "moon", "port")]
    server = scripted(*searches, says("It is nowhere."))

    ran = ask(server, "where is it?")

    assert (5, "no_progress") == (ran.code, result_of(ran)["stop_reason"])
    assert [False, False, True, False] == told(server, "change the method")


@pytest.mark.parametrize(
    ("sizes", "hinted"), [((4000, 1500, 500, 100, 90), 1), ((4000, 1500, 4000, 1500, 500), 0)], ids=["ever less", "not"]
)
def test_results_that_shrink_from_round_to_round_bring_a_hint(ask, scripted, tmp_path, sizes, hinted):
    """D14: four rounds, each with half or less of what the one before told; one word, with one request."""
    for number, size in enumerate(sizes):
        words = " ".join(f"{chr(97 + number)}{word}" for word in range(size))
        (tmp_path / f"{number}.txt").write_text(words[:size])
    server = scripted(*reads(*(f"{number}.txt" for number in range(5))), says("That is all."))

    ran = ask(server, "look")

    assert 0 == ran.code
    assert hinted == sum(told(server, "get shorter from round to round"))
    assert hinted == told(server, "get shorter from round to round")[4]


def test_the_search_for_circles_can_be_switched_off(ask, scripted, home):
    """C22: the same call runs as often as the model likes, up to the limit of its steps."""
    (home / "config.toml").write_text("[agent]\ndetect_loops = false\nmax_steps = 8\n")
    look = calls(("list_dir", {"path": "."}))
    server = scripted(forever(lambda body: look if body.get("tools") else says("Still the same.")))

    ran = ask(server, "watch it")

    assert ("step_limit", 9) == (result_of(ran)["stop_reason"], len(server.requests))
    assert not any("Repeated" in json.dumps(request) for request in server.requests)


def test_of_one_reply_fifty_calls_are_run(ask, scripted, tmp_path):
    """E15: the rest are refused with a word about what to do, and the run goes on."""
    for number in range(60):
        (tmp_path / f"{number}.txt").write_text(f"n{number}")
    reply = calls(*(("read_file", {"path": f"{number}.txt"}) for number in range(60)))
    server = scripted(reply, says("done"))

    ran = ask(server, "read them all")

    results = tool_results(server.requests[1])
    assert (0, 60) == (ran.code, len(results))
    assert [False] * 50 + [True] * 10 == ["TooManyCalls" in result for result in results]
