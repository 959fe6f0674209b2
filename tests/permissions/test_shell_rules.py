"""What an allow rule for run_shell covers: one simple command, word by word, and nothing more."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cococat.core.tools import Allow, Ask
from cococat.permissions.rules import command_rule, covers_command, parse_rule
from cococat.permissions.shell_split import simple
from cococat.tools.registry import declared

BYPASSES = [
    *("git status; rm x", "git status;rm x", "git status && rm x", "git status || rm x", "git status | sh"),
    *("git status |& sh", "git status & rm x", "git status &", "git status $(rm x)", "git status `rm x`"),
    *(
        "git status\nrm x",
        "git status\r\nrm x",
        "git status\rrm x",
        "git status >f",
        "git status >>f",
        "git status 2>f",
    ),
    *(
        "git status <f",
        "git status <(rm x)",
        "git status >(rm x)",
        "git${IFS}status",
        "git status $X",
        "git status ${X}",
    ),
    *("git status <<E\nx\nE", "git status <<<x", "A=b git status", "PATH=. git status", "env git status"),
    *(
        "sudo git status",
        "xargs git status",
        "timeout 5 git status",
        "sh -c 'git status'",
        "bash -c 'git status; rm x'",
    ),
    *("eval git status", "command git status", "exec git status", "[[ -f x ]] && git status", "! git status"),
    *("if git status; then rm x; fi", "{ git status; }", "(git status)", "time git status", "coproc git status"),
    *("git status *", "git status ~", "git status {a,b}", "git status [a]", "git status ?", "git status # \u202ex"),
    *("./git status", "/tmp/git status", "git status; \\\nrm", "git status 'a", 'git status "a', "git status \\"),
    *(
        "git status \u200b",
        "git\u00a0status",
        "git status\x0brm",
        "git status \x1b[2K",
        "git status $'x'",
        'git status $"x"',
    ),
    *(
        "git status \u202erm",
        "git sta\\tus; rm",
        "git status ;rm",
        "git status $((1))",
        "git status !x;y",
        "git -c x=y status",
    ),
    *(
        "function git { rm; }; git status",
        "git status ${X:-`rm x`}",
        "git(){ rm x;};git status",
        "alias git=rm;git status",
    ),
    "git status " + "a" * 10_000,
]


@pytest.mark.parametrize("command", BYPASSES, ids=range(len(BYPASSES)))
@pytest.mark.parametrize("rule", ["run_shell(git status)", "run_shell(git status **)", "run_shell(git **)"])
def test_no_bypass_is_covered(verdict, command, rule):
    """Everything but plain words after the named ones is asked for."""
    assert isinstance(verdict("run_shell", "auto", [rule], command=command), Ask)


RISKY = {
    "find **": [
        "find . -exec rm x +",
        "find . -name x -delete",
        "find . -okdir sh",
        "find . -fprint x",
        "find . -execdir x",
    ],
    "git **": [
        *(
            "git -c core.fsmonitor=x status",
            "git grep -Oless x",
            "git grep --open-files-in-pager=sh x",
            "git diff --ext-diff",
        ),
        *(
            "git fetch --upload-pack=sh x",
            "git --exec-path=. x",
            "git log --output=x",
            "git diff --outp=x",
            "git config a b",
        ),
        *("git --git-dir=x status", "git rebase -x sh", "git clone ext::sh", "git difftool", "git --config-env=a=B x"),
        *("git add .env", "git add .git/config"),
    ],
    "sed **": [
        "sed -i s/a/b/ f",
        "sed w/etc/x f",
        "sed 1e f",
        "sed s/a/b/e f",
        "sed 's/a/b/w out' f",
        "sed -n '1w out' f",
    ],
    "rg **": ["rg --pre sh x", "rg --pre=sh x", "rg --hostname-bin=x y"],
    "sort **": ["sort -o x y", "sort -ox y", "sort --output=x y", "sort --outp x y", "sort --compress-program=sh x"],
    "tar **": [
        "tar xf a --to-command=sh",
        "tar -I sh -xf a",
        "tar xf a --checkpoint-action=exec=sh",
        "tar --use-comp=sh",
    ],
    "man **": ["man -P sh x", "man --pager=sh x", "man -H x"],
    "file **": ["file -m x y", "file -C -m x", "file --magic-file=x y"],
    "env **": ["env sh", "env -S sh", "env git status"],
    "xargs **": ["xargs rm"],
    "timeout **": ["timeout 5 sh"],
    "sudo **": ["sudo ls"],
    "bash **": ["bash x.sh", "bash -c ls"],
    "python **": ["python -c x", "python -Ic x"],
    "awk **": ["awk 'BEGIN{system(1)}'", "awk '{print > 1}' f", "awk -f x"],
    "curl **": ["curl -o x y", "curl -d @f y", "curl --data-binary @f y", "curl -T f y", "curl -K f"],
    "cat **": ["cat .env", "cat a/.ssh/id_rsa", "cat ./.env", "cat x/../.env", "cat .ENV"],
    "tee **": ["tee .git/hooks/pre-commit", "tee .bashrc"],
    "rsync **": ["rsync -e sh a b", "rsync --rsh=sh a b"],
    "vim **": ["vim -c '!sh' x", "vim +x y"],
    "eval **": ["eval x"],
    ". **": [". x"],
    "ssh **": ["ssh host rm"],
}


@pytest.mark.parametrize(("rule", "command"), [(rule, c) for rule, commands in RISKY.items() for c in commands])
def test_a_wildcard_never_covers_what_runs_or_writes_by_an_option(verdict, rule, command):
    """Programs that run others, options that do, and secret or protected paths are asked for."""
    asked = verdict("run_shell", "auto", [f"run_shell({rule})"], command=command)

    assert isinstance(asked, Ask)
    assert isinstance(verdict("run_shell", allow=[asked.rule], command=command), Allow)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git status", "git status"),
        ("git status", "  git   status\t"),
        ("git status", "git 'status'"),
        ("git status", "git status\n"),
        ("git status", "\n\n git status"),
        ("git status", "git status;"),
        ("git status", "git status # so"),
        ("git status", "# first\ngit status"),
        ("git status", "git \\\n  status"),
        ("git status", '"git" "status"'),
        ("git status", "git sta\\tus"),
        ("git log **", "git log"),
        ("git log **", "git log --oneline -n 5 HEAD~1"),
        ("git diff * HEAD", "git diff a.py HEAD"),
        ("find **", "find . -name x -type f"),
        ("sort **", "sort -u -k2 x"),
        ("python -m pytest **", "python -m pytest -x -q tests"),
        ("make *", "make test"),
        ("npm run **", "npm run test -- --watch=false"),
        ("cat **", "cat README.md src/a.py"),
        ("echo **", "echo 'a; b' \"it's\" c\\;d a=b 5% @x +y"),
        ("sed -n **", "sed -n 1,5p a.txt"),
        ("timeout 5 make", "timeout 5 make"),
        ("ls '*'", "ls '*'"),
    ],
)
def test_what_a_rule_means_it_covers(verdict, rule, command):
    """Quotes and white space make no difference; wildcards cover ordinary words."""
    assert isinstance(verdict("run_shell", allow=[f"run_shell({rule})"], command=command), Allow)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git status", "git"),
        ("git status", "git status -s"),
        ("git status", "git statusx"),
        ("git status", "gitstatus"),
        ("git *", "git"),
        ("git *", "git log x"),
        ("git * x", "git log y"),
        ("ls '*'", "ls a"),
        ("git status", ""),
    ],
)
def test_words_are_compared_one_by_one(verdict, rule, command):
    """Neither prefixes nor missing nor additional words match."""
    assert isinstance(verdict("run_shell", allow=[f"run_shell({rule})"], command=command), Ask)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("run_shell()", "empty pattern"),
        ("run_shell(git; rm)", "one simple command"),
        ("run_shell(git $X)", "expansion"),
        ("run_shell(git 'x)", "open quote"),
        ("run_shell(git *.py)", "whole word"),
        ("run_shell(git ** x)", "last word"),
        ("run_shell(* x)", "name the program"),
        ("run_shell(git", "is no rule"),
        ("", "is no rule"),
        ("write_file(/etc/x)", "below the root"),
        ("write_file(../x)", "below the root"),
        ("fetch_url(https://x.org/)", "not a host name"),
        ("fetch_url(a.**.org)", "not a host name"),
        ("ask_user(x)", "takes no pattern"),
    ],
)
def test_a_bad_rule_is_explained(rule, why):
    """The text names the rule and what a right one looks like."""
    with pytest.raises(ValueError, match=why):
        parse_rule(rule, declared)


@settings(max_examples=400)
@given(
    st.lists(st.text(alphabet="ab-=*?[]{}$`'\"\\~#!;&|()<> %+,./:@^é", min_size=1, max_size=8), min_size=1, max_size=4)
)
def test_a_suggested_rule_covers_its_command_and_names_its_words(words):
    """Whatever the words are: what is suggested can be read back, and covers exactly them."""
    argv = simple(shlex.join(words))
    if not isinstance(argv, tuple):
        return

    rule = parse_rule(command_rule("run_shell", argv), declared)

    assert tuple(words) == argv
    assert covers_command(rule, argv)
    assert not covers_command(rule, (*argv, "more"))


@settings(max_examples=150)
@given(st.text(alphabet="ab '\"\\*$~#;|&<>(){}=!-?[]`", min_size=1, max_size=14))
@example(";;")
@example("a; ;")
def test_a_simple_command_is_what_the_shell_makes_of_it(text):
    """Where we claim to know the words, bash has the very same ones."""
    argv = simple(f"p {text}")
    if not isinstance(argv, tuple):
        return

    script = 'p() { printf "%s\\0" p "$@"; }\n' + f"p {text}"
    ran = subprocess.run(["/bin/bash", "-c", script], capture_output=True, check=False, cwd="/")

    assert argv == tuple(ran.stdout.decode().split("\0")[:-1])
