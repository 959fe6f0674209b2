"""What a conversation is made of: frozen values whose type is their role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

TILE = 512  # pixels of a side
TILE_TOKENS, BASE_TOKENS = 170, 85

Origin: TypeAlias = Literal["typed", "pasted", "file", "stdin"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """Text that came with a user message but was not typed by the user."""

    name: str
    text: str
    origin: Origin = "file"


@dataclass(frozen=True, slots=True)
class Picture:
    """
    A picture that the user handed in, or that a tool gave.

    Args:
        sha256: of its bytes, in hex; logs know it by this alone.
        width, height: in pixels.
        size: in bytes.
        data: its bytes; empty where only its name matters.
        before: its sizes before it was made anew, in words.
    """

    name: str
    media_type: str
    width: int
    height: int
    size: int
    sha256: str
    data: bytes = field(default=b"", repr=False)
    before: str = ""

    @property
    def file(self) -> str:
        """The name of the file that holds its bytes, beside the log of its session."""
        return f"{self.sha256}.{self.media_type.rpartition('/')[2]}"

    @property
    def pixels(self) -> str:
        """Its sizes in words."""
        return f"{self.width}×{self.height}"  # noqa: RUF001 - as sizes are written

    @property
    def tokens(self) -> int:
        """What a model may count for it, about."""
        return BASE_TOKENS + TILE_TOKENS * -(-self.width // TILE) * -(-self.height // TILE)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """
    One tool call as the model wrote it.

    Args:
        arguments: raw JSON text, not yet validated.
        extra: what the provider gave with the call and wants back, as JSON that only `model` reads.
    """

    id: str
    name: str
    arguments: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class System:
    """The system prompt; it is built for each request and never stored in a history."""

    text: str


@dataclass(frozen=True, slots=True)
class User:
    """
    What the user said.

    Args:
        synthetic: the loop put these words in the user's mouth.
        pasted: parts of *text*, verbatim and in order, that were pasted rather than typed.
        steers: it was said while a turn ran, and is a part of that.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    synthetic: bool = False
    pasted: tuple[str, ...] = ()
    steers: bool = False
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Assistant:
    """
    What the model said.

    Args:
        cut: why the text is incomplete; empty when it is whole.
        extra: what the provider gave with the message and wants back, as JSON that only `model` reads.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    cut: str = ""
    extra: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one result of one tool call: *output* goes to the model, *display* to the user."""

    call_id: str
    name: str
    output: str
    status: Literal["completed", "error"] = "completed"
    display: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A digest that stands for *covers* earlier messages."""

    text: str
    covers: int


Message: TypeAlias = System | User | Assistant | ToolResult | Summary
