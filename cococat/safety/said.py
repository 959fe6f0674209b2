"""Secrets told in words: "my password is …", a door code, a card number, an account; in many languages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

__all__ = [
    "LETTER",
    "NOT_VALUES",
    "accounts",
    "beside",
    "cards",
    "lowered",
    "numbered",
    "passwords",
    "pattern_of",
    "shaped",
    "windows",
]

# ruff: noqa: SIM905 - long lists of words read better as a text
# ruff: noqa: RUF001 - words of other scripts

LETTER = "a-zà-ɏа-џґ"  # small, of the alphabets that part words by spaces
MIN_PIN = 4  # digits
MIN_ALIKE = 2  # different digits that a card number has at least

_NAMES = (
    r"pass\s?words?|pass\s?code|pass\s?phrase|passwd|pass\s?key|pin(?:[ -]?(?:code|number|nummer))?|cvv|cvc|"
    r"api[ -]?key|access[ -]?key|secret[ -]?key|secret|token|(?:security|recovery) code|combination|"
    r"(?:door|gate|alarm|access|entry|entrance|safe|lock|locker|garage|key\s?pad|unlock|phone|voicemail|building|"
    r"house|wi-?fi|back\s?up|security)[ -](?:code|combination|pin|key|password)|"
    r"code (?:for|to|of) (?:the |my |our )?[\w ]{1,20}|"
    r"(?:[a-zäöüß]{1,20}-?)?(?:passwort|kennwort|passwörter|zugangscode|türcode|geheimzahl)|(?:tür|tor|alarm|haus)-?code|"
    r"code (?:für|der|zur|zum)[\w ]{1,20}|"  # German
    r"mot de passe|mdp|digicode|code (?:secret|d'accès|de (?:la|ma|notre) porte|de porte|pin|confidentiel|d'entrée|wifi)|"
    r"contraseñas?|contrasenya|clave(?: de acceso| secreta)?|código (?:de la puerta|de acceso|pin|secreto|da porta|de acesso)|"
    r"senhas?|palavra[- ]passe|chave secreta|"  # Portuguese
    r"parola d'ordine|codice (?:segreto|d'accesso|di accesso|pin|della porta)|parol[ăa]|"  # Italian, Romanian
    r"wachtwoord|toegangscode|deurcode|pincode|"  # Dutch
    r"lösenord(?:et)?|portkod(?:en)?|passord(?:et)?|adgangskode(?:n)?|kodeord(?:et)?|pinkod(?:en)?|salasana(?:ni)?|ovikoodi|"
    r"has[łl]o|kod (?:do drzwi|pin|dostępu|wejściowy)|heslo|jelsz[óo](?:m)?|jelszavam|lozinka|geslo|slaptažodis|parole|"
    r"парол[ьяи]|пін-?код|пин-?код|код (?:от двери|двери|домофона|доступа)|парола(?:та)?|лозинка|κωδικ[όο]ς(?: πρόσβασης)?|"
    r"şifre(?:m|si|niz)?|parola(?:m|sı)?|"  # Turkish
    r"m[ậa]t kh[ẩa]u|kata sandi(?: saya|nya|ku)?|sandi|kata laluan|"  # Vietnamese, Indonesian, Malay
    r"密码|密碼|口令|门禁码|門禁碼|パスワード|暗証(?:番号)?|暗唱番号|비밀번호|암호|비번|"
    r"كلمة (?:السر|المرور)|الرقم السري|סיסמ[הא](?:ת)?|पासवर्ड|पिन|รหัสผ่าน|পাসওয়ার্ড|கடவுச்சொல்|گذرواژه|رمز(?: عبور)?"
)
_NAME = rf"(?<![A-Za-zÀ-ɏ])(?P<name>{_NAMES})"
_NAMED = f"(?i){_NAME}"
_IS = (
    r"(?:\s{0,3}[:=：–—]\s{0,3}|\s?(?:是|为|為|は|を|が|은|는|이|가|คือ)\s{0,2}[:：]?\s{0,2}|"
    r",?\s{1,3}(?:is set to|was set to|is|are|was|will be|ist|lautet|war|heißt|est|es|era|é|è|foi|este|e|är|er|on|was|jest|to|"
    r"je|van|yra|ir|είναι|это|есть|adalah|ialah|là|la|هي|هو|היא|הוא|है|olarak)\s{1,3})"
)
_MIDDLE = (  # what may stand between the name and the verb: "password for the router is"
    r"(?:\s{1,2}(?:for|to|of|on|at|für|von|zum|zur|vom|pour|de|du|del|della|per|para|voor|do|för|til|для|от|к)\s(?:[^\n.,;:=?!]|[.](?=\w)){1,40}?)?"
)
_OWN = (
    r"(?:my|our|your|his|her|their|meine?|deine?|unsere?|ihre?|mon|ton|notre|votre|tu|su|tua|sua|jouw|twoje|твой|ваш|你的|mis?|nuestr[ao]|minha|nossa|meu|la mia|il mio|mijn|onze?|mitt|min|mit|"
    r"moje|mój|moja|nasze|мой|наш|мій|我的|我们的|私の|내|나의|मेरा|मेरी|benim)"
)
_SAID = (
    rf"(?i)(?P<own>(?<![A-Za-zÀ-ɏ]){_OWN}\s{{0,2}}(?:[^\s.,;:?!]{{1,20}}\s){{0,3}}?)?{_NAME}{_MIDDLE}{_IS}"
    r"(?P<quote>[\"'`“”„«‚‘「『]?)"
    r"(?P<value>(?<=[\"'`“„«「『])[^\n\"'`“”»」』]{3,100}(?=[\"'`“”»」』])|(?-i:[^\s\"'`“”„»’」』，。！？、\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]){3,100})"
)
_WITH = (
    r"(?i)\b(?:with|using|use|enter|type|mit|avec|con|com|met|med|z|с)\s{1,2}(?:the |my |our |this |das |dem |le |la |o |het )?"
    rf"{_NAME}\s{{1,3}}(?P<quote>[\"'`“”„«]?)(?P<value>[^\s\"'`“”„»，。]{{4,100}})"
)
_PIN = r"\b(?P<name>(?:PIN|pin|Pin)(?:[ -]?(?:[Cc]ode|[Nn]umber|[Nn]ummer))?)[ :]{1,2}(?P<quote>)(?P<value>\d{4,8})(?![\w.,]*\d)"
_BEFORE = (
    r"(?i)(?<!\S)(?P<quote>[\"'`]?)(?P<value>[^\s\"'`]{4,100})[\"'`]? (?:is|ist|est|es|é|è|este) "
    r"(?:my|our|mein|unser|mon|notre|mi|nuestra|minha|la mia|mijn) (?:new |old |neues )?"
    r"(?P<name>pass\s?word|pin|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)\b"
)
_BARE = (
    rf"(?i){_NAME}\s{{1,2}}(?P<quote>)"
    r"(?P<value>(?=[^\s\"'`]{0,40}\d)(?=[^\s\"'`]{0,40}[A-Za-z])[^\s\"'`]{5,100})"
)
_TOLD = (_SAID, _WITH, _BARE, _PIN, _BEFORE)
_DIGITS = r"\d(?:\D|[A-Za-z-]{2,4})?\d(?:\D|[A-Za-z-]{2,4})?\d"
_AHEAD, _AFTER = 160, 400  # characters around a name that hold what is told of it
_CARD = (  # as it is printed on cards, alone among other numbers
    r"(?<![\d.-])(?<!\d )[2-6](?:\d{12,18}|\d{3}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?"
    r"|\d{3}(?P<wide>[ -])\d{6}(?P=wide)\d{4,5})(?![ -]?\d|\.\d)"
)
_IBAN = r"(?i)\b(?P<country>[A-Z]{2})\d{2}(?: ?[A-Z0-9]){11,30}"
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in (
        ("15", "NO"),
        ("16", "BE"),
        ("18", "DK FI NL FO GL"),
        ("19", "MK SI"),
        ("20", "AT BA EE KZ LT LU XK"),
        ("21", "CH HR LI LV"),
        ("22", "BG BH CR DE GB GE IE ME RS VA"),
        ("23", "AE GI IL IQ TL"),
        ("24", "AD CZ ES MD PK RO SA SE SK TN VG"),
        ("25", "PT ST"),
        ("26", "IS TR"),
        ("27", "FR GR IT MC MR SM"),
        ("28", "AL AZ BY CY DO GT HU LB PL SV"),
        ("29", "BR EG PS QA UA"),
        ("30", "JO KW MU"),
        ("31", "MT SC"),
        ("32", "LC"),
        ("33", "RU"),
    )
    for country in countries.split()
}
NOT_VALUES = frozenset(  # what is said about a password rather than being one
    "a an the in on at of for to not no now too very also still just only always never being been set stored saved kept "
    "required optional missing wrong right incorrect correct invalid valid expired empty blank hidden visible weak strong "
    "long short safe secure insecure encrypted hashed masked redacted secret private public same different unknown known "
    "changed reset rotated sent asked needed used shared lost forgotten stolen leaked compromised written typed entered "
    "accepted rejected refused checked verified tested generated created deleted removed protected manager field prompt "
    "login hash length policy protection authentication auth and or but if when where what which who why how that this "
    "it something nothing none null true false here there below above attached case-sensitive easy hard simple complex "
    "eight twelve at-least good bad fine ok okay new old default temporary mandatory "
    "nicht ein eine der die das im am zu sehr falsch richtig leer sicher unsicher abgelaufen gespeichert geheim lang kurz "
    "vergessen geändert noch immer nötig erforderlich pas un une le la les trop très incorrect expiré vide sûr obligatoire "
    "oublié faible fort dans el los las en muy demasiado incorrecta incorrecto correcta caducada vacía segura débil fuerte "
    "obligatoria olvidada guardada uma um na no muito errada correta expirada fraca forte segura obrigatória il lo nel "
    "molto errata scaduta debole sicura sbagliata obbligatoria een het de niet te verkeerd verlopen leeg sterk zwak veilig "
    "nie jest zbyt złe słabe puste inte är fel tom ikke feil забыт неверный неправильный слишком пустой не был "
    "错误 正确 什么 不 空 必须 必填 弱 强 无效 過期".split()
)
_UNITS = (
    r"(?i)[\s-]?(?:char|letter|digit|bit|byte|day|hour|minute|second|time|word|token|month|year|zeichen|ziffer|stellen|caract|"
    r"chiffre|lettre|dígito|cifr|tekens|знак|символ|цифр|位|个字|字符|文字|자)"
)
_END = r"[.!?,;:。！？、]?(?:\s*\Z|\s*\n|[.!?,;。！？、]\s| (?:and|or|und|oder|et|ou|y|e|o|en|och|og|i|и|to|for|on)\b)"

_SIGNS = "!+^*@"
_BEHIND_LOGIN = (  # "birte.h and Kran88!"
    r"(?<![\w@/.])[a-zà-ÿ]{1,20}[._][a-zà-ÿ]{1,20}\s?(?:[/,&+:]|und|and|y|et|e|и)\s?"
    r"(?P<value>[A-Za-zÀ-ÿ][\w-]{2,30}\d[\w-]{0,30}[!*])(?![\w/@=:+-])"
)
_SHAPED = r"(?<![\w/@.=&?#:+!-])[A-Z][a-z]{2,}(?:[!^]\d{2,8}[a-z]{2,6}|[!+^*@](?!(?:19|20)\d\d\b)\d{4,8})[!*#]?(?![\w/@=:+-]|[.]\w)"


def cards(text: str) -> Iterator[tuple[int, int]]:
    """Find numbers of payment cards: 13 to 19 digits, perhaps in groups, with the right check digit."""
    for match in re.finditer(_CARD, text):
        if _is_card([int(char) for char in match[0] if char.isdigit()]):
            yield match.span()


def accounts(text: str) -> Iterator[tuple[int, int]]:
    """Find bank accounts: an IBAN of its country's length with the right check digits."""
    for match in re.finditer(_IBAN, text):
        places = [place for place in range(*match.span()) if text[place] != " "]
        length = _IBAN_LENGTHS.get(match["country"].upper(), len(places) + 1)
        if len(places) >= length and _is_iban("".join(text[place] for place in places[:length])):
            yield match.start(), places[length - 1] + 1


def passwords(text: str) -> Iterator[tuple[int, int]]:
    """Find passwords, codes and pins that a sentence gives away."""
    for first, last in windows(text, _NAMED):  # most texts name nothing: the long patterns are not even compiled
        for match in (match for pattern in _TOLD for match in re.compile(pattern).finditer(text, first, last)):
            value = match["value"].rstrip(".,;:?)]}")
            start = match.start("value")
            if value and _is_password(match, value):
                yield start, start + len(value)


def shaped(text: str) -> Iterator[tuple[int, int]]:
    """Find what is written as a password and nothing else is, though no word says so: a name, a sign and digits behind it."""
    if any(map(text.__contains__, _SIGNS)):
        yield from (match.span() for match in re.finditer(_SHAPED, text))
        yield from (match.span("value") for match in re.finditer(_BEHIND_LOGIN, text))


def windows(text: str, sign: str, first: int = 0, last: int = sys.maxsize) -> Iterator[tuple[int, int]]:
    """Return the parts of *text* around *sign*, so that no others are looked through with the long patterns."""
    return _joined((match.span() for match in re.compile(sign).finditer(text, first, last)), first, last)


def beside(words: str, small: str, ahead: int = _AHEAD, after: int = _AFTER) -> Iterator[tuple[int, int]]:
    """
    Return the parts of *small* around *words*: plain words are looked for in no time.

    Args:
        words: in small letters; a word begins at "^" and ends at "$", "_" is a space.
        ahead: characters before a word that are wanted; *after*: those behind its end.
    """
    named = ((word, plain) for word, plain in _words(words) if plain in small)  # most are not
    places = ((start, start + len(plain)) for word, plain in named for start in _places(word, plain, small))
    return _joined(sorted(places), 0, len(small), ahead, after)


def numbered(text: str, reach: int = 130) -> Iterator[tuple[int, str]]:
    """Return the parts of *text* within *reach* characters of three digits that are close together, and where they begin."""
    for start, end in _joined((match.span() for match in re.finditer(_DIGITS, text)), 0, len(text), reach, reach):
        yield start, text[start:end]


def pattern_of(words: str) -> str:
    """Return the pattern of what `beside` looks for."""
    names = "|".join(re.escape(word.replace("_", " ")) for word in words.split())
    return names.replace(r"\^", f"(?<![{LETTER}])").replace(r"\$", f"(?![{LETTER}])")


def _joined(
    places: Iterable[tuple[int, int]], first: int, last: int, ahead: int = _AHEAD, after: int = _AFTER
) -> Iterator[tuple[int, int]]:
    start, end = first, -1
    for begins, ends in places:
        if begins - ahead > end:
            if end > 0:
                yield start, end
            start = max(first, begins - ahead)
        end = min(ends + after, last)
    if end > 0:
        yield start, end


@lru_cache(maxsize=128)
def _words(words: str) -> tuple[tuple[str, str], ...]:
    return tuple((word, word.strip("^$").replace("_", " ")) for word in words.split())


def _places(word: str, plain: str, small: str) -> Iterator[int]:
    start = small.find(plain)
    while start >= 0:
        end = start + len(plain)
        if not (
            (word[0] == "^" and _is_letter(small[start - 1 : start]))
            or (word[-1] == "$" and _is_letter(small[end : end + 1]))
        ):
            yield start
        start = small.find(plain, end)


def _is_letter(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"  # what comes behind parts no words by spaces


def lowered(text: str) -> str:
    """Return *text* in small letters, each in its place."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _is_card(digits: Sequence[int]) -> bool:
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]  # noqa: PLR2004 - the sum of two digits
    return len(set(digits)) >= MIN_ALIKE and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    return int("".join(str(int(char, 36)) for char in text[4:] + text[:4])) % 97 == 1


def _is_password(match: re.Match[str], value: str) -> bool:
    """Return whether *value* is the secret rather than what is said about it."""
    rest = match.string[match.start("value") + len(value) :]
    if value.casefold().strip("!*_") in NOT_VALUES or re.match(r"https?://|[~/<{$\[]", value):
        return False
    if value.isdigit():
        return len(value) >= MIN_PIN and not re.match(_UNITS, rest)
    if re.search(r"\d", value):
        return not (re.match(_UNITS, rest) and re.fullmatch(r"[\d.,-]+", value))
    if match["quote"] or re.search(r"[a-z][A-Z]|\w[@#$%^&*+=_!]\w", value):
        return True
    if match.re.pattern == _WITH and re.search(r"(?i)(?:ing|tion|ments?|ers?|less)\Z", value):
        return False
    owned = match.groupdict().get("own") or match.re.pattern in (_WITH, _BEFORE)
    return bool(owned) and value.strip("!").isalpha() and bool(re.match(_END, rest))
