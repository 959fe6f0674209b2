"""The tool that searches the web: through a SearXNG-compatible server of the user's choice, or the library ddgs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode, urlsplit

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.network import MAX_URL, parse_url
from cococat.safety.secrets import redact
from cococat.safety.terminal import safe
from cococat.system.text import clip, encodable, json_object
from cococat.tools.web import Web
from cococat.tools.workers import collect, run_in_daemon, worker_words

MAX_RESULTS = 8  # results
TITLE_CHARS = 80
SNIPPET_CHARS = 300
MIN_SNIPPET = 40
QUERY_CHARS = 400
ANSWER_BYTES = 1 << 20  # of the library
_HINTS: Mapping[int, str] = {
    403: "; a SearXNG server must allow `json` under search.formats in its settings.yml",
    429: "; it wants fewer searches: wait, or go on without",
}


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page that was found; all of it is foreign text, made short and plain."""

    title: str
    url: str
    snippet: str


def search_tool(root: Path, search_url: str, web: Web, max_chars: int) -> Tool:
    """
    Make the tool that searches the web.

    Args:
        root: only where a helper process runs.
        search_url: of a server that answers `?q=…&format=json`; empty for the library.
        web: how a server is reached; this one may be at any address, as the user named it.
        max_chars: of all results together.
    """

    @tool("network", lists_urls=True, timeout_s=web.seconds + 15)
    async def web_search(query: Annotated[str, "up to 400 letters"]) -> ToolOutcome:
        """Search the web for titles, URLs and snippets."""
        words = _checked(query)
        found = await (_asked(search_url, words, web) if search_url else _collected(root, words, web.seconds))
        results = list(_results(found))
        if not results:
            return ToolOutcome(f"no results{_silent(found)}", "0 results")
        shown = _written(results, max_chars)
        data = {"results": [asdict(result) for result in results]}
        return ToolOutcome(shown, f"{len(results)} result{'s' if len(results) > 1 else ''}", data)

    return web_search


def _checked(query: str) -> str:
    words = " ".join(query.split())
    if not words:
        raise ToolFailure("the query is empty: say in a few words what to look for")
    if len(words) > QUERY_CHARS:
        raise ToolFailure(f"the query has {len(words)} characters, {QUERY_CHARS} are the most: use a few words")
    if redact(words, ()) != words:
        raise ToolFailure("the query holds what looks like a key or a password: search without it")
    return encodable(words)


async def _asked(search_url: str, query: str, web: Web) -> Mapping[str, object]:
    """Ask the user's server."""
    from cococat.tools.fetching import BadStatus, OngoingFetch, get

    home = parse_url(search_url, ports=None)
    url = f"{home.url}{'&' if '?' in home.path else '?'}{urlencode({'q': query, 'format': 'json'})}"
    if len(url) > MAX_URL:
        raise ToolFailure("the query is too long for an address: use a few words")
    fetch = OngoingFetch(replace(web, chosen=(home.host, home.port)))
    try:
        page = await run_in_daemon(lambda: get(fetch, url), stop=fetch.end)
    except BadStatus as error:
        raise ToolFailure(f"{error}{_HINTS.get(error.status, '')}") from error
    if page.cut:
        raise ToolFailure(f"{home.host} sent more than a list of results")
    return _read(page.body, home.host, page.kind)


async def _collected(root: Path, query: str, seconds: float) -> Mapping[str, object]:
    """Ask the library, in a process that can be killed."""
    words = worker_words("cococat.tools.ddgs_worker")
    done = await collect(words, cwd=root, stdin=query.encode(), seconds=seconds, max_bytes=ANSWER_BYTES)
    if done.cut == "time":
        raise ToolFailure(f"TimeoutError: no results within {seconds:.0f} s")
    found = _read(done.output, "ddgs", "what is no list of results")
    if why := found.get("error"):
        raise ToolFailure(f"ddgs could not search: {_plain(why, SNIPPET_CHARS)}")
    return found


def _read(body: bytes, who: str, kind: str) -> Mapping[str, object]:
    found = json_object(body.decode("utf-8", "replace")) or {}
    if not isinstance(found.get("results"), list):
        raise ToolFailure(f"{who} sent {kind}, not the JSON of search results; web.search_url must name such a server")
    return found


def _results(found: Mapping[str, object]) -> Iterator[SearchResult]:
    """The first results that lead somewhere, each address once."""
    rows, seen = found.get("results"), set[str]()
    for row in rows if isinstance(rows, list) else ():
        if len(seen) == MAX_RESULTS:
            return
        try:
            url = parse_url(str(row["url"]), ports=None).url
        except (ValueError, KeyError, TypeError):
            continue
        if url not in seen:
            seen.add(url)
            yield SearchResult(_plain(row.get("title"), TITLE_CHARS), url, _plain(row.get("content"), SNIPPET_CHARS))


def _written(results: list[SearchResult], max_chars: int) -> str:
    """One block a result, as many as fit; an address is never cut."""
    share = max_chars // len(results)
    text = ""
    for number, result in enumerate(results, 1):
        head = f"{number}. {result.title or urlsplit(result.url).netloc}\n   {result.url}\n"
        room = max(MIN_SNIPPET, share - len(head) - 4)
        block = head + (f"   {clip(result.snippet, room)}\n" if result.snippet else "")
        if text and len(text) + len(block) > max_chars:
            break
        text += block
    return text.rstrip("\n")


def _silent(found: Mapping[str, object]) -> str:
    """Name the engines that a server could not ask: then nothing found says little."""
    rows = found.get("unresponsive_engines")
    names = [_plain(row[0], 20) for row in rows if isinstance(row, list) and row] if isinstance(rows, list) else []
    return f"; these engines did not answer: {', '.join(names[:MAX_RESULTS])}" if names else ""


def _plain(text: object, max_chars: int) -> str:
    """One short line that no terminal obeys."""
    return clip(" ".join(safe(text[: max_chars * 8]).split()), max_chars) if isinstance(text, str) else ""
