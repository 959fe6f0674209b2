"""The lens: what of a decision may be seen while it streams."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.core.messages import Assistant
from cococat.core.reply import Answer
from cococat.protocol.decision import Decision
from cococat.protocol.stream_filter import final_lens
from cococat.system.text import join_surrogates

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


def _look(text: str, cuts: list[int]) -> str:
    lens = final_lens()
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return "".join(lens(text[start:end]) for start, end in pairwise(places))


@given(ANY_TEXT, st.lists(st.integers(0, 10_000), max_size=6), st.booleans())
def test_an_answer_is_shown_unescaped_wherever_the_deltas_are_split(final, cuts, ascii_only):
    """Splits inside escapes and surrogate pairs make no difference; what is shown is what is read."""
    text = json.dumps({"action": "finish", "tool": None, "tool_input": None, "final": final}, ensure_ascii=ascii_only)

    shown = _look(text, cuts)

    assert join_surrogates(final) == shown
    assert Answer(shown) == Decision().read(Assistant(text), ())


@pytest.mark.parametrize(
    "final", ["\ud83dA", "\ude00", "a\ud83d", "\ud83d\ud83d\ude00", "\ud83d\ude00", "\ude00 \ud83d"]
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_halves_of_surrogate_pairs_are_replaced_as_they_are_when_read(final, ascii_only):
    """Nothing reaches a screen or a file that it cannot hold."""
    text = json.dumps({"action": "finish", "final": final}, ensure_ascii=ascii_only)

    shown = _look(text, list(range(len(text))))

    assert shown == shown.encode().decode()
    assert Answer(shown) == Decision().read(Assistant(text), ())


@given(st.text(max_size=60), st.lists(st.integers(0, 100), max_size=4))
def test_no_text_whatever_breaks_the_lens(text, cuts):
    """Splits of any text, decision or not, show the same."""
    expected = _look(text, [])

    assert expected == _look(text, cuts)


@pytest.mark.parametrize(
    "text",
    [
        '{"action":"tool_call","tool":"t","tool_input":{"final":"no"},"final":"no"}',
        '{"action":"replan","final":"no"}',
        '{"action":"ask_user","final":"no"}',
        '{"final":"no","action":"finish"}',
        '{"action":"finish","x":{"final":"no"},"y":["final","no"],"final":null}',
        '{"action":"finish","final":["no",{"x":"no"}]}',
        '{"action":"finish","note":"final","final":""} {"final":"no"}',
        "plain words",
        "",
    ],
    ids=["tool call", "replan", "question", "unknown action", "nested", "no string", "second object", "prose", "empty"],
)
def test_nothing_but_an_answer_is_shown(text):
    """Arguments, plans, prose and whatever follows the object stay hidden."""
    assert "" == _look(text, [])


def test_a_fence_and_a_sentence_around_the_object_are_not_shown():
    """The object is found wherever it begins."""
    text = 'Sure:\n```json\n{ "action" : "finish" , "final" : "a\\nb \\"c\\"" }\n```'

    assert 'a\nb "c"' == _look(text, [])


def test_text_is_shown_as_it_arrives():
    """A delta that ends within a word shows its half of the word."""
    lens = final_lens()

    shown = [lens('{"action":"finish","final":"Par'), lens("is"), lens('."}')]

    assert ["Par", "is", "."] == shown
