"""A judge that is played: it reads a request as a model does, and says yes where the words of a line stand in its message.

Public: verdicts_of, items_of, is_for_a_judge, plays, by_words, ALL_YES, ALL_NO.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.scripted.turns import Turn, says

YES: dict[str, Any] = {
    "says": "yes", "whose": "user", "holds": "lasting", "kind": "fact", "secret": False, "fix": "",
}  # fmt: skip
_SMALL = frozenset(
    [
        "user",
        "has",
        "is",
        "the",
        "and",
        "not",
        "from",
        "with",
        "who",
        "are",
        "was",
        "as",
        "for",
        "it",
        "this",
        "which",
        "does",
        "of",
        "to",
        "in",
        "on",
    ]
)  # what a line may hold besides


def is_for_a_judge(body: Any) -> bool:
    """Whether a request asks for verdicts."""
    texts = [str(one.get("content")) for one in body.get("messages", ())] if isinstance(body, dict) else []
    return not body.get("tools") and any("<items-" in text for text in texts)


def items_of(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items of a request in order, each with its message beside it."""
    text = str(body["messages"][-1]["content"])
    messages = {row["id"]: row for row in _rows(text, "messages")}
    return [{**row, "told": messages[row["message"]]} for row in _rows(text, "items")]


def _rows(text: str, name: str) -> Iterator[dict[str, Any]]:
    block = re.search(rf"<({name}-[0-9a-f]+)>\n(.*?)\n</\1>", text, re.DOTALL)
    assert block, text
    return map(json.loads, block[2].split("\n"))


def by_words(item: Mapping[str, Any]) -> dict[str, Any]:
    """Say yes where all words of a line, or of one that goes half of them, stand in its message or in what comes for it."""
    told = item["told"]
    there = _words(" ".join(str(told.get(name, "")) for name in ("typed", "asked")))
    if "gone" in item:
        new = _words(" ".join(item["new"]))
        words = [word for word in _words(item["gone"]) if word not in _SMALL]
        whole = any(all(_holds(word, _words(line)) for word in words) for line in item["new"])
        some = sum(_holds(word, new) or _holds(word, there) for word in words)
        return {**YES, "says": "yes" if whole or (there and some) else "no"}
    plain = re.sub(r"\b\d{4}-\d\d(-\d\d)?\b", "", item["line"])  # a date may follow from the day
    words = [word for word in _words(plain) if word not in _SMALL]
    return {**YES, "says": "yes" if all(_holds(word, there) for word in words) else "no"}


def _words(text: str) -> list[str]:
    return (
        re.findall(r"\d+|[^\W\d_]", text.casefold())
        if re.search(r"[\u3040-\u9fff]", text)
        else re.findall(r"\w+", text.casefold())
    )


def _holds(word: str, there: Sequence[str]) -> bool:
    return word in there or (len(word) > 3 and not word.isdigit() and any(one[:4] == word[:4] for one in there))


def verdicts_of(body: Mapping[str, Any], decide: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> str:
    """The answer of a judge that decides item by item."""
    return json.dumps({"verdicts": [{"n": item["n"], **decide(item)} for item in items_of(body)]})


def plays(decide: Callable[[Mapping[str, Any]], Mapping[str, Any]] = by_words) -> Callable[[Mapping[str, Any]], Turn]:
    """What a server plays for a judge's request."""
    return lambda body: says(verdicts_of(body, decide))


ALL_YES = plays(lambda _: YES)
ALL_NO = plays(lambda _: {**YES, "says": "no"})
