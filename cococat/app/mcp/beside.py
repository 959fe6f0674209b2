"""An event loop in a thread of its own: servers hear and are heard also while that of a chat stands still, at its prompt."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
END_S = 2.5  # until what will not end is left behind


class Beside:
    """The loop; its thread runs from now until `end`."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop, self._over = self._runner.get_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._live, daemon=True, name="cococat-mcp")
        self._thread.start()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what *work* returns there; a cancel of this is handed on, and waits for nothing."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def end(self) -> None:
        """Cancel what is left, and end the thread."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(END_S)

    def _live(self) -> None:
        with self._runner:
            self._runner.run(self._over.wait())
