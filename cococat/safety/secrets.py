"""Secrets are taken out of text before it is kept, shown or sent."""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Collection, Iterator
from urllib.parse import quote

__all__ = ["redact"]

MIN_CHARS = 8  # characters of a registered value that is looked for
MIN_WORD = 6  # letters of a word behind `password: ` that is taken for one
_FORMATS: tuple[tuple[str, str], ...] = (
    (
        "private-key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*KEY(?: BLOCK)?-----|\Z)",
    ),
    ("anthropic-key", r"\bsk-ant-[\w-]{16,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{16,}"),
    ("stripe-key", r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("stripe-webhook", r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
    ("github-token", r"\bgh[pousr]_[A-Za-z0-9]{16,}"),
    ("github-token", r"\bgithub_pat_\w{20,}"),
    ("gitlab-token", r"\bgl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent)-[\w-]{16,}"),
    ("aws-key-id", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("slack-token", r"\bxox[a-z]-[\w-]{10,}|\bxapp-\d-[\w-]{10,}"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[\w/]{20,}"),
    ("discord-webhook", r"https://discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    ("discord-token", r"\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}"),
    ("google-key", r"\bAIza[\w-]{30,}"),
    ("google-oauth", r"\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
    ("jwt", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("pypi-token", r"\bpypi-[\w-]{30,}"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{20,}"),
    ("groq-key", r"\bgsk_[A-Za-z0-9]{20,}"),
    ("xai-key", r"\bxai-[A-Za-z0-9]{20,}"),
    ("perplexity-key", r"\bpplx-[A-Za-z0-9]{20,}"),
    ("replicate-token", r"\br8_[A-Za-z0-9]{20,}"),
    ("tavily-key", r"\btvly-[\w-]{16,}"),
    ("sendgrid-key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    ("mailgun-key", r"\bkey-[0-9a-f]{32}\b"),
    ("twilio-key", r"\bSK[0-9a-f]{32}\b"),
    ("telegram-token", r"\b\d{8,10}:AA[\w-]{32,}"),
    ("digitalocean-token", r"\bdo[opr]_v1_[0-9a-f]{40,}"),
    ("doppler-token", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{30,}"),
    ("shopify-token", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("linear-key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    ("notion-token", r"\b(?:secret|ntn)_[A-Za-z0-9]{40,}"),
    ("vault-token", r"\bhv[sbr]\.[\w-]{20,}"),
    ("databricks-token", r"\bdapi[0-9a-f]{32}\b"),
    ("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("azure-key", r"(?<=AccountKey=)[A-Za-z0-9+/=]{40,}"),
    ("bearer-token", r"(?i)(?<=bearer )[\w.~+/-]{16,}=*"),
    ("basic-auth", r"(?i)(?<=authorization: basic )[A-Za-z0-9+/]{8,}=*"),
    ("url-password", r"(?<=://)[^\s/:@\"'<>]{0,100}:[^\s/@\"'<>\[]{3,200}(?=@)"),
)
_SIGNS: dict[str, tuple[str, ...]] = {  # each secret of the kind holds one of these, which are quicker to look for
    "private-key": ("PRIVATE KEY",),
    "anthropic-key": ("sk-ant-",),
    "openai-key": ("sk-",),
    "stripe-key": ("k_live_", "k_test_"),
    "stripe-webhook": ("whsec_",),
    "github-token": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    "gitlab-token": ("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-", "glagent-"),
    "aws-key-id": ("AKIA", "ASIA", "ABIA", "ACCA"),
    "slack-token": ("xox", "xapp-"),
    "slack-webhook": ("hooks.slack.com",),
    "discord-webhook": ("/api/webhooks/",),
    "google-key": ("AIza",),
    "google-oauth": ("ya29.", "GOCSPX-"),
    "jwt": (".eyJ",),
    "npm-token": ("npm_",),
    "pypi-token": ("pypi-",),
    "huggingface-token": ("hf_",),
    "groq-key": ("gsk_",),
    "xai-key": ("xai-",),
    "perplexity-key": ("pplx-",),
    "replicate-token": ("r8_",),
    "tavily-key": ("tvly-",),
    "sendgrid-key": ("SG.",),
    "mailgun-key": ("key-",),
    "twilio-key": ("SK",),
    "telegram-token": (":AA",),
    "digitalocean-token": ("_v1_",),
    "doppler-token": ("dp.",),
    "shopify-token": ("shp",),
    "linear-key": ("lin_",),
    "notion-token": ("secret_", "ntn_"),
    "vault-token": ("hvs.", "hvb.", "hvr."),
    "databricks-token": ("dapi",),
    "age-key": ("AGE-SECRET-KEY-1",),
    "azure-key": ("AccountKey=",),
    "url-password": ("://",),
}
_NAME_SIGNS = ("pass", "pwd", "secret", "key", "token", "credential")  # of an assignment, case folded
_NAMES = (
    r"pass(?:word|wd|phrase|code)?|pwd|secret|secret[_-]?key|client[_-]?secret|api[_-]?key|access[_-]?key|"
    r"secret[_-]?access[_-]?key|private[_-]?key|encryption[_-]?key|auth[_-]?key|"
    r"(?:access|auth|refresh|session|bearer|api|id)?[_-]?token|credentials?"
)
_ASSIGNED = (
    rf"(?i)(?P<name>(?<![a-z])(?:[a-z0-9]{{1,32}}[_-]){{0,4}}(?:{_NAMES}))(?P<sep>[\"']?\s{{0,3}}(?::=|=>|[=:])\s{{0,3}})"
    r"(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]{4,500})(?P=quote)|(?P<bare>[^\s\"',;&(){}\[\]<>$`]{4,500}+)(?![(\[]))"
)
_HARMLESS = (
    r"(?i)(?:none|null|true|false|undefined|string|str|bytes|optional|required|password|passwd|secret|token|changeme|"
    r"example|placeholder|redacted|your[-_ ].*|x{3,}|\*{3,}|\.{3,}|<.*>|\$\{?.*|%[\w(].*|\{\{.*|\[redacted.*|"
    r"[a-z_]\w*(?:\.[a-z_]\w*)+)"
)


def redact(text: str, known: Collection[str]) -> str:
    """
    Replace secrets by `[redacted:KIND]`.

    Args:
        known: registered values; each is also found as base64, URL-encoded, hex and JSON-escaped.
    Returns: *text* with nothing else changed; redacting twice changes nothing more.
    Source: docs/reliability.md, 3.9 rule 2.
    """
    for form in sorted({form for value in known for form in _forms(value)}, key=len, reverse=True):
        text = text.replace(form, "[redacted:known]")
    for kind, pattern in _compiled():
        if _shows(text, _SIGNS.get(kind, ("",))):
            text = pattern.sub(f"[redacted:{kind}]", text)
    return re.sub(_ASSIGNED, _without_value, text) if _shows(text.casefold(), _NAME_SIGNS) else text


def _shows(text: str, signs: Collection[str]) -> bool:
    return any(sign in text for sign in signs)


@functools.cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The formats, compiled when first needed: 30 ms that a start should not cost."""
    return tuple((kind, re.compile(pattern)) for kind, pattern in _FORMATS)


def _forms(value: str) -> Iterator[str]:
    """Every way a registered value may be written, the shorter than MIN_CHARS left out."""
    if len(value) < MIN_CHARS:
        return
    raw = value.encode("utf-8", "surrogatepass")
    forms = [value, quote(value, safe="", errors="replace"), raw.hex(), raw.hex().upper()]
    forms += [json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]]
    forms.append(base64.b64encode(raw).decode())
    for shift in range(3):  # where the value stands in a longer encoded text decides how it looks
        encoded = base64.b64encode(b"\0" * shift + raw).decode()
        inner = encoded[(0, 2, 3)[shift] : len(encoded) - (0, 3, 2)[(shift + len(raw)) % 3]]
        forms += [inner, inner.replace("+", "-").replace("/", "_")]
    yield from (form for form in forms if len(form) >= MIN_CHARS)


def _without_value(match: re.Match[str]) -> str:
    """Redact an assigned value, unless it is more likely code or prose."""
    value, bare = match["quoted"] or match["bare"], bool(match["bare"])
    if re.fullmatch(_HARMLESS, value) or value.casefold() in match["name"].casefold():
        return match[0]
    sign = match["sep"].strip("\"'")
    if bare and value.isalpha() and ((sign == ": " and len(value) < MIN_WORD) or sign not in ("=", ":", ": ")):
        return match[0]  # `password = value` or `token: sent to`
    mark = match["quote"] or ""
    return f"{match['name']}{match['sep']}{mark}[redacted:password]{mark}"
