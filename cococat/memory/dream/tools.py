"""The box a dream works in: a private copy of the memory and exactly two tools closed over it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated

from cococat.core.settings import DreamSettings
from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.memory.dream.evidence import (
    DELETED,
    FULL,
    KEPT_BY_YOU,
    MORE,
    MORE_THAN_OLD,
    NO_EDIT,
    NO_FACT,
    NOTED,
    PINNED,
    UNFIT,
    EditRefusal,
    all_of,
    how_to,
    merges,
    nearest,
    quotes,
)
from cococat.memory.dream.plan import fits_budget
from cococat.memory.file.document import MEMORY, pinned
from cococat.memory.file.edits import Edit, Proposal, Quote, edited, with_lines
from cococat.memory.file.receipt import difference
from cococat.memory.file.scan import part_of, threat, unfit
from cococat.memory.judge.floor import untyped
from cococat.memory.judge.sentences import MAX_SENTENCE, as_noted, sentence_around
from cococat.memory.words import JOINING, content, key, related, same_fact, sequence, similarity, tokens
from cococat.safety.untrusted import wrap

TOOL_NAMES = frozenset({"read_file", "edit_file"})
MAX_EDITS = 12
_LAST_EDIT = f"{MAX_EDITS} edits are made, the most of one run"
MAX_LINE = 200  # characters
MAX_MERGED = 300  # of a line that a compaction makes of several
NEARLY_FULL = 0.8  # of the tokens
MAX_NAMED = 2  # words of the user's in a heading: more of them would say something, and nobody judges it
SAME = 0.85  # similarity from which two lines may say the same
_HEADING = re.compile(r"#{1,6} +\w[\w &/+.,-]{0,39}")
_TOPICS = tokens(
    "notes memory about user profile person personal background preferences preference likes dislikes habits style "
    "people family friends contacts team pets home places travel work job company projects project tools software "
    "hardware environment setup languages language code coding health food drinks hobbies interests sports music books "
    "plans goals decisions dates events education skills other misc"
)
_BULLET = re.compile(r"\s*[-*+] \S")
_PATH = {"enum": [MEMORY]}
_TEXT = {"maxLength": 2000}
_EVIDENCE = {  # what old_text, seq and quote are is said once, by the prompt
    "items": {
        "type": "object",
        "properties": {
            "seq": {"type": "integer"},
            "quote": {"type": "string", "maxLength": 500},
        },
        "required": ["seq", "quote"],
        "additionalProperties": False,
    },
    "maxItems": 8,
}


@dataclass(frozen=True, slots=True)
class Rules:
    """
    What the edits of one run are held against.

    Args:
        typed: what the user typed, by seq of the record; the only evidence there is.
        tombstones: lines that somebody deleted.
        redact: takes secrets out of a text.
        count: tokens of a text.
        asked: the assistant's question that a short answer confirms, by seq of the answer.
        days: when the records were made, by their seq.
        unsure: seqs of answers to a question that foreign text may have brought up.
        compacts: nothing new comes in; a line rests on the lines that it takes the place of.
        hidden: lines that this run does not show: they are another part's.
    """

    typed: Mapping[int, str]
    settings: DreamSettings
    tombstones: tuple[str, ...] = ()
    redact: Callable[[str], str] = str
    count: Callable[[str], int] = len
    asked: Mapping[int, str] = field(default_factory=dict)
    days: Mapping[int, date] = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()
    compacts: bool = False
    hidden: frozenset[str] = frozenset()


def is_heading(line: str) -> bool:
    """Return whether *line* is, or was meant as, a heading."""
    return line.lstrip().startswith("#")


class DreamWorkspace:
    """
    The private copy and what was done to it; nothing in here can reach a disk.

    Args:
        text: the memory as it is, every line end a line feed.
    """

    def __init__(self, text: str, rules: Rules) -> None:
        self.text = text
        self.made: list[Proposal] = []
        self.edits = 0
        self.quarantined: list[tuple[str, str]] = []  # (line, why)
        self.unsure: list[str] = []  # lines that rest on a "yes" to a question of unknown origin: a user decides
        self.refused: list[str] = []  # why, edit by edit, for the user
        self.whole = True  # whether the last edit kept every line, if in the user's own words
        self.compacts = rules.compacts
        self.rules = rules
        self._start = text
        self._gone: list[str] = []  # lines that went, and may still come back elsewhere
        self._roots: dict[str, tuple[str, ...]] = {}  # what each new line was made of, lines of the beginning
        self._tried: set[str] = set()

    def tools(self) -> tuple[Tool, Tool]:
        """Make the two tools of a dream."""

        @tool("reads")
        async def read_file(path: Annotated[str, _PATH]) -> ToolOutcome:
            """Read the memory as it is now."""
            _check_path(path)
            return ToolOutcome(
                wrap(part_of(self.text, self.rules.hidden), MEMORY), f"{self.text.count(chr(10)) + 1} lines"
            )

        @tool("writes")
        async def edit_file(
            path: Annotated[str, _PATH],
            old_text: Annotated[str, _TEXT],
            new_text: Annotated[str, "empty deletes old_text", _TEXT],
            evidence: Annotated[list[dict[str, object]] | None, _EVIDENCE] = None,
        ) -> ToolOutcome:
            """Replace one passage of the memory; every new or changed line needs evidence."""
            try:
                _check_path(path)
                return self._edit(old_text, new_text, evidence or [])
            except ToolFailure as refusal:
                self.refused.append(refusal.display or NO_EDIT)
                raise

        return read_file, edit_file

    def _edit(self, old: str, new: str, given: Sequence[object]) -> ToolOutcome:
        rules = self.rules
        if self.edits >= MAX_EDITS:
            raise ToolFailure(f"{_LAST_EDIT}: answer now, without a call; what is left comes again")
        edit = edited(self.text, old, new)
        if (call := repr((old, new, given))) in self._tried:
            raise EditRefusal("this edit was made before: do something else, or answer without a call", NOTED)
        self._tried.add(call)
        check_pinned(edit.text, self.text)
        proposals, refused = self._proposals(edit, given)
        instead = {proposal.line: proposal.own for proposal in proposals if proposal.lacks}
        told = "".join(_told(proposal) for proposal in proposals if proposal.lacks)
        told += "".join(f"\nnot kept: {why}" for why in refused.values())
        self.whole = not refused
        if refused or instead:
            edit = with_lines(edit, {**dict.fromkeys(refused, ""), **instead}, self.text)
            if edit.text == self.text:
                return ToolOutcome(f"nothing changed:{told}", "noted already")
        check_size(edit.text, self._start if rules.compacts else self.text, rules.settings, rules.count)
        self.text = edit.text
        self.edits += 1
        self.made += self._rooted(edit, proposals) if rules.compacts else proposals or [Proposal("", (), edit.removed)]
        most = rules.settings.max_tokens
        full = not fits_budget(edit.text, NEARLY_FULL * most, rules.count)
        left = f"; {MEMORY} now holds {rules.count(edit.text):,} of {most:,} tokens" if full else ""
        counts = f"{difference(len(edit.added), len(edit.removed))} lines"
        return ToolOutcome(f"edited: {counts}{left}{told}", f"{counts} · in your own words" if instead else counts)

    def _rooted(self, edit: Edit, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Return *proposals*, each with the lines of the beginning that it is made of."""
        pool = [*edit.removed, *self._gone]
        for proposal in proposals:
            roots = (root for old in proposal.removed for root in self._roots.get(old, (old,)))
            self._roots[proposal.line] = tuple(dict.fromkeys(roots))
        self._gone = [line for line in pool if line not in edit.added]
        new = [Proposal(proposal.line, (), self._roots[proposal.line]) for proposal in proposals]
        return new or [Proposal("", (), edit.removed)]

    def _proposals(self, edit: Edit, given: Sequence[object]) -> tuple[list[Proposal], dict[str, ToolFailure]]:
        """
        Check every line that came, each by itself.

        Returns: the lines that hold, and why the others are refused.
        Raises: ToolFailure: nothing is left of the edit, with every reason.
        """
        refused: dict[str, ToolFailure] = {}
        for line in edit.added:
            try:
                self._check_line(line, edit)
            except ToolFailure as why:
                refused[line] = why
        fresh = [line for line in edit.added if not is_heading(line)]
        sound = [line for line in fresh if line not in refused]
        if refused and not sound:
            raise all_of(refused.values())
        if not (fresh or self.rules.compacts):
            self._check_consent(edit.removed)
        evidence = quotes(given, self.rules.typed) if given and not self.rules.compacts else ()
        found: list[Proposal] = []
        for line in sound:
            mine = evidence if len(fresh) == 1 else self._near(line, evidence)
            try:
                found.append(self._proposed(line, edit.removed, mine))
            except ToolFailure as why:
                refused[line] = why
        if refused and not found:
            raise all_of(refused.values())
        return found, refused

    def _proposed(self, line: str, removed: Sequence[str], evidence: tuple[Quote, ...]) -> Proposal:
        """
        Return *line* with what it rests on.

        Raises: Refusal: it holds words that nobody typed, and there is no sentence of the user's to stand for it.
        """
        rules = self.rules
        if rules.compacts:
            return self._compacted(line, [*removed, *self._gone])
        if merges(line, removed):
            return Proposal(line, (), tuple(removed))
        if not evidence:
            raise EditRefusal(f"no evidence for {line!r}: {how_to(rules.typed, line)}")
        said = {seq: "\n".join((text, rules.asked.get(seq, ""))) for seq, text in rules.typed.items()}
        mine = tuple(self._narrowed(quote, line) for quote in evidence)
        words = frozenset().union(*(tokens(f"{quote.quote} {rules.asked.get(quote.seq, '')}") for quote in mine))
        if not any(related(word, words) for word in content(line)):
            raise EditRefusal(f"{line!r}: none of its words is in a quote; {how_to(rules.typed, line)}", NO_FACT, line)
        seqs = sorted({quote.seq for quote in mine})
        days = [rules.days[seq] for seq in seqs if seq in rules.days]
        lacks = untyped(line, "\n".join(said[seq] for seq in seqs), days)
        own = self._own(line, mine)
        if lacks and not own:
            named = ", ".join(map(repr, lacks))
            raise EditRefusal(f"{line!r}: nobody typed {named}; use the user's own words, or leave it out", MORE, line)
        typed = "\n".join(rules.typed[seq] for seq in seqs)
        if rules.unsure.intersection(rules.asked, seqs) and (lacks or untyped(line, typed, days)):
            self.unsure.append(own if lacks else line)
        return Proposal(line, mine, tuple(removed), own, lacks)

    def fits(self, one: Proposal, line: str) -> bool:
        """Return whether *line* may stand in the place of *one*: every check of an edit's line holds for it, and nothing in it is untyped."""
        if any(quote.seq not in self.rules.typed for quote in one.quotes):
            return False
        try:
            self._check_line(line, Edit(self.text, (one.stands, *one.removed), (line,)))
            return not self._proposed(line, (), one.quotes).lacks
        except ToolFailure:
            return False

    def _near(self, line: str, evidence: tuple[Quote, ...]) -> tuple[Quote, ...]:
        """Return what of *evidence*, which is that of all lines of an edit, is that of *line*."""
        asked = self.rules.asked
        return nearest(line, evidence, {seq: f"{text}\n{asked.get(seq, '')}" for seq, text in self.rules.typed.items()})

    def _narrowed(self, one: Quote, line: str) -> Quote:
        """Return of a quote over several sentences those that *line* rests on: the others may hold what is noted nowhere."""
        said = sentence_around(one.quote, self.rules.typed[one.seq], line)
        return Quote(one.seq, said) if 0 < len(said) < len(one.quote) else one

    def _own(self, line: str, mine: Sequence[Quote]) -> str:
        """Return what the user typed of *line* as a line of their own, behind the question that it answers; empty when it cannot be one."""
        rules, (first, *_) = self.rules, mine
        said = sentence_around(first.quote, rules.typed[first.seq], line)
        sentence = " ".join(filter(None, (rules.asked.get(first.seq, ""), said)))
        own = as_noted(sentence, rules.days.get(first.seq))
        noted = {key(line) for line in (*self.text.split("\n"), *rules.tombstones)}
        fits = said and len(sentence) <= MAX_SENTENCE and not unfit(own, rules.redact, sentence)
        return own if fits and key(own) not in noted else ""

    def _compacted(self, line: str, pool: Sequence[str]) -> Proposal:
        """Return *line* with the lines of *pool* that it is made of."""
        words = content(line)
        parents = [old for old in pool if any(related(word, words) for word in content(old))]
        if not parents or (lacks := untyped(line, "\n".join(parents))):
            named = ", ".join(map(repr, lacks)) if parents else "its words"
            told = f"{line!r}: {named} stand in none of the lines that it replaces; say it in their words"
            raise EditRefusal(told, MORE_THAN_OLD, line)
        return Proposal(line, (), tuple(parents))

    def _check_consent(self, removed: Sequence[str]) -> None:
        """Refuse to delete what the user typed no word of."""
        said = tokens("\n".join(self.rules.typed.values()))
        for line in removed:
            if not is_heading(line) and not any(related(word, said) for word in content(line)):
                raise EditRefusal(f"the user typed nothing about {line!r}: leave it", KEPT_BY_YOU, line)

    def _check_line(self, line: str, edit: Edit) -> None:
        rules = self.rules
        known = "\n".join((*rules.typed.values(), self.text, self._start))
        if why := unfit(line, rules.redact, known):
            safe = rules.redact(line)
            if threat(line):
                self.quarantined.append((safe, why))
            raise EditRefusal(f"{line!r} cannot be kept: {why}", UNFIT, safe)
        if is_heading(line):
            check_heading(line, rules.typed, edit.removed)
            return
        if not _BULLET.match(line) and all(map(_BULLET.match, (old for old in edit.removed if not is_heading(old)))):
            raise ToolFailure(f"{line!r} must be one bullet: begin it with '- '")
        if len(line) > (most := MAX_MERGED if rules.compacts else MAX_LINE):
            raise ToolFailure(f"the line holds {len(line)} characters, at most {most} are allowed: shorten it")
        check_new(line, edit, self.text, rules.tombstones)


def _told(one: Proposal) -> str:
    """Tell of a line that the user's own sentence stands for."""
    named = ", ".join(map(repr, one.lacks))
    return f"\nkept as the user said it, {one.own!r}, for nobody typed {named}: word that line with typed words alone, or leave it so"


def _check_path(path: str) -> None:
    if path != MEMORY:
        raise ToolFailure(f"there is one file, and its path is {MEMORY}")


def check_heading(line: str, typed: Mapping[int, str], removed: Sequence[str]) -> None:
    """Refuse a heading that names neither a common topic nor what the user has named."""
    known = frozenset[str]().union(*map(tokens, (*typed.values(), *removed)))
    named = [word for word in sequence(line) if word not in JOINING and not related(word, _TOPICS)]
    fits = _HEADING.fullmatch(line.strip()) and len(named) <= MAX_NAMED
    if not fits or not all(related(word, known) for word in named):
        raise ToolFailure(f"{line!r} is no good heading: use a short and common one, such as '## Preferences'")


def check_pinned(after: str, before: str) -> None:
    """Refuse to touch what belongs to the user."""
    if pinned(after) != pinned(before):
        raise EditRefusal(f"the section Pinned belongs to the user: {_elsewhere(before)}", PINNED)


def check_new(line: str, edit: Edit, text: str, tombstones: Sequence[str]) -> None:
    """Refuse a line that is there already, or that somebody has deleted."""
    if any(_says(line, gone) for gone in tombstones):
        raise EditRefusal(f"the user has deleted {line!r} before: leave it out", DELETED, line)
    removed = list(edit.removed)
    for number, old in enumerate(text.split("\n"), 1):
        if old.rstrip() in removed:
            removed.remove(old.rstrip())
        elif old.strip() and _says(line, old):
            raise EditRefusal(f"already at line {number}: {old!r}; leave it", NOTED)
    if sum(_says(line, other) for other in edit.added) > 1:
        raise EditRefusal(f"{line!r} is there twice in new_text: write it once", NOTED)


def check_size(after: str, before: str, limits: DreamSettings, count: Callable[[str], int]) -> None:
    """Refuse an edit that leaves the file over its budget, unless it makes it smaller."""
    sizes = (
        ("lines", after.count("\n") + 1, before.count("\n") + 1, limits.max_lines),
        ("bytes", len(after.encode()), len(before.encode()), limits.max_bytes),
    )
    fits = fits_budget(after, limits.max_tokens, count)
    tokens = () if fits else (("tokens", count(after), count(before), limits.max_tokens),)
    for unit, size, was, most in (*sizes, *tokens):
        if size > most and size >= was:
            raise EditRefusal(
                f"the file would hold {size:,} {unit}, at most {most:,} are allowed: merge or delete older lines first",
                FULL,
            )


def _says(line: str, other: str) -> bool:
    """Return whether two lines say the same: in the same words, or so nearly that no word, name or number differs."""
    return similarity(line, other) >= SAME and same_fact(line, other)


def _elsewhere(text: str) -> str:
    """Return where else a line could go."""
    own = pinned(text)
    headings = [line for line in text.split("\n") if re.match(r"##+ ", line) and line not in own]
    return f"use another heading as old_text, such as {headings[0]!r}" if headings else "put the line at the end"
