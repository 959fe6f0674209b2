"""Patterns of names, read as git reads them: `*` `?` `[a-z]` `[[:digit:]]` within a component, `**` across them.

They become regular expressions in which a star never gives back what it took before the next literal,
as no name needs that: a pattern of many stars costs no more than one of few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MAX_BRACES = 64
_NEVER = "(?!)"
_STAR, _DEEP, _REST = "*", "**/", "**"  # tokens that are no expression of one character
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\t\x20",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\t\n\r\x20",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def is_literal(pattern: str) -> bool:
    """Return whether *pattern* means itself and nothing else."""
    return not re.search(r"[*?\[\\]", pattern)


def expression(pattern: str) -> str:
    """Return the regular expression that a `/`-joined path must match in full; it needs DOTALL."""
    tokens = _tokens(pattern)
    if tokens is None:
        return _NEVER
    rest = ".*" if tokens[-1:] == [_REST] else ""
    head, *deep = _split(tokens[:-1] if rest else tokens, _DEEP)
    found = _components(head)
    for place, tail in enumerate(deep, 1):
        if place == len(deep):
            found += f"(?:[^/]*/)*{_components(tail)}"
        elif tail:
            found += f"(?>(?:[^/]*/)*?{_components(tail)})"
    return found + rest


def name_pattern(pattern: str) -> re.Pattern[str]:
    """
    Make the expression for a glob: `{a,b}` is expanded, a pattern without `/` matches at any depth.

    A bracket stands for one of its characters, and for itself: there are files like `[id].tsx`.

    Raises: ValueError: the pattern is empty, leads out of the folder or has too many alternatives.
    """
    parts = [part for part in pattern.split("/") if part != "."]
    if pattern.startswith("/") or ".." in parts:
        raise ValueError(f"{pattern!r} must name paths below the root, without a leading `/` or `..`")
    plain = "/".join(parts).rstrip("/")
    if not plain:
        raise ValueError("the pattern is empty; write **/* for every file")
    deep = plain if "/" in plain else f"**/{plain}"
    ways = [
        way
        for alternative in _alternatives(deep)
        for way in dict.fromkeys((alternative, re.sub(r"(?<!\\)\[", r"\\[", alternative)))
    ]
    return re.compile("|".join(f"(?:{expression(way)})" for way in ways), re.DOTALL)


def _alternatives(pattern: str) -> list[str]:
    """Write out `{a,b}` as patterns of their own."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > MAX_BRACES:
            raise ValueError(f"{pattern!r} has more than {MAX_BRACES} alternatives")
        one = waiting.pop()
        match = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if match:
            waiting += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
        else:
            done.append(one)
    return done


def _tokens(pattern: str) -> list[str] | None:
    """Split *pattern* into stars, slashes, and an expression for each single character; None matches nothing."""
    tokens: list[str] = []
    at, plain = 0, True
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip("*"))
            # git compares what stands before the first wildcard apart, so that `a**/b` begins again behind it
            begins = plain or tokens[-1:] in (["/"], [_DEEP])
            slash = re.match(r"\\?/|\Z", pattern[end : end + 2])
            if end > at and begins and slash:
                at = end + slash.end()
                if slash[0] == "\\/":  # for git this is one folder at least
                    tokens += [_STAR, "/"]
                tokens.append(_DEEP if slash[0] else _REST)
            else:
                tokens.append(_STAR)
                at = end
        elif char == "[":
            token, at = _bracket(pattern, at)
            tokens.append(token)
        elif char == "\\":
            if at == len(pattern):
                return None
            tokens.append("/" if pattern[at] == "/" else re.escape(pattern[at]))
            at += 1
        else:
            tokens.append({"?": "[^/]", "/": "/"}.get(char) or re.escape(char))
        plain = plain and char not in "*?[\\"
    return tokens


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """Read the bracket whose contents begin at *at*; return its expression and where it ends."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    items: list[str] = []
    first, before = at, ""
    while at < len(pattern):
        char = pattern[at]
        if char == "]" and at > first:
            inner = "".join(items)
            if negated:
                return f"[^/{inner}]", at + 1
            return f"(?!/)[{inner}]" if inner else _NEVER, at + 1
        if char == "-" and before and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 1 + (pattern[at + 1] == "\\")
            last = pattern[at : at + 1]
            items.append(f"{re.escape(before)}-{re.escape(last)}" if before <= last else "")
            before = ""
        elif named := re.compile(r"\[:([^\]]*):\]").match(pattern, at):
            if named[1] not in _CLASSES:
                break
            items.append(_CLASSES[named[1]])
            at, before = named.end() - 1, ""
        else:
            at += char == "\\"
            before = pattern[at : at + 1]
            items.append(re.escape(before))
        at += 1
    return _NEVER, len(pattern)


def _components(tokens: Sequence[str]) -> str:
    return "/".join(map(_component, _split(tokens, "/")))


def _component(tokens: Sequence[str]) -> str:
    first, *others = ("".join(chunk) for chunk in _split(tokens, _STAR))
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in others[:-1] if chunk) + "[^/]*" + others[-1]


def _split(tokens: Iterable[str], border: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == border:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
