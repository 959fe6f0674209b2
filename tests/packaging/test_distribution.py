"""What is built of the project: the wheel, the sdist and what an index shows of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGETS = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)[^)]*\)|<(?:img|a)\b[^>]*?(?:src|href)=[\"']?([^\"'\s>]+)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both; gives their folder."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    return folder


def wheel_of(folder: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def metadata_of(folder: Path) -> Message:
    with wheel_of(folder) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(wheel.read(name))


def test_the_page_on_an_index_points_at_nothing_that_only_a_checkout_has(built):
    """Its pictures and links are addresses or places on the page itself; its words are those of README.md."""
    page = metadata_of(built).get_payload(decode=True).decode()

    targets = [first or second for first, second in TARGETS.findall(page)]
    assert [] == [target for target in targets if not target.startswith(("https://", "#"))]
    assert page.startswith("# cococat\n")
    assert "## Honest limits" in page
    assert "every setting with its\n  default is in config.example.toml" in page


def test_no_address_is_made_up(built):
    """There is no public page yet, so the metadata names none."""
    metadata = metadata_of(built)

    assert None is metadata.get_all("Project-URL")
    assert None is metadata["Home-page"]
    assert ("text/markdown", "MIT") == (metadata["Description-Content-Type"], metadata["License-Expression"])


def test_the_wheel_holds_the_package_its_prompts_and_its_types_alone(built):
    """Type checkers read `py.typed`; prompts are read at run time; tests stay at home."""
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "cococat").rglob("*") if path.is_file()}

    with wheel_of(built) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert held == {file for file in files if "__pycache__" not in file}
    assert "cococat/py.typed" in held
    assert any(name.startswith("cococat/prompts/") for name in held)


def test_the_sdist_builds_the_same_wheel(built, tmp_path):
    """Whoever builds from source gets what was published, byte for byte."""
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        if hasattr(tarfile, "data_filter"):  # Debian 12 has Python 3.11.2, which knows none yet
            sdist.extraction_filter = tarfile.data_filter
        sdist.extractall(tmp_path)
    source = next(tmp_path.iterdir())

    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again"]
    subprocess.run(words, cwd=source, check=True, capture_output=True)

    again = next((tmp_path / "again").glob("*.whl"))
    assert next(built.glob("*.whl")).read_bytes() == again.read_bytes()
    assert {"README.md", "LICENSE", "CHANGELOG.md", "config.example.toml", "tests", "docs"} <= {
        p.name for p in source.iterdir()
    }
