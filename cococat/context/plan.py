"""Plan: what of the `todo` list outlives the messages that held it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from cococat.core.messages import Assistant, Message, Summary

HEAD = "## The plan, as `todo` had it last"
LINE = re.compile(r"\[[ x>]\] \S.*")


def last_plan(messages: Sequence[Message]) -> str:
    """Return the newest plan in *messages*, those that earlier notes kept included; empty when there is none."""
    for message in reversed(messages):
        match message:
            case Assistant(calls=calls):
                for call in reversed(calls):
                    if call.name == "todo" and (lines := items_of(call.arguments)):
                        return "\n".join([HEAD, *lines])
            case Summary(text) if HEAD in text:
                from cococat.context.skills import without

                _, found, kept = without(text).rpartition(HEAD)
                if found:
                    return found + kept.split("\n\n")[0]
            case _:
                pass
    return ""


def items_of(arguments: str) -> list[str]:
    """Return the items of a call with these arguments; none where the tool would have refused them."""
    try:
        items = json.loads(arguments)["items"]
        lines = [" ".join(item.split()) for item in items]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
    return lines if all(LINE.fullmatch(line) for line in lines) else []
