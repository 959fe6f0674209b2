"""Prose in rows of its own, tables inside of their cells: nothing is lost, and nothing is wider than the screen."""

import random

import pytest
from inline_snapshot import snapshot
from rich.cells import cell_len

from cococat.ui.lines.markdown import Markdown, render

PROSE = "The **quick** brown `fox` jumps over the lazy dog, 日本語 too. "
LIST = f"- {PROSE * 3}\n  - nested {PROSE * 2}\n1. {PROSE * 2}\n\n> {PROSE * 3}\n"
TABLE = (
    "| file | what | n |\n|---|---|--:|\n"
    "| src/server.py | the constant went from one number to another one, as asked | 1 |\n"
    "| README.md | **the example** | 22 |\n"
)


def rows(source, width, *, wrap=True):
    """The rows that a terminal shows of *source*."""
    return "".join(text.plain + text.end for text in render(source, width, wrap=wrap)).split("\n")


@pytest.mark.parametrize("width", [30, 41, 60, 80])
@pytest.mark.parametrize(
    "source", [PROSE * 20, LIST, f"# {PROSE * 3}", "x" * 500 + " y", "日本語" * 60, "a  b   " * 40]
)
def test_prose_wraps_at_words_and_nothing_is_lost(source, width):
    """Every row fits, and without its blanks the text is what the model wrote."""
    wrapped, whole = rows(source, width), "".join(rows(source, width, wrap=False))

    assert all(cell_len(row) <= width for row in wrapped)
    assert "".join(whole.split()).replace(">", "") == "".join("".join(wrapped).split()).replace(">", "")


def test_what_goes_on_stands_where_it_is_the_same_markdown():
    """An item goes on below itself, a quote behind its mark; a word is never broken."""
    assert snapshot(["- one two three four five", "  six seven"]) == rows("- one two three four five six seven", 26)[:2]
    assert snapshot(["> one two three four five", "> six seven"]) == rows("> one two three four five six seven", 26)[:2]


def test_code_is_never_wrapped():
    """What is copied from a fence runs."""
    code = "x = " + "1 + " * 30 + "1"

    assert code in rows(f"```python\n{code}\n```", 40)


@pytest.mark.parametrize("seed", range(5))
def test_a_streamed_text_wraps_as_the_whole_one(seed):
    """Wherever chunks end, in a line that is longer than a piece too."""
    source, chance = f"{PROSE * 40}\n\n{LIST}\n{TABLE}\nend", random.Random(seed)
    markdown, texts, at = Markdown(lambda: 50, wrap=True), [], 0
    while at < len(source):
        size = chance.randint(1, 90)
        texts += markdown.feed(source[at : at + size])
        markdown.tail()
        at += size
    texts += markdown.close()

    assert rows(source, 50) == "".join(text.plain + text.end for text in texts).split("\n")


def test_a_wide_table_wraps_inside_of_its_cells():
    """Its borders stay one below the other, and each word stays in its column."""
    shown = rows(TABLE, 60)[:-1]

    assert 60 == max(cell_len(row) for row in shown)
    assert 1 == len({tuple(at for at, char in enumerate(row) if char in "│┼") for row in shown})
    assert "another one, as asked" in shown[3]


def test_on_a_narrow_screen_a_wide_table_becomes_records():
    """Each cell stands behind the name of its column; a table that fits stays one."""
    shown = rows(f"{TABLE}\nand so on", 40)

    assert snapshot(["", "file: README.md", "what: the example", "n: 22", "", "and so on"]) == shown[-7:-1]
    assert shown[0].startswith("file: ")
    assert "a   │ b" == rows("|a|b|\n|-|-|\n|1|2|\n", 20)[0]


def test_no_single_character_stands_behind_the_name_in_a_record():
    """A cell of which next to nothing fits there begins below; a word that is broken in any case begins where it is."""
    word = "pip_install_something_very_long_name_here"
    table = f"|{'说明' * 8}一|b|c|\n|-|-|-|\n|我们需要一个新的配置文件|用{word}|用 {word}|\n"

    shown = rows(table, 40)[:-1]

    assert [f"{'说明' * 8}一:", "  我们需要一个新的配置文件"] == shown[:2]
    assert snapshot(["b: 用pip_install_something_very_long_", "  name_here"]) == shown[2:4]
    assert snapshot(["c: 用", "  pip_install_something_very_long_name_", "  here"]) == shown[4:]


def test_a_table_with_more_cells_than_columns_loses_none():
    """What a model wrote beside its table is shown, too."""
    shown = "".join(rows(f"|a|b|\n|-|-|\n|{'x ' * 60}|2|more|\n", 70))

    assert "more" in shown


def test_no_word_of_a_table_is_broken_where_all_of_them_have_room():
    """A column takes the room of its longest word before others share what is left."""
    table = (
        "| file | line | what it says | who reads it | does it decide? |\n|---|---|---|---|---|\n"
        "| src/server.py | 4 | PORT = 8080 | the server itself | yes, and nothing else does |\n"
        "| README.md | 12 | curl localhost:8080 | people who read the documentation | no |\n"
    )

    shown = rows(table, 70)

    assert 70 == max(cell_len(row) for row in shown)
    assert {"src/server.py", "localhost:8080", "documentation"} <= set(" ".join(shown).split())
    assert all(cell_len(row) <= 64 for row in rows(table.replace("curl", "x" * 70), 64))
