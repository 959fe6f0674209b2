"""Fixtures of the real servers: each is started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.endpoints import real as servers
from tests.endpoints.real import Real


@pytest.fixture(scope="session")
def llama_cpp() -> Iterator[Callable[[int], Real]]:
    """Return the server with a window of so many tokens."""
    with ExitStack() as stack:
        running: dict[int, Real] = {}

        def at(window: int) -> Real:
            if window not in running:
                running[window] = stack.enter_context(servers.llama_cpp(window))
            return running[window]

        yield at


@pytest.fixture
def real(cococat: Callable[..., Any]) -> Callable[..., Any]:
    """Run the command against a real server."""

    def run(server: Real, *words: object, env: dict[str, str] | None = None, **options: Any) -> Any:
        return cococat(*words, env={**server.env, **(env or {})}, timeout=150, **options)

    return run
