"""What becomes of a line that was judged: it stands as it is worded, in the user's own sentence, or not at all."""

from __future__ import annotations

from collections.abc import Callable

from cococat.memory.judge.request import Verdict

__all__ = ["settle_line"]

_KEPT = frozenset({"fact", "preference"})


def settle_line(line: str, own: str, verdict: Verdict, *, lacks: bool, fits: Callable[[str], bool]) -> tuple[str, str]:
    """
    Return what stands for *line*, empty for nothing, and why it is not the line itself.

    Args:
        own: the user's own sentence as it would be noted; empty when it cannot be.
        lacks: words of the line were typed by nobody.
        fits: whether another wording passes what code can prove of one.
    """
    if why := _left_out(verdict):
        return "", why
    if verdict.says == "yes" and not lacks:
        return line, ""
    why = "it holds words that you did not type" if lacks else "it says more than you did"
    fix = verdict.fix and f"- {verdict.fix.lstrip('-*+ ')}"
    if fix and "\n" not in fix and fits(fix):
        return fix, why
    return own, why


def _left_out(verdict: Verdict) -> str:
    if verdict.secret:
        return "secret"
    if verdict.says == "no":
        return "not what you said"
    if verdict.whose == "made_up":
        return "not told as true of you"
    if verdict.holds != "lasting":
        return verdict.holds
    return "" if verdict.kind in _KEPT else verdict.kind
