"""Which endpoint the settings name, and what they say of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cococat.config import Settings, key_for
from cococat.errors import UsageError

if TYPE_CHECKING:
    from cococat.model.endpoint import Endpoint

__all__ = ["NO_MODEL", "endpoint_here", "endpoint_of", "named_endpoint", "named_model"]

NO_MODEL = (
    'export OPENAI_API_KEY=…, or cococat ask --base-url http://127.0.0.1:11434/v1 -m NAME "…" for a server of yours,'
    "\n        or pip install 'cococat[local]' for a small model that runs here"
)


def named_endpoint(settings: Settings) -> Endpoint:
    """
    Return the endpoint that the settings name.

    Raises: UsageError: they name none.
    """
    if key_for(settings, os.environ) is None and settings.origins["model.base_url"].kind == "default":
        raise UsageError("no endpoint is configured and there is no key", NO_MODEL)
    return endpoint_of(settings)


async def endpoint_here(settings: Settings) -> Endpoint:
    """
    Return the endpoint that the settings name, else a server of this machine.

    Raises: UsageError: there is neither.
    """
    from cococat.model.catalog import find_local

    try:
        return named_endpoint(settings)
    except UsageError:
        if not (local := await find_local(name=named_model(settings))):
            raise
        return endpoint_of(settings, local.base_url, local.model)


def named_model(settings: Settings) -> str:
    """Return the model that a flag, a variable, a profile or the config names: no other may answer; empty: none is named."""
    return settings.model.name if settings.origins["model.name"].kind != "default" else ""


def endpoint_of(settings: Settings, base_url: str = "", name: str = "") -> Endpoint:
    """Return the endpoint of *settings*, or with its ways another one, which gets no key."""
    from cococat.model.endpoint import Endpoint

    model, key = settings.model, None if base_url else key_for(settings, os.environ)
    return Endpoint(
        base_url=base_url or model.base_url,
        api_key=key.reveal() if key else "",
        name=name or model.name,
        max_output_tokens=model.max_output_tokens,
        temperature=model.temperature,
        options=model.options,
        keep_think=model.keep_think,
    )
