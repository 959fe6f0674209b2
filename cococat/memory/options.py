"""What a dream is given besides its folder and its model, and what it may use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from cococat.core.agent import estimate_tokens
from cococat.core.settings import DreamSettings
from cococat.memory.commit import ignore
from cococat.safety.secrets import redact_said

__all__ = ["ROUNDS", "DreamBounds", "DreamOptions"]

RUN_TOKENS = 25_000
RUN_SECONDS = 60.0
ROUNDS = 8  # requests of one run, the last one without tools
BATCH_TOKENS = 4000  # of typed text; leaves room for several rounds in a run


@dataclass(frozen=True, slots=True)
class DreamBounds:
    """
    What one run may use; the defaults are the most there is.

    Args:
        tokens: prompt and completion.
        seconds: wall clock.
        rounds: requests that offer the tools; one more may follow without them.
        batch_tokens: of the typed text it reads.
    """

    tokens: int = RUN_TOKENS
    seconds: float = RUN_SECONDS
    rounds: int = ROUNDS - 1
    batch_tokens: int = BATCH_TOKENS


def _without_secrets(text: str) -> str:
    return redact_said(text, ())


@dataclass(frozen=True, slots=True)
class DreamOptions:
    """
    How to dream, and when it is.

    Args:
        now: with its time zone.
        manual: asked for, so thresholds do not count.
        ended: for a chat that has ended; see `due`.
        dry_run: work on a copy; nothing is written, the cursor stays.
        hold: keep a change for `review` instead of making it (`memory.mode = confirm`, `--review`).
        redact: takes secrets out of a text.
        count: tokens of a text.
        model: name of the model, for the log.
        after: see `commit`.
    """

    now: datetime
    manual: bool = False
    ended: bool = False
    dry_run: bool = False
    hold: bool = False
    settings: DreamSettings = field(default_factory=DreamSettings)
    redact: Callable[[str], str] = _without_secrets
    count: Callable[[str], int] = estimate_tokens
    model: str = ""
    after: Callable[[str], None] = ignore
