"""What a text claims, word by word: of whom a word is said, whether it is denied, and what is only asked or made up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cococat.memory.words import fold, language, pairs, sequence

__all__ = ["SOMEONE", "USER", "Claim", "Statements", "claims", "persons", "plain", "statements"]

USER, SOMEONE = "<user>", "<someone>"  # "I", and a "he" of whom only the text before tells who it is
_MONTHS = "Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez"
_SENTENCE = re.compile(
    r"(?:[^.!?;\n。\uff01\uff1f؟]|[.](?=\w)|(?<=\bDr)[.]|(?<=\bMr)[.]"
    rf"|(?<=\d)[.](?=\s(?:bis|und|{_MONTHS})))+[.!?;\n。\uff01\uff1f؟]*"
)
_ASKS = re.compile(r"[?？؟]")  # noqa: RUF001 - as above
_PART = re.compile(r"[,،、，:：()（）—–]+(?=\D|$)|(?<=[\u3040-\u9fff])\s+")  # noqa: RUF001 - as above
_KEEP = re.compile(r"\b(remember|note|forget|keep in mind|merk|recuerda|souviens)", re.IGNORECASE)
_URL = re.compile(r"(?:https?://|www\.)\S+")
_TOKEN = re.compile(r"[^\W_]+")
_KIN_CJK = re.compile(
    r"^[我她他的]{0,2}(父母|[妈爸弟哥姐妹婆爷奶][妈爸弟哥姐妹婆爷奶]|母亲|父亲|丈夫|妻子|老[公婆板]|儿子|女儿|[男女]?朋友|同[事学]|室友|导师"
    r"|妻(?=は|が|の)|夫(?=は|が|の)|主人(?=は)|息子|娘(?=は|が))"
)
_NOT_CJK = re.compile(r"[不没沒别別非]")
_NOT_JA = re.compile(r"ません|ない|なかった|않|안 ")


@dataclass(frozen=True, slots=True)
class Claim:
    """
    A word that is said of somebody.

    Args:
        owner: the names of whom it is said, `USER` or `SOMEONE`; empty where the text does not say.
        lead: the word belongs to the owner's own name.
        clause: a number of its clause; later ones have higher numbers.
    """

    word: str
    owner: frozenset[str]
    denied: bool
    clause: int
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Statements:
    """The sentences of a text that claim something, those that ask the assistant to do something, and open questions."""

    stated: str
    wished: str
    inquired: str = ""


def statements(text: str) -> Statements:
    """Return what *text* claims: no questions, nothing behind the opening of a tale."""
    stated: list[str] = []
    wished: list[str] = []
    inquired: list[str] = []
    for sentence in _sentences(text):
        words = [fold(word) for word in _TOKEN.findall(plain(sentence))]
        command = not language("commands").isdisjoint(words[:4])
        request = any(
            " ".join(words[at : at + size]) in language("requests") for at in range(len(words)) for size in (1, 2)
        )
        opens = words[:1] and words[0] in language("opens")
        asks = bool(_ASKS.search(sentence))
        if (request or asks or command) and not language("fiction").isdisjoint(words):
            break  # what follows belongs to the tale
        if stated and not language("corrections").isdisjoint(words[:1]):
            stated[-1] = _corrected(stated[-1], sentence)
        for_good = request and any(
            " ".join(words[at : at + size]) in language("standing") for at in range(len(words)) for size in (1, 2)
        )
        if _KEEP.search(sentence) or for_good:
            stated.append(sentence)
        elif _task(words) or re.match("看一下|翻译|总结", sentence):
            continue
        elif request or (asks and re.search(r"\bplease\b|\bbitte\b|请", sentence)):
            wished.append(sentence)
        elif words and words[0] in language("asks"):
            inquired.append(sentence)
        elif not asks:
            stated.append(sentence)
        elif not opens:
            stated += _PART.split(sentence)[:-1]
    return Statements("\n".join(stated), "\n".join(wished), "\n".join(inquired))


def _task(words: Sequence[str]) -> bool:
    """Return whether a sentence orders one thing to be done with one text: "translate this", not "explain things simply"."""
    rest = words[1:] if words[:1] in (["please"], ["can"]) else words
    return bool(rest) and rest[0] in language("tasks") and not language("this").isdisjoint(rest[1:3])


def _sentences(text: str) -> list[str]:
    """Split *text*; a line that goes on in small letters belongs to the one before."""
    return _SENTENCE.findall(re.sub(r"\s*\n\s*(?=[a-zß-ÿа-я])", " ", text))


def _corrected(before: str, sentence: str) -> str:
    """Return the sentence *before* with what "no wait, in Dresden" puts right."""
    place = re.search(r"\b(in|at|on|to|from|im|am|bei|nach|aus|en|a|à|de|chez|di) (\w+)", sentence)
    number = re.search(r"\d+", sentence)
    if place:
        return re.sub(rf"\b{place[1]} \w+", place[0], before)
    return re.sub(r"\d+(?!.*\d)", number[0], before) if number else before


def persons(text: str) -> frozenset[str]:
    """Return the words of *text*, folded, that are taken for names: by their case, their family, or what they do."""
    found: set[str] = set()
    common = language("free") | language("light") | language("kin") | language("days")
    german = len(language("german").intersection(text.casefold().split())) > 1
    for sentence in _sentences(text):
        words = _TOKEN.findall(sentence)
        for at, word in enumerate(words):
            before, behind = fold(words[at - 1]) if at else "", words[at + 1] if at + 1 < len(words) else ""
            if not word[0].isupper() or fold(word) in common:
                continue
            first = all(fold(one) in language("joins") | language("ends") for one in words[:at])
            verb = (
                first
                and behind.islower()
                and (
                    behind == "s"
                    or fold(behind) in language("acts") | language("light")
                    or (fold(behind) not in language("free") and behind.endswith(("t", "s", "ed")))
                )
            )
            aged = re.search(rf"\b{re.escape(word)} ?\(\d", sentence)
            if before in language("kin") or (at and not german) or verb or aged:
                found.add(fold(word))
    return frozenset(found)


def claims(text: str, names: frozenset[str] = frozenset()) -> tuple[Claim, ...]:
    """
    Return the words of *text* in order, each with whom it is said of and whether it is denied.

    Args:
        names: words that are names wherever they stand; see `persons`.
    """
    found: list[Claim] = []
    for sentence in _sentences(plain(text)):
        owner, begin, bare = frozenset[str](), len(found), False
        for part in _parts(sentence, names):
            lead = _owner(part, names)
            own = bool(lead) and all(fold(word) in lead for word in part)
            alone = own and owner
            apposed = fold(part[0]) in language("theirs") and found[begin:] and fold(found[-1].word) in names
            joined = alone or (
                lead and bare and fold(part[0]) in _AND
            )  # "our neighbour, Mrs Lee, gave us"; "Tom and I"
            if joined or (lead and apposed):  # "I ask Dr. Lee, her doctor"
                lead |= owner if joined else {fold(found[-1].word)}
                found[begin:] = [
                    replace(one, owner=lead) if joined and one.owner == owner else one for one in found[begin:]
                ]
            owner, bare = lead or owner, own
            me, begun, number = False, not lead, len(found)
            for word, no in zip(part, _denied(part), strict=True):
                begun = begun or fold(word) in lead | language("third")
                me = me or (begun and fold(word) in language("first") | language("mine"))
                whose = owner | {USER} if me and owner else owner
                found += [Claim(one, whose, not_, number, fold(word) in owner) for one, not_ in _pieces(word, no=no)]
    return tuple(found)


def plain(text: str) -> str:
    """Return *text* with its contractions written out; the possessive 's stays a word of its own."""
    text = _URL.sub(" ", unicodedata.normalize("NFKC", text))
    text = re.sub(r"(?i)\b(ca|wo)n['\u2019]?t\b", "can not", text)
    text = re.sub(r"(?i)n['\u2019]t\b", " not", text)
    short = {group[0]: group[1] for group in pairs("short", "=")}
    if re.search(r"\bIm [A-ZÄÖÜ]", text) or not (language("german") - {"im"}).isdisjoint(text.split()):
        short.pop("im")  # "in the"
    return re.sub(r"[^\W_]+", lambda word: short.get(word[0].casefold(), word[0]), text)


def _parts(sentence: str, names: frozenset[str]) -> Iterator[list[str]]:
    """Split a sentence where a clause ends, or where a new subject begins behind an "and"."""
    for piece in _PART.split(sentence):
        words = _TOKEN.findall(piece)
        start = 0
        for at, word in enumerate(words):
            one = fold(word)
            following = [fold(next_) for next_ in words[at + 1 : at + 2]]
            fresh = any(_subject(next_, names) for next_ in following)
            if at > start and (one in language("ends") or (one in language("joins") and fresh)):
                yield words[start:at]
                start = at
        if words[start:]:
            yield words[start:]


def _subject(word: str, names: frozenset[str]) -> bool:
    return word in language("first") | language("third") | language("mine") | language("kin") | names


def _owner(words: Sequence[str], names: frozenset[str]) -> frozenset[str]:
    """Return whom a clause speaks of; empty where it names nobody."""
    if kin := _KIN_CJK.match(words[0]):
        return frozenset({kin[1]})
    if re.match("[我私僕]", words[0]):
        return frozenset({USER})
    if re.match("[他她彼]", words[0]):
        return frozenset({SOMEONE})
    folded = [fold(word) for word in words]
    lead = _lead(words, folded, names)
    return lead or (frozenset({USER}) if not language("first").isdisjoint(folded) else lead)


def _lead(words: Sequence[str], folded: Sequence[str], names: frozenset[str]) -> frozenset[str]:
    """Return whom a clause begins with."""
    for at, word in enumerate(folded):
        french = word == "il" and not language("french").isdisjoint(folded)
        if word in language("third") or french:
            return frozenset({SOMEONE})
        if word in language("mine") | language("theirs") | language("kin") | names:
            return frozenset(_group(words[at:], names))
        if (
            word in language("first")
            or word in language("direction") | language("beside")
            or word not in language("free") - language("acts")
        ):
            break
    return frozenset()


def _group(words: Sequence[str], names: frozenset[str]) -> list[str]:
    """Return the words a subject is made of: "my sister Mia", and "Mia" again in "my sister is called Mia"."""
    folded = [fold(word) for word in words]
    if folded[1:2] == ["s"] and words[2:]:  # "Dev's sister": the sister
        return _group(words[2:], names)
    begin = folded[0] in language("mine") | language("theirs") and folded[0] not in language("kin")
    own = [folded[1]] if begin and folded[1:] else [folded[0]]
    article = False  # "is a Bradford fan" names nobody
    for word, one, before in zip(words[begin + 1 :], folded[begin + 1 :], folded[begin:], strict=False):
        if one in language("copula") and one not in own:
            own.append("")
        elif one in language("first") and "" not in own:
            own.append(USER)
        elif (
            one in language("kin")
            or (one in names and not article)
            or (word[0].isupper() and own[-1:] == [""] and before in language("naming"))
        ):
            own.append(one)
        elif one not in _AND and not (one in _ARTICLES and "" in own):
            break
        article = article or one in _ARTICLES
    return [one for one in own if one]


_ARTICLES = frozenset({"he", "the", "a", "an"})
_AND = frozenset({"and", "und", "y", "et", "e", "и"})


def _denied(words: Sequence[str]) -> list[bool]:
    """Return for each word of a clause whether it stands in the scope of a "not"."""
    folded = [fold(word) for word in words]
    twos = [" ".join(folded[at : at + 2]) for at in range(len(folded))]
    if any(two in language("contrary") for two in twos):
        return [True] * len(words)
    found: list[bool] = []
    no = False
    for at, word in enumerate(folded):
        prefers = not language("prefer").isdisjoint(folded[: max(0, at - 1)]) and folded[at + 1 : at + 2] != ["be"]
        than = (at and twos[at - 1] in language("than")) or (prefers and word in ("to", "over", "than"))
        fresh = folded[at + 1 : at + 2] and folded[at + 1] in language("acts")
        no = bool((no and not (word in language("joins") and fresh)) or word in language("not") or than)
        found.append(no)
    last = folded[-1] if folded else ""
    if last in language("after") and sum(found) == 1:
        start = max((at + 1 for at, word in enumerate(folded) if word in language("joins")), default=0)
        return [at >= start for at in range(len(words))]
    return found


def _pieces(word: str, *, no: bool) -> Iterator[tuple[str, bool]]:
    at = (found.start() if (found := _NOT_CJK.search(word)) else len(word)) - 1
    for number, piece in enumerate(sequence(word)):
        yield piece, no or bool(_NOT_JA.search(word)) or number > at
