"""Compacting: the notes themselves are gone over, in parts, so that they say the same in fewer lines."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from cococat.core.agent import Turn
from cococat.core.events import DreamFinished, Notice
from cococat.core.limits import StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import User
from cococat.core.settings import DreamSettings
from cococat.memory.dream.brief import tidying
from cococat.memory.dream.evidence import holds, merges
from cococat.memory.dream.judging import ask_about, said_before
from cococat.memory.dream.options import DreamBounds, DreamOptions
from cococat.memory.dream.plan import fits_budget
from cococat.memory.dream.settle import QUARANTINE, quarantine, run_meta, spent_on
from cococat.memory.dream.tools import NEARLY_FULL, DreamWorkspace, Rules
from cococat.memory.dream.watch import Dreaming, restricted
from cococat.memory.file import receipt, versions
from cococat.memory.file.document import Memory, encoded, heading_level, memory_lines, pinned, read, without_empty
from cococat.memory.file.edits import Proposal, changed_lines, put_back
from cococat.memory.file.journal import Change, Conflict, commit, hold, ready, update
from cococat.memory.file.provenance import rows_of
from cococat.memory.file.state import State, read_state, reconcile
from cococat.memory.judge.request import Item
from cococat.memory.words import content, key
from cococat.prompts import prompt

PART_TOKENS = 2000  # of one part: a run's bounds leave room for several rounds of it
ROOM = 0.9  # of the budget is aimed at, so that something new finds room
SECTION = 2  # level of the headings under which notes stand
NEAR = 3  # other lines that may say what one says that goes
_DAY = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?![\d-])")
_LIMITS = (
    StopReason.STEP_LIMIT,
    StopReason.TOKEN_LIMIT,
    StopReason.TIME_LIMIT,
    StopReason.LOOP,
    StopReason.NO_PROGRESS,
    StopReason.OUTPUT_LIMIT,
)


def near_budget(text: str, settings: DreamSettings, count: Callable[[str], int], share: float = NEARLY_FULL) -> bool:
    """Return whether *text* fills more than *share* of one of its budgets: tokens, bytes, lines."""
    sizes = ((text.count("\n"), settings.max_lines), (len(text.encode()), settings.max_bytes))
    return any(size > share * most for size, most in sizes) or not fits_budget(text, share * settings.max_tokens, count)


@dataclass(slots=True)
class _Tidied:
    """What the parts have come to so far; *why* says what ended them early."""

    text: str
    made: list[Proposal]
    turns: list[Turn] = field(default_factory=list)
    why: str = ""
    cancelled: bool = False
    headings: bool = True  # empty ones go
    gone: frozenset[str] = frozenset()  # facts that nobody gave up
    refused: frozenset[str] = frozenset()  # lines that nobody judged
    judged: bool = False


async def compact(run: Dreaming, typed: str = "", *, behind: bool = False) -> DreamFinished:
    """
    Go over MEMORY.md once; the disk is touched when all parts are through.

    Args:
        typed: what the user typed in the records of this dream: a fact that they asked to forget may go.
        behind: records were read just before; then an empty heading alone is no reason for one more change.
    Returns: "held" when facts would be lost that nobody gave up; what loses none is made all the same.

    Raises: StorageError: the memory folder is not usable, or the change could not be written.
    """
    tidied = None
    for _ in range(2):  # a user may edit the file while the model works: once more on the new text
        memory = read(run.folder)
        if not _wanted(run, memory):
            return DreamFinished("nothing", receipt.unchanged("nothing to tidy"))
        if not run.options.dry_run:
            ready(run.folder, QUARANTINE)
        tidied = await _tidy(run, memory)
        if not tidied.cancelled:
            await _judge(run, memory, tidied, typed)
        if behind and memory_lines(tidied.text) == memory_lines(memory.text):
            tidied.headings = False
        try:
            return _settled(run, memory, tidied)
        except Conflict:
            continue
    why = "MEMORY.md was edited twice while it was compacted: cococat dream"
    return _logged(run, DreamFinished("failed", receipt.unchanged(why)), tidied)


def _wanted(run: Dreaming, memory: Memory) -> bool:
    """Return whether there may be something to do: not in a few lines, nor in what was gone over already."""
    if len(memory_lines(memory.text)) - len(memory_lines("\n".join(pinned(memory.text)))) <= 1:
        return False
    over = near_budget(memory.text, run.options.settings, run.options.count, 1.0)
    return (over and run.options.by_hand) or read_state(run.folder).compacted != memory.sha


async def _tidy(run: Dreaming, memory: Memory) -> _Tidied:
    """Drop what repeats, then let the model work on a private copy, part by part."""
    options = run.options
    text = structured(memory.text)
    tidied = _Tidied(text, [])
    if options.judge is None and not options.by_hand:
        return tidied  # nothing of what a model makes would stand
    parts = _parts(text, options.count)
    for number, part in enumerate(parts, 1):
        bounds = run.left()
        if bounds is None:
            tidied.why = "the budget is spent"
            break
        if len(parts) > 1 and not options.parts(number - 1, len(parts)):
            run.emit(Notice(f"compacting MEMORY.md, part {number} of {len(parts)}"))
        box, turn = await _go_over(run, memory, tidied.text, part, bounds)
        tidied.turns.append(turn)
        if not options.dry_run:
            quarantine(run.folder, box, options.now)
        if not _taken(tidied, box, turn, f"part {number} of {len(parts)}: " if len(parts) > 1 else ""):
            break
    return tidied


async def _go_over(
    run: Dreaming, memory: Memory, text: str, part: Sequence[str], bounds: DreamBounds
) -> tuple[DreamWorkspace, Turn]:
    """Let the model change one part of *text*; over budget, each part is to shrink alike."""
    options = run.options
    aim, goal = ROOM * options.settings.max_tokens, 0
    if not fits_budget(memory.text, aim, options.count):
        goal = int(aim / options.count(memory.text) * sum(map(options.count, part)))
    hidden = _others(text, part)
    buried = reconcile(read_state(run.folder), memory_lines(memory.text)).tombstones
    rules = Rules({}, options.settings, buried, options.redact, options.count, compacts=True, hidden=hidden)
    box = DreamWorkspace(text, rules)
    agent, watch = restricted(run.make_agent, prompt("tidy"), box, run.emit, bounds)
    today, nonce = options.now.date(), secrets.token_hex(16)
    words = tidying(text, hidden, today=today, nonce=nonce, goal=goal, count=options.count)
    return box, await run_turn(agent, (), User(words, synthetic=True), watch.see)


def _taken(tidied: _Tidied, box: DreamWorkspace, turn: Turn, where: str) -> bool:
    """Take over what a run made of its part; return whether the next may follow."""
    stop = turn.stop
    if stop.reason is StopReason.CANCELLED:
        tidied.cancelled = True
        return False
    if stop.reason is not StopReason.ANSWERED and stop.reason not in _LIMITS:
        tidied.why = f"{where}{stop.detail.partition('; raise ')[0] or stop.reason}"
        return False
    text = box.text
    if stop.reason in _LIMITS:  # a line may have been on its way to another heading
        made = {root for edit in box.made if edit.line in memory_lines(text) for root in edit.removed}
        text = put_back(tidied.text, text, {*changed_lines(tidied.text, text)[0]} - made)
    tidied.text = text
    tidied.made += box.made
    return True


def _settled(run: Dreaming, memory: Memory, tidied: _Tidied) -> DreamFinished:
    """Make of what the parts came to what it is: a change, a proposal, nothing, a failure, or a cancel."""
    spent, options = spent_on(tidied.turns), run.options
    if tidied.cancelled:
        return _logged(run, DreamFinished("cancelled", receipt.unchanged("the dream was stopped", **spent)), tidied)
    whole = without_empty(tidied.text) if tidied.headings else tidied.text
    safe = _without_loss(memory, whole, tidied, options)
    changed = _changed(run, memory, safe, tidied) if safe != memory.text else None
    if whole != safe:
        if changed:
            run.emit(changed)
        return _held(run, read(run.folder), whole, tidied)
    if changed:
        return changed
    if tidied.why:
        why = receipt.unchanged(f"not compacted: {tidied.why}", **spent)
        return _logged(run, DreamFinished("failed", why), tidied)
    if not options.dry_run:
        update(run.folder, lambda state: replace(state, compacted=memory.sha))
    return _logged(run, DreamFinished("nothing", receipt.unchanged("nothing to tidy", **spent)), tidied)


async def _judge(run: Dreaming, memory: Memory, tidied: _Tidied, typed: str) -> None:
    """Have both ways judged: whether the old lines say each new one, and whether the new text says each old one that goes."""
    base = structured(memory.text)
    new = [edit for edit in tidied.made if edit.line and edit.removed and edit.line in memory_lines(tidied.text)]
    new = [edit for edit in new if edit.line not in memory_lines(base)]
    proven = {
        line for edit in new if merges(edit.line, edit.removed) for line in edit.removed if holds(edit.line, line)
    }
    new = [edit for edit in new if not merges(edit.line, edit.removed)]
    today = run.options.now.date()
    gone = [
        line
        for line in changed_lines(base, tidied.text)[0]
        if not (heading_level(line) or line in proven or _outlived(line, memory.learned.get(key(line)), today))
    ]
    if not (new or gone):
        tidied.judged = True
        return
    items = [Item(edit.line, typed="\n".join(edit.removed)) for edit in new]
    items += [Item(line, typed=typed, instead=_said_by(line, tidied)) for line in gone]
    own = [Item(line, sentence=line.lstrip("-*+ "), typed=line, quote=line) for line in memory_lines(base)]
    found, turns = await ask_about(run, items, own + said_before(run))
    tidied.turns += turns
    if not found.verdicts:  # what structure alone proves is made, and the rest waits
        tidied.refused, tidied.gone = frozenset(edit.line for edit in new), frozenset(gone)
        return
    tidied.judged = True
    yes = [verdict.says == "yes" for verdict in found.verdicts]
    wrong = [edit for edit, said in zip(new, yes, strict=False) if not said]
    tidied.text = _without(base, tidied.text, wrong)
    left = changed_lines(base, tidied.text)[0]
    tidied.gone = frozenset(line for line, said in zip(gone, yes[len(new) :], strict=True) if not said and line in left)


def _said_by(line: str, tidied: _Tidied) -> tuple[str, ...]:
    """Return the lines that may say what *line* says: those made of it, and the nearest others."""
    made = [edit.line for edit in tidied.made if line in edit.removed and edit.line in memory_lines(tidied.text)]
    words = content(line)
    near = sorted(memory_lines(tidied.text), key=lambda one: len(words & content(one)), reverse=True)
    return tuple(made or near[:NEAR])


def _without_loss(memory: Memory, whole: str, tidied: _Tidied, options: DreamOptions) -> str:
    """Return *whole* without what a user has to decide about: facts that would go, lines that nobody judged."""
    if options.hold:
        return memory.text
    if not (tidied.gone or tidied.refused):
        return whole
    plain = structured(memory.text)
    # a line that one of its parts stands beside says that twice
    joined = [edit for edit in tidied.made if edit.line in tidied.refused or not tidied.gone.isdisjoint(edit.removed)]
    safe = put_back(plain, _without(plain, whole, joined), tidied.gone)
    safe = without_empty(safe) if tidied.headings else safe
    return plain if pinned(safe) != pinned(memory.text) else safe


def _without(before: str, text: str, lines: Sequence[Proposal]) -> str:
    """Return *text* without *lines*, and with what they were made of, as it stood *before*."""
    gone = {edit.line for edit in lines if edit.line}
    less = "\n".join(line for line in text.split("\n") if line.strip() not in gone)
    return put_back(before, less, {old for edit in lines if edit.line for old in edit.removed})


def structured(text: str) -> str:
    """Return *text* as structure alone makes it smaller: equal bullets become one, and sections of one name."""
    own, fenced, parts = set(pinned(text)), False, list[list[str]]()
    lines = text.split("\n")
    for at, line in enumerate(lines):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        level = 0 if fenced else heading_level(line)
        if level or not parts:
            same = next((part for part in parts if level == SECTION and _folded(part[0]) == _folded(line)), None)
            deep = any(heading_level(other) > SECTION for other in lines[at + 1 : at + 2])
            if same is None or line in own or deep:
                parts.append([line])
                continue
            parts.append(parts.pop(parts.index(same)))
            while not parts[-1][-1].strip():
                parts[-1].pop()
            continue
        below = lines[at + 1] if at + 1 < len(lines) else ""
        alone = line.startswith(("- ", "* ", "+ ")) and not (fenced or below[:1].isspace() or line in own)
        if alone and any(_folded(other) == _folded(line) for other in parts[-1]):
            continue
        parts[-1].append(line)
    return "\n".join(line for part in parts for line in part)


def _folded(line: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", line).casefold().split()).rstrip(".,;:!")


def _outlived(line: str, learned: date | None, today: date) -> bool:
    """Return whether *line* told of a day to come when it was *learned*, and the day is over: its own date has passed."""
    ends = [_over(year, month, day) for year, month, day in _DAY.findall(line)]
    return bool(ends) and learned is not None and all(end is not None and learned < end <= today for end in ends)


def _over(year: str, month: str, day: str) -> date | None:
    """Return the first day after the date or month; None for no date."""
    try:
        last = int(day) if day else monthrange(int(year), int(month))[1]
        return date(int(year), int(month), last) + timedelta(days=1)
    except ValueError:
        return None


def _changed(run: Dreaming, memory: Memory, text: str, tidied: _Tidied) -> DreamFinished:
    options, after = run.options, encoded(memory, text)
    number = 0
    if not options.dry_run:
        rows = rows_of(tidied.made, (), memory_lines(text))
        sha = hashlib.sha256(after).hexdigest()

        def advance(state: State) -> State:
            return replace(state, compacted=sha, held=0)

        meta = run_meta(tidied.turns, options)
        change = Change("dream", memory, after, advance, rows, meta)
        number = commit(run.folder, change, now=options.now, after=options.after)
    said = receipt.fewer(memory.text, text)
    line = receipt.whole(said, memory.text, text, [number], options.count, **spent_on(tidied.turns))
    line += _shortfall(text, tidied, options)
    finished = DreamFinished(
        "changed", f"dry run: {line}" if options.dry_run else line, versions.unified(memory.data, after), number
    )
    return _logged(run, finished, tidied)


def _shortfall(text: str, tidied: _Tidied, options: DreamOptions) -> str:
    """Say what is left to do."""
    parts = [f"stopped early: {tidied.why}"] if tidied.why else []
    if near_budget(text, options.settings, options.count, 1.0):
        parts.append(f"still over its budget of {options.settings.max_tokens:,} tokens")
    return "".join(f" · {part}" for part in parts)


def _held(run: Dreaming, memory: Memory, text: str, tidied: _Tidied) -> DreamFinished:
    """Keep what would lose a fact, or what nobody judged, where `cococat dream --review` finds it."""
    gone = tidied.gone
    options, after = run.options, encoded(memory, text)
    diff = versions.unified(memory.data, after)
    removed, added = changed_lines(memory.text, text)
    facts = f"{len(gone)} fact{'' if len(gone) == 1 else 's'} would be lost"
    what = facts if gone else f"a dream {receipt.proposed(memory.text, text)}"
    if options.dry_run:
        return DreamFinished("held", f"dry run: {receipt.unchanged(what, **spent_on(tidied.turns))}", diff)
    meta = {
        **run_meta(tidied.turns, options),
        "kind": "held",
        "ts": options.now.isoformat(timespec="seconds"),
        "told": what.removeprefix("a dream "),
        "added": len(added),
        "removed": len(removed),
        "rows": list(rows_of(tidied.made, (), memory_lines(text))),
        "lost": sorted(gone),
        "exists": memory.exists,
    }
    number = hold(run.folder, memory.data, after, meta, options.now)
    line = receipt.unchanged(f"{what}; look first: cococat dream --review")
    return _logged(run, DreamFinished("held", line, diff, number), tidied)


def _logged(run: Dreaming, finished: DreamFinished, tidied: _Tidied | None) -> DreamFinished:
    return run.log(finished, spent_on(tidied.turns if tidied else ()))


def _parts(text: str, count: Callable[[str], int]) -> list[tuple[str, ...]]:
    """Split the lines of *text* that a run may change, in order; a heading begins a part where one is half full."""
    own = set(pinned(text))
    lines = [line for line in text.split("\n") if line.strip() and line not in own]
    if fits_budget("\n".join(lines), PART_TOKENS // 2, count):
        return [tuple(lines)] if memory_lines("\n".join(lines)) else []
    parts: list[list[str]] = [[]]
    size = 0
    for line in lines:
        tokens = count(line + "\n")
        if size + tokens > PART_TOKENS or (heading_level(line) and size > PART_TOKENS // 2):
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += tokens
    return [tuple(part) for part in parts if memory_lines("\n".join(part))]


def _others(text: str, part: Sequence[str]) -> frozenset[str]:
    """Return the lines of *text* that are neither in *part* nor a heading: they are gone over on their own."""
    kept = {*part, ""}
    return frozenset(line for line in text.split("\n") if line not in kept and not heading_level(line))
