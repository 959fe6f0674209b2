"""Every tool of a run, closed over one root."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.core.tools import Tool
from cococat.permissions.paths import secret
from cococat.tools.access import Seen
from cococat.tools.ask_user import AskUser, ask_tool
from cococat.tools.finish import finish_tool
from cococat.tools.glob import glob_tool
from cococat.tools.grep_search import Unreadable, find_rg, grep_tool
from cococat.tools.kept_outputs import Outputs, page_chars
from cococat.tools.list_dir import list_tool
from cococat.tools.read_file import read_tool

if TYPE_CHECKING:
    from cococat.tools.preimages import Preimages
    from cococat.tools.web import Web

__all__ = ["build"]


def build(
    root: Path,
    *,
    ask: AskUser | None = None,
    fetch: Web | None = None,
    seen: Seen | None = None,
    keep: Preimages | None = None,
    outputs: Outputs | None = None,
    output_chars: int = 2000,
    shell_timeout_s: float = 60,
    unreadable: Unreadable = secret,
    search_url: str = "",
    only: Collection[str] = (),
) -> tuple[Tool, ...]:
    """
    Make the tools; `web_search` only where there is somebody to ask.

    Args:
        root: the only folder they see.
        ask: see `ask_tool`.
        fetch: how the network is reached; None for the real one.
        seen: what was read so far; pass the same one to let a session's later turns edit it.
        keep: where the bytes of a file go before it is changed; None keeps nothing.
        outputs: where outputs go that are too long to be shown whole; None keeps nothing.
        output_chars: characters of one output that the model will see; files are read in such pages.
        shell_timeout_s: seconds for a command whose call does not say.
        unreadable: files that a search over a folder passes over.
        search_url: of a search server; empty for the library that may be installed.
        only: names of the tools that are wanted; empty = all.
    """
    root = Path(os.path.realpath(root))
    seen = {} if seen is None else seen

    def write() -> Tool:
        from cococat.tools.write_file import write_tool

        return write_tool(root, seen, keep)

    def edit() -> Tool:
        from cococat.tools.edit_file import edit_tool

        return edit_tool(root, seen, keep)

    def shell() -> Tool:
        from cococat.tools.run_shell import shell_tool

        return shell_tool(root, shell_timeout_s, outputs, output_chars)

    def search() -> Tool | None:
        from cococat.tools.web import Web, provider

        if not provider(search_url):
            return None
        from cococat.tools.web_search import search_tool

        return search_tool(root, search_url, fetch or Web(), output_chars)

    def page() -> Tool:
        from cococat.tools.fetch_url import fetch_tool
        from cococat.tools.web import Web

        return fetch_tool(root, fetch or Web())

    makers: Mapping[str, Callable[[], Tool | None]] = {
        "list_dir": lambda: list_tool(root),
        "read_file": lambda: read_tool(root, seen, page_chars(output_chars), outputs),
        "glob": lambda: glob_tool(root),
        "grep_search": lambda: grep_tool(root, unreadable, find_rg(root), outputs),
        "write_file": write,
        "edit_file": edit,
        "run_shell": shell,
        "web_search": search,
        "fetch_url": page,
        "ask_user": lambda: ask_tool(ask),
        "finish": finish_tool,
    }
    made = (make() for name, make in makers.items() if not only or name in only)
    return tuple(tool for tool in made if tool)
