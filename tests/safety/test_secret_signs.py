"""The signs that spare a text the search for a kind of secret."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cococat.safety import secrets


@pytest.mark.parametrize("kind", sorted(secrets._SIGNS))
def test_no_secret_of_a_kind_is_without_its_signs(kind):
    """Whatever a pattern matches holds a sign, or it would stay in the text."""
    patterns = [pattern for name, pattern in secrets._FORMATS if name == kind]

    @settings(max_examples=8, database=None, deadline=None)
    @given(st.one_of(*map(st.from_regex, patterns)))
    def holds(text: str) -> None:
        assert any(sign in text for sign in secrets._SIGNS[kind])

    holds()


@settings(max_examples=50, database=None, deadline=None)
@given(st.from_regex(secrets._ASSIGNED))
def test_no_assignment_is_without_its_signs(text):
    """Also where letters are written that only look unlike others without regard to case."""
    assert re.search(secrets._ASSIGNED, text)
    assert any(sign in text.casefold() for sign in secrets._NAME_SIGNS)
