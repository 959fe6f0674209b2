"""What `cococat ask` makes of its standard input: scripts inherit pipes that nobody fills, and files that are no text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import FileIO

import pytest
from inline_snapshot import snapshot

from tests.begun import Begun, begin, eventually
from tests.scripted import says

NO_TEXT = {
    "zeros": b"a\0b",
    "Latin-1": "gr\xfcn".encode("latin-1"),
    "a picture": b"\x89PNG\r\n\x1a\n\0",
    "UTF-16 cut": b"\xff\xfea",
}


@pytest.fixture
def pipe() -> Iterator[tuple[int, FileIO]]:
    """A pipe whose writing end stays open until a test closes it."""
    source, sink = os.pipe()
    with FileIO(sink, "w") as writing:
        yield source, writing
    os.close(source)


def asked(server, source: int, *words: str) -> Begun:
    """`cococat ask` that reads *source*."""
    return begin("ask", "--base-url", server.base_url, "-m", "scripted", *words, stdin=source)


def wait_until_said(ran: Begun, words: bytes) -> None:
    """Return once *words* stand on stderr."""
    eventually(lambda: words in ran.stderr, lambda: ran.stderr)


def test_a_pipe_on_which_nothing_comes_is_no_input(scripted, pipe):
    """cron, ssh, CI and agents leave one open: the prompt is answered, and one line says what was not waited for."""
    server = scripted(says("Paris."))

    with asked(server, pipe[0], "capital of France?") as ran:
        code, out, err = ran.ended()

    assert (0, b"Paris.\n") == (code, out)
    assert snapshot(["capital of France?"]) == [
        one["content"] for one in server.requests[0]["messages"] if one["role"] == "user"
    ]
    (line,) = [line for line in err.decode().splitlines() if "standard input" in line]
    assert "--no-stdin" in line


def test_no_stdin_looks_at_no_pipe(scripted, pipe):
    """Neither waits for one nor takes what is in it, and says nothing of it."""
    pipe[1].write(b"a secret")
    server = scripted(says("Paris."))

    with asked(server, pipe[0], "--no-stdin", "capital of France?") as ran:
        code, out, err = ran.ended()

    assert (0, b"Paris.\n") == (code, out)
    assert "a secret" not in repr(server.requests)
    assert b"standard input" not in err


def test_no_stdin_is_no_flag_of_a_chat(cococat):
    """A chat needs a terminal; its help does not offer the flag either."""
    ran, shown = cococat("chat", "--no-stdin"), cococat("chat", "--help", "-")

    assert (2, True, False) == (ran.code, "no such flag: --no-stdin" in ran.stderr, "--no-stdin" in shown.stdout)


@pytest.mark.parametrize("blocking", [True, False], ids=["", "no blocking"])  # node leaves the latter to its children
@pytest.mark.parametrize(("words", "first"), [(["review this"], b"+ a"), ([], b""), (["-"], b"")], ids=str)
def test_input_that_has_begun_or_is_the_prompt_is_read_to_its_end(scripted, pipe, words, first, blocking):
    """However long that takes; that it does is said."""
    server = scripted(says("fine"))
    os.set_blocking(pipe[0], blocking)
    pipe[1].write(first)

    with asked(server, pipe[0], *words) as ran:
        wait_until_said(ran, b"waiting for standard input")
        pipe[1].write(b" line")
        pipe[1].close()
        code, out, _ = ran.ended()

    assert (0, b"fine\n") == (code, out)
    assert f"{first.decode()} line".strip() in server.requests[0]["messages"][-1]["content"]


@pytest.mark.parametrize("words", [["what is this?"], []], ids=["as context", "as the prompt"])
@pytest.mark.parametrize("data", NO_TEXT.values(), ids=NO_TEXT)
def test_bytes_that_are_no_text_are_refused_as_a_file_is(ask, scripted, tmp_path, data, words):
    """Exit 2 with the same reason and hint, and no request."""
    server = scripted()
    (tmp_path / "data").write_bytes(data)

    piped, named = ask(server, *words, stdin=data), ask(server, "-f", "data", "what is this?", stdin="")

    assert (2, 2, "", 0) == (piped.code, named.code, piped.stdout, len(server.requests))
    assert piped.stderr.partition("standard input: ")[2] == named.stderr.partition("data: ")[2] != ""


def test_utf_16_with_a_mark_is_text(ask, scripted):
    """As other systems pipe it."""
    server = scripted(says("fine"))

    ask(server, "review", stdin=b"\xff\xfe" + "gr\xfcn".encode("utf-16-le"))

    assert "gr\xfcn" in server.requests[0]["messages"][-1]["content"]
