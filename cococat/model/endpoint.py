"""Where a model answers, and how long to wait for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

__all__ = ["Endpoint", "Timeouts", "host_of", "is_http", "is_loopback", "origin_of"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """
    A Chat Completions endpoint and the model to ask there.

    Args:
        base_url: http or https, usually ending in /v1.
        api_key: belongs to the origin of *base_url* alone; empty for servers that want none.
        max_output_tokens: tokens of one reply; 0 = the server's own setting.
        temperature: None = the server's own setting.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    name: str = ""
    max_output_tokens: int = 0
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """
    Seconds, each > 0.

    Args:
        connect: until the connection stands.
        first_byte: from the request to the first byte of the reply's body.
        idle: between any two bytes after that; comments count.
        data_idle: between any two data events; comments do not count.
    """

    connect: float = 10
    first_byte: float = 120
    idle: float = 60
    data_idle: float = 300


def is_http(url: str) -> bool:
    """Return whether *url* is an http or https address with a host and a port that can exist."""
    parts = _split(url)
    try:
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.split() == [url]
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Host and port of *url*, as shown to people: never with a user name or a password."""
    return _split(url).netloc.rpartition("@")[2] or url[:80]


def origin_of(url: str) -> str:
    """Scheme, host and port of *url*."""
    return f"{_split(url).scheme}://{host_of(url)}"


def is_loopback(url: str) -> bool:
    """Return whether *url* names this machine; a proxy could not reach it."""
    host = _split(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")
