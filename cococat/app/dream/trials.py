"""The requests of `cococat memory test`: past questions with the memory and without each line, and what came of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256

from cococat.config import Folders
from cococat.core.messages import Assistant, Message, User
from cococat.core.settings import DreamSettings
from cococat.memory.file.document import Memory, pinned
from cococat.memory.file.find_lines import Found, lines_of
from cococat.memory.file.quoting import Quoted, quoted
from cococat.memory.words import key
from cococat.prompts import prompt
from cococat.store.listing import list_sessions
from cococat.store.sessions import load

__all__ = ["Trial", "lines_in_prompt", "questions", "report", "trials_of", "words_of"]

BEFORE = 4  # messages that go with a question, those said right before it


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


def questions(places: Folders, last: int) -> list[tuple[Message, ...]]:
    """Return the newest questions that were not taken back, each behind the few messages said before it."""
    found: list[tuple[Message, ...]] = []
    for info in list_sessions(places.sessions, places.cache):
        said = [message for message in load(places.sessions, info.id).messages if _is_said(message)]
        at = [index for index, message in enumerate(said) if isinstance(message, User)]
        found += [tuple(said[max(0, index - BEFORE) : index + 1]) for index in reversed(at)]
        if len(found) >= last:
            break
    return found[:last]


def _is_said(message: Message) -> bool:
    if isinstance(message, User):
        return not message.synthetic
    return isinstance(message, Assistant) and bool(message.text) and not message.calls


def lines_in_prompt(memory: Memory, settings: DreamSettings) -> tuple[Found, ...]:
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


def report(lines: Sequence[Found], trials: Sequence[Trial], answers: Mapping[str, str]) -> Iterator[str]:
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
