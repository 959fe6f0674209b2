"""What stands between a client and a scripted server: a proxy of each kind, TLS with a certificate of its own.

Public: CERTIFICATE, passage, socks, connect, tls, answers, silent.
"""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

CERTIFICATE = Path(__file__).with_name("localhost.pem")  # for localhost and models.example, by nobody but itself
Greet: TypeAlias = Callable[[socket.socket], "socket.socket | None"]  # None: this is as far as it goes


def socks(user: str = "", reply: int = 0) -> Greet:
    """Speak SOCKS 5, with a login of *user* and `hunter2` where there is one, and answer the request with *reply*."""

    def greet(client: socket.socket) -> socket.socket | None:
        method = 2 if user else 0
        if method not in client.recv(300)[2:]:
            client.sendall(b"\5\xff")
            return None
        client.sendall(bytes([5, method]))
        if user:
            wanted = bytes([1, len(user), *user.encode(), 7]) + b"hunter2"
            good = client.recv(600) == wanted
            client.sendall(bytes([1, not good]))
            if not good:
                return None
        client.recv(300)
        client.sendall(bytes([5, reply, 0, 1, 127, 0, 0, 1, 0, 80]))
        return None if reply else client

    return greet


def connect(status: str = "200 OK", login: str = "") -> Greet:
    """Take a CONNECT, where it carries *login* in base64, and answer *status*."""

    def greet(client: socket.socket) -> socket.socket | None:
        head = client.recv(4096).decode()
        said = status if f"Basic {login}" in head or not login else "407 Proxy Authentication Required"
        client.sendall(
            f"HTTP/1.1 {said}\r\ncontent-length: 0\r\n\r\n".encode() if said[0] != "2" else b"HTTP/1.1 200 OK\r\n\r\n"
        )
        return client if said[0] == "2" and re.match("CONNECT ", head) else None

    return greet


def answers(words: bytes) -> Greet:
    """Answer *words* to whatever comes, and hang up."""

    def greet(client: socket.socket) -> None:
        client.recv(4096)
        client.sendall(words)

    return greet


def silent(client: socket.socket) -> None:
    """Say nothing at all, until the client has had enough."""
    while client.recv(4096):
        pass


def tls(client: socket.socket) -> socket.socket:
    """Speak TLS with `CERTIFICATE`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context.wrap_socket(client, server_side=True)


@contextlib.contextmanager
def passage(greet: Greet, port: int = 0) -> Iterator[int]:
    """Listen, greet whoever comes, and pass all that follows on to *port*; give the port that it listens on."""

    def serve(client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            if inner := greet(client):
                with inner, socket.create_connection(("127.0.0.1", port)) as server:
                    there = threading.Thread(target=_pump, args=(inner, server), daemon=True)
                    there.start()
                    _pump(server, inner)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while words := source.recv(1 << 16):
            target.sendall(words)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
