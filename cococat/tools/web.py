"""How the network is reached, and who would be asked to search it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TypeAlias

from cococat.permissions.network import WEB_PORTS, refused_address
from cococat.system.network import certificates

SECONDS = 20.0
MISSING = "there is no search provider"
HINT = "pip install 'cococat[web]', or set web.search_url to a SearXNG server"

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]


def resolve_host(host: str, port: int) -> list[str]:
    """Ask the system for every address of *host*."""
    return list(dict.fromkeys(str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def tls_context() -> ssl.SSLContext:
    """Return what trusts the certificates that the environment names, else those of the system."""
    return certificates() or ssl.create_default_context()


@dataclass(frozen=True, slots=True)
class Web:
    """
    How the network is reached.

    Args:
        resolve: gives all addresses of a host.
        refuse: says why an address must not be connected to; empty when it may.
        ports: those that may be connected to; None for all.
        tls: makes the TLS context.
        seconds: for the whole fetch, redirects and all.
        chosen: a host and port that the user's own configuration names: at any address.
    """

    resolve: Resolve = resolve_host
    refuse: Callable[[str], str] = refused_address
    ports: frozenset[int] | None = WEB_PORTS
    tls: Callable[[], ssl.SSLContext] = tls_context
    seconds: float = SECONDS
    chosen: tuple[str, int] | None = None


def provider(search_url: str) -> str:
    """Name who would be asked to search; empty when there is nobody. Nothing is imported for it."""
    return search_url or ("ddgs" if find_spec("ddgs") else "")
