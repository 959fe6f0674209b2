"""A model behind the Chat Completions API, reached with the openai SDK."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from cococat.core.model import (
    CallPiece,
    ExtraPiece,
    FinishPiece,
    Piece,
    ProviderError,
    ReasoningPiece,
    Request,
    TextPiece,
    UsagePiece,
)
from cococat.core.settings import Timeouts
from cococat.model import faults, wire
from cococat.model.endpoint import Endpoint
from cococat.model.extra import Extras
from cococat.model.sse import Events, Garbled
from cococat.model.thinking import Thinking
from cococat.model.transport import Refusal, new_http_client
from cococat.model.watchdog import Silence, Watchdog

if TYPE_CHECKING:
    from openai import AsyncAPIResponse, AsyncOpenAI

__all__ = ["ChatModel", "Endpoint", "Timeouts", "preload"]

DONE_S = 0.5  # after `[DONE]`, for the end of the transfer, so that the connection can be used again
FINISHED_S = 5.0  # after finish_reason, for the usage
_UNREADABLE = (400, 422, 500)  # what servers answer that cannot read the arguments of an earlier call
# sent until the endpoint objects; the second where it objected to the first
_ADAPTABLE = ("max_tokens", "max_completion_tokens", "stream_options", "temperature", "response_format")
_ALSO_NAMED = {"max_tokens": "max_completion_tokens", "response_format": "json_schema"}  # in what it says


def preload() -> None:
    """Import what the first request needs, 0.4 s; for a background thread."""
    import httpx2  # noqa: F401 - see above
    import openai.resources.chat.completions  # noqa: F401 - see above


class ChatModel:
    """
    Implements `core.model.Model` for one endpoint.

    Requests are sent once: whoever calls decides about retries. The connection is kept for the next
    request. What the endpoint was seen not to accept is remembered and no longer sent.

    Args:
        heard: told of each request how many prompt tokens the server reports of it.
        connected: told of each connection that is opened.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        timeouts: Timeouts | None = None,
        heard: Callable[[Request, int], object] | None = None,
        connected: Callable[[], object] | None = None,
    ) -> None:
        self._heard, self._connected = heard, connected
        self.endpoint = endpoint
        self._timeouts = timeouts or Timeouts()
        self._client: AsyncOpenAI | None = None
        self._refused: set[str] = set()
        self._wrap_broken = False
        self._agentic = False  # tools or decisions were asked for: the text is read, and not passed on byte for byte

    @property
    def left_out(self) -> frozenset[str]:
        """Fields of a request that the endpoint was seen not to accept; each cost one request."""
        return frozenset(self._refused)

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        """
        Send *request* and yield the reply as it arrives.

        Raises: ProviderError: it failed, or it ended before it was complete.
        """
        if error := faults.unusable(self.endpoint):
            raise error
        watchdog = Watchdog(self._timeouts)
        async with AsyncExitStack() as stack:
            response = await self._open(stack, request, watchdog)
            self._agentic |= bool(request.tools or request.schema)
            thinking = Thinking() if self._agentic and not self.endpoint.keep_think else None
            reply = _Reply(self.endpoint, watchdog, response.headers.get("content-type", ""), thinking)
            body = response.iter_bytes()
            while (chunk := await self._next(body, reply)) is not None:
                for piece in reply.read(chunk):
                    if isinstance(piece, UsagePiece) and self._heard:
                        self._heard(request, piece.usage.prompt_tokens)
                    yield piece
            for piece in reply.end():
                yield piece

    async def _open(self, stack: AsyncExitStack, request: Request, watchdog: Watchdog) -> AsyncAPIResponse[Any]:
        """Send the request, again without what the endpoint objects to, until the head of the reply is there."""
        while True:
            try:
                create = self._sdk().chat.completions.with_streaming_response.create
                # as extra_body: the SDK would walk through every message, 85 ms for 600 of them
                sending = create(model=self.endpoint.name, messages=[], stream=True, extra_body=self._body(request))
                return await watchdog.wait(stack.enter_async_context(sending))
            except Refusal as refusal:
                error = faults.from_refusal(self.endpoint, refusal, time.time())
                if not (self._adapt(error, refusal.body) or self._wrap(error, request)):
                    raise error from None
            except Silence as silence:
                raise faults.from_silence(self.endpoint, silence) from None
            except _network_errors() as broken:
                raise faults.from_network(self.endpoint, broken) from None

    async def _next(self, body: AsyncIterator[bytes], reply: _Reply) -> bytes | None:
        """The next part of the body, None at its end; how a complete reply ends makes no difference."""
        try:
            return await reply.watchdog.wait(anext(body), reply.patience_s)
        except StopAsyncIteration:
            return None
        except Silence as silence:
            if reply.patience_s:
                return None
            raise faults.from_silence(self.endpoint, silence) from None
        except _network_errors() as broken:
            if reply.patience_s:
                return None
            raise faults.from_network(self.endpoint, broken) from None

    def _sdk(self) -> AsyncOpenAI:
        if self._client is None:
            from openai import AsyncOpenAI

            self._client = AsyncOpenAI(
                base_url=self.endpoint.base_url,
                api_key=self.endpoint.api_key or "none",
                max_retries=0,
                # without this, OPENAI_CUSTOM_HEADERS could put another key in its place
                default_headers={"Authorization": f"Bearer {self.endpoint.api_key or 'none'}"},
                http_client=new_http_client(self.endpoint, self._timeouts, self._connected),
            )
        return self._client

    def _body(self, request: Request) -> dict[str, Any]:
        body = wire.body_of(request, self.endpoint.name, wrap_broken=self._wrap_broken, source=self.endpoint.source)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        if self.endpoint.temperature is not None:
            body["temperature"] = self.endpoint.temperature
        if tokens := request.max_output_tokens or self.endpoint.max_output_tokens:
            body["max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"] = tokens
        return {field: value for field, value in body.items() if field not in self._refused} | dict(
            self.endpoint.options
        )

    def _wrap(self, error: ProviderError, request: Request) -> bool:
        """Return whether arguments that are no JSON may be why *request* was refused; they go in an object from now on."""
        suspect = error.status in _UNREADABLE and error.problem.kind in ("bad_request", "server")
        if self._wrap_broken or not suspect or not wire.has_broken_arguments(request):
            return False
        self._wrap_broken = True
        return True

    def _adapt(self, error: ProviderError, said: str) -> bool:
        """Remember what the endpoint objects to; say whether leaving it out is worth another request."""
        if error.status not in (400, 422) or error.problem.kind not in ("bad_request", "tools_unsupported"):
            return False
        for field in _ADAPTABLE:
            named = field in said or _ALSO_NAMED.get(field, field) in said
            sent = field != "max_completion_tokens" or "max_tokens" in self._refused
            if named and sent and field not in self._refused and not (field in _ADAPTABLE[:2] and "too large" in said):
                self._refused.add(field)
                return True
        return False


class _Reply:
    """One reply, as far as it has arrived."""

    def __init__(self, endpoint: Endpoint, watchdog: Watchdog, content_type: str, thinking: Thinking | None) -> None:
        self.watchdog = watchdog
        self._endpoint = endpoint
        self._content_type = content_type
        self._thinking = thinking
        self._extras = Extras(endpoint.source)
        self._events = Events()
        self._finished = False  # the model said that it is done
        self._something = False  # text or a call arrived

    @property
    def patience_s(self) -> float:
        """Seconds to wait for what is left of a complete reply, the usage and the end; 0 while it is incomplete."""
        if self._events.done and (self._finished or self._something):
            return DONE_S
        return FINISHED_S if self._finished else 0

    def read(self, chunk: bytes) -> Iterator[Piece]:
        """Read the next part of the body."""
        self.watchdog.got_bytes()
        yield from self._pieces(self._events.feed(chunk))

    def end(self) -> Iterator[Piece]:
        """Read what the end completes, and judge whether the reply is whole."""
        yield from self._pieces(self._events.end())
        if not self._events.seen and (whole := self._events.as_object()):
            yield from self._pieces(iter([whole]))
        if self._thinking:
            yield from self._thinking.end()
        yield from self._extra()
        if self._finished:
            return
        if self._events.done and self._something:  # some servers leave finish_reason out
            yield FinishPiece("stop")
        elif not self._events.seen and not self._something:
            raise faults.not_a_completion(self._endpoint, self._content_type, self._events.stray())
        else:
            raise faults.cut(self._endpoint)

    def _separated(self, piece: Piece) -> Iterator[Piece]:
        """Tell reasoning in the text from the text."""
        match piece:
            case TextPiece(text, refusal=False) if self._thinking:
                yield from self._thinking.feed(text)
            case CallPiece() | FinishPiece() if self._thinking:
                yield from self._thinking.end()
                yield piece
            case _:
                yield piece

    def _pieces(self, events: Iterator[dict[str, Any]]) -> Iterator[Piece]:
        try:
            for event in events:
                self.watchdog.got_data()
                if error := wire.error_of(event):
                    raise faults.from_event(self._endpoint, error, time.time())
                self._extras.take(wire.delta_of(event))
                for piece in wire.pieces_of(event):
                    if not isinstance(piece, ReasoningPiece | UsagePiece):
                        yield from self._extra()
                    if isinstance(piece, FinishPiece):
                        self._finished = True
                    elif isinstance(piece, TextPiece | CallPiece):
                        self._something = True
                    yield from self._separated(piece)
        except Garbled as why:
            raise faults.garbled(self._endpoint, str(why)) from None

    def _extra(self) -> Iterator[Piece]:
        """Tell what came besides, ahead of whatever may be the last piece that is read."""
        if extra := self._extras.news():
            yield ExtraPiece(wire.clean(extra))


def _network_errors() -> tuple[type[Exception], ...]:
    """What the SDK and the client below it raise when a connection fails."""
    import anyio
    import httpx2
    import openai

    own = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
    return (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, *own)
