"""Which folder tools may see, when nobody names one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripted import says


@pytest.mark.parametrize("where", ["home", "system"])
def test_a_home_or_a_whole_system_is_seen_only_when_it_is_named(ask, scripted, tmp_path, where):
    """Started there by chance, a run ends with 2 and both ways out; --root and --no-tools go on."""
    folder = tmp_path if where == "home" else Path("/")
    env = {"HOME": str(tmp_path)}

    refused = ask(scripted(), "hi", cwd=folder, env=env)
    named = ask(scripted(says("hello")), "--root", folder, "hi", cwd=folder, env=env)
    bare = ask(scripted(says("hello")), "--no-tools", "hi", cwd=folder, env=env)

    assert (2, "") == (refused.code, refused.stdout)
    assert f"--root {folder}" in refused.stderr
    assert "--no-tools" in refused.stderr
    assert ["hello\n", "hello\n"] == [named.stdout, bare.stdout]


def test_a_folder_below_the_home_needs_no_flag(ask, scripted, tmp_path):
    """Nearly every run starts in one."""
    project = tmp_path / "project"
    project.mkdir()

    assert "hello\n" == ask(scripted(says("hello")), "hi", cwd=project, env={"HOME": str(tmp_path)}).stdout
