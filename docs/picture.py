"""Draw the pictures of the documentation: a run in the chat, and what `sessions export --format html` makes of it.

    python docs/picture.py run [--columns 92] [--rows 40]   # docs/run-dark.svg, docs/run-light.svg
    python docs/picture.py export                           # docs/export.png; needs Chromium

The run is a real one, a chat on a terminal of its own whose tools read, build and edit real files, and the picture is
what stood on the screen then. Only the model's words are a script: what they should be is known.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import pyte  # noqa: E402 - the path must be set before the tests' terminal is found
from rich.console import Console  # noqa: E402 - as above
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI, TerminalTheme  # noqa: E402 - as above
from rich.text import Text  # noqa: E402 - as above

from tests.screens import ready  # noqa: E402 - as above
from tests.scripted import calls, says, serve  # noqa: E402 - as above
from tests.scripted.turns import Turn  # noqa: E402 - as above
from tests.ui.pseudo_terminal import PseudoTerminal  # noqa: E402 - as above

QUESTION = "change the port to 9090"
THEMES: dict[str, TerminalTheme] = {"dark": DIMMED_MONOKAI, "light": DEFAULT_TERMINAL_THEME}
NAMED = {"brown": "yellow"}
FAINT = "blink"  # pyte knows no faint text; ours never blinks
SOURCE = 'import http\n\nHOST = "127.0.0.1"\nPORT = 8080\n\n\ndef main() -> None:\n    http.serve(HOST, PORT)\n'
MAKEFILE = "build:\n\t@for step in 1 2 3 4 5 6; do echo building step $$step; sleep 0.2; done; echo 'warning: x'\n"
CHROMIUM = (
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


def replayed(raw: bytes, columns: int, rows: int) -> pyte.HistoryScreen:
    """The screen that *raw* leaves, faint text included."""
    screen = pyte.HistoryScreen(columns, rows, history=1000)
    faint = re.sub(rb"\x1b\[([\d;]*)m", lambda found: b"\x1b[" + re.sub(rb"\b2\b", b"5", found[1]) + b"m", raw)
    pyte.ByteStream(screen).feed(faint)
    return screen


def script() -> Iterator[Turn]:
    """What the model says, in the steps of the turn."""
    change = {"path": "src/server.py", "old_text": "PORT = 8080", "new_text": "PORT = 9090"}
    looks = (("list_dir", {"path": "."}), ("grep_search", {"pattern": "PORT"}), ("read_file", {"path": "nope.py"}))
    yield calls(*looks, text="The port is set somewhere in src; find it.")
    yield calls(("read_file", {"path": "src/server.py"}), ("run_shell", {"command": "make build"}))
    yield calls(("edit_file", change))
    yield says(
        "Done. The port is now **9090** in `src/server.py`.\n\n- the build passes, with a warning\n- `nope.py` is gone"
    )


@contextmanager
def folder() -> Iterator[Path]:
    """A small project, and beside it a home of its own."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name, "work")
        (work / "src").mkdir(parents=True)
        (work / "src" / "server.py").write_text(SOURCE)
        (work / "Makefile").write_text(MAKEFILE)
        yield work


def chat(work: Path, theme: str, columns: int, rows: int) -> Text:
    """Run the turn; what the screen showed of it, from the question to what it cost."""
    home = work.parent / "home"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f'[terminal]\ntheme = "{theme}"\n[memory]\nmode = "off"\n')
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env |= {"COCOCAT_HOME": str(home), "LANG": "C.UTF-8"}
    with serve(*script()) as server:
        words = ["chat", "--base-url", server.base_url, "-m", "scripted", "--root", str(work)]
        words += ["--allow", "run_shell(make build)", "--allow", "edit_file(src/**)"]
        with PseudoTerminal("cococat", *words, env=env, rows=rows, columns=columns) as terminal:
            terminal.until(ready)
            terminal.press(f"{QUESTION}\r")
            terminal.until(lambda text: " tokens · " in text and ready(text))
            picture = drawn(replayed(terminal.raw, columns, rows), columns)
            terminal.press("\x04")
            terminal.leave()
    return picture


def drawn(screen: pyte.HistoryScreen, columns: int) -> Text:
    """The rows of the turn with their colours; neighbours of one style are one piece."""
    rows = [*screen.history.top, *(screen.buffer[y] for y in range(screen.lines))]
    plain = ["".join(row[x].data for x in range(columns)).rstrip() for row in rows]
    first = next(at for at, words in enumerate(plain) if words.endswith(QUESTION))
    last = next(at for at, words in enumerate(plain) if " tokens · " in words)
    picture = Text()
    for row in rows[first : last + 1]:
        line = Text()
        for style, cells in groupby((row[x] for x in range(columns)), styled):
            line.append("".join(cell.data for cell in cells), style)
        line.rstrip()
        picture.append_text(line).append("\n")
    picture.rstrip()
    return picture


def styled(cell: object) -> str:
    """The Rich style of one cell of the screen."""
    colour = getattr(cell, "fg", "default")
    colour = NAMED.get(colour, colour)
    parts = [
        word for name, word in (("bold", "bold"), ("italics", "italic"), (FAINT, "dim")) if getattr(cell, name, False)
    ]
    return " ".join([*parts, *([colour.replace("bright", "bright_")] if colour != "default" else [])])


def run(columns: int, rows: int, target: Path) -> None:
    """Write the run as SVG, once for each kind of background."""
    for theme, colours in THEMES.items():
        with folder() as work:
            picture = chat(work, theme, columns, rows)
        console = Console(record=True, width=columns, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - drawn, not read
        console.print(picture)
        svg = console.export_svg(title="cococat", theme=colours, unique_id=f"run-{theme}")
        # the fonts would be fetched from elsewhere: whoever looks has a fixed-width font of their own
        svg = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
        (target / f"run-{theme}.svg").write_text(svg, "utf-8")
        print(target / f"run-{theme}.svg")


def export(target: Path) -> None:
    """Write a picture of the page, on a light and on a dark desktop, as Chromium shows it."""
    with folder() as work:
        chat(work, "dark", 92, 40)
        home = work.parent / "home"
        env = {**os.environ, "COCOCAT_HOME": str(home)}
        session = next((home / "sessions").glob("*.jsonl")).stem
        words = [sys.executable, "-m", "cococat", "sessions", "export", session, "--format", "html"]
        page = subprocess.run(words, env=env, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        # one step is open, as a reader opens it
        page = page.replace('"><summary>observe run_shell', '" open><summary>observe run_shell')
        (work / "page.html").write_text(page, "utf-8")
        frames = "".join(
            f'<iframe src="page.html" style="color-scheme:{theme}"></iframe>' for theme in ("light", "dark")
        )
        style = "body{margin:0;display:flex}iframe{border:0;width:700px;height:1180px}"
        (work / "both.html").write_text(f"<!DOCTYPE html><style>{style}</style>{frames}", "utf-8")
        profile = f"--user-data-dir={work.parent / 'profile'}"
        shot = (*CHROMIUM, profile, "--window-size=1400,1180", f"--screenshot={target}", f"file://{work / 'both.html'}")
        subprocess.run(shot, check=True, capture_output=True, timeout=120)
    print(target)


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "export"])
    parser.add_argument("--columns", type=int, default=92)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--to", type=Path, default=ROOT / "docs", help="the folder for the pictures")
    options = parser.parse_args()
    if options.what == "run":
        run(options.columns, options.rows, options.to)
    elif shutil.which(CHROMIUM[0]):
        export(options.to / "export.png")
    else:
        sys.exit("Chromium is not installed")


if __name__ == "__main__":
    main()
