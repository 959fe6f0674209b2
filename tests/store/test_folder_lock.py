"""One writer at a time for a folder."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cococat.errors import StorageError
from cococat.store.lock import folder_lock

HOLDER = """
import sys
from pathlib import Path
from cococat.store.lock import folder_lock
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_with_the_mend(tmp_path):
    """The message names the folder, and nobody waits for ever."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        holder.stdout.readline()

        with pytest.raises(StorageError) as raised, folder_lock(tmp_path, 0.05):
            pass

        holder.stdin.close()

    assert f"{tmp_path} is in use by another cococat" in raised.value.message
    assert raised.value.hint


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    """Only the system's lock decides, never a file that was left behind."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        holder.stdout.readline()
        holder.kill()
        holder.wait()

        with folder_lock(tmp_path) as held:
            assert held is None


def test_the_lock_is_let_go_after_an_error(tmp_path):
    """Whatever happens inside, the next one may enter."""
    with pytest.raises(ValueError, match="inside"), folder_lock(tmp_path / "new"):
        raise ValueError("inside")

    with folder_lock(tmp_path / "new") as held:
        assert held is None


@pytest.mark.skipif(os.name == "nt", reason="a file in the way")
def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path):
    """The message says why."""
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StorageError) as raised, folder_lock(tmp_path / "file" / "folder"):
        pass

    assert "cannot be locked" in raised.value.message
