"""Values of the core's that a user may set; their defaults stand here and nowhere else. See also `Limits`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """
    How often and how fast to retry.

    Args:
        attempts: requests for one step, the first included; >= 1.
        base_ms, cap_ms, jitter_ms: milliseconds, see `core.retry.backoff_s`.
    """

    attempts: int = 3
    base_ms: int = 1000
    cap_ms: int = 10_000
    jitter_ms: int = 1000


@dataclass(frozen=True, slots=True)
class Timeouts:
    """
    Seconds to wait for an endpoint, each > 0.

    Args:
        connect: until the connection stands.
        first_byte: from the request to the moment when the user is told that nothing came yet.
        silence: from the request to the first of the reply; then it is given up, and not sent again.
        idle: between any two bytes after that; comments count.
        data_idle: between any two data events after that; comments do not count.
    """

    connect: float = 10.0
    first_byte: float = 120.0
    silence: float = 900.0
    idle: float = 60.0
    data_idle: float = 300.0


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """
    What is remembered, and when it is compacted by a dream.

    Args:
        mode: off, read, confirm or auto.
        wait: `ask` waits for its dream.
        dream_min_records: pending records that are always enough.
        dream_min_minutes: after so many one record is enough.
        max_tokens, max_bytes, max_lines: what MEMORY.md may hold.
        judge: the model that judges lines before they are noted: same, off, or the name of another of the endpoint.
        unjudged: what becomes of lines that nobody judged: own, hold or drop.
    """

    mode: str = "auto"
    wait: bool = False
    dream_min_records: int = 3
    dream_min_minutes: float = 30.0
    max_tokens: int = 2000
    max_bytes: int = 16_384
    max_lines: int = 200
    judge: str = "same"
    unjudged: str = "own"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """
    An MCP server: a program that is started, or one that runs elsewhere and has an address.

    Args:
        command: the program and its arguments; empty where there is a *url*.
        env: names of variables that the program gets besides those that every program needs.
        url: https, or http to this machine.
        key_env: the variable with the key that is sent to the origin of *url* alone; empty: none is.
        tools: those that are offered of what it has; empty: all.
        start_s: seconds until it has to have told its tools.
        call_s: seconds for one call.
    """

    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    url: str = ""
    key_env: str = ""
    tools: tuple[str, ...] = ()
    start_s: float = 20.0
    call_s: float = 60.0
