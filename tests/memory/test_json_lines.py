"""Files of JSON lines: how long a line may be, and where the last bytes of a file begin."""

import pytest

from cococat.errors import StorageError
from cococat.memory.file.place import append_lines, each_line, each_row

NAME = "some.jsonl"
LARGEST = 16 << 20  # bytes of a line with its end


@pytest.mark.parametrize(
    ("tail", "lines"),
    [(0, "abc"), (1, ""), (3, ""), (4, "c"), (7, "c"), (8, "bc"), (11, "bc"), (12, "abc"), (100, "abc")],
)
def test_the_last_bytes_of_a_file_hold_the_lines_that_begin_in_them(notes, tail, lines):
    """A line that began before them is none of them, one that begins with the first of them is."""
    notes.has()
    (notes.folder / NAME).write_bytes(b'"a"\n"b"\n"c"\n')

    assert [f'"{line}"\n'.encode() for line in lines] == list(each_line(notes.folder, NAME, tail=tail))


def test_a_line_of_sixteen_mebibytes_is_kept_and_read_and_a_longer_one_is_refused(notes):
    """What is written can be read again; a refusal leaves the file as it was."""
    notes.has()
    text = "x" * (LARGEST - len('{"x":""}\n'))
    append_lines(notes.folder, NAME, [{"x": text}])

    with pytest.raises(StorageError, match="longer than 16,777,216 bytes"):
        append_lines(notes.folder, NAME, [{"x": f"{text}x"}])

    assert [{"x": text}] == list(each_row(notes.folder, NAME))
    assert 1 == len(list(each_line(notes.folder, NAME)))


def test_a_line_that_is_one_byte_too_long_costs_itself_alone(notes):
    """It is read in pieces, none of which is taken for a line of its own."""
    notes.has()
    (notes.folder / NAME).write_bytes(b"[" + b"0" * (LARGEST - 1) + b"]\n" + b'{"a":1}\n')

    assert [{"a": 1}] == list(each_row(notes.folder, NAME))
    assert 2 == len(list(each_line(notes.folder, NAME)))
