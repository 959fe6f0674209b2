"""`models`, `tools` and `doctor`: what there is to work with."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from cococat.cli import flags as f
from cococat.config import Options

__all__ = ["doctor", "models", "tools"]

CHECKS = "Checks"  # group of the help


def models(profile: f.Profile = None, base_url: f.BaseUrl = None, config: f.Config = None) -> f.Job:
    """List what the endpoint offers."""
    from cococat.app import about

    return partial(about.models, f.settings_of(config, profile=profile, model__base_url=base_url))


def tools(
    permission: f.Permission = None,
    allow: f.Allow = None,
    root: f.Root = None,
    config: f.Config = None,
) -> f.Job:
    """List every tool with its permission."""
    from cococat.app import about

    settings = f.settings_of(config, permissions__mode=permission, permissions__allow=tuple(allow) if allow else None)
    return partial(about.tools, settings, Options(root=f.folder_of(root)))


def doctor(  # noqa: PLR0917 - one argument a flag
    as_json: Annotated[bool, typer.Option("--json", help="For machines.", rich_help_panel=CHECKS)] = False,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Check that log alone.", rich_help_panel=CHECKS)
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask the endpoint what it can really do.", rich_help_panel=CHECKS)
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before the requests of --probe.", rich_help_panel=CHECKS)
    ] = False,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
    profile: f.Profile = None,
    root: f.Root = None,
    config: f.Config = None,
) -> f.Job:
    """Check configuration, endpoint, model, terminal, folders and versions."""
    from cococat.app import doctor as checks

    if session is not None:
        wanted = f.session_id(session, "--session")
        return partial(checks.doctor_session, f.folders_of(config), wanted, as_json=as_json)
    settings = f.settings_of(config, profile=profile, model__name=model, model__base_url=base_url)
    if probe:
        from cococat.app.endpoint.probe import doctor_probe

        return partial(doctor_probe, settings, as_json=as_json, yes=yes)
    return partial(checks.doctor, settings, Options(root=f.folder_of(root)), as_json=as_json)
