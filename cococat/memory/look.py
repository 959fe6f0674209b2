"""The free look before a dream: whether anything that waits could be learned from, found out without a model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from cococat.core.events import DreamFinished
from cococat.memory import receipt
from cococat.memory.commit import update
from cococat.memory.exchanges import Record, pending
from cococat.memory.place import Busy, locked
from cococat.memory.runs import log_run
from cococat.memory.state import read_state
from cococat.memory.statements import statements

__all__ = ["free_look", "nothing_to_learn"]

MAX_RECORDS = 200  # that one look reads; behind them a model looks
COMMAND_WORDS = 6  # a longer command may say something about its user
_COMMAND = re.compile(
    r"\W*(please )?(run|list|show|read|open|print|explain|summari[sz]e|translate|count|find|search|grep|fix|check|test"
    r"|stop|continue|go on|try again|retry|undo|help)\b"
)
_WORD = re.compile(r"\w")  # what a line could rest on: there is none in a face
_OWN = re.compile(
    r"\b(i|i'm|me|my|mine|we|us|our|ours|always|never|remember|note|forget|from now|prefer|instead|keep|call)\b"
)


def nothing_to_learn(records: Iterable[Record]) -> bool:
    """Return whether *records* hold nothing but questions and bare commands: no dream could note a line."""
    return not any(_may_tell(record.typed) for record in records)


def free_look(folder: Path, *, now: datetime) -> DreamFinished | None:
    """
    Move the cursor behind records that nothing can be learned from; None when a model has to look.

    Raises: StorageError: the memory folder is not usable.
    """
    try:
        with locked(folder, "dream.lock", wait_s=0):
            found = pending(folder, read_state(folder).cursor, most=MAX_RECORDS)
            if not found.records or found.waiting > MAX_RECORDS or not nothing_to_learn(found.records):
                return None
            last = found.records[-1].seq
            update(folder, lambda state: replace(state, cursor=last, offset=0, failures=0, limit=0))
            finished = DreamFinished("nothing", receipt.unchanged("only questions"))
            log_run(folder, finished, now=now)
            return finished
    except Busy:  # a dream runs, and will say what became of it
        return None


def _may_tell(typed: str) -> bool:
    """Return whether *typed* may say something lasting; a request in the form of a question states a wish."""
    said = statements(typed)
    stated = _folded(said.stated)
    bare = _COMMAND.match(stated) and len(stated.split()) <= COMMAND_WORDS and not _OWN.search(stated)
    return bool(said.wished.strip() or (_WORD.search(stated) and not bare))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
