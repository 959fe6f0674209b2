"""The code of an alarm, with its last key in words, and of a box that keys are in; also told before the name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cococat.safety.said import LETTER, beside, lowered, numbered, pattern_of
from cococat.safety.said_places import CODE, CODES, DOORS, SIGNED, TIME, Row, is_code, seen_behind

__all__ = ["keys"]

# ruff: noqa: RUF001 - words of other scripts

_REACH = 60  # characters from a code to what it opens
_BEFORE_KEYS, _WITH_KEYS, _BEHIND_KEYS = 42, 7, 24  # characters around the end of "keys" for what they are in
_TYPED = 1 << 14  # characters of a text that somebody may have typed: no longer one spells a code
_CLAUSE = 40  # characters with an alarm's name at their end
_KEYS = (
    "schlüssel schlüssl schlüßel schluessel schlissl ^key$ ^keys$ keysafe keybox ^clés$ ^cles$ ^clé$ ^clefs$ ^clef$ llaves ^llave$ chiavi "
    "portachiavi ^claus$ ^chaves$ ^chave$ sleutel nyckel nøkkel nøgle avain avaim klucz ключ anahtar"
)
_BOX = re.compile(  # beside keys: what holds them
    rf"(?<![{LETTER}])(?:caj[aio]|cajet|cofr[ei]|cofrinho|caix|caset|bo[iî]t|coffre|armoire|cassett|scatol|candad|sej?f|skryt|skrzyn|сейф|бокс|ящик|"
    r"скринь|kutu|kasa)|safe(?!t)|säfe|tresor|[ck][aä]s(?:t|serl)|dose\b|box\b|boks|combin|kluis|sk[åa][pb]|gömm|säil|kaap|ниц"
)
_SAFE = re.compile(rf"(?<![{LETTER}])(?:safe(?!t)|säfe|tresor|cofre|coffre|cassettin|kluis|sej?f|сейф|kasa)")
_BOXES = "lockbox lock_box portachiavi_a_comb 钥匙盒 钥匙箱 密码盒 鑰匙盒 鑰匙箱 密碼盒 鍵箱 鍵ボックス キーボックス 열쇠함 열쇠_보관함 키박스 키_박스"
_ALARMS = "alarm allarm ^larm antifurt antirrobo hälyt disarm entschärf entschaerf сигнал сигналіз 警报 警報 报警 報警 アラーム 알람 경보 세콤 경비"
_CODED = re.compile(  # a code is spoken of
    r"code|codice|códi|codi|\bkod|koodi|kód|код|парол|clave|senha|\bpin|contraseñ|passwor|passwort|şifre|parola|has[łl]o|kombi|密码|密碼|番号|番號|"
    r"暗証|번호|비번"
)
_FAULTS = re.compile(
    r"error|fault|fehler|störung|erreur|errore|fallo|falha|ошибк|故障|エラー|\bcnc\b|\bplc\b|servo|batter|\blog\b"
)
_PAID = re.compile(
    r"(?:paid|costs?|spent|gave|kost\w*|bezahlt|zahlt|pagu[eé]|pag[oó]|pagato|payé|заплати\w*|order|nr\.?|no\.?)\s*\Z"
)
_JOINED = r"then|puis|pis|et|und|dann|danach|y|luego|e|ed|poi|depois|en|dan|och|sen|og|så|ja|and|i|potem|и|потом|і|потім|sonra|ve|followed by|the|la|le|el|lo|o|a"
_LAST = (  # keys, and nothing else behind digits
    "hash hashtag pound asterisk sternchen sternderl sterntaste raute rautetaste rautentaste gartenzaun dièse diese diése astérisque asterisque croisillon "
    "almohadilla michi asterisco cancelletto diesis cerquilha sustenido hekje sterretje krzyżyk krzyzyk gwiazdka fyrkant brädgård firkant havelåge risuaita "
    "решетка решетку решётка решётку звездочка звездочку звёздочка звёздочку решітка решітку зірочка зірочку diyez"
)
_ALSO = "star stern étoile etoile carré numeral gato quadrado cardinal estrela stjärna stjerne ruutu tähti kare yıldız"  # and of much else
_KEYED = (
    rf"(?<![{LETTER}\d_.,:/#+-])(?P<value>\d{{4,8}},?\s(?:(?:{_JOINED})\s){{0,3}}(?:(?:{_LAST.replace(' ', '|')}|jogo da velha)(?![{LETTER}])|(?:{_ALSO.replace(' ', '|')})"
    rf"(?= ?(?:\Z|[\n.,;:!?)…]|(?:key|and|then|to|for|btw|anyway|right|und|drück|et|y|e|en|och|og|и|і|ile)(?![{LETTER}]))))|"
    r"\d{4,8}(?:と|、| ?를? ?)(?:シャープ|米印|こめじるし|アスタリスク|샵|별표|우물정))"
)
_ALONE = rf"(?<![{LETTER}\d_.,:/#+@!*&$%-])(?<!\d )"
_GROUPED = (
    rf"{_ALONE}(?P<value>\d{{4,8}}|\d(?:[ -]\d){{3,5}}|\d\d?-\d\d?-\d\d?|\d\d \d\d(?: \d\d)?|\d{{3}}[ -]\d{{3}}|[a-d]\d{{3,6}}[xyz]|\d{{4,6}}[xyz]|"
    rf"[a-d]\d{{4,6}})(?![{LETTER}\d_.,:/%-]*\d| \d)"
)
_NO_AMOUNT = (
    r"(?![a-zà-ɏ]|\s?(?:to|till|bis|a|à|do|до|[–-])\s?\d|\s?(?:[€$£¥₽₩%°]|(?:eur|euros?|cents?|dollars?|usd|chf|franken|francs?|kr|kronor|kroner|zł|"
    r"zloty|złotych|groszy|pesos?|reais|rub|руб\w*|р|грн|lira|tl|mm|cm|m|km|kg|g|gr|gramm\w*|grams?|gramos|gramas|кг|г|грамм\w*|мм|см|м|hours|min|minut\w*|"
    r"stunden|uhr|h|heures|horas|ore|часов|mal|times|stk|stück|pcs|pieces|people|leute|personen|personas|pessoas|persone|человек)"
    rf"(?![{LETTER}])|[元円원块塊个個人位件点號]|公里|毫米|千克))"
)
_OPENS = r"opens|unlocks|disarms|öffnet|ouvre|abre|apre|открывает|opent|öppnar|åpner|otwiera"
_TURNED = (  # "4471 opens the key safe"
    rf"{_ALONE}(?P<value>\d{{4,8}}|\d(?: \d){{3,5}})(?=\s(?P<link>{_OPENS}|is|ist|c['’ ]est|es|é|è|это|to|for (?:the|my|our)|für (?:den|die|das|unser)|"
    r"pour (?:la|le|l['’])|para (?:la|el|o|a)|pra|per (?:la|il))(?:\s|(?<=['’])))"
)

_ONES = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zéro|un|deux|trois|quatre|cinq|sept|huit|"
    "neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|duas|três|quatro|sete|oito|meia|nul|een|twee|"
    "drie|vijf|zes|zeven|negen|noll|ett|två|fyra|fem|sex|sju|åtta|nio|en|to|fire|seks|syv|åtte|ni|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|"
    "ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz"
)
_SPELLED = (
    rf"(?<![{LETTER}])(?:(?:{_ONES})(?:[ -](?:{_ONES})){{3,7}}|(?:(?:{_ONES})[ -])?(?:double|doppel|doble)[ -]?(?:{_ONES})(?:[ -](?:{_ONES})){{1,6}})(?![{LETTER}])|"
    r"(?<![〇零一二三四五六七八九十])[〇零一二三四五六七八九]{4,8}(?![十百千万個个])|(?<!\w)[공영일이삼사오육칠팔구]{4,8}"
)


def keys(text: str) -> Iterator[tuple[int, int]]:
    """Find the codes of alarms and of boxes with keys, on either side of their names."""
    for place, part in numbered(text):
        for start, end in (*seen_behind(part, _ROWS), *_told_before(lowered(part))):
            yield place + start, place + end
    if len(text) <= _TYPED:
        yield from _spelled(lowered(text))


def _spelled(small: str) -> Iterator[tuple[int, int]]:
    """Find codes that are written in words behind their names, digit by digit."""
    for words in (_KEYS, f"{_BOXES} {_ALARMS} {CODES}"):
        for first, last in beside(words, small, 0, 2 * _REACH):
            for match in re.compile(_SPELLED).finditer(small, first, last):
                before = re.split(r"[\n.!?;。！？]", small[max(0, match.start() - _REACH) : match.start()])[-1]
                name = max(re.finditer(pattern_of(words), before), key=re.Match.end, default=None)
                if name and (words is not _KEYS or _is_boxed(before, name.end())):
                    yield match.span()


def _told_before(small: str) -> Iterator[tuple[int, int]]:
    """Find codes with what they open behind them."""
    for words, shape in ((f"{_KEYS} {_BOXES} {_ALARMS}", _TURNED), (_ALARMS, _KEYED)):
        for first, last in beside(words, small, _REACH, 0):
            for match in re.compile(shape).finditer(small, first, last):
                start, end = match.span("value")
                behind = re.split(r"[\n.!?;。！？]", small[end : end + _REACH])[0]
                before = small[max(0, start - _REACH) : start]
                name = re.search(pattern_of(words), behind)
                if name and (shape is _KEYED or _is_turned(match, behind, name.end(), before)):
                    yield start, end


def _is_turned(match: re.Match[str], behind: str, behind_name: int, before: str) -> bool:
    """Return whether a number is said to open what is named behind it rather than to be paid for it."""
    if _PAID.search(before) or TIME.fullmatch(match["value"]) or re.search(r"\d", behind[:behind_name]):
        return False
    if re.search(pattern_of(_ALARMS), behind):
        return bool(_CODED.search(behind) or re.fullmatch(_OPENS, match["link"])) and not _FAULTS.search(
            before + behind
        )
    return bool(re.search(pattern_of(_BOXES), behind)) or _is_boxed(behind, behind_name)


def _is_boxed(text: str, behind_name: int) -> bool:
    return bool(
        _BOX.search(text, max(0, behind_name - _BEFORE_KEYS), behind_name + _WITH_KEYS)
        or _SAFE.search(text, behind_name, behind_name + _BEHIND_KEYS)
    )


def _is_keyed(value: str, before: str, behind_name: int) -> bool:
    """A code with its last key: nothing else is written so beside a door."""
    return True


def _is_coded(value: str, before: str, behind_name: int) -> bool:
    """Return whether a code is spoken of beside an alarm, on either side of its name."""
    coded = _CODED.search(before, max(0, behind_name - _CLAUSE)) and not (
        TIME.fullmatch(value) or _FAULTS.search(before)
    )
    return bool(coded) and is_code(value, before, behind_name)


def _is_of_keys(value: str, before: str, behind_name: int) -> bool:
    """Return whether a code is told of a box or a safe that keys are in."""
    return _is_boxed(before, behind_name) and is_code(value, before, behind_name)


_ROWS: tuple[Row, ...] = (
    (f"{DOORS} {_ALARMS}", _KEYED, _is_keyed),
    (_ALARMS, SIGNED, _is_keyed),
    (_KEYS, _GROUPED + _NO_AMOUNT, _is_of_keys),
    (_BOXES, _GROUPED + _NO_AMOUNT, is_code),
    (_ALARMS, CODE + _NO_AMOUNT, _is_coded),
    (f"{CODES} ^kod código codice пароль 密码 密碼 비밀번호 비번 暗証", _KEYED, _is_keyed),
)
