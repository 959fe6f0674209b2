"""API keys: each belongs to one origin and is sent to no other; from a variable, or kept by `config set-key`."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.config.settings import KeyHome, Origin, Settings
from cococat.errors import ConfigError, StorageError
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.urls import is_http, is_loopback, is_private, origin_of

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

MASK = "********"
KEYRING = "the system keyring"
KEPT = "keys.json"  # beside the user's own config, whatever `--config` names
MAX_BYTES = 1 << 20  # of the file with kept keys
ALLOWED = frozenset(string.ascii_letters + string.digits + "!#$%&()*+,-./:;<=>?@[]^_{|}~")  # what fits into a header
SERVICE = "cococat"  # what a keyring lists the keys under


class Secret:
    """A key that shows itself only to `reveal`; *variable* is where it came from, a keyring or a file among others."""

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
        if not home.variable and not home.kept:
            return None
        if value := _value(home, env):
            if open_network and not (settings.model.insecure_http and home.origin.kind == "file"):
                if home.origin.kind == "file":
                    raise ConfigError(
                        f"{home.origin}: the key in {home.name} would travel to {_short(goal)} in the clear",
                        'set model.insecure_http = true to send it, or api_key_env = "" if the server needs none',
                    )
                continue
            return checked(value, home)
    others = [home for home in settings.keys if home.variable and env.get(home.variable)]
    if not others or open_network or is_loopback(settings.model.base_url):
        return None
    raise ConfigError(
        f"no key for {_short(goal)}: the one in {others[0].variable} belongs to {_short(origin_of(others[0].url))}",
        f"cococat config set-key {_short(goal)}, or set COCOCAT_BASE_URL and COCOCAT_API_KEY together, or name base_url"
        ' and api_key_env together in [model] or a profile of the config (api_key_env = "" if it needs no key)',
    )


def all_keys(settings: Settings, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return every key that is set, whatever it belongs to: none of them is ever shown or written."""
    values = [_value(home, env) for home in settings.keys]
    if settings.mcp:
        values += [env.get(server.key_env, "") for server in settings.mcp.values()]
    return tuple(dict.fromkeys(filter(None, values)))


def _value(home: KeyHome, env: Mapping[str, str]) -> str:
    """Return the key at *home*; empty when there is none."""
    if not home.kept:
        return env.get(home.variable, "") if home.variable else ""
    origin = origin_of(home.url)
    if key := read_kept(home.kept).get(origin):
        return key

    return fetch(origin)


def with_kept(named: tuple[KeyHome, ...], kept: Mapping[str, str], file: Path) -> tuple[KeyHome, ...]:
    """
    Return *named* with the keys *kept* in *file*: they come behind what was named, and before what is only standard.

    None is read from the keyring yet.
    """
    homes = [KeyHome("", origin, Origin("file", str(file) if key else KEYRING), file) for origin, key in kept.items()]
    return tuple(sorted([*homes, *named], key=lambda home: (home.origin.kind == "default", home.kept is not None)))


def read_kept(file: Path) -> Mapping[str, str]:
    """
    Return the kept keys by origin; an empty one is in the keyring.

    Raises: ConfigError: the file cannot be read, or is not as it was written.
    """
    try:
        with file.open("rb") as stream:
            kept = json.loads(stream.read(MAX_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}", f"chmod u+r {file}") from error
    except (ValueError, RecursionError):
        kept = None
    if isinstance(kept, dict) and all(is_http(origin) and isinstance(key, str) for origin, key in kept.items()):
        return kept
    raise ConfigError(
        f"{file}: is no file of keys", f"remove it, and set them again: rm {file}; cococat config set-key"
    )


def in_use(home: KeyHome, env: Mapping[str, str]) -> bool:
    """Return whether there is a key at *home*, without reading it."""
    return home.kept is not None or bool(env.get(home.variable))


def checked(value: str, home: KeyHome) -> Secret:
    """
    Return the key *value* of *home*.

    Raises: ConfigError: no request could carry it.
    """
    bad = next((char for char in value if char not in ALLOWED), "")
    if not bad:
        return Secret(value, home.name)
    if bad in "\"'`":
        what = "a quotation mark"
    elif bad in "\r\n":
        what = "a line break"
    elif bad.isspace():
        what = "a space"
    else:
        what = "a character that no key has"
    again = f"export {home.variable}=…" if home.variable else f"cococat config set-key {_short(origin_of(home.url))}"
    raise ConfigError(
        f"the key in {home.name} contains {what}", f"set it again, without quotes or line breaks: {again}"
    )


def _short(origin: str) -> str:
    default = {"https": ":443", "http": ":80"}[origin.partition(":")[0]]
    return origin.removesuffix(default)


def keep_key(file: Path, origin: str, key: str) -> str:
    """
    Keep *key* for *origin* and note in *file* where; return the place, as users are told.

    Raises: ConfigError: *file* is not as it was written. StorageError: it cannot be written.
    """
    kept = dict(read_kept(file))
    ring = _kept_in_keyring(origin, key)
    try:
        private_dir(file.parent)
        write_atomic(file, json.dumps({**kept, origin: "" if ring else key}, indent=2).encode() + b"\n")
    except OSError as error:
        hint = f"chmod u+w {file.parent}, or set COCOCAT_HOME"
        raise StorageError(f"{file}: cannot be written: {error.strerror}", hint) from error
    fetch.cache_clear()
    return KEYRING if ring else str(file)


@cache
def fetch(origin: str) -> str:
    """
    Return the key that the system keyring has for *origin*.

    Raises: ConfigError: it gives none.
    """
    found, why = None, "the package keyring is not installed, or finds none that is safe"
    if ring := _keyring():
        why = "it has none"
        try:
            found = ring.get_password(SERVICE, origin)
        except Exception as error:  # noqa: BLE001 - each backend raises what its system does
            why = type(error).__name__
    if found:
        return found
    again = f"cococat config set-key {origin}"
    raise ConfigError(
        f"the key for {origin} cannot be had from {KEYRING}: {why}", f"unlock it, or set it again: {again}"
    )


def _kept_in_keyring(origin: str, key: str) -> bool:
    """Return whether the system keyring has taken *key*: it gives it back."""
    with suppress(Exception):  # locked, refused, or no session to ask in: then the file keeps it
        if ring := _keyring():
            ring.set_password(SERVICE, origin, key)
            return ring.get_password(SERVICE, origin) == key
    return False


def _keyring() -> KeyringBackend | None:
    """Return the backend that `keyring` would take, or the first of a chain, if it recommends it: no plain text, no null."""
    try:
        from keyring import get_keyring
        from keyring.core import recommended
    except ImportError:
        return None
    chosen = get_keyring()
    chain = getattr(chosen, "backends", (chosen,))
    return next((backend for backend in chain if recommended(backend)), None)
