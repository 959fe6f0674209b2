"""Masks in what the model writes: each is tied to the span of the file that it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping, Sequence
from typing import TypeAlias

from cococat.core.tools import ToolFailure
from cococat.safety.secrets import Mark, Masked
from cococat.tools.replace import decoded, not_found

Mask: TypeAlias = Callable[[str], Masked]
_MARK = re.compile(r"\[(?:redacted:[a-z0-9-]+(?:#[0-9]+)?|base64: [0-9]+ characters)(?:, new value)?\]")
_BLOB = re.compile(r"[A-Za-z0-9+/_-]{256,}={0,2}")
_VARIED = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[^0-9]*[0-9]")
_KEEP = "keep the masks as they are, in number and order, or leave them all out"


def identified(mask: Mask, numbers: MutableMapping[tuple[str, str], int]) -> Mask:
    """
    Make *mask* tell values apart: `[redacted:password#1]`.

    Args:
        numbers: of a kind and a value; it grows, and is a session's: a value keeps its number there.
    """

    def sign_of(sign: str, secret: str) -> str:
        number = numbers.setdefault((sign, secret), 1 + sum(kind == sign for kind, _ in numbers))
        return f"{sign[:-1]}#{number}]"

    return lambda text: _signed(mask(text), sign_of)


def _signed(masked: Masked, sign_of: Callable[[str, str], str]) -> Masked:
    """Return *masked* with the sign that each of its marks is to have."""
    return masked.covering(
        ((mark.start, mark.end), sign_of(masked.text[mark.start : mark.end], mark.secret)) for mark in masked.marks
    )


def _as_quoted(masked: Masked, text: str) -> Masked:
    """Return *masked* without numbers where *text* quotes none: not every tool shows them."""
    if any("#" in sign for sign in _MARK.findall(text)):
        return masked
    return _signed(masked, lambda sign, _: re.sub(r"#[0-9]+(?=[],])", "", sign))


def folded(text: str) -> str:
    """Return *text* with the size in the place of what is encoded in base64."""
    return _folded(text).text


def _folded(text: str) -> Masked:
    return Masked(text).covering(
        (blob.span(), f"[base64: {len(blob[0])} characters]") for blob in _BLOB.finditer(text) if _VARIED.match(blob[0])
    )


def _as_shown(text: str, mask: Mask) -> Masked:
    """Return *text* as read_file shows it: what is encoded folded, then secrets masked."""
    whole = _folded(text)
    hidden, grown, signs = mask(whole.text), 0, list[tuple[tuple[int, int], str]]()
    for mark in hidden.marks:
        start = mark.start - grown
        signs.append(((start, start + len(mark.secret)), hidden.text[mark.start : mark.end]))
        grown += mark.end - mark.start - len(mark.secret)
    return whole.covering(signs)


def unmasked_passage(data: bytes, old: str, new: str, mask: Mask) -> tuple[str, str]:
    """
    Return the passage that *old* stands for in a file, and *new* with the values behind its masks put back.

    Args:
        data: of the whole file.
    Raises: ToolFailure: there is no such passage, or it is not clear which; *new* holds other masks than *old*.
    """
    if not _MARK.search(old):
        if found := _MARK.search(new):
            raise ToolFailure(
                f"MaskError: new_text holds {found[0]}, which stands for a value that was not shown to you and is not in old_text"
            )
        return old, new
    masked, old, new = _as_shown(_with_lf(decoded(data).visible), mask), _with_lf(old), _with_lf(new)
    masked = _as_quoted(masked, old)
    spans = [match.span() for match in re.finditer(f"(?={re.escape(old)})", masked.text)]
    meant = {_original(masked, start, start + len(old)) for start, _ in spans}
    if not meant:
        raise ToolFailure(f"NoMatchError: {not_found(masked.text, old)}")
    if len(meant) > 1:
        raise ToolFailure(
            f"ManyMatchesError: old_text occurs {len(spans)} times, with different values behind its masks: quote more of it"
        )
    start = spans[0][0]
    return meant.pop(), _put_back(new, _marks(masked, start, start + len(old)), "old_text", "new_text")


def unmasked_content(data: bytes | None, content: str, mask: Mask) -> str:
    """
    Return *content* with the values behind its masks put back.

    Args:
        data: of the whole file; None when there is none.
    Raises: ToolFailure: its masks are not those of the file.
    """
    found = _MARK.search(content)
    if found is None:
        return content
    if data is None:
        raise ToolFailure(
            f"MaskError: content holds {found[0]}, which stands for a value that was not shown to you; write it without"
        )
    masked = _as_quoted(_as_shown(_with_lf(decoded(data).visible), mask), content)
    return _put_back(content, _marks(masked, 0, len(masked.text)), "the file", "content")


def diffed(before: str, after: str, mask: Mask) -> tuple[str, str]:
    """Return both versions masked, for a diff: a value that is new behind the same mask is said to be."""
    old, new = _as_shown(before, mask), _as_shown(after, mask)
    known = {mark.secret for mark in old.marks}
    return old.text, _signed(new, lambda sign, value: sign if value in known else f"{sign[:-1]}, new value]").text


def _put_back(text: str, marks: Sequence[tuple[str, str]], source: str, where: str) -> str:
    """Replace each mask in *text* by its value among *marks*: the one of its number, without one that at its place."""
    values = {sign: {value for other, value in marks if other == sign} for sign, _ in marks if "#" in sign}
    named = {sign: next(iter(of)) for sign, of in values.items() if len(of) == 1}
    signs, placed = _MARK.findall(text), [mark for mark in marks if mark[0] not in named]
    rest = [sign for sign in signs if sign not in named]
    if rest and rest != [sign for sign, _ in placed]:
        held = f"{where} holds {len(signs)} mask{'s' if len(signs) > 1 else ''}, {source} {len(marks)}"
        raise ToolFailure(
            f"MaskError: {held}, or in another order; they stand for values that were not shown to you: {_KEEP}"
        )
    at_place = iter(value for _, value in placed)
    return _MARK.sub(lambda found: named[found[0]] if found[0] in named else next(at_place), text)


def _marks(masked: Masked, start: int, end: int) -> list[tuple[str, str]]:
    """Return what reads like a mask in a span, with what it stands for; a file may hold one that is its own text."""
    values = {mark.start: mark.secret for mark in masked.marks}
    found = _MARK.finditer(masked.text, start, end)
    return [(match[0], values.get(match.start(), match[0])) for match in found]


def _original(masked: Masked, start: int, end: int) -> str:
    """Return what a span of the masked text stands for."""
    inside: list[Mark] = [mark for mark in masked.marks if start <= mark.start and mark.end <= end]
    pieces, place = list[str](), start
    for mark in inside:
        pieces += masked.text[place : mark.start], mark.secret
        place = mark.end
    return "".join([*pieces, masked.text[place:end]])


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
