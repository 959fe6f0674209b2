"""llama.cpp's own HTTP server, with the embedded weights: what a user of a local server has."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from cococat.model.embedded import available
from tests.endpoints.recorded import recorded
from tests.endpoints.table import real_cells
from tests.scripted import says
from tests.scripted.pictures import png

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}"),
    pytest.mark.xdist_group("embedded"),
    pytest.mark.timeout(300),
]
BIG, SMALL = 8192, 1024


@pytest.mark.slow  # .ci/run has time for it
def test_a_question_is_answered_and_its_window_known(llama_cpp, real, home):
    """The window is the one that is served, not the one of the training."""
    server = llama_cpp(BIG)

    ran = real(server, "ask", "--no-tools", "What is the capital of France?")

    kept = json.loads((home / "cache" / "endpoints.json").read_text()).values()
    assert 0 == ran.code, ran.stderr
    assert "Paris" in ran.stdout
    assert [(BIG, "llama.cpp")] == [(entry["window"], entry["server"]) for entry in kept]


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("reasoning", ["deepseek", "none"], ids=["in a field", "in the text"])
def test_react_reads_a_file_and_answers_from_it(llama_cpp, real, tmp_path, reasoning):
    """By JSON decisions, which llama.cpp holds a small model to, wherever it is told to put reasoning."""
    (tmp_path / "harbour.txt").write_text("The boat leaves at noon.\n")
    server = llama_cpp(BIG)

    flags = ("--mode", "react", "--output-format", "stream-json", "--max-steps", "3")
    flags = (*flags, "-o", f"reasoning_format={reasoning}")
    env = {"COCOCAT_MODEL_PROTOCOL": "json", "COCOCAT_MODEL_CONTEXT_WINDOW": "2048"}  # a shorter prompt
    ran = real(server, "ask", *flags, "What does harbour.txt say?", env=env)

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    done = [event["name"] for event in events if event["type"] == "tool_completed"]
    assert "read_file" in done, ran.stdout
    assert "noon" in (events[-1]["answer"] or "")
    assert not events[-1]["usage"]["estimated"]


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("flags", [("--no-tools",), ()], ids=["alone", "beside tools"])
def test_an_answer_is_held_to_a_schema(llama_cpp, real, flags):
    """By a grammar, in the request without tools: the server refuses both at once."""
    schema = {"type": "array", "items": {"enum": ["red", "blue"]}, "minItems": 2, "maxItems": 2}
    ran = real(llama_cpp(BIG), "ask", *flags, "--schema", json.dumps(schema), "Name the two colours red and blue.")

    assert 0 == ran.code, ran.stderr
    assert {"red", "blue"}.issuperset(json.loads(ran.stdout))


@pytest.mark.slow  # .ci/run has time for it
def test_a_stopped_answer_leaves_the_server_free_and_the_session_goes_on(llama_cpp, real, tmp_path):
    """Ctrl-C in the middle of a long reply, then -c."""
    server = llama_cpp(BIG)
    story = ("ask", "--no-tools", "--output-format", "stream-json", "Write a very long story about a lighthouse.")
    env = {**os.environ, **server.env, "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "2000"}
    process = subprocess.Popen(
        [sys.executable, "-m", "cococat", *story], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    for line in process.stdout:
        if '"text_delta"' in line:
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    ran = real(server, "ask", "-c", "--no-tools", "Say hi.", env={"COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "8"})

    assert 130 == process.returncode
    assert 0 == ran.code or "still incomplete" in ran.stderr, ran.stderr
    assert ran.stdout.strip()


@pytest.mark.slow  # .ci/run has time for it
def test_a_question_longer_than_the_window_is_told_with_its_sizes(llama_cpp, real):
    """Refused by the server once, in its own words, and said with what it takes."""
    ran = real(llama_cpp(SMALL), "ask", "--no-tools", "word " * 1500)

    assert 5 == ran.code
    assert "1,024" in ran.stderr


@pytest.mark.slow  # .ci/run has time for it
def test_a_conversation_longer_than_the_window_is_compacted(llama_cpp, real, ask, scripted):
    """A third turn, at 250 tokens: the model is asked for notes on two that another server answered, and answers."""
    words, elsewhere = "The sea was calm that day and the boat came late. " * 4, scripted(says("ok"), says("ok"))
    for more in ((), ("-c",)):
        ask(elsewhere, *more, "--no-tools", words)

    env = {"COCOCAT_MODEL_CONTEXT_WINDOW": "250", "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "8"}
    ran = real(llama_cpp(SMALL), "ask", "-c", "--no-tools", f"{words}Say ok.", env=env)

    assert 0 == ran.code, ran.stderr
    assert ran.stdout.strip()
    assert "context compacted" in ran.stderr


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("images", ["auto", "on"])
def test_a_picture_is_refused_by_a_model_without_a_projector(llama_cpp, real, tmp_path, images):
    """By what `/props` tells before it is sent, and by what the server says where it is sent all the same."""
    (tmp_path / "a.png").write_bytes(png(32, 32))

    flags = ("ask", "--no-tools", "-f", "a.png", "What is this?")
    ran = real(llama_cpp(BIG), *flags, env={"COCOCAT_MODEL_IMAGES": images})

    assert (2, True) == (ran.code, "does not take images" in ran.stderr), ran.stderr
    assert ("image input is not supported" in ran.stderr) == (images == "on"), ran.stderr


@pytest.mark.slow  # .ci/run has time for it
def test_the_wrong_key_is_said(llama_cpp, real):
    """Exit 3, with what to check and without the key."""
    ran = real(llama_cpp(BIG), "ask", "hi", env={"COCOCAT_API_KEY": "sk-wrong-0123456789abcdef"})

    assert 3 == ran.code
    assert "401" in ran.stderr
    assert "OPENAI_API_KEY" in ran.stderr
    assert "sk-wrong" not in ran.stderr


@pytest.mark.slow  # .ci/run has time for it
def test_a_server_of_one_model_answers_to_any_name(llama_cpp, real):
    """As llama.cpp does; doctor says that the name is not among those it lists."""
    server = llama_cpp(BIG)

    ran = real(server, "ask", "--no-tools", "-m", "nonesuch", "Say ok.", env={"COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "8"})
    doctor = real(server, "doctor", "-m", "nonesuch")

    assert ran.code in (0, 5), ran.stderr
    assert "nonesuch is not among them" in doctor.stdout


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("window", [BIG, SMALL])
def test_a_probe_finds_what_it_can_do(llama_cpp, real, window):
    """Within its bounds; the word that follows is one of three."""
    ran = real(llama_cpp(window), "doctor", "--probe", "--yes", "--json")

    found = json.loads(ran.stdout)["probe"]
    assert (window, "listing", "llama.cpp") == (found["window"], found["window_from"], found["server"])
    assert (True, True, 1) == (found["streams"], found["usage"], found["listed"])
    assert found["calls"] in ("native", "json", "text")
    assert ("obeyed", "max_tokens") == (found["schema"], found["max_tokens"])
    assert found["requests"] <= 13
    assert found["tokens"] <= 4000


@pytest.mark.slow  # a dozen real runs; .ci/run makes them
def test_the_row_of_the_page_is_what_the_real_server_does(llama_cpp):
    """real.json, from which docs/endpoints.md is written, is what llama.cpp does today."""
    seen = real_cells(llama_cpp(BIG), llama_cpp(SMALL))

    assert recorded()["llama.cpp"] == seen, "python -m tests.endpoints.table --real > docs/endpoints.md"
