"""One value of one setting: read from text, checked, written in words."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

from cococat.config.settings import Origin, SettingRule
from cococat.system.text import clip

Value: TypeAlias = str | int | float | bool | tuple[str, ...] | Mapping[str, object]
MAX_CHARS = 60  # characters of a wrong value that an error repeats
WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
PERMISSION = re.compile(r"[\w*][\w.*-]*(\(.+\))?\Z", re.DOTALL)
RESERVED = frozenset({"messages", "model", "n", "stream", "tools"})  # fields of a request that a run decides
KEY_LIKE = re.compile(r"(?i)^(sk|pk|key|gsk|xai|hf|ghp|aiza)[-_]|^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{24,}\Z")


@dataclass(frozen=True, slots=True)
class Given:
    """A checked value and where it came from."""

    value: Value
    origin: Origin


def check(rule: SettingRule, value: object) -> Value | None:
    """Return *value* in the type of *rule*; None when it breaks the rule."""
    if rule.form == "fields":
        return _fields(value)
    if rule.kind is tuple:
        return _strings(rule, value)
    if rule.kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53:
        value = float(value)
    if type(value) is not rule.kind:
        return None
    if isinstance(value, str):
        return value if _word(rule, value) else None
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if rule.low <= value <= rule.high else None  # nan and inf are in no range
    return None


def parse(rule: SettingRule, text: str) -> object:
    """Read *text*, as a variable, a flag or `config set` gives it; what cannot be read stays text."""
    if rule.kind is bool:
        return WORDS.get(text.strip().lower(), text)
    if rule.form == "fields":
        import json

        with suppress(ValueError):
            return json.loads(text)
        return text
    if rule.kind is tuple:
        return _array(text)
    try:
        if rule.kind is int:
            return int(text) if re.fullmatch(r"\s*[+-]?\d{1,18}\s*", text, re.ASCII) else text
        return float(text) if rule.kind is float else text
    except ValueError:
        return text


def allowed_values(rule: SettingRule) -> str:
    """Return what *rule* allows."""
    if rule.choices:
        return "one of " + ", ".join(rule.choices)
    if rule.form == "variable":
        return "the name of an environment variable, never the key itself"
    if rule.form == "fields":
        return (
            f'a table of JSON values such as {{ reasoning_effort = "low" }}, and none of {", ".join(sorted(RESERVED))}'
        )
    if rule.form == "rule":
        return 'a list of rules such as "run_shell(git status)"'
    if rule.form == "variables":
        return "a list of names of environment variables, never their values"
    if rule.kind is tuple:
        return f"a list of {'absolute paths' if rule.form == 'paths' else 'strings in quotes'}"
    if rule.kind in (int, float):
        number = "a whole number" if rule.kind is int else "a number"
        return f"{number} from {rule.low:g} to {rule.high:,.10g}"
    return {bool: "true or false", str: "a string in quotes"}[rule.kind]


def masked_value(value: object) -> str:
    """A wrong value as an error may show it: short, printable, and never what could be a key."""
    if isinstance(value, str) and KEY_LIKE.search(value):
        return "something that looks like a key"
    if isinstance(value, Mapping):
        return "a table" + (f" of {', '.join(map(printable, value))}" if value else "")
    if isinstance(value, list | tuple):
        return "a list"
    text = "true" if value is True else "false" if value is False else ascii(value)
    return clip(text, MAX_CHARS)


def not_a_rule(value: object) -> str:
    """The first entry of a list that is no permission rule, as an error may show it; empty for anything else."""
    entries = value if isinstance(value, list | tuple) else ()
    return next(
        (masked_value(entry) for entry in entries if not isinstance(entry, str) or not PERMISSION.match(entry)), ""
    )


def toml(value: object) -> str:
    """Write *value* as TOML does."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return str(int(value)) if value == int(value) else repr(value)
        case Mapping():
            pairs = ", ".join(f"{_toml_key(str(key))} = {toml(entry)}" for key, entry in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case tuple() | list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
        case _:
            return str(value)


def suggestion(word: str, known: Iterable[str]) -> str:
    """The known word nearest to *word*, one of the same letters first; empty when none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 3, 0.6)
    return next((name for name in near if sorted(name) == sorted(word)), near[0] if near else "")


def printable(text: str) -> str:
    """*text* on one line, with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else "?" for char in clip(text, MAX_CHARS))


def check_url(url: str) -> str:
    """Return what is wrong with *url* as the base of an endpoint; empty when nothing is."""
    if not url.isprintable() or " " in url:
        return "it holds a space or a control character"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is no URL"
    if parts.scheme not in ("http", "https"):
        return "it does not begin with https:// or http://"
    if not host:
        return "it names no host"
    if "@" in parts.netloc:
        return "it holds a user name or a key; a key belongs into an environment variable"
    return "it holds a fragment (#)" if parts.fragment else ""


def _word(rule: SettingRule, value: str) -> bool:
    if rule.choices:
        return value in rule.choices
    if rule.form == "variable":
        named = bool(VARIABLE.match(value)) and (value.isupper() or not KEY_LIKE.search(value))
        return named or not value
    return "\0" not in value


def _strings(rule: SettingRule, value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    forms: dict[str, Callable[[str], object]] = {
        "rule": PERMISSION.match,
        "paths": os.path.isabs,
        "variables": VARIABLE.match,
    }
    fits = forms.get(rule.form, bool)
    strings = tuple(entry for entry in value if isinstance(entry, str) and "\0" not in entry and fits(entry))
    return strings if len(strings) == len(value) else None


def _fields(value: object) -> Mapping[str, object] | None:
    """A table of request fields; None when JSON could not carry one, or when a run decides it."""
    if not isinstance(value, Mapping) or any(key in RESERVED or not key for key in value):
        return None
    import json

    try:
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError):
        return None  # a date, say
    return MappingProxyType(dict(value))


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml(key)


def _array(text: str) -> object:
    """A TOML array, or one rule as it stands."""
    if not text.lstrip().startswith("["):
        return (text,)
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(f"x = {text}")["x"]
    except TOMLDecodeError:
        return text
