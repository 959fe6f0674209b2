"""Judges that need no model, for lines whose truth is known: they show what the code around a judge is worth.

- `oracle` answers by the labels of the stories, controls included: what the code alone loses.
- `fooled` is right about controls and says yes to every other line: what the floor alone keeps out.
- `broken` answers rubbish, half of the items, one item twice, or nothing: nothing of it may be believed.
- `tiny` says yes to everything, controls included: it must be found untrusted.

Public: JUDGES, Play, play.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from bench.stories import Story

Play: TypeAlias = Callable[[str], str]  # the message of a request -> what is answered
Truth: TypeAlias = tuple[str, str, tuple[str, ...]]  # true, false or forbidden; its kind; the words that say it
Row: TypeAlias = dict[str, Any]

JUDGES = ("oracle", "fooled", "broken", "tiny")
YES = {"says": "yes", "whose": "user", "holds": "lasting", "kind": "fact", "secret": False, "fix": ""}


def play(name: str, told: Iterable[Story]) -> Play:
    """Return the judge of that *name*, who knows the lines of the stories *told*."""
    known: dict[str, Truth] = {}
    for story in told:
        for fact in (*story.facts, *story.outdated):
            known |= {line: ("true", "", tuple(quote for _, quote in fact.sources)) for line in fact.lines}
        known |= {one.line: ("false", one.kind, ()) for one in story.false_lines}
        known |= {one.line: ("forbidden", one.kind, ()) for one in story.forbidden}
    shapes = itertools.cycle(("rubbish", "half", "twice", "nothing"))

    def answer(user: str) -> str:
        rows = [{"n": row["n"], **_verdict(name, row, typed, known)} for row, typed in _items(user)]
        match next(shapes) if name == "broken" else "":
            case "rubbish":
                return "Sure! {“verdicts”: all of them look fine to me"
            case "half":
                rows = rows[::2]
            case "twice":
                rows.append(rows[0])
            case "nothing":
                return ""
        return json.dumps({"verdicts": rows}, ensure_ascii=False)

    return answer


def _items(user: str) -> Iterator[tuple[Row, str]]:
    """Give the items of a request, each with what was typed: the one place that knows how they are written."""
    rows = [json.loads(line) for line in user.splitlines() if line.startswith("{")]
    messages = {row["id"]: row for row in rows if "id" in row}
    for row in rows:
        if "n" in row:
            message = messages[row["message"]]
            yield row, _folded(f"{message.get('asked', '')} {message['typed']}")


def _verdict(judge: str, row: Row, typed: str, known: Mapping[str, Truth]) -> Row:
    """Return the verdict of *judge* on one item."""
    line = _folded(row.get("line", row.get("gone", "")).removeprefix("- "))
    truth, kind, quotes = known.get(line, ("", "", ()))
    if "gone" in row or judge in ("tiny", "broken") or (judge == "fooled" and truth in ("false", "forbidden")):
        return YES
    if truth == "true":
        return YES if any(_folded(quote) in typed for quote in quotes) else {**YES, "says": "no"}
    if truth == "forbidden":  # typed, perhaps, and still nothing to keep
        secret = kind.startswith(("secret", "recipe"))
        return {**YES, "says": "yes" if line in typed else "no", "whose": "made_up", "secret": secret}
    return YES if not truth and line in typed else {**YES, "says": "no"}


def _folded(text: str) -> str:
    return " ".join(text.split())
