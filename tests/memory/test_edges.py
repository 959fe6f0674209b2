"""The last case on each side of every bound that an edit, a line and a quote are held against."""

import json

import pytest

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.dream.evidence import how_to, merges, quotes
from cococat.memory.dream.plan import next_batch
from cococat.memory.dream.tools import DreamWorkspace, Rules
from cococat.memory.file.document import MAX_BYTES, read
from cococat.memory.file.edits import Quote, certain, changed_lines, edited, facts_changed, removed_share
from cococat.memory.file.history import PastExchange, Said
from cococat.memory.file.journal import JOURNAL, recover, rm, undo
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.scan import with_blocked_lines
from cococat.memory.file.versions import log
from cococat.memory.words import similarity, tokens
from tests.memory.conftest import NOW, START
from tests.memory.conftest import edit as call
from tests.memory.test_box import TYPED, add, run
from tests.memory.test_crash import commit_until
from tests.scripted import calls, says


def box_of(typed, text=START, **rules):
    """A box over *text* for one record."""
    settings = {name: rules.pop(name) for name in ("max_tokens", "max_lines", "max_bytes") if name in rules}
    return DreamWorkspace(text, Rules({1: typed}, DreamSettings(**settings), **rules))


@pytest.mark.parametrize(("size", "fine"), [(200, True), (201, False)])
def test_a_line_holds_two_hundred_characters(size, fine):
    """One more is refused."""
    line = "- " + "ha " * 64 + "hahahah"[: size - 194]
    box = box_of("ha haha hahah")

    assert size == len(line)
    if fine:
        assert "edited" in add(box, line, (1, "ha haha hahah"))
    else:
        with pytest.raises(ToolFailure, match="holds 201 characters"):
            add(box, line, (1, "ha haha hahah"))


def test_only_what_looks_like_an_attack_is_set_aside():
    """A foreign address or a line that is too long is refused and no more."""
    box = DreamWorkspace(START, Rules(TYPED, DreamSettings()))
    for line in ("- Moved to Lisbon, see evil.sh", f"- Moved to Lisbon {'in May ' * 40}"):
        with pytest.raises(ToolFailure):
            add(box, line)

    assert [] == box.quarantined


def test_without_another_heading_the_pinned_section_says_where_else():
    """The message is something that can be done."""
    with pytest.raises(ToolFailure, match="put the line at the end"):
        run(box_of("x", "# Memory\n\n## Pinned\n- Has a cat\n"), "- Has a cat", "")
    with pytest.raises(ToolFailure, match="such as '## Preferences'"):
        run(box_of("x"), "- Allergic to peanuts", "")


def test_where_only_a_heading_goes_bullets_come():
    """Free text has no place where there was none."""
    box = box_of("I moved to Lisbon", "# Memory\n\n## Work\n")

    with pytest.raises(ToolFailure, match="begin it with '- '"):
        run(box, "## Work", "I moved to Lisbon", [(1, "I moved to Lisbon")])


def test_a_paragraph_may_be_reworded_as_a_paragraph():
    """A user may write their notes without bullets."""
    box = box_of("I moved to Lisbon", "I live in Berlin\n")

    assert "edited" in run(box, "I live in Berlin", "I live in Lisbon", [(1, "I moved to Lisbon")])


@pytest.mark.parametrize("unit", ["max_lines", "max_bytes", "max_tokens"])
def test_a_budget_may_be_used_up_and_not_exceeded(unit):
    """The last line, byte and token fit."""
    after = START + "- Moved to Lisbon\n"
    size = after.count("\n") + 1 if unit == "max_lines" else len(after)
    for limit in (size, size - 1):
        box = DreamWorkspace(START, Rules(TYPED, DreamSettings(**{unit: limit}), count=len))
        if limit == size:
            assert "edited" in add(box, "- Moved to Lisbon")
        else:
            with pytest.raises(ToolFailure, match=f"{unit[4:]}, at most"):
                add(box, "- Moved to Lisbon")


@pytest.mark.parametrize("unit", ["lines", "bytes", "tokens"])
def test_a_file_over_its_budget_may_not_stay_as_large(unit):
    """Another line of the same length is no smaller file."""
    box = box_of("I use dogs", "- Has cats\n", **{f"max_{unit}": 1}, count=len)

    with pytest.raises(ToolFailure, match=f"{unit}, at most 1"):
        run(box, "- Has cats", "- Has dogs", [(1, "I use dogs")])


@pytest.mark.parametrize("unit", ["lines", "bytes", "tokens"])
def test_a_file_over_its_budget_may_become_smaller(unit):
    """By one line, although it is still over."""
    box = box_of("I use dogs", "- Has cats\n- Has dogs\n- Has cows\n", **{f"max_{unit}": 1}, count=len)

    run(box, "- Has dogs\n", "")

    assert "- Has cats\n- Has cows\n" == box.text


@pytest.mark.parametrize(("most", "told"), [(30, False), (29, True)])
def test_above_eighty_percent_an_edit_is_told_how_full_the_file_is(most, told):
    """At 80 % it is not."""
    box = box_of("x", "- Has cats\n- Has otters\n- Has x\n", max_tokens=most, count=len)

    answer = run(box, "- Has x\n", "")

    assert told == (f"; MEMORY.md now holds 24 of {most} tokens" in answer)


def test_what_is_wrong_with_a_line_is_told_before_what_is_wrong_with_its_evidence():
    """Better evidence would not help it."""
    box = DreamWorkspace(START, Rules(TYPED, DreamSettings()))

    with pytest.raises(ToolFailure, match="hidden characters"):
        add(box, "- Moved to Lisbon\u202e", (99, "no such words"))


def test_lines_that_are_refused_leave_each_another_old_one_in_its_place():
    """Neither is lost, and none comes twice, however near both are to the same."""
    box = DreamWorkspace(START, Rules(TYPED, DreamSettings()))
    new = "- Prefers milk to coffee\n- Prefers tea to milk\n- Moved to Lisbon"

    told = run(box, "- Prefers tea to coffee\n- Writes Python", new, [(7, "I moved to Lisbon")])

    assert 2 == told.count("not kept: ")
    assert START + "- Moved to Lisbon\n" == box.text


def test_the_schema_bounds_what_a_model_may_send():
    """Long enough for an edit, short enough for a small model."""
    given = DreamWorkspace("", Rules({}, DreamSettings())).tools()[1].parameters["properties"]

    assert (2000, 2000) == (given["old_text"]["maxLength"], given["new_text"]["maxLength"])
    assert (8, 500) == (given["evidence"]["maxItems"], given["evidence"]["items"]["properties"]["quote"]["maxLength"])
    assert ["MEMORY.md"] == given["path"]["enum"]


@pytest.mark.parametrize(
    ("quote", "fine"),
    [("moved to", True), ("I moved", False), ("绿茶很好", True), ("绿茶很", False), ("绿茶 ab 茶", True)],
)
def test_a_quote_holds_eight_characters_and_wide_ones_count_twice(quote, fine):
    """The shortest that passes and the longest that does not."""
    typed = {1: "by the way I moved to Lisbon 绿茶很好 绿茶 ab 茶"}
    given = [{"seq": 1, "quote": quote}]
    if fine:
        assert quote == quotes(given, typed)[0].quote
    else:
        with pytest.raises(ToolFailure, match="too short"):
            quotes(given, typed)


@pytest.mark.parametrize(("quote", "fine"), [("moved to", True), ("I moved", False)])
def test_a_quote_that_is_long_enough_is_found_where_it_was_typed(quote, fine):
    """A wrong number beside a short one may be more than a slip."""
    given, typed = [{"seq": 2, "quote": quote}], {1: "I moved to Lisbon", 2: "thanks a lot"}
    if fine:
        assert (Quote(1, quote),) == quotes(given, typed)
    else:
        with pytest.raises(ToolFailure, match="did not type 'I moved' in record 2"):
            quotes(given, typed)


def test_where_nothing_was_typed_the_message_says_so():
    """There is no way to give evidence then."""
    assert "nothing may be added" in how_to({1: " "})


@pytest.mark.parametrize(
    ("words", "shown_words"), [(["word" * 3] * 4 + ["abcdefgh"], None), (["word" * 3] * 4 + ["abcdefghi"], 4)]
)
def test_the_example_of_a_quote_is_a_glimpse_of_sixty_characters(words, shown_words):
    """A longer record is cut at a word."""
    typed = " ".join(words)

    told = how_to({7: typed})

    expected = typed if shown_words is None else " ".join(words[:shown_words])
    assert (60 if shown_words is None else 61) == len(typed)
    assert f'[{{"seq": 7, "quote": "{expected}"}}]' in told


@pytest.mark.parametrize(("size", "glimpse"), [(60, "a" * 29 + " " + "b" * 30), (61, "a" * 29)])
def test_what_a_record_reads_is_told_in_sixty_characters(size, glimpse):
    """A longer one is cut at a word."""
    with pytest.raises(ToolFailure, match=f"reads '{glimpse}': copy"):
        quotes([{"seq": 1, "quote": "I like cats"}], {1: "a" * 29 + " " + "b" * (size - 30)})


def test_the_example_is_the_record_that_the_line_is_about():
    """With two equally near the newer one; its questions do not count."""
    typed = {1: "I moved to Lisbon", 2: "is Lisbon far?", 3: "And thanks a lot"}

    assert '"seq": 1' in how_to(typed, "- Lives in Lisbon")
    assert '"seq": 3' in how_to(typed, "- Something else")


def test_a_line_that_comes_twice_and_goes_once_is_still_there():
    """Its new wording would be the second of the same."""
    box = box_of("x", "# Memory\n- Has cats\n- Has cats\n")

    with pytest.raises(ToolFailure, match="already at line 3: '- Has cats'"):
        run(box, "# Memory\n- Has cats", "# Memory\n- Has cats!")


@pytest.mark.parametrize(
    ("line", "removed", "expected"),
    [
        ("- tea, cake", ["- tea", "- cake"], True),
        ("- cake and tea", ["- tea", "- cake"], True),
        ("- tea", ["- tea", "- cake"], True),
        ("- tea tea", ["- tea"], False),
        ("- tea \U0001f480", ["- tea"], False),
        ("- !!!", ["- tea"], False),
        ("- Likes tea, cake", ["- Likes tea", "- Likes cake"], False),
        ("- Likes", ["- Likes tea"], False),
    ],
)
def test_what_is_a_merge(line, removed, expected):
    """Whole lines one behind the other; what they begin with in common may come once."""
    assert expected == merges(line, removed)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("- a b", "- b c", 0.5), ("- x", "- X!", 1.0), ("!", "!", 1.0), ("!", "?", 0.0), ("!", "x", 0.0), ("x", "!", 0.0)],
)
def test_similarity_is_twice_the_shared_part(one, other, expected):
    """Lines without words are the same when they are equal."""
    assert expected == similarity(one, other)


def test_scripts_without_spaces_become_pairs():
    """Between other words, alone, and one character on its own."""
    assert {"abc", "中文", "文字", "def"} == tokens("abc中文字def")
    assert {"中"} == tokens("中")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "x\n", 0.0),
        ("a b\n", "b c\n", 0.0),  # half of it is still there
        ("a b c d\n", "c d e f g\n", 1.0),  # 4/9 is too little
        ("tea cake\nx y\n", "tea cake bun\nx y\n", 0.0),
        ("tea one\ntea two\n", "tea three\n", 0.5),  # one new line takes the place of one old line
        ("one\ntwo\n", "one\n", 0.5),
    ],
)
def test_what_part_of_the_lines_is_gone(before, after, expected):
    """A reworded line is not gone."""
    assert expected == removed_share(before, after)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("# A\n- tea one\n", "# B\n- tea one\n", (0, 0, 0)),
        ("- tea one\n", "- tea one\n#tag cake\n", (0, 0, 0)),
        ("- tea one\n", "- tea two\n- cake bun\n", (1, 1, 0)),
        ("- tea one\n- cake bun\n", "- tea two\n", (0, 1, 1)),
        ("- tea\n- cake bun\n", "- water\n- cake bun\n", (0, 1, 0)),
        ("- tea\n- cake bun\n", "- cake bun\n- water\n", (1, 0, 1)),
        ("- tea\n- cake bun\n", "- water\n", (0, 1, 1)),
        ("- tea\n", "- water\n- cake bun\n", (1, 1, 0)),
    ],
)
def test_a_receipt_counts_lines_that_came_changed_and_went(before, after, expected):
    """Headings are none of them; what shares half of its words, or takes the place of another, is changed."""
    assert expected == facts_changed(before, after)


@pytest.mark.parametrize(
    ("before", "after", "doubtful", "expected"),
    [
        ("- a\n- b", "- a\n- x\n- b\n- y", ["- x"], "- a\n- b\n- y"),
        ("- a\n- b", "- a\n  - x\n- b\n\n- y", ["- x"], "- a\n- b\n\n- y"),
        ("- a\n- b\n- c", "- x\n- b\n- y", ["- x"], "- a\n- b\n- y"),
        ("- a\n- b\n- c", "- x\n- b\n- y\n- z", ["- x"], "- a\n- b\n- y\n- z"),
        ("- a\n- b\n- c\n- d", "- x\n- b\n- y", ["- x"], "- a\n- b\n- c\n- d"),
        ("- a\n- b\n- c", "- x\n- b\n- y", ["- c"], "- x\n- b\n- c"),
        ("- a\n- b\n- c", "- b\n- c\n- a\n- x", ["- x"], "- a\n- b\n- c"),
        ("- a", "- a\n- x\n- y", ["- x", "- y"], "- a"),
    ],
)
def test_only_what_is_certain_is_kept_beside_doubtful_lines(before, after, doubtful, expected):
    """Line by line where lines only come, passage by passage where others go; never at the cost of a line that moved."""
    assert expected == certain(before, after, doubtful)


def test_an_edit_names_the_first_five_places():
    """The message stays short."""
    with pytest.raises(ToolFailure, match=r"occurs 7 times \(lines 1, 2, 3, 4, 5\), want 1"):
        edited("- x\n" * 7, "- x", "")
    with pytest.raises(ToolFailure, match=r"occurs 2 times \(lines 2, 3\), want 1"):
        edited("\n- x\n- x\n", "- x", "")


def test_a_passage_at_the_very_start_can_be_edited():
    """Its place is 0."""
    assert "# Notes\n- x\n" == edited("# Memory\n- x\n", "# Memory", "# Notes").text


def test_the_nearest_lines_are_three_or_else_a_heading():
    """What is a little like the passage is named, what is not is none of the model's business."""
    lines = "".join(f"- likes green tea {n}\n" for n in range(5))

    with pytest.raises(ToolFailure) as near:
        edited(lines, "- likes green tea", "x") if lines.count("- likes green tea") == 1 else edited(
            lines, "- like green teas", "x"
        )
    with pytest.raises(ToolFailure) as far:
        edited("# Memory\n\n## A\n\n## B\n- x\n", "- durian fruit", "x")
    with pytest.raises(ToolFailure) as bare:
        edited("- x\n", "- durian fruit", "x")

    assert 3 == str(near.value).count("'- likes green tea ")
    assert "take a heading as old_text, such as '## B'" in str(far.value)
    assert str(bare.value).endswith("copy it letter by letter")


@pytest.mark.parametrize(("line", "named"), [("- abyyyyyyyy", True), ("- abyyyyyyyyy", False)])
def test_a_line_is_near_that_shares_four_characters_of_ten(line, named):
    """One character more beside the same four is too far away."""
    with pytest.raises(ToolFailure) as refusal:
        edited(f"{line}\n", "- abxxxx", "")

    assert named == (f"the nearest lines are {line!r}" in str(refusal.value))


@pytest.mark.parametrize("times", [1, 2])
def test_a_line_that_is_added_once_more_stands_there_as_often_as_before(times):
    """What came beside it is kept."""
    box = box_of("I moved to Lisbon", "- Writes Python\n" * times + "- End\n")

    run(box, "- End\n", "- End\n- Writes Python\n- Moved to Lisbon\n", [(1, "I moved to Lisbon")])

    assert "- Writes Python\n" * times + "- End\n- Moved to Lisbon\n" == box.text


def test_moved_and_repeated_lines_are_counted_as_often_as_they_come():
    """A line that comes twice and stays once has gone once."""
    assert (("- x",), ()) == changed_lines("- x\n- y\n- x\n", "- y\n- x\n")
    assert (("- x",), ()) == changed_lines("- x\n- x\n- y\n- z\n", "- y\n- z\n- x\n")
    assert ((), ("- y", "- y")) == changed_lines("- x\n", "- y\n- x\n- y\n")
    assert ((), ()) == changed_lines("- x\n- y\n", "- y\n\n- x\n")


def test_a_blocked_line_keeps_its_number():
    """Counted from one."""
    assert "a\n[BLOCKED: line 2]\nb" == with_blocked_lines("a\nsystem: x\nb")


def test_a_memory_of_exactly_the_most_bytes_is_read(notes):
    """One more is refused elsewhere."""
    assert MAX_BYTES == 1 << 20
    assert MAX_BYTES == len(read(notes.has(b"x" * MAX_BYTES).folder).data)


def test_three_rounds_of_refused_edits_end_a_run_and_a_good_one_starts_the_count_again(notes, scripted):
    """Different edits, all refused: the third round is the last; after a good one there are three more."""
    notes.has().said("by the way, I moved to Lisbon in May")
    bad = [calls(call("- Writes Python", f"- Writes {word}")) for word in ("Rust", "Go", "C", "D", "E")]
    good = calls(call("- Writes Python", "- Writes Python\n- Moved to Lisbon", (1, "I moved to Lisbon in May")))
    first = scripted(*bad[:3])
    second = scripted(*bad[:2], good, *(calls(call("- Moved to Lisbon", f"- Moved to {n}")) for n in "ABC"), says("x"))

    ended = [notes.dream(server) for server in (first, second)]

    assert ["failed", "failed"] == [finished.outcome for finished in ended]
    assert "edits were refused 3 times in a row" in ended[0].receipt
    assert (3, 6) == (len(first.requests), len(second.requests))
    assert START == notes.text


def test_a_record_is_cut_down_to_one_character_when_it_must_be():
    """The smallest piece there is; the offset tells where the next one begins."""
    record = PastExchange(5, NOW, "S", (Said("typed", "ab"),), "")

    batch = next_batch([record], 0, 0, 1, len)

    assert ("a", 1, 4) == (batch.records[0].typed, batch.offset, batch.cursor)


def test_a_change_first_ends_what_a_killed_process_began(notes):
    """`memory rm` right after a kill: the interrupted change has its version and provenance, and the line is gone."""
    notes.has().said("by the way, I moved to Lisbon in May")
    commit_until(notes.folder, "replace")

    rm(notes.folder, "peanuts", now=NOW)

    assert START.replace("- Allergic to peanuts\n", "") + "- Moved to Lisbon\n" == notes.text
    assert [("dream", 1), ("rm", 2)] == [(entry.kind, entry.number) for entry in log(notes.folder)]
    assert 1 == (notes.folder / PROVENANCE).read_text().count("\n")


def test_an_undo_right_after_a_kill_takes_back_what_was_being_made(notes):
    """The interrupted change is the newest one, although nothing but its journal tells of it."""
    notes.has().said("by the way, I moved to Lisbon in May")
    commit_until(notes.folder, "replace")

    finished = undo(notes.folder, None, now=NOW)

    assert ("changed", 2, START) == (finished.outcome, finished.dream, notes.text)


def test_a_journal_says_which_version_it_is_and_one_that_cannot_be_read_whole_is_dropped(notes):
    """Half of what is needed to finish is not enough."""
    notes.has().said("by the way, I moved to Lisbon in May")
    commit_until(notes.folder, "replace")
    row = json.loads((notes.folder / JOURNAL).read_text())
    (notes.folder / JOURNAL).write_text(json.dumps({**row, "before": "a"}))

    told = recover(notes.folder)

    assert 1 == row["v"]
    assert "discarded" in told
    assert 0 == notes.state.cursor


def test_a_journal_with_a_state_that_is_none_is_dropped(notes):
    """A cursor that is no number could not be written."""
    notes.has().said("by the way, I moved to Lisbon in May")
    commit_until(notes.folder, "replace")
    row = json.loads((notes.folder / JOURNAL).read_text())
    (notes.folder / JOURNAL).write_text(json.dumps({**row, "state": {**row["state"], "cursor": "x"}}))

    assert "discarded" in recover(notes.folder)
