"""The line that is typed while a turn runs, key by key, and how it is shown."""

import pytest

from cococat.ui.screen.draft import LineDraft, edited
from cococat.ui.screen.input_row import HINT, input_row


def typed(*keys, draft=None):
    draft = draft or LineDraft()
    for key in keys:
        draft = edited(draft, key)
    return draft


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("a", "b", "\x1b[D", "x"), LineDraft("axb", 2)),
        (("a", "b", "\x1b[H", "x", "\x1b[F", "y"), LineDraft("xaby", 4)),
        (("a", "b", "\x01", "\x1b[3~"), LineDraft("b", 0)),
        (("e", "\u0301", "\x7f"), LineDraft("", 0)),
        (("e", "\u0301", "x", "\x1b[D", "\x1b[D", "\x1b[C"), LineDraft("e\u0301x", 2)),
        (("a", " ", "b", "\x1bb", "\x17"), LineDraft("b", 0)),
        (("a", "b", "\x1b[D", "\x0b"), LineDraft("a", 1)),
        (("a", "b", "\x1b[D", "\x15"), LineDraft("b", 0)),
        (("a", "\n", "b", "\x01", "x"), LineDraft("a\nxb", 3)),
        (("a", "\x1b[Z", "\x1b[24~", "\x00"), LineDraft("a", 1)),
        (("\x1b[D", "\x7f", "\x1b[3~", "\x17", "\x1bf"), LineDraft("", 0)),
    ],
)
def test_keys_edit_where_the_cursor_stands(keys, wanted):
    """The keys of every line editor; what means nothing changes nothing."""
    assert wanted == typed(*keys)


def test_the_cursor_stands_behind_what_was_typed():
    """Its row and its column, wide characters counted as two, whatever wraps."""
    row = input_row(LineDraft("日本x", 2), (), 20)
    assert ("> 日本x", 0, 6) == (row.rows[-1].plain, row.up, row.column)
    long = input_row(LineDraft("x" * 30, 5), (), 12)
    assert (["> xxxxxxxxxx", "  xxxxxxxxxx", "  xxxxxxxxxx"], 2, 7) == (
        [r.plain for r in long.rows],
        long.up,
        long.column,
    )


def test_an_empty_row_says_what_it_is_for_and_the_queue_stands_above():
    """Three lines of it at most, each on one row, harmless."""
    row = input_row(LineDraft(), ["one", "two", "thr\x1b[2Jee", "four " * 20], 40)

    assert ["two", "thr␛[[2J]ee"] == [each.plain.removeprefix("  queued   ") for each in row.rows[:2]]
    assert all(each.cell_len <= 40 for each in row.rows)
    assert f"> {HINT}" == row.rows[-1].plain
    assert (0, 2) == (row.up, row.column)


def test_a_long_draft_shows_the_rows_around_the_cursor():
    """Five rows at most, the cursor among them."""
    draft = LineDraft("\n".join(f"line {n}" for n in range(20)), 30)

    row = input_row(draft, (), 40)

    assert 5 == len(row.rows)
    assert f"  line {draft.text[:30].count(chr(10))}" == row.rows[-1 - row.up].plain
