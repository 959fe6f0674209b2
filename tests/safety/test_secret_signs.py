"""The signs that spare a text the search for a kind of secret."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cococat.safety import assigned, identities
from cococat.safety.said import beside, lowered
from cococat.safety.secret_formats import FORMATS


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.kind} {form.pattern[:12]}")
def test_no_secret_of_a_kind_is_without_its_signs(form):
    """Whatever a pattern matches holds a sign, or it would stay in the text."""

    @settings(max_examples=4, database=None)
    @given(st.from_regex(form.pattern))
    def holds(text: str) -> None:
        assert any(sign in text for sign in form.signs)

    holds()


@settings(max_examples=50, database=None)
@given(st.from_regex(assigned._ASSIGNED))
def test_no_assignment_is_without_its_signs(text):
    """Also where letters are written that only look unlike others without regard to case."""
    assert re.search(assigned._ASSIGNED, text)
    assert any(sign in text.casefold() for sign in assigned._SIGNS)


def alternatives(pattern: str) -> list[str]:
    """Split at each "|" that no parenthesis holds."""
    held, parts = 0, [""]
    for char in pattern:
        held += (char == "(") - (char == ")")
        parts = [*parts, ""] if char == "|" and not held else [*parts[:-1], parts[-1] + char]
    return parts


@pytest.mark.parametrize("name", alternatives(f"{identities._STRONG}|{identities._WEAK}"))
def test_no_name_of_a_paper_is_without_its_signs(name):
    """Whatever is written for it."""

    @settings(max_examples=20, database=None)
    @given(st.from_regex(name, fullmatch=True))
    def holds(text: str) -> None:
        assert [*beside(identities._SIGNS, lowered(f"my {text} 4417"))]

    holds()
