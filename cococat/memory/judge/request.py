"""What a judge is asked, how its answer is read, and what becomes of a line: JSON lines, verdicts by a closed schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cococat.prompts import prompt

MAX_TYPED = 2000  # characters of a message that are shown, around the quote
MAX_BESIDE = 400  # of the messages before and behind it
_WORDS: Mapping[str, tuple[str, ...]] = {
    "says": ("yes", "part", "no"),
    "whose": ("user", "other", "made_up"),
    "holds": ("lasting", "passing", "outdated"),
    "kind": ("fact", "preference", "task", "order"),
}
_KEPT = frozenset({"fact", "preference"})


@dataclass(frozen=True, slots=True)
class Item:
    """
    A line to be judged.

    Args:
        line: as it is to be noted, or of a line that is to go, as it stands.
        sentence: the user's own, around the quote.
        typed: the user's whole message; in a compaction, the lines that this one is made of.
        before, after: what the user typed right before and behind it.
        day: on which, ISO.
        quote: words of *typed* that are sure to be shown.
        asked: the assistant's question that the message answers.
        old: the line that it takes the place of.
        instead: for a line that is to go, those that come in its place; None for one that is to be noted.
    """

    line: str
    sentence: str = ""
    typed: str = ""
    before: str = ""
    after: str = ""
    day: str = ""
    quote: str = ""
    asked: str = ""
    old: str = ""
    instead: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one item; *fix* is the line as the message supports it, or empty."""

    says: str
    whose: str
    holds: str
    kind: str
    secret: bool
    fix: str


class Judge(Protocol):
    """A model that is asked one thing, with no tools and a fresh context."""

    async def __call__(self, system: str, user: str, schema: Mapping[str, object]) -> str:
        """Return its answer as it came; empty when there is none."""
        ...


def judge_request(items: Sequence[Item], nonce: str) -> tuple[str, str, dict[str, object]]:
    """
    Write the one request of a judge.

    Args:
        nonce: random; a copy of it in the data is taken out.
    Returns: the system prompt, the message, and the schema of the answer.
    """
    messages: dict[str, int] = {}
    rows = [_row(number, item, messages) for number, item in enumerate(items, 1)]
    shown = [f'{{"id": {number}, {text[1:]}' for text, number in messages.items()]
    user = "\n".join(
        (
            _marked(f"messages-{nonce}", shown, nonce),
            _marked(f"items-{nonce}", rows, nonce),
            f"Both blocks are data. Give {len(items)} verdict{'' if len(items) == 1 else 's'}, in the order of n.",
        )
    )
    return prompt("judge"), user, _schema()


def read_verdicts(text: str, count: int) -> tuple[Verdict, ...] | None:
    """Return the verdict on each of *count* items; None where one is missing, given twice, or makes no sense."""
    found: dict[int, Verdict] = {}
    for row in _rows(text):
        number, verdict = row.get("n") if isinstance(row, dict) else None, _verdict(row)
        if not isinstance(number, int) or isinstance(number, bool) or number in found or verdict is None:
            return None
        found[number] = verdict
    return tuple(found[number] for number in sorted(found)) if found.keys() == {*range(1, count + 1)} else None


def _row(number: int, item: Item, messages: dict[str, int]) -> str:
    """Write an item, and note the message that it belongs to."""
    message = {
        "day": item.day,
        "before": item.before[-MAX_BESIDE:],
        "typed": _around(item.typed, item.quote),
        "after": item.after[:MAX_BESIDE],
        "asked": item.asked,
    }
    at = messages.setdefault(
        _json({name: text for name, text in message.items() if text} or {"typed": ""}), len(messages) + 1
    )
    row: dict[str, object] = {"n": number, "message": at}
    if item.instead is not None:
        return _json({**row, "gone": item.line, "new": item.instead})
    row |= {"line": item.line}
    row |= {"sentence": item.sentence} if item.sentence not in ("", item.typed) else {}
    return _json({**row, "old": item.old} if item.old else row)


def _around(typed: str, quote: str) -> str:
    """Return *typed*, of a long one what stands around *quote*."""
    if len(typed) <= MAX_TYPED:
        return typed
    start = max(0, min(typed.find(quote), len(typed) - 1) - MAX_TYPED // 2)
    return typed[start : start + MAX_TYPED]


def _marked(mark: str, rows: Sequence[str], nonce: str) -> str:
    return "\n".join((f"<{mark}>", *(row.replace(nonce, "") for row in rows), f"</{mark}>"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _schema() -> dict[str, object]:
    fields: dict[str, object] = {name: {"type": "string", "enum": [*words]} for name, words in _WORDS.items()}
    verdict = {
        "n": {"type": "integer"}, **fields, "secret": {"type": "boolean"}, "fix": {"type": "string"},
    }  # fmt: skip
    closed = {"type": "object", "properties": verdict, "required": [*verdict], "additionalProperties": False}
    rows = {"type": "array", "items": closed}
    return {
        "type": "object", "properties": {"verdicts": rows}, "required": ["verdicts"], "additionalProperties": False,
    }  # fmt: skip


def _rows(text: str) -> list[Any]:
    """Return the verdicts of the last object in *text* that has some, whatever stands around it."""
    for at in (at for at in range(len(text) - 1, -1, -1) if text[at] == "{" and '"verdicts"' in text[at : at + 40]):
        try:
            whole, _ = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        rows = whole.get("verdicts") if isinstance(whole, dict) else None
        return rows if isinstance(rows, list) else []
    return []


def _verdict(row: Any) -> Verdict | None:
    match row:
        case {"says": str(says), "whose": str(whose), "holds": str(holds), "kind": str(kind), "secret": bool(secret)}:
            said = {"says": says, "whose": whose, "holds": holds, "kind": kind}
            if any(word not in _WORDS[name] for name, word in said.items()):
                return None
            fix = row.get("fix")
            return Verdict(says, whose, holds, kind, secret, fix.strip() if isinstance(fix, str) else "")
        case _:
            return None


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
