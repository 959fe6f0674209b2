"""One search with the library ddgs, as a process of its own: its threads cannot be cancelled and would hold up an exit.

Reads the query (UTF-8) from stdin, writes {"results": [...], "error": "..."} with rows as those of SearXNG.
"""

from __future__ import annotations

import json
import sys

ENGINE_S = 8  # seconds for each search engine
NOTHING = "No results found."


def main() -> int:
    """Search for what stdin holds."""
    sys.stdout.write(json.dumps(_found(sys.stdin.buffer.read().decode("utf-8", "replace"))))
    return 0


def _found(query: str) -> dict[str, object]:
    try:
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException
    except ImportError as error:
        return {"results": [], "error": f"ddgs cannot be imported: {error}"}
    try:
        rows = DDGS(timeout=ENGINE_S).text(query, max_results=8)
    except DDGSException as error:
        return {"results": [], "error": "" if str(error) == NOTHING else f"{type(error).__name__}: {error}"}
    return {"results": [{"title": r.get("title"), "url": r.get("href"), "content": r.get("body")} for r in rows]}


if __name__ == "__main__":
    sys.exit(main())
