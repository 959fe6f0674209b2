"""`dream` and its look back."""

from __future__ import annotations

from functools import partial

from cococat.cli.flags import (
    Command,
    Flag,
    Invocation,
    Job,
    folders_of,
    number_of,
    options_of,
    refuse_both,
    settings_of,
    shared,
)

__all__ = ["DREAM"]

GROUP = "Dream"  # of the help
HELP = """
Compact the memory now, thresholds ignored.

What was said since the last dream is taken in first; then the notes themselves are gone over, so that they say the same
in fewer lines. A fact that would be lost is asked about, or waits for --review where nobody can be asked.

While a dream runs, an audit hook of Python's refuses every file opened for writing outside the memory folder (and the
cache of the tokenizer or the embedded engine), every program started, and every connection but the model's; --prove
prints what it saw. That is defence in depth, not a sandbox: compiled code need not tell Python what it does.
"""


def _dream(given: Invocation) -> Job:
    refuse_both(given, "--quiet", "--verbose")
    refuse_both(given, "--review", "--dry-run")
    refuse_both(given, "--review", "--prove")
    options, settings = options_of(given), settings_of(given)
    from cococat.app.dream.commands import ByHand, by_hand

    how = ByHand(
        given.has("--dry-run"), given.has("--background"), ask_first=given.has("--review"), prove=given.has("--prove")
    )
    return partial(by_hand, settings, options, how)


def _log(given: Invocation) -> Job:
    from cococat.app.dream import log

    return partial(log.log, folders_of(given))


def _show(given: Invocation) -> Job:
    from cococat.app.dream import log

    return partial(log.show, folders_of(given), _number(given.words[0]), **_colours(given))


def _diff(given: Invocation) -> Job:
    from cococat.app.dream import log

    return partial(log.diff, folders_of(given), _number(given.words[0]), **_colours(given))


def _undo(given: Invocation) -> Job:
    from cococat.app.dream import log

    number = _number(given.words[0]) if given.words else None
    return partial(log.undo, folders_of(given), number, **_colours(given))


def _colours(given: Invocation) -> dict[str, str]:
    """Return the theme for what prints a diff."""
    return {"theme": settings_of(given).terminal.theme}


def _number(text: str) -> int:
    return number_of(text, "N: wanted the number of a dream", "`cococat dream log` lists them")


CONFIG = shared("config")
DREAM = Command(
    HELP,
    _dream,
    [
        Flag("--dry-run", "", "Work on a copy and show what would change.", GROUP),
        Flag("--review", "", "Ask about each change before it is made.", GROUP),
        Flag("--prove", "", "Print what the dream opened, called and connected to.", GROUP),
        Flag("--background", "", "", hidden=True),
        *shared("model", "base-url", "profile", "option", "max-steps", "max-tokens", "max-seconds"),
        *shared("output-format", "color", "quiet", "verbose", "config"),
    ],
    examples=("cococat dream --dry-run", "cococat dream --review", "cococat dream undo"),
    below={
        "log": Command(
            "List the dreams so far.",
            _log,
            CONFIG,
            examples=("cococat dream log", "cococat dream log | head -5", "cococat dream log | grep held"),
        ),
        "show": Command(
            "Show what dream N did.",
            _show,
            CONFIG,
            ["N"],
            1,
            examples=("cococat dream show 1", "cococat dream show 12", "cococat dream show 12 | less"),
        ),
        "diff": Command(
            "Show the diff of dream N.",
            _diff,
            CONFIG,
            ["N"],
            1,
            examples=("cococat dream diff 1", "cococat dream diff 12", "cococat dream diff 12 > dream.patch"),
        ),
        "undo": Command(
            "Take back dream N, or the newest change of any kind.",
            _undo,
            CONFIG,
            ["N"],
            examples=("cococat dream undo", "cococat dream undo 12", "cococat dream undo 1"),
        ),
    },
)
