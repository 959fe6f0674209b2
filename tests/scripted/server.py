"""A real HTTP/1.1 server on loopback that plays a script; one thread for each connection.

Public: Server, serve, tool_results.
"""

from __future__ import annotations

import json
import select
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import urlsplit

from tests.scripted.judging import is_for_a_judge, plays
from tests.scripted.pictures import DATA_URL, tiles_of
from tests.scripted.strict import violations
from tests.scripted.turns import COUNTED, Cost, Delta, Item, Mark, Step, Turn, fault, given

PATIENCE_S = 60.0  # how long a gate may stay shut before the test is called broken


class _Hangup(Exception):
    """The connection ends here, on purpose."""


class Server:
    """
    A running server; use it in a `with` block, or `close` it.

    Args:
        items: what to play, one for each request.
        models: what GET /v1/models lists: ids, or objects with an id.
        key: the only key that is accepted; empty accepts all.
        usage: tokens of prompt and reply that a turn costs which does not say so; counted where they are None.
    """

    def __init__(
        self,
        items: Sequence[Item],
        models: Sequence[str | Mapping[str, Any]],
        key: str,
        port: int,
        usage: tuple[int | None, int | None] = COUNTED,
    ) -> None:
        self.usage = usage
        self.items = list(items)
        self.told: dict[str, Any] = {}  # what GET and POST of other paths answer, as JSON
        self.looked: list[str] = []  # the paths of those that came, and of listings
        self.authorized: list[str] = []  # the header of the same name of each
        self.unlisted = False  # GET /v1/models is no path of this server
        self.listed = threading.Event()  # one of them was answered
        self.models = [model if isinstance(model, Mapping) else {"id": model} for model in models]
        self.key = key
        self.requests: list[dict[str, Any]] = []  # bodies, as parsed JSON; those of a judge apart
        self.judged: list[dict[str, Any]] = []
        self.judge: Callable[[Mapping[str, Any]], Turn] | None = plays()  # None: it is a request like any other
        self.headers: list[dict[str, str]] = []  # of the same requests; names in lower case
        self.times: list[float] = []  # when each arrived, monotonic
        self.problems: list[str] = []  # what the real API would have refused
        self.given: set[str] = set()  # keys of messages and calls that it sent, and takes back
        self.connections = 0
        self.abandoned = 0  # responses whose client went away
        self.closing = threading.Event()
        self.sockets: set[socket.socket] = set()
        self.lock = threading.Condition()
        self._expected = False
        self._tcp = _Tcp(("127.0.0.1", port), type("Handler", (_Handler,), {"owner": self}))
        self._thread = threading.Thread(target=self._tcp.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._tcp.server_address[1])

    @property
    def base_url(self) -> str:
        """What an endpoint takes as its base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def unplayed(self) -> int:
        """Items of the script that no request has asked for yet."""
        return len(self.items)

    def add(self, *items: Item) -> None:
        """Put more behind the script."""
        with self.lock:
            self.items += items

    def wait_for(self, requests: int, timeout_s: float = 30) -> None:
        """Return once that many requests have arrived."""
        with self.lock:
            assert self.lock.wait_for(lambda: len(self.requests) >= requests, timeout_s), f"{len(self.requests)} came"

    def expect_problems(self) -> None:
        """Say that this test provokes problems."""
        self._expected = True

    def check(self) -> None:
        """Fail when the client did something that the real API refuses."""
        assert self._expected or not self.problems, self.problems

    def close(self) -> None:
        """Stop, and wake whoever is stalled."""
        self.closing.set()
        self._tcp.shutdown()
        with self.lock:
            for connection in self.sockets:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._tcp.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def turn_for(self, body: Any, headers: dict[str, str]) -> Turn:
        """Record a request and give what to play for it."""
        with self.lock:
            if self.judge and is_for_a_judge(body):
                self.judged.append(body)
                self.problems += violations(body, self.given)
                return self.judge(body)
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self.lock.notify_all()
            if self.key and headers.get("authorization") != f"Bearer {self.key}":
                return fault(401, "Incorrect API key provided.", code="invalid_api_key")
            if wrong := violations(body, self.given):
                self.problems += wrong
                return fault(400, "; ".join(wrong))
            if not self.items:
                self.problems.append(f"request {len(self.requests)} came after the end of the script")
                return fault(500, self.problems[-1], kind="script_ended")
            item = self.items[0]
            turn = item if isinstance(item, Turn) else item(body)
            if not turn.endless:
                self.items.pop(0)
            self.given |= given(turn)
            return turn


class _Tcp(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    request_queue_size = 64


class _Handler(BaseHTTPRequestHandler):
    owner: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        with self.owner.lock:
            self.owner.connections += 1
            self.owner.sockets.add(self.connection)

    def finish(self) -> None:
        with self.owner.lock:
            self.owner.sockets.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def handle(self) -> None:
        try:
            super().handle()
        except _Hangup:
            self.close_connection = True
        except OSError:
            self.owner.abandoned += not self.owner.closing.is_set()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is inherited
        """Keep quiet."""

    def do_GET(self) -> None:
        """List the models."""
        self.owner.looked.append(self.path)
        self.owner.authorized.append(self.headers.get("authorization", ""))
        try:
            self._tell()
        finally:
            self.owner.listed.set()

    def _tell(self) -> None:
        if self.path in self.owner.told:
            body = json.dumps(self.owner.told[self.path]).encode()
            return self._play(Turn((body,), 200, {"content-type": "application/json"}), {})
        if self.path != "/v1/models" or self.owner.unlisted:
            return self._play(fault(404, f"no such path: {self.path}"), {})
        rows = [{"object": "model", "created": 0, "owned_by": "scripted", **model} for model in self.owner.models]
        body = json.dumps({"object": "list", "data": rows}).encode()
        return self._play(Turn((body,), 200, {"content-type": "application/json"}), {})

    def do_POST(self) -> None:
        """Play the next turn."""
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path in self.owner.told:
            return self.do_GET()
        if urlsplit(self.path).path != "/v1/chat/completions":  # a proxy is given the whole address
            return self._play(fault(404, f"no such path: {self.path}"), {})
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        turn = self.owner.turn_for(body, {name.lower(): value for name, value in self.headers.items()})
        return self._play(turn, body if isinstance(body, dict) else {})

    def _play(self, turn: Turn, body: dict[str, Any]) -> None:
        self._head_of: Turn | None = turn
        self._said = 0  # characters of deltas
        for step in turn.steps:
            self._step(step, body)
        self._send(b"")
        if self._chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _step(self, step: Step, body: dict[str, Any]) -> None:
        match step:
            case bytes():
                self._send(step)
            case Delta(delta, finish):
                self._said += len(json.dumps(delta)) - 2
                self._event(body, {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
            case Cost(prompt, completion):
                if (body.get("stream_options") or {}).get("include_usage"):
                    counted = _tokens(body.get("messages"), body.get("tools", ())), -(-self._said // 4)
                    told = zip((prompt, completion), self.owner.usage, counted, strict=True)
                    prompt, completion = (next(n for n in row if n is not None) for row in told)
                    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
                    self._event(body, {"choices": [], "usage": {**usage, "total_tokens": prompt + completion}})
            case Mapping():
                self._send(b"data: " + json.dumps(step).encode() + b"\n\n")
            case threading.Event():
                if not step.wait(PATIENCE_S):
                    self.owner.problems.append("a gate stayed shut")
            case Mark():
                self._mark(step)
            case _:
                self.owner.closing.wait(step)

    def _event(self, body: dict[str, Any], fields: dict[str, Any]) -> None:
        frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": body.get("model", "")}
        self._send(b"data: " + json.dumps(frame | fields).encode() + b"\n\n")

    def _mark(self, mark: Mark) -> None:
        if mark.name == "reached" and mark.event:
            mark.event.set()
            return
        if mark.name in ("stall", "pings"):
            while not self._client_gone():
                if mark.name == "pings":
                    self._send(b": ping\n\n")
        if mark.name == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()
        raise _Hangup

    def _client_gone(self) -> bool:
        """Look for a moment whether the client has hung up."""
        if self.owner.closing.is_set():
            return True
        readable, _, _ = select.select([self.connection], [], [], 0.02)
        gone = bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)
        self.owner.abandoned += gone
        return gone

    def _send(self, content: bytes) -> None:
        """Send the head once, and *content* as one chunk of the body."""
        if self._head_of:
            self.send_response(self._head_of.status)
            for name, value in self._head_of.headers.items():
                self.send_header(name, value)
            if self._chunked:
                self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self._head_of = None
        if content:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content) if self._chunked else content)

    @property
    def _chunked(self) -> bool:
        return self.request_version != "HTTP/1.0"


def _tokens(*parts: Any) -> int:
    """Tokens of the texts in *parts*, roughly."""
    text = DATA_URL.sub("", json.dumps(parts, ensure_ascii=False))
    return -(-len(text.encode("utf-8", "replace")) // 4) + tiles_of({"messages": parts[0] or ()})


def serve(
    *items: Item,
    models: Sequence[str | Mapping[str, Any]] = ("scripted",),
    key: str = "",
    port: int = 0,
    usage: tuple[int | None, int | None] = COUNTED,
) -> Server:
    """Start a server that plays *items*, one for each request."""
    return Server(items, models, key, port, usage)


def tool_results(request: Mapping[str, Any]) -> list[str]:
    """What *request* gives the model of its calls, in order."""
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]
