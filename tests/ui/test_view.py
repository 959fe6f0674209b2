"""The view: a screen's state as a value, folded from events."""

import pytest

from cococat.core.events import (
    MessageAdded,
    Notice,
    ReasoningDelta,
    Retrying,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import User
from cococat.ui.steps.view import TAIL, View, fold

END = TurnFinished("42", Stop(StopReason.ANSWERED), 1, Usage(10, 5), 2.0)


def folded(*events, view=None):
    view = view or View()
    for event in events:
        view = fold(view, event)
    return view


def test_a_call_goes_from_pending_to_running_to_its_end():
    """The view follows one call through its states."""
    pending = folded(StepStarted(1), ToolPending("a", "glob", "{}"))
    running = folded(ToolRunning("a", "glob", 1.5), ToolOutput("a", "half\n"), view=pending)
    completed = folded(ToolCompleted("a", "glob", "x\ny", "2 files", 0.5), view=running)

    states = [view.step.calls[0].status for view in (pending, running, completed)]

    assert ["pending", "running", "completed"] == states
    assert "half\n" == running.step.calls[0].tail
    assert ("2 files", 2, 0.5) == (
        completed.step.calls[0].display,
        completed.step.calls[0].lines,
        completed.step.calls[0].seconds,
    )


def test_only_the_call_that_an_event_names_is_changed():
    """Calls that run side by side do not mix."""
    view = folded(StepStarted(1), ToolPending("a", "x", "{}"), ToolPending("b", "y", "{}"), ToolFailed("b", "y", "no"))

    assert ["pending", "failed"] == [call.status for call in view.step.calls]


def test_text_is_counted_in_full_and_kept_as_a_tail():
    """A reply of any length leaves a bounded view."""
    view = folded(StepStarted(1), *(TextDelta("abcde") for _ in range(1000)), ReasoningDelta("hm"))

    assert (5000, TAIL) == (view.step.text_chars, len(view.step.text))
    assert ("hm", 2) == (view.step.reasoning, view.step.reasoning_chars)


def test_deltas_may_be_joined_before_they_are_folded():
    """One delta of a frame stands for all of its deltas."""
    apart = folded(StepStarted(1), *(TextDelta(char) for char in "hello"))

    assert apart == folded(StepStarted(1), TextDelta("hello"))


def test_a_new_turn_forgets_the_steps_of_the_old_one():
    """A view does not grow from turn to turn, nor from session to session."""
    ended = folded(StepStarted(1), StepStarted(2), END)

    begun = fold(ended, StepStarted(1))

    assert [1, 2] == [step.number for step in ended.steps]
    assert [1] == [step.number for step in begun.steps]
    assert () == fold(ended, SessionStarted("s", "m", "h", "react")).steps


def test_a_retry_is_shown_until_something_comes():
    """The first delta after a retry ends its countdown."""
    waiting = folded(StepStarted(1), Retrying(1, 2.0, "busy"))

    assert waiting.retrying
    assert fold(waiting, TextDelta("a")).retrying is None


@pytest.mark.parametrize(
    "event",
    [MessageAdded(User("hi")), Notice("saved"), ToolRunning("unknown", "x"), ToolOutput("unknown", "x")],
)
def test_what_a_screen_has_no_use_for_changes_nothing(event):
    """Events for the recorder, what is printed at once, and calls nobody made leave the view alone."""
    view = folded(StepStarted(1))

    assert view == fold(view, event)
