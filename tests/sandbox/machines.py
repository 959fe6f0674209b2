"""Machines that refuse this or that: a process makes a poorer one of this machine for itself, and is cococat there.

A module for `tests.begun`: what is forked becomes `python -m tests.sandbox.machines NAME WORDS…`, and then the command.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from importlib import import_module
from pathlib import Path

_EPERM, _ENOSYS = 1, 38
_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x20000
_X86 = os.uname().machine == "x86_64"
_NAMESPACES = {  # unshare, setns, mount, umount2, pivot_root, mount_setattr, open_tree, move_mount, fsopen; clone3
    **dict.fromkeys((272, 308, 165, 166, 155, 442, 428, 429, 430) if _X86 else (97, 268, 40, 39, 41, 442), _EPERM),
    435: _ENOSYS,
}
_LANDLOCK = dict.fromkeys((444, 445, 446), _ENOSYS)
_TMP = 'here=$PWD; mount -t tmpfs -o size=64k none /tmp; mkdir -p "$here"; mount -c --bind . "$here"; cd "$here"; '
_FIXED = "mount -o remount,bind,ro /tmp; mount --bind /tmp /var/tmp"
_FILTERS = {"a container": _NAMESPACES, "no landlock": _LANDLOCK}
_MOUNTS = {  # in a user namespace of its own, so that they are nobody else's
    "no namespaces": "echo 0 > /proc/sys/user/max_user_namespaces",
    "a full /tmp": f"{_TMP}cat /dev/zero > /tmp/full 2>&- || :",
    "a read-only /tmp": f"{_TMP}{_FIXED}",
    "a read-only folder as well": f"{_TMP}mount -o remount,bind,ro .; {_FIXED}",
}


def main(machine: str) -> None:
    """Be the command on *machine*, or where the commands of that text were run as root of its mounts."""
    if machine in _FILTERS:
        _refuse(_FILTERS[machine])
    elif machine != "as it is":
        _mount(_MOUNTS.get(machine, machine))
    sys.argv[:2] = ["cococat"]
    import_module("cococat.__main__").main()


def _mount(commands: str) -> None:
    """Run *commands* as root of a user namespace and a mount namespace of our own, as `unshare -Urm` does."""
    user, group = os.geteuid(), os.getegid()
    if commands.startswith(_TMP) and sys.prefix.startswith("/tmp/"):
        sys.exit("the tests' own interpreter would not be seen")
    if ctypes.CDLL(None).unshare(_NEW_USER | _NEW_MOUNTS):
        sys.exit("this machine has no namespaces")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path("/proc/self", name).write_text(text)
    subprocess.run(["/bin/sh", "-ec", f"mount --make-rprivate /; {commands}"], check=True)
    os.chdir(Path.cwd())  # it may lie below another mount now


def _refuse(calls: dict[int, int]) -> None:
    """Answer *calls* with their errors from now on, and, where one of them is unshare, a clone into a namespace."""
    step = struct.Struct("HBBI").pack
    code = step(0x20, 0, 0, 0)
    for number, error in calls.items():
        code += step(0x15, 0, 1, number) + step(0x06, 0, 0, 0x50000 | error)
    clone = 56 if _X86 else 220
    if calls is _NAMESPACES:
        code += step(0x15, 0, 3, clone) + step(0x20, 0, 0, 16) + step(0x45, 0, 1, 0x10000000)
        code += step(0x06, 0, 0, 0x50000 | _EPERM)
    held = ctypes.create_string_buffer(code + step(0x06, 0, 0, 0x7FFF0000))
    prctl = ctypes.CDLL(None).prctl
    program = struct.pack("HxxxxxxQ", len(held) // 8, ctypes.addressof(held))
    if prctl(38, 1, 0, 0, 0) or prctl(22, 2, program, 0, 0):
        sys.exit("this machine has no seccomp")


if __name__ == "__main__":
    main(sys.argv[1])
