"""A program that stands for the interpreter in what is forked: the dream that a chat begins is forked, too.

A command begins its dream as `sys.executable -P -m cococat dream ...`, and 1.5 s of CPU go into what the
warm parent has imported already. In a fork of a test with the fixture `dreams`, `sys.executable` is this
program: it hands its words, folder, environment and streams to the warm parent, passes signals on, and
ends as the process does that was forked for it. For anything else it becomes the interpreter.

Public: VARIABLE, asked, listen.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
from pathlib import Path

VARIABLE = "TESTS_WARM_DREAMS"  # set by the fixture `dreams`
SIZE = struct.Struct("!I")
PROGRAM = """#!{python} -IS
import os, sys
words = sys.argv[1:]
if words[:4] != ["-P", "-m", "cococat", "dream"]:
    os.execv({python!r}, [{python!r}, *words])
import json, signal, socket
told = {{signal.SIGINT, signal.SIGTERM, signal.SIGHUP}}
signal.pthread_sigmask(signal.SIG_BLOCK, told)
connection = socket.socket(socket.AF_UNIX)
connection.connect({address!r})
what = {{"words": words[2:], "env": dict(os.environ), "cwd": os.getcwd(), "terminal": False}}
text = json.dumps(what).encode()
socket.send_fds(connection, [len(text).to_bytes(4, "big")], [0, 1, 2])
connection.sendall(text)
pid = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big")
for number in told:
    signal.signal(number, lambda number, frame: os.kill(pid, number))
signal.pthread_sigmask(signal.SIG_UNBLOCK, told)
code = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big", signed=True)
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


def listen(folder: Path) -> tuple[socket.socket, str]:
    """Put the program into *folder*; return where it asks, and its path."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "asked"))
    server.listen(16)
    program = folder / "python"
    program.write_text(PROGRAM.format(python=sys.executable, address=str(folder / "asked")))
    program.chmod(0o700)
    return server, str(program)


def asked(server: socket.socket) -> tuple[dict[str, object], list[int]]:
    """Return what the program that has called wants to have forked, its streams, and where it is told of the end."""
    connection, _ = server.accept()
    head, streams, _, _ = socket.recv_fds(connection, SIZE.size, 3)
    text = b""
    while len(text) < SIZE.unpack(head)[0]:
        text += connection.recv(1 << 16)
    return {**json.loads(text), "alone": True}, [*streams, connection.detach()]
