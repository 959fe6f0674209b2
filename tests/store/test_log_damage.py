"""What a crash, a full disk or a bad sector does to a log: nothing that was saved is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat

import pytest

from cococat.core.events import MessageAdded, TextDelta, ToolPending, TurnFinished
from cococat.core.history import UNKNOWN_OUTCOME, assert_valid
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.errors import StorageError
from cococat.store.record import decode, encode
from cococat.store.sessions import load, resume

posix = pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX systems")

WRITER = """
import sys
from pathlib import Path
from cococat.core.events import MessageAdded, TextDelta
from cococat.core.messages import Assistant, User
from cococat.store.sessions import create
log = create(Path(sys.argv[1]), model="m", host="h", mode="single", cwd="/")
print(log.id, flush=True)
for number in range(100_000):
    log.emit(TextDelta("text " * 20))
    log.emit(MessageAdded(User(f"message {number}")))
    assert log.problem is None
    print(number, flush=True)
"""

LIMITED = """
import resource, signal, sys
from pathlib import Path
from cococat.core.events import MessageAdded
from cococat.core.messages import User
from cococat.store.sessions import create
log = create(Path(sys.argv[1]), model="m", host="h", mode="single", cwd="/")
log.emit(MessageAdded(User("first")))
limit = log.path.stat().st_size + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
if sys.argv[3] == "die":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
print(log.id, flush=True)
for text in ("second", "third"):
    log.emit(MessageAdded(User(text)))
    print(log.problem is None, log.problem.message if log.problem else "", flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
if sys.argv[3] == "recover":
    log.emit(MessageAdded(User("fourth")))
    print(log.problem is None, log.problem, flush=True)
    log.close()
"""

FAILING = """
import sys
from pathlib import Path
from cococat.core.events import MessageAdded
from cococat.core.messages import User
from cococat.store.sessions import create
log = create(Path(sys.argv[1]), model="m", host="h", mode="single", cwd="/")
print(log.id, flush=True)
for number in range(4):
    log.emit(MessageAdded(User(f"message {number}")))
    print(log.problem is None, flush=True)
log.close()
"""


def written(begin, *texts):
    """A closed log with a message for each text; its path."""
    log = begin()
    for text in texts:
        log.emit(MessageAdded(User(text)))
    log.close()
    return log.path


def texts(folder, prefix):
    """The texts of the messages that a reader sees."""
    return [message.text for message in load(folder, prefix).messages]


def test_every_line_is_ascii_numbered_and_sealed(begin):
    """No text can break or join lines, and a flipped bit is noticed."""
    path = written(begin, "line\u2028break\r\n\x00\ud800 café")

    lines = path.read_bytes().splitlines(keepends=True)

    assert [1, 2] == [decode(line).seq for line in lines]
    assert all(byte < 128 for byte in path.read_bytes())
    assert ["v", "seq", "ts", "type", "message", "turn", "model", "cwd", "mark", "crc"] == list(json.loads(lines[1]))
    assert decode(lines[1].replace(b"caf", b"cbf")) is None


@posix
def test_logs_are_private(begin):
    """The folder is 0700, the file 0600."""
    path = written(begin, "secret")

    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_a_tail_torn_at_any_byte_is_set_aside_and_the_rest_goes_on(begin):
    """Everything before the last line is loaded; the fragment is kept; the next message is not lost."""
    path = written(begin, "first", "second")
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    torn = path.with_name(path.name + ".torn")

    for cut in range(1, last):
        torn.unlink(missing_ok=True)
        path.write_bytes(whole[:-cut])

        log, messages, notes = resume(path.parent, path.stem)
        log.emit(MessageAdded(User("third")))
        log.close()

        assert ["first"] == [message.text for message in messages]
        assert whole[-last:-cut] == torn.read_bytes()
        assert "torn" in notes[0]
        assert ["first", "third"] == texts(path.parent, path.stem)


def test_a_log_cut_between_two_lines_needs_no_fix(begin):
    """Nothing was torn, so nothing is set aside."""
    path = written(begin, "first", "second")
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:-1]))

    log, messages, notes = resume(path.parent, path.stem)
    log.close()

    assert (User("first"),) == messages
    assert () == notes
    assert not path.with_name(path.name + ".torn").exists()


def test_a_log_without_one_good_line_is_left_as_it_is(begin):
    """What we cannot read at all may be somebody's last copy."""
    path = written(begin, "first")
    path.write_bytes(b"\x00" * 1000)

    with pytest.raises(StorageError) as raised:
        resume(path.parent, path.stem)

    assert "no line that can be read" in raised.value.message
    assert b"\x00" * 1000 == path.read_bytes()
    assert [path] == list(path.parent.iterdir())


def test_a_second_torn_tail_does_not_replace_the_first(begin):
    """Fragments add up; none is thrown away."""
    path = written(begin, "first")

    for fragment in (b'{"v":1,"se', b"\x00" * 10):
        with path.open("ab") as stream:
            stream.write(fragment)
        resume(path.parent, path.stem)[0].close()

    assert b'{"v":1,"se' + b"\x00" * 10 == path.with_name(path.name + ".torn").read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        b"\x00" * 4096 + b"\n",
        b"not json\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b"[]\n",
        b"\n",
        encode(2, 0, {"type": "message", "message": {"role": "user", "text": "a copy"}}),
        encode(9, 0, {"type": "message", "message": {"role": "user", "text": "changed"}}).replace(
            b"changed", b"forgery"
        ),
    ],
    ids=["nul", "words", "not-utf8", "deep", "list", "empty", "old-number", "bad-checksum"],
)
def test_a_bad_line_in_the_middle_is_skipped_counted_and_kept(begin, damage):
    """The rest is loaded, the user is told, and not a byte of the file changes."""
    path = written(begin, "first", "second", "third")
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:3], damage, *lines[3:]])
    path.write_bytes(damaged)

    session = load(path.parent, path.stem)
    log, messages, notes = resume(path.parent, path.stem)
    log.close()

    assert ["first", "second", "third"] == [message.text for message in messages]
    assert 1 == session.skipped
    assert ("damaged lines of the log that were skipped, and are still in the file: 1",) == notes == session.notes
    assert damaged == path.read_bytes()


def test_unknown_types_stay_in_the_log_byte_for_byte(begin):
    """A session that a newer version has touched can still be continued, and loses nothing."""
    path = written(begin, "first")
    with path.open("ab") as stream:
        stream.write(encode(3, 0, {"type": "tomorrow", "what": [1]}))
    before = path.read_bytes()

    log, messages, notes = resume(path.parent, path.stem)
    log.emit(MessageAdded(User("second")))
    log.close()

    assert (User("first"),) == messages
    assert () == notes
    assert path.read_bytes().startswith(before)
    assert ["first", "second"] == texts(path.parent, path.stem)


@posix
def test_a_process_killed_while_it_writes_loses_nothing_that_was_acknowledged(process, tmp_path):
    """Whatever a process said was saved is there after SIGKILL, and the session goes on."""
    for acknowledged in (1, 7, 40):
        child = process(WRITER, tmp_path)
        session_id = child.stdout.readline().strip()
        for _ in range(acknowledged):
            last = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        child.wait()

        log, messages, _ = resume(tmp_path, session_id)
        log.emit(MessageAdded(User("after")))
        log.close()

        assert len(messages) >= last + 1
        assert [f"message {number}" for number in range(len(messages))] == [message.text for message in messages]
        assert [*messages, User("after")] == list(load(tmp_path, session_id).messages)


@posix
def test_a_process_killed_within_a_line_leaves_a_session_that_goes_on(process, tmp_path):
    """The kernel kills the process when half of its line is in the file."""
    child = process(LIMITED, tmp_path, 50, "die")
    session_id = child.stdout.readline().strip()

    assert -signal.SIGXFSZ == child.wait()
    assert not (tmp_path / f"{session_id}.jsonl").read_bytes().endswith(b"\n")

    log, messages, notes = resume(tmp_path, session_id)
    log.close()

    assert (User("first"),) == messages
    assert "torn" in notes[0]
    assert 50 == (tmp_path / f"{session_id}.jsonl.torn").stat().st_size


@posix
@pytest.mark.parametrize("room", [0, 1, 50])
def test_a_full_disk_is_a_problem_never_an_exception_and_old_lines_stay(process, tmp_path, room):
    """The run goes on in memory; what was saved before is whole."""
    child = process(LIMITED, tmp_path, room, "stay")
    output, _ = child.communicate()
    session_id, *states = output.splitlines()

    assert 0 == child.returncode
    assert ["False this session is not being saved: File too large"] * 2 == [state.split(" (")[0] for state in states]
    assert ["first"] == texts(tmp_path, session_id)[:1]


@posix
@pytest.mark.parametrize("room", [0, 50])
def test_what_did_not_fit_is_written_once_there_is_room_again(process, tmp_path, room):
    """No message is lost, doubled or out of order, and the log has no hole."""
    child = process(LIMITED, tmp_path, room, "recover")
    output, _ = child.communicate()
    session_id, *states = output.splitlines()

    session = load(tmp_path, session_id)

    assert "True None" == states[-1]
    assert ["first", "second", "third", "fourth"] == [message.text for message in session.messages]
    assert 0 == session.skipped
    assert not (tmp_path / f"{session_id}.jsonl.torn").exists()


def test_a_folder_that_cannot_be_made_keeps_the_session_in_memory(begin, tmp_path):
    """One problem with its fix instead of an error; later messages are saved when the way is free."""
    (tmp_path / "sessions").write_text("in the way")

    log = begin()
    log.emit(MessageAdded(User("first")))

    assert log.problem
    assert "this session is not being saved" in log.problem.message
    assert log.problem.hint

    (tmp_path / "sessions").unlink()
    log.emit(MessageAdded(User("second")))

    assert log.problem is None
    assert ["first", "second"] == texts(tmp_path / "sessions", log.id)


@posix
def test_a_log_that_cannot_be_written_at_first_is_not_mixed_with_what_others_wrote(begin, tmp_path):
    """It is read and goes on in memory; once it could be written, another process's lines are respected."""
    path = written(begin, "first")
    away = path.rename(tmp_path / "away")
    path.symlink_to(away)  # is read, but not written through
    log, messages, _ = resume(path.parent, path.stem)
    path.unlink()
    away.rename(path)
    other, _, _ = resume(path.parent, path.stem)

    log.emit(MessageAdded(User("second")))
    while_owned = log.problem
    other.emit(MessageAdded(User("other")))
    other.close()
    log.emit(MessageAdded(User("third")))
    log.close()

    assert (User("first"),) == messages
    assert "is open in another cococat" in while_owned.message
    assert "another process has written to it" in log.problem.message
    assert ["first", "other"] == texts(path.parent, path.stem)


def test_a_stream_without_end_does_not_stay_in_memory(begin):
    """After a million characters what has arrived is written."""
    log = begin()
    for _ in range(5):
        log.emit(TextDelta("x" * 300_000))

    assert log.path.stat().st_size > 1_000_000


@posix
def test_a_log_deleted_while_it_is_written_is_noticed(begin):
    """Nothing is reported as saved that nobody can ever read."""
    log = begin()
    log.emit(MessageAdded(User("first")))
    log.path.unlink()

    log.emit(MessageAdded(User("second")))

    assert "deleted" in log.problem.message


def test_a_crash_within_a_step_is_fixed_once(begin):
    """The open call gets its one result, behind its group; loading again changes nothing."""
    log = begin()
    calls = (ToolCall("1", "run_shell", "{}"), ToolCall("2", "grep_search", "{}"))
    for message in (User("do it"), Assistant(calls=calls), ToolResult("2", "grep_search", "found")):
        log.emit(MessageAdded(message))
    log.emit(ToolPending("1", "run_shell", "{}"))
    log.close()

    shown = load(log.path.parent, log.id)
    first, messages, notes = resume(log.path.parent, log.id)
    first.close()
    fixed = log.path.read_bytes()
    second, again, quiet = resume(log.path.parent, log.id)
    second.close()

    assert_valid(messages)
    assert ToolResult("1", "run_shell", UNKNOWN_OUTCOME, "error") == messages[2]
    assert ToolResult("2", "grep_search", "found") == messages[3]
    assert "unknown outcome" in notes[0]
    assert messages == again == shown.messages
    assert () == quiet
    assert fixed == log.path.read_bytes()


def test_streams_are_cheap_and_whole(begin):
    """10,000 deltas become few lines that hold every character."""
    now = [0.0]

    def clock():
        now[0] += 0.001
        return now[0]

    log = begin(clock=clock)
    for number in range(10_000):
        log.emit(TextDelta(f"{number} "))
    log.emit(MessageAdded(Assistant("done")))
    log.emit(TurnFinished("done", Stop(StopReason.ANSWERED), 1, Usage(), 1))
    log.close()

    session = load(log.path.parent, log.id)
    deltas = [timed.event for timed in session.timeline if isinstance(timed.event, TextDelta)]

    assert "".join(f"{number} " for number in range(10_000)) == "".join(delta.text for delta in deltas)
    assert 150 < len(deltas) < 250
    assert all(
        later.ts - one.ts > 0.04 for one, later in zip(session.timeline[1:], session.timeline[2:-2], strict=False)
    )


@posix
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes the system calls fail")
@pytest.mark.parametrize("which", [3, 4])
def test_a_failed_fsync_is_never_reported_as_saved(process, tmp_path, which):
    """What was written since the last good fsync is written again, not synced again."""
    log = tmp_path / "calls"
    trace = ("strace", "-f", "-qq", "-o", str(log), "-e", "trace=fsync,ftruncate,write")
    child = process(FAILING, tmp_path / "s", before=(*trace, "-e", f"inject=fsync:error=EIO:when={which}"))
    output, _ = child.communicate()
    if not output:
        pytest.skip("strace may not trace here")
    session_id, *saved = output.split()

    assert 1 == saved.count("False")
    assert "True" == saved[-1]
    assert "ftruncate" in log.read_text()
    assert [f"message {number}" for number in range(4)] == texts(tmp_path / "s", session_id)
    assert 0 == load(tmp_path / "s", session_id).skipped


@posix
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace kills at system calls")
@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC", "error=EIO"])
@pytest.mark.parametrize("call", ["write", "fsync", "openat"])
def test_a_fault_at_any_system_call_loses_nothing_acknowledged(tmp_path, process, call, fault):
    """Kill, full disk and broken disk at each write, fsync and open of a session; short writes have their own tests."""
    calls = tmp_path / "calls"
    first = 1 if call != "openat" else _opens_before_the_log(process, tmp_path)
    for when in range(first, first + 40):
        folder = tmp_path / str(when)
        trace = ("strace", "-f", "-qq", "-o", str(calls), "-e", f"trace={call}", "-e")
        child = process(FAILING, folder, before=(*trace, f"inject={call}:{fault}:when={when}"))
        output, _ = child.communicate()
        session_id, *saved = output.split() or [""]
        acknowledged = max((number + 1 for number, state in enumerate(saved) if state == "True"), default=0)
        if acknowledged:
            log, messages, _ = resume(folder, session_id)
            log.close()

            assert len(messages) >= acknowledged
            assert [f"message {number}" for number in range(len(messages))] == [message.text for message in messages]
        if "INJECTED" not in calls.read_text() and "killed" not in calls.read_text():
            break
    assert when > first + 3


def _opens_before_the_log(process, tmp_path):
    """How many files Python itself opens before ours."""
    calls = tmp_path / "opens"
    process(
        FAILING, tmp_path / "s", before=("strace", "-f", "-qq", "-o", str(calls), "-e", "trace=openat")
    ).communicate()
    lines = calls.read_text().splitlines()
    return next(number for number, line in enumerate(lines) if str(tmp_path / "s") in line)
