"""Where the tokens of a dream go: what each request of it holds, estimated, by kind.

Public: total, by_kind, account.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cococat.core.agent import estimate_tokens
from cococat.memory.file.document import MEMORY

SCHEMAS = "schemas of the two tools"  # go beside the messages, and are not in the total


def total(bodies: Sequence[Mapping[str, Any]]) -> int:
    """Return the tokens of the messages of all requests of a dream."""
    return sum(estimate_tokens(json.dumps(body["messages"], ensure_ascii=False)) for body in bodies)


def by_kind(bodies: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Return the tokens of all requests of a dream by what they were sent for, and how many requests there were."""
    found = Counter(requests=len(bodies))
    for body in bodies:
        found[SCHEMAS] += estimate_tokens(json.dumps(body.get("tools", []), ensure_ascii=False))
        for message in body["messages"]:
            judge = "response_format" in body
            found += Counter({"judge": estimate_tokens(message["content"])}) if judge else _of(message)
    return found


def account(kinds: Counter[str], dreams: int) -> str:
    """Write what a dream took at the mean of *dreams*, the largest kind first."""
    mean = {kind: tokens / max(1, dreams) for kind, tokens in kinds.most_common()}
    rows = (f"{kind} {tokens:,.0f}" for kind, tokens in mean.items() if kind not in ("requests", SCHEMAS))
    return f"  in {mean.get('requests', 0):.1f} requests: {', '.join(rows)}; beside them {SCHEMAS} {mean.get(SCHEMAS, 0):,.0f}"


def _of(message: Mapping[str, Any]) -> Counter[str]:
    text = message.get("content") or ""
    match message["role"]:
        case "system":
            return Counter({"prompt": estimate_tokens(text)})
        case "user":
            memory, between, records = text.partition("What the user typed since")
            return Counter({MEMORY: estimate_tokens(memory), "records": estimate_tokens(between + records)})
        case "tool":
            return Counter({"refusals" if "[TOOL_ERROR]" in text else "edits made": estimate_tokens(text)})
        case _:
            calls = json.dumps(message.get("tool_calls", []), ensure_ascii=False)
            return Counter({"calls": estimate_tokens(calls + text)})
