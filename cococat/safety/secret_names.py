"""Names that say what stands behind them is a secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

__all__ = ["SECRET_WORDS", "Strength", "strength"]

# ruff: noqa: SIM905 - long lists of words read better as a text

Strength: TypeAlias = Literal["", "weak", "strong"]

SECRET_WORDS = tuple(
    "password passwd passphrase passcode passwort pwd secret token apikey secretkey accesskey privatekey "
    "credential credentials creds".split()
)
_KEYS = frozenset(
    "api access secret private encryption encrypt auth signing signature master shared account storage hmac aes "
    "subscription license app client".split()
)
_OPEN = frozenset(  # a key with one of these before it is no secret
    "public cache sort primary foreign partition object row column dict map registry i18n group order range unique "
    "composite site publishable host hot arrow index lookup sync idempotency dedupe react message locale".split()
)
_PLAIN = frozenset("tiktoken monkey hotkey turkey pkey whiskey donkey jockey hockey".split())  # words that end so
_PAGING = frozenset(
    "page next continuation cursor sync cancellation cancel syntax lexer parser start stop eos bos".split()
)
_SUFFIXES = frozenset(
    "prod production dev devel development staging stage stg test testing qa uat live sandbox local default primary "
    "secondary main backup old new current previous prev next value val text txt string str plain plaintext raw "
    "literal b base hex encoded db user admin root master readonly ro rw write read global shared api web app eu us "
    "uk asia internal external key here clear v hash".split()
)
_OTHER = frozenset(  # what the name is about when it ends so
    "id ids name names path paths file files filename dir folder url urls uri endpoint host type types kind length len "
    "size count counts limit limits max min ttl expiry expires expiration expire expired at time timeout date days age "
    "policy regex pattern re format prefix suffix field fields label title placeholder hint help description desc "
    "message msg error errors status state exists required enabled valid verified validator validation rule rules "
    "strength algo algorithm method mode scope scopes source store storage manager provider service handler callback "
    "func function class cls factory config settings options header cookie param params arg args env var variable "
    "reset change changed usage index idx position offset pos line col start end set list array map dict table column "
    "row ref reference version number num budget budgets model models per kwargs input output stream event events icon "
    "color style selector xpath locator element node button form page link view route template alias group role owner "
    "arn region zone bits words word data info meta metadata schema spec parameter property properties attribute".split()
)
_NAME_WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"


def strength(name: str) -> Strength:
    """
    Return how surely what is called *name* is a secret; "weak" needs a value that looks like one.

    The last word that means a secret decides, with what follows it: `password_prod`, but not `password_field`.
    """
    words = [word.casefold() for word in re.findall(_NAME_WORDS, name)]
    for last in range(len(words) - 1, -1, -1):
        if own := _own_strength(words[: last + 1]):
            after = words[last + 1 :]
            if after and after[-1] in _OTHER:
                return ""
            return own if all(word in _SUFFIXES or word.isdigit() for word in after) else "weak"
        if words[last] in _OTHER:
            return ""
    return ""


def _own_strength(words: Sequence[str]) -> Strength:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last.endswith("token") and before in _PAGING:
        return ""
    if last == "pass" or (last.endswith(SECRET_WORDS) and last not in _PLAIN):
        return "strong"
    if last == "key" or last.endswith("key"):
        if before in _OPEN or last in _PLAIN:
            return ""
        return "strong" if before in _KEYS else "weak" if before else ""
    return "weak" if last in ("auth", "authorization", "pat") and (before or last == "authorization") else ""
