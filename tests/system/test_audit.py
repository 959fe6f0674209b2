"""What a dream's process may open for writing, start and connect to."""

import os
import subprocess
import sys

import pytest

from cococat.system.audit import Allowed, AuditBounds, Refuse, judge

WRITE, READ = os.O_WRONLY | os.O_CREAT, os.O_RDONLY
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
LINKS = {"/m/link": "/etc"}
BOUNDS = AuditBounds(
    folders=("/m", "/c/tiktoken"),
    names=frozenset({"history.jsonl"}),
    hosts=frozenset({("api.example", 443)}),
    addresses=frozenset({("192.0.2.1", 443)}),
    engine="/t/cococat-",
    real=lambda path: os.path.normpath(LINKS.get(path, path)),
    place=lambda number: {0: "/etc", 7: "/m/versions", 8: "/etc"}.get(number, ""),
)


@pytest.mark.skipif(os.sep != "/", reason="the paths of the table are POSIX ones")
@pytest.mark.parametrize(
    ("event", "args", "verdict"),
    [
        ("open", ("/m/MEMORY.md", None, WRITE), Allowed("write", "/m/MEMORY.md")),
        ("open", (b"/c/tiktoken/x", None, WRITE), Allowed("write", "/c/tiktoken/x")),
        ("open", ("/etc/passwd", "r", READ), Allowed("read", "/etc/passwd")),
        ("open", ("/etc/passwd", "r", None), Allowed("read", "/etc/passwd")),
        ("open", ("/etc/passwd", "w", WRITE), Refuse("write", "/etc/passwd")),
        ("open", ("/m/../etc/x", "w", WRITE), Refuse("write", "/m/../etc/x")),
        ("open", ("/mm/x", "w", WRITE), Refuse("write", "/mm/x")),
        ("open", ("/m/link/x", "w", WRITE), Refuse("write", "/m/link/x")),
        ("open", ("/m/link", "a", os.O_APPEND | os.O_WRONLY), Refuse("write", "/m/link")),
        ("open", ("history.jsonl", None, WRITE | NOFOLLOW), Allowed("write", "history.jsonl")),
        ("open", ("history.jsonl", None, WRITE), Refuse("write", "history.jsonl")),
        ("open", ("/lib/__pycache__/x.pyc.1", None, WRITE), Refuse("write", "/lib/__pycache__/x.pyc.1", silent=True)),
        ("open", (3, "w", WRITE), Allowed()),
        ("open", (os.devnull, "w", WRITE), Allowed()),
        ("os.rename", ("/m/a", "/m/b", -1, -1), Allowed("write", "/m/b")),
        ("os.rename", ("/m/a", "/home/b", -1, -1), Refuse("write", "/home/b")),
        ("os.rename", ("/home/a", "/m/b", -1, -1), Refuse("write", "/home/a")),
        ("os.remove", ("0001", 7), Allowed("write", "/m/versions/0001")),
        ("os.remove", ("passwd", 8), Refuse("write", "/etc/passwd")),
        ("os.symlink", ("/etc/passwd", "/home/x", -1), Refuse("write", "/home/x")),
        ("os.remove", ("/m/a",), Allowed("write", "/m/a")),
        ("os.remove", ("notes", -1), Refuse("write", "notes")),
        ("os.remove", ("passwd", 0), Refuse("write", "/etc/passwd")),
        ("os.truncate", (3, 0), Allowed()),
        ("os.truncate", ("/etc/x", 0), Refuse("write", "/etc/x")),
        ("os.setxattr", ("/etc/x", "user.a", b"", 0), Refuse("write", "/etc/x")),
        ("os.removexattr", ("/etc/x", "user.a"), Refuse("write", "/etc/x")),
        ("sqlite3.connect", ("/home/x.db",), Refuse("write", "/home/x.db")),
        ("subprocess.Popen", ("sh", ["sh"], None, None), Refuse("run", "sh")),
        ("subprocess.Popen", ("uname", ["uname"], None, None), Refuse("run", "uname", silent=True)),
        ("os.system", (b"ls",), Refuse("run", "ls")),
        ("os.fork", (), Refuse("run", "os.fork")),
        ("os.exec", ("/bin/sh", ["sh"], None), Refuse("run", "/bin/sh")),
        ("socket.connect", (None, ("192.0.2.1", 443)), Allowed("connect", "192.0.2.1:443")),
        ("socket.connect", (None, ("192.0.2.1", 80)), Refuse("connect", "192.0.2.1:80", again=True)),
        ("socket.connect", (None, ("198.51.100.9", 443, 0, 0)), Refuse("connect", "198.51.100.9:443", again=True)),
        ("socket.connect", (None, "/t/cococat-ab/engine.sock"), Allowed("connect", "/t/cococat-ab/engine.sock")),
        ("socket.connect", (None, ("abstract",)), Refuse("connect", "('abstract',)")),
        ("socket.connect", (None, "/run/docker.sock"), Refuse("connect", "/run/docker.sock")),
        ("socket.sendto", (None, ("8.8.8.8", 53)), Refuse("connect", "8.8.8.8:53", again=True)),
        ("socket.sendmsg", (None, None), Allowed()),
        ("socket.bind", (None, ("192.0.2.1", 443)), Refuse("connect", "192.0.2.1:443")),
        ("socket.getaddrinfo", (b"api.example", 443, 0, 0, 0), Allowed()),
        ("socket.getaddrinfo", ("evil.example", 443, 0, 0, 0), Refuse("connect", "evil.example")),
        ("import", ("json", None, None, None, None), Allowed()),
    ],
)
def test_what_may_happen_while_a_dream_runs(event, args, verdict):
    """The memory and its caches may be written, the model be reached, nothing be started; the rest is read only."""
    assert verdict == judge(event, args, BOUNDS)


@pytest.mark.skipif(os.sep != "/", reason="the paths of the table are POSIX ones")
@pytest.mark.parametrize(
    ("event", "args"),
    [
        ("os.mkdir", ("a", 0o700, "folder")),
        ("os.rmdir", ("a", "folder")),
        ("os.remove", ("a", "folder")),
        ("os.rename", ("a", "/m/b", "folder", -1)),
        ("os.rename", ("/m/b", "a", -1, "folder")),
        ("os.link", ("a", "/m/b", "folder", -1)),
        ("os.link", ("/m/b", "a", -1, "folder")),
        ("os.symlink", ("/m/b", "a", "folder")),
        ("os.chmod", ("a", 0o600, "folder")),
        ("os.chown", ("a", 1, 1, "folder")),
        ("os.utime", ("a", None, None, "folder")),
    ],
)
def test_a_name_in_an_open_folder_is_judged_by_where_the_folder_is(event, args):
    """Whatever is done with it, and wherever among the arguments Python tells of the folder."""
    inside, outside = ([number if one == "folder" else one for one in args] for number in (7, 8))

    assert isinstance(judge(event, inside, BOUNDS), Allowed)
    assert Refuse("write", "/etc/a") == judge(event, outside, BOUNDS)


def test_without_an_engine_no_socket_file_is_reached():
    """A socket file is an embedded model's door; other models have none."""
    assert isinstance(judge("socket.connect", (None, "/t/cococat-ab/engine.sock"), AuditBounds(("/m",))), Refuse)


PROGRAM = """
import os, pathlib, socket, subprocess, sys
from cococat.system.audit import AuditBounds, AuditHook

inside, outside = (os.path.realpath(path) for path in sys.argv[1:3])
port = int(sys.argv[3])
guard = AuditHook()

def tried(what):
    try:
        what()
    except OSError as error:
        return f"{type(error).__name__} {error.errno}"
    return "done"

def connect(port):
    with socket.socket() as one:
        one.connect(("127.0.0.1", port))

actions = {
    "inside": lambda: pathlib.Path(inside, "a").write_text("a"),
    "outside": lambda: pathlib.Path(outside, "a").write_text("a"),
    "moved": lambda: os.replace(inside + "/a", outside + "/b"),
    "removed": lambda: os.remove(outside + "/kept"),
    "run": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
    "model": lambda: connect(port),
    "other": lambda: connect(1),
}
before = tried(lambda: pathlib.Path(outside, "kept").write_text("kept"))
with guard.on(AuditBounds((inside,), hosts=frozenset({("localhost", port)}))) as trail:
    found = {name: tried(action) for name, action in actions.items()}
with guard.on(AuditBounds((outside,))):
    second = tried(lambda: pathlib.Path(outside, "second").write_text("x"))
print(before, found, second, tried(actions["run"]), list(trail.connected), len(trail.refused), sep="|")
"""


def test_a_guard_refuses_where_it_is_tried_and_only_while_it_is_on(scripted, tmp_path):
    """In a process of its own, as no audit hook can be taken out again: real files, a real server, a real program."""
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
    port = scripted().base_url.rpartition(":")[2].partition("/")[0]
    command = [sys.executable, "-c", PROGRAM, tmp_path / "inside", tmp_path / "outside", port]

    ran = subprocess.run(command, capture_output=True, text=True, check=True)

    before, found, second, after, connected, refused = ran.stdout.strip().split("|")
    no = "PermissionError 1"
    expected = {"inside": "done", "outside": no, "moved": no, "removed": no, "run": no, "model": "done", "other": no}
    assert str(expected) == found
    assert ("done", "done", "done") == (before, second, after)
    assert f"['127.0.0.1:{port}']" == connected
    assert 5 == int(refused)
    assert ["kept", "second"] == sorted(path.name for path in (tmp_path / "outside").iterdir())
