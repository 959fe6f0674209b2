"""Secrets told in words: gone from what is remembered, left in what tools read."""

from __future__ import annotations

import time

import pytest

from cococat.safety.secrets import redact, redact_said, redact_speech

TOLD = (
    "My password is hunter2.",
    "my password is swordfish",
    'the wifi password is "correct horse"',
    "the password for the router is Kx9-wolf",
    "please log in with password hunter2",
    "log in with password swordfish and go on",
    "my door code is 4711",
    "The gate code is 4711#",
    "my pin is 1234",
    "PIN: 4711",
    "the PIN for my card is 9876",
    "code for the door is 4711",
    "the alarm code is 0815",
    "my safe combination is 12-34-56",
    "hunter2 is my password",
    "My API key is abc-123-def",
    "your password is swordfish.",
    "Mein Passwort ist geheim123",
    "Mein WLAN-Passwort lautet Sommer2024!",
    "Das Kennwort ist Zx81abc",
    "Die PIN lautet 4711",
    "mon mot de passe est soleil99",
    "Mon code de porte est 4711",
    "mi contraseña es luna2024",
    "la contraseña del router es abc123xyz",
    "minha senha é praia77",
    "la mia password è Roma1234",
    "mijn wachtwoord is fiets55",
    "mitt lösenord är vinter22",
    "moje hasło to kotek12",
    "мой пароль qwerty12",
    "мой пароль — qwerty12",
    "пароль: qwerty12",
    "κωδικός πρόσβασης είναι abc123",
    "salasanani on kissa12",
    "şifrem kedi1234",
    "mật khẩu là abc123",
    "kata sandi saya adalah abc123",
    "كلمة السر هي abc123",
    "मेरा पासवर्ड hunter22 है",
    "我的密码是abc12345。",
    "密码：abc12345",  # noqa: RUF001 - as it is typed there
    "パスワードはabc123です",
    "暗証番号は4711です",
    "비밀번호는 abc1234입니다",
    "card 4111 1111 1111 1111 until 2029",
    "5500005555555559",
    "amex 3782 822463 10005",
    "IBAN DE89 3704 0044 0532 0130 00 please",
    "GB29NWBK60161331926819",
    "FR14 2004 1010 0505 0001 3M02 606",
    "My health insurance number is 1AB2-CD3-EF45, do I need it abroad",
    "my ssn is 078-05-1120",
    "passport no. X12345678 until May",
    "mi DNI es 12345678Z",
    "Steuernummer 12 345 67890",
    "il mio codice fiscale è RSSMRA85T10A562S",
    "National Insurance number QQ 12 34 56 C",
    "numéro de sécurité sociale : 2 85 05 78 006 084 36",
    "снилс 112-233-445 95",
    "我的身份证号是110101199003070000",
)
TALK = (
    "My password is too weak.",
    "The password is required.",
    "the password is stored in the keyring",
    "I forgot my password",
    "the token is invalid",
    "password must be at least 8 characters",
    "my password is 12 characters long",
    "Passwords are hashed with bcrypt.",
    "with password protection on",
    "use password hashing",
    "the error code is 4711",
    "order number 4111111111111112",
    "timestamp 1700000000000",
    "phone 49 170 1234567",
    "2034 2035 2036 2037 2038 2039 2040",
    "The door code changed yesterday.",
    "with password authentication",
    "Das Passwort ist falsch",
    "le mot de passe est incorrect",
    "la contraseña es obligatoria",
    "Uses pin 13 of the board",
    "DE00 3704 0044 0532 0130 00",
    "a token is 4 characters",
    "my token budget is 4096",
    "Prefers password managers",
    "my passport expires 2029-05-01",
    "mein Reisepass: 2031-04-01",
    "the tax 2026 and 2027 rates",
    "war nie 12345 Leute",
    "the patient took 12 pills in 2026",
)

HURRIED = (  # as people type
    "area espositori: ilaria.liut / Riccio!74bis",
    "園のアプリはいれない kirin-tan2 Hoiku+7719",
    "ばあちゃんのカードの暗証4710",
    "allarme della bottega 8260#",
    "pin fürs lesegerät is Enns-7714-blau, merk dir das",
    "der pin vom tresor: Kater-1188",
    "die pin am garagentor is 4471",
    "pin beim Bankomat ist 9921",
    "fürs wlan in der praxis gilt Kennwort Donau-5528-Rad",
    "wlan schlüssel ist Apfel-2291-tor",
    "unser wlan key lautet Apfel-2291-tor",
    "kombination vom tresor 12-44-31",
    "the alarm's 4471 then hash",
    "alarm code at the shop is 4471#",
    "code for the back door's 9917",
    "login for the portal: sbell / Thistle2093!",
    "the ferry booking site, that's mo.k and Puffin!4821, so I have it somewhere",
    "case system is sbell and Thistle%2093",
    "user is admin, pass is Hunter-2291-x",
    "the pass for the vpn is Hunter-2291-x",
    "pw for the router: Hunter-2291-x",
    "pwd Hunter-2291-x",
    "my pw's Hunter-2291-x",
    "netflix pw = Hunter2291x",
    "safe combo is 12-44-31",
    "bike lock is 4471",
    "bike lock combo 4471",
    "voicemail pin's 4471",
    "my pin is four four seven one",
    "sort code 20-44-31 account 77120934",
    "my NI number is QQ123456C",
    "recovery phrase: ripple cedar hollow paper anchor violin",
    "seed phrase is ripple cedar hollow paper anchor violin",
    "2fa backup code 8812-9921",
    "backup codes 88129921 and 77120034",
    "le code du portail c'est 4471A",
    "le code de l'alarme est 4471",
    "mot de passe du wifi c'est Pomme-2291-vert",
    "mdp wifi Pomme-2291-vert",
    "el pin del lector es 4471",
    "la clave del wifi es Perro-2291-azul",
    "clave wifi Perro-2291-azul",
    "contraseña del ordenador del obrador Perro-2291-azul",
    "la senha do cofre é 4471",
    "il codice del cancello è 4471",
    "la password del wifi è Gatto-2291-blu",
    "пароль от вайфая Кошка-2291",
    "пароль от вайфая такой Koshka-2291-x",
    "код от домофона 4471",
    "пин от карты 4471",
    "wifi密码 Panda-2291-x",
    "wifi的密码是Panda-2291-x",
    "门锁密码改成4471了",
    "银行卡密码4471",
    "预约系统的密码是 Xrd@2207lab",
    "token是 vc_9f3K2mQx77",
    "验证码 447123",
    "店の金庫の番号 8842-hana-51",
    "金庫の暗証番号は 8842",
    "wifiのパスは Hana-2291-x",
    "ログインはtanaka、パスは Hana-2291-x",
    "アラームのコード 4471",
    "현관 비번 4471",
    "the vault key is Kater-1188-blau",
    "staging creds: svc_track / qW9-lemur-4410",
    "staging creds for the broker user svc_track pass qW9-lemur-4410",
    "license key is SP-88213-KX",
    "my medicare number is 1EG4-TE5-MK72",
    "passport number X1234567",
    "my social is 123-45-6789",
    "ssn 123-45-6789",
    "gate code's 1987 for the delivery guys",
    "door code 1987",
    "the code to get in is 1987",
    "PIN for the card reader: 7714",
    "Elster-PIN ist Esche-4471-Kiel",
    "elster will schon wieder was. pin is Esche-4471-Kiel, nur dass ichs irgendwo hab",
    "Zugangsdaten Portal: mfrei / Birke-2291",
    "benutzer mfrei passwort Birke-2291",
    "handy pin 4471",
    "sim pin 4471, puk 88120934",
    "TAN 447123",
    "tan ist 447123",
    "le wifi chez ma mère c'est Chat-Gris-4471",
    "wlan im büro ist Birke-2291-rot",
    "wifi: Panda-2291-x",
    "ssid GUEST-2 key maple!Lane.4471",
    "wlan gast, schlüssel Birke-2291-rot",
    "mein spindcode is 4471",
    "schrankcode 4471",
    "schlüsselbox-code: 4471",
    "my code is 4471",
    "le code c'est 4471",
    "der code ist 447123",
    "le cadenas c'est 4471",
    "保险柜 4471",
    "门锁是447123",
    "ロックの番号は4471",
    "код к сейфу 4471",
    "la clave de mi e.firma, es Tlayuda*4419, se la mando?",
    "the portal wants Tlayuda*4419 again",
    "mit meinem zugang, birte.h und Kranbahn88!, er hat noch keinen",
    "sign in as mo_k / Harbour71x!",
    "the password for the router, is Tlayuda4sol",
)
HURRIED_TALK = (
    "Note*2026 and Sunil@1234.com, a rent of Euro$1200 or Cost*12",
    "the password, was changed",
    "node.js and Python3 are fine, vue.js and Windows11 too",
    "Wow!100 people came to Berlin+2026, more than to Disney+2024",
    "Foo+12 and Issue!42 are fixed",
    "l'allarme della bottega suona dal 2019",
    "the wifi router is in room 12",
    "our wifi runs on 5ghz",
    "wifi 6e and wlan 7 in 2027",
    "the status code is 404",
    "the code is 12 years old",
    "my code is 4711 lines long",
    "the exit code is 137",
    "le code est dans main.py",
    "the country code is 0049",
    "the password for backup-server-2 expired",
    "reset the pw on db-01 again",
    "passwords are hashed with sha512",
    "our wifi key uses wpa2-psk",
    "the pins 1-4 are ground",
    "pin the version to 2026",
    "tests pass 300 times, python3.11 and 3.12",
    "pass test_login and go on",
    "set the alarm for 0630",
    "the alarm is 0630 on weekdays",
    "the code from 2024 is gone",
    "error code 4711 at the door sensor",
    "the zip code is 10115",
    "login since version 2.3.1 is broken",
    "that's python and C++17, that's mo and 100%33",
    "log in as user42 on the staging host",
    "my login moved to https://id.example/u/4711",
    "locks since 2019 are 4 cm wide",
    "the lock is 2019 made",
    "the safe weighs 1200 kg",
    "combination of 4711 rows",
    "pinned 2026 dependencies",
    "Kombination aus 1200 Teilen",
    "der Code von 2024",
    "le code postal est 75011",
    "код ошибки 4711",
    "密码太短了，至少8位",  # noqa: RUF001 - as it is typed there
    "暗証番号を忘れた",
    "seed phrase and recovery words are on paper",
    "my passphrase is too long to remember",
    "account 12 has two users",
    "one two three four, pins are next",
)


@pytest.mark.parametrize("text", TOLD)
def test_a_secret_told_in_words_is_not_remembered(text):
    """In whatever language; a second look finds nothing more."""
    clean = redact_said(text, ())

    assert "[redacted:" in clean
    assert clean == redact_said(clean, ())


@pytest.mark.parametrize("text", HURRIED)
def test_a_secret_typed_in_a_hurry_is_not_remembered(text):
    """Without a verb, with a short name for it, with the place between; a second look finds nothing more."""
    clean = redact_said(text, ())

    assert "[redacted:" in clean
    assert clean == redact_said(clean, ())


@pytest.mark.parametrize("text", [*TALK, *HURRIED_TALK])
def test_talk_about_secrets_is_remembered(text):
    """What is said about a password is none, nor is any long number a card."""
    assert text == redact_said(text, ())


def test_only_the_secret_goes():
    """The words around it stay."""
    assert "My password is [redacted:password], ok?" == redact_said("My password is hunter2, ok?", ())
    assert "IBAN [redacted:bank-account] please" == redact_said("IBAN DE89 3704 0044 0532 0130 00 please", ())
    assert "Medicare number is [redacted:id-number], ok" == redact_said("Medicare number is 1EG4-TE5-MK72, ok", ())
    assert "card [redacted:card-number] ok" == redact_said("card 4111-1111-1111-1111 ok", ())


def test_what_a_tool_reads_keeps_its_words():
    """A text about passwords is not a password: only what is told is looked at for words."""
    text = "The default password is letmein7 and the pin is 1234; the test card is 4111 1111 1111 1111."

    assert text == redact(text, ())


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)], ids=["a quarter", "whole"])
@pytest.mark.parametrize(
    ("before", "again", "times", "behind"),
    [
        ("", "0", 300_000, ""),
        ("", "4 ", 150_000, ""),
        ("", "my password is ", 15_000, ""),
        ("", "code for ", 30_000, ""),
        ("passport number ", "1 ", 100_000, "é"),
        ("", "AB12", 80_000, ""),
        ("", "pin ", 60_000, ""),
        ("", "door code ", 25_000, ""),
        ("", "密码", 80_000, ""),
        ("pw ", "a1", 100_000, ""),
        ("", "card 4417 ", 25_000, ""),
        ("account ", "1234 ", 60_000, ""),
        ("", "passport c1", 25_000, ""),
        ("", "wifi a1b2c3d4 ", 20_000, ""),
        ("wifi ", "a1", 100_000, ""),
        ("", "gate 1234 ", 25_000, ""),
    ],
)
def test_hostile_talk_takes_linear_time(before, again, times, behind, part):
    """A quarter of a megabyte of near misses is through in a moment, a quarter of it in a quarter: `pytest -m slow` for all."""
    text = before + again * (times // part) + behind
    began = time.process_time()

    redact_speech(text)

    assert time.process_time() - began < 3 / part


@pytest.mark.parametrize(
    "look", [redact_speech, lambda text: redact(text, ("correct horse battery",))], ids=["said", "written"]
)
def test_an_answer_that_is_kept_in_four_places_is_looked_through_once(look):
    """For its pieces, its message, the end of its turn and the memory: the same text each time."""
    text = "".join(f"one thing {number}, and my token is with a friend.\n" for number in range(4000))
    began = time.process_time()
    first = look(text)
    middle = time.process_time()

    again = [look("".join(text)) for _ in range(3)]

    assert [first] * 3 == again
    assert time.process_time() - middle < (middle - began) / 4
