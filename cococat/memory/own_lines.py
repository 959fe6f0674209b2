"""A line in the user's own words: whole sentences that were typed, noted where a wording of the model's does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby

from cococat.memory.cjk import written
from cococat.memory.cjk_passing import lasting_runs
from cococat.memory.cjk_people import unnamed
from cococat.memory.dates import calendar, timed, undatable, undated
from cococat.memory.japanese import japanese
from cococat.memory.negation import AND
from cococat.memory.passing import JOINTS
from cococat.memory.persons import persons
from cococat.memory.quotes import MIN_CHARS, Quote, folded, weight
from cococat.memory.scan import relative
from cococat.memory.statements import follows_tale, plain, sentences, statements
from cococat.memory.words import TOKEN, closed, content_words, fold, language, related, sequence, tokens, unspaced

__all__ = ["alone", "bare", "holds", "narrowed", "own_lines", "remainder", "share"]

_MOST = 200  # characters of the user's that are noted as a line, those of a script without spaces counted twice
_TRIES = 6  # parts of a long sentence that are tried
_SHARE, _PAIRS = 0.5, 0.4  # of the words, or pairs of characters, in a line that are in the one that stands for it
_EDGES = " .,;:、，。；：-–—"  # noqa: RUF001 - the marks of other scripts
_MARK = re.compile(rf"[,，、]\s*|\s[-–—]+\s|\s+(?=(?:{JOINTS})\s)")  # noqa: RUF001 - as above
_AND = re.compile(rf"(?i)\A(?:{'|'.join(sorted(AND))})\s+")  # a clause that stands alone goes without it
_MARKS = re.compile(r"(?:\d{4}-\d\d-\d\d: )?[\"\u201c](.*?)[\"\u201d](?: \([\d, -]+\))?(?=; |$)")
_ONE = re.compile(r'- ((?:\d{4}-\d\d-\d\d: )?)"([^"]*)"((?: \([\d, -]+\))?)')
_TURNING = frozenset({"if", "wenn", "falls", "quando", "cuando", "when", "unless", "если", "когда"})
_NOW = re.compile(
    r"(?i)(?<!from )(?<!since )(?<!ab )(?<!seit )(?<!desde )(?<!à partir d')(?<!da )"
    r"(?:\b(?:today|tonight|right now|at the moment|heute?|hoy|aujourd['\u2019]hui|oggi|hoje|сегодня)\b|(?<![到从])今[天日晚夜])"
)  # what is only so on the day on which it is said
_ISO = re.compile(r"(?<![\d-])(?:19|20)\d\d-\d\d(?:-\d\d)?(?![\d-])")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_REACH = 3  # words at the beginning of a sentence among which a "he" needs the sentence before


def own_lines(
    line: str, given: Sequence[Quote], typed: Mapping[int, str], days: Mapping[int, date], noted: str = ""
) -> Iterator[str]:
    """
    Give bullets that say in the user's own words what *line* was to say, the best first; none where they hold too little of it.

    These are whole sentences of the quoted records, in quotation marks. Behind them stand the dates of *line* that follow from them,
    else before them the day on which they were said, where they name a time. Those that *noted*, the memory, has so are not said again.
    """
    wanted = _wanted(line)
    paired = 2 * sum(map(unspaced, wanted)) > len(wanted)  # of a script whose words are told in pairs of characters
    bare_of_days = content_words(undated(plain(line))) if japanese(line) else []
    seqs = list(dict.fromkeys(one.seq for one in given))
    said_in = {seq: statements(folded(typed[seq]), behind_tale=follows_tale(typed, seq)).stated for seq in seqs}
    passages = {seq: parts for seq in seqs if (parts := _passages(wanted, folded(typed[seq]), said_in[seq], given))}
    for at in range(max(map(len, passages.values()), default=0)):
        found = [(seq, texts[min(at, len(texts) - 1)]) for seq, texts in passages.items()]
        said = tokens(plain(" ".join(text for _, text in found)))
        if any(_NOW.search(text) or unnamed(text) or _of_somebody(text, line) for _, text in found):
            continue
        if not any(_holds_enough(words, said, paired=paired) for words in (wanted, bare_of_days) if words):
            continue
        if (language("kin") | language("mine")).issuperset(map(fold, said)) and len(wanted) > 1:
            continue  # "my dad" says nothing of him
        found = [(seq, text) for seq, text in found if _quoted(text, None) not in noted] or found[:1]
        if sum(weight(text) for _, text in found) > _MOST:
            found = [max(found, key=lambda one: _hits(wanted, one[1], given))]
        dates = _dates(line, found, typed, days)
        if not dates and _put_right(line, found, [typed[seq] for seq in seqs]):
            continue
        behind = f" ({', '.join(dates)})" if dates else ""
        yield f"- {'; '.join(_quoted(text, None if dates else days.get(seq)) for seq, text in found)}{behind}"


def _wanted(line: str) -> Sequence[str]:
    """Return the words that are looked for: those of a wish, "short answers", as well, which a line may take from anywhere else."""
    words = content_words(plain(line))
    first = next(iter(TOKEN.findall(plain(line))), "")
    if written(plain(line)) or fold(first) not in language("wants"):
        return words
    return [one for one in sequence(undated(plain(line)))[1:] if one in words or fold(one) not in language("free")]


def _holds_enough(wanted: Sequence[str], said: frozenset[str], *, paired: bool) -> bool:
    held = [word for word in wanted if related(word, said)]
    return len(held) >= (_PAIRS if paired else _SHARE) * len(wanted) and not language("not").issuperset(map(fold, held))


def _dates(
    line: str, found: Sequence[tuple[int, str]], typed: Mapping[int, str], days: Mapping[int, date]
) -> list[str]:
    """Return the dates of *line* that its sentences name in another way; none where they do not."""
    own = list(dict.fromkeys(_ISO.findall(line)))
    said, when = "\n".join(text for _, text in found), [days[seq] for seq, _ in found if seq in days]
    named = calendar(said).months or relative(said) or timed(said)
    wrong = not named or not when or undatable(" ".join(own), "\n".join(typed[seq] for seq, _ in found), when, "")
    return [] if wrong else [one for one in own if one not in said]


def _put_right(line: str, found: Sequence[tuple[int, str]], typed: Sequence[str]) -> bool:
    """Return whether the sentences *found* have another day of a month than *line*, which a message *typed* beside them has."""
    days = {int(one[8:]) for one in _ISO.findall(line) if len(one) > len("2026-05")}
    said = "\n".join(text for _, text in found)
    own, every = ({int(one) for one in _DAY.findall(text)} for text in (said, "\n".join(typed)))
    return bool(calendar(said).months and days & every and not days & own)


def bare(own: str) -> str:
    """Return the line *own* without its marks and days: the user's words alone."""
    return _MARKS.sub(r"\1", own).replace('" \u2192 "', " ")


def holds(own: str, line: str) -> bool:
    """Return whether the line *own* has every word of *line* that carries meaning, dates apart."""
    return share(own, line) == 1


def share(own: str, line: str) -> float:
    """Return how many of the words of *line* that carry meaning the line *own* has, dates apart: 0 to 1."""
    said, words = tokens(plain(own)), content_words(undated(plain(line)))
    return sum(related(word, said) for word in words) / len(words) if words else 1


def narrowed(own: str, line: str) -> str:
    """
    Return the line *own* cut to those of its clauses that hold all that it has of *line*; empty where a reader could take them otherwise.

    One sentence may stand for several lines; what takes the place of one of them later is not to take the others with it.
    """
    found = _ONE.fullmatch(own)
    best = alone(found[2], line) if found else ""
    return f'- {found[1]}"{best}"{found[3]}' if found and best else ""


def remainder(own: str, line: str) -> str:
    """
    Return what the line *own* tells beside what *line* takes the place of, clauses of the user's own; empty where there are none.

    A model that puts one of two facts right is not to take the other with it.
    """
    if not (found := _ONE.fullmatch(own)):
        return ""
    said = frozenset(word for word in tokens(plain(line)) if fold(word) not in language("free"))
    clauses = [part.strip(_EDGES) for sentence in sentences(found[2]) for part in _MARK.split(sentence)]
    touched = [any(related(word, said) for word in sequence(plain(clause))) for clause in clauses]
    rest = [
        one
        for one, gone in zip(clauses, touched, strict=True)
        if not gone and _stands(one) and not _hangs(one, found[2])
    ]
    return f'- {found[1]}"{" … ".join(_AND.sub("", one) for one in rest)}"' if rest and any(touched) else ""


def _stands(clause: str) -> bool:
    """Return whether *clause* says of the user, or theirs, something that needs nothing before it."""
    own = language("first") | language("mine")
    owned = not own.isdisjoint(map(fold, TOKEN.findall(plain(clause))))
    return owned and len(content_words(plain(clause))) > 1 and not _points_back(clause)


def alone(text: str, line: str) -> str:
    """Return the shortest clause of *text* that holds all that it has of *line*; empty as `narrowed`, and where that is the whole."""
    said = tokens(plain(text))
    wanted = [word for word in content_words(undated(plain(line))) if related(word, said)]
    spans = [one.strip(_EDGES) for one in _spans(text)] if wanted else []
    spans = [one for one in spans if all(related(word, tokens(plain(one))) for word in wanted)]
    best = min(spans, key=len, default="")
    return "" if not best or best == text or _points_back(best) or _hangs(best, text) else best


def _hangs(clause: str, text: str) -> bool:
    """Return whether *clause* may say something else without the rest of *text*: an "if", a wish, or of whom it tells."""
    before, _, behind = text.partition(clause)
    rest = {fold(word) for word in TOKEN.findall(plain(f"{before}, {behind}"))}
    here = {fold(word) for word in TOKEN.findall(plain(clause))}
    people = persons(text) | (language("kin") - language("strangers"))
    if not rest.isdisjoint(language("wishes") | language("moods")):
        return True
    named = any(word[0].isupper() for word in TOKEN.findall(clause))
    if not (named or rest.isdisjoint(people)) and here.isdisjoint(people | language("first") | language("mine")):
        return True
    near = [
        TOKEN.findall(plain(one))
        for one in (_MARK.split(before.strip(_EDGES))[-1], _MARK.split(behind.strip(_EDGES))[0])
    ]
    turning = language("whether") | language("not") | _TURNING
    return any(
        words and fold(words[0]) in turning | (language("ends") if at else set()) for at, words in enumerate(near)
    )


def _quoted(text: str, day: date | None) -> str:
    marked = f"\u201c{text}\u201d" if '"' in text else f'"{text}"'
    return f"{day}: {marked}" if day and (relative(text) or timed(text)) else marked


def _passages(wanted: Sequence[str], text: str, stated: str, given: Sequence[Quote]) -> list[str]:
    """Return the sentences of *text* that say what is *wanted*, those with a quote first, as they were typed; or parts of a long one."""
    said = sentences(stated)
    if written(text):
        said = [run for sentence in said for run in lasting_runs(sentence)]
    whole = [one for one in map(str.strip, said) if one in text]
    left, chosen = list(wanted), set[int]()
    for at in sorted(range(len(whole)), key=lambda one: (-_hits(wanted, whole[one], given), one)):
        held = tokens(plain(whole[at]))
        if any(related(word, held) for word in left):
            chosen.add(at)
            left = [word for word in left if not related(word, held)]
    for at in sorted(chosen):
        if at and at - 1 not in chosen and _points_back(whole[at]):
            chosen.add(at - 1)
    runs = [
        [whole[at] for _, at in run]
        for _, run in groupby(enumerate(sorted(chosen)), key=lambda pair: pair[1] - pair[0])
    ]
    parts = [_joined(run, text) for run in runs]
    if weight("".join(parts)) > _MOST:
        return _cut(wanted, max(parts, key=lambda one: _hits(wanted, one, given)))
    joined = " … ".join(filter(None, (one.strip(_EDGES) for one in parts)))
    return [joined] if joined else []


def _hits(wanted: Sequence[str], sentence: str, given: Sequence[Quote]) -> int:
    said = tokens(plain(sentence))
    quoted = any(one.quote in sentence or sentence in one.quote for one in given)
    return sum(related(word, said) for word in wanted) + 2 * quoted


def _points_back(sentence: str) -> bool:
    """Return whether *sentence* begins with a "he" of whom only the one before tells who that is."""
    words = [fold(word) for word in TOKEN.findall(plain(sentence))[:_REACH]]
    return unnamed(sentence) or not (language("third") | language("theirs")).isdisjoint(words)


def _of_somebody(text: str, line: str) -> bool:
    """Return whether *text* begins with a "she" of somebody whom it does not name, and *line* does."""
    words = TOKEN.findall(plain(text))[: 2 * _REACH]
    at = next((at for at, word in enumerate(words) if fold(word) in language("third")), -1)
    if at < 0 or any(word[0].isupper() for word in words[1:at]):
        return False
    people = persons(f"{text}\n{line}") | language("kin")
    said = set(map(fold, sequence(plain(text))))
    named = {fold(word) for word in TOKEN.findall(plain(line)) if word[0].isupper() and not closed(word)} - said
    told = set(map(fold, sequence(plain(line))))
    return people.isdisjoint(map(fold, words[:at])) and not (people | named).isdisjoint(told)


def _joined(run: Sequence[str], text: str) -> str:
    """Return neighbours with what stands between them."""
    return text[text.index(run[0]) : text.rindex(run[-1]) + len(run[-1])]


def _cut(wanted: Sequence[str], sentence: str) -> list[str]:
    """Return clauses of a long *sentence* in a row, those first that say most of what is *wanted* with most around it."""
    said = {one.strip(_EDGES): sum(related(word, tokens(one)) for word in wanted) for one in _spans(sentence)}
    return sorted(said, key=lambda one: (-said[one], -len(one)))[:_TRIES]


def _spans(sentence: str) -> Iterator[str]:
    marks = [0, *(mark.end() for mark in _MARK.finditer(sentence)), len(sentence)]
    spans = (
        _AND.sub("", sentence[start:end]) if start else sentence[:end]
        for at, start in enumerate(marks)
        for end in marks[at + 1 :]
    )
    yield from (one for one in spans if MIN_CHARS <= weight(one.strip(_EDGES)) <= _MOST)
