"""`dream` and its look back."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from cococat.cli import flags as f
from cococat.config import Options
from cococat.errors import UsageError

__all__ = ["commands"]

DREAM = "Dream"  # group of the help
HELP = """
Compact the memory now, thresholds ignored.

What was said since the last dream is taken in first; then the notes themselves are gone over, so that they say the same
in fewer lines. A fact that would be lost is asked about, or waits for --review where nobody can be asked.

While a dream runs, an audit hook of Python's refuses every file opened for writing outside the memory folder (and the
cache of the tokenizer or the embedded engine), every program started, and every connection but the model's; --prove
prints what it saw. That is defence in depth, not a sandbox: compiled code need not tell Python what it does.
"""


def commands() -> typer.Typer:
    """The group `dream`."""
    group = typer.Typer(invoke_without_command=True, help=HELP)
    group.callback()(_dream)
    group.command("log", help="List the dreams so far.")(_log)
    group.command("show", help="Show what dream N did.")(_show)
    group.command("diff", help="Show the diff of dream N.")(_diff)
    group.command("undo", help="Take back dream N, or the newest change of any kind.")(_undo)
    return group


def _dream(  # noqa: PLR0917 - one argument a flag
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Work on a copy and show what would change.", rich_help_panel=DREAM)
    ] = False,
    review: Annotated[
        bool, typer.Option("--review", help="Ask about each change before it is made.", rich_help_panel=DREAM)
    ] = False,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Print what the dream opened, called and connected to.", rich_help_panel=DREAM),
    ] = False,
    background: Annotated[bool, typer.Option("--background", hidden=True)] = False,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
    profile: f.Profile = None,
    option: f.Option = None,
    max_steps: f.MaxSteps = None,
    max_tokens: f.MaxTokens = None,
    max_seconds: f.MaxSeconds = None,
    output_format: f.OutputFormat = "text",
    color: f.Color = "auto",
    quiet: f.Quiet = False,
    verbose: f.Verbose = False,
    config: f.Config = None,
) -> f.Job | None:
    if context.invoked_subcommand:
        return None
    if quiet and verbose:
        raise UsageError("--quiet and --verbose contradict each other", "give one of them")
    if review and (dry_run or prove):
        other = "--dry-run" if dry_run else "--prove"
        raise UsageError(f"--review and {other} contradict each other", "give one of them")
    options = Options(output_format=f.output_of(output_format), color=f.color_of(color), quiet=quiet, verbose=verbose)
    settings = f.settings_of(
        config,
        profile=profile,
        model__name=model,
        model__base_url=base_url,
        model__options=f.fields_of(option),
        agent__max_steps=max_steps,
        agent__max_total_tokens=max_tokens,
        agent__max_seconds=max_seconds,
    )
    from cococat.app.dream.commands import ByHand, by_hand

    return partial(by_hand, settings, options, ByHand(dry_run, background, ask_first=review, prove=prove))


def _log(config: f.Config = None) -> f.Job:
    from cococat.app.dream import log

    return partial(log.log, f.folders_of(config))


def _show(number: Annotated[str, typer.Argument(metavar="N", hidden=True)], config: f.Config = None) -> f.Job:
    from cococat.app.dream import log

    return partial(log.show, f.folders_of(config), _number(number), **_colours(config))


def _diff(number: Annotated[str, typer.Argument(metavar="N", hidden=True)], config: f.Config = None) -> f.Job:
    from cococat.app.dream import log

    return partial(log.diff, f.folders_of(config), _number(number), **_colours(config))


def _undo(
    number: Annotated[str | None, typer.Argument(metavar="N", hidden=True)] = None, config: f.Config = None
) -> f.Job:
    from cococat.app.dream import log

    return partial(log.undo, f.folders_of(config), None if number is None else _number(number), **_colours(config))


def _colours(config: str | None) -> dict[str, str]:
    """Return the theme for what prints a diff."""
    return {"theme": f.settings_of(config).terminal.theme}


def _number(text: str) -> int:
    """
    Read the number of a dream.

    Raises: UsageError: it is not a whole number from 1 on.
    """
    if text.isascii() and text.isdecimal() and len(text) <= 9 and int(text) > 0:  # noqa: PLR2004 - no dream has a longer number
        return int(text)
    raise UsageError(f"N: wanted the number of a dream, got {ascii(text)[:40]}", "`cococat dream log` lists them")
