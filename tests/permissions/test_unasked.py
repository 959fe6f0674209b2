"""What `auto` runs without a question: an everyday of looking, and nothing that writes, leads out or spells out a secret."""

from __future__ import annotations

import subprocess

import pytest

from cococat.core.tools import Allow, Ask
from cococat.permissions.gate import Known, gate
from cococat.safety.secrets import mask
from cococat.tools.registry import declared

LOOKS = """
git status | git log --oneline -5 | git diff | git diff --stat HEAD~1 | git show HEAD | git branch -a | git blame src/a.py
git ls-files | git rev-parse --short HEAD | ls | ls -la src | cat src/a.py | head -20 log.txt | tail -50 log.txt
wc -l src/a.py | grep -n PORT src/a.py | grep -rn PORT src | rg -n PORT | rg --files | find . -name '*.py'
sed -n 1,20p src/a.py | cut -d= -f1 src/a.py | diff src/a.py b.py | jq .name a.json | python3 --version | which git
echo done | pwd | tree -L 2 | file a.json | stat a.json | du -sh src
"""
EVERYDAY = [words.strip() for line in LOOKS.strip().splitlines() for words in line.split(" | ")] + [
    "sort log.txt | uniq -c | sort -rn | head",
    "cd src && ls",
    "git log --oneline | head -3",
    "git log --oneline -n 20 | grep fix",
    "git diff | head -100",
    "git show HEAD | cat",
    "cat log.txt 2>/dev/null | grep a | wc -l",
]
ASKED = ["make test", "python -m pytest -q", "pip install x", "git commit -m x", "rm a.json", "npm run build"]
# what a secret in an ordinary file is spelled out with; what writes, follows links, or reads names from a file
NEVER = [
    *("rev s.py", "cut -c1-3 s.py", "cut -c4-9 s.py", "fold -w 3 s.py", "grep -o . s.py", "od -c s.py", "hexdump s.py"),
    *(
        "head -c 5 s.py",
        "tail -c 5 s.py",
        "cmp -l s.py b.py",
        "cat s.py",
        "cat s.py | rev",
        "git show | rev",
        "rg . | cut -c1",
    ),
    *("git diff --word-diff", "git log -S secret", "git log -p -Gsecret", "rg -o .", "grep -rno . src", "rg -r x ."),
    *(
        "xxd -ps a.json b",
        "xxd a.json",
        "tree -Po '*' OUT",
        "tree -Io x OUT",
        "tree -Lo x",
        "uniq a b",
        "find . -fprint x",
    ),
    *("sort -o x log.txt", "sort -T/tmp log.txt", "sort --compress-program=x log.txt", "git diff --output=x", "ls > x"),
    *(
        "md5sum -c list",
        "sha256sum --check list",
        "sort --files0-from=l",
        "wc --files0-from=l",
        "grep -f l x",
        "file -f l",
    ),
    *(
        "find -L .",
        "find . -follow",
        "ls -RL",
        "ls -L link",
        "ls -lH link",
        "tree -l",
        "du -L .",
        "du -D .",
        "rg -L x",
        "grep -R x",
    ),
    *(
        "git -c core.pager=x status",
        "git --exec-path=. status",
        "git diff --no-index /etc/passwd a.json",
        "git log --ext-diff",
    ),
    *("sed -n p src/a.py", "sed -i s/a/b/ src/a.py", "sed -n '1,3w x' a.json", "sed -n 1p -i a.json", "awk 1 a.json"),
    *(
        "jq -n env",
        "jq 'import \"x\" as x; .' a.json",
        "jq input_filename a.json",
        "jq '$ENV' a.json",
        "jq -f x a.json",
    ),
    *("diff src pair", "diff src pair | rev", "diff src/a.py pair"),  # what lies there may be a link
    *(
        "git show HEAD:s.py | grep -o .",
        "git log -p | grep -c gh",
        "git diff | sed -n 1p",
        "git show HEAD:s.py | tail -2",
    ),
    *(
        "git blame s.py | sort",
        "rg -c gh",
        "rg gh",
        "grep -rl gh .",
        "grep -rn gh .",
        "grep -rq gh s.py",
        "rg x d | cut -c1",
    ),
    *("file -p a.json", "diff -r . src", "cat .env", "git show HEAD:.env", "cat link", "cat pipe", "which -a ../x"),
    *(
        "rg --hidden x",
        "rg -uu x",
        "rg --pre x y",
        "tail -f log.txt",
        "cd .. && ls",
        "./ls",
        "bin/ls",
        "shutdown --version",
    ),
]


@pytest.fixture
def decide(root):
    """The verdict on a command in a folder with a repository and a file in which a secret is found."""
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / "src").mkdir()
    for name, text in {"src/a.py": "PORT = 80\n", "b.py": "x\n", "a.json": "{}", "log.txt": "a\nb\n"}.items():
        (root / name).write_text(text)
    (root / "link").symlink_to("/etc/passwd")
    (root / "pair").mkdir()
    (root / "pair" / "a.py").symlink_to("/etc/passwd")

    def asked(command):
        made = gate("auto", (), (), root, declared=declared, known=Known(clean=lambda text: not mask(text).marks))
        return made(declared("run_shell"), {"command": command})

    return asked


def test_a_day_of_looking_asks_nothing(decide):
    """And what builds, installs, commits or removes asks."""
    assert [] == [command for command in EVERYDAY if not isinstance(decide(command), Allow)]
    assert [] == [command for command in ASKED if not isinstance(decide(command), Ask)]
    assert len(EVERYDAY) > 32


@pytest.mark.parametrize("command", NEVER)
def test_what_writes_leads_out_or_spells_a_secret_out_asks(decide, root, command):
    """Each of these has done so unasked, or would by another option of a program that is read."""
    import os

    (root / "s.py").write_text(
        'password = "correct-horse-battery"\ntoken = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"\n'
    )
    (root / ".env").write_text("A=1\n")
    os.mkfifo(root / "pipe")

    assert isinstance(decide(command), Ask)


@pytest.mark.parametrize(
    "settings",
    [
        *(
            "[core]\n\tfsmonitor = ./x",
            "[core]\n\tpager = ./x",
            "[core] fsmonitor = ./x",
            '[diff "a"]\n\tcommand = ./x',
        ),
        *(
            '[filter "a"]\n\tclean = ./x',
            "[include]\n\tpath = x",
            '[diff "a"]\n\ttextconv = ./x',
            "[diff]\n\texternal = ./x",
        ),
        *("[core]\n\thooksPath = x", '[submodule "a"]\n\tactive = true', "[extensions]\n\tworktreeConfig = true"),
        *(
            "[core]\n\tbare = false \\\n\t[core]\n\tfsmonitor = ./x",
            "[core]\n# a comment does not go on \\\n\tfsmonitor = ./x",
            '[branch "a"]\n\tmerge = b ; nor here \\\n[core]\n\tfsmonitor = ./x',
            '[core]\n\teol = lf \f[branch "a"]\n\tfsmonitor = ./x',
            "[alias]\n\tstatus = !./x",
            "[core]\n\tworktree = /etc",
        ),
    ],
)
def test_git_runs_unasked_only_where_the_repository_names_no_program(decide, root, settings):
    """What it runs by its settings, attributes and submodules is the folder's own."""
    config = root / ".git" / "config"
    plain = config.read_text()
    assert isinstance(decide("git status"), Allow)

    config.write_text(f"{plain}\n{settings}\n")

    assert {Ask} == {type(decide(command)) for command in ("git status", "git diff", "git log")}


@pytest.mark.parametrize("ways", [(".git/commondir",), ("HEAD", "objects", "refs"), (".git/config",)])
def test_git_does_not_run_unasked_where_it_obeys_settings_that_lie_elsewhere(decide, root, ways):
    """A link for them, a repository that names another one, a folder that is one itself."""
    (root / "other").write_text((root / ".git" / "config").read_text())

    for name in ways:
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to(root / "other")

    assert {Ask} == {type(decide(command)) for command in ("git status", "git show")}


def test_a_search_of_a_folder_asks_where_a_secret_lies_in_it(decide, root):
    """Its lines would be among what is found; so it is with a denied one."""
    searches = ("grep -rn PORT", "rg PORT", "rg PORT src")
    assert {Allow} == {type(decide(command)) for command in searches}

    (root / "src" / "server.pem").write_text("x")

    assert {Ask} == {type(decide(command)) for command in searches}


@pytest.mark.parametrize("text", ['token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"\n', "x\n" * (2 << 20)])
def test_a_search_of_a_folder_asks_where_a_file_in_it_tells_a_secret_or_is_too_long_to_know(decide, root, text):
    """What is found and what is not would answer about it letter by letter; what `rg` passes over does not matter to it."""
    (root / "src" / ".kept").write_text(text)
    assert [Ask, Allow] == [type(decide(command)) for command in ("grep -rn gh src", "rg gh src")]

    (root / "src" / "kept").write_text(text)

    assert {Ask} == {
        type(decide(command)) for command in ("grep -rc gh src", "rg -l gh", "cd src && rg gh", "rg gh ./src")
    }


def test_a_program_of_the_folder_s_own_is_none_that_reads(decide, root, monkeypatch):
    """Whatever it is called, and wherever PATH names it."""
    (root / "bin").mkdir()
    (root / "bin" / "ls").write_text("#!/bin/sh\n")
    (root / "bin" / "ls").chmod(0o755)
    assert isinstance(decide("ls"), Allow)

    monkeypatch.setenv("PATH", f"{root}/bin", prepend=":")

    assert isinstance(decide("ls"), Ask)


def test_processes_and_devices_are_not_read_even_where_they_lie_below_the_root(root):
    """A run whose root is `/`."""
    from pathlib import Path

    made = gate("auto", (), (), Path("/"), declared=declared, known=Known(clean=lambda _: True))
    read = [
        made(declared("run_shell"), {"command": f"cat {path}"}) for path in ("/proc/1/environ", "/dev/null", "/sys/x")
    ]

    assert {Ask} == {type(verdict) for verdict in read}
