"""What tests of skills share: folders of skills, of which none is the machine's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest


def put(place: Path, name: str, text: str = "", files: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Write a skill into *place*, or one that says little; give its folder."""
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text or f"---\nname: {name}\ndescription: About {name}.\n---\nDo {name}.\n")
    for file, content in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content)
    return folder


@pytest.fixture
def user(home):
    """The place of skills in the user's home folder, not made yet."""
    return home / ".agents" / "skills"


@pytest.fixture
def own(home):
    """The place of skills beside the config file."""
    return home / "skills"


@pytest.fixture
def repository(tmp_path):
    """The place of skills of the repository that the tests run in."""
    (tmp_path / ".git").mkdir()
    return tmp_path / ".agents" / "skills"
