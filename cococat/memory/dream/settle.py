"""What becomes of a run that has ended: a change, nothing to do, a failure, a proposal, or a cancel."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from cococat.core.agent import Turn
from cococat.core.events import DreamFinished, Emit, Notice
from cococat.core.limits import Stop, StopReason, Usage
from cococat.memory.dream.evidence import FULL
from cococat.memory.dream.hush import Hush
from cococat.memory.dream.judging import Ruling
from cococat.memory.dream.options import ROUNDS, DreamOptions
from cococat.memory.dream.plan import Batch
from cococat.memory.dream.tools import DreamWorkspace
from cococat.memory.file import receipt, versions
from cococat.memory.file.document import Memory, encoded, memory_lines, read, without_empty
from cococat.memory.file.edits import certain, changed_lines, removed_share
from cococat.memory.file.history import PastExchange
from cococat.memory.file.journal import Change, commit, hold, update
from cococat.memory.file.place import append_lines, each_row
from cococat.memory.file.provenance import rows_of
from cococat.memory.file.state import State, read_state

MAX_REMOVED = 0.4  # part of the lines; a run that removes more is held
FAILURES = 3  # of one batch before it is split, and of one record before it is set aside
SKIPPED = "dream_skipped.jsonl"
QUARANTINE = "quarantine.jsonl"
_FREE = dict.fromkeys(("steps", "tokens", "prompt_tokens", "completion_tokens"), 0)  # told elsewhere
# not the fault of a batch, which is never split or set aside for it
_OUTSIDE = frozenset({"connection", "timeout", "stalled", "auth", "quota", "rate_limit", "redirect", "model_load"})


@dataclass(frozen=True, slots=True)
class DreamRun:
    """What was read, has ended and was judged; *start* is the text it began with, no *turns* mean that no model was needed."""

    memory: Memory
    start: str
    box: DreamWorkspace
    batch: Batch
    turns: tuple[Turn, ...]
    ruling: Ruling

    @property
    def text(self) -> str:
        """What the memory would be: a new heading that nothing came to stand under goes."""
        return without_empty(self.ruling.text, self.start.split("\n"))

    @property
    def spent(self) -> dict[str, int]:
        """What it took, as receipts tell it."""
        return spent_on((*self.turns, *self.ruling.turns))

    @property
    def stop(self) -> Stop:
        """Why it ended; a judge that cannot be reached ends it as well: the next dream tries again."""
        last = self.ruling.turns[-1].stop if self.ruling.turns else None
        outside = last and (last.reason is StopReason.CANCELLED or (last.problem and last.problem.kind in _OUTSIDE))
        return last if last and outside else self.turns[-1].stop


def spent_on(turns: Sequence[Turn]) -> dict[str, int]:
    """Return the steps and tokens of *turns*, as receipts tell them; nothing for none."""
    if not turns:
        return {}
    return {"steps": sum(turn.steps for turn in turns), "tokens": sum(turn.usage.total_tokens for turn in turns)}


def settle(folder: Path, run: DreamRun, emit: Emit, options: DreamOptions) -> tuple[DreamFinished, ...]:
    """
    Make of a run what it is: a change, nothing to do, a failure, or a cancel.

    Where a user has to decide about some of its lines, the others are kept at once, and two things have become of it.
    """
    doubtful = {*run.ruling.unsure}
    whole = options.hold or run.ruling.hold or options.dry_run or removed_share(run.start, run.text) > MAX_REMOVED
    if whole or not doubtful or run.text == run.start or not run.turns or run.stop.reason is not StopReason.ANSWERED:
        return (_settled(folder, run, emit, options),)
    sure = without_empty(certain(run.start, run.text, doubtful), run.start.split("\n"))
    quarantine(folder, run.box, options.now)
    kept = () if sure == run.start else (_keep(folder, run, sure, options, _waits(options.now)),)
    rest = replace(run, memory=read(folder)) if kept else run
    held = _held(folder, rest, options, aside=True, beside=frozenset(memory_lines(sure)) if kept else None)
    update(folder, _done(run.batch, options.now))  # after both: a run that is killed between them is read again
    return *kept, held


def _settled(folder: Path, run: DreamRun, emit: Emit, options: DreamOptions) -> DreamFinished:
    if not run.turns:
        return _nothing(folder, run, options)
    stop = run.stop
    if not options.dry_run:
        quarantine(folder, run.box, options.now)
    if stop.reason is StopReason.CANCELLED:
        return DreamFinished("cancelled", receipt.unchanged("the dream was stopped", **run.spent))
    fruitless = all(turn.steps >= ROUNDS for turn in run.turns) and not run.box.edits
    if stop.reason is not StopReason.ANSWERED or fruitless:
        why = stop.detail.partition("; raise ")[0] or (f"{ROUNDS} rounds without an edit" if fruitless else stop.reason)
        return _failed(folder, run, why, emit, options)
    if run.box.refused and not run.box.edits:
        more = len(run.box.refused) - 1
        why = f"every edit was refused: {run.box.refused[0]}{f' (and {more} more)' if more else ''}"
        return _failed(folder, run, why, emit, options)
    if run.text == run.start:
        return _nothing(folder, run, options)
    if options.hold or run.ruling.hold or run.ruling.unsure or removed_share(run.start, run.text) > MAX_REMOVED:
        return _held(folder, run, options)
    return _keep(folder, run, run.text, options, _done(run.batch, options.now))


def _keep(
    folder: Path, run: DreamRun, text: str, options: DreamOptions, advance: Callable[[State], State]
) -> DreamFinished:
    """Make *text* the memory."""
    after = encoded(run.memory, text)
    diff = versions.unified(run.memory.data, after)
    number = 0
    if not options.dry_run:
        rows = _rows(run, memory_lines(text), options)
        change = Change("dream", run.memory, after, advance, rows, _meta_of(run, options))
        number = commit(folder, change, now=options.now, after=options.after)
    said = receipt.changed(run.memory.text, text)
    line = receipt.whole(said, run.memory.text, text, [number], options.count, **run.spent)
    line += receipt.judged(run.ruling.own, run.ruling.left_out, f"dream show {number}" if number else "")
    return DreamFinished("changed", f"dry run: {line}" if options.dry_run else line, diff, number)


def _nothing(folder: Path, run: DreamRun, options: DreamOptions) -> DreamFinished:
    if not options.dry_run:
        update(folder, _done(run.batch, options.now))
    why = "nothing new to remember" if run.turns or not run.batch.records else "only questions"
    if run.ruling.left_out:
        reasons = dict.fromkeys(row["why"] for row in run.ruling.verdicts)
        why = f"left out {run.ruling.left_out}: {', '.join(reasons)}"
    return DreamFinished("nothing", receipt.unchanged(why, **run.spent))


def _held(
    folder: Path, run: DreamRun, options: DreamOptions, *, aside: bool = False, beside: Collection[str] | None = None
) -> DreamFinished:
    """
    Keep the change where `cococat dream --review` finds it; the file and the cursor stay as they are.

    Args:
        aside: it holds up no other dream: what it was made of is not read again.
        beside: lines that the same run has made, which stand in the memory by now; what it took is told with them.
    """
    spent = run.spent if beside is None else {}
    after = encoded(run.memory, run.text)
    diff = versions.unified(run.memory.data, after)
    removed, added = changed_lines(run.memory.text, run.text)
    what = receipt.proposed(run.memory.text, run.text)
    if options.dry_run:
        return DreamFinished("held", f"dry run: {receipt.unchanged(f'a dream {what}', **spent)}", diff)
    rows = _rows(run, [line for line in memory_lines(run.text) if line not in (beside or ())], options)
    counts = {"told": what, "added": len(added), "removed": len(removed)}
    ts = options.now.isoformat(timespec="seconds")
    place = {} if aside else {"to_cursor": run.batch.cursor, "to_offset": run.batch.offset}
    took = {**_meta_of(run, options), **({} if spent else _FREE)}
    meta = {**took, **counts, "ts": ts, **place, "rows": list(rows), "kind": "held", "exists": run.memory.exists}
    number = hold(folder, run.memory.data, after, meta, options.now)
    line = receipt.unchanged(f"a dream {what}; look first: cococat dream --review", **spent)
    return DreamFinished("held", line, diff, number)


def _failed(folder: Path, run: DreamRun, why: str, emit: Emit, options: DreamOptions) -> DreamFinished:
    """Count the failure; the third splits the batch, or sets a record aside that fails alone."""
    why = _hush(run.turns, options).hide(why)
    stop, size = run.stop, len(run.batch.records)
    retry = DreamFinished("failed", receipt.unchanged(f"{why}; it will try again", **run.spent))
    if options.dry_run:
        return retry
    too_big = stop.reason is StopReason.TOKEN_LIMIT and size > 1
    failures = FAILURES if too_big else read_state(folder).failures + 1
    full = bool(run.box.refused) and all(FULL in reason for reason in run.box.refused)
    outside = full or (stop.problem is not None and stop.problem.kind in _OUTSIDE)
    if outside or failures < FAILURES:
        most = min(failures, FAILURES - 1)
        update(folder, lambda state: replace(state, failures=most, last_dream=options.now))
        return retry
    if size > 1:
        update(folder, lambda state: replace(state, failures=0, limit=size // 2, last_dream=options.now))
        line = f"{why}; it will try again with {size // 2} of {size} records"
        return DreamFinished("gave_up", receipt.unchanged(line, **run.spent))
    seq = run.batch.records[0].seq
    _park(folder, run.batch, why, options.now)
    emit(Notice(f"no dream could read record {seq} ({why}); it was set aside in {SKIPPED}", "warning"))
    return DreamFinished("gave_up", receipt.unchanged(f"{why}; record {seq} was set aside", **run.spent))


def _park(folder: Path, batch: Batch, why: str, now: datetime) -> None:
    record, ts = batch.records[0], now.isoformat(timespec="seconds")
    row = {"v": 1, "ts": ts, "seq": record.seq, "session": record.session, "typed": record.typed, "why": why}
    kept = ((old.get("seq"), old.get("typed")) for old in each_row(folder, SKIPPED))
    if (record.seq, record.typed) not in kept:  # a run that was killed right here comes again
        append_lines(folder, SKIPPED, [row])
    update(folder, _done(batch, now))


def _done(batch: Batch, now: datetime) -> Callable[[State], State]:
    """Move the cursor behind *batch* and forget its failures; notes that wait to be tidied go on waiting."""

    def advance(state: State) -> State:
        state = replace(state, held=state.held if state.aside else 0)
        return replace(state, cursor=batch.cursor, offset=batch.offset, last_dream=now, failures=0, limit=0)

    return advance


def _waits(now: datetime) -> Callable[[State], State]:
    """Leave the cursor: what was read comes again, unless a user decides about the rest of it."""
    return lambda state: replace(state, held=state.held if state.aside else 0, last_dream=now)


def _rows(run: DreamRun, lasting: Sequence[str], options: DreamOptions) -> tuple[dict[str, object], ...]:
    """Return the provenance of *lasting*; what a line was refused for is not kept as the words behind another."""
    return rows_of(run.ruling.made, run.batch.records, lasting, hide=_hush(run.turns, options, run.ruling.secret).hide)


def _hush(turns: Sequence[Turn], options: DreamOptions, secret: Collection[str] = ()) -> Hush:
    hush = Hush(options.redact, secret)
    for part in (part for turn in turns for part in turn.parts):
        for text in (part.text, *((part.state.input, part.state.output) if part.state else ())):
            hush.learn(text)
    return hush


def _meta_of(run: DreamRun, options: DreamOptions) -> Mapping[str, object]:
    return run_meta(run.turns, options, run.batch.records, run.ruling)


def run_meta(
    turns: Sequence[Turn], options: DreamOptions, records: Sequence[PastExchange] = (), ruling: Ruling | None = None
) -> Mapping[str, object]:
    """Return what the log keeps of the runs of one dream, their steps and the judge's verdicts included, without what is secret in any of them."""
    hide = _hush(turns, options, ruling.secret if ruling else ()).hide
    steps = [
        {
            "type": part.type,
            "tool": part.tool,
            "input": hide(part.state.input),
            "output": hide(part.state.output),
            "display": hide(part.state.display),
        }
        if part.state
        else {"type": part.type, "text": hide(part.text)}
        for turn in turns
        for part in turn.parts
    ]
    every = (*turns, *(ruling.turns if ruling else ()))
    usage = sum((turn.usage for turn in every), Usage())
    return {
        **spent_on(every),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "estimated": usage.estimated,
        "seconds": sum(turn.seconds for turn in every),
        "model": options.model,
        "stop": str(turns[-1].stop.reason) if turns else "answered",
        "records": [record.seq for record in records],
        "run": steps,
        **(
            {"verdicts": [{name: hide(text) for name, text in row.items()} for row in ruling.verdicts]}
            if ruling and ruling.verdicts
            else {}
        ),
    }


def quarantine(folder: Path, box: DreamWorkspace, now: datetime) -> None:
    """Set aside what the model tried to write and no prompt may ever hold."""
    ts = now.isoformat(timespec="seconds")
    append_lines(folder, QUARANTINE, [{"v": 1, "ts": ts, "line": line, "why": why} for line, why in box.quarantined])
