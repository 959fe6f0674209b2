"""Compilers, test runners and package managers in the box, as a user has them: with the true home, from the question on."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import certifi
import pytest

from tests.sandbox.places import TIERS, Place
from tests.scripted import calls, says, tool_results

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tiers that are tested are those of Linux"),
    pytest.mark.usefixtures("boxed"),
]
SSL = "import certifi, ssl; ssl.create_default_context(cafile=certifi.where())"
INSTALLED = Path(certifi.__file__).parent
ROWS = {  # the first word is the program that has to be there
    "cargo": "cargo init -q --name a . && cargo build -q --offline && target/debug/a | grep -q Hello",
    "javac": "echo 'class A { public static void main(String[] a) {} }' > A.java && javac A.java && java A",
    "python3 -m pytest": f"echo 'def test(tmp_path): assert tmp_path' > test_a.py && {sys.executable} -m pytest -q .",
    "python3 certificates": f"python3 -m venv --without-pip .venv && cp -r {INSTALLED} .venv/lib/python*/site-packages && "
    f".venv/bin/python -c '{SSL}'",
    "sort": "seq 300000 | sort -R --random-source=/dev/zero | sort -n --buffer-size=4M | tail -1 | grep -q 300000",
    "git global": "git config --global user.name x",
    "strace": "strace -o trace true",
}
WALLS = {  # what the box keeps from a program, and why
    "git global": "the settings of the home are the user's",
    "strace": "a process that may trace others can make them do what it may not",
}


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("tier", TIERS)
def test_the_tool_chains_of_a_home_run_in_the_box(scripted, tmp_path, home, tier):
    """Each in a folder of its own; what fails is listed with its reason, and nothing else does."""
    place = Place(tmp_path, home, tier)
    rows = {name: words for name, words in ROWS.items() if shutil.which(name.split()[0])}
    each = [f"mkdir f{at} && cd f{at} && {words}" for at, words in enumerate(rows.values())]
    server = scripted(calls(*[("run_shell", {"command": words}) for words in each]), says("."))

    with place.ask(server) as asked:
        asked.ended()

    told = [text.partition("\n")[2] for text in tool_results(server.requests[-1])]
    failed = {name: text[:600] for name, text in zip(rows, told, strict=True) if not text.startswith("exit 0")}
    assert {} == {name: text for name, text in failed.items() if name not in WALLS}
    assert {name for name in WALLS if name in rows} == {*failed}


@pytest.mark.parametrize("tier", TIERS)
def test_a_program_on_the_path_of_the_user_runs_wherever_it_is_installed(scripted, tmp_path, home, monkeypatch, tier):
    """With the library beside it, and nothing else of the home; of one that lies out of sight it is said where it is."""
    files = {
        "tools/bin/hello": "#!/bin/sh\ncat $(dirname $0)/../lib/word\n",
        "tools/lib/word": "hello",
        "diary": "dear",
    }
    files |= {"mine/bin/hi": "#!/bin/sh\necho hi\n", "mine/letter": "dear", ".hidden/far": "#!/bin/sh\necho far\n"}
    mine = tmp_path / "user"
    for name, text in files.items():
        (mine / name).parent.mkdir(parents=True, exist_ok=True)
        (mine / name).write_text(text)
        (mine / name).chmod(0o755)
    (mine / "mine/bin/far").symlink_to(mine / ".hidden/far")
    monkeypatch.setenv("HOME", str(mine))
    monkeypatch.setenv("PATH", f"{mine}/tools/bin:{mine}/mine/bin:{os.environ['PATH']}")
    place = Place(tmp_path, home, tier)
    lines = ("hello", "hi", f"cat {mine}/diary {mine}/mine/letter", "far", "no-such-program")
    server = scripted(calls(*[("run_shell", {"command": line}) for line in lines]), says("."))

    with place.ask(server) as asked:
        asked.ended()

    told = [text.partition("\n")[2] for text in tool_results(server.requests[-1])]
    assert ["exit 0\nhello", "exit 0\nhi"] == [text.strip() for text in told[:2]]
    assert "dear" not in told[2]
    assert told[3].startswith("exit 12")
    assert [] == [word for word in (f"{mine}/mine/bin/far", "[in the box") if word not in told[3]]
    assert told[4].startswith("exit 127")
    assert "[" not in told[4]
