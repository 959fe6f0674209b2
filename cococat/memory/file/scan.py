"""What no line of memory may hold, whoever wrote it, and what a dream may not write besides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container

# bidi controls, tag characters, zero width, private use, and controls but tab: invisible to a reader, not to a model
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    r"\ue000-\uf8ff\U000e0000-\U000e007f\U000e0100-\U000e01ef\U000f0000-\U0010ffff]"
)
_ROLE = re.compile(
    r"^[\s>*#_\-\d.`]*(system|assistant|user|human|developer|tool|ai)[\s*_`]*:"
    r"|<\|[a-z_]+\|>|<\s*/?\s*(system|assistant|user|tool|memory|records|data|instructions?)\b[^>]*>"
    r"|\[/?inst\]|<<\s*/?sys|^\s*#+\s*(system|instruction|response)s?\b"
)
_HIJACK = re.compile(
    r"\b(ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(previous|prior|above|earlier|all|any|your)\b[^.]{0,30}"
    r"\b(instruction|prompt|rule|message|guard|polic|direction)"
    r"|\byou are now\b|\bnew instructions?\b|\bsystem prompt\b|\bdeveloper mode\b|\bjailbreak"
    r"|\b(curl|wget)\b[^|]{0,200}\|\s*(sudo\s+)?(ba|z|da)?sh\b|\brm\s+-rf?\b|\bbase64\s+(-d|--decode)"
    r"|\b(send|post|upload|forward|exfiltrate|leak)\b[^.]{0,60}\bhttps?://"
    r"|(忽略|无视)(之前|以上|先前|所有)"
)
_URL = re.compile(r"(?:https?|ftp|file|data|javascript|mailto):[^\s<>()\"'`]+|\bwww\.[^\s<>()\"'`]+", re.IGNORECASE)
_BARE = re.compile(
    r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|dev|app|sh|ru|cn|xyz|top|info|site|ai|co|me|to|cc|tv|ly|gg|eu|uk|de|fr"
    r"|nl|pl|jp|in|br|us|biz|link|page|cloud|online|store|click|zip|tech|live|name|mobi)\b(?![-.]\w)(?:/[^\s<>()\"'`]*)?",
    re.IGNORECASE,
)


def threat(line: str) -> str:
    """Return why *line* must not reach a model as memory; empty when it may."""
    if _HIDDEN.search(line):
        return "it holds hidden characters"
    plain = " ".join(unicodedata.normalize("NFKC", line).casefold().split())  # as a reader would take it
    if _ROLE.search(plain):
        return "it holds a role marker"
    if _HIJACK.search(plain):
        return "it tries to instruct the model"
    return ""


def unfit(line: str, redact: Callable[[str], str], known_text: str) -> str:
    """
    Return why a dream must not write *line*, and what to do instead; empty when it may.

    Args:
        redact: takes secrets out of a text.
        known_text: what the user typed, and the memory: addresses in it are fine.
    """
    if why := threat(line):
        return f"{why}; leave it out"
    if redact(line) != line:
        return "it holds a secret; leave it out"
    named = urls(line)
    known = urls(known_text) if named else ()
    if foreign := [url for url in named if url not in known]:
        return f"the user did not type the address {foreign[0][:80]!r}; leave it out"
    return ""


def urls(line: str) -> tuple[str, ...]:
    """Return the web addresses in *line*, bare host names included."""
    plain = unicodedata.normalize("NFKC", line)
    found = [*_URL.findall(plain), *_BARE.findall(plain)]
    return tuple(url.rstrip(".,;:!?") for url in found)


def with_blocked_lines(text: str) -> str:
    """Return *text* with every line that fails the scan replaced by `[BLOCKED: line n]`."""
    lines = text.split("\n")
    return "\n".join(f"[BLOCKED: line {number}]" if threat(line) else line for number, line in enumerate(lines, 1))


def part_of(text: str, hidden: Container[str], *, numbered: bool = False) -> str:
    """
    Return *text* as `shown`, with the *hidden* lines left out, and how many they are.

    Args:
        numbered: put its number before each line.
    """
    rows: list[str] = []
    left_out = 0
    lines = text.rstrip("\n").split("\n") if numbered else text.split("\n")
    for number, (line, safe) in enumerate(zip(lines, with_blocked_lines("\n".join(lines)).split("\n"), strict=True), 1):
        if line in hidden:
            left_out += 1
            continue
        rows += [_left_out(left_out)] if left_out else []
        left_out = 0
        rows.append(f"{number}| {safe}" if numbered else safe)
    return "\n".join([*rows, *([_left_out(left_out)] if left_out else [])])


def _left_out(lines: int) -> str:
    return f"[{lines} {'line' if lines == 1 else 'lines'} of another part]"
