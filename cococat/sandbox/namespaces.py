"""The first tier: user, mount, process, IPC and network namespaces of its own. Source: namespaces(7), mount(2)."""

from __future__ import annotations

import ctypes
import os
import struct

from cococat.sandbox.kernel import RETURNED, ignore, mount, refuse, unshare, with_parent

_USER, _MOUNTS, _PROCESSES, _IPC, _NETWORK = 0x10000000, 0x20000, 0x20000000, 0x8000000, 0x40000000
_SHARED = (("user", _USER), ("net", _NETWORK))  # of which the first gives the right to the second
READ_ONLY, NO_SETUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND, ALL, PRIVATE = 1, 2, 4, 8, 0x20, 0x1000, 0x4000, 0x40000
KEPT = ("proc", "sys", "dev", "etc")  # at the top of the file system, whatever is shown of them
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
STREAMS = ("stdin", "stdout", "stderr")
MAX_NAMED, NAME_CHARS = 5, 80


def enter(order: dict[str, list[str]]) -> None:
    """
    Go into new namespaces, as the first process but one of theirs; the two that wait outside end with the same code.

    Args:
        order: see `launch`.
    """
    user, group = os.getuid(), os.getgid()
    network = bool(order["network"]) or any(map(_join, order["beside"]))
    unshare(_USER | _MOUNTS | _PROCESSES | _IPC | (0 if network else _NETWORK))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    with_parent()  # with which all of it ends
    mount("", "/", "", ALL | PRIVATE)  # where AppArmor lets a program have namespaces and nothing in them, this fails
    if not network:
        _loopback()
    _veil(order)
    _hide(order["hidden"])
    _devices()
    for path in order["fixed"]:
        mount(path, path, "", BIND | ALL)  # a mount point cannot be renamed, nor replaced
        if not path.endswith("/.git"):
            mount("", path, "", REMOUNT | BIND | READ_ONLY | NO_SETUID | NO_DEVICES)
    ignore()
    if first := os.fork():
        os._exit(_code(os.waitpid(first, 0)[1]))
    with_parent()
    mount("proc", "/proc", "proc", NO_SETUID | NO_DEVICES | NO_EXEC)
    if command := os.fork():
        _wait(command)
    ignore(again=True)


def _veil(order: dict[str, list[str]]) -> None:
    """Put an empty folder over all at the top of the file system that is not shown, and what is shown below it back."""
    (private,), (home,) = order["private"], order["home"]
    shown = dict.fromkeys((*order["read"], *order["write"]))
    tops = [f"/{name}" for name in os.listdir("/") if name not in KEPT and f"/{name}" not in shown]
    tops = [path for path in tops if os.path.isdir(path) and not os.path.islink(path)]
    held = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in sorted(shown) if _below(path, tops)]
    mine = os.open(private, os.O_PATH | os.O_CLOEXEC)
    for place in tops:
        if place == "/tmp":
            mount(f"/proc/self/fd/{mine}", place, "", BIND)
        else:
            mount("tmpfs", place, "tmpfs", NO_SETUID | NO_DEVICES, "size=256m,mode=755")
    os.makedirs("/var/tmp", exist_ok=True)
    if not _below(home, ["/tmp"]):  # which can be written
        os.makedirs(home, exist_ok=True)
    for path, handle in held:
        folder = os.path.isdir(f"/proc/self/fd/{handle}")
        if not os.path.lexists(path):
            os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)
            if not folder:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        mount(f"/proc/self/fd/{handle}", path, "", BIND | ALL)
        os.close(handle)
    os.close(mine)


def _hide(paths: list[str]) -> None:
    """Put nothing over each of *paths* that is there."""
    for path in paths:
        if os.path.isdir(path):
            mount("tmpfs", path, "tmpfs", NO_SETUID | NO_DEVICES | READ_ONLY, "size=4k,mode=500")
        elif os.path.exists(path):
            mount("/dev/null", path, "", BIND)


def _devices() -> None:
    """Make a `/dev` of a few devices and of terminals of one's own: those of the user can be written to."""
    held = [(f"/dev/{name}", os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC)) for name in DEVICES]
    mount("tmpfs", "/dev", "tmpfs", NO_SETUID, "size=256m,mode=755")
    for path, handle in held:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        mount(f"/proc/self/fd/{handle}", path, "", BIND)
        os.close(handle)
    for folder in ("/dev/pts", "/dev/shm"):
        os.mkdir(folder)
    mount("devpts", "/dev/pts", "devpts", NO_SETUID | NO_EXEC, "newinstance,ptmxmode=0666,mode=620")
    for name, target in (
        ("ptmx", "pts/ptmx"),
        ("fd", "/proc/self/fd"),
        *((n, f"fd/{at}") for at, n in enumerate(STREAMS)),
    ):
        os.symlink(target, f"/dev/{name}")


def _below(path: str, places: list[str]) -> bool:
    return any(path != place and path.startswith(f"{place.rstrip('/')}/") for place in places)


def _join(process: str) -> bool:
    """Go into the network of *process*, which is in a box of ours; return whether it is still there."""
    try:
        held = [(os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC), kind) for name, kind in _SHARED]
    except OSError:
        return False
    for handle, kind in held:
        if RETURNED.setns(handle, kind) < 0:
            refuse("the network of what runs in the background")
        os.close(handle)
    return True


def _loopback() -> None:
    """Bring up a loopback of one's own, on which tests have their servers; the module for sockets takes long to import."""
    handle = RETURNED.socket(2, 2, 0)
    flags = struct.pack("16sh22x", b"lo", 0x1 | 0x40)  # IFF_UP, IFF_RUNNING
    if RETURNED.ioctl(handle, ctypes.c_ulong(0x8914), flags) < 0:  # SIOCSIFFLAGS
        refuse("loopback")
    os.close(handle)


def _wait(command: int) -> None:
    """Wait for the command as the process that adopts, say what it leaves running, and end all of it."""
    while True:
        ended, status = os.wait()
        if ended == command:
            break
    left = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, command):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    line = file.read(4096).replace(b"\0", b" ").decode("utf-8", "replace").strip()
            except OSError:
                continue
            left += [line[:NAME_CHARS]] if line else []
    if left:
        more = [f"{len(left) - MAX_NAMED} more"] if len(left) > MAX_NAMED else []
        text = f"\n[left running and ended with this call: {'; '.join([*left[:MAX_NAMED], *more])}]"
        os.write(1, text.encode("utf-8", "replace"))
    os._exit(_code(status))


def _code(status: int) -> int:
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
