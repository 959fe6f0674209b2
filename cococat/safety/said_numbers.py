"""Numbers that their name makes a secret, whatever stands between the two: of cards, accounts and papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cococat.safety.said import LETTER, lowered, named, windows

__all__ = ["KINDS", "numbers"]

# ruff: noqa: RUF001 - words of other scripts

_BEFORE, _BEHIND = 60, 20  # characters from a number within which its name stands


Kind: TypeAlias = Literal["card-number", "bank-account", "id-number"]


@dataclass(frozen=True, slots=True)
class _Named:
    """Numbers of one shape and what they are called, in small letters."""

    names: str  # as `named` takes them
    shape: str
    tight: bool = False  # only "number", "is" and the like stand between the two


_CARDS = (
    _Named(
        "card kart carte carta tarjeta cartão cartao карт カード 카드 卡 visa amex postepay bancomat",
        r"\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{1,3})?|[2-69]\d{14,18}|3\d{3}[ -]\d{6}[ -]\d{5}",
    ),
    _Named("^cvv ^cvc 卡背面 背面三位", r"\d{3,4}", tight=True),
)
_ACCOUNT = "account ^acct$ ^acc$ konto konta ^conta$ cuenta compte ^conto$ счет счёт 账号 帐号 賬號 帳號 口座 계좌 普通 当座 當座"
_ACCOUNTS = (
    _Named(_ACCOUNT, r"\d{7,11}|\d{4,8}-[\dx]", tight=True),
    _Named(
        f"{_ACCOUNT} 账户 帳戶 银行 銀行",
        r"\d{12,22}|\d{4}(?P<gap>[ -])(?:\d{4}(?P=gap)){2,4}\d{1,4}|\d{4} \d{4} \d\d \d{10}",
    ),
    _Named(
        "account_n kontonummer konto-nr número_de_c numero_di_conto numéro_de_compte номер_сч 账号 帐号 賬號 帳號 口座番号 계좌",
        r"\d{7,11}|\d{3,6}-\d{2,6}-\d{4,8}(?:-\d\d)?|\d{3}-\d{8,14}",
    ),
    _Named("agência agencia", r"\d{4}(?:-\d)?", tight=True),
    _Named("^blz$ bankleitzahl", r"\d{3} ?\d{3} ?\d\d"),
    _Named("^routing$ ^aba$", r"\d{9}"),
    _Named("^bsb$ ^sort_code", r"\d{3}-?\d{3}|\d\d[- ]?\d\d[- ]?\d\d"),
    _Named("^clabe$ ^cbu$ ^cvu$", r"\d{18}|\d{22}"),
    _Named("支付宝 支付寶 alipay 微信收款 微信支付", r"1\d\d[ -]?\d{4}[ -]?\d{4}"),
    _Named(
        "^pix$",
        r"\d{3}\.?\d{3}\.?\d{3}-?\d\d|\d\d\.?\d{3}\.?\d{3}/?\d{4}-?\d\d|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|"
        r"(?:\+55 ?)?\(?\d\d\)? ?9?\d{4}[- ]?\d{4}",
    ),
)
_PAPERS = (
    _Named("^cpf$", r"\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d\d"),
    _Named("^cnpj$", r"\d\d[. ]?\d{3}[. ]?\d{3}[/ ]?\d{4}[- ]?\d\d"),
    _Named("^rg$ identidade", r"\d{1,2}\.?\d{3}\.?\d{3}-?[\dx]"),
    _Named("^pis$ ^nis$ ^pasep$", r"\d{3}\.?\d{5}\.?\d\d-?\d"),
    _Named("^dni$ ^nif$ ^nie$", r"[xyz]-?\d{7}-?[a-z]|\d\d\.?\d{3}\.?\d{3}-?[a-z]?"),
    _Named("^curp$ ^rfc$", r"[a-zñ&]{3,4}\d{6}[a-z\d]{3}|[a-z]{4}\d{6}[hmx][a-z]{5}[a-z\d]\d"),
    _Named("codice_fiscale ^cf$", r"[a-z]{6}\d\d[a-z]\d\d[a-z]\d{3}[a-z]"),
    _Named("steuer ^idnr", r"\d\d ?\d{3} ?\d{3} ?\d{3}|\d{2,3}/\d{3}/\d{4,5}"),
    _Named("versicherung ^sv-n ^svn ^rvnr", r"\d\d ?\d{6} ?[a-z] ?\d{3}|[a-z]\d{9}|\d{4} ?\d{6}"),
    _Named("^nhs$", r"[4-79]\d\d[ -]?\d{3}[ -]?\d{4}"),
    _Named("^ssn$ social_security ^itin$", r"\d{3}[ -]?\d\d[ -]?\d{4}"),
    _Named("national_insurance ^ni$ ^nin$ ^nino$", r"[a-z]{2} ?\d\d ?\d\d ?\d\d ?[a-d]"),
    _Named("^sécu ^secu$ carte_vitale ^insee$ ^nir$", r"[12] ?\d\d ?\d\d ?\d[\dab] ?\d{3} ?\d{3}(?: ?\d\d)?"),
    _Named("^инн$", r"\d{10}(?:\d\d)?"),
    _Named("паспорт", r"\d\d ?\d\d ?(?:№ ?)?\d{6}"),
    _Named("снилс", r"\d{3}[- ]?\d{3}[- ]?\d{3}[- ]?\d\d"),
    _Named(
        "passport reisepass passeport pasaporte passaporte passaporto ausweis паспорт 护照 護照 パスポート 旅券 여권 签证 簽證",
        r"[a-z]{1,3}\d{6,8}|[a-z]\d{2}[a-z]{2}\d{5}|[cfghjk](?=[a-z]{0,6}\d[a-z\d]*\d[a-z\d]*\d)[cfghjklmnprtvwxyz\d]{8}|\d{9}",
    ),
    _Named("身份证 身分证 身份證 身分證 证件号 證號", r"\d{17}[\dx]|[a-z][12]\d{8}|[a-z]\d{6}\(?[\da]\)?"),
    _Named("健保 医保 醫保 社保", r"\d{9,12}"),
    _Named("マイナンバー 個人番号 免許証 aadhaar आधार", r"\d{4}[ -]?\d{4}[ -]?\d{4}"),
    _Named("주민 외국인등록", r"\d{6}-?[1-8]\d{6}"),
    _Named("^pesel$ ^bsn$", r"\d{11}|\d{9}"),
)
KINDS: dict[Kind, tuple[_Named, ...]] = {"card-number": _CARDS, "bank-account": _ACCOUNTS, "id-number": _PAPERS}
_MARK = re.compile(r"\[redacted:[a-z-]+\]")
_OTHER = re.compile(  # what else has numbers so long, named between
    r"order|track|serial|bestell|sendung|auftrag|rechnung|pedido|rastre|commande|suivi|ordine\b|spedizion|заказ|трек|"
    r"订单|訂單|快递|快遞|单号|單號|序列|注文|追跡|주문|운송|송장|imei|barcode|barras|\bean\b|isbn|timestamp|"
    r"balance|limit|saldo|solde|stand|余额|餘額|残高|잔액|\bcall|\btel|phone|ruf|hotline|llam|telef|звон|тел\.|电话|電話|전화"
)
_TIES = re.compile(
    r"[\s:=：#.,，(]*(?:(?:n(?:umber|ummer|úmero|umero|uméro|um|r|º|°|o)|no|number|corrente|corriente|courant|poupança|"
    r"is|ist|lautet|es|est|é|è|это|номер|号码|號碼|番号|번호|号|號|是|为|為|は|が|은|는|이|가|code|三位|码|碼)[\s:=：#.,，(]*){0,4}"
    r"|.{0,40}(?:\b(?:is|ist|es|est|é|è)\s|[:：是为為はが])\s?"
)
_AMOUNT = re.compile(
    r"\s?(?:[€$£¥₽₩%]|eur|usd|dollar|reais|pesos|rub|руб|zł|元|円|원|块|塊|人|位|件|ポイント|点|점|명|people|followers|users|punkte|points|puntos)"
)
_YEARS = re.compile(r"(?:(?:19|20)\d\d[ -]?)+|(?:19|20)\d\d-?[01]\d-?[0-3]\d")


def numbers(text: str, kind: Kind) -> Iterator[tuple[int, int]]:
    """Find the numbers that a name near them says are a card's, an account's or a person's."""
    small = _MARK.sub(lambda mark: " " * len(mark[0]), lowered(text))  # a mark of ours is no name
    for row in KINDS[kind]:
        if names := named(row.names, small):
            for first, last in windows(small, names):
                for match in re.compile(_alone(row.shape)).finditer(small, first, last):
                    if _is_named(names, match, tight=row.tight):
                        yield match.span("number")


def _alone(shape: str) -> str:
    return rf"(?<![{LETTER}\d.,/+-])(?<!\d\d )(?P<number>{shape})(?![{LETTER}\d]|[ .,/-]?\d)"


def _is_named(names: str, match: re.Match[str], *, tight: bool) -> bool:
    """Return whether a name stands near the number, and nothing else that has numbers so long between them."""
    start, end = match.span("number")
    if _YEARS.fullmatch(match["number"]) or _AMOUNT.match(match.string, end):
        return False
    before = match.string[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    behind = match.string[end : end + _BEHIND].partition("\n")[0]
    for name in re.finditer(names, before):
        between = before[name.end() :]
        if not _OTHER.search(between) and (not tight or _TIES.fullmatch(between)):
            return True
    return not tight and bool(re.search(names, behind))
