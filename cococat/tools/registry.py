"""Every tool of a run, closed over one root.

Public: build.
"""

from __future__ import annotations

import os
from pathlib import Path

from cococat.core.tools import Tool
from cococat.permissions.paths import secret
from cococat.tools.ask import AskUser, ask_tool
from cococat.tools.edit import edit_tool, write_tool
from cococat.tools.files import Seen, list_tool, read_tool
from cococat.tools.finish import finish_tool
from cococat.tools.preimages import Preimages
from cococat.tools.search import Unreadable, find_rg, glob_tool, grep_tool
from cococat.tools.shell import shell_tool
from cococat.tools.web import Web, fetch_tool

HEAD_CHARS = 200  # of a page that go to its head line
SMALLEST_PAGE = 200


def build(
    root: Path,
    *,
    ask: AskUser | None = None,
    fetch: Web | None = None,
    seen: Seen | None = None,
    keep: Preimages | None = None,
    output_chars: int = 2000,
    shell_timeout_s: float = 60,
    unreadable: Unreadable = secret,
) -> tuple[Tool, ...]:
    """
    Make the tools.

    Args:
        root: the only folder they see.
        ask: see `ask_tool`.
        fetch: how the network is reached; None for the real one.
        seen: what was read so far; pass the same one to let a session's later turns edit it.
        keep: where the bytes of a file go before it is changed; None keeps nothing.
        output_chars: characters of one output that the model will see; files are read in such pages.
        shell_timeout_s: seconds for a command whose call does not say.
        unreadable: files that a search over a folder passes over.
    """
    root = Path(os.path.realpath(root))
    seen = {} if seen is None else seen
    return (
        list_tool(root),
        read_tool(root, seen, max(SMALLEST_PAGE, output_chars - HEAD_CHARS)),
        glob_tool(root),
        grep_tool(root, unreadable, find_rg(root)),
        write_tool(root, seen, keep),
        edit_tool(root, seen, keep),
        shell_tool(root, shell_timeout_s),
        fetch_tool(root, fetch or Web()),
        ask_tool(ask),
        finish_tool(),
    )
