"""A reply that is not read to its end costs tokens all the same: they are estimated, and said to be."""

import asyncio
import json
import os
import signal
import sys

import pytest

from cococat.core.events import TextDelta
from cococat.core.limits import Limits, StopReason
from cococat.core.tools import tool
from tests.scripted import STALL, Delta, broken, calls, raw, reasons, says

STORY = "Once upon a time " * 40
WORDS = 40 * 4  # tokens of STORY, about


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


async def stop_at_the_first_words(task, ran):
    while not ran.of(TextDelta):
        await asyncio.sleep(0.005)
    task.cancel()


def test_a_cancelled_stream_is_estimated(scripted, run):
    """What was asked and what was read so far both count."""
    server = scripted(broken(STORY, how=STALL))

    usage = run(server, during=stop_at_the_first_words, prompt="tell me " * 100).turn.usage

    assert usage.estimated
    assert 200 <= usage.prompt_tokens <= 400
    assert WORDS // 2 <= usage.completion_tokens <= WORDS * 2


def test_a_stream_cut_by_the_time_limit_adds_to_what_was_reported(scripted, run):
    """One estimate makes the sum an estimate; the reply that never began costs its question."""
    server = scripted(calls(("echo", {"text": "x"}), usage=(1000, 50)), broken(how=STALL))

    turn = run(server, [echo], limits=Limits(max_seconds=1.5)).turn

    assert StopReason.TIME_LIMIT == turn.stop.reason
    assert turn.usage.estimated
    assert 1000 < turn.usage.prompt_tokens < 2000
    assert 50 == turn.usage.completion_tokens


@pytest.mark.parametrize(
    "turn",
    [
        says(STORY, usage=None),
        reasons(STORY, then=says("so", usage=None)),
        raw(Delta({"content": "so"}), Delta({"reasoning": STORY}, "stop")),
    ],
    ids=["text", "reasoning", "both"],
)
def test_what_came_is_estimated_once(scripted, run, turn):
    """Neither text nor reasoning counts twice where the server reports no usage."""
    usage = run(scripted(turn)).turn.usage

    assert usage.estimated
    assert WORDS // 2 <= usage.completion_tokens <= WORDS * 5 // 4


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (None, 5)]
)
def test_ask_says_that_the_usage_of_what_it_stopped_is_an_estimate(scripted, cococat, number, code):
    """INT, TERM, HUP and --max-seconds, in the JSON of the result."""
    server = scripted(broken("Half an answer", how=STALL))

    def stop(pid):
        server.wait_for(1, 20)
        if number:
            os.kill(pid, number)

    limit = () if number else ("--max-seconds", "1")
    words = ["--base-url", server.base_url, "-m", "m", *limit, "--output-format", "json"]
    ran = cococat("ask", *words, "tell me a story", meanwhile=stop)

    result = json.loads(ran.stdout)
    assert (code, True) == (ran.code, result["usage"]["estimated"])
    assert result["usage"]["total_tokens"] > 0
