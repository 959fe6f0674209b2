"""The one seam to a model: a request in, a stream of pieces out."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from cococat.core.limits import Problem, Usage
from cococat.core.messages import Assistant, Message, Picture, ToolCall, User


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; *parameters* is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """
    One request to a model.

    Args:
        messages: the system prompt first, then a valid history.
        tools: offered natively; empty when the protocol does without.
        schema: JSON Schema the reply must match; None for free text.
        answers: it is one of the user's, for the answer: what cannot be held to it should at least be JSON.
        max_output_tokens: tokens of the reply; 0 = the model's own setting.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    schema: Mapping[str, object] | None = None
    max_output_tokens: int = 0
    answers: bool = False

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures that it holds."""
        found: tuple[Picture, ...] = ()
        for message in self.messages:
            found += message.pictures if isinstance(message, User) else ()
        return found


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A delta of the answer's text, or with *refusal* of the words that stand in its place."""

    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """A delta of the model's reasoning, where the endpoint sends it; with *so_far* all text before it was reasoning."""

    text: str
    so_far: bool = False


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A delta of a tool call, as loosely as servers send it: any field may be missing."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: str = ""


@dataclass(frozen=True, slots=True)
class ExtraPiece:
    """All that has come with the reply so far besides text and calls, for `Assistant.extra`."""

    extra: str


@dataclass(frozen=True, slots=True)
class NoticePiece:
    """A sentence for the user about how the request went."""

    text: str


@dataclass(frozen=True, slots=True)
class UsagePiece:
    """What the server says the request cost; *cached* tokens of the prompt may be left out of that, or counted in it."""

    usage: Usage
    cached: int = 0


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """The reply is complete; *reason* is `stop`, `length` or `content_filter`, *word* a server's that nobody knows."""

    reason: str
    word: str = ""


Piece: TypeAlias = TextPiece | ReasoningPiece | CallPiece | ExtraPiece | NoticePiece | UsagePiece | FinishPiece


class Model(Protocol):
    """Anything that answers requests; the loop closes the stream it was given."""

    def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        """
        Send *request* and yield the reply as it arrives, a FinishPiece near the end.

        Raises: ProviderError: the model or the network failed, or the stream was cut.
        """
        ...


class ProviderError(Exception):
    """
    A model call failed.

    Args:
        problem: what failed, why, and the fix; never holds a key.
        status: HTTP status, 0 when there was none.
        retryable: another try may succeed, as long as nothing was shown.
        retry_after_s: seconds the server asked to wait; None when it did not say.
        words: all that the server said, in lower case.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        status: int = 0,
        retryable: bool = False,
        retry_after_s: float | None = None,
        words: str = "",
    ) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.status = status
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.words = words


class _OpenCall:
    """A tool call that is put together from its deltas."""

    __slots__ = ("extra", "given", "id", "index", "name")

    def __init__(self, piece: CallPiece) -> None:
        self.index = piece.index
        self.id = piece.id
        self.name = ""
        self.given: list[str] = []  # the arguments of each delta
        self.extra = ""

    def add(self, piece: CallPiece) -> None:
        if piece.name != self.name:
            self.name = piece.name if piece.name.startswith(self.name) else self.name + piece.name
        self.id = self.id or piece.id
        if piece.arguments:
            self.given.append(piece.arguments)
        self.extra = piece.extra or self.extra

    def begins_anew(self, piece: CallPiece, *, by_id: bool) -> bool:
        """Return whether *piece* is of another call although its index says nothing else (servers differ: N10, N11)."""
        other = piece.id and self.id and piece.id != self.id
        if not piece.name or not self.name:
            return bool(other) and by_id
        if other:
            return by_id or piece.index is None or piece.name != self.name or self.is_complete
        if piece.name == self.name and self._is_repeated_in(piece.arguments):
            return False
        bare = piece.index is None and not piece.id  # nothing but the name says that a call begins
        return bare or self.is_complete

    def _is_repeated_in(self, arguments: str) -> bool:
        if self.given in ([], ["{}"]) or arguments.startswith(self.given[-1]):
            return True
        return arguments.startswith(self.given[0]) and arguments.startswith("".join(self.given))

    @property
    def is_complete(self) -> bool:
        """The arguments so far are one complete JSON object."""
        return bool(self.given) and self.given[-1].rstrip().endswith("}") and _is_object(self.arguments)

    @property
    def arguments(self) -> str:
        """What the deltas make together, where some begin with an empty object or repeat what was said before."""
        whole = "".join(self.given)
        if _is_object(whole):
            return whole
        given = [text for text in self.given if text.strip() != "{}"]
        if _is_object(rest := "".join(given)):
            return rest
        *before, last = given or [""]
        repeats = last == "".join(before) or all(last.startswith(text) for text in before)
        return last if repeats and _is_object(last) else whole


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _calls_of(pieces: Sequence[CallPiece]) -> list[_OpenCall]:
    """Put the deltas of calls together; where an id comes again after another one, ids tell calls apart, else the index."""
    latest: dict[int | None, str] = {}
    ids: set[tuple[int | None, str]] = set()
    by_id: set[int | None] = set()
    for piece in pieces:
        if piece.id and piece.id != latest.get(piece.index):
            if (piece.index, piece.id) in ids:
                by_id.add(piece.index)
            ids.add((piece.index, piece.id))
            latest[piece.index] = piece.id
    calls: list[_OpenCall] = []
    for piece in pieces:
        same = [call for call in calls if piece.index is None or call.index is None or call.index == piece.index]
        known = [call for call in same if piece.id and call.id == piece.id]
        last = (known or same)[-1] if same else None
        if last is None or last.begins_anew(piece, by_id=piece.index in by_id):
            last = _OpenCall(piece)
            calls.append(last)
        last.add(piece)
    return calls


class Draft:
    """Folds the pieces of one reply into an Assistant message."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[CallPiece] = []
        self._extra = ""
        self.usage: Usage | None = None
        self.finish = ""
        self.refused = False  # the text says why there is no answer
        self._visible: list[str] = []
        self.shown = False  # something of this reply, text or reasoning, has reached the user
        self.size = 0  # characters received so far, of every kind

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._text)

    @property
    def is_empty(self) -> bool:
        """Neither text nor a call has come, whatever reasoning has."""
        return not (self._calls or self.text.strip())

    @property
    def visible(self) -> str:
        """The part of the text that the user has seen."""
        return "".join(self._visible)

    def show(self, text: str = "") -> None:
        """Note that the user has seen *text*, or some reasoning."""
        self.shown = True
        if text:
            self._visible.append(text)

    def add(self, piece: Piece) -> None:
        """Take in the next piece."""
        match piece:
            case TextPiece(text, refusal):
                self._text.append(text)
                self.refused |= refusal
                self.size += len(text)
            case ReasoningPiece(text, so_far):
                if so_far:
                    self._reasoning += self._text
                    self._text.clear()
                    self._visible.clear()
                self._reasoning.append(text)
                self.size += len(text)
            case CallPiece():
                self._calls.append(piece)
                self.size += len(piece.arguments)
            case ExtraPiece(extra):
                self._extra = extra
            case UsagePiece(usage):
                self.usage = usage
            case FinishPiece(reason):
                self.finish = reason
            case NoticePiece():
                pass

    def message(self, taken: Collection[str] = (), cut: str = "") -> Assistant:
        """Return the reply as a message; ids that are missing or in *taken* are replaced, a call without a name is none."""
        used = set(taken)
        calls: list[ToolCall] = []
        for call in _calls_of(self._calls):
            if not call.name.strip():
                continue
            call_id = call.id
            number = len(used) + 1
            while not call_id or call_id in used:
                call_id = f"call_{number}"
                number += 1
            used.add(call_id)
            calls.append(ToolCall(call_id, call.name, call.arguments or "{}", call.extra))
        return Assistant(self.text, "".join(self._reasoning), tuple(calls), cut, self._extra)
