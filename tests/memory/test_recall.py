"""How well a dream remembers, by the half of the stories on which its rules were tuned."""

import tomllib
from pathlib import Path

import pytest

from bench.stories import sheets, stories
from bench.story import play

KNOWN = tomllib.loads(Path(__file__).with_name("misjudged.toml").read_text("utf-8"))
PLAYED = ("backend", "carpenter", "lehrerin", "nurse", "pastelera")  # the other stories are for bench/story.py


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(story, id=story.name, marks=() if story.name == "nurse" else pytest.mark.slow)
        for story in stories()
        if story.name in PLAYED
    ],
)
def test_a_story_is_remembered_and_nothing_false_is(story, tmp_path):
    """Nine facts of ten, hardly a false line, nothing of a secret or of foreign text: `pytest -m slow` for all stories."""
    played = play(story, tmp_path / "memory")

    score = played.scores["tune"]
    assert 0.9 * score.facts <= score.remembered
    assert 10 * score.refused <= score.edits
    assert len(score.false_kept) <= 4
    assert [] == [line for line in score.forbidden_kept if "secret" in line or "pasted" in line]


@pytest.mark.parametrize("sheet", KNOWN)
def test_single_lines_are_judged_right_but_those_that_are_known(sheet):
    """Of the sheets in nine languages: `python -m bench.stories.sheets > tests/memory/misjudged.toml` shows what has changed."""
    assert KNOWN[sheet] == sheets.misjudged(sheet)


def test_single_lines_are_judged_no_worse_than_before():
    """True lines that are refused or reworded, and false ones that are kept; in Chinese hardly one, and none."""
    later = ("d_zh", "e_chat", "e_east", "g_passing", "i_tales", "j_ja", "k_moment")
    others = [lists for sheet, lists in KNOWN.items() if sheet not in later]

    assert sum(len(lists["true"]) for lists in others) <= 2
    assert sum(len(lists["reworded"]) for lists in others) <= 148
    assert sum(len(lists["false"]) for lists in others) <= 0
    assert (len(KNOWN["d_zh"]["true"]), KNOWN["d_zh"]["false"]) <= (1, [])
    assert len(KNOWN["e_east"]["true"]) <= 4
    assert KNOWN["e_east"]["false"] == []


@pytest.mark.parametrize(
    ("sheet", "refused", "reworded", "kept"),
    [
        ("e_chat", 3, 62, 1),
        ("apart/f_chat", 1, 59, 3),
        ("g_passing", 0, 36, 0),
        ("apart/h_passing", 0, 37, 3),
        ("i_tales", 1, 11, 1),
        ("j_ja", 0, 40, 0),
        ("k_moment", 0, 11, 0),
        ("apart/l_moment", 0, 3, 1),
    ],
)
def test_messages_of_a_chat_are_judged_no_worse_than_before(sheet, refused, reworded, kept):
    """Of 97 true lines and 64 false ones, then of what passes 50 and 108; of those apart, 86 and 65, 60 and 90, for numbers alone; in Japanese 63 and 81."""
    wrong = sheets.misjudged(sheet)

    assert len(wrong["true"]) <= refused
    assert len(wrong["reworded"]) <= reworded
    assert len(wrong["false"]) <= kept
