"""What the engine has read of a prompt, kept on disk: reading 1500 tokens again takes 10 seconds, this 10 ms.

Only what comes before the user's own words is kept: instructions, tools, examples. One file at a
time, readable by its owner alone; it is a cache, and a run without it is slower, no worse.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cococat.core.messages import Assistant, Message, User

__all__ = ["Kept", "prefix_of"]

SUFFIX = ".prompt"
OK = 200
PATIENCE_S = 10.0  # for the engine to write or read 20 MB


def prefix_of(messages: Sequence[Message]) -> int:
    """Count the messages that are the same in every session: up to the last example's answer."""
    own = next((i for i, m in enumerate(messages) if isinstance(m, User) and not m.synthetic), len(messages))
    return max((i + 1 for i, m in enumerate(messages[:own]) if isinstance(m, Assistant)), default=0)


@dataclass(frozen=True, slots=True)
class Kept:
    """
    The kept state, reached through the engine's own socket file, as it has no other door to it.

    Args:
        folder: where the state is kept.
        listen: path of the socket file.
        key: the engine's key, made for this process.
    """

    folder: Path
    listen: str
    key: str

    def name_for(self, model: Path, prefix: object) -> str:
        """Name the state that *model* has after *prefix*, a JSON value."""
        status = model.stat()
        said = ([str(model), status.st_size, status.st_mtime_ns], prefix)
        return "-".join(sha256(json.dumps(part).encode()).hexdigest()[:16] for part in said) + SUFFIX

    def load(self, name: str) -> bool:
        """Load the state *name*, or another of its model: what that shares with the prompt is not read again."""
        found = [path.name for path in self.folder.glob(f"{name.partition('-')[0]}-*{SUFFIX}")]
        chosen = name if name in found else next(iter(found), "")
        return bool(chosen) and self._ask("restore", chosen) and chosen == name

    def save(self, name: str) -> None:
        """Keep the state as it is now, in the place of any other."""
        part = self.folder / f"{name}.{os.getpid()}"
        with suppress(OSError):
            if not self._ask("save", part.name):
                part.unlink(missing_ok=True)
                return
            part.chmod(0o600)
            for old in self.folder.iterdir():
                if old != part:
                    old.unlink(missing_ok=True)
            part.replace(self.folder / name)

    def _ask(self, action: str, name: str) -> bool:
        import http.client

        connection = http.client.HTTPConnection("localhost", timeout=PATIENCE_S)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"}
        try:
            with closing(connection):
                connection.sock = socket.socket(socket.AF_UNIX)
                connection.sock.settimeout(PATIENCE_S)
                connection.sock.connect(self.listen)
                connection.request("POST", f"/slots/0?action={action}", json.dumps({"filename": name}), headers)
                return connection.getresponse().status == OK
        except (OSError, http.client.HTTPException):
            return False
