"""Where a line comes from, as it is kept and told: the days of its words, its parents, and what a change did."""

from datetime import date, timedelta

import pytest

from cococat.errors import StorageError
from cococat.memory.file.edits import Proposal, Quote
from cococat.memory.file.find_lines import facts_of
from cococat.memory.file.history import FOREIGN_CHARS, Exchange, PastExchange, Said, append, pending
from cococat.memory.file.place import append_lines
from cococat.memory.file.provenance import PROVENANCE, learned, rows_of
from cococat.memory.file.versions import diff, keep_version, log, newest, show
from cococat.memory.words import key
from tests.memory.conftest import NOW, START

SAID = {1: "I moved to Lisbon", 2: "my dog is called Rex"}
RECORDS = [PastExchange(seq, NOW + timedelta(days=seq), "S1", (Said("typed", text),), "") for seq, text in SAID.items()]
QUOTES = tuple(Quote(seq, text) for seq, text in SAID.items())


def row(line, *days, parents=(), dream=1):
    """A row of a line, said on *days* of May."""
    said = [{"session": "S1", "seq": 1, "quote": f"{line} on {day}", "date": f"2026-05-{day:02}"} for day in days]
    return {
        "v": 1,
        "key": key(line),
        "line": line,
        "from": [key(one) for one in parents],
        "sources": said,
        "dream": dream,
    }


def test_a_new_line_keeps_the_quotes_that_carry_it():
    """What went, or did not last, has no row."""
    made = [
        Proposal("- Moved to Lisbon", QUOTES[:1]),
        Proposal("- Dog is called Rex", QUOTES[1:]),
        Proposal("- Gone again", QUOTES),
        Proposal("", (), ("- Went",)),
    ]

    rows = rows_of(made, RECORDS, ["- Moved to Lisbon", "- Dog is called Rex", "## New"])

    assert ["- Moved to Lisbon", "- Dog is called Rex"] == [one["line"] for one in rows]
    assert [[SAID[1]], [SAID[2]]] == [[source["quote"] for source in one["sources"]] for one in rows]
    assert ["2026-05-05", "2026-05-06"] == [one["sources"][0]["date"] for one in rows]
    assert [[], []] == [one["from"] for one in rows]


def test_a_line_comes_from_those_that_it_says_again():
    """One that has no word in common with it is no parent, unless there is no other evidence."""
    gone = ("- Lives in Lisbon", "- Likes tea")
    with_quote = Proposal("- Moved to Lisbon", QUOTES[:1], gone)
    without = Proposal("- Moved to Lisbon", (), gone)

    parents = [rows_of([edit], RECORDS, ["- Moved to Lisbon"])[0]["from"] for edit in (with_quote, without)]

    assert [[key(gone[0])], sorted(map(key, gone))] == parents


def test_a_line_is_as_old_as_its_newest_words(notes):
    """A merged one as the newest of its parts, those apart that nobody knows of."""
    notes.has()
    rows = [
        row("- a", 3, 9, 5),
        row("- a", 7),
        row("- b", 8),
        row("- ab", parents=("- a", "- b", "- unknown")),
        row("- c", parents=("- unknown",)),
        row("- d", 2),
        row("- d", 4),
    ]
    append_lines(notes.folder, PROVENANCE, rows)

    days = {"- a": 9, "- b": 8, "- ab": 9, "- d": 4}
    assert {key(line): date(2026, 5, day) for line, day in days.items()} == learned(notes.folder)


def test_a_change_is_told_fact_by_fact_with_its_own_words(notes):
    """What went first; of a dream of several parts as a whole; of one that is not kept nothing."""
    notes.has()
    dog = "- Has a dog\n- Has a fish\n"
    texts = [START, START + dog, START.replace("- Writes Python\n", f"{dog}- Has a cat\n")]
    for number in (1, 2):
        keep_version(
            notes.folder,
            number,
            texts[number - 1].encode(),
            texts[number].encode(),
            {"kind": "dream", "ts": NOW.isoformat()},
        )
    append_lines(
        notes.folder,
        PROVENANCE,
        [
            row("- Has a dog", 3),
            row("- Has a dog", 8),
            row("- Has a fish", 6, dream=2),
            row("- Has a cat", 4, dream=2),
            row("- Has a cat", 5, dream=3),
        ],
    )

    cat = ("+", "Has a cat", "- Has a cat on 4")
    assert (("-", "Writes Python", ""), cat) == facts_of(notes.folder, 2)
    new = (("+", "Has a dog", "- Has a dog on 3"), ("+", "Has a fish", "- Has a fish on 6"))
    assert (("-", "Writes Python", ""), *new, cat) == facts_of(notes.folder, 2, 1)
    assert (new[0], ("+", "Has a fish", "")) == facts_of(notes.folder, 1)
    assert () == facts_of(notes.folder, 3)


def test_an_entry_shows_two_lines_around_a_change_and_one_without_its_bytes_is_an_error(notes):
    """What is kept of it is written beside it as well; an entry of no known kind is none."""
    notes.has()
    before = "".join(f"{number}\n" for number in range(9))
    keep_version(
        notes.folder, 2, before.encode(), before.replace("4", "x").encode(), {"kind": "dream", "ts": NOW.isoformat()}
    )
    keep_version(notes.folder, 3, b"", b"", {"kind": "other", "ts": NOW.isoformat()})
    shown = "--- MEMORY.md before\n+++ MEMORY.md after\n@@ -3,5 +3,5 @@\n 2\n 3\n-4\n+x\n 5\n 6"

    assert shown == diff(notes.folder, 2)
    assert f"{shown}\n" == (notes.folder / "versions/0002/change.diff").read_text()
    assert [(2, 0, 0, 0, 0, 0)] == [
        (e.number, e.added, e.removed, e.steps, e.tokens, e.target) for e in log(notes.folder)
    ]
    assert (3, 0) == (newest(notes.folder), newest(notes.folder / "none"))
    (notes.folder / "versions/0002/after.md").unlink()
    with pytest.raises(StorageError, match="is not kept any more"):
        show(notes.folder, 2)


@pytest.mark.parametrize(("size", "kept"), [(2000, "x" * 2000), (2001, "x" * 2000 + "\n[1 more characters not kept]")])
def test_of_a_text_that_was_not_typed_two_thousand_characters_are_kept(notes, size, kept):
    """What was typed is kept whole."""
    texts = (Said("typed", "y" * size), Said("file", "x" * size))

    append(notes.folder, Exchange("S1", texts, ""), now=NOW, redact=str)

    assert 2000 == FOREIGN_CHARS
    assert ["y" * size, kept] == [said.text for said in pending(notes.folder, 0).records[0].user]
