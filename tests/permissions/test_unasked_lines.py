"""Thousands of command lines that `auto` runs without a question, run for real: none writes, leads out or tells a secret."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from cococat.core.tools import Allow
from cococat.permissions.gate import Known, gate
from cococat.permissions.reading import GIT, PROGRAMS, READERS
from cococat.safety.secrets import mask
from cococat.tools.registry import declared
from cococat.tools.workers import command_env

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="lines of a POSIX shell"),
]
SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CANARY = "canary-of-the-outside"
FILES = ("a.json", "b.txt", "log.txt", "src/a.py", "src/b.py", "./b.txt", "list", "run.sh")
FOLDERS = ("src", "other", ".", "inner", "./src")
PLACES = (
    *FILES,
    "src",
    ".",
    "other",
    "src/..",
    "s.txt",
    ".env",
    "link",
    "inner",
    "folder_out",
    "../out/o.txt",
    "../out",
    "-",
    "OUT",
)
# what each program may be told besides its table: what writes, starts a program, follows a link, or reads names from a file
ODD = (
    *("-o OUT", "-oOUT", "--output=OUT", "-w OUT", "-i", "-i.bak", "-L", "-H", "-R", "-l", "-f list", "-flist", "-c list", "--check list"),
    *("--files0-from=list", "--files-from=list", "--file=list", "-exec touch OUT ';'", "-execdir ./run.sh ';'", "-delete", "-ok rm ';'"),
    *("-fprint OUT", "-fprintf OUT x", "-fls OUT", "-follow", "-ps", "-r", "-T .", "--compress-program=./run.sh", "--pre ./run.sh"),
    *("--textconv", "--ext-diff", "--no-index", "-O./run.sh", "--open-files-in-pager=./run.sh", "--contents ../out/o.txt", "-S ghp_a1"),
    *("-G ghp_a1", "-Po '*'", "-Lo", "--dereference", "--follow", "-C", "-e ghp_a1", "-c1-3", "-c 5", "-b", "--word-diff", "--color-words"),
    *("-X ../out/o.txt", "-s ./run.sh", "--sort=none", "-n 1,3p", "-n 1p", "-n '1w OUT'", "'1e touch OUT'", "-k1", "-u", "-d:", "-f1", "-t,"),
    *("--argfile x s.txt", "--slurpfile x ../out/o.txt", "--rawfile x s.txt", "-L .", "env", "input", "'import \"x\" as x; .'"),
    *("--magic-file ../out/o.txt", "-p", "--set=1", "-newer ../out/o.txt", "-samefile ../out/o.txt", "-printf %p", "-name '*.py'"),
    *("-c core.fsmonitor=./run.sh", "--exec-path=.", "--git-dir=../out", "-C ../out", "--work-tree=../out", "HEAD:s.txt", "HEAD", "new"),
)  # fmt: skip
JOINS = (" | ", " | ", " | ", " && ", "; ", " || ", "\n")
TAILS = (
    "",
    "",
    "",
    "",
    " 2>/dev/null",
    " 2>&1",
    " >/dev/null",
    " </dev/null",
    " >OUT",
    " 2>OUT",
    " >>b.txt",
    " &",
    " <../out/o.txt",
)
SHOWN = (
    "show",
    "show HEAD:s.txt",
    "show HEAD",
    "log -p",
    "diff HEAD",
    "blame s.txt",
    "log --oneline",
    "status",
    "ls-files",
    "branch -a",
)
FOUND = ("-o", "-c", "-ob", "-n", "-rn", "-rc", "-rl", "-ro", "-rh", "-q", "-v", "-on")
OTHERS = (
    *("xxd", "tee", "touch", "awk", "tr", "cp", "sh", "./run.sh", "env", "xargs", "strings", "base64", "python3", "dd"),
)


def words_of(chance, name):
    """Options of a program out of its table, and of no program's."""
    table = PROGRAMS.get(name)
    if name == "git":
        if chance.random() < 0.5:
            yield chance.choice(SHOWN)
            return
        command, table = chance.choice(sorted(GIT.commands.items()))
        yield command
    if table:
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            letters, longs = sorted({*table.flags, *table.valued}), sorted(table.long)
            value = chance.choice(("", "", "1", "=1", "a", "=never", " 1"))
            if letters and chance.random() < 0.6:
                yield "-" + "".join(chance.choices(letters, k=chance.choice((1, 1, 2)))) + value.replace("=", "")
            elif longs:
                yield "--" + chance.choice(longs) + value
    if name in ("grep", "egrep", "fgrep", "rg") and chance.random() < 0.5:
        yield chance.choice(FOUND)
    if chance.random() < 0.25:
        yield chance.choice(ODD)


def command_line(chance):
    """One to three commands, mostly of those that may be read unasked."""
    parts = ["cd " + chance.choice(("src", "src", ".", "inner", "..", "folder_out"))] if chance.random() < 0.08 else []
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        name = chance.choice(OTHERS) if chance.random() < 0.03 else chance.choice(sorted(READERS))
        name = (
            "git"
            if chance.random() < 0.15
            else chance.choice(("grep", "rg", "diff"))
            if chance.random() < 0.15
            else name
        )
        pattern = (
            [chance.choice(("x", ".", "ghp_a1", "PORT", "....", "1,3p", "-n 2p"))]
            if name in ("grep", "rg", "sed", "jq")
            else []
        )
        of = chance.choice((FILES, FILES, FILES, PLACES, PLACES, FOLDERS))
        named = chance.choices(of, k=chance.choice((0, 1, 1, 1, 2) if not parts else (0, 0, 0, 1, 2)))
        words = [*words_of(chance, name), *pattern]
        words += named if name != "git" or chance.random() < 0.3 else []
        if chance.random() < 0.1:
            chance.shuffle(words)
        parts.append(" ".join([name, *words]) + chance.choice(TAILS))
    line = parts[0]
    for part in parts[1:]:
        line += chance.choice(JOINS) + part
    return line


@pytest.fixture
def folder(tmp_path):
    """A repository with a secret that is looked like any other text, links that lead out, and what lies outside."""
    root, out = tmp_path / "root", tmp_path / "out"
    for each in (root, out, root / "src", root / "other", root / "inner"):
        each.mkdir()
    texts = {
        "a.json": '{"a": [1, {"b": "x"}]}\n', "b.txt": "b x\na y\nb x\n", "log.txt": "x 1\ny 2\n" * 20, "list": "../out/o.txt\n",
        "src/a.py": "PORT = 80\n", "src/b.py": "x = 1\n", "other/a.py": "PORT = 81\n", "inner/c.txt": "c\n",
        "s.txt": f'token = "{SECRET}"\n', ".env": f"KEY={SECRET}\n", "run.sh": "#!/bin/sh\ntouch RAN\n",
    }  # fmt: skip
    for name, text in texts.items():
        (root / name).write_text(text)
    (root / "run.sh").chmod(0o755)
    (out / "o.txt").write_text(f"{CANARY}\n")
    (root / "link").symlink_to(out / "o.txt")
    (root / "folder_out").symlink_to(out)
    (root / "src" / "o.py").symlink_to(out / "o.txt")
    (root / "other" / "o.py").write_text("x\n")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *step], check=True)
    (root / "src" / "a.py").write_text("PORT = 8080\n")
    return root


def seen(top):
    """Every entry of a folder, git's own among them, with what it holds and when it was written."""
    found = {}
    for path in sorted([top, *top.rglob("*")]):
        name, status = path.relative_to(top), path.lstat()
        held = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[name] = (status.st_mode, held, status.st_mtime_ns)
    return found


def never_read(out):
    """Make it seen when something outside is read: where times of access are kept, the first reading sets one."""
    for path in (out, out / "o.txt"):
        os.utime(path, ns=(1, path.lstat().st_mtime_ns))


def told(output):
    """A part of the secret that a model would be shown, in the order of its letters or turned round, or with letters between."""
    shown = mask(output).text
    squeezed = "".join(filter(str.isalnum, shown))
    parts = [SECRET[at : at + 10].replace("_", "") for at in range(len(SECRET) - 9)]
    return [part for part in parts if part in squeezed or part[::-1] in squeezed]


@pytest.mark.parametrize("seed", range(6))
def test_no_line_that_runs_unasked_writes_leads_out_or_tells_a_secret(folder, seed):
    """3,000 lines that run each; the folder is compared after every one of them."""
    chance, out, ran, made, read = random.Random(seed), folder.parent / "out", 0, 0, []
    made_gate = gate("auto", (), (), folder, declared=declared, known=Known(clean=lambda text: not mask(text).marks))
    tool = declared("run_shell")
    environment, _ = command_env({**os.environ, "HOME": str(folder.parent)}, mask)
    before, outside = seen(folder), seen(out)
    bad = []
    while ran < 3_000:
        line, made = command_line(chance), made + 1
        if not isinstance(made_gate(tool, {"command": line}), Allow):
            continue
        ran += 1
        never_read(out)
        done = subprocess.run(
            ["/bin/bash", "-c", line],
            check=False,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
        read = [path.name for path in (out, out / "o.txt") if path.lstat().st_atime_ns != 1]
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        if CANARY in output or read or told(output):
            bad.append((line, read, told(output)[:1]))
        if seen(folder) != before or seen(out) != outside:
            pytest.fail(f"{line!r} wrote: {set(seen(folder).items()) ^ set(before.items())}")

    assert bad == []
