"""Calls that needed a user's leave when no user was available: what the model is told, and how the run ends."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass

from cococat.core.guards import Key
from cococat.core.limits import Problem, Stop, StopReason
from cococat.core.tools import Ask

__all__ = ["Denied", "ending", "explain", "too_many"]

MAX_EQUAL = 3  # denials of one call
MAX_DENIALS = 8  # of a run
NO_RULE = "no rule names this call alone: run it yourself, or use chat"
DENIED = (
    "[TOOL_ERROR] PermissionDenied: {reason}, and nobody can be asked: this call did not run. {allowed}"
    "The user can allow it in another run: {fix}. Go on without it, and say in the answer what is left to do."
)


@dataclass(frozen=True, slots=True)
class Denied:
    """A call that did not run, and the verdict on it."""

    key: Key
    ask: Ask

    @property
    def fix(self) -> str:
        """The flags that would let this call pass."""
        return " ".join(f"--allow {shlex.quote(rule)}" for rule in self.ask.rules) or NO_RULE


def explain(denied: Denied, permitted: str) -> str:
    """Return what the model is told instead of a result; *permitted* is what runs without a user's leave."""
    allowed = f"Without asking run: {permitted}. " if permitted else ""
    return DENIED.format(reason=denied.ask.reason, allowed=allowed, fix=denied.fix)


def too_many(denials: Collection[Denied]) -> Stop | None:
    """Return the end of a run that asks again and again for what it may not do."""
    keys = [denied.key for denied in denials]
    over = len(keys) >= MAX_DENIALS or any(keys.count(key) >= MAX_EQUAL for key in keys)
    return _stop(denials) if over else None


def ending(denials: Collection[Denied], stop: Stop) -> Stop:
    """Return how a run ends: an answer that had to do without a call is told from one that had not."""
    return _stop(denials) if denials and stop.reason is StopReason.ANSWERED else stop


def _stop(denials: Collection[Denied]) -> Stop:
    """Name every reason once, and the flags that would have let all of the calls pass."""
    reasons = list(dict.fromkeys(denied.ask.reason for denied in denials))
    fixes = sorted(dict.fromkeys(denied.fix for denied in denials), key=NO_RULE.__eq__)
    message = f"{'; '.join(reasons)}, and nobody could be asked"
    return Stop(StopReason.PERMISSION_DENIED, message, Problem("permission", message, " ".join(fixes)))
