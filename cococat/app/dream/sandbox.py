"""What a dream's process may touch: the memory, the caches it needs, the model."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from cococat.app.endpoint import EMBEDDED, Connection
from cococat.config import Folders, Settings
from cococat.memory.dream.settle import QUARANTINE, SKIPPED
from cococat.memory.file.history import HISTORY
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.versions import RUNS
from cococat.system.audit import AuditBounds

__all__ = ["bounds_of"]

BY_NAME = frozenset({HISTORY, PROVENANCE, QUARANTINE, RUNS, SKIPPED})  # opened through the folder's descriptor
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


def bounds_of(settings: Settings, places: Folders, connection: Connection) -> AuditBounds:
    """Return the bounds of a dream on *connection*; the tokenizer's vocabulary and the engine's files are caches."""
    folders = [places.memory, places.cache / "tiktoken"]
    if connection.host == EMBEDDED:
        (temporary,) = _real(Path(tempfile.gettempdir()))
        return AuditBounds(_real(*folders, places.cache / "models"), BY_NAME, engine=f"{temporary}{os.sep}cococat-")
    scheme = urlsplit(settings.model.base_url).scheme
    proxies = (os.environ.get(name) or os.environ.get(name.lower()) for name in PROXIES)
    urls = [f"{scheme}://{connection.host}", *filter(None, proxies)]
    return AuditBounds(_real(*folders), BY_NAME, hosts=frozenset(host for url in urls for host in _host(url)))


def _real(*folders: Path) -> tuple[str, ...]:
    return tuple(map(os.path.realpath, folders))


def _host(url: str) -> list[tuple[str, int]]:
    """Name and port behind *url*, in both spellings where the name is not ASCII; nothing for what is no URL."""
    with suppress(ValueError):
        parts = urlsplit(url if "//" in url else f"http://{url}")
        port = parts.port or PORTS.get(parts.scheme, 443)
        names = [parts.hostname or ""]
        with suppress(UnicodeError):
            names.append(names[0].encode("idna").decode("ascii"))
        return [(name, port) for name in names if name]
    return []
