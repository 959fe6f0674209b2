"""API keys: each belongs to one origin and is sent to no other."""

from __future__ import annotations

import string
from collections.abc import Mapping

from cococat.config.settings import KeyHome, Settings
from cococat.errors import ConfigError
from cococat.system.urls import is_loopback, is_private, origin_of

__all__ = ["Secret", "all_keys", "key_for"]

MASK = "********"
ALLOWED = frozenset(string.ascii_letters + string.digits + "!#$%&()*+,-./:;<=>?@[]^_{|}~")  # what fits into a header


class Secret:
    """A key that shows itself only to `reveal`; *variable* is where it came from."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str, variable: str = "") -> None:
        self._value = value
        self.variable = variable

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def __repr__(self) -> str:
        return f"{self.variable} ({MASK})" if self.variable else MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __reduce__(self) -> tuple[type[Secret], tuple[str, str]]:
        return (Secret, (MASK, self.variable))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self


def key_for(settings: Settings, env: Mapping[str, str]) -> Secret | None:
    """
    Return the key whose origin is that of `model.base_url`; None when there is none.

    An endpoint on this machine needs none, and neither does one whose `api_key_env` is empty. Over plain http to
    the user's own network a key goes only where the config file pairs it with that address and allows it.

    Raises: ConfigError: keys are set but all belong to other origins, or the key cannot be sent.
    """
    open_network = settings.model.base_url.startswith("http:") and is_private(settings.model.base_url)
    goal = origin_of(settings.model.base_url)
    for home in settings.keys:
        if origin_of(home.url) != goal:
            continue
        if not home.variable:
            return None
        if value := env.get(home.variable, ""):
            if open_network and not (settings.model.insecure_http and home.origin.kind == "file"):
                if home.origin.kind == "file":
                    raise _in_the_clear(goal, home)
                continue
            return _checked(value, home.variable)
    others = [home for home in settings.keys if home.variable and env.get(home.variable)]
    if not others or open_network or is_loopback(settings.model.base_url):
        return None
    raise _foreign(goal, others[0])


def all_keys(settings: Settings, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return every key that is set, whatever it belongs to: none of them is ever shown or written."""
    values = (env.get(home.variable, "") for home in settings.keys if home.variable)
    return tuple(dict.fromkeys(value for value in values if value))


def _checked(value: str, variable: str) -> Secret:
    bad = next((char for char in value if char not in ALLOWED), "")
    if not bad:
        return Secret(value, variable)
    if bad in "\"'`":
        what = "a quotation mark"
    elif bad in "\r\n":
        what = "a line break"
    elif bad.isspace():
        what = "a space"
    else:
        what = "a character that no key has"
    raise ConfigError(
        f"the key in {variable} contains {what}",
        f"set it again, without quotes or line breaks: export {variable}=…",
    )


def _foreign(goal: str, other: KeyHome) -> ConfigError:
    belongs = _short(origin_of(other.url))
    return ConfigError(
        f"no key for {_short(goal)}: the one in {other.variable} belongs to {belongs}",
        "set COCOCAT_BASE_URL and COCOCAT_API_KEY together, or name base_url and api_key_env together"
        ' in [model] or a profile of the config (api_key_env = "" if it needs no key)',
    )


def _in_the_clear(goal: str, home: KeyHome) -> ConfigError:
    return ConfigError(
        f"{home.origin}: the key in {home.variable} would travel to {_short(goal)} in the clear",
        'set model.insecure_http = true to send it, or api_key_env = "" if the server needs none',
    )


def _short(origin: str) -> str:
    default = {"https": ":443", "http": ":80"}[origin.partition(":")[0]]
    return origin.removesuffix(default)
