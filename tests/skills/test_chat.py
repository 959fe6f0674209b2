"""Skills and commands of one's own in `chat`: `/NAME`, `/skills`, and what a repository brings."""

from __future__ import annotations

import sys

import pytest

from tests.screens import after, ready, says_somewhere
from tests.scripted import calls, says
from tests.skills.conftest import put

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


def said(server, number=-1):
    return [m["content"] for m in server.requests[number]["messages"] if m["role"] == "user"][-1]


def test_a_command_of_ones_own_is_completed_sent_and_told_from_ours(chat, scripted, home, own, tmp_path):
    """A prompt with its words and what they mention; a skill with its text, once; /help stays ours."""
    (home / "prompts").mkdir()
    (home / "prompts" / "review.md").write_text("Review $1 with @never.txt.\n")
    (home / "prompts" / "help.md").write_text("Not ours.\n")
    put(own, "pdf")
    (tmp_path / "a.txt").write_text("the text of a\n")
    (tmp_path / "never.txt").write_text("not this\n")
    server = scripted(says("one"), says("two"), says("three"))
    terminal = chat(server)

    terminal.press("/help\r")
    terminal.until(lambda text: "/skills" in text and ready(text))
    after(terminal, "/skills", "review")
    terminal.press("/revi\t")
    terminal.until("/review")
    terminal.press("\x15")
    after(terminal, "/review @a.txt", "one")
    after(terminal, "/pdf fill it", "two")
    after(terminal, "/pdf again", "three")

    assert said(server, 0).startswith("Review @a.txt with @never.txt.")
    assert "the text of a" in said(server, 0)
    assert "not this" not in said(server, 0)
    assert said(server, 1).startswith("/pdf fill it")
    assert "Do pdf." in said(server, 1)
    assert "/pdf again" == said(server, 2)
    assert "Not ours" not in str(server.requests)


def test_a_new_session_is_given_a_skill_anew(chat, scripted, own):
    """What another one held is not before the model now."""
    put(own, "pdf")
    server = scripted(says("one"), says("two"))
    terminal = chat(server)

    shown = after(terminal, "/pdf fill it", "one")
    after(terminal, "/new", "a new session")
    after(terminal, "/pdf fill it", "two")

    assert "Do pdf." in said(server, 1)
    assert "> /pdf fill it\n\none" in shown


def test_a_new_session_knows_what_was_added_meanwhile(chat, scripted, home, own):
    """A skill and a prompt that were written while the chat ran; one that is gone is no command any more."""
    put(own, "old")
    server = scripted(says("one"), says("two"))
    terminal = chat(server)
    (home / "prompts").mkdir()
    (home / "prompts" / "review.md").write_text("Review $1.\n")
    put(own, "pdf")
    (own / "old" / "SKILL.md").unlink()

    after(terminal, "/pdf fill it", "no command /")
    after(terminal, "/new", "a new session")
    after(terminal, "/pdf fill it", "one")
    after(terminal, "/review a.txt", "two")
    after(terminal, "/old", "no command /")

    assert "Do pdf." in said(server, 0)
    assert "pdf: About pdf." in server.requests[0]["messages"][0]["content"]
    assert "Review a.txt." == said(server, 1)


def test_what_a_repository_brings_is_asked_about_once_and_a_change_with_its_diff(chat, ask, scripted, repository):
    """All new ones in one question; who agreed is not asked again, and `ask` uses them then."""
    put(repository, "deploy")
    put(repository, "test")
    server = scripted(*[says("ok")] * 4)

    first = chat(server, wait=False)
    asked = first.until("[y]es, remember this version")
    first.press("y")
    first.until(ready)
    after(first, "/deploy now", "ok")
    first.press("\x04")
    first.leave()
    ask(server, "hello")
    put(repository, "deploy", "---\nname: deploy\ndescription: About deploy.\n---\nDo deploy.\nAnd more.\n")
    left = ask(server, "hello")
    second = chat(server, wait=False)
    changed = second.until("[y]es")
    second.press("n")
    second.until(ready)
    after(second, "hello", "ok")

    assert "Do deploy." in asked
    assert "Do test." in asked
    assert "Do deploy." in said(server, 0)
    assert "deploy: About deploy." in server.requests[1]["messages"][0]["content"]
    assert "(changed)" in left.stderr
    assert "deploy" not in server.requests[2]["messages"][0]["content"].partition("Today is")[0]
    assert "+And more." in changed
    assert says_somewhere(changed, "changed since you agreed to it")
    assert "deploy: " not in server.requests[3]["messages"][0]["content"]
    assert "test: About test." in server.requests[3]["messages"][0]["content"]


def test_a_skill_that_the_model_read_is_on_the_screen_as_a_step(chat, scripted, own):
    """Its call and its size; and the session can be gone on with."""
    put(own, "pdf")
    server = scripted(calls(("skill", {"name": "pdf"})), says("done"))
    terminal = chat(server)

    shown = after(terminal, "fill it", "done")

    assert "skill" in shown
    assert "lines" in shown
    assert "<skill-" not in shown
