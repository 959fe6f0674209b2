"""Numbers that their name makes a secret, whatever stands between the two: of cards, accounts and papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cococat.safety.said import LETTER, beside, lowered, numbered, pattern_of

__all__ = ["KINDS", "numbers"]

# ruff: noqa: RUF001 - words of other scripts

_BEFORE, _BEHIND = 60, 30  # characters from a number within which its name stands
_LONGEST = 60  # characters that a number and what ends it take


Kind: TypeAlias = Literal["card-number", "bank-account", "id-number"]


@dataclass(frozen=True, slots=True)
class _Named:
    """Numbers of one shape and what they are called, in small letters."""

    names: str  # as `beside` takes them; with none, the shape says it all
    shape: str
    tight: bool = False  # only "number", "is" and the like stand between the two


_GROUPS = r"(?:[3-6]\d{3}|220[0-4])(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}"  # as no other number is written
_CARDS = (
    _Named(
        "card kart carte carta tarjeta cartão cartao карт カード 카드 卡 visa amex postepay bancomat debit credit mastercard ^cb$ クレカ bank банк "
        "сбер тинькоф 银行 銀行 招行 工行 建行 农行 中行 은행",
        r"\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{1,3})?|[2-69]\d{14,18}|3\d{3}[ -]\d{6}[ -]\d{5}",
    ),
    _Named("", _GROUPS),
    _Named("^cvv ^cvc 卡背面 背面三位 末三码 末三碼 安全码 安全碼 セキュリティコード 보안코드", r"\d{3,4}", tight=True),
)
_ACCOUNT = "^account$ ^accounts$ ^acct$ ^acc$ konto konta ^conta$ cuenta compte ^conto$ счет счёт 账号 帐号 賬號 帳號 口座 계좌 普通 当座 當座"
_ACCOUNTS = (
    _Named(_ACCOUNT, r"\d{7,11}|\d{4,8}-[\dx]", tight=True),
    _Named(
        f"{_ACCOUNT} ^checking$ ^savings$ ^rib$ ^р/с$ 账户 帳戶 银行 銀行",
        r"\d{12,22}|\d{4}(?P<gap>[ -])(?:\d{4}(?P=gap)){2,4}\d{1,4}|\d{4}[ -]\d{4}[ -]\d\d[ -]\d{10}|"
        r"\d{5} ?\d{5} ?[a-z\d]{11} ?\d\d",
    ),
    _Named(
        "account_n kontonummer konto-nr número_de_c numero_di_conto numéro_de_compte номер_сч 账号 帐号 賬號 帳號 口座番号 계좌",
        r"\d{7,11}",
    ),
    _Named(
        "帳號 賬號 匯款 轉帳 郵局 銀行 계좌 은행 뱅크 신한 국민 농협 口座",
        r"\d{3,6}-\d{2,6}-\d{4,8}(?:-\d\d)?|\d{3}-\d{8,14}|\d{7}-\d{7}",
    ),
    _Named("ゆうちょ 記号", r"\d{5}|\d{5,8}"),
    _Named("agência agencia ^ag$ ^ag.$", r"\d{4}(?:-\d)?", tight=True),
    _Named("^blz$ bankleitzahl", r"\d{3} ?\d{3} ?\d\d"),
    _Named("^routing$ ^aba$", r"\d{9}"),
    _Named("^bsb$ ^sort$", r"\d{3}-?\d{3}|\d\d[- ]?\d\d[- ]?\d\d"),
    _Named("^clabe$ ^cbu$ ^cvu$", r"\d{18}|\d{22}"),
    _Named("支付宝 支付寶 alipay 微信收款 微信支付", r"1\d\d[ -]?\d{4}[ -]?\d{4}"),
    _Named(
        "^pix$ chave_aleatória chave_aleatoria",
        r"\d{3}\.?\d{3}\.?\d{3}-?\d\d|\d\d\.?\d{3}\.?\d{3}/?\d{4}-?\d\d|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|"
        r"(?:\+55 ?)?\(?\d\d\)? ?9?\d{4}[- ]?\d{4}",
    ),
)
_PLAIN = (  # written as no other number is
    r"\d{3}\.\d{3}\.\d{3}-\d\d|\d\d\.\d{3}\.\d{3}/\d{4}-\d\d|756\.\d{4}\.\d{4}\.\d\d|\d{6}-[1-8]\d{6}|"
    r"\d{6}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dx]|[12] \d\d \d\d \d[\dab] \d{3} \d{3} \d\d|"
    r"[a-z]{6}\d\d[a-ehlmprst]\d\d[a-z]\d{3}[a-z]|[a-z]{4}\d{6}[hm][a-z]{5}[a-z\d]\d|"
    r"756 \d{4} \d{4} \d\d|[a-z]{6}\d{8}[hm]\d{3}|gha-\d{9}-\d"
)
_THREES = r"\d{2,3}(?P<gap>[ .-]?)\d{3}(?P=gap)\d{3}"
_MIXED = (  # letters and four digits or more in one word, neither a year nor an amount with its unit
    rf"(?=(?:[a-z]{{0,6}}\d){{4}})(?=\d{{0,12}}[a-z])(?!\d+[a-z]{{2,}}(?![{LETTER}\d]))(?![a-z]{{3,}}(?:19|20)\d\d(?!\d))[a-z\d]{{7,18}}"
)
_LICENCES = (
    "driver_licen driver's_lic driver’s_lic drivers_lic driving_lic licence_n license_n ^permis$ führerschein fuehrerschein licencia_de_ "
    "licencia_n carnet_de_conducir carnet_n ^brevete$ carteira_de_motorista ^cnh$ carta_de_condução carta_de_conducao patente_di_guida rijbewijs körkort førerkort kørekort ajokort "
    "prawo_jazdy prawa_jazdy ehliyet ^ву$ водительск посвідчення водійськ 免許 驾驶证 駕照 驾照 駕駛 운전면허"
)
_PASSPORTS = (
    "passport reisepass passeport pasaporte passaporte passaporto ausweis паспорт 护照 護照 パスポート 旅券 여권 签证 簽證 paspoort ^pass_n paszport "
    "carte_de_séjour titre_de_séjour aufenthaltstitel residence_permit permiso_de_residencia permesso_di_soggiorno ^passnummer ^passnr passin_numero pasaport útlevél"
)
_IDENTITIES = (
    "id_card identity_card identité identite identidad identidade identità ^perso$ personalausweis ^ausweis dowod dowód id-kort "
    "legitymac tarjeta_sanitaria tessera_sanitaria health_card versichertenn voter_id ^права$"
)
_PAPERS = (
    _Named("", _PLAIN),
    _Named("^cpf$", r"\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d\d"),
    _Named("^cnpj$", r"\d\d[. ]?\d{3}[. ]?\d{3}[/ ]?\d{4}[- ]?\d\d"),
    _Named("^rg$ identidade", r"\d{1,2}\.?\d{3}\.?\d{3}-?[\dx]"),
    _Named("^pis$ ^nis$ ^pasep$", r"\d{3}\.?\d{5}\.?\d\d-?\d", tight=True),
    _Named("^nie$", r"[xyz]-?\d{7}-?[a-z]"),
    _Named("^nif$", _THREES),
    _Named("^dni$ ^nif$", r"[xyz]-?\d{7}-?[a-z]|\d\d\.?\d{3}\.?\d{3}-?[a-z]?"),
    _Named("^curp$ ^rfc$", r"[a-zñ&]{3,4}\d{6}[a-z\d]{3}|[a-z]{4}\d{6}[hmx][a-z]{5}[a-z\d]\d"),
    _Named("codice_fiscale ^cf$", r"[a-z]{6}\d\d[a-z]\d\d[a-z]\d{3}[a-z]"),
    _Named("steuer ^idnr ^tin$ ^idnr.", r"\d\d ?\d{3} ?\d{3} ?\d{3}|\d{2,3}/\d{3}/\d{4,5}"),
    _Named("versicherung ^sv-n ^svn ^sv_n ^rvnr ^e-card", r"\d\d ?\d{6} ?[a-z] ?\d{3}|[a-z]\d{9}|\d{4} ?\d{6}"),
    _Named("^nhs$", r"[4-79]\d\d[ -]?\d{3}[ -]?\d{4}"),
    _Named("^ssn$ social_security ^itin$", r"\d{3}[ -]?\d\d[ -]?\d{4}"),
    _Named("national_insurance ^ni$ ^nin$ ^nino$", r"[a-z]{2} ?\d\d ?\d\d ?\d\d ?[a-d]"),
    _Named("^sécu ^secu$ carte_vitale ^insee$ ^nir$", r"[12] ?\d\d ?\d\d ?\d[\dab] ?\d{3} ?\d{3}(?: ?\d\d)?"),
    _Named("^инн$", r"\d{10}(?:\d\d)?"),
    _Named("паспорт", r"[а-яіїє]{2} ?\d{6}|\d\d ?\d\d ?(?:№ ?)?\d{6}|\d\d ?(?:№ ?)?\d{7}"),
    _Named("снилс", r"\d{3}[- ]?\d{3}[- ]?\d{3}[- ]?\d\d"),
    _Named(
        _PASSPORTS,
        r"[a-z]{1,3}\d{6,8}|[a-z]\d{2}[a-z]{2}\d{5}|[cfghjk](?=[a-z]{0,6}\d[a-z\d]*\d[a-z\d]*\d)[cfghjklmnprtvwxyz\d]{8}|\d{9}",
    ),
    _Named("身份证 身分证 身份證 身分證 证件号 證號", r"\d{17}[\dx]|[a-z][12]\d{8}|[a-z]\d{6}\(?[\da]\)?"),
    _Named("健保 医保 醫保 社保", r"\d{9,12}"),
    _Named("マイナンバー 個人番号 免許証 aadha adhaar adhar आधार", r"\d{4}[ -]?\d{4}[ -]?\d{4}"),
    _Named("주민 외국인등록", r"\d{6}-?[1-8]\d{6}"),
    _Named("^pesel$ ^bsn$ burgerservice partita_iva ^p.iva$ ^cnh$ ^tfn$", r"\d{11}|\d{9}|\d{3} \d{3} \d{3}"),
    _Named("^sus$ ^cns$", r"\d{3} ?\d{4} ?\d{4} ?\d{4}"),
    _Named("título_de_eleitor título_eleitoral", r"\d{4} ?\d{4} ?\d{4}"),
    _Named("seguridad_social ^nss$ ^nuss$ ^naf$", r"\d\d[/ ]?\d{8}[/ ]?\d\d|\d{11}"),
    _Named("tarjeta_sanitaria ^cip$", r"[a-z]{4} ?\d{4} ?\d{4} ?\d{2,4}"),
    _Named("^rut$ ^run$", r"\d{1,2}\.?\d{3}\.?\d{3}-[\dk]|\d{1,2}\.\d{3}\.\d{3}"),
    _Named("cédula cedula", r"\d{1,2}(?:\.\d{3}){2,3}|\d{7,10}"),
    _Named("^cuit$ ^cuil$", r"\d\d-?\d{8}-?\d"),
    _Named("krankenkasse gesundheitskarte versicherten", r"[a-z]\d{9}"),
    _Named(
        "^perso$ d'identité d'identità identity_card ^id_card",
        r"(?=[a-z\d]{0,8}\d[a-z\d]{0,8}\d[a-z\d]{0,8}\d)(?=\d*[a-z])[a-z\d]{9,10}",
    ),
    _Named("licence license", r"[a-z9]{5} ?\d{6} ?[a-z\d]{5}"),
    _Named("^medicare$ ^mbi$", r"[1-9][a-z][a-z\d]\d-?[a-z][a-z\d]\d-?[a-z]{2}\d\d|\d{4} ?\d{5} ?\d"),
    _Named("green_card ^a-number", r"a?[- ]?\d{3}-?\d{3}-?\d{3}"),
    _Named("fiscal ^spi$ impots impôts", r"[0-3]\d ?\d\d ?\d{3} ?\d{3} ?\d{3}"),
    _Named("полис ^омс$", r"\d{4} ?\d{4} ?\d{4} ?\d{4}"),
    _Named("通行证 通行證 台胞证 台胞證 居留证 居留證", r"[a-z]?\d{8}|[a-z]{2}\d{8}"),
    _Named("年金", r"\d{4}-\d{6}"),
    _Named("保険証 被保険者", r"\d{6,8}"),
    _Named("^ppsn? ^pps$", r"\d{7}[a-z]{1,2}"),
    _Named("^nas$ ^sin$", _THREES, tight=True),
    _Named(
        "son_nas$ mon_nas$ ton_nas$ nas_de nas_du my_sin$ his_sin$ her_sin$ sin_number 's_sin$ dads_sin$ mums_sin$",
        _THREES,
    ),
    _Named("assurance_sociale social_insurance tax_file ^tfn$ ^ird$ de_utente", _THREES),
    _Named("^ramq$ carte_soleil assurance_maladie carte_santé health_card", r"[a-z]{4} ?\d{4} ?\d{4}"),
    _Named("health_card ^ohip$ ^phn$ ^msp$", r"\d{4}[ -]?\d{3}[ -]?\d{3}(?:[ -]?[a-z]{2})?"),
    _Named("^id$ identity", r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) ?\d{4} ?[01][89] ?\d"),
    _Named("^nin$ ^bvn$ ^nimc ^tc$ ^t.c", r"[1-9]\d{10}|[1-9]\d{3} \d{3} \d{4}", tight=True),
    _Named("kimlik ^tckn tc_no tc_kimlik", r"[1-9]\d{10}"),
    _Named(
        "vergi_n vergi_k ^vkn$ ^іпн$ ^рнокпп$ податков ^nip$ ^nipu$",
        r"[1-9]\d{9}|\d{3}-\d{3}-\d\d-\d\d|\d{3}-\d\d-\d\d-\d{3}",
    ),
    _Named("^pan$ pan_card", r"[a-z]{5}\d{4}[a-z]"),
    _Named("^patente$", r"u1[a-z\d]{7}[a-z]|[a-z]{2}\d{7}[a-z]"),
    _Named("^kra$", r"[a-z]\d{9}[a-z]"),
    _Named("^voter ^epic$ dowod dowód", r"[a-z]{3} ?\d{6,7}"),
    _Named(
        "^niss$ ^insz$ registre_national rijksregister nationaal_nummer",
        r"\d\d\.?\d\d\.?\d\d[ -]?\d{3}[ .-]?\d\d",
    ),
    _Named("^ahv ^avs$ ^oasi$", r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d"),
    _Named("^e-card ^ecard ^ehic$ ^ekvk tessera_sanitaria", r"80\d{18}"),
    _Named(
        "personnummer personnr ^pnr$ fødselsn fodselsn ^fnr$ ^cpr$ ^cpr-n samordningsnummer",
        r"(?:(?:19|20)?\d\d[01]\d[0-7]\d|[0-7]\d[01]\d\d\d)[ +-]?\d{4,5}",
    ),
    _Named("henkilötunnus henkilotunnus ^hetu ^sotu", r"\d{6}[a+-]\d{3}[a-z\d]"),
    _Named("cartão_de_cidadão cartao_de_cidadao ^cc$", r"\d{8} ?\d ?[a-z]{2}\d"),
    _Named(_LICENCES, rf"{_MIXED}|\d{{8,12}}|\d\d-\d\d-\d{{6}}-\d\d|\d\d ?\d\d ?\d{{6}}|{_THREES}"),
    _Named(
        f"{_PASSPORTS} {_IDENTITIES}",
        rf"{_MIXED}|\d{{7,12}}|\d\d ?\d\d ?(?:\d\d ?\d{{4}}|\d{{6}})|{_THREES}",
        tight=True,
    ),
)
KINDS: dict[Kind, tuple[_Named, ...]] = {"card-number": _CARDS, "bank-account": _ACCOUNTS, "id-number": _PAPERS}
_MARK = re.compile(r"\[redacted:[a-z-]+\]")
_OTHER = re.compile(  # what else has numbers so long, named between
    r"order|track|serial|bestell|sendung|auftrag|rechnung|pedido|rastre|commande|suivi|ordine\b|spedizion|заказ|трек|"
    r"订单|訂單|快递|快遞|单号|單號|序列|注文|追跡|주문|운송|송장|imei|barcode|barras|\bean\b|isbn|timestamp|"
    r"[\"`=_]|\A-id ?\Z|balance|limit|saldo|solde|stand|余额|餘額|残高|잔액|\bcall|\btel(?:e|\b)|phone|anruf|\bruf|hotline|llam|звон|тел\.|电话|電話|전화"
)
_TIES = re.compile(
    r"(?!\()(?:['’][a-zıöüşç]{1,4})?[\s:=：#.,，(]*(?:(?:n(?:umber|ummer|úmero|umero|uméro|um|r|º|°|o)|no|number|corrente|corriente|courant|poupança|"
    r"c|is|ist|isch|lautet|es|est|é|è|èz|ye|er|är|on|na|be|to|je|jest|это|це|номер|nr|号码|號碼|番号|번호|号|號|是|为|為|は|が|은|는|이|가|code|三位|码|碼)[\s:=：#.,，(]*){0,4}"
    r"|.{0,40}(?:\b(?:is|ist|isch|es|est|é|è|èz|är)\s|[:：是为為はが])\s?"
)
_AMOUNT = re.compile(
    r"\s?(?:[€$£¥₽₩%]|eur|usd|dollar|reais|pesos|rub|руб|zł|元|円|원|块|塊|人|位|件|ポイント|点|점|명|people|followers|users|habit|inhabit|einwohn|жител|hours|punkte|points|puntos)"
)
_YEARS = re.compile(r"(?:(?:19|20)\d\d[ -]?)+|(?:19|20)\d\d-?[01]\d-?[0-3]\d")


def numbers(text: str, kind: Kind) -> Iterator[tuple[int, int]]:
    """Find the numbers that a name near them says are a card's, an account's or a person's."""
    small = _MARK.sub(lambda mark: " " * len(mark[0]), lowered(text))  # a mark of ours is no name
    for place, part in numbered(small):
        for start, end in _found(part, KINDS[kind]):
            yield place + start, place + end


def _found(small: str, rows: Sequence[_Named]) -> Iterator[tuple[int, int]]:
    for row in rows:
        for first, last in (
            beside(row.names, small, _BEHIND + _LONGEST, _BEFORE + _LONGEST) if row.names else [(0, len(small))]
        ):
            for match in re.compile(_alone(row.shape)).finditer(small, first, last):
                if _is_named(row, match):
                    yield match.span("number")


def _alone(shape: str) -> str:
    return rf"(?<![{LETTER}\d.,/+-])(?<!\d\d )(?<!::)(?P<number>{shape})(?![{LETTER}\d]|[ .,/-]?\d)"


def _is_named(row: _Named, match: re.Match[str]) -> bool:
    """Return whether a name stands near the number, and nothing else that has numbers so long between them."""
    start, end = match.span("number")
    if _YEARS.fullmatch(match["number"]) or _AMOUNT.match(match.string, end):
        return False
    before = match.string[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    behind = match.string[end : end + _BEHIND].partition("\n")[0]
    if not row.names:
        return not _OTHER.search(before)
    names = pattern_of(row.names)
    for name in re.finditer(names, before):
        between = before[name.end() :]
        if not _OTHER.search(between) and (not row.tight or _TIES.fullmatch(between)):
            return True
    return not row.tight and bool(re.search(names, behind))
