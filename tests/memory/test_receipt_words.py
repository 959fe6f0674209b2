"""The line behind a dream: what it did, what it took, and how to take it back."""

from cococat.memory.file import receipt

BEFORE = "# Memory\n- Has a cat\n- Likes tea\n"
AFTER = "# Memory\n- Has a cat and a dog\n- Lives in Lisbon\n- Works at Acme\n"


def changed(**given):
    said = receipt.changed(BEFORE, AFTER)
    return receipt.whole(said, BEFORE, AFTER, **{"numbers": [3], "steps": 2, "tokens": 1200, "count": len, **given})


def test_a_change_tells_its_facts_its_size_its_cost_and_the_way_back():
    """A dry run has no way back, and what cost nothing says nothing of it."""
    start = "remembered 1, changed 2, dropped 0 · 33 → 65 tokens"

    assert f"{start} · 2 steps · 1,200 tokens · undo: cococat dream undo 3" == changed()
    assert f"{start} · 1 step · undo: cococat dream undo 3" == changed(steps=1, tokens=0)
    assert f"{start} · 5 tokens" == changed(steps=0, tokens=5, numbers=[0])


def test_a_compaction_tells_how_many_lines_it_left():
    """And nothing of a cost that there was not."""
    free = {"steps": 0, "tokens": 0}

    assert "compacted 2 → 3 lines · 33 → 65 tokens · undo: cococat dream undo 4" == receipt.whole(
        receipt.fewer(BEFORE, AFTER), BEFORE, AFTER, [4], len, **free
    )
    assert "compacted 2 → 0 lines · 33 → 0 tokens" == receipt.whole(
        receipt.fewer(BEFORE, ""), BEFORE, "", [0], lambda _: 33, **free
    )


def test_several_changes_are_taken_back_from_the_newest_on():
    """Of one there is no "then"."""
    line = receipt.whole("said", "", "", [3, 4, 6], len, steps=0, tokens=0)

    assert "said · 0 → 0 tokens · undo: cococat dream undo 6, then 4, then 3" == line
    assert "said · 0 → 0 tokens" == receipt.whole("said", "", "", [], len, steps=0, tokens=0)


def test_what_changed_nothing_says_why_and_what_it_took():
    """The reason can be had from the line again."""
    assert "memory unchanged · only questions · 1 step · 2,000 tokens" == receipt.unchanged(
        "only questions", steps=1, tokens=2000
    )
    assert "memory unchanged" == receipt.unchanged("")
    assert "only questions" == receipt.reason(receipt.unchanged("only questions", steps=1))
    assert "would remember 1, change 2, drop 0" == receipt.proposed(BEFORE, AFTER)
    assert "+2 \N{MINUS SIGN}1" == receipt.difference(2, 1)
