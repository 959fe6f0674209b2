"""What is done while the user reads the first prompt."""

from __future__ import annotations

import contextlib
import threading
from functools import cache
from pathlib import Path

from cococat.system.atomic import sweep

__all__ = ["preload_beside"]


@cache
def preload_beside(caches: Path) -> None:
    """
    Clear *caches* of what killed runs left half written, and import the model's library; on a thread, and once.

    A failure shows when the library is used.
    """

    def load() -> None:
        sweep(caches)
        with contextlib.suppress(ImportError):
            from cococat.model.client import preload

            preload()

    threading.Thread(target=load, daemon=True).start()
