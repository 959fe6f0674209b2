"""`sessions`: what was said.

Public: commands.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from cococat import app
from cococat.cli import flags as f
from cococat.errors import UsageError

FORMS = ("md", "json", "html")


def commands() -> typer.Typer:
    """The group `sessions`."""
    group = typer.Typer(help="Look at what was said.")
    group.command("list", help="List the sessions, newest first.")(_list)
    group.command("show", help="Print session ID, or the one that begins so.")(_show)
    group.command("export", help="Print session ID as Markdown, JSON or HTML.")(_export)
    return group


def _list(config: f.Config = None) -> f.Job:
    return partial(app.sessions_list, f.settings_of(config))


def _show(session: Annotated[str, typer.Argument(metavar="ID", hidden=True)], config: f.Config = None) -> f.Job:
    return partial(app.sessions_show, f.settings_of(config), f.session_id(session))


def _export(
    session: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    form: Annotated[str, typer.Option("--format", metavar="md|json|html", help="As what.")] = "md",
    config: f.Config = None,
) -> f.Job:
    wanted = f.session_id(session)
    if form not in FORMS:
        raise UsageError(f"--format: wanted one of md, json, html, got {ascii(form)[:40]}", "e.g. --format md")
    return partial(app.sessions_export, f.settings_of(config), wanted, form)
