"""What people and machines are told of edits that were refused."""

import pytest

from cococat.core.events import ToolFailed
from cococat.core.settings import DreamSettings
from cococat.memory.dream.evidence import NO_EDIT
from cococat.memory.file.state import State, write_state
from tests.scripted import calls, says

pytestmark = pytest.mark.usefixtures("known")

NEW = {"path": "MEMORY.md", "old_text": "- Writes Python"}
QUOTE = {"seq": 1, "quote": "I moved to Lisbon in May"}
MODELS_WORDS = ("old_text", "evidence", "letter by letter", "record ", "new_text", "TOOL_ERROR", "instead")


def adds(line, quote=QUOTE["quote"]):
    return {"new_text": f"- Writes Python\n{line}", "evidence": [{"seq": 1, "quote": quote}]}


REFUSED = {
    "no fact": (adds("- It is so"), '"- It is so" says nothing that you did'),
    "quote of another": (adds("- Moved to Lisbon", "she lives in Rome"), "no words of yours were named for it"),
    "no record": (
        {**adds("- Moved to Lisbon"), "evidence": [{"seq": 9, "quote": "we live in Rome now"}]},
        "no words of yours were named for it",
    ),
    "no quote": ({**adds("- Moved to Lisbon"), "evidence": []}, "no words of yours were named for it"),
    "a place that is not there": ({"old_text": "- Nothing", "new_text": "- x", "evidence": [QUOTE]}, NO_EDIT),
    "an empty place": ({"old_text": "", "new_text": "- x", "evidence": [QUOTE]}, NO_EDIT),
    "noted": (adds("- Writes python!"), "it is noted already"),
    "twice": (adds("- Moved to Lisbon\n- Moved to lisbon."), "it is noted already"),
    "deleted": (adds("- Likes tea"), '"- Likes tea" was deleted by you before'),
    "unfit": (adds("- Moved to http://x.example/?q=1"), '"- Moved to http://x.example/?q=1" cannot be kept'),
    "escapes": (adds("- Moved to \x1b[31mRome"), r'"- Moved to \x1b[31mRome" cannot be kept'),
    "long": (adds(f"- Moved to http://{'x' * 90}"), f'"- Moved to http://{"x" * 41}…" cannot be kept'),
    "pinned": ({"old_text": "- Be brief", "new_text": "- Be long", "evidence": [QUOTE]}, "the section Pinned is yours"),
    "full": (adds("- Moved to Lisbon"), "MEMORY.md is full"),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_a_failed_dream_tells_its_user_why_and_not_what_the_model_should_do(notes, scripted, request, arguments, words):
    """In the receipt and beside the call; nobody reads it who could name evidence or copy letter by letter."""
    notes.has("# Memory\n\n## Pinned\n\n- Be brief\n\n## Work\n\n- Writes Python\n").said("I moved to Lisbon in May")
    write_state(notes.folder, State(tombstones=("- Likes tea",)))
    limits = DreamSettings(max_lines=9) if "full" in request.node.name else DreamSettings()

    finished = notes.dream(scripted(calls(("edit_file", {**NEW, **arguments})), says("done")), settings=limits)

    shown = [event.display for event in notes.events if isinstance(event, ToolFailed)]
    assert finished.receipt.startswith(f"memory unchanged · every edit was refused: {words}")
    assert all(one.startswith(words) for one in shown if one)
    assert bool(shown[0]) is (words != NO_EDIT)
    assert not any(word in text for word in MODELS_WORDS for text in (finished.receipt, *shown))


def test_a_dream_that_is_stopped_for_its_refusals_names_the_last_in_words_for_people(notes, scripted):
    """Three rounds in a row without an edit end it; the reason is the one that stands beside the call."""
    notes.has().said("by the way, I moved to Lisbon in May")
    tries = [calls(("edit_file", {**NEW, **adds(f"- Is {what}")})) for what in ("so", "good", "fine")]

    finished = notes.dream(scripted(*tries, says("done")))

    assert 'in a row, at last: "- Is fine" says nothing that you did' in finished.receipt
    assert not any(word in finished.receipt for word in MODELS_WORDS)


def test_a_line_that_nobody_typed_is_refused_where_the_own_sentence_is_too_long_to_stand(notes, scripted):
    """The user is told which line; the model which words."""
    notes.has().said(f"I moved to Lisbon in May and {'walked a lot and ' * 12}liked it")

    finished = notes.dream(scripted(calls(("edit_file", {**NEW, **adds("- Moved to Porto")})), says("done")))

    (shown,) = [event for event in notes.events if isinstance(event, ToolFailed)]
    assert "nobody typed 'porto'" in shown.output
    assert 'every edit was refused: "- Moved to Porto" is more than you wrote' in finished.receipt
