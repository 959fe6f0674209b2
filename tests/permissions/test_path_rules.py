"""Path patterns: by components."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.permissions.paths import compile_pattern, literal_pattern
from cococat.permissions.rules import covers_path, parse_rule
from cococat.tools.registry import declared


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("src/**", "src/a.py", True),
        ("src/**", "src/a/b/c.py", True),
        ("src/**", "srcx/a.py", False),
        ("src/**", "other/src/a.py", False),
        ("src/*", "src/a.py", True),
        ("src/*", "src/a/b.py", False),
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "a/xb", False),
        ("./src/a.py", "src/a.py", True),
        ("src/", "src", True),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
        ("a.py", "aXpy", False),
        (r"a\*", "a*", True),
        (r"a\*", "ab", False),
        ("**", "a/b", True),
        (".", "", True),
    ],
)
def test_patterns_match_by_components(pattern, path, covered):
    """`*` and `?` stay within one, `**` stands for any number."""
    rule = parse_rule(f"write_file({pattern})", declared)

    assert covered is covers_path(rule, tuple(path.split("/")) if path else ())


@given(
    st.lists(
        st.text(alphabet="ab*?[]\\ ().{}", min_size=1, max_size=6).filter(lambda t: t not in (".", "..")), max_size=3
    )
)
def test_a_literal_pattern_names_exactly_its_path(parts):
    """Whatever characters a name has."""
    pattern = compile_pattern(literal_pattern(parts))

    assert pattern.fullmatch("/".join(parts))
    assert not pattern.fullmatch("/".join([*parts, "x"]))
