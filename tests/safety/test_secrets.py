"""Redaction: what must go, and what must stay."""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.safety.secrets import redact

A = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"
HEX = "0123456789abcdef" * 3
KEYS = {
    "openai": f"sk-proj-{A}",
    "openai old": f"sk-{A}",
    "anthropic": f"sk-ant-api03-{A}",
    "openrouter": f"sk-or-v1-{HEX}",
    "stripe": "sk_" + f"live_{A}",
    "stripe webhook": f"whsec_{A}",
    "github": f"ghp_{A}",
    "github server": f"ghs_{A}",
    "github fine": f"github_pat_{A}",
    "gitlab": f"glpat-{A[:20]}",
    "aws": "AKIA" + "ABCDEFGH12345678",
    "aws session": "ASIA" + "ABCDEFGH12345678",
    "slack": "xoxb-" + f"123456789012-{A}",
    "slack app": f"xapp-1-{A}",
    "slack hook": "https://hooks.slack.com/" + f"services/T000/B000/{A}",
    "discord hook": f"https://discord.com/api/webhooks/123456/{A}",
    "google": f"AIza{A}0123456",
    "google oauth": f"ya29.{A}",
    "google client": f"GOCSPX-{A}",
    "jwt": f"eyJhbGciOiJI.eyJzdWIiOiIx.{A}",
    "npm": f"npm_{A}{A[:8]}",
    "pypi": f"pypi-{A}{A}",
    "hugging face": f"hf_{A}",
    "groq": f"gsk_{A}",
    "xai": f"xai-{A}",
    "perplexity": f"pplx-{A}",
    "replicate": f"r8_{A}",
    "tavily": f"tvly-{A}",
    "sendgrid": f"SG.{A[:20]}.{A}",
    "mailgun": f"key-{HEX[:32]}",
    "twilio": f"SK{HEX[:32]}",
    "telegram": f"1234567890:AA{A}0123456",
    "digitalocean": f"dop_v1_{HEX}",
    "shopify": f"shpat_{HEX[:32]}",
    "linear": f"lin_api_{A}{A[:8]}",
    "notion": f"secret_{A}{A}",
    "vault": f"hvs.{A}",
    "databricks": f"dapi{HEX[:32]}",
    "doppler": f"dp.pt.{A}{A}",
    "age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_known_formats_are_redacted(key):
    """Wherever in a line, and with what stands around it kept."""
    for before, after in (("see ", " there"), ("'", "',"), ("<b>", "</b>"), ("\n", "\n")):
        redacted = redact(f"{before}{key}{after}", ())

        assert redacted.startswith(f"{before}[redacted:")
        assert redacted.endswith(f"]{after}")
        assert key[-12:] not in redacted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=hunter2", "password=[redacted:password]"),
        ("PASSWORD: correcthorse", "PASSWORD: [redacted:password]"),
        ('{"api_key": "abcd-1234"}', '{"api_key": "[redacted:password]"}'),
        ("export DB_PASSWORD=s3cr3t!x", "export DB_PASSWORD=[redacted:password]"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [redacted:password]"),
        ("client_secret='abc d3f'", "client_secret='[redacted:password]'"),
        ("?token=abcdef12&x=1", "?token=[redacted:password]&x=1"),
        ("postgres://bob:hunter2@db/x", "postgres://[redacted:url-password]@db/x"),
        ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer [redacted:bearer-token]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:basic-auth]"),
        ("AccountKey=" + "A" * 44 + ";E", "AccountKey=[redacted:azure-key];E"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nrest",
            "[redacted:private-key]\nrest",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "[redacted:private-key]"),
    ],
)
def test_assigned_values_are_redacted_and_their_names_kept(text, expected):
    """The name says what was there; the rest of the line stays."""
    assert expected == redact(text, ())


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "password: str = ''",
        "def login(user, password=None): ...",
        "token = self.tokens.pop()",
        "max_tokens=4096",
        "total_tokens: 1234",
        "secret = os.environ['SECRET']",
        "api_key=${API_KEY}",
        "password=password",
        "api_key = settings.api_key",
        "the sk- prefix and the AKIA prefix",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "see https://example.org/a/b?c=d#e",
        "token: Callable[[str], int]",
        "commit 2f34b43aa04c5f6b7d8e9fa0b1c2d3e4f5a6b7c8",
        "password: <your password>",
        "api_key: sent to the origin alone",
        "task-force-of-the-risk-management-team",
    ],
)
def test_code_and_prose_stay_as_they_are(text):
    """What only talks about secrets is none."""
    assert text == redact(text, ())


@pytest.mark.parametrize("value", ["my-own-key-0123", "päss wörd/+?&=12", 'quote"back\\slash1'])
def test_a_registered_value_goes_in_every_form(value):
    """Plain, URL-encoded, hexadecimal, JSON-escaped, and base64 at each place in a longer text."""
    raw = value.encode()
    forms = [value, quote(value, safe=""), raw.hex(), raw.hex().upper(), json.dumps(value)]
    forms += [base64.b64encode(b"x" * shift + raw + b"tail").decode() for shift in range(4)]
    forms += [base64.urlsafe_b64encode(b"u:" + raw).decode()]

    for form in forms:
        assert "[redacted:known]" in redact(f"<{form}>", [value])
        assert value[3:-3] not in redact(f"<{form}>", [value])


def test_short_registered_values_are_not_looked_for():
    """A value under eight characters would take ordinary words with it."""
    assert "admin is admin" == redact("admin is admin", ["admin", ""])


@given(st.text(alphabet="ab=:'\" \n.-_/@sk123passwordtoken[]", max_size=80))
def test_redacting_twice_changes_nothing_more(text):
    """The marks themselves are never taken for secrets."""
    once = redact(text, ["registered-value-1"])

    assert once == redact(once, ["registered-value-1"])


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)], ids=["a quarter", "whole"])
@pytest.mark.parametrize(
    ("before", "again", "times"),
    [("", "a_", 200_000), ("", "password", 50_000), ("://", "a:", 200_000), ("", "0", 400_000)],
)
def test_hostile_texts_take_linear_time(before, again, times, part):
    """Half a megabyte of near misses is through in a moment, a quarter of it in a quarter: `pytest -m slow` for all."""
    text = before + again * (times // part)
    began = time.process_time()

    assert text == redact(text, ())
    assert time.process_time() - began < 3 / part
