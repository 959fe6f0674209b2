"""The reference library of the format, skills-ref, as an oracle: `./coco test -m slow tests/skills`."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.skills.conftest import put
from tests.skills.shapes import SHAPES, written
from tests.skills.test_poison import POISONED

PROGRAM = os.environ.get("TESTS_SKILLS_REF") or shutil.which("agentskills")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM, reason="skills-ref is not installed: its program agentskills is not on PATH"),
]


def valid(folder):
    """Whether skills-ref finds nothing wrong with the skill in *folder*."""
    return not subprocess.run([PROGRAM, "validate", folder], capture_output=True, check=False, timeout=60).returncode


def used(cococat, folder):
    """Whether it is used here, and whether anything is noted."""
    ran = cococat("skills", "check", folder)
    return "ok    " in ran.stdout, "note  " in ran.stdout


def test_all_shapes_but_the_one_that_is_too_long_are_valid(cococat, own):
    """And here that one is used as well, with its description cut."""
    folders = written(own)

    assert [SHAPES[3][0]] == [folder.name for folder in folders if not valid(folder)]
    assert [True] * len(folders) == [used(cococat, folder)[0] for folder in folders]


@pytest.mark.parametrize("name", [name for name, (made, *_) in POISONED.items() if isinstance(made, str)])
def test_what_is_valid_is_used_and_what_is_not_is_noted_or_left_out(cococat, own, name):
    """Nothing that the format allows is left out, but for anchors and sizes; nothing else is used in silence."""
    folder = put(own, "one", POISONED[name][0])

    is_used, is_noted = used(cococat, folder)

    assert not valid(folder) or is_used or name in ("9 KiB of frontmatter", "10 MB", "300 KiB")
    assert valid(folder) or is_noted or not is_used
