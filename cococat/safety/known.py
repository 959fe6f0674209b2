"""The values that are known to be secret, in every way they may be written, also where text comes in pieces."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator
from functools import lru_cache
from urllib.parse import quote

MIN_KNOWN = 8  # characters of a value that is looked for; a shorter one would take ordinary words with it


def forms_of(known: Collection[str]) -> tuple[str, ...]:
    """Return every way the values of *known* may be written, the longest first."""
    return _forms_of(frozenset(known))


@lru_cache(maxsize=4)  # a run has one set of keys, and asks for each text that it keeps or shows
def _forms_of(known: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted({form for value in known for form in _forms(value)}, key=len, reverse=True))


class KnownStream:
    """Takes *known* values out of a text that comes in pieces; what may be the start of one is held until it is clear."""

    def __init__(self, known: Collection[str]) -> None:
        self._forms = forms_of(known)
        self._firsts = frozenset(form[0] for form in self._forms)
        self._held = ""

    def whole(self, text: str) -> str:
        """Return a text that is complete without them."""
        for form in self._forms:
            text = text.replace(form, "[redacted:known]")
        return text

    def feed(self, piece: str) -> str:
        """Return what is decided of the text so far."""
        text = self.whole(self._held + piece)
        cut = self._open(text)
        self._held = text[cut:]
        return text[:cut]

    def flush(self) -> str:
        """Return what is still held; the text ends here."""
        held, self._held = self._held, ""
        return held

    def _open(self, text: str) -> int:
        """Return where the longest end of *text* begins that one of the values may go on from."""
        longest = len(self._forms[0]) if self._forms else 0
        for start in range(max(0, len(text) - longest + 1), len(text)):
            if text[start] in self._firsts and any(form.startswith(text[start:]) for form in self._forms):
                return start
        return len(text)


def _forms(value: str) -> Iterator[str]:
    """Every way a registered value may be written, the shorter than MIN_KNOWN left out."""
    if len(value) < MIN_KNOWN:
        return
    raw = value.encode("utf-8", "surrogatepass")
    forms = [value, quote(value, safe="", errors="replace"), raw.hex(), raw.hex().upper()]
    forms += [json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]]
    forms.append(base64.b64encode(raw).decode())
    for shift in range(3):  # where the value stands in a longer encoded text decides how it looks
        encoded = base64.b64encode(b"\0" * shift + raw).decode()
        inner = encoded[(0, 2, 3)[shift] : len(encoded) - (0, 3, 2)[(shift + len(raw)) % 3]]
        forms += [inner, inner.replace("+", "-").replace("/", "_")]
    yield from (form for form in forms if len(form) >= MIN_KNOWN)
