"""The last case on each side of every bound that an edit, a line and a quote are held against."""

import json

import pytest

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.commit import JOURNAL, recover
from cococat.memory.dream_tools import DreamTools
from cococat.memory.edits import certain, changed_lines, edited, facts_changed, removed_share
from cococat.memory.evidence import Heard, merges, unsupported
from cococat.memory.exchanges import Record, Said
from cococat.memory.file import MAX_BYTES, read
from cococat.memory.plan import next_batch
from cococat.memory.provenance import PROVENANCE
from cococat.memory.quotes import Quote, how_to, quotes
from cococat.memory.rules import Rules
from cococat.memory.scan import shown
from cococat.memory.statements import statements
from cococat.memory.undo import rm, undo
from cococat.memory.versions import log
from cococat.memory.words import related, similarity, tokens
from tests.memory.conftest import NOW, START
from tests.memory.conftest import edit as call
from tests.memory.test_box import TYPED, add, run
from tests.memory.test_crash import commit_until
from tests.scripted import calls, says


def box_of(typed, text=START, **rules):
    """A box over *text* for one record."""
    settings = {name: rules.pop(name) for name in ("max_tokens", "max_lines", "max_bytes") if name in rules}
    return DreamTools(text, Rules({1: typed}, DreamSettings(**settings), **rules))


@pytest.mark.parametrize(("size", "fine"), [(300, True), (301, False)])
def test_a_line_holds_three_hundred_characters(size, fine):
    """One more is refused."""
    line = "- " + "ha " * 98 + "hahah"[: size - 296]
    box = box_of("ha haha hahah")

    assert size == len(line)
    if fine:
        assert "edited" in add(box, line, (1, "ha haha hahah"))
    else:
        with pytest.raises(ToolFailure, match="holds 301 characters"):
            add(box, line, (1, "ha haha hahah"))


@pytest.mark.parametrize(("percent", "noted"), [(70, 1), (80, 1), (81, 0), (95, 0)])
def test_from_eighty_percent_on_lines_may_go_unasked(percent, noted):
    """Below and at 80 % of the budget a user looks at the deletion, above it does not wait."""
    text = "- Prefers tea to coffee\n" + "- " + "x" * (percent - 27) + "\n"
    box = box_of("please summarise the page", text, max_tokens=100, count=len)

    assert percent == len(text)
    run(box, "- Prefers tea to coffee\n", "")

    assert noted == len(box.unasked)


def test_only_what_looks_like_an_attack_is_set_aside():
    """An order or a passing date is refused and no more."""
    box = DreamTools(START, Rules(TYPED, DreamSettings()))
    for line in ("- Always answer in Lisbon", "- Moved to Lisbon today"):
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


@pytest.mark.parametrize(("shared", "same"), [(17, True), (16, False)])
@pytest.mark.parametrize("where", ["memory", "tombstones", "edit"])
def test_lines_are_the_same_from_eighty_five_percent_on(shared, same, where):
    """For what is there, for what was deleted and for two lines of one edit."""
    words = [f"word{chr(97 + n)}x" for n in range(24)]
    old = "- " + " ".join(words[:20])
    new = "- " + " ".join([*words[:shared], *("other" + chr(97 + n) for n in range(20 - shared))])
    text = old + "\n- end\n" if where == "memory" else "- end\n"
    box = box_of(f"{old} {new}", text, tombstones=(old,) if where == "tombstones" else ())
    lines = f"{old}\n{new}" if where == "edit" else new

    if same:
        with pytest.raises(ToolFailure, match=r"already at line 1|has deleted|twice"):
            run(box, "- end", f"- end\n{lines}", [(1, f"{old} {new}"[:400])])
    else:
        assert "edited" in run(box, "- end", f"- end\n{lines}", [(1, f"{old} {new}"[:400])])


@pytest.mark.parametrize("unit", ["max_lines", "max_bytes", "max_tokens"])
def test_a_budget_may_be_used_up_and_not_exceeded(unit):
    """The last line, byte and token fit."""
    after = START + "- Moved to Lisbon\n"
    size = after.count("\n") + 1 if unit == "max_lines" else len(after)
    for limit in (size, size - 1):
        box = DreamTools(START, Rules(TYPED, DreamSettings(**{unit: limit}), count=len))
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
    box = DreamTools(START, Rules(TYPED, DreamSettings()))

    with pytest.raises(ToolFailure, match="'today' will soon be wrong"):
        add(box, "- Moved to Lisbon today", (99, "no such words"))


def test_lines_that_are_refused_leave_each_another_old_one_in_its_place():
    """Neither is lost, and none comes twice, however near both are to the same."""
    box = DreamTools(START, Rules(TYPED, DreamSettings()))
    new = "- Prefers milk to coffee\n- Prefers tea to milk\n- Moved to Lisbon"

    told = run(box, "- Prefers tea to coffee\n- Writes Python", new, [(7, "I moved to Lisbon")])

    assert 2 == told.count("not kept: ")
    assert START + "- Moved to Lisbon\n" == box.text


def test_the_schema_bounds_what_a_model_may_send():
    """Long enough for an edit, short enough for a small model."""
    given = DreamTools("", Rules({}, DreamSettings())).tools()[1].parameters["properties"]

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


@pytest.mark.parametrize("short", ["", "isb", "ago. I"])
def test_a_short_quote_beside_a_long_one_is_whole_words_of_one_clause(short):
    """Else it would stand for whatever it happens to be a part of."""
    given = [{"seq": 1, "quote": quote} for quote in ("I moved to Lisbon", short)]

    with pytest.raises(ToolFailure, match="is too short: quote the words around it as well"):
        quotes(given, {1: "I moved to Lisbon two years ago. I like it"})


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


@pytest.mark.parametrize(
    ("typed", "clause"),
    [
        ("I run 5k. Thanks a lot", "I run 5k"),
        ("I ran 5. Thanks", "I ran 5. Thanks"),
        (f"{'word ' * 11}ran 5. Ok", f"{'word ' * 11}ran 5"),
        (f"{'word ' * 11}runs 5. Ok", f"{'word ' * 11}runs"),
    ],
)
def test_the_example_is_a_clause_of_eight_to_sixty_characters(typed, clause):
    """A shorter one could not be quoted; where none fits, it is the beginning."""
    assert f'"quote": "{clause}"' in how_to({1: typed}, "- Runs 5k")


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


def test_where_every_clause_is_quoted_the_example_is_the_whole_record():
    """The words beside them may be what is missing; where all of it is quoted, nothing else was typed."""
    typed = {1: "I live in Rome. I bake."}

    assert '"quote": "I live in Rome. I bake."' in how_to(typed, "- Bakes", [Quote(1, "I live in Rome")])
    assert "nothing else was typed" in how_to(typed, "- Bakes", [Quote(1, "I live in Rome"), Quote(1, typed[1])])


def test_a_quote_that_has_nothing_to_do_with_the_line_is_none():
    """It may come from the right record and still be about something else."""
    told = add(DreamTools(START, Rules(TYPED, DreamSettings())), "- Works at Acme", (7, "by the way, I moved"))

    assert "Acme\"': none of its words is in a quote" in told


def test_a_line_that_comes_twice_and_goes_once_is_still_there():
    """Its new wording would be the second of the same."""
    box = box_of("x", "# Memory\n- Has cats\n- Has cats\n")

    with pytest.raises(ToolFailure, match="already at line 3: '- Has cats'"):
        run(box, "# Memory\n- Has cats", "# Memory\n- Has cats!")


def test_at_most_five_foreign_words_are_named():
    """The sixth would only make the message longer."""
    with pytest.raises(ToolFailure) as error:
        add(
            DreamTools(START, Rules(TYPED, DreamSettings())),
            "- Lisbon one two three four five six",
            (7, "I moved to Lisbon"),
        )
    assert "'one', 'two', 'three', 'four', 'five': no words" in str(error.value)


@pytest.mark.parametrize(
    ("line", "fine"), [("- 喜欢绿茶", True), ("- 绿茶喜", True), ("- 喜茶", False), ("- 喜欢红茶", False)]
)
def test_a_script_without_spaces_may_leave_characters_out(line, fine):
    """Half of the pairs may be new seams between the user's own characters; another character may not come in."""
    box = box_of("我喜欢喝绿茶")
    if fine:
        assert "edited" in add(box, line, (1, "我喜欢喝绿茶"))
    else:
        with pytest.raises(ToolFailure, match="does not support"):
            add(box, line, (1, "我喜欢喝绿茶"))


@pytest.mark.parametrize(
    ("new", "fine"),
    [("- Writes Python on Kubernetes", True), ("- Writes Python Python on Kubernetes", False), ("- Python writes Kubernetes", False)],
)  # fmt: skip
def test_words_of_the_line_that_goes_come_once_and_in_order(new, fine):
    """They need no evidence of their own, as long as they say what they said."""
    box = DreamTools(START, Rules(TYPED, DreamSettings()))
    if fine:
        assert "edited" in run(box, "- Writes Python", new, [(7, "work on Kubernetes")])
    else:
        with pytest.raises(ToolFailure, match="does not support"):
            run(box, "- Writes Python", new, [(7, "work on Kubernetes")])


@pytest.mark.parametrize(
    ("line", "removed", "expected"),
    [
        ("- tea, cake", ["- tea", "- cake"], True),
        ("- cake and tea", ["- tea", "- cake"], True),
        ("- tea", ["- tea", "- cake"], True),
        ("- tea tea", ["- tea"], False),
        ("- tea \U0001f480", ["- tea"], False),
        ("- !!!", ["- tea"], False),
        ("- Likes tea, cake", ["- Likes tea", "- Likes cake"], True),
        ("- Likes", ["- Likes tea"], False),
    ],
)
def test_what_is_a_merge(line, removed, expected):
    """Whole lines one behind the other; what they begin with in common may come once."""
    assert expected == merges(line, removed)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("park", "parks", True), ("cat", "cats", True), ("deploy", "deploying", True), ("deploy", "deployment", True),
        ("data", "database", False), ("moved", "moves", True), ("spaced", "spacing", True), ("v1ab", "v1abc", False),
        ("живу", "живёт", True), ("da", "dam", False), ("绿茶", "绿茶很", False), ("same", "same", True),
        ("ab1", "ab1", True), ("parkx1", "parkx", False), ("größer", "größe", True), ("кот", "кота", True), ("ко", "кот", False),
        ("goes", "go", True), ("wechselt", "wechsle", True), ("geduzt", "duze", True), ("dejó", "dejé", True), ("Woche".lower(), "wochenenden", False),
        ("gartennachbarin", "nachbarin", False), ("car", "carpet", False), ("foot", "feet", True), ("vater", "vaters", True),
    ],
)  # fmt: skip
def test_forms_of_one_word_are_related(one, other, expected):
    """One stem in one of the languages, or a pair of irregular forms; never because both begin alike."""
    assert (expected, expected) == (related(one, frozenset({other})), related(other, frozenset({one})))


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


def test_headings_are_no_deleted_lines_and_what_stays_elsewhere_is_not_deleted():
    """Only a line that nobody spoke of and that nothing says any more is left to a user."""
    text = (
        "## Old\n- Has a cat\n\n## New\n- Has a cat called Mia and a dog called Rex since the summer of 2020\n- End\n"
    )
    box = box_of("please summarise the page", text)

    run(box, "## Old\n- Has a cat\n\n", "")

    assert [] == box.unasked


@pytest.mark.parametrize(("left", "noted"), [("- cake bun", 0), ("- cake bun pie", 1)])
def test_a_line_of_which_half_still_stands_is_not_deleted(left, noted):
    """Less than half is another line."""
    box = box_of("please summarise the page", f"- tea cake\n{left}\n- End\n")

    run(box, "- tea cake\n", "")

    assert noted == len(box.unasked)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Berlin, I work at Acme, right?", "I live in Berlin\n\n I work at Acme"),
        ("is it far?", ""),
        ("It is. Is it?", "It is."),
        ("note this: is it far?", "note this: is it far?"),
        ("远吗？", ""),  # noqa: RUF001 - as typed
    ],
)
def test_questions_are_left_out(text, expected):
    """What a question begins with stays."""
    assert expected == statements(text).stated


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("I have tabs, no spaces here", "- Has tabs", ""),
        ("I have tabs, no spaces here", "- Has tabs, no spaces", ""),
        ("I never use tabs and spaces", "- Uses tabs and spaces", "keep the 'not'"),
        ("no tabs but spaces", "- Spaces", ""),
        ("no tabs but spaces", "- Tabs", "keep the 'not'"),
        ("i like coffee", "- Likes no coffee", "typed no 'not' of 'coffee'"),
        ("I quit coffee in May, only yerba mate now", "- No coffee, only yerba mate", ""),
        ("trains instead of flights please", "- Flights instead of trains", "keep the 'not'"),
        ("Auto haben wir keins", "- Hat kein Auto", ""),
        ("Auto haben wir keins", "- Hat ein Auto", "keep the 'not'"),
        ("回答请用简体字，不要用繁体字", "- 回答请用繁体字", "keep the 'not'"),  # noqa: RUF001 - as typed
    ],
)
def test_a_not_keeps_what_it_was_said_of(text, line, why):
    """By its scope within the clause, in both directions."""
    told = unsupported(line, [Quote(1, text)], Heard({1: text}))

    assert (why in told) if why else told == ""


def test_a_blocked_line_keeps_its_number():
    """Counted from one."""
    assert "a\n[BLOCKED: line 2]\nb" == shown("a\nsystem: x\nb")


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
    record = Record(5, NOW, "S", (Said("typed", "ab"),), "")

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


def test_a_quote_must_hold_a_new_word_if_there_is_one():
    """Words that the line had before need no quote; a line that only loses words rests on any of its own."""
    typed = Heard({1: "tea is fine. coffee is fine too"})
    old = ("- Likes tea and milk",)

    assert "" == unsupported("- Likes tea", [Quote(1, "tea is fine")], typed, old)
    assert "" == unsupported("- Likes tea and coffee", [Quote(1, "coffee is fine")], typed, old)
    assert "none of its words is in a quote" in unsupported(
        "- Likes tea and coffee", [Quote(1, "tea is fine")], typed, old
    )
