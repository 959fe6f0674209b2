"""A server refuses as the real one does, and the user gets an answer: once at the most each refusal is paid for."""

from __future__ import annotations

import json
import sys
import threading

import pytest

from tests.endpoints.dialects import STRICT, TOLD
from tests.endpoints.refusals import (
    Player,
    Strict,
    behind,
    first,
    identity_output,
    in_stream,
    listed,
    litellm,
    longer_ids,
    openai,
    openrouter,
    part,
    unsupported,
    when,
)
from tests.screens import ready
from tests.scripted import STALL, Turn, fault, forever, reached

# one of each way to refuse what a conversation has become; of the others, which refuse a field, or the same in other words,
# tests/endpoints/test_table.py plays two questions with a tool
WAYS = [
    one
    for one in STRICT
    if one.name
    in (
        "DeepSeek V4, thinking",
        "Kimi K2, thinking",
        "Gemini 3, compatible",
        "OpenRouter, reasoning",
        "Mistral, reasoning",
        "Devstral, llama.cpp",
        "Mistral template, omlx",
        "Groq, reasoning",
        "vLLM without a reasoning parser",
        "Perplexity",
        "Gemma, vLLM",
        "OpenAI, older",
        "all of it",
    )
]
GIVING = [one for one in WAYS if one.dress is not identity_output]
BEHIND = [behind(gateway, one) for gateway in (litellm, openrouter, in_stream) for one in STRICT]
MODES = {"single": ("single",), "react at its limit": ("react", "--max-steps", "2")}
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
FEW = 4  # requests refused before the calls of another model are told in words
ONCE = {"COCOCAT_RETRY_ATTEMPTS": "1"}
each = pytest.mark.parametrize("strict", WAYS, ids=lambda strict: strict.name)
behind_each = pytest.mark.parametrize("strict", BEHIND, ids=lambda strict: strict.name)


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
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_a_question_with_a_tool_is_answered(ask, play, strict, mode):
    """In either mode, also where the last request allowed asks for an answer in words of its own."""
    server, player = play(strict, (READ,), NOON)

    ran = ask(server, "--mode", *mode, "when does the boat leave?", env=strict.env)

    assert (0, f"{NOON}\n") == (ran.code, ran.stdout), ran.stderr
    assert "attempt 1 failed" not in ran.stderr
    paid_once(player)


def answered_twice(ask, play, strict):
    """Of two questions with calls side by side and one after the other, the second costs nothing more."""
    steps = ((READ,), (LIST, GREP), (READ,), NOON)
    server, player = play(strict, *steps)

    ran = ask(server, "--mode", "react", "when does the boat leave?", env=strict.env)
    paid_once(player)
    before = len(player.refused)
    more(server, player, *steps)
    again = ask(server, "--mode", "react", "and when does it leave?", env=strict.env)

    assert (0, f"{NOON}\n") == (ran.code, ran.stdout), ran.stderr
    assert (0, f"{NOON}\n") == (again.code, again.stdout), again.stderr
    assert [] == player.refused[before:]
    assert "attempt 1 failed" not in ran.stderr + again.stderr


@each
def test_what_was_learned_of_an_endpoint_is_kept(ask, play, strict):
    """The next command pays for nothing again."""
    answered_twice(ask, play, strict)


@pytest.mark.slow  # .ci/run has time for it
@behind_each
def test_a_gateway_that_wraps_the_refusals_makes_no_difference(ask, play, strict):
    """As HTTP 500 of its own, in a field beside its own words, or as an event of the stream."""
    answered_twice(ask, play, strict)


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


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("strict", STRICT, ids=lambda strict: strict.name)
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
    assert "I live in Lisbon" in (home / "memory" / "MEMORY.md").read_text()
    paid_once(player)


@pytest.mark.parametrize("strict", GIVING, ids=lambda strict: strict.name)
def test_what_a_model_gave_goes_to_no_other(ask, play, strict):
    """`-c` with another model takes neither fields nor parts along; another address is in test_given_back.py."""
    server, _ = play(strict, (READ,), NOON)
    plain = Player(PLAIN, (LIST,), "In an hour.")

    begun = ask(server, "--mode", "react", "when does the boat leave?", env=strict.env)
    server.items = [plain]
    ran = ask(server, "-m", "other", "-c", "--mode", "react", "how long is that?")

    assert 0 == begun.code, begun.stderr
    assert (0, "In an hour.\n", []) == (ran.code, ran.stdout, plain.refused), ran.stderr


@each
def test_a_session_of_another_model_is_taken_up(ask, play, scripted, strict):
    """Its calls have nothing that this one could want back, and ids that it would not give."""
    before, _ = play(PLAIN, (READ,), NOON)
    player = Player(strict, (LIST,), "In an hour.", (READ,), NOON)
    server = scripted(player)

    ask(before, "--mode", "react", "when does the boat leave?")
    words = ("-c", "--mode", "react", "and now?")
    ran = ask(server, *words, env=strict.env)
    paid = len(player.refused)
    again = ask(server, *words, env=strict.env)

    assert (0, "In an hour.\n") == (ran.code, ran.stdout), ran.stderr
    assert (0, f"{NOON}\n") == (again.code, again.stdout), again.stderr
    assert len(player.refused) - paid <= FEW


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told.name)
def test_a_refusal_that_nothing_meets_is_told_in_the_servers_own_words(ask, scripted, told):
    """At once, with the exit code of its kind."""
    server = scripted(forever(told.refusal))

    ran = ask(server, "hi", env={"COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0"})

    assert (told.code, told.tries) == (ran.code, len(server.requests)), ran.stderr
    assert told.words in ran.stderr.splitlines()[told.tries - 1]


def test_thoughts_in_parts_are_shown_as_thoughts_and_go_back_as_they_came(ask, play):
    """None of them stands in the answer."""
    server, player = play(next(one for one in STRICT if one.dress is part), (READ,), NOON)

    ran = ask(server, "--mode", "react", "--output-format", "stream-json", "when?")

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert "Thought 1." in "".join(event["text"] for event in events if event["type"] == "reasoning_delta")
    assert NOON == events[-1]["answer"]
    message = next(one for one in server.requests[-1]["messages"] if one.get("tool_calls"))
    assert player.came_with(message) == [one for one in message["content"] if one["type"] == "thinking"]
