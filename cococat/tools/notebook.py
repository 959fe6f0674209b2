"""Notebooks as a reader has them, and passages of them as their file does: as strings of JSON, in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from cococat.system.text import json_object

_TEXTS = ("text/plain", "text/markdown", "text/latex")


def is_notebook(text: str) -> bool:
    """Return whether a file that says *text* is a notebook."""
    return _cells(text) is not None


def as_cells(text: str) -> str | None:
    """Return what the cells of a notebook say, and what they gave, images as their size; None for what is none."""
    cells = _cells(text)
    return None if cells is None else "".join(line + "\n" for cell in enumerate(cells, 1) for line in _cell(*cell))


def as_json(text: str, old: str, new: str) -> tuple[str, str] | None:
    """Return a passage of a cell, and what is to be there, as they are in the file *text*; None where it is in none."""
    lines = [re.escape(_escaped(line)) for line in old.split("\n")]
    found = re.search(r'\\n(?:",\s*")?'.join(lines), text) if is_notebook(text) else None
    return (found[0], _escaped(new)) if found else None


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _cells(text: str) -> list[dict[str, Any]] | None:
    if '"cells"' not in text:
        return None
    cells = (json_object(text) or {}).get("cells")
    return cells if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells) else None


def _cell(number: int, cell: Mapping[str, Any]) -> Iterator[str]:
    yield f"[cell {number}: {cell.get('cell_type')}]"
    yield _joined(cell.get("source"))
    for output in cell.get("outputs") or ():
        data = output.get("data") or {}
        shown = next((kind for kind in _TEXTS if kind in data), "")
        said = _joined(output.get("text") or output.get("traceback") or data.get(shown)).rstrip("\n")
        yield from (f"[output of cell {number}]", said) if said else ()
        for kind, value in data.items():
            if kind != shown:
                held = value if isinstance(value, str | list) else json.dumps(value)
                size = len(_joined(held).strip())
                yield f"[{kind}, {size * 3 // 4 if kind.startswith('image/') and kind != 'image/svg+xml' else size} bytes]"


def _joined(text: object) -> str:
    """Return a text of a notebook, which may be in pieces; those of a traceback are lines."""
    pieces = text if isinstance(text, list) else [text] if isinstance(text, str) else []
    return "".join(str(piece) if str(piece).endswith("\n") else f"{piece}\n" for piece in pieces).removesuffix("\n")
