"""The history: append only, redacted, readable whatever happened to the file."""

import json
import os
from datetime import UTC, datetime

import pytest

from cococat.errors import StorageError
from cococat.memory.file.history import HISTORY, Exchange, PastExchange, Said, append, pending, record_of
from tests.memory.conftest import NOW


def test_records_come_back_in_order_after_the_cursor(notes):
    """Seq counts from 1, and only what is newer than the cursor is pending."""
    seqs = notes.said("one", "two", "three")

    found = pending(notes.folder, 1)

    assert [1, 2, 3] == seqs
    assert ["two", "three"] == [record.typed for record in found.records]
    assert NOW == found.records[0].ts


@pytest.mark.parametrize(
    "said",
    [{"asked": "why?", "foreign": False, "chat": True, "turn": 3}, {"asked": "", "foreign": True, "chat": False, "turn": 0}],
    ids=["all", "nothing"],
)  # fmt: skip
def test_what_is_known_of_an_exchange_comes_back(notes, said):
    """What was asked before it, what had come up, and where and when in its session it was said."""
    append(notes.folder, Exchange("S1", (Said("typed", "one"),), "two", **said), now=NOW, redact=str)

    assert (PastExchange(1, NOW, "S1", (Said("typed", "one"),), "two", **said),) == pending(notes.folder, 0).records


@pytest.mark.parametrize(("most", "given"), [(0, 3), (1, 1), (2, 2), (3, 3), (4, 3)])
def test_no_more_records_are_given_than_are_asked_for(notes, most, given):
    """The oldest; the others are counted all the same."""
    notes.said("one", "two", "three")

    found = pending(notes.folder, 0, most=most)

    assert (["one", "two", "three"][:given], 3) == ([record.typed for record in found.records], found.waiting)


def test_secrets_are_redacted_before_they_are_written(notes):
    """What the redaction takes out never reaches the disk, in no field."""
    exchange = Exchange("S1", (Said("typed", "my key is sk-123"), Said("file", "sk-123")), "you said sk-123")

    append(notes.folder, exchange, now=NOW, redact=lambda text: text.replace("sk-123", "[secret]"))

    assert b"sk-123" not in (notes.folder / HISTORY).read_bytes()
    assert "my key is [secret]" == pending(notes.folder, 0).records[0].typed


@pytest.mark.parametrize(
    "bad",
    [b"{", b"[]", b"null", b'{"v":1,"seq":9}', b'{"v":2,"seq":9,"ts":"x"}', b"\xff\xfe", b"[" * 100_000, b'{"seq": true}'],
    ids=["torn", "list", "null", "short", "newer", "binary", "deep", "bool"],
)  # fmt: skip
def test_lines_that_make_no_sense_are_skipped_and_counted(notes, bad):
    """One bad line costs itself and nothing else."""
    notes.said("one")
    with (notes.folder / HISTORY).open("ab") as file:
        file.write(bad + b"\n")
    notes.said("two")

    found = pending(notes.folder, 0)

    assert ["one", "two"] == [record.typed for record in found.records]
    assert 1 == found.skipped


def test_a_torn_last_line_does_not_swallow_the_next_record(notes):
    """After a crash in the middle of a write the next record stands on a line of its own."""
    notes.said("one")
    data = (notes.folder / HISTORY).read_bytes()
    (notes.folder / HISTORY).write_bytes(data + data[:30])

    seq = notes.said("two")

    assert [2] == seq
    assert ["one", "two"] == [record.typed for record in pending(notes.folder, 0).records]


def test_what_was_not_typed_is_marked_and_kept_short(notes):
    """Attached text is cut with a mark; typed text never is."""
    exchange = Exchange("S1", (Said("typed", "t" * 5000), Said("file", "f" * 5000)), "ok")

    append(notes.folder, exchange, now=NOW, redact=str)

    typed, attached = pending(notes.folder, 0).records[0].user
    assert "t" * 5000 == typed.text
    assert attached.text.endswith("[3,000 more characters not kept]")


@pytest.mark.parametrize(
    ("size", "end"),
    [(2000, "f"), (2001, "f\n[1 more characters not kept]"), (1_002_000, "[1,000,000 more characters not kept]")],
)
def test_two_thousand_characters_of_attached_text_are_kept(notes, size, end):
    """A text of just that length is whole and says nothing of a rest."""
    append(notes.folder, Exchange("S1", (Said("file", "f" * size),), "ok"), now=NOW, redact=str)

    ((attached,),) = (record.user for record in pending(notes.folder, 0).records)

    assert attached.text.startswith("f" * 2000)
    assert attached.text.endswith(end)
    assert min(size, 2000) == attached.text.count("f")


def test_hostile_text_stays_on_its_line(notes):
    """Line separators, half surrogates and NUL cannot break the file."""
    notes.said("a\u2028b\ud800\x00\nc")

    lines = (notes.folder / HISTORY).read_bytes().splitlines()

    assert 1 == len(lines)
    assert "a\u2028b?\x00\nc" == json.loads(lines[0])["user"][0]["text"]


def test_a_deleted_history_never_uses_a_number_again(notes, scripted):
    """The cursor keeps the count when the file is gone."""
    from tests.scripted import says

    notes.said("one", "two")
    notes.dream(scripted(says("done")))
    (notes.folder / HISTORY).unlink()

    assert [3] == notes.said("three")
    assert ["three"] == [record.typed for record in pending(notes.folder, notes.state.cursor).records]


def test_a_long_history_is_read_from_its_end(notes):
    """Old records do not hide new ones when the file is larger than what is read first."""
    row = {"v": 1, "ts": datetime(2026, 1, 1, tzinfo=UTC).isoformat(), "session": "S", "assistant": "a" * 1000}
    notes.folder.mkdir(mode=0o700)
    user = [{"origin": "typed", "text": "old"}]
    lines = [json.dumps({**row, "seq": seq, "user": user}) for seq in range(1, 1501)]
    (notes.folder / HISTORY).write_text("\n".join(lines) + "\n")
    seq = notes.said("new")

    assert [1501] == seq
    assert 1501 == len(pending(notes.folder, 0).records)
    assert ["new"] == [record.typed for record in pending(notes.folder, 1500).records]


def test_a_record_that_is_longer_than_what_is_read_first_is_found(notes):
    """It is all that there is to read."""
    notes.said("x" * (1 << 19))

    assert ["x" * (1 << 19)] == [record.typed for record in pending(notes.folder, 0).records]


def test_records_in_another_order_are_found_before_a_long_one(notes):
    """As somebody may have sorted them: an old one at the end does not stand for all before it."""
    notes.said("one", "two", "three", "four", "x" * (1 << 19), "six")
    lines = (notes.folder / HISTORY).read_text("utf-8").splitlines(keepends=True)
    (notes.folder / HISTORY).write_text("".join(lines[at] for at in (0, 1, 3, 4, 5, 2)), "utf-8")

    assert [4, 5, 6] == [record.seq for record in pending(notes.folder, 3).records]


@pytest.mark.skipif(os.name == "nt", reason="links and modes")
@pytest.mark.parametrize("make", ["link", "hard", "fifo", "folder"])
def test_a_history_that_is_no_file_of_ours_is_refused(notes, tmp_path, make):
    """The history is never written through a link, nor into a pipe."""
    target = tmp_path / "elsewhere"
    target.write_text("")
    notes.folder.mkdir(mode=0o700)
    path = notes.folder / HISTORY
    match make:
        case "link":
            path.symlink_to(target)
        case "hard":
            path.hardlink_to(target)
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()

    with pytest.raises(StorageError):
        notes.said("one")
    assert "" == target.read_text()


@pytest.mark.parametrize(("ts", "hour"), [("2026-05-04T12:00:00", 12), ("2026-05-04T12:00:00+02:00", 10)])
def test_a_moment_without_a_zone_is_of_the_world(ts, hour):
    """With one it is what it says; a record of no session that counted its turns has none."""
    row = {"v": 1, "seq": 1, "ts": ts, "session": "S1", "user": [{"origin": "typed", "text": "one"}], "assistant": ""}

    record = record_of(row)

    assert PastExchange(1, datetime(2026, 5, 4, hour, tzinfo=UTC), "S1", (Said("typed", "one"),), "") == record
    assert (0, "", True, False) == (record.turn, record.asked, record.foreign, record.chat)
    assert (7, "why?", False, True) == tuple(
        getattr(record_of({**row, "turn": 7, "asked": "why?", "foreign": False, "chat": True}), name)
        for name in ("turn", "asked", "foreign", "chat")
    )
    assert record_of({**row, "seq": 0}) is None
    assert record_of({**row, "user": [{"origin": "nobody", "text": "one"}]}) is None
