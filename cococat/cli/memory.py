"""`memory`: what is remembered."""

from __future__ import annotations

from functools import partial
from typing import Annotated, TypeAlias

import typer

from cococat.cli import flags as f
from cococat.errors import UsageError

__all__ = ["commands"]

Words: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="WORDS", hidden=True)]
Line: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="LINE_OR_TEXT", hidden=True)]


def commands() -> typer.Typer:
    """The group `memory`."""
    group = typer.Typer(help="See and change what is remembered.")
    group.command("show", help="Print MEMORY.md.")(_show)
    group.command("path", help="Print where MEMORY.md is.")(_path)
    group.command("edit", help="Open MEMORY.md in $VISUAL or $EDITOR.")(_edit)
    group.command("search", help="Print the lines that hold WORDS: number, section, day, text.")(_search)
    group.command("why", help="Print what a line rests on: session, time, your own words.")(_why)
    group.command("rm", help="Delete one line by its number or text, for good.")(_rm)
    return group


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
