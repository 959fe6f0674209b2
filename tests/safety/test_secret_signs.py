"""The signs that spare a text the search for a kind of secret."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cococat.safety import assigned
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
