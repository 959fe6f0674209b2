"""Many processes in one folder of sessions: nothing is mixed, nothing lost, and each log has one owner."""

from __future__ import annotations

import socket

import pytest

from cococat.core.messages import Assistant, User
from cococat.store.ids import all_ids
from cococat.store.record import Reading
from cococat.store.sessions import load
from tests.scripted import says

PARTS = 3  # messages of a round

ROUNDS = """
import sys
from pathlib import Path
from cococat.core.events import MessageAdded
from cococat.core.messages import User
from cococat.store.listing import list_sessions
from cococat.store.sessions import create, load, resume
folder, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
log = create(folder, model=name, host="h", mode="single", cwd=name)
said = []
for number in range(rounds):
    for part in range(int(sys.argv[4])):
        said.append(f"{name} {number} {part}")
        log.emit(MessageAdded(User(said[-1])))
        assert log.problem is None, log.problem
    log.close()
    infos = list_sessions(folder, folder.parent / "cache")
    assert log.id in [info.id for info in infos]
    for info in infos:
        theirs = load(folder, info.id)  # while its owner writes
        assert {info.model} == {info.cwd} == {message.text.split()[0] for message in theirs.messages}, theirs
        assert 0 == theirs.skipped
    log, messages, notes = resume(folder, log.id)
    assert (said, ()) == ([message.text for message in messages], notes)
log.close()
print(log.id)
"""

WANTS = """
import sys
from pathlib import Path
from cococat.errors import UsageError
from cococat.store.sessions import resume
print("ready", flush=True)
sys.stdin.readline()
try:
    log, _, _ = resume(Path(sys.argv[1]), sys.argv[2])
except UsageError as error:
    print(error.exit_code, error.message, flush=True)
else:
    print("owner", flush=True)
    sys.stdin.readline()
    log.close()
"""

OWNER = """
import sys
from pathlib import Path
from cococat.core.events import MessageAdded
from cococat.core.messages import Assistant, User
from cococat.store.sessions import create
log = create(Path(sys.argv[1]), model="m", host="h", mode="single", cwd="/")
log.emit(MessageAdded(User("hi")))
log.emit(MessageAdded(Assistant("hello")))
print(log.id, flush=True)
sys.stdin.readline()
log.close()
"""


def go(children):
    """Let them begin at the same moment: each waits until all are there."""
    assert {"ready\n"} == {child.stdout.readline() for child in children}
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()


def side_by_side(process, folder, children, rounds):
    """Run *children* processes for *rounds* rounds each; every log is whole and holds its own words alone."""
    names = [f"child{number}" for number in range(children)]
    running = [process(ROUNDS, folder, name, rounds, PARTS) for name in names]
    go(running)
    ended = [child.communicate() for child in running]

    assert [0] * children == [child.returncode for child in running]
    ids = [output.strip() for output, _ in ended]
    assert sorted(ids) == all_ids(folder)
    assert {f"{session_id}.jsonl" for session_id in ids} == {path.name for path in folder.iterdir()}
    for name, session_id in zip(names, ids, strict=True):
        with (folder / f"{session_id}.jsonl").open("rb") as stream:
            reading = Reading(stream)
            numbers = [record.seq for record in reading]
        assert list(range(1, 2 + rounds * PARTS)) == numbers
        assert (0, reading.size) == (reading.skipped, reading.end)
        said = [f"{name} {number} {part}" for number in range(rounds) for part in range(PARTS)]
        assert said == [message.text for message in load(folder, session_id).messages]


def test_processes_that_write_list_and_resume_at_once_do_not_disturb_each_other(process, tmp_path):
    """20 rounds of 5 processes: numbers follow each other, and no word is lost or in another's log."""
    side_by_side(process, tmp_path / "sessions", 5, 4)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_500_rounds_of_16_processes_lose_nothing(process, tmp_path):
    """The same for as many processes as a busy machine has."""
    side_by_side(process, tmp_path / "sessions", 16, 32)


def test_of_many_that_want_one_session_exactly_one_gets_it(process, tmp_path):
    """The others are refused at once; whom their message names, if anybody, is the owner."""
    first = process(OWNER, tmp_path)
    session_id = first.stdout.readline().strip()
    first.communicate("leave\n")
    children = [process(WANTS, tmp_path, session_id) for _ in range(4)]

    go(children)
    told = {child.pid: child.stdout.readline() for child in children}

    (owner,) = [pid for pid, said in told.items() if said == "owner\n"]
    refused = [said for pid, said in told.items() if pid != owner]
    assert all(said.startswith(f"2 session {session_id} is open in another cococat") for said in refused)
    assert all("(process " not in said or f"(process {owner} on " in said for said in refused)


def test_a_second_owner_is_refused_by_the_command_and_a_fork_goes_on(process, cococat, scripted, home):
    """Exit 2 names the first one's process; `--fork` answers from a copy and leaves the first log alone."""
    owner = process(OWNER, home / "sessions")
    session_id = owner.stdout.readline().strip()
    log = home / "sessions" / f"{session_id}.jsonl"
    before = log.read_bytes()
    server = scripted(says("copied"))
    words = ("ask", "--base-url", server.base_url, "-m", "demo", "--no-dream", "-r", session_id)

    refused = cococat(*words, "again")
    forked = cococat(*words, "--fork", "again")

    assert (2, "") == (refused.code, refused.stdout)
    assert f"process {owner.pid} on {socket.gethostname()!a}" in refused.stderr
    assert "--fork" in refused.stderr
    assert (0, "copied\n") == (forked.code, forked.stdout)
    assert ["hi", "hello", "again"] == [message["content"] for message in server.requests[0]["messages"][1:]]
    assert before == log.read_bytes()
    (copy,) = set(all_ids(home / "sessions")) - {session_id}
    history = (User("hi"), Assistant("hello"), User("again"), Assistant("copied"))
    assert history == load(home / "sessions", copy).messages
