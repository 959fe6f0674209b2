"""What a judge makes of a run before anything is written: which lines stand, in which words, and which old ones stay."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cococat.core.agent import Turn
from cococat.core.limits import StopReason
from cococat.memory.dream.evidence import holds
from cococat.memory.dream.tools import DreamWorkspace, is_heading
from cococat.memory.dream.watch import Dreaming, asking
from cococat.memory.file.document import memory_lines
from cococat.memory.file.edits import Proposal, Quote, changed_lines, put_back
from cococat.memory.file.history import PastExchange, confirmed, pending, redacted
from cococat.memory.file.provenance import sources_of, unjudged
from cococat.memory.file.state import read_state
from cococat.memory.judge.controls import Judged, judged
from cococat.memory.judge.request import Item, Verdict, settle_line
from cococat.memory.judge.sentences import MAX_SENTENCE, sentence_around, sentences
from cococat.memory.words import asks, content, key, related, similarity, tokens

OLDER = 40  # records before those of a dream that controls may be made of
MAX_ITEMS = 40  # of one request
MAX_OWN = 5  # sentences of the user's that one dream notes where nobody judges
MAX_MESSAGE = 300  # characters of a message whose sentence may stand unjudged
UNJUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Ruling:
    """
    What a run comes to.

    Args:
        text: the memory as it would be.
        made: the lines that stand, each as it is worded now.
        verdicts: what was proposed, what stands for it, and why it is another; for the log.
        own: lines that stand in the user's own words for nobody judged them.
        secret: lines that nobody may see again.
        hold: nobody judged, and a user is to decide.
        unsure: lines of *text* that rest on a "yes" to a question of unknown origin: a user decides about them alone.
        turns: of the judge.
    """

    text: str
    made: tuple[Proposal, ...] = ()
    verdicts: tuple[Mapping[str, str], ...] = ()
    own: int = 0
    secret: tuple[str, ...] = ()
    hold: bool = False
    unsure: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()

    @property
    def left_out(self) -> int:
        """How many of the proposed lines stand in no words at all."""
        return sum(not row["stands"] for row in self.verdicts)


async def rule(run: Dreaming, start: str, box: DreamWorkspace, records: Sequence[PastExchange]) -> Ruling:
    """
    Have all that *box* came to judged, and return what stands of it.

    Args:
        start: the memory as the run began with it.
        records: what was read.
    """
    standing = {line.strip() for line in box.text.split("\n")}
    lines = [edit for edit in box.made if edit.quotes and edit.stands in standing]
    gone = _gone(start, box.text, box)
    told = _told(run, records)
    lines += _waiting(run, box, told)
    if not (lines or gone):
        return Ruling(box.text, tuple(box.made), unsure=tuple(box.unsure))
    items = [*(_note(edit, told) for edit in lines), *(_goes(line, box, told) for line in gone)]
    found, turns = await ask_about(run, items, _own_sentences(told))
    if not found.verdicts:
        fresh = [edit for edit in lines if edit in box.made]
        return replace(_unjudged(run, start, box, fresh, found.why), turns=turns)
    verdicts = list(zip(lines, found.verdicts[: len(lines)], strict=True))
    goes = dict(zip(gone, found.verdicts[len(lines) :], strict=True))
    return replace(_judged(start, box, verdicts, goes), turns=turns)


async def ask_about(run: Dreaming, items: Sequence[Item], own: Sequence[Item]) -> tuple[Judged, tuple[Turn, ...]]:
    """Have *items* judged where there is a judge and a budget; see `judged`. Returns: the turns it took as well."""
    make, bounds = run.options.judge, run.left()
    if make is None or bounds is None:
        return Judged(why="no judge" if make is None else "the budget is spent"), ()
    turns: list[Turn] = []

    async def judge(system: str, user: str, schema: Mapping[str, object]) -> str:
        turns.append(await asking(make, system, user, schema=schema, emit=run.emit, bounds=bounds))
        return turns[-1].answer if turns[-1].stop.reason is StopReason.ANSWERED else ""

    verdicts: list[Verdict] = []
    for start in range(0, len(items), MAX_ITEMS):
        found = await judged(judge, items[start : start + MAX_ITEMS], own, secrets.token_hex(16))
        if found.controlled is not None:
            run.options.controlled(found.controlled)
        if not found.verdicts:
            return found, tuple(turns)
        verdicts += found.verdicts
    return Judged(tuple(verdicts), controlled=True), tuple(turns)


def _judged(
    start: str, box: DreamWorkspace, lines: Sequence[tuple[Proposal, Verdict]], goes: Mapping[str, Verdict]
) -> Ruling:
    """Put into the text what the verdicts leave of it."""
    made: list[Proposal] = [edit for edit in box.made if not edit.quotes]
    rows: list[Mapping[str, str]] = []
    instead: dict[str, list[str]] = {}
    worded: set[str] = set()  # lines that went for one which stands as the judge saw it
    replaced: set[str] = set()
    secret: list[str] = []
    unsure: list[str] = []
    for proposal, verdict in lines:
        fits = partial(box.fits, proposal)
        line, why = settle_line(proposal.line, proposal.own, verdict, lacks=bool(proposal.lacks), fits=fits)
        secret += [proposal.line, proposal.own, *(quote.quote for quote in proposal.quotes)] if verdict.secret else []
        rows.append({"line": proposal.line, "stands": line, "why": why})
        instead.setdefault(proposal.stands, []).append(line)
        made += [replace(proposal, line=line, lacks=())] if line else []
        unsure += [line] if line and proposal.stands in box.unsure else []
        replaced.update(proposal.removed)
        worded.update(proposal.removed if line == proposal.line else ())
    text = _with(box.text, instead)
    stay = {line for line, verdict in goes.items() if verdict.says != "yes" or line in replaced - worded}
    rows += [{"line": line, "stands": line, "why": "you did not give it up"} for line in goes if line in stay]
    text = _whole(start, text, stay)
    return Ruling(text, tuple(made), tuple(rows), secret=tuple(filter(None, secret)), unsure=tuple(unsure))


def _unjudged(run: Dreaming, start: str, box: DreamWorkspace, lines: Sequence[Proposal], why: str) -> Ruling:
    """Note the user's own sentences, as many as may stand unjudged; what was there stays."""
    how = run.options.settings.unjudged
    if how == "hold":
        return Ruling(box.text, tuple(box.made), hold=True, unsure=tuple(box.unsure))
    instead: dict[str, list[str]] = {proposal.stands: [] for proposal in lines}
    made: dict[str, Proposal] = {}
    for proposal in lines:
        if proposal.stands in box.unsure:  # it waits for a user as it is
            instead[proposal.stands] = [proposal.stands]
            made[proposal.stands] = proposal
            continue
        typed = box.rules.typed[proposal.quotes[0].seq]
        plain = typed.strip() and "\n" not in typed.strip() and len(typed) <= MAX_MESSAGE
        sentence = sentence_around(proposal.quotes[0].quote, typed, proposal.line)
        asked = proposal.quotes[0].seq in box.rules.asked
        stands = bool(how == "own" and proposal.own and plain and not asks(sentence) and not asked)
        stands = stands and (proposal.own in made or len(made) < MAX_OWN)
        instead[proposal.stands] = [*instead.get(proposal.stands, ()), proposal.own if stands else ""]
        if stands:
            made.setdefault(proposal.own, replace(proposal, line=proposal.own, lacks=(), removed=(), unjudged=True))
    rows = tuple(
        {"line": proposal.line, "stands": proposal.own if proposal.own in made else "", "why": f"{UNJUDGED}: {why}"}
        for proposal in lines
        if proposal.stands not in box.unsure
    )
    text = _with(box.text, instead)
    asked_for = {
        line for edit in box.made if not edit.line for line in edit.removed
    }  # a user decides about those as well
    gone = _gone(start, text, box)
    stay = {*gone} - asked_for if how == "own" else {*gone}
    waits = (*box.unsure, *(line for line in gone if line not in stay))
    own = sum(judged.unjudged for judged in made.values())
    return Ruling(_whole(start, text, stay), tuple(made.values()), rows, own=own, unsure=waits)


def _gone(start: str, text: str, box: DreamWorkspace) -> list[str]:
    """Return the lines of *start* that *text* has no more, but for those that a line of several says word for word."""
    joined = [edit for edit in box.made if edit.line and not edit.quotes]
    said = {old for edit in joined for old in edit.removed if holds(edit.line, old)}
    return [line for line in changed_lines(start, text)[0] if not (is_heading(line) or line in said)]


def _with(text: str, instead: Mapping[str, Sequence[str]]) -> str:
    """Return *text* with the lines *instead* of those they are named for, none of them twice."""
    kept: list[str] = []
    noted = {key(line) for line in text.split("\n") if line.strip() and line.strip() not in instead}
    for line in text.split("\n"):
        if line.strip() not in instead:
            kept.append(line)
            continue
        for new in filter(None, instead[line.strip()]):
            if key(new) not in noted:
                kept.append(new)
                noted.add(key(new))
    return "\n".join(kept)


def _whole(start: str, text: str, stay: Collection[str]) -> str:
    """Return *text* with the lines of *start* that *stay*; *start* itself where nothing but blank lines came or went."""
    whole = put_back(start, text, stay)
    same = [*filter(str.strip, start.split("\n"))] == [*filter(str.strip, whole.split("\n"))]
    return start if same else whole


@dataclass(frozen=True, slots=True)
class _Told:
    """Records in order, those of this dream and some before; *own* are those of this dream."""

    records: tuple[PastExchange, ...]
    own: frozenset[int]

    def around(self, seqs: Sequence[int]) -> Item:
        """Return an item with the messages *seqs*, and what was typed right before and behind them in their session."""
        mine = [record for record in self.records if record.seq in seqs]
        if not mine:
            return Item("")
        same = [record for record in self.records if record.session == mine[0].session]
        at, end = same.index(mine[0]), same.index(mine[-1]) if mine[-1] in same else same.index(mine[0])
        return Item(
            "",
            typed="\n".join(record.typed for record in mine),
            before=same[at - 1].typed if at else "",
            after=same[end + 1].typed if end + 1 < len(same) else "",
            day=mine[-1].ts.date().isoformat(),
            asked=next((asked for quote in mine if (asked := confirmed(quote.typed, quote.asked))), ""),
        )


def said_before(run: Dreaming) -> list[Item]:
    """Return what the user typed in records that were read before, sentence by sentence: what controls are made of."""
    return _own_sentences(_told(run, ()))


def _told(run: Dreaming, records: Sequence[PastExchange]) -> _Told:
    """Return *records* with those before them: what was said there may be the beginning of it."""
    first = records[0].seq if records else read_state(run.folder).cursor + 1
    older = pending(run.folder, max(0, first - 1 - OLDER), most=OLDER).records
    before = [record for record in older if record.seq < first]
    before = [redacted(record, run.options.redact) for record in before]
    return _Told((*before, *records), frozenset(record.seq for record in records))


def _waiting(run: Dreaming, box: DreamWorkspace, told: _Told) -> list[Proposal]:
    """Return the sentences that stand unjudged since an earlier dream, where there is a judge now and their message is near."""
    open_ = unjudged(run.folder) if run.options.judge else {}
    near = {record.seq for record in told.records}
    return [
        Proposal(line, (Quote(source.seq, source.quote),), (line,), line)
        for line in memory_lines(box.text)
        if key(line) in open_
        for source in sources_of(run.folder, [line])[:1]
        if source.seq in near
    ][:MAX_OWN]


def _note(one: Proposal, told: _Told) -> Item:
    quote = one.quotes[0]
    old = max(
        (line for line in one.removed if line != one.line), key=lambda line: similarity(line, one.line), default=""
    )
    around = told.around([each.seq for each in one.quotes])
    sentence = sentence_around(quote.quote, around.typed, one.line)
    return replace(around, line=one.line, sentence=sentence, quote=quote.quote, old=old)


def _goes(line: str, box: DreamWorkspace, told: _Told) -> Item:
    """Return *line* as one that is to go, with what comes for it and what the user typed about it."""
    edits = [edit for edit in box.made if line in edit.removed]
    quoted = [quote.seq for edit in edits for quote in edit.quotes]
    words = content(line)
    about = [seq for seq, typed in box.rules.typed.items() if any(related(word, tokens(typed)) for word in words)]
    new = tuple(edit.line for edit in edits if edit.line)
    return replace(told.around(quoted or about or sorted(told.own)), line=line, instead=new)


def _own_sentences(told: _Told) -> list[Item]:
    """Return the sentences that the user typed, each beside its message: what controls are made of."""
    found: list[Item] = []
    for record in told.records:
        spans = [record.typed[start:end] for start, end in sentences(record.typed)]
        around = told.around([record.seq])
        found += [
            replace(around, line=f"- {text}", sentence=text, quote=text)
            for text in (" ".join(span.split()) for span in spans)
            if len(text) <= MAX_SENTENCE and not asks(text)
        ]
    return found
