"""Native tool calls for as long as they work, then JSON decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cococat.core.messages import Assistant, Message
from cococat.core.model import Request
from cococat.core.reply import Calls, Invalid, Reply, ReplyProtocol
from cococat.core.tools import Tool
from cococat.protocol.native import Native
from cococat.protocol.written import call_lens, calls_at_end, written_calls

__all__ = ["Auto"]

_REASONS: Mapping[str, str] = {
    "tools_unsupported": "this endpoint does not take tools: using JSON decisions",
}


class Auto:
    """
    The protocol of one connection, which learns: `degrade` changes it, once and for good.

    Everything else only reads what it has become, so each connection needs its own, and whatever shares
    the connection shares what was learned.

    Args:
        decides: it is known already that native calls do not work here.
    """

    __slots__ = ("_now",)

    def __init__(self, *, decides: bool = False) -> None:
        self._now: ReplyProtocol = _decision() if decides else Native()

    @property
    def name(self) -> str:
        """`native`, or `json` from the change on."""
        return self._now.name

    @property
    def continues(self) -> bool:
        """As the protocol of the moment does."""
        return self._now.continues

    def request(self, system: str, history: Sequence[Message], tools: Sequence[Tool]) -> Request:
        """Ask in the way that is known to work."""
        return self._now.request(system, history, tools)

    def lens(self) -> Callable[[str], str]:
        """Hold back what may be a tool call in text; of a decision show the answer."""
        return self._now.lens() if self.name == "json" else call_lens()

    def read(self, message: Assistant, tools: Sequence[Tool]) -> Reply:
        """Read a reply; one that is, or ends in, valid calls of *tools* is calls, in whatever dialect."""
        reply = self._now.read(message, tools)
        if isinstance(reply, Calls):
            return reply
        if calls := written_calls(message.text, tools):
            return Calls(replace(message, text="", calls=calls))
        said, calls = calls_at_end(message.text, tools)
        return Calls(replace(message, text=said, calls=calls)) if calls else reply

    def arguments(self, tool: Tool, text: str) -> Mapping[str, object] | Invalid:
        """Parse and validate against the tool's schema."""
        return self._now.arguments(tool, text)

    def degrade(self, kind: str) -> str:
        """Change to JSON decisions when native calls do not work here."""
        if self.name == "json" or kind not in _REASONS:
            return ""
        self._now = _decision()
        return _REASONS[kind]


def _decision() -> ReplyProtocol:
    from cococat.protocol.decision import Decision

    return Decision()
