"""A file is attached in two ways, `-f` and `@`, and read in one."""

from __future__ import annotations

import os

import pytest

from cococat.app.input import first_message
from cococat.errors import UsageError
from cococat.ui.prompt.attach import attachments

GOOD = {
    "UTF-8": "grün\n".encode(),
    "UTF-8 with a mark": b"\xef\xbb\xbfgr\xc3\xbcn\n",
    "UTF-16, little end first": b"\xff\xfe" + "grün\n".encode("utf-16-le"),
    "UTF-16, big end first": b"\xfe\xff" + "grün\n".encode("utf-16-be"),
}


@pytest.mark.parametrize("data", GOOD.values(), ids=GOOD)
def test_what_one_way_can_read_the_other_can(tmp_path, data):
    """Files of other systems are text, too."""
    (tmp_path / "a.txt").write_bytes(data)

    named = first_message(["x"], [tmp_path / "a.txt"], None).attachments
    mentioned, problems = attachments("@a.txt", tmp_path)

    assert ["grün\n", "grün\n"] == [one.text for one in (*named, *mentioned)]
    assert () == problems


def test_both_ways_take_a_mebibyte(tmp_path):
    """And not one byte more."""
    (tmp_path / "most.txt").write_bytes(b"x" * (1 << 20))
    (tmp_path / "more.txt").write_bytes(b"x" * ((1 << 20) + 1))

    assert 1 << 20 == len(first_message(["x"], [tmp_path / "most.txt"], None).attachments[0].text)
    assert 1 << 20 == len(attachments("@most.txt", tmp_path)[0][0].text)
    with pytest.raises(UsageError, match="it has 1,025 KiB, at most 1 MiB can be attached") as refused:
        first_message(["x"], [tmp_path / "more.txt"], None)
    assert [f"@more.txt is not attached: {refused.value.message.partition(': ')[2]}; {refused.value.hint}"] == list(
        attachments("@more.txt", tmp_path)[1]
    )


@pytest.mark.skipif(os.name == "nt", reason="no named pipes in folders")
@pytest.mark.parametrize("kind", ["binary", "pipe", "folder", "UTF-16 cut short"])
def test_what_one_way_refuses_the_other_refuses_in_the_same_words(tmp_path, kind):
    """A pipe is not waited for, and zeros are no text."""
    path = tmp_path / "a.bin"
    make = {"pipe": os.mkfifo, "folder": os.mkdir}.get(kind)
    make(path) if make else path.write_bytes(b"a\0b" if kind == "binary" else b"\xff\xfea")

    with pytest.raises(UsageError) as refused:
        first_message(["x"], [path], None)

    _, (problem,) = attachments("@a.bin", tmp_path)
    assert f"cannot attach {path}: {problem.partition(': ')[2]}" == f"{refused.value.message}; {refused.value.hint}"
