"""What the pages of the repository say of it is still so."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SOURCE = re.compile(r"Source: docs/(\w+\.md), (.+?)\.?$", re.MULTILINE)
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md", "docs/scripting.md", "docs/hooks.md")


def rows(page: str) -> set[str]:
    """The ids in the first column of a page's tables."""
    return set(re.findall(r"^\| ([^|]+?) \|", (DOCS / page).read_text(), re.MULTILINE))


def test_the_picture_of_the_rooms_is_drawn_from_the_imports_as_they_are():
    """`python docs/rooms.py > docs/rooms.svg` would change nothing."""
    drawn = subprocess.run([sys.executable, DOCS / "rooms.py"], capture_output=True, text=True, check=True).stdout

    assert drawn == (DOCS / "rooms.svg").read_text()


def test_the_picture_leaves_out_what_follows_from_a_longer_way_and_nothing_else():
    """Its arrows lead from each room to all that its imports lead to, and none of them can be spared."""
    rooms = runpy.run_path(str(DOCS / "rooms.py"))
    imports, reached = rooms["arrows"](), rooms["reached"]

    shown = rooms["shortest"](imports)

    assert len(shown) < len(imports)
    assert {room: reached(room, imports) for room in rooms["OWNS"]} == {
        room: reached(room, shown) for room in rooms["OWNS"]
    }
    assert [] == [one for one in shown if one[1] in reached(one[0], shown - {one})]


def test_the_table_of_rooms_says_of_each_what_it_imports():
    """Every package of ours has its row, and so has each room of the memory."""
    package = ROOT / "cococat"
    table = re.findall(r"^\| `([\w/.]+)` \|[^|]*\|([^|]*)\|", (DOCS / "architecture.md").read_text(), re.MULTILINE)
    told = {room: set(re.findall(r"\w+", names)) for room, names in table}
    inside = {f"memory/{path.name}" for path in (package / "memory").glob("[a-z]*") if path.name != "__pycache__"}

    imports = {room: set() for room in {path.parent.name for path in package.glob("*/__init__.py")} | {"errors"}}
    for room, other in runpy.run_path(str(DOCS / "rooms.py"))["arrows"]():
        imports[room].add(other)
    for room in inside:
        files = [package / room] if room.endswith(".py") else (package / room).glob("*.py")
        named = re.findall(r"\bcococat\.memory\.(\w+)", "".join(path.read_text() for path in files))
        imports[room] = set(named) - {Path(room).stem}

    assert imports == told


def test_every_row_of_the_register_is_explained():
    """Each id, and each resolution that took a row's place, has its row in docs/acceptance.md."""
    register = tomllib.loads((ROOT / "tests" / "acceptance.toml").read_text())
    named = {re.match(r'by resolution "([^"]+)"', str(row.get("superseded", ""))) for row in register.values()}

    assert set() == set(register) - rows("acceptance.md")
    assert set() == {found[1] for found in named if found} - rows("acceptance.md")


def cited() -> list[tuple[str, str, str]]:
    """Every source that a docstring names: file, page, and the place in it."""
    files = sorted((ROOT / "cococat").rglob("*.py"))
    return [(path.name, *found) for path in files for found in SOURCE.findall(path.read_text())]


@pytest.mark.parametrize(("file", "page", "place"), cited(), ids=lambda part: part.replace("/", "."))
def test_every_source_leads_to_a_place_in_the_repository(file, page, place):
    """An id leads to its row, a rule to its paragraph, a resolution to its name."""
    text = (DOCS / page).read_text()

    if found := re.fullmatch(r'resolution "(.+)"', place):
        assert found[1] in rows(page), file
    elif found := re.fullmatch(r"(\d\.\d) rules? (.+)", place):
        paragraph = re.search(rf"^\*\*{re.escape(found[1])} .*?(?=^\*\*|\Z)", text, re.MULTILINE | re.DOTALL)
        assert paragraph, file
        assert all(f"({number})" in paragraph[0] for number in re.findall(r"\d", found[2])), file
    else:
        assert set(place.split(", ")) <= rows(page), file


def test_no_docstring_names_a_page_that_is_not_here():
    """Sources are written in one way, so that the test above sees them all."""
    lines = [
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "cococat").rglob("*.py")
        for line in path.read_text().splitlines()
        if re.match(r"\s*Source:", line) and not SOURCE.search(line) and "docs/adr/" not in line
    ]

    assert [] == lines


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_path_of_a_page_leads_somewhere(page):
    """Relative links, and the files of the package that a page names, exist."""
    text = (ROOT / page).read_text()
    links = [link for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text) if "://" not in link]
    named = re.findall(
        r"`((?:app|cli|core|config|protocol|tools|model|store|ui|tests|docs|cococat)/[\w/.]+\.\w+)`", text
    )

    assert [] == [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert [] == [name for name in named if not (ROOT / name).exists() and not (ROOT / "cococat" / name).exists()]
