"""What there is to work with: the models that an endpoint lists, the tools and their permissions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from cococat.app.boxing import Boxing
from cococat.app.endpoint.names import endpoint_here, keep_names
from cococat.app.endpoint.probe import Unreachable
from cococat.app.open_session import root_of
from cococat.app.output import note, out, report
from cococat.app.prompting.instructions import project_folders, skill_places
from cococat.config import Options, Settings, find_folders
from cococat.core.model import ProviderError
from cococat.core.tools import Allow, Ask, Deny, Subject, Tool
from cococat.errors import UsageError
from cococat.model.catalog import list_models
from cococat.model.endpoint import Endpoint
from cococat.model.profile import windows
from cococat.permissions.gate import FREE, Known, gate
from cococat.system.urls import host_of
from cococat.tools.registry import ToolDeps, build, declared
from cococat.tools.web import HINT, MISSING, provider

SAMPLES: Mapping[Subject, str] = {"path": ".", "url": "https://example.org/", "command": "make"}


def models(settings: Settings) -> int:
    """Print the ids that the endpoint lists, one a line, with the window where it tells that."""
    try:
        endpoint, found = asyncio.run(_listed(settings))
    except ProviderError as error:
        raise Unreachable(error) from error
    if endpoint.base_url != settings.model.base_url:
        note(f"no key or configuration: these are at {endpoint.base_url}")
    keep_names(endpoint.base_url, find_folders(os.environ), list(found))
    if not found:
        note(f"{host_of(endpoint.base_url)} answers and lists no models")
        return 0
    out("\n".join(f"{name}{f'  {window:,} tokens' if window else ''}" for name, window in found.items()))
    return 0


async def _listed(settings: Settings) -> tuple[Endpoint, dict[str, int]]:
    """The endpoint, and its models with their windows in tokens, 0 where it does not tell."""
    endpoint = await endpoint_here(settings)
    rows = await list_models(endpoint, settings.timeouts)
    silent = {model.name: model.owner for model in rows if not model.context_window}
    told = await windows(endpoint, silent, settings.timeouts)
    return endpoint, {model.name: model.context_window or told.get(model.name, 0) for model in rows}


def tools(settings: Settings, options: Options) -> int:
    """Print every tool, its permission as things stand, and what it does."""
    root = root_of(options)
    rules = settings.permissions
    boxing = Boxing(settings, find_folders(os.environ), root)
    decide = gate(rules.mode, rules.allow, rules.deny, root, declared=declared, known=Known(boxed=boxing.holds))
    lines = []
    search_url = settings.web.search_url
    for tool in (
        *build(ToolDeps(root, search_url=search_url)),
        *_of_servers(settings, root),
        *_of_skills(settings, root),
    ):
        match decide(tool, {tool.about: SAMPLES[tool.about]} if tool.about else {}):
            case Allow():
                word = "boxed" if tool.effect == "runs" and boxing.holds() else "allowed"
            case Ask():
                word = "asks"
            case Deny():
                word = "denied"
        lines.append(f"{tool.name:<12} {word:<8} {tool.effect:<8} {tool.description}")
    if not provider(search_url):
        lines.append(f"{'web_search':<12} {'missing':<8} {'network':<8} {MISSING}: {HINT}")
    report("\n".join([*lines, "", f"permission {rules.mode}: {FREE[rules.mode]}", f"box: {boxing.word}"]))
    return 0


def _of_skills(settings: Settings, root: Path) -> tuple[Tool, ...]:
    """The tool that reads skills, where there are some that may be used."""
    folders = find_folders(os.environ)
    if not (places := skill_places(folders.config_file.parent, project_folders(root))):
        return ()
    from cococat.app.skills.session import find_skills

    with suppress(UsageError):
        return find_skills(places, folders.state, str, trusted=False).tools(0)
    return ()


def _of_servers(settings: Settings, root: Path) -> tuple[Tool, ...]:
    """The tools of MCP servers, as they were agreed to; none is started."""
    if not settings.mcp:
        return ()
    from cococat.app.mcp.servers import Servers

    servers = Servers(settings, find_folders(os.environ).cache, root, str, lambda: None, lambda: None)
    return servers.tools((), react=True)
