"""A whole session on stdout: `show` and `export`."""

from __future__ import annotations

import sys
from typing import Literal

from cococat.app.output import note, out
from cococat.config import Folders
from cococat.store import export as store_export
from cococat.store.sessions import Session, load

__all__ = ["export", "show"]


def show(places: Folders, session_id: str) -> int:
    """Print a session as Markdown."""
    out(store_export.as_markdown(_loaded(places, session_id)))
    return 0


def export(places: Folders, session_id: str, form: str, *, raw: bool = False) -> int:
    """Print a session as md, json or html."""
    how: Literal["md", "json", "html"] = "json" if form == "json" else "html" if form == "html" else "md"
    text = store_export.export(_loaded(places, session_id), how, raw=raw)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _loaded(places: Folders, session_id: str) -> Session:
    session = load(places.sessions, session_id)
    for line in session.notes:
        note(line)
    return session
