"""Where a model answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cococat.system.urls import origin_of

URL_HINT = "check --base-url: it is http(s)://HOST[:PORT] and usually ends in /v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """
    A Chat Completions endpoint and the model to ask there.

    Args:
        base_url: http or https, usually ending in /v1.
        api_key: belongs to the origin of *base_url* alone; empty for servers that want none.
        max_output_tokens: tokens of one reply; 0 = the server's own setting.
        temperature: None = the server's own setting.
        options: more fields of each request, sent as they are.
        keep_think: reasoning that the model wrote into its text stays there.
        images: `on` or `off`: whether the model takes pictures; `auto`: it is asked, or learned.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    name: str = ""
    max_output_tokens: int = 0
    temperature: float | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    keep_think: bool = False
    images: str = "auto"

    @property
    def source(self) -> str:
        """Name the endpoint and the model, without a password: what they gave goes back to them alone."""
        return f"{origin_of(self.base_url)}{urlsplit(self.base_url).path.rstrip('/')} {self.name}"
