"""Secrets are taken out of text before it is kept, shown or sent."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cococat.safety.known import forms_of

if TYPE_CHECKING:
    from cococat.safety.secret_formats import Format

__all__ = ["Mark", "Masked", "mask", "redact", "redact_said", "redact_speech"]

_ROUNDS = 4  # of codes behind one name the next comes near when the one before is covered
_AGAIN = 4  # texts in a row: an answer is looked through for its pieces, its message, its end and the memory
_LONG = 1 << 20  # characters of a text that is not kept for that


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark in a masked text: where it stands there, and what it stands for."""

    start: int
    end: int
    secret: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with a mark in the place of each secret; *marks* in order, never overlapping."""

    text: str
    marks: tuple[Mark, ...] = ()

    def covering(self, spans: Iterable[tuple[int, int]], kind: str = "", mark_text: str = "") -> Masked:
        """Return the text with a mark, of a kind or with a text of its own, for each of *spans*: places in it that do not overlap."""
        pieces: list[str] = []
        marks: list[Mark] = []
        old = list(self.marks)
        place, length = 0, 0

        def keep(until: int) -> None:
            nonlocal place, length
            while old and old[0].end <= until:
                mark = old.pop(0)
                shift = length - place
                marks.append(Mark(mark.start + shift, mark.end + shift, mark.secret))
            pieces.append(self.text[place:until])
            length += until - place
            place = until

        for start, end in spans:
            keep(start)
            inside = [mark for mark in old if mark.start < end]
            stop = max(end, inside[-1].end) if inside else end  # a mark that begins in the span is covered as a whole
            secret, at = "", start
            for mark in inside:
                secret += self.text[at : mark.start] + mark.secret
                at = mark.end
            del old[: len(inside)]
            sign = mark_text or f"[redacted:{kind}]"
            marks.append(Mark(length, length + len(sign), secret + self.text[at:stop]))
            pieces.append(sign)
            length += len(sign)
            place = stop
        keep(len(self.text))
        return Masked("".join(pieces), tuple(marks))


def redact(text: str, known: Collection[str]) -> str:
    """
    Replace secrets by `[redacted:KIND]`.

    Args:
        known: registered values; each is also found as base64, URL-encoded, hex and JSON-escaped.
    Returns: *text* with nothing else changed; redacting twice changes nothing more.
    Source: docs/reliability.md, 3.9 rule 2.
    """
    return mask(text, known).text


def redact_said(text: str, known: Collection[str]) -> str:
    """The same for what people say: also secrets told in words, numbers of cards, accounts and papers."""
    return redact_speech(redact(text, known))


def redact_speech(text: str) -> str:
    """Take out what is a secret only where people speak: told in words, numbers of cards, accounts and papers."""
    return _speech_again(text) if len(text) <= _LONG else _speech(text)


def _speech(text: str) -> str:
    from cococat.safety.spoken_secrets import spoken_secrets

    for _ in range(_ROUNDS):
        pieces, place = [], 0
        for start, end, kind in spoken_secrets(text):
            pieces += [text[place:start], f"[redacted:{kind}]"]
            place = end
        if not pieces:
            break
        text = "".join((*pieces, text[place:]))
    return text


_speech_again = lru_cache(maxsize=_AGAIN)(_speech)


def mask(text: str, known: Collection[str] = ()) -> Masked:
    """Return *text* without its secrets, and what each mark in it stands for; see `redact`."""
    forms = forms_of(known)
    return _masked_again(text, forms) if len(text) <= _LONG else _masked(text, forms)


def _masked(text: str, forms: tuple[str, ...]) -> Masked:
    from cococat.safety.assigned import assigned, url_passwords
    from cococat.safety.secret_formats import FORMATS

    masked = Masked(text)
    for form in forms:
        if form in masked.text:
            masked = masked.covering((m.span() for m in re.finditer(re.escape(form), masked.text)), "known")
    for format_ in FORMATS:
        for sign in format_.signs:  # `any` takes four times as long, for each of a hundred formats and each text
            if sign in masked.text:
                masked = _without(masked, format_)
                break
    for kind, find in (("url-password", url_passwords), ("password", assigned)):
        if spans := _apart(find(masked.text)):
            masked = masked.covering(spans, kind)
    return masked


_masked_again = lru_cache(maxsize=_AGAIN)(_masked)


def _without(masked: Masked, format_: Format) -> Masked:
    """Return the text without secrets of one form."""
    from cococat.safety.secret_formats import is_worded

    pattern = format_.compiled()
    group = "secret" if "secret" in pattern.groupindex else 0
    found = pattern.finditer(masked.text)
    spans = [match.span(group) for match in found if format_.worded or not is_worded(match[group])]
    return masked.covering(spans, format_.kind) if spans else masked


def _apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Put spans in order and leave out what overlaps an earlier one."""
    kept: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
