"""The tier that every kernel from 5.13 on has: Landlock for files, seccomp for calls. Also the inner wall of the others.

See landlock.rst and seccomp_filter.rst in Documentation/userspace-api of Linux.
"""

from __future__ import annotations

import ctypes
import os
import struct

from cococat.sandbox.kernel import RETURNED, refuse, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
READ = 0b1101  # EXECUTE, READ_FILE, READ_DIR
OF_FILES = 0b111 | 1 << 14 | 1 << 15  # what a rule about a file may hold: EXECUTE, WRITE, READ, TRUNCATE, IOCTL_DEV
DEVICES = 1 << 6 | 1 << 11  # MAKE_CHAR, MAKE_BLOCK
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # rights over files that a version knows; 16 from the fifth on
SCOPED, NETWORK = 6, 4  # versions from which on sockets without a name and signals, and ports, are held in
_EPERM, _ENOSYS, _ALLOW, _KILL = 0x00050001, 0x00050026, 0x7FFF0000, 0x80000000
_X32 = 0x40000000  # calls by another numbering
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _FIRST_ARGUMENT, _AF_UNIX = 0, 4, 16, 1
_CLONE3, _NEW_USER = 435, 0x10000000
# AUDIT_ARCH, the number of clone, and those of: ptrace, process_vm_readv and _writev, io_uring_setup, bpf, perf_event_open, keyctl,
# add_key, request_key, userfaultfd, unshare, setns, mount_setattr, kexec_load, open_by_handle_at, pidfd_getfd
_DENIED = {
    "x86_64": (
        0xC000003E,
        56,
        (101, 310, 311, 425, 321, 298, 250, 248, 249, 323, 272, 308, 442, 246, 304, 438),
    ),
    "aarch64": (
        0xC00000B7,
        220,
        (117, 270, 271, 425, 280, 241, 219, 217, 218, 282, 97, 268, 442, 104, 265, 438),
    ),
}
_NET = {"x86_64": (41, (42, 49, 50, 44, 46, 307)), "aarch64": (198, (203, 200, 201, 206, 211, 269))}
# socket; connect, bind, listen, sendto, sendmsg, sendmmsg


def restrict(read: list[str], write: list[str], tier: str, *, network: bool) -> None:
    """
    Hold this process, and all that it starts, to these paths for good.

    Args:
        tier: in `landlock` it has no network of its own: without *network* it may reach nothing by sockets, and with it
            none that has a path, as those of this machine's services do.
    """
    silent = tier == "landlock" and not network
    version = RETURNED.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        refuse("Landlock")
    rights = (1 << RIGHTS.get(version, 16)) - 1
    attributes = struct.pack("QQQ", rights, 3 if silent and version >= NETWORK else 0, 3 if version >= SCOPED else 0)
    size = 24 if version >= SCOPED else 16 if version >= NETWORK else 8
    rules = syscall("Landlock", _CREATE_RULESET, attributes[:size], ctypes.c_size_t(size), 0)
    for paths, allowed in ((read, READ), (write, rights & ~DEVICES)):
        for path in paths:
            _allow(rules, path, allowed & rights)
    syscall("Landlock", _RESTRICT_SELF, rules, 0)
    os.close(rules)
    _filter(silent=silent, no_paths=tier == "landlock" and network)


def _allow(rules: int, path: str, rights: int) -> None:
    """Allow *rights* over *path* and what is below it; nothing where it is not there."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= OF_FILES
    syscall(f"Landlock for {path}", _ADD_RULE, rules, 1, struct.pack("=Qi", rights, handle), 0)
    os.close(handle)


def _filter(*, silent: bool, no_paths: bool) -> None:
    """Refuse the calls by which a process reaches into others, or around the walls."""
    machine, clone, denied = _DENIED[os.uname().machine]
    socket, used = _NET[os.uname().machine]
    program = [_step(_LOAD, _ARCH), _step(_EQUAL, machine, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, _NR)]
    program += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    for number in (*denied, *(used if silent else ())):
        program += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _EPERM)]
    program += [
        _step(_EQUAL, _CLONE3, 0, 1),
        _step(_RETURN, _ENOSYS),
    ]  # what it is asked for cannot be seen; libc has another
    program += [_step(_EQUAL, clone, 0, 3), _step(_LOAD, _FIRST_ARGUMENT)]
    program += [_step(_ANY_OF, _NEW_USER, 0, 1), _step(_RETURN, _EPERM), _step(_LOAD, _NR)]
    if silent or no_paths:  # a pair of its own sockets can be made by socketpair, which is another call
        program += [_step(_EQUAL, socket, 0, 3), _step(_LOAD, _FIRST_ARGUMENT)]
        program += [_step(_EQUAL, _AF_UNIX, *((1, 0) if silent else (0, 1))), _step(_RETURN, _EPERM)]
    code = b"".join([*program, _step(_RETURN, _ALLOW)])
    held = ctypes.create_string_buffer(code)
    filtering = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
    if RETURNED.prctl(22, ctypes.c_ulong(2), ctypes.c_char_p(filtering), 0, 0) < 0:  # PR_SET_SECCOMP, by a filter
        refuse("seccomp")


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction: what it does, with what, and how many to leave out."""
    return struct.pack("HBBI", code, then, otherwise, value)
