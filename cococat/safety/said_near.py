"""Secrets told as people type in a hurry: a name, and not far behind it what can only be the password, the pin, the code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cococat.safety.said import NOT_VALUES, lowered, windows

__all__ = ["nearby"]

# ruff: noqa: RUF001 - words of other scripts

_PASSWORDS = (  # beside these, letters and digits in one word are a password
    r"pass\s?words?|passwd|passwort|kennwort|pass(?:phrase|code)|pwd|pw|pass(?=[ :=])|mot de passe|mdp|contraseñas?|clave|senhas?|"
    r"creds|credentials|log-?ins?|zugangsdaten|identifiants|credenciales|credenziali|парол[ьяи]|логин|"
    r"(?:wi-?fi|wlan|vault|licen[cs]e|product|activation)[ -]?(?:key|code|schlüssel)|lizenzschlüssel|clé (?:wifi|du wifi)|"
    r"密码|密碼|口令|令牌|パスワード|パス(?![タポト])|ログイン|暗証|비밀번호|비번|암호"
)
_PLACES = (
    r"door|gate|alarm|entry|entrance|garage|building|shed|locker|safe|lock|key\s?(?:pad|box|safe)|lockbox|intercom|voicemail|sim|"
    r"card|phone|back\s?up|2fa|mfa|verification|sms|security|recovery"
)
_CODES = (  # beside these, digits are a code
    r"pin|puk|(?:sms-?)?tan(?=[ :])|pincode|(?:"
    + _PLACES
    + r")s?[ -](?:codes?|combo|combination|pin|key)|(?:safe|lock|locker|card|sim|security|recovery) number|"
    r"codes? (?:for|to|of) (?:(?:the|my|our) )?(?:\w+ )?(?:"
    + _PLACES
    + r"|house|flat|office|shop|stairwell)|code to get in|(?:safe|bike|lock|locker) combo|"
    r"(?:spind|schrank|tür|tor|haus|keller|eingangs|zugangs|alarm|tresor|safe|schloss|schließfach|garagen|fahrrad|rad|koffer|schlüsselbox|schlüsselkasten|handy|sim|"
    r"karten|bank)-?(?:code|pin|kombi(?:nation)?)|(?:spind|schrank|alarm|tresor|safe|schloss|schließfach|sim|karten)-?nummer|kombination|zahlenschloss|(?:the|my|our|der|mein|unser|le|mon|notre|el|mi|il|mio|o|meu) code(?= (?:is|ist|est|c|es|è|é)\b|['’]s|\s?:)|"
    r"(?:digicode|code (?:du |de la |de l['’])(?:portail|porte|immeuble|alarme|coffre|garage|wifi|carte|cadenas))|"
    r"código (?:de la |del |do |da )(?:puerta|portal|alarma|caja|porta|portão|alarme|cofre)|codice del(?:la |l['’])?\s?(?:cancello|porta|portone|allarme|cassaforte)|"
    r"(?:код|пин)(?:-код)? (?:от|на|для|к) [а-яё]{2,20}|пин-?код|домофон|"
    r"密码|密碼|口令|验证码|驗證碼|门禁|暗証(?:番号)?|(?:金庫|ロッカー|玄関|鍵)の(?:暗証)?番号|(?:アラーム|玄関|ドア|鍵)のコード|ロックの?番号|保险[柜箱]|密码锁|门锁|비밀번호|비번|(?:현관|대문) 번호"
)
_NETWORK = r"(?:wi-?fi|wlan|ssid|无线网?)"
_AT = r"(?:\s(?:chez|at|in|im|bei|beim|of|de|du|für|pour|en|for|upstairs|downstairs)\s?[^\n.,;:=?!\d]{0,30}?)?"
_HOLDERS = r"(?:the |my |our )?(?:bike |pad)?lock|(?:the |my |our )(?:safe|locker)|(?:mein |das )?(?:zahlen|fahrrad)schloss|le cadenas|le coffre|el candado|(?:the |my |our )alarm"  # which one only is when digits follow
_LETTER = "A-Za-zÀ-ɏА-яЁё"
_START = rf"(?:(?<![{_LETTER}])|(?=(?-i:[\u3040-\u9fff\uac00-\ud7af])))"
_STOP = rf"(?:(?![{_LETTER}])|(?<=(?-i:[\u3040-\u9fff\uac00-\ud7af])))"
_GAP = _STOP + r"[^\n.!?;。！？\d]{0,40}?"
_VERB = r"(?:\s?(?:[:=：→]|['’]s\b|\b(?:is|are|was|ist|sind|lautet|gilt|est|c['’]est|es|son|era|é|è|такой|это)\b|是|为|は|が|은|는|이|가|改成了?|换成了?)\s{0,2})"
_WORD = r"(?-i:[^\s\"'`,;，。、\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
_MIXED = (
    rf"(?=[^\s,;，。]{{0,40}}\d)(?=[^\s,;，。]{{0,40}}[{_LETTER}])(?P<value>[{_LETTER}0-9]{_WORD}{{5,99}})(?!{_WORD})"
)
_DIGITS = r"(?<![\d.,:/])(?P<value>\d{4,8}|\d{2,4}(?:-\d{2,4}){1,3})[A-D]?(?![\d.,:/%-]*\d)"
_BEHIND = r"(?=[#*A-D]|\s*(?:\Z|[\n.!?,;:)。！？，、了]|(?:and|then|und|dann|et|y|e|и|for|in case|if|to|für|falls|not|hash|hab|忘)\b|忘|です|だ|예|입))"
_ONES = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|"
    r"zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)"
)
_PREPOSITION = re.compile(
    r"(?i)(?:^|\s)(?:for|of|to|on|at|in|from|my|the|a|an|für|von|vom|zum|zur|auf|im|am|de|du|del|la|el|le|por|para|от|на|для|with|by|via|using|per|mit)\s+\Z"
)
_NO_SECRET = re.compile(
    r"(?i)(?:sha|md|utf|wpa|ipv|aes|rsa|base|oauth|bcrypt|scrypt|argon|windows|win|python|py|http|tls|ssl|u2f|fido|gpt|qwen|llama|v)[-_]?\d[\w.-]*|"
    r".*\.[a-z]{2,4}|\d+(?:st|nd|rd|th|px|em|gb|mb|kb|ms|min|pm|am|km|kg|x|k|h|s)|\[redacted.*|https?:.*|[\w.+-]+@[\w-]+\.\w+|[\d.,/:-]+|\w+=\d+"
)
_TIME = re.compile(r"[01]\d[0-5][05]|2[0-3][0-5][05]")
_FOUR = 4
_SIGNS = (
    "pass", "pw", "kennwort", "mdp", "contrase", "clave", "senha", "cred", "log", "zugang", "identif", "парол", "логин", "key", "schlüssel",
    "clé", "密", "口令", "令牌", "パス", "ログイン", "暗証", "비", "암호", "pin", "puk", "tan", "code", "combo", "combination", "lock", "safe",
    "alarm", "kombi", "zahlenschloss", "código", "codice", "код", "пин", "домофон", "验证", "驗證", "门禁", "番号", "コード", "번호",
    "phrase", "words", "number", "nummer", "wifi", "wi-fi", "wlan", "ssid", "无线", "保险", "锁", "ロック", "cadenas", "coffre", "schloss", "candado", "social", "sort ", "account", "ni ", "user", "benutzer", "usuario", "账号", "帐号", "用户名", "アカウント",
)  # fmt: skip
_NAMED = "|".join(map(re.escape, _SIGNS))
_SIGNED = r"\w[%!$&^*+]\w"  # in one word

_TOLD = (
    rf"(?i){_START}(?:{_PASSWORDS}){_GAP}{_VERB}{_MIXED}",
    rf"(?i){_START}(?:{_PASSWORDS}){_GAP}[ ](?=[^\s]{{0,40}}\d[^\s]{{0,40}}\d){_MIXED}",
    rf"(?i){_START}(?:{_PASSWORDS}|{_CODES})(?:\s{{1,2}}|(?<=(?-i:[\u3040-\u9fff\uac00-\ud7af]))){_MIXED}",
    rf"(?i){_START}(?:{_CODES}){_GAP}(?<!\d){_DIGITS}{_BEHIND}",
    rf"(?i){_START}(?:{_CODES}){_GAP}{_VERB}{_MIXED}",
    rf"(?i){_START}(?:{_HOLDERS}){_VERB}{_DIGITS}{_BEHIND}",
    rf"(?i){_START}(?:{_PASSWORDS}|user(?:name)?|benutzer(?:name)?|usuario|账号|帐号|用户名|アカウント){_GAP}(?:\s|/|:\s?)[\w.@-]{{2,30}}(?:\s?/\s?|,\s?|\s(?:and|und|et|y|e|и)\s){_MIXED}",
    rf"(?i){_START}{_NETWORK}{_AT}{_VERB}{_MIXED}",
    rf"(?i){_START}{_NETWORK}\b[^\n.!?;]{{0,40}}?\b(?:key|schlüssel|clé|clave|chiave|ключ){_VERB}?\s?{_MIXED}",
    r"(?i)\bsort code\s(?:is\s)?(?P<value>\d\d-?\d\d-?\d\d)\b",
    r"(?i)\b(?:bank )?account(?: number| no\.?)?\s(?:is\s)?(?P<value>\d{8,12})\b",
    r"(?i)\b(?:my|his|her) social\s(?:is|number is)?\s?(?P<value>\d{3}-\d\d-\d{4})\b",
    r"(?i)\bNI (?:number|no\.?)\s(?:is\s)?(?P<value>[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D])\b",
)  # fmt: skip
_PAIR = rf"(?i)(?:{_START}(?:is|are|ist|:)|(?<=[a-z])['’]s)\s[a-z][\w.-]{{2,30}}\s?(?:/|and|und|et|y)\s?(?=[^\s]{{0,40}}\d\d)(?=[^\s]{{0,40}}{_SIGNED}){_MIXED}"
_IN_WORDS = rf"(?i){_START}(?:pin|puk|{_PLACES}|code){_GAP}(?P<value>{_ONES}(?:[ -]{_ONES}){{2,7}})\b"
_PHRASE = (
    r"(?i)\b(?:(?:recovery|seed|backup|mnemonic) (?:phrase|words?)|pass\s?phrase)(?:\s(?:for|of|to|on)\s[^\n.,;:=?!]{1,30}?)?"
    r"(?:\s?[:=]\s?|\s(?:is|are)\s|\s)(?P<value>(?P<first>[a-z]{3,12})(?:[ -][a-z]{3,12}){3,24})"
)
_NUMBERS = rf"(?i)\b{_ONES}(?:[ -]{_ONES}){{2,7}}\b"


def nearby(text: str) -> Iterator[tuple[int, int]]:
    """Find what stands in the clause of a name such as "pw", "pin" or "alarm code", and can only be the secret itself."""
    named = list(windows(lowered(text), _NAMED))
    places = (
        (_TOLD, named, r"\d+"),
        ((_PAIR,), windows(text, _SIGNED), r"\d\d"),
        ((_IN_WORDS,), [(0, len(text))] if named else [], _NUMBERS),
        ((_PHRASE,), named, r"(?i)phrase|words?"),
    )
    for patterns, around, sign in places:
        for start, end in (part for window in around for part in windows(text, sign, *window)):
            for match in (match for pattern in patterns for match in re.compile(pattern).finditer(text, start, end)):
                value = match["value"].rstrip(".,;:?!)]}") or match["value"]
                if _is_secret(match, value):
                    yield match.start("value"), match.start("value") + len(value)


def _is_secret(match: re.Match[str], value: str) -> bool:
    """Return whether *value* is the secret rather than the thing that it is for."""
    before = match.string[match.start() : match.start("value")]
    if "://" in before or _PREPOSITION.search(before):
        return False
    if value.replace("-", "").isdigit():
        holder = re.match(r"(?i)(?:the |my |our )?alarm\W", match[0])
        return sum(map(str.isdigit, value)) >= _FOUR and not (holder and _TIME.fullmatch(value))
    return (match.groupdict().get("first") or value).casefold() not in NOT_VALUES and not _NO_SECRET.fullmatch(value)
