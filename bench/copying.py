"""What a copy of prose gives in the terminals that are installed here, as a table in Markdown.

    python bench/copying.py

Each terminal shows a paragraph twice, in 60 columns: as one line that it wraps itself (`wrap = "none"`), and as
cococat breaks it at words (`wrap = "word"`). Both are selected with the mouse, in tmux with its copy mode, and what is
in the clipboard is compared with the model's text. Needs tmux; for the others Xvfb, xdotool and xclip.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cococat.ui.lines.markdown import render  # noqa: E402 - it needs the line above

T = TypeVar("T")
COLUMNS, ROWS = 60, 20
PROSE = " ".join(f"word{number:02} and" for number in range(24))
DISPLAY = ":97"
ABOVE = 4  # empty rows, in which the mouse begins below a menu
NARROWEST = 100  # pixels of a window that is a terminal's
PATIENCE_S = 20
PIXELS = 900, 700

SHELL = "cat {file}; exec sleep 100"
COMMANDS: dict[str, list[str]] = {
    "xterm": ["xterm", "-geometry", f"{COLUMNS}x{ROWS}+0+0", "-b", "0", "+sb", "-e", "sh", "-c", SHELL],
    "rxvt-unicode": ["urxvt", "-geometry", f"{COLUMNS}x{ROWS}+0+0", "-b", "0", "+sb", "-e", "sh", "-c", SHELL],
    "alacritty": [
        "alacritty", "-o", f"window.dimensions={{columns={COLUMNS},lines={ROWS}}}", "-o", "window.position={x=0,y=0}",
        "-e", "sh", "-c", SHELL,
    ],
    "kitty": [
        "kitty", "--config", "NONE", "-o", f"initial_window_width={COLUMNS}c", "-o", f"initial_window_height={ROWS}c",
        "-o", "remember_window_size=no", "-o", "window_padding_width=0", "-o", "copy_on_select=yes", "sh", "-c", SHELL,
    ],
    "lxterminal (VTE)": ["lxterminal", "--no-remote", f"--geometry={COLUMNS}x{ROWS}", "-e", f"sh -c '{SHELL}'"],
}  # fmt: skip


def run(*words: str, **options: object) -> str:
    """The output of a command; empty where it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S, **options)  # type: ignore[call-overload]
    return str(done.stdout)


def in_tmux(file: Path) -> str:
    """What tmux's own copy mode gives, from the first character on the screen to the last."""
    tmux = ("tmux", "-L", f"copying{os.getpid()}{file.name}", "-f", "/dev/null")
    words = SHELL.format(file=file)
    subprocess.run([*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), f"sh -c '{words}'"], check=True)
    try:
        wait(lambda: "word23" in run(*tmux, "capture-pane", "-p", "-J"))
        keys = ("history-top", "begin-selection", "bottom-line", "previous-word", "end-of-line", "copy-selection")
        run(*tmux, "copy-mode")
        for key in keys:
            run(*tmux, "send-keys", "-X", key)
        return run(*tmux, "show-buffer")
    finally:
        run(*tmux, "kill-server")


def on_screen(command: list[str], file: Path) -> str:
    """What a terminal on a virtual screen has in its selection after the mouse was drawn over the text."""
    words = [word.format(file=file) if "{file}" in word else word for word in command]
    env = {**os.environ, "DISPLAY": DISPLAY, "LIBGL_ALWAYS_SOFTWARE": "1", "WAYLAND_DISPLAY": ""}
    with virtual_screen():
        process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return _drawn_over(env)
        finally:
            process.kill()
            process.wait()


def _drawn_over(env: dict[str, str]) -> str:
    """Draw the mouse over the window, from its first character to its last."""
    x, y, wide, high = wait(lambda: _window(env))
    time.sleep(3)  # until the shell in it has printed: there is nothing that could be asked
    bottom = y + high - 4
    path = [(x + 2, y + 40), (x + wide // 2, y + 60), (x + wide // 2, (y + bottom) // 2), (x + wide - 4, bottom)]
    run("xdotool", "mousemove", *map(str, path[0]), "mousedown", "1", env=env)
    for at in path[1:]:
        time.sleep(0.2)
        run("xdotool", "mousemove", *map(str, at), env=env)
    time.sleep(0.2)
    run("xdotool", "mouseup", "1", env=env)
    time.sleep(0.5)
    return run("xclip", "-selection", "primary", "-o", env=env)


def _window(env: dict[str, str]) -> tuple[int, int, int, int] | None:
    """Where the newest visible window is: x, y, width and height."""
    for window in reversed(run("xdotool", "search", "--onlyvisible", "--name", ".", env=env).split()):
        found = dict(
            line.split("=")
            for line in run("xdotool", "getwindowgeometry", "--shell", window, env=env).split()
            if "=" in line
        )
        if int(found.get("WIDTH", 0)) > NARROWEST:
            return int(found["X"]), int(found["Y"]), int(found["WIDTH"]), int(found["HEIGHT"])
    return None


def wait(seen: Callable[[], T | None]) -> T:
    """Wait until *seen* gives something."""
    until = time.monotonic() + PATIENCE_S
    while not (found := seen()):
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.1)
    return found


@contextmanager
def virtual_screen() -> Iterator[None]:
    """An X server of our own, with nothing in its clipboard."""
    size = f"{PIXELS[0]}x{PIXELS[1]}x24"
    server = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", size], stderr=subprocess.DEVNULL)
    try:
        wait(lambda: run("xdotool", "getdisplaygeometry", env={**os.environ, "DISPLAY": DISPLAY}))
        yield
    finally:
        server.kill()
        server.wait()


def judged(copied: str) -> str:
    """What is different in a copy of PROSE."""
    lines = [line for line in copied.strip("\n").split("\n") if line.strip()]
    if not lines or "word00" not in copied or "word23" not in copied:
        return "not measured"
    if lines == [PROSE]:
        return "as the model wrote it"
    kind = (
        "newlines at words" if all(line.strip() in PROSE for line in lines) and _whole(lines) else "newlines in words"
    )
    blanks = ", blanks at the ends" if any(line != line.rstrip() for line in lines) else ""
    return f"{len(lines) - 1} {kind}{blanks}" if len(lines) > 1 else "other blanks"


def _whole(lines: list[str]) -> bool:
    return " ".join(line.strip() for line in lines) == PROSE


def main() -> None:
    """Measure and print."""
    has_screen = all(map(shutil.which, ("Xvfb", "xdotool", "xclip")))
    with tempfile.TemporaryDirectory() as folder:
        soft, words = Path(folder, "soft"), Path(folder, "words")
        for file, wraps in ((soft, False), (words, True)):
            file.write_text(
                "\n" * ABOVE + "".join(text.plain + text.end for text in render(PROSE, COLUMNS, wrap=wraps)) + "\n"
            )
        print('| terminal | `wrap = "none"`: it wraps the line | `wrap = "word"`: cococat does |')
        print("|---|---|---|")
        ways: dict[str, Callable[[Path], str]] = {"tmux": in_tmux} if shutil.which("tmux") else {}
        for name, command in COMMANDS.items() if has_screen else ():
            if shutil.which(command[0]):
                ways[name] = lambda file, command=command: on_screen(command, file)  # type: ignore[misc]
        for name, copy in ways.items():
            told = []
            for file in (soft, words):
                try:
                    told.append(judged(copy(file)))
                except (TimeoutError, subprocess.SubprocessError):
                    told.append("not measured")
            print(f"| {name} | {told[0]} | {told[1]} |", flush=True)


if __name__ == "__main__":
    main()
