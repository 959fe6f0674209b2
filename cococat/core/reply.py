"""How a reply is read: the protocol turns a draft into an answer, calls, or a reason to ask again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from cococat.core.messages import Assistant, Message
from cococat.core.model import Request
from cococat.core.tools import Tool


@dataclass(frozen=True, slots=True)
class Answer:
    """The model is done."""

    text: str


@dataclass(frozen=True, slots=True)
class Calls:
    """The model wants tools run; *message* holds the calls with their thought as text."""

    message: Assistant


@dataclass(frozen=True, slots=True)
class Replan:
    """The model wants to start its plan afresh."""

    text: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """
    The reply or the arguments make no sense; *reason* is told to the model word for word.

    Args:
        final: they stand where the answer has to, which nothing else can take the place of.
    """

    reason: str
    final: bool = False


Reply: TypeAlias = Answer | Calls | Replan | Invalid


class ReplyProtocol(Protocol):
    """Between the loop and the wire: native tool calls, or JSON decisions for models without."""

    @property
    def name(self) -> str:
        """`native` or `json`."""
        ...

    @property
    def continues(self) -> bool:
        """A reply cut by the output limit can be continued where it stopped."""
        ...

    def request(self, system: str, history: Sequence[Message], tools: Sequence[Tool]) -> Request:
        """Make the request that asks for the next step."""
        ...

    def lens(self) -> Callable[[str], str]:
        """Return a fresh filter from the stream's text to the text a user should see."""
        ...

    def read(self, message: Assistant, tools: Sequence[Tool]) -> Reply:
        """Read a complete reply."""
        ...

    def arguments(self, tool: Tool, text: str) -> Mapping[str, object] | Invalid:
        """Parse and validate the arguments of one call against the tool's JSON Schema."""
        ...

    def degrade(self, kind: str) -> str:
        """
        Hear that tools do not work as they should, and change the way of asking when there is another.

        Args:
            kind: of the failure; `tools_unsupported`: the endpoint refused them.
        Returns: a sentence for the user; empty when nothing changes.
        """
        ...
