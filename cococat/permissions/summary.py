"""What the permissions let pass, in words for the model."""

from __future__ import annotations

from collections.abc import Sequence

from cococat.core.tools import Tool

HARMLESS = ("reads", "asks", "ends")  # effects that need no user's leave
MAX_RULES = 12


def runs_freely(mode: str, allow: Sequence[str], tools: Sequence[Tool], *, boxes: bool = False) -> str:
    """
    Return what runs without a user's leave: names of tools and the rules that allow more; empty for nothing.

    Args:
        boxes: commands run in a box where the machine can make one; it is not made to find out.
    """
    effects = (*HARMLESS, *(("writes",) if mode in ("edits", "auto") else ()))
    names = [tool.name for tool in tools if tool.effect in effects]
    if boxes and mode in ("edits", "auto"):
        names += [f"{tool.name} in its box" for tool in tools if tool.effect == "runs"]
    if mode == "auto":
        abouts = {tool.about for tool in tools}
        names += ["run_shell for one command that only reads files here (ls, cat, head, wc, find)"] * (
            "command" in abouts and not boxes
        )
        names += ["fetch_url for an address that the user or a search gave"] * ("url" in abouts)
    rules = [] if mode == "plan" else [rule for rule in dict.fromkeys(allow) if rule not in names]
    more = [f"and {len(rules) - MAX_RULES} more rules"] if len(rules) > MAX_RULES else []
    return ", ".join([*names, *rules[:MAX_RULES], *more])
