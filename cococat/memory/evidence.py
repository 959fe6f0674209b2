"""Whether a line rests on the words of the user that are quoted for it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from cococat.memory.cjk import written
from cococat.memory.cjk_roles import Typed, fault
from cococat.memory.cjk_spelling import as_typed, canonical
from cococat.memory.claims import USER, claims
from cococat.memory.dates import calendar, undatable, undated
from cococat.memory.japanese import japanese, taken_back
from cococat.memory.negation import in_portuguese
from cococat.memory.openers import without_openers
from cococat.memory.own_words import foreign_words
from cococat.memory.persons import persons
from cococat.memory.quotes import Quote
from cococat.memory.refusals import SAYS_NOTHING
from cococat.memory.roles import Comparison, own_names
from cococat.memory.statements import Statements, follows_tale, plain, sentences, statements
from cococat.memory.tales import of_the_user
from cococat.memory.words import content_words, fold, joining, language, numbers, related, sequence, tokens

__all__ = ["AcceptedEdit", "Heard", "merges", "plain_heading", "put_right_later", "unsupported"]

_PLAIN_SIGNS = frozenset("`+=~")  # signs that a line may hold although nobody typed them
_TOPICS = tokens(
    "notes memory about user profile person personal background preferences preference likes dislikes habits style "
    "people family friends contacts team pets home places travel work job company projects project tools software "
    "hardware environment setup languages language code coding health food drinks hobbies interests sports music books "
    "plans goals decisions dates events education skills other misc"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """
    What a line may rest on.

    Args:
        typed: what the user typed, by seq of the record.
        asked: the assistant's question that a short answer confirms, by seq of the answer.
        days: when the records were made.
        noted: the memory as it stands.
    """

    typed: Mapping[int, str]
    asked: Mapping[int, str] = field(default_factory=dict)
    days: Mapping[int, date] = field(default_factory=dict)
    noted: str = ""

    def claimed(self, seq: int, *, wished: bool) -> str:
        """Return what record *seq* supports, what it asks of the assistant as well if *wished*."""
        text = self._said(seq)
        return ".\n".join((text.stated, text.wished if wished else "", self.asked.get(seq, "")))

    def anywhere(self, seq: int) -> str:
        """Return all that record *seq* says, questions as well."""
        return f"{self.claimed(seq, wished=True)}\n{self._said(seq).inquired}"

    def _said(self, seq: int) -> Statements:
        return statements(self.typed[seq], behind_tale=follows_tale(self.typed, seq))


@dataclass(frozen=True, slots=True)
class AcceptedEdit:
    """
    An edit that was accepted, with the evidence it rests on.

    Args:
        rests: that of single lines, where it is not all of it.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    evidence: tuple[Quote, ...]
    rests: Mapping[str, tuple[Quote, ...]] = field(default_factory=dict)


def unsupported(
    line: str, given: Sequence[Quote], heard: Heard, removed: Sequence[str] = (), *, own: bool = False
) -> str:
    """
    Return what *line* lacks to rest on its evidence; empty when it does.

    Every word that carries meaning must be the user's own, at least one of them in a quote: so no text that was not typed
    can become a memory, however it reached the model. And nothing may be turned around: see `Comparison`.

    Args:
        removed: lines that it takes the place of; their words may stay, in their order.
        own: *line* is the user's own sentences, which turn nothing around: only what a question or a tale says counts for nothing.
    """
    bare = line.lstrip("-*+ ")
    if not (telling := _telling(line)):
        return SAYS_NOTHING
    seqs = sorted({one.seq for one in given})
    said = ".\n".join(heard.claimed(seq, wished=_wishes(bare)) for seq in seqs)
    said, bare, line = in_portuguese(of_the_user(said, bare), bare, line)
    old = [word for one in removed for word in sequence(one)]
    quoted = "\n".join(f"{one.quote} {heard.asked.get(one.seq, '')}" for one in given)
    new = [word for word in telling if word not in old] or telling
    if not calendar(line).meets(calendar(quoted)) and not any(related(word, tokens(quoted)) for word in new):
        return "none of its words is in a quote: quote the words it rests on"
    noted = "\n".join(one for one in heard.noted.split("\n") if one not in removed)
    if written(bare):
        return _unspaced(bare, seqs, heard, (*removed,), noted, own=own)
    text = undated(plain(line))
    content = [word for word in content_words(text) if fold(word) not in language("not")]
    words = content or [one for one in sequence(text) if fold(one) not in language("wants")] or sequence(line)
    everything = ".\n".join((*map(heard.anywhere, heard.typed), noted))
    stated = ".\n".join((*(heard.claimed(seq, wished=_wishes(bare)) for seq in heard.typed), noted))
    if foreign := foreign_words(line, words, said, everything, old, stated=stated, noted=noted.split("\n")):
        named = ", ".join(map(repr, foreign[:5]))
        return f"{named}: no words of the user's there, or only in a question; use only the user's own, untranslated"
    if own:
        return ""
    names = persons(f"{everything}\n{bare[:1].lower()}{bare[1:]}")
    mine = own_names((*heard.typed.values(), *removed))
    known = names.union(fold(one.word) for one in claims(said, names) if one.subject) - mine
    typed = claims(said, known)
    small = frozenset(fold(one.word) for one in typed if one.raw.islower())
    found = claims(undated(plain(bare)), known, small)
    typed = tuple(replace(one, owner=frozenset({USER}), subject=False) if one.owner & mine else one for one in typed)
    if why := Comparison(found, typed, (names | language("kin")) - mine, frozenset(old), mine).fault():
        return why
    days = [heard.days[seq] for seq in seqs if seq in heard.days]
    if why := undatable(line, said, days, "\n".join(removed)):
        return why
    if signs := _signs(line) - _signs("".join((*removed, said, *(heard.typed[seq] for seq in seqs)))):
        return f"the user did not type {', '.join(map(ascii, sorted(signs)))}"
    return ""


def _unspaced(line: str, seqs: Sequence[int], heard: Heard, removed: Sequence[str], noted: str, *, own: bool) -> str:
    """Return what a line in Chinese or Japanese lacks, as `unsupported` does."""
    earlier = {seq: heard.typed.get(max((one for one in heard.typed if one < seq), default=seq), "") for seq in seqs}
    said = [
        Typed(text, heard.days.get(seq), context=earlier[seq])
        for seq in seqs
        for text in (heard.asked.get(seq, ""), "\n".join(map(without_openers, sentences(heard.typed[seq]))))
    ]
    said += [Typed(old.lstrip("-*+ "), note=True) for old in removed]
    others = (*(text for seq, text in heard.typed.items() if seq not in seqs), *noted.split("\n"))
    if wrong := put_right_later(line, seqs, heard.typed):
        return as_typed(f"the user put {wrong!r} right: quote what is true", (line,))
    if why := fault(line, said, others, wished=_wishes(line), own=own):
        return why
    if signs := _signs(line) - _signs("".join(one.text for one in said)):
        return f"the user did not type {', '.join(map(ascii, sorted(signs)))}"
    return ""


def put_right_later(line: str, seqs: Sequence[int], typed: Mapping[int, str]) -> str:
    """Return what of a Japanese *line* the records that it rests on, or the next one, put right; empty when nothing."""
    behind = {min((one for one in typed if one > seq), default=seq) for seq in seqs} - {*seqs}
    texts = [typed[seq] for seq in (*seqs, *sorted(behind)) if japanese(line + typed[seq])]
    told = (taken_back(canonical(line), sentence) for text in texts for sentence in sentences(canonical(text)))
    return next(filter(None, told), "")


def _telling(line: str) -> list[str]:
    """Return the words of *line* that say something by themselves; numbers do beside others: not in "yes, the two"."""
    words = [word for word in sequence(plain(line)) if fold(word) not in language("free") | language("cjk_free")]
    return [] if all(word.isdigit() or fold(word) in numbers() for word in words) else words


def _wishes(line: str) -> bool:
    """Return whether *line* states a preference, which is all that a request supports."""
    opens = any(fold(word) in language("wants") for word in sequence(line)[:2])
    return opens or bool(re.search("希望|想要|偏好", line))


def merges(line: str, removed: Sequence[str]) -> bool:
    """Return whether *line* is nothing but *removed* lines one behind the other: then it needs no new evidence."""
    words = _meaning(line)
    return bool(words) and not _signs(line) - _signs("".join(removed)) and _joined(words, tuple(map(_meaning, removed)))


def plain_heading(line: str, typed: Mapping[int, str], removed: Sequence[str]) -> bool:
    """Return whether a heading names a common topic, or what the user has named."""
    known = _TOPICS.union(*map(tokens, (*typed.values(), *removed)))
    return all(joining(word) or related(word, known) for word in sequence(line)) and not _signs(line)


def _meaning(line: str) -> tuple[str, ...]:
    return tuple(word for word in sequence(line) if not joining(word))


def _joined(words: Sequence[str], lines: Sequence[Sequence[str]], before: Sequence[Sequence[str]] = ()) -> bool:
    """Return whether *words* are some of *lines* in a row; what a line has in common with one before need not come again."""
    if not words:
        return True
    for index, line in enumerate(lines):
        others = (*lines[:index], *lines[index + 1 :])
        for start in {0, *(_shared(line, one) for one in before)}:
            rest = line[start:]
            begins = rest and tuple(words[: len(rest)]) == tuple(rest)
            if begins and _joined(words[len(rest) :], others, (*before, line)):
                return True
    return False


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _signs(text: str) -> frozenset[str]:
    """Return the symbols and combining marks in *text*: they are no words, and may say something all the same."""
    return frozenset(char for char in text if unicodedata.category(char)[0] in "MS") - _PLAIN_SIGNS
