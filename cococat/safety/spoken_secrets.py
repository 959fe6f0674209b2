"""Secrets told in words: "my password is …", a door code, a card number, a passport's; in many languages."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cococat.system.text import apart

# ruff: noqa: RUF001 - words of other scripts

Kind: TypeAlias = Literal["card-number", "bank-account", "id-number", "password"]
_LETTER = "a-zà-ɏа-џґ"  # small, of the alphabets that part words by spaces
REACH = 60  # characters between a label and its value


@dataclass(frozen=True, slots=True)
class Label:
    """
    Names of secrets, in small letters, and the values that they make one.

    Args:
        names: a word begins at "^" and ends at "$", "_" is a space; with none, the value says it all.
        value: its pattern.
        ahead: the pattern of all that may stand between a name and a value behind it; "" where none does.
        behind: the same for a name behind the value.
        need: what must stand near as well, in "BEFORE NAME¦ BETWEEN ⟨VALUE⟩ BEHIND", or with the name behind it.
        veto: what must not.
    """

    kind: Kind
    names: str
    value: str
    ahead: str = r".*"
    behind: str = ""
    need: str = ""
    veto: str = ""


def _any(names: str) -> str:
    """Return the pattern of one of *names*, written as those of a label."""
    pattern = "|".join(re.escape(name.replace("_", " ")) for name in names.split())
    return pattern.replace(r"\^", f"(?<![{_LETTER}])").replace(r"\$", f"(?![{_LETTER}])")


_CLAUSE = r"(?:[^\n.!?;。！？\d]|[.](?=\w)|\.{2,}|\d(?!\d\d))*"  # of one sentence, without another number
_AMOUNT = (  # a unit behind a number
    r"⟩(?:\s?(?:[€$£¥₽₩%°元円원块塊個个人位件點点점명级級次门門路年]|公里|毫米|千克|ポイント|(?:eur|euros?|cents?|usd|chf|fran\w+|kr|zł|z[lł]oty\w*|groszy|pesos?|reais|руб\w*|р|грн|lira|tl|[mck]?m|k?g|gr|"
    r"gram\w*|[мск]м|м|к?г|гц|hours|min|minut\w*|seconds|stunden|h|heures|horas|ore|часов|times|mal|stk|pcs|pieces|people|leute|person\w*|pessoas|followers|users|\w*habit\w*|einwohn\w*|points?|punkte|"
    rf"puntos|dollars?|pounds|k?cal)(?![{_LETTER}]))|[a-zà-ɏ])"
)
_YEAR = r"⟨(?:(?:19|20)\d\d[ -]?)+⟩"
_DATE = r"⟨(?:19|20)\d\d(?:-?[01]\d-?[0-3]\d|[-/.]\d\d?[-/.]\d\d?|[-/.][01]?\d)⟩|⟨[0-3]?\d[-/.][01]?\d[-/.](?:19|20)?\d\d(?: \d\d?)?⟩"
_TIME = r"⟨(?:[01]\d[0-5][05]|2[0-3][0-5][05])⟩"

# ---- numbers of cards, accounts and papers

_OTHER = (  # what else has numbers so long
    r"order|track|serial|invoice|bestell|rechnung|pedido|rastre|commande|suivi|ordine\b|заказ|трек|订单|訂單|快递|快遞|单号|單號|注文|追跡|주문|운송|imei|barcode|barras|\bean\b|isbn|timestamp|[\"`=_]|¦-id ?⟨|"
    r"balance|limit|saldo|solde|stand|余额|餘額|残高|잔액|\bcall|\btel(?:e|\b)|phone|\ban?ruf|hotline|llam|звон|тел\.|电话|電話|전화"
)
_NUMBER = rf"(?:{_OTHER})[^⟨¦]*⟨|⟨\d+(?:km|eur\w*)⟩|{_YEAR}|{_DATE}|{_AMOUNT}"
_TIES = (  # "number", "is" and the like, or one of those that give the value at the end
    r"(?!\()(?:['’][a-zıöüşç]{1,4})?[\s:=：#.,，(]*(?:(?:n(?:umber|ummer|[úué]m\w*|r|º|°|o)?|corrente|corriente|courant|c|na|be|to|jest|номер|号码|號碼|番号|번호|号|號|code|三位|码|碼)[\s:=：#.,，(]*){0,4}"
    r"|.{0,40}(?:\b(?:is|isch|ist|lautet|es|est|é|è|èz|ye|er|är|on|je|это|це)\s|[:：是为為はが은는이가])\s?"
)
_PAPER = (  # of groups with digits
    r"[a-z]{0,6}\d[a-z\d]*(?:[ ./-]{1,2}(?:№ ?|(?-i:[A-Z]) )?[a-z]{0,4}\d[a-z\d]*){0,12}(?:\([\da]\)|-[a-z]| (?-i:[A-Z]{1,2})\b)?"
)
_SHORT = r"|⟨(?:[^\w⟩]*\w){1,7}[^\w⟩]*⟩|⟨(?:[^\d⟩]*\d){1,4}[^\d⟩]*⟩"


def _number(kind: Kind, names: str, shape: str, *, tight: bool = False) -> Label:
    value = rf"(?<![{_LETTER}\d.,/+-])(?<!\d\d )(?<!::)(?:{shape})(?![{_LETTER}\d]|[ .,/-]?\d)"
    veto = _NUMBER + (_SHORT if shape == _PAPER else "")
    return Label(kind, names, value, _TIES if tight else ".*", "" if tight else r"[^.!?\n]{0,30}", veto=veto)


_ACCOUNT = "^account$ ^accounts$ ^acct$ ^acc$ konto konta ^conta$ cuenta compte ^conto$ счет счёт 账号 帐号 賬號 帳號 口座 계좌 普通 当座 當座"
_FOURS = r"\d{4}(?P<gap>[ -])(?:\d{4}(?P=gap)){2,4}\d{1,4}"
_PAPERS = (  # in each language and country
    "passport reisepass passeport pasaporte passaporte passaporto ausweis паспорт 护照 護照 パスポート 旅券 여권 签证 簽證 paspoort ^pass_n paszport carte_de_séjour titre_de_séjour "
    "aufenthaltstitel residence_permit permiso_de_residencia permesso_di_soggiorno ^passnummer ^passnr passin_numero pasaport útlevél id_card identity_card identité "
    "identite identidad identidade identità ^perso$ personalausweis dowod dowód id-kort legitymac tarjeta_sanitaria tessera_sanitaria health_card voter_id 身份证 身分证 身份證 "
    "身分證 证件号 證號 健保 医保 醫保 社保 マイナンバー 個人番号 aadha adhaar adhar आधार 주민 외국인등록 通行证 通行證 台胞证 台胞證 居留证 居留證 年金 保険証 被保険者 полис ^омс$ ^инн$ снилс ^іпн$ ^рнокпп$ податков ^cpf$ "
    "^cnpj$ ^rg$ ^cnh$ ^nif$ ^dni$ ^curp$ codice_fiscale ^cf$ steuer ^idnr ^tin$ versicherung versichertenn versichertennr krankenkasse gesundheitskarte ^sv-n ^svn "
    "^sv_n ^rvnr ^e-card ^ecard ^ehic$ ^ekvk ^nhs$ ^ssn$ social_security ^itin$ national_insurance ^ni$ ^nino$ ^sécu ^secu$ carte_vitale ^insee$ ^nir$ ^pesel$ ^bsn$ "
    "burgerservice partita_iva ^p.iva$ ^tfn$ ^sus$ ^cns$ título_de_eleitor título_eleitoral seguridad_social ^nss$ ^nuss$ ^naf$ ^cip$ ^rut$ ^run$ cédula cedula ^cuit$ "
    "^cuil$ ^medicare$ ^mbi$ health_insurance insurance_n insurance_policy ^policy ^patient$ social_is my_social$ his_social$ her_social$ green_card ^a-number fiscal "
    "^spi$ impots impôts ^ppsn$ ^pps$ son_nas$ mon_nas$ ton_nas$ nas_de nas_du my_sin$ his_sin$ her_sin$ sin_number 's_sin$ dads_sin$ mums_sin$ assurance_sociale "
    "social_insurance tax_file ^ird$ de_utente ^ramq$ carte_soleil assurance_maladie carte_santé ^ohip$ ^phn$ ^msp$ kimlik ^tckn tc_no tc_kimlik vergi_n vergi_k ^vkn$ "
    "^nip$ ^nipu$ pan_card ^kra$ ^kra_ ^voter ^epic$ ^niss$ ^insz$ registre_national rijksregister nationaal_nummer ^ahv ^avs$ ^oasi$ personnummer personnr ^pnr$ "
    "fødselsn fodselsn ^fnr$ ^cpr$ ^cpr-n samordningsnummer henkilötunnus henkilotunnus ^hetu ^sotu cartão_de_cidadão cartao_de_cidadao ^cc$ driver_licen driver's_lic "
    "driver’s_lic drivers_lic driving_lic licence_n license_n ^permis$ führerschein fuehrerschein licencia_de_ licencia_n carnet_de_conducir carnet_n ^brevete$ "
    "carteira_de_motorista carta_de_condução carta_de_conducao patente_di_guida rijbewijs körkort førerkort kørekort ajokort prawo_jazdy prawa_jazdy ehliyet ^ву$ "
    "^права$ водительск посвідчення водійськ 免許 驾驶证 駕照 驾照 駕駛 운전면허 ^policy$"
)
_CARDS = (
    "card kart carte carta tarjeta cartão cartao карт カード 카드 卡 visa amex postepay bancomat debit credit mastercard ^cb$ クレカ bank банк сбер тинькоф 银行 銀行 招行 工行 建行 农行 "
    "中行 은행"
)
_NUMBERS = (
    _number("card-number", "", r"(?:[3-6]\d{3}|220[0-4])(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}"),
    _number("card-number", _CARDS, rf"{_FOURS}|[2-69]\d{{14,18}}|3\d{{3}}[ -]\d{{6}}[ -]\d{{5}}"),
    _number("card-number", "^cvv ^cvc 卡背面 背面三位 末三码 末三碼 安全码 安全碼 セキュリティコード 보안코드", r"\d{3,4}", tight=True),
    _number("bank-account", _ACCOUNT, r"\d{7,11}|\d{4,8}-[\dx]", tight=True),
    _number("bank-account", f"{_ACCOUNT} ^checking$ ^savings$ ^rib$ ^р/с$ 账户 帳戶 银行 銀行 ^clabe$ ^cbu$ ^cvu$", rf"\d{{12,22}}|{_FOURS}|\d{{4}}[ -]\d{{4}}[ -]\d\d[ -]\d{{10}}|\d{{5}} ?\d{{5}} ?[a-z\d]{{11}} ?\d\d"),
    _number("bank-account", "帳號 賬號 匯款 轉帳 郵局 銀行 계좌 은행 뱅크 신한 국민 농협 口座", r"\d{3,6}-\d{2,6}-\d{4,8}(?:-\d\d)?|\d{3}-\d{8,14}|\d{7}-\d{7}"),
    _number("bank-account", "ゆうちょ 記号", r"\d{5}|\d{5,8}"),
    _number("bank-account", "agência agencia ^ag$ ^ag.$", r"\d{4}(?:-\d)?", tight=True),
    _number("bank-account", "^blz$ bankleitzahl ^routing$ ^aba$ ^bsb$ ^sort$", r"\d{3} ?\d{3} ?\d\d|\d{9}|\d{3}-?\d{3}|\d\d[- ]?\d\d[- ]?\d\d"),
    _number("bank-account", "支付宝 支付寶 alipay 微信收款 微信支付", r"1\d\d[ -]?\d{4}[ -]?\d{4}"),
    _number("bank-account", "^pix$ chave_aleatória chave_aleatoria", r"\d{3}\.?\d{3}\.?\d{3}-?\d\d|\d\d\.?\d{3}\.?\d{3}/?\d{4}-?\d\d|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?:\+55 ?)?\(?\d\d\)? ?9?\d{4}[- ]?\d{4}"),
    _number(  # written as no other number is
        "id-number",
        "",
        r"\d{3}\.\d{3}\.\d{3}-\d\d|\d\d\.\d{3}\.\d{3}/\d{4}-\d\d|756\.\d{4}\.\d{4}\.\d\d|756 \d{4} \d{4} \d\d|\d{6}-[1-8]\d{6}|\d{6}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dx]|gha-\d{9}-\d|"
        r"[12] \d\d \d\d \d[\dab] \d{3} \d{3} \d\d|[a-z]{6}\d\d[a-ehlmprst]\d\d[a-z]\d{3}[a-z]|[a-z]{4}\d{6}[hm][a-z]{5}[a-z\d]\d|[a-z]{6}\d{8}[hm]\d{3}",
    ),
    _number("id-number", _PAPERS, _PAPER),
    _number("id-number", "^pis$ ^nis$ ^pasep$ ^nas$ ^sin$", _PAPER, tight=True),
    _number("id-number", "^nin$ ^bvn$ ^nimc ^tc$ ^t.c", r"[1-9]\d{10}|[1-9]\d{3} \d{3} \d{4}", tight=True),
    _number("id-number", "^id$", r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) ?\d{4} ?[01][89] ?\d"),
    _number("id-number", "^rfc$ ^nie$ ^pan$", r"[a-zñ&]{3,4}\d{6}[a-z\d]{3}|[xyz]-?\d{7}-?[a-z]|[a-z]{5}\d{4}[a-z]"),
    _number("id-number", "national_insurance ^ni$ ^nin$ ^nino$", r"[a-z]{2} ?\d\d ?\d\d ?\d\d ?[a-d]"),
    _number("id-number", "паспорт dowod dowód ^voter ^ramq$ carte_soleil assurance_maladie tarjeta_sanitaria ^cip$", r"[a-z]{3,4} ?\d{4} ?\d{2,4}(?: ?\d{2,4})?|[а-яіїє]{2} ?\d{6}"),
    _number("id-number", "licence license ^patente$", r"[a-z9]{5} ?\d{6} ?[a-z\d]{5}|u1[a-z\d]{7}[a-z]|[a-z]{2}\d{7}[a-z]"),
)  # fmt: skip

# ---- passwords, pins and codes

_PASSWORDS = (
    "password pass_word passwd pwd ^pw$ ^pass$ passphrase pass_phrase passkey pass_key passcode pass_code passwort kennwort zugangsdaten zugangscode mot_de_passe "
    "^mdp$ identifiants contraseña contrasenya clave credenciales senha palavra-passe palavra_passe chave_secreta parola credenziali wachtwoord lösenord passord "
    "adgangskode kodeord salasana haslo hasło heslo jelsz lozinka geslo slaptažodis ^parole$ парол логин лозинка κωδικός κωδικoς şifre mật_khẩu sandi kata_laluan 密码 "
    "密碼 口令 令牌 パスワード パスは ログイン 暗証 暗唱番号 비밀번호 비번 암호 كلمة_السر كلمة_المرور الرقم_السري סיסמ पासवर्ड पिन รหัสผ่าน পাসওয়ার্ড கடவுச்சொல் گذرواژه رمز ^creds$ credentials "
    "^login ^log-in ^pin$ ^pins$ пин ^puk$ ^tan$ pin-code pin_code pincode pinkod handycode handy-pin voicemail_pin 验证码 驗證碼"
)
_TOKENS = (
    "api_key api-key access_key access-key secret_key ^token$ ^secret$ vault_key backup_key licence_key license_key product_key activation_key lizenzschlüssel "
    "wlan_schlüssel wlan-schlüssel wifi_key wlan_key clé_wifi clé_du_wifi"
)
_NETWORKS = "wifi wi-fi ワイファイ вифи 無線網路 wlan ^ssid$ вайфай вай-фай 와이파이 无线网 無線網 무선"
_CODES = (
    "code$ codes$ ^código$ ^codigo$ ^codice$ codi$ ^код$ kod$ kodu$ koden$ kode$ koodi コード 코드 代码 combo$ combination kombination ^pin$ ^pins$ -pin$ ^pin' ^pin- пин "
    "^puk$ ^tan$ pin-code pin_code pincode handycode handy-pin 番号 번호 kombi$"
)
_ALARMS = "alarm allarm ^larm antifurt antirrobo hälyt disarm entschärf entschaerf сигнал сигналіз 警报 警報 报警 報警 アラーム 알람 경보 세콤 경비"
_DOORS = (
    "door gate keypad buzzer padlock eingang keller garaje garagem fechadura cadeado замок テンキー 車庫 裏口 倉庫 ^lock$ entrance garage tür ^tor$ hoftor pforte schloss portão "
    "^porta$ portaria puerta ^portal$ verja cancello portone citofono ^porte$ portail interphone digicode immeuble двер калитк подъезд ворот домофон шлагбаум 门 門 锁 鎖 "
    "单元 楼 闸 玄関 オートロック 入口 扉 鍵 문 현관 도어락 출입 deur$ dörr dør kapı bram drzwi"
)
_LOCKS = (  # what has nothing but a code
    "keypad keycode padlock portkod パスコード zahlenschloss fahrradschloss fechadura cadeado кодовый_замок 柜子 bike_lock ^spind schrankcode ロッカー 자물쇠 テンキー the_safe our_safe my_safe "
    "hotel_safe tresor caja_fuerte vault cofre candad coffre-fort cadenas cadnas vorhängeschl kłódk hengelås hänglås riippulukko hangslot fietsslot cykellås sykkellås "
    "asma_kilit cassaforte lucchetto домофон сейф 保险箱 保險箱 保险柜 保險櫃 密码锁 密碼鎖 门禁 門禁 门锁 門鎖 取件码 取件碼 オートロック 金庫 도어락 공동현관 금고 unlock entsperr desbloqueo desbloqueio "
    "déverrouillage sblocco разблокировк 锁屏 鎖屏 解锁 解鎖 スマホのロック 画面ロック 잠금 phone_opens kluis sejf kasa"
)
_PLACES = (  # what has a code, and much else
    "card portal mailbox カード карт carte tarjeta cartão phone voicemail house building office shop store flat church hall gym shed bike haus heim verein halle wohnung büro laden "
    "local poubelle bureau cave vélo oficina taller prédio sede loja escritório ufficio negozio офис склад 창고 사무실 safe ロック vault parking"
)
_KEYS = (
    "schlüssel schlüssl schlüßel schluessel schlissl ^key$ ^keys$ keysafe keybox ^clés$ ^cles$ ^clé$ ^clefs$ ^clef$ llaves ^llave$ chiavi portachiavi ^claus$ ^chaves$ "
    "^chave$ sleutel nyckel nøkkel nøgle avain avaim klucz ключ anahtar"
)
_BOXES = "lockbox lock_box portachiavi_a_comb realtor_box 钥匙盒 钥匙箱 密码盒 鑰匙盒 鑰匙箱 密碼盒 鍵箱 鍵ボックス キーボックス 열쇠함 열쇠_보관함 키박스 키_박스"
_BOX = (  # beside keys: what holds them
    rf"(?<![{_LETTER}])(?:caj[aio]|cajet|cofr[ei]|cofrinho|caix|caset|bo[iî]t|coffre|armoire|cassett|scatol|candad|sej?f|skryt|skrzyn|сейф|бокс|ящик|"
    r"скринь|kutu|kasa)|safe(?!t)|säfe|tresor|[ck][aä]s(?:t|serl)|dose\b|box\b|boks|combin|kluis|sk[åa][pb]|gömm|säil|kaap|ниц"
)
_BOXED = rf"(?:{_BOX})[^¦]{{0,42}}¦|¦.{{0,7}}(?:{_BOX})|¦.{{0,24}}(?<![{_LETTER}])(?:safe(?!t)|säfe|tresor|cofre|coffre|cassettin|kluis|sej?f|сейф|kasa)"
_PLACE = rf"(?:{_any(f'{_DOORS} {_LOCKS} {_PLACES}')}).*⟨"
_FAULTS = r"(?:zip|posta?l|country|error|fault|fehler|erreur|errore|fallo|ошибк|故障|エラー|\bcnc\b|\bplc\b|servo|batter|\blog\b).*⟨"
_END = (  # what follows a code: the end, or a word that joins
    r"(?=[#*a-d]|\s*(?:\Z|[\n.!?,;:)…。！？，、了]|(?:and|then|und|dann|et|puis|y|luego|e|poi|и|en|och|og|i|for|van|von|in case|if|not|für|falls|bis|damit|dass|bitte|merk|hab|pour|sinon|car|para|que|pra|perché|чтобы|"
    r"star|hash|pound|stern|raute|sternchen|asterisco|almohadilla|cancelletto|estrela|asterisque|dièse|étoile|звёздочка|звездочка|решётка|решетка|anota|apunta|segna|запиши|deixa)\b|"
    r"[忘别別记記我番にでだ是은는예입으로이야자꾸]))"
)
_CHANGED = r"(?:change|\bnew\b|\bneu|mud[ao]|troca|\bnov[oaы]|cambi|nuev|nuov|nouve|поменя|смени|换|換|改|变|變|変|바뀌|바뀜|바꿨).*⟨"
_SPARED = (  # right before a number that is no code
    rf"(?:(?<![{_LETTER}¦])(?:costs?|price|paid|weighs?|kostet|costó|custou|stra(?:ß|ss)e|street|room|zimmer|order|model\w*|since|seit|desde|depuis|until|before|after|ab|at|by|of|from|an|am|um|bis|vor|im|em|às|las|en|in|de|"
    r"(?<!est )à|dal|с|в|к|до|x|ext|tel|call|bus|flight|level)|花了?|型号|型號|品番)\s*[€$£¥]?⟨"
)
_NO_CODE = rf"{_SPARED}|{_AMOUNT}|⟩ ?(?:to|till|bis|a|à|do|до|[–-])\s?\d|{_YEAR}"
_FOR = r"opens|unlocks|öffnet|ouvre|abre|apre|открывает|opent|öppnar|åpner|otwiera|to|for (?:the|my|our)|für (?:den|die|das|unser)|pour (?:la|le|l['’])|para (?:la|el|o|a)|pra|per (?:la|il)"
_IS = r"is|isch|ist|lautet|est|c['’ ]est|es|é|è|era|это|такой|olarak|adalah|on|na"
_VERB = rf"(?:[:=：→/]|['’]s\b|\b(?:{_IS})\b|是|为|為|は|を|が|은|는|이|가|成)\s*"
_GIVEN = rf"{_CLAUSE}[\s,、(]*{_VERB}"  # the name gives the value
_SURE = rf"(?:{_GIVEN}|\s*)"
_OWN = r"(?:my|our|your|his|her|their|meine?|dein|unser|mon|ma|notre|mi|nuestra|minha|nossa|mia|mijn|min|mitt|moje|мой|мою|наш|我的)\s"
_WITH = r"\b(?:with|using|use|enter|type|mit|avec|con|com|met|med|z|с)\s"
_THE_CODE = r"\b(?:the|my|our|der|mein|unser|le|mon|notre|el|mi|il|mio|o|meu)\s(?:code|codice|código)"
_STATES = (  # what is said of a password rather than being one
    r"wrong|right|(?:in)?correct|(?:in)?valid|expired|empty|weak|strong|long|short|(?:in)?secure|safe|secret|private|different|unknown|changed|reset|required|missing|lost|forgotten|stolen|leaked|hidden|stored|saved|good|"
    r"bad|fine|easy|hard|simple|falsch|richtig|leer|(?:un)?sicher|abgelaufen|lang|kurz|vergessen|geheim|incorrect[ao]?|expirée?|vide|faible|caducad[ao]|segur[ao]|débil|errad[ao]|expirad[ao]|frac[ao]|scadut[ao]|sbagliat[ao]|"
    r"debole|verlopen|verkeerd|забыт|неверный|\w*(?:ing|tion|ments?|ers?|less)"
)
_CJK = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_PARTS = rf"\s\"'`,;:，。、：；()（）「」『』“”„»«…{_CJK}"
_WORD = rf"[^{_PARTS}]"
_TOKEN = rf"(?<!{_WORD})(?={_WORD}{{0,40}}\d)(?={_WORD}{{0,40}}[{_LETTER}])[{_LETTER}\d](?:{_WORD}|:(?=\w)){{4,98}}[^{_PARTS}.?!]!?"
_UNLIKE = (  # what it is for, a method, an address, an amount
    r"(?:^|\s)(?:for|of|on|at|in|from|my|the|a|an|für|von|vom|zum|zur|im|am|de|du|del|la|el|le|por|para|от|на|для|with|by|via|using|per|mit)\s+⟨|"
    r"⟨(?:(?:sha|md|utf|wpa|ipv|aes|rsa|base|oauth|bcrypt|argon|windows|win|python|py|http|tls|ssl|fido|gpt|qwen|llama|v)[-_]?\d[\w.-]*|"
    r"[^⟩]*\.[a-z]{2,4}|\d+[a-z]{1,2}|https?:[^⟩]*|[\w.+-]+@[\w-]+\.\w+|[\d.,/:-]+|\w+=\d+|q\d-\d+)⟩"
)
_THREE = rf"(?=(?:[^\s{_LETTER}]{{0,40}}[{_LETTER}]){{3}})"  # letters
_STRONG = rf"(?<!{_WORD})(?={_WORD}{{0,40}}\d){_THREE}{_WORD}{{0,40}}[^\W_][!@#$%&*+=^]{{1,8}}[^\W_]{_WORD}*"
_WEAK = (
    rf"(?<!{_WORD})(?:(?={_WORD}{{0,40}}\d{_WORD}{{0,40}}\d){_THREE}(?={_WORD}{{0,40}}(?-i:[{_LETTER}]))(?!{_WORD}{{0,40}}\d\.\d)(?!\d+[{_LETTER}]+\b)"
    rf"[{_LETTER}\d_.-]{{7,64}}[{_LETTER}\d]|[{_LETTER}\d]{{4,40}}\d(?-i:[A-Z])[{_LETTER}\d]+[!*])(?!{_WORD})"
)
_DEVICE = r"¦[^⟨]*(?:驱动|driver|router|repeater|extender|adapter|printer|drucker|cam|impr[ei]|laptop|phone|chip|model|принтер|型号|路由|ルーター|プリンタ|공유기)"
_MAKERS = r"⟨(?:\d+[€$£.]\d?|fritz|freebox|iphone|ipad|macbook|galaxy|pixel|esp\d|windows|android|https?:|[\d.,+&/]*[gm](?:hz|b)|[^⟩]*@[\w-]+\.\w|[^⟩]*\.(?:com|net|org|local)\b)"
_CODE = (
    rf"(?<![{_LETTER}\d_.,:/#+@!*&$%-])(?<!\d )(?:\d{{4,8}}|\d\d?-\d\d?-\d\d?(?:-\d\d?)?|\d(?:[ -]\d){{3,5}}|\d\d \d\d(?: \d\d)?|\d{{3,4}}[ -]\d{{3,4}}|[a-d]\d{{3,6}}[xyz]?|\d{{4,6}}[xyz])"
    rf"(?![{_LETTER}\d_.,:/%-]*\d| \d)"
)
_LAST = (  # keys of a pad
    "hash hashtag pound asterisk sternchen sternderl sterntaste raute rautetaste rautentaste gartenzaun dièse diese diése astérisque asterisque croisillon almohadilla michi asterisco cancelletto diesis cerquilha "
    "sustenido hekje sterretje krzyżyk krzyzyk gwiazdka fyrkant brädgård firkant havelåge risuaita решетка решетку решётка решётку звездочка звездочку звёздочка звёздочку решітка решітку зірочка зірочку diyez jogo_da_velha"
)
_ALSO = "star stern étoile etoile carré numeral gato quadrado cardinal estrela stjärna stjerne ruutu tähti kare yıldız"  # and of much else
_THEN = r"then|puis|pis|et|und|dann|danach|y|luego|e|ed|poi|depois|en|dan|och|sen|og|så|ja|and|i|potem|и|потом|і|потім|sonra|ve|followed by|the|la|le|el|lo|o|a"
_SIGNED = rf"(?<![{_LETTER}\d_.,:/#+-])\d{{3,8}}\s?(?:[#*＊＃]|井[號号字]?|星[号號]?|별표?|샵|우물정?|シャープ|米印|こめ(?:じるし|印)|アスタリスク)"
_KEYED = (  # a code with its last key: nothing else is written so beside a door
    rf"(?<![{_LETTER}\d_.,:/#+-])(?:\d{{4,8}}(?:と|、| ?를? ?)(?:シャープ|米印|こめじるし|アスタリスク|샵|별표|우물정)|\d{{4,8}},?\s(?:(?:{_THEN})\s){{0,3}}"
    rf"(?:(?:{_any(_LAST)})(?![{_LETTER}])|(?:{_any(_ALSO)})(?= ?(?:\Z|[\n.,;:!?)…]|(?:key|and|then|to|for|btw|anyway|right|und|drück|et|y|e|en|och|og|и|і|ile|\d)(?![{_LETTER}])))))"
)
_ONES = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|"
    "quattro|cinque|sei|sette|otto|nove|um|dois|duas|três|quatro|sete|oito|meia|nul|een|twee|drie|vijf|zes|zeven|negen|noll|ett|två|fyra|fem|sex|sju|åtta|nio|en|to|fire|seks|syv|åtte|ni|jeden|dwa|trzy|cztery|pięć|sześć|"
    "siedem|osiem|dziewięć|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz"
)
_SPELLED = (
    rf"(?<![{_LETTER}])(?:(?:{_ONES})(?:[ -](?:{_ONES})){{3,7}}|(?:(?:{_ONES})[ -])?(?:double|doppel|doble)[ -]?(?:{_ONES})(?:[ -](?:{_ONES})){{1,6}})(?![{_LETTER}])|"
    r"(?<![〇零一二三四五六七八九十])[〇零一二三四五六七八九]{4,8}(?![十百千万個个])|(?<!\w)[공영일이삼사오육칠팔구]{4,8}"
)
_LOOSE = r"(?:[^\n.!?;。！？]|[.!?;](?!\s))*"
_SHAPED = r"(?<![\w/@.=&?#:+!-])(?-i:[A-Z][a-z]{2,}(?:[!^]\d{2,8}[a-z]{2,6}|[!+^*@](?!(?:19|20)\d\d\b)\d{4,8})[!*#]?)(?![\w/@=:+-]|[.]\w)"
_LOGIN = r"(?<![\w@/.])[a-zà-ÿ]{1,20}[._][a-zà-ÿ]{1,20}\s?(?:[/,&+:]|und|and|y|et|e|и)\s?⟨"  # "birte.h and Kran88!"
_AND_LOGIN = r"(?:\b(?:is|are|ist)|:|['’]s)\s[a-z][\w.-]{2,30}\s?(?:/|and|und|et|y)\s?⟨"


def _code(names: str, value: str, **more: str) -> Label:
    return Label("password", names, value, **{"ahead": _CLAUSE, **more})


_TOLD = (
    _code(f"{_DOORS} {_ALARMS} {_CODES} {_LOCKS} {_PASSWORDS}", _SIGNED, ahead=".*"),
    _code(f"{_LOCKS} {_PASSWORDS}", _CODE + _END, veto=_NO_CODE),
    _code(f"{_LOCKS} {_PASSWORDS}", _CODE, ahead=_GIVEN, veto=_AMOUNT),
    _code(f"{_LOCKS} {_PASSWORDS}", _CODE + _END, ahead=r"\s*", veto=_AMOUNT),
    _code(_CODES, _CODE + _END, need=_PLACE, veto=rf"{_NO_CODE}|{_FAULTS}"),
    _code(_CODES, _CODE + _END, ahead=_SURE, need=rf"{_PLACE}|(?:alarm|сигнал|{_THE_CODE}).*⟨", veto=rf"{_AMOUNT}|{_FAULTS}"),
    _code(f"{_CODES} {_LOCKS}", _TOKEN, ahead=_SURE, need=rf"{_PLACE}|(?:alarm|{_THE_CODE}).*⟨", veto=_UNLIKE),
    _code(_KEYS, _CODE, need=_BOXED, veto=_NO_CODE),
    _code(_BOXES, _CODE, veto=_NO_CODE),
    _code(_ALARMS, _CODE, need=r"c[oó]d|kod|код|コード", veto=rf"{_NO_CODE}|{_TIME}|{_FAULTS}"),
    _code(f"{_KEYS} {_BOXES} {_ALARMS}", _CODE, ahead="", behind=rf"\s(?:{_FOR}|{_IS})\b{_CLAUSE}", veto=rf"{_NO_CODE}|{_TIME}"),
    _code(f"{_DOORS} {_ALARMS} {_CODES} {_LOCKS} {_PASSWORDS}", _KEYED, ahead=".*"),
    _code(_ALARMS, _KEYED, ahead="", behind=_CLAUSE),
    _code(_KEYS, _SPELLED, need=_BOXED),
    _code(f"{_BOXES} {_ALARMS} {_CODES} {_PASSWORDS}", _SPELLED),
    _code("digicode interphone portail portone immeuble poubelles ^code$ домофон подъезд alarme", r"(?<![\w.,:/#+-])(?:\d{2,4}[a-d]\d{1,5}|\d{4}[a-d]|[a-d]\d{4,6}|\d{1,3}к\d{3,5})(?!\w)", ahead=".*"),
    _code("オートロック 门禁 門禁 密码锁 密碼鎖 도어락 keypad digicode", r"(?<!\w)[#*]\d{3,8}(?!\d)"),
    _code("行李箱密 luggage suitcase koffer valise maleta スーツケース 캐리어 чемодан", r"(?<!\S)\d{3}" + _END, veto=_NO_CODE),
    _code("金庫 金库 保险 保險 ダイヤル", r"(?:[左右] ?\d{1,2} ?){2,5}"),
    _code("backup_code recovery_code 备用码 備用碼 バックアップコード", r"(?<![\w-])(?:[\da-z]{4,5}-[\da-z]{4,5}|\d{8})(?![\w-])", ahead=".*"),
    _code(
        "recovery_phrase seed_phrase backup_phrase mnemonic_phrase recovery_words seed_words backup_words passphrase pass_phrase", r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,24}",
        ahead=r"\s?[:=]\s?|\s(?:is|are)\s|\s", veto=r"⟨(?:and|is|are|for|too|of|on|to)\b",
    ),
    _code(f"{_PASSWORDS} {_TOKENS}", _TOKEN, ahead=_SURE, veto=_UNLIKE),
    _code(f"{_PASSWORDS} {_TOKENS}", _TOKEN, ahead=rf"{_CLAUSE}(?<=\s)", need=r"⟨[^⟩]*\d[^⟩]*\d", veto=_UNLIKE),
    _code("salasana", _TOKEN),
    _code(_PASSWORDS, r"(?<=[\"'`“„«「『])[^\n\"'`“”»」』]{3,100}(?=[\"'`“”»」』])", ahead=rf"[^\n.!?;。！？\"'`\d=]*(?!=){_VERB}[\"'`“„«「『]"),
    _code(
        _PASSWORDS, r"[^\W\d_]{4,}!?(?=\s(?:and|und|et|y|e|en)\s|\s*(?:\Z|[.,;!?\n]))", ahead=rf"{_CLAUSE}{_VERB}|\s",
        need=rf"(?<![a-z]){_OWN}[^¦]*¦.*\S.*⟨|{_WITH}[^¦]*¦\s⟨", veto=rf"⟨(?:{_STATES})!?⟩",
    ),
    _code(_PASSWORDS, r"(?<!\S)(?=\S{0,40}\d)[^\s\"'`]{4,100}", ahead="", behind=rf" (?:{_IS}) (?:la )?{_OWN}(?:new |old |neues )?"),
    _code(_NETWORKS, _STRONG, veto=_MAKERS, ahead=_LOOSE),
    _code(_NETWORKS, _WEAK, veto=rf"{_MAKERS}|{_DEVICE}|{_SPARED}", ahead=_LOOSE),
    _code(_NETWORKS, _TOKEN, ahead=_GIVEN, veto=rf"{_UNLIKE}|{_MAKERS}"),
    _code("^rede$ ^red$ network netz réseau ^rete$ ^сеть$ ネット 网络 網路", _STRONG, need=_CHANGED, veto=_MAKERS, ahead=_LOOSE),
    _code("", _SHAPED),
    _code("", r"(?<![^\s/,&+:])[^\W\d_][\w-]{2,30}\d[\w-]{0,30}[!*](?![\w/@=:+-])", need=_LOGIN),
    _code("", rf"(?<![^\s/])(?={_WORD}{{0,40}}\d\d)[^\W\d_]\w*[%!$&^*+]\w{_WORD}*", need=_AND_LOGIN),
)  # fmt: skip
LABELS = (*_NUMBERS, *_TOLD)


_LONGEST = 100  # characters of a value
_BEHIND = 40  # characters behind a value that are looked at
_NEAREST = 3  # names before a value that are tried
_CARD = (  # as it is printed on cards, alone among other numbers
    r"(?<![\d.-])(?<!\d )[2-6](?:\d{12,18}|\d{3}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?"
    r"|\d{3}(?P<wide>[ -])\d{6}(?P=wide)\d{4,5})(?![ -]?\d|\.\d)"
)
_IBAN = r"(?i)\b(?P<country>[A-Z]{2})\d{2}(?: ?[A-Z0-9]){11,30}"
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in re.findall(
        r"(\d+) ([A-Z ]+)",
        "15 NO 16 BE 18 DK FI NL FO GL 19 MK SI 20 AT BA EE KZ LT LU XK 21 CH HR LI LV 22 BG BH CR DE GB GE IE ME RS VA "
        "23 AE GI IL IQ TL 24 AD CZ ES MD PK RO SA SE SK TN VG 25 PT ST 26 IS TR 27 FR GR IT MC MR SM 28 AL AZ BY CY DO GT HU LB PL SV "
        "29 BR EG PS QA UA 30 JO KW MU 31 MT SC 32 LC 33 RU",
    )
    for country in countries.split()
}
_NAMES = {label.names: frozenset(label.names.split()) for label in LABELS}
_PLAIN = {name: name.strip("^$").replace("_", " ") for names in _NAMES.values() for name in names}
_MARK = re.compile(r"\[redacted:[a-z-]+(?:#\d+)?\]")


def spoken_secrets(text: str) -> list[tuple[int, int, Kind]]:
    """
    Find the secrets that people tell in words.

    Returns: where each begins and ends, and its kind; in order, none over another.
    """
    text = _MARK.sub(lambda mark: "\0" * len(mark[0]), text)  # a mark of ours is no name
    small = _lowered(text)
    found: list[tuple[int, int, Kind]] = [(*span, "card-number") for span in _cards(text)]
    found += [(*span, "bank-account") for span in _accounts(text)]
    each = {name: [*_places(name, plain, small)] for name, plain in _PLAIN.items() if plain in small}  # few are
    places = {
        names: sorted(place for name in each if name in of for place in each[name]) for names, of in _NAMES.items()
    }
    for label in LABELS:
        if places[label.names] or not label.names:
            found.extend((*span, label.kind) for span in _values(label, text, small, places[label.names]))
    return apart(found)


def _values(label: Label, text: str, small: str, names: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    value = re.compile(label.value, re.IGNORECASE)
    for first, last in _windows(names, len(small)) if names else [(0, len(small))]:
        for match in value.finditer(text, first, last):
            if any(_holds(label, sentence) for sentence in _sentences(label, small, match.span(), names)):
                yield match.span()


def _sentences(label: Label, small: str, value: tuple[int, int], names: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Return what is around a value, for each name that may be its: "BEFORE NAME¦ BETWEEN ⟨VALUE⟩ BEHIND", or the name behind it."""
    start, end = value
    line = small.rfind("\n", max(0, start - REACH), start) + 1 or max(0, start - REACH)
    told, behind = f"⟨{small[start:end]}⟩", small[end : end + _BEHIND]
    if not names:
        yield f"{small[line:start]}{told}{behind}"
    last = bisect_right(names, (start, start)) if label.ahead else 0
    for _, ends in reversed(names[max(0, last - _NEAREST) : last]):
        if line <= ends <= start and re.fullmatch(label.ahead, small[ends:start]):
            yield f"{small[line:ends]}¦{small[ends:start]}{told}{behind}"
    first = bisect_left(names, (end, end)) if label.behind else len(names)
    for begins, ends in names[first : first + _NEAREST]:
        if re.fullmatch(label.behind, small[end:begins]):
            yield f"{small[line:start]}{told}{small[end:ends]}¦"


def _holds(label: Label, sentence: str) -> bool:
    return bool(re.search(label.need, sentence)) and not (label.veto and re.search(label.veto, sentence))


def _windows(names: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Return the parts of a text around names."""
    start, end = 0, -1
    for begins, ends in names:
        if begins - REACH - _LONGEST > end:
            if end >= 0:
                yield start, end
            start = max(0, begins - REACH - _LONGEST)
        end = min(ends + REACH + _LONGEST, length)
    if end >= 0:
        yield start, end


def _places(name: str, plain: str, small: str) -> Iterator[tuple[int, int]]:
    start = small.find(plain)
    while start >= 0:
        end = start + len(plain)
        begins = name[0] != "^" or not _is_letter(small[start - 1 : start])
        if begins and (name[-1] != "$" or not _is_letter(small[end : end + 1])):
            yield start, end
        start = small.find(plain, end)


def _is_letter(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"  # what comes behind parts no words by spaces


def _lowered(text: str) -> str:
    """Return *text* in small letters, each in its place."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """Find 13 to 19 digits, perhaps in groups, with the right check digit."""
    for match in re.finditer(_CARD, text):
        digits = [int(char) for char in match[0] if char.isdigit()]
        doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]  # noqa: PLR2004 - the sum of two digits
        if len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0:
            yield match.span()


def _accounts(text: str) -> Iterator[tuple[int, int]]:
    """Find an IBAN of its country's length with the right check digits."""
    for match in re.finditer(_IBAN, text):
        places = [place for place in range(*match.span()) if text[place] != " "]
        places = places[: _IBAN_LENGTHS.get(match["country"].upper(), 0)]
        iban = "".join(text[place] for place in places)
        if len(iban) == _IBAN_LENGTHS.get(match["country"].upper()) and _rest(iban) == 1:
            yield match.start(), places[-1] + 1


def _rest(iban: str) -> int:
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97
