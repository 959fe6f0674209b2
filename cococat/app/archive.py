"""Commands around the sessions: list, show, export.

Public: list_all, show, export.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime
from typing import Literal

from cococat.app.outputs import note, out
from cococat.config import Settings, folders
from cococat.store import export as exporting
from cococat.store.sessions import Session, list_sessions, load

TITLE_CHARS = 60


def list_all(settings: Settings) -> int:
    """Print one line a session, the one used last first."""
    del settings
    infos = list_sessions(folders(os.environ).sessions)
    if not infos:
        note("there are no sessions yet")
    rows = []
    for info in infos:
        when = datetime.fromtimestamp(info.updated).astimezone().strftime("%Y-%m-%d %H:%M")
        title = " ".join(info.title.split())[:TITLE_CHARS]
        rows.append(f"{info.id}  {when}  {info.turns:>3} turns  {title}  ({info.model}, {info.cwd})")
    out("\n".join(rows))
    return 0


def show(settings: Settings, session_id: str) -> int:
    """Print a session as Markdown."""
    out(exporting.as_markdown(_loaded(settings, session_id)))
    return 0


def export(settings: Settings, session_id: str, form: str) -> int:
    """Print a session as md, json or html."""
    how: Literal["md", "json", "html"] = "json" if form == "json" else "html" if form == "html" else "md"
    text = exporting.export(_loaded(settings, session_id), how)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _loaded(settings: Settings, session_id: str) -> Session:
    del settings
    session = load(folders(os.environ).sessions, session_id)
    for line in session.notes:
        note(line)
    return session
