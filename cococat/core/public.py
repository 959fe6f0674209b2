"""Events as scripts see them: the JSON objects of `--output-format stream-json`.

Names and fields are public, and are those of the classes; the session log uses the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from cococat.core.events import (
    DreamFinished,
    Event,
    MessageAdded,
    PublicEvent,
    ReasoningDelta,
    TurnFinished,
    UserAsked,
    Working,
)

# of those that tell our own screen more
_SHOWN: Mapping[type, tuple[str, ...]] = {
    ReasoningDelta: ("text",),
    DreamFinished: ("outcome", "receipt", "diff", "dream"),
}
SHAPES: Mapping[type, tuple[str, tuple[str, ...]]] = {
    event: (
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower(),
        _SHOWN.get(event, event.__match_args__),
    )
    for event in get_args(PublicEvent)
}


def as_public(event: Event) -> dict[str, object] | None:
    """Return *event* as a JSON object with its `type`; None for what only the recorder is told."""
    match event:
        case MessageAdded() | UserAsked() | Working() | TurnFinished():
            return None
        case _:
            return public_form(event)


def public_form(event: PublicEvent) -> dict[str, object]:
    """Return *event* as a JSON object with its `type`."""
    name, shown = SHAPES[type(event)]
    return {"type": name, **{field: getattr(event, field) for field in shown}}
