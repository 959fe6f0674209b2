"""What a dream is given besides its folder and its model, and what it may use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from cococat.core.agent import Agent, estimate_tokens
from cococat.core.events import TurnFinished
from cococat.core.limits import Limits
from cococat.core.settings import DreamSettings
from cococat.core.tools import Tool
from cococat.memory.file.journal import ignore
from cococat.safety.secrets import redact_said

MakeAgent: TypeAlias = Callable[[str, tuple[Tool, ...], Limits], Agent]

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
        records: that are read at once; 0 = all of a batch. A small model is told one at a time, each with a run of its own.
        budget_tokens, budget_seconds: of all runs of a dream together, where the user has set a budget; 0 = none.
    """

    tokens: int = RUN_TOKENS
    seconds: float = RUN_SECONDS
    rounds: int = ROUNDS - 1
    batch_tokens: int = BATCH_TOKENS
    records: int = 0
    budget_tokens: int = 0
    budget_seconds: float = 0

    def after(self, turns: Sequence[TurnFinished]) -> DreamBounds | None:
        """Return what is left for one more run behind *turns*; None when the user's budget is spent."""
        tokens = self.budget_tokens - sum(turn.usage.total_tokens for turn in turns)
        seconds = self.budget_seconds - sum(turn.seconds for turn in turns)
        if (self.budget_tokens and tokens <= 0) or (self.budget_seconds and seconds <= 0):
            return None
        return replace(
            self,
            tokens=min(self.tokens, tokens if self.budget_tokens else self.tokens),
            seconds=min(self.seconds, seconds if self.budget_seconds else self.seconds),
        )


@dataclass(frozen=True, slots=True)
class DreamOptions:
    """
    How to dream, and when it is.

    Args:
        now: with its time zone.
        manual: asked for, so thresholds do not count.
        ended: for a chat that has ended; see `due`.
        dry_run: work on a copy; nothing is written, the cursor stays.
        by_hand: `cococat dream`: the notes themselves are gone over, however few they are.
        hold: keep a change for `review` instead of making it (`memory.mode = confirm`, `--review`).
        redact: takes secrets out of a text.
        count: tokens of a text.
        model: name of the model, for the log.
        judge: makes the agent that judges for a system prompt; None: nobody does.
        controlled: told whether a judge answered its controls right.
        after: see `commit`.
        parts: told of how many parts of a compaction are done, of how many; returns whether it shows them.
        portions: likewise of what is read of the records, each by a run of its own.
    """

    now: datetime
    manual: bool = False
    ended: bool = False
    dry_run: bool = False
    by_hand: bool = False
    hold: bool = False
    settings: DreamSettings = field(default_factory=DreamSettings)
    redact: Callable[[str], str] = lambda text: redact_said(text, ())
    count: Callable[[str], int] = estimate_tokens
    model: str = ""
    judge: MakeAgent | None = None
    controlled: Callable[[bool], object] = bool
    after: Callable[[str], None] = ignore
    parts: Callable[[int, int], bool] = lambda *_: False
    portions: Callable[[int, int], bool] = lambda *_: False
