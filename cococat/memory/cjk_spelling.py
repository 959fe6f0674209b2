"""Chinese and Japanese text in one spelling: digits for numerals, one word for those that say the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from cococat.memory.ja_dialects import standard
from cococat.memory.words import pairs, simple

__all__ = ["HAN", "as_typed", "canonical"]

HAN = "\u3040-\u30ff\u3400-\u9fff々"
_NUMERAL = re.compile(
    r"\d+(?:[.,]\d+)*[万千百]?|(?!一[起样直般下定些点边切旦共会]|十分(?![钟之])|千?万(?=[别不要])|百分|万一)(?<![统唯万])[〇零一二两三四五六七八九十百千万]+"
)
_WEEKDAYS = re.compile(r"周([一二三四五六日天](?:[、和跟与]?周?[一二三四五六日天])*)(?![次回个节天趟顿篇本期年])")
_VERBS = "用是叫学写在给跟和的装买看去把对做"  # a word that stands behind one of them belongs to it
_DIGITS = {char: number for number, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10000}


@cache
def canonical(text: str) -> str:
    """Return *text* with its numbers in digits, and one word for those that say the same."""
    text = simple(standard(unicodedata.normalize("NFKC", text).casefold()))
    text = re.sub(
        rf"(?<=[{HAN}])([a-z][\w-]+)\s+(?=[{HAN}])", r"\1,", text
    )  # a space is a comma where none stands before
    text = re.sub(r"(^|[\s,，。啊哦诶])(不是|不对|错了)\s+", r"\1\2,", text)  # noqa: RUF001 - the marks of other scripts
    if re.search(rf"[{HAN}][a-z]", text):  # who sets no space before foreign words means a comma by one
        text = re.sub(rf"(?<=[{HAN}])(?<![{_VERBS}])\s+(?=[a-z][\w-]*[{HAN}])", ",", text)
    text = re.sub(r"(?<=[たるだよねさ])\s+(?=[a-z\d])", ",", text)
    text = re.sub(
        rf"(?<=[a-z])\s+(?=[{HAN}])|(?<=[{HAN}])\s+(?=[a-z\d])|(?<=\d)\s+(?=[a-z年月日号点岁歳天周个分时元块円斤克米层楼万千百回名人])",
        "",
        text,
    )
    text = re.sub(r"[\"'“”\u2018\u2019「」『』《》<>*`]+", "", text)
    text = _synonyms().sub(lambda found: _synonym(found[0]), text)
    text = _WEEKDAYS.sub(
        lambda found: "".join(f"周{_weekday(one)}" for one in found.group() if one not in "、和跟与周"), text
    )
    return _NUMERAL.sub(lambda found: _digits(found[0]), text)


def _digits(run: str) -> str:
    if run[0].isdigit():
        bare = run.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+[万千百]?", run) else run
        scaled = re.fullmatch(r"(\d+(?:\.\d+)?)([万千百])", bare)
        return f"{float(scaled[1]) * _UNITS[scaled[2]]:.15g}" if scaled else bare
    if not set(run) & set(_UNITS):
        return "".join(str(_DIGITS[char]) for char in run)
    total = part = 0
    last = unit = 1
    for char in run:
        if char in _DIGITS:
            last = _DIGITS[char]
            unit = 1 if char in "零〇" else unit
            continue
        unit = _UNITS[char]
        if unit == _UNITS["万"]:
            total, part = (total + part + last) * unit, 0
        else:
            part += (last or 1) * unit
        last, unit = 0, unit // 10
    return str(total + part + last * unit)


def _weekday(char: str) -> str:
    return "7" if char in "日天" else str(_DIGITS[char])


def as_typed(told: str, texts: Iterable[str]) -> str:
    """Return *told*, which quotes canonical text, with the quotes in the characters of those *texts* that hold them."""
    plain = [unicodedata.normalize("NFKC", text) for text in texts]

    def own(quote: re.Match[str]) -> str:
        wanted = quote[1].casefold()
        found = ((text, simple(text.casefold()).find(wanted)) for text in plain if len(text.casefold()) == len(text))
        text, at = next((pair for pair in found if pair[1] >= 0), (wanted, 0))
        return f"'{text[at : at + len(wanted)]}'"

    return re.sub("'([^']+)'", own, told)


@cache
def _synonyms() -> re.Pattern[str]:
    words = [word for group in pairs("cjk_same") for word in group]
    return re.compile("|".join(sorted(words, key=len, reverse=True)))


@cache
def _synonym(word: str) -> str:
    return next(group[0] for group in pairs("cjk_same") if word in group)
