"""One log looked at closely, whoever writes it, with nothing changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cococat.core.history import open_calls, repair
from cococat.store.ids import find, log_path
from cococat.store.lock import holder
from cococat.store.record import Record, read_log
from cococat.store.session_state import History
from cococat.store.sessions import unreadable


@dataclass(frozen=True, slots=True)
class Examination:
    """
    What is in a log.

    Args:
        size: bytes.
        records: lines that can be read, by type.
        damaged: numbers of lines that cannot be read although good ones follow, the first few of them.
        skipped: how many those are.
        missing: numbers between the first and the last record that no line has, damaged lines not counted.
        torn: bytes behind the last good line.
        aside: bytes of torn lines that were put aside before.
        unread: messages of a kind that is not known.
        open_calls: tools that were called and have no result.
        repairs: a resume would have to fix the history.
        future: written by a newer format.
        owner: the process that writes it now; empty when none does.
    """

    id: str
    path: Path
    size: int
    records: Mapping[str, int]
    damaged: tuple[int, ...]
    skipped: int
    missing: int
    torn: int
    aside: int
    unread: int
    open_calls: tuple[str, ...]
    repairs: bool
    future: bool
    owner: str

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, in sentences; of an open log, what its owner may be about to write is not."""
        lines = ", ".join(map(str, self.damaged)) + (", …" if self.skipped > len(self.damaged) else "")
        told = [
            f"lines that cannot be read: {self.skipped} (line {lines})" if self.skipped else "",
            f"numbers that no line has: {self.missing}" if self.missing else "",
            f"messages of an unknown kind: {self.unread}" if self.unread else "",
            "it was written by a newer cococat" if self.future else "",
            "" if self.records else "no line can be read",
        ]
        if not self.owner:
            told += [
                f"the last line is torn: {self.torn:,} bytes" if self.torn else "",
                f"calls without a result: {', '.join(self.open_calls)}" if self.open_calls else "",
                "the order of calls and results is broken" if self.repairs and not self.open_calls else "",
            ]
        return tuple(filter(None, told))

    @property
    def fixes(self) -> tuple[str, ...]:
        """What a repair would do, in sentences; what it cannot fix stays as it is."""
        if self.owner or self.future or not self.records:
            return ()
        told = [
            f"move the torn line to {self.path.name}.torn" if self.torn else "",
            "add a result of unknown outcome for each open call" if self.open_calls else "",
            "put calls and results in order" if self.repairs and not self.open_calls else "",
        ]
        return tuple(filter(None, told))


def examine(folder: Path, prefix: str) -> Examination:
    """
    Read the log of the session whose id begins with *prefix*.

    Raises:
        UsageError: no such session.
        StorageError: it cannot be read.
    """
    path = log_path(folder, find(folder, prefix))
    history, records = History(), Counter[str]()

    def take(record: Record) -> None:
        records[record.type] += 1
        history.take(record)

    try:
        owner = holder(path)  # before it is read: what an owner writes meanwhile is no fault
        lines = read_log(path, take)
        torn_path = path.with_name(f"{path.name}.torn")
        aside = torn_path.stat().st_size if torn_path.exists() else 0
    except OSError as error:
        raise unreadable(path, error) from error
    return Examination(
        path.stem,
        path,
        lines.size,
        dict(records.most_common()),
        tuple(lines.damaged),
        lines.skipped,
        max(0, lines.seq - records.total() - lines.skipped),
        lines.size - lines.end,
        aside,
        history.unread,
        tuple(call.name for call in open_calls(history.messages)),
        list(repair(history.messages)) != history.messages,
        lines.future,
        owner,
    )
