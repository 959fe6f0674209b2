"""When to send a request again, and how long to wait first."""

from __future__ import annotations

from cococat.core.model import ProviderError
from cococat.core.settings import RetryPolicy

MAX_WAIT_S = 60.0  # a server that asks for more is believed, and the run stops


def backoff_s(policy: RetryPolicy, attempt: int, chance: float) -> float:
    """
    Seconds to wait after failed attempt number *attempt*.

    Args:
        attempt: 1 for the first request.
        chance: uniform in [0, 1), supplied by the caller.
    Returns: min(base * 2**(attempt-1), cap) + chance * jitter, in seconds.
    Source: docs/acceptance.md, C15.
    """
    grown = policy.base_ms << min(attempt - 1, 30)
    return (min(grown, policy.cap_ms) + chance * policy.jitter_ms) / 1000


def retry_delay(policy: RetryPolicy, error: ProviderError, attempt: int, chance: float) -> float | None:
    """Seconds until the next attempt, or None when the error must be given up on."""
    if not error.retryable or attempt >= policy.attempts:
        return None
    if error.retry_after_s is not None:
        return error.retry_after_s if error.retry_after_s <= MAX_WAIT_S else None
    return backoff_s(policy, attempt, chance)
