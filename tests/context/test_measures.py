"""Budget, prune, split and snip: pure functions over any valid history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.context.budget import budget, request_tokens, sizer, total
from cococat.context.consolidate import split
from cococat.context.fit import prune, snip
from cococat.core.agent import estimate_tokens
from cococat.core.history import assert_valid, recent_start, request_index
from cococat.core.messages import Assistant, Attachment, Summary, System, ToolCall, ToolResult, User
from cococat.core.model import Request, ToolSpec
from tests.context.histories import histories

SIZE = sizer(estimate_tokens)


@pytest.mark.parametrize(
    ("window", "reserved", "expected"),
    [
        pytest.param(128_000, 4096, 86_732, id="70 % of what the reply leaves"),
        pytest.param(8192, 4096, 2867, id="a small model"),
        pytest.param(4096, 4096, 1433, id="a reply as large as the window keeps half of it"),
        pytest.param(8192, 0, 5734, id="nothing reserved"),
    ],
)
def test_the_budget_is_a_part_of_what_the_reply_leaves_of_the_window(window, reserved, expected):
    """There is always room to ask something."""
    assert expected == budget(window, reserved)


def test_a_message_is_counted_once_however_often_it_is_asked_for():
    """A long history costs nothing to measure again at the next step."""
    counted = []
    size = sizer(lambda text: counted.append(text) or len(text))
    message = User("hello", (Attachment("a.txt", "text"),))

    sizes = {size(message) for _ in range(5)}

    assert ({4 + 5 + 10}, ["hello", "a.txt text"]) == (sizes, counted)


def test_a_request_is_its_messages_its_tools_and_its_schema():
    """What a protocol adds to the history is part of the size; reasoning is not sent and not counted."""
    tool = ToolSpec("grep", "Search.", {"type": "object"})
    call = Assistant("ab", reasoning="never sent", calls=(ToolCall("1", "grep", "{}"),))
    request = Request((System("abc"), call), (tool,), {"a": 1})

    tokens = request_tokens(request, sizer(len), len)

    sent = (
        '{"type": "function", "function": {"name": "grep", "description": "Search.", "parameters": {"type": "object"}}}'
    )
    assert (4 + 3) + (4 + 2 + len("1 grep {}")) + (4 + len(sent)) + len('{"a": 1}') == tokens


def test_old_outputs_become_titles_and_the_newest_tokens_stay_whole(rounds):
    """Only outputs that lie wholly behind the protected tokens lose their text; calls and answers keep theirs."""
    history = rounds(6, 4000)  # about 1,000 tokens an output

    pruned = prune(history, SIZE, 2500, 1000)

    outputs = [message.output for message in pruned if isinstance(message, ToolResult)]
    assert ["[pruned: read_file, 4,003 characters]"] * 3 == outputs[:3]
    assert [message.output for message in history if isinstance(message, ToolResult)][3:] == outputs[3:]
    assert [m for m in history if not isinstance(m, ToolResult)] == [m for m in pruned if not isinstance(m, ToolResult)]


def test_the_latest_round_is_never_pruned(rounds):
    """What a tool has just given is what the model needs next, however large it is."""
    history = rounds(3, 4000)[:-1]  # the last results are not answered yet

    pruned = prune(history, SIZE, 0, 1000)

    assert history[-1] == pruned[-1]
    assert pruned[-1] != pruned[2]


def test_pruning_that_frees_little_is_left_alone(rounds):
    """A fifth of the excess at least, or the text stays and another measure is taken."""
    history, short = rounds(6, 4000), rounds(6, 60)

    assert history == prune(history, SIZE, 2500, 50_000)
    assert short == prune(short, SIZE, 0, 10)


@given(histories, st.integers(0, 800), st.integers(1, 2000))
def test_pruning_keeps_any_history_valid_and_the_protected_tokens_whole(history, protect, excess):
    """Messages and calls stay, in order; pruning twice is pruning once."""
    pruned = prune(history, SIZE, protect, excess)

    assert_valid(pruned)
    assert pruned == prune(pruned, SIZE, protect, excess)
    assert [type(m) for m in history] == [type(m) for m in pruned]
    newer = 0
    for before, after in zip(reversed(history), reversed(pruned), strict=True):
        assert before == after or newer >= protect
        newer += SIZE(before)


@given(histories, st.integers(0, 10))
def test_a_split_never_separates_a_call_from_its_results(history, keep):
    """Both sides are valid for any history; the newest messages are on the far side of the cut."""
    cut = split(history, keep)

    assert_valid(history[:cut])
    assert_valid(history[cut:])
    assert len(history) - cut >= min(keep, len(history))
    assert not any(isinstance(m, ToolResult) for m in history[cut : cut + 1])


@given(histories, st.integers(-50, 2000))
def test_a_snipped_history_is_valid_holds_the_request_and_fits_or_is_as_small_as_may_be(history, room):
    """The last four messages and the current request survive in any history; snipping twice is snipping once."""
    snipped = snip(history, SIZE, room)

    assert_valid(snipped)
    assert snipped == snip(snipped, SIZE, room)
    assert history[-4:] == snipped[-len(history[-4:]) :]
    request = request_index(history)
    assert request is None or any(message is history[request] for message in snipped)
    stays = {*range(recent_start(history, 4), len(history)), request} - {None}
    extra = len(snipped) - len(stays)  # one too many can only be a summary that would not make the rest fit
    assert total(snipped, SIZE) <= room or not extra or (extra == 1 and isinstance(snipped[0], Summary))


def test_a_summary_is_the_last_to_go():
    """What stands for much is kept while leaving out single messages makes enough room."""
    history = (Summary("notes " * 20, 9), *(User(f"message {n} " * 20) for n in range(8)))

    snipped = snip(history, SIZE, total((history[0], *history[-4:]), SIZE))

    assert (history[0], *history[-4:]) == snipped
