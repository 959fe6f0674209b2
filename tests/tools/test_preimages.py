"""What a file held before it was changed is kept, bounded, private, and never through a link."""

from __future__ import annotations

import hashlib
import os
import stat
import sys

import pytest
from inline_snapshot import snapshot

from cococat.core.tools import ToolFailure
from cococat.tools.preimages import Preimages, forget, kept_preimages

SESSION = "01J"


@pytest.fixture
def state(tmp_path):
    """The folder of cococat's own state; not made yet."""
    return tmp_path / "home" / "state"


@pytest.fixture
def change(call, state):
    """Change files as the tools of one turn."""
    preimages = Preimages(state, SESSION, 1, state.parent)

    def run(name, keep=preimages, **arguments):
        if name == "edit_file":
            call("read_file", path=arguments["path"])
        return call(name, options={"keep": keep}, **arguments)

    return run


def sha(data):
    return hashlib.sha256(data).hexdigest()


def images(state):
    return [(image.turn, image.number, "/".join(image.path), data) for image, data in kept_preimages(state, SESSION)]


def test_an_edit_keeps_the_bytes_the_mode_and_both_hashes(change, root, state):
    """All that is needed to put the file back, and to see that nobody else changed it since."""
    (root / "f").write_bytes(b"a\r\n\xff\nb\n")
    (root / "f").chmod(0o640)

    change("edit_file", path="f", old_text="b", new_text="c")

    [(image, data)] = kept_preimages(state, SESSION)
    assert b"a\r\n\xff\nb\n" == data
    assert (("f",), sha(data), sha((root / "f").read_bytes()), 1, 1) == (
        image.path,
        image.before,
        image.after,
        image.turn,
        image.number,
    )
    assert os.name == "nt" or 0o640 == image.mode


def test_a_new_file_is_kept_as_none_and_an_empty_one_as_empty(change, root, state):
    """Taking back the first means to remove it, the second to empty it."""
    (root / "empty").write_bytes(b"")

    change("write_file", path="sub/new", content="x\n")
    change("read_file", path="empty")
    change("write_file", path="empty", content="x\n")

    assert [(1, 1, "sub/new", None), (1, 2, "empty", b"")] == images(state)


def test_changes_are_counted_on_across_turns_and_processes(change, root, state):
    """Each change has the number of its turn and one of its own; what a turn kept can be dropped alone."""
    change("write_file", path="f", content="1")
    change("write_file", path="f", content="2", keep=Preimages(state, SESSION, 4, state.parent))
    change("write_file", path="f", content="3", keep=Preimages(state, SESSION, 5, state.parent))

    assert [(1, 1, "f", None), (4, 2, "f", b"1"), (5, 3, "f", b"2")] == images(state)

    forget(state, SESSION, 4)

    assert [(1, 1, "f", None), (5, 3, "f", b"2")] == images(state)

    forget(state, SESSION)

    assert [] == list((state / "undo").iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_only_the_owner_can_read_them(change, state):
    """They may hold what the file's own folder protected."""
    change("write_file", path="f", content="x")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (state, *state.rglob("*"))}

    assert {"state": 0o700, "undo": 0o700, SESSION: 0o700, "000001-000001": 0o600} == modes


def test_a_change_that_fails_keeps_nothing(change, root, state):
    """A passage that is not there, a file that changed meanwhile."""
    (root / "f").write_text("a")
    with pytest.raises(ToolFailure, match="occurs 0 times"):
        change("edit_file", path="f", old_text="b", new_text="c")
    preimages = Preimages(state, SESSION, 1, state.parent)

    with pytest.raises(ToolFailure, match="meanwhile"), preimages.keeping(("f",), b"a", b"c", 0o644):
        raise ToolFailure("changed meanwhile")

    assert [] == images(state)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("name", ["undo", f"undo/{SESSION}"])
def test_what_cannot_be_kept_safely_is_not_changed(change, root, state, tmp_path, name):
    """Nothing is written through a link; the file stays as it was and the model is told why."""
    (root / "f").write_text("a")
    (tmp_path / "elsewhere").mkdir()
    (state / name).parent.mkdir(parents=True)
    (state / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ToolFailure, match=r"cannot be kept for an undo .*nothing is changed"):
        change("edit_file", path="f", old_text="a", new_text="b")

    assert "a" == (root / "f").read_text()
    assert [] == [path for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()]
    assert ["f"] == [path.name for path in root.iterdir()]


def test_the_oldest_go_when_there_is_no_more_room(state):
    """The limit is for all sessions together; the newest always stays."""
    for number, session in enumerate(("old", "new", "new")):
        keep = Preimages(state, session, 1, state.parent, max_bytes=2900)
        with keep.keeping((f"f{number}",), b"x" * 1000, b"", 0o644):
            pass
        for file in (state / "undo" / session).iterdir():
            if file.name.endswith(f"{max(number, 1):06}"):
                os.utime(file, (number, number))

    found = {session: [image.path[0] for image, _ in kept_preimages(state, session)] for session in ("old", "new")}

    assert {"old": [], "new": ["f1", "f2"]} == found


def test_a_file_that_is_too_large_is_not_changed(state):
    """Ten MiB are kept of one file, no more."""
    with pytest.raises(ToolFailure, match="larger than 10 MiB"):
        with Preimages(state, SESSION, 1, state.parent).keeping(("f",), b"x" * (10 << 20) + b"x", b"", 0o644):
            raise AssertionError("it must not be written")


def test_damaged_ones_are_left_out(change, root, state):
    """Bytes that do not match their hash are never put anywhere."""
    for content in "123":
        change("write_file", path="f", content=content)
    folder = state / "undo" / SESSION
    with (folder / "000001-000002").open("ab") as file:
        file.write(b"more")
    (folder / "000001-000001").write_bytes(b"no json")
    (folder / "notes.txt").write_text("x")

    assert [(1, 3, "f", b"2")] == images(state)


def test_the_observation_says_which_file_changed_and_how(change, root):
    """Name and size of the change come first, then the diff of the real bytes."""
    (root / "f").write_text("a\nb\n")

    edited = change("edit_file", path="f", old_text="b", new_text="c\nd")
    again = change("write_file", path="f", content="a\nc\nd\n")
    made = change("write_file", path="g", content="x\n")

    assert "changed f: +2 -1" == edited.output.splitlines()[0]
    assert "unchanged f: +0 -0" == again.output.splitlines()[0]
    assert snapshot("created g: 1 lines, 2 bytes") == made.output
