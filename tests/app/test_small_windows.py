"""Every request fits the window of the server it goes to, told or found out."""

import re
import sys

import pytest
from inline_snapshot import snapshot

from tests.screens import ready
from tests.scripted import calls, fault, says
from tests.scripted.windows import tokens_of, within

VLLM = ("vllm", "vllm, newer")


def sizes(server, window):
    """Tokens of prompt and reply together, of the requests that the server took."""
    both = [(tokens_of(body), body.get("max_tokens", 0)) for body in server.requests]
    return [prompt + reply for prompt, reply in both if prompt + reply <= window]


@pytest.mark.parametrize("mode", ["single", "react"])
@pytest.mark.parametrize(
    ("window", "wording"),
    [
        *((2048, VLLM[0]), (2048, VLLM[1]), (4096, VLLM[0]), (8192, VLLM[1])),
        *((1024, "llama.cpp"), (2048, "without a number")),
    ],
)
def test_hi_works_on_a_small_window_that_nobody_named(ask, scripted, mode, window, wording):
    """One refusal at most teaches the window, two where it names none; the request that follows is answered."""
    server = scripted(within(window, says("hello"), wording))

    ran = ask(server, "--mode", mode, "hi")

    assert (0, "hello\n") == (ran.code, ran.stdout)
    assert len(server.requests) <= 2 + (wording == "without a number")
    assert all(before != after for before, after in re.findall(r"compacted: (\S+) → (\S+)", ran.stderr))
    assert tokens_of(server.requests[-1]) < window
    assert "hi" == server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("window", [1024, 2048, 4096, 8192])
def test_nothing_is_refused_where_the_window_is_known(ask, scripted, window):
    """The room for the reply is what the window leaves; where it leaves enough, nothing is asked for."""
    server = scripted(within(window, says("hello")))

    ran = ask(server, "--mode", "react", "hi", env={"COCOCAT_MODEL_CONTEXT_WINDOW": str(window)})

    assert (0, "hello\n", 1) == (ran.code, ran.stdout, len(server.requests))
    [body] = server.requests
    assert ("max_tokens" in body) == (window < 8192)
    assert window // 2 - 100 <= body.get("max_tokens", window) <= window


def test_a_long_question_leaves_less_for_the_reply_and_is_sent_whole(ask, scripted):
    """4,300 tokens of the user's own at 8k: the reply shrinks, not the words."""
    words = "one two three four five six seven eight nine ten " * 430
    server = scripted(within(8192, says("read")))

    ran = ask(server, words.strip(), env={"COCOCAT_MODEL_CONTEXT_WINDOW": "8192"})

    assert (0, "read\n", 1) == (ran.code, ran.stdout, len(server.requests))
    assert words.strip() == server.requests[0]["messages"][-1]["content"]
    assert 2500 < server.requests[0]["max_tokens"] < 4000


@pytest.mark.parametrize("told", [True, False], ids=["told", "found out"])
def test_twelve_steps_over_six_files_work_in_8k(ask, scripted, tmp_path, told):
    """A task that is longer than the window: every request fits, the question stays, the answer comes."""
    for n in range(6):
        (tmp_path / f"part{n}.txt").write_text(
            "".join(f"line {n}.{line} holds some words of the text\n" for line in range(120))
        )
    steps = [
        calls(("read_file", {"path": f"part{n % 6}.txt", "start_line": 1 + 40 * (n // 6)}), usage=None)
        for n in range(11)
    ]
    server = scripted(*(within(8192, turn) for turn in (*steps, says("all six were read", usage=None))))

    env = {"COCOCAT_MODEL_CONTEXT_WINDOW": "8192"} if told else {}
    ran = ask(server, "--mode", "react", "compare the six parts", env=env)

    assert snapshot((0, "all six were read\n")) == (ran.code, ran.stdout)
    asked = [body for body in server.requests if "Write the notes" not in str(body["messages"][-1])]
    assert len(asked) - len(sizes(server, 8192)) <= (0 if told else 1)
    assert all("compare the six parts" in str(body["messages"]) for body in asked)
    last = server.requests[-1]
    assert {"list_dir", "read_file", "grep_search", "write_file", "edit_file", "run_shell"} == {
        tool["function"]["name"] for tool in last["tools"]
    }
    assert max(len(message["content"] or "") for message in last["messages"][1:]) < 2600
    assert tokens_of({"messages": last["messages"][:1]}) < 120


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_turn_goes_on_from_what_the_one_before_it_sent(chat, scripted, tmp_path):
    """What was cut once is not cut anew for each question: a server has the whole prompt of the last answer cached."""
    for n in range(6):
        (tmp_path / f"part{n}.txt").write_text("".join(f"line {n}.{line} of the text\n" for line in range(200)))
    reads = [calls(("read_file", {"path": f"part{n}.txt"})) for n in range(6)]
    server = scripted(*reads, says("Six."), says("One."), says("Two."))
    terminal = chat(server, env={"COCOCAT_MODEL_CONTEXT_WINDOW": "16000"})

    for question, answer in (("count", "Six."), ("one?", "One."), ("two?", "Two.")):
        terminal.press(f"{question}\r")
        text = terminal.until(lambda text, answer=answer: answer in text and ready(text))

    *_, six, one, two = [body["messages"] for body in server.requests]
    assert (six, one) == (one[: len(six)], two[: len(one)])
    assert text.count("context compacted") == 1


def test_a_prompt_that_the_window_cannot_hold_is_not_sent_over_and_over(ask, scripted):
    """The refusal is told with its sizes, exit 5."""
    server = scripted(within(2048, says("never")))

    ran = ask(server, "word " * 3000)

    assert 5 == ran.code
    assert "never" not in ran.stdout
    assert len(server.requests) <= 2
    assert "the model takes 2,048" in ran.stderr
    server.items.clear()


def test_a_memory_too_large_for_the_window_is_left_out_and_said(ask, scripted, home):
    """Two thousand tokens of memory leave a small model nothing to think with."""
    (home / "memory").mkdir(mode=0o700)
    (home / "memory" / "MEMORY.md").write_text("".join(f"- likes tea of the kind number {n}\n" for n in range(120)))
    server = scripted(within(2048, says("hello")))

    ran = ask(server, "hi", env={"COCOCAT_MODEL_CONTEXT_WINDOW": "2048"})

    assert (0, "hello\n", 1) == (ran.code, ran.stdout, len(server.requests))
    assert "likes tea" not in str(server.requests[0])
    assert "the memory was left out: the model takes 2,048 tokens" in ran.stderr


def test_a_server_that_takes_no_limit_of_the_reply_gets_none(ask, scripted):
    """Both names are refused in turn; the third request has neither."""
    server = scripted(
        fault(400, "unsupported parameter: max_tokens"),
        fault(400, "unsupported parameter: max_completion_tokens"),
        says("hello"),
    )

    ran = ask(server, "hi", env={"COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "4096"})

    assert (0, "hello\n") == (ran.code, ran.stdout)
    assert not {"max_tokens", "max_completion_tokens"} & server.requests[-1].keys()


def test_a_window_that_is_too_small_is_told_once(ask, scripted):
    """The error says it, with what to do; what stands in for the answer does not say it again."""
    ran = ask(scripted(), "hello", env={"COCOCAT_MODEL_CONTEXT_WINDOW": "40"})

    assert (5, 1) == (ran.code, (ran.stdout + ran.stderr).count("the model takes 40"))
    assert "Nothing was done." in ran.stdout
