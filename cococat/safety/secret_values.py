"""Values that look like a secret, and those that are more likely a part of a program or a sentence."""

from __future__ import annotations

import re

from cococat.safety.secret_formats import is_worded

__all__ = ["is_option_value", "is_path", "is_phrase", "is_random", "is_source", "is_template"]

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
