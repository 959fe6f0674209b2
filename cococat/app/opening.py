"""Opening a conversation: folders, root, model, session, memory.

Public: open_talk, root_of.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from cococat.app.endpoint import connect
from cococat.app.outputs import note
from cococat.app.talk import Talk
from cococat.config import Options, Settings, folders, key_for
from cococat.core.messages import Message
from cococat.errors import StorageError, UsageError
from cococat.memory.file import quoted, read
from cococat.safety.secrets import redact
from cococat.store import sessions
from cococat.store.sessions import SessionLog


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
    mode = settings.mode or default_mode
    secret = key_for(settings, os.environ)
    known = [secret.reveal()] if secret else []
    log: SessionLog | None = None
    history: tuple[Message, ...] = ()
    if options.continue_ or options.resume:
        wanted = options.resume or sessions.latest(places.sessions, root)
        if wanted is None:
            raise UsageError("there is no session to continue in this folder", "cococat sessions list")
        log, history, notes = sessions.resume(
            places.sessions, wanted, fork=options.fork, redact=lambda text: redact(text, known)
        )
        for line in notes:
            note(line)
    elif options.session:
        log = sessions.create(
            places.sessions,
            model=connection.name,
            host=connection.host,
            mode=mode,
            cwd=root,
            clock=time.time,
            redact=lambda text: redact(text, known),
        )
    return Talk(
        settings,
        options,
        places,
        root,
        mode,
        connection,
        log,
        history,
        memory=remembered(settings, places.memory),
        permission=settings.permissions.mode,
    )


def remembered(settings: Settings, folder: Path) -> str:
    """The memory as it enters a prompt; trouble with it is told and never stops the chat."""
    if settings.memory.mode == "off":
        return ""
    try:
        return quoted(read(folder), datetime.now(UTC).astimezone().date())
    except StorageError as error:
        note(f"memory is not used: {error.message}")
        return ""
