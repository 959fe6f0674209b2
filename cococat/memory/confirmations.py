"""A short answer to the assistant's own question: what "yes, both" takes from the question it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cococat.memory.words import TOKEN, classes, fold, key, language, unspaced

if TYPE_CHECKING:
    from cococat.memory.replies import Clause

__all__ = ["answered", "as_told", "closing_question", "confirmed", "left_out", "settles"]

MAX_WORDS = 6  # of an answer that is read with its question
MAX_CHARS = 300  # of a question
MAX_ANSWER = 140  # characters of an answer that is noted with its question, and of that question
_CJK_PER_WORD = 2  # characters of a script without spaces that count as a word
_STEM = 4  # letters that two forms of a word have in common
_FIRST = 3  # words of a question among which the one stands that opens it
_LAST = re.compile(r"(?:[^.!?;\n。\uff01\uff1f]|[.](?=\S)|(?<=\d)[.](?= [^\W\d_A-Z]))+[?\uff1f؟][\s*_)\"'»”]*$")
_OR = re.compile(r",?\s+(?:or|oder|o|ou|oppure|или)\s+|还是|[\u3001,]?それとも[\u3001,]?", re.IGNORECASE)
_OR_THE = re.compile(_OR.pattern.replace("|o|", "|"), re.IGNORECASE)  # Portuguese
_AND = re.compile(r",?\s+(?:and|und|y|et|e|и)\s+|[,\uff0c\u3001]\s*")
_SENTENCE = re.compile(r"[^.!?;\n\u3002\uff01\uff1f]+[.!?;\n\u3002\uff01\uff1f]*")
_ASKS = re.compile("[?\uff1f؟]")
_OPEN = re.compile("什么|谁|哪|几[只个岁点]|多少|多大|多久|怎么|何[语時时人匹歳]|いつ|誰|どこ|いくつ|どの|お?名前は")
_BACK = re.compile("[不没]|别(?![的件])|ない|但|でも|只|だけ(?!ど)")
_UNASKED = re.compile(
    r"([要是能可会好行有])不\1|可不可以|有没有|是否|需要?不需要|[吗呢嘛](?=[?\uff1f\s,\uff0c\u3001]|$)|(?<=[,\uff0c\u3001])(?:对吧|好吗|可以吗|行吗|是吧|对吗)"
)


def closing_question(answer: str) -> str:
    """Return the question that *answer* ends with; empty when it ends otherwise, or is too long to be one."""
    found = _LAST.search(answer.strip())
    question = " ".join(found[0].split()) if found else ""
    return question if len(question) <= MAX_CHARS else ""


def confirmed(typed: str, asked: str) -> str:
    """
    Return what the short answer *typed* takes from the question *asked*, as the user would say it.

    Empty when it is longer than six words, says nothing or no, asks back, or leaves open which of two things it chooses; what it says
    besides is for `left_out`. Of more sentences the first is the answer, where it says yes and the next takes nothing back.
    """
    from cococat.memory.ja_answers import partly  # a dream alone pays for it; an `ask` reads closing questions
    from cococat.memory.replies import clauses

    if asked and (some := partly(typed, asked)) is not None:
        return as_told(some)
    typed = _answer(typed)
    size = sum(sum(map(unspaced, word)) // _CJK_PER_WORD + 1 for word in key(typed).split())
    if not asked or _ASKS.search(typed) or size > MAX_WORDS:
        return ""
    said = clauses(typed, asked)
    if any(one.open and not one.names for one in said):
        return ""
    if len(options := _options(asked)) > 1:
        return as_told(_chosen(said, options, asked))
    if _opens(asked):
        tells = any(one.names or one.adds for one in said)
        return as_told(asked) if tells and not any(one.denied for one in said) else ""
    return as_told(_agreed(said, asked))


def _agreed(said: Sequence[Clause], asked: str) -> str:
    """Return those parts of the question *asked* to which an answer says yes, or which it names without another word."""
    from cococat.memory.replies import parts

    yes = [one for one in said if not one.denied]
    agrees = any(one.agrees or one.both for one in yes)
    adds = bool(_besides(said)) or any(one.says and not one.adds for one in said)
    if any(one.bare for one in said) or (adds and not agrees):
        return ""
    if any(one.agrees and one.names and one.says for one in yes):
        return ""
    named, denied = (
        frozenset[str]().union(*(one.names for one in some)) for some in (yes, [one for one in said if one.denied])
    )
    both = any(one.both for one in yes)
    if not any(one.agrees or one.names or one.both or one.at is not None for one in yes):
        return ""
    pieces = [piece for piece in _AND.split(asked) if piece]
    if both and not denied:
        return asked
    counted = {one.at for one in yes} - {None}
    common = frozenset[str].intersection(*map(parts, pieces)) if len(pieces) > 1 else frozenset()
    kept = [piece for piece in pieces if denied.isdisjoint(parts(piece))]
    if counted:
        kept = [pieces[at] for at in counted if at is not None and at < len(pieces)]
    elif named - common and len(pieces) > 1:
        kept = [piece for piece in kept if not (named - common).isdisjoint(parts(piece))]
    return asked if kept == pieces else " ".join(kept)


def _besides(said: Sequence[Clause]) -> list[Clause]:
    """Return the clauses of an answer that say more than yes, or than what was asked: "always in writing, calls end in a fight" does not."""
    says_again = any(one.names and not one.adds for one in said) and not any(one.agrees for one in said)
    return [one for one in said if one.adds and not one.both and not (says_again and one.names)]


def _chosen(said: Sequence[Clause], options: Sequence[str], asked: str) -> str:
    """Return the one of *options* that an answer chooses, or leaves when it says no to all others; the question where it takes all."""
    yes = [one for one in said if not one.denied]
    if any(one.both for one in yes) and not any(one.denied for one in said):
        return asked
    picked, denied = (_named(some, options) for some in (yes, [one for one in said if one.denied]))
    left = picked - denied or (set(range(len(options))) - denied if denied else set())
    if len(left) != 1:
        return ""
    return options[left.pop()]


def _named(said: Sequence[Clause], options: Sequence[str]) -> set[int]:
    """Return which of *options* the clauses of an answer name by a word of theirs alone, or count."""
    from cococat.memory.replies import parts

    told = [parts(one) for one in options]
    own = [one - frozenset[str]().union(*(other for other in told if other is not one)) for one in told]
    counted = {one.at % len(options) for one in said if one.at is not None and one.at < len(options)}
    return counted or {at for at, words in enumerate(own) if any(not words.isdisjoint(one.names) for one in said)}


def _options(asked: str) -> list[str]:
    """Return what the question *asked* leaves to choose from: "a table", "a list", "prose"; one where it does not."""
    from cococat.memory.replies import parts

    the = not language("o_is_the").isdisjoint(map(fold, key(asked).split()))
    *before, last = (_OR_THE if the else _OR).split(asked.rstrip("?\uff1f؟ "))
    listed = [piece for one in before for piece in re.split(r"[,\uff0c\u3001]\s*", one)]
    begins = next((at for at, one in enumerate(listed) if "¿" in one or _asks_you(one)), 0)
    listed = listed[begins:]  # "for the footer, shall I say ...": what it is about is no option
    return [one for one in (*listed, last) if parts(one)] if before else [asked]


def _asks_you(piece: str) -> bool:
    """Return whether *piece* speaks of the user or the assistant: "shall I say", "do you want"."""
    return any(fold(word) in _TURNED or fold(word) in _MINE for word in TOKEN.findall(piece))


def _opens(asked: str) -> bool:
    """Return whether *asked* is no question that a yes answers."""
    words = [fold(word) for word in key(asked).split()[:_FIRST]]
    first = next((word for word in words if word in classes("asks", "asks_who") or word not in language("free")), "")
    return first in classes("asks", "asks_who") or bool(_OPEN.search(asked))


def as_told(asked: str) -> str:
    """Return a question as what the user says who agrees to it."""
    if any(map(unspaced, asked)):
        asked = _UNASKED.sub(
            "", re.sub("你们?|您|我们?", lambda one: "助手" if one[0].startswith("我") else "我", asked)
        )
    english = not _ENGLISH.isdisjoint(map(fold, key(asked).split()))  # "i" is an article elsewhere, and "me" a "to me"
    turned = _TURNED | (_MINE if english else {})
    return re.sub(r"[^\W\d_]+", lambda word: turned.get(fold(word[0]), word[0]), asked.rstrip("?\uff1f؟ "))


def _agrees(answer: str) -> bool:
    """Return whether *answer* begins with a yes."""
    from cococat.memory.replies import clauses

    return any(one.agrees for one in clauses(answer, "")[:1])


def left_out(line: str, typed: str, asked: str) -> str:
    """Return the answer *typed* where it adds to the question *asked*, "only at work", what a *line* about that leaves out."""
    from cococat.memory.ja_answers import partly
    from cococat.memory.replies import clauses, parts

    told, answer = parts(line), _answer(typed)
    if told.isdisjoint(parts(asked)) or partly(typed, asked) is not None:
        return ""
    said = clauses(answer, asked)
    limits = not classes("limits", "not").isdisjoint(fold(word) for word in key(line).split())
    limited = any(one.limits and not (one.names or one.at is not None) for one in said)
    lacking = [add for one in _besides(said) for add in one.adds if not any(_alike(add, word) for word in told)]
    return answer if lacking or (limited and not (limits or any(map(unspaced, line)))) else ""


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one[:_STEM], other[:_STEM]), key=len)
    return long.startswith(short)


def settles(answer: str, asked: str) -> bool:
    """Return whether *answer* says by itself what of the question *asked* is so: with a yes, "both", "the second"."""
    from cococat.memory.replies import clauses

    said = clauses(answer, asked)
    options = _options(asked)
    if len(options) > 1:
        return bool(_named(said, options)) or any(one.both and not one.denied for one in said)
    return any(one.agrees or (not one.denied and (one.both or one.at is not None)) for one in said)


def answered(typed: str, asked: str) -> str:
    """
    Return the sentences of *typed* that answer the question *asked*, as they were typed; empty where they do not, or are long.

    They begin with a yes, take up a word of the question beside one, choose, or say in few words what was asked for, or what is so
    instead; what they agree to is for a reader to tell.
    """
    from cococat.memory.replies import clauses

    said: list[str] = []
    for one in filter(None, map(str.strip, _SENTENCE.findall(typed))):
        if len(" ".join((*said, one))) > MAX_ANSWER or _ASKS.search(one):
            break
        said.append(one)
    if not asked or not said or len(asked) > MAX_ANSWER:
        return ""
    first = clauses(said[0], asked)
    options = _options(asked)
    takes_up = any(one.names for one in first)
    if len(options) > 1:
        return " ".join(said) if settles(said[0], asked) else ""
    bare = any(one.bare for text in said[:2] for one in clauses(text, asked))
    counts = takes_up or any(one.both or one.at is not None for one in first)
    agreed = _agrees(said[0]) or (counts and settles(said[0], asked))
    if not bare and (agreed or (takes_up and not any(one.adds or one.denied or one.says for one in first))):
        return " ".join(said)
    if any(one.open for one in first) or not any(one.adds or one.names or one.limits for one in first):
        return ""
    brief = len(key(said[0]).split()) <= MAX_WORDS and not any(one.says and not one.limits for one in first)
    instead = brief and (not takes_up or any(one.denied for one in first))
    return said[0] if _opens(asked) or instead else ""


def _answer(typed: str) -> str:
    """Return the "yes, both" of "yes, both. so how do I cook rice?"; all of *typed* where it does not begin with one."""
    said = [one for one in map(str.strip, _SENTENCE.findall(typed)) if one]
    if len(said) < 2:  # noqa: PLR2004 - an answer, and what comes behind it
        return typed
    behind = [fold(word) for word in key(said[1]).split()]
    back = classes("refuses", "not", "ends", "corrections", "limits")
    strong = not language("agrees").isdisjoint(map(fold, key(said[0]).split()[:1])) or (
        _agrees(said[0]) and any(map(unspaced, said[0]))
    )
    return said[0] if strong and back.isdisjoint(behind) and not _BACK.search(said[1]) else typed


_TURNED = {
    "you": "I", "your": "my", "yours": "mine", "du": "ich", "dich": "mich", "dir": "mir", "dein": "mein", "deine": "meine",
    "deinen": "meinen", "deinem": "meinem", "deiner": "meiner", "tu": "mi", "tus": "mis", "te": "me", "ton": "mon", "ta": "ma",
    "tes": "mes", "toi": "moi", "vous": "je", "votre": "mon", "tuo": "mio", "tua": "mia", "teu": "meu",
    "voce": "eu", "vc": "eu", "seu": "meu", "sua": "minha", "seus": "meus", "suas": "minhas", "тебе": "мне", "тебя": "меня",
    "ты": "я", "твой": "мой", "твоя": "моя", "你": "我",
}  # fmt: skip
_MINE = {"i": "the assistant", "me": "the assistant", "my": "the assistant"}
_ENGLISH = frozenset(
    {"shall", "should", "the", "is", "are", "can", "could", "may", "would", "want", "to", "of", "you", "your"}
)
