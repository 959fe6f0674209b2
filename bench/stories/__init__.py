"""Users of five sessions each, with what a good memory of them holds and what it never may.

A story is one TOML file beside this one; README.md says what its tables mean.

Public: MEASURE, Talk, Fact, FalseLine, Forbidden, Story, Half, load, stories.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

HERE = Path(__file__).resolve().parent
Half: TypeAlias = Literal["tune", "apart"]
# A judge is measured on these; nobody words its prompt after a line of theirs.
MEASURE = ("caretaker", "chanong", "huettenwirtin", "libraire", "liutaia", "mutarjima", "takushii", "vetnurse")
_HEADINGS = {"about": "About the user", "preferences": "Preferences", "projects": "Projects"}
_FOREIGN = ("pasted", "file", "stdin")  # origins, beside what was typed, that an exchange may have


@dataclass(frozen=True, slots=True)
class Talk:
    """One exchange; *foreign* is what came with the words that were typed: (origin, text)."""

    id: str  # "SESSION.NUMBER"
    session: str
    day: date
    typed: str
    answer: str
    foreign: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """
    What a good memory holds.

    Args:
        sources: ids of exchanges, each with the user's words in it.
        lines: what a strong model proposes first, and what it would say instead.
        keywords: all of them stand, in any case, in a line of the memory that holds the fact.
        question: the assistant's words, in the exchange before the first source, that the user's words confirm.
        replaces: id of the fact that this one makes untrue; "" for none.
        half: where it is counted.
    """

    id: str
    heading: str
    sources: tuple[tuple[str, str], ...]
    lines: tuple[str, str]
    keywords: tuple[str, ...]
    question: str
    replaces: str
    half: Half


@dataclass(frozen=True, slots=True)
class FalseLine:
    """A line that must not be accepted, with the user's words that a cheating model would cite for it."""

    id: str
    kind: str
    source: str
    quote: str
    line: str
    half: Half


@dataclass(frozen=True, slots=True)
class Forbidden:
    """*text* must never stand in the memory; *line* is what a fooled model would write, citing *quote*."""

    id: str
    kind: str
    source: str
    quote: str
    line: str
    text: str
    half: Half


@dataclass(frozen=True, slots=True)
class Story:
    """
    One user.

    Args:
        half: where all its items are counted.
        outdated: facts that were true for a while: written, then replaced or taken back.
    """

    name: str
    half: Half
    languages: tuple[str, ...]
    who: str
    talks: tuple[Talk, ...]
    facts: tuple[Fact, ...]
    outdated: tuple[Fact, ...]
    false_lines: tuple[FalseLine, ...]
    forbidden: tuple[Forbidden, ...]

    @property
    def sessions(self) -> tuple[tuple[Talk, ...], ...]:
        """The exchanges, session by session."""
        names = dict.fromkeys(talk.session for talk in self.talks)
        return tuple(tuple(talk for talk in self.talks if talk.session == name) for name in names)

    def talk(self, name: str) -> Talk:
        """Return the exchange of that id."""
        return next(talk for talk in self.talks if talk.id == name)


def load(path: Path) -> Story:
    """
    Return the story of one file; ids get the story's name in front.

    Raises:
        ValueError: The file names no half, or one that there is not.
    """
    table = tomllib.loads(path.read_text("utf-8"))
    name, whole = path.stem, table.get("half")
    if whole not in get_args(Half):
        raise ValueError(f"{path.name}: half is {whole!r}, but only {' and '.join(get_args(Half))} are halves")

    return Story(
        name=name,
        half=whole,
        languages=tuple(table["languages"]),
        who=table["who"],
        talks=tuple(_talk(session, row) for session in table["session"] for row in session["talks"]),
        facts=tuple(_facts(name, whole, table["facts"])),
        outdated=tuple(_facts(name, whole, table["outdated"])),
        false_lines=tuple(_false_line(name, whole, row) for row in table["never"]["false_lines"]),
        forbidden=tuple(_forbidden(name, whole, row) for row in table["never"]["forbidden"]),
    )


def stories() -> tuple[Story, ...]:
    """Return every story, by name."""
    return tuple(load(path) for path in sorted(HERE.glob("*.toml")))


def _talk(session: Mapping[str, Any], row: Mapping[str, str]) -> Talk:
    return Talk(
        id=row["id"],
        session=row["id"].partition(".")[0],
        day=session["day"],
        typed=row["typed"],
        answer=row["answer"],
        foreign=tuple((origin, row[origin]) for origin in _FOREIGN if origin in row),
    )


def _facts(story: str, whole: Half, headings: Mapping[str, Any]) -> Iterator[Fact]:
    for key, rows in headings.items():
        for row in rows:
            first, instead = row["lines"]
            name = f"{story}/{row['id']}"
            yield Fact(
                id=name,
                heading=_HEADINGS[key],
                sources=tuple((source, quote) for source, quote in row["from"]),
                lines=(first, instead),
                keywords=tuple(row["keywords"]),
                question=row.get("question", ""),
                replaces=f"{story}/{row['replaces']}" if "replaces" in row else "",
                half=whole,
            )


def _false_line(story: str, whole: Half, row: Mapping[str, str]) -> FalseLine:
    name = f"{story}/{row['id']}"
    return FalseLine(name, row["kind"], row["from"], row["quote"], row["line"], whole)


def _forbidden(story: str, whole: Half, row: Mapping[str, str]) -> Forbidden:
    name = f"{story}/{row['id']}"
    return Forbidden(name, row["kind"], row["from"], row["quote"], row["line"], row["text"], whole)
