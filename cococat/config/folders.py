"""Where cococat keeps its files. Nothing is created here: whoever writes creates, with 0700 and 0600."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cococat.errors import ConfigError

HINT = "set COCOCAT_HOME to the absolute path of a folder you may write, e.g. export COCOCAT_HOME=/tmp/cococat"


@dataclass(frozen=True, slots=True)
class Folders:
    """Absolute paths of everything cococat keeps; none of them need exist."""

    config_file: Path
    sessions: Path
    memory: Path
    state: Path
    cache: Path


def find_folders(env: Mapping[str, str]) -> Folders:
    """
    Return the folders of this user: all below COCOCAT_HOME if that is set, else the platform's own.

    Raises: ConfigError: COCOCAT_HOME or the home folder is not an absolute path.
    """
    if home := env.get("COCOCAT_HOME", ""):
        own = Path(home)
        if not own.is_absolute():  # a relative one would take settings and memory from the working folder
            raise ConfigError(f"COCOCAT_HOME must be an absolute path, got {home!r}", HINT)
        return Folders(own / "config.toml", own / "sessions", own / "memory", own / "state", own / "cache")
    return _of_platform(env)


def _of_platform(env: Mapping[str, str]) -> Folders:
    from platformdirs import PlatformDirs

    folders = PlatformDirs("cococat", appauthor=False)
    config, data = Path(folders.user_config_dir), Path(folders.user_data_dir)
    state, cache = Path(folders.user_state_dir), Path(folders.user_cache_dir)
    # an empty HOME would mean the root of the disk, a relative one the working folder
    lost = os.name == "posix" and not Path(env.get("HOME", "/")).is_absolute()
    xdg = all(env.get(name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"))
    if lost and not xdg:
        raise ConfigError("HOME is no absolute path, so there is no place for settings and sessions", HINT)
    for place in (config, data, state, cache):
        if not place.is_absolute():
            raise ConfigError(f"there is no home folder: {str(place)!r} is not an absolute path", HINT)
    return Folders(config / "config.toml", data / "sessions", data / "memory", state, cache)
