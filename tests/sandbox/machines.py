"""Machines that refuse this or that: this program makes a poorer one of this machine, and becomes a command on it.

    python -I machines.py NAME WORDS…

Public: on.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Sequence

_EPERM, _ENOSYS = 1, 38
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


def on(machine: str, words: Sequence[str]) -> list[str]:
    """The command line that runs *words* on *machine*; none where this machine cannot play it."""
    if machine == "as it is":
        return [*words]
    made = [sys.executable, "-I", __file__, machine]
    can = subprocess.run([*made, "true"], capture_output=True, check=False).returncode == 0
    return [*made, *words] if can else []


def main(machine: str, words: Sequence[str]) -> None:
    """Become *words* on *machine*."""
    if machine in _MOUNTS:
        os.execvp("unshare", ["unshare", "-Urm", "/bin/sh", "-ec", f'{_MOUNTS[machine]}; exec "$@"', "sh", *words])
    _refuse(_FILTERS[machine])
    os.execvp(words[0], words)


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
    main(sys.argv[1], sys.argv[2:])
