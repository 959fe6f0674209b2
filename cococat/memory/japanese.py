"""Japanese grammar that several rules ask for: whether a text is Japanese, and what "A じゃなくて B" takes back."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["NOT_THAT", "corrected", "japanese", "put_right", "taken_back"]

_KANA = re.compile(r"[\u3041-\u3096]")
_NOUN = r"[^\u3041-\u3096\s,、。!?()]+"
NOT_THAT = rf"{_NOUN}(?:の{_NOUN})*(?:から|まで|[にをがで])?(?:では|じゃ|で)な(?:く|い)"  # no "not only"
_OPENS = re.compile(
    "あっ?[、,。… ]|あ(?=違|违|间|打)|(?:あ、)?(?:ごめん|ごめ|すみません|すいません|すまん|订正|间违|まちが|违[うっい]|ちが[うっ]|いや[、,…]|いやいや|もとい|さっき|おっと|失礼|待って|まって|ちょっと待|↑|上の|[今前]の|いまの|タイポ|変换|悪い|わりい|すんません|えっと|てか|打ち间违|误字|誤字|じゃなくて|正しくは)"
)
_NAME = f"{_NOUN}(?:さん|ちゃん|くん)?"
_WRONG = re.compile(
    rf"({_NAME}|(?<![^\s、,。])[\u3041-\u3096]{{2,6}}?)(?:って|と)(?:书|打|言|伝え|送)[^、。]{{0,3}}[たちて]"
)
_RIGHT = re.compile(
    rf"({_NAME})(?:の(?:打ち)?间违い|だった|でした|です|だわ|だ(?=$|[。、])|や(?=$|[。、])|ね$|な$|が正[しい解]|に订正|に直して|の方|$)"
)
_SHAPES = tuple(
    map(
        re.compile,
        ("[月火水木金土日]曜", r"\d+月\d+日", r"\d+[^\W\d_]", rf"{_NOUN}(?:さん|ちゃん|くん|先生|[市区県町村駅店])"),
    )
)
_PUT_RIGHT = re.compile(
    r"间违[いえっ]|勘违い|订正|正しくは|正确には|もとい|じゃなかった|(?:では|じゃ)な[いく]|ごめん|违う|违った|ちが[うっ]|(?<=[、,\s…])(?:いや|うそ|嘘|ん[?]|あっ?(?=[、,\s\u30a1-\u30ff\u3400-\u9fff\d]))|→|と思ったら|って言った(?:けど|が)"
)
_FELL_THROUGH = re.compile(rf"({_NOUN})は[^。]*?(?:无理|だめ|ダメ|なし|中止|キャンセル|なくな|延期|やめ)")
_NOT_BUT = re.compile(rf"{NOT_THAT}(?<=く)て?[、,\s]*")


def japanese(text: str) -> bool:
    """Return whether *text* holds syllables that Japanese alone is written with."""
    return bool(_KANA.search(text))


def put_right(text: str, line: str) -> str:
    """Return *text* without the "not A but" that *line* leaves out of it: "the meeting is on Thursday"."""
    return text if re.search("(?:では|じゃ|で)なく", line) else _NOT_BUT.sub("", text)


def corrected(said: str, typed: str, *, last: bool = False) -> str:
    """
    Return what puts something right behind the words of *said*, which are a part of *typed*: "twelve years, no, thirteen".

    Args:
        last: behind the last of them, not the first.
    """
    places = [typed.index(two) for two in map("".join, pairwise(said)) if two in typed]
    found = _PUT_RIGHT.finditer(typed, (max if last else min)(places)) if places else ()
    plain = said.replace("では", "じゃ")
    new = (one for one in found if one[0].replace("では", "じゃ") not in plain)
    told = (one[0] for one in new if not _of_another(typed[: one.start()], one[0], said))
    return next((f"the user said {one!r} there" for one in told), "")


def _of_another(before: str, word: str, said: str) -> bool:
    """Return whether "not the 15th" takes back what *said* does not hold."""
    noun = re.search(f"{_NOUN}$", before) if word[0] in "でじ" else None
    return noun is not None and noun[0] not in said


def taken_back(line: str, behind: str) -> str:
    """
    Return what of *line* the sentence *behind* those that it rests on puts right; empty when nothing.

    "Oh, not Wednesday but Thursday", "I wrote Wednesday, but", and "Thursday it was" of a line that names another weekday, number or date.
    """
    if not (_OPENS.match(behind.strip()) or re.match(NOT_THAT, behind.strip())) or re.search("今日|きょう", behind):
        return ""
    if re.search("(?:では|じゃ|で)な[くい]", line):  # it says so itself
        return ""
    wrong = [re.sub("(?:から|まで|[にをがで])?(?:では|じゃ|で)な.$", "", one) for one in re.findall(NOT_THAT, behind)]
    wrong += _WRONG.findall(behind) + _FELL_THROUGH.findall(behind)
    topic = re.search(rf"({_NOUN})[はが]", behind)  # of something else: "my son is four"
    for right in _RIGHT.findall(behind) if not topic or topic[1] in line else ():
        of_it = (shape for shape in _SHAPES if shape.search(right))
        wrong += [one for shape in of_it for one in shape.findall(line) if one[-1] == right[-1] and one not in right]
    return next((one for one in wrong if one and (one in line or _iso(one) in line)), "")


def _iso(text: str) -> str:
    """Return the end of a date as a note writes it: "-03-04" for the fourth of March."""
    found = re.search(r"(\d+)月(\d+)日", text)
    return f"-{int(found[1]):02}-{int(found[2]):02}" if found else text
