"""Secrets are taken out of text before it is kept, shown or sent."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cococat.safety.known import forms_of
from cococat.system.text import apart

if TYPE_CHECKING:
    from cococat.safety.secret_formats import Format

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

    def covering(self, signs: Iterable[tuple[tuple[int, int], str]]) -> Masked:
        """Return the text with a sign in the place of each span; spans are places in it, in order, that do not overlap."""
        pieces: list[str] = []
        marks: list[Mark] = []
        old = deque(self.marks)
        place, length = 0, 0

        def keep(until: int) -> None:
            nonlocal place, length
            while old and old[0].end <= until:
                mark = old.popleft()
                shift = length - place
                marks.append(Mark(mark.start + shift, mark.end + shift, mark.secret))
            pieces.append(self.text[place:until])
            length += until - place
            place = until

        for (start, end), sign in signs:
            keep(start)
            secret, at = "", start
            while old and old[0].start < end:  # a mark that begins in the span is covered as a whole
                mark = old.popleft()
                secret += self.text[at : mark.start] + mark.secret
                at = mark.end
            place = max(end, at)
            marks.append(Mark(length, length + len(sign), secret + self.text[at:place]))
            pieces.append(sign)
            length += len(sign)
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
        if not (found := spoken_secrets(text)):
            break
        text = Masked(text).covering(((start, end), f"[redacted:{kind}]") for start, end, kind in found).text
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
            found = re.finditer(re.escape(form), masked.text)
            masked = masked.covering((match.span(), "[redacted:known]") for match in found)
    for format_ in FORMATS:
        for sign in format_.signs:  # `any` takes four times as long, for each of a hundred formats and each text
            if sign in masked.text:
                masked = _without(masked, format_)
                break
    for kind, find in (("url-password", url_passwords), ("password", assigned)):
        if spans := apart(find(masked.text)):
            masked = masked.covering((span, f"[redacted:{kind}]") for span in spans)
    return masked


_masked_again = lru_cache(maxsize=_AGAIN)(_masked)


def _without(masked: Masked, format_: Format) -> Masked:
    """Return the text without secrets of one form."""
    from cococat.safety.secret_formats import is_worded

    pattern = format_.compiled()
    group = "secret" if "secret" in pattern.groupindex else 0
    found = [match for match in pattern.finditer(masked.text) if format_.worded or not is_worded(match[group])]
    sign = f"[redacted:{format_.kind}]"
    return masked.covering((match.span(group), sign) for match in found) if found else masked
