"""Native tool calls of the Chat Completions API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from cococat.core.messages import Assistant, Message, System
from cococat.core.model import Request
from cococat.core.reply import Answer, Calls, Invalid, Reply
from cococat.core.tools import Tool
from cococat.protocol.arguments import parse_arguments, tool_meant


@dataclass(frozen=True, slots=True)
class Native:
    """Tools are offered with the request and called with `tool_calls`; any other reply is the answer."""

    name: str = "native"
    continues: bool = True

    def request(self, system: str, history: Sequence[Message], tools: Sequence[Tool]) -> Request:
        """Send the history as it is."""
        return Request((System(system), *history) if system else tuple(history), tuple(tool.spec for tool in tools))

    def lens(self) -> Callable[[str], str]:
        """Show all text."""
        return str

    def read(self, message: Assistant, tools: Sequence[Tool]) -> Reply:
        """Calls win over everything else."""
        names = [tool.name for tool in tools]
        calls = tuple(replace(call, name=tool_meant(call.name, names)) for call in message.calls)
        return Calls(replace(message, calls=calls)) if calls else Answer(message.text)

    def arguments(self, tool: Tool, text: str) -> Mapping[str, object] | Invalid:
        """Parse and validate against the tool's schema."""
        return parse_arguments(tool, text)

    def degrade(self, kind: str) -> str:
        """Stay as it was chosen."""
        del kind
        return ""
