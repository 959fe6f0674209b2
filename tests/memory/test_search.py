"""Finding lines of the memory."""

from datetime import date

import pytest

from cococat.memory.file.document import read
from cococat.memory.file.find_lines import lines_of, named, reasons, search
from tests.memory.conftest import NOW, edit
from tests.scripted import calls, says


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("tea", [7]),
        ("PREF", [7, 8]),
        ("python write", [8]),
        ("pinned peanut", [4]),
        ("ea", []),
        ("", []),
    ],
    ids=["a word", "a section", "two words", "section and word", "only the middle of a word", "nothing"],
)
def test_every_word_of_a_search_must_begin_a_word(notes, query, numbers):
    """Case and punctuation do not count; headings are searched with their lines."""
    assert numbers == [found.number for found in search(read(notes.has().folder), query)]


def test_a_word_in_a_script_without_spaces_is_found_wherever_it_stands(notes):
    """There is no telling where its words begin; a word that stands nowhere finds nothing."""
    memory = read(notes.has("# 偏好\n- 喜欢喝绿茶\n- 住在里斯本\n").folder)

    found = [[one.number for one in search(memory, query)] for query in ("绿茶", "里斯本", "咖啡", "偏好 绿茶")]

    assert [[2], [3], [], [2]] == found


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [("8", [8]), ("3", []), ("writes python", [8]), ("e", [4, 7, 8]), ("Prefers tea to coffee", [7]), ("-", [])],
)
def test_a_line_is_named_by_number_or_text(notes, wanted, numbers):
    """A heading is no line that remembers something; the whole text of a line names that one alone."""
    assert numbers == [found.number for found in named(read(notes.has().folder), wanted)]


@pytest.mark.parametrize(("shared", "near", "numbers"), [(17, True, [1]), (16, True, []), (17, False, [])])
def test_nearly_the_same_words_name_a_line_where_that_is_asked_for(notes, shared, near, numbers):
    """From seventeen of twenty on."""
    words = [f"w{number}" for number in range(20)]
    memory = read(notes.has(f"- {' '.join(words)}\n").folder)

    other = " ".join([*words[:shared], *(f"x{number}" for number in range(20 - shared))])

    assert numbers == [found.number for found in named(memory, other, near=near)]


def test_a_line_tells_when_and_why_it_was_written(notes, scripted):
    """What a dream wrote has the day, the moment and the words; what a user wrote has none."""
    notes.has().said("by the way, I moved to Lisbon in May")
    add = edit("- Writes Python\n", "- Writes Python\n- Moved to Lisbon\n", (1, "I moved to Lisbon in May"))
    notes.dream(scripted(calls(add), says("done")))

    learned, own = reasons(notes.folder, "Lisbon"), reasons(notes.folder, "4")

    ((source, said),) = learned[0].sources
    assert ("I moved to Lisbon in May", NOW, "S1") == (source.quote, said, source.session)
    assert () == own[0].sources
    assert [None, None, None, date(2026, 5, 4)] == [found.said for found in lines_of(read(notes.folder))]
