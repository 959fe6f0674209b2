"""Hooks that protect a folder, read less, hide addresses and keep a journal.

Install it as a package whose pyproject.toml says:

    [project.entry-points."cococat.hooks"]
    journal = "hook_example:hooks"
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cococat.core.events import TurnFinished
from cococat.core.hooks import Hooks
from cococat.core.messages import ToolCall, ToolResult
from cococat.core.tools import Deny

JOURNAL = Path("journal.txt")


async def before_act(call: ToolCall, arguments: Mapping[str, object]) -> Mapping[str, object] | Deny | None:
    """Keep every tool out of `vendor/`, and read at most the first 100 lines of a file."""
    if str(arguments.get("path", "")).startswith("vendor/"):
        return Deny("vendor/ holds the work of others; copy what you need")
    if call.name == "read_file" and "end_line" not in arguments:
        return {**arguments, "end_line": 100}
    return None


async def after_act(result: ToolResult) -> ToolResult | None:
    """Hide what looks like an e-mail address in what a search found."""
    if result.name != "grep_search":
        return None
    words = ("[address]" if "@" in word else word for word in result.output.split(" "))
    return replace(result, output=" ".join(words))


async def on_stop(end: TurnFinished) -> None:
    """Note how the turn ended."""
    _write(f"{end.stop.reason} after {end.steps} steps\n")


def _write(line: str) -> None:
    with JOURNAL.open("a", encoding="utf-8") as file:
        file.write(line)


hooks = Hooks("journal", before_act=before_act, after_act=after_act, on_stop=on_stop)
