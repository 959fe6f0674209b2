"""Commands of one's own in `ask -t`: prompts with places for words, and skills by their name."""

from __future__ import annotations

import json

import pytest

from cococat.errors import UsageError
from cococat.skills.prompts import filled, words_of
from tests.scripted import says
from tests.skills.conftest import put


@pytest.fixture
def prompts(home):
    """The folder of prompts."""
    (home / "prompts").mkdir()
    return home / "prompts"


def said(server):
    """What the user said, as the model was told."""
    return server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("prompt", "words", "text"),
    [
        ("Review $1 for $2.", ["a.py", "speed"], "Review a.py for speed."),
        ("Review $ARGUMENTS!", ["a.py", "b.py"], "Review a.py b.py!"),
        ("Twice: $1, $1", ["x"], "Twice: x, x"),
        ("Be brief.", [], "Be brief."),
        ("Be brief.", ["on", "tea"], "Be brief.\n\non tea"),
        ("For $ARGUMENTS", [], "For"),
        ("Say $1", ["$2 $ARGUMENTS `id` @x !`id`"], "Say $2 $ARGUMENTS `id` @x !`id`"),
        ("Cost: $5x and $ARGUMENTSX and $0", [*"abcde"], "Cost: ex and $ARGUMENTSX and $0"),
        ("Twelfth: $12", [*"abcdefghijkl"], "Twelfth: l"),
        ("日本語で: $1", ["猫"], "日本語で: 猫"),
    ],
)
def test_what_was_typed_goes_into_its_places_once(prompt, words, text):
    """It is not looked at again, and no shell, no file is."""
    made = filled("p", prompt, " ".join(words), words)

    assert text == made.text
    rest = made.text
    for part in made.own:
        assert part in rest
        rest = rest.partition(part)[2]


def test_a_place_without_a_word_is_refused_with_what_is_wanted():
    """A prompt with a hole in it asks for something else."""
    with pytest.raises(UsageError, match="wants 2 words, got 1"):
        filled("review", "Review $1 for $2", "a.py", ["a.py"])


def test_words_are_held_together_by_quotes_and_an_apostrophe_is_none():
    """As in a shell, but for natural language."""
    assert ["a b", "c"] == words_of("'a b' c")
    assert ["it's", "fine"] == words_of("it's fine")


def test_ask_takes_a_prompt_with_a_pipe_and_files_as_context(ask, scripted, prompts, tmp_path):
    """What was not typed now is told apart, so that no dream takes it for words of the user."""
    (prompts / "review.md").write_text("---\ndescription: Review.\n---\nI love reviews. Look at $1, then $ARGUMENTS.\n")
    (tmp_path / "notes.txt").write_text("my notes")
    server = scripted(says("fine"))

    ran = ask(server, "-t", "review", "-f", "notes.txt", "speed", "and size", stdin="the diff")

    assert (0, "fine\n") == ran[:2]
    assert said(server).startswith("I love reviews. Look at speed, then speed and size.")
    assert "my notes" in said(server)
    assert "the diff" in said(server)


@pytest.mark.parametrize("name", ["review", "pdf"])
def test_a_dream_reads_what_was_typed_alone(ask, scripted, home, prompts, name):
    """The prompt and the skill are kept as what they are: pasted, and a file."""
    (prompts / "review.md").write_text("I live in Paris. Review $1 and I love it: $ARGUMENTS\n")
    put(home / "skills", "pdf", "---\nname: pdf\ndescription: P.\n---\nI live in Paris.\n")

    ask(scripted(says("fine")), "-t", name, "my cat", env={"COCOCAT_MEMORY_MODE": "auto"})

    [record] = map(json.loads, (home / "memory" / "history.jsonl").read_text().splitlines())
    typed = [part["text"] for part in record["user"] if part["origin"] == "typed"]
    assert ["Paris" in text for text in typed] == [False]
    assert "my cat" in typed[0]
    assert "Paris" in json.dumps(record)


def test_a_skill_is_named_as_well_and_needs_no_tools(ask, scripted, own):
    """Its text comes with the words."""
    put(own, "pdf")
    server = scripted(says("done"))

    ran = ask(server, "-t", "pdf", "--no-tools", "fill it")

    assert 0 == ran.code
    assert said(server).startswith("/pdf fill it")
    assert "Do pdf." in said(server)


@pytest.mark.parametrize("name", ["nope", "../config", "review.md", "", "skills/pdf"])
def test_what_is_no_name_of_one_ends_with_2_and_those_there_are(ask, scripted, prompts, name):
    """No path leads anywhere."""
    (prompts / "review.md").write_text("Review.\n")
    server = scripted()

    ran = ask(server, "-t", name, "x")

    assert (2, []) == (ran.code, server.requests)
    assert "there are: review" in ran.stderr
    assert "cococat skills list" in ran.stderr


@pytest.mark.parametrize(("text", "why"), [(b"", "says nothing"), (b"x" * 70_000, "64 KiB"), (b"\0\1", "binary")])
def test_a_prompt_that_cannot_be_used_ends_with_2(ask, scripted, prompts, text, why):
    """It says what a prompt is."""
    (prompts / "p.md").write_bytes(text)

    ran = ask(scripted(), "-t", "p")

    assert (2, True) == (ran.code, why in ran.stderr)


def test_what_a_repository_brings_cannot_be_named_before_somebody_agreed(ask, scripted, repository):
    """--trust agrees for this once."""
    put(repository, "deploy")
    server = scripted(says("ok"))

    refused, used = ask(server, "-t", "deploy"), ask(server, "--trust", "-t", "deploy")

    assert (2, 0) == (refused.code, used.code)
    assert "nobody agreed to" in refused.stderr
    assert "Do deploy." in said(server)


def test_chat_says_where_its_way_is(cococat):
    """A chat has no --template."""
    ran = cococat("chat", "--template", "x")

    assert (2, True) == (ran.code, "a chat has it as /NAME" in ran.stderr)
