"""Fixtures for tests of logs: processes that can be killed, a clock, histories."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cococat.store.recorder import SessionLog
from cococat.store.sessions import create

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def process() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start Python programs with pipes to their stdin and stdout; all are gone at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(program: str, *words: object, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [*before, sys.executable, "-c", program, *map(str, words)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        )
        return started[-1]

    yield start
    for child in started:
        child.kill()
        child.communicate()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., SessionLog]]:
    """Begin sessions in a folder `sessions`, each some seconds after the one before."""
    now = [1_700_000_000.0]
    open_logs: list[SessionLog] = []

    def clock() -> float:
        now[0] += 1
        return now[0]

    def start(**options: object) -> SessionLog:
        settings = {"model": "m", "host": "h", "mode": "react", "cwd": "/home/me", "clock": clock, **options}
        open_logs.append(create(tmp_path / "sessions", **settings))
        return open_logs[-1]

    yield start
    for log in open_logs:
        log.close()
