"""Five sessions of one user, by the command line: what is remembered in the end, why, and what the log says of it."""

import json
import re

import pytest

from tests.memory.earlier import said_earlier
from tests.scripted import calls, says
from tests.scripted.judging import YES, by_words, plays

BERLIN = "I am Ada and I live in Berlin. I prefer tabs to spaces"
LISBON = "by the way, I moved to Lisbon in May 2026"
SISTER = "I prefer spaces to tabs now. My sister is called Maya, and I never drink coffee"
NAME = "I got it wrong. my sister is called Mia"
COFFEE = "my sister Mia visits me, and I drink coffee in the morning"
MEMORY = """\
# Memory

## Pinned

## About the user
- Moved to Lisbon in May 2026
- Is Ada

## Preferences
- Prefers spaces to tabs
- Drinks coffee in the morning

## Projects
"""


def edit(old, new, seq, quote):
    """A call of edit_file that is backed by one quote."""
    evidence = [{"seq": seq, "quote": quote}] if quote else []
    return "edit_file", {"path": "MEMORY.md", "old_text": old, "new_text": new, "evidence": evidence}


@pytest.mark.timeout(180)
@pytest.mark.usefixtures("dreams")
def test_five_sessions_leave_what_the_user_said_last(cococat, scripted, home):
    """
    Ada moves, changes a preference, corrects a name, deletes a line by hand and contradicts herself.

    Session 3 is asked with `--no-dream` and dreamt of by hand; the others wait for their dreams.
    """
    server = scripted(
        says("Hello Ada."),
        calls(
            edit("## About the user", "## About the user\n- Lives in Berlin\n- Is Ada", 5, "I am Ada and I live in Berlin"),
            edit("## Preferences", "## Preferences\n- Prefers tabs to spaces", 1, "I prefer tabs to spaces"),
        ),
        says("done"),
        says("How nice."),
        calls(edit("- Lives in Berlin", "- Moved to Lisbon in May 2026", 6, "I moved to Lisbon in May 2026")),
        says("done"),
        says("Noted."),
        calls(
            edit("- Prefers tabs to spaces", "- Prefers spaces to tabs", 3, "I prefer spaces to tabs now"),
            edit("- Is Ada", "- Sister is called Maya\n- Is Ada", 7, "My sister is called Maya"),
        ),
        calls(edit("- Prefers spaces to tabs", "- Prefers spaces to tabs\n- Never drinks coffee", 3, "I never drink coffee")),
        says("done"),
        says("nothing to tidy"),
        says("Sorry."),
        calls(edit("Maya", "Mia", 8, "my sister is called Mia")),
        says("done"),
        says("Enjoy."),
        calls(
            edit("- Is Ada", "- Sister is called Mia\n- Is Ada", 9, "my sister Mia visits me"),
            edit("- Never drinks coffee", "- Drinks coffee in the morning", 5, "I drink coffee in the morning"),
        ),
        says("done"),
        usage=(10, 5),
    )  # fmt: skip
    server.judge = plays(lambda item: YES if "gone" in item else by_words(item))
    there = ("--base-url", server.base_url, "-m", "scripted")
    env = {"COCOCAT_MEMORY_WAIT": "true", "COCOCAT_MEMORY_DREAM_MIN_RECORDS": "1"}
    memory = home / "memory" / "MEMORY.md"
    memory.parent.mkdir(mode=0o700)
    said_earlier(memory.parent)

    for said in (BERLIN, LISBON):
        assert 0 == cococat("ask", *there, said, env=env).code
    cococat("ask", *there, "--no-dream", SISTER, env=env)
    cococat("dream", *there, env=env)
    cococat("ask", *there, NAME, env=env)
    with_mia = memory.read_text()
    memory.write_text(with_mia.replace("- Sister is called Mia\n", ""))
    cococat("ask", *there, COFFEE, env=env)
    log = cococat("dream", "log").stdout
    why = cococat("memory", "why", "coffee").stdout

    state = json.loads((home / "memory" / "state.json").read_text())
    assert MEMORY == memory.read_text()
    assert "I drink coffee in the morning" in why
    assert "I never drink coffee" in why, "what a line took the place of is its beginning"
    assert ["remembered 3, changed 0, dropped 0", "remembered 0, changed 1, dropped 0"] == re.findall(
        r"dream +(rem[^·]*) ·", log
    )[:2]
    assert (9, ["- Sister is called Mia"], 0) == (state["cursor"], state["tombstones"], state["failures"])
    assert "the user has deleted '- Sister is called Mia' before" in server.requests[-1]["messages"][-2]["content"]
    assert (0, 5) == (server.unplayed, len(server.judged))
