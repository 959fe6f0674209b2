"""What a change leaves behind: log, diff, undo, the words behind a line, and deleting by hand."""

import pytest

from cococat.errors import StorageError, UsageError
from cococat.memory.file.find_lines import reasons
from cococat.memory.file.journal import rm, undo
from cococat.memory.file.versions import diff, keep_version, log, show
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, says

pytestmark = pytest.mark.usefixtures("known")

MOVED = "- Moved to Lisbon in 2026-05"


@pytest.fixture
def dreamt(notes, scripted):
    """A memory with one dream behind it."""
    notes.has().said("by the way, I moved to Lisbon in May")
    add = edit("- Writes Python", f"- Writes Python\n{MOVED}", (1, "I moved to Lisbon in May"))
    notes.dream(scripted(calls(add, text="The user has moved."), says("done"), usage=(10, 5)), model="scripted")
    return notes


def test_the_log_tells_what_each_dream_did_and_took(dreamt):
    """Counts from the bytes, cost from the run."""
    entry = log(dreamt.folder)[0]

    told = (entry.number, entry.kind, entry.added, entry.removed, entry.steps, entry.tokens, entry.model, entry.stop)
    assert (1, "dream", 1, 0, 3, 45, "scripted", "answered") == told  # the judge's request among them
    assert NOW == entry.ts


def test_a_version_holds_both_states_and_the_steps(dreamt):
    """`show` has what was thought and called, `diff` what changed."""
    version = show(dreamt.folder, 1)

    steps = [(step["type"], step.get("tool", "")) for step in version.meta["run"]]
    assert [("tool", "edit_file"), ("text", ""), ("text", "")] == sorted(steps, reverse=True)
    assert (START, dreamt.text) == (version.before.decode(), version.after.decode())
    assert f"+{MOVED}" in diff(dreamt.folder, 1)
    assert diff(dreamt.folder, 1) + "\n" == (dreamt.folder / "versions" / "0001" / "change.diff").read_text("utf-8")


def test_an_unknown_dream_is_an_error_that_helps(dreamt):
    """The fix is the list of dreams."""
    with pytest.raises(UsageError, match="no dream 9") as error:
        show(dreamt.folder, 9)
    assert "`cococat dream log` lists them" == error.value.hint


def test_undo_restores_byte_for_byte_and_leaves_the_cursor(dreamt):
    """The file is what it was, and the log knows."""
    finished = undo(dreamt.folder, None, now=NOW)

    assert ("changed", 2) == (finished.outcome, finished.dream)
    assert finished.receipt.endswith("dropped 1 · 32 → 25 tokens · undo: cococat dream undo 2")
    assert START == dreamt.text
    assert 1 == dreamt.state.cursor
    assert [("dream", True), ("undo", False)] == [(entry.kind, entry.undone) for entry in log(dreamt.folder)]


def test_undo_goes_from_the_newest_change_that_stands_to_the_one_before_it(dreamt, scripted):
    """What was undone and an undo are no changes to undo; a deletion by hand is."""
    dreamt.said("I play the cello")
    cello = edit("- Writes Python", "- Writes Python\n- Plays the cello", (2, "I play the cello"))
    dreamt.dream(scripted(calls(cello), says("done")))
    rm(dreamt.folder, "peanuts", now=NOW)

    taken = [undo(dreamt.folder, None, now=NOW).diff for _ in range(3)]

    assert ["+- Allergic to peanuts", "-- Plays the cello", f"-{MOVED}"] == [
        line for diff in taken for line in diff.splitlines()[2:] if line[0] in "+-"
    ]
    with pytest.raises(StorageError, match="no change to undo"):
        undo(dreamt.folder, None, now=NOW)


def test_an_undo_can_be_undone(dreamt):
    """And then the line may stay."""
    after = dreamt.text
    undo(dreamt.folder, 1, now=NOW)

    undo(dreamt.folder, 2, now=NOW)

    assert after == dreamt.text
    assert MOVED not in dreamt.state.tombstones
    assert [False, True, False] == [entry.undone for entry in log(dreamt.folder)]
    assert ("changed", START) == (undo(dreamt.folder, None, now=NOW).outcome, dreamt.text)


def test_undoing_twice_changes_nothing(dreamt):
    """The second time says so."""
    undo(dreamt.folder, 1, now=NOW)

    again = undo(dreamt.folder, 1, now=NOW)

    assert ("nothing", START) == (again.outcome, dreamt.text)
    assert "undone already" in again.receipt


def test_with_nothing_to_undo_it_says_so(notes):
    """An empty log is an error with a next step."""
    with pytest.raises(StorageError, match="no change to undo"):
        undo(notes.folder, None, now=NOW)


@pytest.mark.parametrize(
    "build", [lambda t: "# New first line\n" + t + "- New last line\n", lambda t: t.replace("tea to coffee", "water")]
)
def test_undo_takes_out_only_what_the_dream_did(dreamt, build):
    """What a user wrote elsewhere since stays."""
    dreamt.has(build(dreamt.text))

    finished = undo(dreamt.folder, 1, now=NOW)

    assert "changed" == finished.outcome
    assert build(START) == dreamt.text


def test_undo_refuses_when_its_lines_were_changed_since(dreamt):
    """A conflict is shown and nothing is touched."""
    text = dreamt.text.replace("Lisbon", "Porto")
    dreamt.has(text)

    finished = undo(dreamt.folder, 1, now=NOW)

    assert "failed" == finished.outcome
    assert f"+{MOVED}" in finished.diff
    assert text == dreamt.text


@pytest.mark.parametrize("how", ["undo", "rm", "hand"])
def test_what_somebody_deleted_does_not_come_back(dreamt, scripted, how):
    """Undo, rm and an editor all bury a line: the next dreams cannot add it again."""
    match how:
        case "undo":
            undo(dreamt.folder, 1, now=NOW)
        case "rm":
            rm(dreamt.folder, "lisbon", now=NOW)
        case "hand":
            dreamt.has(START)
    for _ in range(3):
        dreamt.said("remember that I moved to Lisbon in May")
        add = edit(
            "- Writes Python",
            f"- Writes Python\n{MOVED}",
            (dreamt.earlier + dreamt.state.cursor + 1, "I moved to Lisbon in May"),
        )
        server = scripted(calls(add), says("done"))
        dreamt.dream(server)

        assert "deleted" in server.requests[1]["messages"][-1]["content"]
        assert START == dreamt.text


def test_what_a_person_writes_back_may_stay(dreamt, scripted):
    """A buried line that stands in the file again is unburied by the next change."""
    undo(dreamt.folder, 1, now=NOW)
    dreamt.has(START + MOVED + "\n- Another line of mine\n")

    rm(dreamt.folder, "another", now=NOW)

    assert (START + MOVED + "\n", ("- Another line of mine",)) == (dreamt.text, dreamt.state.tombstones)


def test_rm_deletes_one_line_and_can_be_undone(dreamt):
    """By its number or by its words; what is not one line is refused."""
    text = dreamt.text
    rm(dreamt.folder, 4, now=NOW)
    without = dreamt.text
    undo(dreamt.folder, 2, now=NOW)

    assert text.replace("- Allergic to peanuts\n", "") == without
    assert text == dreamt.text
    for wanted in ("e", "durian", 99, 0, 2):
        with pytest.raises(UsageError):
            rm(dreamt.folder, wanted, now=NOW)


@pytest.mark.parametrize(("wanted", "left"), [(1, "- b\n- c"), ("3", "- a\n- b"), ("c", "- a\n- b")])
def test_lines_are_numbered_from_one_to_the_last_which_may_lack_its_end(notes, wanted, left):
    """Nought is no line, not even the last one; neither is the one behind it."""
    notes.has("- a\n- b\n- c")

    for none in (0, 4, -1):
        with pytest.raises(UsageError, match=f"no line {none} "):
            rm(notes.folder, none, now=NOW)
    rm(notes.folder, wanted, now=NOW)

    assert left == notes.text


@pytest.mark.parametrize(("wanted", "hint"), [("e", "cococat memory rm NUMBER"), ("durian", "cococat memory show")])
def test_words_that_name_no_single_line_are_answered_with_what_to_do(dreamt, wanted, hint):
    """Of several one is chosen by its number, and where there is none the notes are to be looked at."""
    with pytest.raises(UsageError) as refusal:
        rm(dreamt.folder, wanted, now=NOW)

    assert hint == refusal.value.hint


@pytest.mark.parametrize("wanted", ["Lisbon", "9", "moved to LISBON in 2026-05!"])
def test_why_gives_the_users_own_words(dreamt, wanted):
    """By text or by number: session, record, day and quote."""
    (source, _), *_ = reasons(dreamt.folder, wanted)[0].sources

    told = (source.line, source.session, source.seq, source.quote, source.said.isoformat(), source.dream)
    assert (MOVED, "S1", 5, "I moved to Lisbon in May", "2026-05-04", 1) == told


def test_why_follows_a_line_through_its_rewording(dreamt, scripted):
    """A changed line keeps what the old one rested on."""
    dreamt.said("in Lisbon I live in the quarter Graca")
    change = edit(MOVED, "- Lives in Lisbon, in the quarter Graca", (6, "I live in the quarter Graca"))
    dreamt.dream(scripted(calls(change), says("done")))

    quotes = [source.quote for reason in reasons(dreamt.folder, "Graca") for source, _ in reason.sources]

    assert ["I moved to Lisbon in May", "I live in the quarter Graca"] == quotes


def test_lines_nobody_dreamt_have_no_source(dreamt):
    """A line written by hand is nobody's quote."""
    assert [()] == [reason.sources for reason in reasons(dreamt.folder, "peanuts")]
    assert () == reasons(dreamt.folder, "")


def test_only_the_newest_fifty_are_kept(notes):
    """The oldest go first."""
    for number in range(1, 54):
        keep_version(notes.folder, number, b"", b"x", {"kind": "dream", "ts": NOW.isoformat()})

    assert list(range(4, 54)) == [entry.number for entry in log(notes.folder)]


@pytest.mark.parametrize("name", ["notes", "0002 (copy)", "\u00b2"])
def test_what_else_stands_among_the_versions_is_none(dreamt, name):
    """As somebody has put it there, or a program that copies files."""
    (dreamt.folder / "versions" / name).mkdir()

    assert [1] == [entry.number for entry in log(dreamt.folder)]


def test_a_damaged_entry_is_left_out(dreamt):
    """The rest of the log can still be read."""
    (dreamt.folder / "versions" / "0001" / "meta.json").write_bytes(b"{")

    assert () == log(dreamt.folder)


def test_a_damaged_state_starts_from_what_the_versions_tell(dreamt):
    """The cursor of the newest version counts: nothing is lost, hardly anything is read twice."""
    (dreamt.folder / "state.json").write_bytes(b"\x00")

    assert (1, 1) == (dreamt.state.cursor, dreamt.state.dreams)
