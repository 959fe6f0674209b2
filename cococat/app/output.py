"""Where a command's results go: the right sink, and one last word with its exit code."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from cococat.config import Options
from cococat.config.settings import TerminalSettings
from cococat.core.events import Event
from cococat.core.result import Result
from cococat.errors import CococatError, ConsentError
from cococat.safety.terminal import safe
from cococat.ui.lines.theme import STYLES, ColourFlag, ansi, colour, is_terminal, size_of, theme_of, write_now
from cococat.ui.steps.sink import Sink

TICK_S = 0.1
MAX_TOLD = 500  # sentences of a kind that are known to have been said
_KEPT = "free some space, or write elsewhere; what was answered is in the session: cococat sessions list"


def sink_for(
    options: Options,
    terminal: TerminalSettings | None = None,
    *,
    hold: bool,
    stops: str = "Ctrl-C",
    unfold: str = "-v",
    undo: str = "",
) -> Sink:
    """
    Choose the sink for the streams and flags at hand.

    Args:
        terminal: how text is wrapped and coloured; the defaults where it is not known.
        hold: tools are offered, so text off a terminal waits until it is known to be the answer.
        stops: the keys that stop a turn, for the status line.
        unfold: the key or flag that shows steps in full.
        undo: the command that takes back what a turn changed.
    """
    out, err = sys.stdout, sys.stderr
    if options.output_format == "stream-json":
        from cococat.ui.steps.jsonl import JsonLines

        return JsonLines(out)
    if options.output_format == "json":
        from cococat.ui.steps.jsonl import Json

        return Json(out, err, verbose=options.verbose, quiet=options.quiet)
    exact = options.extract or options.schema is not None
    rendered = not (exact and is_terminal(out))  # what has a form is no Markdown
    if rendered and (colour(options.color, out, os.environ) or colour(options.color, err, os.environ)):
        from cococat.ui.screen.live import LiveScreen
        from cococat.ui.steps.steps import Display

        terminal = terminal or TerminalSettings()
        wrap, theme = terminal.wrap == "word", theme_of(terminal.theme)
        display = Display(options.verbose, options.quiet, options.color, hold or exact, stops, unfold, undo)
        return LiveScreen(out, err, replace(display, air=True, wrap=wrap, theme=theme))
    from cococat.ui.steps.plain import Plain

    return Plain(out, err, verbose=options.verbose, quiet=options.quiet, hold=hold or exact, exact=exact)


class CancellingSink:
    """A sink's emit that never raises into the loop: a broken output cancels the run instead."""

    def __init__(self, sink: Sink, cancel: Callable[[], object]) -> None:
        self._sink = sink
        self._cancel = cancel
        self.running = True  # set to False behind the last run: what remains to be shown cancels nothing
        self.exit_code = 0

    def emit(self, event: Event) -> None:
        """Pass *event* on; after a failure drop everything."""
        if self.exit_code:
            return
        try:
            self._sink.emit(event)
        except OSError as error:
            self.exit_code = _code_of(error)
            if self.running:
                self._cancel()

    def finish(self, result: Result) -> int:
        """Let the sink have the last word; return the exit code that holds after it."""
        if self.exit_code:
            return self.exit_code
        try:
            self._sink.finish(result)
            self._sink.close()
            sys.stdout.flush()
        except OSError as error:
            return _code_of(error)
        return result.exit_code


def _code_of(error: OSError) -> int:
    """141 when the reader is gone, which is no news; 6, and why, when the output could not be written."""
    silence()
    if not isinstance(error, BrokenPipeError):
        with suppress(OSError, ValueError):  # stderr may be what failed
            why = error.strerror or type(error).__name__
            write_now(sys.stderr, f"cococat: error: the answer could not be written: {why}\n  hint: {_KEPT}\n")
    return 128 + getattr(signal, "SIGPIPE", 13) if isinstance(error, BrokenPipeError) else 6


def silence() -> None:
    """Point stdout nowhere, so that the interpreter's last flush does not complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


@asynccontextmanager
async def ticking(sink: Sink) -> AsyncIterator[None]:
    """Let *sink* redraw its live region ten times a second, for as long as a turn runs; a bug takes the region away."""

    async def again() -> None:
        while sink.redraws:
            sink.tick()
            await asyncio.sleep(TICK_S)

    task = asyncio.ensure_future(again())
    try:
        yield
    except Exception:
        with suppress(OSError):
            sink.close()  # or the report of the bug would stand behind "thinking…"
        raise
    finally:
        task.cancel()


def fail(error: CococatError, form: Literal["json", "stream-json"]) -> int:
    """Report an error that came before or outside a run."""
    result = Result(None, error.stop_reason, error.exit_code, error=error.problem)
    sink = sink_for(Options(output_format=form, color="never"), hold=False)
    return CancellingSink(sink, lambda: None).finish(result)


def can_ask() -> bool:
    """Return whether a user sees what goes to stderr and can answer on stdin."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def agree(question: str, no: str = "nothing was asked", yes: str = "go on", above: Sequence[str] = ()) -> None:
    """
    Let the user decide whether something is done.

    Args:
        no, yes: what such an answer comes to.
        above: rows that stand over the question.
    Raises: ConsentError: there is no terminal to ask on, or the answer is no.
    """
    if not can_ask():
        raise ConsentError(f"{question} There is no terminal to ask on", "add --yes")
    write_now(sys.stderr, "\n".join((*above, f"{safe(question)} [y/N] ")))
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConsentError(no, f"answer y to {yes}")


def columns() -> int:
    """Return how many columns stdout has; 0 where it is no terminal."""
    return size_of(sys.stdout)[0] if is_terminal(sys.stdout) else 0


def explain(error: CococatError, flag: ColourFlag = "auto") -> None:
    """Tell the user why a command failed; a terminal breaks it at words, below its label, which is as red as in a run."""
    from cococat.ui.lines.format import plain, problem
    from cococat.ui.lines.wrap import INDENT, wrap_whole

    width = size_of(sys.stderr)[0] if is_terminal(sys.stderr) else sys.maxsize
    coloured = colour(flag, sys.stderr, os.environ)
    for line in problem(error.problem):
        label, style = line[0]
        first, *rows = wrap_whole(plain(line), INDENT if style == "error" else len(label), width)
        if coloured:
            from rich.text import Text

            first = ansi(Text.assemble((first[: len(label)], STYLES[style]), first[len(label) :]))
        sys.stderr.write("\n".join((first, *rows, "")))
    sys.stderr.flush()


def out(text: str) -> None:
    """Print the result of a command that is no run; a terminal gets it without control characters."""
    if sys.stdout.isatty():
        text = safe(text)
    write_now(sys.stdout, text if text.endswith("\n") or not text else text + "\n")


def report(text: str) -> None:
    """Print rows that are read and not copied, as `out` does; on a terminal they break at words, below their column."""
    if sys.stdout.isatty():
        from cococat.ui.lines.wrap import wrap_columns

        width = size_of(sys.stdout)[0]
        text = "\n".join(part for row in safe(text).split("\n") for part in wrap_columns(row, width))
    out(text)


def note_once(text: str, told: Path) -> None:
    """Tell the user something that is told once in a home; *told* keeps what was."""
    import json

    try:
        known = json.loads(told.read_text("utf-8"))
    except (OSError, ValueError):
        known = []
    if not isinstance(known, list) or text in known:
        return
    from cococat.system.atomic import write_atomic
    from cococat.system.private import private_dir

    note(text)
    with suppress(OSError):  # then it is said again
        write_atomic(private_dir(told.parent) / told.name, json.dumps([*known, text][-MAX_TOLD:]).encode())


def note(text: str, *, dimmed: ColourFlag = "never") -> None:
    """Tell the user something that is not the result; on a terminal it breaks at words, and is *dimmed* as a flag says."""
    text = f"cococat: {safe(text)}"
    if is_terminal(sys.stderr):
        from cococat.ui.lines.wrap import INDENT, wrap_rows

        width = size_of(sys.stderr)[0]
        text = "\n".join(part for row in text.split("\n") for part in wrap_rows(row, INDENT, width))
    if colour(dimmed, sys.stderr, os.environ):
        from rich.text import Text

        text = ansi(Text(text, STYLES["dim"]))
    write_now(sys.stderr, f"{text}\n")
