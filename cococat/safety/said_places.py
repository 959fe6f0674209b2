"""What opens a place, told beside its name with no word for it: the key of a network, the code of a door or a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from cococat.safety.said import LETTER, beside, lowered, pattern_of

__all__ = ["CODE", "CODES", "DOORS", "SIGNED", "TIME", "Row", "is_code", "places", "seen_behind"]

# ruff: noqa: RUF001 - words of other scripts

Row: TypeAlias = tuple[
    str, str, Callable[[str, str, int], bool]
]  # names, a shape, and what says that one is of the other
_REACH = 60  # characters from a name to what opens it
_WIDEST = 100  # characters of what opens it, and of what ends that
DOORS = (
    "door gate keypad buzzer padlock eingang keller garaje garagem fechadura cadeado замок テンキー 車庫 裏口 倉庫 ^lock$ entrance alarm allarme alarma alarme alarmanlage アラーム сигнализаци 警报 警報 garage tür ^tor$ hoftor pforte schloss portão ^porta$ portaria puerta ^portal$ verja "
    "cancello portone citofono ^porte$ portail interphone digicode immeuble двер калитк подъезд ворот домофон шлагбаум 门 門 锁 鎖 "
    "单元 楼 闸 玄関 オートロック 入口 扉 鍵 문 현관 도어락 출입"
)
_LOCKS = (  # what has nothing but a code
    "alarm_code alarmcode alarmkod larmkod código_de_la_alarma código_alarma código_do_alarme codice_dell'allarme codice_allarme code_de_l'alarme code_d'alarme "
    "kod_do_alarmu код_сигнализации keypad keycode door_code buzzer_code padlock zahlenschloss fahrradschloss fechadura cadeado кодовый_замок 柜子 ロッカー 자물쇠 テンキー the_safe our_safe my_safe hotel_safe tresor caja_fuerte cofre candad coffre-fort cadenas cadnas vorhängeschl "
    "kłódk hengelås hänglås riippulukko hangslot fietsslot cykellås sykkellås asma_kilit "
    "cassaforte lucchetto домофон сейф 保险箱 保險箱 保险柜 保險櫃 密码锁 密碼鎖 门禁 門禁 门锁 門鎖 取件码 取件碼 オートロック 金庫 "
    "도어락 공동현관 금고 unlock entsperr desbloqueo desbloqueio déverrouillage sblocco разблокировк код_карты 锁屏 鎖屏 "
    "解锁 解鎖 スマホのロック 画面ロック 잠금 passcode パスコード 暗証 passwort kennwort senha contraseña пароль mot_de_passe password 密码 密碼 비번 비밀번호 암호"
)
CODE = rf"(?<![{LETTER}\d_.,:/#+@!*&$%-])(?P<value>\d{{4,8}}|\d\d?-\d\d?-\d\d?(?:-\d\d?)?|\d{{3,4}}-\d{{3,4}})(?![\w.,:/%-]*\d)"
CODES = "^code$ ^codes$ ^código$ ^codigo$ ^codice$ ^код$ コード 코드 代码"
_OPENS = "opens_with unlocks_with entsperrt_mit öffnet_mit abre_con abre_com s'ouvre_avec si_apre_con открывается_по"
_PLACE = re.compile(
    r"door|gate|garage|garaj|garagem|shed|office|shop|store|flat|club|church|chapel|hall|gym|studio|pantry|lock|bike|building|house|"
    r"heim|verein|haus|halle|laden|büro|keller|wohnung|tür|\btor\b|schloss|immeuble|local|poubelle|porte|portail|bureau|cave|vélo|"
    r"puerta|portal|oficina|local|taller|porta\b|portão|prédio|sede|loja|escritório|cancello|portone|ufficio|negozio|"
    r"подъезд|двер|офис|склад|ворот|калитк|замок|門|ドア|鍵|玄関|문|현관|창고|사무실"
)
_END = (
    r"(?=\s*(?:\Z|[\n.!?,;:)。！？，、了]|(?:and|then|und|dann|et|y|e|и|for|in case|if|für|falls|not|bitte|merk|sinon|deixa|anota|apunta|"
    r"star|hash|pound|stern|raute|sternchen|asterisco|almohadilla|cancelletto|estrela|asterisque|dièse|étoile|звёздочка|звездочка|решётка|решетка|"
    r"segna|запиши|bis|gültig|damit|dass|para|que|pra|car|perché|чтобы)\b|[忘别別记記我番にでだ은는예입으로이야자꾸]))"
)
SIGNED = r"(?<![\w.,:/#+-])(?P<value>\d{3,8}\s?(?:[#*＊＃]|井[號号字]?|星[号號]?|별표?|샵|우물정?|シャープ|米印|こめ(?:じるし|印)|アスタリスク))"
_WITH_LETTER = r"(?<![\w.,:/#+-])(?P<value>\d{2,4}[a-d]\d{1,5}|\d{4}[a-d]|[a-d]\d{4,6}|\d{1,3}к\d{3,5})(?!\w)"
_CHANGED = re.compile(
    r"换|換|改|变|變|変|바뀌|바뀜|바꿨|change|\bnew\b|\bnow\b|\bneu|jetzt|mudou|mudaram|trocou|trocaram|agora|\bnovo|\bnova|cambi|nuev|ahora|"
    r"nuov|\bora\b|changé|nouve|maintenant|поменя|смени|нов[ыа]|теперь|再|又"
)
_SPARED = re.compile(  # said before a number that is none of theirs
    rf"(?:(?<![{LETTER}])(?:cost|price|paid|worth|weighs?|kostet|bezahlt|wiegt|custa|custou|cuesta|costó|coûte|coûté|costa|pesa|pèse|"
    r"kost|koschtet|room|zimmer|raum|street|straße|strasse|стоит|стоил|order|bestellnummer|artikel|art|item|sku|ref|référence|ext|durchwahl|tel|call|x|model|modell|modelo|modèle|since|seit|desde|depuis|until|before|after|boarding|flight|voo|vuelo|vol|flug|bus|"
    r"level|lvl|in|at|by|of|from|an|am|um|bis|vor|nach|im|em|às|en|de|(?<!est )à|dal|nel|alle|с|в|к|до)|花了?|型号|型號|品番)\s*[€$£¥]?\Z"
)
TIME = re.compile(r"[01]\d[0-5][05]|2[0-3][0-5][05]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PAIRS = r"(?<![\w-])(?P<value>[\da-z]{4,5}-[\da-z]{4,5}|\d{8})(?![\w-])"

_NETWORKS = "wifi wi-fi ワイファイ вифи 無線網路 wlan ^ssid$ вайфай вай-фай 와이파이 无线网 無線網 무선"
_WORD = r"[^\s\"'`,;:，。、：；()（）\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_NOW = "^now$ ^jetzt$ ^agora$ ^ahora$ ^ora$ ^maintenant$ ^теперь$"
_TOKEN = rf"(?<!{_WORD})(?P<value>(?={_WORD}{{0,40}}\d){_WORD}{{6,64}})"
_STRONG = re.compile(r"[^\W_][!@#$%&*+=^]+[^\W_]")
_LETTERS = re.compile(rf"(?i)(?:[{LETTER}].*){{3}}")
_WEAK = re.compile(
    rf"(?=.*\d.*\d)(?=.*[{LETTER}])(?!.*\d\.\d)(?!\d+(?i:[{LETTER}])+\Z)(?i:[{LETTER}\d_.-]){{8,}}|"
    rf"(?i:[{LETTER}\d]){{3,}}[{LETTER}]\d+[A-Z](?i:[{LETTER}\d])+[!*]"
)
_DEVICE = re.compile(
    r"驱动|驅動|ドライバ|router|repeater|extender|adapter|speaker|printer|drucker|cam|kamera|impressora|impresora|imprimante|laptop|phone|chip|driver|"
    r"firmware|version|model|modem|gerät|stick|kabel|cable|дрон|принтер|роутер|型号|路由|ルーター|プリンタ|공유기"
)
_MAKERS = re.compile(
    r"fritz|\d+[€$£]|speedport|livebox|freebox|bbox|tp-?link|archer|netgear|asus|linksys|orbi|deco|eero|unifi|xiaomi|huawei|iphone|ipad|macbook|"
    r"[\d.,+&/]*[gm](?:hz|b)|galaxy|pixel|esp\d|windows|ubuntu|android|wpa|wep|ieee|https?:|www\.|.*@[\w-]+\.\w|.*\.(?:com|net|org|de|fr|es|it|br|ru|cn|jp|kr|local)\b"
)


def places(text: str) -> Iterator[tuple[int, int]]:
    """Find what opens a network, a door or a phone and stands near its name, with no word for it."""
    if not re.search(r"\d", text):
        return
    yield from seen_behind(text, _ROWS)


def seen_behind(text: str, rows: Iterable[Row]) -> Iterator[tuple[int, int]]:
    """Find what stands behind a name of one of *rows* and is no other thing to its judge."""
    small = lowered(text)
    for words, shape, judge in rows:
        for first, last in beside(words, small, 0, _REACH + _WIDEST):
            for match in re.compile(shape).finditer(small, first, last):
                start = match.start("value")
                value = text[start : match.end("value")].rstrip(".,?")
                before = small[max(0, start - _REACH) : start].rpartition("\n")[2]
                name = max(re.finditer(pattern_of(words), before), key=re.Match.end, default=None)
                if name and judge(value, before, name.end()):
                    yield start, start + len(value)


def _is_signed(value: str, before: str, behind_name: int) -> bool:
    """A code with its last key: nothing else is written so beside a door."""
    return True


def _is_changed(value: str, before: str, behind_name: int) -> bool:
    """Return whether a door is said to have a new code."""
    return bool(_CHANGED.search(before)) and is_code(value, before, behind_name) and not TIME.fullmatch(value)


def is_code(value: str, before: str, behind_name: int) -> bool:
    """Return whether digits behind the name of a lock are no year, price or model."""
    between = re.sub(r"\.{2,}", "", before[behind_name:])
    spared = _SPARED.search(before, behind_name)  # there rather than in *between*: a name may end within a word
    return not (re.search(r"\d{3}|[.!?;。！？]", between) or spared or _YEAR.fullmatch(value))


def _is_of_a_place(value: str, before: str, behind_name: int) -> bool:
    """Return whether a code is said to be of a door, a building, a lock."""
    return bool(_PLACE.search(before, behind_name)) and is_code(value, before, behind_name)


def _is_key(value: str, before: str, behind_name: int) -> bool:
    """Return whether a word of letters and digits behind a network's name is its password rather than a device."""
    between = before[behind_name:]
    if re.search(r"[.!?;。！？]\s", between) or _MAKERS.match(value.lower()) or not _LETTERS.search(value):
        return False
    if _STRONG.search(value):
        return True
    return bool(_WEAK.fullmatch(value)) and not (_DEVICE.search(between) or _SPARED.search(between))


def _is_new_key(value: str, before: str, behind_name: int) -> bool:
    """Return whether a network is said to have changed, and what it has now is no plain word."""
    return bool(_CHANGED.search(before) and _STRONG.search(value)) and _is_key(value, before, behind_name)


def _is_beside(value: str, before: str, behind_name: int) -> bool:
    """Return whether nothing stands between."""
    return not before[behind_name:].strip(" ,:")


_ROWS: tuple[Row, ...] = (
    (DOORS, SIGNED, _is_signed),
    (DOORS, CODE + _END, _is_changed),
    (_LOCKS, CODE + _END, is_code),
    (CODES, CODE + _END, _is_of_a_place),
    (_OPENS, CODE + _END, _is_beside),
    ("金庫 金库 保险 保險 ダイヤル", r"(?P<value>(?:[左右] ?\d{1,2} ?){2,5})", _is_signed),
    (
        "行李箱密 luggage suitcase kofferschloss koffercode valise maleta スーツケース 캐리어 чемодан",
        r"(?<!\S)(?P<value>\d{3})" + _END,
        is_code,
    ),
    ("digicode interphone portail portone immeuble poubelles ^code$ домофон подъезд", _WITH_LETTER, _is_signed),
    ("オートロック 门禁 門禁 密码锁 密碼鎖 도어락 keypad digicode", r"(?<!\w)(?P<value>[#*]\d{3,8})(?!\d)", _is_signed),
    ("backup_code recovery_code 备用码 備用碼 バックアップコード", _PAIRS, _is_signed),
    (_NETWORKS, _TOKEN, _is_key),
    ("^rede$ ^red$ network netz réseau ^rete$ ^сеть$ ネット 网络 網路", _TOKEN, _is_new_key),
    (_NOW, r"(?<![^\s,:])(?P<value>[^\W\d_]{3,}[!@*&]\d{3,})(?![\w.])", _is_beside),
)
