"""What a call would do, for the user who must agree to it: a diff, a command, a URL; not its arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from cococat.core.tools import Arguments, Tool, ToolFailure
from cococat.safety.secrets import mask as mask_secrets
from cococat.tools.access import MAX_EDIT, display_path, locate, open_regular
from cococat.tools.diff import unified
from cococat.tools.masks import Mask, diffed, unmasked_content, unmasked_passage
from cococat.tools.replace import rewrite, splice
from cococat.ui.lines.format import numbered
from cococat.ui.lines.paint import paint
from cococat.ui.lines.theme import Theme, ansi
from cococat.ui.prompt.question import Paint, escape_visible, uncoloured

MAX_DIFF = 400_000  # characters; of more a user sees the beginning and the end, and can only say no
_CHANGED = re.compile(r" *\d+ ([+-]) ")
MAX_ROWS = 20  # of a diff; Ctrl-O shows all


@dataclass(frozen=True, slots=True)
class Preview:
    """
    What is shown of a call.

    Args:
        whole: nothing of the action is left out.
        rows: that are shown at first; 0: all of them, as of what runs or connects.
        painted: gives a row, and the line it is a part of, its colours.
    """

    text: str
    rows: int = 0
    painted: Paint = uncoloured
    whole: bool = True


def preview(
    tool: Tool, arguments: Arguments, root: Path, timeout_s: float, theme: Theme = "dark", *, mask: Mask = mask_secrets
) -> Preview:
    """Return what the call would do, below *root* and within *timeout_s* unless it names a time of its own."""
    match tool.about, arguments:
        case "path", {"path": str(path)} if tool.effect == "writes":
            try:
                change, whole = _change(arguments, root, path, mask)
                return Preview(change, MAX_ROWS, partial(_diff_colours, theme), whole)
            except (ToolFailure, OSError, ValueError):  # the tool will say it: here are its arguments
                pass
        case "command", {"command": str(command)}:
            return Preview(
                _typed(command, "$ ", "> ", _where(root, arguments, timeout_s)), painted=partial(_place_is_dim, theme)
            )
        case _, {"code": str(code)} if tool.effect == "runs":
            return Preview(
                _typed(code, ">>> ", "... ", _where(root, arguments, timeout_s)), painted=partial(_place_is_dim, theme)
            )
        case "url", {"url": str(url)}:
            return Preview(url, painted=lambda row, _: _bold_host(row, url))
        case _:
            pass
    return Preview("\n".join(f"{name}: {value}" for name, value in arguments.items()))


def _change(arguments: Arguments, root: Path, path: str, mask: Mask) -> tuple[str, bool]:
    """The diff of the change with the numbers of lines, secrets masked on both sides; and whether that is all of it."""
    parts = locate(root, path)
    data = _read(root, path)
    match arguments:
        case {"old_text": str(old), "new_text": str(new)}:
            passage = unmasked_passage(data or b"", old, new, mask)
            done = splice(data or b"", *passage, every=arguments.get("replace_all") is True)
        case {"content": str(content)}:
            done = rewrite(data, unmasked_content(data, content, mask))
        case _:
            raise ToolFailure("arguments are missing")
    diff, size = unified(*diffed(done.before, done.after, mask), display_path(parts), max_chars=MAX_DIFF)
    rows = [(line, "") for line in diff.split("\n")[2:]]
    count = len(done.after.splitlines())
    new = f": new file, {count:,} line{'' if count == 1 else 's'}"
    head = f"{display_path(parts)}{new if data is None else f' {size}'}"
    return "\n".join((head, *(text for text, _ in numbered(rows)))), "[truncated " not in {
        line[:11] for line, _ in rows
    }


def _read(root: Path, path: str) -> bytes | None:
    """The file as it is; None where there is none."""
    try:
        with open_regular(root, locate(root, path)) as (file, _):
            return file.read(MAX_EDIT + 1)
    except FileNotFoundError:
        return None


def _typed(text: str, first: str, more: str, where: str) -> str:
    """*text* as it would be typed: no line of it can pass for the line of ours below it."""
    return "\n".join([*(f"{more if number else first}{line}" for number, line in enumerate(text.split("\n"))), where])


def _where(root: Path, arguments: Arguments, timeout_s: float) -> str:
    if arguments.get("background"):
        return f"in {root} · keeps running until this session ends"
    limit = arguments.get("timeout_s")
    return f"in {root} · at most {limit if isinstance(limit, int) else timeout_s:g} s"


def _place_is_dim(theme: Theme, row: str, line: str) -> str:
    """*row* as it is typed; the line that says where and how long is ours, and no row of the command begins like it."""
    return ansi(paint(((row, "dim" if line.startswith("in ") else "tool"),)), theme=theme)


def _diff_colours(theme: Theme, row: str, line: str) -> str:
    found = _CHANGED.match(line)
    style = {"+": "added", "-": "removed"}[found[1]] if found else ""
    return ansi(paint(((row, style),)), theme=theme)


def _bold_host(row: str, url: str) -> str:
    """*row* with the host that is asked in bold: not a name that stands before an @, nor one in the path."""
    parts = urlsplit(url)
    at = url.find(parts.netloc) + parts.netloc.lower().rfind(parts.hostname or "\0")
    end = at + len(parts.hostname or "")
    if escape_visible(url)[0] != url or not url.startswith(row) or not parts.netloc or at < 0 or end > len(row):
        return row
    return ansi(paint(((row[:at], ""), (row[at:end], "strong"), (row[end:], ""))))
