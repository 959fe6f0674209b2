"""The user's own sentences: where one begins and ends, in any language, and how it is noted when no wording of a model is."""

from __future__ import annotations

import re
from datetime import date

from cococat.memory.words import content, key, related, tokens

MAX_SENTENCE = 200  # characters that may stand as a line
# a full stop between letters or behind an initial ends nothing, nor one behind a short word and before a small letter:
# "8.5", "Dr. A. Sousa", "z. B. Tee"; "a headache today. the key" are two
_END = re.compile(
    r"(?:(?<![A-Z\u00c0-\u00de])(?<!\b[A-Za-z])(?<!\b[A-Za-z][a-z])\.(?=[\s\"'\u00bb\u201d)]+(?![a-z\u00df-\u00ff]))"
    r"|(?<=[^\W\d_]{4})\.(?=\s+[a-z\u00df-\u00ff])|\.(?=[\s\"'\u00bb\u201d)]*$)"
    "|[!?\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964]+[\"'\u00bb\u201d)\u300d\u300f]*|\n)+"
)
_EDGES = " \t\r\n"


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of *text* begins and ends, in order; blank ones are none."""
    spans: list[tuple[int, int]] = []
    start = 0
    for end in [*(found.end() for found in _END.finditer(text)), len(text)]:
        piece = text[start:end]
        if key(piece):
            begin = start + len(piece) - len(piece.lstrip(_EDGES))
            spans.append((begin, begin + len(piece.strip(_EDGES))))
        start = end
    return spans


def sentence_around(quote: str, text: str, line: str = "") -> str:
    """
    Return the sentence of *text* that *quote* stands in, or those that it reaches over; empty when it stands nowhere.

    Args:
        line: what is noted; of several sentences those count that share a word with it, and what stands between.
    """
    words = [re.escape(word) for word in quote.split()]
    found = re.search(r"\s+".join(words), text) if words else None
    if not found:
        return ""
    inside = [span for span in sentences(text) if span[0] < found.end() and found.start() < span[1]]
    wanted = content(line)
    near = [(start, end) for start, end in inside if any(related(word, tokens(text[start:end])) for word in wanted)]
    inside = near or inside
    return " ".join(text[inside[0][0] : inside[-1][1]].split()) if inside else ""


def as_noted(sentence: str, day: date | None) -> str:
    """Return the line that *sentence* makes: in quotation marks, with the day on which it was typed."""
    marked = f"\u201c{sentence}\u201d" if '"' in sentence else f'"{sentence}"'
    return f"- {day}: {marked}" if day else f"- {marked}"
