"""A small program around the prompt, for tests to drive in a pseudo-terminal; no model, no app."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import sys
import termios
from collections import deque
from collections.abc import Callable
from pathlib import Path

from cococat.app.chat.turn_screen import TurnScreen
from cococat.ui.prompt.confirm import ask_line, confirm
from cococat.ui.prompt.prompt_calls import PromptCalls
from cococat.ui.prompt.repl import InputLine, Leave, Prompt
from cococat.ui.prompt.slash import SlashCommand, Suggestion
from cococat.ui.prompt.turn_keys import KeyWatch
from cococat.ui.screen.ctrl_c import CtrlC
from cococat.ui.screen.live import Display, LiveScreen

CHOICES = ("yes", "session", "always", "no", "reason", "run_shell(git status)")
COMMANDS = [
    SlashCommand("help", "", "say what there is", lambda _: None),
    SlashCommand("history", "", "show what was entered", lambda _: None),
    SlashCommand(
        "mode",
        "single|react",
        "set the mode",
        lambda _: None,
        values=lambda: (Suggestion("single"), Suggestion("react")),
    ),
]


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Screen:
    """Counts reads, so that a test can wait for the prompt it means."""

    def __init__(self) -> None:
        self.reads = 0
        self.mode = 0
        self.folded = 0

    def toolbar(self, _: str) -> str:
        return f"ready {self.reads} mode {self.mode}"

    def cycle(self) -> None:
        self.mode += 1

    def fold(self) -> None:
        self.folded += 1
        say(f"folded {self.folded}")


def opened(folder: Path, screen: Screen) -> Prompt:
    return Prompt(
        folder / "state" / "history",
        folder,
        COMMANDS,
        PromptCalls(
            toolbar=screen.toolbar,
            cycle=screen.cycle,
            fold=screen.fold,
            drawn=lambda: (folder / "drawn").write_text("openai" if "openai" in sys.modules else "early enough"),
        ),
        ctrl_c=CtrlC(),
    )


def repl(folder: Path) -> int:
    """Read and report until the user leaves; a runner of the app's stands by and works in between."""
    screen = Screen()
    stops: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: stops.append(number))
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH)]
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        prompt = opened(folder, screen)
        if prompt.problem:
            say(prompt.problem)
        while True:
            screen.reads += 1
            entered = prompt.read()
            assert handlers == [
                signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH)
            ]
            runner.run(turn())
            assert loop is runner.get_loop()
            if isinstance(entered, Leave):
                say(f"left with {entered.code}, signals {stops}")
                return entered.code
            got = [entered.text, entered.pasted, entered.typed] if isinstance(entered, InputLine) else "nothing"
            say(f"{screen.reads} => {json.dumps(got)}")


def nohup(folder: Path) -> int:
    """Read once with hang-ups ignored, and say elsewhere what came of it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    entered = opened(folder, Screen()).read()
    (folder / "result").write_text(repr(entered))
    return 0


def bug(folder: Path) -> int:
    """Read once with a key that fails."""
    screen = Screen()
    screen.fold = lambda: say(str(1 // 0))
    try:
        opened(folder, screen).read()
    except ZeroDivisionError as error:
        say(f"read raised {type(error).__name__}")
    return 0


async def turn() -> None:
    """What an app does between two prompts: tasks and a subprocess."""
    process = await asyncio.create_subprocess_exec("true")
    assert 0 == await process.wait()


def watch(folder: Path) -> int:
    """Run a turn with keys watched, ask for consent in the middle if told so, then prompt with the rest."""
    screen = Screen()
    prompt = opened(folder, screen)
    with asyncio.Runner() as runner:
        rest = runner.run(watched())
    screen.reads += 1
    entered = prompt.read(rest)
    say(f"prompted => {json.dumps([entered.text, entered.pasted]) if isinstance(entered, InputLine) else entered}")
    return 0


async def watched() -> InputLine:
    stopped = asyncio.Event()
    queued: list[InputLine] = []

    def queue(line: InputLine) -> None:
        queued.append(line)
        say(f"queued {json.dumps([line.text, line.pasted])}")

    keys = KeyWatch(on_escape=stopped.set, on_fold=lambda: say("folded"), on_queue=queue)
    with keys:
        say("turn runs")
        while not stopped.is_set():
            await asyncio.wait({asyncio.ensure_future(stopped.wait())}, timeout=0.01)
            if queued and queued[-1].text == "ask":
                queued.clear()
                reply = await confirm("may it run?", "rm -rf build", CHOICES, keys=keys, theme="dark")
                say(f"consent: {reply.answer} {reply.reason}")
    say("turn stopped")
    return keys.take_rest()


def consent(folder: Path) -> int:
    """Ask for consent as often as the folder's file says, with the loop at work meanwhile."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    async def asked() -> None:
        ticking = asyncio.ensure_future(tick())
        queued: list[InputLine] = []
        with KeyWatch(lambda: say("stopped"), lambda: None, queued.append) as keys:
            for number in range(1, 5):
                before = ticks
                choices = ("yes", "no", "reason") if number == 2 else CHOICES
                reply = await confirm(f"question {number}", "git status", choices, keys=keys, theme="dark")
                say(f"answer {number}: {reply.answer} {reply.reason!r}, loop ran: {ticks > before}")
            say(f"draft: {[line.text for line in queued]} {keys.take_rest().text!r}")
        ticking.cancel()

    say("type ahead")
    (folder / "typed").read_text()  # a named pipe: the test says when it has typed ahead
    assert select.select([0], [], [], 20)[0]  # and the terminal has taken it in, with the modes of now
    with asyncio.Runner() as runner:
        runner.run(asked())
    return 0


def asked(folder: Path) -> int:
    """A turn that is busy until something was typed, and asks a question then; a prompt with the draft follows."""

    async def ask() -> InputLine:
        nothing = Display(stops="Esc")
        screen = TurnScreen(LiveScreen(sys.stdout, sys.stderr, nothing), deque())
        with screen.listening(lambda: None):
            say("busy")
            (folder / "typed").read_text()  # a named pipe: the test says when it has typed
            with screen.undisturbed():
                say(f"answer: {await ask_line('Which one?')}")
        return screen.take_rest()

    with asyncio.Runner() as runner:
        say(f"draft: {runner.run(ask()).text!r}")
    return 0


def cancelled(folder: Path) -> int:
    """A turn that waits for a user and is cancelled by Ctrl-C."""
    ask: Callable[[], object] = ask_turn if "line" in sys.argv else consent_turn
    with asyncio.Runner() as runner:
        try:
            runner.run(ask())
        except KeyboardInterrupt:
            say("turn cancelled")
            return 130
    return 0


async def consent_turn() -> None:
    with KeyWatch(lambda: None, lambda: None, lambda _: None) as keys:
        say(f"answer: {await confirm('go on?', 'make', keys=keys)}")


async def ask_turn() -> None:
    say(f"answer: {await ask_line('Which one?', ('red', 'grün'))}")
    say(f"answer: {await ask_line('And why?')}")


def main() -> int:
    name, folder = sys.argv[1], Path(sys.argv[2])
    before = termios.tcgetattr(0)
    names = (repl, nohup, bug, watch, consent, cancelled, asked)
    programs = {program.__name__: program for program in names}
    code = programs[name](folder)
    say(f"terminal as found: {before == termios.tcgetattr(0)}")
    return code


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        code = main()
        sys.stdout.flush()
        os._exit(code)
