"""Lines of commands that are made at random, and run for real where `auto` would run them: nothing is written, nothing outside read."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from cococat.core.tools import Allow
from cococat.permissions.gate import Known, gate
from cococat.permissions.reading import PROGRAMS, READERS
from cococat.safety.secrets import mask
from cococat.tools.registry import declared
from cococat.tools.workers import command_env

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
RUNS = 18_000
BETWEEN = 100  # lines between two looks at the folder
OUTSIDE = "a-word-that-lies-outside"
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
OPERANDS = (
    *(
        "a",
        "b.txt",
        "sub",
        "sub/c",
        "link",
        "folder-link",
        "folder-link/mine",
        "out",
        "-",
        ".",
        "list",
        "s.py",
        "../out",
    ),
    *("/etc/hostname", "x", "1,3p", "1p", ".a", "HEAD", "HEAD:a", "*.py", "'*'", "3", "=", "--", "a.json", "pipe"),
)
RISKY = (
    *(
        "-o",
        "-T",
        "-f",
        "-c",
        "-L",
        "-H",
        "-R",
        "-r",
        "-i",
        "-O",
        "-p",
        "-s",
        "-ps",
        "-as",
        "-C",
        "-exec",
        "-delete",
        "-ok",
    ),
    *("--files0-from=list", "--output=out", "--check", "--follow", "--dereference", "--pre=x", "--compress-program=x"),
    *("-fprint", "-fls", "--ext-diff", "--textconv", "--no-index", "-n", "--in-place", "-w", "--word-diff", "-S", "-G"),
)
JOINS = (" | ", " && ", " || ", "; ", "\n", " 2>&1 | ", " 2>/dev/null; ", " </dev/null && ")


def line(chance: random.Random) -> str:
    """One to three commands, each of a program that reads with options and operands that may be anything."""
    parts = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice(sorted(READERS))
        table = PROGRAMS.get(name)
        known = sorted(table.commands) if table and table.commands else []
        words = [name, *([chance.choice(known)] if known else [])]
        table = table.commands[words[1]] if table and known else table
        letters = (table.flags + table.valued if table else "") or "abc"
        long = sorted(table.long) if table else []
        for _ in range(chance.randint(0, 4)):
            kind = chance.random()
            if kind < 0.35:
                words.append("-" + "".join(chance.choice(letters) for _ in range(chance.randint(1, 3))))
            elif kind < 0.5 and long:
                words.append(f"--{chance.choice(long)}{chance.choice(('', '', '=1', '=a', '=out'))}")
            elif kind < 0.6:
                words.append(chance.choice(RISKY))
            else:
                words.append(chance.choice(OPERANDS))
        parts.append(" ".join(words))
    return chance.choice(JOINS).join(parts)


def state(root) -> str:
    """All that lies in the folder, git's own files among it."""
    found = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted([*files, *folders]):
            path = Path(folder, name)
            status = path.lstat()
            told = (str(path), status.st_mode, status.st_size, status.st_mtime_ns)
            found.update(repr(told).encode("utf-8", "replace"))
            if path.is_file() and not path.is_symlink():
                found.update(path.read_bytes())
    return found.hexdigest()


@pytest.fixture
def folder(tmp_path):
    """A repository with links out of it, a pipe, a list of names, and a file with a secret."""
    root, out = tmp_path / "root", tmp_path / "out"
    (root / "sub").mkdir(parents=True)
    out.mkdir()
    (out / "mine").write_text(f"{OUTSIDE}\n")
    for name, text in {
        "a": "3\n1\n2\n",
        "b.txt": "x y z\n",
        "sub/c": "1\n",
        "a.json": '{"a": 1}\n',
        "list": f"{out}/mine\0",
    }.items():
        (root / name).write_text(text)
    (root / "s.py").write_text(f'password = "{SECRET}"\n')
    (root / "link").symlink_to(out / "mine")
    (root / "folder-link").symlink_to(out)
    os.mkfifo(root / "pipe")
    for words in (
        ["init", "-q"],
        ["add", "a", "b.txt"],
        ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "m"],
    ):
        subprocess.run(["git", "-C", root, *words], check=True)
    return root


@pytest.mark.skipif(sys.platform == "win32", reason="lines of a POSIX shell")
def test_no_line_that_runs_unasked_writes_or_reads_what_it_may_not(folder):
    """Each that is allowed is run; a folder that changed, a word from outside or a piece of a secret names its line."""
    chance = random.Random(20261126)
    decide = gate("auto", (), (), folder, declared=declared, known=Known(clean=lambda text: not mask(text).marks))
    tool, (env, _) = declared("run_shell"), command_env(os.environ, mask)
    before, ran, batch, wrong = state(folder), 0, [], []
    while ran < RUNS:
        command = line(chance)
        if not isinstance(decide(tool, {"command": command}), Allow):
            continue
        ran += 1
        batch.append(command)
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        printed = mask((done.stdout + done.stderr).decode("utf-8", "replace")).text  # as every result is
        if OUTSIDE in printed or SECRET[:8] in printed or SECRET[::-1][:8] in printed:
            wrong.append(command)
        if ran % BETWEEN == 0:
            if state(folder) != before:
                wrong.append(f"one of {batch}")
                before = state(folder)
            batch = []

    assert [] == wrong
