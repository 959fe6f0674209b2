"""Programs of a working day in the box, run as cococat runs a command: by whoever runs the tests, and by an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from cococat.sandbox.bounds import Bounds
from cococat.sandbox.box import TIERS
from cococat.sandbox.seatbelt import profile
from tests.sandbox.test_escapes import AN_ORDINARY_USER, box_of, outside, user

__all__ = ["outside", "user"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tiers that are tested are those of Linux")
SERVER = "python3 -u -m http.server 0 >log 2>&1 & while ! port=$(grep -o 'port [0-9]*' log) && kill -0 $!; do sleep 0.05; done"
PROGRAMS = {  # the first word is the program that has to be there
    "git init": "git init -q r && cd r && git config -l && echo x > a && git add a && git commit -qm m && git log | grep -q m",
    "git branch": "git init -q r && cd r && git commit -q --allow-empty -m m && git checkout -qb new && git status -sb | grep -q new",
    "git worktree": "git init -q r && cd r && git commit -q --allow-empty -m m && git worktree add -q ../w && test -d ../w",
    "git clone": "git init -q r && cd r && git commit -q --allow-empty -m m && git clone -q . ../c && git -C ../c log",
    "python3 unittest": "mkdir t; echo 'import unittest' > t/test_a.py; python3 -m unittest discover -s t 2>&1 | grep -q Ran",
    "python3 venv": "python3 -m venv --without-pip v && v/bin/python -c 'import ssl, sqlite3, json'",
    "python3 pip": 'python3 -m venv v && mkdir k && echo x = 1 > k/k.py && cd k && python3 -c "import zipfile as z; f = '
    "z.ZipFile('../k-1-py3-none-any.whl', 'w'); f.write('k.py'); f.writestr('k-1.dist-info/METADATA', 'Metadata-Version: 2.1\\n"
    "Name: k\\nVersion: 1\\n'); f.writestr('k-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'); "
    "f.writestr('k-1.dist-info/RECORD', ''); f.close()\" && cd .. && v/bin/pip install -q --no-index ./k-1-py3-none-any.whl "
    "&& v/bin/python -c 'import k'",
    "python3 multiprocessing": "python3 -c 'import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-1]))'",
    "python3 tempfile": "python3 -c 'import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b\"x\"); f.flush()'",
    "python3 server": f"{SERVER}; python3 -c \"import urllib.request as u; u.urlopen('http://127.0.0.1:${{port#port }}/')\"",
    "python3 socket": 'python3 -c \'import socket; s = socket.socket(1); s.bind("s"); s.listen(); socket.socket(1).connect("s")\'',
    "python3 pty": "python3 -c 'import pty; pty.spawn([\"true\"])' </dev/null",
    "bash temporary": "echo x > /tmp/t && cat /tmp/t && rm /tmp/t",
    "node": 'node -e \'require("fs").writeFileSync("o", "x")\' && test -s o',
    "npm": 'mkdir d p && echo \'{"name": "d", "version": "1.0.0"}\' > d/package.json && cd p && echo \'{}\' > package.json && '
    "npm pack -s ../d && npm install --offline --no-audit --no-fund ./d-1.0.0.tgz && test -e node_modules/d",
    "make": "printf 'a:\\n\\techo x > a\\n' > Makefile && make -s -j2 a && test -s a",
    "gcc": "echo 'int main() { return 0; }' > a.c && gcc -o a a.c && ./a",
    "sqlite3": "sqlite3 a.db 'create table t(x); insert into t values (1); select x from t'",
    "tar": "echo x > a && tar --owner=4711 --group=4711 -czf a.tgz a && rm a && tar xzf a.tgz && test -s a",
    "patch": "echo x > a && printf -- '--- a\\n+++ a\\n@@ -1 +1 @@\\n-x\\n+y\\n' | patch -s && grep -q y a",
    "sort": "seq 200000 | sort -R | sort -n | tail -1 | grep -q 200000",
    "perl": "perl -e 'open F, \">a\"; print F 1' && test -s a",
    "script": "script -qec true /dev/null </dev/null",
    "tmux": "tmux -S s -f /dev/null new-session -d 'echo x > a' && while [ ! -s a ]; do sleep 0.05; done",
    "find": "mkdir -p a/b && touch a/b/c && find . -name c -exec mv {} d \\; && ln -s d e && ln d f && rm -r a && test -e e",
    "awk": "ps ax >/dev/null && awk 'BEGIN { print 1 > \"a\" }' && nproc && df . >/dev/null && id && date && uname -a",
}
WITHOUT = {  # where the kernel holds files and calls alone: no sockets, no terminal, no /tmp and /dev/shm of one's own
    "landlock": {
        *("python3 server", "python3 socket", "python3 multiprocessing", "python3 pty", "script", "tmux"),
        "bash temporary",
    }
}


def test_the_profile_of_macos_is_made_of_the_same_bounds():
    """It has not run on a Mac; later rules come before earlier ones there, so what is hidden stands last."""
    limits = Bounds("/p", "/Users/me", "/t", ("/usr", '/a "b"'), ("/w",), ("/p/.env",), ("/p/.git", "/p/.git/hooks"))

    assert snapshot(
        [
            "(version 1)",
            "(deny default)",
            "(allow process-fork) (allow process-exec) (allow signal (target same-sandbox)) (allow sysctl-read)",
            "(allow mach-lookup) (allow file-read-metadata) (allow pseudo-tty)",
            '(allow file-read* (literal "/") (subpath "/dev") (subpath "/private/etc") (subpath "/usr") (subpath "/a \\"b\\"") (subpath "/p") (subpath "/t") (subpath "/w"))',
            '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys") (subpath "/p") (subpath "/t") (subpath "/w"))',
            '(allow network* (local ip "localhost:*"))',
            '(deny file-write* (subpath "/p/.git/hooks"))',
            '(deny file-write-unlink (literal "/p/.git"))',
            '(deny file-write-unlink (literal "/p/.git/hooks"))',
            '(deny file-read* file-write* (subpath "/p/.env"))',
        ]
    ) == profile(limits).split("\n")
    assert "(allow network*)" in profile(replace(limits, network=True))


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize("user", [pytest.param(os.geteuid(), id="tester"), AN_ORDINARY_USER])
@pytest.mark.parametrize("tier", TIERS[:3])
def test_the_programs_of_a_working_day_run_in_the_box(outside, tier):
    """Each alone in the folder; what the tier `landlock` cannot let them do is listed, and nothing else fails."""
    box, here = box_of(tier), dict(os.environ)
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "b"}
    path = ":".join(part for part in here["PATH"].split(":") if part.startswith("/usr"))  # none of another home
    # SHELL is said, as a login says it: without it tmux takes the one of `nobody`, which is nologin and runs nothing
    failed = dict[str, str]()
    for name, words in PROGRAMS.items():
        shutil.rmtree(outside.root)
        outside.root.mkdir()
        outside.own(outside.root)
        if not shutil.which(name.split()[0], path=path):
            continue
        done = subprocess.run(
            outside.boxed(box, ["/bin/bash", "-c", words]),
            cwd=outside.root,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**here, **names, "HOME": str(outside.home), "PATH": path, "SHELL": "/bin/sh"},
            start_new_session=True,
        )
        if done.returncode:
            failed[name] = f"{done.returncode}: {done.stdout[-200:]}{done.stderr[-300:]}"

    assert {} == {name: why for name, why in failed.items() if name not in WITHOUT.get(tier, ())}
    assert WITHOUT.get(tier, set()) == set(failed)
