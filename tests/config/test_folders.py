"""Where cococat keeps its files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cococat.config import find_folders
from cococat.errors import ConfigError


def test_one_variable_moves_everything():
    """COCOCAT_HOME holds all that cococat keeps."""
    folders = find_folders({"COCOCAT_HOME": "/h"})

    assert tuple(map(Path, ("/h/config.toml", "/h/sessions", "/h/memory", "/h/state", "/h/cache"))) == (
        folders.config_file,
        folders.sessions,
        folders.memory,
        folders.state,
        folders.cache,
    )


@pytest.mark.parametrize("value", ["x", "./x", "../x", "~/x"])
def test_a_relative_home_is_refused(value):
    """A relative COCOCAT_HOME would take settings and memory from the working folder."""
    with pytest.raises(ConfigError) as caught:
        find_folders({"COCOCAT_HOME": value})

    assert "absolute" in caught.value.message
    assert "COCOCAT_HOME" in caught.value.hint


def test_without_it_the_platform_decides(monkeypatch):
    """An empty COCOCAT_HOME counts as unset; the folders are absolute and end in our name."""
    monkeypatch.setenv("COCOCAT_HOME", "")
    monkeypatch.setenv("HOME", "/home/somebody")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    folders = find_folders(os.environ)

    assert all(place.is_absolute() and "cococat" in place.parts for place in (folders.config_file, folders.state))
    assert "/home/somebody" in str(folders.sessions)


@pytest.mark.skipif(os.name != "posix", reason="HOME is a POSIX variable")
@pytest.mark.parametrize("value", ["", "relative/home"])
def test_a_home_that_is_none_is_an_error_with_a_fix(monkeypatch, value):
    """An empty or relative HOME stops the command before it writes into the wrong place."""
    monkeypatch.delenv("COCOCAT_HOME", raising=False)
    monkeypatch.setenv("HOME", value)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(ConfigError) as caught:
        find_folders(os.environ)

    assert "COCOCAT_HOME" in caught.value.hint
