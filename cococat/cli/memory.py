"""`memory`: what is remembered.

Public: commands.
"""

from __future__ import annotations

from functools import partial

import typer

from cococat import app
from cococat.cli import flags as f


def commands() -> typer.Typer:
    """The group `memory`."""
    group = typer.Typer(help="See and change what is remembered.")
    group.command("show", help="Print MEMORY.md.")(_show)
    group.command("path", help="Print where MEMORY.md is.")(_path)
    group.command("edit", help="Open MEMORY.md in $VISUAL or $EDITOR.")(_edit)
    return group


def _show(config: f.Config = None) -> f.Job:
    return partial(app.memory_show, f.settings_of(config))


def _path(config: f.Config = None) -> f.Job:
    return partial(app.memory_path, f.settings_of(config))


def _edit(config: f.Config = None) -> f.Job:
    return partial(app.memory_edit, f.settings_of(config))
