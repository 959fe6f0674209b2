"""The dream: what the user said lately becomes a few small edits of MEMORY.md, by the one loop."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from cococat.core.agent import Agent, as_it_is
from cococat.core.events import DreamFinished, Emit, Notice
from cococat.core.limits import Limits, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import User
from cococat.core.tools import Tool, allow_all
from cococat.errors import StorageError
from cococat.memory import receipt
from cococat.memory.briefing import briefing, dream_prompt
from cococat.memory.commit import Conflict, ready, recover
from cococat.memory.confirmations import confirmed
from cococat.memory.dream_tools import TOOL_NAMES, DreamTools, Rules
from cococat.memory.exchanges import HISTORY, Record, pending
from cococat.memory.file import MEMORY, SMALLER, memory_lines, read
from cococat.memory.look import nothing_to_learn
from cococat.memory.options import ROUNDS, DreamBounds, DreamOptions
from cococat.memory.outcome import QUARANTINE, SKIPPED, DreamRun, settle
from cococat.memory.place import Busy, locked
from cococat.memory.plan import BATCH_RECORDS, NotDue, due_now, next_batch
from cococat.memory.runs import log_run
from cococat.memory.state import read_state, reconcile
from cococat.memory.watch import Watch

__all__ = ["BLANK", "MakeAgent", "dream"]

MakeAgent: TypeAlias = Callable[[str, tuple[Tool, ...], Limits], Agent]
REPLY_TOKENS = 4000  # of text and calls
REASONING_TOKENS = 8000  # beside them: a model that thinks must be able to dream
BLANK = "# Memory\n\n## Pinned\n\n## About the user\n\n## Preferences\n\n## Projects\n"


async def dream(
    folder: Path, make_agent: MakeAgent, emit: Emit, options: DreamOptions, bounds: DreamBounds
) -> DreamFinished:
    """
    Dream once, of at most one batch of records.

    Args:
        make_agent: makes the agent for a system prompt, tools and limits; what it does to the tools is overruled.
        emit: gets every step of the run and notices; the value that comes back is for the caller to show.
    Returns: never raises for what the model does; "failed" and "cancelled" leave memory and cursor as they were.

    Raises: StorageError: the memory folder is not usable, or the change could not be written.
    """
    try:
        with locked(folder, "dream.lock", wait_s=0):
            if recovered := recover(folder):
                emit(Notice(recovered))
                if not options.dry_run:  # nobody may have been there to see it
                    log_run(folder, DreamFinished("nothing", recovered), now=options.now, model=options.model)
            return await _dream(folder, make_agent, emit, options, bounds)
    except Busy:
        return DreamFinished("nothing", receipt.unchanged("another dream is running"))


async def _dream(
    folder: Path, make_agent: MakeAgent, emit: Emit, options: DreamOptions, bounds: DreamBounds
) -> DreamFinished:
    verdict = due_now(folder, options.settings, now=options.now, manual=options.manual, ended=options.ended)
    if isinstance(verdict, NotDue):
        return DreamFinished("nothing", receipt.unchanged(verdict.reason))
    finished = DreamFinished(
        "failed", receipt.unchanged("MEMORY.md was edited twice while the dream ran; it will try again")
    )
    for _ in range(2):  # a user may edit the file while the model works: once more on the new text
        run = await _think(folder, make_agent, emit, options, bounds)
        try:
            finished = settle(folder, run, emit, options)
            break
        except Conflict:
            continue
    if not options.dry_run:
        log_run(folder, finished, now=options.now, spent=run.spent, model=options.model)
    return finished


async def _think(
    folder: Path, make_agent: MakeAgent, emit: Emit, options: DreamOptions, bounds: DreamBounds
) -> DreamRun:
    """Let the model work on a private copy."""
    memory, state = read(folder), read_state(folder)
    start = memory.text if memory.text.strip() else BLANK
    _check_size(folder, start, options, bounds)
    if not options.dry_run:
        ready(folder, SKIPPED, QUARANTINE)
    found = pending(folder, state.cursor, most=BATCH_RECORDS)
    if found.skipped:
        what = "1 line makes" if found.skipped == 1 else f"{found.skipped:,} lines make"
        emit(Notice(f"{what} no sense to this version and are left out, but kept: {folder / HISTORY}", "warning"))
    batch = next_batch(found.records, state.offset, state.limit, bounds.batch_tokens, options.count)
    batch = replace(batch, left=batch.left + found.waiting - len(found.records))
    batch = replace(batch, records=tuple(_redacted(record, options.redact) for record in batch.records))
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
    )
    box = DreamTools(start, rules)
    if nothing_to_learn(batch.records):
        return DreamRun(memory, start, box, batch, None)
    agent, watch = _restricted(make_agent, box, emit, bounds)
    prompt = briefing(
        start,
        batch,
        today=options.now.date(),
        nonce=secrets.token_hex(16),
        settings=options.settings,
        count=options.count,
    )
    turn = await run_turn(agent, (), User(prompt, synthetic=True), watch.see)
    return DreamRun(memory, start, box, batch, turn)


def _check_size(folder: Path, text: str, options: DreamOptions, bounds: DreamBounds) -> None:
    """Refuse a memory that no run could send often enough: it would fail for ever, and set records aside for it."""
    size, most = options.count(text), max(options.settings.max_tokens, bounds.tokens // 4)
    if size > most:
        raise StorageError(f"{folder / MEMORY} holds {size:,} tokens, a dream can work on {most:,} at most", SMALLER)


def _restricted(make_agent: MakeAgent, box: DreamTools, emit: Emit, bounds: DreamBounds) -> tuple[Agent, Watch]:
    """Make the agent, and make sure that it has the two tools, the limits and the watch, whoever made it."""
    limits = Limits(
        max_steps=min(bounds.rounds, ROUNDS - 1),
        max_total_tokens=bounds.tokens,
        max_seconds=bounds.seconds,
        max_output_tokens=REPLY_TOKENS + REASONING_TOKENS,
        spent=StopReason.ANSWERED,
    )
    tools = box.tools()
    assert {tool.name for tool in tools} == TOOL_NAMES
    agent = make_agent(dream_prompt(), tools, limits)
    watch = Watch(agent.model, emit, REPLY_TOKENS, REASONING_TOKENS)
    return replace(agent, model=watch, tools=tools, limits=limits, gate=allow_all, observe=as_it_is), watch


def _redacted(record: Record, redact: Callable[[str], str]) -> Record:
    user = tuple(replace(said, text=redact(said.text)) for said in record.user)
    return replace(record, user=user, assistant=redact(record.assistant), asked=redact(record.asked))
