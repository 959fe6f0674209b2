"""Whether a model is trusted to judge what is remembered: what its controls showed, kept with the endpoint's profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace

from cococat.app.endpoint import EMBEDDED, Connection, remote
from cococat.config import Folders, Settings
from cococat.core.model import Model
from cococat.model.profile import Profile, keep, kept

__all__ = ["Trust", "trust_in"]

MAX_AGE_S = 7 * 24 * 3600
MAX_DREAMS = 20  # after so many, or that time, it is asked again


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Trust:
    """
    Who judges a dream, and what came of it.

    Args:
        model: None: nobody does, for the user wants none, the model is too small, or it was seen not to be able to.
        heard: whether it passed its controls, request by request.
    """

    model: Model | None
    name: str
    base_url: str
    folders: Folders
    close: Callable[[], Coroutine[object, object, object]] = _nothing
    heard: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, settings: Settings, connection: Connection, folders: Folders) -> Trust:
        """Return who is asked; another model of the endpoint is connected, and closed by `end`."""
        wanted = settings.memory.judge
        name = connection.name if wanted == "same" else wanted
        off = wanted == "off" or connection.host == EMBEDDED
        if off or trust_in(folders, connection.base_url, name) == "untrusted":
            return cls(None, "" if off else name, connection.base_url, folders)
        if name == connection.name:
            return cls(connection.model, name, connection.base_url, folders)
        other = remote(replace(settings, model=replace(settings.model, name=name)), folders)
        return cls(other.model, name, connection.base_url, folders, other.close)

    async def end(self, *, dreamed: bool) -> None:
        """Keep what was heard; a dream that did not ask brings the day nearer on which an untrusted model is asked again."""
        await self.close()
        if not (self.name and dreamed):
            return
        now = time.time()
        known = kept(self.folders.cache, self.base_url, self.name, now)
        told = replace(known, dreams=known.dreams + 1)
        if self.heard:
            # whoever was trusted is asked once more: a control may be no good one
            seen = "trusted" if all(self.heard) else "" if known.judge == "trusted" else "untrusted"
            told = replace(known, judge=seen, judged=int(now), dreams=0)
        if self.heard or known.judge:
            keep(self.folders.cache, self.base_url, self.name, told, now)


def trust_in(folders: Folders, base_url: str, name: str) -> str:
    """Return `trusted` or `untrusted`, as the controls showed lately; empty where that is not known."""
    now = time.time()
    known: Profile = kept(folders.cache, base_url, name, now)
    fresh = now - known.judged < MAX_AGE_S and known.dreams < MAX_DREAMS
    return known.judge if fresh else ""
