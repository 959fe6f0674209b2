"""Whether a dream is due; and the one way to dream at an end: a process of its own, which nobody waits for."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cococat.config import Folders, Options, Settings
from cococat.core.agent import Turn
from cococat.core.events import DreamFinished
from cococat.errors import CococatError
from cococat.store.lock import holder

if TYPE_CHECKING:
    from cococat.memory.file.history import PastExchange

BEHIND = "a dream goes on in the background; the next start tells what became of it"
# kinds of problems: neither the endpoint nor a proxy on the way to it
NOBODY_THERE = ("config", "connection", "timeout")
BY_ITSELF = ("auto", "confirm")  # modes of the memory in which dreams begin by themselves
EVER = datetime.min.replace(tzinfo=UTC)
UNREACHED = "no dream now: the model could not be reached"


def reached(turn: Turn) -> bool:
    """Return whether the endpoint of *turn* was there; where it was not, a dream would not find it, either."""
    return not (turn.stop.problem and turn.stop.problem.kind in NOBODY_THERE)


def skip_reason(settings: Settings, options: Options, folders: Folders, *, ended: bool = False) -> str | None:
    """
    Return why no dream runs now, a sentence, empty where none was wanted; None when one is due.

    Args:
        ended: a chat has ended, so one record is enough.
    """
    if not options.dream or settings.memory.mode not in BY_ITSELF:
        return ""
    from cococat.memory.dream.plan import NotDue, due_now

    try:
        verdict = due_now(folders.memory, settings.memory, ended=ended)
    except CococatError as error:  # which `remember` has shown
        return f"no dream now: {error.message}"
    return f"no dream now: {verdict.reason}" if isinstance(verdict, NotDue) else None


def chat_left_behind(settings: Settings, folders: Folders) -> bool:
    """Return whether a chat that is over has said something that no dream has looked at, or tried to."""
    if settings.memory.mode not in BY_ITSELF:
        return False
    from cococat.memory.file.history import pending
    from cococat.memory.file.state import read_state

    try:
        state = read_state(folders.memory)
        if state.held and not state.aside:
            return False
        records = pending(folders.memory, state.cursor).records
    except CococatError:  # what comes next meets it again, and tells
        return False
    tried = state.last_dream or EVER
    return any(record.chat and record.ts > tried and not _goes_on(record, folders) for record in records)


def _goes_on(record: PastExchange, folders: Folders) -> bool:
    """Return whether the chat of *record* is open at this moment."""
    try:
        return bool(record.session and holder(folders.sessions / f"{record.session}.jsonl"))
    except OSError:  # its session was deleted
        return False


def nothing_to_take(folders: Folders) -> DreamFinished | None:
    """Return how a dream ends that has nothing to learn from; None when a model has to look."""
    from cococat.memory.dream import plan

    try:
        return plan.nothing_to_take(folders.memory, now=datetime.now(UTC))
    except CococatError:  # the dream meets it again, and tells
        return None


def start(settings: Settings, *, followed: bool = False) -> subprocess.Popen[bytes]:
    """
    Start a dream of its own, detached: it outlives this process and its terminal.

    Args:
        followed: its events come as JSON lines on `stdout`; it goes on when nobody reads them any more.
    """
    told = ["--output-format", "stream-json"] if followed else []
    return subprocess.Popen(
        # -P: or else a module in the working folder would be imported before ours
        [sys.executable, "-P", "-m", "cococat", "dream", "--background", "--quiet", *told, *_same_model(settings)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if followed else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _same_model(settings: Settings) -> list[str]:
    """Return the flags that lead a child to the model of this process; keys reach it as they reached us."""
    words = ["--config", str(settings.file)] if settings.file else []
    if settings.profile:
        words += ["--profile", settings.profile]
    for flag, key, value in (
        ("--model", "model.name", settings.model.name),
        ("--base-url", "model.base_url", settings.model.base_url),
        ("--max-tokens", "agent.max_total_tokens", settings.agent.max_total_tokens),
    ):
        if settings.origins[key].kind == "flag":
            words += [flag, str(value)]
    return words
