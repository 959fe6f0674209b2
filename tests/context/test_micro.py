"""Micro-compaction of one long output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.context.micro import cut_result, fresh_chars, full_chars, pointed, pointer
from cococat.core.messages import ToolResult
from cococat.safety.untrusted import wrap
from cococat.system.text import shorten


def test_head_and_tail_stay_around_the_exact_marker():
    """Two thousand characters are kept, and the marker counts the others."""
    text = "a" * 1500 + "b" * 1500

    assert "a" * 1000 + "[truncated 1000 chars]" + "b" * 1000 == shorten(text)


@pytest.mark.parametrize(
    ("most", "window", "chars"),
    [(16_000, 128_000, 16_000), (16_000, 32_768, 13_107), (16_000, 4096, 2000), (500, 128_000, 500)],
    ids=["large window", "middling", "small", "the user's own"],
)
def test_a_fresh_output_has_a_tenth_of_the_window(most, window, chars):
    """At four characters a token; never under 2,000 and never over the setting."""
    assert chars == fresh_chars(most, window)


def test_a_text_at_the_limit_is_left_alone():
    """Nothing is cut that fits."""
    assert "x" * 2000 == shorten("x" * 2000)
    assert "" == shorten("", 0)


@given(st.text(), st.integers(0, 50))
def test_what_is_kept_is_always_exactly_the_limit(text, limit):
    """Head and tail together have *limit* characters, both from the text."""
    result = shorten(text, limit)

    missing = len(text) - limit
    if missing <= 0:
        assert text == result
    else:
        head, tail = text[: limit - limit // 2], text[len(text) - limit // 2 :]
        assert f"{head}[truncated {missing} chars]{tail}" == result


def test_what_is_missing_already_is_counted_with_the_rest():
    """A part that lost its middle before is one text with the whole."""
    part = "a" * 10 + "[truncated 70 chars]" + "b" * 10

    assert "aa[truncated 96 chars]bb" == shorten(part, 4, 100 - len(part))


def test_a_pointer_is_found_where_it_was_put_and_nowhere_else():
    """What a tool wrote farther down is no pointer of ours."""
    mark = pointer("output:7", 1200)

    assert '[all 1,200 lines: read_file or grep_search with path="output:7"]' == mark
    assert "output:7" == pointed(wrap(f"{mark}\ntext", "run_shell"))
    assert "output:7" == pointed(f"{mark}\ntext")
    assert "" == pointed(wrap(f"exit 0\n{mark}\n", "run_shell"))
    assert "" == pointed(f"text {mark}")
    assert pointer("output:1", 1).startswith("[all 1 line:")


def test_an_output_is_cut_at_whole_lines_and_stays_readable():
    """The mark counts every missing character, also those of a cut before; the name stands at the head."""
    result = ToolResult("c", "run_shell", wrap("".join(f"line {n}\n" for n in range(3000)), "run_shell"))

    once = cut_result(result, "output:3", 8000)
    twice = cut_result(once, pointed(once.output), 2000)

    assert result is cut_result(result, "output:3", 100_000)
    assert once is cut_result(once, "output:3", 8000)
    for short in (once, twice):
        head, mark, tail = short.output.partition("[truncated ")
        gone, rest = tail.split(" chars]\n")
        assert result.output.startswith(head.replace(f"{pointer('output:3', 3002)}\n", ""))
        assert result.output.endswith(rest)
        assert (mark, "output:3") == ("[truncated ", pointed(short.output))
        kept = len(head) - len(f"{pointer('output:3', 3002)}\n") + len(rest)
        assert len(result.output) == kept + int(gone) + 1
        assert full_chars(short.output) == len(result.output) + len(f"{pointer('output:3', 3002)}\n")
