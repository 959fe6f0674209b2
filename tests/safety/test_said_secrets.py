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


@pytest.mark.parametrize("text", TOLD)
def test_a_secret_told_in_words_is_not_remembered(text):
    """In whatever language; a second look finds nothing more."""
    clean = redact_said(text, ())

    assert "[redacted:" in clean
    assert clean == redact_said(clean, ())


@pytest.mark.parametrize("text", TALK)
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


@pytest.mark.parametrize(
    "text",
    [
        "0" * 300_000,
        "4 " * 150_000,
        "my password is " * 15_000,
        "code for " * 30_000,
        "passport number " + "1 " * 100_000 + "é",
        "AB12" * 80_000,
    ],
)
def test_hostile_talk_takes_linear_time(text):
    """A quarter of a megabyte of near misses is through in a moment."""
    began = time.process_time()

    redact_speech(text)

    assert time.process_time() - began < 3
