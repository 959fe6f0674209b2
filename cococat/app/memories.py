"""Commands around the memory: what is remembered, what dreams did, and taking it back.

Public: show, path, edit, dream_log, dream_show, dream_diff, dream_undo, unseen.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from cococat.app.outputs import note, out
from cococat.config import Folders, Settings, folders
from cococat.core.events import DreamFinished
from cococat.errors import StorageError, UsageError
from cococat.memory import versions
from cococat.memory.file import read
from cococat.memory.place import prepare
from cococat.memory.undo import undo
from cococat.store.atomic import write_atomic

MEMORY = "MEMORY.md"
SEEN = "last_seen_dream"


def _folder() -> Path:
    return folders(os.environ).memory


def show(settings: Settings) -> int:
    """Print MEMORY.md; say so when there is none yet."""
    del settings
    memory = read(_folder())
    for line in memory.notes:
        note(line)
    if memory.text.strip():
        out(memory.text)
    else:
        note("nothing is remembered yet; `cococat dream` looks through what you said")
    return 0


def path(settings: Settings) -> int:
    """Print the path of MEMORY.md."""
    del settings
    out(str(_folder() / MEMORY))
    return 0


def edit(settings: Settings) -> int:
    """Open MEMORY.md in $VISUAL or $EDITOR; the file is made when it is missing."""
    del settings
    folder = _folder()
    file = folder / MEMORY
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        prepare(folder)
        if not file.exists():
            write_atomic(file, b"# Memory\n\n## Pinned\n")
        return subprocess.run([*shlex.split(editor), str(file)], check=False).returncode and 1
    except FileNotFoundError as error:
        raise UsageError(f"the editor {editor!r} was not found", "set VISUAL or EDITOR") from error
    except OSError as error:
        raise StorageError(f"cannot open {file}: {error.strerror}", f"ls -l {folder}") from error


def dream_log(settings: Settings) -> int:
    """List what changed the memory, oldest first."""
    del settings
    entries = versions.log(_folder())
    if not entries:
        note("no dream has changed the memory yet")
    out("\n".join(_row(entry) for entry in entries))
    return 0


def _row(entry: versions.Entry) -> str:
    when = entry.ts.astimezone().strftime("%Y-%m-%d %H:%M")
    kind = f"{entry.kind} of {entry.target}" if entry.target else entry.kind
    cost = f" · {entry.steps} steps · {entry.tokens:,} tokens · {entry.model}" if entry.steps else ""
    undone = " · undone" if entry.undone else ""
    return f"{entry.number:>4}  {when}  {kind:<9}  +{entry.added} -{entry.removed} lines{cost}{undone}"


def dream_show(settings: Settings, number: int) -> int:
    """Print what is known of one dream, and its diff."""
    del settings
    version = versions.show(_folder(), number)
    out(_row(version.entry))
    out(json.dumps(dict(version.meta), ensure_ascii=False, indent=2, default=str))
    out(versions.diff(_folder(), number))
    return 0


def dream_diff(settings: Settings, number: int) -> int:
    """Print the diff of one dream."""
    del settings
    out(versions.diff(_folder(), number))
    return 0


def dream_undo(settings: Settings, number: int | None) -> int:
    """Take back one dream; 6 when its lines were changed since."""
    del settings
    finished = undo(_folder(), number, now=datetime.now(UTC))
    note(finished.receipt)
    if finished.diff:
        out(finished.diff)
    return 6 if finished.outcome == "failed" else 0


def unseen(places: Folders) -> tuple[str, ...]:
    """Receipts of the dreams that ended behind the user's back; each is given once."""
    try:
        entries = [entry for entry in versions.log(places.memory) if entry.kind == "dream"]
        seen = _seen(places.state / SEEN)
        fresh = [entry for entry in entries if entry.number > seen]
        if fresh:
            places.state.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(places.state / SEEN, str(fresh[-1].number).encode())
    except (StorageError, OSError):
        return ()
    return tuple(
        f"remembered since last time: +{entry.added} -{entry.removed} lines · {entry.steps} steps · "
        f"{entry.tokens:,} tokens · undo: cococat dream undo {entry.number}"
        for entry in fresh
        if not entry.undone
    )


def saw(places: Folders, finished: DreamFinished) -> None:
    """The user has just seen the receipt of this dream."""
    if finished.dream:
        unseen(places)


def _seen(file: Path) -> int:
    try:
        return int(file.read_text("ascii"))
    except (OSError, ValueError):
        return 0
