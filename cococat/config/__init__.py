"""Settings: where they come from, what they may be, which key goes where."""

from cococat.config.folders import Folders, find_folders
from cococat.config.keys import Secret, all_keys, key_for
from cococat.config.load import load
from cococat.config.resolve import resolve
from cococat.config.settings import Options, Origin, Settings

__all__ = [
    "Folders",
    "Options",
    "Origin",
    "Secret",
    "Settings",
    "all_keys",
    "find_folders",
    "key_for",
    "load",
    "resolve",
]
