"""The tool that fetches a page: GET only, public addresses only, every redirect checked again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.tools.web import Web
from cococat.tools.workers import collect, run_in_daemon, worker_words

if TYPE_CHECKING:
    from cococat.tools.fetching import Page

TEXT_CHARS = 50_000
MAX_PARSED = 4 << 20  # bytes of text that a page may become


def fetch_tool(root: Path, web: Web) -> Tool:
    """Make the tool that fetches a page as text; *root* is only where its helper process runs."""

    @tool("network", about="url", timeout_s=web.seconds + 15)
    async def fetch_url(url: Annotated[str, "http or https"]) -> ToolOutcome:
        """Fetch a web page as text."""
        from cococat.tools.fetching import OngoingFetch, get

        fetch = OngoingFetch(web)
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
    page_text = f"{page.url}\n{text}".encode("utf-8", "replace")
    done = await collect(words, cwd=root, stdin=page_text, seconds=10, max_bytes=MAX_PARSED)
    if done.code != 0 and not done.output:
        raise ToolFailure(f"{page.url} could not be turned into text")
    return done.output.decode("utf-8", "replace")
