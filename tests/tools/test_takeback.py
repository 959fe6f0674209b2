"""Taking back what a turn did to files: byte for byte, or not at all where somebody was there since."""

from __future__ import annotations

import os

import pytest
from inline_snapshot import snapshot

from cococat.tools.preimages import Preimages, kept_preimages
from cococat.tools.takeback import plan, put_back

SESSION = "01J"


@pytest.fixture
def change(call, root, tmp_path):
    """Change files as the tools of turn 3."""
    keep = Preimages(tmp_path / "state", SESSION, 3, root)

    def run(name, **arguments):
        if (root / arguments["path"]).exists():
            call("read_file", path=arguments["path"])
        return call(name, options={"keep": keep}, **arguments)

    return run


@pytest.fixture
def planned(root, tmp_path):
    """Compare what was kept with the files."""
    return lambda: plan(root, kept_preimages(tmp_path / "state", SESSION))


def test_every_file_gets_back_its_first_bytes_and_mode(change, planned, root):
    """Several changes of one file are one; a new file goes, an emptied one is filled again."""
    (root / "f").write_bytes(b"a\r\n\xff\nb\n")
    (root / "f").chmod(0o640)
    change("edit_file", path="f", old_text="b", new_text="c")
    change("edit_file", path="f", old_text="c", new_text="d")
    change("write_file", path="sub/new", content="x\n")

    backs, clashes = planned()
    told = [put_back(root, back) for back in backs]

    assert snapshot(((), ["f is as it was", "sub/new is gone again"])) == (clashes, told)
    assert b"a\r\n\xff\nb\n" == (root / "f").read_bytes()
    assert os.name == "nt" or 0o640 == (root / "f").stat().st_mode & 0o777
    assert not (root / "sub" / "new").exists()
    assert ((), ()) == planned()


@pytest.mark.parametrize(
    ("since", "diff"),
    [
        (lambda f: f.write_text("two\nmine\n"), ["-two", "-mine", "+one"]),
        (lambda f: f.unlink(), ["+one"]),
    ],
    ids=["edited", "deleted"],
)
def test_a_file_that_a_person_touched_since_clashes_and_shows_the_diff(change, planned, root, since, diff):
    """What taking back would do to the user's work is shown instead of done."""
    (root / "f").write_text("one\n")
    change("write_file", path="f", content="two\n")
    since(root / "f")

    backs, (clash,) = planned()

    assert ((), "f") == (backs, clash.path)
    assert diff == [line for line in clash.diff.splitlines()[2:] if line[0] in "+-"]


def test_a_new_file_that_is_gone_already_needs_nothing(change, planned, root):
    """The user deleted it: that is what taking back wanted."""
    change("write_file", path="f", content="two\n")
    (root / "f").unlink()

    assert ((), ()) == planned()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_nothing_is_put_through_a_link(change, planned, root, tmp_path):
    """A link in the place of the file leads nowhere."""
    (root / "f").write_text("one\n")
    change("write_file", path="f", content="two\n")
    (tmp_path / "other").write_text("two\n")
    (root / "f").unlink()
    (root / "f").symlink_to(tmp_path / "other")

    with pytest.raises(Exception, match="f: "):
        planned()

    assert "two\n" == (tmp_path / "other").read_text()
