"""Files are old or new, never half, and private."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cococat.system.atomic import append_line, write_atomic
from cococat.system.private import private_dir

posix = pytest.mark.skipif(os.name == "nt", reason="permissions and limits of POSIX systems")

LIMITED = """
import resource, sys
from pathlib import Path
from cococat.system.atomic import write_atomic
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_atomic(Path(sys.argv[1]), b"x" * 1000)
except OSError as error:
    print(type(error).__name__, error.errno)
"""


def test_a_file_is_replaced_as_a_whole_and_nothing_else_is_left(tmp_path):
    """The new content is there, and the temporary file is not."""
    path = tmp_path / "memory.md"
    path.write_bytes(b"old")

    write_atomic(path, b"new \xff\r\n")

    assert b"new \xff\r\n" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640])
def test_a_file_has_the_mode_that_was_asked_for_whatever_the_umask(tmp_path, mode):
    """0600 unless another mode is given."""
    before = os.umask(0o077)
    try:
        write_atomic(tmp_path / "a", b"", mode=mode)
    finally:
        os.umask(before)

    assert mode == stat.S_IMODE((tmp_path / "a").stat().st_mode)


@posix
def test_a_link_is_replaced_and_its_target_is_not_touched(tmp_path):
    """Nobody can make us write to another file by putting a link in our place."""
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    (tmp_path / "link").symlink_to(target)

    write_atomic(tmp_path / "link", b"new")

    assert b"precious" == target.read_bytes()
    assert not (tmp_path / "link").is_symlink()


def test_a_failed_replacement_leaves_no_temporary_file(tmp_path):
    """The error reaches the caller, the folder is as it was."""
    (tmp_path / "folder" / "full").mkdir(parents=True)

    with pytest.raises(OSError):
        write_atomic(tmp_path / "folder", b"new")

    assert ["folder"] == [path.name for path in tmp_path.iterdir()]


@posix
def test_a_full_disk_leaves_the_old_file_and_no_temporary_one(tmp_path):
    """The write that does not fit fails as a whole."""
    path = tmp_path / "memory.md"
    path.write_bytes(b"old")

    ran = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True)

    assert "OSError 27\n" == ran.stdout
    assert b"old" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


@posix
def test_a_private_folder_and_its_new_parents_are_open_to_the_owner_alone(tmp_path):
    """Every folder that is made is 0700; one that was there keeps its mode."""
    tmp_path.chmod(0o755)

    made = private_dir(tmp_path / "a" / "b")

    assert tmp_path / "a" / "b" == made
    assert [0o700, 0o700] == [stat.S_IMODE(path.stat().st_mode) for path in (made, made.parent)]
    assert 0o755 == stat.S_IMODE(tmp_path.stat().st_mode)
    assert made == private_dir(made)


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path):
    """The caller is told, and the file stays."""
    (tmp_path / "a").write_bytes(b"")

    with pytest.raises(OSError):
        private_dir(tmp_path / "a" / "b")

    assert b"" == (tmp_path / "a").read_bytes()


@posix
def test_a_write_that_the_system_takes_in_parts_arrives_whole():
    """A pipe takes 64 KB at a time; a megabyte comes out at the other end."""
    reader, writer = os.pipe()
    sent = os.urandom(1 << 20)
    child = subprocess.Popen(["cat"], stdin=reader, stdout=subprocess.PIPE)
    os.close(reader)

    def write() -> None:
        append_line(writer, sent)
        os.close(writer)

    import threading

    thread = threading.Thread(target=write)
    thread.start()
    received, _ = child.communicate()
    thread.join()

    assert sent == received


def test_paths_with_names_of_the_greatest_length_can_be_written(tmp_path):
    """The temporary file's name is never longer than the system allows."""
    path: Path = tmp_path / ("n" * 250)

    write_atomic(path, b"new")

    assert b"new" == path.read_bytes()
