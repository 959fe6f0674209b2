"""`config`: the settings, where each came from, and how to change them."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path

from cococat.cli.flags import Command, Flag, Invocation, Job, path_of, settings_of, shared, text_of
from cococat.config import Settings, find_folders, load, show, write
from cococat.config.layers import profile_steps, unknown_key
from cococat.config.settings import rules
from cococat.config.values import toml

__all__ = ["CONFIG"]


def _path(given: Invocation) -> Job:
    return partial(_say, str(_file(given)))


def _show(given: Invocation) -> Job:
    return partial(_print_all, settings_of(given), as_json=given.has("--json"))


def _init(given: Invocation) -> Job:
    return partial(_make, _file(given))


def _get(given: Invocation) -> Job:
    (key,) = given.words
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
    },
)
