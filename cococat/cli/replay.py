"""`replay`: a recorded run once more, offline."""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated

import typer

from cococat.cli import flags as f
from cococat.config import Options
from cococat.config.settings import TerminalSettings
from cococat.errors import ConfigError, UsageError

__all__ = ["replay"]

FIND = "`cococat sessions list` shows the ids; their first letters will do"
FASTEST = 1e6
REPLAY = "Replay"  # group of the help


def replay(  # noqa: PLR0917 - one argument a flag
    session: Annotated[str | None, typer.Argument(metavar="ID", hidden=True)] = None,
    speed: Annotated[
        str | None,
        typer.Option(
            "--speed", metavar="X", help="Times as fast as it was; 0 or max waits for nothing.", rich_help_panel=REPLAY
        ),
    ] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Wait for a key before each step.", rich_help_panel=REPLAY)
    ] = False,
    before: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="N", help="Go on in a copy, before turn N, with your own words.", rich_help_panel=REPLAY
        ),
    ] = None,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
    profile: f.Profile = None,
    output_format: f.OutputFormat = "text",
    color: f.Color = "auto",
    quiet: f.Quiet = False,
    verbose: f.Verbose = False,
    config: f.Config = None,
) -> f.Job:
    """Return the call of `replay`; without --from, settings that make no sense are not in the way."""
    from cococat.app import replay as play

    if session is None:
        raise UsageError("replay needs the id of a session", FIND)
    if quiet and verbose:
        raise UsageError("--quiet and --verbose contradict each other", "give one of them")
    options = Options(output_format=f.output_of(output_format), color=f.color_of(color), quiet=quiet, verbose=verbose)
    wanted, pace = f.session_id(session), None if speed is None else _speed(speed)
    if before is None:
        if model or base_url or profile:
            raise UsageError("a replay asks no model, so it takes none", "add --from N to go on before turn N")
        return partial(play.replay, options, wanted, speed=pace, step=step, terminal=_look(config))
    if output_format != "text":
        raise UsageError("--from begins a chat, which has no --output-format", "leave one of them out")
    from cococat.app.chat.repl import chat

    settings = f.settings_of(config, profile=profile, model__name=model, model__base_url=base_url)
    return partial(play.replay_from, settings, options, wanted, _turn(before), speed=pace, step=step, chat=chat)


def _look(config: str | None) -> TerminalSettings | None:
    """Return how a terminal is written on; None where the settings cannot be read, which no replay needs."""
    try:
        return f.settings_of(config).terminal
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


def _turn(text: str) -> int:
    """
    Read --from.

    Raises: UsageError: it is not a whole number from 1 on.
    """
    if text.isascii() and text.isdecimal() and len(text) <= 9 and int(text) > 0:  # noqa: PLR2004 - no session is longer
        return int(text)
    raise UsageError(f"--from: wanted the number of a turn, from 1 on, got {ascii(text)[:40]}", "e.g. --from 2")
