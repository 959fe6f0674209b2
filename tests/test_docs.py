"""What the pages of the repository say of it is still so."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cococat.config.settings import SECTIONS, rules
from cococat.core.public import SHAPES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SOURCE = re.compile(r"Source: docs/(\w+\.md), (.+?)\.?$", re.MULTILINE)
PAGES = (
    *("README.md", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "requirements/README.md"),
    *("docs/architecture.md", "docs/hooks.md", "docs/memory.md", "docs/permissions.md", "docs/scripting.md"),
    *("docs/mcp.md", "docs/sessions.md", "docs/skills.md", "docs/terminal.md"),
)
GROUPS = (
    "config ",
    "doctor ",
    "dream ",
    "mcp ",
    "memory ",
    "replay ",
    "sessions ",
    "skills ",
)  # pages leave `cococat` out before these


def rows(page: str) -> set[str]:
    """The ids in the first column of a page's tables."""
    return set(re.findall(r"^\| ([^|]+?) \|", (DOCS / page).read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def rooms() -> dict[str, Any]:
    """What draws the picture, which reads the whole package once."""
    return runpy.run_path(str(DOCS / "rooms.py"))


@pytest.mark.xdist_group("rooms")
def test_the_picture_of_the_rooms_is_drawn_from_the_imports_as_they_are(rooms):
    """`python docs/rooms.py > docs/rooms.svg` would change nothing."""
    assert rooms["drawn"]() == (DOCS / "rooms.svg").read_text()


@pytest.mark.xdist_group("rooms")
def test_the_picture_leaves_out_what_follows_from_a_longer_way_and_nothing_else(rooms):
    """Its arrows lead from each room to all that its imports lead to, and none of them can be spared."""
    imports, reached = rooms["arrows"](), rooms["reached"]

    shown = rooms["shortest"](imports)

    assert len(shown) < len(imports)
    assert {room: reached(room, imports) for room in rooms["OWNS"]} == {
        room: reached(room, shown) for room in rooms["OWNS"]
    }
    assert [] == [one for one in shown if one[1] in reached(one[0], shown - {one})]


@pytest.mark.xdist_group("rooms")
def test_the_table_of_rooms_says_of_each_what_it_imports(rooms):
    """Every package of ours has its row, and so has each room of the memory."""
    package = ROOT / "cococat"
    table = re.findall(r"^\| `([\w/.]+)` \|[^|]*\|([^|]*)\|", (DOCS / "architecture.md").read_text(), re.MULTILINE)
    told = {room: set(re.findall(r"\w+", names)) for room, names in table}
    inside = {f"memory/{path.name}" for path in (package / "memory").glob("[a-z]*") if path.name != "__pycache__"}

    imports = {room: set() for room in {path.parent.name for path in package.glob("*/__init__.py")} | {"errors"}}
    for room, other in rooms["arrows"]():
        imports[room].add(other)
    for room in inside:
        files = [package / room] if room.endswith(".py") else (package / room).glob("*.py")
        named = re.findall(r"\bcococat\.memory\.(\w+)", "".join(path.read_text() for path in files))
        imports[room] = set(named) - {Path(room).stem}

    assert imports == told


def test_the_map_names_every_room():
    """AGENTS.md leads through all of the house."""
    rooms = {path.parent.name for path in (ROOT / "cococat").glob("*/__init__.py")}

    assert set() == rooms - set(re.findall(r"`(\w+)/", (ROOT / "AGENTS.md").read_text()))


def test_the_page_for_scripts_names_every_event_that_they_may_see():
    """Whoever adds one is told where it belongs."""
    named = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "scripting.md").read_text("utf-8")))

    assert set() == {name for name, _ in SHAPES.values()} - named


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
        r"(?<![\w/])((?:app|cli|config|context|core|memory|model|permissions|prompts|protocol|safety|skills|store|system|tools|ui"
        r"|bench|docs|tests|cococat)/[\w/]+\.\w+)",
        text,
    )

    assert [] == [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert [] == [name for name in named if not (ROOT / name).exists() and not (ROOT / "cococat" / name).exists()]


@pytest.fixture(scope="module")
def commands() -> dict[str, tuple[set[str], set[str]]]:
    """The commands and the flags below each command, as completion offers them."""
    words = [sys.executable, "-m", "cococat", "completion", "bash"]
    script = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ +'([^']*)'\)\n +commands='([^']*)'\n +flags='([^']*)'", script, re.MULTILINE)
    return {place: (set(below.split()), set(flags.split())) for place, below, flags in found}


def code(page: str) -> list[str]:
    """What a page sets as code: spans, and lines of shell."""
    text = (ROOT / page).read_text()
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    spans = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return [*blocks.splitlines(), *(re.sub(r"\s+", " ", span) for span in spans)]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_flag_that_a_page_names_is_there(page, commands):
    """Whoever pastes one from a page is not told that it is unknown."""
    unknown = []
    for line in code(page):
        shell = re.search(r"(?:^|\(|\| )cococat ([a-z-].*)", line.partition("#")[0])
        words = shell[1] if shell else line if line.startswith(GROUPS) else ""
        place = ""
        for word in words.partition(" -- ")[0].split():
            below, flags = commands[place]
            if word in below:
                place += f" {word}"
            elif re.fullmatch(r"--?[a-z][a-z-]*|[a-z]+" if below else r"--?[a-z][a-z-]*", word) and word not in flags:
                unknown.append((line, word))

    assert [] == unknown


@pytest.mark.parametrize("page", PAGES)
def test_every_setting_that_a_page_names_is_one(page):
    """`section.key`, as `cococat config set` takes it."""
    sections = "|".join(SECTIONS)
    named = [one for span in code(page) for one in re.findall(rf"(?<![\w./])(?:{sections})\.[a-z_]+\b", span)]

    assert set() == {one for one in named if not one.endswith((".md", ".py"))} - set(rules())
