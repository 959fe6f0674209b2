"""Dreams against a scripted server over real HTTP, in a folder of their own."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cococat.core.agent import Agent
from cococat.core.settings import RetryPolicy, Timeouts
from cococat.core.tools import Deny
from cococat.memory.dream.dream import dream
from cococat.memory.dream.options import DreamBounds, DreamOptions
from cococat.memory.file import history
from cococat.memory.file.document import MEMORY
from cococat.memory.file.history import Exchange, Said
from cococat.memory.file.state import read_state
from cococat.model.client import ChatModel, Endpoint
from cococat.protocol.native import Native
from tests.memory.earlier import EARLIER, said_earlier

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
START = "# Memory\n\n## Pinned\n- Allergic to peanuts\n\n## Preferences\n- Prefers tea to coffee\n- Writes Python\n"


def edit(old, new, *evidence, path="MEMORY.md"):
    """A call of edit_file; evidence as (seq, quote)."""
    quotes = [{"seq": seq, "quote": quote} for seq, quote in evidence]
    return ("edit_file", {"path": path, "old_text": old, "new_text": new, "evidence": quotes})


class Notes:
    """A memory folder and what tests do with it."""

    def __init__(self, folder):
        self.folder = folder
        self.events = []
        self.earlier = 0  # records of before, which a dream has read

    @property
    def memory(self):
        return self.folder / MEMORY

    @property
    def text(self):
        return self.memory.read_text("utf-8")

    @property
    def state(self):
        state = read_state(self.folder)
        return replace(state, cursor=max(0, state.cursor - self.earlier))

    def has(self, text=START):
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.memory.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return self

    def knows(self):
        """Put before all else what was said in sessions of long ago: what a judge can be tested with."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        said_earlier(self.folder)
        self.earlier = len(EARLIER)
        return self

    def said(self, *typed, origin="typed", answer="Noted.", now=NOW):
        return [
            history.append(self.folder, Exchange("S1", (Said(origin, text),), answer), now=now, redact=str)
            for text in typed
        ]

    def dream(self, server, *, protocol=None, during=None, **options):
        """Dream on the server's script; `during(task)` runs beside it."""

        async def main():
            model = ChatModel(Endpoint(server.base_url, "", "scripted"), Timeouts(30, 30, 30, 30))

            def make_agent(system, tools, limits):
                return Agent(
                    model=model,
                    protocol=protocol or Native(),
                    system=system,
                    tools=tools,
                    limits=limits,
                    gate=lambda tool, arguments: Deny("the dream has a gate of its own"),
                    clock=time.monotonic,
                    retry=RetryPolicy(base_ms=1, jitter_ms=0),
                    sleep=lambda seconds: asyncio.sleep(0),
                )

            bounds = options.pop("bounds", DreamBounds())
            given = DreamOptions(**{"now": NOW, "manual": True, "judge": make_agent, **options})
            task = asyncio.ensure_future(dream(self.folder, make_agent, self.events.append, given, bounds))
            if during:
                await during(task)
            try:
                return await task
            finally:
                await model.aclose()

        return asyncio.run(main())


@pytest.fixture
def notes(tmp_path):
    return Notes(tmp_path / "memory")


@pytest.fixture
def known(notes):
    """The notes of a user who has talked before, so that a judge can be tested: a line is noted as it is worded."""
    return notes.knows()
