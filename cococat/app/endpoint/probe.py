"""What an endpoint can really do: a few small requests, and what came back."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial

from cococat.app.endpoint.names import endpoint_here
from cococat.app.output import agree, note, out, report
from cococat.config import Settings, find_folders
from cococat.context.overflow import window_from_error
from cococat.core.limits import Problem, StopReason
from cococat.core.messages import System, User
from cococat.core.model import CallPiece, Draft, ProviderError, ReasoningPiece, Request, TextPiece
from cococat.core.reply import Calls
from cococat.core.settings import Timeouts
from cococat.core.tools import tool
from cococat.errors import CococatError
from cococat.memory.judge.controls import judged
from cococat.memory.judge.request import Item
from cococat.model.catalog import ABSENT, ModelInfo, list_models
from cococat.model.client import ChatModel
from cococat.model.endpoint import Endpoint
from cococat.model.profile import LISTING, Profile, ask, load_profile, read, save_profile
from cococat.model.tokens import count
from cococat.protocol.written import Auto
from cococat.safety.terminal import safe
from cococat.system.urls import host_of

MAX_REQUESTS, MAX_TOKENS = 13, 4000  # of a whole probe
HUGE = 10_000_000  # tokens of a reply that no window holds
LONG_WORDS = 600  # of the prompt that a server may cut
ADAPTS = 5  # requests at most that are sent again without what the endpoint objects to
FEW, SOME, MANY = 4, 48, 96  # tokens of a reply
VERDICTS = 1000  # tokens of a judge's reply
TYPED = (  # what somebody might have typed
    "I moved from Lisbon to Porto in March 2025 with my two dogs",
    "please keep every answer below 5 sentences",
    "my sister Ana works nights as a nurse",
    "we never eat anything with peanuts at home",
)
CAPITAL: Mapping[str, object] = {
    "type": "object",
    "properties": {"capital": {"type": "string"}},
    "required": ["capital"],
    "additionalProperties": False,
}
COUNT = "Count from one to thirty in words."
CITIES = "What is the weather in Paris and in Rome? Call the tool once for each city."
FRANCE = 'Give the capital of France as JSON: {"capital": "..."}'
_CALLS = {
    "native": "tools are called as such",
    "json": "tools are called by JSON decisions",
    "text": "tools are called in words, which are read",
}


@tool("reads")
async def get_weather(city: str) -> str:
    """Return the current weather of one city."""
    return city


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """
    What a probe found; a text says how far something works, and is empty where it does not.

    Args:
        listed: models that the endpoint lists; None = it has no listing.
        calls: how this model calls tools here: `native`, `text` (in words that are read), `json` (as decisions).
        parallel: calls of one reply.
        tools_error, schema_error: what was said where one of them failed.
        max_tokens: `max_tokens` or `max_completion_tokens`, as it is taken; `ignored`; empty = refused in both names.
        window: tokens; 0 = neither told nor refused.
        window_from: `listing`, `server`, `refusal`.
        sent, read: tokens of a longer prompt, by our count and by the server's; 0 = it reports none.
        first_s: seconds to the first delta.
        per_s: tokens a second after it.
        judge: `trusted` or `untrusted` with lines of memory.
        connections: that were opened for the questions; 1 = it was used again.
    """

    listed: int | None = None
    streams: bool = False
    usage: bool = False
    calls: str = "json"
    tools: str = ""
    parallel: int = 0
    tools_error: str = ""
    schema: str = ""
    schema_error: str = ""
    reasoning: bool = False
    max_tokens: str = ""
    window: int = 0
    window_from: str = ""
    sent: int = 0
    read: int = 0
    first_s: float = 0
    per_s: float = 0
    connections: int = 0
    requests: int = 0
    tokens: int = 0
    server: str = ""
    question: str = ""
    judge: str = ""


@dataclass(slots=True)
class _Heard:
    """A reply, and when it came; *error* in its place."""

    draft: Draft
    deltas: int = 0
    first_s: float = 0
    last_s: float = 0
    error: Problem | None = None


class _Probe:
    def __init__(self, endpoint: Endpoint, timeouts: Timeouts) -> None:
        self.requests = self.connections = self.tokens = self.read = 0
        self.endpoint, self.timeouts = endpoint, timeouts
        self.model = ChatModel(endpoint, timeouts, self._heard, self._connected)

    def _heard(self, _: Request, reported: int) -> None:
        self.read = reported

    def _connected(self) -> None:
        self.connections += 1

    @property
    def asked(self) -> int:
        """Requests so far, those that were sent again included."""
        return self.requests + self.model.repeats

    async def hear(self, request: Request, most: int = 0) -> _Heard:
        """Ask, and stop reading after *most* deltas."""
        self.requests += 1
        heard, began = _Heard(Draft()), time.monotonic()
        try:
            async with aclosing(self.model.stream(request)) as pieces:
                async for piece in pieces:
                    heard.draft.add(piece)
                    if isinstance(piece, TextPiece | ReasoningPiece | CallPiece):
                        heard.deltas += 1
                        heard.last_s = time.monotonic() - began
                        heard.first_s = heard.first_s or heard.last_s
                    if most and heard.deltas >= most:
                        break
        except ProviderError as error:
            heard.error = error.problem
        usage = heard.draft.usage
        self.tokens += usage.total_tokens if usage else heard.draft.size // 4
        return heard


async def probe(endpoint: Endpoint, timeouts: Timeouts, count: Callable[[str], int]) -> ProbeResult:
    """
    Ask *endpoint* what it can do, in 13 requests and about 4,000 tokens at most.

    Args:
        count: tokens of a text.
    Raises: ProviderError: it cannot be reached, or does not answer a plain question.
    """
    asking = _Probe(endpoint, timeouts)
    try:
        found = ProbeResult()
        for ask_of in (_listing, _plain, _calls, _schema, _judge, partial(_long, count), _window):
            found = await ask_of(asking, found)
    finally:
        await asking.model.aclose()
    limit = asking.model.learned.get("other_limit")
    obeyed = "max_tokens" if limit is None else "max_completion_tokens"
    return replace(
        found,
        max_tokens="" if limit else found.max_tokens or obeyed,
        connections=asking.connections,
        requests=asking.asked,
        tokens=asking.tokens,
    )


async def _listing(asking: _Probe, found: ProbeResult) -> ProbeResult:
    """What is listed, and the window that is told there or where this server tells it."""
    asking.requests += 1
    models: list[ModelInfo] = []
    try:
        models = await list_models(asking.endpoint, asking.timeouts)
        found = replace(found, listed=len(models))
    except ProviderError as error:
        if error.status not in ABSENT:
            raise
    rows = [{"id": m.name, "owned_by": m.owner, "context_window": m.context_window} for m in models]
    told: Profile | None = read(LISTING, {"data": rows}, asking.endpoint.name)
    where = "listing"
    while told and told.question and not told.window:
        asking.requests += 1
        found, where = replace(found, server=told.server, question=told.question), "server"
        told = await ask(asking.endpoint, told.question, asking.timeouts)
    if not told:
        return found
    window_from = where if told.window else ""
    return replace(found, server=told.server, question="", window=told.window, window_from=window_from)


async def _plain(asking: _Probe, found: ProbeResult) -> ProbeResult:
    """One short answer: streaming, usage, reasoning, the limit of the reply, the time it takes."""
    heard = await asking.hear(Request((User(COUNT),), max_output_tokens=SOME), most=2 * SOME)
    if heard.error:
        raise ProviderError(heard.error)
    usage, took = heard.draft.usage, heard.last_s - heard.first_s
    tokens = usage.completion_tokens if usage else heard.deltas
    return replace(
        found,
        streams=heard.deltas > 1,
        usage=usage is not None,
        reasoning=bool(heard.draft.message().reasoning),
        max_tokens="ignored" if tokens > SOME + FEW or heard.deltas >= 2 * SOME else "",
        first_s=round(heard.first_s, 3),
        per_s=round((tokens - 1) / took, 1) if took > 0 and tokens > 1 else 0,
    )


async def _calls(asking: _Probe, found: ProbeResult) -> ProbeResult:
    """Tools, and two calls of one reply."""
    heard = await asking.hear(
        Request((User(CITIES),), tools=(get_weather.spec,), max_output_tokens=MANY), most=4 * MANY
    )
    if heard.error:
        tools = "refused" if heard.error.kind == "tools_unsupported" else "failed"
        return replace(found, calls="json", tools=tools, tools_error=heard.error.message)
    message = heard.draft.message()
    made = [call for call in message.calls if call.name == get_weather.name and _is_object(call.arguments)]
    if made:
        return replace(found, calls="native", tools="native", parallel=len(made))
    reply = Auto().read(message, (get_weather,))
    if isinstance(reply, Calls):
        return replace(found, calls="text", tools="text", parallel=len(reply.message.calls))
    return replace(found, calls="json", tools="taken, not called")


async def _schema(asking: _Probe, found: ProbeResult) -> ProbeResult:
    """A reply that has to match a JSON Schema."""
    heard = await asking.hear(Request((User(FRANCE),), schema=CAPITAL, max_output_tokens=SOME), most=4 * SOME)
    if heard.error:
        return replace(found, schema="failed", schema_error=heard.error.message)
    fits = False
    with suppress(ValueError, RecursionError):
        said = json.loads(heard.draft.message().text)
        fits = isinstance(said, dict) and list(said) == ["capital"] and isinstance(said["capital"], str)
    if "response_format" in asking.model.learned:
        return replace(found, schema="refused")
    return replace(found, schema="obeyed" if fits else "ignored")


async def _judge(asking: _Probe, found: ProbeResult) -> ProbeResult:
    """Lines of memory whose judgement is known, as a dream mixes them with its own."""

    async def judge(system: str, user: str, schema: Mapping[str, object]) -> str:
        heard = await asking.hear(Request((System(system), User(user)), schema=schema, max_output_tokens=VERDICTS))
        return "" if heard.error else heard.draft.message().text

    own = [Item(f"- {text}", sentence=text, typed=text, quote=text) for text in TYPED]
    passed = (await judged(judge, (), own, secrets.token_hex(16))).controlled
    return replace(found, judge="trusted" if passed else "untrusted")


async def _long(count: Callable[[str], int], asking: _Probe, found: ProbeResult) -> ProbeResult:
    """A longer prompt: whether all of it is read."""
    if 0 < found.window < 2 * LONG_WORDS:
        return found
    text = "word " * LONG_WORDS + "Answer with one word: ok."
    heard = await asking.hear(Request((User(text),), max_output_tokens=FEW), most=2 * FEW)
    return replace(found, sent=count(text), read=asking.read if heard.draft.usage and not heard.error else 0)


async def _window(asking: _Probe, found: ProbeResult) -> ProbeResult:
    """Where no window was told: a refusal of a reply that is longer than any, which costs nothing."""
    left = ADAPTS - asking.model.repeats
    if found.window or found.max_tokens == "ignored" or asking.asked + 1 + left > MAX_REQUESTS:
        return found
    heard = await asking.hear(Request((User("hi"),), max_output_tokens=HUGE), most=1)
    window = window_from_error(heard.error.message) if heard.error else None
    return replace(found, window=window, window_from="refusal") if window else found


def _is_object(text: str) -> bool:
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(text), dict)
    return False


def calls_here(settings: Settings) -> str:
    """How tools are called at the configured endpoint, in one word; empty while no probe and no refusal has told."""
    if settings.model.protocol != "auto":
        return settings.model.protocol
    return load_profile(find_folders(os.environ).cache, settings.model.base_url, settings.model.name, time.time()).calls


def doctor_probe(settings: Settings, *, as_json: bool, yes: bool) -> int:
    """
    Print what the endpoint can do; 0 when it answers a plain question.

    Raises:
        UsageError: there is none.
        ConsentError: nobody agreed to the requests.
        CococatError: it cannot be reached, or does not answer.
    """
    endpoint, cache = asyncio.run(endpoint_here(settings)), find_folders(os.environ).cache
    cost = f"{host_of(endpoint.base_url)} gets {MAX_REQUESTS} small requests at most, of {MAX_TOKENS:,} tokens together"
    if yes:
        note(cost)
    else:
        agree(f"{cost}. Go on?")
    try:
        found = asyncio.run(probe(endpoint, settings.timeouts, lambda text: count(text, endpoint.name, folder=cache)))
    except ProviderError as error:
        raise Unreachable(error) from error
    now = time.time()
    profile = Profile(found.window, found.question, found.server, found.calls, judge=found.judge, judged=int(now))
    save_profile(cache, endpoint.base_url, endpoint.name, profile, now)
    if as_json:
        asked = {"base_url": endpoint.base_url, "model": endpoint.name}
        out(json.dumps({"ok": True, **asked, "probe": asdict(found)}, indent=2))
        return 0
    rows = [f"{name:<12} {safe(said)}" for name, said in _rows(found)]
    report("\n".join([f"{endpoint.name} at {endpoint.base_url}", *rows]))
    note(f"{found.requests} requests, {found.tokens:,} tokens; kept for a week: `auto` goes by it")
    return 0


def _rows(found: ProbeResult) -> Iterator[tuple[str, str]]:
    server = f" by {found.server}" if found.server else ""
    yield "models", f"{found.listed} listed{server}" if found.listed is not None else "no listing"
    yield "streaming", "yes" if found.streams else "no: a reply comes in one piece"
    yield "usage", "in the stream" if found.usage else "none: tokens are estimated"
    yield "tools", _tools(found)
    yield "JSON schema", _with_reason(found.schema, found.schema_error)
    yield "judge", f"{found.judge}: of what is remembered of you"
    yield "reasoning", "in a field or tags of its own" if found.reasoning else "none seen"
    yield "max_tokens", {"": "refused in both names", "max_tokens": "obeyed"}.get(found.max_tokens, found.max_tokens)
    window = f"{found.window:,} tokens, told by its {found.window_from}"
    yield "window", window if found.window else "not told; set model.context_window"
    yield "long prompt", _long_prompt(found)
    pace = f", then {found.per_s:g} tokens a second" if found.per_s else ""
    yield "first delta", f"{found.first_s:.2f} s{pace}"
    yield "connection", "used again" if found.connections == 1 else f"opened {found.connections} times"
    yield "so", f"{found.calls}: {_CALLS[found.calls]}"


def _with_reason(what: str, error: str) -> str:
    return f"failed: {error}" if what == "failed" and error else what


def _tools(found: ProbeResult) -> str:
    if found.tools not in ("native", "text"):
        return _with_reason(found.tools, found.tools_error)
    return f"{found.tools}, {found.parallel} call{'' if found.parallel == 1 else 's'} in one reply when two were wanted"


def _long_prompt(found: ProbeResult) -> str:
    if not found.sent:
        return f"not tried: the window is near {LONG_WORDS} tokens"
    if not found.read:
        return "not told what is read of it"
    cut = "cut: " if found.read * 2 < found.sent else ""
    return f"{cut}{found.read:,} tokens read of about {found.sent:,}"


class Unreachable(CococatError):
    """The endpoint did not answer a question of ours."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__(error.problem.message, error.problem.hint)
        self.kind = error.problem.kind
        self.stop_reason = StopReason.USAGE_ERROR if self.kind == "config" else StopReason.MODEL_ERROR
