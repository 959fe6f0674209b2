"""`cococat ask` as a user and a script see it: streams, exit codes, files."""

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.begun import begin
from tests.scripted import CUT, STALL, broken, calls, fault, forever, reached, reasons, says, tool_results

ROOT = Path(__file__).resolve().parents[2]
FACE = "The face is green.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```"


def result_of(ran):
    """The one JSON object on stdout."""
    return json.loads(ran.stdout)


def test_a_piped_answer_is_the_models_text_and_one_newline(ask, scripted):
    """stdout holds the answer byte for byte; nothing is rendered, wrapped or coloured off a terminal."""
    server = scripted(says("The face ", "is green.", FACE[18:]))

    ran = ask(server, "What colour is the face?")

    assert (0, FACE + "\n") == (ran.code, ran.stdout)
    assert "\x1b" not in ran.stderr


def test_json_is_one_object_with_the_totals(ask, scripted, home):
    """Scripts get the answer, the stop reason, the usage and the session in one object."""
    server = scripted(says("Paris.", usage=(42, 7)))

    result = result_of(ask(server, "--output-format", "json", "capital of France?"))

    assert ("Paris.", "answered", 0, 1, None) == tuple(
        result[key] for key in ("answer", "stop_reason", "exit_code", "steps", "error")
    )
    usage = {"prompt_tokens": 42, "completion_tokens": 7, "total_tokens": 49, "estimated": False}
    assert usage == result["usage"]
    assert (home / "sessions" / f"{result['session_id']}.jsonl").exists()


def test_stream_json_tells_the_events_in_order_and_ends_with_the_result(ask, scripted, tmp_path):
    """One object a line, each with type and ts; the tool call is announced, run and completed."""
    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    server = scripted(calls(("read_file", {"path": "notes.txt"}), text="I look."), says("Buy ", "milk."))

    ran = ask(server, "--output-format", "stream-json", "--mode", "react", "what do the notes say?")

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert all({"type", "ts"} <= event.keys() for event in events)
    kinds = [event["type"] for event in events]
    assert [
        "session_started",
        "step_started",
        "text_delta",
        "tool_pending",
        "tool_running",
        "tool_completed",
        "step_started",
        "text_delta",
        "text_delta",
        "result",
    ] == kinds
    assert "Buy milk." == events[-1]["answer"]


def test_single_mode_sends_one_round_of_tools_and_a_second_request_without(ask, scripted, tmp_path):
    """At most two requests; the results go back in call order; the second offers no tools."""
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    server = scripted(calls(("read_file", {"path": "b.txt"}), ("read_file", {"path": "a.txt"})), says("two, one"))

    ran = ask(server, "what is in the files?")

    assert (0, "two, one\n") == (ran.code, ran.stdout)
    first, second = server.requests
    assert {"list_dir", "read_file", "glob", "grep_search"} == {tool["function"]["name"] for tool in first["tools"]}
    assert "tools" not in second
    results = tool_results(second)
    assert ["two" in results[0], "one" in results[1]] == [True, True]


def test_react_mode_goes_on_until_the_model_answers(ask, scripted, tmp_path):
    """Every round sees the observations of the ones before; the thought is not the answer."""
    (tmp_path / "app.toml").write_text("port = 8080\n")
    server = scripted(
        calls(("list_dir", {"path": "."}), text="I list the folder first."),
        calls(("read_file", {"path": "app.toml"}), text="Now the config."),
        says("The port is 8080 (app.toml, line 1)."),
    )

    ran = ask(server, "--mode", "react", "which port?")

    assert snapshot((0, "The port is 8080 (app.toml, line 1).\n")) == (ran.code, ran.stdout)
    assert "app.toml" in server.requests[1]["messages"][-1]["content"]
    assert "8080" in server.requests[2]["messages"][-1]["content"]
    assert "I list the folder first." in ran.stderr
    assert "read_file" in ran.stderr


def test_the_step_limit_ends_with_an_answer_and_exit_5(ask, scripted, tmp_path):
    """At the limit one more request offers no tools; its text is the answer."""
    for name in "abc":
        (tmp_path / name).write_text(name)
    server = scripted(*(calls(("read_file", {"path": name})) for name in "abc"), says("So far: a, b, c."))

    ran = ask(server, "--mode", "react", "--max-steps", "3", "go on for ever")

    assert (5, "So far: a, b, c.\n") == (ran.code, ran.stdout)
    assert [True, True, True, False] == ["tools" in request for request in server.requests]
    assert "--max-steps" in ran.stderr


def test_a_call_that_needs_permission_is_done_without_and_named_with_its_flag(ask, scripted, tmp_path):
    """Nobody can be asked: what may run runs, the answer is printed, exit 4; with the exact --allow the call runs."""
    wanted = calls(("run_shell", {"command": "touch made"}))
    both = calls(("write_file", {"path": "src/a.txt", "content": "x"}), ("run_shell", {"command": "touch made"}))
    server = scripted(both, says("Written, not made."))
    refused = ask(server, "--mode", "react", "--allow", "write_file(src/**)", "make a file")

    assert snapshot((4, "Written, not made.\n")) == (refused.code, refused.stdout)
    assert "--allow 'run_shell(touch made)'" in refused.stderr
    assert ("x", False) == ((tmp_path / "src" / "a.txt").read_text(), (tmp_path / "made").exists())
    told = server.requests[1]["messages"][-1]["content"]
    assert "write_file(src/**)" in told
    assert "--allow 'run_shell(touch made)'" in told

    server = scripted(wanted, says("made"))
    allowed = ask(server, "--mode", "react", "--allow", "run_shell(touch made)", "make a file")

    assert (0, "made\n") == (allowed.code, allowed.stdout)
    assert (tmp_path / "made").exists()


def test_a_change_that_cannot_be_made_fails_before_anybody_is_asked(ask, scripted, tmp_path):
    """A file that was not read, and a passage that is not there: the model is told that, not that it may not."""
    (tmp_path / "a.txt").write_text("one\n")
    change = {"path": "a.txt", "old_text": "two", "new_text": "three"}
    server = scripted(
        calls(("edit_file", change), ("write_file", {"path": "a.txt", "content": "x"})),
        calls(("read_file", {"path": "a.txt"})),
        calls(("edit_file", change)),
        says("It says one."),
    )

    ran = ask(server, "--mode", "react", "change it")

    unread, whole, _, absent = tool_results(server.requests[3])
    assert (0, "It says one.\n") == (ran.code, ran.stdout)
    assert "a.txt has not been read yet; call read_file first" in unread
    assert "a.txt has not been read yet; call read_file first" in whole
    assert "NoMatchError: old_text occurs 0 times" in absent


def test_what_an_earlier_call_of_the_reply_will_do_is_not_held_against_a_change(ask, scripted, tmp_path):
    """Reading a file and changing it in one reply is fine: the change is judged when its time has come."""
    (tmp_path / "a.txt").write_text("one\n")
    change = {"path": "a.txt", "old_text": "one", "new_text": "two"}
    server = scripted(calls(("read_file", {"path": "a.txt"}), ("edit_file", change)), says("done"))

    ran = ask(server, "--mode", "react", "change it")

    assert 4 == ran.code
    assert "--allow 'edit_file(a.txt)'" in ran.stderr


def test_a_file_of_14_000_characters_is_read_in_one_call_with_numbered_lines(ask, scripted, tmp_path, home):
    """A20: a fresh result holds 16,000 characters, less only where the window is small."""
    (home / "config.toml").write_text("[model]\ncontext_window = 128000\n")
    (tmp_path / "long.txt").write_text("".join(f"{n:03} {'x' * 30}\n" for n in range(1, 401)))
    server = scripted(calls(("read_file", {"path": "long.txt"})), says("read"))

    ask(server, "--mode", "react", "read it")

    seen = server.requests[1]["messages"][-1]["content"]
    assert "long.txt: 400 lines\n1\t001 x" in seen
    assert seen.endswith(f"400\t400 {'x' * 30}")


def test_a_question_of_the_model_is_the_answer_with_exit_7(ask, scripted):
    """There is nobody to ask in a one-shot: the question is printed."""
    ran = ask(scripted(calls(("ask_user", {"question": "Which port?"}))), "--mode", "react", "set it up")

    assert 7 == ran.code
    assert "Which port?" in ran.stdout


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        pytest.param(fault(401, "Incorrect API key provided: sk-x"), ["401"], id="wrong key"),
        pytest.param(
            fault(404, "The model `scripted` does not exist", code="model_not_found"), ["-m"], id="unknown model"
        ),
        pytest.param(broken("Half an ans", how=CUT), [], id="cut stream"),
        pytest.param(fault(400, "this model does not support tools"), ["--no-tools"], id="endpoint without tools"),
    ],
)
def test_a_failing_endpoint_is_one_clear_error_and_exit_3(ask, scripted, turn, words):
    """What failed and the fix in at most three lines; never a traceback, never a key."""
    server = scripted(turn)
    env = {"COCOCAT_API_KEY": "sk-secret-canary-123456", "COCOCAT_MODEL_PROTOCOL": "native"}

    ran = ask(server, "hello", env=env)

    assert 3 == ran.code
    errors = [line for line in ran.stderr.splitlines() if line.startswith(("cococat: error", "hint:"))]
    assert 1 <= len(errors) <= 3, ran.stderr
    assert all(word in ran.stderr for word in words), ran.stderr
    assert "Traceback" not in ran.stderr
    assert "canary" not in ran.stdout + ran.stderr
    assert 1 == len(server.requests)


def test_text_before_a_cut_is_still_printed(ask, scripted):
    """What has arrived is not thrown away; the exit code says that it is not whole."""
    ran = ask(scripted(broken("Half an ans", how=CUT)), "--no-tools", "hello")

    assert snapshot((3, "Half an ans\n")) == (ran.code, ran.stdout)


def test_a_refused_connection_names_the_host_and_exits_3(cococat):
    """Nothing listens there: one line, no long wait."""
    ran = cococat("ask", "--base-url", "http://127.0.0.1:9/v1", "-m", "x", "hi", env={"COCOCAT_RETRY_ATTEMPTS": "1"})

    assert 3 == ran.code
    assert "127.0.0.1:9" in ran.stderr


def test_a_stalled_stream_ends_at_the_idle_limit_with_the_text_so_far(ask, scripted):
    """Silence is not an answer: the partial text is kept and the run fails with exit 3."""
    server = scripted(broken("Half", how=STALL))

    ran = ask(server, "--no-tools", "hello", env={"COCOCAT_TIMEOUTS_IDLE": "1"})

    assert (3, "Half\n") == (ran.code, ran.stdout)
    assert 1 == len(server.requests)


def test_a_busy_server_is_asked_again_and_the_answer_comes_once(ask, scripted):
    """Two 503 and then an answer: three requests, one answer, exit 0."""
    server = scripted(fault(503), fault(503), says("hello"))

    ran = ask(server, "hi", env={"COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0"})

    assert (0, "hello\n", 3) == (ran.code, ran.stdout, len(server.requests))


def test_json_is_one_object_even_when_it_fails(ask, scripted):
    """A script can always parse stdout."""
    result = result_of(ask(scripted(fault(401)), "--output-format", "json", "hi"))

    assert ("model_error", 3, "auth") == (result["stop_reason"], result["exit_code"], result["error"]["kind"])
    assert result["error"]["hint"]


@pytest.mark.parametrize(
    "words",
    [["--max-steps", "0", "hi"], ["--mode", "fast", "hi"], ["--nonsense", "hi"], ["-f", "missing.txt", "hi"], []],
    ids=["steps out of range", "unknown mode", "unknown flag", "missing file", "nothing to ask"],
)
def test_bad_usage_exits_2_without_a_request(ask, scripted, words):
    """A mistake on the command line costs nothing and says what to do."""
    server = scripted()

    ran = ask(server, *words)

    assert (2, "", 0) == (ran.code, ran.stdout, len(server.requests))
    assert 1 <= len(ran.stderr.strip().splitlines()) <= 3, ran.stderr


def test_piped_input_follows_the_prompt_and_files_are_named(ask, scripted, tmp_path):
    """`git diff | cococat ask "review"`: the model sees the prompt, the piped text and the file apart."""
    (tmp_path / "style.md").write_text("Be brief.\n")
    server = scripted(says("fine"))

    ask(server, "-f", tmp_path / "style.md", "review this", stdin="+ a line\n")

    content = server.requests[0]["messages"][-1]["content"]
    assert content.startswith("review this")
    assert "+ a line" in content
    assert "Be brief." in content
    assert "style.md" in content


@pytest.mark.parametrize("words", [[], ["-"]], ids=["no prompt", "a dash"])
def test_piped_input_alone_is_the_prompt(ask, scripted, words):
    """Without a prompt, or with `-`, what is piped in is asked."""
    server = scripted(says("4"))

    ask(server, *words, stdin="What is 2 + 2?\n")

    assert "What is 2 + 2?" == server.requests[0]["messages"][-1]["content"]


def test_a_prompt_behind_two_dashes_is_never_a_flag(ask, scripted):
    """Text that looks like a flag is text."""
    server = scripted(says("ok"))

    ran = ask(server, "--", "--help")

    assert (0, "--help") == (ran.code, server.requests[0]["messages"][-1]["content"])


def test_continue_takes_up_the_last_session_of_the_folder(ask, scripted):
    """The second question is asked with the first one's answer in its history."""
    server = scripted(says("Nice to meet you, Dana."), says("Dana."))

    ask(server, "I am Dana.")
    ask(server, "-c", "Who am I?")

    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert ["system", "user", "assistant", "user"] == roles


def test_no_session_leaves_no_log_behind(ask, scripted, home):
    """--no-session writes nothing that could be resumed."""
    ask(scripted(says("ok")), "--no-session", "hi")

    assert [] == list((home / "sessions").glob("*.jsonl")) if (home / "sessions").exists() else True


def test_the_user_message_is_on_disk_before_the_request_arrives(ask, scripted, home):
    """What the user said survives whatever happens next."""
    seen = []

    def turn(body):
        seen.extend(log.read_text() for log in (home / "sessions").glob("*.jsonl"))
        return says("ok")

    ask(scripted(turn), "remember the milk")

    assert "remember the milk" in seen[0]


def start(server, *words, **options):
    """Run `cococat ask` without waiting for it."""
    return begin("ask", "--base-url", server.base_url, "-m", "scripted", *words, **options)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_in_the_middle_of_a_stream_keeps_the_text_and_ends_with_128_plus_n(scripted, number, code):
    """The partial answer is printed, the history stays valid, and a second run can go on from it."""
    shown = threading.Event()
    server = scripted(broken("Half an answer", reached(shown), how=STALL), says("the rest"))
    with start(server, "--no-tools", "tell me a story") as process:
        assert shown.wait(60)

        process.stdout.read(len("Half an answer"))
        process.send_signal(number)
        ended, out, err = process.ended()

    assert (code, b"\n") == (ended, out), err
    assert b"Traceback" not in err
    with start(server, "--no-tools", "-c", "go on") as again:
        ended, out, err = again.ended()
    assert (0, b"the rest\n") == (ended, out), err
    assert snapshot("Half an answer") == server.requests[1]["messages"][2]["content"]


def test_a_reader_that_goes_away_is_no_error_message(scripted):
    """`cococat ask … | head -1` ends with 141 and silence."""
    gone, shown = threading.Event(), threading.Event()
    server = scripted(says("one\n", reached(shown), gone, *["more\n"] * 2000))
    with start(server, "--no-tools", "count") as process:
        assert shown.wait(60)

        process.stdout.read(3)
        process.stdout.close()
        gone.set()

        assert (141, b"") == (process.wait(60), process.stderr)


def test_reasoning_is_never_part_of_the_answer(ask, scripted):
    """Reasoning deltas are shown as such or not at all."""
    ran = ask(scripted(reasons("let me think", then=says("42"))), "--no-tools", "the answer?")

    assert "42\n" == ran.stdout


def test_the_key_of_one_host_is_never_sent_to_another(ask, scripted):
    """OPENAI_API_KEY belongs to its own endpoint; --base-url on another host gets none of it."""
    server = scripted(says("ok"))

    ask(server, "hi", env={"OPENAI_API_KEY": "sk-secret-canary-123456"})

    assert "canary" not in json.dumps(server.headers)


def test_what_is_told_in_words_is_on_no_disk_afterwards(ask, scripted, home):
    """A code, a card and an account: neither in the session nor in what the memory is made of."""
    prompt = "my door code is 4711, my card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00"

    ran = ask(scripted(says("Noted: your door code is 4711.")), prompt)

    assert 0 == ran.code
    written = "".join(file.read_text("utf-8", "replace") for file in home.rglob("*.jsonl"))
    assert "my door code is [redacted:password]" in written
    assert not [secret for secret in ("4711", "4111 1111", "DE89") if secret in written]


@pytest.mark.parametrize(
    ("prompt", "secret"),
    [
        ("ah pis le code d'alarme de badeaux c'est 7739 dièse, garde ça qq part", "7739"),
        ("son nas pour la paye c'est 046 454 286", "046 454 286"),
        ("schlüsselsafe vom winterraum isch jetzt 5517, falls i frag", "5517"),
    ],
    ids=["alarm", "insurance", "key-safe"],
)
def test_what_is_told_in_a_dialect_is_on_no_disk_afterwards(ask, scripted, home, prompt, secret):
    """And nothing but the secret is missing, neither from the session nor from what the memory is made of."""
    ran = ask(scripted(says("ok")), prompt)

    assert 0 == ran.code
    logs = [line for file in home.rglob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    written = json.dumps([json.loads(line) for line in logs], ensure_ascii=False)
    before, behind = prompt.split(secret)
    assert re.search(rf"{re.escape(before)}\[redacted:[a-z-]+\]{re.escape(behind)}", written)
    assert not re.search(rf"(?<![\w.]){secret}(?!\w)", written)


def test_no_model_at_all_names_three_ways_to_get_one(tmp_path, home):
    """No key, no configuration, no server, no extra: exit 2 and three commands to paste."""
    if find_local_server():
        pytest.skip("a model server of this machine's own listens on loopback")
    without = tmp_path / "packages"  # what is installed here, but for the embedded model's engine
    without.mkdir()
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not entry.name.startswith(("xllamacpp", "__pycache__")) and not entry.name.endswith(".pth"):
            (without / entry.name).symlink_to(entry)
    path = f"{ROOT}{os.pathsep}{without}"

    ran = subprocess.run(
        [sys.executable, "-S", "-m", "cococat", "ask", "hi"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "COCOCAT_API_KEY": ""},
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
        timeout=100,
        check=False,
        text=True,
    )

    assert (2, "") == (ran.returncode, ran.stdout)
    assert all(word in ran.stderr for word in ("OPENAI_API_KEY", "--base-url", "cococat[local]"))


def find_local_server():
    """A server that would be found before the error."""
    import asyncio

    from cococat.model.catalog import find_local

    return asyncio.run(find_local())


def test_many_deltas_stay_one_answer(ask, scripted):
    """10,000 deltas arrive whole and in order."""
    words = [f"{number} " for number in range(10_000)]

    ran = ask(scripted(says(*words)), "--no-tools", "count")

    assert "".join(words) + "\n" == ran.stdout


def test_the_same_request_for_ever_is_stopped_as_a_loop(ask, scripted):
    """The third identical call is refused, the fourth stops the run; a last request asks for an answer."""
    server = scripted(forever(calls(("list_dir", {"path": "."}))))

    ran = ask(server, "--mode", "react", "--output-format", "json", "loop")

    result = result_of(ran)
    assert ("loop", 5, 5) == (result["stop_reason"], result["exit_code"], len(server.requests))
    assert "list_dir" in result["answer"]
