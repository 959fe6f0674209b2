"""Reasoning that a model wrote in front of its answer, between `<think>` and `</think>`, where servers leave it."""

from __future__ import annotations

from collections.abc import Iterator

from cococat.core.model import Piece, ReasoningPiece, TextPiece

__all__ = ["Thinking"]

BEGIN, END = "<think>", "</think>"


class Thinking:
    """Tells the reasoning at the head of one reply from its text; where the deltas are split makes no difference."""

    def __init__(self) -> None:
        self._held = ""
        self._where = "head"  # then "reasoning", "gap", "text"

    def feed(self, text: str) -> Iterator[Piece]:
        """Give what of the reply is known to be one or the other."""
        self._held += text
        if self._where == "head":
            begun = self._held.lstrip()
            if begun.startswith(BEGIN):
                self._where, self._held = "reasoning", begun.removeprefix(BEGIN)
            elif not BEGIN.startswith(begun):
                self._where = "text"
        if self._where == "reasoning":
            yield from self._reason()
        if self._where == "gap" and (rest := self._held.lstrip()):
            self._where, self._held = "text", rest
        if self._where == "text" and self._held:
            yield TextPiece(self._held)
            self._held = ""

    def _reason(self) -> Iterator[Piece]:
        reasoning, end, rest = self._held.partition(END)
        if end:
            self._where, self._held = "gap", rest
        else:
            kept = next((n for n in range(len(END) - 1, 0, -1) if reasoning.endswith(END[:n])), 0)
            cut = len(reasoning) - kept
            reasoning, self._held = reasoning[:cut], reasoning[cut:]
        if reasoning:
            yield ReasoningPiece(reasoning)

    def end(self) -> Iterator[Piece]:
        """Give what was held back when nothing more can come."""
        held, self._held = self._held, ""
        if held and self._where != "gap":
            yield ReasoningPiece(held) if self._where == "reasoning" else TextPiece(held)
