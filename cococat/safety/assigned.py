"""Secrets that only the name before them gives away: `dbPassword = "…"`, `--token …`, `curl -u user:…`."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cococat.safety.secret_formats import is_worded

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
MIN_RANDOM = 16  # characters of a value that alone make it a secret behind a weak name
MAX_PROSE_WORDS = 6
_TALK = (  # words of source about secrets, which no secret holds
    r"(?i)pass|pwd|secret|token|key|cred|auth|login|user|example|sample|dummy|foobar|placeholder|changeme|test|valid|"
    r"invalid|wrong|requir|missing|expect"
)
_TECHNICAL = r"(?i)(?:sha|md|aes|rsa|hs|es|rs|ps|utf|base|oauth|x|http|ipv|v|s|ec|k|ed|p|win|int|uint|float)-?\d{1,5}"
_HARMLESS = (
    r"(?i)(?:none|null|nil|true|false|undefined|string|str|bytes|object|number|integer|boolean|double|unsigned|optional|required|changeme|change[-_ ]me.*|example.*|"
    r"placeholder|redacted|your[-_ ].*|<.*>|x{3,}|\*{3,}|\.{3,}|…+|-{3,}|_{3,}|"
    r"#[0-9a-f]{3,8}|\$\w+|\$\{?[a-z_]\w*(?::?[-=?+][^}]*)?\}?|.*(?:\$\{|\$\(|\{\{|#\{|%\{|<%).*|%[\w(].*|\{.*\}|\[redacted.*)"
)
_CODE = r"->|::|=>|[!<>]=|&&|\|\||\?\.|\.\.\.|\|\Z"
_EXPRESSION = r"[!*&@-]?([A-Za-z_]\w*)[+*|=?]"
_NAMED = r"\w+(?:Key|Token|Secret|Password|Credential)s?"
_PATH = r"(?:~|\.{0,2})/[\w.@~/+-]*|[A-Za-z]:[\\/].*|(?:https?|file|wss?|s3|gs|data|urn|arn)://?[^\s@]*"


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


MIN_NUMBER = 6  # digits of a number that is one behind a name
MIN_CONFIG_WORD = 6  # letters of a word that is one behind the name of a variable of the environment
MAX_NAME = 80  # characters of a name that are looked at

_SIGNS = ("pass", "pwd", "secret", "key", "token", "cred", "auth", "pat", "--user", " -u")  # case folded
_NOUNS = r"pass(?:word|wd|phrase|code|wort)?|pwd|secret|token|credentials?|creds|key|auth(?:orization)?|pat"
_OPERATOR = (
    r"(?P<op>,?\s{0,8}[\"']?\bvalue[\"']?\s{0,3}[=:]|=>|:{1,3}=|\?{1,2}=|\|\|=|\.=|\+=|[=!]==?|=|:(?!:)|>|,|(?=\s))"
)
_TYPE = r"(?:\s{0,2}:\s{0,2}|\s)[A-Za-z_][\w.<>\[\]| ?*]{0,40}?(?=\s{0,3}=)"
_VALUE = (
    r"(?:(?P<form>[bruf@$]{0,2})(?P<quote>\\?[\"'`])(?P<quoted>(?:(?!(?P=quote))[^\n]){4,500})(?P=quote)"
    r"|(?P<bare>(?:[^\s\"'`,;&(){}\[\]<>\\]|\\(?![nrt\"'])){4,500}+))"
)
_ASSIGNED = (
    rf"(?i)(?P<noun>{_NOUNS})(?P<suffix>[\w.-]{{0,40}}?)(?P<close>\\?[\"'`]?\]?)"
    rf"(?:(?P<type>{_TYPE}))?\s{{0,3}}{_OPERATOR}\s{{0,12}}(?:(?:Bearer|Basic|Token|ApiKey)\s)?{_VALUE}"
)
_CURL_USER = (
    r"(?i)\b(?:curl|wget)\b[^\n|;]{0,400}?\s(?:-u|--(?:proxy-)?user)[= ]{0,3}"
    r"(?P<quote>[\"']?)(?P<user>[^\s\"':]{1,100})(?P<mid>[\"']?:[\"']?)(?P<value>[^\s\"'][^\n\"' ]{2,200})"
)
_IN_URL = r"(?<=://)[^\s/:@\"'<>,]{0,100}:(?P<value>[^\s/@\"'<>\[]{3,200})(?=@)"

_NAME_CHARS = f"{string.ascii_letters}{string.digits}_.$-"
_CALLS = ("(", "[", "{")  # what would make a value the name of a function or of a list
_EXAMPLES = frozenset((*SECRET_WORDS, "pass"))  # passwords that stand for one in documentation


@dataclass(frozen=True, slots=True)
class _Assignment:
    """
    A value and the name before it.

    Args:
        lead: what is before the name.
        op: what ties the value to the name; empty for a space.
        closed: whether a quote ends the name.
        start, end: where the value stands.
        literal: whether it needs no quotes to be one: `NAME=value` on a line of its own, or an element of XML.
        far: whether it is on another line.
        after: what follows, two characters of it.
    """

    name: str
    lead: str
    op: str
    closed: bool
    typed: bool
    value: str
    start: int
    end: int
    quoted: bool
    literal: bool
    far: bool
    after: str


def url_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Find the name and the password that addresses hold, `scheme://name:password@host`."""
    if "://" in text:
        for match in re.finditer(_IN_URL, text):
            if not is_template(match["value"]) and match["value"].casefold() not in _EXAMPLES:
                yield match.span()


def assigned(text: str) -> Iterator[tuple[int, int]]:
    """Find the values in *text* that a name or an option before them makes secrets: where each begins and ends."""
    folded = text.casefold()
    if not any(sign in folded for sign in _SIGNS):
        return
    if "curl" in folded or "wget" in folded:
        for match in re.finditer(_CURL_USER, text):
            if not is_template(match["value"]):
                yield match.span("value")
    place, pattern = 0, re.compile(_ASSIGNED)
    while found := pattern.search(text, place):
        assignment = _read(found)
        place = found.end("suffix")
        if _is_secret(assignment):
            yield assignment.start, assignment.end
            place = assignment.end


def _read(match: re.Match[str]) -> _Assignment:
    text, op = match.string, match["op"]
    before = text[max(0, match.start() - MAX_NAME) : match.start()]
    lead = before.rstrip(_NAME_CHARS)
    name = f"{before[len(lead) :]}{match['noun']}{match['suffix']}"
    group = "bare" if match["quoted"] is None else "quoted"
    start, end = match.span(group)
    element = op == ">" and lead.endswith("<") and text[end : end + MAX_NAME].lstrip().startswith("<")
    setting = _setting_end(name, lead, match)
    form = match["form"] or ""
    return _Assignment(
        name,
        lead,
        op="value" if "value" in op.casefold() else op,
        closed=bool(match["close"]),
        typed=bool(match["type"]),
        value="{}" if "f" in form.casefold() and "{" in match[group] else text[start : setting or end],
        start=start,
        end=setting or end,
        quoted=group == "quoted",
        literal=bool(setting) or element,
        far="\n" in text[match.end("op") : start] and not element,
        after=text[end : end + 2],
    )


def _setting_end(name: str, lead: str, match: re.Match[str]) -> int:
    """Return where an unquoted literal ends: `NAME=value` or `NAME: value` on a line of its own; 0 where it is none."""
    if match["bare"] is None or match["close"] or not re.fullmatch("[A-Z][A-Z0-9_]*", name):
        return 0
    if match["op"] != "=" or match.end("op") != match.start("bare"):
        return _word_end(match) if match["op"] == ":" else 0
    if not re.fullmatch(r"\s*(?:(?:export|set|ENV|ARG|-e|-)\s+|-D)?", lead.rpartition("\n")[2]):
        return 0
    rest = re.compile(r"\S*(?=\r?\n|\Z)").match(match.string, match.end("bare"))
    return rest.end() if rest and rest[0][-1:] not in (",", ";") else 0


def _word_end(match: re.Match[str]) -> int:
    """Return where the one word ends that is all of the value in a line of YAML; 0 where it could be a type."""
    end = match.end("bare")
    return end if match["bare"].islower() and match.string[end : end + 1] in ("", "\n", "\r") else 0


def _is_secret(found: _Assignment) -> bool:
    sure = strength(found.name) if not found.lead.endswith("::") else ""  # `AWS::IAM::AccessKey` names a type
    if not sure or not _binds(found):
        return False
    if not found.op:
        return is_option_value(found.value)
    if found.far and sure == "strong":
        return found.op in (":", "=") and found.after[:1] in ("", "\n", "\r") and _is_odd(found)
    if sure == "weak" or found.op == "," or found.far:
        return is_random(found.value) and found.after[:1] not in _CALLS
    return _is_value(found)


def _is_odd(found: _Assignment) -> bool:
    """Return whether a value alone on the line below its name is one, and not the first word of a text."""
    return bool(re.search(r"\d", found.value)) and _is_value(found)


def _binds(found: _Assignment) -> bool:
    """Return whether what stands between the name and the value gives the one to the other."""
    match found.op:
        case "":
            return found.name.startswith("--")
        case ">":
            return found.literal
        case "," | "value":
            return found.quoted and found.closed
        case "==" | "===" | "!=" | "!==":
            return found.quoted
        case _:
            return found.quoted or not found.typed


def _is_value(found: _Assignment) -> bool:
    """Return whether the value behind a name that is surely one of a secret is the secret itself."""
    value = found.value
    if is_template(value) or is_path(value) or value.casefold() in found.name.casefold():
        return False
    if " " in value or "\t" in value:
        return found.quoted and is_phrase(value)
    if not re.search(r"[A-Za-z0-9]", value) or re.fullmatch(r"[+-]?\d+\.\d+(?:e[+-]?\d+)?", value):
        return False
    if value.isdigit():
        return len(value) >= MIN_NUMBER or bool(re.search(r"(?i)pass|pwd", found.name))
    if found.literal:
        return not value.isalpha() or len(value) >= MIN_CONFIG_WORD
    if not found.quoted and found.after[:1] in _CALLS:
        return False
    return not is_source(value, quoted=found.quoted, after=found.after)


def is_template(value: str) -> bool:
    """Return whether *value* only holds the place of one: a variable, `<password>`, `***`, a word such as `none`."""
    return bool(re.fullmatch(_HARMLESS, value.strip("'\"")))


def is_path(value: str) -> bool:
    """Return whether *value* is an address or a path, in words that somebody chose."""
    return bool(re.fullmatch(_PATH, value)) or (
        "/" in value and all(is_worded(part) for part in re.split(r"[^A-Za-z0-9]+", value) if part)
    )


def is_option_value(value: str) -> bool:
    """Return whether the word behind an option of a command is a value, not the next option or a variable."""
    return bool(re.search(r"\d", value)) and not value.startswith("-") and not is_template(value) and not is_path(value)


def is_random(value: str) -> bool:
    """Return whether *value* is a throw of letters and digits, whatever its name is."""
    if len(value) < MIN_RANDOM or not re.fullmatch(r"[\w+/=.~:@%|-]+", value, re.ASCII):
        return False
    if not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or re.fullmatch(_PATH, value):
        return False
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    longest = max(parts, key=len)
    return len(longest) >= MIN_RANDOM - 4 and not is_worded(longest) and bool(re.search(r"\d", longest))


def is_phrase(value: str) -> bool:
    """Return whether a value of several words is more likely a secret than a sentence."""
    words = value.split()
    odd = [word for word in words if re.search(r"\d", word) and re.search(r"[A-Za-z]", word)]
    return len(words) <= MAX_PROSE_WORDS and any(not re.fullmatch(_TECHNICAL, word.strip(".,;:()")) for word in odd)


def is_source(value: str, *, quoted: bool, after: str) -> bool:
    """
    Return whether a value without spaces reads like a part of a program: a name, a type, a path, a word, a pattern.

    Args:
        after: what follows the value, two characters of it.
    """
    if not quoted and (_is_code(value) or re.fullmatch(_NAMED, value)):
        return True
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    worded = all(map(_is_name_part, parts))
    if not any(char.isdigit() for char in value):
        return worded and not re.search(r"[A-Za-z][!@#$^&*?+~]+[A-Za-z]|[@#$^&]\Z|^\w+!+\Z", value)
    if re.search(r"\\[dwsDWSbnrt]|\[\^|\(\?|\]\+|\]\*|\.\*|%[sdr]\b", value):
        return True
    if not worded or not re.fullmatch(r"[$@]?[A-Za-z_][\w$]*(?:[./:-][\w$]+)*[.:]?", value):
        return False
    talk = bool(re.search(_TALK, value))
    if quoted:
        return bool(re.fullmatch(_TECHNICAL, value)) or (talk and len(parts) > 1)
    return talk or len(parts) > 1 or bool(re.fullmatch(_TECHNICAL, value) or re.match(r"[,;](?:\s|\Z)|\)", after))


def _is_code(value: str) -> bool:
    expression = re.match(_EXPRESSION, value)
    return bool(re.search(_CODE, value)) or (expression is not None and is_worded(expression[1]))


def _is_name_part(part: str) -> bool:
    if part.isalpha():
        return is_worded(part) or len(part) < MIN_RANDOM
    if part.isdigit():
        return len(part) <= 4  # noqa: PLR2004 - a year
    return bool(re.fullmatch(_TECHNICAL, part)) or (part.rstrip("0123456789").isalpha() and is_worded(part))
