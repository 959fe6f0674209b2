"""The last case on each side of what is held about files: links, owners, sizes, ends of lines, writes that fail."""

import errno
import os
import threading
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from cococat.core.settings import DreamSettings
from cococat.errors import StorageError
from cococat.memory.dream.plan import Batch, Due, NotDue, due_now, next_batch
from cococat.memory.file.document import encoded, pinned, read
from cococat.memory.file.history import HISTORY, PastExchange, Said
from cococat.memory.file.journal import JOURNAL, Change, commit, hold, ready
from cococat.memory.file.place import (
    Busy,
    append_bytes,
    hint_for,
    locked,
    prepare,
    read_bytes,
    reading,
    remove,
    write_bytes,
)
from cococat.memory.file.state import State, write_state
from cococat.memory.file.versions import log
from tests.memory.conftest import NOW, START

posix = pytest.mark.skipif(os.name == "nt", reason="links, modes and owners")
OPEN_FILES = Path("/proc/self/fd")
NEW = START + "- Moved to Lisbon\n"


def change(notes, **given):
    """A change of the memory as it is now."""
    memory = read(notes.folder)
    return Change("dream", memory, NEW.encode(), lambda state: state, (), {}, **given)


def failing_at(step):
    """Something to do between two steps of a commit: the disk is full after *step*."""

    def after(name):
        if name == step:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return after


@contextmanager
def limited(what, most):
    """Let the system give this process no more than *most* of something."""
    import resource

    name = getattr(resource, what)
    soft, hard = resource.getrlimit(name)
    resource.setrlimit(name, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(name, (soft, hard))


@contextmanager
def unmasked():
    """Let the process take no rights from what it makes."""
    old = os.umask(0)
    try:
        yield
    finally:
        os.umask(old)


def test_a_disk_that_is_full_before_the_change_leaves_nothing_of_it(notes):
    """Old memory, no journal, no version; the message says why and how to fix it."""
    notes.has()

    with pytest.raises(StorageError, match=r"cannot write to .*No space left") as error:
        commit(notes.folder, change(notes), now=NOW, after=failing_at("journal"))

    assert error.value.hint.startswith("free some disk space")
    assert (START, False, ()) == (notes.text, (notes.folder / JOURNAL).exists(), log(notes.folder))


def test_a_disk_that_is_full_after_the_change_says_that_it_is_made(notes):
    """New memory, and the next commit writes what was left out."""
    notes.has()

    with pytest.raises(StorageError, match=r"is changed, its log is not yet \(No space left on device\)") as error:
        commit(notes.folder, change(notes), now=NOW, after=failing_at("replace"))
    assert error.value.hint.startswith("free some disk space")
    number = commit(notes.folder, change(notes), now=NOW)

    assert (NEW, 2, [1, 2]) == (notes.text, number, [entry.number for entry in log(notes.folder)])


@posix
def test_a_link_in_the_place_of_the_folder_is_never_followed(notes, tmp_path):
    """Reading, appending, replacing and removing all refuse, and the folder behind it keeps what it holds."""
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    (real / HISTORY).write_text("{}\n")
    notes.folder.symlink_to(real)

    for act in (
        lambda: read_bytes(notes.folder, HISTORY),
        lambda: append_bytes(notes.folder, HISTORY, b"x\n"),
        lambda: write_bytes(notes.folder, HISTORY, b"x\n"),
        lambda: remove(notes.folder, HISTORY),
        lambda: prepare(notes.folder),
    ):
        with pytest.raises(StorageError, match="is a link"):
            act()
    assert [(HISTORY, "{}\n")] == [(path.name, path.read_text()) for path in real.iterdir()]


def test_a_file_in_the_place_of_the_folder_is_refused(notes):
    """Above it or where it should be."""
    notes.folder.write_text("")

    with pytest.raises(StorageError, match="is no folder"):
        prepare(notes.folder)
    with pytest.raises(StorageError, match="cannot use the memory folder"):
        prepare(notes.folder / "memory")


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_belongs_to_another_user_is_refused(notes, what):
    """Even when it could be read."""
    notes.has()
    os.chown(notes.memory if what == "file" else notes.folder, 12345, -1)

    with pytest.raises(StorageError, match="belongs to another user"):
        read(notes.folder)


@posix
@pytest.mark.parametrize("bits", [0o770, 0o702, 0o720])
def test_a_folder_that_others_may_write_is_refused(notes, bits):
    """By group or by everybody; that they may read it is the user's own business."""
    notes.has()
    notes.folder.chmod(bits)
    with pytest.raises(StorageError, match="others may write"):
        read(notes.folder)

    notes.folder.chmod(0o755)
    assert START == read(notes.folder).text


def test_a_disk_that_fails_while_a_file_is_read_is_an_error(notes):
    """It is not taken for a file that is missing."""
    notes.has()

    with pytest.raises(StorageError, match=r"cannot read .*MEMORY\.md: Input/output error"):
        with reading(notes.folder, "MEMORY.md"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="counts open files")
def test_files_are_closed_also_refused_ones(notes):
    """However many sessions there are, no open files are left behind."""
    notes.has()
    (notes.folder / "second").hardlink_to(notes.memory)
    before = len(list(OPEN_FILES.iterdir()))

    for _ in range(20):
        append_bytes(notes.folder, HISTORY, b"x\n")
        with pytest.raises(StorageError, match=r"2 names \(hard links\), want 1"):
            read(notes.folder)

    assert before == len(list(OPEN_FILES.iterdir()))


@pytest.mark.parametrize(("most", "fine"), [(0, True), (5, True), (4, False), (1, False)])
def test_a_file_may_hold_as_many_bytes_as_it_may(notes, most, fine):
    """Zero is any number."""
    notes.has(b"12345")
    if fine:
        assert b"12345" == read_bytes(notes.folder, "MEMORY.md", most=most)
        return
    with pytest.raises(StorageError, match=f"holds 5 bytes, at most {most} are read"):
        read_bytes(notes.folder, "MEMORY.md", most=most)


@pytest.mark.parametrize(
    ("data", "expected"), [(b"", b"x\n"), (b"a\n", b"a\nx\n"), (b"a", b"a\nx\n"), (b"\n", b"\nx\n")]
)
def test_a_torn_last_line_is_ended_first(notes, data, expected):
    """A whole one is not."""
    notes.folder.mkdir(mode=0o700)
    (notes.folder / HISTORY).write_bytes(data)

    append_bytes(notes.folder, HISTORY, b"x\n")

    assert expected == (notes.folder / HISTORY).read_bytes()


@posix
def test_what_is_made_is_private_from_the_start(notes):
    """Whatever the mask of the process."""
    with unmasked():
        append_bytes(notes.has().folder, HISTORY, b"x\n")
        write_bytes(notes.folder, "other", b"x")

    assert {0o600} == {(notes.folder / name).stat().st_mode & 0o777 for name in (HISTORY, "other")}


def test_a_folder_may_be_named_from_where_one_stands(notes, monkeypatch):
    """What is appended there is read there, and gone when it was removed."""
    monkeypatch.chdir(notes.has().folder.parent)
    here = Path(notes.folder.name)

    append_bytes(here, HISTORY, b"x\n")

    assert (b"x\n", b"x\n") == (read_bytes(notes.folder, HISTORY), read_bytes(here, HISTORY))
    remove(here, HISTORY)
    assert read_bytes(notes.folder, HISTORY) is None


@pytest.mark.parametrize(
    ("numbers", "hint"),
    [
        ((errno.ENOSPC, errno.EFBIG, errno.EDQUOT), "free some disk space: df -h"),
        ((errno.EACCES, errno.EPERM, errno.EROFS), "make it yours to write: chmod -R u+rwX"),
        ((errno.EIO, None), "look at it: ls -la"),
    ],
)
def test_what_the_system_refuses_comes_with_a_command_that_helps(tmp_path, numbers, hint):
    """Room on the disk, the right to write, or a look."""
    for number in numbers:
        assert f"{hint} '{tmp_path}'" == hint_for(OSError(number, "why"), tmp_path)


@posix
def test_a_history_that_the_system_lets_not_grow_says_so(notes):
    """What it holds stays, and nothing is taken for written."""
    append_bytes(notes.has().folder, HISTORY, b"x\n")

    with limited("RLIMIT_FSIZE", 2), pytest.raises(StorageError, match=r"cannot write .*history.*: File too") as error:
        append_bytes(notes.folder, HISTORY, b"y\n")

    assert error.value.hint.startswith("free some disk space")
    assert b"x\n" == read_bytes(notes.folder, HISTORY)


@posix
def test_a_disk_that_takes_nothing_is_found_out_before_a_token_is_spent(notes):
    """What stands there stays."""
    write_state(notes.has().folder, State(cursor=3))

    with limited("RLIMIT_FSIZE", 2), pytest.raises(StorageError, match=r"cannot write to .*: File too"):
        ready(notes.folder)

    assert State(cursor=3) == notes.state


@posix
def test_a_change_that_cannot_be_kept_does_not_wait(notes):
    """Nothing of it is left behind."""
    meta = {"kind": "held", "ts": NOW.isoformat(), "to_cursor": 1}
    notes.has()

    with limited("RLIMIT_FSIZE", 5000), pytest.raises(StorageError, match="File too"):
        hold(notes.folder, b"x" * 9000, NEW.encode(), meta, NOW)

    assert (State(), False) == (notes.state, (notes.folder / "versions" / "0001").exists())


@pytest.mark.parametrize(("place", "compacted"), [({"to_cursor": 1}, "a"), ({}, "")], ids=["of a dream", "beside one"])
def test_a_change_that_waits_takes_the_place_of_the_one_before(notes, place, compacted):
    """Where that one held up no dream, the notes that it may have gone over are gone over again."""
    write_state(notes.has().folder, State(compacted="a"))
    meta = {"kind": "held", "ts": NOW.isoformat(), **place}

    told = []
    for _ in range(2):
        number = hold(notes.folder, START.encode(), NEW.encode(), meta, NOW)
        told.append((number, notes.state.held, notes.state.compacted, [entry.number for entry in log(notes.folder)]))

    assert [(1, 1, "a", [1]), (2, 2, compacted, [2])] == told


@posix
def test_a_memory_that_its_owner_made_read_only_is_changed_by_nobody(notes):
    """Although it could be replaced; the message says how to allow it."""
    notes.has().memory.chmod(0o444)

    with pytest.raises(StorageError, match=r"MEMORY\.md is read-only") as error:
        commit(notes.folder, change(notes), now=NOW)

    assert error.value.hint.startswith("chmod u+w ")
    assert START == notes.text


@posix
def test_a_lock_is_a_private_file_in_a_folder_that_is_checked_first(notes):
    """The folder is made where there is none, and one that others may write is refused."""
    with unmasked(), locked(notes.folder):
        assert [0o700, 0o600] == [one.stat().st_mode & 0o777 for one in (notes.folder, notes.folder / "memory.lock")]

    notes.folder.chmod(0o777)
    with pytest.raises(StorageError, match="others may write"), locked(notes.folder):
        pass


@posix
def test_a_lock_that_cannot_be_had_says_why(notes):
    """Another one holds it, or the system gives no file for it."""
    with locked(notes.folder, "dream.lock"):
        with pytest.raises(Busy, match=r"dream\.lock is held"), locked(notes.folder, "dream.lock", wait_s=0):
            pass
    with limited("RLIMIT_NOFILE", 3), pytest.raises(StorageError, match=r"cannot lock .*: Too many open files"):
        with locked(notes.folder, "dream.lock", wait_s=0):
            pass


def test_a_lock_keeps_others_out_until_it_is_left(notes):
    """A second thread gets in when the first one is through, and not before."""
    notes.has()
    inside, order = threading.Event(), []

    def second():
        inside.wait(60)
        with locked(notes.folder):
            order.append("second")

    other = threading.Thread(target=second)
    other.start()
    with locked(notes.folder):
        inside.set()
        other.join(0.1)
        order.append("first")
    other.join(60)

    assert ["first", "second"] == order


@pytest.mark.parametrize(
    ("data", "notes_of"), [(b"\xef\xbb\xbfx\n", 1), (b"x\r\n", 1), (b"\xef\xbb\xbfx\r\n", 2), (b"x\n", 0)]
)
def test_what_is_unusual_about_the_bytes_is_said(notes, data, notes_of):
    """A byte order mark and Windows line ends."""
    assert notes_of == len(read(notes.has(data).folder).notes)


@pytest.mark.parametrize(
    ("data", "text", "expected"),
    [
        (b"", "x\n", b"x\n"),
        (b"", "x", b"x"),
        (b"a\n", "a\nx\n", b"a\nx\n"),
        (b"a", "a\nx", b"a\nx"),
        (b"a\r\nb\r\nc\n", "a\nb\nc\nx\n", b"a\r\nb\r\nc\nx\r\n"),
        (b"a\r\nb", "a\n", b"a\r\n"),
        (b"\xef\xbb\xbfa\r\n", "x\na\n", b"\xef\xbb\xbfx\r\na\r\n"),
        (b"a\n", "", b""),
        (b"a\n", "\nx", b"\nx"),
    ],
)
def test_new_lines_end_like_most_others(notes, data, text, expected):
    """A file that is empty gets line feeds, the last line what it had."""
    assert expected == encoded(read(notes.has(data).folder), text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Pinned\n- a\n# B\n- b\n", ("# Pinned", "- a")),
        ("## pinned\n- a\n### C\n- c\n## D\n", ("## pinned", "- a", "### C", "- c")),
        ("## A\n### Pinned\n- a\n### B\n- b\n", ("### Pinned", "- a")),
        ("### Pinned\n- a\n## B\n- b\n", ("### Pinned", "- a")),
        ("- Pinned\n- a\n", ()),
        ("## Pinned\n\n- a\n\n## Pinned too\n- b\n", ("## Pinned", "- a", "## Pinned too", "- b")),
        ("# Un-Pinned\n- a\n", ()),
    ],
)
def test_a_pinned_section_goes_to_the_next_heading_of_its_level(text, expected):
    """Or of a higher one; blank lines do not count."""
    assert expected == pinned(text)


@pytest.mark.parametrize(
    ("text", "most", "piece"),
    [("ab", 1, "a"), ("a bcdef", 3, "a "), ("abc def ghi", 6, "abc "), ("abc\ndef ghi jkl", 8, "abc\n"), ("abcdefgh", 5, "abcd"), ("ab", 0, "a"), ("ab cdefghijklmn", 7, "ab cdef")],
)  # fmt: skip
def test_a_piece_of_a_record_ends_at_a_line_or_a_word(text, most, piece):
    """Where there is one in the second half of what fits."""
    batch = next_batch([PastExchange(5, NOW, "S", (Said("typed", text),), "")], 0, 0, most, len)

    assert (piece, len(piece), 4) == (batch.records[0].typed, batch.offset, batch.cursor)


def test_a_batch_that_is_whole_begins_the_next_at_its_start():
    """Offsets are only for records that were cut."""
    records = [PastExchange(seq, NOW, "S", (Said("typed", text),), "") for seq, text in ((5, "abcd"), (6, "efgh"))]

    assert Batch(tuple(records), 6, 0) == next_batch(records, 0, 0, 8, len)
    assert Batch((records[0],), 5, 0) == next_batch(records, 0, 0, 7, len)
    assert Batch(tuple(records), 6) == next_batch(records, 0, 2, 100, len)
    assert ["cd", "efgh"] == [record.typed for record in next_batch(records, 2, 0, 100, len).records]
    assert (5, "cd") == (
        next_batch(records, 2, 0, 100, len).records[0].seq,
        next_batch(records, 2, 1, 9, len).records[0].typed,
    )


@posix
def test_a_lock_that_is_a_link_is_not_taken(notes, tmp_path):
    """What it leads to would be opened for writing."""
    notes.has()
    (notes.folder / "dream.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageError, match="no regular file"), locked(notes.folder, "dream.lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()


@posix
@pytest.mark.parametrize(("make", "why"), [("link", "it is a link"), ("folder", "no regular file|it is a folder")])
def test_the_error_says_what_stands_in_the_place_of_a_file(notes, tmp_path, make, why):
    """A link is named as one, whether one reads or appends."""
    notes.folder.mkdir(mode=0o700)
    path = notes.folder / HISTORY
    path.symlink_to(tmp_path) if make == "link" else path.mkdir()

    for act in (lambda: read_bytes(notes.folder, HISTORY), lambda: append_bytes(notes.folder, HISTORY, b"x\n")):
        with pytest.raises(StorageError, match=why):
            act()


def test_half_an_hour_is_thirty_minutes_of_sixty_seconds(notes):
    """A quarter of a minute more is enough, the half hour itself is not."""
    notes.has().said("one")
    write_state(notes.folder, State(last_dream=NOW))

    assert isinstance(due_now(notes.folder, DreamSettings(), now=NOW + timedelta(minutes=30)), NotDue)
    assert isinstance(due_now(notes.folder, DreamSettings(), now=NOW + timedelta(minutes=30, seconds=15)), Due)
