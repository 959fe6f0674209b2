"""The memory in a prompt: what it is for, how old its lines are, and what the budget has room for."""

import json
from datetime import date

import pytest

from cococat.core.settings import DreamSettings
from cococat.memory.file.document import Memory, read
from cococat.memory.file.quoting import Quoted, quoted
from cococat.memory.words import key
from cococat.model.tokens import count
from tests.memory.conftest import Notes
from tests.scripted import says

TODAY = date(2026, 5, 4)


def noted(notes, day, *lines):
    """Provenance of lines that were said on *day*."""
    with (notes.folder / "provenance.jsonl").open("a") as file:
        for line in lines:
            source = {"session": "S1", "seq": 1, "quote": "words", "date": day}
            name = line.removeprefix("- ").casefold()
            file.write(
                json.dumps({"v": 1, "key": name, "line": line, "from": [], "sources": [source], "dream": 1}) + "\n"
            )


def test_the_block_says_what_it_is_for(notes):
    """Apply it unless the message says otherwise; it may be stale; it grants nothing."""
    block = quoted(read(notes.has().folder), TODAY).block

    for words in ("Apply these", "unless the message says otherwise", "may be stale", "grants no permission"):
        assert words in block


def test_empty_headings_are_in_no_prompt(notes):
    """They say nothing, and stay in the file."""
    text = "# Memory\n\n## Pinned\n\n## Preferences\n- Prefers tea\n\n## Projects\n\n### Old\n"

    found = quoted(read(notes.has(text).folder), TODAY)

    rows = found.block.split("\n")[2:-1]
    assert ["# Memory", "", "## Preferences", "- Prefers tea"] == rows
    assert (text, 0, text) == (found.text, found.left_out, notes.text)


def test_what_is_over_the_budget_is_cut_pinned_stays_then_the_newest(notes):
    """Whole lines, in their order and under their headings, and one line says so."""
    old = [f"- Old fact number {number}" for number in range(30)]
    text = "\n".join(
        ["# Memory", "## Pinned", "- Allergic to peanuts", "## Work", *old, "- New fact", "## Rest", "- Hand"]
    )
    notes.has(text + "\n")
    noted(notes, "2026-04-01", *old)
    noted(notes, "2026-05-03", "- New fact")

    found = quoted(read(notes.folder), TODAY, DreamSettings(max_tokens=60))

    rows = found.block.split("\n")[2:-1]
    assert ["# Memory", "## Pinned", "- Allergic to peanuts", "## Work"] == rows[:4]
    assert "- New fact" == rows[-2]
    assert f"[{found.left_out} older lines are left out: the memory is over its budget]" == rows[-1]
    assert all(row.startswith("- Old fact number 2") for row in rows[4:-2])
    assert 20 < found.left_out < 31
    assert "## Rest" not in found.text


def test_what_hangs_on_a_line_is_kept_or_left_out_with_it(notes):
    """A nested line without the one above it would say something else."""
    text = "- Dislikes\n  - Tea with a lot of milk in it\n  - Walks in the rain without a coat\n- Short\n"

    found = quoted(read(notes.has(text).folder), TODAY, DreamSettings(max_tokens=12))

    assert ("- Short", 3) == (found.text.strip(), found.left_out)


def cut(text, learned=None, **budget):
    """What of *text* is in a prompt, by a budget of characters, bytes or lines."""
    memory = Memory(text.encode(), text, exists=True, learned=learned or {})
    return quoted(memory, TODAY, DreamSettings(**budget), count=len).text


TABLE = "- one more\n| a | b\n|---|--\n| c | d\n"


@pytest.mark.parametrize(
    ("text", "most_lines", "left"),
    [
        (TABLE, 2, "- one more"),
        (TABLE, 3, "| a | b\n|---|--\n| c | d"),
        ("- one more\n| c | d\n  note\n| e | f\n", 2, "- one more"),
        ("| a | b\n| c | d\nplain\n", 2, "plain"),
        ("- one\n- two\n\n  three\n", 2, "- two\n\n  three"),
        ("- one\n\tin it\n- two\n", 2, "- two"),
        ("## Work\n- one\n## Home\n- two\n", 3, "## Home\n- two"),
        (
            "## Pinned\n- Ann\n  - cats\n## Home\n- Bob\n  - cats\n- Cid\n",
            5,
            "## Pinned\n- Ann\n  - cats\n## Home\n- Cid",
        ),
    ],
)
def test_a_table_or_what_hangs_on_a_line_is_in_the_prompt_as_a_whole_or_not_at_all(text, most_lines, left):
    """Each is a block of its own, whatever stands before and behind it."""
    assert left == cut(text, max_lines=most_lines).strip("\n")


@pytest.mark.parametrize(("unit", "size"), [("max_lines", 4), ("max_bytes", 33), ("max_tokens", 31)])
def test_a_budget_is_filled_to_its_last_line_byte_and_token(unit, size):
    """Then the text stands there as it is; one less leaves the oldest line out; headings count as well."""
    text = "## Old\n## Work\n- \u00e4aaaa\n- \u00e4bbbb\n"

    assert (31, 33) == (len(text), len(text.encode()))
    assert text == cut(text, **{unit: size})
    assert "## Work\n- \u00e4bbbb\n" == cut(text, **{unit: size - 2 if unit != "max_lines" else 3})


def test_a_block_is_as_new_as_its_newest_line():
    """What was said of it last counts; a line by hand counts as old."""
    text = "- Ann\n  - has cats\n- Bob\n- Cid\n"
    learned = {key("- Ann"): date(2026, 1, 1), key("  - has cats"): date(2026, 4, 1), key("- Bob"): date(2026, 3, 1)}

    assert "- Ann\n  - has cats\n" == cut(text, learned, max_lines=2)
    assert "- Ann\n  - has cats\n- Bob\n" == cut(text, learned, max_lines=3)


def test_nothing_remembered_is_no_block_and_leaves_nothing_out(notes):
    """Neither has a file of headings."""
    assert Quoted("", "", 0) == quoted(read(notes.has("# Memory\n").folder), TODAY)


def test_a_start_with_too_much_memory_says_so_and_sends_what_fits(cococat, scripted, home):
    """The warning names the sizes and the command; the request holds no more than the budget."""
    Notes(home / "memory").has("# Memory\n" + "".join(f"- Knows the fact with the number {n}\n" for n in range(900)))
    server = scripted(says("Hello."), says("Hello."))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "scripted", "hi")
    quiet = cococat("ask", "--quiet", "--base-url", server.base_url, "-m", "scripted", "hi")

    assert "of 2,000 tokens" in ran.stderr
    assert "lines are in no prompt; cococat dream" in ran.stderr
    assert "in no prompt" not in quiet.stderr
    system = server.requests[0]["messages"][0]["content"]
    assert "the number 899" in system
    assert "the number 1\n" not in system
    assert "older lines are left out" in system
    assert count(system[system.index("<memory-") :]) < 2100
