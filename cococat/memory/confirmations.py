"""A short answer to the assistant's own question: what "yes, both" takes from the question it answers."""

from __future__ import annotations

import re

from cococat.memory.words import fold, holds, key, language, tokens, unspaced

__all__ = ["answered", "closing_question", "confirmed"]

MAX_WORDS = 6  # of an answer that is read with its question
MAX_CHARS = 300  # of a question
MAX_ANSWER = 140  # characters of an answer that is noted with its question, and of that question
_UNIT = 7  # letters from which a word of grammar may be a noun as well
_CJK_PER_WORD = 2  # characters of a script without spaces that count as a word
_LAST = re.compile(r"(?:[^.!?;\n。\uff01\uff1f]|[.](?=\S)|(?<=\d)[.](?= [^\W\d_A-Z]))+[?\uff1f؟][\s*_)\"'»”]*$")
_OR = re.compile(r",?\s+(?:or|oder|o|ou|oppure|или)\s+|还是")
_AND = re.compile(r",?\s+(?:and|und|y|et|e|и)\s+|,\s+")
_CLAUSE = re.compile(r"[,;.]|\b(?:but|and|aber|und|pero|mais|ma|но)\b")
_UNASKED = re.compile(
    r"([要是能可会好行有])不\1|可不可以|有没有|是否|需要?不需要|[吗呢嘛](?=[?\uff1f\s,\uff0c\u3001]|$)|(?<=[,\uff0c\u3001])(?:对吧|好吗|可以吗|行吗|是吧|对吗)"
)
_BOTH = frozenset(
    [
        "both",
        "beide",
        "beides",
        "all",
        "alle",
        "ambas",
        "ambos",
        "todo",
        "las_dos",
        "les_deux",
        "deux",
        "tous",
        "entrambi",
        "ambedue",
        "оба",  # noqa: RUF001 - Russian
        "обе",  # noqa: RUF001 - Russian
        "都",
        "两",
    ]
)
_ORDINALS = ({"first", "1st", "former", "erste", "ersten", "erstes", "primero", "primera", "premier", "premiere", "primo", "первый", "第一"},
             {"second", "2nd", "latter", "last", "zweite", "zweiten", "zweites", "letzte", "segundo", "segunda", "deuxieme", "secondo", "второй", "第二"})  # fmt: skip
_SENTENCE = re.compile(r"[^.!?;\n\u3002\uff01\uff1f]+[.!?;\n\u3002\uff01\uff1f]*")
_NOT = re.compile("[不没]|别(?![的件])|ない|但|でも")
_YES = re.compile("[\U0001f44d\U0001f44c\u2705\u2714\U0001f197\U0001f4af]")  # thumb up, ok hand, check marks, OK, 100
_REFUSES = frozenset(
    {"no", "nope", "nah", "nein", "ne", "nee", "non", "não", "nao", "нет", "не", "neither", "weder", "ninguno"}
)
_ENDING = r"(?:吧|呢|啦|です|ね|かな|な|よ|[\s.。、!!…~〜])*"  # of an answer in a script without spaces


def closing_question(answer: str) -> str:
    """Return the question that *answer* ends with; empty when it ends otherwise, or is too long to be one."""
    found = _LAST.search(answer.strip())
    question = " ".join(found[0].split()) if found else ""
    return question if len(question) <= MAX_CHARS else ""


def confirmed(typed: str, asked: str) -> str:
    """
    Return what the short answer *typed* takes from the question *asked*, as the user would say it.

    Empty when it is longer than six words, says nothing or no, asks back, or leaves open which of two things it chooses. Of more
    sentences the first is the answer, where it says yes and the next takes nothing back.
    """
    from cococat.memory.ja_answers import partly  # a dream alone pays for it; an `ask` reads closing questions

    if asked and (some := partly(typed, asked)) is not None:
        return _told(some)
    typed = _answer(typed)
    words = [fold(word) for word in key(typed).split()]
    size = sum(sum(map(unspaced, word)) // _CJK_PER_WORD + 1 for word in words)
    if (
        not asked
        or not (any(map(str.isalnum, typed)) or _YES.search(typed))
        or re.search("[?\uff1f؟]", typed)
        or size > MAX_WORDS
        or words[0] in _REFUSES
        or re.match("[不否]", words[0])
        or _open(typed, asked)
    ):
        return ""
    if denied := _refused(typed):
        asked = " ".join(part for part in _AND.split(asked) if denied.isdisjoint(_parts(part)))
    parts = _OR.split(asked)
    if len(parts) > 1 and _BOTH.isdisjoint(words):
        chosen = [part for part, names in zip(parts, _ORDINALS, strict=False) if not names.isdisjoint(words)]
        named = [
            part for part in parts if not set(words).isdisjoint(set(map(fold, key(part).split())) - language("free"))
        ]
        picked = chosen or named
        if len(picked) != 1:
            return ""
        asked = picked[0]
    return _told(asked)


def _open(typed: str, asked: str) -> bool:
    """Return whether the answer *typed* leaves open, "not sure", "later", what it says to *asked*, of which it takes up nothing."""
    from cococat.memory.statements import plain  # as `partly`, for a dream alone

    if _agrees(typed) or _YES.search(typed):
        return False
    if re.fullmatch(f"(?:{'|'.join(language('cjk_evades'))}){_ENDING}", typed.strip()):
        return True
    words = [fold(word) for word in key(plain(typed)).split()]
    named = _parts(typed) & _parts(asked) or _BOTH.union(*_ORDINALS).intersection(words)
    return not named and (holds(words, "evades") or not language("not").isdisjoint(words))


def _agrees(typed: str) -> bool:
    """Return whether *typed* begins with a yes."""
    words = key(typed).split()
    return bool(words) and (fold(words[0]) in language("agrees") or typed.startswith(tuple(language("cjk_agrees"))))


def _told(asked: str) -> str:
    """Return a question as what the user says who agrees to it."""
    if any(map(unspaced, asked)):
        asked = _UNASKED.sub(
            "", re.sub("你们?|您|我们?", lambda one: "助手" if one[0].startswith("我") else "我", asked)
        )
    return re.sub(r"[^\W\d_]+", lambda word: _TURNED.get(fold(word[0]), word[0]), asked.rstrip("?\uff1f؟ "))


def answered(typed: str, asked: str) -> str:
    """
    Return the sentences of *typed* that answer the question *asked*, as they were typed; empty where they do not, or are long.

    They begin with a yes, or take up a word of the question beside one; what they agree to is for a reader to tell.
    """
    said: list[str] = []
    for one in filter(None, map(str.strip, _SENTENCE.findall(typed))):
        if len(" ".join((*said, one))) > MAX_ANSWER or re.search("[?\uff1f؟]", one):
            break
        said.append(one)
    if not asked or not said or len(asked) > MAX_ANSWER:
        return ""
    words = [fold(word) for word in key(said[0]).split()]
    begins = not language("agrees").isdisjoint(words[:1]) or said[0].startswith(tuple(language("cjk_agrees")))
    agrees = not (language("agrees") | _BOTH).isdisjoint(words) or any(map(said[0].__contains__, language("cjk_fine")))
    shared = tokens(said[0]) & tokens(asked)  # pairs of characters, where no spaces part the words
    takes_up = not _parts(said[0]).isdisjoint(_parts(asked)) or any(map(unspaced, shared))
    return " ".join(said) if begins or (agrees and takes_up) else ""


def _answer(typed: str) -> str:
    """Return the "yes, both" of "yes, both. so how do I cook rice?"; all of *typed* where it does not begin with one."""
    said = [one for one in map(str.strip, _SENTENCE.findall(typed)) if one]
    if len(said) < 2:  # noqa: PLR2004 - an answer, and what comes behind it
        return typed
    behind = [fold(word) for word in key(said[1]).split()]
    back = _REFUSES | language("not") | language("ends") | language("corrections")
    return said[0] if _agrees(said[0]) and back.isdisjoint(behind) and not _NOT.search(said[1]) else typed


def _refused(typed: str) -> frozenset[str]:
    """Return the stems that *typed* says no to: "sorting" in "reminders yes, sorting no"."""
    clauses = [frozenset(fold(word) for word in key(part).split()) for part in _CLAUSE.split(typed)]
    return frozenset().union(*(_parts(" ".join(words)) for words in clauses if words & (_REFUSES | language("not"))))


def _parts(text: str) -> frozenset[str]:
    """Return the beginnings of the words of *text* that mean something: five letters tell one from another."""
    words = [fold(word) for word in key(text).split()]
    small = frozenset(word for word in language("free") if len(word) < _UNIT)  # "minutes" may be those of a meeting
    return frozenset(word[:5] for word in words if word not in small | language("not") | _REFUSES)


_TURNED = {
    "you": "I", "your": "my", "yours": "mine", "du": "ich", "dich": "mich", "dir": "mir", "dein": "mein", "deine": "meine",
    "deinen": "meinen", "deinem": "meinem", "deiner": "meiner", "tu": "mi", "tus": "mis", "te": "me", "ton": "mon", "ta": "ma",
    "tes": "mes", "toi": "moi", "vous": "je", "votre": "mon", "tuo": "mio", "tua": "mia", "teu": "meu",
    "ты": "я", "твой": "мой", "твоя": "моя", "你": "我", "i": "the assistant", "me": "the assistant", "my": "the assistant",
}  # fmt: skip
