"""`cococat chat`: the REPL, a plain loop between the prompt and the turns."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from typing import Any, TypeVar

from cococat import __version__
from cococat.app.chat.consent import Asking
from cococat.app.chat.slash_commands import Console, format_error, slash_commands
from cococat.app.conversation import Conversation
from cococat.app.dream.dream_in_chat import DreamInChat
from cococat.app.dream.remember import remember
from cococat.app.input import read_file
from cococat.app.open_session import open_conversation
from cococat.app.outcome import outcome
from cococat.app.output import GuardedSink, silence, sink_for, ticking
from cococat.app.signals import Caught, Leaving, cancel_on_signals
from cococat.config import Options, Settings
from cococat.core.agent import Turn, estimate_tokens
from cococat.core.events import Emit, Event, Notice
from cococat.core.limits import Problem, StopReason
from cococat.core.messages import User
from cococat.errors import EXIT_CODES, CococatError, Interrupted, UsageError
from cococat.model.client import preload
from cococat.safety.terminal import safe
from cococat.ui.attach import attachments
from cococat.ui.input import Entered, Idle, Leave, Line, Nothing, behind
from cococat.ui.live import LiveScreen
from cococat.ui.modes import is_hung_up, whole_lines
from cococat.ui.repl import IDLE_S, Prompt
from cococat.ui.sink import Sink
from cococat.ui.slash import Shell, Slash, Unknown, find, parse
from cococat.ui.turn_keys import KeyWatch

__all__ = ["chat"]

T = TypeVar("T")
MODES = ("plan", "ask-first", "edits", "auto")


def chat(settings: Settings, options: Options, words: Sequence[str], *, idle_s: float = IDLE_S) -> int:
    """
    Conversation until the user leaves; give the exit code.

    Args:
        idle_s: seconds at an empty prompt after which a dream that is due begins.
    Raises: UsageError: standard input or output is no terminal.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise UsageError("chat needs a terminal for its input and output", 'cococat ask "…" works in pipes and scripts')
    leaving = Leaving()
    with leaving.held(), asyncio.Runner() as runner:
        conversation = runner.run(_opened(settings, options, leaving))
        conversation.leaving = leaving
        code = _Chat(conversation, options, runner, idle_s).run(" ".join(words))
        runner.run(conversation.connection.close())
        conversation.scratch.remove()
    return code or leaving.code


async def _opened(settings: Settings, options: Options, leaving: Leaving) -> Conversation:
    task = asyncio.current_task()
    assert task is not None
    with cancel_on_signals(task, leaving):
        return await open_conversation(settings, options, "react")


class _Chat:
    """The REPL's state: the conversation, the screen, what is queued."""

    def __init__(self, conversation: Conversation, options: Options, runner: asyncio.Runner, idle_s: float) -> None:
        self.conversation, self.options, self.runner = conversation, options, runner
        self.leaving = conversation.leaving
        self.sink: Sink = sink_for(options, hold=True, stops="Esc")
        self.watch: KeyWatch | None = None
        self.queued: list[User] = []
        self.typed_ahead: list[Line] = []
        self.default: Line | str = ""
        self.trouble: Problem | None = None  # why the session is not being saved, as far as it was told
        asking = Asking(conversation, self._undisturbed)
        conversation.consent, conversation.ask_user = asking.consent, asking.ask_user
        self.dreams = DreamInChat(conversation, self.sink)
        self.console = Console(conversation, self._say, self._run, self.queued.append, self.dreams)
        self.commands = slash_commands(self.console)
        self.prompt = Prompt(
            conversation.folders.state / "prompt_history",
            conversation.root,
            self.commands,
            toolbar=self._toolbar,
            cycle=self._cycle,
            fold=self._fold,
            on_drawn=_import_the_sdk,
            idle_s=idle_s,
            due=lambda: self.dreams.due,
            leaving=lambda: self.leaving.code,
        )

    def run(self, first: str) -> int:
        """Read, answer, repeat; dream at the end. A terminal that is gone ends it as a hang-up does."""
        try:
            return self._leave(self._until_leaving(first))
        except OSError:
            if not is_hung_up(sys.stdin.fileno()):
                raise
        if self.conversation.log:
            self.conversation.log.close()
        silence()
        return self.leaving.code or 128 + getattr(signal, "SIGHUP", 1)

    def _until_leaving(self, first: str) -> int:
        self._greet()
        if self.leaving.number:  # a Ctrl-C before the first prompt means the chat
            return 128 + self.leaving.number
        if first:
            self.queued.append(User(first))
        code = 0
        while not (self.console.leaving or self.leaving.code):
            if self.queued:
                self._turn(self.queued.pop(0))
                continue
            if self.typed_ahead:
                self._entered(self.typed_ahead.pop(0))
                continue
            match self._read():
                case Leave(leaving):
                    code = leaving
                    break
                case Line() as line:
                    self.leaving.forget()
                    self._entered(line)
                case Idle():
                    self._run(self.dreams.while_idle())
                case Nothing():
                    pass
        return self.leaving.code or code

    def _read(self) -> Entered:
        """Let the user enter something; a Ctrl-C of a moment ago counts as the first of the two that leave."""
        self.leaving.number = 0
        if self.leaving.interrupted:
            self.prompt.interrupted()
        default, self.default = self.default, ""
        lines, ended = whole_lines(0)
        if lines:
            default = behind(default, lines)
            if len(lines) == 1 and not ended and default.text.strip():  # several are looked at first
                self._say(f"> {default.text}")
                return default
        return Leave() if ended and default in ("", Line("")) else self.prompt.read(default)

    def _greet(self) -> None:
        conversation = self.conversation
        self._say(f"cococat {__version__} · {conversation.connection.name} at {conversation.connection.host} · /help")
        for line in self.dreams.unseen():
            self._say(line)
        if self.prompt.problem:
            self._say(self.prompt.problem)
        if trouble := self._trouble():
            self.sink.emit(trouble)

    def _entered(self, line: Line) -> None:
        """A slash command, a shell command of the user's own, or something for the model."""
        match parse(line.text):
            case Slash(name, argument):
                self._command(name, argument)
            case Shell(command):
                self._shell(command)
            case None:
                message, problems = self._message(line)
                for problem in problems:
                    self._say(problem)
                self.queued.append(message)

    def _message(self, line: Line) -> tuple[User, Sequence[str]]:
        """The text with what it mentions, and what was pasted kept apart from what was typed."""
        files, problems = attachments(line.text, self.conversation.root, line.pasted)
        first = tuple(read_file(path) for path in self.options.files) if not self.conversation.history else ()
        return User(line.text, (*first, *files), pasted=line.pasted), problems

    def _shell(self, command: str) -> None:
        """Run a command of the user's own; Ctrl-C is between the two of them."""
        with contextlib.suppress(KeyboardInterrupt), self.leaving.breaking(lambda *_: None):
            subprocess.run(command, shell=True, cwd=self.conversation.root, check=False)  # noqa: S602 - the user's own words

    def _command(self, name: str, argument: str) -> None:
        found = find(self.commands, name)
        if isinstance(found, Unknown):
            self._say(found.message)
            return
        try:
            with self.leaving.breaking():
                found.run(argument)
        except (KeyboardInterrupt, Interrupted) as stopped:
            if isinstance(stopped, KeyboardInterrupt):
                self.leaving.hear(signal.SIGINT)
            self._say(f"/{name} was stopped")
        except CococatError as error:
            self._say(format_error(error))

    def _turn(self, message: User) -> None:
        """Run one turn; Ctrl-C and Esc stop it and keep its text."""
        caught, turn = self._run(self._supervised(message))
        conversation = self.conversation
        self.console.usage += turn.usage
        self.console.turns += 1
        result = outcome(turn, conversation.log, caught.number)
        told_already = (StopReason.CANCELLED, StopReason.STORAGE_ERROR)
        if result.exit_code and result.stop_reason not in told_already:
            self.sink.finish(result)
        session_id = conversation.log.id if conversation.log else ""
        remember(conversation.settings, conversation.folders, session_id, message, turn)

    async def _supervised(self, message: User) -> tuple[Caught, Turn]:
        task = asyncio.current_task()
        assert task is not None
        with cancel_on_signals(task, self.leaving, self.sink.suspended) as caught:
            guarded = GuardedSink(self.sink, caught.cancel)
            async with ticking(self.sink), self._watching(caught):
                turn = await self.conversation.turn(message, self._with_notice(guarded.emit))
        return caught, turn

    def _with_notice(self, emit: Emit) -> Emit:
        """Say at once when the session cannot be saved, and when it is saved again."""

        def with_notice(event: Event) -> None:
            if notice := self._trouble():
                emit(notice)
            emit(event)

        return with_notice

    def _trouble(self) -> Notice | None:
        before, self.trouble = self.trouble, self.conversation.log.problem if self.conversation.log else None
        if before == self.trouble:
            return None
        if self.trouble:
            return Notice(f"{self.trouble.message}\n  hint: {self.trouble.hint}", "error")
        return Notice("the session is saved again, with all that was missing")

    @contextlib.asynccontextmanager
    async def _watching(self, caught: Caught) -> AsyncIterator[None]:
        """Keys and the clock of the live region, for as long as a turn runs."""
        try:
            with KeyWatch(caught.cancel, self._fold, self._queue) as self.watch:
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
        conversation = self.conversation
        if code == 0:
            self._run(self.dreams.at_the_end())
        if conversation.log:
            conversation.log.close()
            if conversation.log.problem and conversation.history:
                self.sink.emit(Notice(f"{conversation.log.problem.message}; what is not saved is lost now", "error"))
                code = code or EXIT_CODES[StopReason.STORAGE_ERROR]
            elif conversation.history:
                self._say(f"session saved; cococat chat -r {conversation.log.id} goes on with it")
        from cococat.app.sessions.prune import tidy

        if cleared := tidy(conversation.settings, conversation.folders):
            self._say(cleared)
        self.sink.close()
        return code

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def _say(self, text: str) -> None:
        """Print lines of ours between or above what the sink prints."""
        with self.sink.suspended():
            sys.stderr.write(f"{safe(text)}\n")
            sys.stderr.flush()

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Nothing is redrawn and no other keys are read while a user is asked."""
        with self.sink.suspended(), self.watch.paused() if self.watch else contextlib.nullcontext():
            yield

    def _toolbar(self) -> str:
        conversation, usage = self.conversation, self.console.usage
        memory = f" · mem {estimate_tokens(conversation.memory)} tok" if conversation.memory else ""
        return f" {conversation.connection.name} · {conversation.mode} · {conversation.permission} · {usage.total_tokens:,} tok{memory}"

    def _cycle(self) -> None:
        """Shift-Tab: the next permission mode."""
        self.conversation.permission = MODES[(MODES.index(self.conversation.permission) + 1) % len(MODES)]

    def _fold(self) -> None:
        """Ctrl-O: show reasoning and the tools' output in full, or in one line."""
        if isinstance(self.sink, LiveScreen):
            self.sink.verbose = not self.sink.verbose
            self._say("steps are shown in full" if self.sink.verbose else "steps are shown in short")


def _import_the_sdk() -> None:
    """Bring in the model's library while the user reads the prompt; a failure shows when it is used."""

    def load() -> None:
        with contextlib.suppress(ImportError):
            preload()

    threading.Thread(target=load, daemon=True).start()
