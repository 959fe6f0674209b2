"""The model's library, brought in while the user reads the prompt."""

from __future__ import annotations

import contextlib
import threading

__all__ = ["preload_beside"]


def preload_beside() -> None:
    """Import it on a thread; a failure shows when it is used."""

    def load() -> None:
        with contextlib.suppress(ImportError):
            from cococat.model.client import preload

            preload()

    threading.Thread(target=load, daemon=True).start()
