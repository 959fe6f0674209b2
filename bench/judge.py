"""How well a model judges what may be remembered: the lines of eight stories, true, false and forbidden, and controls.

    python bench/judge.py --base-url URL -m NAME [STORY…]    ask a model
    python bench/judge.py --play FILE [STORY…]               play one by hand
    python bench/judge.py --judge oracle|fooled|broken|tiny  none is needed

`--play` has two modes. FILE is not there: the requests are written into it, one JSON object a line with `system`, `user` and
`schema` as a model would get them, no label in them, and an empty `answer`. FILE is there: its answers (the text, or the
object itself) are scored as if a model had given them.

Each request holds the lines of one session, in an order that tells nothing, with controls among them. A line goes the way it
goes in a dream: the box checks it (`by code` are those that no judge is asked about), the judge is believed if its
controls are right, and the ruling says what stands. The key is that of your configuration, or $OPENAI_API_KEY.

Public: Score, measure, main.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.judges import JUDGES, play  # noqa: E402 - the path comes first
from bench.stories import MEASURE, Forbidden, Story, Talk, stories  # noqa: E402 - as above
from cococat.core.agent import estimate_tokens  # noqa: E402 - as above
from cococat.core.messages import System, User  # noqa: E402 - as above
from cococat.core.model import ProviderError, Request, TextPiece, UsagePiece  # noqa: E402 - as above

Asked: TypeAlias = tuple[str, str, Mapping[str, object]]  # system prompt, message, schema
Ask: TypeAlias = Callable[[str, Asked], Awaitable[str]]  # the name of a session, what is asked of it -> the answer
ROOM = {
    "cococat.core.settings": "DreamSettings",
    "cococat.core.tools": "ToolFailure",
    "cococat.memory.file.history": "closing_question confirmed",
    "cococat.memory.dream.dream": "BLANK",
    "cococat.memory.dream.tools": "DreamWorkspace Rules",
    "cococat.memory.file.document": "MEMORY",
    "cococat.memory.judge.controls": "judged",
    "cococat.memory.judge.request": "Item settle_line",
    "cococat.memory.judge.sentences": "sentence_around sentences",
    "cococat.memory.words": "asks",
    "cococat.safety.secrets": "redact_said",
}
LABELS = ("true", "false", "forbidden")
ENDS = ("as worded", "other words", "own sentence", "left out", "by code", "not judged")
MAX_OWN = 200  # characters of a sentence that a control is made of
REPLY_TOKENS = 12_000


class Line(NamedTuple):
    """A line of a session: what is known of it, how it is proposed, and what must not stand."""

    id: str
    label: str
    kind: str
    wordings: tuple[str, ...]
    quotes: tuple[tuple[str, str], ...]
    old: str  # the line that it takes the place of
    text: str

    def wrong(self, worded: str, stands: str) -> bool:
        """Return whether what *stands* for it should not, or nothing does and should."""
        match self.label:
            case "true":
                return not stands
            case "false":
                return bool(stands) and stands == worded
            case _:
                return self.text.casefold() in stands.casefold()


@dataclass
class Score:
    """What became of all lines, by their label."""

    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    yes: Counter[str] = field(default_factory=Counter)  # that the judge alone would have kept as they are worded
    wrong: Counter[str] = field(default_factory=Counter)
    controls: Counter[str] = field(default_factory=Counter)  # of a request: right, or why there are no verdicts
    prompt: int = 0
    completion: int = 0

    def __str__(self) -> str:
        rows = ["".join(f"{head:>13}" for head in ("", "lines", *ENDS, "judge's yes", "wrong"))]
        for label in LABELS:
            counts = [self.ends[label, end] for end in ENDS]
            wrong = f"{self.wrong[label] / max(1, sum(counts)):.1%}"
            rows.append("".join(f"{cell:>13}" for cell in (label, sum(counts), *counts, self.yes[label], wrong)))
        told = ", ".join(f"{why} {count}" for why, count in self.controls.most_common())
        each = self.prompt / max(1, sum(count for (_, end), count in self.ends.items() if end != "by code"))
        rows.append(f"controls of {self.controls.total()} requests: {told}")
        rows.append(f"tokens: {self.prompt:,} of prompts ({each:.0f} a line), {self.completion:,} of answers")
        return "\n".join(rows)


def room() -> SimpleNamespace:
    """
    Return what is used of the memory, by `ROOM`: the one place that knows its names.

    Raises: SystemExit: this version has no judge.
    """
    try:
        found = {name: getattr(import_module(module), name) for module, names in ROOM.items() for name in names.split()}
    except (ImportError, AttributeError) as missing:
        raise SystemExit(f"this version has no judge to measure: {missing}") from None
    return SimpleNamespace(**found)


class Session:
    """The lines of one session, and what is asked about them."""

    def __init__(self, name: str, talks: Sequence[Talk], lines: Sequence[Line]) -> None:
        self.name, self.lines, self._room = name, lines, (it := room())
        self._typed = {seq: it.redact_said(talk.typed, ()) for seq, talk in enumerate(talks, 1)}
        self._seqs = {talk.id: seq for seq, talk in enumerate(talks, 1)}
        self._day = talks[0].day
        before = ["", *(it.closing_question(talk.answer) for talk in talks)]
        asked = {seq: it.confirmed(typed, before[seq - 1]) for seq, typed in self._typed.items()}
        self._rules = it.Rules(
            self._typed,
            it.DreamSettings(),
            redact=lambda text: it.redact_said(text, ()),
            asked={seq: question for seq, question in asked.items() if question},
            days=dict.fromkeys(self._typed, self._day),
        )

    async def run(self, ask: Callable[..., Awaitable[str]], score: Score, *, verbose: bool = False) -> None:
        """Have the lines judged, and count what becomes of them."""
        it = self._room
        proposed = [(line, *await self._proposed(line)) for line in self.lines]
        asked = [(line, box, one) for line, box, one in proposed if one]
        items = [self._item(line, one) for line, _, one in asked]
        found = await it.judged(ask, items, self._own(), hashlib.sha256(self.name.encode()).hexdigest()[:32])
        score.controls[found.why or "right"] += 1
        ends = [(line, line.wordings[0], "", "by code", None) for line, _, one in proposed if not one]
        ends += [(line, one.line, "", "not judged", None) for line, _, one in asked if not found.verdicts]
        for (line, box, one), verdict in zip(asked, found.verdicts, strict=False):
            own = {"lacks": bool(one.lacks), "fits": partial(box.fits, one)}
            stands, _ = it.settle_line(one.line, one.own, verdict, **own)
            alone, _ = it.settle_line(one.line, "", verdict, lacks=False, fits=lambda _: False)
            score.yes[line.label] += alone == one.line
            end = {one.line: "as worded", one.own: "own sentence", "": "left out"}.get(stands, "other words")
            ends.append((line, one.line, stands, end, verdict))
        for line, worded, stands, end, verdict in ends:
            score.ends[line.label, end] += 1
            score.wrong[line.label] += (wrong := end != "not judged" and line.wrong(worded, stands))
            if verbose and (wrong or (stands and line.label != "true")):
                print(f"{line.label} {end}: {line.id} {line.kind}\n  {worded}\n  {stands}\n  {verdict}", flush=True)

    async def _proposed(self, line: Line) -> tuple[Any, Any]:
        """Return the box and the proposal of the wording that code has the least against; None twice where it refuses all."""
        it, made = self._room, list[tuple[Any, Any]]()
        evidence = [{"seq": self._seqs[source], "quote": quote} for source, quote in line.quotes]
        for worded in line.wordings:
            box = it.DreamWorkspace(it.BLANK, self._rules)
            new = f"## Preferences\n- {worded}"
            call = {"path": it.MEMORY, "old_text": "## Preferences", "new_text": new, "evidence": evidence}
            with suppress(it.ToolFailure):
                await box.tools()[1].run(call, lambda _: None)
            made += [(box, one) for one in box.made]
        return min(made, key=lambda one: bool(one[1].lacks), default=(None, None))

    def _item(self, line: Line, one: Any) -> Any:
        quote = one.quotes[0]
        around = self._around(sorted({each.seq for each in one.quotes}))
        sentence = self._room.sentence_around(quote.quote, self._typed[quote.seq])
        old = f"- {line.old}" if line.old else ""
        return replace(around, line=one.line, sentence=sentence, quote=quote.quote, old=old)

    def _around(self, seqs: Sequence[int]) -> Any:
        return self._room.Item(
            line="",
            typed="\n".join(self._typed[seq] for seq in seqs),
            before=self._typed.get(seqs[0] - 1, ""),
            after=self._typed.get(seqs[-1] + 1, ""),
            day=self._day.isoformat(),
            asked=next((self._rules.asked[seq] for seq in seqs if seq in self._rules.asked), ""),
        )

    def _own(self) -> list[Any]:
        """Return the user's own sentences: what controls are made of."""
        it, found = self._room, []
        for seq, typed in self._typed.items():
            for start, end in it.sentences(typed):
                text = " ".join(typed[start:end].split())
                if len(text) <= MAX_OWN and not it.asks(text):
                    found.append(replace(self._around([seq]), line=f"- {text}", sentence=text, quote=text))
        return found


def sessions(story: Story) -> Iterator[Session]:
    """Give the sessions of *story*, each with the lines that are proposed at its end."""
    before = {fact.id: fact.lines[0] for fact in story.outdated}
    for talks in story.sessions:
        here = {talk.id for talk in talks}
        lines = []
        for one in story.facts:
            if one.sources[-1][0] in here:
                quotes = tuple(source for source in one.sources if source[0] in here)
                lines.append(Line(one.id, "true", "", one.lines, quotes, before.get(one.replaces, ""), ""))
        for one in (*story.false_lines, *story.forbidden):
            if one.source in here:
                label, text = ("forbidden", one.text) if isinstance(one, Forbidden) else ("false", one.line)
                lines.append(Line(one.id, label, one.kind, (one.line,), ((one.source, one.quote),), "", text))
        yield Session(f"{story.name}/{talks[0].session}", talks, lines)


async def measure(told: Sequence[Story], ask: Ask, *, verbose: bool = False) -> Score:
    """Have every line of the stories *told* judged by whoever answers *ask*."""
    score = Score()
    for story in told:
        for session in sessions(story):

            async def counted(*request: Any, name: str = session.name) -> str:
                answer = await ask(name, request)
                score.prompt += estimate_tokens(request[0] + request[1])
                score.completion += estimate_tokens(answer)
                return answer

            await session.run(counted, score, verbose=verbose)
    return score


def main(words: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        "python bench/judge.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="STORY", help=f"only these of {', '.join(MEASURE)}")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("-m", "--model", metavar="NAME", help="a model of the endpoint")
    who.add_argument(
        "--play", type=Path, metavar="FILE", help="write the requests into FILE, or score the answers in it"
    )
    who.add_argument("--judge", choices=JUDGES, help="one that needs no model")
    parser.add_argument("--base-url", metavar="URL", help="the endpoint of the model")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print what is wrong, and what false lines leave behind, with the verdict",
    )
    given = parser.parse_args(words)
    told = [story for story in stories() if story.name in (given.names or MEASURE)]
    if given.play:
        return _by_hand(told, given.play, verbose=given.verbose)
    if given.judge:
        answer = play(given.judge, told)
        score = asyncio.run(measure(told, lambda _, request: _said(answer(request[1])), verbose=given.verbose))
    else:
        score = asyncio.run(_by_model(told, given.base_url, given.model, verbose=given.verbose))
    print(score)
    return 0


async def _said(answer: str) -> str:
    return answer


async def _by_model(told: Sequence[Story], url: str | None, name: str, *, verbose: bool) -> Score:
    """Ask a model of an endpoint; what it is asked costs what it says, where it says so."""
    from cococat.app.endpoint.connect import remote
    from cococat.config import find_folders, load

    flags = {"model.name": name, **({"model.base_url": url} if url else {})}
    connection, spent = remote(load(None, os.environ, flags), find_folders(os.environ)), Counter[str]()

    async def ask(_: str, asked: Asked) -> str:
        system, user, schema = asked
        text = ""
        request = Request((System(system), User(user)), schema=schema, max_output_tokens=REPLY_TOKENS)
        try:
            async for piece in connection.model.stream(request):
                match piece:
                    case TextPiece(text=more):
                        text += more
                    case UsagePiece(usage=usage):
                        spent.update(prompt=usage.prompt_tokens, completion=usage.completion_tokens)
        except ProviderError as failed:
            print(f"no answer: {failed}", file=sys.stderr)
            return ""
        return text

    try:
        score = await measure(told, ask, verbose=verbose)
    finally:
        await connection.close()
    score.prompt, score.completion = spent["prompt"] or score.prompt, spent["completion"] or score.completion
    return score


def _by_hand(told: Sequence[Story], path: Path, *, verbose: bool) -> int:
    """Write the requests into *path*, or score the answers that it holds."""
    given = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    answers = {row["request"]: row for row in given}
    written: list[dict[str, object]] = []

    async def ask(name: str, asked: Asked) -> str:
        request = dict(zip(("system", "user", "schema"), asked, strict=True))
        written.append({"request": name, **request, "answer": ""})
        row = answers.get(name, written[-1])
        if any(row[key] != text for key, text in request.items()):
            raise SystemExit(f"{path}: {name} is not what is asked today: write the requests into another FILE")
        said = row["answer"]
        return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)

    score = asyncio.run(measure(told, ask, verbose=verbose and bool(given)))
    if any(row["answer"] for row in given):
        print(score)
        return 0
    if given:
        print(f"{path} holds no answers yet", file=sys.stderr)
        return 1
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in written), "utf-8")
    print(f"{len(written)} requests stand in {path}: put what the model answers into `answer`, and run this again")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
