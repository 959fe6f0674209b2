"""Draw the README's picture: a real run on the embedded model, as its terminal showed it.

python docs/picture.py docs/run.svg "What does notes.txt say?"
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402 - the path must be set before the tests' terminal is found
from rich.text import Text  # noqa: E402 - as above

from tests.ui.pseudo_terminal import PseudoTerminal  # noqa: E402 - as above

COLUMNS, ROWS = 92, 14
NAMED = {"brown": "yellow"}


def styled(cell: object) -> str:
    """The Rich style of one cell of the screen."""
    colour = getattr(cell, "fg", "default")
    colour = NAMED.get(colour, colour)
    parts = ["bold"] if getattr(cell, "bold", False) else []
    parts += ["italic"] if getattr(cell, "italics", False) else []
    if re.fullmatch(r"[0-9a-f]{6}", colour):
        parts.append(f"#{colour}")
    elif colour != "default":
        parts.append(colour.replace("bright", "bright_"))
    return " ".join(parts)


def drawn(terminal: PseudoTerminal) -> Text:
    """The screen as text with its colours; neighbours of one style are one piece."""
    picture = Text()
    for y in range(ROWS):
        row = terminal.screen.buffer[y]
        for style, cells in groupby((row[x] for x in range(COLUMNS)), styled):
            picture.append("".join(cell.data for cell in cells), style)
        picture.rstrip()
        picture.append("\n")
    picture.rstrip()
    return picture


def main() -> None:
    """Ask the question in a folder with two small files, and write the SVG."""
    target, question = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "notes.txt").write_text("The launch is on Friday at 10.\nDana brings the cake.\n")
        Path(folder, "todo.md").write_text("# To do\n- call the printer\n")
        words = ["ask", "--mode", "react", "--root", folder, "--no-session", "--no-dream", question]
        env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        with PseudoTerminal("cococat", *words, env=env, rows=ROWS, columns=COLUMNS) as terminal:
            terminal.child.timeout = 300
            code = terminal.leave()
            picture = drawn(terminal)
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - drawn, not read
    console.print(Text(f'$ cococat ask --mode react "{question}"\n', style="bold"), picture, sep="")
    svg = console.export_svg(title="cococat")
    # the fonts would be fetched from elsewhere: whoever looks has a fixed-width font of their own
    svg = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    Path(target).write_text(svg, "utf-8")
    print(f"{target}: exit code {code}")


if __name__ == "__main__":
    main()
