"""`cococat memory test`: past questions are asked again with the memory and without each line of it.

What was answered is kept as hashes in the cache, so that a test that was stopped goes on, and no text of a session is
copied there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from cococat.app.about import Unreachable
from cococat.app.dream.trials import Trial, lines_in_prompt, questions, report, trials_of, words_of
from cococat.app.endpoint import EMBEDDED, Connection, connect
from cococat.app.output import note, out
from cococat.app.probe_report import agree
from cococat.app.signals import cancel_on_signals
from cococat.config import Folders, Settings, folders
from cococat.core.agent import Agent, Turn, estimate_tokens
from cococat.core.events import Event
from cococat.core.limits import Limits, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import Message
from cococat.core.model import ProviderError
from cococat.core.tools import allow_all
from cococat.errors import EXIT_CODES, Interrupted, StorageError, UsageError
from cococat.memory.file.document import Memory, read
from cococat.protocol.native import Native
from cococat.system.private import open_private, private_dir
from cococat.ui.progress import progress

__all__ = ["memory_test"]

KEPT = "memory_test.txt"  # in the cache: a row for each answer, the hash of the request and that of its words
CHANGED = (
    "an answer is changed when its words differ, whatever their case and punctuation; "
    "a question that is answered in two ways with the same memory tells nothing"
)
Answers: TypeAlias = dict[str, str]


def memory_test(settings: Settings, *, last: int, yes: bool) -> int:
    """
    Say how often each line of the memory changed an answer, and which never did; 5 when the budget ended it.

    Args:
        last: past questions, the newest.

    Raises:
        UsageError: there is nothing to test, or no model. ConsentError: nobody agreed to the requests.
        StorageError: the memory, the sessions or the cache are not usable.
        CococatError: the model does not answer. Interrupted: a signal came; what was answered is kept.
    """
    places = folders(os.environ)
    memory, asked = read(places.memory), questions(places, last)
    lines = lines_in_prompt(memory, settings.memory)
    if not lines or not asked:
        what = "the memory holds no line that is not pinned" if not lines else "no session holds a question"
        raise UsageError(f"there is nothing to test: {what}", "cococat memory show, cococat sessions list")
    model = replace(settings.model, temperature=0.0)
    with asyncio.Runner() as runner:
        return runner.run(_test(replace(settings, model=model), places, memory, asked, yes=yes))


async def _test(
    settings: Settings, places: Folders, memory: Memory, asked: Sequence[tuple[Message, ...]], *, yes: bool
) -> int:
    task = asyncio.current_task()
    assert task is not None
    connection = await connect(settings, places)
    try:
        where = settings.model.base_url if connection.host != EMBEDDED else EMBEDDED
        trials = trials_of(memory, asked, f"{connection.name} at {where}", settings.memory)
        answers = _kept(places.cache)
        left = [trial for trial in trials if trial.name not in answers]
        _say_cost(settings, connection, trials, left, yes=yes)
        with cancel_on_signals(task) as caught:
            done = await _ask(settings, connection, left, answers, lambda: caught.number)
    finally:
        await connection.close()
    lines = lines_in_prompt(memory, settings.memory)
    if not done:
        spent = f"the budget of {settings.agent.max_total_tokens:,} tokens is spent"
        missing = sum(trial.name not in answers for trial in trials)
        note(f"{spent}: {missing:,} of {len(trials):,} requests are left; the same command goes on with them")
        return EXIT_CODES[StopReason.TOKEN_LIMIT]
    out("\n".join(report(lines, trials, answers)))
    return 0


def _say_cost(
    settings: Settings, connection: Connection, trials: Sequence[Trial], left: Sequence[Trial], *, yes: bool
) -> None:
    """
    Say what the test sends where, and what it means; a user agrees.

    Raises: ConsentError: nobody agreed.
    """
    note(CHANGED)
    prompts = sum(estimate_tokens("".join((one.system, *map(str, one.history), one.message.text))) for one in left)
    most = settings.agent.max_total_tokens
    budget = f"at most {most:,} tokens together" if most else "no limit of tokens (--max-tokens sets one)"
    kept = f" (already answered: {len(trials) - len(left):,})" if len(left) < len(trials) else ""
    cost = f"{connection.name} at {connection.host} gets {len(left):,} requests{kept}: prompts of about {prompts:,} tokens, {budget}"
    if yes or not left:
        note(cost)
    else:
        agree(f"{cost}. Go on?")


async def _ask(
    settings: Settings,
    connection: Connection,
    left: Sequence[Trial],
    answers: Answers,
    signalled: Callable[[], int],
) -> bool:
    """Send what is left, and keep each answer at once; return whether the budget was enough."""
    most, used = settings.agent.max_total_tokens, 0
    with progress("asking again", shown=bool(left), after_s=0) as tell:
        for done, trial in enumerate(left, 1):
            if most and used >= most:
                return False
            turn = await _answered(settings, connection, trial, most and most - used)
            used += turn.usage.total_tokens
            match turn.stop.reason:
                case StopReason.CANCELLED:
                    raise Interrupted(signalled() or signal.SIGINT)
                case StopReason.TOKEN_LIMIT:
                    return False
                case _ if turn.stop.problem:
                    raise Unreachable(ProviderError(turn.stop.problem))
                case _:
                    answers[trial.name] = words_of(turn.answer)
                    _keep(folders(os.environ).cache, trial.name, answers[trial.name])
                    tell(done, len(left))
    return True


async def _answered(settings: Settings, connection: Connection, trial: Trial, tokens: int) -> Turn:
    agent = Agent(
        model=connection.model,
        protocol=Native(),
        system=trial.system,
        tools=(),
        limits=Limits(max_steps=1, max_total_tokens=tokens, spent=StopReason.ANSWERED),
        gate=allow_all,
        clock=time.monotonic,
        retry=settings.retry,
    )
    return await run_turn(agent, trial.history, trial.message, _unseen)


def _unseen(event: Event) -> None:
    """Show nothing of a request."""
    del event


def _kept(cache: Path) -> Answers:
    """Return what earlier tests were answered; a torn line counts for nothing."""
    answers: Answers = {}
    try:
        rows = (cache / KEPT).read_text("ascii", "replace").splitlines()
    except OSError:
        return answers
    for row in rows:
        name, _, words = row.partition(" ")
        if len(name) == len(words) == sha256().digest_size * 2:
            answers[name] = words
    return answers


def _keep(cache: Path, name: str, words: str) -> None:
    """
    Append one answer.

    Raises: StorageError: it cannot be written.
    """
    try:
        with open(private_dir(cache) / KEPT, "a", encoding="ascii", opener=open_private) as file:
            file.write(f"{name} {words}\n")
    except OSError as error:
        why = f"cannot keep what was answered: {error.strerror or error}"
        raise StorageError(why, f"look at it: ls -ld '{cache}'") from error
