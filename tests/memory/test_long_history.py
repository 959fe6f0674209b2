"""Long histories: worked off in batches, none twice, none lost; and read without taking memory for all of it."""

import json
import re
import time
import tracemalloc
from collections import Counter
from datetime import timedelta

import pytest

from cococat.core.events import Notice
from cococat.memory.dream.options import DreamBounds
from cococat.memory.file.history import HISTORY, pending
from cococat.memory.file.place import MAX_BYTES
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, fault, forever, says

EVERY = 100  # records between two that say something worth keeping


def typed(seq):
    return f"my lucky number of box {seq} is {seq * 7}" if seq % EVERY == 1 else f"box {seq} is empty"


def write(notes, seqs, *, text=typed, answer="Noted."):
    """Write the records at once, as `append` would one by one."""
    notes.folder.mkdir(mode=0o700, exist_ok=True)
    with (notes.folder / HISTORY).open("a") as file:
        for seq in seqs:
            ts = (NOW + timedelta(seconds=seq)).isoformat()
            user = [{"origin": "typed", "text": text(seq)}]
            row = {"v": 1, "seq": seq, "ts": ts, "session": "S1", "user": user, "assistant": answer}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


class Model:
    """Notes every fact it is told of, and remembers which records it was shown."""

    def __init__(self):
        self.shown = []

    def __call__(self, body):
        if any(message["role"] == "tool" for message in body["messages"]):
            return says("done")
        told = body["messages"][1]["content"]
        self.shown += [int(seq) for seq in re.findall(r"^record seq=(\d+) ", told, re.MULTILINE)]
        facts = re.findall(r"^record seq=(\d+) .*\nuser: (my lucky number of box \d+ is \d+)$", told, re.MULTILINE)
        added = "".join(f"\n- {fact.replace('my lucky', 'Lucky')}" for _, fact in facts)
        if not facts:
            return says("done")
        return calls(edit("## Preferences", f"## Preferences{added}", *[(int(seq), fact) for seq, fact in facts]))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("size", [130, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_long_history_is_worked_off_in_batches_none_twice_none_lost(notes, scripted, size, capsys):
    """Run after run takes the oldest twenty, until nothing is left; what was worth it is remembered once."""
    write(notes.has(), range(1, size + 1))
    model, took = Model(), []
    server = scripted(forever(model))

    while pending(notes.folder, notes.state.cursor, most=1).waiting:
        began = time.perf_counter()
        finished = notes.dream(server)
        took.append(time.perf_counter() - began)
        assert finished.outcome in ("changed", "nothing"), finished
        assert min(size, 100 * len(took)) == notes.state.cursor

    assert list(range(1, size + 1)) == model.shown
    assert size == notes.state.cursor
    assert -(-size // 100) == len(took)
    kept = re.findall(r"(?i)lucky number of box (\d+) is", notes.text)
    assert [str(seq) for seq in range(1, size + 1, EVERY)] == sorted(kept, key=int)
    if size > EVERY * 10:
        took.sort()
        middle, worst = (took[at] * 1000 for at in (len(took) // 2, -1))
        line = (
            f"\n{size:,} records, {len(took)} runs: median {middle:.0f} ms, worst {worst:.0f} ms, all {sum(took):.0f} s"
        )
        with capsys.disabled():
            print(line)  # noqa: T201 - a measurement for whoever runs the slow tests


def test_runs_that_fail_in_between_neither_lose_nor_repeat_what_was_done(notes, scripted):
    """Every third run ends with a server that is away: its batch comes again, the others do not."""
    write(notes.has(), range(1, 101))
    model, number = Model(), 0

    def moody(body):
        nonlocal number
        number += 1
        return fault(401) if number % 3 == 0 else model(body)

    server = scripted(forever(moody))
    for _ in range(20):
        notes.dream(server)

    assert 100 == notes.state.cursor
    assert list(range(1, 101)) == sorted(set(model.shown))
    assert {1} == {times for seq, times in Counter(model.shown).items() if seq not in model.shown[:20]}
    assert 1 == notes.text.count("Lucky number of box 1 is")


def test_a_long_record_in_the_middle_is_read_in_pieces_and_the_rest_follows(notes, scripted):
    """More text than a batch may hold: each piece once, in order, and nothing is cut away."""
    words = [f"word{number}" for number in range(1500)]
    write(notes.has(), range(1, 6), text=lambda seq: " ".join(words) if seq == 3 else f"hello there {seq}")
    seen = []

    def model(body):
        seen.append(body["messages"][1]["content"])
        return says("done")

    server = scripted(forever(model))
    while pending(notes.folder, notes.state.cursor, most=1).waiting:
        notes.dream(server, bounds=DreamBounds(batch_tokens=1000))

    assert words == re.findall(r"word\d+", "\n".join(seen))
    assert [1, 2, 4, 5] == [int(seq) for seq in re.findall(r"user: hello there (\d)", "\n".join(seen))]
    assert 5 == notes.state.cursor


def test_reading_takes_memory_for_one_batch_only(notes):
    """Megabytes of pending records: the twenty that are wanted, and the numbers of the others."""
    write(notes, range(1, 1501), answer="a" * 4000)

    tracemalloc.start()
    found = pending(notes.folder, 0, most=20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (list(range(1, 21)), 1500) == ([record.seq for record in found.records], found.waiting)
    assert peak < 1 << 20


def test_what_was_read_long_ago_is_not_read_again(notes):
    """However long the history, one new record is found by its last lines alone."""
    write(notes, range(1, 4001), answer="a" * 2000)
    path = notes.folder / HISTORY
    data = path.read_bytes()
    path.write_bytes(b"\xff" * (len(data) - (1 << 18)) + data[-(1 << 18) :])

    found = pending(notes.folder, 3999)

    assert ([4000], 0, 1) == ([record.seq for record in found.records], found.skipped, found.waiting)
    assert [4001] == notes.said("new")


@pytest.mark.parametrize("seq", [1, 500, 999])
def test_every_cursor_finds_exactly_what_comes_after_it(notes, seq):
    """Where the file is cut for reading makes no difference, also when the record after the cursor is damaged."""
    write(notes, range(1, 1001), answer="a" * 1000)
    path = notes.folder / HISTORY
    lines = path.read_bytes().split(b"\n")
    lines[seq] = lines[seq][:40]
    path.write_bytes(b"\n".join(lines))

    found = pending(notes.folder, seq)

    assert list(range(seq + 2, 1001)) == [record.seq for record in found.records]
    assert 1 == found.skipped


def test_records_in_any_order_and_twice_are_given_once_and_sorted(notes):
    """Who pastes two histories together gets each record once, the first of its number."""
    write(notes, [3, 1, 2, 40, 5, 4])
    write(notes, [2, 1, 6, *range(7, 60)], text=lambda seq: "a copy" if seq < 7 else typed(seq))

    found = pending(notes.folder, 0, most=5)

    assert ([1, 2, 3, 4, 5], 59) == ([record.seq for record in found.records], found.waiting)
    assert not [record for record in found.records if record.typed == "a copy"]


def test_a_shortened_history_swallows_no_new_record(notes, scripted):
    """Somebody restored an older copy: numbers go on behind the cursor, so that the next record is pending."""
    notes.said("one", "two", "three")
    notes.dream(scripted(says("done")))
    path = notes.folder / HISTORY
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:1]))

    seqs = notes.said("four")

    assert [4] == seqs
    assert ["four"] == [record.typed for record in pending(notes.folder, notes.state.cursor).records]


def test_numbers_do_not_repeat_behind_a_megabyte_of_rubbish(notes):
    """Objects that are no records hide the last number from a look at the end of the file alone."""
    seqs = notes.said("one", "two")
    with (notes.folder / HISTORY).open("a") as file:
        file.write('{"v":9,"note":"%s"}\n' % ("x" * 1000) * 1500)

    assert [1, 2, 3] == [*seqs, *notes.said("three")]
    assert ["one", "two", "three"] == [record.typed for record in pending(notes.folder, 0).records]


def test_a_line_without_end_costs_itself_alone(notes):
    """Zeros that a power cut left are passed over, in pieces; records on both sides are there."""
    notes.said("one")
    with (notes.folder / HISTORY).open("ab") as file:
        file.truncate((notes.folder / HISTORY).stat().st_size + MAX_BYTES + 1000)
        file.seek(0, 2)
        file.write(b"\n")

    assert [2] == notes.said("two")
    found = pending(notes.folder, 0)
    assert (["one", "two"], 1) == ([record.typed for record in found.records], found.skipped)


def test_lines_that_make_no_sense_are_told_once_and_kept(notes, scripted):
    """The dream that passes them says how many and where; the next one does not say it again."""
    notes.has(START).said("one")
    path = notes.folder / HISTORY
    with path.open("ab") as file:
        file.write(b'{"v":2,"seq":2,"from":"the future"}\n{"torn\n')
    notes.said("two")
    before = path.read_bytes()
    server = scripted(forever(says("done")))

    notes.dream(server)
    told = [event.text for event in notes.events if isinstance(event, Notice)]
    notes.said("three")
    notes.events.clear()
    notes.dream(server)

    assert [f"2 lines make no sense to this version and are left out, but kept: {path}"] == told
    assert [] == [event for event in notes.events if isinstance(event, Notice)]
    assert path.read_bytes().startswith(before)
