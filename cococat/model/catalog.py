"""Which models there are, how much they can hold, and which servers run on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cococat.core.model import ProviderError
from cococat.core.settings import Timeouts
from cococat.model import faults
from cococat.model.endpoint import Endpoint
from cococat.model.transport import ask_server

LOCAL_PORTS = (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("vLLM", 8000))  # best first
ABSENT = (404, 405, 501)  # what servers answer for a path that they do not have
_REFUSED = (400, 422)  # and for a question without words
PROBE_S = 0.2
LIST_S = 15.0
_LISTING_BYTES = 1 << 20
DEFAULT_WINDOW = 32_768

# tokens; the longest prefix of a name counts
_WINDOWS: Mapping[str, int] = {
    "gpt-5": 400_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-4-turbo": 128_000,
    "gpt-4": 8_192,
    "gpt-3.5": 16_385,
    "gpt-oss": 131_072,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
    "claude": 200_000,
    "gemini": 1_048_576,
    "deepseek": 128_000,
    "kimi": 131_072,
    "glm-4": 128_000,
    "qwen3": 40_960,
    "qwen2.5": 32_768,
    "llama-3.": 131_072,
    "llama3.": 131_072,
    "llama3": 8_192,
    "gemma3": 131_072,
    "gemma-3": 131_072,
    "mistral": 32_768,
    "phi4": 16_384,
    "smollm2": 8_192,
}
# where servers put the window: Groq, OpenRouter, vLLM, LM Studio, LiteLLM, llama.cpp (in `meta`)
_WINDOW_KEYS = ("context_window", "context_length", "max_model_len", "max_context_length", "max_input_tokens", "n_ctx")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that an endpoint lists; *context_window* in tokens, 0 when the endpoint does not tell."""

    name: str
    context_window: int = 0
    owner: str = ""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on this machine, and the first chat model it lists, or the one that was looked for."""

    kind: str
    base_url: str
    model: str


async def list_models(endpoint: Endpoint, timeouts: Timeouts | None = None) -> list[ModelInfo]:
    """
    Ask *endpoint* which models it has, sorted by name.

    Raises: ProviderError: it could not be asked, or its answer is no list.
    """
    response = await ask_server(endpoint, f"{endpoint.base_url.rstrip('/')}/models", timeouts or Timeouts(), LIST_S)
    rows = _rows(response.content)
    if rows is None:
        raise faults.not_a_completion(endpoint, response.headers.get("content-type", ""), response.text)
    return sorted((_info(row) for row in rows), key=lambda info: info.name)


async def takes_questions(endpoint: Endpoint) -> bool:
    """Return whether *endpoint* knows the path of questions: an empty one, which costs nothing, is refused as such."""
    try:
        await ask_server(endpoint, f"{endpoint.base_url.rstrip('/')}/chat/completions", Timeouts(), LIST_S, {})
    except ProviderError as error:
        return error.status in _REFUSED
    return True


def context_window(name: str, info: ModelInfo | None = None) -> int:
    """Tokens that the model called *name* can hold: what its server says, else what is known, else 32,768."""
    if info and info.context_window:
        return info.context_window
    short = name.rpartition("/")[2].lower()
    known = max((prefix for prefix in _WINDOWS if short.startswith(prefix)), key=len, default="")
    return _WINDOWS.get(known, DEFAULT_WINDOW)


async def find_local(ports: Sequence[tuple[str, int]] = LOCAL_PORTS, name: str = "") -> LocalServer | None:
    """
    Look for a server that answers on loopback within 0.2 s and has a model; all ports are tried side by side.

    Args:
        name: of the only model that will do; empty: any.
    """
    found = await asyncio.gather(*(_probe(kind, port, name) for kind, port in ports))
    return next((server for server in found if server), None)


async def _probe(kind: str, port: int, name: str) -> LocalServer | None:
    try:
        async with asyncio.timeout(PROBE_S):
            rows = _rows(await _get(port, "/v1/models"))
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return None
    names = [row["id"] for row in rows or ()]
    if name:
        chat = [name] if {name, f"{name}:latest"} & set(names) else []  # Ollama's tag that need not be written
    else:
        chat = [listed for listed in names if "embed" not in listed.lower()]
    return LocalServer(kind, f"http://127.0.0.1:{port}/v1", chat[0]) if chat else None


async def _get(port: int, path: str) -> bytes:
    """GET in HTTP/1.0, whose replies are never chunked, without loading an HTTP client."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\n\r\n".encode())
        await writer.drain()
        reply = bytearray()
        while len(reply) < _LISTING_BYTES and (chunk := await reader.read(1 << 16)):
            reply += chunk
    finally:
        writer.close()
    head, _, body = bytes(reply).partition(b"\r\n\r\n")
    return body if b" 200 " in head.split(b"\r\n")[0] + b" " else b""


def _rows(body: bytes) -> list[dict[str, Any]] | None:
    """The models of a listing, or None when it is none."""
    try:
        listing = json.loads(body)
    except (ValueError, RecursionError):
        return None
    rows = listing.get("data") if isinstance(listing, dict) else listing
    if not isinstance(rows, list):
        return None
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"]]


def _info(row: dict[str, Any]) -> ModelInfo:
    meta = row.get("meta")
    places = [row, meta if isinstance(meta, dict) else {}]
    sizes = [place.get(key) for key in _WINDOW_KEYS for place in places]
    window = next((size for size in sizes if isinstance(size, int) and size > 0), 0)
    owner = row.get("owned_by")
    return ModelInfo(row["id"], window, owner if isinstance(owner, str) else "")
