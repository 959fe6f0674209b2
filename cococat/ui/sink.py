"""What the application asks of everything that shows a run."""

from __future__ import annotations

from typing import Protocol

from cococat.core.events import Event
from cococat.core.result import Result

__all__ = ["Sink"]


class Sink(Protocol):
    """A receiver of events; a broken stream leaves as the OSError it is."""

    def emit(self, event: Event) -> None:
        """Take in *event*; must not block for longer than a write."""
        ...

    def finish(self, result: Result) -> None:
        """Say how the command ended; called once, after the last event."""
        ...

    def close(self) -> None:
        """Leave the streams as they were; may be called more than once."""
        ...
