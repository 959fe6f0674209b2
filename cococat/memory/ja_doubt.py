"""Whether a Japanese line that holds by the rules may still say something else than the sentences it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import accumulate

from cococat.memory.cjk_dates import Day, days_in
from cococat.memory.cjk_names import family
from cococat.memory.cjk_spelling import canonical
from cococat.memory.japanese import corrected, put_right

__all__ = ["reworded"]

_BREAK = "\n"  # stands for what parts two clauses
_CHAR = re.compile(r"[\u30a1-\u30fa\u3400-\u9fff々a-zà-ÿ0-9\ue000-\uf8ff]|(?<=[\u30a1-\u30faー])ー")
_FIRST_DAY = 0xE000  # a character of private use stands for each date
_ANY = date(2000, 1, 1)  # a day that follows from the day of typing may be any
_FILLERS = re.compile(
    r"(?<![^\s,、。!?])(?:でも|だけど|だから|なので|それと|それに|それで|ただ|ちなみに|しかも|てか|つか|あと|で)(?=[^\s,、。!?])|わたし(?:たち)?|あたし|私たち|私|俺|僕|自分|(?<![\u3041-\u3096])(?:おれ|ぼく|うち)(?=[のはがも])|笑|爆|草$|(?<![a-z])w+(?![a-z])"
    r"|毎周(?=[月火水木金土日]曜)|现在|今は|実は|结局|一応|最近|ユーザー|やって|やっ(?=た|ち)|やる|やり|持ち(?=[でだの,]|$)"
    r"|(?:(?<=[でにくてと])|(?<=まで))(?:书いて|答えて)?(?:お?愿い(?:し|ね|$)[うた]?い?[まし]?|頼[むみ]ま?|助かり?)(?=[でまねわすよ,。\n]|$)|(?<=[でにく])(?:书いて|答えて|返して)(?=$|[,。ねよほく])"
)
_CASES = ("は が も って とは", "を", "に へ には", "で では", "から より", "まで", "の", "と って")
_CASE = {
    word: {number for number, case in enumerate(_CASES) if word in case.split()} for word in " ".join(_CASES).split()
}
_BECAUSE = re.compile("(?:(?<=[るただいんよ])から|な?ので|んで|し)$")  # no particle of a word
_PARTICLE = re.compile(f"(?:{'|'.join(sorted(_CASE, key=len, reverse=True))})$")
_TOPIC = re.compile("(?:は|が|も|って|とは)$")
_ANEW = re.compile("(?:は|も)$")  # speaks of somebody, or something, anew
_BUT = re.compile("(?:けど|けれども?|のに|(?:です|ます|だ|た|る|い)が|はず.*)$")  # what comes behind takes it back
_SOFTENED = re.compile(
    r"(?:けど|(?<=[すだ])が)(?=[ねなさよー]*[^\w、,]*(?:$|[。!?\n]))"
)  # a "but" with nothing behind it
_ORDER = re.compile("(?:(?<=[てで])|(?<=まで))(?:ほしい|ください|くれ|もらえ|もらい|いただけ|ちょうだい).*")
_INTRODUCED = re.compile(
    r"([^\s,、。.!?]*[るた])([^\u3041-\u3096\s,、。]{1,5})(?:です|といいます|と申します)(?=[\s,、。.!]|$)"
)
_OF_DATE = re.compile(r"\A(?:年|时点|现在|度)*[)]?(?:から|で|に|は|の|まで)?")
_OWN_FAMILY = frozenset("爸妈哥姐弟妹")
_FIRST = re.compile(r"[\u3041-\u3096][てで](?=[^\u3041-\u3096\s,、。!?])")
_FEW = 8  # characters before it
_MARKS = re.compile(r"[\s,、。.!?;:]+")
# What an ending may say beside the word it ends, each by what it is called here.
_MOODS = {
    "not": re.compile(
        "ない|なく|なかっ|ませ[んぬ]|ず(?!っと)|へん|まい|[あかさたなばまらわえけせてねべめれ]ん(?!だ|で|じゃ|や|な|の|ね)|ちゃう|ちが"
    ),
    "wish": re.compile("(?:と|たら|なら|ば)(?:いい|良い|よか)|たい|たく(?!さん)|たかっ|ほし"),
    "plan": re.compile("つもり|よう[とか]|はず"),
    "guess": re.compile("かも|らしい|みたい|っぽい|だろう|でしょう|そう(?:だ|です|な|$)|とか$|か(?!ら|な?り?[いくっ])"),
    "passive": re.compile("(?<!く)れ[るたてなま]|られ"),
    "causes": re.compile("せ[るたてな]|させ"),
    "gets": re.compile("もら|もろ|いただ"),
    "gives": re.compile("くれ|くださ"),
    "gave": re.compile("あげ"),
    "if": re.compile("たら|なら|[けれえせてねべめ]ば"),
    "was": re.compile("だった|でした|(?<!し)てい?た|てい?まし"),
    "only": re.compile("だけ|しか|ばかり|ばっか"),
    "still": re.compile("まだ|もう"),
}  # fmt: skip
_FREE = re.compile(
    "わけです|わけで(?![はもな])|っす|んす|(?<![んのるいたう])じゃ|でございます|ております|ています|ている|てます|であり|である|でして|でした|だった|でしょう|です|ます|まして|ました|まし|ちゃって|ちゃった|ちゃ|んだって|んです|んだ|という|っていう|ていう|ところ|とこ"
    "|ために|ため|こと|もの|ほう|よう|って|から|ので|けれども|けれど|けど|まで|より|など|には|では|とは|して|した|する|しま|いる|いて|いた|おり|ある|あり|あっ|なり|なる|なっ|なん|なの|なら"
    "|あと|てか|ちなみに|なんか|いま|ほんと|めっちゃ|やっぱり?|それで|しかも|でも|じつは|そうだ|はい|えっと|ええと|さん|くん|ちゃん|やねん|ねん|やん"
    "|よろしく|おねがい|がいい|でいい|とか|ほしい|られ|れ|ください|ね|よ|わ|さ|な|ぞ|ー|の|は|が|を|に|へ|で|と|も|や|し|て|た|だ|る|っ|い|く|う|ん|り"
)


@dataclass(frozen=True, slots=True)
class _Text:
    """
    Characters that mean something by themselves, and what stands around them.

    Args:
        chars: in a row: of Chinese or foreign script, digits, and one for each date.
        glue: what stands before the first of them, and behind each.
        clause: the number of the clause of each.
    """

    chars: str
    glue: tuple[str, ...]
    clause: tuple[int, ...]


def reworded(line: str, sentences: str) -> str:
    """
    Return what the *sentences* that *line* comes from say otherwise; empty when only grammar differs.

    Each clause of the line stands there in a row, of the clauses that it rests on nothing that means something is left out, each word
    keeps the particle behind it, and no ending turns a wish, a "not", a guess or a giver around. Whom they speak of is not passed over,
    nor a "but" behind them.
    """
    said, typed = _dated(canonical(line), put_right(canonical(sentences), line))
    why = _otherwise(said, typed) or corrected(said, typed)
    return "" if why and any(not _otherwise(said, one) for one in _without_first(typed)) else why


def _without_first(typed: str) -> Iterator[str]:
    """Yield *typed* without what was done first, "gets up at five and", where nobody else did it, and nobody was asked to."""
    for one in _FIRST.finditer(typed):
        for start in range(one.start())[-_FEW:]:
            left = typed[start : one.end()]
            if not (re.search(r"[\s,、。はがもを]", left) or _moods(left) or _kin().search(left)):
                yield typed[:start] + typed[one.end() :]


def _otherwise(said: str, typed: str) -> str:
    """Return why what was *typed* may say otherwise than what is *said*; both with their dates marked."""
    whole, told = _text(f"{_BREAK}{typed}"), set[int]()
    parts = [_text(said)] if _places(_text(said), whole) else [*map(_text, _MARKS.split(said))]
    for part in parts:
        if not part.chars and "".join(part.glue) in typed:
            continue
        found = _places(part, whole) or _places(_of_that(part, whole), whole)
        if not found:
            return "the user did not say it so there"
        told |= found
    return _left(whole, told) if told else "the user said nothing of it there"


def _places(part: _Text, whole: _Text) -> set[int]:
    """Return which characters of *whole* say what *part* says; none where it is said otherwise."""
    size = len(part.chars)
    found = [one.start() for one in re.finditer(f"(?={re.escape(part.chars)})", whole.chars)] if size else []
    for at in found:
        glue = whole.glue[at : at + size + 1]
        head, tail = glue[0].rpartition(_BREAK)[2], glue[-1].partition(_BREAK)[0]
        same = _BREAK not in glue[0] or _rest(head) == _rest(part.glue[0])
        between = zip(glue[1:-1], part.glue[1:-1], strict=True)
        if same and all(_alike(*two) for two in between) and _ends(tail, part.glue[-1]):
            return set(range(at, at + size))
    return set()


def _of_that(part: _Text, whole: _Text) -> _Text:
    """Return *part* without the "of the inn" at its beginning, where the inn was spoken of: "it closes on Mondays"."""
    at = next((at for at, glue in enumerate(part.glue) if glue == "の"), 0)
    whose = part.chars[:at]
    if not at or part.glue[0] or whose not in whole.chars or whose in _OWN_FAMILY or _kin().search(whose):
        return _Text("", ("",), ())
    return _Text(part.chars[at:], ("", *part.glue[at + 1 :]), part.clause[at:])


def _left(whole: _Text, told: set[int]) -> str:
    """Return what is left out of the clauses that *told* stands in, or between them; whom it is about before, and a "but" behind."""
    touched = {whole.clause[at] for at in told}
    first, last = min(touched), max(touched)
    anew = any(_ANEW.search(whole.glue[at + 1]) for at in told if whole.clause[at] == first)
    anew |= whole.chars[min(told)] in _OWN_FAMILY  # "my father has retired, my brother helps"
    for at, (char, clause) in enumerate(zip(whole.chars, whole.clause, strict=True)):
        behind = whole.glue[at + 1].partition(_BREAK)[0]
        if at in told and _BUT.search(behind) and clause + 1 not in touched and _BREAK in whole.glue[at + 1]:
            return "the user said a 'but' there"
        since = "\ue000" <= char <= "\uf8ff" and behind == "から"
        more = (clause <= last and not since) if clause >= first else (not anew and _TOPIC.search(behind))
        if more and at not in told:
            return "the user said more there, or of somebody else"
    return ""


def _alike(one: str, other: str) -> bool:
    """Return whether what stands between two words says the same in both; who chats leaves particles out."""
    particle = found[0] if (found := _PARTICLE.search(other)) else ""
    joins = particle == "で" or _TOPIC.fullmatch(other) or one.partition(_BREAK)[0].endswith(particle)
    if _BREAK in one and not joins:
        return False
    one, other = (_BECAUSE.sub("", text.replace(_BREAK, "")) for text in (one, other))
    cases = [_CASE[found[0]] for text in (one, other) if (found := _PARTICLE.search(text))]
    return (
        bool(set.intersection(*cases) if cases else True)
        and _moods(one) == _moods(other)
        and _rest(one) == _rest(other)
    )


def _ends(typed: str, said: str) -> bool:
    """Return whether an ending says the same; a request says what is wished."""
    ordered = _ORDER.search(typed) or re.search("[てで][ねよな]?$", typed)
    if ordered and _ORDER.search(said):
        said, typed = _ORDER.sub("", said), _ORDER.sub("", typed)
    else:
        typed = _ORDER.sub("", typed)
    return _moods(typed) == _moods(said) and _rest(typed) == _rest(said)


def _moods(glue: str) -> frozenset[str]:
    return frozenset(name for name, mood in _MOODS.items() if mood.search(glue))


def _rest(glue: str) -> str:
    """Return what is left of *glue* without grammar, and without the first syllable, which may inflect the word before."""
    bare = glue
    for mood in _MOODS.values():
        bare = mood.sub("", bare)
    bare = _FREE.sub("", bare)
    return bare if len(bare) > 1 else ""


def _text(text: str) -> _Text:
    chars, glue = "", [""]
    text = _SOFTENED.sub("", re.sub("要(?=[らりる])", "い", text))
    text = _kin().sub(lambda one: family()[one[0]], _INTRODUCED.sub(_introduced, _FILLERS.sub("", text)))
    for at, char in enumerate(text):
        if _CHAR.match(text, at):
            chars += char
            glue.append("")
        elif "\u3041" <= char <= "\u3096":
            glue[-1] += char
        elif char != "ー":
            glue[-1] += _BREAK
        if glue[-1].endswith("けど"):
            glue[-1] += _BREAK
    clause = accumulate(before.count(_BREAK) for before in glue[:-1])
    return _Text(chars, tuple(glue), tuple(clause))


def _introduced(found: re.Match[str]) -> str:
    """Return how somebody introduces themself, "I am Mori, who works there", with the name ahead."""
    return found[0] if _kin().search(found[2]) else f"{found[2]}{_BREAK}{found[1]}"


@cache
def _kin() -> re.Pattern[str]:
    words = (word for word in family() if len(word) > 1 or word in "妻嫁夫")
    return re.compile("|".join(sorted(words, key=len, reverse=True)) + "|[母父兄姉弟妹](?=[はがものとにをへや])")


def _dated(said: str, typed: str) -> tuple[str, str]:
    """Return both with one character for each date, the same for those that may be one; without dates that nobody typed."""
    days = [*days_in(typed, None)]
    days += [replace(one, months=frozenset(), days=frozenset(), year=0) for one in days_in(typed, _ANY) if not one.firm]
    marks = {day: chr(_FIRST_DAY + number) for number, day in enumerate(days)}
    free = dict(marks)
    mine: dict[Day, str] = {}
    for one in days_in(said, None):
        same = [day for day in free if one.is_of(day)] or [day for day in days if one.is_of(day)]
        if same:
            mine[one] = marks[same[0]]
            free.pop(same[0], None)
    return _marked(said, {one: mine.get(one, "") for one in days_in(said, None)}), _marked(typed, marks)


def _marked(text: str, marks: dict[Day, str]) -> str:
    for day in sorted(marks, key=lambda one: -one.start):
        behind = text[day.end :] if marks[day] else _OF_DATE.sub("", text[day.end :])
        text = text[: day.start] + marks[day] + behind
    return text.replace("(", _BREAK)
