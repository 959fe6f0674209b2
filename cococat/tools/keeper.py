"""The process between cococat and a command of the background: when cococat is gone, however it ended, so is the command."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cococat.tools.child import start
from cococat.tools.workers import run_in_daemon

LOOK_S = 0.5  # between two looks at what a shell that has ended left running


def main() -> int:
    """Run the command that is the rest of the command line; return its exit code, 128 and more for a signal."""
    return asyncio.run(_kept(sys.argv[1:]))


async def _kept(words: Sequence[str]) -> int:
    """Run the command until it and what it left running have ended, or until nobody holds our input any more."""
    child = await start(
        words if len(words) > 1 else words[0],
        cwd=Path.cwd(),
        env=os.environ,
        take=_pass_on,
        mark=f"COCOCAT_CALL={os.environ.get('COCOCAT_CALL', '')}",
    )
    alone: asyncio.Future[object] = asyncio.ensure_future(run_in_daemon(lambda: os.read(0, 1)))
    ended: asyncio.Future[object] = asyncio.ensure_future(asyncio.wait({child.exited, child.drained}))
    try:
        await asyncio.wait({alone, ended}, return_when=asyncio.FIRST_COMPLETED)
        while not alone.done() and child.has_left():  # a server that was started with `&`, say, is what was meant
            await asyncio.wait({alone}, timeout=LOOK_S)
    finally:
        await child.end()
    code = child.code or 0
    return code if code >= 0 else 128 - code


def _pass_on(data: bytes) -> None:
    with contextlib.suppress(OSError):  # nobody reads it: our input says the same
        while data:
            data = data[os.write(1, data) :]
