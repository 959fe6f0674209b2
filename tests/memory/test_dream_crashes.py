"""Killed, or out of disk, at any system call: memory and cursor are both old or both new, and the next dream ends it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cococat.memory.file.journal import JOURNAL
from cococat.memory.file.place import LOCK
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.versions import VERSIONS, log
from cococat.system.atomic import sweep, write_atomic
from tests.memory.conftest import START, edit
from tests.scripted import calls, forever, says

ROOT = Path(__file__).resolve().parents[2]
STRACE = shutil.which("strace")
OWN = '- 2026-05-04: "by the way, I moved to Lisbon in May"'  # what is noted where nobody judges
NEW = f"{START}{OWN}\n"
ADD = edit("- Writes Python", "- Writes Python\n- Moved to Lisbon", (1, "I moved to Lisbon in May"))
COMMIT = """
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from cococat.errors import StorageError
from cococat.memory.file.journal import Change, commit, recover
from cococat.memory.file.document import read
folder = Path(sys.argv[1])
try:
    recover(folder)
    memory = read(folder)
    line = '- 2026-05-04: "by the way, I moved to Lisbon in May"'
    row = {"key": "2026 05 04 by the way i moved to lisbon in may", "line": line}
    change = Change("dream", memory, memory.data + f"{line}\\n".encode(), lambda state: replace(state, cursor=1),
                    (row,), {"tokens": 5})
    commit(folder, change, now=datetime.now(UTC))
except StorageError as error:
    print(error.message, "|", error.hint)
"""
CALLS = (
    "write",
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "link",
    "mkdir",
    "pwrite64",
    "ftruncate",
)
FAULTS = ("signal=KILL", "error=ENOSPC", "error=EIO")

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="signals"),
    pytest.mark.skipif(STRACE is None, reason="strace makes system calls fail"),
]


def obedient(body):
    """A model that notes the one fact, whenever it is told of it."""
    return says("done") if any(message["role"] == "tool" for message in body["messages"]) else calls(ADD)


def traced(command, calls_file, call, fault, when):
    """Run *command* with the *when*th *call* failing; give what it printed, and the line of the trace."""
    trace = [STRACE, "-f", "-qq", "-o", calls_file, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={when}"]
    whole = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [*map(str, (*trace, *command))],
        env=whole,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    seen = Path(calls_file).read_text() if Path(calls_file).exists() else ""
    if not seen and ("ptrace" in ran.stderr or "Operation not permitted" in ran.stderr):
        pytest.skip("strace may not trace here")
    return ran, next((line for line in seen.splitlines() if "INJECTED" in line or "killed by SIGKILL" in line), "")


def check_next_dream_ends_it(notes, server):
    """Memory old or new, cursor with it; one more dream leads to the one expected end."""
    found = notes.text
    assert found in (START, NEW)
    asked = len(server.requests)

    finished = notes.dream(server)

    assert (2 if found == START else 0) == len(server.requests) - asked, "read twice, or not at all"
    assert (NEW, 1) == (notes.text, notes.state.cursor), finished
    assert ["dream"] == [entry.kind for entry in log(notes.folder)]
    rows = [json.loads(line) for line in (notes.folder / PROVENANCE).read_text().splitlines()]
    assert [OWN] == [row["line"] for row in rows]
    assert [] == list(notes.folder.rglob("*.tmp"))
    assert not (notes.folder / JOURNAL).exists()


@pytest.mark.parametrize(
    "point",
    [
        ("renameat", "signal=KILL", 1),
        ("renameat", "signal=KILL", 2),
        ("renameat", "signal=KILL", 3),
        ("renameat", "signal=KILL", 7),
        ("write", "signal=KILL", 2),
        ("fsync", "error=EIO", 4),
        ("write", "error=ENOSPC", 2),
        ("unlinkat", "signal=KILL", 1),
    ],
)
def test_a_commit_that_dies_at_a_system_call_is_ended_by_the_next_dream(notes, scripted, tmp_path, point):
    """A sample of the faults; the slow test below tries them all, with the whole command."""
    notes.has().said("by the way, I moved to Lisbon in May")

    ran, injected = traced((sys.executable, "-c", COMMIT, notes.folder), tmp_path / "calls", *point)

    assert injected
    assert "Traceback" not in ran.stderr
    check_next_dream_ends_it(notes, scripted(forever(obedient)))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("call", CALLS)
def test_a_dream_that_dies_at_any_system_call_is_ended_by_the_next_one(*, notes, scripted, tmp_path, home, call, fault):
    """Every write, sync, rename, removal and new folder of `cococat dream`, one after the other, until none is left."""
    server = scripted(forever(obedient))
    command = (sys.executable, "-P", "-m", "cococat", "dream", "--base-url", server.base_url, "-m", "scripted")
    for when in range(1, 200):
        shutil.rmtree(home / "memory", ignore_errors=True)
        notes.folder = home / "memory"
        notes.has().said("by the way, I moved to Lisbon in May")

        ran, injected = traced(command, tmp_path / f"{when}", call, fault, when)

        assert not re.search("Traceback|an internal error", ran.stderr), (when, ran.stderr)
        if ran.returncode > 0 and injected and "write(2," not in injected:  # then nobody can be told
            assert re.search(r"hint|;", ran.stderr), (when, ran.stderr)
        check_next_dream_ends_it(notes, server)
        if not injected:
            return
    pytest.fail("the calls never came to an end")


def test_what_killed_writers_left_is_gone_after_the_next_exchange(notes):
    """Whoever may change the folder sweeps it first, and only what is ours."""
    notes.has()
    ours = notes.folder / ".state.json.0123456789ab.tmp"
    others = [notes.folder / name for name in (".MEMORY.md.swp", "notes.tmp", ".MEMORY.md.tmp", ".x.0123456789AB.tmp")]
    for path in (ours, *others):
        path.write_text("half")

    notes.said("hello")

    assert not ours.exists()
    assert all(path.exists() for path in others)


def test_the_leftovers_of_a_killed_version_are_gone_after_the_next_dream(notes, scripted):
    """Half an entry of the log does not count, and its temporary files go."""
    notes.has().said("what is the capital of France?")
    entry = notes.folder / VERSIONS / "0001"
    entry.mkdir(parents=True, mode=0o700)
    (entry / ".after.md.0123456789ab.tmp").write_text("half")

    notes.dream(scripted(says("done")))

    assert [] == list(entry.iterdir())
    assert () == log(notes.folder)


def test_a_file_that_is_being_written_elsewhere_is_not_taken_for_left_over(tmp_path):
    """Without a lock only a temporary file of another hour goes, whichever way the clock was set."""
    fresh, old, future = (tmp_path / f".a.{digit * 12}.tmp" for digit in "123")
    for path in (fresh, old, future):
        path.write_text("half")
    now = fresh.stat().st_mtime
    os.utime(old, (now - 4000, now - 4000))
    os.utime(future, (now + 4000, now + 4000))

    write_atomic(tmp_path / "a", b"new")

    assert ["." + fresh.name[1:], "a"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_folder_full_of_other_things_is_left_alone(tmp_path):
    """A folder that has the name of a temporary file stays, and so does a link's target."""
    (tmp_path / ".a.0123456789ab.tmp").mkdir()
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / ".b.0123456789ab.tmp").symlink_to(target)

    sweep(tmp_path, alone=True)

    assert [".a.0123456789ab.tmp", "target"] == sorted(path.name for path in tmp_path.iterdir())
    assert "precious" == target.read_text()


def test_the_lock_is_free_after_a_kill(notes):
    """The system drops the lock of a process that died; nobody has to clean up."""
    notes.has()
    holder = (
        "import os, signal, sys; from pathlib import Path; from cococat.memory.file.place import locked\n"
        "with locked(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.run([sys.executable, "-c", holder, str(notes.folder)], env=env, check=False)

    seqs = notes.said("hello")

    assert (-9, [1]) == (killed.returncode, seqs)
    assert (notes.folder / LOCK).exists()
