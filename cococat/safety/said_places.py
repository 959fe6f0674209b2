"""What opens a place, told beside its name with no word for it: the key of a network, the code of a door or a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cococat.safety.said import LETTER, lowered, named, windows

__all__ = ["places"]

# ruff: noqa: RUF001 - words of other scripts

_REACH = 60  # characters from a name to what opens it
_DOORS = (
    "door gate keypad ^lock$ entrance alarm garage tür ^tor$ hoftor pforte schloss portão ^porta$ portaria puerta ^portal$ verja "
    "cancello portone citofono ^porte$ portail interphone digicode immeuble двер калитк подъезд ворот домофон шлагбаум 门 門 锁 鎖 "
    "单元 楼 闸 玄関 オートロック 入口 扉 鍵 문 현관 도어락 출입"
)
_LOCKS = (  # what has nothing but a code
    "keypad lockbox key_box the_safe our_safe my_safe hotel_safe tresor schlüsselbox schlüsselkasten caja_fuerte cofre candado boîte_à_clés coffre-fort cadenas "
    "cassaforte lucchetto домофон сейф 保险箱 保險箱 保险柜 保險櫃 密码锁 密碼鎖 门禁 門禁 门锁 門鎖 取件码 取件碼 オートロック キーボックス 金庫 "
    "도어락 공동현관 금고 unlock entsperr desbloqueo desbloqueio déverrouillage sblocco разблокировк код_карты 锁屏 鎖屏 "
    "解锁 解鎖 スマホのロック 画面ロック 잠금 passcode"
)
_CODE = r"(?<![\w.,:/#+-])(?P<value>\d{4,8}|\d\d?-\d\d?-\d\d?(?:-\d\d?)?)(?![\w.,:/%-]*\d)"
_END = (
    r"(?=\s*(?:\Z|[\n.!?,;:)。！？，、了]|(?:and|then|und|dann|et|y|e|и|for|in case|if|für|falls|not|bitte|merk|sinon|deixa|anota|apunta|"
    r"segna|запиши|忘|别|別|记|記|我|です|だ|に|で|番|예|입|으로|로|이야|야|자꾸)\b|[忘别別记記我番]))"
)
_SIGNED = r"(?<![\w.,:/#+-])(?P<value>\d{3,8}\s?(?:[#*＊＃]|井[号號字]?|星[号號]?|별표?|샵|우물|シャープ|米印))"
_WITH_LETTER = r"(?<![\w.,:/#+-])(?P<value>\d{2,4}[a-d]\d{1,5}|\d{4}[a-d]|[a-d]\d{4,6}|\d{1,3}к\d{3,5})(?!\w)"
_CHANGED = re.compile(
    r"换|換|改|变|變|変|바뀌|바뀜|바꿨|change|\bnew\b|\bnow\b|\bneu|jetzt|mudou|mudaram|trocou|trocaram|agora|\bnovo|\bnova|cambi|nuev|ahora|"
    r"nuov|\bora\b|changé|nouve|maintenant|поменя|смени|нов[ыа]|теперь|再|又"
)
_SPARED = re.compile(  # said before a number that is none of theirs
    r"(?:cost|price|paid|worth|weigh|kostet|bezahlt|wiegt|custa|custou|cuesta|costó|coûte|coûté|costa|pesa|pèse|стоит|стоил|花了?|型号|型號|品番|model|"
    r"modell|modelo|modèle|since|seit|desde|depuis|until|before|after|boarding|flight|voo|vuelo|vol|flug|bus|"
    r"in|at|by|of|from|an|am|um|bis|vor|nach|im|em|às|en|de|à|en|dal|nel|alle|с|в|к|до)\s*[€$£¥]?\Z"
)
_TIME = re.compile(r"[01]\d[0-5][05]|2[0-3][0-5][05]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PAIRS = r"(?<![\w-])(?P<value>[\da-z]{4,5}-[\da-z]{4,5}|\d{8})(?![\w-])"

_NETWORKS = "wifi wi-fi wlan ^ssid$ вайфай вай-фай 와이파이 无线网 無線網 무선"
_WORD = r"[^\s\"'`,;:，。、：；()（）\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_NOW = "^now$ ^jetzt$ ^agora$ ^ahora$ ^ora$ ^maintenant$ ^теперь$"
_TOKEN = rf"(?<!{_WORD})(?P<value>(?={_WORD}{{0,40}}\d){_WORD}{{6,64}})"
_STRONG = re.compile(r"[^\W_][!@#$%&*+=^]+[^\W_]")
_LETTERS = re.compile(rf"(?i)(?:[{LETTER}].*){{3}}")
_WEAK = re.compile(rf"(?=.*\d.*\d)(?=.*[{LETTER}])(?!\d+(?i:[{LETTER}])+\Z)(?i:[{LETTER}\d_-]){{8,}}")
_DEVICE = re.compile(
    r"router|repeater|extender|adapter|speaker|printer|drucker|cam|kamera|impressora|impresora|imprimante|laptop|phone|chip|driver|"
    r"firmware|version|model|modem|gerät|stick|kabel|cable|дрон|принтер|роутер|型号|路由|ルーター|プリンタ|공유기"
)
_MAKERS = re.compile(
    r"fritz|speedport|livebox|freebox|bbox|tp-?link|archer|netgear|asus|linksys|orbi|deco|eero|unifi|xiaomi|huawei|iphone|ipad|macbook|"
    r"[\d.,+&/]*[gm](?:hz|b)|galaxy|pixel|esp\d|windows|ubuntu|android|wpa|wep|ieee|https?:|www\.|.*@[\w-]+\.\w|.*\.(?:com|net|org|de|fr|es|it|br|ru|cn|jp|kr|local)\b"
)


def places(text: str) -> Iterator[tuple[int, int]]:
    """Find what opens a network, a door or a phone and stands near its name, with no word for it."""
    small = lowered(text)
    for words, shape, judge in _ROWS:
        if names := named(words, small):
            for first, last in windows(small, names):
                for match in re.compile(shape).finditer(small, first, last):
                    start = match.start("value")
                    value = text[start : match.end("value")].rstrip(".,?")
                    before = small[max(0, start - _REACH) : start].rpartition("\n")[2]
                    if (name := _last(names, before)) and judge(value, before, name.end()):
                        yield start, start + len(value)


def _last(names: str, before: str) -> re.Match[str] | None:
    return max(re.finditer(names, before), key=re.Match.end, default=None)


def _is_signed(value: str, before: str, behind_name: int) -> bool:
    """A code with its last key: nothing else is written so beside a door."""
    return True


def _is_changed(value: str, before: str, behind_name: int) -> bool:
    """Return whether a door is said to have a new code."""
    return bool(_CHANGED.search(before)) and _is_code(value, before, behind_name) and not _TIME.fullmatch(value)


def _is_code(value: str, before: str, behind_name: int) -> bool:
    """Return whether digits behind the name of a lock are no year, price or model."""
    between = before[behind_name:]
    return not (re.search(r"[\d.!?;。！？]", between) or _SPARED.search(between) or _YEAR.fullmatch(value))


def _is_key(value: str, before: str, behind_name: int) -> bool:
    """Return whether a word of letters and digits behind a network's name is its password rather than a device."""
    between = before[behind_name:]
    if re.search(r"[.!?;。！？]\s", between) or _MAKERS.match(value.lower()) or not _LETTERS.search(value):
        return False
    if _STRONG.search(value):
        return True
    return bool(_WEAK.fullmatch(value)) and not (_DEVICE.search(between) or _SPARED.search(between))


def _is_beside(value: str, before: str, behind_name: int) -> bool:
    """Return whether nothing stands between."""
    return not before[behind_name:].strip(" ,:")


_ROWS: tuple[tuple[str, str, Callable[[str, str, int], bool]], ...] = (
    (_DOORS, _SIGNED, _is_signed),
    (_DOORS, _CODE + _END, _is_changed),
    (_LOCKS, _CODE + _END, _is_code),
    ("digicode interphone portail домофон подъезд", _WITH_LETTER, _is_signed),
    ("オートロック 门禁 門禁 密码锁 密碼鎖 도어락 keypad digicode", r"(?<!\w)(?P<value>[#*]\d{3,8})(?!\d)", _is_signed),
    ("backup_code recovery_code 备用码 備用碼 バックアップコード", _PAIRS, _is_signed),
    (_NETWORKS, _TOKEN, _is_key),
    (_NOW, r"(?<![^\s,:])(?P<value>[^\W\d_]{3,}[!@*&]\d{3,})(?![\w.])", _is_beside),
)
