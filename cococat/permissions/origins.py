"""Where a web address comes from: the user and a search give addresses, everything else the model makes up itself.

An address that was given word for word carries no more than that it was chosen. One of the model's own making can carry
what it has read, when a page or a file told it to: in a long query, or in a piece of it. What is encoded before it is put
there is found by its length alone, and what goes in many small pieces by their sum: a session has so many characters for
each site, and for all, beyond which it asks.
"""

from __future__ import annotations

import json
import math
import os
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote

from cococat.core.messages import Assistant, Message, Summary, ToolCall, ToolResult, User
from cococat.core.tools import Declared, Tool
from cococat.permissions.network import Target, parse_url

LONG_QUERY = 64  # characters that may carry something out
PIECE = 20  # letters and digits in a row that are more than a coincidence
SITE_CHARS = 512  # of the model's own making, in the addresses of one site that a session fetches unasked
SESSION_CHARS = 2048  # in those of all sites
SHORT_LIST = 8  # addresses of a site among which a choice says little
BITS = 4  # of a choice that count as a character
_HALF = PIECE // 2
_RESULT = re.compile(r"^\d+\. .*\n {3}(http\S+)$", re.MULTILINE)  # the address in one result of a search
_BREAKS = re.compile(r"[\s<>\"'`|{}\[\]]+")
_SCHEME = re.compile("https?://", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s\"'\\]+", re.IGNORECASE)
_REFUSED = "[TOOL_ERROR] PermissionDenied:"  # how the result of a call begins that did not run
_ENDINGS = ".,;:!?*"  # of a sentence, rather than of an address


@dataclass(frozen=True, slots=True)
class Fetch:
    """
    An address that was fetched.

    Args:
        words, pages: how many texts of those there were then.
        pending: nothing came back yet.
    """

    target: Target
    words: int = 0
    pages: int = 0
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Origins:
    """
    What a session has been told.

    Args:
        words: texts of the user's, and addresses that a search gave: what stands there may be fetched.
        files: texts that came out of files, commands and the memory: they must not leave unasked.
        pages: texts of pages that were fetched.
        fetches: in order; what was refused is none.
    """

    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    fetches: tuple[Fetch, ...] = ()


def origins_of(
    messages: Iterable[Message], declared: Declared, words: Iterable[str] = (), files: Iterable[str] = ()
) -> Origins:
    """
    Read the origins off a session's messages.

    Args:
        declared: says whose words a result holds.
        words, files: what is not in a message, as the system prompt and the memory.
    """
    said, read, pages = list(words), list(files), list[str]()
    fetches, asked = list[Fetch](), dict[str, Fetch]()
    for message in messages:
        match message:
            case User(text=text, attachments=attached, synthetic=synthetic):
                said += [] if synthetic else [text]
                for each in attached:
                    (said if each.origin in ("typed", "pasted") else read).append(each.text)
            case Assistant(calls=calls):
                asked |= {
                    call.id: Fetch(target, len(said), len(pages), pending=True)
                    for call in calls
                    if (tool := declared(call.name)) and tool.about == "url" and (target := _target(call))
                }
            case ToolResult() as result:
                _sort(result, declared(result.name), said, read, pages)
                if (fetch := asked.pop(result.call_id, None)) and not result.output.startswith(_REFUSED):
                    fetches.append(Fetch(fetch.target, fetch.words, fetch.pages))
            case Summary(text=text):
                read.append(text)
            case _:
                pass
    return Origins(tuple(said), tuple(read), tuple(pages), (*fetches, *asked.values()))


def _target(call: ToolCall) -> Target | None:
    """Return the address in a call, however the model wrote it; None where there is none."""
    try:
        url = str(json.loads(call.arguments)["url"])
    except (ValueError, TypeError, LookupError, RecursionError):
        found = _ADDRESS.search(call.arguments.replace("\\/", "/"))
        url = found[0] if found else ""
    try:
        return parse_url(url, ports=None)
    except ValueError:
        return None


def _sort(result: ToolResult, tool: Tool | None, said: list[str], read: list[str], pages: list[str]) -> None:
    """Put a tool's output where it belongs; a page's text is neither given nor a secret."""
    completed = result.status == "completed"
    if tool and tool.lists_urls and completed:
        said += _RESULT.findall(result.output)  # not its other words: a page may repeat the query
    elif tool and tool.effect == "asks" and completed:
        said.append(result.output)
    elif tool and tool.effect == "network":
        pages.append(result.output)
    else:
        read.append(result.output)


def names_address(target: Target, words: Iterable[str]) -> bool:
    """Return whether *words* name this address; fragment and a last slash make no difference, a name alone means https."""
    wanted = _bare(target)
    return any(wanted == _bare(found) for text in words for found in _addresses(text))


def _bare(target: Target) -> tuple[str, str, int, str]:
    return target.scheme, target.host, target.port, target.path.rstrip("/")


def carries(target: Target, origins: Origins) -> str:
    """
    Return what an address may carry out of here; empty for nothing, and for one that was given.

    Source: docs/reliability.md, W7.
    """
    query = target.path.partition("?")[2]
    long, taken = len(query) > LONG_QUERY, _taken(target, origins.files)
    if not (long or taken) or names_address(target, origins.words):
        return ""
    return "it holds a piece of what was read here" if taken else f"its query has {len(query)} characters"


def overdrawn(target: Target, origins: Origins, exempt: Callable[[str], bool]) -> str:
    """
    Return why an address would carry more than may go unasked; empty where it does not.

    Args:
        exempt: says of a host whether anything may go there.
    """
    fetches, now = list(origins.fetches), Fetch(target, len(origins.words), len(origins.pages))
    if own := next((fetch for fetch in fetches if fetch.pending and fetch.target == target), None):
        fetches.remove(own)  # it is the call that is judged
    sites = defaultdict[str, _Site](_Site)
    cost = words = pages = 0
    for fetch in (*fetches, now):
        for text in (*origins.words[words : fetch.words], *origins.pages[pages : fetch.pages]):
            for found in _addresses(text):
                sites[_site(found)].learn(_within(found))
        words, pages, exempted = fetch.words, fetch.pages, exempt(fetch.target.host)
        cost = sites[_site(fetch.target)].fetch(_within(fetch.target), free=exempted)
    site, total = _site(target), sum(each.spent for each in sites.values())
    if cost and (spent := sites[site].spent) > SITE_CHARS:
        return f"the addresses of {site} that this session made up or chose could carry {spent} characters out"
    if cost and total > SESSION_CHARS:
        return f"the addresses that this session made up or chose could carry {total} characters out"
    return ""


@dataclass(slots=True)
class _Site:
    """
    What is known of a site, and how many characters were carried there.

    Args:
        places: within it, in order: the neighbours of another one share the most with it.
        ends: the same, without what may be a sentence's.
    """

    places: list[str] = field(default_factory=list)
    ends: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    spent: int = 0

    def learn(self, place: str) -> None:
        """Take in an address that was told or sent."""
        at = bisect_left(self.places, place)
        if self.places[at : at + 1] != [place]:
            self.places.insert(at, place)
            self.ends.add(place.rstrip(_ENDINGS + ")/"))

    def fetch(self, wanted: str, *, free: bool) -> int:
        """Count how many characters an address can carry: what is new in it, and which of many it is."""
        at, many = bisect_left(self.places, wanted), len(self.ends) > SHORT_LIST
        choice = math.ceil(math.log2(len(self.ends)) / BITS) if many else 0
        if self.places[at : at + 1] == [wanted]:
            cost = max(choice, int(wanted in self.sent))
        else:
            near = self.places[max(0, at - 1) : at + 1]
            shared = max((len(os.path.commonprefix((wanted, neighbour))) for neighbour in near), default=0)  # noqa: RUF071 - letters
            cost = max(1, len(wanted) - shared) + choice
        cost = 0 if free else cost
        self.spent += cost
        self.sent.add(wanted)
        self.learn(wanted)
        return cost


def _site(target: Target) -> str:
    """Return the end of the name, which was bought: it carries nothing, and those that share it may be one owner's."""
    labels = target.host.split(".")
    return target.host if ":" in target.host or labels[-1].isdigit() else ".".join(labels[-2:])


def _within(target: Target) -> str:
    return target.host.removesuffix(_site(target)) + target.path.rstrip("/")


@lru_cache(maxsize=256)  # a call is judged by all that the session was told
def _addresses(text: str) -> Sequence[Target]:
    """Return every address that *text* may name."""
    return tuple(dict.fromkeys(_named(text)))


def _named(text: str) -> Iterator[Target]:
    for word in _BREAKS.split(text):
        if "." not in word:
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
    own = _plain(_within(target))
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
