"""What a model wrote around its answer, where servers leave it: its reasoning, and the tokens that end a turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cococat.core.model import Piece, ReasoningPiece, TextPiece

# where the prompt opens them, only the end stands in the reply
_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
}
_CHANNELS = {
    "<|channel|>analysis<|message|>": ("<|end|>", "<|start|>assistant", "<|channel|>"),
    "<|channel|>commentary<|message|>": ("<|end|>", "<|start|>assistant", "<|channel|>"),
    "<|channel>thought\n": ("<channel|>",),
}
_ENDS = {**{opening: (end,) for opening, end in _TAGS.items()}, **_CHANNELS}
# what stands before the answer itself
_ANSWERS = ("<|start|>assistant", "<|channel|>final<|message|>", "final<|message|>", "<|START_RESPONSE|>")
_TURN_ENDS = (
    *("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|end_of_text|>", "</s>", "<|end|>"),
    *(
        "<|return|>",
        "<|call|>",
        "<end_of_turn>",
        "<turn|>",
        "<eos>",
        "<|end_of_turn|>",
        "<\uff5cend▁of▁sentence\uff5c>",
    ),
    *("<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>", "<|endofresponse|>", "<|end_of_role|>", "<|role_end|>", "[e~["),
)
_TURNS = (*_TURN_ENDS, "<s>", "<|im_start|>", "<|start|>", "<|start_header_id|>", "<start_of_turn>", "<|turn>")
_HEADS = (*_ENDS, *_ANSWERS, *_TAGS.values())
_MARKS = (*_TAGS.values(), *_TURN_ENDS)
_FIRST, MAX_MARK = "<[◁`", max(map(len, _HEADS))
_LONE = re.compile("|".join(map(re.escape, _TAGS.values())))
_LAST = re.compile(rf"(?:(?:{'|'.join(map(re.escape, _TURN_ENDS))})\s*)+\Z")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_WRAPPED = ('""', "''", "()", "[]", "{}", "||", "**", "“”", "\u2018\u2019", "«»", "「」")
_SENTENCE_ENDS = tuple(".!?\u2026\u3002\uff01\uff1f")
MAX_LOOKS = 20  # ends that an answer may quote before no more of them are looked at


class Thinking:
    """
    Tells the reasoning of one reply from its text; where the deltas are split makes no difference.

    No text waits for an end whose opening stood in the prompt: when it comes, all text before it was reasoning.
    """

    def __init__(self) -> None:
        self._held = ""
        self._where = "head"  # then "reasoning", "gap", "text"
        self._ends: tuple[str, ...] = ()
        self._said: list[str] = []  # text that was given
        self._looks = MAX_LOOKS

    def feed(self, text: str) -> Iterator[Piece]:
        """Yield what of the reply is known to be one or the other."""
        self._held += text
        return self._read(last=False)

    def end(self) -> Iterator[Piece]:
        """Yield what was held back when nothing more can come."""
        return self._read(last=True)

    def _read(self, *, last: bool) -> Iterator[Piece]:
        where = ""
        while where != self._where:
            where = self._where
            if where in ("head", "gap"):
                self._open(last=last)
            elif where == "reasoning":
                yield from self._reason(last=last)
            else:
                yield from self._say(last=last)

    def _open(self, *, last: bool) -> None:
        """Find out what the reply, or what follows its reasoning, begins with."""
        begun = self._held.lstrip()
        while opening := next((mark for mark in _ANSWERS if begun.startswith(mark)), ""):
            self._where, self._held = "gap", begun.removeprefix(opening)
            begun = self._held.lstrip()
        if opening := next((mark for mark in _ENDS if begun.startswith(mark)), ""):
            self._where, self._held, self._ends = "reasoning", begun.removeprefix(opening), _ENDS[opening]
        elif last or not any(mark.startswith(begun) for mark in _HEADS):
            if self._where == "gap":
                self._held, self._looks = begun, 0
            self._where = "text"

    def _reason(self, *, last: bool) -> Iterator[Piece]:
        cut, behind = self._end_of_reasoning(last=last)
        reasoning, self._held = self._held[:cut], self._held[behind:]
        if reasoning:
            yield ReasoningPiece(reasoning)
        if behind > cut:
            self._where = "gap"

    def _end_of_reasoning(self, *, last: bool) -> tuple[int, int]:
        """Return where the end of the reasoning begins and ends, equal while it has not come; one in backticks is none."""
        held, at = self._held, 0
        while found := min(((held.find(end, at), end) for end in self._ends if held.find(end, at) >= 0), default=None):
            cut, at = found[0], found[0] + len(found[1])
            if not held[:cut].endswith("`") or (last and at == len(held)):
                return cut, at
            if at == len(held):
                return cut - 1, cut - 1
            if held[at] != "`":
                return cut, at
        cut = len(held) - (0 if last else _begun(held, (*self._ends, *(f"`{end}" for end in self._ends))))
        return cut, cut

    def _say(self, *, last: bool) -> Iterator[Piece]:
        while self._looks and (lone := _LONE.search(self._held)):
            text, behind = self._held[: lone.start()], self._held[lone.end() :]
            if not last and not behind.strip(" \t"):
                return
            opening = next(opening for opening, end in _TAGS.items() if end == lone[0])
            if not _is_quoted("".join((*self._said, text)), behind, (opening,)):
                self._where, self._held = "gap", behind
                if self._said or text.strip():
                    yield ReasoningPiece(text, so_far=True)
                self._said.clear()
                return
            self._looks -= 1
            yield from self._give(lone.end())
        cut = len(self._held) - (0 if last else _begun(self._held, _MARKS))
        if ends := _LAST.search(self._held[:cut]):
            cut = ends.start()
            before = "".join((*self._said, self._held[:cut]))
            if last and (before.rstrip().endswith(":") or _is_quoted(before, "", _TURNS)):
                cut = len(self._held)
        yield from self._give(cut)
        if last:
            self._held = ""

    def _give(self, cut: int) -> Iterator[Piece]:
        text, self._held = self._held[:cut], self._held[cut:]
        if text:
            self._said.append(text)
            yield TextPiece(text)


def _begun(text: str, marks: Iterable[str]) -> int:
    """Return how many characters at the end of *text* may be the beginning of one of *marks*."""
    tail = text[-MAX_MARK:]
    begins = (
        at for at, char in enumerate(tail) if char in _FIRST and any(mark.startswith(tail[at:]) for mark in marks)
    )
    return len(tail) - next(begins, len(tail))


def _is_quoted(before: str, behind: str, openings: Iterable[str]) -> bool:
    """
    Return whether a mark that stands between *before* and *behind* is spoken of, and not the model's own.

    It is in code, in prose with blanks or punctuation around it, or one of *openings* belongs to it. The model's own
    stands in a line of its own, or without a blank behind the end of a sentence.
    """
    prose, line = _CODE.sub("", before), before.rpartition("\n")[2]
    if "```" in prose or "`" in prose.rpartition("\n")[2] or any(opening in prose for opening in openings):
        return True
    if before[-1:] + behind[:1] in _WRAPPED:
        return True
    goes_on = behind.lstrip(" \t")[:1] not in ("", "\n", "\r")
    if line[-1:] in (" ", "\t"):
        words = line.rstrip()
        return goes_on or (words[-1:] not in _SENTENCE_ENDS if words else line.startswith(("    ", "\t")))
    return goes_on and (behind[0] in " \t.,;:!?)]}" or (line[-1:].isalpha() and not line[-1:].isascii()))
