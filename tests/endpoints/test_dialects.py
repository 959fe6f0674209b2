"""A server refuses as the real one does, and the user gets an answer: once at the most each refusal is paid for."""

from __future__ import annotations

import sys
import threading

import pytest

from tests.endpoints.dialects import STRICT, TOLD
from tests.endpoints.refusals import (
    Player,
    Strict,
    as_it_is,
    first,
    listed,
    litellm,
    longer_ids,
    openai,
    unsupported,
    when,
)
from tests.screens import ready
from tests.scripted import STALL, Turn, fault, forever, reached

GIVING = [one for one in STRICT if one.dress is not as_it_is]
ALL = (*STRICT, *(litellm(one) for one in STRICT))
READ, LIST = ("read_file", {"path": "notes.txt"}), ("list_dir", {"path": "."})
GREP = ("grep_search", {"pattern": "boat", "path": "."})
NOON = "The boat leaves at noon."
EDIT = {
    "path": "MEMORY.md",
    "old_text": "## About the user\n",
    "new_text": "## About the user\n- Lives in Lisbon\n",
    "evidence": [{"seq": 1, "quote": "I live in Lisbon"}],
}
PLAIN = Strict(
    "plain",
    first(unsupported, when(listed, openai("Invalid value for 'content': expected a string, got an array."))),
    longer_ids,
)
ONCE = {"COCOCAT_RETRY_ATTEMPTS": "1"}
each = pytest.mark.parametrize("strict", ALL, ids=lambda strict: strict.name)


@pytest.fixture
def play(scripted, tmp_path):
    """Start a server that looks at each request, and what it plays."""
    (tmp_path / "notes.txt").write_text(NOON + "\n")

    def start(strict: Strict, *script: object):
        player = Player(strict, *script)
        return scripted(player), player

    return start


def paid_once(player: Player) -> None:
    """No refusal came twice, and none at all where everything was given back."""
    assert sorted(set(player.refused)) == sorted(player.refused)
    assert not (player.strict.free and player.refused)


def more(server, player: Player, *script: object) -> None:
    """Put *script* behind what was played."""
    player.script += script
    server.add(player)


@each
@pytest.mark.parametrize("mode", ["single", "react"])
def test_a_question_with_tools_is_answered_and_the_next_one_pays_nothing(ask, play, strict, mode):
    """In either mode; what was learned of the endpoint is kept."""
    steps = [(READ,), *([(LIST, GREP), (READ,)] if mode == "react" else [])]
    server, player = play(strict, *steps, NOON)

    ran = ask(server, "--mode", mode, "when does the boat leave?", env=strict.env)
    paid_once(player)
    before = len(player.refused)
    more(server, player, *steps, NOON)
    again = ask(server, "--mode", mode, "and when does it leave?", env=strict.env)

    assert (0, f"{NOON}\n") == (ran.code, ran.stdout), ran.stderr
    assert (0, f"{NOON}\n") == (again.code, again.stdout), again.stderr
    assert [] == player.refused[before:]
    assert "attempt 1 failed" not in ran.stderr + again.stderr


@each
def test_a_turn_that_failed_can_be_gone_on_with(ask, play, strict):
    """What it left behind, a question and results without an answer, is taken."""
    server, player = play(strict, (READ,), fault(503, "overloaded"))

    failed = ask(server, "--mode", "react", "when does the boat leave?", env={**strict.env, **ONCE})
    more(server, player, (LIST,), NOON, (READ,), NOON)
    words = ("-c", "--mode", "react", "go on")
    ran, again = ask(server, *words, env=strict.env), ask(server, *words, env=strict.env)

    assert 3 == failed.code, failed.stderr
    assert (0, f"{NOON}\n") == (ran.code, ran.stdout), ran.stderr
    assert (0, f"{NOON}\n") == (again.code, again.stdout), again.stderr
    paid_once(player)


@each
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_chat_of_three_turns_goes_on_behind_one_that_was_stopped(chat, play, strict):
    """Stopped between the results and the answer, which leaves the roles in an order that some refuse."""
    waits = threading.Event()
    server, player = play(strict, (READ,), NOON, (LIST,), Turn((reached(waits), STALL)), (GREP, READ), "At twelve.")
    terminal = chat(server, env=dict(strict.env))

    terminal.press("when does the boat leave?\r")
    terminal.until(lambda text: NOON in text and ready(text))
    terminal.press("look again\r")
    assert waits.wait(30), terminal.text
    terminal.press("\x03")
    terminal.until(lambda text: "look again" in text and ready(text))
    terminal.press("and in words?\r")
    text = terminal.until(lambda text: ("At twelve." in text or "error" in text) and ready(text))

    assert "At twelve." in text, (text, player.refused)
    paid_once(player)


@each
@pytest.mark.usefixtures("dreams")
def test_a_dream_that_edits_ends(ask, cococat, play, strict, home):
    """Its edit is taken, and what it was given with it goes back as it came."""
    server, player = play(strict, "Noted.", (("edit_file", EDIT),), "done")

    ask(server, "--no-dream", "I live in Lisbon", env=strict.env)
    ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted", env=strict.env)

    assert 0 == ran.code, ran.stderr
    assert "- Lives in Lisbon" in (home / "memory" / "MEMORY.md").read_text()
    paid_once(player)


@pytest.mark.parametrize("strict", GIVING, ids=lambda strict: strict.name)
@pytest.mark.parametrize("other", ["model", "endpoint"])
def test_what_a_model_gave_goes_to_no_other(ask, play, scripted, strict, other):
    """`-c` with another model, or at another address, takes neither fields nor parts along."""
    server, _ = play(strict, (READ,), NOON)
    plain = Player(PLAIN, (LIST,), "In an hour.")

    begun = ask(server, "--mode", "react", "when does the boat leave?", env=strict.env)
    then = scripted(plain) if other == "endpoint" else server
    then.items = [plain]
    words = ("-m", "other") if other == "model" else ()
    ran = ask(then, *words, "-c", "--mode", "react", "how long is that?")

    assert 0 == begun.code, begun.stderr
    assert (0, "In an hour.\n", []) == (ran.code, ran.stdout, plain.refused), ran.stderr


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told.name)
def test_a_refusal_that_nothing_meets_is_told_in_the_servers_own_words(ask, scripted, told):
    """At once, with the exit code of its kind."""
    server = scripted(forever(told.refusal))

    ran = ask(server, "hi", env={"COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0"})

    assert (told.code, told.tries) == (ran.code, len(server.requests)), ran.stderr
    assert told.words in ran.stderr.splitlines()[told.tries - 1]
