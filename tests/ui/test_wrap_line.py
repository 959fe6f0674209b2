"""Long lines of ours: words stay whole and below the column they began in."""

import pytest
from inline_snapshot import snapshot

from cococat.core.events import ReasoningDelta, StepStarted, TextDelta, ToolPending
from cococat.ui.lines.format import plain
from cococat.ui.lines.wrap import wrap_columns, wrap_line, wrap_rows
from cococat.ui.steps.steps import Display, Steps

LABEL = ("step 1 · think    ", "dim")


def test_what_wraps_stands_below_its_column_in_its_style():
    """A word is never broken, and the label stands alone in its column."""
    rows = wrap_line(
        (LABEL, ("The port is set somewhere in ", ""), ("src", "code"), (" and I look for it", "")), 18, 50
    )

    assert snapshot(
        [
            "step 1 · think    The port is set somewhere in src",
            "                  and I look for it",
        ]
    ) == [plain(row) for row in rows]
    assert ("src", "code") in rows[0]


@pytest.mark.parametrize("width", [38, 39, 41, 60, 79])
@pytest.mark.parametrize(
    "text",
    ["a bc " * 30, "x" * 200, "你好世界" * 20, "word " + "y" * 90 + " end", "e\u0301 " * 60, "two  blanks   here " * 9],
    ids=["words", "one word", "wide", "both", "marks", "blanks"],
)
def test_no_character_is_lost_and_no_row_is_too_long(text, width):
    """Whatever the text: every row fits, and only blanks at the breaks go."""
    from rich.cells import cell_len

    rows = [plain(row) for row in wrap_line((LABEL, (text, "")), 18, width)]

    assert all(cell_len(row.rstrip()) <= width for row in rows)
    assert all(row.startswith(" " * 18) for row in rows[1:])
    assert "".join(text.split()) == "".join("".join(row[18:] for row in rows).split())


def test_a_line_that_fits_or_has_no_room_is_left_alone():
    """The terminal wraps where a hanging indent would leave a few columns."""
    line = (LABEL, ("short", ""))

    assert (line,) == wrap_line(line, 18, 80)
    assert ((LABEL, ("y" * 99, "")),) == wrap_line((LABEL, ("y" * 99, "")), 18, 30)


@pytest.mark.parametrize(
    ("row", "width", "rows"),
    [
        ("ok    key   from a variable", 40, ["ok    key   from a variable"]),
        (
            "ok    packages   openai 3.52.0, typer 0.29.2, rich 15.0.0, tiktoken",
            50,
            ["ok    packages   openai 3.52.0, typer 0.29.2, rich", "                 15.0.0, tiktoken"],
        ),
        (
            "     11-22  session 01M8  dream 1  you said: 'I live in Lisbon'",
            48,
            ["     11-22  session 01M8  dream 1  you said: 'I", "            live in Lisbon'"],
        ),
        ("cache   /a/very/long/path/that/has/no/blank/to/break/at", 30, None),
        (
            "ok    endpoint   http://127.0.0.1:38203/v1 answers and lists 1 model",
            40,
            ["ok    endpoint", "      http://127.0.0.1:38203/v1 answers", "      and lists 1 model"],
        ),
        ("  -> do this, and then do that other thing", 30, ["  -> do this, and then do that", "  other thing"]),
    ],
    ids=["fits", "last column", "a column further right", "a path", "a wide word", "a hint"],
)
def test_a_row_of_a_report_breaks_at_words_below_its_last_column(row, width, rows):
    """The column leaves half of the screen; what is copied as a whole, a path, is left to the terminal."""
    assert (rows or [row]) == wrap_columns(row, width)


BROKEN = {
    "a path": ("see https://example.com/docs/library/http.", 30, ["see", "https://example.com/docs/", "library/http."]),
    "a full stop": (f"{'x' * 24}).", 24, ["x" * 23, "x)."]),
    "Chinese behind a word": ("使用 Python 编写的程序可以运行", 24, ["使用 Python 编写的程序可", "以运行"]),
    "a Japanese full stop": (
        "このファイルはポートを設定しています。",
        36,
        ["このファイルはポートを設定していま", "す。"],
    ),
    "a bracket": ("このファイルはポートを「設定」しています", 24, ["このファイルはポートを", "「設定」しています"]),
    "Korean, at its blanks": ("사이에 공백이 있으므로 줄바꿈", 24, ["사이에 공백이 있으므로", "줄바꿈"]),
}


@pytest.mark.parametrize(("words", "width", "rows"), BROKEN.values(), ids=BROKEN)
def test_words_that_have_no_blanks_break_where_a_reader_expects_it(words, width, rows):
    """A path behind its strokes, scripts without blanks at any character; no row begins with what closes the one before."""
    assert rows == wrap_rows(words, 0, width)


def test_the_seconds_of_a_thought_stand_in_one_row_and_in_plain_blanks():
    """A row that holds a number alone, or ends in a point, says nothing; what is copied has no strange blanks."""
    seconds = iter((0.0, 0.0, 24.0, 24.0))
    steps = Steps(Display(wrap=True), lambda: 57, lambda: next(seconds))
    words = "Both are real faults: one ignores counts."
    for event in (StepStarted(1), TextDelta(words)):
        steps.feed(event)

    rows = steps.feed(ToolPending("a", "f", "{}"))

    assert [f"  think    {words}", "           · 24 s"] == [plain(row) for row in rows]


def test_the_gist_of_a_long_reasoning_begins_with_a_whole_word():
    """It is its end, behind a sign that there was more; half a word, or a second blank, would be read as a fault."""
    steps = Steps(Display(), lambda: 400)
    for event in (StepStarted(1), ReasoningDelta("elephants " * 40)):
        steps.feed(event)

    (row,) = steps.feed(ToolPending("a", "f", "{}"))

    assert f"  think    … {' '.join(['elephants'] * 16)}" == plain(row)
