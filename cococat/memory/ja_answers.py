"""What a Japanese answer takes from a question: one of its parts, "the first is fine, but all of the second", one of two things, or none."""

from __future__ import annotations

import re

from cococat.memory.japanese import japanese

__all__ = ["partly"]

_CLAUSE = re.compile(r"[\s、,。.!！]+|(?<=けど)|(?<=ですが)|(?<=けれど)")  # noqa: RUF001 - the marks of another script
_PART = re.compile(r"[、,]\s*")
_AGREES = re.compile(
    r"それで|そうして|そのまま|その通り|そのとおり|お願い|おねがい|頼む|頼みます|(?:いい|オッケー|おk|ok|大丈夫|賛成|助かる)(?:です|よ|ね|けど|と思う|わ|$)",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"な[くい]|いらん|要らん|不要|やめ|なし(?:で|$)|無し|結構|無理|だめ|ダメ|NG|勘弁|遠慮|逆|違う|ちが"
)
_NO = re.compile(
    r"(?:いや|いえ|いいえ|ううん|うーん|結構です|大丈夫です|いいです(?:$|。)|どっちでも|どちらでも|なんでも|別に|やめ|どうだろ|迷)"
)
_OR = re.compile(r"[、,]?\s*それとも[、,]?\s*|(?<=か)[、,]")
_ORDINALS = (re.compile("[1一]つ目|最初|前者|先の|1番目?|左"), re.compile("[2二]つ目|後者|あとの|後の|2番目?|右"))
_BOTH = re.compile("両方|どっちも|どちらも|全部|ぜんぶ")
_THING = re.compile(r"[\u30a1-\u30faー]{2,}|\d*[\u3400-\u9fff々]{2,}|\d+[\u3400-\u9fff]|[A-Za-z]{2,}")


def partly(typed: str, asked: str) -> str | None:
    """
    Return what of the question *asked* the answer *typed* agrees to, where it says no, chooses, or speaks of parts; None where it does not.

    A part goes that shares a thing with a clause of the answer that says no, or something of its own; where a clause agrees to a thing
    that it names, the parts that do not hold it go as well.
    """
    if not japanese(typed) or re.search("[?？]", typed):  # noqa: RUF001 - as above
        return None
    if _NO.match(typed):
        return ""
    if not japanese(asked):
        return None
    if len(options := _OR.split(asked)) > 1 and not _BOTH.search(typed):
        ordered = [one for one, name in zip(options, _ORDINALS, strict=False) if name.search(typed)]
        named = ordered or [one for one in options if any(map(one.__contains__, _things([typed], short=True)))]
        return "".join(named) if len(named) == 1 else ""
    parts = _PART.split(asked)
    clauses = [one for one in _CLAUSE.split(typed) if one]
    agreed = [one for one in clauses if _AGREES.search(one) and not _REFUSES.search(one)]
    others = [one for one in clauses if one not in agreed]
    right = [part for part in parts if not any(map(part.__contains__, _things(others)))]
    named = [part for part in right if any(map(part.__contains__, _things(agreed)))]
    if not agreed or (right == parts and not named):
        return None
    return "、".join(named or right)


def _things(clauses: list[str], *, short: bool = False) -> list[str]:
    found = [thing for clause in clauses for thing in _THING.findall(clause)]
    return found or re.findall("[\u3400-\u9fff]", "".join(clauses)) if short else found
