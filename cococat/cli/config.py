"""`config`: the settings, where each came from, and how to change them."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from cococat.cli.flags import Command, Flag, Invocation, Job, path_of, settings_of, shared, text_of
from cococat.config import Settings, find_folders, load, show, write
from cococat.config.keys import KEPT, KEYRING, checked, in_use
from cococat.config.layers import no_server, profile_steps, server_steps, unknown_key
from cococat.config.settings import KeyHome, Origin, rules
from cococat.config.values import check_url, masked_value, toml
from cococat.errors import UsageError
from cococat.system.urls import origin_of

MAX_KEY = 16384  # bytes


def _path(given: Invocation) -> Job:
    return partial(_say, str(_file(given)))


def _show(given: Invocation) -> Job:
    return partial(_print_all, settings_of(given), as_json=given.has("--json"))


def _init(given: Invocation) -> Job:
    return partial(_make, _file(given))


def _get(given: Invocation) -> Job:
    (key,) = given.words
    if server := server_steps(key):
        servers = settings_of(given).mcp
        if server[0] not in servers:
            raise no_server(server[0])
        value = getattr(servers[server[0]], server[1])
        return partial(_say, value if isinstance(value, str) else toml(value))
    if steps := profile_steps(key):
        # what the profile itself comes to, whatever the environment says
        settings, name = load(_file(given), {}, {"profile": steps[0]}), f"model.{steps[1]}"
    else:
        settings, name = settings_of(given), key
    if name not in rules():
        raise unknown_key(key, rules())
    value = show.value_of(settings, name)
    return partial(_say, value if isinstance(value, str) else toml(value))


def _set(given: Invocation) -> Job:
    key, value = given.words
    return partial(_change, _file(given), key, text_of(value))


def _set_key(given: Invocation) -> Job:
    settings = settings_of(given)
    url = given.words[0] if given.words else settings.model.base_url
    if trouble := check_url(url):
        raise UsageError(
            f"set-key: {masked_value(url)}: {trouble}", "e.g. cococat config set-key https://api.openai.com"
        )
    return partial(_keep, given, origin_of(url))


def _file(given: Invocation) -> Path:
    return path_of(given.text("--config")) or find_folders(os.environ).config_file


def _print_all(settings: Settings, *, as_json: bool) -> int:
    found, keys = show.rows(settings), show.key_rows(settings, os.environ)
    if as_json:
        everything = {
            "file": str(settings.file) if settings.file else None,
            "settings": show.as_json(found),
            "keys": show.as_json(keys),
        }
        return _say(json.dumps(everything, indent=2))
    from cococat.app.output import columns

    return _say(show.as_text([*found, *keys], columns()))


def _make(file: Path) -> int:
    write.init(file)
    _note(f"{file} shows every setting and changes none; edit it, or: cococat config set KEY VALUE")
    return 0


def _change(file: Path, key: str, value: str) -> int:
    written = write.set_value(file, key, value)
    _note(f"{key} = {toml(written)} in {file}")
    return 0


def _keep(given: Invocation, origin: str) -> int:
    """Read a key, keep it, and say where it is, and what else is sent instead of it."""
    from cococat.config.keys import keep_key

    file = find_folders(os.environ).config_file.with_name(KEPT)
    key = _typed(origin)
    if not key:
        raise UsageError("set-key: nothing was typed, and nothing is changed", f"cococat config set-key {origin}")
    checked(key, KeyHome("", origin, Origin("flag", "what was typed"), file))
    place = keep_key(file, origin, key)
    _note(f"the key for {origin} is in {place}")
    if place != KEYRING and not find_spec("keyring"):
        _note(f"with the package keyring it would be in {KEYRING}: pip install 'cococat[keyring]'")
    here = (home for home in settings_of(given).keys if origin_of(home.url) == origin)
    first = next(home for home in here if in_use(home, os.environ) or not home.variable)
    if not first.kept:
        _note(f"{first.name} goes before it")
    return 0


def _typed(origin: str) -> str:
    """Read one line: unseen from a terminal, as it comes from a pipe."""
    if sys.stdin is None or not sys.stdin.isatty():
        line = sys.stdin.buffer.readline(MAX_KEY) if sys.stdin else b""
        return line.decode("utf-8", "replace").strip()
    from getpass import getpass

    try:
        return getpass(f"key for {origin} (not shown): ", sys.stderr).strip()
    except EOFError:
        return ""


def _say(text: str) -> int:
    sys.stdout.write(text + "\n")
    return 0


def _note(text: str) -> None:
    from cococat.app.output import note

    note(text)


FILE = shared("config")
CONFIG = Command(
    "See and change the settings.",
    examples=("cococat config init", "cococat config set model.name gpt-4.1-mini", "cococat config show"),
    below={
        "path": Command(
            "Print where the config file is.",
            _path,
            FILE,
            examples=("cococat config path", '"$EDITOR" "$(cococat config path)"', 'ls -l "$(cococat config path)"'),
        ),
        "show": Command(
            "Print every setting and where it came from.",
            _show,
            [Flag("--json", "", "For machines."), *shared("config", "profile", "model", "base-url")],
            examples=("cococat config show", "cococat config show --json | jq .file", "cococat config show -P local"),
        ),
        "init": Command(
            "Write a config file that explains itself.",
            _init,
            FILE,
            examples=(
                "cococat config init",
                "cococat config init --config work.toml",
                'cococat config init && "$EDITOR" "$(cococat config path)"',
            ),
        ),
        "get": Command(
            "Print one setting, such as model.name.",
            _get,
            shared("config", "profile"),
            ["KEY"],
            1,
            examples=(
                "cococat config get model.name",
                "cococat config get permissions.allow",
                "cococat config get profiles.local.name",
            ),
        ),
        "set": Command(
            "Change one in the file, such as model.name or profiles.local.name.",
            _set,
            FILE,
            ["KEY", "VALUE"],
            2,
            examples=(
                "cococat config set model.name gpt-4.1-mini",
                "cococat config set terminal.theme light",
                "cococat config set profiles.local.base_url http://127.0.0.1:11434/v1",
            ),
        ),
        "set-key": Command(
            "Keep the key of an endpoint; it is typed unseen, or read from a pipe.",
            _set_key,
            shared("config", "profile", "base-url"),
            ["ORIGIN"],
            examples=(
                "cococat config set-key",
                "cococat config set-key https://api.mistral.ai",
                "pass show openai | cococat config set-key",
            ),
        ),
    },
)
