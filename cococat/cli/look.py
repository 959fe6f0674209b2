"""`models`, `tools` and `doctor`: what there is to work with.

Public: models, tools, doctor.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from cococat import app
from cococat.cli import flags as f
from cococat.config import Options


def models(profile: f.Profile = None, base_url: f.BaseUrl = None, config: f.Config = None) -> f.Job:
    """List what the endpoint offers."""
    return partial(app.models, f.settings_of(config, profile=profile, model__base_url=base_url))


def tools(
    permission: f.Permission = None,
    allow: f.Allow = None,
    root: f.Root = None,
    config: f.Config = None,
) -> f.Job:
    """List every tool with its permission."""
    settings = f.settings_of(config, permissions__mode=permission, permissions__allow=tuple(allow) if allow else None)
    return partial(app.tools, settings, Options(root=f.folder_of(root)))


def doctor(  # noqa: PLR0917 - one argument a flag
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Check that log alone.")] = None,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
    profile: f.Profile = None,
    root: f.Root = None,
    config: f.Config = None,
) -> f.Job:
    """Check configuration, endpoint, model, terminal, folders and versions."""
    if session is not None:
        wanted = f.session_id(session, "--session")
        return partial(app.doctor_session, f.settings_of(config), wanted, as_json=as_json)
    settings = f.settings_of(config, profile=profile, model__name=model, model__base_url=base_url)
    return partial(app.doctor, settings, Options(root=f.folder_of(root)), as_json=as_json)
