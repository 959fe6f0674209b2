"""`dream` and its look back."""

from __future__ import annotations

from functools import partial

from cococat.cli.flags import (
    Command,
    Flag,
    Invocation,
    Job,
    calls,
    folders_of,
    number_of,
    options_of,
    refuse_both,
    settings_of,
    shared,
)

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


def _number(given: Invocation) -> int | None:
    wanted, hint = "N: wanted the number of a dream", "`cococat dream log` lists them"
    return number_of(given.words[0], wanted, hint) if given.words else None


def _theme(given: Invocation) -> str:
    return settings_of(given).terminal.theme


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
            calls("dream.log.log", folders_of),
            CONFIG,
            examples=("cococat dream log", "cococat dream log | head -5", "cococat dream log | grep held"),
        ),
        "show": Command(
            "Show what dream N did.",
            calls("dream.log.show", folders_of, _number, theme=_theme),
            CONFIG,
            ["N"],
            1,
            examples=("cococat dream show 1", "cococat dream show 12", "cococat dream show 12 | less"),
        ),
        "diff": Command(
            "Show the diff of dream N.",
            calls("dream.log.diff", folders_of, _number, theme=_theme),
            CONFIG,
            ["N"],
            1,
            examples=("cococat dream diff 1", "cococat dream diff 12", "cococat dream diff 12 > dream.patch"),
        ),
        "undo": Command(
            "Take back dream N, or the newest change of any kind.",
            calls("dream.log.undo", folders_of, _number, theme=_theme),
            CONFIG,
            ["N"],
            examples=("cococat dream undo", "cococat dream undo 12", "cococat dream undo 1"),
        ),
    },
)
