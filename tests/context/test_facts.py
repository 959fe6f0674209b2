"""What was said once and stands in notes outlives every compaction, in any window."""

import re

import pytest

from cococat.context.budget import ContextBounds
from cococat.core.events import ContextCompacted
from cococat.core.limits import Limits
from cococat.core.tools import tool
from tests.scripted import calls, forever, says

FACT = re.compile(r"fact\d+ is value\d+")
ASKED = re.compile(r"(\d+) words in all at most")


class NoteMaker:
    """A model that copies every fact of the material into its notes, and works on until it was compacted often enough."""

    def __init__(self, often):
        self.often, self.place, self.made, self.words = often, 0, 0, []

    def __call__(self, body):
        if "You write the notes" in body["messages"][0]["content"]:
            self.made += 1
            self.words.append(int(ASKED.search(body["messages"][0]["content"])[1]))
            facts = "\n".join(f"- {fact}" for fact in dict.fromkeys(FACT.findall(body["messages"][-1]["content"])))
            return says(f"## Task\nRead.\n\n## State\n{facts}\n\n## Findings\n-\n\n## Next steps\nRead on.", usage=None)
        self.place += 1
        if self.made > self.often:
            return says("done", usage=None)
        return calls(("look", {"place": self.place}), text=f"I look at place {self.place}. " * 12, usage=None)


@pytest.mark.parametrize("window", [8000, 9500, 16_000, 32_000])
def test_facts_that_were_planted_early_survive_ten_compactions(run, scripted, window):
    """Notes are used each time: nothing is left out behind an outline made by code, and none are thrown away."""
    maker = NoteMaker(10)
    server = scripted(forever(maker))

    @tool("reads")
    async def look(place: int) -> str:
        """Look."""
        facts = f"fact{place} is value{place * 7}\n" if place <= 6 else ""
        return facts + f"place {place} holds nothing\n" * (window // 40)

    ran = run(
        server,
        prompt="read every place",
        bounds=ContextBounds(window, reserved_output=window // 6),
        tools=[look],
        limits=Limits(max_steps=5000, max_total_tokens=0, max_seconds=0),
    )

    told = [event.how for event in ran.of(ContextCompacted)]
    last = str(server.requests[-1]["messages"])
    assert "done" == ran.turn.answer
    assert 10 < sum("summarised" in how for how in told)
    assert maker.made == sum("summarised" in how for how in told)
    assert not [how for how in told if "left out" in how or "failed" in how]
    assert [] == [place for place in range(1, 7) if f"fact{place} is value{place * 7}" not in last]
    assert all(event.after_tokens < event.before_tokens for event in ran.of(ContextCompacted))


def test_the_prompt_for_notes_asks_for_no_more_words_than_its_reply_may_hold(run, scripted):
    """A word is two tokens, names and numbers among them."""
    maker = NoteMaker(0)
    server = scripted(forever(maker))

    @tool("reads")
    async def look(place: int) -> str:
        """Look."""
        return f"place {place} holds nothing\n" * 100

    run(server, prompt="read", bounds=ContextBounds(32_000, reserved_output=400), tools=[look], limits=Limits(99))

    assert maker.words
    assert max(maker.words) <= 200
