"""How the tests of this folder ask a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from cococat.core.messages import Assistant, User
from cococat.core.model import Draft, Piece, ProviderError, Request
from cococat.core.settings import Timeouts
from cococat.model.client import ChatModel, Endpoint

HELLO = Request((User("hello"),))


@dataclass
class Heard:
    """What came back: the pieces up to the error, if there was one."""

    pieces: list[Piece] = field(default_factory=list)
    error: ProviderError | None = None

    @property
    def message(self) -> Assistant:
        """The pieces as one message."""
        draft = Draft()
        for piece in self.pieces:
            draft.add(piece)
        return draft.message()

    @property
    def problem(self) -> tuple[str, bool]:
        """The error in short: its kind, and whether it may be retried."""
        assert self.error, self.pieces
        return self.error.problem.kind, self.error.retryable


async def hear(model: ChatModel, request: Request = HELLO, seen: Callable[[Piece], object] = id) -> Heard:
    heard = Heard()
    try:
        async for piece in model.stream(request):
            heard.pieces.append(piece)
            seen(piece)
    except ProviderError as error:
        heard.error = error
    return heard


@pytest.fixture
def ask() -> Callable[..., Heard]:
    """Send requests to a server or a URL with one model; give what came back for the last one."""

    def run(where: object, *requests: Request, key: str = "sk-test-0123456789abcdef", **options: object) -> Heard:
        limits = {name: options.pop(name) for name in ("connect", "silence", "idle", "data_idle") if name in options}
        seen = options.pop("seen", id)
        url = where if isinstance(where, str) else where.base_url

        async def main() -> Heard:
            model = ChatModel(Endpoint(url, key, **{"name": "m", **options}), Timeouts(**limits))
            try:
                return [await hear(model, request, seen) for request in requests or (HELLO,)][-1]
            finally:
                await model.aclose()

        return asyncio.run(main())

    return run
