"""Writing the config file: keeps comments and layout, and writes nothing that could not be read back."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path

from cococat.config.example import example
from cococat.config.layers import checked, no_server, profile_steps, server_steps, unknown_key
from cococat.config.load import parsed, read
from cococat.config.resolve import resolve
from cococat.config.settings import SERVER, Origin, rules
from cococat.config.values import Value, parse
from cococat.errors import ConfigError, StorageError
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir


def init(path: Path) -> None:
    """
    Write a file that shows every setting and changes none.

    Raises: ConfigError: there is a file already. StorageError: it cannot be written.
    """
    if os.path.lexists(path):
        raise ConfigError(f"{path}: there is a file already, and it stays as it is", "cococat config set KEY VALUE")
    _write(path, example(live=False))


def set_value(path: Path, key: str, text: str) -> Value:
    """
    Set *key* to what *text* says, in the file at *path*, which is made if need be.

    Raises: ConfigError: key or value is wrong; the file is as it was. StorageError: it cannot be written.
    """
    value = _value(key, text)
    if server := server_steps(key):
        match read(path, missing_ok=True).data.get("mcp"):
            case {"servers": dict() as servers} if server[0] in servers:
                pass
            case _:
                raise no_server(server[0])
    profile = profile_steps(key)
    after = _changed(path, ["profiles", *profile] if profile else key.split("."), value)
    _write(path, after, profile[0] if profile else "")
    return value


def set_server(path: Path, name: str, server: Mapping[str, Value] | None) -> None:
    """
    Write `[mcp.servers.NAME]` into the file at *path*, which is made if need be; None removes it.

    Raises: ConfigError: it may not be that, or there is none to remove. StorageError: it cannot be written.
    """
    _write(path, _changed(path, ["mcp", "servers", name], server))


def _changed(path: Path, steps: Sequence[str], value: Value | None) -> str:
    """
    Return the text of the file at *path* with *value* at the end of *steps*; None takes away what is there.

    Raises: ConfigError: the file cannot be read or changed.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    before = read(path, missing_ok=True)
    try:
        document = tomlkit.parse(before.text)
        *tables, name = steps
        table: MutableMapping[str, object] = document
        for step in tables:
            inner = table.setdefault(step, tomlkit.table(is_super_table=step == "mcp"))
            if not isinstance(inner, MutableMapping):
                raise ConfigError(f"{before.places.get(step, path)}: {step}: wanted a table", f"write it as [{step}]")
            table = inner
        if value is None:
            table.pop(name, None)
        else:
            table[name] = (
                list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
            )
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ConfigError(
            f"{path}: cannot be changed by a program: {error}", f"open it in an editor: {path}"
        ) from error


def add_rule(path: Path, rule: str) -> None:
    """
    Add *rule* to `permissions.allow` in the file at *path*, which is made if need be.

    Raises: ConfigError: the file cannot be read or changed. StorageError: it cannot be written.
    """
    match read(path, missing_ok=True).data.get("permissions"):
        case {"allow": list() as known}:
            rules = [str(each) for each in known]
        case _:
            rules = []
    if rule not in rules:
        set_value(path, "permissions.allow", json.dumps([*rules, rule]))


def _value(key: str, text: str) -> Value:
    """
    Read *text* as the value of a setting, also of one inside a profile or of a server.

    Raises: ConfigError: there is no such setting, or it may not be that.
    """
    if server := server_steps(key):
        return checked(SERVER, server[1], parse(SERVER[server[1]], text), Origin("flag", key), key).value
    known, steps = rules(), profile_steps(key)
    if key == "profiles" or (key.startswith("profiles.") and steps is None):
        raise ConfigError(f"{key}: a profile is no setting", "name one in it, e.g. profiles.local.base_url")
    setting = f"model.{steps[1]}" if steps else key
    if setting not in known:
        raise unknown_key(key, known)
    return checked(known, setting, parse(known[setting], text), Origin("flag", key), key).value


def _write(path: Path, text: str, profile: str = "") -> None:
    """
    Replace the file at *path* in one step; a link to it stays a link.

    Args:
        profile: in which something has changed: its URL is checked against the rest only when it is the one in force.
    Raises: ConfigError: the next start would refuse it. StorageError: it cannot be written.
    """
    document = parsed(path, text)
    for flags in ({}, {"profile": profile}) if profile else ({},):
        resolve(document.data, {}, flags, document.places)
    goal = Path(os.path.realpath(path))
    try:
        private_dir(goal.parent)
        write_atomic(goal, text.encode())
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror or error}"
        raise StorageError(message, "free some space, or check who owns the folder, or set COCOCAT_HOME") from error
