"""Killed at any moment: memory and cursor are both old or both new, and nothing is left lying around."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cococat.memory.file.journal import JOURNAL, recover, undo
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.versions import log
from tests.memory.conftest import NOW, START

ROOT = Path(__file__).resolve().parents[2]
NEW = START + "- Moved to Lisbon\n"
CHILD = """
import os, signal, sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from cococat.memory.file.journal import Change, commit
from cococat.memory.file.document import read
folder, stop = Path(sys.argv[1]), sys.argv[2]

def after(step):
    if step == stop:
        os.kill(os.getpid(), signal.SIGKILL)

memory = read(folder)
change = Change("dream", memory, memory.data + b"- Moved to Lisbon\\n", lambda state: replace(state, cursor=1),
                ({"key": "moved to lisbon", "line": "- Moved to Lisbon"},), {"tokens": 5})
commit(folder, change, now=datetime.now(UTC), after=after)
"""


def commit_until(folder, step):
    """Commit in a process of its own that dies right after *step*."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", CHILD, str(folder), step], env=env, check=False).returncode


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("step", "expected"),
    [("journal", START), ("replace", NEW), ("versions", NEW), ("provenance", NEW), ("state", NEW), ("never", NEW)],
)
def test_memory_and_cursor_move_together(notes, step, expected):
    """After a kill the next start finishes or discards the change; a second start does nothing."""
    notes.has().said("by the way, I moved to Lisbon in May")
    code = commit_until(notes.folder, step)

    recover(notes.folder)

    assert (0 if step == "never" else -signal.SIGKILL) == code
    done = expected == NEW
    assert (expected, int(done)) == (notes.text, notes.state.cursor)
    assert ([1] if done else []) == [entry.number for entry in log(notes.folder)]
    rows = (notes.folder / PROVENANCE).read_text().count("\n") if done else 0
    assert int(done) == rows
    assert not (notes.folder / JOURNAL).exists()
    assert "" == recover(notes.folder)


def test_an_edit_by_hand_after_the_kill_wins(notes):
    """When the file is neither old nor new any more, the journal is dropped and the records are read again."""
    notes.has().said("by the way, I moved to Lisbon in May")
    commit_until(notes.folder, "journal")
    notes.has("# Mine\n")

    told = recover(notes.folder)

    assert ("# Mine\n", 0) == (notes.text, notes.state.cursor)
    assert "discarded" in told


@pytest.mark.parametrize("data", [b"", b"{", b"{}", b"[]", b"\xff"])
def test_a_damaged_journal_is_discarded(notes, data):
    """It cannot happen by a crash; it must not stop the next dream all the same."""
    notes.has()
    (notes.folder / JOURNAL).write_bytes(data)

    recover(notes.folder)

    assert (START, False) == (notes.text, (notes.folder / JOURNAL).exists())


def test_temporary_files_of_a_killed_process_are_removed(notes):
    """No leftover survives the next start."""
    notes.has()
    leftover = notes.folder / ".MEMORY.md.0123456789ab.tmp"
    leftover.write_text("half")

    recover(notes.folder)

    assert not leftover.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_dream_that_was_killed_in_its_commit_is_the_newest_to_undo(notes):
    """What looks back finishes the change first."""
    notes.has().said("by the way, I moved to Lisbon in May")
    commit_until(notes.folder, "replace")

    finished = undo(notes.folder, None, now=NOW)

    assert ("changed", START) == (finished.outcome, notes.text)
