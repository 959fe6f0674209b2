"""Numbers that stand for a person at an authority or an insurer, told in words: "my passport number is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cococat.safety.said import beside, lowered

__all__ = ["identities"]

# ruff: noqa: RUF001 - words of other scripts

MIN_DIGITS = 4
MIN_CHARS = 6  # letters and digits
_STRONG = (  # a number beside them is theirs
    r"ssn|social security|national insurance|medicare|medicaid|nhs|passport|ppsn?|itin|steuer-?(?:id|nummer|identifikationsnummer)|"
    r"[a-z]{0,20}versicher(?:ungs|ten)nummer|(?:reise)?pass-?nummer|[a-z]{0,20}ausweis-?nummer|führerschein-?nummer|reisepass|"
    r"personalausweis|dni|pasaporte|seguridad social|curp|cpf|cartão de cidadão|passaporte|codice fiscale|tessera sanitaria|"
    r"carta d'identità|passeport|sécurité sociale|carte vitale|carte d'identité|bsn|pesel|паспорт[а-я]{0,3}|инн|снилс|"
    r"身份证|护照|社保|社会保险|医保|マイナンバー|パスポート|주민등록|여권"
)
_WEAK = (  # and beside these where it is called one
    r"health (?:card|insurance)|insurance(?: policy)?|policy|patient|driv(?:er['\u2019]?s?|ing) licen[cs]e|(?:identity|id|green) card|"
    r"national id|tax(?:payer)?(?: id)?|social insurance|nino?|tin|nie|nif|nss|rfc|rg|tarjeta sanitaria"
)
_SIGNS = (  # one of which stands in each of them, as `beside` takes them
    "ssn social_security national_insurance medicare medicaid nhs passport ^pps itin steuerid steuer-id nummer ausweis reisepass dni "
    "pasaporte seguridad_social curp cpf cartão_de_cidadão passaporte codice_fiscale tessera_sanitaria identità passeport "
    "sécurité_sociale carte_vitale identité bsn pesel паспорт инн снилс 身份证 护照 社保 社会保险 医保 マイナンバー パスポート "
    "주민등록 여권 health insurance ^policy ^patient licence license _card ^national_id ^tax social_insurance ^nin$ ^nino$ ^tin$ ^nie$ ^nif$ ^nss$ ^rfc$ ^rg$ "
    "tarjeta_sanitaria"
)
_NUMBER = r"(?:n(?:umber|ummer|úmero|umero|uméro|um|r|º|°)\b\.?|no\.|id\b|code\b|号码|号|番号|номер)"
_IS = r"(?:[:=：#]|(?:is|ist|lautet|es|est|é|è|это)\b|是|为|は|[–—-](?=\s))"
_SAID = (
    rf"(?i)(?<![A-Za-zÀ-ɏ])(?:(?:{_STRONG})\s?{_NUMBER}?\s?{_IS}?|(?:{_WEAK})\s(?:{_NUMBER}\s?{_IS}?|{_IS}))\s{{0,2}}"
    r"(?P<value>(?:[A-Z]{1,3}[ -])?[A-Z]{0,6}\d[A-Z\d]{0,20}(?:[ ./-]{1,2}[A-Z]{0,4}\d[A-Z\d]{0,20}){0,12}(?:[ -][A-Z])?)(?![\w])"
)
_DATE = r"(?:19|20)\d\d(?:[-/.]\d\d?){0,2}|\d\d?[-/.]\d\d?[-/.](?:19|20)?\d\d"


def identities(text: str) -> Iterator[tuple[int, int]]:
    """Find the numbers of passports, insurances, taxes and the like; a date beside such a name is none."""
    if sum(map(str.isdigit, text)) < MIN_DIGITS:  # nothing to find: the long pattern is not even compiled
        return
    for match in (match for part in beside(_SIGNS, lowered(text)) for match in re.compile(_SAID).finditer(text, *part)):
        value = match["value"]
        digits = sum(char.isdigit() for char in value)
        if digits >= MIN_DIGITS and sum(map(str.isalnum, value)) >= MIN_CHARS and not re.fullmatch(_DATE, value):
            yield match.span("value")
