"""Guards, limits and back-off are pure: tables say what they must give."""

import pytest

from cococat.core.guards import call_key, repetitions
from cococat.core.limits import Limits, Problem, Spent, Stop, StopReason, Usage, hard_stop
from cococat.core.messages import ToolCall
from cococat.core.model import ProviderError
from cococat.core.retry import backoff_s, retry_delay
from cococat.core.settings import RetryPolicy

A, B, C, D = (("read_file", letter) for letter in "abcd")


@pytest.mark.parametrize(
    ("keys", "times"),
    [
        pytest.param([], 0, id="nothing was called"),
        pytest.param([A], 1, id="one call"),
        pytest.param([A, B, C], 1, id="three different calls"),
        pytest.param([A, A], 2, id="the same call twice"),
        pytest.param([B, A, A, A], 3, id="the same call three times after another"),
        pytest.param([A, B, A, B, A, B], 3, id="a cycle of two, three times"),
        pytest.param([A, B, A, B, A], 2, id="a cycle of two that is not complete"),
        pytest.param([A, B, C, A, B, C, A, B, C], 3, id="a cycle of three"),
        pytest.param([A, B, C, D] * 3, 3, id="a cycle of four"),
        pytest.param([A, A, A, B], 1, id="something else came after"),
        pytest.param([A] * 7, 7, id="one call many times is not read as longer cycles"),
    ],
)
def test_repetitions_count_complete_cycles_at_the_end(keys, times):
    """Cycles of one to four calls are counted back to back, whatever came before."""
    assert times == repetitions(keys)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', True, id="key order and space"),
        pytest.param('{"a":1}', '{"a":2}', False, id="another value"),
        pytest.param('{"a": ', '{"a":', True, id="broken JSON, other space"),
        pytest.param("[" * 100_000, "[", False, id="absurd nesting"),
    ],
)
def test_calls_are_compared_by_canonical_arguments(one, other, same):
    """Two spellings of the same arguments are the same call."""
    keys = [call_key(ToolCall("x", "grep_search", text)) for text in (one, other)]

    assert same == (keys[0] == keys[1])


@pytest.mark.parametrize(
    ("limits", "spent", "reason"),
    [
        pytest.param(Limits(), Spent(10**9, 10**9), None, id="no limits"),
        pytest.param(Limits(max_total_tokens=100), Spent(99, 0), None, id="one token left"),
        pytest.param(Limits(max_total_tokens=100), Spent(100, 0), StopReason.TOKEN_LIMIT, id="tokens used up"),
        pytest.param(Limits(max_seconds=5), Spent(0, 5), StopReason.TIME_LIMIT, id="time used up"),
        pytest.param(
            Limits(max_total_tokens=1, max_seconds=1), Spent(1, 1), StopReason.TOKEN_LIMIT, id="tokens come first"
        ),
    ],
)
def test_a_used_up_budget_stops_the_run(limits, spent, reason):
    """Tokens are checked before time; zero means no limit."""
    stop = hard_stop(limits, spent)

    assert reason == (stop and stop.reason)


@pytest.mark.parametrize(
    ("attempt", "chance", "seconds"),
    [(1, 0, 1.0), (2, 0, 2.0), (3, 0.5, 4.5), (4, 0, 8.0), (5, 0, 10.0), (60, 1, 11.0)],
)
def test_backoff_doubles_up_to_its_cap_and_adds_jitter(attempt, chance, seconds):
    """Source: min(1000 * 2**(n-1), 10000) + U(0, 1000) milliseconds."""
    assert seconds == backoff_s(RetryPolicy(), attempt, chance)


@pytest.mark.parametrize(
    ("retryable", "attempt", "after", "delay"),
    [
        pytest.param(True, 1, None, 1.0, id="own back-off"),
        pytest.param(True, 3, None, None, id="attempts used up"),
        pytest.param(False, 1, 2.0, None, id="not retryable"),
        pytest.param(True, 1, 2.0, 2.0, id="the server's wish wins"),
        pytest.param(True, 1, 600.0, None, id="too long a wait"),
    ],
)
def test_a_retry_is_granted_or_refused(retryable, attempt, after, delay):
    """Retry-After wins up to a minute; beyond it the run stops."""
    error = ProviderError(Problem("server", "down"), retryable=retryable, retry_after_s=after)

    assert delay == retry_delay(RetryPolicy(), error, attempt, 0)


def test_usages_add_up_and_one_estimate_makes_the_sum_an_estimate():
    """A total is only exact when all its parts are."""
    total = Usage(10, 2) + Usage(5, 1, estimated=True)

    assert Usage(15, 3, estimated=True) == total
    assert 18 == total.total_tokens


def test_a_stop_without_a_problem_is_no_failure():
    """Only failures carry a problem."""
    assert Stop(StopReason.ANSWERED).problem is None
