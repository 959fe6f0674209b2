"""Calls of the Linux kernel that Python does not have. It is imported by each boxed command, so it imports next to nothing."""

from __future__ import annotations

import ctypes
import os
import select
import sys

NO_BOX = 125  # exit code: the box could not be made, and nothing ran
SIGNALS = (1, 2, 15)  # HUP, INT, TERM
LAST_CAPABILITY = 63
_PDEATHSIG, _CAPBSET_DROP, _NO_NEW_PRIVS, _KILL = 1, 24, 38, 9
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION_3 = b"\x22\x05\x08\x20"
RETURNED = ctypes.CDLL(None, use_errno=True)


def refuse(what: str) -> None:
    """Say which part of the box could not be made, and why; end, as nothing may run without it."""
    sys.stderr.write(f"{what}: {os.strerror(ctypes.get_errno())}\n")
    sys.stderr.flush()
    os._exit(NO_BOX)


def syscall(what: str, number: int, *arguments: object) -> int:
    """Make a system call that has to succeed; see `refuse`."""
    found: int = RETURNED.syscall(number, *arguments)
    if found < 0:
        refuse(what)
    return found


def unshare(kinds: int) -> None:
    """Leave the namespaces of *kinds* for new ones."""
    if RETURNED.unshare(ctypes.c_int(kinds)) < 0:
        refuse("namespaces")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount; empty texts stand for none."""
    texts = [text.encode("utf-8", "surrogateescape") or None for text in (source, target, kind, data)]
    if RETURNED.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3]) < 0:
        refuse(f"mount {target}")


def ignore(*, again: bool = False) -> None:
    """Leave the signals of a group to the command; *again*: take them as any program does."""
    for number in SIGNALS:
        RETURNED.signal(number, ctypes.c_void_p(0 if again else 1))


def with_parent() -> None:
    """End at once when the parent ends, also where it has already, and nobody reads any more what this process prints."""
    RETURNED.prctl(_PDEATHSIG, ctypes.c_ulong(_KILL), 0, 0, 0)
    output = select.poll()
    output.register(1, 0)  # that nobody reads is told without being asked for
    if output.poll(0):
        os._exit(NO_BOX)


def no_new_privileges() -> None:
    """Let no program that is started gain a right by its file."""
    if RETURNED.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0) < 0:
        refuse("no_new_privs")


def cap_drop() -> None:
    """Give up every capability, for good."""
    for number in range(LAST_CAPABILITY + 1):
        RETURNED.prctl(_CAPBSET_DROP, ctypes.c_ulong(number), 0, 0, 0)
    syscall("capabilities", _CAPSET[os.uname().machine], _CAPABILITY_VERSION_3 + bytes(4), bytes(24))
