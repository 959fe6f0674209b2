"""Whether a server cut the prompt: some answer 200 and read only the end of what they were sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cococat.context.budget import Count, request_tokens, sizer
from cococat.core.agent import estimate_tokens
from cococat.core.model import Request

__all__ = ["CutPrompt"]

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
        """Compare the prompt tokens *reported* of *request* with what it holds."""
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
