"""`sessions`: what was said."""

from __future__ import annotations

from functools import partial
from typing import Annotated, TypeAlias

import typer

from cococat.cli import flags as f
from cococat.cli.units import bytes_of, count_of, days_of
from cococat.errors import UsageError

__all__ = ["commands"]

FORMS = ("md", "json", "html")
FOUND = "20"  # sessions that a search prints
SEARCH = """
Find what you or a model said.

WORDS stand in one message; "phrases in quotes" and beginnings like word* may be among them.

Capitals and accents make no difference. The newest session comes first.
"""
DELETE = """
Delete sessions for good, with what their tools kept.

No dream reads what was said in them any more. Lines of the memory that rest on them alone are named, and go with
`cococat dream --review`.
"""
PRUNE = """
Delete old sessions; none that is open.

Without flags the limits are sessions.keep_days, keep_count and keep_bytes of the config. Those are also applied
whenever a chat ends. 0 is no limit.
"""

Id: TypeAlias = Annotated[str, typer.Argument(metavar="ID", hidden=True)]
Ids: TypeAlias = Annotated[list[str], typer.Argument(metavar="ID...", hidden=True)]
Words: TypeAlias = Annotated[list[str], typer.Argument(metavar="WORDS", hidden=True)]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def commands() -> typer.Typer:
    """The group `sessions`."""
    group = typer.Typer(help="Look at what was said, and clear it away.")
    group.command("list", help="List the sessions, newest first; on a terminal the newest 50.")(_list)
    group.command("search", help=SEARCH)(_search)
    group.command("show", help="Print session ID, or the one that begins so.")(_show)
    group.command("export", help="Print session ID as Markdown, JSON or HTML.")(_export)
    group.command("delete", help=DELETE)(_delete)
    group.command("prune", help=PRUNE)(_prune)
    group.command("repair", help="Fix the log of session ID, and say what was fixed.")(_repair)
    return group


def _list(
    limit: Annotated[str | None, typer.Option("--limit", metavar="N", help="The newest N alone.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them, on a terminal too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    config: f.Config = None,
) -> f.Job:
    if every and limit is not None:
        raise UsageError("--all and --limit contradict each other", "give one of them")
    most = 0 if every else count_of(limit, "--limit")
    from cococat.app.sessions import browse

    return partial(browse.list_all, f.folders_of(config), limit=most, as_json=as_json)


def _search(
    words: Words,
    limit: Annotated[str, typer.Option("--limit", metavar="N", help="Sessions at most; 0: all.")] = FOUND,
    config: f.Config = None,
) -> f.Job:
    wanted = " ".join(map(f.text_of, words))
    from cococat.app.sessions import browse

    return partial(browse.search, f.folders_of(config), wanted, limit=count_of(limit, "--limit") or 0)


def _show(session: Id, config: f.Config = None) -> f.Job:
    from cococat.app.sessions.browse import show

    return partial(show, f.folders_of(config), f.session_id(session))


def _export(
    session: Id,
    form: Annotated[str, typer.Option("--format", metavar="md|json|html", help="As what.")] = "md",
    raw: Annotated[bool, typer.Option("--raw", help="json: with what providers gave with messages.")] = False,
    config: f.Config = None,
) -> f.Job:
    wanted = f.session_id(session)
    if form not in FORMS:
        raise UsageError(f"--format: wanted one of md, json, html, got {ascii(form)[:40]}", "e.g. --format md")
    from cococat.app.sessions.browse import export

    return partial(export, f.folders_of(config), wanted, form, raw=raw)


def _delete(sessions: Ids, yes: Yes = False, config: f.Config = None) -> f.Job:
    from cococat.app.sessions import prune

    return partial(prune.delete, f.folders_of(config), tuple(map(f.session_id, sessions)), yes=yes)


def _prune(  # noqa: PLR0917 - one argument a flag
    older: Annotated[str | None, typer.Option("--older-than", metavar="30d", help="Not used for so long.")] = None,
    keep: Annotated[str | None, typer.Option("--keep", metavar="N", help="All but the newest N.")] = None,
    most: Annotated[
        str | None, typer.Option("--max-bytes", metavar="500MB", help="The oldest beyond this size.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    yes: Yes = False,
    config: f.Config = None,
) -> f.Job:
    from cococat.app.sessions.prune import Keep, prune

    limits = Keep(days_of(older, "--older-than"), count_of(keep, "--keep"), bytes_of(most, "--max-bytes"))
    return partial(prune, f.settings_of(config), limits, dry_run=dry_run, yes=yes)


def _repair(session: Id, config: f.Config = None) -> f.Job:
    from cococat.app.sessions import prune

    return partial(prune.repair, f.folders_of(config), f.session_id(session))
