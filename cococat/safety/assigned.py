"""Secrets that only the name before them gives away: `dbPassword = "…"`, `--token …`, `curl -u user:…`."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass

from cococat.safety.secret_names import SECRET_WORDS, strength
from cococat.safety.secret_values import is_option_value, is_path, is_phrase, is_random, is_source, is_template

__all__ = ["assigned", "url_passwords"]

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
