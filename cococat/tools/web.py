"""The tool that fetches a page: GET only, public addresses only, every redirect checked again; and who can be searched."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.network import WEB_PORTS, refused_address
from cococat.tools.workers import collect, run_in_daemon, worker_words

if TYPE_CHECKING:
    from cococat.tools.fetching import Page

__all__ = ["MEND", "MISSING", "Web", "fetch_tool", "provider", "resolve_host"]

SECONDS = 20.0
TEXT_CHARS = 50_000
PARSED = 4 << 20  # bytes of text that a page may become
MISSING = "there is no search provider"
MEND = "pip install 'cococat[web]', or set web.search_url to a SearXNG server"

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]


def resolve_host(host: str, port: int) -> list[str]:
    """Ask the system for every address of *host*."""
    return list(dict.fromkeys(str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


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
    tls: Callable[[], ssl.SSLContext] = ssl.create_default_context
    seconds: float = SECONDS
    chosen: tuple[str, int] | None = None


def provider(search_url: str) -> str:
    """Name who would be asked to search; empty when there is nobody. Nothing is imported for it."""
    return search_url or ("ddgs" if find_spec("ddgs") else "")


def fetch_tool(root: Path, web: Web) -> Tool:
    """Make the tool that fetches a page as text; *root* is only where its helper process runs."""

    @tool("network", timeout_s=web.seconds + 15)
    async def fetch_url(url: str) -> ToolOutcome:
        """Fetch a web page as text."""
        from cococat.tools.fetching import Fetch, get

        fetch = Fetch(web)
        page = await run_in_daemon(lambda: get(fetch, url), stop=fetch.end)
        text = await _text(root, page)
        note = "\n[cut]" if page.cut or len(text) > TEXT_CHARS else ""
        return ToolOutcome(f"{page.url}\n{text[:TEXT_CHARS]}{note}", f"{len(page.body) / 1024:.1f} KiB")

    return fetch_url


async def _text(root: Path, page: Page) -> str:
    try:
        text = page.body.decode(page.charset, "replace")
    except LookupError:
        text = page.body.decode("utf-8", "replace")
    if page.kind not in ("text/html", "application/xhtml+xml"):
        return text
    words = worker_words("cococat.tools.html_text")
    done = await collect(words, cwd=root, stdin=text.encode("utf-8", "replace"), seconds=10, most_bytes=PARSED)
    if done.code != 0 and not done.output:
        raise ToolFailure(f"{page.url} could not be turned into text")
    return done.output.decode("utf-8", "replace")
