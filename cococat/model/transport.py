"""The HTTP clients: what they may send where, what they refuse to follow or to read, and what can go wrong below them."""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from cococat.core.settings import Timeouts
from cococat.model import faults
from cococat.model.endpoint import Endpoint
from cococat.system.network import BadVariable, Proxy, bad_proxy, certificates, proxy_for

if TYPE_CHECKING:
    import httpx2

ERROR_BYTES = 64 << 10  # of an error response; the rest is not read
KEEP_ALIVE_S = 60
# what the SDK adds from OPENAI_CUSTOM_HEADERS and friends is not meant for any host but its own
_ALLOWED = frozenset({
    "host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length",
    "transfer-encoding", "authorization", "idempotency-key",
    "x-stainless-raw-response",  # the SDK looks for it in its own request
})  # fmt: skip
_OPENAI_ONLY = frozenset({"openai-organization", "openai-project"})
_INTO_HEADERS = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")  # by the SDK, whatever the host


def new_http_client(
    endpoint: Endpoint, timeouts: Timeouts, connected: Callable[[], object] | None = None
) -> httpx2.AsyncClient:
    """
    Make a client that follows no redirects, and raises `faults.Refusal` for every status but 2xx.

    A proxy and certificates of the environment are honoured, and nothing else of it. Only connecting has a time limit
    here; the rest is watched by the caller.

    Args:
        connected: told of each connection that is opened.
    Raises: ProviderError: a variable of the environment that matters for this endpoint cannot be used.
    """
    import httpx2

    try:
        _check_header_variables()
        proxy = proxy_for(endpoint.base_url)
        through = _through(proxy) if proxy else None
        # without TLS there is nothing to verify: loading the certificates would cost 45 ms
        plain = endpoint.base_url.startswith("http://")
        verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else certificates()
    except BadVariable as bad:
        raise faults.bad_variable(endpoint, bad) from None
    return httpx2.AsyncClient(
        follow_redirects=False,
        trust_env=False,
        proxy=through,
        verify=verify or True,
        timeout=httpx2.Timeout(None, connect=timeouts.connect),
        limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE_S),
        event_hooks={
            "request": [_only_allowed_headers, *_watching(connected, timeouts.connect if proxy else None)],
            "response": [_refuse],
        },
    )


def _check_header_variables() -> None:
    for name in _INTO_HEADERS:
        value = os.environ.get(name, "")
        lines = value.splitlines() if name == "OPENAI_CUSTOM_HEADERS" else [value]
        if not all(line.isascii() and line.isprintable() for line in lines):
            raise BadVariable(name, "holds a character that no header can", f"correct or unset {name}")


def _through(proxy: Proxy) -> httpx2.Proxy:
    import httpx2

    try:
        return httpx2.Proxy(
            proxy.url, auth=proxy.login, ssl_context=certificates() if proxy.scheme == "https" else None
        )
    except httpx2.InvalidURL:
        raise bad_proxy(proxy.variable, "its host is no name") from None


def authorization(endpoint: Endpoint) -> dict[str, str]:
    """Return the header that every request carries; where there is no key a word stands for it, as servers want one."""
    return {"Authorization": f"Bearer {endpoint.api_key or 'none'}"}


async def ask_server(
    endpoint: Endpoint, address: str, timeouts: Timeouts, seconds: float, body: Mapping[str, Any] | None = None
) -> httpx2.Response:
    """
    Return the whole answer to a GET of *address*, or to a POST of *body*, within *seconds*.

    Raises: ProviderError: there is none.
    """
    import httpx2

    if error := faults.unusable(endpoint):
        raise error
    method = "GET" if body is None else "POST"
    try:
        async with asyncio.timeout(seconds), new_http_client(endpoint, timeouts) as client:
            return await client.request(method, address, headers=authorization(endpoint), json=body)
    except faults.Refusal as refusal:
        raise faults.from_refusal(endpoint, refusal, time.time()) from None
    except TimeoutError:
        raise faults.from_network(endpoint, httpx2.ConnectTimeout("no answer in time")) from None
    except network_errors() as broken:
        raise faults.from_network(endpoint, broken) from None


def network_errors() -> tuple[type[Exception], ...]:
    """Return what a client raises when a connection fails."""
    import anyio
    import httpx2
    from socksio.exceptions import SOCKSError

    own = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
    return (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, SOCKSError, OSError, *own)


async def _only_allowed_headers(request: httpx2.Request) -> None:
    allowed = _ALLOWED
    if request.url.host == "api.openai.com":
        allowed |= _OPENAI_ONLY
    for name in set(request.headers) - allowed:
        del request.headers[name]
    request.headers["accept-encoding"] = "identity"  # a compressed reply could be a thousand times its size


def _watching(
    connected: Callable[[], object] | None, handshake_s: float | None
) -> list[Callable[[httpx2.Request], Coroutine[object, object, None]]]:
    """Tell *connected* of each connection; a proxy has *handshake_s* seconds to open one, where the reply has no limit."""

    async def watch(request: httpx2.Request) -> None:
        limits = request.extensions["timeout"]

        async def trace(name: str, info: Mapping[str, Any]) -> None:
            if connected and name.endswith("connect_tcp.complete"):
                connected()
            if name == "http11.send_request_headers.started" and info["request"].method != b"CONNECT":
                limits["read"] = None

        limits["read"] = handshake_s
        request.extensions["trace"] = trace

    return [watch] if connected or handshake_s else []


async def _refuse(response: httpx2.Response) -> None:
    if response.is_success:
        return
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > ERROR_BYTES:
            break
    headers = {name.lower(): value for name, value in response.headers.items()}
    raise faults.Refusal(response.status_code, headers, body[:ERROR_BYTES].decode("utf-8", "replace"))
