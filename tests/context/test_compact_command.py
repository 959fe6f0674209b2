"""The context as a user meets it: exit code and sizes, `/compact` and `/compact undo`."""

import json
import sys
import threading

import pytest

from tests.scripted import fault, says

NOTES = "## Task\nTalk about tea.\n\n## State\nTalked.\n\n## Findings\nNone.\n\n## Next steps\nNone."


def lines_of(home):
    [log] = (home / "sessions").glob("*.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_too_large_a_prompt_ends_with_exit_5_and_the_sizes(cococat, scripted):
    """A script learns what was too much, and what fixes it."""
    server = scripted(fault(400, "maximum context length is 1024 tokens", code="context_length_exceeded"))

    ran = cococat(
        "ask", "--base-url", server.base_url, "-m", "x", "--output-format", "json", "-", stdin="tea and milk " * 2000
    )

    result = json.loads(ran.stdout)
    assert (5, "token_limit", "context_overflow") == (ran.code, result["stop_reason"], result["error"]["kind"])
    assert "the model takes 1,024" in result["error"]["message"]
    assert "model.context_window" in result["error"]["hint"]
    assert 1 == len(server.requests)


def test_an_overflow_in_a_continued_session_is_summarised_and_answered(cococat, scripted, home):
    """The session goes on; its log holds the summary and, before it, all that was said."""
    flags = ("ask", "-m", "x", "--no-dream", "--no-tools")
    text = " ".join(f"All about tea number {number}." for number in range(240))
    server = scripted(says(text), says(text), says(text), fault(413, "too large"), says(NOTES), says("Milk first."))
    cococat(*flags, "--base-url", server.base_url, "one")
    for words in ("two", "three"):
        cococat(*flags, "-c", "--base-url", server.base_url, words)

    ran = cococat(*flags, "-c", "--base-url", server.base_url, "milk or tea first?")

    assert (0, "Milk first.\n") == (ran.code, ran.stdout)
    assert "context compacted" in ran.stderr
    roles = [line["message"]["role"] for line in lines_of(home) if line["type"] == "message"]
    assert ["user", "assistant"] * 3 + ["user", "summary", "assistant"] == roles
    assert NOTES in server.requests[-1]["messages"][1]["content"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_compact_and_its_undo_in_the_repl(scripted, home, tmp_path):
    """`/compact` shows before and after; `/compact undo` brings back every message, and the log says so."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    text = " ".join(f"All about tea number {number}." for number in range(120))
    server = scripted(
        says(text), says(text), says(text), says(NOTES, usage=(900, 30)), says("Then milk."), says("Fine.")
    )
    flags = ("chat", "--base-url", server.base_url, "-m", "x", "--root", tmp_path, "--no-dream", "--no-tools")
    terminal = PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path)}, rows=60)  # for an answer and its question

    def ready(screen):
        return any(row.rstrip() == ">" for row in screen.splitlines())

    def enter(line, sign):
        terminal.press(f"{line}\r")
        terminal.until(lambda screen: sign in screen and ready(screen))

    terminal.until(ready)
    enter("/compact", "there is nothing to compact yet")
    for number in range(3):
        terminal.press(f"question {number}\r")
        server.wait_for(number + 1)
        terminal.until(lambda screen, number=number: screen.count(f"question {number}") and ready(screen))
    enter("/compact", "messages became notes")
    enter("and then?", "Then milk.")
    enter("/compact undo", "messages are back")
    enter("really?", "Fine.")
    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    summed, restored = server.requests[4]["messages"], server.requests[5]["messages"]
    assert NOTES in summed[1]["content"]
    assert "question 0" in summed[1]["content"]
    assert ["question 0", "question 1", "question 2", "and then?", "really?"] == [
        message["content"] for message in restored if message["role"] == "user"
    ]
    assert ["rewind"] == [line["type"] for line in lines_of(home) if line["type"] in ("rewind", "repair")]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_compact_shows_that_it_is_at_work_and_how_to_stop_it(scripted, tmp_path):
    """Notes of a long session take a minute; nothing of the bar is left beside what came of them."""
    from tests.screens import ready
    from tests.ui.pseudo_terminal import PseudoTerminal

    text, go = " ".join(f"All about tea number {number}." for number in range(120)), threading.Event()
    server = scripted(*[says(text)] * 3, lambda _: (go.wait(60), says(NOTES))[1])
    flags = ("chat", "--base-url", server.base_url, "-m", "x", "--root", tmp_path, "--no-dream", "--no-tools")
    with PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path)}, rows=60) as terminal:
        for number in range(3):
            terminal.until(ready)
            terminal.press(f"question {number}\r")
            server.wait_for(number + 1)
            terminal.until(lambda screen, number=number: f"question {number}" in screen and ready(screen))
        terminal.press("/compact\r")
        terminal.until(lambda screen: "compacting; Ctrl-C stops" in screen and "0:00:02" in screen)
        go.set()
        left = terminal.until(lambda screen: "messages became notes" in screen and ready(screen))

    assert "compacting" not in left


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_compact_makes_the_notes_itself_where_the_model_writes_none(scripted, tmp_path):
    """After two answers that are no notes the user's words and a mark take the place of the messages."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    text = " ".join(f"All about tea number {number}." for number in range(120))
    server = scripted(*[says(text)] * 3, says("Tea."), says("Tea again."), says("Then milk."))
    flags = ("chat", "--base-url", server.base_url, "-m", "x", "--root", tmp_path, "--no-dream", "--no-tools")
    with PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path)}, rows=60) as terminal:

        def ready(screen):
            return any(row.rstrip() == ">" for row in screen.splitlines())

        terminal.until(ready)
        for number in range(3):
            terminal.press(f"question {number}\r")
            server.wait_for(number + 1)
            terminal.until(lambda screen, number=number: screen.count(f"question {number}") and ready(screen))
        terminal.press("/compact\r")
        terminal.until("made without the model: the notes lack their four headings")
        terminal.until(ready)
        terminal.press("and then?\r")
        terminal.until("Then milk.")

    notes = server.requests[-1]["messages"][1]["content"]
    assert "> question 0" in notes
    assert "2 older messages" in notes
