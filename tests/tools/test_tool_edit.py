"""edit_file and write_file: exactly the quoted bytes change, whole or not at all."""

from __future__ import annotations

import codecs
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from cococat.core.tools import ToolFailure
from cococat.tools.diff import unified
from cococat.tools.replace import rewrite, splice
from tests.begun import begin
from tests.scripted import calls, says


def read_and_edit(call, path, old, new, **more):
    call("read_file", path=path)
    return call("edit_file", path=path, old_text=old, new_text=new, **more)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\nb\nc\n", "b", "B", b"a\nB\nc\n"),
        (b"a\r\nb\r\nc\n", "a\nb", "A\nB\nX", b"A\r\nB\r\nX\r\nc\n"),
        (b"a\r\nb\nc\r\n", "b\nc", "B\nC", b"a\r\nB\nC\r\n"),
        (b"a\rb\rc", "b\nc", "B\nC", b"a\rB\rC"),
        (b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n"),
        (b"a\r\nb\r\n", "\nb", "", b"a\r\n"),
        (b"\xef\xbb\xbfa\nb", "a", "x", b"\xef\xbb\xbfx\nb"),
        ("grüß\nGott\n".encode("utf-16"), "Gott", "Dich", "grüß\nDich\n".encode("utf-16")),
        (b"caf\xe9 one\n", "one", "two", b"caf\xe9 two\n"),
        (b"keep  \nx", "x", "y", b"keep  \ny"),
        ("\U0001f600 a\n".encode(), "a", "\u00e9", "\U0001f600 \u00e9\n".encode()),
    ],
    ids=["lf", "crlf region", "mixed", "cr", "new lines", "leading", "bom", "utf-16", "latin-1", "no final", "emoji"],
)
def test_only_the_quoted_bytes_change(call, root, *, before, old, new, after):
    """Encoding, mark and line endings stay; new text takes the endings of the region it replaces."""
    (root / "f").write_bytes(before)

    read_and_edit(call, "f", old, new)

    assert after == (root / "f").read_bytes()


ENCODINGS = {
    "utf-8": lambda text: text.encode(),
    "utf-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "utf-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "utf-16 be": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "utf-32": lambda text: codecs.BOM_UTF32_LE + text.encode("utf-32-le"),
}


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(ENCODINGS)),
    st.lists(
        st.tuples(st.text("ab\x0c\u2028\u00e9\u8868\U0001f600 ", max_size=6), st.sampled_from(["\n", "\r\n", "\r"])),
        min_size=1,
        max_size=9,
    ),
    st.booleans(),
    st.data(),
)
def test_a_file_given_back_whole_changes_in_the_changed_line_alone(name, lines, ended, data):
    """Mark, encoding, every line end and the bytes of every equal line stay, whatever the file mixes."""
    encode, place = ENCODINGS[name], data.draw(st.integers(0, len(lines) - 1))
    lines = [(f"{number}{line}", end) for number, (line, end) in enumerate(lines)]
    lines[-1] = (lines[-1][0], lines[-1][1] if ended else "")
    given_back = [line for line, _ in lines]
    whole = encode("".join(line + end for line, end in lines))

    assert {whole} == {rewrite(whole, "\n".join(given_back) + end).data for end in ("\n", "")}

    given_back[place], lines[place] = "changed", ("changed", lines[place][1])
    done = rewrite(whole, "\n".join(given_back) + "\n" * ended)

    assert encode("".join(line + end for line, end in lines)) == done.data
    assert "+1 -1" == unified(done.before, done.after, "f")[1]


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("x = 'cafe\u0301'\n", "caf\u00e9", "caf\u00e9s \u00e0", "x = 'cafe\u0301s a\u0300'\n"),
        ("caf\u00e9 one\n", "cafe\u0301 one", "cafe\u0301 two", "caf\u00e9 two\n"),
        (
            "\u201cdon\u2019t\u201d he said\r\nno\r\n",
            '"don\'t" he said\nno',
            '"don\'t" she said\nyes',
            "\u201cdon\u2019t\u201d she said\r\nyes\r\n",
        ),
        ('say "hi"\n', "say \u201chi\u201d", "say \u201cho\u201d", 'say "ho"\n'),
    ],
    ids=["apart", "composed", "typographic", "straight"],
)
def test_a_passage_that_only_looks_alike_is_found_and_the_file_keeps_its_form(call, root, *, before, old, new, after):
    """Letters composed or apart and quotes of either kind, where there is one such place."""
    (root / "f").write_bytes(before.encode())

    read_and_edit(call, "f", old, new)

    assert after == (root / "f").read_bytes().decode()


def test_a_passage_that_looks_like_two_places_is_refused(call, root):
    """Nor is a letter taken for one with an accent of its own."""
    (root / "f").write_text("\u2018a\u2019 and \u2019a\u2018, cafe\u0301\n")

    for old in ("'a'", "caf\u0065 "):
        with pytest.raises(ToolFailure, match="occurs 0 times"):
            read_and_edit(call, "f", old, "b")


@settings(max_examples=300)
@given(st.text(alphabet="ab \r\n\u00e9\U0001f600", max_size=40), st.data())
def test_bytes_around_a_passage_are_never_touched(text, data):
    """Whatever the mixture of line endings, what stands before and after the passage is the same."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    old = text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    before = text.encode()
    try:
        done = splice(before, old, "Z", every=False)
    except ToolFailure:
        return

    place = done.data.decode().index("Z")
    assert before.startswith(done.data[: len(done.data.decode()[:place].encode())])
    assert before.endswith(done.data.decode()[place + 1 :].encode())


def test_the_model_learns_where_it_changed_the_file_and_the_user_sees_the_diff(call, root):
    """A line on both sides, and the lines that the hunk's header counts."""
    (root / "f").write_text("\n".join(str(number) for number in range(20)) + "\n")

    outcome = read_and_edit(call, "f", "10", "ten\nTEN")

    assert "changed f: +2 -1\n@@ -10,3 +10,4 @@\n 9\n-10\n+ten\n+TEN\n 11" == outcome.output
    assert (
        "changed f: +2 -1\n--- f\n+++ f\n@@ -8,7 +8,8 @@\n 7\n 8\n 9\n-10\n+ten\n+TEN\n 11\n 12\n 13" == outcome.shown
    )
    assert "+2 -1" == outcome.display


def test_a_passage_that_is_not_there_names_the_nearest_lines(call, root):
    """Nothing is applied on a guess; the failure shows three lines and what differs."""
    (root / "f").write_text("def run(self):\n    return 1\nother\n")

    with pytest.raises(ToolFailure) as failed:
        read_and_edit(call, "f", "def  run(self):", "x")

    assert "occurs 0 times; it differs in white space only" in str(failed.value)
    assert "\n1: def run(self):" in str(failed.value)
    with pytest.raises(ToolFailure, match="upper and lower case"):
        read_and_edit(call, "f", "OTHER", "x")


def test_the_nearest_lines_of_a_long_file_are_found_by_their_words(call, root):
    """Comparing each of its lines letter by letter would hold up the screen."""
    (root / "f").write_text("x = 1\n" * 4000 + "def area(radius, height):\n" + "y = 2\n" * 4000)

    with pytest.raises(ToolFailure, match=r"Nearest lines:\n4001: def area\(radius, height\):"):
        read_and_edit(call, "f", "def area(radus, height):", "x")


def test_a_passage_that_occurs_twice_names_its_lines(call, root):
    """Overlapping occurrences count; replace_all replaces and counts them."""
    (root / "f").write_text("x=1\ny\nx=1\n")

    with pytest.raises(ToolFailure, match=r"occurs 2 times \(lines 1, 3\)"):
        read_and_edit(call, "f", "x=1", "z")
    outcome = read_and_edit(call, "f", "x=1", "z", replace_all=True)

    assert "z\ny\nz\n" == (root / "f").read_text()
    assert "changed f: +2 -2, 2 replaced\n@@ -1,3 +1,3 @@\n-x=1\n+z\n y\n-x=1\n+z" == outcome.output
    (root / "g").write_text("aaa\n")
    with pytest.raises(ToolFailure, match="occurs 2 times"):
        read_and_edit(call, "g", "aa", "b")


@pytest.mark.parametrize(("old", "new", "why"), [("", "x", "empty"), ("a", "a", "the same"), ("zz", "y", "0 times")])
def test_an_edit_that_makes_no_sense_changes_nothing(call, root, old, new, why):
    """The bytes and the time stamp stay."""
    (root / "f").write_text("abc\n")
    before = (root / "f").stat()

    with pytest.raises(ToolFailure, match=why):
        read_and_edit(call, "f", old, new)

    assert before.st_mtime_ns == (root / "f").stat().st_mtime_ns
    assert before.st_ino == (root / "f").stat().st_ino


def test_a_file_must_have_been_read(call, root):
    """Neither tool changes a file that the model has not seen in this session."""
    (root / "f").write_text("abc\n")

    with pytest.raises(ToolFailure, match="f has not been read yet; call read_file first"):
        call("edit_file", path="f", old_text="a", new_text="b")
    with pytest.raises(ToolFailure, match="has not been read yet"):
        call("write_file", path="f", content="b")

    assert "abc\n" == (root / "f").read_text()


def test_a_file_that_changed_since_is_refused(call, root):
    """Content decides, not time: someone else's work is never overwritten."""
    (root / "f").write_text("abc\n")
    call("read_file", path="f")
    status = (root / "f").stat()
    (root / "f").write_text("abd\n")
    os.utime(root / "f", ns=(status.st_atime_ns, status.st_mtime_ns))

    for tool, more in (("edit_file", {"old_text": "a", "new_text": "b"}), ("write_file", {"content": "b"})):
        with pytest.raises(ToolFailure, match="changed since read"):
            call(tool, path="f", **more)

    assert "abd\n" == (root / "f").read_text()


def test_edits_follow_each_other_without_reading_again(call, root):
    """What a tool wrote counts as read."""
    (root / "f").write_text("one\ntwo\n")

    read_and_edit(call, "f", "one", "1")
    call("edit_file", path="f", old_text="two", new_text="2")

    assert "1\n2\n" == (root / "f").read_text()


def test_mode_stays_and_nothing_is_left_behind(call, root):
    """Permissions are those of the file, and no temporary file remains, also after a refusal."""
    (root / "run.sh").write_text("echo a\n")
    (root / "run.sh").chmod(0o766)

    read_and_edit(call, "run.sh", "a", "b")
    with pytest.raises(ToolFailure):
        call("edit_file", path="run.sh", old_text="zzz", new_text="b")

    assert 0o766 == stat.S_IMODE((root / "run.sh").stat().st_mode)
    assert ["run.sh"] == [entry.name for entry in root.iterdir()]


@pytest.mark.parametrize("kind", ["hard link", "setuid", "large", "binary"])
def test_some_files_are_never_edited(call, root, kind):
    """Hard links, setuid files, more than 5 MiB and binaries stay as they are."""
    file = root / "f"
    file.write_bytes(b"abc\0\n\xff" if kind == "binary" else b"abc\n" * (2 << 20 if kind == "large" else 1))
    if kind == "hard link":
        os.link(file, root.parent / "other")
    if kind == "setuid":
        file.chmod(0o4755)
    before = file.read_bytes()

    with pytest.raises(ToolFailure):
        read_and_edit(call, "f", "abc", "xyz")

    assert before == file.read_bytes()


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        (b"caf\xe9 one\ntwo\n", "caf\ufffd one"),
        ("表 one\n字\n".encode("shift-jis"), "\ufffd\\ one"),
        ("你好 one\n世界\n".encode("gbk"), "\ufffd one"),
        ("naïve one\n".encode("cp1252") + "é\n".encode(), "na\ufffdve one"),
        (codecs.BOM_UTF16_LE + "ab one\n".encode("utf-16-le") + b"\x00\xd8\n\0", "ab one"),
    ],
    ids=["latin-1", "shift-jis", "gbk", "mixed", "utf-16 with half a letter"],
)
def test_what_could_not_be_shown_is_not_overwritten(call, root, *, before, shown):
    """A file with unreadable bytes is no model's to write as a whole; its readable passages can be changed."""
    (root / "f").write_bytes(before)
    page = call("read_file", path="f").output
    given_back = "".join(row.partition("\t")[2] + "\n" for row in page.split("\n")[1:])

    assert shown in page
    with pytest.raises(ToolFailure, match=r"not UTF-8.* edit_file"):
        call("write_file", path="f", content=given_back.replace("one", "ONE"))
    assert before == (root / "f").read_bytes()
    call("edit_file", path="f", old_text=" one", new_text=" ONE")

    encoding = "utf-16-le" if before.startswith(codecs.BOM_UTF16_LE) else "ascii"
    assert before.replace("one".encode(encoding), "ONE".encode(encoding)) == (root / "f").read_bytes()


@pytest.mark.parametrize(("text", "encoding"), [("表x", "shift-jis"), ("俓x", "gbk"), ("功x", "big5")])
def test_a_letter_of_two_bytes_is_not_torn(call, root, text, encoding):
    """The second byte of a letter may look like a letter of its own."""
    (root / "f").write_bytes(text.encode(encoding))
    call("read_file", path="f")
    tail = text.encode(encoding)[1:].decode()

    with pytest.raises(ToolFailure, match="part of a letter"):
        call("edit_file", path="f", old_text=tail, new_text="y")

    assert text.encode(encoding) == (root / "f").read_bytes()


def test_a_diff_shows_every_change_of_line_ends(call, root):
    """What a file ends with, and how its lines end, is a change like any other."""
    (root / "f").write_bytes(b"a\nb\r\nc")
    call("read_file", path="f")

    outcome = call("edit_file", path="f", old_text="c", new_text="c\n")
    again = call("edit_file", path="f", old_text="a\nb", new_text="a\u2028b")

    assert "@@ -1,3 +1,3 @@\n a\n b␍␊\n-c\n\\ No newline at end of file\n+c␍␊" in outcome.shown
    assert "-a\n-b␍␊\n+a\u2028b␍␊\n c␍␊" in again.shown


def test_a_change_at_both_ends_of_a_large_file_is_two_changes(call, root):
    """The lines between them are not called changed, and keep their line ends."""
    lines = [f"{number}\r\n" if number % 3 == 0 else f"{number}\n" for number in range(3000)]
    (root / "f").write_bytes("".join(lines).encode())
    call("read_file", path="f")

    outcome = call("write_file", path="f", content="".join(["x\n", *map("{}\n".format, range(1, 2999)), "y\n"]))

    assert "changed f: +2 -2" == outcome.output.partition("\n")[0]
    assert "".join(["x\r\n", *lines[1:-1], "y\n"]).encode() == (root / "f").read_bytes()


def test_a_new_file_gets_its_folders(call, root):
    """Parents are made below the root; the result says what was created."""
    outcome = call("write_file", path="a/b/c.txt", content="hi\nthere\n")

    assert "hi\nthere\n" == (root / "a/b/c.txt").read_text()
    assert ["c.txt"] == [entry.name for entry in (root / "a/b").iterdir()]
    assert snapshot("created a/b/c.txt: 2 lines, 9 bytes") == outcome.output
    assert not (root / "a/b/c.txt").stat().st_mode & 0o111


def test_a_file_that_was_read_is_replaced_as_a_whole(call, root):
    """The diff shows what the replacement did."""
    (root / "f").write_text("old\n")
    call("read_file", path="f")

    outcome = call("write_file", path="f", content="new\nlines\n")

    assert "new\nlines\n" == (root / "f").read_text()
    assert "-old\n+new\n+lines" in outcome.shown
    assert "changed f: +2 -1\n@@ -1 +1,2 @@" == outcome.output


def test_no_file_is_written_below_a_linked_folder_outside(call, root, tmp_path):
    """Creating parents does not follow links out of the root either."""
    (tmp_path / "elsewhere").mkdir()
    (root / "d").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ToolFailure, match="outside the folder"):
        call("write_file", path="d/new/x", content="x")

    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_folder_that_cannot_be_written_is_reported(call, root):
    """Writing to something that is a folder fails in words."""
    (root / "d").mkdir()

    with pytest.raises(ToolFailure, match="is a folder"):
        call("write_file", path="d", content="x")
    with pytest.raises(ToolFailure, match="is a folder"):
        call("write_file", path=".", content="x")


def test_the_diff_of_a_large_rewrite_is_quick_and_short(call, root):
    """Ten thousand changed lines are one block, cut to two thousand characters."""
    (root / "f").write_text("".join(f"old {number}\n" for number in range(10_000)))
    call("read_file", path="f")

    outcome = call("write_file", path="f", content="".join(f"new {number}\n" for number in range(10_000)))

    assert len(outcome.shown) <= 2000
    assert len(outcome.output) < 100
    assert "+10000 -10000" == outcome.display


def ask_where(mounts, server, root, *words):
    """Ask in *root*, where the commands of *mounts* were run before; how it ends."""
    flags = ("--mode", "react", "--permission", "edits", "--base-url", server.base_url, "-m", "x")
    with begin(mounts, "ask", *flags, *words, cwd=root, module="tests.sandbox.machines") as asked:
        return asked.ended()


MOUNTS = (
    shutil.which("unshare")
    and not subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode
)


@pytest.mark.skipif(not MOUNTS, reason="the system lets nobody mount here")
def test_a_mounted_file_and_one_of_a_foreign_group_stay_the_files_they_are(scripted, root, home):
    """Neither can be replaced by a new file: they are overwritten, and /undo has what they held."""
    (root.parent / "outside").write_text("one and much more\n")
    (root / "mounted").touch()
    (root / "shared").write_text("one\n")
    if not os.getuid():
        os.chown(root / "shared", -1, 4711)
    before = (root / "shared").stat()
    names = ("mounted", "shared")
    edits = [("edit_file", {"path": name, "old_text": "one", "new_text": "two"}) for name in names]
    server = scripted(calls(*(("read_file", {"path": name}) for name in names)), calls(*edits), says("Done."))

    code, out, err = ask_where("mount --bind ../outside mounted", server, root, "change")

    assert (0, b"Done.\n") == (code, out), err
    assert snapshot(["two and much more\n", "two\n"]) == [
        (root.parent / "outside").read_text(),
        (root / "shared").read_text(),
    ]
    after = (root / "shared").stat()
    assert (before.st_gid, before.st_mode) == (after.st_gid, after.st_mode)
    assert os.getuid() or before.st_ino == after.st_ino
    assert {"mounted", "shared"} == {entry.name for entry in root.iterdir()}
    assert 2 == len(list((home / "state" / "undo").glob("*/*")))


@pytest.mark.skipif(not MOUNTS, reason="the system lets nobody mount here")
@pytest.mark.parametrize(
    ("ways", "held"),
    [
        (("", "ro", "rw"), "two and more\n"),
        (("", "ro", "ro"), "one and more\n"),
        (("", "rw", "ro"), "one and more\n"),
        (("--no-session", "ro", "rw"), "one and more\n"),
    ],
    ids=["the file takes it", "nothing takes it", "the folder alone takes it", "nothing keeps what it held"],
)
def test_a_file_in_a_folder_that_cannot_be_written_is_written_where_that_works(scripted, root, home, ways, held):
    """As containers mount it: the bytes before are kept for /undo first, else the model is told why; nothing is left over."""
    flags, folder, file = ways
    outside = root.parent / "outside"
    outside.write_text("one and more\n")
    (root / "f").touch()
    edit = {"path": "f", "old_text": "one", "new_text": "two"}
    server = scripted(calls(("read_file", {"path": "f"})), calls(("edit_file", edit)), says("Done."))
    mounts = "mount --bind . . && cd $PWD && mount --bind ../outside f"
    bounds = f"mount -o remount,bind,{file} f && mount -o remount,bind,{folder} ."

    code, _, err = ask_where(f"{mounts} && {bounds}", server, root, *flags.split(), "go")

    told = str(server.requests[-1]["messages"][-1]["content"])
    changed = held.startswith("two")
    assert (0, held, changed) == (code, outside.read_text(), "Read-only file system" not in told), err
    assert ["f"] == [entry.name for entry in root.iterdir()]
    assert changed == bool(list((home / "state" / "undo").glob("*/*")))


@pytest.mark.skipif(not MOUNTS, reason="the system lets nobody mount here")
def test_undo_writes_such_a_file_in_place_as_well(scripted, root):
    """What it goes back to is kept until it is there."""
    import pexpect

    outside = root.parent / "outside"
    outside.write_text("one\n")
    (root / "f").touch()
    edit = {"path": "f", "old_text": "one", "new_text": "two"}
    server = scripted(calls(("read_file", {"path": "f"})), calls(("edit_file", edit)), says("Done."))
    mounts = "mount --bind . . && cd $PWD && mount --bind ../outside f && mount -o remount,bind,ro ."
    words = f"{sys.executable} -m cococat chat --permission edits --base-url {server.base_url} -m x go"
    env = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    chat = pexpect.spawn(
        "unshare", ["-rm", "sh", "-c", f"{mounts} && exec {words}"], cwd=str(root), env=env, timeout=60
    )

    chat.expect("Done")
    changed = outside.read_text()
    chat.send("/undo\r")
    chat.expect("taken back")
    chat.expect("as it was")
    chat.close(force=True)

    assert ("two\n", "one\n") == (changed, outside.read_text())


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root may write files of others")
def test_what_root_writes_belongs_to_the_owner_of_the_folder(call, root):
    """Files of the folder's owner are edited and stay theirs, new files and folders become theirs; others' stay as they are."""
    for name, owner in (("theirs", 1000), ("others", 1001)):
        (root / name).write_text("one\n")
        os.chown(root / name, owner, 2000)
    os.chown(root, 1000, 1000)

    read_and_edit(call, "theirs", "one", "two")
    call("write_file", path="new/deep/f", content="x\n")
    with pytest.raises(ToolFailure, match="belongs to another user"):
        read_and_edit(call, "others", "one", "two")

    owners = [(root / name).stat() for name in ("theirs", "new", "new/deep", "new/deep/f")]
    assert [(1000, 2000), *[(1000, 1000)] * 3] == [(status.st_uid, status.st_gid) for status in owners]
    assert "one\n" == (root / "others").read_text()
