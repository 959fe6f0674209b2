"""
Seventeen skills in the shapes of public ones, of the tests' own making: sizes, files, spellings of frontmatter.

Public: SHAPES, written.
"""

from __future__ import annotations

from pathlib import Path

# name, words of the description, words of the body, files beside it
SHAPES = (
    ("art-by-code", 48, 2600, ("templates/viewer.html",)),
    ("brand-rules", 40, 330, ()),
    ("poster-design", 44, 1700, ("fonts/LICENSE.txt",)),
    ("model-api", 220, 12000, ("python/README.md", "shared/errors.md", "shared/models.md")),
    ("write-together", 60, 2200, ()),
    ("documents", 90, 2400, ("scripts/unpack.py", "scripts/pack.py", "ooxml.md")),
    ("web-design", 56, 560, ()),
    ("memos", 52, 240, ("examples/newsletter.md", "examples/faq.md")),
    ("server-builder", 46, 1300, ("reference/practices.md", "scripts/connections.py")),
    ("pdf", 62, 1050, ("forms.md", "reference.md", "scripts/fill_form.py")),
    ("slides", 84, 1400, ("editing.md", "scripts/thumbnail.py")),
    ("skill-maker", 50, 4700, ("scripts/package.py", "agents/grader.md")),
    ("animated-pictures", 40, 1100, ("core/easing.py", "requirements.txt")),
    ("themes", 44, 440, ("themes/ocean.md", "themes/forest.md")),
    ("web-artifacts", 38, 430, ("scripts/init.sh", "scripts/bundle.sh")),
    ("web-testing", 42, 600, ("examples/console.py", "scripts/with_server.py")),
    ("sheets", 120, 1500, ("recalc.py",)),
)
FRONT = (
    "name: {name}\ndescription: {words}\nlicense: Complete terms in LICENSE.txt",
    'name: {name}\ndescription: "{words}"\nlicense: Proprietary. LICENSE.txt has the terms',
    "name: {name}\ndescription: >-\n  {words}\nmetadata:\n  version: '1.0'\n  author: a-team",
    "name: {name}\ndescription: |\n  {words}",
    "description: {words}\nname: {name}\ncompatibility: Python 3.11 or newer",
)
WORDS = ("create", "edit", "analyze", "files", "when", "the", "user", "asks", "for", "a", "report", "with", "tables")


def written(place: Path) -> list[Path]:
    """Write them into *place*; give their folders."""
    folders = []
    for number, (name, long, size, files) in enumerate(SHAPES):
        words = " ".join(WORDS[(number + at) % len(WORDS)] for at in range(long))
        words = f"{name} work {words}".capitalize() + "."
        body = "\n".join(
            f"{'## ' if at % 9 == 0 else '- '}{' '.join(WORDS[(number + at + n) % len(WORDS)] for n in range(10))}"
            for at in range(size // 10)
        )
        folder = place / name
        folder.mkdir(parents=True)
        front = FRONT[number % len(FRONT)].format(name=name, words=words)
        (folder / "SKILL.md").write_text(f"---\n{front}\n---\n\n# {name}\n\n{body}\n")
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(f"about {file}\n")
        folders.append(folder)
    return folders
