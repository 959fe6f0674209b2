"""The watch over a dream's process: what it may open for writing, start and connect to.

Python tells an audit hook of every file it opens and every program or connection it begins. That is
defence in depth and no sandbox: compiled code can do all of it without a word to Python.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

What: TypeAlias = Literal["", "read", "write", "connect", "run"]

# where the paths of each event stand among its arguments, and the descriptor of the folder they are relative to
_CHANGES: Mapping[str, tuple[tuple[int, int | None], ...]] = {
    "os.mkdir": ((0, 2),),
    "os.rmdir": ((0, 1),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
    "sqlite3.connect": ((0, None),),
}
_RUNS = ("os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn", "subprocess.")
_NEEDLESS = ("uname", "lsb_release")  # asked by libraries that tell a server the name of this system
_PEERS = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind")
_NAMES = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_INET_PARTS = 2  # of an address: host and port, and more for IPv6


def folder_of(descriptor: int) -> str:
    """Return the path of an open folder; empty where the system does not tell."""
    with suppress(OSError):
        return str(Path(f"/proc/self/fd/{descriptor}").readlink())
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, getattr(fcntl, "F_GETPATH"), bytes(1024)).rstrip(b"\0"))  # noqa: B009 - only macOS has it
    return ""


@dataclass(frozen=True, slots=True)
class AuditBounds:
    """
    What a dream may touch.

    Args:
        folders: what lies in them may be written; real paths.
        names: files of the memory folder that are opened by name alone, through the folder's descriptor.
        hosts: name and port of the model, and of a proxy on the way to it.
        addresses: IP address and port of the same.
        engine: how the path of an embedded engine's private folder begins, a real path; empty for none.
        profiles: how the real paths of the file begin in which it is kept what endpoints can do, its draft's too.
        real: gives the real path behind a path.
        place: gives the path of a folder that is open as a descriptor.
    """

    folders: tuple[str, ...]
    names: frozenset[str] = frozenset()
    hosts: frozenset[tuple[str, int]] = frozenset()
    addresses: frozenset[tuple[str, int]] = frozenset()
    engine: str = ""
    profiles: tuple[str, ...] = ()
    real: Callable[[str], str] = os.path.realpath
    place: Callable[[int], str] = folder_of


@dataclass(frozen=True, slots=True)
class Allowed:
    """It may happen; *what* and *which* are for the record, both empty for what nobody asks about."""

    what: What = ""
    which: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    """
    It must not happen.

    Args:
        silent: a library's own housekeeping, which can do without: nobody need be told.
        again: the name may have got another address since; look it up before refusing.
    """

    what: What
    which: str
    silent: bool = False
    again: bool = False


Verdict: TypeAlias = Allowed | Refuse
_ALLOW = Allowed()


def judge(event: str, args: Sequence[object], bounds: AuditBounds) -> Verdict:
    """Return whether the audit *event* with *args* may happen while a dream runs."""
    if event == "open":
        return _open(args, bounds)
    if places := _CHANGES.get(event):
        verdicts = [_change(args, path, place, bounds) for path, place in places]
        return next((verdict for verdict in verdicts if isinstance(verdict, Refuse)), verdicts[-1])
    if event in _PEERS:
        return _peer(event, args[1], bounds)
    if event in _NAMES:
        host = _text(args[0])
        known = {name for name, _ in (*bounds.hosts, *bounds.addresses)}
        return _ALLOW if host in known else Refuse("connect", host)
    if event.startswith(_RUNS):
        program = _text(args[0]) if args else event
        return Refuse("run", program, silent=program in _NEEDLESS)
    return _ALLOW


def _open(args: Sequence[object], bounds: AuditBounds) -> Verdict:
    path, flags = args[0], args[2]
    if isinstance(path, int):
        return _ALLOW  # it is open already
    name, bits = _text(path), flags if isinstance(flags, int) else 0
    if not bits & _WRITING:
        return Allowed("read", name)
    if name in bounds.names and bits & _NOFOLLOW:
        return Allowed("write", name)
    return _written(name, bounds)


def _change(args: Sequence[object], path: int, place: int | None, bounds: AuditBounds) -> Verdict:
    if isinstance(args[path], int):
        return _ALLOW  # its opening was judged
    name = _text(args[path])
    descriptor = args[place] if place is not None and place < len(args) else None
    if isinstance(descriptor, int) and descriptor >= 0:
        name = str(Path(bounds.place(descriptor) or os.sep, name))
    return _written(name, bounds)


def _written(name: str, bounds: AuditBounds) -> Verdict:
    if name == os.devnull:
        return _ALLOW
    path = Path(name)
    real = str(Path(bounds.real(str(path.parent)), path.name))
    target = bounds.real(real)
    if all(_may_change(path, bounds) for path in (real, target)):
        return Allowed("write", real)
    return Refuse("write", name, silent="__pycache__" in path.parts)


def _may_change(path: str, bounds: AuditBounds) -> bool:
    own = any(path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in bounds.folders)
    return own or _engine(path, bounds) or path.startswith(bounds.profiles)


def _engine(path: str, bounds: AuditBounds) -> bool:
    return bool(bounds.engine) and path.startswith(bounds.engine)


def _peer(event: str, address: object, bounds: AuditBounds) -> Verdict:
    if address is None:  # a message on a connection that was judged when it was made
        return _ALLOW
    if isinstance(address, tuple) and len(address) >= _INET_PARTS:
        host, port = _text(address[0]), address[1]
        shown = f"{host}:{port}"
        known = event != "socket.bind" and (host, port) in (bounds.addresses | bounds.hosts)
        return Allowed("connect", shown) if known else Refuse("connect", shown, again=event != "socket.bind")
    path = _text(address)
    if _engine(bounds.real(path), bounds):
        return Allowed("connect", path)
    return Refuse("connect", path)


def _text(value: object) -> str:
    """Return a path, a host or a program as text, whatever Python was given."""
    if isinstance(value, str | bytes | os.PathLike):
        with suppress(ValueError, TypeError):
            return os.fsdecode(value)
    return str(value)


@dataclass(slots=True)
class Trail:
    """What was seen while a guard was on, each thing once, in order."""

    read: dict[str, None] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    connected: dict[str, None] = field(default_factory=dict)
    refused: dict[str, None] = field(default_factory=dict)


class AuditHook:
    """
    An audit hook that is active only within `on`.

    Python has no way to take a hook out again, so a process makes one guard and keeps it; while it is
    off it costs one comparison an event.
    """

    def __init__(self) -> None:
        self._bounds: AuditBounds | None = None
        self._trail = Trail()
        self._looked_up = False
        self._installed = False

    @contextmanager
    def on(self, bounds: AuditBounds) -> Iterator[Trail]:
        """Refuse what *bounds* do not allow, with a PermissionError where it is tried, and note the rest."""
        if not self._installed:
            sys.addaudithook(self._hook)
            self._installed = True
        self._trail, self._looked_up = Trail(), False
        self._bounds = bounds
        try:
            yield self._trail
        finally:
            self._bounds = None

    def _hook(self, event: str, args: tuple[object, ...]) -> None:
        bounds = self._bounds
        if bounds is None:
            return
        verdict = judge(event, args, bounds)
        if isinstance(verdict, Refuse) and verdict.again and not self._looked_up:
            self._looked_up = True
            bounds = self._bounds = replace(bounds, addresses=bounds.addresses | _addresses(bounds.hosts))
            verdict = judge(event, args, bounds)
        match verdict:
            case Allowed(what, which):
                self._note(what, which)
            case Refuse(what, which, silent):
                if not silent:
                    self._trail.refused[f"{what} {which}"] = None
                raise PermissionError(errno.EPERM, f"a dream must not {what}", which)

    def _note(self, what: What, which: str) -> None:
        seen = {"read": self._trail.read, "write": self._trail.written, "connect": self._trail.connected}.get(what)
        if seen is not None:
            seen[which] = None


def _addresses(hosts: frozenset[tuple[str, int]]) -> frozenset[tuple[str, int]]:
    """Look *hosts* up: the connection that is about to be made has done so a moment ago."""
    import socket

    found: set[tuple[str, int]] = set()
    for name, port in hosts:
        with suppress(OSError, UnicodeError):
            found.update((str(info[4][0]), port) for info in socket.getaddrinfo(name, port))
    return frozenset(found)
