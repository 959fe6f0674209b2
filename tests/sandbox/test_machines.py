"""The box on machines that refuse this or that, and in folders of all kinds: from the question to the answer."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from cococat.sandbox.box import find
from tests.conftest import Ran
from tests.sandbox.places import begin_on
from tests.scripted import calls, says

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tiers that are tested are those of Linux"),
    pytest.mark.usefixtures("boxed"),
]
NEXT = "bubblewrap" if shutil.which("bwrap") else "landlock"
TOLD = {  # which box `doctor` names on a machine, and why no better one
    "as it is": ("namespaces", ""),
    "a container": ("landlock", "namespaces: Operation not permitted; bubblewrap: "),
    "no namespaces": (NEXT, "namespaces: No space left on device"),
    "no landlock": ("", "landlock: Landlock: Function not implemented"),
    "a full /tmp": ("namespaces", ""),
    "a read-only /tmp": ("namespaces", ""),
}


def run(machine, *words, cwd, home):
    """What the command answers on *machine*; a skip where this one cannot play it."""
    if "/tmp" in machine and sys.prefix.startswith("/tmp/"):
        pytest.skip("the interpreter of the tests lies below /tmp")
    if not find(["namespaces"]):
        pytest.skip("this machine has no namespaces, and can be made no poorer")
    with begin_on(machine, *words, cwd=cwd, env={"COCOCAT_HOME": str(home)}) as begun:
        code, out, err = begun.ended()
    return Ran(code, out.decode(), err.decode())


def asked(server, root):
    """The words that ask in `edits`, where nothing but a box lets a command run."""
    return ("ask", "--base-url", server.base_url, "-m", "x", "--mode", "react", "--permission", "edits", "--root", root)


@pytest.mark.parametrize("machine", TOLD)
def test_a_machine_gives_the_best_box_it_can_and_says_why_not_a_better_one(scripted, tmp_path, home, machine):
    """A command runs unasked in it and reads nothing outside; where there is none it asks, which ends `ask` with 4."""
    tier, why = TOLD[machine]
    (root := tmp_path / "root").mkdir()
    (outside := tmp_path / "outside.txt").write_text("mine")
    shell = calls(("run_shell", {"command": f"echo made > new.txt; cat {outside}"}))
    server = scripted(shell, says("Done."))

    told = run(machine, "doctor", cwd=tmp_path, home=home)
    ran = run(machine, *asked(server, root), "go", cwd=tmp_path, home=home)

    box = next(line for line in told.stdout.splitlines() if line.split()[1:2] == ["box"])
    assert f"{tier or 'none here'}; commands run" in box
    assert why in box
    assert (0 if tier else 4, bool(tier)) == (ran.code, (root / "new.txt").exists()), ran.stderr
    assert "mine" not in str(server.requests[1]["messages"][-1])


TEMPORARY = {"as it is": "/dev/shm", "a read-only /tmp": "", "a read-only folder as well": ""}  # TMPDIR of a machine


@pytest.mark.parametrize("machine", TEMPORARY)
def test_a_command_has_a_tmp_of_its_own_wherever_temporary_files_go(scripted, tmp_path, home, monkeypatch, machine):
    """In memory, which is hidden from commands; nowhere but in the user's folder, or not at all: it is not in that folder."""
    monkeypatch.setenv("TMPDIR", TEMPORARY[machine])
    server = scripted(calls(("run_shell", {"command": "touch /tmp/file && ls -A"})), says("Done."))

    told = run(machine, "doctor", cwd=tmp_path, home=home)
    ran = run(machine, *asked(server, tmp_path), "go", cwd=tmp_path, home=home)

    assert " namespaces; commands run" in told.stdout, told.stderr
    result = server.requests[-1]["messages"][-1]["content"]
    assert (0, "exit 0, no output") == (ran.code, result.partition("\n")[2]), ran.stderr


def _of_many(root, home):
    for number in range(10_000):
        folder = root / f"f{number // 100}"
        if number % 100 == 0:
            folder.mkdir()
        (folder / f"{number}.txt").touch()
    return root


FOLDERS = {  # what the root is, and whether a command runs in a box there
    "of ten thousand files": (_of_many, True),
    "with a name that needs care": (lambda root, home: root / "a b'\"$(id)\n--root", True),
    "the home": (lambda root, home: home, False),
    "above the home": (lambda root, home: home.parent, False),
    "the top": (lambda root, home: Path("/"), False),
    "a link to the top": (lambda root, home: root / "top", False),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_held_in_the_box_or_its_commands_ask(scripted, tmp_path, home, monkeypatch, name):
    """In a root that holds the home there is nothing that a box could keep from a command."""
    make, held = FOLDERS[name]
    (base := tmp_path / "base").mkdir()
    (person := tmp_path / "people" / "person").mkdir(parents=True)
    (base / "top").symlink_to("/")
    (root := make(base, person)).mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(person))
    server = scripted(calls(("run_shell", {"command": "make -v; touch made.txt"})), says("Done."))

    ran = run("as it is", *asked(server, root), "go", cwd=tmp_path, home=home)

    assert (0 if held else 4, held) == (ran.code, (root / "made.txt").exists()), ran.stderr
