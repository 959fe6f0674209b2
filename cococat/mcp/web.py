"""A server that has an address, over HTTP: its key goes to that origin alone, nothing is read without a bound."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from cococat.mcp.messages import MAX_BYTES, TooLong, shallow, trimmed
from cococat.system.network import certificates, proxy_for
from cococat.system.urls import origin_of

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

CONNECT_S = 10.0
UNAUTHORIZED, FORBIDDEN, REDIRECT, ERROR = 401, 403, 300, 400


@dataclass(slots=True)
class Refused:
    """What of the last answer to a message was none of a server's: its *status* of HTTP, its media type."""

    status: int = 0
    kind: str = ""

    def words(self, key_env: str) -> str:
        """Say what it means; empty: nothing was refused."""
        if self.status in (UNAUTHORIZED, FORBIDDEN):
            browser = "logging in by browser is not supported"
            return (
                f"refuses the key in {key_env}" if key_env else f'wants a token: set key_env = "VARIABLE" ({browser})'
            )
        if self.status >= ERROR and self.kind:
            return f"answers with HTTP {self.status}"
        return f"is no MCP server ({self.kind})" if self.kind and not self.status else ""


@asynccontextmanager
async def web_streams(url: str, key: str, seen: Refused) -> AsyncIterator[TransportStreams]:
    """
    Talk with the server at *url*, which is sent *key*.

    Args:
        seen: notes what was refused.
    Raises: BadVariable: a variable of the environment for proxies or certificates cannot be used.
    """
    import anyio
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.message import SessionMessage

    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async with (
        _client(url, key, seen) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BYTES) as (came, outgoing),
        anyio.create_task_group() as group,
    ):

        async def hand_on() -> None:
            async with to_client:
                async for message in came:
                    await to_client.send(message if isinstance(message, Exception) else trimmed(message))

        group.start_soon(hand_on)
        yield incoming, outgoing
        group.cancel_scope.cancel()
        incoming.close()


def _client(url: str, key: str, seen: Refused) -> httpx2.AsyncClient:
    import httpx2

    if proxy := proxy_for(url):
        context = certificates() if proxy.scheme == "https" else None
        through = httpx2.Proxy(proxy.url, auth=proxy.login, ssl_context=context)
    return httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {key}"} if key else None,
        follow_redirects=False,
        trust_env=False,
        proxy=through if proxy else None,
        # without TLS there is nothing to verify: loading the certificates would cost 45 ms
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.startswith("http:") else certificates() or True,
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        event_hooks={"request": [partial(_keep_key, url)], "response": [partial(_look, seen)]},
    )


async def _keep_key(url: str, request: httpx2.Request) -> None:
    if origin_of(str(request.url)) != origin_of(url):
        request.headers.pop("authorization", None)
    request.headers["accept-encoding"] = "identity"  # a compressed answer could be a thousand times its size


async def _look(seen: Refused, response: httpx2.Response) -> None:
    """Note what is refused; read the body here where it comes in one piece."""
    import httpx2

    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.request.method == "POST":
        seen.status = response.status_code if response.status_code >= REDIRECT else 0
        seen.kind = kind if kind not in ("", "application/json", "text/event-stream") else ""
    if not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    if kind == "text/event-stream":
        response.stream = _events(response.stream)
        return
    body = bytearray()
    async for chunk in response.stream:
        body += chunk
        if len(body) > MAX_BYTES:
            raise TooLong
    await response.stream.aclose()
    response.stream = httpx2.ByteStream(shallow(bytes(body)))


def _events(stream: httpx2.AsyncByteStream) -> httpx2.AsyncByteStream:
    """Return a *stream* of events with each line made shallow."""
    import httpx2

    class Events(httpx2.AsyncByteStream):  # httpx2 takes nothing else
        async def __aiter__(self) -> AsyncIterator[bytes]:
            rest = bytearray()
            async for chunk in stream:
                rest += chunk
                if len(rest) > MAX_BYTES:
                    raise TooLong
                if b"\n" not in chunk and b"\r" not in chunk:
                    continue
                lines = bytes(rest).splitlines(keepends=True)
                rest = bytearray(b"" if lines[-1].endswith((b"\n", b"\r")) else lines.pop())
                for line in lines:
                    yield shallow(line)
            yield bytes(rest)

        async def aclose(self) -> None:
            await stream.aclose()

    return Events()
