"""`cococat chat`: the REPL, a plain loop between the prompt and the turns.

Public: chat.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from typing import Any, Literal, TypeVar

from cococat import __version__
from cococat.app import dreaming, memories
from cococat.app.commands import Console, slash_commands, told
from cococat.app.endings import outcome
from cococat.app.inputs import read_file
from cococat.app.opening import open_talk
from cococat.app.outputs import Guarded, sink_for, ticking
from cococat.app.signals import Caught, cancel_on_signals
from cococat.app.talk import Talk
from cococat.config import Options, Settings
from cococat.core.agent import Turn, estimate_tokens
from cococat.core.events import Emit, quiet
from cococat.core.limits import StopReason
from cococat.core.messages import User
from cococat.core.tools import Arguments, Ask, Tool
from cococat.errors import CococatError, UsageError
from cococat.model.client import preload
from cococat.safety.terminal import safe
from cococat.ui.attach import attachments
from cococat.ui.confirm import ask_line, confirm
from cococat.ui.keys import KeyWatch
from cococat.ui.line import Leave, Line, Nothing
from cococat.ui.live import LiveScreen
from cococat.ui.repl import Prompt
from cococat.ui.sink import Sink
from cococat.ui.slash import Shell, Slash, Unknown, find, parse

T = TypeVar("T")
MODES = ("plan", "ask-first", "edits", "auto")


def chat(settings: Settings, options: Options, words: Sequence[str]) -> int:
    """
    Talk until the user leaves; give the exit code.

    Raises: UsageError: standard input or output is no terminal.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise UsageError("chat needs a terminal for its input and output", 'cococat ask "…" works in pipes and scripts')
    with asyncio.Runner() as runner:
        talk = runner.run(open_talk(settings, options, "react"))
        code = _Chat(talk, options, runner).run(" ".join(words))
        runner.run(talk.connection.close())
    if talk.log:
        talk.log.close()
    return code


class _Chat:
    """The REPL's state: the talk, the screen, what is queued."""

    def __init__(self, talk: Talk, options: Options, runner: asyncio.Runner) -> None:
        self.talk, self.options, self.runner = talk, options, runner
        self.sink: Sink = sink_for(options, hold=True, stops="Esc")
        self.watch: KeyWatch | None = None
        self.queued: list[User] = []
        self.typed_ahead: list[Line] = []
        self.default: Line | str = ""
        talk.consent, talk.ask_user = self._consent, self._ask_user
        self.console = Console(talk, self._say, self._run, self.queued.append, self._dream)
        self.commands = slash_commands(self.console)
        self.prompt = Prompt(
            talk.folders.state / "prompt_history",
            talk.root,
            self.commands,
            toolbar=self._toolbar,
            cycle=self._cycle,
            fold=self._fold,
            on_drawn=_import_the_sdk,
        )

    def run(self, first: str) -> int:
        """Read, answer, repeat; dream at the end."""
        talk = self.talk
        self._say(f"cococat {__version__} · {talk.connection.name} at {talk.connection.host} · /help")
        for line in memories.unseen(talk.folders):
            self._say(line)
        if first:
            self.queued.append(User(first))
        if self.prompt.problem:
            self._say(self.prompt.problem)
        code = 0
        while not self.console.leaving:
            if self.queued:
                code = self._turn(self.queued.pop(0))
                continue
            if self.typed_ahead:
                self._entered(self.typed_ahead.pop(0))
                continue
            entered = self.prompt.read(self.default)
            self.default = ""
            match entered:
                case Leave(leaving):
                    code = leaving
                    break
                case Line():
                    self._entered(entered)
                case Nothing():
                    pass
        return self._leave(code)

    def _entered(self, line: Line) -> None:
        """A slash command, a shell command of the user's own, or something for the model."""
        match parse(line.text):
            case Slash(name, argument):
                self._command(name, argument)
            case Shell(command):
                subprocess.run(command, shell=True, cwd=self.talk.root, check=False)  # noqa: S602 - the user's own words
            case None:
                message, problems = self._message(line)
                for problem in problems:
                    self._say(problem)
                self.queued.append(message)

    def _message(self, line: Line) -> tuple[User, Sequence[str]]:
        """The text with what it mentions, and what was pasted kept apart from what was typed."""
        files, problems = attachments(line.text, self.talk.root, line.pasted)
        first = tuple(read_file(path) for path in self.options.files) if not self.talk.history else ()
        return User(line.text, (*first, *files), pasted=line.pasted), problems

    def _command(self, name: str, argument: str) -> None:
        found = find(self.commands, name)
        if isinstance(found, Unknown):
            self._say(found.message)
            return
        try:
            found.run(argument)
        except CococatError as error:
            self._say(told(error))

    def _turn(self, message: User) -> int:
        """Run one turn; Ctrl-C and Esc stop it and keep its text. Gives the exit code it would mean."""
        caught, turn = self._run(self._supervised(message))
        talk = self.talk
        self.console.usage += turn.usage
        self.console.turns += 1
        result = outcome(turn, talk.log, caught.number)
        if turn.stop.reason is StopReason.CANCELLED:
            self.prompt.interrupted()
        elif result.exit_code:
            self.sink.finish(result)
        dreaming.remember(talk.settings, talk.folders, talk.log.id if talk.log else "", message, turn)
        if caught.number and caught.number != 2:  # noqa: PLR2004 - SIGINT stops a turn, the others the chat
            self.console.leaving = True
            return result.exit_code
        return 0

    async def _supervised(self, message: User) -> tuple[Caught, Turn]:
        task = asyncio.current_task()
        assert task is not None
        guarded = Guarded(self.sink, task.cancel)
        with cancel_on_signals(task) as caught:
            async with ticking(self.sink), self._watching(task):
                turn = await self.talk.turn(message, guarded.emit)
        return caught, turn

    @contextlib.asynccontextmanager
    async def _watching(self, task: asyncio.Task[object]) -> AsyncIterator[None]:
        """Keys and the clock of the live region, for as long as a turn runs."""
        try:
            with KeyWatch(task.cancel, self._fold, self._queue) as self.watch:
                yield
        finally:
            if self.watch:
                self.default = self.watch.take_rest()
            self.watch = None

    def _queue(self, line: Line) -> None:
        """A line was completed while a turn runs: it is sent when the turn is over."""
        self._say(f"queued: {line.text}")
        self.typed_ahead.append(line)

    def _leave(self, code: int) -> int:
        """The answers are given: dream if one is due, then say how to come back."""
        talk = self.talk
        if code == 0:
            with contextlib.suppress(CococatError):
                self._run(self._dream_at_the_end())
        if talk.log and talk.history:
            self._say(f"session saved; cococat chat -r {talk.log.id} goes on with it")
        self.sink.close()
        return code

    async def _dream_at_the_end(self) -> None:
        talk = self.talk
        task = asyncio.current_task()
        assert task is not None
        with cancel_on_signals(task):
            finished = await dreaming.when_due(
                talk.settings, self.options, talk.folders, talk.connection, self._dream_emit()
            )
        if finished:
            self.sink.emit(finished)
            memories.saw(talk.folders, finished)

    def _dream(self) -> None:
        """`/dream`."""

        async def now() -> None:
            task = asyncio.current_task()
            assert task is not None
            with cancel_on_signals(task):
                finished = await dreaming.run_dream(
                    self.talk.settings, self.talk.folders, self.talk.connection, self._dream_emit(), manual=True
                )
            self.sink.emit(finished)

        self._run(now())

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def _say(self, text: str) -> None:
        """Print lines of ours between or above what the sink prints."""
        with getattr(self.sink, "suspended", contextlib.nullcontext)():
            sys.stderr.write(f"{safe(text)}\n")
            sys.stderr.flush()

    async def _consent(self, tool: Tool, arguments: Arguments, ask: Ask) -> Literal["yes", "no", "nobody"]:
        """Show the whole action and ask; "session" adds the rule for as long as this chat lasts."""
        with self._undisturbed():
            answer = await confirm(f"{tool.name}: {ask.reason}", _action(tool, arguments), session=bool(ask.rule))
        if answer == "session":
            self.talk.granted.append(ask.rule)
        return "no" if answer == "no" else "yes"

    async def _ask_user(self, question: str, choices: Sequence[str]) -> str:
        with self._undisturbed():
            return await ask_line(question, choices)

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Nothing is redrawn and no other keys are read while a person is asked."""
        hide = getattr(self.sink, "suspended", contextlib.nullcontext)
        with hide(), self.watch.paused() if self.watch else contextlib.nullcontext():
            yield

    def _toolbar(self) -> str:
        talk, usage = self.talk, self.console.usage
        memory = f" · mem {estimate_tokens(talk.memory)} tok" if talk.memory else ""
        return f" {talk.connection.name} · {talk.mode} · {talk.permission} · {usage.total_tokens:,} tok{memory}"

    def _cycle(self) -> None:
        """Shift-Tab: the next permission mode."""
        self.talk.permission = MODES[(MODES.index(self.talk.permission) + 1) % len(MODES)]

    def _fold(self) -> None:
        """Ctrl-O: show reasoning and the tools' output in full, or in one line."""
        if isinstance(self.sink, LiveScreen):
            self.sink.verbose = not self.sink.verbose
            self._say("steps are shown in full" if self.sink.verbose else "steps are shown in short")

    def _dream_emit(self) -> Emit:
        """A dream's steps are shown with -v only."""
        return self.sink.emit if self.options.verbose else quiet


def _action(tool: Tool, arguments: Arguments) -> str:
    """The call in full, for the person who must agree to it."""
    if tool.effect == "runs" and isinstance(command := arguments.get("command") or arguments.get("code"), str):
        return command
    return "\n".join(f"{name}: {value}" for name, value in arguments.items())


def _import_the_sdk() -> None:
    """Bring in the model's library while the user reads the prompt; a failure shows when it is used."""

    def load() -> None:
        with contextlib.suppress(ImportError):
            preload()

    threading.Thread(target=load, daemon=True).start()
