"""list_dir and read_file: nothing outside the root, nothing but regular files, bounded pages."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import re
import resource
import time

import pytest
from inline_snapshot import snapshot

from cococat.core.tools import ToolFailure
from tests.scripted.pictures import png


def test_a_folder_is_listed_with_its_kinds(call, root):
    """Folders end with a slash, links are marked, hidden and ignored files are shown."""
    (root / "src").mkdir()
    (root / "a.py").write_text("x" * 12)
    (root / ".gitignore").write_text("a.py\n")
    (root / "link").symlink_to("/etc")

    outcome = call("list_dir")

    assert snapshot(".gitignore  5\na.py  12\nlink (link)\nsrc/") == outcome.output
    assert "4 entries" == outcome.display


def test_a_large_folder_is_capped(call, root):
    """Two hundred names are shown and the rest is counted."""
    for number in range(230):
        (root / f"f{number:03}").touch()

    lines = call("list_dir", path=".").output.splitlines()

    assert 201 == len(lines)
    assert snapshot("[30 more; use glob]") == lines[-1]


def test_names_with_control_characters_are_escaped(call, root):
    """A name can neither break a line nor reach the terminal as a sequence."""
    (root / "a\n\x1b[2Jb").touch()

    output = call("list_dir").output

    assert "a\\n\\x1b[2Jb  0" == output


def test_a_small_file_is_read_whole(call, root):
    """A head line names the file and its lines; the text follows, each line with its number."""
    (root / "a.txt").write_bytes("\ufeffone\r\nzwei ä\r\n".encode())

    outcome = call("read_file", path="a.txt")

    assert snapshot("a.txt: 2 lines\n1\tone\n2\tzwei ä") == outcome.output
    assert "2 lines" == outcome.display


@pytest.mark.parametrize(
    ("content", "start", "end", "expected"),
    [
        ("a\nb\nc\n", 2, 2, "f: lines 2-2 of 3; next: start_line=3\n2\tb"),
        ("a\nb\nc", 2, None, "f: lines 2-3 of 3\n2\tb\n3\tc"),
        ("a\nb\nc\n", 1, 99, "f: 3 lines\n1\ta\n2\tb\n3\tc"),
        ("a\n\n", 2, None, "f: lines 2-2 of 2\n2\t"),
        ("a", 1, None, "f: 1 line\n1\ta"),
        ("", 1, None, "f: empty\n"),
    ],
    ids=["one line", "to the end", "end beyond", "empty line", "no newline", "empty file"],
)
def test_a_range_of_lines_is_read(call, root, *, content, start, end, expected):
    """Lines count from 1, both ends belong to the range."""
    (root / "f").write_text(content)

    outcome = call("read_file", path="f", start_line=start, end_line=end)

    assert expected == outcome.output


def test_paging_reaches_every_line_once(call, root):
    """The hint of each page leads to the next, until everything was read."""
    lines = [f"line {number} {'x' * (number % 90)}" for number in range(500)]
    (root / "big").write_text("\n".join(lines) + "\n")
    read: list[str] = []
    start = 1

    while start:
        head, _, text = call("read_file", path="big", start_line=start).output.partition("\n")
        read += [line.partition("\t")[2] for line in text.split("\n")]
        assert len(text) <= 1800
        assert ("the page is full; next: " in head) == (len(read) < len(lines))
        start = int(head.partition("start_line=")[2] or 0)

    assert lines == read


def test_a_secret_is_hidden_before_the_lines_are_numbered(call, root):
    """Numbers stand in no secret's way, and lines below a hidden block keep theirs."""
    key = "-----BEGIN PRIVATE KEY-----\n" + "abcd\n" * 3 + "-----END PRIVATE KEY-----"
    (root / "f").write_text(f"{key}\nend\n")

    output = call("read_file", path="f").output

    assert "abcd" not in output
    assert output.startswith("f: 6 lines\n1\t[redacted:")
    assert output.endswith("\n6\tend")


def test_a_long_line_is_cut_and_the_next_can_be_reached(call, root):
    """A line that fits no page says how much is missing, and the hint goes past it."""
    (root / "min.js").write_text("a" * 5000 + "\nend\n")

    head, _, text = call("read_file", path="min.js").output.partition("\n")

    assert (
        snapshot(
            "min.js: lines 1-1 of 2; line 1 goes on for 3200 more characters: start_line=1, start_char=1801; next: start_line=2"
        )
        == head
    )
    assert "1\t" + "a" * 1800 == text


@pytest.mark.parametrize("kind", ["small", "of more than 5 MiB", "utf-16"])
def test_a_long_line_can_be_read_to_its_end(call, root, kind):
    """The hint of each page leads to the next one within the line, and then behind it."""
    long = "".join(f"é{number};" for number in range(2000))
    more = "tail\n" * (1_200_000 if kind == "of more than 5 MiB" else 1)
    (root / "min.js").write_bytes(f"first\n{long}\n{more}".encode("utf-16" if kind == "utf-16" else "utf-8"))
    read, start = "", {"start_line": 2}

    while start.get("start_line") == 2:
        head, _, text = call("read_file", path="min.js", **start).output.partition("\n")
        read += text.removeprefix("2\t")
        start = dict(re.findall(r"(start_\w+)=(\d+)", head.partition("; next")[0]) or [("start_line", 3)])
        start = {name: int(value) for name, value in start.items()}

    assert long == read
    assert "next: start_line=3" in head
    with pytest.raises(ToolFailure, match=r"line 2 of .* has no character 99999"):
        call("read_file", path="min.js", start_line=2, start_char=99999)


def test_no_page_within_a_line_shows_a_part_of_a_secret(call, root):
    """Wherever a page begins or ends, a secret is known by the whole of it."""
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA2cD4fG6"
    (root / "min.js").write_text("x" * 1780 + f' t="{secret}" ' + "y" * 3000)

    pages = [call("read_file", path="min.js", start_char=char).output for char in (1, 1700, 1790, 1801, 1810, 1824)]

    assert not [page for page in pages if any(secret[at : at + 6] in page for at in range(len(secret) - 6))]


def test_what_is_encoded_is_read_as_its_size_and_stays_in_the_file(call, root):
    """An image in a page costs no tokens; the file is edited, and given back whole, around it."""
    blob = base64.b64encode(random.Random(1).randbytes(30_000)).decode()
    (root / "a.html").write_text(f'<p>one</p>\n<img src="data:image/png;base64,{blob}">\n<p>two</p>\n')

    output = call("read_file", path="a.html").output
    given_back = "\n".join(line.partition("\t")[2] for line in output.split("\n")[1:]) + "\n"
    call("write_file", path="a.html", content=given_back.replace("one", "ONE"))
    sign = f"[base64: {len(blob)} characters]"
    call("edit_file", path="a.html", old_text=f'{sign}">\n<p>two', new_text=f'{sign}">\n<p>TWO')

    assert f'2\t<img src="data:image/png;base64,{sign}">\n3\t<p>two</p>' in output
    assert f'<p>ONE</p>\n<img src="data:image/png;base64,{blob}">\n<p>TWO</p>\n' == (root / "a.html").read_text()


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "words"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [
                {"name": "stdout", "output_type": "stream", "text": ["hello\n", "there\n"]},
                {
                    "data": {
                        "image/png": base64.b64encode(bytes(900)).decode(),
                        "text/html": ["<b>big</b>"],
                        "text/plain": ["<Figure>"],
                    },
                    "output_type": "display_data",
                },
                {"ename": "E", "evalue": "v", "output_type": "error", "traceback": ["Traceback", "E: v"]},
            ],
            "source": ['print("hello")\n', "plot()"],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.mark.parametrize("indent", [1, None], ids=["as it is saved", "in one line"])
def test_a_notebook_is_read_as_its_cells_and_edited_as_it_reads(call, root, indent):
    """Sources and text outputs are what it says, images a size; a passage of a cell is replaced in the JSON."""
    (root / "a.ipynb").write_text(json.dumps(NOTEBOOK, indent=indent))

    output = call("read_file", path="a.ipynb").output
    call("edit_file", path="a.ipynb", old_text='print("hello")\nplot()', new_text='print("bye")\nshow("x")\n')
    with pytest.raises(ToolFailure, match=r"kept as JSON; .* edit_file"):
        call("write_file", path="a.ipynb", content="print('mine')\n")

    lines = [line.partition("\t")[2] for line in output.split("\n")[1:]]
    assert ["[cell 1: markdown]", "# Title", "words", "[cell 2: code]", 'print("hello")', "plot()"] == lines[:6]
    assert (
        snapshot(
            [
                "[output of cell 2]",
                "hello",
                "there",
                "[output of cell 2]",
                "<Figure>",
                "[image/png, 900 bytes]",
            ]
        )
        == lines[6:12]
    )
    assert snapshot(["[text/html, 10 bytes]", "[output of cell 2]", "Traceback", "E: v"]) == lines[12:]
    cells = json.loads((root / "a.ipynb").read_text())["cells"]
    assert snapshot('print("bye")\nshow("x")\n') == "".join(cells[1]["source"])
    assert (NOTEBOOK["cells"][0], NOTEBOOK["cells"][1]["outputs"]) == (cells[0], cells[1]["outputs"])


def test_lines_that_are_not_there_are_refused(call, root):
    """A range beyond the file names the file's length."""
    (root / "f").write_text("a\nb\n")

    with pytest.raises(ToolFailure, match="f has only 2 lines"):
        call("read_file", path="f", start_line=9)
    with pytest.raises(ToolFailure, match="count from 1"):
        call("read_file", path="f", start_line=3, end_line=2)


def test_utf_16_is_read_as_text(call, root):
    """A byte order mark decides; the NULs of UTF-16 do not make it binary."""
    (root / "w.txt").write_bytes("grüß\nGott\n".encode("utf-16"))

    assert snapshot("w.txt: 2 lines\n1\tgrüß\n2\tGott") == call("read_file", path="w.txt").output


def test_a_binary_file_gives_size_and_digest(call, root):
    """No byte of it reaches the model."""
    data = b"\x89PNG\0\0" + bytes(range(256))
    (root / "x.png").write_bytes(data)

    output = call("read_file", path="x.png").output

    assert f"x.png: binary, {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}" == output


@pytest.mark.parametrize("kind", ["sparse", "one line", "many lines"])
def test_a_huge_file_is_read_quickly_in_bounded_memory(call, root, kind):
    """Sparse files, giant lines and 80 MB of text take under a second and under 30 MB."""
    with (root / "huge").open("wb") as file:
        if kind == "sparse":
            file.truncate(2 << 30)
        else:
            block = (b"x" * 100 if kind == "one line" else b"some words here\n" * 6) * 10_000
            for _ in range(80):
                file.write(block)
    call("list_dir")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()

    output = call("read_file", path="huge").output

    assert len(output) < 2100
    assert ("+; " in output) is (kind != "sparse")  # lines are counted in the first 64 MB only
    assert time.process_time() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


@pytest.mark.parametrize(
    "path", ["../proj-evil/s", "/etc/passwd", "out/s", "dir/../../proj-evil/s", "a\0b", "dir/up/s"]
)
@pytest.mark.parametrize("tool", ["read_file", "list_dir", "grep_search", "glob", "write_file"])
def test_paths_out_of_the_root_are_refused(call, root, tool, path):
    """Neither `..`, nor absolute paths, nor links, nor a sibling with the root's name as prefix."""
    evil = root.parent / "proj-evil"
    evil.mkdir()
    (evil / "s").write_text("secret")
    (root / "dir").mkdir()
    (root / "out").symlink_to(evil)
    (root / "dir" / "up").symlink_to("../../proj-evil")
    more = {"grep_search": {"pattern": "s"}, "glob": {"pattern": "*"}, "write_file": {"content": "x"}}

    with pytest.raises(ToolFailure, match="outside the folder"):
        call(tool, path=path, **more.get(tool, {}))

    assert "secret" == (evil / "s").read_text()


def test_links_inside_the_root_are_followed(call, root):
    """A link is fine as long as it leads to a file below the root."""
    (root / "real").write_text("hello\n")
    (root / "link").symlink_to("real")

    assert snapshot("real: 1 line\n1\thello") == call("read_file", path="link").output


def test_only_regular_files_are_read(call, root):
    """A pipe or a folder is refused at once, without waiting for a writer."""
    os.mkfifo(root / "pipe")

    with pytest.raises(ToolFailure, match="pipe is not a regular file"):
        call("read_file", path="pipe")
    with pytest.raises(ToolFailure, match="is a folder; use list_dir"):
        call("read_file", path=".")


def test_a_missing_file_names_its_near_names(call, root):
    """The failure helps with the next try, also when a folder on the way is misspelt."""
    (root / "src").mkdir()
    (root / "src" / "config.py").touch()

    with pytest.raises(ToolFailure, match=r"src/confg.py does not exist; near names: src/config.py"):
        call("read_file", path="src/confg.py")
    with pytest.raises(ToolFailure, match="near names: src"):
        call("read_file", path="scr/config.py")
    with pytest.raises(ToolFailure, match=r"zebra.txt does not exist; grep_search finds text, list_dir shows files"):
        call("read_file", path="zebra.txt")


@pytest.mark.parametrize(
    ("real", "asked"),
    [
        ("Bildschirmfoto 10.30.00\u202fPM.txt", "Bildschirmfoto 10.30.00 PM.txt"),
        ("Bildschirmfoto 10.30.00\u202fPM.txt", r"Bildschirmfoto 10.30.00\u202fPM.txt"),
        ("Re\u0301sume\u0301.txt", "R\u00e9sum\u00e9.txt"),
        ("a\u00a0  b\u3000c.txt", "a b c.txt"),
        ("\uff11.txt", "1.txt"),
    ],
    ids=["narrow blank", "as it is listed", "decomposed", "blanks", "wide"],
)
def test_a_name_that_reads_alike_opens(call, root, real, asked):
    """A name on the disk that nobody types so is found as it is typed, by each tool and in each folder of a path."""
    (root / real).mkdir()
    (root / real / real).write_text("one\n")

    assert "one" in call("read_file", path=f"{asked}/{asked}").output
    call("edit_file", path=f"{asked}/{asked}", old_text="one", new_text="two")

    assert "two\n" == (root / real / real).read_text()
    assert [real] == [path.name for path in root.iterdir()]


def test_no_rule_is_passed_by_a_name_that_reads_alike(call, root):
    """A plain name opens by itself alone: what was allowed for another spelling is not allowed for it."""
    (root / ".env").write_text("TOKEN=1\n")
    (root / "a\u202fb").symlink_to("/etc")

    with pytest.raises(ToolFailure, match="does not exist"):
        call("read_file", path="\uff0eenv")
    with pytest.raises(ToolFailure, match="outside the folder"):
        call("read_file", path="a b/passwd")


def test_a_picture_is_told_by_its_kind_and_its_pixels(call, root):
    """Whatever it is called; not one of its bytes is given."""
    (root / "shot.txt").write_bytes(png(1200, 800))

    output = call("read_file", path="shot.txt").output

    assert output.startswith("shot.txt: PNG picture, 1200 x 800 pixels, not shown, ")


def test_a_binary_file_is_refused_as_one_and_not_sent_to_be_read_again(call, root):
    """Reading it led to the same refusal again."""
    (root / "x.bin").write_bytes(b"\0\1")
    call("read_file", path="x.bin")

    for tool, more in (("write_file", {"content": "x"}), ("edit_file", {"old_text": "a", "new_text": "b"})):
        with pytest.raises(ToolFailure, match="the file is binary"):
            call(tool, path="x.bin", **more)


def test_a_swap_during_the_walk_opens_nothing_outside(call, root, tmp_path):
    """A folder that becomes a link again and again never leads out of the root."""
    import threading

    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("secret\n")
    (root / "real").mkdir()
    (root / "real" / "f").write_text("inside\n")
    (root / "d").symlink_to("real")
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            for target in (outside, "real"):
                (root / "t").symlink_to(target)
                (root / "t").rename(root / "d")

    thread = threading.Thread(target=swap)
    thread.start()
    outputs = set()
    for _ in range(300):
        try:
            outputs.add(call("read_file", path="d/f").output)
        except ToolFailure as error:
            outputs.add(str(error).partition(" ")[0])
    ended.set()
    thread.join()

    assert not any("secret" in output for output in outputs)
    assert outputs
