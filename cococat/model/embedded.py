"""The embedded model: a small one that runs in this process, behind the same seam as any other."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import AsyncGenerator, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cococat.core.limits import Problem
from cococat.core.model import FinishPiece, Piece, ProviderError, Request
from cococat.errors import UsageError
from cococat.model.engine import WINDOW, Engine, Job, import_engine
from cococat.model.prefix import prefix_of
from cococat.model.weights import Progress, check_gguf, find_weights, missing
from cococat.model.wire import body_of, pieces_of

__all__ = ["Embedded", "available", "start"]

POLL_S = 0.02
INSTALL = "pip install 'cococat[local]'"


def available() -> str:
    """Return why there is no embedded model; empty when there is one. Imports nothing."""
    if find_spec("xllamacpp") is None:
        return "the package xllamacpp is not installed"
    lost = missing()
    return f"the package {lost} is not installed" if lost else ""


def _untold(done: int, total: int) -> None:
    """Nobody looks on while the model is unpacked."""


async def start(
    path: Path | None,
    cache: Path,
    *,
    notice: Callable[[str], None],
    tell: Progress = _untold,
    max_output_tokens: int = 1024,
    temperature: float = 0.2,
) -> Embedded:
    """
    Begin to load the model; returns before it is loaded.

    Args:
        path: any GGUF file; None takes the model that the extra `local` brings.
        cache: folder in which that model is kept once it was unpacked.
        notice: told in one line what takes long.
        tell: gets how many bytes were unpacked, and of how many; from another thread.
    Raises: UsageError, StorageError: it cannot be loaded; says which command fixes it.
    """
    if find_spec("xllamacpp") is None:
        raise UsageError("the embedded model is not installed", INSTALL)
    import_engine()
    file = check_gguf(path) if path else await _unpacked(cache, notice, tell)
    prompts = cache / "models" / "prompts"
    return Embedded(file, prompts, notice, max_output_tokens=max_output_tokens, temperature=temperature)


class Embedded:
    """A `core.model.Model` that runs here; requests are answered one at a time, in order."""

    def __init__(
        self,
        file: Path,
        prompts: Path,
        notice: Callable[[str], None],
        *,
        max_output_tokens: int = 1024,
        temperature: float = 0.2,
    ) -> None:
        self.name = file.stem
        self.window = WINDOW
        self._notice = notice
        self._defaults = {"max_tokens": max_output_tokens, "temperature": temperature}
        self._engine = Engine(file, prompts)
        atexit.register(self.close)

    async def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        """Answer *request*; closing the stream stops the engine within a second."""
        if not self._engine.loaded.is_set():
            self._notice(f"loading the embedded model {self.name} …")
        job = Job({**self._defaults, **_body(request, self.name)}, prefix_of(request.messages))
        self._engine.submit(job)
        finished = False
        try:
            while (item := await job.items.get()) is not None:
                if isinstance(item, ProviderError):
                    raise item
                for piece in pieces_of(item):
                    finished = finished or isinstance(piece, FinishPiece)
                    yield piece
        finally:
            job.stopped = True
        if not finished:
            raise ProviderError(Problem("cut", "the embedded model stopped in the middle of its reply", "try again"))

    async def loaded(self) -> None:
        """Wait until the model can answer, or cannot be loaded, which its first reply says."""
        while not self._engine.loaded.is_set():  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(POLL_S)

    async def aclose(self) -> None:
        """Stop the engine without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Stop the engine; a thread of it that outlived the interpreter would crash the process."""
        atexit.unregister(self.close)
        self._engine.close()


class _LeftError(Exception):
    """Nobody waits for the weights any more."""


async def _unpacked(cache: Path, notice: Callable[[str], None], tell: Progress) -> Path:
    """Find or join the weights on a thread, so that Ctrl-C works meanwhile; it ends soon after this."""
    loop = asyncio.get_running_loop()
    left, told = threading.Event(), threading.Event()

    def progress(done: int, total: int) -> None:
        if left.is_set():
            raise _LeftError
        if not told.is_set():
            told.set()
            loop.call_soon_threadsafe(notice, f"unpacking the embedded model ({total / 1e6:.0f} MB, only once) …")
        tell(done, total)

    try:
        return await asyncio.to_thread(find_weights, cache, progress)
    finally:
        left.set()


def _body(request: Request, name: str) -> dict[str, Any]:
    body = body_of(request, name)
    body |= {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
    if request.max_output_tokens:
        body["max_tokens"] = request.max_output_tokens
    if request.schema is not None:
        body["temperature"] = 0  # a decision is a choice, and a small model chooses best at its first guess
    return body
