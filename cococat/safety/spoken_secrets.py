"""Secrets told in words: "my password is …", a door code, a card number, a passport's; in many languages."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from cococat.safety.spoken_labels import LABELS, REACH, Kind, Label

__all__ = ["spoken_secrets"]

_LONGEST = 100  # characters of a value
_BEHIND = 40  # characters behind a value that are looked at
_NEAREST = 3  # names before a value that are tried
_CARD = (  # as it is printed on cards, alone among other numbers
    r"(?<![\d.-])(?<!\d )[2-6](?:\d{12,18}|\d{3}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?"
    r"|\d{3}(?P<wide>[ -])\d{6}(?P=wide)\d{4,5})(?![ -]?\d|\.\d)"
)
_IBAN = r"(?i)\b(?P<country>[A-Z]{2})\d{2}(?: ?[A-Z0-9]){11,30}"
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in re.findall(
        r"(\d+) ([A-Z ]+)",
        "15 NO 16 BE 18 DK FI NL FO GL 19 MK SI 20 AT BA EE KZ LT LU XK 21 CH HR LI LV 22 BG BH CR DE GB GE IE ME RS VA "
        "23 AE GI IL IQ TL 24 AD CZ ES MD PK RO SA SE SK TN VG 25 PT ST 26 IS TR 27 FR GR IT MC MR SM 28 AL AZ BY CY DO GT HU LB PL SV "
        "29 BR EG PS QA UA 30 JO KW MU 31 MT SC 32 LC 33 RU",
    )
    for country in countries.split()
}
_NAMES = {label.names: frozenset(label.names.split()) for label in LABELS}
_PLAIN = {name: name.strip("^$").replace("_", " ") for names in _NAMES.values() for name in names}
_MARK = re.compile(r"\[redacted:[a-z-]+\]")


def spoken_secrets(text: str) -> list[tuple[int, int, Kind]]:
    """
    Find the secrets that people tell in words.

    Returns: where each begins and ends, and its kind; in order, none over another.
    """
    text = _MARK.sub(lambda mark: "\0" * len(mark[0]), text)  # a mark of ours is no name
    small = _lowered(text)
    found: list[tuple[int, int, Kind]] = [(*span, "card-number") for span in _cards(text)]
    found += [(*span, "bank-account") for span in _accounts(text)]
    each = {name: [*_places(name, plain, small)] for name, plain in _PLAIN.items() if plain in small}  # few are
    places = {
        names: sorted(place for name in each if name in of for place in each[name]) for names, of in _NAMES.items()
    }
    for label in LABELS:
        if places[label.names] or not label.names:
            found.extend((*span, label.kind) for span in _values(label, text, small, places[label.names]))
    return _apart(found)


def _values(label: Label, text: str, small: str, names: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    value = re.compile(label.value, re.IGNORECASE)
    for first, last in _windows(names, len(small)) if names else [(0, len(small))]:
        for match in value.finditer(text, first, last):
            if any(_holds(label, sentence) for sentence in _sentences(label, small, match.span(), names)):
                yield match.span()


def _sentences(label: Label, small: str, value: tuple[int, int], names: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Return what is around a value, for each name that may be its: "BEFORE NAME¦ BETWEEN ⟨VALUE⟩ BEHIND", or the name behind it."""
    start, end = value
    line = small.rfind("\n", max(0, start - REACH), start) + 1 or max(0, start - REACH)
    told, behind = f"⟨{small[start:end]}⟩", small[end : end + _BEHIND]
    if not names:
        yield f"{small[line:start]}{told}{behind}"
    last = bisect_right(names, (start, start)) if label.ahead else 0
    for _, ends in reversed(names[max(0, last - _NEAREST) : last]):
        if line <= ends <= start and re.fullmatch(label.ahead, small[ends:start]):
            yield f"{small[line:ends]}¦{small[ends:start]}{told}{behind}"
    first = bisect_left(names, (end, end)) if label.behind else len(names)
    for begins, ends in names[first : first + _NEAREST]:
        if re.fullmatch(label.behind, small[end:begins]):
            yield f"{small[line:start]}{told}{small[end:ends]}¦"


def _holds(label: Label, sentence: str) -> bool:
    return bool(re.search(label.need, sentence)) and not (label.veto and re.search(label.veto, sentence))


def _windows(names: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Return the parts of a text around names."""
    start, end = 0, -1
    for begins, ends in names:
        if begins - REACH - _LONGEST > end:
            if end >= 0:
                yield start, end
            start = max(0, begins - REACH - _LONGEST)
        end = min(ends + REACH + _LONGEST, length)
    if end >= 0:
        yield start, end


def _places(name: str, plain: str, small: str) -> Iterator[tuple[int, int]]:
    start = small.find(plain)
    while start >= 0:
        end = start + len(plain)
        begins = name[0] != "^" or not _is_letter(small[start - 1 : start])
        if begins and (name[-1] != "$" or not _is_letter(small[end : end + 1])):
            yield start, end
        start = small.find(plain, end)


def _is_letter(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"  # what comes behind parts no words by spaces


def _lowered(text: str) -> str:
    """Return *text* in small letters, each in its place."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """Find 13 to 19 digits, perhaps in groups, with the right check digit."""
    for match in re.finditer(_CARD, text):
        digits = [int(char) for char in match[0] if char.isdigit()]
        doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]  # noqa: PLR2004 - the sum of two digits
        if len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0:
            yield match.span()


def _accounts(text: str) -> Iterator[tuple[int, int]]:
    """Find an IBAN of its country's length with the right check digits."""
    for match in re.finditer(_IBAN, text):
        places = [place for place in range(*match.span()) if text[place] != " "]
        places = places[: _IBAN_LENGTHS.get(match["country"].upper(), 0)]
        iban = "".join(text[place] for place in places)
        if len(iban) == _IBAN_LENGTHS.get(match["country"].upper()) and _rest(iban) == 1:
            yield match.start(), places[-1] + 1


def _rest(iban: str) -> int:
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97


def _apart(found: Iterable[tuple[int, int, Kind]]) -> list[tuple[int, int, Kind]]:
    kept: list[tuple[int, int, Kind]] = []
    for span in sorted(found, key=lambda span: span[0]):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
