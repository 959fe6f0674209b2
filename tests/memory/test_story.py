"""Five sessions of one user, by the command line: what is remembered in the end, why, and what the log says of it."""

import json
import re

import pytest

from tests.scripted import calls, says

BERLIN = "I am Ada and I live in Berlin. I prefer tabs to spaces"
LISBON = "by the way, I moved to Lisbon in May 2026"
SISTER = "I prefer spaces to tabs now. My sister is called Maya, and I never drink coffee"
NAME = "I got it wrong. my sister is called Mia"
COFFEE = "my sister Mia visits me, and I drink coffee in the morning"
MEMORY = """\
# Memory

## Pinned

## About the user
- Ada, lives in Lisbon since 2026-05

## Preferences
- Prefers spaces to tabs
- Drinks coffee in the morning

## Projects
"""
PROVENANCE = """\
{"v":1,"key":"ada lives in berlin","line":"- Ada, lives in Berlin","from":[],"sources":[{"session":"SESSION-1","seq":1,"quote":"I am Ada and I live in Berlin","date":"DAY"}],"dream":1}
{"v":1,"key":"prefers tabs to spaces","line":"- Prefers tabs to spaces","from":[],"sources":[{"session":"SESSION-1","seq":1,"quote":"I prefer tabs to spaces","date":"DAY"}],"dream":1}
{"v":1,"key":"ada lives in lisbon since 2026 05","line":"- Ada, lives in Lisbon since 2026-05","from":["ada lives in berlin"],"sources":[{"session":"SESSION-2","seq":2,"quote":"I moved to Lisbon in May 2026","date":"DAY"}],"dream":2}
{"v":1,"key":"prefers spaces to tabs","line":"- Prefers spaces to tabs","from":["prefers tabs to spaces"],"sources":[{"session":"SESSION-3","seq":3,"quote":"I prefer spaces to tabs now","date":"DAY"}],"dream":3}
{"v":1,"key":"sister is called maya","line":"- Sister is called Maya","from":[],"sources":[{"session":"SESSION-3","seq":3,"quote":"My sister is called Maya","date":"DAY"}],"dream":3}
{"v":1,"key":"never drinks coffee","line":"- Never drinks coffee","from":[],"sources":[{"session":"SESSION-3","seq":3,"quote":"I never drink coffee","date":"DAY"}],"dream":3}
{"v":1,"key":"sister is called mia","line":"- Sister is called Mia","from":["sister is called maya"],"sources":[{"session":"SESSION-4","seq":4,"quote":"my sister is called Mia","date":"DAY"}],"dream":4}
{"v":1,"key":"drinks coffee in the morning","line":"- Drinks coffee in the morning","from":["never drinks coffee"],"sources":[{"session":"SESSION-5","seq":5,"quote":"I drink coffee in the morning","date":"DAY"}],"dream":5}
"""
LOG = """\
   1  DAY  dream      remembered 2, changed 0, dropped 0 · 2 steps · 30 tokens · scripted
   2  DAY  dream      remembered 0, changed 1, dropped 0 · 2 steps · 30 tokens · scripted
   3  DAY  dream      remembered 2, changed 1, dropped 0 · 4 steps · 60 tokens · scripted
   4  DAY  dream      remembered 0, changed 1, dropped 0 · 2 steps · 30 tokens · scripted
   5  DAY  dream      remembered 0, changed 1, dropped 0 · 2 steps · 30 tokens · scripted
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
            edit("## About the user", "## About the user\n- Ada, lives in Berlin", 1, "I am Ada and I live in Berlin"),
            edit("## Preferences", "## Preferences\n- Prefers tabs to spaces", 1, "I prefer tabs to spaces"),
        ),
        says("done"),
        says("How nice."),
        calls(edit("- Ada, lives in Berlin", "- Ada, lives in Lisbon since 2026-05", 2, "I moved to Lisbon in May 2026")),
        says("done"),
        says("Noted."),
        calls(
            edit("- Prefers tabs to spaces", "- Prefers spaces to tabs", 3, "I prefer spaces to tabs now"),
            edit("- Ada, ", "- Sister is called Maya\n- Ada, ", 3, "My sister is called Maya"),
        ),
        calls(edit("- Prefers spaces to tabs", "- Prefers spaces to tabs\n- Never drinks coffee", 3, "I never drink coffee")),
        says("done"),
        says("nothing to tidy"),
        says("Sorry."),
        calls(edit("Maya", "Mia", 4, "my sister is called Mia")),
        says("done"),
        says("Enjoy."),
        calls(
            edit("- Ada, ", "- Sister is called Mia\n- Ada, ", 5, "my sister Mia"),
            edit("- Never drinks coffee", "- Drinks coffee in the morning", 5, "I drink coffee in the morning"),
        ),
        says("done"),
        usage=(10, 5),
    )  # fmt: skip
    there = ("--base-url", server.base_url, "-m", "scripted")
    env = {"COCOCAT_MEMORY_WAIT": "true", "COCOCAT_MEMORY_DREAM_MIN_RECORDS": "1"}
    memory = home / "memory" / "MEMORY.md"

    for said in (BERLIN, LISBON):
        assert 0 == cococat("ask", *there, said, env=env).code
    cococat("ask", *there, "--no-dream", SISTER, env=env)
    cococat("dream", *there, env=env)
    cococat("ask", *there, NAME, env=env)
    with_mia = memory.read_text()
    memory.write_text(with_mia.replace("- Sister is called Mia\n", ""))
    cococat("ask", *there, COFFEE, env=env)
    log = cococat("dream", "log").stdout

    state = json.loads((home / "memory" / "state.json").read_text())
    assert MEMORY == memory.read_text()
    assert PROVENANCE == normal((home / "memory" / "provenance.jsonl").read_text())
    assert LOG == normal(log)
    assert (5, ["- Sister is called Mia"], 0) == (state["cursor"], state["tombstones"], state["failures"])
    assert "the user has deleted '- Sister is called Mia' before" in server.requests[-1]["messages"][-2]["content"]
    assert 0 == server.unplayed


def normal(text):
    """Give *text* with the ids of sessions and the days made comparable."""
    seen = {}
    named = re.sub(r"[0-9A-HJKMNP-TV-Z]{26}", lambda found: seen.setdefault(found[0], f"SESSION-{len(seen) + 1}"), text)
    return re.sub(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\+00:00|Z)?)?", "DAY", named)
