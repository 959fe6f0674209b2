"""`memory`: what is remembered."""

from __future__ import annotations

from functools import partial
from typing import Annotated, TypeAlias

import typer

from cococat.cli import flags as f
from cococat.cli.units import count_of
from cococat.errors import UsageError

__all__ = ["commands"]

PAST = "Questions"  # group of the help
ASKED = "10"  # past questions
TEST = """
Find the lines that change no answer.

Past questions are asked again, with the memory and without each line of it. No tools are offered and nothing is added
to a session. The requests are counted before the first one, and the model is asked for the likeliest answer
(temperature 0). An answer counts as changed when its words differ; a question that is answered in two ways with the same
memory tells nothing. What was answered is not asked again, so that a test that was stopped goes on. Lines that changed
no answer are listed, and none is deleted.
"""

Words: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="WORDS", hidden=True)]
Line: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="LINE_OR_TEXT", hidden=True)]


def commands() -> typer.Typer:
    """The group `memory`."""
    group = typer.Typer(help="See and change what is remembered.")
    group.command("show", help="Print MEMORY.md; its numbers are those that why and rm take.")(_show)
    group.command("path", help="Print where MEMORY.md is.")(_path)
    group.command("edit", help="Open MEMORY.md in $VISUAL or $EDITOR.")(_edit)
    group.command("search", help="Print the lines that hold WORDS: number, section, day, text.")(_search)
    group.command("why", help="Print what a line rests on: session, time, your own words.")(_why)
    group.command("rm", help="Delete one line by its number or text, for good.")(_rm)
    group.command("test", help=TEST)(_test)
    return group


def _test(  # noqa: PLR0917 - one argument a flag
    last: Annotated[
        str, typer.Option("--last", metavar="N", help="Ask the newest N questions.", rich_help_panel=PAST)
    ] = ASKED,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before the requests.", rich_help_panel=PAST)
    ] = False,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
    profile: f.Profile = None,
    option: f.Option = None,
    max_tokens: f.MaxTokens = None,
    config: f.Config = None,
) -> f.Job:
    settings = f.settings_of(
        config,
        profile=profile,
        model__name=model,
        model__base_url=base_url,
        model__options=f.fields_of(option),
        agent__max_total_tokens=max_tokens,
    )
    wanted = count_of(last, "--last")
    if not wanted:
        raise UsageError("--last: wanted a number of questions from 1 on", "e.g. --last 10")
    from cococat.app.dream.memory_test import memory_test

    return partial(memory_test, settings, last=wanted, yes=yes)


def _show(config: f.Config = None) -> f.Job:
    from cococat.app.dream import memory

    return partial(memory.show, f.folders_of(config))


def _path(config: f.Config = None) -> f.Job:
    from cococat.app.dream import memory

    return partial(memory.path, f.folders_of(config))


def _edit(config: f.Config = None) -> f.Job:
    from cococat.app.dream import memory

    return partial(memory.edit, f.folders_of(config))


def _search(words: Words = None, config: f.Config = None) -> f.Job:
    from cococat.app.dream import memory

    return partial(memory.search, f.folders_of(config), _text(words, "cococat memory search WORDS"))


def _why(line: Line = None, config: f.Config = None) -> f.Job:
    from cococat.app.dream import memory

    return partial(memory.why, f.folders_of(config), _text(line, "cococat memory why 7, or why WORDS OF THE LINE"))


def _rm(line: Line = None, config: f.Config = None) -> f.Job:
    from cococat.app.dream import memory

    return partial(memory.rm, f.folders_of(config), _text(line, "cococat memory rm 7, or rm WORDS OF THE LINE"))


def _text(words: list[str] | None, example: str) -> str:
    """
    Read words as one text.

    Raises: UsageError: there are none.
    """
    text = " ".join(map(f.text_of, words or ())).strip()
    if not text:
        raise UsageError("no words were given", example)
    return text
