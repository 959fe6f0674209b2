"""The dream: what the user said lately becomes a few small edits of MEMORY.md, by the one loop."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cococat.core.agent import Turn
from cococat.core.events import DreamFinished, Emit, Event, Notice, TurnFinished
from cococat.core.limits import StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import User
from cococat.memory.dream.brief import briefing
from cococat.memory.dream.compact import compact, near_budget
from cococat.memory.dream.hush import hushed
from cococat.memory.dream.judging import Ruling, rule
from cococat.memory.dream.options import RUN_TOKENS, DreamBounds, DreamOptions, MakeAgent
from cococat.memory.dream.plan import BATCH_RECORDS, Batch, NotDue, due_now, fits_budget, lacks_candidates, next_batch
from cococat.memory.dream.settle import QUARANTINE, SKIPPED, DreamRun, settle
from cococat.memory.dream.tools import MAX_EDITS, NEARLY_FULL, DreamWorkspace, Rules
from cococat.memory.dream.watch import Dreaming, restricted
from cococat.memory.file import receipt, versions
from cococat.memory.file.document import Memory, as_text, memory_lines, pinned, read
from cococat.memory.file.edits import facts_changed
from cococat.memory.file.history import HISTORY, PastExchange, confirmed, pending, redacted
from cococat.memory.file.journal import Conflict, ready, recover
from cococat.memory.file.place import Busy, locked
from cococat.memory.file.provenance import unjudged
from cococat.memory.file.quoting import quoted
from cococat.memory.file.state import read_state, reconcile
from cococat.memory.file.versions import log_run
from cococat.memory.words import JOINING, key
from cococat.prompts import prompt

__all__ = ["BLANK", "MakeAgent", "dream", "together"]

BATCHES = 5  # that one dream reads; a chat as long as that is rare
UNJUDGED_DAYS = 60
DONE = ("changed", "nothing")
BLANK = "# Memory\n\n## Pinned\n\n## About the user\n\n## Preferences\n\n## Projects\n"


async def dream(
    folder: Path, make_agent: MakeAgent, emit: Emit, options: DreamOptions, bounds: DreamBounds
) -> DreamFinished:
    """
    Dream once, of a few batches of records; by hand, or when the notes fill most of their room, go over them as well.

    Args:
        make_agent: makes the agent for a system prompt, tools and limits; what it does to the tools is overruled.
        emit: gets every step of the run and notices; where one of its parts did not end well, the end of those before.
    Returns: never raises for what the model does; "failed" and "cancelled" leave memory and cursor as they were.

    Raises: StorageError: the memory folder is not usable, or the change could not be written.
    """
    turns: list[TurnFinished] = []
    emit = hushed(emit, options.redact)

    def see(event: Event) -> None:
        if isinstance(event, TurnFinished):
            turns.append(event)
        emit(event)

    run = Dreaming(folder, make_agent, see, options, lambda: bounds.after(turns), turns)
    try:
        with locked(folder, "dream.lock", wait_s=0):
            if recovered := recover(folder):
                emit(Notice(recovered))
                if not options.dry_run:  # nobody may have been there to see it
                    log_run(folder, DreamFinished("nothing", recovered), now=options.now, model=options.model)
            return _reminding(folder, await _dream(run))
    except Busy:
        return DreamFinished("nothing", receipt.unchanged("another dream is running"))


def _reminding(folder: Path, finished: DreamFinished) -> DreamFinished:
    """Say beside what was remembered that something still waits: nothing else would, for it holds up no dream."""
    state = read_state(folder)
    if finished.outcome != "changed" or not (state.held and state.aside) or "--review" in finished.receipt:
        return finished
    return replace(finished, receipt=f"{finished.receipt} · dream {state.held} waits for you: cococat dream --review")


async def _dream(run: Dreaming) -> DreamFinished:
    """Read what is pending and go over the notes: first where they are over their budget, or nothing new would fit."""
    options = run.options
    due = due_now(run.folder, options.settings, now=options.now, manual=options.manual, ended=options.ended)
    if isinstance(due, NotDue):
        return await compact(run) if options.by_hand else DreamFinished("nothing", receipt.unchanged(due.reason))
    state = read_state(run.folder)
    waits = state.held if state.aside and not options.by_hand else 0  # nobody is asked twice at once
    if waits and _fills(run, 1.0):
        why = f"what was said waits: MEMORY.md is full, and dream {waits} waits for you: cococat dream --review"
        return DreamFinished("nothing", receipt.unchanged(why))
    said = pending(run.folder, state.cursor, most=BATCH_RECORDS).records
    typed = "\n".join(record.typed for record in said)
    first = await compact(run, typed) if _fills(run, 1.0) else None
    if first and first.outcome in ("held", "cancelled"):
        return first
    parts = [*([first] if first else []), *await _remember_all(run)]
    if not (first or waits) and parts[-1].outcome in DONE and (options.by_hand or _fills(run)):
        parts.append(await compact(run, typed, behind=True))
    return _as_one(run, parts)


def _as_one(run: Dreaming, parts: Sequence[DreamFinished]) -> DreamFinished:
    """Tell *parts* as one where all of them ended well; else emit all but the last that did anything, and return that."""
    if len(run.logged) > 1 and all(part.outcome in DONE for part in parts):
        spent = _spent(run)
        whole = together(run.folder, parts, **spent, count=run.options.count)
        began = next((part.dream for part in parts if part.dream), 0)
        return run.log(whole, {**spent, "first": began, "covers": len(run.logged)})
    *before, last = [part for part in parts if part.outcome != "nothing"] or parts[:1]
    for part in before:
        run.emit(part)
    return last


def _spent(run: Dreaming) -> dict[str, int]:
    tokens = sum(turn.usage.total_tokens for turn in run.turns)
    return {"steps": sum(turn.steps for turn in run.turns), "tokens": tokens}


def _fills(run: Dreaming, share: float = NEARLY_FULL) -> bool:
    return near_budget(read(run.folder).text, run.options.settings, run.options.count, share)


def _hidden(run: Dreaming, memory: Memory, text: str) -> frozenset[str]:
    """Return the lines of *text* that a run could not send often enough: of too many, the oldest."""
    settings = replace(run.options.settings, max_tokens=max(run.options.settings.max_tokens, RUN_TOKENS // 4))
    if fits_budget(text, settings.max_tokens, run.options.count):
        return frozenset()
    settings = replace(settings, max_lines=sys.maxsize, max_bytes=sys.maxsize)
    shown = quoted(replace(memory, text=text), run.options.now.date(), settings, run.options.count).text
    return frozenset(memory_lines(text)) - frozenset(memory_lines(shown))


async def _remember_all(run: Dreaming) -> list[DreamFinished]:
    """Read what is pending, batch by batch, until one does not end well."""
    parts: list[DreamFinished] = []
    while len(parts) < BATCHES and (not parts or parts[-1].outcome in DONE):
        parts += await _remember(run)
        cursor = read_state(run.folder).cursor
        if run.options.dry_run or not pending(run.folder, cursor, most=1).waiting:
            break
    return parts


async def _remember(run: Dreaming) -> list[DreamFinished]:
    """Read one batch of what is pending; return what became of it, and of the lines that a user decides about."""
    options = run.options
    why = "MEMORY.md was edited twice while the dream ran; it will try again"
    finished: tuple[DreamFinished, ...] = (DreamFinished("failed", receipt.unchanged(why)),)
    for _ in range(2):  # a user may edit the file while the model works: once more on the new text
        if (bounds := run.left()) is None:
            return [DreamFinished("failed", receipt.unchanged("the budget is spent; it will try again"))]
        ended = await _think(run, bounds)
        try:
            finished = settle(run.folder, ended, run.emit, options)
            break
        except Conflict:
            continue
    return [run.log(part, {} if number else ended.spent) for number, part in enumerate(finished)]


async def _think(run: Dreaming, bounds: DreamBounds) -> DreamRun:
    """Let the model work on a private copy."""
    folder, emit, options = run.folder, run.emit, run.options
    memory, state = read(folder), read_state(folder)
    start = memory.text if memory.text.strip() else BLANK
    if not options.dry_run:
        ready(folder, SKIPPED, QUARANTINE)
    found = pending(folder, state.cursor, most=BATCH_RECORDS)
    if found.skipped:
        what = "1 line makes" if found.skipped == 1 else f"{found.skipped:,} lines make"
        emit(Notice(f"{what} no sense to this version and are left out, but kept: {folder / HISTORY}", "warning"))
    records = found.records
    begun = state.offset if records and records[0].seq == state.cursor + 1 else 0  # or that record was taken back
    batch = Batch((), state.cursor)
    if records:
        batch = next_batch(records, begun, state.limit, bounds.batch_tokens, options.count)
    batch = replace(batch, records=tuple(redacted(record, options.redact) for record in batch.records))
    typed = {record.seq: record.typed for record in batch.records}
    buried = reconcile(state, memory_lines(memory.text)).tombstones
    rules = Rules(
        typed,
        options.settings,
        buried,
        options.redact,
        options.count,
        asked={record.seq: taken for record in batch.records if (taken := confirmed(record.typed, record.asked))},
        days={record.seq: record.ts.date() for record in batch.records},
        unsure=frozenset(record.seq for record in batch.records if record.foreign),
        hidden=_hidden(run, memory, start),
    )
    base = _without_expired(run, start)
    box = DreamWorkspace(base, rules)
    if lacks_candidates(batch.records):
        return DreamRun(memory, start, box, batch, (), Ruling(start))
    batch, turns = await _read_on(run, box, batch, bounds)
    ended = turns[-1].stop.reason is StopReason.ANSWERED
    ruling = await rule(run, base, box, batch.records) if ended else Ruling(base)
    return DreamRun(memory, start, box, batch, turns, ruling)


def _without_expired(run: Dreaming, text: str) -> str:
    """Return *text* without the user's own sentences that nobody has judged for `UNJUDGED_DAYS`."""
    today = run.options.now.date()
    old = {name for name, day in unjudged(run.folder).items() if (today - day).days > UNJUDGED_DAYS}
    own = pinned(text)
    return "\n".join(line for line in text.split("\n") if line in own or not line.strip() or key(line) not in old)


async def _read_on(
    run: Dreaming, box: DreamWorkspace, batch: Batch, bounds: DreamBounds
) -> tuple[Batch, tuple[Turn, ...]]:
    """
    Have *batch* read, as much of it at once as a model can take; *box* gets what was edited.

    Returns: what was read of it, and the turns. A portion that does not end well, or that the user's budget does not reach, is left to the
    next batch, which begins with it; and so is what a run that made all of its edits may not have come to.
    """
    turns: list[Turn] = []
    left: DreamBounds | None = bounds
    portions = [part for part in _portions(batch, bounds.records) if not lacks_candidates(part[1])]
    for number, (done, records) in enumerate(portions):
        if left is None:
            return _until(batch, done), tuple(turns)
        run.options.portions(number, len(portions))
        part = DreamWorkspace(box.text, box.rules)
        turn = await _read(run, part, Batch(records, batch.cursor), left)
        ends = turn.stop.reason
        if done and ends not in (StopReason.ANSWERED, StopReason.CANCELLED):
            return _until(batch, done), tuple(turns)
        turns.append(turn)
        box.text = part.text  # which began with the text of the box
        box.made += part.made
        box.edits += part.edits
        box.quarantined += part.quarantined
        box.unsure += part.unsure
        box.refused += part.refused
        if ends is not StopReason.ANSWERED:
            return _until(batch, done + len(records)), tuple(turns)
        if (size := _told(part, records)) < len(records):
            return replace(_until(batch, done + len(records)), cursor=records[size - 1].seq), tuple(turns)
        left = run.left()
    return batch, tuple(turns)


def _told(box: DreamWorkspace, records: Sequence[PastExchange]) -> int:
    """Return how many of *records* are told: where *box* is full, those before the last one quoted, which may tell of more."""
    if box.edits < MAX_EDITS:
        return len(records)
    quoted = {quote.seq for proposal in box.made for quote in proposal.quotes}
    last = max((at for at, record in enumerate(records) if record.seq in quoted), default=len(records))
    return max(1, last)


def _until(batch: Batch, size: int) -> Batch:
    """Return the first *size* records of *batch*."""
    return batch if size == len(batch.records) else Batch(batch.records[:size], batch.records[size - 1].seq)


def _portions(batch: Batch, most: int) -> Iterator[tuple[int, tuple[PastExchange, ...]]]:
    """Give the records that are read at once, and how many come before them."""
    size = most or len(batch.records)
    for start in range(0, len(batch.records), size):
        yield start, batch.records[start : start + size]


async def _read(run: Dreaming, box: DreamWorkspace, batch: Batch, bounds: DreamBounds) -> Turn:
    """Let the model read *batch* beside the memory as it is by now."""
    options = run.options
    agent, watch = restricted(
        run.make_agent, prompt("dream").replace("{joining}", ", ".join(sorted(JOINING))), box, run.emit, bounds
    )
    words = briefing(
        box.text,
        batch,
        hidden=box.rules.hidden,
        today=options.now.date(),
        nonce=secrets.token_hex(16),
        settings=options.settings,
        count=options.count,
    )
    return await run_turn(agent, (), User(words, synthetic=True), watch.see)


def together(
    folder: Path, parts: Sequence[DreamFinished], *, steps: int, tokens: int, count: Callable[[str], int]
) -> DreamFinished:
    """
    Return how *parts*, each "changed" or "nothing", ended as a whole.

    Args:
        steps, tokens: what all of them took.
        count: tokens of a text.
    Returns: its number and diff are those of the last change and of all changes.

    Raises: StorageError: a change that was just made cannot be read any more.
    """
    made = [part for part in parts if part.outcome == "changed"]
    if not made:
        reasons = dict.fromkeys(receipt.reason(part.receipt) for part in parts)
        return DreamFinished("nothing", receipt.unchanged(", ".join(reasons), steps=steps, tokens=tokens))
    steps_of = [versions.show(folder, part.dream) for part in made]
    texts = [(as_text(step.before), as_text(step.after), bool(step.meta.get("records"))) for step in steps_of]
    facts = [facts_changed(before, after) for before, after, records in texts if records]
    said = [receipt.count_facts(tuple(map(sum, zip(*facts, strict=True))))] if facts else []
    said += [receipt.fewer(before, after) for before, after, records in texts if not records]
    numbers = [part.dream for part in made]
    line = receipt.whole("; ".join(said), texts[0][0], texts[-1][1], numbers, count, steps=steps, tokens=tokens)
    tails = "".join(part.receipt.rpartition(receipt.undo_of(part.dream))[2] for part in made)
    diff = versions.unified(steps_of[0].before, steps_of[-1].after)
    return DreamFinished("changed", line + tails, diff, numbers[-1])
