"""A model behind the Chat Completions API, reached with the openai SDK."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from cococat.core.limits import Problem
from cococat.core.model import NoticePiece, Piece, ProviderError, Request, UsagePiece
from cococat.core.settings import Timeouts
from cococat.model import faults, wire
from cococat.model.endpoint import Endpoint
from cococat.model.faults import Refusal
from cococat.model.incoming import Incoming
from cococat.model.thinking import Thinking
from cococat.model.transport import authorization, network_errors, new_http_client
from cococat.model.watchdog import Silence, Watchdog
from cococat.system.urls import host_of

if TYPE_CHECKING:
    from openai import AsyncAPIResponse, AsyncOpenAI

    from cococat.model.adapt import Learned, Tries

__all__ = ["ChatModel", "Endpoint", "Timeouts", "preload"]

LIMITS = {"max_tokens", "max_completion_tokens"}  # of a reply; servers refuse both together
MAX_CHANGES = 7  # of requests in a row that were refused
PLAIN = "the endpoint refused how tool calls are written; for the rest of this session they are told in words"


def preload() -> None:
    """Import what the first request needs, 0.4 s; for a background thread."""
    import httpx2  # noqa: F401 - see above
    import openai.resources.chat.completions  # noqa: F401 - see above


class ChatModel:
    """
    Implements `core.model.Model` for one endpoint.

    Whoever calls decides about retries. The connection is kept for the next request. What the endpoint refuses is
    sent again as it wants it, where its words say how, and from then on.

    Args:
        learned: what is known of it from earlier.
        taught: told what was learned, once a request made so was taken.
        heard: told of each request how many prompt tokens the server may have read of it, by what it reports.
        connected: told of each connection that is opened.
    """

    def __init__(  # noqa: PLR0917 - what it is given to say and to remember
        self,
        endpoint: Endpoint,
        timeouts: Timeouts | None = None,
        heard: Callable[[Request, int], object] | None = None,
        connected: Callable[[], object] | None = None,
        learned: Learned | None = None,
        taught: Callable[[dict[str, str]], object] | None = None,
    ) -> None:
        self._heard, self._connected = heard, connected
        self.endpoint = endpoint
        self._timeouts = timeouts or Timeouts()
        self._client: AsyncOpenAI | None = None
        self._learned: Learned = learned or {}
        self._kept, self._taught, self._changes = self._learned, taught, 0
        self.repeats = 0  # requests that were made again in another way
        self._refused: frozenset[str] = frozenset()  # pictures of tools, by their SHA-256
        self._counts = True  # it is not known to leave the usage out
        self._agentic = False  # tools or decisions were asked for: the text is read, and not passed on byte for byte

    @property
    def learned(self) -> Learned:
        """What the endpoint was seen to want."""
        return self._learned

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
        tries: Tries | None = None
        request = await self._with_pictures(request) if request.pictures else request
        while True:
            begun = False
            try:
                async with aclosing(self._once(request)) as pieces:
                    async for piece in pieces:
                        if not begun:
                            begun, self._changes = True, 0
                            if self._keep():
                                yield NoticePiece(PLAIN)
                        yield piece
                return
            except ProviderError as error:
                if begun:
                    raise
                from cococat.model.adapt import Tries  # what few runs need: its patterns cost 5 ms

                tries = tries or Tries(self._learned, partial(self._body, request))
                known = None if error.problem.kind == "no_images" else tries.after(error)
                if known is None and (other := self._without_pictures(request, error)):
                    request, tries = other, None
                    continue
                if known is None or self._changes >= MAX_CHANGES:
                    self._learned = tries.known
                    self._keep()
                    raise
            self._learned = known
            self._changes += 1
            self.repeats += 1

    @property
    def is_blind(self) -> bool:
        """Whether the model is known to take no pictures, or is to get none."""
        wanted = self.endpoint.images
        return wanted == "off" or (wanted == "auto" and self._learned.get("images") == "none")

    @property
    def _who(self) -> str:
        return f"{self.endpoint.name} at {host_of(self.endpoint.base_url)}"

    async def _with_pictures(self, request: Request) -> Request:
        """
        Return *request* as it is where the model may take pictures, which its server is asked once, else in words.

        Raises: ProviderError: it takes none, and the turn that runs has some.
        """
        from cococat.model.profile import takes_images
        from cococat.model.sight import IMAGES, NONE, TAKEN, in_words, takes_none, without

        request, wanted = without(request, self._refused), self.endpoint.images
        if wanted == "auto" and IMAGES not in self._learned:
            told = await takes_images(self.endpoint, self._timeouts)
            if told is not None:
                self._learned = {**self._learned, IMAGES: TAKEN if told else NONE}
                self._keep()
        if not self.is_blind:
            return request
        if wanted == "off":
            off = f"no images are sent to {self._who}: model.images is off"
            return in_words(request, Problem("no_images", off, 'set model.images = "auto", or ask without the picture'))
        return in_words(request, takes_none(self._who))

    def _without_pictures(self, request: Request, error: ProviderError) -> Request | None:
        """
        Return *request* in words for a model that was just seen to take no pictures, which is kept.

        Of a request that is wrong in a way nobody knows, those of tools are taken out, here and from now on: one of them
        may be what is wrong, and work that is under way would end with it. None where *error* is about something else.

        Raises: ProviderError: it takes none, and the user's turn that runs has some.
        """
        from cococat.model.sight import IMAGES, NONE, given_by_tools, in_words, takes_none, without

        if error.problem.kind == "bad_request" and (given := given_by_tools(request)):
            self._refused |= given
            return without(request, given)
        if error.problem.kind != "no_images":
            return None
        self._learned = {**self._learned, IMAGES: NONE}
        self._keep()
        return in_words(request, takes_none(self._who, error.problem.message.partition(": ")[2]))

    def _keep(self) -> bool:
        """Keep what was learned for good; return whether it is news that calls are told in words."""
        if self._learned == self._kept:
            return False
        from cococat.model.adapt import IN_WORDS, lasting

        plain = IN_WORDS in self._learned and IN_WORDS not in self._kept
        self._kept = self._learned
        if self._taught:
            self._taught(lasting(self._learned))
        return plain

    async def _once(self, request: Request) -> AsyncGenerator[Piece, None]:
        watchdog = Watchdog(self._timeouts)
        async with AsyncExitStack() as stack:
            body = self._body(request, self._learned)
            response = await self._open(stack, body, watchdog, images=(images := bool(request.pictures)))
            self._learned = {"images": "taken", **self._learned} if images else self._learned
            self._agentic |= bool(request.tools or request.schema)
            thinking = Thinking() if self._agentic and not self.endpoint.keep_think else None
            counts, kind = self._counts and "stream_options" in body, response.headers.get("content-type", "")
            reply = Incoming(self.endpoint, watchdog, kind, thinking, awaits_usage=counts)
            chunks = response.iter_bytes()
            while (chunk := await self._next(chunks, reply)) is not None:
                for piece in reply.read(chunk):
                    if isinstance(piece, UsagePiece) and self._heard:
                        self._heard(request, piece.usage.prompt_tokens + piece.cached)
                    yield piece
            for piece in reply.end():
                yield piece
            self._counts = not reply.awaits_usage

    async def _open(
        self, stack: AsyncExitStack, body: dict[str, Any], watchdog: Watchdog, *, images: bool
    ) -> AsyncAPIResponse[Any]:
        """Send the request, and return the head of the reply."""
        create = self._sdk().chat.completions.with_streaming_response.create
        try:
            # as extra_body: the SDK would walk through every message, 85 ms for 600 of them
            sending = create(model=self.endpoint.name, messages=[], stream=bool(body["stream"]), extra_body=body)
            return await watchdog.wait(stack.enter_async_context(sending))
        except Refusal as refusal:
            raise faults.from_refusal(self.endpoint, refusal, time.time(), images=images) from None
        except Silence as silence:
            raise faults.from_silence(self.endpoint, silence) from None
        except _network_errors() as broken:
            raise faults.from_network(self.endpoint, broken) from None

    async def _next(self, body: AsyncIterator[bytes], reply: Incoming) -> bytes | None:
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
                default_headers=authorization(self.endpoint),
                http_client=new_http_client(self.endpoint, self._timeouts, self._connected),
            )
        return self._client

    def _body(self, request: Request, learned: Learned) -> dict[str, Any]:
        more: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
        if self.endpoint.temperature is not None:
            more["temperature"] = self.endpoint.temperature
        if tokens := request.max_output_tokens or self.endpoint.max_output_tokens:
            more["max_tokens"] = tokens
        make: Callable[..., dict[str, Any]] = wire.body_of
        if learned.keys() - {"images"}:
            from cococat.model.adapt import body_for

            make = partial(body_for, learned)
        body = make(request, self.endpoint.name, self.endpoint.source, more)
        if self.endpoint.options.keys() & LIMITS:  # the user's own, in the place of ours
            body = {field: value for field, value in body.items() if field not in LIMITS}
        return body | dict(self.endpoint.options)


def _network_errors() -> tuple[type[Exception], ...]:
    """Return what the SDK and the client below it raise when a connection fails."""
    import openai

    return (openai.OpenAIError, *network_errors())
