"""The HTTP client under the SDK: what it may send where, and what it refuses to follow or to read."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING

from cococat.core.settings import Timeouts
from cococat.model.endpoint import Endpoint
from cococat.system.urls import is_loopback

if TYPE_CHECKING:
    import httpx2

__all__ = ["Refusal", "new_http_client"]

ERROR_BYTES = 64 << 10  # of an error response; the rest is not read
KEEP_ALIVE_S = 60
# what the SDK adds from OPENAI_CUSTOM_HEADERS and friends is not meant for any host but its own
_ALLOWED = frozenset({
    "host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length",
    "transfer-encoding", "authorization", "idempotency-key",
    "x-stainless-raw-response",  # the SDK looks for it in its own request
})  # fmt: skip
_OPENAI_ONLY = frozenset({"openai-organization", "openai-project"})
_ENVIRONMENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


class Refusal(Exception):
    """The server answered with a status other than 2xx."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.headers = headers
        self.body = body


def new_http_client(
    endpoint: Endpoint, timeouts: Timeouts, connected: Callable[[], object] | None = None
) -> httpx2.AsyncClient:
    """
    Make a client that follows no redirects, and raises `Refusal` for every status but 2xx.

    A proxy and certificates of the environment are honoured, where they are set and the endpoint is
    not on this machine. Only connecting has a time limit here; the rest is watched by the caller.

    Args:
        connected: told of each connection that is opened.
    """
    import httpx2

    plain = endpoint.base_url.startswith("http://")
    return httpx2.AsyncClient(
        follow_redirects=False,
        trust_env=not is_loopback(endpoint.base_url) and _environment_set(),
        # without TLS there is nothing to verify: loading the certificates would cost 45 ms
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
        timeout=httpx2.Timeout(None, connect=timeouts.connect),
        limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE_S),
        event_hooks={"request": [_only_allowed_headers, *_watching(connected)], "response": [_refuse]},
    )


def _environment_set() -> bool:
    return any(os.environ.get(name) or os.environ.get(name.lower()) for name in _ENVIRONMENT)


async def _only_allowed_headers(request: httpx2.Request) -> None:
    allowed = _ALLOWED
    if request.url.host == "api.openai.com":
        allowed |= _OPENAI_ONLY
    for name in set(request.headers) - allowed:
        del request.headers[name]
    request.headers["accept-encoding"] = "identity"  # a compressed reply could be a thousand times its size


def _watching(
    connected: Callable[[], object] | None,
) -> list[Callable[[httpx2.Request], Coroutine[object, object, None]]]:
    async def trace(name: str, info: object) -> None:
        if connected and name == "connection.connect_tcp.complete":
            connected()

    async def watch(request: httpx2.Request) -> None:
        request.extensions["trace"] = trace

    return [watch] if connected else []


async def _refuse(response: httpx2.Response) -> None:
    if response.is_success:
        return
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > ERROR_BYTES:
            break
    headers = {name.lower(): value for name, value in response.headers.items()}
    raise Refusal(response.status_code, headers, body[:ERROR_BYTES].decode("utf-8", "replace"))
