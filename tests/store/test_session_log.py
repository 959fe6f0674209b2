"""Sessions from beginning to end: owned by one process, resumed, forked, found, listed."""

from __future__ import annotations

import os
import re
import signal
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cococat.core.events import (
    MessageAdded,
    Notice,
    ReasoningDelta,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.history import assert_valid, repair
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Assistant, Picture, Summary, ToolCall, ToolResult, User
from cococat.errors import StorageError, UsageError
from cococat.store.ids import find
from cococat.store.listing import latest, list_sessions
from cococat.store.record import VERSION, Reading, encode
from cococat.store.session_search import search
from cococat.store.sessions import create, delete, fork_before, load, outdated, repair_log, resume

posix = pytest.mark.skipif(os.name == "nt", reason="locks of POSIX systems")
ANSWERED = TurnFinished("hello", Stop(StopReason.ANSWERED), 1, Usage(3, 4), 0.5)
TEXT = st.text(st.characters(), min_size=1, max_size=5)
IDS = st.sampled_from(["1", "2", "3", ""])
ANY_MESSAGES = st.lists(
    st.one_of(
        st.builds(User, TEXT),
        st.builds(
            Assistant, st.text(max_size=3), st.just(""), st.lists(st.builds(ToolCall, IDS, TEXT, TEXT)).map(tuple)
        ),
        st.builds(ToolResult, IDS, TEXT, TEXT),
    ),
    max_size=8,
)

OWNER = """
import sys
from pathlib import Path
from cococat.core.events import MessageAdded
from cococat.core.messages import User
from cococat.store.sessions import create
log = create(Path(sys.argv[1]), model="m", host="h", mode="single", cwd="/")
log.emit(MessageAdded(User("hi")))
print(log.id, flush=True)
sys.stdin.read()
log.close()
"""

MANY = """
import sys
from pathlib import Path
from cococat.core.events import MessageAdded
from cococat.core.messages import User
from cococat.store.listing import list_sessions
from cococat.store.sessions import create
sys.stdin.readline()
for _ in range(20):
    log = create(Path(sys.argv[1]), model="m", host="h", mode="single", cwd="/")
    for number in range(5):
        log.emit(MessageAdded(User(str(number))))
    assert any(info.id == log.id for info in list_sessions(Path(sys.argv[1])))
    log.close()
"""


def events(session):
    """What a log tells, without the times."""
    return [timed.event for timed in session.timeline]


def said(log, *texts):
    """One finished turn for each text."""
    for text in texts:
        log.emit(MessageAdded(User(text)))
        log.emit(MessageAdded(Assistant("hello")))
        log.emit(ANSWERED)


def test_a_session_is_read_back_as_it_was(begin):
    """Messages, events and what is known of the session."""
    log = begin()
    log.emit(SessionStarted(log.id, "m", "h", "react"))
    log.emit(TextDelta("hel"))
    log.emit(TextDelta("lo"))
    said(log, "hi  there\nfriend")
    log.close()

    session = load(log.path.parent, log.id)

    assert (User("hi  there\nfriend"), Assistant("hello")) == session.messages
    assert [
        SessionStarted(log.id, "m", "h", "react"),
        TextDelta("hel"),
        TextDelta("lo"),
        MessageAdded(User("hi  there\nfriend")),
        MessageAdded(Assistant("hello")),
        ANSWERED,
    ] == events(session)
    assert ("hi there friend", 1, "/home/me", "m") == (
        session.info.title,
        session.info.turns,
        session.info.cwd,
        session.info.model,
    )
    assert session.info.started < session.info.updated
    assert [session.info] == list_sessions(log.path.parent)


def test_a_session_without_a_message_leaves_nothing(begin):
    """Looking in and leaving again does not fill the list."""
    log = begin()
    log.emit(Notice("hello"))

    log.close()

    assert [] == list(log.path.parent.iterdir())


def test_a_killed_session_without_a_message_is_not_the_latest(begin):
    """`--continue` goes on with a conversation, not with an empty file."""
    first = begin()
    said(first, "hi")
    first.close()
    begin()

    assert first.id == latest(first.path.parent)


def test_a_second_owner_is_refused_with_process_host_and_the_way_out(process, tmp_path):
    """Two processes never write one log; reading, listing and a fork still work."""
    child = process(OWNER, tmp_path)
    session_id = child.stdout.readline().strip()

    with pytest.raises(UsageError) as raised:
        resume(tmp_path, session_id)
    fork, messages, notes = resume(tmp_path, session_id, fork=True)
    fork.close()

    assert f"(process {child.pid} on " in raised.value.message
    assert f"--resume {session_id} --fork" in raised.value.hint
    assert 2 == raised.value.exit_code
    assert (User("hi"),) == messages == load(tmp_path, session_id).messages
    assert session_id in notes[0]
    assert {session_id, fork.id} == {info.id for info in list_sessions(tmp_path)}
    with pytest.raises(UsageError):
        delete(tmp_path, session_id)


@posix
def test_the_log_of_a_killed_owner_is_free_whatever_its_note_says(process, tmp_path):
    """No note about a process decides anything, only the system's lock."""
    child = process(OWNER, tmp_path)
    session_id = child.stdout.readline().strip()
    child.send_signal(signal.SIGKILL)
    child.wait()
    note = tmp_path / f"{session_id}.owner"
    note.write_text(f'{{"pid": {os.getpid()}, "host": "here"}}')

    log, messages, _ = resume(tmp_path, session_id)
    log.close()

    assert (User("hi"),) == messages
    assert not note.exists()


def test_a_log_is_free_again_once_it_is_closed(begin):
    """Also within one process."""
    log = begin()
    said(log, "hi")

    with pytest.raises(UsageError):
        resume(log.path.parent, log.id)
    log.close()
    again, _, _ = resume(log.path.parent, log.id)
    again.close()

    assert [log.path] == list(log.path.parent.iterdir())


def test_many_processes_write_and_list_side_by_side(process, tmp_path):
    """No line is lost or mixed, and every number follows the one before."""
    children = [process(MANY, tmp_path) for _ in range(4)]
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()

    assert [0] * 4 == [child.wait() for child in children]
    assert 80 == len(list_sessions(tmp_path))
    for info in list_sessions(tmp_path):
        with (tmp_path / f"{info.id}.jsonl").open("rb") as stream:
            reading = Reading(stream)
            assert list(range(1, 7)) == [record.seq for record in reading]
        assert (0, info.size) == (reading.skipped, reading.end)


@settings(max_examples=40)
@given(messages=ANY_MESSAGES)
def test_any_history_comes_back_valid_and_loading_again_changes_nothing(tmp_path_factory, messages):
    """A log with whatever messages folds to their repair, which is recorded once."""
    folder = tmp_path_factory.mktemp("sessions")
    log = create(folder, model="m", host="h", mode="react", cwd="/")
    log.emit(MessageAdded(User("begin")))
    for message in messages:
        log.emit(MessageAdded(message))
    log.close()

    first, fixed, _ = resume(folder, log.id)
    first.close()
    stored = log.path.read_bytes()
    second, again, notes = resume(folder, log.id)
    second.close()

    assert repair([User("begin"), *messages]) == fixed == again == load(folder, log.id).messages
    assert stored == log.path.read_bytes()
    assert notes == ()
    assert_valid(fixed)


def test_a_summary_stands_for_the_messages_it_covers(begin):
    """The log keeps them; the history that goes on does not."""
    log = begin()
    said(log, "one", "two")
    log.emit(MessageAdded(Summary("we spoke", 2)))
    said(log, "three")
    log.close()

    session = load(log.path.parent, log.id)

    assert [Summary("we spoke", 2), User("two"), Assistant("hello"), User("three"), Assistant("hello")] == list(
        session.messages
    )
    assert MessageAdded(User("one")) in events(session)


def test_a_rewind_takes_nothing_out_of_the_log(begin):
    """The history is shorter, the file is longer; a rewind of the rewind brings it back."""
    log = begin()
    said(log, "one", "two")
    whole = load(log.path.parent, log.id).messages
    before = log.path.read_bytes()

    log.rewrite("rewind", whole, whole[:2])
    assert whole[:2] == load(log.path.parent, log.id).messages
    log.rewrite("rewind", whole[:2], whole)

    assert whole == load(log.path.parent, log.id).messages
    assert log.path.read_bytes().startswith(before)


def test_a_fork_has_the_history_and_leaves_the_original_alone(begin):
    """The copy goes on by itself, under an id and, if there was one, the title of its own."""
    log = begin()
    said(log, "hi")
    log.rename("my  talk")
    log.close()
    before = log.path.read_bytes()

    fork, messages, _ = resume(log.path.parent, log.id, fork=True)
    said(fork, "more")
    fork.close()
    session = load(log.path.parent, fork.id)

    assert (User("hi"), Assistant("hello")) == messages
    assert (*messages, User("more"), Assistant("hello")) == session.messages
    assert ("my talk", 2, "/home/me") == (session.info.title, session.info.turns, session.info.cwd)
    assert before == log.path.read_bytes()


def test_a_resumed_session_counts_on(begin):
    """Numbers, turns and the title go on; another model is noted."""
    log = begin()
    said(log, "one")
    log.close()

    again, _, _ = resume(log.path.parent, log.id)
    again.emit(SessionStarted(again.id, "other", "h", "react"))
    said(again, "two")
    again.close()
    info = load(log.path.parent, log.id).info

    assert ("one", 2, "other") == (info.title, info.turns, info.model)
    assert [info] == list_sessions(log.path.parent)


def test_a_log_of_a_newer_format_is_read_but_not_continued(begin):
    """It is not changed, whatever its checksums are, and a fork is the way to go on."""
    log = begin()
    said(log, "hi")
    log.close()
    newer = encode(9, 0, {"type": "message"}).replace(b'"v":1', b'"v":%d' % (VERSION + 1))
    with log.path.open("ab") as stream:
        stream.write(newer)
    before = log.path.read_bytes()

    with pytest.raises(UsageError) as raised:
        resume(log.path.parent, log.id)
    session = load(log.path.parent, log.id)
    fork, messages, _ = resume(log.path.parent, log.id, fork=True)
    fork.close()

    assert "newer cococat" in raised.value.message
    assert "--fork" in raised.value.hint
    assert "newer cococat" in session.notes[-1]
    assert (User("hi"), Assistant("hello")) == messages == session.messages
    assert before == log.path.read_bytes()


def test_secrets_never_reach_the_log(begin):
    """Not in a message, an argument, an output, an id, nor split over the pieces of a stream."""
    log = begin(redact=lambda text: re.sub(r"sk-canary\d*", "[secret]", text))
    log.emit(MessageAdded(User("my key is sk-canary")))
    for piece in ("it is sk-", "can", "ary, ", "yes"):
        log.emit(TextDelta(piece))
    log.emit(
        MessageAdded(
            Assistant(
                "x", calls=(ToolCall("sk-canary", "grep", '{"a": "sk-canary"}'), ToolCall("sk-canary2", "grep", ""))
            )
        )
    )
    log.emit(ToolPending("sk-canary", "grep", "sk-canary"))
    log.emit(ToolRunning("sk-canary", "grep"))
    log.emit(ToolOutput("sk-canary", "sk-ca"))
    log.emit(ToolRunning("other", "grep"))
    log.emit(ToolOutput("sk-canary", "nary"))
    log.emit(ToolCompleted("sk-canary", "grep", "sk-canary"))
    log.emit(MessageAdded(ToolResult("sk-canary", "grep", "sk-canary")))
    log.emit(MessageAdded(ToolResult("sk-canary2", "grep", "sk-canary2")))
    log.emit(ReasoningDelta("sk-canary"))
    log.rename("sk-canary")
    log.close()

    session = load(log.path.parent, log.id)

    assert b"canary" not in log.path.read_bytes()
    assert TextDelta("it is [secret], yes") in events(session)
    assert 4 == len(session.messages)
    assert () == session.notes
    assert_valid(session.messages)


def test_what_people_say_in_words_is_kept_from_the_log_and_what_tools_read_is_not(begin):
    """A password told in a sentence goes; a text about passwords that a tool gave stays."""
    log = begin()
    log.emit(MessageAdded(User("my door code is 4711")))
    for piece in ("so your pass", "word is sword", "fish."):
        log.emit(TextDelta(piece))
    log.emit(MessageAdded(Assistant("so your password is swordfish.", calls=(ToolCall("1", "grep", "{}"),))))
    log.emit(MessageAdded(ToolResult("1", "grep", "guide: my password is example")))
    log.emit(TurnFinished("so your password is swordfish.", Stop(StopReason.ANSWERED), 1, Usage(), 1))
    log.close()

    written = log.path.read_text()

    assert "4711" not in written
    assert "swordfish" not in written
    assert "my door code is [redacted:password]" in written
    assert "guide: my password is example" in written


def test_output_of_a_call_stays_in_front_of_its_end(begin):
    """Calls that run side by side do not mix, and nothing that was printed is lost."""
    log = begin()
    for event in (ToolOutput("1", "a"), ToolOutput("2", "b"), ToolOutput("1", "c"), ToolCompleted("2", "grep", "b")):
        log.emit(event)
    log.emit(MessageAdded(User("hi")))

    printed = [
        event for event in events(load(log.path.parent, log.id)) if isinstance(event, ToolOutput | ToolCompleted)
    ]

    assert [
        ToolOutput("2", "b"),
        ToolCompleted("2", "grep", "b"),
        ToolOutput("1", "a"),
        ToolOutput("1", "c"),
    ] == printed


def test_an_id_is_found_by_its_beginning(begin):
    """In capitals or not, as long as it is one session's alone."""
    log = begin()
    said(log, "hi")

    assert log.id == find(log.path.parent, log.id[:12].lower())
    assert log.id == find(log.path.parent, f" {log.id} ")


def test_a_beginning_of_several_ids_names_them(begin):
    """The message lists the newest of them."""
    first, second = begin(), begin()

    with pytest.raises(UsageError) as raised:
        find(first.path.parent, first.id[:4])

    assert f"2 sessions begin with {first.id[:4]}: {first.id}, {second.id}" == raised.value.message


def test_a_wrong_id_names_the_nearest(begin):
    """One wrong character is no dead end."""
    log = begin()

    with pytest.raises(UsageError) as raised:
        find(log.path.parent, log.id[:9] + ("0" if log.id[9] != "0" else "1"))

    assert f"did you mean {log.id}?" in raised.value.message


@pytest.mark.parametrize(
    "raw", ["", "..", "../../etc/passwd", "a/b", "\x00", "IOLU", "é", "*", "0" * 27, "C:\\x"], ids=ascii
)
def test_raw_input_never_becomes_a_path(tmp_path, raw):
    """Only the characters of an id are looked at; the message is harmless to show."""
    with pytest.raises(UsageError) as raised:
        find(tmp_path, raw)

    assert "is no session id" in raised.value.message
    assert raised.value.message.isprintable()


def test_the_latest_session_is_the_one_used_last_in_this_folder(begin):
    """`--continue` does not take up the talk of another project, however alike the names are."""
    old, other = begin(cwd="/home/u/a_b"), begin(cwd="/home/u/a-b")
    said(old, "one")
    said(other, "two")
    said(old, "three")

    folder = old.path.parent
    assert old.id == latest(folder)
    assert other.id == latest(folder, "/home/u/a-b")
    assert latest(folder, "/home/u/a.b") is None
    assert latest(folder / "nowhere") is None


def test_a_thousand_sessions_are_listed_from_their_ends(tmp_path):
    """Newest first, each with its title and turns, without reading what lies between."""
    middle = b"".join(encode(seq, seq, {"type": "notice", "text": "x" * 1000}) for seq in range(4, 300))
    for number in range(1000):
        end = {"type": "message", "turn": 5, "title": "named"} if number % 2 else {"type": "turn_finished", "turn": 7}
        (tmp_path / f"{number:026d}.jsonl").write_bytes(
            encode(1, number, {"type": "session_started", "session_id": "", "model": "m", "host": "", "mode": ""})
            + encode(2, number, {"type": "message", "message": {"role": "user", "text": f"hi {number}"}})
            + (middle if number < 20 else b"")
            + encode(900, number, end)
        )

    infos = list_sessions(tmp_path)

    assert [f"{number:026d}" for number in range(999, -1, -1)] == [info.id for info in infos]
    assert ("named", 5) == (infos[0].title, infos[0].turns)
    assert ("hi 0", 7) == (infos[-1].title, infos[-1].turns)


def test_a_last_turn_of_any_size_is_found(begin):
    """Also when its end lies far before the end of the file."""
    log = begin()
    said(log, "one", "two")
    log.emit(ToolCompleted("1", "grep", "x" * 300_000))
    log.emit(StepStarted(2))

    assert [2] == [info.turns for info in list_sessions(log.path.parent)]


def test_strange_files_in_the_folder_are_no_sessions(begin):
    """Logs that cannot be read are left out of the list, and nothing else is looked at."""
    log = begin()
    said(log, "hi")
    folder = log.path.parent
    for name in ("notes.jsonl", "0" * 25 + ".jsonl", "0" * 26 + ".json", "é" * 26 + ".jsonl"):
        (folder / name).write_text("{}\n")
    (folder / ("0" * 26 + ".jsonl")).mkdir()
    (folder / ("1" * 26 + ".jsonl")).write_bytes(b"\x00" * 100)

    assert [log.id] == [info.id for info in list_sessions(folder)]
    with pytest.raises(StorageError):
        load(folder, "00")
    with pytest.raises(StorageError):
        resume(folder, "00")


def test_a_deleted_session_leaves_nothing(begin):
    """Neither the log nor what was set aside from it."""
    log = begin()
    said(log, "hi")
    log.close()
    log.path.with_name(log.path.name + ".torn").write_bytes(b"x")

    gone = delete(log.path.parent, log.id[:20])

    assert log.id == gone
    assert [] == list(log.path.parent.iterdir())


def test_old_sessions_are_too_many_but_none_that_is_open_is_deleted(begin):
    """By age, by number; the one in use stays."""
    logs = [begin() for _ in range(4)]
    for log in logs:
        said(log, "hi")
    for log in logs[1:]:
        log.close()
    folder = logs[0].path.parent
    updated = {info.id: info.updated for info in list_sessions(folder)}

    by_age = outdated(list_sessions(folder), before=updated[logs[2].id])
    by_number = outdated(list_sessions(folder), keep=1)

    assert [logs[0].id, logs[1].id] == [info.id for info in by_age]
    assert [log.id for log in logs[:3]] == [info.id for info in by_number]
    with pytest.raises(UsageError, match="is open in another cococat"):
        delete(folder, logs[0].id)


def test_a_repair_says_what_it_fixed(begin):
    """And has nothing to say the second time."""
    log = begin()
    log.emit(MessageAdded(User("hi")))
    log.emit(MessageAdded(Assistant(calls=(ToolCall("1", "grep", "{}"),))))
    log.close()
    with log.path.open("ab") as stream:
        stream.write(b"torn")

    notes = repair_log(log.path.parent, log.id)

    assert 2 == len(notes)
    assert () == repair_log(log.path.parent, log.id)


def test_search_finds_what_was_said_in_any_case(begin):
    """By the user or the model, with its session and some words around it."""
    log = begin()
    log.emit(MessageAdded(User("word " * 50 + "The Needle is here " + "word " * 50)))
    log.emit(MessageAdded(User("needle", synthetic=True)))
    log.emit(MessageAdded(Assistant("no such thing")))
    said(begin(), "nothing")

    hits = list(search(log.path.parent, "nEEDLE"))

    assert [(log.id, "user")] == [(hit.info.id, hit.role) for hit in hits]
    assert "The Needle is here" in hits[0].excerpt
    assert hits[0].excerpt.startswith("…")
    assert hits[0].excerpt.endswith("…")
    assert [] == list(search(log.path.parent, ""))


def test_ids_sort_by_time_and_never_meet(tmp_path):
    """Also at the ends of time."""
    from cococat.store.ids import log_path, new_id

    ids = [new_id(0), new_id(1.5), new_id(1.5), new_id(1_700_000_000), new_id(1e12)]

    assert 5 == len(set(ids))
    assert [name[:10] for name in ids] == sorted(name[:10] for name in ids)
    assert all(len(name) == 26 and log_path(tmp_path, name) for name in [*ids, new_id(-5)])


def test_pixels_that_cannot_be_saved_are_saved_with_the_next_message(tmp_path):
    """No line names a picture before its bytes are on the disk; the trouble is told and passes."""
    data = b"pixels"
    picture = Picture("a.png", "image/png", 1, 1, len(data), sha256(data).hexdigest(), data)
    log = create(tmp_path, model="m", host="h", mode="single", cwd="/")
    files = log.path.with_suffix(".files")
    files.write_text("in the way")

    log.emit(MessageAdded(User("see", pictures=(picture,))))
    problem, early = log.problem, picture.sha256.encode() in log.path.read_bytes()
    files.unlink()
    log.emit(MessageAdded(Assistant("ok")))
    log.close()

    assert (True, False, None) == (problem is not None, early, log.problem)
    assert User("see", pictures=(picture,)) == load(tmp_path, log.id).messages[0]


def test_a_copy_of_what_was_before_a_turn_has_the_pixels_too(tmp_path):
    """Beside its own log, whatever becomes of the other."""
    picture = Picture("a.png", "image/png", 1, 1, 6, sha256(b"pixels").hexdigest(), b"pixels")
    log = create(tmp_path, model="m", host="h", mode="single", cwd="/")
    for message in (User("see", pictures=(picture,)), Assistant("ok"), User("and?")):
        log.emit(MessageAdded(message))
    log.close()

    copy, messages = fork_before(tmp_path, log.id, 2)
    copy.close()
    delete(tmp_path, log.id)

    assert (User("see", pictures=(picture,)), Assistant("ok")) == messages == load(tmp_path, copy.id).messages
