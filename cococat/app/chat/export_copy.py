"""`/export` and `/copy`: what was said leaves the chat, as a file or for the clipboard."""

from __future__ import annotations

import base64
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Literal

from cococat.app.conversation import Conversation
from cococat.core.messages import Assistant
from cococat.errors import StorageError, UsageError
from cococat.store import export, sessions
from cococat.ui.lines.theme import write_now

FORMS = ("md", "json", "html")
TMUX_S = 2.0  # seconds for tmux to take a text
_BLOCK = re.compile(r"^(```+|~~~+)[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def export_session(conversation: Conversation, rest: str) -> str:
    """
    Write the session as `/export [md|json|html] [FILE]` says; return where it is.

    Raises: UsageError: there is nothing to export, or the file is there. StorageError: it cannot be written.
    """
    if conversation.log is None:
        raise UsageError("there is no session to export", "start without --no-session")
    form, name = _asked_for(rest)
    own = conversation.root / f"cococat-{conversation.log.id}.{form}"
    path = Path(name).expanduser() if name else _free(own)
    session = sessions.load(conversation.folders.sessions, conversation.log.id)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(export.export(session, form))
    except FileExistsError:
        raise UsageError(f"{path} is there already and stays as it is", f"/export {form} ANOTHER_FILE") from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}", f"/export {form} ANOTHER_FILE") from error
    return f"written to {path}"


def _asked_for(rest: str) -> tuple[Literal["md", "json", "html"], str]:
    """Read the form and the file's name, either of which may be missing."""
    try:
        words = shlex.split(rest)
    except ValueError:
        words = [rest]  # an open quotation mark is a part of the name
    form: Literal["md", "json", "html"] = "md"
    if words and words[0] in FORMS:
        form = "json" if words[0] == "json" else "html" if words[0] == "html" else "md"
        words = words[1:]
    return form, " ".join(words)


def _free(path: Path) -> Path:
    """Return *path*, with a number behind its name where there is such a file already."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return path if not path.exists() else next(each for each in numbered if not each.exists())


def copy(conversation: Conversation, what: str) -> str:
    """
    Send the last answer, or with `code` its last block of code, to the clipboard; return what was sent, and where to.

    Raises: UsageError: there is no such thing.
    """
    said = [
        message.text
        for message in conversation.history
        if isinstance(message, Assistant) and message.text and not message.calls
    ]
    if not said:
        raise UsageError("there is no answer yet", "ask something first")
    text = said[-1]
    if what == "code":
        blocks = _BLOCK.findall(text)
        if not blocks:
            raise UsageError("the last answer holds no block of code", "/copy copies all of it")
        text = blocks[-1][1]
    elif what:
        raise UsageError(f"/copy {what} is unknown", "/copy, or /copy code for the last block of code")
    return f"{len(text):,} characters sent to {_send(text)}"


def _send(text: str) -> str:
    """Reach the clipboard through tmux where it runs, which keeps OSC 52 to itself by default; else by OSC 52."""
    if os.environ.get("TMUX") and (tmux := shutil.which("tmux")):
        words = [tmux, "load-buffer", "-w", "-"]
        try:
            subprocess.run(words, input=text.encode(), check=True, timeout=TMUX_S, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            pass  # an old tmux: the terminal may still listen
        else:
            return "tmux's buffer and the clipboard"
    code = base64.b64encode(text.encode()).decode("ascii")
    write_now(sys.stdout, f"\x1b]52;c;{code}\x07")
    return "the terminal's clipboard"
