"""`replay`: a recorded run once more, offline."""

from __future__ import annotations

import math
from functools import partial

from cococat.cli.flags import (
    Command,
    Flag,
    Invocation,
    Job,
    number_of,
    options_of,
    refuse_both,
    session_id,
    settings_of,
    shared,
)
from cococat.config.settings import TerminalSettings
from cococat.errors import ConfigError, UsageError

FIND = "`cococat sessions list` shows the ids; their first letters will do"
FASTEST = 1e6
GROUP = "Replay"  # of the help


def _replay(given: Invocation) -> Job:
    """Return the call of `replay`; without --from, settings that make no sense are not in the way."""
    from cococat.app import replay as play

    if not given.words:
        raise UsageError("replay needs the id of a session", FIND)
    refuse_both(given, "--quiet", "--verbose")
    options, wanted = options_of(given), session_id(given.words[0])
    speed, before, step = given.text("--speed"), given.text("--from"), given.has("--step")
    pace = None if speed is None else _speed(speed)
    if before is None:
        if any(map(given.text, ("--model", "--base-url", "--profile"))):
            raise UsageError("a replay asks no model, so it takes none", "add --from N to go on before turn N")
        return partial(play.replay, options, wanted, speed=pace, step=step, terminal=_look(given))
    if options.output_format != "text":
        raise UsageError("--from begins a chat, which has no --output-format", "leave one of them out")
    from cococat.app.chat.repl import chat

    settings = settings_of(given)
    turn = number_of(before, "--from: wanted the number of a turn, from 1 on", "e.g. --from 2")
    return partial(play.replay_from, settings, options, wanted, turn, speed=pace, step=step, chat=chat)


def _look(given: Invocation) -> TerminalSettings | None:
    """Return how a terminal is written on; None where the settings cannot be read, which no replay needs."""
    try:
        return settings_of(given).terminal
    except ConfigError:
        return None


def _speed(text: str) -> float:
    """
    Read --speed; 0 means that nothing is waited for.

    Raises: UsageError: it is no speed.
    """
    if text == "max":
        return 0
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if speed == 0 or 1 / FASTEST <= speed <= FASTEST:
        return speed
    raise UsageError(f"--speed: wanted a number like 2 or 0.5, or max, got {ascii(text)[:40]}", "e.g. --speed 2")


REPLAY = Command(
    "Show recorded session ID again, step by step: no model is asked, no tool runs.",
    _replay,
    [
        Flag("--speed", "X", "Times as fast as it was; 0 or max waits for nothing.", GROUP),
        Flag("--step", "", "Wait for a key before each step.", GROUP),
        Flag("--from", "N", "Go on in a copy, before turn N, with your own words.", GROUP),
        *shared("model", "base-url", "profile", "output-format", "color", "quiet", "verbose", "config"),
    ],
    ["ID"],
    examples=("cococat replay 01K", "cococat replay 01K --speed 4", "cococat replay 01K --from 2"),
)
