"""What a command tries from inside the box: each attempt works without it, and comes to nothing in it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

import pytest

from cococat.permissions.paths import secret, triggers
from cococat.permissions.unasked import names_no_program
from cococat.sandbox.aside import put_aside
from cococat.sandbox.bounds import Bounds, bounds
from cococat.sandbox.box import PACKAGE as CODE
from cococat.sandbox.box import TIERS, Box, find
from cococat.sandbox.survey import survey
from tests.begun import eventually, working_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tiers that are tested are those of Linux")
LINUX = TIERS[:3]
HIDING = ("namespaces", "bubblewrap")  # landlock shows all below a folder: there `Box.holds` says that it does not hold
PYTHON = "import ctypes, os, socket, sys; libc = ctypes.CDLL(None, use_errno=True); call = libc.syscall\n"
X86 = os.uname().machine == "x86_64"

# each prints GOT where it succeeds; {out} is a folder outside, {home} the home, {pid} a process of the user's outside
SHELL = {
    "read a file outside": "grep -q mine {out}/secret && echo GOT",
    "read it through a link": "ln -s {out}/secret l && grep -q mine l && echo GOT",
    "read it through a hard link": "ln {out}/secret h && grep -q mine h && echo GOT",
    "move it in": "mv {out}/movable . && grep -q mine movable && echo GOT",
    "copy it in": "cp {out}/secret c && grep -q mine c && echo GOT",
    "list a folder outside": "ls {out} | grep -q secret && echo GOT",
    "read by a descriptor's link": "grep -q mine /proc/self/root{out}/secret && echo GOT",
    "read by the parent's folder": "grep -q mine /proc/$PPID/root{out}/secret && echo GOT",
    "read by another's folder": "grep -q mine /proc/{pid}/cwd/secret && echo GOT",
    "read another's environment": "grep -q SESAME /proc/{pid}/environ && echo GOT",
    "write a file outside": "echo x > {out}/new && echo GOT",
    "append to a file outside": "echo x >> {out}/secret && echo GOT",
    "write through a link": "ln -s {out} d && echo x > d/other && echo GOT",
    "delete outside": "rm {out}/doomed && echo GOT",
    "change a mode outside": "chmod 0777 {out}/secret && echo GOT",
    "read a key of the home": "grep -q mine {home}/.ssh/id && echo GOT",
    "read a document of the home": "grep -q mine {home}/letter && echo GOT",
    "write a start-up file": "echo x >> {home}/.bashrc && echo GOT",
    "make a file in the home": "echo x > {home}/new && echo GOT",
    "write a cron table": "mkdir -p /var/spool/cron && echo x > /var/spool/cron/box-{port} && echo GOT",
    "write to the system": "echo x > /usr/local/box-{port} && echo GOT",
    "set a kernel's setting": "echo 1 > /proc/sys/vm/drop_caches && echo GOT",
    "read passwords": "head -c 1 /etc/shadow | grep -q . && echo GOT",
    "end a process outside": "kill -0 {pid} && echo GOT",
    "reach a server of this machine": "exec 3<>/dev/tcp/127.0.0.1/{port} && echo GOT",
    "see another's shared memory": "ls /dev/shm | grep -q box-{port} && echo GOT",
    "write to the user's terminal": "echo x > {tty} && echo GOT",
    "see another's temporary files": "ls /tmp | grep -q box-{port} && echo GOT",
}
CALLS = {
    "make a device": ("mknod", "os.mknod('dev', 0o600 | 0o020000, os.makedev(1, 3)); print('GOT')"),
    "attach to a process": ("ptrace", "print('GOT' if libc.ptrace(16, {pid}, 0, 0) == 0 else '')"),
    "mount a folder": ("mount", "os.mkdir('m'); print('GOT' if libc.mount(b'/', b'm', None, 4096, None) == 0 else '')"),
    "change the root": ("chroot", "os.chroot('/usr'); print('GOT')"),
    "speak to the kernel's network": ("netlink", "socket.socket(16, 3, 0).bind((0, 0)); print('GOT')"),
    "open a raw socket": ("raw", "socket.socket(2, 3, 1); print('GOT')"),
    "reach a socket by its path": ("unix", "s = socket.socket(1); s.connect('{out}/sock'); print('GOT')"),
    "reach a service by its path": ("service", "s = socket.socket(1); s.connect('{service}'); print('GOT')"),
    "make a user namespace by clone": (
        "clone",
        "r = call(56, 0x10000011, 0, 0, 0, 0); r or os._exit(0); print('GOT' if r > 0 else '')",
    ),
    "reach a socket without a path": ("abstract", "s = socket.socket(1); s.connect('\\0box-{port}'); print('GOT')"),
    "read a process's memory": ("mem", "f = open('/proc/{pid}/mem', 'rb'); print('GOT')"),
    "take a file by its handle": (
        "handle",
        (
            "h = ctypes.create_string_buffer(136); h[0:4] = (128).to_bytes(4, 'little'); m = ctypes.c_int(); "
            "print('GOT' if libc.name_to_handle_at(-100, b'/etc/passwd', h, ctypes.byref(m), 0) == 0 and "
            "libc.open_by_handle_at(os.open('/', 0), h, 0) >= 0 else '')"
        ),
    ),
    "send a datagram": ("udp", "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', {port})); print('GOT')"),
}
NUMBERS = {  # calls that are refused, whatever they are given: without the box each answers with another error than EPERM
    "io_uring": 425, "bpf": 321, "perf": 298, "userfaultfd": 323, "setns": 308, "process_vm_readv": 310, "keyctl": 250,
}  # fmt: skip
OPEN = {
    ("landlock", "change a mode outside"): "Landlock governs no modes, owners and times"
}  # what a tier cannot close
NOT_SHOWN = {  # attempts that prove nothing where the tier gives the command a world of its own
    ("namespaces", "send a datagram"): "into its own loopback",
    ("bubblewrap", "send a datagram"): "into its own loopback",
    ("namespaces", "speak to the kernel's network"): "of its own network",
    ("bubblewrap", "speak to the kernel's network"): "of its own network",
}


NOBODY = 65534


class Outside:
    """What there is to be reached, all of it by *user*: files, a home, a process, servers, a terminal."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch, user: int) -> None:
        self.base, self.user, self.read = base, user, None
        self.out, self.home, self.root = base / "out", base / "home", base / "root"
        for folder in (self.out, self.home / ".ssh", self.root):
            folder.mkdir(parents=True)
        for path in (
            self.out / "secret",
            self.out / "movable",
            self.out / "doomed",
            self.home / ".ssh/id",
            self.home / "letter",
        ):
            path.write_text("mine\n")
        (self.home / ".bashrc").write_text("")
        monkeypatch.setenv("HOME", str(self.home))
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.terminal = os.openpty()
        self.service = Path("/srv" if os.access("/srv", os.W_OK) else self.out, f"box-{self.port}.sock")
        self.sockets = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for each, name in zip(
            self.sockets, (str(self.out / "sock"), str(self.service), f"\0box-{self.port}"), strict=True
        ):
            each.bind(name)
        for each in self.sockets:
            each.listen(64)
        self.private = base / "private"
        self.private.mkdir()
        self.shared = [Path(folder, f"box-{self.port}") for folder in ("/dev/shm", "/tmp")]
        for path in self.shared:
            path.touch()
        self.own(base, *base.rglob("*"), *self.shared, self.service, Path(os.ttyname(self.terminal[1])))
        env = {**os.environ, "OPEN": "SESAME"}
        self.victim = subprocess.Popen(
            [*self.by, "sleep", "600"], cwd=self.out, env=env, start_new_session=True, pass_fds=()
        )

    def own(self, *paths: Path) -> None:
        """Give *paths* to the user."""
        for path in paths if self.user != os.geteuid() else ():
            os.lchown(path, self.user, self.user)

    @property
    def by(self) -> list[str]:
        """What makes a command the user's."""
        number = str(self.user)
        mine = self.user == os.geteuid()
        return [] if mine else ["setpriv", "--reuid", number, "--regid", number, "--clear-groups"]

    @cached_property
    def python(self) -> str:
        """An interpreter that the user may run; a skip where there is none."""
        for path in ("/usr/bin/python3", sys.executable) if self.by else (sys.executable,):
            words = [
                *self.by,
                path,
                "-I",
                "-S",
                "-c",
                f"import sys, os; sys.exit(sys.version_info < (3, 11) or not os.path.isdir({str(CODE)!r}))",
            ]
            if Path(path).exists() and subprocess.run(words, capture_output=True, check=False).returncode == 0:
                return path
        pytest.skip("this checkout, or every Python, lies where an ordinary user cannot reach it")

    def boxed(self, box: Box, argv: list[str], limits: Bounds | None = None) -> list[str]:
        """The command line that runs *argv* in the box as the user."""
        limits = limits or bounds(self.root, survey(self.root, secret, triggers), [], self.private)
        if self.by and self.read is None:  # what the tester alone can see is not in the bounds of the user
            tried = ((path, subprocess.run([*self.by, "test", "-e", path], check=False)) for path in limits.read)
            self.read = tuple(path for path, done in tried if done.returncode == 0)
        limits = replace(limits, read=self.read or limits.read)
        return [*self.by, *(self.python if word == sys.executable else word for word in box.words(limits, argv))]

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        for each in self.terminal:
            os.close(each)
        places = ("/dev/shm", "/tmp", "/var/spool/cron", "/usr/local")
        for path in (self.service, *(Path(place, f"box-{self.port}") for place in places)):
            path.unlink(missing_ok=True)
        for each in (self.tcp, self.udp, *self.sockets):
            each.close()

    def script(self, name: str) -> list[str]:
        """The attempt as a command."""
        values = {"out": self.out, "home": self.home, "pid": self.victim.pid, "port": self.port}
        values |= {"tty": os.ttyname(self.terminal[1]), "service": self.service}
        if name in SHELL:
            return ["/bin/bash", "-c", SHELL[name].format(**values)]
        code = (
            CALLS[name][1]
            if name in CALLS
            else f"r = call({NUMBERS[name]}, -1, 0, 0, 0, 0, 0); print('GOT' if ctypes.get_errno() != 1 else '')"
        )
        for key, value in values.items():
            code = code.replace(f"{{{key}}}", str(value))
        return [sys.executable, "-I", "-c", PYTHON + code]

    def try_out(self, name: str, folder: Path, within: Callable[[list[str]], list[str]]) -> bool:
        """Whether the attempt succeeds in *folder*, with all that can be lost as it was."""
        for lost in ("secret", "movable", "doomed"):
            (self.out / lost).write_text("mine\n")
        self.own(folder, *self.out.iterdir())
        attempt = [self.python if word == sys.executable else word for word in self.script(name)]
        return "GOT" in ran(within(attempt), folder)


@contextmanager
def outside_of(user, monkeypatch):
    """Everything that an attempt may be after."""
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="cococat-outside-")))
    base.chmod(0o755)
    found = Outside(base, monkeypatch, user)
    yield found
    found.close()
    shutil.rmtree(base)


@pytest.fixture
def outside(monkeypatch, user):
    """It is *user*'s."""
    with outside_of(user, monkeypatch) as found:
        yield found


@pytest.fixture
def user():
    """Whoever runs the tests, unless a test says otherwise."""
    return os.geteuid()


AN_ORDINARY_USER = pytest.param(
    NOBODY,
    marks=pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can be another"),
)


def ran(words, folder):
    """What an attempt printed."""
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=30, check=False).stdout


def box_of(tier):
    """The box of *tier*, or a skip that says why there is none."""
    found = find([tier])
    if not found:
        pytest.skip(f"no {tier} here: {found.failed}")
    return found


@cache
def works_without(user):
    """The attempts that succeed where *user* has no box, once for all tiers."""
    with pytest.MonkeyPatch.context() as patch, outside_of(user, patch) as found:
        works = []
        for at, name in enumerate([*SHELL, *CALLS, *(NUMBERS if X86 else {})]):
            (folder := found.base / f"bare{at}").mkdir()
            works += [name] if found.try_out(name, folder, lambda attempt: [*found.by, *attempt]) else []
            subprocess.run(["umount", str(folder / "m")], capture_output=True, check=False)
    return works


@pytest.mark.parametrize("user", [pytest.param(os.geteuid(), id="tester"), AN_ORDINARY_USER])
@pytest.mark.parametrize("tier", LINUX)
def test_no_attempt_that_works_without_the_box_works_in_it(outside, tier):
    """Files, processes, sockets, calls of the kernel; what needs a right that this user has not is left out."""
    box = box_of(tier)
    limits = bounds(outside.root, survey(outside.root, secret, triggers), [], outside.private)
    works = works_without(outside.user)
    assert "runs\n" == ran(outside.boxed(box, ["/bin/sh", "-c", "echo runs"], limits), outside.root)

    escaped = []
    for name in (name for name in works if (tier, name) not in {**OPEN, **NOT_SHOWN}):
        for path in outside.root.iterdir():
            path.unlink() if path.is_symlink() or path.is_file() else path.rmdir()
        got = outside.try_out(name, outside.root, lambda attempt: outside.boxed(box, attempt, limits))
        escaped += [name] if got else []

    assert len(works) > (25 if outside.user == 0 else 18), works
    assert [] == escaped
    assert "mine\n" == (outside.out / "secret").read_text()


SECRETS = (
    "cat .env",
    "rev .env",
    "cp .env b; cat b",
    "mv .env c; cat c",
    "ln .env d; cat d",
    "tar c .env",
    "cat < .env",
)


@pytest.mark.parametrize("tier", HIDING)
def test_a_file_named_like_a_secret_is_not_there_for_a_command(outside, tmp_path, tier):
    """Read, copied, renamed, linked or packed; it is as it was afterwards."""
    box, (root, private) = box_of(tier), (outside.root, tmp_path / "private")
    private.mkdir()
    (root / ".env").write_text("PASSWORD=open-sesame\n")
    (root / "keys").mkdir()
    (root / "keys" / "server.pem").write_text("open-sesame")
    limits = bounds(root, survey(root, secret, triggers), [], private)

    shown = "".join(ran(box.words(limits, ["/bin/bash", "-c", f"{words} 2>&1; cat keys/*"]), root) for words in SECRETS)

    assert box.holds(limits)
    assert not find(["landlock"]).holds(limits)
    assert "sesame" not in shown
    assert "emases" not in shown
    assert "PASSWORD=open-sesame\n" == (root / ".env").read_text()


MAKES = {  # what another program would run or obey, and how a command makes it
    ".git/hooks/pre-commit": (
        "echo x > .git/hooks/pre-commit",
        "mv .git/hooks .git/old; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
        "mv .git .old; mkdir .git; cp -r .old/* .git; echo x > .git/hooks/pre-commit",
        "rm -rf .git/hooks; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
    ),
    ".git/config": ("git config core.fsmonitor ./x",),
    ".git/info/attributes": ("echo '* filter=x' > .git/info/attributes",),
    ".git/commondir": ("echo ../../evil > .git/commondir",),
    ".git/config.worktree": ("printf '[core]\nfsmonitor = ./x\n' > .git/config.worktree",),
    ".git/modules/m/config": (
        "mkdir -p .git/modules/m/objects .git/modules/m/refs; cd .git/modules/m; echo x > HEAD; echo fsmonitor=x > config",
    ),
    "a/config": ("mkdir -p a/objects a/refs; echo x > a/HEAD; printf '[core]\nfsmonitor = ./x\n' > a/config",),
    "b/hooks/post-checkout": ("mkdir -p b/objects b/refs b/hooks; echo x > b/HEAD; echo x > b/hooks/post-checkout",),
    "c/hooks": ("mkdir -p c/objects c/refs; echo x > c/HEAD; ln -s ../docs c/hooks",),
    "d/.git": ("mkdir d; ln -s ../../evil d/.git",),
    "e/.git": ("mkdir e; echo 'gitdir: ../../evil' > e/.git",),
    "own-hooks/pre-commit": (
        "echo x > own-hooks/pre-commit",
        "mv own-hooks o; mkdir own-hooks; echo x > own-hooks/pre-commit",
    ),
    "own-hooks/pre-push": ("echo x > own-hooks/pre-push",),
    ".envrc": ("echo x > .envrc", "mkfifo .envrc"),
    ".vscode/tasks.json": ("mkdir .vscode; echo x > .vscode/tasks.json; mkfifo .vscode/pipe",),
    "sub/.husky/pre-push": ("mkdir -p sub/.husky; echo x > sub/.husky/pre-push",),
    ".github/workflows/new.yml": ("mkdir -p .github/workflows; echo x > .github/workflows/new.yml",),
    "AGENTS.md": ("echo x > AGENTS.md",),
    "GEMINI.md": ("echo x > GEMINI.md", "rm GEMINI.md; ln -s app/x GEMINI.md"),
    "CLAUDE.md": ("ln -sf x CLAUDE.md",),
    "docs/agents.txt": ("echo x > docs/agents.txt", "rm CLAUDE.md; echo x > docs/agents.txt"),
    "app/.vscode/tasks.json": (
        "echo x > app/.vscode/tasks.json",
        "mv app moved; mkdir -p app/.vscode; echo x > app/.vscode/tasks.json",
        "rm -rf app; ln -s {out}/app app",
    ),
}


@pytest.mark.parametrize("tier", LINUX)
def test_nothing_that_makes_programs_run_is_left_of_a_command(outside, tmp_path, tier):
    """A hook, a setting of git's, a bare repository, an editor's task, a way to any of them: put aside, or as it was."""
    box, root, aside = box_of(tier), outside.root, tmp_path / "aside"
    private = tmp_path / "private"
    private.mkdir()
    (outside.out / "app" / ".vscode").mkdir(parents=True)

    def begin(at):
        root = tmp_path / f"root{at}"
        subprocess.run(["git", "init", "-q", root], check=True)
        subprocess.run(["git", "-C", root, "config", "core.hooksPath", "own-hooks"], check=True)
        for name in ("app/.vscode/tasks.json", "docs/agents.txt", "own-hooks/pre-commit", "GEMINI.md"):
            (root / name).parent.mkdir(exist_ok=True, parents=True)
            (root / name).write_text("mine")
        (root / "CLAUDE.md").symlink_to("docs/agents.txt")
        return root

    def run(root, words):
        before = survey(root, secret, triggers)
        limits = bounds(root, before, [], private)
        ran(box.words(limits, ["/bin/bash", "-c", words.replace("{out}", str(outside.out))]), root)
        after = survey(root, secret, triggers)
        return put_aside(root, before, after, aside, names_no_program, held=tier != "landlock")

    left = []
    for path, ways in MAKES.items():
        for words in ways:
            root = begin(len(list(tmp_path.iterdir())))
            was = state(root / path)
            run(root, words)
            left += [words] if state(root / path) not in (was, None) else []

    assert [] == left
    assert [] == list((outside.out / "app" / ".vscode").iterdir())
    assert "" == run(root, "git init -q new && git -C new remote add origin https://x.org/y")
    commit = "git -c user.name=a -c user.email=b commit -q --no-verify --allow-empty -m m"
    assert "" == run(root, f"{commit} && git worktree add -q tree")
    assert (root / "tree" / ".git").is_file()
    assert (tier == "landlock") != ("" == run(root, "mkdir k && mv GEMINI.md k; mv app moved"))
    assert "mine" == (root / "moved" / ".vscode" / "tasks.json").read_text()


def state(path):
    """What is at a path: where a link leads, what a file holds."""
    if path.is_symlink():
        return path.readlink()
    return path.read_text() if path.is_file() else "pipe" if path.exists() else None


@pytest.mark.parametrize("tier", LINUX)
def test_what_a_command_does_comes_back_as_it_is(outside, tmp_path, tier):
    """Its code, its signal, its output; and its work in the folder."""
    box, root, private = box_of(tier), outside.root, tmp_path / "private"
    private.mkdir()
    limits = bounds(root, survey(root, secret, triggers), [], private)

    def run(words):
        return subprocess.run(
            box.words(limits, ["/bin/bash", "-c", words]),
            cwd=root,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    assert (3, "out\n", "err\n") == (
        (done := run("echo out; echo err >&2; exit 3")).returncode,
        done.stdout,
        done.stderr,
    )
    assert run("kill -9 $$").returncode in (137, -9)
    assert "no/such" in run("no/such").stderr
    run(
        "echo x > 'a b'; mkdir -p d/e; echo y > $TMPDIR/t; git init -q g && cd g && git -c user.name=a -c user.email=b commit --allow-empty -qm m"
    )
    assert "x\n" == (root / "a b").read_text()
    assert "y\n" == run("cat $TMPDIR/t").stdout
    assert (
        "m\n"
        == subprocess.run(
            ["git", "-C", root / "g", "log", "--format=%s"], capture_output=True, text=True, check=True
        ).stdout
    )


@pytest.mark.parametrize("tier", HIDING)
def test_what_a_command_leaves_running_ends_with_it(outside, tmp_path, tier):
    """Whatever session or environment it went to; and so does all of it when the box itself is killed."""
    box, root, private = box_of(tier), outside.root, tmp_path / "private"
    private.mkdir()
    limits = bounds(root, survey(root, secret, triggers), [], private)
    stays = "env -i setsid /bin/sh -c 'trap \"\" TERM HUP; echo $$ > pid; while :; do sleep 0.1; done' & while [ ! -s pid ]; do sleep 0.01; done"
    mounts = Path("/proc/self/mountinfo").read_text()

    subprocess.run(
        box.words(limits, ["/bin/bash", "-c", stays]), cwd=root, capture_output=True, timeout=30, check=False
    )
    (root / "pid").unlink()
    begun = subprocess.Popen(
        box.words(limits, ["/bin/bash", "-c", f"{stays}; sleep 600"]), cwd=root, start_new_session=True
    )
    eventually((root / "pid").exists)
    os.killpg(begun.pid, signal.SIGKILL)
    begun.wait()

    eventually(lambda: not working_in(root))
    assert mounts == Path("/proc/self/mountinfo").read_text()
