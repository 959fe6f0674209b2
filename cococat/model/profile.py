"""What an endpoint was found to be: asked once, kept for a week, corrected by what it says later."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cococat.core.model import ProviderError
from cococat.core.settings import Timeouts
from cococat.model.endpoint import Endpoint
from cococat.model.transport import ask_server
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.text import json_object
from cococat.system.urls import origin_of

FILE = "endpoints.json"
MAX_AGE_S = 7 * 24 * 3600
MAX_BYTES = 1 << 20  # of the file, and of an answer
MAX_KEPT = 200  # endpoints and models
MAX_WINDOW = 100_000_000  # tokens that can be meant
ASK_S = 5.0
CALLS = ("native", "json", "text")  # of tools: as such, as JSON decisions, in words that are read
JUDGES = ("trusted", "untrusted")
LISTING, PROPS = "/models", "/props"  # the first below the base URL, all others below the origin
OLLAMA_LOADED, OLLAMA_MODEL = "/api/ps", "/api/show"
LM_STUDIO, LM_STUDIO_OLDER = "/api/v1/models", "/api/v0/models"
# who owns the models of a listing, and where that server tells the window it serves
_OWNERS: Mapping[str, str] = {"llamacpp": PROPS, "library": OLLAMA_LOADED, "organization_owner": LM_STUDIO}
_PORTS: Mapping[int, str] = {11434: OLLAMA_LOADED, 1234: LM_STUDIO}
_SERVERS: Mapping[str, str] = {
    "llamacpp": "llama.cpp", "library": "Ollama", "organization_owner": "LM Studio", "vllm": "vLLM", "sglang": "SGLang",
    PROPS: "llama.cpp", OLLAMA_LOADED: "Ollama", OLLAMA_MODEL: "Ollama", LM_STUDIO: "LM Studio",
    LM_STUDIO_OLDER: "LM Studio",
}  # fmt: skip
# where servers tell what their listing does not: whether a model takes pictures
_SIGHT: Mapping[str, str] = {"llama.cpp": PROPS, "Ollama": OLLAMA_MODEL, "LM Studio": LM_STUDIO}
_REPLIES = ("max_output_tokens", "max_completion_tokens")  # how a listing calls the limit of a reply
_AFTER: Mapping[str, str] = {OLLAMA_LOADED: OLLAMA_MODEL, LM_STUDIO: LM_STUDIO_OLDER}


@dataclass(frozen=True, slots=True)
class Profile:
    """
    What is known of a model at an endpoint.

    Args:
        window: tokens that it serves; 0 = it did not tell.
        question: the path to ask next; empty = there is nothing more to ask.
        server: the program that answers, as its makers write it; empty = it did not tell.
        calls: how it was seen to call tools, one of `CALLS`; empty = that is not known.
        assumed: tokens of a window that it refused too long a request without naming; 0 = it never did.
        learned: how its requests have to be made, as `model.adapt` names it.
        max_reply: tokens of one reply that it allows; 0 = it did not tell.
        judge: whether it was seen to judge lines of memory right, one of `JUDGES`; empty = that is not known.
        judged: when, in seconds since 1970.
        dreams: that were dreamed since.
    """

    window: int = 0
    question: str = LISTING
    server: str = ""
    calls: str = ""
    assumed: int = 0
    learned: Mapping[str, str] = field(default_factory=dict)
    max_reply: int = 0
    judge: str = ""
    judged: int = 0
    dreams: int = 0


def load_profile(folder: Path, base_url: str, model: str, now: float) -> Profile:
    """Read what was found less than a week ago; where there is nothing, what to ask first."""
    entry = _read(folder).get(_key(base_url, model))
    match entry:
        case {"window": int(window), "question": str(question), "at": int() | float() as at, **more} if (
            0 <= now - at < MAX_AGE_S and 0 <= window <= MAX_WINDOW
        ):
            server, calls = _one_of(_SERVERS.values(), more.get("server")), _one_of(CALLS, more.get("calls"))
            said = more.get("learned")
            learned = {str(name): str(value) for name, value in said.items()} if isinstance(said, dict) else {}
            judge, judged, dreams = (
                _one_of(JUDGES, more.get("judge")),
                _size(entry, "judged", now),
                _size(entry, "dreams"),
            )
            assumed, max_reply = _size(entry, "assumed"), _size(entry, "max_reply")
            return Profile(window, question, server, calls, assumed, learned, max_reply, judge, judged, dreams)
        case _:
            question = _PORTS.get(_port(base_url), LISTING)
            return Profile(question=question, server=_SERVERS.get(question, ""))


def _one_of(words: Iterable[str], said: object) -> str:
    return next((word for word in words if word == said), "")


def save_profile(folder: Path, base_url: str, model: str, profile: Profile, now: float) -> None:
    """Write down what was found; where nothing can be written, it is asked again."""
    entries = _read(folder)
    entries[_key(base_url, model)] = {**asdict(profile), "at": int(now)}
    newest = dict(list(entries.items())[-MAX_KEPT:])
    with suppress(OSError):
        write_atomic(private_dir(folder) / FILE, json.dumps(newest, indent=1).encode())


async def ask(endpoint: Endpoint, question: str, timeouts: Timeouts) -> Profile | None:
    """
    Ask *endpoint* for the window of its model, in one request.

    Returns: None when it could not be asked.
    """
    told, said = await _told(endpoint, question, timeouts)
    return read(question, said, endpoint.name) if told else None


async def takes_images(endpoint: Endpoint, timeouts: Timeouts) -> bool | None:
    """Ask *endpoint* whether its model takes pictures, in two requests at most; None where it does not tell."""
    _, said = await _told(endpoint, LISTING, timeouts)
    row = _row(said, endpoint.name, listed=False)
    told = _takes_images(row)
    server = _SERVERS.get(str(row.get("owned_by"))) or _SERVERS.get(_PORTS.get(_port(endpoint.base_url), ""), "")
    if told is None and (question := _SIGHT.get(server)):
        _, said = await _told(endpoint, question, timeouts)
        about = _row(said, endpoint.name, listed=True) if question == LM_STUDIO else said
        told = _takes_images(about if isinstance(about, dict) else {})
    return told


def _takes_images(about: Mapping[str, Any]) -> bool | None:
    """Read what a server says *about* a model or itself."""
    for place in (about, about.get("architecture")):
        match place:
            case {"input_modalities": list(kinds)}:  # OpenRouter
                return "image" in kinds
            case {"modalities": {"vision": bool(sees)}} | {"capabilities": {"vision": bool(sees)}}:
                return sees  # llama.cpp; Mistral, LM Studio
            case {"capabilities": list(can)} if "completion" in can and "owned_by" not in about:  # Ollama
                return "vision" in can
            case _:
                pass
    return None


async def windows(endpoint: Endpoint, owners: Mapping[str, str], timeouts: Timeouts) -> dict[str, int]:
    """
    Ask *endpoint* for the windows that its listing does not tell, one request for all models where one tells of all.

    Args:
        owners: of the models, by their names, as the listing has them.
    Returns: tokens of each model whose window it told.
    """
    first, answers, few = _PORTS.get(_port(endpoint.base_url), ""), dict[str, asyncio.Task[Any]](), asyncio.Semaphore(4)

    async def window(name: str, question: str) -> int:
        while question:
            key = f"{question} {name}" if question == OLLAMA_MODEL else question
            async with few:
                if key not in answers:
                    answers[key] = asyncio.ensure_future(_told(replace(endpoint, name=name), question, timeouts))
                _, said = await answers[key]
            found = read(question, said, name, listed=True)
            if found.window:
                return found.window
            question = found.question
        return 0

    sizes = await asyncio.gather(*(window(name, first or _OWNERS.get(owner, "")) for name, owner in owners.items()))
    return {name: size for name, size in zip(owners, sizes, strict=True) if size}


async def _told(endpoint: Endpoint, question: str, timeouts: Timeouts) -> tuple[bool, object]:
    """Whether *question* was answered, and how: None where the server does not know the path."""
    parts = urlsplit(endpoint.base_url)
    below = endpoint.base_url.rstrip("/") if question == LISTING else f"{parts.scheme}://{parts.netloc}"
    body = {"model": endpoint.name} if question == OLLAMA_MODEL else None
    try:
        response = await ask_server(endpoint, below + question, timeouts, ASK_S, body)
        return True, json.loads(response.content) if len(response.content) <= MAX_BYTES else None
    except ProviderError as error:
        return bool(error.status), None  # whatever comes next may be asked another time
    except (ValueError, RecursionError):
        return False, None


def read(question: str, said: object, model: str, *, listed: bool = False) -> Profile:
    """Read the answer to *question*; *listed*: *model* is called there as in the listing."""
    row = _row(said, model, listed=listed)
    match question:
        case "/props":
            settings = said.get("default_generation_settings") if isinstance(said, dict) else None
            window = _size(settings, "n_ctx") or _size(said, "n_ctx")
        case "/api/show":
            parameters = said.get("parameters") if isinstance(said, dict) else None
            found = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(parameters or ""), re.MULTILINE)
            window = int(found[1]) if found else 0
        case "/api/v1/models":
            window = max(
                (_size(loaded.get("config"), "context_length") for loaded in _objects(row, "loaded_instances")),
                default=0,
            )
        case "/api/v0/models":
            window = _size(row, "loaded_context_length")
        case "/api/ps":
            window = _size(row, "context_length")
        case _:
            served = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
            window = next((size for key in served if (size := _size(row, key))), 0) or _size(row.get("meta"), "n_ctx")
            owner = str(row.get("owned_by"))
            places = [(shape, key) for shape in (row, row.get("top_provider"), row.get("limits")) for key in _REPLIES]
            reply = next((size for shape, key in places if (size := _size(shape, key))), 0)
            question = "" if window else _OWNERS.get(owner, "")
            return Profile(window, question, _SERVERS.get(owner, ""), max_reply=reply)
    return Profile(window, "" if window else _AFTER.get(question, ""), _SERVERS[question])


def _row(said: object, model: str, *, listed: bool) -> Mapping[str, Any]:
    """What a listing says of *model*; if it is not *listed*, of the only one there is, whatever it is called."""
    rows = [*_objects(said, "data"), *_objects(said, "models")]
    for row in rows:
        if model in (row.get("id"), row.get("key"), row.get("model"), row.get("name")):
            return row
    return rows[0] if len(rows) == 1 and not listed else {}


def _objects(said: object, key: str) -> list[dict[str, Any]]:
    rows = said.get(key) if isinstance(said, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _size(said: object, key: str, most: float = MAX_WINDOW) -> int:
    size = said.get(key) if isinstance(said, dict) else None
    return size if isinstance(size, int) and 0 < size <= most else 0


def _read(folder: Path) -> dict[str, Any]:
    with suppress(OSError), (folder / FILE).open("rb") as stream:
        return json_object(stream.read(MAX_BYTES)) or {}
    return {}


def _key(base_url: str, model: str) -> str:
    return f"{origin_of(base_url)} {model}"


def _port(base_url: str) -> int:
    try:
        return urlsplit(base_url).port or 0
    except ValueError:
        return 0
