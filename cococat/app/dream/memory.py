"""Commands around the memory: what is remembered, why, and making it forget."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from cococat.app.output import note, out, report
from cococat.config import Folders
from cococat.errors import StorageError, UsageError
from cococat.memory.file import find_lines as find
from cococat.memory.file import journal
from cococat.memory.file.document import MEMORY, Memory, blocked, read
from cococat.memory.file.find_lines import Reason, reasons
from cococat.memory.file.place import prepare
from cococat.memory.file.provenance import Source
from cococat.memory.file.scan import threat
from cococat.system.atomic import write_atomic


def show(folders: Folders) -> int:
    """Print MEMORY.md, each line that remembers something behind its number; say so when there is none yet, and which lines no prompt holds."""
    memory = read(folders.memory)
    for line in memory.notes:
        note(line)
    if memory.text.strip():
        out(_numbered(memory))
    else:
        note("nothing is remembered yet; `cococat dream` looks through what you said")
    lines = memory.text.split("\n")
    for number in blocked(memory):
        note(
            f"line {number} is kept out of prompts: {threat(lines[number - 1])}; cococat memory rm {number} deletes it"
        )
    return 0


def _numbered(memory: Memory) -> str:
    numbers = {found.number for found in find.lines_of(memory)}
    rows = enumerate(memory.text.rstrip("\n").split("\n"), 1)
    return "\n".join(f"{number if number in numbers else '':>4}  {row}".rstrip() for number, row in rows)


def path(folders: Folders) -> int:
    """Print the path of MEMORY.md."""
    out(str(folders.memory / MEMORY))
    return 0


def edit(folders: Folders) -> int:
    """Open MEMORY.md in $VISUAL or $EDITOR; the file is made when it is missing."""
    folder = folders.memory
    file = folder / MEMORY
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        prepare(folder)
        if not file.exists():
            write_atomic(file, b"# Memory\n\n## Pinned\n")
        code = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode and 1
    except FileNotFoundError as error:
        raise UsageError(f"the editor {editor!r} was not found", "set VISUAL or EDITOR") from error
    except OSError as error:
        raise StorageError(f"cannot open {file}: {error.strerror}", f"ls -l {folder}") from error
    forget_prompts(folders)
    return code


def search(folders: Folders, query: str) -> int:
    """Print the lines that hold the words of *query*: number, section, day, text."""
    found = find.search(read(folders.memory), query)
    if not found:
        note(f"nothing that is remembered holds {query!r}")
    report("\n".join(_rows(found)))
    return 0


def _rows(found: Sequence[find.FoundLine]) -> list[str]:
    width = max((len(entry.section) for entry in found), default=0)
    return [
        f"{entry.number:>4}  {entry.section:<{width}}  {entry.said or 'by hand'!s:<10}  {entry.line}" for entry in found
    ]


def why(folders: Folders, wanted: str) -> int:
    """
    Print what a line rests on: session, time and the user's own words.

    Raises: UsageError: no line is meant.
    """
    found = reasons(folders.memory, wanted)
    if not found:
        raise UsageError(f"no line of the memory is {wanted!r}", "cococat memory search WORDS, cococat memory show")
    report("\n".join(line for reason in found for line in _because(reason)))
    return 0


def _because(reason: Reason) -> list[str]:
    head = f"{reason.found.number}: {reason.found.line}"
    if not reason.sources:
        return [head, "     written by hand: no dream put it there"]
    return [head, *(_source(source, said) for source, said in reason.sources)]


def _source(source: Source, said: datetime | None) -> str:
    when = said.strftime("%Y-%m-%d %H:%M") if said else source.said.isoformat()
    asked = f" when asked {source.asked!r}" if source.asked else ""
    return (
        f"     {when}  session {source.session or 'not kept'}  dream {source.dream}  you said: {source.quote!r}{asked}"
    )


def rm(folders: Folders, wanted: str) -> int:
    """
    Delete the one line that *wanted* names and show it; no dream adds it again.

    Raises: UsageError: none or several are meant; the several are listed.
    """
    memory = read(folders.memory)
    found = find.named(memory, wanted)
    if len(found) > 1:
        for row in _rows(found):
            note(row)
    finished = journal.rm(folders.memory, wanted, now=datetime.now(UTC), count=counter(folders))
    forget_prompts(folders)
    note(finished.receipt)
    report("\n".join(f"removed {entry.number}: {entry.line}" for entry in found))
    return 0


def counter(folders: Folders) -> Callable[[str], int]:
    """Return what counts tokens as the receipts of dreams do: by the vocabulary of the model that dreamt last."""
    from cococat.memory.file import versions
    from cococat.model.tokens import count

    name = next((entry.model for entry in reversed(versions.log(folders.memory)) if entry.model), "")
    return lambda text: count(text, name, folder=folders.cache)


def forget_prompts(folders: Folders) -> None:
    """Delete what the embedded engine keeps of prompts it has read: the memory was in there."""
    with suppress(OSError):
        for file in (folders.cache / "models" / "prompts").iterdir():
            with suppress(OSError):
                file.unlink()
