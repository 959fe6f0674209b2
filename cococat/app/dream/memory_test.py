"""`cococat memory test`: past questions are asked again with the memory and without each line of it.

What was answered is kept as hashes in the cache, so that a test that was stopped goes on, and no text of a session is
copied there.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from cococat.app.endpoint.connect import EMBEDDED, Connection, connect
from cococat.app.endpoint.probe import Unreachable
from cococat.app.output import agree, note, out
from cococat.app.signals import cancel_on_signals
from cococat.config import Folders, Settings, find_folders
from cococat.core.agent import Agent, Turn, estimate_tokens
from cococat.core.limits import Limits, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import Assistant, Message, User
from cococat.core.model import ProviderError
from cococat.core.settings import DreamSettings
from cococat.core.tools import allow_all
from cococat.errors import EXIT_CODES, Interrupted, StorageError, UsageError
from cococat.memory.file.document import Memory, pinned, read
from cococat.memory.file.find_lines import FoundLine, lines_of
from cococat.memory.file.quoting import Quoted, quoted
from cococat.memory.words import key
from cococat.prompts import prompt
from cococat.protocol.native import Native
from cococat.store.listing import list_sessions
from cococat.store.sessions import load
from cococat.system.private import open_private, private_dir
from cococat.ui.screen.progress import progress

KEPT = "memory_test.txt"  # in the cache: a row for each answer, the hash of the request and that of its words
CHANGED = (
    "an answer is changed when its words differ, whatever their case and punctuation; "
    "a question that is answered in two ways with the same memory tells nothing"
)
AnswerHashes: TypeAlias = dict[str, str]
BEFORE = 4  # messages that go with a question, those said right before it


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
    folders = find_folders(os.environ)
    memory, asked = read(folders.memory), questions(folders, last)
    lines = lines_in_prompt(memory, settings.memory)
    if not lines or not asked:
        what = "the memory holds no line that is not pinned" if not lines else "no session holds a question"
        raise UsageError(f"there is nothing to test: {what}", "cococat memory show, cococat sessions list")
    model = replace(settings.model, temperature=0.0)
    with asyncio.Runner() as runner:
        return runner.run(_test(replace(settings, model=model), folders, memory, asked, yes=yes))


async def _test(
    settings: Settings, folders: Folders, memory: Memory, asked: Sequence[tuple[Message, ...]], *, yes: bool
) -> int:
    connection = await connect(settings, folders)
    try:
        where = settings.model.base_url if connection.host != EMBEDDED else EMBEDDED
        trials = trials_of(memory, asked, f"{connection.name} at {where}", settings.memory)
        answers = _kept(folders.cache)
        left = [trial for trial in trials if trial.name not in answers]
        _say_cost(settings, connection, trials, left, yes=yes)
        with cancel_on_signals() as caught:
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
    prompts = sum(
        estimate_tokens("".join((question.system, *map(str, question.history), question.message.text)))
        for question in left
    )
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
    answers: AnswerHashes,
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
                    _keep(find_folders(os.environ).cache, trial.name, answers[trial.name])
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
    return await run_turn(agent, trial.history, trial.message, lambda _: None)


def _kept(cache: Path) -> AnswerHashes:
    """Return what earlier tests were answered; a torn line counts for nothing."""
    answers: AnswerHashes = {}
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


@dataclass(frozen=True, slots=True)
class Trial:
    """
    One request.

    Args:
        without: index of the line that the memory lacks; None for all of it.
        name: hash of all that the answer depends on.
    """

    question: int
    without: int | None
    system: str
    history: tuple[Message, ...]
    message: User
    name: str


def questions(folders: Folders, last: int) -> list[tuple[Message, ...]]:
    """Return the newest questions that were not taken back, each behind the few messages said before it."""
    found: list[tuple[Message, ...]] = []
    for info in list_sessions(folders.sessions, folders.cache):
        said = [message for message in load(folders.sessions, info.id).messages if _is_said(message)]
        at = [index for index, message in enumerate(said) if isinstance(message, User)]
        found += [tuple(said[max(0, index - BEFORE) : index + 1]) for index in reversed(at)]
        if len(found) >= last:
            break
    return found[:last]


def _is_said(message: Message) -> bool:
    if isinstance(message, User):
        return not message.synthetic
    return isinstance(message, Assistant) and bool(message.text) and not message.calls


def lines_in_prompt(memory: Memory, settings: DreamSettings) -> tuple[FoundLine, ...]:
    """
    Return the lines of the memory that a prompt holds and that may be forgotten.

    Over its budget those that are left out change nothing; what is pinned is to stay, whatever it changes.
    """
    held = {row.strip() for row in _quoted(memory, memory.text, settings).text.split("\n")}
    held.difference_update(map(str.strip, pinned(memory.text)))
    return tuple(found for found in lines_of(memory) if found.line in held)


def trials_of(memory: Memory, asked: Sequence[tuple[Message, ...]], model: str, settings: DreamSettings) -> list[Trial]:
    """Return every request: for each question twice with the memory, and once without each line that may be forgotten."""
    found, rows = lines_in_prompt(memory, settings), _quoted(memory, memory.text, settings).text.split("\n")
    trials: list[Trial] = []
    for number, said in enumerate(asked):
        *before, message = said
        assert isinstance(message, User)
        for at, without in enumerate((None, None, *range(len(found)))):
            gone = "" if without is None else found[without].line
            text = "\n".join(row for row in rows if not gone or row.strip() != gone)
            same = [model, text, repr(said), str(at) if without is None else ""]
            name = sha256(json.dumps(same).encode()).hexdigest()
            system = "\n\n".join(filter(None, (prompt("single"), _quoted(memory, text, settings).block)))
            trials.append(Trial(number, without, system, tuple(before), message, name))
    return trials


def _quoted(memory: Memory, text: str, settings: DreamSettings) -> Quoted:
    part = replace(memory, text=text, data=text.encode())
    return quoted(part, datetime.now(UTC).astimezone().date(), settings)


def words_of(answer: str) -> str:
    """Return a hash of the words of an answer, whatever their case, spaces and punctuation."""
    return sha256(key(answer).encode()).hexdigest()


def report(lines: Sequence[FoundLine], trials: Sequence[Trial], answers: Mapping[str, str]) -> Iterator[str]:
    """Say how many answers each line changed; then those that changed none, from the bottom up."""
    full: dict[int, set[str]] = {}
    for trial in trials:
        if trial.without is None:
            full.setdefault(trial.question, set()).add(answers[trial.name])
    steady = {question: words for question, words in full.items() if len(words) == 1}
    changed = [
        sum(
            answers[trial.name] not in steady[trial.question]
            for trial in trials
            if trial.without == index and trial.question in steady
        )
        for index in range(len(lines))
    ]
    if len(steady) < len(full):
        yield f"{len(full) - len(steady)} of {len(full)} questions were answered in two ways and tell nothing"
    for line, count in zip(lines, changed, strict=True):
        yield f"{line.number:>4}  changed {count} of {len(steady)} answers  {line.line}"
    idle = [line for line, count in zip(lines, changed, strict=True) if not count and steady]
    yield ""
    yield "candidates to forget, from the bottom up:" if idle else "no line is a candidate to forget"
    for line in reversed(idle):
        yield f"cococat memory rm {line.number}"
