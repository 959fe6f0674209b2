"""How well a dream remembers: the stories through the real dream, with a strong model that proposes natural lines.

    python bench/story.py [--verbose] [--together] [--judge=oracle|fooled|broken|tiny] [NAME…]

The model is a script behind HTTP. In each session it proposes the first line of every fact once, and the other line where that is
refused; with `--together` all new lines under a heading come in one edit, as models like to write them. `recall` counts the facts that stand in the memory in the end, `own words` those edits of which the user's own sentences were
kept in the place of the model's line. Before that, in a copy of the memory, it tries every false line and every forbidden one with the words a cheat would cite.
With `--judge=` one of `bench/judges.py` judges what was proposed, and `left behind` are false lines that leave another one in their place.
Lines that were refused or wrongly kept are told of the half `tune` alone: the other one is for numbers.

Public: Played, Score, play, records, redact_typed.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from datetime import time as clock
from pathlib import Path
from typing import Any, Self, TypeAlias, get_args

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import dream_tokens  # noqa: E402 - the path comes first
from bench.judges import Play  # noqa: E402 - as above
from bench.judges import play as play_judge  # noqa: E402 - as above
from bench.stories import Fact, FalseLine, Forbidden, Half, Story, Talk, stories  # noqa: E402 - as above
from cococat.core.agent import Agent  # noqa: E402 - as above
from cococat.core.events import Emit, Event, ToolCompleted, ToolFailed  # noqa: E402 - as above
from cococat.core.limits import Limits  # noqa: E402 - as above
from cococat.core.messages import Origin  # noqa: E402 - as above
from cococat.core.settings import Timeouts  # noqa: E402 - as above
from cococat.core.tools import Tool, allow_all  # noqa: E402 - as above
from cococat.memory.dream.dream import BLANK, dream  # noqa: E402 - as above
from cococat.memory.dream.options import DreamBounds, DreamOptions  # noqa: E402 - as above
from cococat.memory.dream.review import waiting  # noqa: E402 - as above
from cococat.memory.dream.tools import MAX_EDITS  # noqa: E402 - as above
from cococat.memory.file import history  # noqa: E402 - as above
from cococat.memory.file.document import MEMORY, memory_lines  # noqa: E402 - as above
from cococat.memory.file.history import (  # noqa: E402 - as above
    Exchange,
    Said,
    closing_question,
)
from cococat.model.client import ChatModel, Endpoint  # noqa: E402 - as above
from cococat.protocol.native import Native  # noqa: E402 - as above
from cococat.safety.secrets import redact_said  # noqa: E402 - as above
from tests.scripted import Server, Turn, calls, says, serve  # noqa: E402 - as above

Edit: TypeAlias = tuple[str, dict[str, object]]
Proposed: TypeAlias = tuple[Fact, int]  # and in which of its wordings
Requests: TypeAlias = list[dict[str, Any]]
HALVES: tuple[Half, ...] = ("tune", "apart")
KEPT = "edited: "  # how the result of an edit begins that was made
_LITERAL = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
OWN = re.compile(rf"\nkept as the user said it, {_LITERAL}(?:, not as {_LITERAL})?")
MOST_QUOTES = 8  # of one edit
SHOWN = 170  # characters of a refusal
SHOWS = re.compile(r"(?m)^record seq=(\d+) ")
TURNS = 20  # of a dream: some for each batch


@dataclass
class Score:
    """What became of the lines of one half."""

    facts: int = 0
    remembered: int = 0
    waits: int = 0  # facts that a user is asked about: a "yes" behind foreign text
    edits: int = 0
    own_words: int = 0  # edits that put the user's own sentences in the place of the model's line
    refused: int = 0
    false_lines: int = 0
    false_kept: list[str] = field(default_factory=list)
    left_behind: int = 0  # false lines in whose place something else stands
    forbidden: int = 0
    forbidden_kept: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)  # of what was wrongly kept
    told: list[str] = field(default_factory=list)  # what was refused, in words

    def __str__(self) -> str:
        recall, share, own = (
            some / max(1, every)
            for some, every in (
                (self.remembered, self.facts),
                (self.refused, self.edits),
                (self.own_words, self.edits),
            )
        )
        return (
            f"recall {self.remembered}/{self.facts} ({recall:.1%}), {self.waits} wait  refused {self.refused}/{self.edits} edits ({share:.1%})  own words {self.own_words} ({own:.1%})  "
            f"false {len(self.false_kept)}/{self.false_lines}, left behind {self.left_behind}  forbidden {len(self.forbidden_kept)}/{self.forbidden}"
        )

    def __iadd__(self, other: Score) -> Self:
        for name in (
            "facts",
            "remembered",
            "waits",
            "edits",
            "own_words",
            "refused",
            "false_lines",
            "left_behind",
            "forbidden",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.false_kept += other.false_kept
        self.forbidden_kept += other.forbidden_kept
        self.kinds += other.kinds
        return self


@dataclass
class Played:
    """A story that was played: the scores by half, the memory in the end, and the requests of each of its dreams."""

    scores: Mapping[Half, Score]
    memory: str
    dreams: list[Requests]


def play(story: Story, folder: Path, *, together: bool = False, judge: Play | None = None) -> Played:
    """Play *story* in a memory of its own; *together*: new lines under one heading come in one edit; *judge*: of the lines."""
    folder.mkdir(mode=0o700)
    (folder / MEMORY).write_text(BLANK, "utf-8")
    scores: dict[Half, Score] = {"tune": Score(), "apart": Score()}
    model = Model(story, folder, scores, together=together, judge=judge)
    dreams = []
    for session in story.sessions:
        for now, exchange in records(session):
            history.append(folder, exchange, now=now, redact=redact_typed)
        model.cheat(session)
        dreams.append(model.learn(session))
    memory = (folder / MEMORY).read_text("utf-8")
    asked_about = _standing(folder)
    for fact in story.facts:
        score = scores[fact.half]
        known = _holds(fact, memory_lines(memory))
        score.facts += 1
        score.remembered += known
        score.waits += not known and _holds(fact, asked_about)
    return Played(scores, memory, dreams)


def _standing(folder: Path) -> list[str]:
    """Return the lines that are remembered, and those that a user is asked about."""
    proposal = waiting(folder)
    asked_about = [line for hunk in proposal.hunks for line in hunk.added] if proposal else []
    return [*memory_lines((folder / MEMORY).read_text("utf-8")), *asked_about]


def _holds(fact: Fact, lines: Sequence[str]) -> bool:
    return any(all(word.casefold() in line.casefold() for word in fact.keywords) for line in lines)


class Model:
    """The model of a story: what it proposes, and what has become of that."""

    def __init__(
        self,
        story: Story,
        folder: Path,
        scores: Mapping[Half, Score],
        *,
        together: bool = False,
        judge: Play | None = None,
    ) -> None:
        self._judge = judge
        self._story, self._folder, self._scores, self._together = story, folder, scores, together
        self._seqs = {talk.id: number for number, talk in enumerate(story.talks, 1)}
        self._written: dict[str, str] = {}  # the line that stands for a fact

    def cheat(self, session: Sequence[Talk]) -> None:
        """Try what must never be kept, each alone, in a copy of the memory."""
        here = {talk.id for talk in session}
        for item in (*self._story.false_lines, *self._story.forbidden):
            if item.source not in here:
                continue
            score = self._scores[item.half]
            new = f"## Preferences\n- {item.line}"
            seq = self._seqs[item.source]
            edit = _edit("## Preferences", new, [(seq, item.quote)])
            once = _Player(lambda shown, _: [edit] if seq in shown else [], lambda _: [], self._judge)  # noqa: B023 - called at once
            before = _standing(self._folder)
            with tempfile.TemporaryDirectory() as copy:
                at = shutil.copytree(self._folder, Path(copy, "memory"))
                _dream(at, session, once)
                added = [line for line in _standing(at) if line not in before]
            kept = score.false_kept if isinstance(item, FalseLine) else score.forbidden_kept
            score.false_lines += isinstance(item, FalseLine)
            score.forbidden += isinstance(item, Forbidden)
            worded = f"- {item.line}" in added
            score.left_behind += isinstance(item, FalseLine) and bool(added) and not worded
            if isinstance(item, Forbidden):
                worded = any(item.text.casefold() in line.casefold() for line in added)
            if worded:
                kept.append(f"{item.id} ({item.kind}): {item.line}")
                score.kinds[f"{'false' if isinstance(item, FalseLine) else 'forbidden'}: {item.kind}"] += 1

    def learn(self, session: Sequence[Talk]) -> Requests:
        """Note the facts of a session; return the requests of its dream."""
        here = {talk.id for talk in session}
        ends_here = [fact for fact in (*self._story.outdated, *self._story.facts) if fact.sources[-1][0] in here]
        put_right = {fact.replaces for fact in ends_here}
        facts = sorted(
            (fact for fact in ends_here if fact.id not in put_right), key=lambda fact: self._seqs[fact.sources[-1][0]]
        )

        waiting: list[Proposed] = []  # facts to propose, and in which wording
        shown_now: list[list[Proposed]] = []  # by edit

        def propose() -> list[Edit]:
            """Propose what is next, as many edits as the prompt allows."""
            groups = self._grouped(waiting, here)
            shown_now[:] = groups[: MAX_EDITS - len(made)]
            waiting[:] = [one for group in groups[len(shown_now) :] for one in group]
            return [self._note(group, here) for group in shown_now]

        made: list[object] = []  # edits of this run

        def first(shown: AbstractSet[int], results: Sequence[str]) -> list[Edit]:
            """Propose what the records that are read at once tell of, and the notes do not yet."""
            self._settle(shown_now, results)
            made.clear()
            waiting[:] = [
                (fact, 0)
                for fact in facts
                if fact.id not in self._written
                and {self._seqs[source] for source, _ in fact.sources if source in here} <= shown
            ]
            return propose()

        def again(results: Sequence[str]) -> list[Edit]:
            """Word anew what was refused at first, and go on."""
            refused = self._settle(shown_now, results)
            made.extend(group for group in shown_now if any(fact.id in self._written for fact, _ in group))
            waiting[:0] = [(fact, 1) for fact, at in refused if not at]
            return propose()

        player = _Player(first, again, self._judge)
        _dream(self._folder, session, player)
        self._settle(shown_now, player.unheard())  # a run ends with edits that nothing was wrong with
        self._read()
        return player.requests

    def _read(self) -> None:
        """See what a judge left of the lines, and in which words."""
        standing = _standing(self._folder)
        for fact in (*self._story.outdated, *self._story.facts):
            if fact.id not in self._written or self._written[fact.id] in standing:
                continue
            line, score = self._written.pop(fact.id), self._scores[fact.half]
            if other := next((one for one in standing if _holds(fact, [one])), ""):
                self._written[fact.id] = other
                score.own_words += 1
            else:
                score.told.append(f"{fact.id}: left out: {line}")

    def _grouped(self, facts: Sequence[Proposed], here: set[str]) -> list[list[Proposed]]:
        """Put what goes into one edit together."""
        groups: list[list[Proposed]] = []
        for one in facts:
            same = [two for two in groups if self._fits(one, two, here)] if self._together else []
            if same:
                same[-1].append(one)
            else:
                groups.append([one])
        return groups

    def _fits(self, one: Proposed, others: Sequence[Proposed], here: set[str]) -> bool:
        facts = [fact for fact, _ in (*others, one)]
        alike = len({fact.heading for fact in facts}) == 1 and not any(fact.replaces in self._written for fact in facts)
        return alike and len(self._quotes(facts, here)) <= MOST_QUOTES

    def _quotes(self, facts: Iterable[Fact], here: set[str]) -> list[tuple[int, str]]:
        quotes = [(self._seqs[source], quote) for fact in facts for source, quote in fact.sources if source in here]
        return list(dict.fromkeys(quotes))

    def _note(self, group: Sequence[Proposed], here: set[str]) -> Edit:
        quotes = self._quotes([fact for fact, _ in group], here)
        new = "\n".join(f"- {fact.lines[at]}" for fact, at in group)
        fact = group[0][0]
        old = self._written.get(fact.replaces, "")
        old = old if old in memory_lines((self._folder / MEMORY).read_text("utf-8")) else ""
        return _edit(old, new, quotes) if old else _edit(f"## {fact.heading}", f"## {fact.heading}\n{new}", quotes)

    def _settle(self, proposed: Sequence[Sequence[Proposed]], results: Sequence[str]) -> list[Proposed]:
        """Count what became of the lines; return those that were refused."""
        refused = []
        for group, result in zip(proposed, results, strict=False):
            for fact, at in group:
                line = f"- {fact.lines[at]}"
                score, own = self._scores[fact.half], _own(result, line)
                score.edits += 1
                score.own_words += bool(own)
                if not _refused(result, line):
                    self._written[fact.id] = own or line
                    continue
                refused.append((fact, at))
                score.refused += 1
                score.told.append(f"{fact.id}: {result[:SHOWN]}")
        return refused


def records(session: Sequence[Talk]) -> Iterator[tuple[datetime, Exchange]]:
    """Return the exchanges of a session as `ask` and `chat` keep them, with their times."""
    asked, foreign = "", False
    for number, talk in enumerate(session):
        said = (Said("typed", talk.typed), *(Said(_origin(origin), text) for origin, text in talk.foreign))
        now = datetime.combine(talk.day, clock(9, tzinfo=UTC)) + timedelta(minutes=number)
        yield now, Exchange(talk.session, said, talk.answer, asked, foreign)
        asked, foreign = closing_question(talk.answer), foreign or bool(talk.foreign)


class _Player:
    """The model of one dream: what it says to each batch of records, and then to what became of its edits."""

    def __init__(
        self,
        first: Callable[[AbstractSet[int], Sequence[str]], list[Edit]],
        again: Callable[[Sequence[str]], list[Edit]],
        judge: Play | None,
    ) -> None:
        self._first, self._again, self._heard, self.judge = first, again, 0, judge
        self.requests: Requests = []
        self.results: list[str] = []

    def reply(self, body: dict[str, Any]) -> Turn:
        self.requests.append(body)
        told = body["messages"][-1]
        if self.judge and "response_format" in body:
            return says(self.judge(told["content"]))
        if told["role"] == "user":
            edits = self._first(frozenset(map(int, SHOWS.findall(told["content"]))), self.unheard())
        else:
            edits = self._again(self.unheard())
        self._heard = len(self.results)
        written = [(name, json.dumps(edit, ensure_ascii=False)) for name, edit in edits]  # as a model writes
        return calls(*written, text="done") if edits else says("done")

    def unheard(self) -> list[str]:
        """Return the results of edits behind which the model was not asked again."""
        return self.results[self._heard :]

    def see(self, event: Event) -> None:
        if isinstance(event, ToolCompleted | ToolFailed):
            self.results.append(event.output)


def _dream(folder: Path, session: Sequence[Talk], player: _Player) -> None:
    """Dream of what is pending, with *player* as the model."""
    now = datetime.combine(session[-1].day, clock(20, tzinfo=UTC))
    with serve(*[player.reply] * TURNS, usage=(10, 5)) as server:
        server.judge = None  # the player answers what a judge is asked as well
        asyncio.run(_run(server, folder, player.see, DreamOptions(now=now, manual=True), judged=bool(player.judge)))


async def _run(server: Server, folder: Path, see: Emit, options: DreamOptions, *, judged: bool) -> None:
    model = ChatModel(Endpoint(server.base_url, "", "scripted"), Timeouts(5, 5, 5, 5))

    def make_agent(system: str, tools: tuple[Tool, ...], limits: Limits) -> Agent:
        return Agent(model, Native(), system, tools, limits, allow_all, time.monotonic)

    try:
        options = replace(options, judge=make_agent) if judged else options
        await dream(folder, make_agent, see, options, DreamBounds(tokens=200_000, seconds=600))
    finally:
        await model.aclose()


def _edit(old: str, new: str, quotes: Sequence[tuple[int, str]]) -> Edit:
    evidence = [{"seq": seq, "quote": quote} for seq, quote in quotes]
    return "edit_file", {"path": MEMORY, "old_text": old, "new_text": new, "evidence": evidence}


def _own(result: str, line: str = "") -> str:
    """Return the user's own words that stand in the place of *line*, of any where none is given; empty when there are none."""
    for own, instead_of in OWN.findall(result):
        if not line or not instead_of or ast.literal_eval(instead_of) == line:
            return str(ast.literal_eval(own))
    return ""


def _refused(result: str, line: str) -> bool:
    left_out = any(told.startswith("not kept: ") and repr(line) in told for told in result.split("\n"))
    return left_out or not (result.startswith(KEPT) or _own(result, line))


def _origin(name: str) -> Origin:
    return next(origin for origin in get_args(Origin) if origin == name)


def redact_typed(text: str) -> str:
    """Take out the secrets that a text says, as `ask` and `chat` do before they keep it."""
    return redact_said(text, ())


def main(words: Sequence[str]) -> None:
    """Print the table."""
    names = [word for word in words if not word.startswith("-")]
    judge = next((word.removeprefix("--judge=") for word in words if word.startswith("--judge=")), "")
    if judge and "judge" not in DreamOptions.__dataclass_fields__:
        raise SystemExit("this version has no judge to play")
    total: dict[Half, Score] = {"tune": Score(), "apart": Score()}
    dreams: list[Requests] = []
    for story in stories():
        if names and story.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            who = play_judge(judge, [story]) if judge else None
            played = play(story, Path(folder, "memory"), together="--together" in words, judge=who)
        dreams += played.dreams
        for name in HALVES:
            print(f"{story.name:<10} {name:<6} {played.scores[name]}", flush=True)
            total[name] += played.scores[name]
        if "--verbose" in words:
            told = played.scores["tune"]
            print("\n".join(f"    {text}" for text in (*told.told, *told.false_kept, *told.forbidden_kept)))
            print(played.memory)
    for name in HALVES:
        print(f"{'all':<10} {name:<6} {total[name]}")
        print("".join(f"    {kind} {count}\n" for kind, count in total[name].kinds.most_common()), end="")
    tokens = [dream_tokens.total(requests) for requests in dreams]
    mean, most = sum(tokens) // max(1, len(tokens)), max(tokens, default=0)
    print(f"tokens a dream, estimated: {mean:,} at the mean, {most:,} at most")
    print(dream_tokens.account(sum(map(dream_tokens.by_kind, dreams), Counter()), len(dreams)))


if __name__ == "__main__":
    main(sys.argv[1:])
