"""How many secrets are found, and how much ordinary source is left alone: both are counted and printed."""

from __future__ import annotations

import random
import string
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from cococat.safety.secrets import mask, redact

LOWER, DIGITS, LETTERS = string.ascii_lowercase, string.digits, string.ascii_letters
ALNUM, HEX, URLSAFE = LETTERS + DIGITS, "0123456789abcdef", LETTERS + DIGITS + "_-"
PREFIXES = (  # of vendors, with the alphabet and the length of what follows
    *(("sk-proj-", URLSAFE, 74), ("sk-ant-api03-", URLSAFE, 93), ("sk-or-v1-", HEX, 64), ("sk-", ALNUM, 48)),
    *(("ghp_", ALNUM, 36), ("gho_", ALNUM, 36), ("ghs_", ALNUM, 36), ("ghr_", ALNUM, 36), ("github_pat_", ALNUM, 82)),
    *(("glpat-", ALNUM, 20), ("gldt-", ALNUM, 20), ("glrt-", ALNUM, 20), ("glptt-", HEX, 40), ("glft-", ALNUM, 20)),
    *(
        ("gloas-", HEX, 64),
        ("glffct-", ALNUM, 20),
        ("glsoat-", ALNUM, 20),
        ("glimt-", ALNUM, 25),
        ("glagent-", ALNUM, 50),
    ),
    *(
        ("glsa_", ALNUM, 32),
        ("glc_", ALNUM, 44),
        ("ATATT3xFfGF0", ALNUM, 180),
        ("sntryu_", HEX, 64),
        ("pnu_", ALNUM, 36),
    ),
    *(("pul-", HEX, 40), ("rubygems_", HEX, 48), ("shippo_live_", HEX, 40), ("shippo_test_", HEX, 40)),
    *(("sq0csp-", URLSAFE, 43), ("sq0atp-", URLSAFE, 22), ("pscale_tkn_", ALNUM, 43), ("pscale_pw_", ALNUM, 43)),
    *(
        ("HRKU-AA", ALNUM, 58),
        ("fo1_", ALNUM, 43),
        ("fm2_", ALNUM, 120),
        ("fm1r_", ALNUM, 120),
        ("rdme_", LOWER + DIGITS, 70),
    ),
    *(("hf_", LETTERS, 34), ("gsk_", ALNUM, 52), ("xai-", ALNUM, 80), ("pplx-", ALNUM, 48), ("r8_", ALNUM, 37)),
    *(
        ("npm_", ALNUM, 36),
        ("pypi-AgEIcHlwaS5vcmc", ALNUM, 60),
        ("AIza", ALNUM, 35),
        ("ya29.", ALNUM, 60),
        ("GOCSPX-", ALNUM, 28),
    ),
    *(("dop_v1_", HEX, 64), ("doo_v1_", HEX, 64), ("dor_v1_", HEX, 64), ("dp.pt.", ALNUM, 43), ("dapi", HEX, 32)),
    *(
        ("shpat_", HEX, 32),
        ("shpss_", HEX, 32),
        ("lin_api_", ALNUM, 40),
        ("ntn_", ALNUM, 46),
        ("hvs.", ALNUM, 95),
        ("hvb.", ALNUM, 140),
    ),
    *(
        ("tvly-", ALNUM, 32),
        ("figd_", ALNUM, 40),
        ("sbp_", HEX, 40),
        ("p8e-", LOWER + DIGITS, 32),
        ("tk-us-", ALNUM, 48),
    ),
    *(
        ("sm_pat_", ALNUM, 16),
        ("sgp_", HEX, 40),
        ("squ_", HEX, 40),
        ("AKCp", ALNUM, 69),
        ("LTAI", ALNUM, 20),
        ("AQVN", ALNUM, 36),
    ),
    *(("EZAK", ALNUM, 54), ("NRAK-", ALNUM, 27), ("API-", string.ascii_uppercase + DIGITS, 26), ("sha256~", ALNUM, 43)),
    *(
        ("sk_" + "live_", ALNUM, 24),
        ("rk_" + "test_", ALNUM, 24),
        ("whsec_", ALNUM, 32),
        ("AKIA", string.ascii_uppercase + "234567", 16),
    ),
    *(
        ("xoxb-123456789012-", ALNUM, 24),
        ("xapp-1-A0-", ALNUM, 60),
        ("ABSK", ALNUM, 110),
        ("CLOJARS_", LOWER + DIGITS, 60),
    ),
)
SHAPED = (  # those whose parts are set apart: what stands between braces is made up
    "PMAK-{h24}-{h34}",
    "xkeysib-{h64}-{a16}",
    "dt0c01.{A24}.{A64}",
    "SG.{a22}.{a43}",
    "pat{a14}.{h64}",
    "{a14}.atlasv1.{a64}",
    "v1.0-{h24}-{h146}",
    "pat.{a22}.{a24}.{a20}",
    "{a6}_{a29}_mmk",
    "eyJ{a20}.eyJ{a40}.{a43}",
    "https://hooks.slack.com/services/T{A8}/B{A8}/{a24}",
    "https://discord.com/api/webhooks/123456789012345678/{a68}",
    "access-production-{h8}-{h4}-{h4}-{h4}-{h12}",
    "1234567890:AA{a33}",
    "AccountKey={a86}==",
)
SERVICES = (
    *("db", "github", "stripe", "mailgun", "datadog", "okta", "twitch", "jira", "redis", "my", "user", "admin"),
    *("aws", "azure", "slack", "gitlab", "sonar", "vault", "ldap", "smtp"),
)
NOUNS = (
    "Password",
    "Token",
    "ApiKey",
    "Secret",
    "AccessKey",
    "ClientSecret",
    "AuthToken",
    "PrivateKey",
    "Passphrase",
    "SecretKey",
    "Pwd",
)
ENVIRONMENTS = ("PROD", "DEV", "STAGING", "TEST", "2", "OLD")
WRITTEN = (  # the ways languages and formats assign
    '{n}="{s}"',
    '{n} = "{s}"',
    "{n}={s}",
    "{n} = {s}",
    "{n}: {s}",
    "{n}: '{s}'",
    '{{"{n}": "{s}"}}',
    "<{n}>{s}</{n}>",
    "<{n}>\n  {s}\n</{n}>",
    'var {n} string = "{s}"',
    '{n} := "{s}"',
    "{n} := `{s}`",
    'private String {n} = "{s}";',
    'let {n}: string = "{s}"',
    '${n} .= "{s}"',
    '${n} ??= "{s}"',
    '  "{n}" => "{s}"',
    '{n} ?= "{s}"',
    'if ({n} == "{s}")',
    "if {n} === '{s}':",
    '<add key="{n}" value="{s}" />',
    '{{"name": "{n}", "value": "{s}"}}',
    "x --{n} {s} y",
    'setProperty("{n}", "{s}")',
    "?{n}={s}&x=1",
    '{{\\"{n}\\": \\"{s}\\"}}',
)
SOURCE = (
    *("token: XAIToken", "api_key=client_api_key,", 'raise TypeError("pwd: expected bytes, got %s")', "PWD=/path"),
    *("hf_requiredCharacteristicTypesOf", "token: string;", "const token = getToken2();", "token = tokens[0]"),
    *("password: z.string().min(8)", "api_key: Optional[str] = None", '"token": "comment"', 'token = f"{prefix}_1"'),
    *('password = os.environ["X1"]', 'next_page_token = "abc123"', 'type="password"', 'password_field = "pass1"'),
    *('tokenUrl: "https://x.org/oauth2/token"', 'secret_name = "my-secret-1"', 'cache_key = "user-123"'),
    *(
        "const apiKey = process.env.API_KEY1",
        "openRouterApiKey: process.env.KEY!,",
        "password: ${{ secrets.PASSWORD1 }}",
    ),
    *("token=token2,", 'publicKey = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"', "Password: must be at least 8 characters"),
    *("self.token = Token2(x)", 'password: "Enter your password"', 'curl -u "$USER:$PASS" x', 'curl -u "${a}:${b}" x'),
    *(
        'Token: "#ddd0c0"',
        "cost_per_token: 0.000015",
        '"js-tiktoken": "^1.0.8"',
        "passwordHash: sha256",
        "http://user:pass@host",
    ),
    *(
        "password=$DB_PASSWORD",
        "secrets: inherit",
        "max_tokens: 4096",
        "ctx.load(password=getpass_bytearray)",
        "sk-fading-circle-bouncing",
    ),
)


def made(shape: str, chance: random.Random) -> str:
    """Fill `{h24}` with hexadecimal digits, `{a24}` with letters and digits, `{A24}` with capitals and digits."""
    alphabets = {"h": HEX, "a": ALNUM, "A": string.ascii_uppercase + DIGITS}
    head, *rest = shape.split("{")
    for piece in rest:
        what, _, tail = piece.partition("}")
        head += drawn(alphabets[what[0]], int(what[1:]), chance) + tail
    return head


def drawn(alphabet: str, length: int, chance: random.Random) -> str:
    """Draw a text that holds a digit, as nearly all keys do, wherever the alphabet has one."""
    text = "".join(chance.choices(alphabet, k=length))
    return text if any(char.isdigit() for char in text) or "0" not in alphabet else drawn(alphabet, length, chance)


def camel_cases(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Each service with each noun, assigned in each way in turn."""
    for number, name in enumerate(f"{service}{noun}" for service in SERVICES for noun in NOUNS):
        value = drawn((ALNUM, LOWER + DIGITS, HEX, ALNUM + "$!#%")[number % 4], 16 + number % 5 * 6, chance)
        yield WRITTEN[number % len(WRITTEN)].format(n=name, s=value), value


def named_cases(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Names in capitals, with where they are used at the end; and commands."""
    for noun in ("PASSWORD", "API_KEY", "TOKEN", "DB_PASS"):
        for where in ENVIRONMENTS:
            value = drawn(ALNUM, 12, chance)
            yield f"{noun}_{where}={value}", value
    for template in (
        "curl -u bob:{} https://h",
        "curl -s --user 'bob:{}' h",
        'curl https://h -u "bob:{}"',
        "wget --password={} h",
    ):
        value = drawn(ALNUM, 10, chance)
        yield template.format(value), value
    yield "curl -u user:pass https://h", ":pass"
    yield "password=pa$$w0rd", "pa$$w0rd"
    yield 'dbPassword = "a$b$c9"', "a$b$c9"


def test_secrets_behind_names_are_found():
    """At least 95 of 100, of 220 camelCase names in every way that languages write an assignment."""
    chance = random.Random(11)
    cases = [*camel_cases(chance), *named_cases(chance)]

    missed = [text for text, value in cases if value in redact(text, ())]

    print(f"names: {len(cases) - len(missed)} of {len(cases)} found")  # noqa: T201 - the count is what is asked for
    assert len(cases) >= 220
    assert len(missed) <= len(cases) * 0.05, missed


def test_keys_of_vendors_are_found():
    """At least 95 of 100, and every vendor's prefix."""
    chance = random.Random(12)
    shapes = [(prefix, lambda p=prefix, a=alphabet, n=n: p + drawn(a, n, chance)) for prefix, alphabet, n in PREFIXES]
    shapes += [(shape, lambda s=shape: made(s, chance)) for shape in SHAPED]
    found: dict[str, int] = {name: 0 for name, _ in shapes}
    for name, make in shapes:
        for before, after in (("see ", " there"), ('"', '",'), ("x=", "\n"), ("(", ")"), ("`", "`")):
            key = make()
            found[name] += key[-12:] not in redact(f"{before}{key}{after}", ())

    total, every = sum(found.values()), 5 * len(shapes)
    print(f"vendors: {total} of {every} found, {len(shapes)} prefixes and shapes")  # noqa: T201 - the count is what is asked for
    assert not [name for name, times in found.items() if not times]
    assert total >= every * 0.95, {name: times for name, times in found.items() if times < 5}


@pytest.mark.parametrize("text", SOURCE)
def test_ordinary_source_stays(text):
    """Identifiers, types, calls, paths and words are no values, whatever they are assigned to."""
    assert text == redact(text, ())


def test_source_of_the_standard_library_is_left_alone():
    """At most 10 lines in 100,000 change; `bench/secret_lines.py` counts over everything that is installed."""
    lines = changed = 0
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("[h-s]*.py")):
        text = file.read_text("utf-8", "replace")
        lines += text.count("\n")
        changed += len(mask(text).marks)

    print(f"standard library: {changed} of {lines} lines changed")  # noqa: T201 - the count is what is asked for
    assert lines > 30_000
    assert changed <= lines / 10_000
