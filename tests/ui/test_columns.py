"""Text that has to fit into columns."""

from __future__ import annotations

import pytest

from cococat.ui.lines.columns import cells, cut, one_line


@pytest.mark.parametrize(
    ("text", "width", "fits"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("服务器", 6, "服务器"),
        ("服务器", 5, "服务…"),
        ("服务器", 4, "服…"),
        ("cafe\u0301s", 5, "cafe\u0301s"),
        ("a b c", 3, "a…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_a_text_is_cut_to_its_columns(text, width, fits):
    """Never wider, whatever its letters are; nothing is cut that fits."""
    assert fits == cut(text, width)
    assert cells(fits) <= max(width, 0)


def test_foreign_text_becomes_one_harmless_line():
    """A name may hold anything."""
    assert "a b ␛[[31m] c" == one_line("a\n\tb \x1b[31m c\n")
