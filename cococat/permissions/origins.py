"""Where a web address comes from: the user and a search give addresses, everything else the model makes up itself.

An address that was given word for word cannot carry anything out. One of the model's own making can, when a page
or a file told it to: in a long query, or in a piece of what it has read. What is encoded before it is put there is
found by its length alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from cococat.core.messages import Message, Summary, ToolResult, User
from cococat.core.tools import Declared, Tool
from cococat.permissions.network import Target, parse_url

__all__ = ["LONG_QUERY", "Origins", "carries", "given", "origins_of"]

LONG_QUERY = 64  # characters that may carry something out
PIECE = 20  # letters and digits in a row that are more than a coincidence
_HALF = PIECE // 2
_RESULT = re.compile(r"^\d+\. .*\n {3}(http\S+)$", re.MULTILINE)  # the address in one result of a search
_BREAKS = re.compile(r"[\s<>\"'`|{}\[\]]+")
_SCHEME = re.compile("https?://", re.IGNORECASE)
_ENDINGS = ".,;:!?*"  # of a sentence, rather than of an address


@dataclass(frozen=True, slots=True)
class Origins:
    """
    What a session has been told.

    Args:
        words: texts of the user's, and addresses that a search gave: what stands there may be fetched.
        files: texts that came out of files, commands and the memory: they must not leave unasked.
    """

    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def origins_of(
    messages: Iterable[Message], declared: Declared, words: Iterable[str] = (), files: Iterable[str] = ()
) -> Origins:
    """
    Read the origins off a session's messages.

    Args:
        declared: says whose words a result holds.
        words, files: what is not in a message, as the system prompt and the memory.
    """
    said, read = list(words), list(files)
    for message in messages:
        match message:
            case User(text=text, attachments=attached, synthetic=synthetic):
                said += [] if synthetic else [text]
                for each in attached:
                    (said if each.origin in ("typed", "pasted") else read).append(each.text)
            case ToolResult() as result:
                _sort(result, declared(result.name), said, read)
            case Summary(text=text):
                read.append(text)
            case _:
                pass
    return Origins(tuple(said), tuple(read))


def _sort(result: ToolResult, tool: Tool | None, said: list[str], read: list[str]) -> None:
    """Put a tool's output where it belongs; a page's text is neither given nor a secret."""
    completed = result.status == "completed"
    if tool and tool.lists_urls and completed:
        said += _RESULT.findall(result.output)  # not its other words: a page may repeat the query
    elif tool and tool.effect == "asks" and completed:
        said.append(result.output)
    elif not (tool and tool.effect == "network"):
        read.append(result.output)


def given(target: Target, words: Iterable[str]) -> bool:
    """Return whether *words* name this address; scheme, fragment and a last slash make no difference."""
    wanted = (target.host, target.path.rstrip("/"))
    return any(wanted == (found.host, found.path.rstrip("/")) for text in words for found in _named(text, target.host))


def carries(target: Target, origins: Origins) -> str:
    """
    Return what an address may carry out of here; empty for nothing, and for one that was given.

    Source: docs/reliability.md, W7.
    """
    query = target.path.partition("?")[2]
    long, taken = len(query) > LONG_QUERY, _taken(target, origins.files)
    if not (long or taken) or given(target, origins.words):
        return ""
    return "it holds a piece of what was read here" if taken else f"its query has {len(query)} characters"


def _named(text: str, host: str) -> Iterator[Target]:
    """Every address in *text* that may be one of *host*."""
    for word in _BREAKS.split(text):
        if "://" not in word and host not in word.lower():
            continue
        scheme = _SCHEME.search(word)
        whole = word[scheme.start() :] if scheme else word.lstrip("(")
        for each in dict.fromkeys((whole, whole.rstrip(_ENDINGS), whole.rstrip(_ENDINGS + ")"))):
            try:
                yield parse_url(each if scheme else f"https://{each}", ports=None)
            except ValueError:
                continue


def _taken(target: Target, files: Iterable[str]) -> bool:
    """Return whether the address repeats a run of the files; what is no letter or digit is passed over."""
    own = _plain(".".join(target.host.split(".")[:-2]) + target.path)  # a name that was bought carries nothing
    if len(own) < PIECE:
        return False
    read = "\n".join(map(_plain, files))
    return any(
        len(run := own[start : start + PIECE]) == PIECE and run in read
        for half in range(0, len(own), _HALF)  # every run spans one of these, which are quicker to look for
        if own[half : half + _HALF] in read
        for start in range(max(0, half - _HALF), half + 1)
    )


def _plain(text: str) -> str:
    """Letters and digits alone, percent signs resolved, in one case."""
    for _ in range(3):
        text = unquote(text)
    return re.sub(r"[\W_]+", "", text).casefold()
