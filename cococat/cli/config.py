"""`config`: the settings, where each came from, and how to change them."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cococat.cli import flags as f
from cococat.config import Settings, folders, load, show, write
from cococat.config.layers import profile_steps, unknown_key
from cococat.config.settings import rules
from cococat.config.values import toml

__all__ = ["commands"]

AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]
Key = Annotated[str, typer.Argument(metavar="KEY", hidden=True)]


def commands() -> typer.Typer:
    """The group `config`."""
    group = typer.Typer(help="See and change the settings.")
    group.command("path", help="Print where the config file is.")(_path)
    group.command("show", help="Print every setting and where it came from.")(_show)
    group.command("init", help="Write a config file that explains itself.")(_init)
    group.command("get", help="Print one setting, such as model.name.")(_get)
    group.command("set", help="Change one in the file, such as model.name or profiles.local.name.")(_set)
    return group


def _path(config: f.Config = None) -> f.Job:
    return partial(_say, str(_file(config)))


def _show(
    as_json: AsJson = False,
    config: f.Config = None,
    profile: f.Profile = None,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
) -> f.Job:
    settings = f.settings_of(config, profile=profile, model__name=model, model__base_url=base_url)
    return partial(_print_all, settings, as_json=as_json)


def _init(config: f.Config = None) -> f.Job:
    return partial(_make, _file(config))


def _get(key: Key, config: f.Config = None, profile: f.Profile = None) -> f.Job:
    if steps := profile_steps(key):
        # what the profile itself comes to, whatever the environment says
        settings, name = load(_file(config), {}, {"profile": steps[0]}), f"model.{steps[1]}"
    else:
        settings, name = f.settings_of(config, profile=profile), key
    if name not in rules():
        raise unknown_key(key, rules())
    value = show.value_of(settings, name)
    return partial(_say, value if isinstance(value, str) else toml(value))


def _set(
    key: Key, value: Annotated[str, typer.Argument(metavar="VALUE", hidden=True)], config: f.Config = None
) -> f.Job:
    return partial(_change, _file(config), key, f.text_of(value))


def _file(config: str | None) -> Path:
    return f.path_of(config) or folders(os.environ).config_file


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
