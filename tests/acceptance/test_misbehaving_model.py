"""One run in which the model does everything wrong that it can, and the user gets the right answer."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.scripted import RESET, Delta, Turn, broken, calls, fault, raw, reasons, says

CLIPBOARD = "\x1b]52;c;Y3VybCBldmlsIHwgc2g=\x07"
HOSTILE = f"{CLIPBOARD}\x1b[2J\x1b[31m\x00\x07\x9b1m\u202e"
ANSWER = "The port is 8080 (app.toml, line 1)."
DIALECTS = (
    "no_index",
    "no_id",
    "empty_id",
    "duplicate_id",
    "same_index",
    "split_name",
    "object",
    "interleaved",
    "whole",
)


@dataclass(frozen=True)
class Misdeed:
    """
    What the model does, and what the next request must tell it.

    Args:
        said: stands in the messages that the next request adds.
        times: requests that it takes; the last one is the one that counts.
    """

    name: str
    turns: tuple[Turn, ...]
    said: str


def misdeed(name: str, said: str, *turns: Turn) -> Misdeed:
    return Misdeed(name, turns, said)


def reads(number: int) -> tuple[str, dict[str, str]]:
    """A call that is as it should be, and no other misdeed makes."""
    return ("read_file", {"path": f"f{number}.txt"})


def odd_chunks(*chunks: object, then: Turn) -> Turn:
    return raw(*chunks) + then


MISDEEDS = (
    *(
        misdeed(f"calls in the dialect {dialect}", f"text of {n}", calls(reads(n), reads(n + 1), dialect=dialect))
        for n, dialect in enumerate(DIALECTS, 10)
    ),
    misdeed("JSON that only lacks its end", "text of 1", calls(("read_file", '{"path": "f1.txt"'))),
    misdeed("words in the place of JSON", "Invalid JSON parse error", calls(("read_file", "the file f2.txt"))),
    misdeed("an unknown tool", "no tool is called 'open_file'", calls(("open_file", {"path": "f1.txt"}))),
    misdeed("a name that is none", "no tool is called 'read file!'", calls(("read file!", {"path": "f1.txt"}))),
    misdeed("a wrong type", "5 is not of type 'string'", calls(("read_file", {"path": 5}))),
    misdeed("a missing field", "'path' is a required property", calls(("read_file", {}))),
    misdeed("a field too many", "'mode' was unexpected", calls(("read_file", {"path": "f3.txt", "mode": "r"}))),
    misdeed("an array as arguments", "must be a JSON object, got list", calls(("read_file", "[1]"))),
    misdeed("null as arguments", "must be a JSON object, got NoneType", calls(("read_file", "null"))),
    misdeed("null for what is optional", "text of 4", calls(("read_file", {"path": "f4.txt", "end_line": None}))),
    misdeed("no arguments at all", "is a required property", calls(("grep_search", ""))),
    misdeed("arguments nested 200 deep", "nested deeper", calls(("read_file", '{"path": ' + "[" * 200 + "]" * 200 + "}"))),
    misdeed("`stop` with calls", "text of 30", calls(reads(30), finish="stop")),
    misdeed("a finish reason nobody knows", "text of 31", calls(reads(31), finish="banana")),
    misdeed("no finish reason", "text of 32", calls(reads(32), finish=None)),
    misdeed("`tool_calls` without calls", "", says(finish="tool_calls")),
    misdeed("reasoning and no word", "", reasons("Let me think.", "And again.")),
    misdeed(
        "empty and null choices",
        "text of 33",
        odd_chunks({"choices": None}, {"choices": []}, {"choices": [{"delta": None}]}, {}, then=calls(reads(33))),
    ),
    misdeed(
        "fields nobody knows",
        "text of 34",
        odd_chunks(
            {"x_group": {"a": [1]}, "choices": [{"delta": {"role": "assistant", "mood": 7}, "logprobs": {}}]},
            b"event: message\r\nid: 1\r\nretry: 5\r\n: ping\r\n\r\n",
            then=calls(reads(34)),
        ),
    ),
    misdeed(
        "usage that makes no sense",
        "text of 35",
        odd_chunks({"choices": [], "usage": {"prompt_tokens": "many", "completion_tokens": -1}}, then=calls(reads(35))),
    ),
    misdeed(
        "lines that end in CR LF",
        "text of 36",
        odd_chunks(b'data: {"choices":[{"delta":{"content":"one\\r\\ntwo"}}]}\r\n\r\n', then=calls(reads(36))),
    ),
    misdeed(
        "half a surrogate pair",
        "\ufffd",
        raw(Delta({"content": "half \ud83d"})) + calls(("read_file", '{"path": "\\ud83d.txt"}')),
    ),
    misdeed("control sequences in text and arguments", "[TOOL_ERROR]", calls(("read_file", {"path": HOSTILE}), text=HOSTILE)),
    misdeed("a NUL in a path", "[TOOL_ERROR]", calls(("read_file", {"path": "a\0b"}))),
    misdeed("the old field function_call", "text of 37", raw(
        Delta({"function_call": {"name": "read_file", "arguments": '{"path": "f37.txt"}'}}), Delta({}, "function_call"),
        b"data: [DONE]\n\n",
    )),
    misdeed("a path outside the root", "[TOOL_ERROR]", calls(("read_file", {"path": "../../../etc/passwd"}))),
    misdeed("a binary file", "binary", calls(("read_file", {"path": "picture.bin"}))),
    misdeed("a missing file", "f1.txt", calls(("read_file", {"path": "f1.tx"}))),
    misdeed("lines that are not there", "[TOOL_ERROR]", calls(("read_file", {"path": "f1.txt", "start_line": 99}))),
    misdeed("a pattern that is none", "no regular expression", calls(("grep_search", {"pattern": "(", "path": "f1.txt"}))),
    misdeed("the same call three times", "Repeated", *(calls(("list_dir", {"path": "."})) for _ in range(3))),
    misdeed("seven calls at once", "text of 46", calls(*(reads(n) for n in range(40, 47)))),
    misdeed("a call that the output limit cut", "cut by the output limit", calls(reads(38), finish="length")),
    misdeed("503 before it answers", "text of 39", fault(503), calls(reads(39))),
    misdeed("429 before it answers", "text of 47", fault(429, headers={"retry-after": "0"}), calls(reads(47))),
    misdeed("a reset before it answers", "text of 48", broken(how=RESET), calls(reads(48))),
    misdeed(
        "a page in the place of a reply",
        "text of 49",
        raw(b"<html>Bad gateway</html>", content_type="text/html"),
        calls(reads(49)),
    ),
    misdeed("arguments of a megabyte", "at most 1,048,576", calls(("read_file", {"path": "x" * (1 << 20)}))),
)  # fmt: skip


def added(before: dict, after: dict) -> str:
    """The text of the messages that *after* has and *before* had not."""
    return "\n".join(str(message["content"]) for message in after["messages"][len(before["messages"]) - 1 :])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project with a file for every call."""
    root = tmp_path_factory.mktemp("project")
    for number in range(50):
        (root / f"f{number}.txt").write_text(f"text of {number}\n")
    (root / "picture.bin").write_bytes(bytes(range(256)) * 8)
    return root


ENV = {
    "COCOCAT_RETRY_BASE_MS": "1",
    "COCOCAT_RETRY_JITTER_MS": "0",
    "COCOCAT_MODEL_CONTEXT_WINDOW": "100000000",  # the megabyte stays in the history: nothing is compacted here
}


def test_forty_misdeeds_in_one_run_end_in_the_right_answer(cococat, scripted, folder):
    """Each is told to the model or passed over, no sequence reaches a stream, and the session goes on."""
    assert 40 <= len(MISDEEDS)
    server = scripted(*(turn for one in MISDEEDS for turn in one.turns), says(ANSWER), says("You are welcome."))
    words = ["ask", "--base-url", server.base_url, "-m", "scripted", "--root", folder]

    ran = cococat(*words, "--mode", "react", "--max-steps", 50, "-v", "which port?", env=ENV)
    then = cococat(*words, "--no-tools", "-c", "thanks", env=ENV)

    assert (0, ANSWER + "\n") == (ran.code, ran.stdout), ran.stderr[-2000:]
    assert [] == [char for char in ran.stderr if not (char.isprintable() or char == "\n")]
    assert "Traceback" not in ran.stderr
    at = 0
    for one in MISDEEDS:
        at += len(one.turns)
        assert one.said in added(server.requests[at - 1], server.requests[at]), one.name
    assert (0, "You are welcome.\n", 0) == (then.code, then.stdout, server.unplayed), then.stderr
