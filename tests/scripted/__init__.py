"""A scripted OpenAI-compatible server: real HTTP, real SSE, faults on demand.

    with serve(says("hello"), calls(("read_file", {"path": "x"})), says("done")) as server:
        ...server.base_url, server.requests, server.headers, server.connections, server.problems

In tests use the `scripted` fixture: it closes the server and fails on `server.problems`.
"""

from tests.scripted.server import Server, serve, tool_results
from tests.scripted.turns import (
    CUT,
    PINGS,
    RESET,
    STALL,
    Delta,
    Turn,
    broken,
    calls,
    fault,
    forever,
    raw,
    reached,
    reasons,
    says,
)

__all__ = [
    "CUT",
    "PINGS",
    "RESET",
    "STALL",
    "Delta",
    "Server",
    "Turn",
    "broken",
    "calls",
    "fault",
    "forever",
    "raw",
    "reached",
    "reasons",
    "says",
    "serve",
    "tool_results",
]
