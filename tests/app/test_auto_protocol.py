"""`model.protocol = "auto"`: endpoints and models that cannot call tools are worked with all the same."""

import json
import sys
import threading

import pytest
from inline_snapshot import snapshot

from tests.screens import ready
from tests.scripted import calls, fault, reached, reasons, says

pytestmark = pytest.mark.ask("--mode", "react")

NO_TOOLS = fault(400, "registry.ollama.ai/library/gemma:2b does not support tools")
REFUSED = "this endpoint does not take tools: using JSON decisions"
CALL = '{"name": "read_file", "arguments": {"path": "notes.txt"}}'
CALLS = {
    "bare": CALL,
    "fence": f"```json\n{CALL}\n```",
    "tags": f"<tool_call>\n{CALL}\n</tool_call>",
    "function": f'{{"type": "function", "function": {CALL}}}',
}


@pytest.fixture(autouse=True)
def notes(tmp_path):
    """There is something to read."""
    (tmp_path / "notes.txt").write_text("Buy milk.\n")


def decides(action, **fields):
    """One reply with one decision."""
    return says(json.dumps({"action": action, **fields}))


READS = decides("tool_call", tool="read_file", tool_input={"path": "notes.txt"})


def offers(server):
    """How each request asked: with tools, with a schema, or with neither."""
    return ["tools" if "tools" in asked else asked.get("response_format", {}).get("type") for asked in server.requests]


def test_an_endpoint_that_refuses_tools_is_asked_for_decisions(ask, scripted):
    """One refusal, one notice; then decisions drive the tool and give the answer, in as many steps."""
    server = scripted(NO_TOOLS, READS, decides("finish", final="Milk."))

    ran = ask(server, "what do the notes say?", "--output-format", "json")

    result = json.loads(ran.stdout)
    assert (0, "Milk.", "answered", 2) == (ran.code, result["answer"], result["stop_reason"], result["steps"])
    assert ["tools", "json_schema", "json_schema"] == offers(server)
    assert 1 == ran.stderr.count(REFUSED)
    assert "Buy milk." in server.requests[2]["messages"][-1]["content"]


def test_single_mode_does_it_too(cococat, scripted, tmp_path):
    """The default of `ask`: one round, then the answer."""
    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    server = scripted(NO_TOOLS, READS, decides("finish", final="Milk."))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "x", "what do the notes say?")

    assert (0, "Milk.\n", 3) == (ran.code, ran.stdout, len(server.requests))


@pytest.mark.parametrize(
    "words",
    [
        "response_format.type json_schema is not supported",
        "This model does not support response format `json_schema`",
        "This response_format type is unavailable now",
    ],
)
def test_an_endpoint_that_refuses_schemas_as_well_gets_plain_text(ask, scripted, words):
    """The prompt alone asks for the JSON; neither is tried again."""
    server = scripted(NO_TOOLS, fault(400, words), READS, decides("finish", final="Milk."))

    ran = ask(server, "what do the notes say?")

    assert (0, "Milk.\n") == (ran.code, ran.stdout)
    assert ["tools", "json_schema", None, None] == offers(server)


@pytest.mark.parametrize("first", [[], [READS]], ids=["at once", "after a call"])
def test_prose_where_json_was_asked_for_is_the_answer(ask, scripted, first):
    """A server that ignores `response_format` is asked once, and its words are not dropped."""
    server = scripted(NO_TOOLS, *first, says("The capital of France ", "is Paris."))

    ran = ask(server, "what is the capital of France?")

    assert snapshot((0, "The capital of France is Paris.\n")) == (ran.code, ran.stdout)
    assert 2 + len(first) == len(server.requests)


def test_one_decision_among_prose_is_that_decision(ask, scripted):
    """Whatever a chatty model says around it."""
    decision = '{"action": "finish", "final": "Milk."}'
    server = scripted(NO_TOOLS, says(f"Sure, here it is:\n\n```json\n{decision}\n```\nAnything else?"))

    ran = ask(server, "the notes?")

    assert (0, "Milk.\n", 2) == (ran.code, ran.stdout, len(server.requests))


def test_prose_that_was_cut_is_no_answer_to_a_question_for_json(ask, scripted):
    """It is asked for again: nobody knows how it would have gone on."""
    server = scripted(NO_TOOLS, says("The capital of", finish="length"), decides("finish", final="Paris."))

    ran = ask(server, "the capital of France?")

    assert (0, "Paris.\n", 3) == (ran.code, ran.stdout, len(server.requests))


def test_a_second_refusal_is_an_error(ask, scripted):
    """Nothing is sent for ever."""
    server = scripted(NO_TOOLS, NO_TOOLS)

    ran = ask(server, "hello")

    assert (3, 2) == (ran.code, len(server.requests))
    assert "does not support tools" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_no_tools_no_second_try(ask, scripted):
    """Where none were offered there is no other way to ask."""
    server = scripted(NO_TOOLS)

    ran = ask(server, "--no-tools", "hello")

    assert (3, 1, 0) == (ran.code, len(server.requests), ran.stderr.count("JSON decisions"))


@pytest.mark.parametrize("protocol", ["native", "json"])
def test_the_users_word_for_a_protocol_holds(ask, scripted, protocol):
    """Only `auto` changes."""
    server = scripted(NO_TOOLS)

    ran = ask(server, "hello", env={"COCOCAT_MODEL_PROTOCOL": protocol})

    assert (3, 1, 0) == (ran.code, len(server.requests), ran.stderr.count("using JSON decisions"))


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_a_call_written_as_text_is_run(ask, scripted, text):
    """At once, not told as the answer; the way of asking stays, and prose that follows is the answer."""
    server = scripted(says(text[:9], text[9:]), says("Milk."))

    ran = ask(server, "what do the notes say?")

    assert (0, "Milk.\n") == (ran.code, ran.stdout)
    assert ["tools", "tools"] == offers(server)
    assert "JSON decisions" not in ran.stderr
    assert "arguments" not in ran.stdout + ran.stderr
    assert "Buy milk." in server.requests[1]["messages"][-1]["content"]


def test_a_call_in_text_asks_for_permission_like_any_other(ask, scripted, tmp_path):
    """A new way to call is no way around the rules."""
    call, answer = (
        '{"name": "run_shell", "arguments": {"command": "touch made"}}',
        '{"action": "finish", "final": "no"}',
    )
    server = scripted(says(call), says(answer))

    ran = ask(server, "make a file")

    assert 4 == ran.code
    assert "--allow 'run_shell(touch made)'" in ran.stderr
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "answer",
    [
        '{"colour": "green", "face": true}',
        '{"name": "no_such_tool", "arguments": {}}',
        f"Send this:\n\n```json\n{CALL}\n```",
        f"```json\n{CALL}\n```\n\nThis is how read_file is called.",
    ],
    ids=["data", "unknown tool", "example at the end", "example at the start"],
)
def test_json_in_an_answer_stays_an_answer(ask, scripted, answer):
    """Byte for byte on stdout, in one request, and native calls go on being used."""
    server = scripted(says(*answer.splitlines(keepends=True)))

    ran = ask(server, "answer in JSON")

    assert (0, answer + "\n", 1) == (ran.code, ran.stdout, len(server.requests))
    assert "JSON decisions" not in ran.stderr


def test_a_json_answer_that_is_continued_is_told_whole(ask, scripted):
    """What was held back and what streamed after the cut make one answer."""
    server = scripted(says('{"name": "Ann', finish="length"), says(' Lee"}'))

    ran = ask(server, "--output-format", "stream-json", "who?")

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    deltas = "".join(event["text"] for event in events if event["type"] == "text_delta")
    assert snapshot(('{"name": "Ann Lee"}', '{"name": "Ann Lee"}')) == (deltas, events[-1]["answer"])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize("env", [{}, {"TERM": "dumb"}], ids=["live", "dumb"])
def test_a_person_never_sees_the_json(scripted, tmp_path, env):
    """Neither while it streams nor afterwards; the call and the answer are there."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    sent, go_on = threading.Event(), threading.Event()
    server = scripted(says("<tool_call>", CALL[:30], reached(sent), go_on, CALL[30:]), says("Milk."))
    flags = ["ask", "--base-url", server.base_url, "-m", "x", "--mode", "react", "--root", tmp_path, "the notes?"]
    with PseudoTerminal("cococat", *flags, env=env) as terminal:
        assert sent.wait(60)
        go_on.set()
        code = terminal.leave()

        assert 0 == code
        assert b"arguments" not in terminal.raw
        assert b"tool_call" not in terminal.raw
        assert "Milk." in [row.strip() for row in terminal.text.splitlines()]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_chat_keeps_what_it_learned(scripted, tmp_path):
    """Later turns of the connection ask for decisions at once, and nothing is said again."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(NO_TOOLS, decides("finish", final="First."), decides("finish", final="Second."))
    flags = ["chat", "--base-url", server.base_url, "-m", "x", "--root", tmp_path, "--no-dream"]
    with PseudoTerminal("cococat", *flags, "one") as terminal:
        terminal.until(lambda text: "First." in text and ready(text))
        terminal.press("two\r")
        terminal.until(lambda text: "Second." in text and ready(text))
        terminal.press("/status\r")
        text = terminal.until("json protocol")

        assert 1 == text.count(REFUSED)
    assert ["tools", "json_schema", "json_schema"] == offers(server)
    assert "finish(" not in json.dumps(server.requests[2]["messages"])


def test_models_that_call_natively_notice_nothing(ask, scripted):
    """Text beside a call is a thought, whatever it looks like."""
    server = scripted(calls(("read_file", {"path": "notes.txt"}), text="{"), says("Milk."))

    ran = ask(server, "the notes?")

    assert (0, "Milk.\n") == (ran.code, ran.stdout)
    assert ["tools", "tools"] == offers(server)
    assert "JSON decisions" not in ran.stderr


def test_a_call_in_a_dialect_behind_a_thought_is_run_and_never_printed(ask, scripted):
    """Qwen-Coder's way: the thought is a step, the call runs, the answer alone is on stdout."""
    call = "<function=read_file>\n<parameter=path>\nnotes.txt\n</parameter>\n</function>"
    server = scripted(says("I read the notes.\n\n", call[:20], call[20:]), says("Milk."))

    ran = ask(server, "the notes?")

    assert (0, "Milk.\n") == (ran.code, ran.stdout)
    assert "<function" not in ran.stderr
    assert "Buy milk." in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_is_no_part_of_the_answer_whatever_its_field_is_called(ask, scripted, key):
    """It is told as reasoning."""
    server = scripted(reasons("Let me see.", key=key, then=says("Milk.")))

    ran = ask(server, "--output-format", "stream-json", "the notes?")

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert snapshot(["Let me see."]) == [event["text"] for event in events if event["type"] == "reasoning_delta"]
    assert "Milk." == events[-1]["answer"]


THOUGHT = ("<thi", "nk>Two ", "files", "?</th", "ink>\n\n", "Mi", "lk.")


@pytest.mark.parametrize("mode", ["single", "react"])
def test_a_thought_at_the_head_of_a_reply_is_reasoning(ask, scripted, mode):
    """Wherever the deltas are split, also in the last reply of `single`, which offers no tools."""
    first = [calls(("read_file", {"path": "notes.txt"}))]
    server = scripted(*first, says(*THOUGHT))

    ran = ask(server, "--mode", mode, "--output-format", "stream-json", "the notes?")

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert "Two files?" == "".join(event["text"] for event in events if event["type"] == "reasoning_delta")
    assert "Milk." == events[-1]["answer"]


@pytest.mark.parametrize("text", ["<thinner> is no tag", "<think", " <b>", "I <think>so</think>."])
def test_what_only_looks_like_a_thought_is_the_answer(ask, scripted, text):
    """Nothing is held back for good."""
    assert text + "\n" == ask(scripted(says(*text)), "hi").stdout


def test_without_tools_a_pipe_gets_every_byte(ask, scripted):
    """Thoughts included: a script may want them."""
    assert "".join(THOUGHT) + "\n" == ask(scripted(says(*THOUGHT)), "--no-tools", "hi").stdout


def test_a_thought_stays_in_the_answer_where_that_is_wanted(ask, scripted):
    """A setting, for whoever reads the answer with the thought."""
    ran = ask(scripted(says(*THOUGHT)), "hi", env={"COCOCAT_MODEL_KEEP_THINK": "true"})

    assert "".join(THOUGHT) + "\n" == ran.stdout


def test_a_thought_whose_opening_stood_in_the_prompt_is_in_no_answer_record_or_history(ask, home, scripted):
    """QwQ's way, through a tool call: it is reasoning on the disk, not on stdout, and the model does not get it back."""
    call = ("I loo", "k first.", "\n</thi", "nk>\n\n", f"<tool_call>{CALL}</tool_call>")
    server = scripted(says(*call), says("Two fi", "les?\n", "</think>", "\n\nMilk.<|im_", "end|>"), says("Done."))

    ran = ask(server, "the notes?")
    ask(server, "-c", "and now?")
    [log] = (home / "sessions").glob("*.jsonl")
    records = [json.loads(line) for line in log.read_text().splitlines()]

    assert (0, "Milk.\n") == (ran.code, ran.stdout)
    assert "look first" not in json.dumps(server.requests)
    assert "Two files" not in json.dumps(server.requests)
    said = "".join(record["text"] for record in records if record["type"] == "text_delta")
    thought = "".join(record["text"] for record in records if record["type"] == "reasoning_delta")
    assert snapshot(("Milk.Done.", "I look first.Two files?")) == (said, "".join(thought.split("\n")))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize("env", [{}, {"TERM": "dumb"}], ids=["live", "dumb"])
def test_on_a_terminal_an_answer_stands_apart_from_a_thought_that_was_shown(scripted, tmp_path, env):
    """What was shown cannot be taken back; the answer is there once, in a line of its own."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(says("Two ", "files?", "</think>", "Milk."))
    with PseudoTerminal(
        "cococat", "ask", "--base-url", server.base_url, "-m", "x", "--root", tmp_path, "hi", env=env
    ) as tty:
        code = tty.leave()

        rows = [row.strip() for row in tty.text.splitlines()]
        assert (0, 1) == (code, rows.count("Milk."))
        assert "think>" not in tty.text


@pytest.mark.parametrize(
    "name", ["functions.read_file", "default_api.read_file", "read_file<|channel|>commentary", "functions.read_file:0"]
)
def test_a_name_with_what_a_template_left_around_it_means_the_tool(ask, scripted, name):
    """It runs, and the model gets its call back under the name that was offered."""
    server = scripted(calls((name, {"path": "notes.txt"})), says("Milk."))

    ran = ask(server, "the notes?")

    *_, call, result = server.requests[1]["messages"]
    assert (0, "Milk.\n") == (ran.code, ran.stdout)
    assert "read_file" == call["tool_calls"][0]["function"]["name"]
    assert "Buy milk." in result["content"]


@pytest.mark.parametrize("name", ["read_files", "my_read_file", "read_file.other", "functions."])
def test_a_name_that_means_no_tool_is_told_to_the_model(ask, scripted, name):
    """It is not guessed at."""
    server = scripted(calls((name, {"path": "notes.txt"})), says("No."))

    ask(server, "the notes?")

    assert "UnknownTool" in server.requests[1]["messages"][-1]["content"]


def test_a_call_without_a_name_is_an_empty_reply(ask, scripted):
    """It is asked again, and no tool is looked for."""
    server = scripted(calls(("", {"path": "notes.txt"})), says("Milk."))

    ran = ask(server, "the notes?")

    assert (0, "Milk.\n", 2) == (ran.code, ran.stdout, len(server.requests))
    assert "unknown" not in json.dumps(server.requests[1]["messages"]) + ran.stderr
