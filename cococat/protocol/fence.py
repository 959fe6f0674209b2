"""The fenced blocks of an answer, as CommonMark reads them."""

from __future__ import annotations


def first_block(text: str, *, closed: bool = False) -> str | None:
    """
    Return what stands in the first fenced block of *text*, without its last line feed; None where there is none.

    Args:
        closed: a block without its closing fence, as in a text that was cut, is none.
    """
    from markdown_it import MarkdownIt

    for token in MarkdownIt().parse(text):
        if token.type == "fence":
            lines = token.content.count("\n") + (token.content[-1:] not in ("", "\n"))
            first, end = token.map or (0, 0)
            is_closed = end - first == lines + 2  # both fences
            return token.content.removesuffix("\n") if is_closed or not closed else None
    return None
