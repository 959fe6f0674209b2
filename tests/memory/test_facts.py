"""What two texts of notes say: which facts one loses, which lines only repeat, whose day is over."""

from datetime import date

import pytest

from cococat.memory.evidence import AcceptedEdit
from cococat.memory.facts import agreed, inherited, lost, outlived, restored, without_repeats

LEARNED = date(2026, 1, 1)


def missing(before, after, *made, **given):
    """The lines of *before* whose facts *after* does not hold."""
    return [fact.line for fact in lost(before, after, made, **given)]


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("- Likes tea\n- Likes coffee\n", "- Likes tea and coffee\n", []),
        ("- Has a cat\n- Has a dog\n", "- Has a cat\n", ["- Has a dog"]),
        ("- Does not smoke\n", "- Smokes\n", ["- Does not smoke"]),
        ("- Smokes\n", "- Does not smoke\n", ["- Smokes"]),
        ("- Moved from Porto to Lisbon\n", "- Moved from Lisbon to Porto\n", ["- Moved from Porto to Lisbon"]),
        ("- Moved from Porto to Lisbon\n", "- In May moved from Porto to Lisbon\n", []),
        ("- Lives in Porto, owns cats\n", "- Owns cats, lives in Porto\n", []),
        ("- Writes C++\n", "- Writes C\n", ["- Writes C++"]),
        ("- Runs version 1.5\n", "- Runs version 1.6\n", ["- Runs version 1.5"]),
        ("- Pays 5 \u20ac\n", "- Pays 5\n", ["- Pays 5 \u20ac"]),
        ("- Reads acme.com\n", "- Reads acme.org\n", ["- Reads acme.com"]),
        ("- Owns cats\n", "- Owns a cat and a dog\n", []),
        ("- Cats, dogs\n", "- Cats, a dog\n", []),
        ("- Cats, dogs, birds\n", "- Cats, a dog, a bird\n", []),
        ("- The\n", "", []),
        ("- !!!\n- Has a cat\n", "- Has a cat\n", []),
        ("", "- Has a cat\n", []),
    ],
)
def test_a_fact_is_lost_where_no_line_says_all_of_it(before, after, gone):
    """Its words, its "not", its numbers and symbols, and its order where a direction makes it matter."""
    assert gone == missing(before, after)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("## Dislikes\n- Tea\n", "## Likes\n- Tea\n", ["- Tea"]),
        ("## Work\n- Tea\n", "## Home\n- Tea\n", []),
        ("## Mallory\n- Mallory\n", "## Mallory\n- Mallory!\n", []),
        ("## Mallory\n- Owns cats\n", "- Mallory owns cats\n", []),
        ("## Mallory\n- Owns cats\n", "- Owns cats\n", ["- Owns cats"]),
        ("- Mallory owns cats\n", "## Mallory\n- Owns cats\n", ["- Mallory owns cats"]),
        ("## Mallory\n## Trent\n- Owns cats\n", "## Trent\n- Owns cats\n", []),
        ("## Mallory\n### Trent\n- Owns cats\n", "### Trent\n- Owns cats\n", ["- Owns cats"]),
        ("### Mallory\n## Trent\n- Owns cats\n", "## Trent\n- Owns cats\n", []),
        ("- Dislikes\n  - Tea\n- Likes\n", "- Dislikes\n- Likes\n  - Tea\n", ["- Tea"]),
        ("- Bob\n  - Owns cats\n", "- Bob: owns cats\n", []),
        ("- Eve\n  - Ted\n    - Cats\n", "- Eve\n    - Cats\n  - Ted\n", ["- Cats"]),
        ("- Eve\n- Ted\n", "- Ted\n- Eve\n", []),
        ("- Eve\n## Mallory\n  - Cats\n", "## Mallory\n  - Cats\n- Eve\n", ["- Eve"]),
        ("```\n# Trent\n```\n", "```\n```\n", ["# Trent"]),
        ("```\n# Trent\n```\n# Eve\n- Cats\n", "# Eve\n- Cats\n```\n# Trent\n```\n", ["# Trent"]),
    ],
)
def test_what_a_line_stands_under_belongs_to_it(before, after, gone):
    """Headings that say something and the lines that it hangs on; a common topic says nothing of its lines."""
    assert gone == missing(before, after)


@pytest.mark.parametrize(
    ("after", "gone"),
    [
        ("## Mallory\n- Owns cats\n- Plays chess\n", False),
        ("## Mallory\n- Owns cats\n## Trent\n- Plays chess\n", True),
        ("## Trent\n- Owns cats\n## Mallory\n- Plays chess\n", True),
        ("- Mallory owns cats\n- Mallory plays chess\n", False),
        ("- Mallory owns cats\n- Plays chess\n", True),
    ],
)
def test_the_parts_of_a_line_tell_of_what_the_line_told_of(after, gone):
    """What is said of somebody else, or of nobody, is no part of it."""
    line, parts = "- Owns cats, plays chess", tuple(one for one in after.splitlines() if one.startswith("-"))

    assert [line] * gone == missing(f"## Mallory\n{line}\n", after, AcceptedEdit((line,), parts, ()))


def test_a_line_may_be_split_and_what_may_go_goes():
    """The new lines that an edit made of it say it together; for anything else they are two."""
    line, parts = "- Eve lives in Porto and plays chess", ("- Eve lives in Porto", "- Eve plays chess")
    after = "\n".join(parts) + "\n"

    assert [line] == missing(f"{line}\n", after)
    assert [] == missing(f"{line}\n", after, AcceptedEdit((line,), parts, ()))
    assert [line] == missing(f"{line}\n", after, AcceptedEdit((line,), parts[:1], ()))
    assert [line] == missing(f"{line}\n", after, AcceptedEdit(("- Owns cats",), parts, ()))
    assert ["- Owns cats"] == missing(f"{line}\n- Owns cats\n", "", kept=lambda one: one == line)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("- Ann\n- Bob\n- Cid\n", "- Ann\n- Cid\n", "- Ann\n- Bob\n- Cid\n"),
        ("- Ann\n- Bob\n- Cid\n", "- Cid\n", "- Ann\n- Bob\n- Cid\n"),
        ("- Ann\n- Bob\n- Cid\n", "- Ann\n", "- Ann\n- Bob\n- Cid\n"),
        ("- Ann\n\n- Bob\n- Cid\n", "- Ann\n- Cid\n", "- Ann\n- Bob\n- Cid\n"),
        ("- Ann\n- Bob has a cat, a dog\n", "- Ann\n- Bob has a cat\n", "- Ann\n- Bob has a cat, a dog\n"),
        ("- Ann\n- Bob has a cat, a dog\n", "- Ann\n- Bob has a fish\n", "- Ann\n- Bob has a cat, a dog\n- Bob has a fish\n"),
        ("- Ann\n- Bob\n", "- Cid\n- Ann\n", "- Cid\n- Ann\n- Bob\n"),
    ],
)  # fmt: skip
def test_what_is_lost_is_put_back_where_it_stood(before, after, expected):
    """Behind the nearest line above it that is left; a new line that says only a part of it goes."""
    assert expected == restored(before, after, lost(before, after))


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("- Has cats\n- has the CATS!\n", ["- has the CATS!"]),
        ("- Has cats\n- Has 2 cats\n- Has no cats\n", []),
        ("- Has a cat\n  - Tom\n- Has a cat\n", []),
        ("- Has cats\n- Has cats\n  - Tom\n", []),
        ("Has cats\n- Has cats\n- Has cats\n", ["- Has cats"]),
        ("Has cats\nHas cats\n", []),
        ("## Eve\n- Has cats\n## Ted\n- Has cats\n", []),
        ("## Home\n- Has cats\n## Work\n- Has cats\n", ["- Has cats"]),
        ("- Has cats\n## Pinned\n- Has cats\n", []),
        ("## Pinned\nHas cats\n## Home\n- Has cats\n", ["- Has cats"]),
        ("```\n- Has cats\n- Has cats\n```\n", []),
        ("- The\n- A\n", []),
        ("- Has cats\n- Has cats", ["- Has cats"]),
        ("- Has cats\n- Has cats\n - Tom", []),
    ],
)
def test_a_bullet_that_says_no_more_than_one_before_it_goes(text, dropped):
    """In the same place; not one that other lines hang on, nor a pinned one, nor free text."""
    left, made = without_repeats(text)

    assert dropped == [edit.removed[0] for edit in made]
    assert len(text.split("\n")) - len(dropped) == len(left.split("\n"))
    assert all(edit.added == edit.removed[1:] for edit in made)


@pytest.mark.parametrize(
    ("line", "pool", "parents", "why"),
    [
        ("- Has cats and dogs", ["- Has cats", "- Has dogs"], ["- Has cats", "- Has dogs"], ""),
        ("- Has cats", ["- Has cats", "- Plays chess"], ["- Has cats"], ""),
        ("- Has cats", ["- Has cats and dogs"], ["- Has cats and dogs"], ""),
        ("- Has milk", ["- Likes tea"], [], "its words stand in none of the lines"),
        (
            "- Has cats and six birds or more fishes, whales, bats",
            ["- Has cats"],
            [],
            "'bats', 'birds', 'fishes', 'more', 'six' stand",
        ),
        ("- Ann's cats", ["- Ann has cats"], [], "do not say Ann's"),
        ("- Ann's cats", ["- Ann's cats and dogs"], ["- Ann's cats and dogs"], ""),
        ("- !!", ["- Has cats"], [], "its words stand in none of the lines"),
    ],
)
def test_a_merged_line_names_the_lines_it_is_made_of(line, pool, parents, why):
    """Those that it says whole, else those that it shares words with; a word of none of them is refused."""
    found, told = inherited(line, pool)

    assert parents == list(found)
    assert (why in told) if why else told == ""


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("- Flies on 2026-03-02", date(2026, 3, 2)),
        ("- Flies in 2026-03", date(2026, 3, 31)),
        ("- Flies in 2026-11", date(2026, 11, 30)),
        ("- Flies in 2026-12", date(2026, 12, 31)),
        ("- Flies on 2026-12-31", date(2026, 12, 31)),
        ("- Flies on 2026-02-01, returns on 2026-03-02", date(2026, 3, 2)),
    ],
)
def test_a_plan_is_over_on_the_day_after_its_last(line, last):
    """And only where it was one when it was noted."""
    after = date.fromordinal(last.toordinal() + 1)

    assert (False, True) == (outlived(line, LEARNED, last), outlived(line, LEARNED, after))
    assert not outlived(line, None, date(2030, 1, 1))
    assert not outlived(line, after, date(2030, 1, 1))


@pytest.mark.parametrize("line", ["- Has cats", "- Flies on 2026-02-30", "- Flies in 2026-13", "- Flies in 2026"])
def test_a_line_without_a_date_is_never_over(line):
    """Nor one whose date there is not."""
    assert not outlived(line, LEARNED, date(2030, 1, 1))


@pytest.mark.parametrize(
    ("typed", "may_go"),
    [
        ("forget my old address", True),
        ("Vergiss die alte Address bitte", True),
        ("forget my cats. My address is new", False),
        ("my address is new", False),
        ("forget it", False),
    ],
)
def test_what_the_user_asked_to_forget_is_named_in_the_same_breath(typed, may_go):
    """A sentence about it elsewhere is no wish."""
    assert may_go == agreed("- Old address is Main Street 5", typed)
