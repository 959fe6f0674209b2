"""One GET request over a socket of our own, its redirects followed by hand."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import time
import zlib
from dataclasses import dataclass, field
from urllib.parse import urljoin

from cococat.core.tools import ToolFailure
from cococat.permissions.network import Target, parse_url
from cococat.tools.web import Web

# ruff: noqa: SIM905 - long lists of words read better as a text

MAX_PAGE = 2 << 20  # bytes of a page, decoded
REDIRECTS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
_TEXT_TYPES = frozenset(
    "application/json application/xml application/xhtml+xml application/javascript application/x-javascript "
    "application/yaml application/x-yaml application/toml application/x-ndjson application/rss+xml "
    "application/atom+xml application/ld+json application/sql application/x-sh".split()
)


class BadStatus(ToolFailure):
    """A server answered with an error; *status* is its number."""

    def __init__(self, host: str, status: int, reason: str) -> None:
        super().__init__(f"{host} answered {status} {reason[:80]}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Page:
    """What a server sent in the end."""

    url: str
    kind: str
    charset: str
    body: bytes
    cut: bool


@dataclass(slots=True)
class OngoingFetch:
    """One fetch in progress; its socket can be closed from outside to end it."""

    web: Web
    open: list[socket.socket] = field(default_factory=list)
    ended: bool = False
    _began: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Seconds that remain."""
        seconds = self._began + self.web.seconds - time.monotonic()
        if seconds <= 0 or self.ended:
            raise TimeoutError
        return seconds

    def end(self) -> None:
        """Make whatever waits on the network stop."""
        self.ended = True
        for connection in self.open:
            _shut(connection)


def get(fetch: OngoingFetch, url: str) -> Page:
    """
    Fetch *url*; blocks, in a thread of its own. Each redirect is checked from the start.

    Raises: ToolFailure: why there is no page, in words for the model.
    """
    try:
        target = _target(fetch.web, url)
        for _ in range(REDIRECTS + 1):
            answer = _hop(fetch, target)
            if isinstance(answer, Page):
                return answer
            following = _target(fetch.web, urljoin(target.url, answer))
            if target.scheme == "https" and following.scheme == "http":
                raise ToolFailure(f"{target.host} redirects from https to http, which is not followed")
            target = following
    except TimeoutError as error:
        raise ToolFailure(f"TimeoutError: no page within {fetch.web.seconds:.0f} s") from error
    except ssl.SSLError as error:
        raise ToolFailure(f"{target.host}: TLS failed ({error.reason or 'certificate or protocol'})") from error
    except (OSError, http.client.HTTPException, zlib.error) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ToolFailure(f"{target.host} could not be fetched: {reason}") from error
    except ValueError as error:
        raise ToolFailure(f"{error}") from error
    raise ToolFailure(f"more than {REDIRECTS} redirects; the last was to {target.host}")


def _target(web: Web, url: str) -> Target:
    target = parse_url(url, ports=None)
    return target if (target.host, target.port) == web.chosen else parse_url(url, web.ports)


def _hop(fetch: OngoingFetch, target: Target) -> Page | str:
    """Send one request; return the page, or where it has moved."""
    connection = http.client.HTTPConnection(target.host, target.port)
    plain = _connect(fetch, target)
    try:
        connection.sock = _secured(fetch, target, plain)
        headers = {
            "Host": target.authority,
            "User-Agent": "cococat",
            "Accept": "text/*, application/json;q=0.9, */*;q=0.1",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }
        connection.request("GET", target.path, headers=headers)
        with contextlib.closing(connection.getresponse()) as response:
            if response.status in _MOVED and (place := response.getheader("Location")):
                return place
            if response.status >= http.HTTPStatus.BAD_REQUEST:
                raise BadStatus(target.host, response.status, response.reason)
            return _page(fetch, target, response)
    finally:
        connection.close()
        _shut(plain)


def _connect(fetch: OngoingFetch, target: Target) -> socket.socket:
    """Resolve once, refuse if any address is not public, and connect to one that was checked."""
    try:
        addresses = fetch.web.resolve(target.host, target.port)
    except (OSError, UnicodeError) as error:
        raise ToolFailure(f"{target.host} is not known") from error
    if not addresses:
        raise ToolFailure(f"{target.host} has no address")
    chosen = (target.host, target.port) == fetch.web.chosen
    for address in addresses:
        if not chosen and (why := fetch.web.refuse(address)):
            raise ToolFailure(f"{target.host} is refused: {why}")
    failure: OSError | None = None
    for address in addresses[:4]:
        try:
            plain = socket.create_connection((address, target.port), timeout=fetch.left())
        except TimeoutError:
            raise
        except OSError as error:
            failure = error
            continue
        fetch.open.append(plain)
        if plain.getpeername()[0] != address:
            _shut(plain)
            raise ToolFailure(f"{target.host} is refused: connected to another address than the one checked")
        return plain
    raise failure or OSError("no address could be reached")


def _secured(fetch: OngoingFetch, target: Target, plain: socket.socket) -> socket.socket:
    if target.scheme == "http":
        return plain
    secured = fetch.web.tls().wrap_socket(plain, server_hostname=target.host)
    fetch.open.append(secured)
    return secured


def _page(fetch: OngoingFetch, target: Target, response: http.client.HTTPResponse) -> Page:
    kind = response.headers.get_content_type() if response.getheader("Content-Type") else "text/plain"
    if not (kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml"))):
        raise ToolFailure(f"{target.host} sent {kind}; only text is fetched")
    coding = (response.getheader("Content-Encoding") or "identity").lower()
    if coding not in ("identity", "gzip", "deflate"):
        raise ToolFailure(f"{target.host} sent the encoding {coding}, which was not asked for")
    body, cut = _body(fetch, response, coding)
    if b"\0" in body[:1024]:
        raise ToolFailure(f"{target.host} sent binary data as {kind}")
    return Page(target.url, kind, response.headers.get_content_charset() or "utf-8", body, cut)


def _body(fetch: OngoingFetch, response: http.client.HTTPResponse, coding: str) -> tuple[bytes, bool]:
    """Return at most MAX_PAGE bytes, unpacked, and whether there was more."""
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if coding != "identity" else None
    body = bytearray()
    while len(body) <= MAX_PAGE:
        fetch.left()
        chunk = response.read1(1 << 16)
        if not chunk:
            return bytes(body), False
        body += unpack.decompress(chunk, MAX_PAGE + 1 - len(body)) if unpack else chunk
    return bytes(body[:MAX_PAGE]), True


def _shut(connection: socket.socket) -> None:
    """Close a socket, waking up whoever waits on it."""
    with contextlib.suppress(OSError):  # it may not be connected any more
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
