"""Events out of bytes, whatever the bytes begin with, end their lines with, and wherever they are split."""

import itertools
import json
import sys

import pytest

from cococat.model.incoming import Events
from tests.scripted import Delta, raw, says

BOM = b"\xef\xbb\xbf"
TEXT = "größer 😀"
STREAM = (
    f'data: {{"n": 1, "text": "{TEXT}"}}\n\n: ping\n\nevent: x\ndata: {{"n":\ndata: 2}}\n\ndata: [DONE]\n\n'.encode()
)
EXPECTED = [{"n": 1, "text": TEXT}, {"n": 2}]


def read(*chunks):
    """The events of a response that arrives in *chunks*, and whether it said that it is done."""
    events = Events()
    found = [event for chunk in chunks for event in events.feed(chunk)]
    return [*found, *events.end()], events.done


@pytest.mark.parametrize("begin", [b"", BOM], ids=["plain", "BOM"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
def test_events_are_the_same_wherever_the_bytes_are_split(begin, line_end):
    """A byte order mark and every line end of the standard, cut at every two places and fed byte by byte."""
    stream = begin + STREAM.replace(b"\n", line_end)
    cuts = itertools.combinations_with_replacement(range(len(stream) + 1), 2)

    outcomes = [read(stream[:one], stream[one:two], stream[two:]) for one, two in cuts]
    outcomes.append(read(*(bytes([byte]) for byte in stream)))

    assert [] == [outcome for outcome in outcomes if outcome != (EXPECTED, True)]


class Counted(bytes):
    """Bytes that count how many of them are joined to others or looked through."""

    work = 0

    def __radd__(self, before):
        Counted.work += len(before)
        return Counted(bytes(before) + bytes(self))

    def splitlines(self, keepends=False):
        Counted.work += len(self)
        return super().splitlines(keepends)


def test_a_long_line_costs_its_length_however_small_its_pieces():
    """What came before is not copied or searched at each piece."""
    line = b'data: {"text": "' + b"x" * 100_000 + b'"}\n\n'
    Counted.work = 0

    found, _ = read(*(Counted(line[at : at + 10]) for at in range(0, len(line), 10)))

    assert 100_000 == len(found[0]["text"])
    assert Counted.work <= 3 * len(line)


@pytest.mark.parametrize("between", [b"", b"\n"], ids=["no blank line", "blank lines"])
def test_an_event_of_many_lines_is_parsed_when_it_is_whole(between):
    """At its first line and at its last one, wherever brackets stand in its strings."""
    lines = json.dumps([{"n": n, "text": '}]"{['} for n in range(1000)], indent=1).splitlines()
    whole = b"".join(f"data: {line}\n".encode() for line in ['{"all":', *lines, "}"]) + between
    parsed = []
    sys.setprofile(
        lambda frame, event, _: (
            parsed.append(event) if frame.f_code is json.loads.__code__ and event == "call" else None
        )
    )
    try:
        found, _ = read(whole, whole)
    finally:
        sys.setprofile(None)

    assert [1000, 1000] == [len(event["all"]) for event in found]
    assert 4 == len(parsed)


def test_a_mark_in_the_middle_stays_text():
    """Only the first three bytes of a response are a byte order mark."""
    stream = b'data: {"text": "' + BOM + b'x"}\n\n' + BOM + b'data: {"n": 1}\n\n'

    assert ([{"text": "\ufeffx"}], False) == read(stream)


@pytest.mark.parametrize("line_end", [b"\r", b"\r\n"], ids=["CR", "CRLF"])
def test_a_whole_object_may_come_with_a_mark(line_end):
    """A server that does not stream, with the same beginning and the same line ends."""
    events = Events()

    list(events.feed(BOM + b'{"a":' + line_end + b"1}"))
    list(events.end())

    assert {"a": 1} == events.as_object()


def test_the_first_delta_behind_a_byte_order_mark_is_heard(scripted, ask):
    """Over HTTP: nothing of the answer is lost."""
    server = scripted(raw(BOM, Delta({"content": "first "})) + says("second"))

    assert "first second" == ask(server).message.text
