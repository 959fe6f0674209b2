"""Opening a conversation: folders, root, model, session, memory.

Public: open_talk, resume, restart, remembered, root_of.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from cococat.app.endpoint import connect
from cococat.app.outputs import note
from cococat.app.plugins import load_hooks
from cococat.app.redactor import redactor
from cococat.app.talk import Talk
from cococat.config import Folders, Options, Settings, folders
from cococat.errors import StorageError, UsageError
from cococat.store import sessions
from cococat.store.ids import find
from cococat.store.listing import latest


def root_of(options: Options) -> Path:
    """
    The folder that tools may see.

    Raises: UsageError: it is gone, or is `/` or the home folder without being named by --root.
    """
    try:
        root = (options.root or Path.cwd()).resolve(strict=True)
    except OSError as error:
        raise UsageError(
            f"the working folder cannot be used: {error.strerror}", "cd to a folder, or --root DIR"
        ) from error
    if not root.is_dir():
        raise UsageError(f"--root {root} is no folder", "--root DIR")
    return root


async def open_talk(settings: Settings, options: Options, default_mode: str) -> Talk:
    """Connect to a model and open or resume the session."""
    places = folders(os.environ)
    root = root_of(options)
    connection = await connect(settings, places, quiet=options.quiet)
    talk = Talk(
        settings,
        options,
        places,
        root,
        settings.mode or default_mode,
        connection,
        None,
        memory=remembered(settings, places.memory, quiet=options.quiet),
        permission=settings.permissions.mode,
        hooks=load_hooks(note),
    )
    try:
        if settings.permissions.allow or settings.permissions.deny:
            talk.gate()
    except ValueError as error:
        raise UsageError(str(error), "see permissions.allow, permissions.deny and --allow") from error
    if options.continue_ or options.resume:
        wanted = options.resume or latest(places.sessions, root, places.cache)
        if wanted is None:
            raise UsageError("there is no session to continue in this folder", _elsewhere(places))
        for line in resume(talk, wanted, fork=options.fork) if options.session else _read(talk, wanted):
            note(line)
    elif options.session:
        restart(talk)
    return talk


def resume(talk: Talk, prefix: str, *, fork: bool = False) -> tuple[str, ...]:
    """Go on with the session that *prefix* names; give what had to be mended."""
    found = find(talk.folders.sessions, prefix)
    same = talk.log is not None and talk.log.id == found and not fork
    if same:
        return ("this is the session you are in",)
    folder, redact = talk.folders.sessions, redactor(talk.settings)
    log, history, notes = sessions.resume(folder, found, fork=fork, cwd=talk.root, redact=redact)
    if talk.log:
        talk.log.close()
    talk.log, talk.history = log, history
    if fork:
        talk.outputs().inherit(talk.folders.state, found)
    return tuple(notes)


def _read(talk: Talk, prefix: str) -> tuple[str, ...]:
    """Take up what a session holds and leave its log alone, also when another process writes it."""
    session = sessions.load(talk.folders.sessions, prefix)
    talk.history = session.messages
    talk.outputs().inherit(talk.folders.state, session.info.id)
    return (*session.notes, f"nothing of this is added to session {session.info.id} (--no-session)")


def _elsewhere(places: Folders) -> str:
    """Say how to reach the sessions of other folders."""
    last = latest(places.sessions, cache=places.cache)
    return f"the last one of another folder: -r {last}; all: cococat sessions list" if last else "leave out -c"


def restart(talk: Talk) -> None:
    """Begin a new session; the one before it stays as it is."""
    if talk.log:
        talk.log.close()
    talk.history = ()
    talk.log = None
    if talk.options.session:
        talk.log = sessions.create(
            talk.folders.sessions,
            model=talk.connection.name,
            host=talk.connection.host,
            mode=talk.mode,
            cwd=talk.root,
            clock=time.time,
            redact=redactor(talk.settings),
        )


def remembered(settings: Settings, folder: Path, *, quiet: bool = False) -> str:
    """The memory as it enters a prompt; trouble with it is told and never stops the chat, nor do lines left out."""
    if settings.memory.mode == "off" or not os.path.lexists(folder / "MEMORY.md"):
        return ""
    from cococat.memory.file import blocked, quoted, read  # noqa: PLC0415 - 20 ms that an empty memory need not cost

    try:
        memory = read(folder)
        if not quiet and blocked(memory):
            from cococat.app.memories import warn_blocked  # noqa: PLC0415 - for such a memory only

            warn_blocked(memory)
        return quoted(memory, datetime.now(UTC).astimezone().date())
    except StorageError as error:
        note(f"memory is not used: {error.message}; {error.hint}")
        return ""
