"""What the application asks of everything that shows a run."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol, TypeAlias

from cococat.core.events import Event
from cococat.core.result import Result

Sides: TypeAlias = Literal["above", "both"]


class Sink(Protocol):
    """A receiver of events; a broken stream leaves as the OSError it is."""

    @property
    def redraws(self) -> bool:
        """Some rows on the terminal are drawn again and again, so it wants ticks."""
        ...

    def emit(self, event: Event) -> None:
        """Take in *event*; must not block for longer than a write."""
        ...

    def tick(self) -> None:
        """Keep seconds and countdowns going; called about ten times a second while a turn runs."""
        ...

    def suspended(self) -> AbstractContextManager[None]:
        """Leave the terminal to somebody else, a question to the user, say."""
        ...

    def apart(self, sides: Sides = "both", /) -> AbstractContextManager[None]:
        """The same for what needs air: where a user reads, a blank line stands above it, or on both *sides*."""
        ...

    def finish(self, result: Result) -> None:
        """Show how the command ended; called once, after the last event."""
        ...

    def close(self) -> None:
        """Leave the streams as they were; may be called more than once."""
        ...


# what a sink does that draws nothing again
def still(_: object) -> None:
    """Change nothing with time."""


def undisturbed(_: object, __: Sides = "both", /) -> AbstractContextManager[None]:
    """Get out of nobody's way: nothing is in it."""
    return nullcontext()
