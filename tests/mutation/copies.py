"""A copy of the tree, to be broken.

Public: ROOT, copied.
"""

from __future__ import annotations

import compileall
import shutil
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copied(folder: Path, names: Sequence[str]) -> Path:
    """Copy the files and folders of these names, compiled, so that a change costs the compiling of one file."""
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    compileall.compile_dir(folder, quiet=2)
    return folder
