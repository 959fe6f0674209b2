"""Each guard of the box is seen to be needed: without it, the attack it stops goes through."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Guard(NamedTuple):
    """A guard, how it is taken out of a copy of its module, and the test that must fail then."""

    module: str
    function: str
    instead: str
    attack: str


BOX = "test_box.py::"
COMPACT = "test_compact.py::"
PASSING = "test_passing.py::test_what_passes_or_is_made_up_is_no_fact"
ROLES = "test_roles.py::test_a_line_that_turns_the_typed_words_around_is_refused"
CJK = "test_cjk.py::test_a_line_that_says_something_else_is_refused"
GUARDS = {
    "one path": Guard("dream_tools", "_check_path", "return None", BOX + "test_the_path_is_compared_byte_for_byte"),
    "pinned": Guard("file", "pinned", "return ()", BOX + "test_an_edit_has_one_place_and_changes_something"),
    "one place": Guard("edits", "_only", "return max(0, text.find(old))", BOX + "test_overlapping_places_count"),
    "typed quotes": Guard(
        "evidence",
        "_quote",
        "return Quote(given['seq'], given['quote'])",
        BOX + "test_evidence_is_what_the_user_typed_letter_for_letter",
    ),
    "the user's words": Guard(
        "evidence", "unsupported", "return ''", BOX + "test_every_word_of_a_line_is_the_users"
    ),
    "what words cannot prove": Guard(
        "doubt",
        "doubtful",
        "return ''",
        "test_roles.py::test_a_true_line_that_words_cannot_prove_is_kept_as_the_user_said_it",
    ),
    "what a line leaves out": Guard(
        "doubt",
        "_left_out",
        "return ''",
        "test_own_lines.py::test_a_sentence_that_says_much_more_stands_for_a_line_of_which_it_holds_enough",
    ),
    "what words cannot prove in Chinese": Guard(
        "cjk_doubt",
        "doubtful",
        "return ''",
        "test_cjk.py::test_a_true_line_that_words_cannot_prove_is_kept_as_the_user_said_it",
    ),
    "what stands in the place of a line": Guard(
        "edits",
        "with_lines",
        "return edit",
        BOX + "test_what_does_not_hold_goes_however_the_edit_was_cut",
    ),
    "what must not be kept in anybody's words": Guard(
        "dream_tools",
        "DreamTools._unfit",
        "return ''",
        "test_roles.py::test_what_must_not_be_kept_is_not_kept_in_the_users_own_words_either",
    ),
    "foreign text": Guard(
        "evidence", "unsupported", "return ''", "test_poison.py::test_nothing_that_was_not_typed_changes_a_byte"
    ),
    "merges": Guard("evidence", "_joined", "return True", BOX + "test_a_merge_keeps_the_words_and_their_order"),
    "headings": Guard(
        "evidence", "plain_heading", "return True", BOX + "test_a_heading_is_a_common_topic_or_the_users_word"
    ),
    "hidden characters": Guard("scan", "threat", "return ''", BOX + "test_what_could_never_be_a_memory_is_set_aside"),
    "addresses": Guard("scan", "urls", "return ()", BOX + "test_an_address_is_the_whole_one_that_was_typed"),
    "duplicates and tombstones": Guard(
        "dream_tools", "_check_new", "return None", BOX + "test_lines_that_must_not_be_kept_are_refused"
    ),
    "budget": Guard("dream_tools", "_check_size", "return None", BOX + "test_a_full_file_takes_no_more"),
    "blank space": Guard("edits", "_trimmed", "return after", BOX + "test_blank_space_is_no_edit_and_never_comes_along"),
    "mass deletion": Guard(
        "edits", "removed_share", "return 0.0", "test_dream.py::test_a_run_that_removes_most_of_the_memory_is_held"
    ),
    "three foreign tools": Guard(
        "watch", "Watch.see", "self._emit(event)", "test_dream.py::test_good_edits_do_not_hide_calls_of_foreign_tools"
    ),
    "links": Guard("place", "_check_file", "return None", "test_file.py::test_what_is_no_file_of_ours_is_refused"),
    "other people's folders": Guard(
        "place", "_check_folder", "return None", "test_file.py::test_what_is_no_file_of_ours_is_refused"
    ),
    "questions": Guard("statements", "statements", "return Statements(text, '')", BOX + "test_a_question_is_no_fact"),
    "denials": Guard("roles", "Comparison._denied", "return ''", BOX + "test_a_not_is_not_lost"),
    "confirmations": Guard(
        "confirmations", "confirmed", "return asked",
        "test_confirmations.py::test_a_question_that_was_not_confirmed_supports_nothing",
    ),
    "questions of foreign text": Guard(
        "dream_tools", "DreamTools._on_a_question", "return False",
        "test_confirmations.py::test_a_yes_is_remembered_with_its_question_or_held_where_foreign_text_came_before",
    ),
    "roles": Guard("roles", "Comparison._of_another", "return ''", ROLES),
    "who did it to whom": Guard("roles", "Comparison._turned", "return False", ROLES),
    "the verb of an I": Guard("claims", "_own", "return ''", ROLES),
    "the clause that a line is of": Guard("roles", "Comparison._nearest", "return self._places[at]", ROLES),
    "few words of the writer's own": Guard("own_words", "_adds_nothing", "return True", ROLES),
    "a typed word's place": Guard("own_words", "_replaces", "return False", ROLES),
    "what stands together": Guard("ties", "_crossed", "return ''", ROLES),
    "whose boss": Guard("ties", "_owned", "return ''", ROLES),
    "small letters": Guard("claims", "_names_itself", "return False", ROLES),
    "a verb at the beginning": Guard("roles", "Comparison._verb_of_another", "return ''", ROLES),
    "a day of its own": Guard("ties", "_slot", "return 'number' if word.isdigit() else ''", ROLES),
    "what passes": Guard("statements", "_passes", "return False", PASSING),
    "tales": Guard("tales", "ahead_of_tale", "return None", PASSING),
    "the hero of a tale": Guard("tales", "of_the_user", "return said", "test_passing.py::test_the_hero_of_a_tale_is_not_the_user"),
    "troubles of today": Guard("passing", "_passes", "return False", PASSING),
    "tales, unspaced": Guard("cjk_passing", "orders_tale", "return False", PASSING),
    "troubles of today, unspaced": Guard("cjk_passing", "_now", "return False", PASSING),
    "whose words": Guard("claims", "_subject", "return frozenset()", ROLES),
    "scope of a not": Guard("claims", "_denied", "return [False] * len(folded)", ROLES),
    "directions": Guard("ties", "_directed", "return ''", ROLES),
    "dates": Guard("dates", "undatable", "return ''", ROLES),
    "days of the week": Guard(
        "dates", "_meant", "return set(range(32))",
        "test_roles.py::test_yesterday_and_a_day_of_the_week_are_days_near_the_record",
    ),
    "corrections": Guard("statements", "_corrected", "return before", ROLES),
    "words that carry meaning": Guard("words", "closed", "return True", BOX + "test_every_word_of_a_line_is_the_users"),
    "the user's own names": Guard(
        "roles", "own_names", "return frozenset()", "test_roles.py::test_a_true_line_in_other_words_is_kept"
    ),
    "lines that say nothing": Guard(
        "evidence", "_telling", "return [*sequence(line)]",
        "test_confirmations.py::test_an_answer_alone_is_no_memory",
    ),
    "typed words, unspaced": Guard("cjk_words", "Words.chunks", "return [], []", CJK),
    "somebody nobody spoke of, unspaced": Guard("cjk_roles", "_Comparison._unknown", "return ''", CJK),
    "denials, unspaced": Guard("cjk_roles", "_Comparison._denied", "return ''", CJK),
    "what was turned down, unspaced": Guard("cjk_roles", "_Comparison._refused", "return ''", CJK),
    "roles, unspaced": Guard("cjk_roles", "_Comparison._of_another", "return ''", CJK),
    "two people alone, unspaced": Guard("cjk_roles", "_Comparison._alone", "return ''", CJK),
    "to whom, unspaced": Guard("cjk_roles", "_Comparison._other_part", "return ''", CJK),
    "numbers, unspaced": Guard("cjk_numbers", "misnumbered", "return ''", CJK),
    "numbers of other things, unspaced": Guard("cjk_numbers", "_crossed", "return ''", CJK),
    "dates of other things, unspaced": Guard("cjk_numbers", "date_apart", "return ''", CJK),
    "directions, unspaced": Guard("cjk_roles", "_Comparison._turned", "return ''", CJK),
    "what stands together, unspaced": Guard("cjk_sources", "mixed", "return ''", CJK),
    "dates, unspaced": Guard("cjk_dates", "misdated", "return ''", CJK),
    "corrections, unspaced": Guard("cjk", "_retract", "return None", CJK),
    "leaving, unspaced": Guard("cjk", "_leaves", "return False", CJK),
    "questions, unspaced": Guard("cjk", "_kind", "return 'stated'", CJK),
    "subjects carried on, unspaced": Guard("cjk", "_after", "return frozenset({USER})", CJK),
    "lost facts": Guard("facts", "lost", "return ()", COMPACT + "test_a_plan_whose_day_is_over_may_go_and_a_birthday_may_not"),
    "lines made of lines": Guard(
        "facts", "inherited", "return tuple(pool), ''", COMPACT + "test_a_merged_line_says_what_its_parts_say"
    ),
    "inherited provenance": Guard(
        "provenance", "_texts", "return []", COMPACT + "test_a_merged_line_inherits_every_source_of_its_parts"
    ),
    "cut of the block": Guard(
        "quoting", "_cut", "return memory.text",
        "test_quoting.py::test_what_is_over_the_budget_is_cut_pinned_stays_then_the_newest",
    ),
    "empty headings": Guard(
        "file", "without_empty", "return text", "test_quoting.py::test_empty_headings_are_in_no_prompt"
    ),
}  # fmt: skip
SHORT = ("the user's words", "links")


def without(guard):
    """Give the source of the guard's module with the body of the guard replaced."""
    tree = ast.parse((ROOT / "cococat" / "memory" / f"{guard.module}.py").read_text("utf-8"))
    body = tree.body
    *classes, name = guard.function.split(".")
    for one in classes:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == one)
    function = next(node for node in body if isinstance(node, ast.FunctionDef) and node.name == name)
    function.body = ast.parse(guard.instead).body
    return ast.unparse(tree)


# Imports the memory with one module of it replaced, then runs one test in the same process.
CHILD = """
import sys, importlib.abc, importlib.util
name, path, test = sys.argv[1:4]

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, wanted, folders, target=None):
        return importlib.util.spec_from_file_location(wanted, path) if wanted == name else None

sys.meta_path.insert(0, Finder())
import pytest
sys.exit(pytest.main([test, "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]))
"""


def attacked(guard, source, tmp_path):
    """Run the attack with *source* in place of the guard's module; give pytest's exit code."""
    path = tmp_path / f"{guard.module}.py"
    path.write_text(source, "utf-8")
    command = [sys.executable, "-c", CHILD, f"cococat.memory.{guard.module}", str(path), f"tests/memory/{guard.attack}"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=False).returncode


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SHORT else pytest.mark.slow) for name in GUARDS]
)
def test_without_its_guard_an_attack_goes_through(name, tmp_path):
    """The named test fails when the guard does nothing: `pytest -m slow tests/memory/test_vacuity.py` for all."""
    guard = GUARDS[name]

    assert 1 == attacked(guard, without(guard), tmp_path)


def test_with_its_guard_the_same_attack_fails(tmp_path):
    """The control: the way the module is replaced does not fail by itself."""
    guard = GUARDS["the user's words"]
    source = (ROOT / "cococat" / "memory" / f"{guard.module}.py").read_text("utf-8")

    assert 0 == attacked(guard, source, tmp_path)
