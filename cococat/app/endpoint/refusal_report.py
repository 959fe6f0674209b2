"""What is kept of a history that an endpoint refused twice: its shape, and nothing that anybody said."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from cococat import __version__
from cococat.core.limits import Problem
from cococat.core.messages import Assistant, Message, ToolResult
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir


def save_report(folder: Path, problem: Problem, model: str, history: Sequence[Message]) -> Path | None:
    """
    Write the server's words and one line a message: its role, ids and length in characters.

    Returns: where it is; None when it could not be written.
    """
    path = folder / f"refused-{time.strftime('%Y%m%dT%H%M%S')}.txt"
    lines = [f"cococat {__version__}, model {model}", problem.message, ""]
    lines += [f"{number:>4} {_shape(message)}" for number, message in enumerate(history)]
    try:
        private_dir(folder)
        write_atomic(path, ("\n".join(lines) + "\n").encode("utf-8", "replace"))
    except OSError:
        return None  # the refusal itself is shown in any case
    return path


def _shape(message: Message) -> str:
    match message:
        case Assistant(text, _, calls):
            called = "".join(f" {call.name}#{call.id}({len(call.arguments)})" for call in calls)
            return f"assistant {len(text)}{called}"
        case ToolResult(call_id, name, output):
            return f"tool {name}#{call_id} {len(output)}"
        case _:
            return f"{type(message).__name__.lower()} {len(message.text)}"
