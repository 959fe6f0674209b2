"""The embedded model for real: it loads, answers, acts, stops and leaves; .ci/run runs what takes it longer."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from cococat.core.agent import Agent
from cococat.core.events import TextDelta, ToolPending
from cococat.core.limits import Limits, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import Picture, User
from cococat.core.model import FinishPiece, ProviderError, Request, TextPiece, UsagePiece
from cococat.core.tools import allow_all, tool
from cococat.errors import UsageError
from cococat.model.embedded import Embedded, available, start
from cococat.protocol.decision import Decision

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}"),
    pytest.mark.xdist_group("embedded"),
    pytest.mark.timeout(300),
]
# 500 MB that are checked before each use, so one copy does for all runs
CACHE = Path(tempfile.gettempdir()) / f"cococat-tests-{os.getuid() if hasattr(os, 'getuid') else 0}"


@pytest.fixture(scope="module")
def model() -> Iterator[Embedded]:
    """One loaded model for all tests of this file."""
    loaded = asyncio.run(start(None, CACHE, notice=lambda text: None))
    yield loaded
    loaded.close()


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_terminal_shows_that_the_model_is_being_loaded(model):
    """The bar stands there before the engine begins, which lets nothing else be drawn; it is gone with the answer."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    env = {"COCOCAT_GGUF": str(next((CACHE / "models").glob("*.gguf"))), "COCOCAT_API_KEY": ""}
    with PseudoTerminal("cococat", "ask", "--no-tools", "--max-tokens", "200", "say yes", env=env) as terminal:
        terminal.until("loading the embedded model")
        terminal.until(lambda text: "loading the embedded model" not in text)


async def _reply(model: Embedded, request: Request) -> list[object]:
    async with aclosing(model.stream(request)) as pieces:
        return [piece async for piece in pieces]


def test_a_question_gets_a_streamed_answer_and_exact_usage(model):
    """Text comes in several pieces; the last ones say that it is whole and what it cost."""
    pieces = asyncio.run(_reply(model, Request((User("What is the capital of France?"),))))

    texts = [piece.text for piece in pieces if isinstance(piece, TextPiece)]
    usages = [piece.usage for piece in pieces if isinstance(piece, UsagePiece)]
    assert "Paris" in "".join(texts)
    assert len(texts) > 2
    assert [FinishPiece("stop")] == [piece for piece in pieces if isinstance(piece, FinishPiece)]
    assert [False] == [usage.estimated for usage in usages]
    assert usages[0].prompt_tokens > usages[0].completion_tokens > 2


@pytest.mark.slow  # .ci/run has time for it
def test_it_reads_a_file_and_answers_from_it(model):
    """A decision calls the tool, the next one gives the answer, shown as it is made."""
    asked: list[str] = []

    @tool("reads")
    async def read_file(path: str) -> str:
        """Read a text file."""
        asked.append(path)
        return f"{path}: 1 lines\nThe boat leaves at noon."

    agent = Agent(model, Decision(), "", (read_file,), Limits(max_steps=3), allow_all, time.monotonic)
    events: list[object] = []

    turn = asyncio.run(run_turn(agent, (), User("What does harbour.txt say?"), events.append))

    assert StopReason.ANSWERED == turn.stop.reason
    assert ["harbour.txt"] == asked
    assert "noon" in turn.answer
    assert turn.answer == "".join(event.text for event in events if isinstance(event, TextDelta))
    assert ["read_file"] == [event.name for event in events if isinstance(event, ToolPending)]


@pytest.mark.slow  # .ci/run has time for it
def test_a_greeting_calls_no_tool(model):
    """Examples teach that not every message needs work."""

    @tool("reads")
    async def read_file(path: str) -> str:
        """Read a text file."""
        return path

    agent = Agent(model, Decision(), "", (read_file,), Limits(max_steps=3), allow_all, time.monotonic)

    turn = asyncio.run(run_turn(agent, (), User("hello"), lambda event: None))

    assert (StopReason.ANSWERED, 1) == (turn.stop.reason, turn.steps)


@pytest.mark.slow  # .ci/run has time for it
def test_closing_the_stream_stops_the_engine(model):
    """The next request does not wait for the rest of the reply before it."""

    async def cancel_and_ask() -> tuple[float, float]:
        story = Request((User("Write a very long story about a lighthouse."),), max_output_tokens=2000)
        async with aclosing(model.stream(story)) as pieces:
            seen = [time.monotonic() async for _, piece in _first(pieces, 20)]
        began = time.monotonic()
        await _reply(model, Request((User("hi"),), max_output_tokens=5))
        return (seen[-1] - seen[0]) / len(seen), time.monotonic() - began

    each, waited = asyncio.run(cancel_and_ask())

    assert waited < 500 * each


async def _first(pieces, count):
    async for piece in pieces:
        yield count, piece
        count -= 1
        if not count:
            return


@pytest.mark.slow  # .ci/run has time for it
def test_two_requests_at_once_are_both_answered(model):
    """The second waits for the first."""

    async def both() -> list[list[object]]:
        request = Request((User("Say hi."),), max_output_tokens=8)
        return await asyncio.gather(_reply(model, request), _reply(model, request))

    replies = asyncio.run(both())

    assert all(any(isinstance(piece, FinishPiece) for piece in reply) for reply in replies)


def test_too_long_a_conversation_is_an_overflow(model):
    """The kind is what compaction looks for; the numbers are said."""
    with pytest.raises(ProviderError, match="8,192") as caught:
        asyncio.run(_reply(model, Request((User("word " * 9000),))))

    assert "context_overflow" == caught.value.problem.kind
    assert not caught.value.retryable


def test_a_picture_is_refused(model):
    """Before anything is computed; it is no error that passes."""
    picture = Picture("a.png", "image/png", 1, 1, 1, "0" * 64, b"x")

    with pytest.raises(ProviderError, match="on this machine does not take images") as caught:
        asyncio.run(_reply(model, Request((User("what is this?", pictures=(picture,)),))))

    assert ("no_images", False) == (caught.value.problem.kind, caught.value.retryable)


def test_a_file_that_only_looks_like_a_model_is_told(tmp_path):
    """The loop gets an error that it can show, and closing is quick."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))

    async def ask() -> None:
        broken = await start(path, tmp_path, notice=lambda text: None)
        try:
            await _reply(broken, Request((User("hi"),)))
        finally:
            await broken.aclose()

    with pytest.raises(ProviderError, match="cannot be loaded") as caught:
        asyncio.run(ask())
    assert "model_load" == caught.value.problem.kind


@pytest.mark.slow  # .ci/run has time for it
def test_loading_is_waited_for_until_it_ends_well_or_badly(tmp_path, model):
    """Whoever awaits its end hears no less than its first reply says: the error of a file that is none, soon and not never."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))
    begun: list[str] = []

    async def ask() -> None:
        broken = await start(path, tmp_path, notice=begun.append)
        try:
            await asyncio.wait_for(broken.loaded(), timeout=60)
            await _reply(broken, Request((User("hi"),)))
        finally:
            await broken.aclose()

    asyncio.run(asyncio.wait_for(model.loaded(), timeout=100))
    with pytest.raises(ProviderError, match="cannot be loaded"):
        asyncio.run(ask())
    assert [] == begun  # nothing is left to load when the reply begins


def test_a_model_that_is_not_there_is_a_usage_error(tmp_path):
    """It is said before anything is loaded."""
    with pytest.raises(UsageError, match="no such file"):
        asyncio.run(start(tmp_path / "no.gguf", tmp_path, notice=lambda text: None))


LEAVE = """
import asyncio, os, sys
from contextlib import suppress
from pathlib import Path
from cococat.core.messages import User
from cococat.core.model import Request
from cococat.model.embedded import start

def listening():
    with suppress(OSError):
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        own = {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")}
        return [row for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in own]
    return []

async def begin():
    model = await start(None, Path(sys.argv[1]), notice=lambda text: None)
    pieces = model.stream(Request((User("Write a very long story."),)))
    await anext(pieces)
    print(len(listening()), flush=True)
    return pieces

loop = asyncio.new_event_loop()
left_open = loop.run_until_complete(begin())
"""


@pytest.mark.slow  # .ci/run has time for it
def test_leaving_in_the_middle_of_a_reply_is_clean():
    """No crash at exit, no port was open, and llama.cpp printed nothing."""
    ran = subprocess.run(
        [sys.executable, "-c", LEAVE, str(CACHE)], capture_output=True, text=True, timeout=250, check=False
    )

    assert (0, "0\n", "") == (ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.slow  # .ci/run has time for it
def test_an_unnamed_model_is_said_on_every_ask(model, cococat, home):
    """Nothing configured, no key, no server: who answers is no secret on the second run either."""
    (home / "cache").symlink_to(CACHE)  # where the weights are already
    env = {"COCOCAT_API_KEY": "", "OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "OPENAI_API_BASE": ""}

    said = [cococat("ask", "--no-tools", "--max-tokens", "1", "hi", env=env, timeout=120).stderr for _ in range(2)]

    assert all("a small model on this machine" in text for text in said)
