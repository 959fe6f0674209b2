"""How large the window of a model is: asked beside the first answer, corrected by refusals; and whether a server cut a prompt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from cococat.context.budget import Count, request_tokens, sizer
from cococat.core.agent import estimate_tokens
from cococat.core.model import Request
from cococat.core.settings import Timeouts
from cococat.model.catalog import context_window
from cococat.model.endpoint import Endpoint
from cococat.model.profile import LISTING, Profile, ask, load_profile, save_profile
from cococat.system.urls import host_of

PATIENCE_S = 0.2  # for the answer to our question, behind the one to the user's
SILENT = ("api.openai.com",)  # whose listing tells no window
HALF = 0.5  # of our count: no vocabulary makes so much less of a text; seen twice it is no chance
LONG_TOKENS = 1000  # from which once is enough
GROWTH_TOKENS = 500  # between two requests: what the second adds has to be seen in what is reported
ROOM = 4096  # tokens that a window should hold beside the prompt
_SETTINGS: Mapping[str, str] = {
    "Ollama": "start it with OLLAMA_CONTEXT_LENGTH={n}",
    "LM Studio": "load the model with a context length of {n} in its load settings",
    "llama.cpp": "start it with --ctx-size {n}",
}
_ANY = "give it a window of {n}: OLLAMA_CONTEXT_LENGTH, LM Studio's load settings, --ctx-size of llama.cpp"


class WindowQuestion:
    """
    One endpoint and model, and what it tells of its window.

    Attributes:
        profile: what it told, here or in a refusal, as it is kept.

    Args:
        folder: the cache, where it is kept.
    """

    def __init__(self, endpoint: Endpoint, timeouts: Timeouts, folder: Path) -> None:
        self._endpoint, self._timeouts, self._folder = endpoint, timeouts, folder
        self.profile = load_profile(folder, endpoint.base_url, endpoint.name, time.time())
        self._task: asyncio.Task[None] | None = None
        self._news = ""

    @property
    def window(self) -> int:
        """Tokens: what the server told, else what is known of the model's name."""
        return self.profile.window or self.profile.assumed or context_window(self._endpoint.name)

    @property
    def max_reply(self) -> int:
        """Tokens of one reply that the endpoint is known to allow, as listed or as a refusal taught; 0 = it is not known."""
        taught = self.profile.learned.get("max_output", "")
        return int(taught) if taught.isdecimal() else self.profile.max_reply

    @property
    def is_assumed(self) -> bool:
        """Whether the window was made up after a refusal that named none."""
        return bool(self.profile.assumed) and not self.profile.window

    def begin(self) -> None:
        """Ask, once, where there is something to ask: an answer has begun, so nobody waits for it."""
        asked = self._task or not self.profile.question or host_of(self._endpoint.base_url) in SILENT
        if not asked:
            self._task = asyncio.ensure_future(self._ask())

    async def end(self, calls: str = "") -> None:
        """Wait a moment for what was asked, and give it up; keep that the endpoint was seen to want other *calls*."""
        if calls and calls != self.profile.calls:
            self._remember(replace(self.profile, calls=calls))
        if self._task and not self._task.done():
            await asyncio.wait({self._task}, timeout=PATIENCE_S)
            self._task.cancel()

    def teach(self, learned: Mapping[str, str]) -> None:
        """Remember how requests have to be made, so that the next process need not learn it again."""
        if learned != self.profile.learned:
            self._remember(replace(self.profile, learned=dict(learned)))

    def correct(self, window: int) -> None:
        """Remember the window that a refusal named: it is the true one."""
        self._remember(replace(self.profile, window=window, question="", assumed=0))

    def assume(self, window: int) -> None:
        """Remember a window that a refusal without a number made likely, until the server tells one."""
        question = LISTING if self.profile.window else self.profile.question  # what it told is not so
        self._remember(replace(self.profile, window=0, assumed=window, question=question))
        self._news = (
            f"{host_of(self._endpoint.base_url)} found the request too long and did not say by how much: "
            f"{window:,} tokens are assumed from now on; model.context_window sets it"
        )

    def line(self) -> str:
        """Return, once, that a window was assumed; empty when there is nothing to tell."""
        line, self._news = self._news, ""
        return line

    async def _ask(self) -> None:
        if found := await ask(self._endpoint, self.profile.question, self._timeouts):
            known = self.profile
            fresh = replace(known, window=found.window, question=found.question, server=found.server)
            assumed, max_reply = 0 if found.window else known.assumed, found.max_reply or known.max_reply
            self._remember(replace(fresh, assumed=assumed, max_reply=max_reply))

    def _remember(self, profile: Profile) -> None:
        self.profile = profile
        save_profile(self._folder, self._endpoint.base_url, self._endpoint.name, profile, time.time())


class CutPrompt:
    """
    What one endpoint reported of the prompts it was sent.

    Args:
        count: tokens of a text by the model's vocabulary; asked only where an estimate makes suspicious.
        server: names the program that answers, as far as it is known by then.
    """

    def __init__(self, count: Count, server: Callable[[], str]) -> None:
        self._count, self._server = count, server
        self._before: tuple[Request, int] | None = None
        self._most = 0  # tokens that it reported of one request
        self._halved = 0  # requests of which less than half was reported
        self._line = ""
        self._said = False

    def heard(self, request: Request, reported: int) -> None:
        """Compare the prompt tokens *reported* of *request* with what it holds; what pictures count, no vocabulary tells."""
        if request.pictures:
            self._before = None
            return
        before, self._before = self._before, (request, reported)
        most, self._most = self._most, max(self._most, reported)
        if self._said or self._is_cached(request, reported, most) or not self._suspicious(before, request, reported):
            return
        sent = _tokens(request, self._count)
        self._halved += reported < sent * HALF
        sure = self._halved > (0 if sent >= LONG_TOKENS else 1) and reported < sent * HALF
        if sure or (before and self._stands_still(before, sent, reported)):
            self._line, self._said = self._warning(sent, reported), True

    def line(self) -> str:
        """Return, once, what the user should know; empty when there is nothing."""
        line, self._line = self._line, ""
        return line

    @staticmethod
    def _is_cached(request: Request, reported: int, most: int) -> bool:
        """Return whether the server, which holds *most*, may have left out what was in its cache."""
        return reported < most * HALF or (
            reported < most and reported + most >= _tokens(request, estimate_tokens) * HALF
        )

    def _suspicious(self, before: tuple[Request, int] | None, request: Request, reported: int) -> bool:
        """Return whether it is worth to count by the vocabulary, which may have to be loaded."""
        sent = _tokens(request, estimate_tokens)
        grown, told = (sent - _tokens(before[0], estimate_tokens), reported - before[1]) if before else (0, 0)
        return reported < sent * HALF or (grown >= GROWTH_TOKENS and told < grown * HALF)

    def _stands_still(self, before: tuple[Request, int], sent: int, reported: int) -> bool:
        """Return whether the prompt grew and what was reported of it did not, as it stands at the size of a window."""
        grown, told = sent - _tokens(before[0], self._count), reported - before[1]
        return grown >= GROWTH_TOKENS and told < grown * HALF and before[1] * HALF <= reported < sent

    def _warning(self, sent: int, reported: int) -> str:
        server, size = self._server(), 1 << (sent + ROOM - 1).bit_length()
        setting = _SETTINGS.get(server, _ANY).format(n=size)
        return f"{server or 'the server'} cut the prompt to {reported:,} of about {sent:,} tokens; {setting}"


def _tokens(request: Request, count: Count) -> int:
    return request_tokens(request, sizer(count), count)
