"""What there is to work with: the models that an endpoint lists, the tools and their permissions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from cococat.app.model_names import keep_names
from cococat.app.named_endpoint import named_endpoint
from cococat.app.open_session import root_of
from cococat.app.output import out, report
from cococat.config import Options, Settings, folders
from cococat.core.limits import StopReason
from cococat.core.model import ProviderError
from cococat.core.tools import Allow, Ask, Deny, Subject
from cococat.errors import CococatError
from cococat.model.catalog import list_models
from cococat.permissions.gate import FREE, gate
from cococat.tools.registry import ToolDeps, build, declared
from cococat.tools.web import HINT, MISSING, provider

__all__ = ["Unreachable", "models", "tools"]

SAMPLES: Mapping[Subject, str] = {"path": ".", "url": "https://example.org/", "command": "make"}


def models(settings: Settings) -> int:
    """Print the ids that the endpoint lists, one a line."""
    try:
        found = asyncio.run(list_models(named_endpoint(settings)))
    except ProviderError as error:
        raise Unreachable(error) from error
    keep_names(settings, folders(os.environ), [model.name for model in found])
    out(
        "\n".join(
            f"{model.name}{f'  {model.context_window:,} tokens' if model.context_window else ''}" for model in found
        )
    )
    return 0


def tools(settings: Settings, options: Options) -> int:
    """Print every tool, its permission as things stand, and what it does."""
    root = root_of(options)
    rules = settings.permissions
    decide = gate(rules.mode, rules.allow, rules.deny, root, declared=declared)
    lines = []
    search_url = settings.web.search_url
    for tool in build(ToolDeps(root, search_url=search_url)):
        match decide(tool, {tool.about: SAMPLES[tool.about]} if tool.about else {}):
            case Allow():
                word = "allowed"
            case Ask():
                word = "asks"
            case Deny():
                word = "denied"
        lines.append(f"{tool.name:<12} {word:<8} {tool.effect:<8} {tool.description}")
    if not provider(search_url):
        lines.append(f"{'web_search':<12} {'missing':<8} {'network':<8} {MISSING}: {HINT}")
    report("\n".join([*lines, "", f"permission {rules.mode}: {FREE[rules.mode]}"]))
    return 0


class Unreachable(CococatError):
    """The endpoint did not answer a question of ours."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__(error.problem.message, error.problem.hint)
        self.kind = error.problem.kind
        self.stop_reason = StopReason.USAGE_ERROR if self.kind == "config" else StopReason.MODEL_ERROR
