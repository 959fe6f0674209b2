"""Which endpoint the settings name, and what they say of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cococat.config import Settings, key_for
from cococat.errors import UsageError

if TYPE_CHECKING:
    from cococat.model.endpoint import Endpoint

__all__ = ["NO_MODEL", "endpoint_of", "named_endpoint"]

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
