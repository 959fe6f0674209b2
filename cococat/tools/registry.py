"""Every tool of a run, closed over one root."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.core.tools import Tool
from cococat.permissions.paths import secret
from cococat.safety.secrets import Masked
from cococat.safety.secrets import mask as mask_secrets
from cococat.tools.access import Seen
from cococat.tools.ask_user import AskUser, ask_tool
from cococat.tools.finish import finish_tool
from cococat.tools.grep_search import find_rg, grep_tool
from cococat.tools.hits import Unreadable
from cococat.tools.kept_outputs import Outputs, page_chars
from cococat.tools.list_dir import list_tool
from cococat.tools.read_file import See, read_tool
from cococat.tools.todo import Present, todo_tool

if TYPE_CHECKING:
    from cococat.tools.background import Background
    from cococat.tools.preimages import Preimages
    from cococat.tools.run_shell import Commands, Enclose
    from cococat.tools.web import Web


@dataclass(frozen=True, slots=True)
class ToolDeps:
    """
    What the tools are closed over.

    Args:
        root: the only folder they see.
        ask: see `ask_tool`.
        present: see `todo_tool`.
        web: how the network is reached; None for the real one.
        seen: what was read so far; pass the same one to let a session's later turns edit it.
        results: gives what the model was shown of results so far.
        keep: where the bytes of a file go before it is changed; None keeps nothing.
        outputs: where outputs go that are too long to be shown whole; None keeps nothing.
        output_chars: characters of one output that the model will see; files are read in such pages.
        shell_timeout_s: seconds for a command whose call does not say.
        unreadable: files that a search over a folder passes over.
        search_url: of a search server; empty for the library that may be installed.
        numbered: read_file puts its number before each line.
        mask: what hides secrets from the model, and knows what it hid.
        keys: values that are secret whatever they look like.
        told: the names of the environment that a session's model knows to be kept from commands.
        background: the session's commands that go on running between its calls.
        enclose: makes the box of a command; None where there is none.
        answer: the JSON Schema of the answer that ends a run; None where it is text.
        see: see `read_tool`.
    """

    root: Path
    ask: AskUser | None = None
    present: Present | None = None
    web: Web | None = None
    seen: Seen = field(default_factory=dict)
    results: Callable[[], Iterable[str]] = tuple
    keep: Preimages | None = None
    outputs: Outputs | None = None
    output_chars: int = 2000
    shell_timeout_s: float = 60
    unreadable: Unreadable = secret
    search_url: str = ""
    numbered: bool = True
    mask: Callable[[str], Masked] = mask_secrets
    keys: Collection[str] = ()
    told: set[str] = field(default_factory=set)
    background: Background = field(default_factory=dict)
    enclose: Enclose | None = None
    answer: Mapping[str, object] | None = None
    see: See | None = None


def build(deps: ToolDeps, only: Collection[str] = ()) -> tuple[Tool, ...]:
    """
    Make the tools; `web_search` only where there is somebody to ask.

    Args:
        only: names of the tools that are wanted; empty = all.
    """
    deps = replace(deps, root=Path(os.path.realpath(deps.root)))
    made = (make(deps) for name, make in _MAKERS.items() if not only or name in only)
    return tuple(tool for tool in made if tool)


@cache  # a rule is read again before each call
def declared(name: str) -> Tool | None:
    """Return the tool called *name* for what it declares of itself, offered or not; None when there is none."""
    make = _MAKERS.get(name)
    return make(ToolDeps(Path("/"), search_url="offered anywhere")) if make else None


def _glob(deps: ToolDeps) -> Tool:
    from cococat.tools.glob import glob_tool

    return glob_tool(deps.root)


def _write_file(deps: ToolDeps) -> Tool:
    from cococat.tools.write_file import write_tool

    return write_tool(deps.root, deps.seen, deps.keep, deps.mask)


def _edit_file(deps: ToolDeps) -> Tool:
    from cococat.tools.edit_file import edit_tool

    return edit_tool(deps.root, deps.seen, deps.keep, deps.mask, results=deps.results, unreadable=deps.unreadable)


def _run_shell(deps: ToolDeps) -> Tool:
    from cococat.tools.run_shell import shell_tool

    return shell_tool(_commands(deps))


def _run_python(deps: ToolDeps) -> Tool:
    from cococat.tools.run_shell import python_tool

    return python_tool(_commands(deps))


def _commands(deps: ToolDeps) -> Commands:
    from cococat.tools.output import KEPT_CHARS
    from cococat.tools.run_shell import Commands

    limit = min(2 * KEPT_CHARS, deps.output_chars)
    held, told = deps.background, deps.told
    return Commands(deps.root, deps.shell_timeout_s, deps.outputs, limit, deps.mask, told, held, deps.enclose)


def _web_search(deps: ToolDeps) -> Tool | None:
    from cococat.tools.web import Web, provider

    if not provider(deps.search_url):
        return None
    from cococat.tools.web_search import search_tool

    return search_tool(deps.root, deps.search_url, deps.web or Web(), deps.output_chars)


def _fetch_url(deps: ToolDeps) -> Tool:
    from cococat.tools.fetch_url import fetch_tool
    from cococat.tools.web import Web

    return fetch_tool(deps.root, deps.web or Web())


_MAKERS: Mapping[str, Callable[[ToolDeps], Tool | None]] = {  # in the order in which a model is told of them
    "list_dir": lambda deps: list_tool(deps.root),
    "read_file": lambda deps: read_tool(
        deps.root,
        deps.seen,
        page_chars(deps.output_chars),
        deps.outputs,
        deps.mask if deps.numbered else None,
        see=deps.see,
    ),
    "glob": _glob,
    "grep_search": lambda deps: grep_tool(
        deps.root, deps.unreadable, find_rg(deps.root), deps.outputs, deps.output_chars, keys=deps.keys
    ),
    "write_file": _write_file,
    "edit_file": _edit_file,
    "run_shell": _run_shell,
    "run_python": _run_python,
    "web_search": _web_search,
    "fetch_url": _fetch_url,
    "todo": lambda deps: todo_tool(deps.present),
    "ask_user": lambda deps: ask_tool(deps.ask),
    "finish": lambda deps: finish_tool(deps.answer),
}
