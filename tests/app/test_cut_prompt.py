"""A server that answers 200 and reads only a part of the prompt is found out by the tokens it reports."""

import pytest

from cococat.app.endpoint.window import CutPrompt
from cococat.core.agent import estimate_tokens
from cococat.core.messages import User
from cococat.core.model import Request
from tests.scripted import Delta, calls, raw, says
from tests.scripted.windows import tokens_of

CUT = "cut the prompt to"


def reading(most, turn=says):
    """Answer, and report the *most* tokens that this server reads."""

    def play(body):
        read = min(most, tokens_of(body))
        return turn("fine", usage=(read, 1)) if turn is says else calls(turn, usage=(read, 1))

    return play


def test_less_than_half_of_the_prompt_twice_is_said_once(ask, scripted):
    """Nine of ninety might be a fault of counting; two such replies are not."""
    server = scripted(reading(9, ("list_dir", {"path": "."})), reading(9, ("glob", {"pattern": "*"})), reading(9))

    ran = ask(server, "--mode", "react", "hi", env={"COCOCAT_MODEL_CONTEXT_WINDOW": "2000"})

    assert 3 == len(server.requests)
    assert 1 == ran.stderr.count(CUT)
    assert f"{CUT} 9 of about" in ran.stderr


def test_less_than_half_once_is_not_said(ask, scripted):
    """A short prompt, and one reply."""
    server = scripted(reading(9))

    assert CUT not in ask(server, "hi").stderr


def test_a_server_that_counts_truly_costs_no_vocabulary(ask, scripted, home):
    """Only a suspicion is worth the third of a second that it takes to load."""
    ran = ask(scripted(reading(10**6)), "hi")

    assert 0 == ran.code
    assert not (home / "cache" / "tiktoken").exists()


def test_what_was_said_once_is_not_said_in_every_turn():
    """A chat goes on with a server that goes on cutting."""
    cut = CutPrompt(estimate_tokens, lambda: "Ollama")
    request = Request((User("word " * 2000),))

    lines = []
    for _ in range(3):
        cut.heard(request, 100)
        lines.append(CUT in cut.line())

    assert [True, False, False] == lines


def test_a_long_prompt_that_is_cut_to_a_fraction_is_said_at_once(ask, scripted):
    """One question with a file too long for Ollama's window, which is known by its listing in the second run."""
    server = scripted(models=({"id": "scripted", "owned_by": "library"},))
    server.add(says("o", server.listed, "k", usage=(40, 1)), reading(2900))
    words = "one two three four five six seven eight nine ten " * 600
    ask(server, "hi")

    ran = ask(server, words)

    assert (0, "fine\n") == (ran.code, ran.stdout)
    assert "Ollama cut the prompt to 2,900 of about 6," in " ".join(ran.stderr.split())
    assert "OLLAMA_CONTEXT_LENGTH=16384" in ran.stderr


@pytest.mark.parametrize(
    ("owner", "setting"),
    [
        ("library", "OLLAMA_CONTEXT_LENGTH=8192"),
        ("organization_owner", "a context length of 8192 in its load settings"),
        ("llamacpp", "--ctx-size 8192"),
        ("me", "OLLAMA_CONTEXT_LENGTH, LM Studio's load settings, --ctx-size"),
    ],
)
def test_a_count_that_stands_still_while_the_prompt_grows_is_said_with_the_setting(
    ask, scripted, tmp_path, owner, setting
):
    """The second step holds a file more, and the server reports no more."""
    (tmp_path / "long.txt").write_text("one two three four five six seven eight nine ten\n" * 100)
    server = scripted(models=({"id": "scripted", "owned_by": owner},))
    known = [says("o", server.listed, "k")]
    server.add(*known, reading(1500, ("read_file", {"path": "long.txt"})), reading(1500))
    ask(server, "hi")

    ran = ask(server, "--mode", "react", "read long.txt")

    assert (0, "fine\n") == (ran.code, ran.stdout)
    assert setting in " ".join(ran.stderr.split())


def test_a_server_that_counts_truly_or_not_at_all_is_not_accused(ask, scripted, tmp_path):
    """Long, deeply indented, in another script: what is reported by another vocabulary is close enough."""
    (tmp_path / "deep.py").write_text((" " * 40 + "x = 1\n") * 400)
    (tmp_path / "text.md").write_text("好的我们明天再见面吧。" * 300)
    steps = [("read_file", {"path": "deep.py"}), ("read_file", {"path": "text.md"})]
    server = scripted(*(reading(10**6, step) for step in steps), reading(10**6), says("fine", usage=None))

    ran = [ask(server, "--mode", "react", "read both"), ask(server, "hi")]

    assert ["fine\n", "fine\n"] == [one.stdout for one in ran]
    assert CUT not in ran[0].stderr + ran[1].stderr


@pytest.mark.parametrize(
    "fields",
    [
        lambda cached: {"prompt_tokens_details": {"cached_tokens": cached}},
        lambda cached: {"prompt_cache_hit_tokens": cached},
        lambda cached: {"cache_read_input_tokens": cached},
        lambda cached: {"cached_tokens": cached},
        lambda cached: {"cache_creation_input_tokens": cached},
    ],
    ids=["details", "hits", "read", "at the top", "written"],
)
def test_tokens_that_were_cached_are_not_missing(ask, scripted, fields):
    """A warm cache: the first request of a run reports what is new, and beside it what was known."""
    usage = {"prompt_tokens": 40, "completion_tokens": 1, **fields(6000)}
    server = scripted(raw(Delta({"content": "fine"}, "stop"), {"choices": [], "usage": usage}, b"data: [DONE]\n\n"))

    ran = ask(server, "one two three four five six seven eight nine ten " * 600)

    assert (0, "fine\n") == (ran.code, ran.stdout)
    assert CUT not in ran.stderr


def test_a_count_that_leaves_out_what_was_sent_before_is_no_cut_prompt(ask, scripted, tmp_path):
    """No field tells of a cache: each request reports what is new in it."""
    (tmp_path / "long.txt").write_text("one two three four five six seven eight nine ten\n" * 400)
    seen = [0]

    def new(turn):
        def play(body):
            before, seen[0] = seen[0], tokens_of(body)
            told = (seen[0] - before, 1)
            return says("fine", usage=told) if turn is says else calls(turn, usage=told)

        return play

    reads = [("read_file", {"path": "long.txt", "start_line": n * 40 + 1, "end_line": n * 40 + 40}) for n in range(8)]
    server = scripted(*map(new, reads), new(says))

    ran = ask(server, "--mode", "react", "read long.txt")

    assert (0, "fine\n") == (ran.code, ran.stdout)
    assert CUT not in ran.stderr
