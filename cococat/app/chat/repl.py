"""`cococat chat`: the REPL, a plain loop between the prompt and the turns."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from cococat import __version__
from cococat.app.chat.consent import GO_ON_S, Asking
from cococat.app.chat.console import Console, preload_beside
from cococat.app.chat.slash_commands import format_error, hint_here, own_commands, slash_commands
from cococat.app.chat.toolbar import Toolbar, next_mode
from cococat.app.chat.turn_screen import TurnScreen
from cococat.app.chat.welcome_back import history_file, recap, where
from cococat.app.conversation import Conversation
from cococat.app.dream.dream_in_chat import DreamInChat
from cococat.app.input import read_files
from cococat.app.open_session import open_conversation
from cococat.app.outcome import outcome
from cococat.app.output import CancellingSink, silence, sink_for, ticking
from cococat.app.redactor import redactor
from cococat.app.signals import Caught, Leaving, cancel_on_signals, stopping
from cococat.config import Options, Settings
from cococat.core.agent import Turn
from cococat.core.events import Emit, Event, Notice, TurnFinished
from cococat.core.limits import Problem, StopReason
from cococat.core.messages import User
from cococat.errors import EXIT_CODES, CococatError, Interrupted, UsageError
from cococat.ui.lines.format import picture_line
from cococat.ui.lines.theme import Theme, colour, size_of
from cococat.ui.prompt.attach import attachments
from cococat.ui.prompt.input import Entered, Idle, InputLine, Leave, Nothing, behind, shortened
from cococat.ui.prompt.prompt_calls import PromptCalls, PromptLook
from cococat.ui.prompt.repl import IDLE_S, Prompt
from cococat.ui.prompt.slash import Shell, Slash, SlashCommand, Unknown, find, parse
from cococat.ui.screen.modes import is_dumb, is_hung_up, ring, set_title, titled, whole_lines
from cococat.ui.steps.sink import Sink

T = TypeVar("T")


def chat(
    settings: Settings, options: Options, words: Sequence[str], *, idle_s: float = IDLE_S, go_on_s: float = GO_ON_S
) -> int:
    """
    Converse until the user leaves; return the exit code.

    Args:
        idle_s: seconds at an empty prompt after which a dream that is due begins.
        go_on_s: seconds after which a turn whose steps are used up goes on by itself.
    Raises: UsageError: standard input or output is no terminal.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise UsageError("chat needs a terminal for its input and output", 'cococat ask "…" works in pipes and scripts')
    leaving = Leaving()
    with leaving.held(), asyncio.Runner() as runner:
        conversation = runner.run(_opened(settings, options, leaving))
        conversation.leaving = leaving
        code = _Chat(conversation, options, runner, idle_s, go_on_s).run(" ".join(words))
        if conversation.bench.servers:
            runner.run(conversation.bench.servers.close())
        runner.run(conversation.connection.close())
        conversation.bench.scratch.remove()
    return code or leaving.code


async def _opened(settings: Settings, options: Options, leaving: Leaving) -> Conversation:
    with cancel_on_signals(leaving):
        return await open_conversation(settings, options, "react")


class _Chat:
    """The REPL's state: the conversation, the screen, what is queued."""

    def __init__(
        self, conversation: Conversation, options: Options, runner: asyncio.Runner, idle_s: float, go_on_s: float
    ) -> None:
        self.conversation, self.options, self.runner = conversation, options, runner
        self.leaving = conversation.leaving
        self.sink: Sink = sink_for(
            options, conversation.settings.terminal, hold=True, stops="Esc", unfold="Ctrl-O", undo="/undo"
        )
        self.inbox: deque[InputLine | User | Leave] = deque()  # entered and not dealt with yet, the next one first
        toolbar, cycle = Toolbar(conversation, lambda: self.console.usage), partial(next_mode, conversation)
        self.screen = TurnScreen(self.sink, self.inbox, self._answered, cycle, toolbar)
        self.early: tuple[list[str], bool] = ([], False)  # lines, and Ctrl-D, that a command of the user's left unread
        self.trouble = Trouble(conversation)
        asking = Asking(conversation, self.screen.asking, self.screen.undisturbed, self.screen.theme, go_on_s)
        conversation.consent, conversation.ask_user = asking.consent, asking.ask_user
        conversation.present = asking.present
        conversation.agree = asking.agree
        conversation.more, conversation.steered = asking.more_steps, self._steered
        self.trust = asking.trust
        self.dreams = DreamInChat(conversation, self.sink)
        say, again, paint = self.screen.say, self.inbox.appendleft, self.screen.paint
        self.console = Console(conversation, say, self._run, again, self.dreams, self._lent, paint)
        commands = self.console.commands
        commands += slash_commands(self.console)
        if conversation.bench.skills or (conversation.folders.config_file.parent / "prompts").exists():
            commands += own_commands(self.console, commands)
        calls = PromptCalls(
            toolbar=toolbar,
            cycle=cycle,
            fold=self.screen.fold,
            drawn=partial(preload_beside, self._beside),
            due=lambda: self.dreams.due,
            leaving=lambda: self.leaving.code,
            redact=redactor(conversation.settings, said=True),
        )
        history = history_file(conversation.folders.state, conversation.root)
        ctrl_c = self.leaving.ctrl_c
        self.terminal = conversation.settings.terminal
        look = PromptLook(self._theme, self.terminal.editor == "vi")
        self.prompt = Prompt(history, conversation.root, commands, calls, ctrl_c=ctrl_c, idle_s=idle_s, look=look)
        self.leaving.modes = self.prompt.modes
        self.console.choose = None if is_dumb() else self.prompt.choose

    def _beside(self) -> None:
        """What the first prompt need not wait for: whether a dream is due, and the box that commands will run in."""
        self.dreams.at_the_start()
        if self.options.tools:
            self.conversation.bench.boxing.holds()

    def run(self, first: str) -> int:
        """Read, answer, repeat; dream at the end. A terminal that is gone ends it as a hang-up does."""
        try:
            with titled(sys.stderr, on=self.terminal.title):
                try:
                    code = self._until_leaving(first)
                finally:
                    self.conversation.bench.end()
                return self._leave(code)
        except OSError:
            if not is_hung_up(sys.stdin.fileno()):
                raise
        finally:
            self.prompt.release()
        if self.conversation.log:
            self.conversation.log.close()
        with contextlib.suppress(OSError):  # nobody is there to be told
            self._run(self.dreams.at_the_end(look_on=False, said=False))
        silence()
        return self.leaving.code or 128 + getattr(signal, "SIGHUP", 1)

    def _until_leaving(self, first: str) -> int:
        self._greet()
        self._run(self.trust())
        if self.leaving.number:  # a Ctrl-C before the first prompt means the chat
            return 128 + self.leaving.number
        if first:
            self.screen.echo(first)
            if message := self._message(InputLine(first)):
                self.inbox.append(message)
        while not (self.console.leaving or self.leaving.code):
            match self._queued() if self.inbox else self._read():
                case User() as message:
                    self._turn(message)
                case InputLine() as line:
                    self._entered(line)
                case Leave(code):
                    return self.leaving.code or code
                case Idle():
                    self._run(self.dreams.while_idle())
                case Nothing():
                    pass
        return self.leaving.code

    def _queued(self) -> InputLine | User | Leave:
        """Take what was entered first; a line that was queued is seen once more, where it begins to run."""
        entered = self.inbox.popleft()
        if isinstance(entered, InputLine):
            self.screen.echo(shortened(entered.text, entered.pasted))
        return entered

    def _read(self) -> Entered:
        """Let the user enter something; the Ctrl-C of a moment ago is the first one again after that."""
        self.leaving.number = 0
        entered = self._entered_before_or_now(self.screen.take_rest())
        if isinstance(entered, InputLine):
            self.leaving.ctrl_c.forget()
        return entered

    def _entered_before_or_now(self, default: InputLine) -> Entered:
        """Take a line that was entered before the chat had the terminal; prompt where there is none."""
        (lines, ended), self.early = self.early if any(self.early) else whole_lines(0), ([], False)
        default = self._ready(default)
        if lines:
            default = behind(default, lines)
            if len(lines) == 1 and not ended and default.text.strip():  # several are looked at first
                self.screen.echo(default.text)
                return default
        self.screen.mark("A")
        return Leave() if ended and not default.text else self.prompt.read(default)

    def _ready(self, draft: InputLine) -> InputLine:
        """Take the terminal, and ask it once how it looks; return *draft* with what was typed meanwhile."""
        self.prompt.hold()
        return self.screen.ask_terminal(self.terminal.theme, draft)

    def _greet(self) -> None:
        connection = self.conversation.connection
        self.screen.say(f"cococat {__version__} · {connection.name} at {connection.host} · /help")
        self.screen.say(where(self.conversation, size_of(sys.stdout)[0]))
        if left := recap(self.conversation):
            self.screen.say(left)
        for line in self.dreams.unseen():
            self.screen.say(line)
        if self.prompt.problem:
            self.screen.say(self.prompt.problem)
        if trouble := self.trouble.notice():
            self.sink.emit(trouble)
        self.screen.say("")

    def _entered(self, line: InputLine) -> None:
        """A slash command, a shell command of the user's own, or something for the model."""
        match parse(line.text):
            case Slash(name, argument):
                found = find(self.console.commands, name)
                with self.screen.below_prompt(name, leads=isinstance(found, SlashCommand) and found.leads):
                    self._command(found, argument)
            case Shell(command):
                with self.screen.below_prompt("!"):
                    self._shell(command)
            case None:
                if message := self._message(line):
                    self.inbox.appendleft(message)

    def _message(self, line: InputLine) -> User | None:
        """The text with what it mentions, pastes kept apart; None where a picture cannot be sent: the line is given back."""
        try:
            files, problems = attachments(line.text, self.conversation.root, line.pasted)
            texts, pictures = read_files(() if self.conversation.so_far() else self.options.files, files)
        except UsageError as error:
            self.screen.say(format_error(error))
            self.screen.keep(line)
            return None
        for text in (*problems, *map(picture_line, pictures)):
            self.screen.say(text)
        return User(line.text, texts, pasted=line.pasted, pictures=pictures)

    def _steered(self) -> User | None:
        """Take the lines that were queued for the model, up to the first command; they are one message."""
        lines: list[InputLine] = []
        while self.inbox and isinstance(line := self.inbox[0], InputLine) and parse(line.text) is None:
            lines.append(line)
            self.inbox.popleft()
        if not lines:
            return None
        self.screen.echo("\n".join(shortened(line.text, line.pasted) for line in lines))
        pasted = tuple(block for line in lines for block in line.pasted)
        return self._message(InputLine("\n".join(line.text for line in lines), pasted))

    def _answered(self, line: InputLine) -> bool:
        """Answer a command that only shows something, while a turn runs; say whether *line* is one."""
        match parse(line.text):
            case Slash(name, argument) if (
                isinstance(found := find(self.console.commands, name), SlashCommand) and found.shows
            ):
                self.screen.echo(line.text)
                with self.sink.apart():
                    try:
                        found.run(argument)
                    except CococatError as error:
                        self.screen.say(format_error(error))
                return True
            case _:
                return False

    def _shell(self, command: str) -> None:
        """Run a command of the user's own; Ctrl-C is between the two of them."""
        with (
            contextlib.suppress(KeyboardInterrupt),
            self.leaving.breaking(lambda *_: None),
            self.prompt.suspend_terminal(),
        ):
            done = subprocess.run(command, shell=True, cwd=self.conversation.root, check=False)  # noqa: S602 - the user's own words
            self.early = whole_lines(0)
            if code := done.returncode:
                self.screen.say(f"exit {code}" if code > 0 else f"ended by signal {-code}")

    def _command(self, found: SlashCommand | Unknown, argument: str) -> None:
        if isinstance(found, Unknown):
            self.screen.say(found.message)
            return
        try:
            with self.leaving.breaking(), stopping(self.prompt.suspend_terminal):
                found.run(argument)
        except (KeyboardInterrupt, Interrupted) as stopped:
            if isinstance(stopped, KeyboardInterrupt):
                self.leaving.hear(signal.SIGINT)
            self.screen.say(f"/{found.name} was stopped")
        except CococatError as error:
            self.screen.say(format_error(error))

    def _turn(self, message: User) -> None:
        """Run one turn; Ctrl-C and Esc stop it and keep its text."""
        self.screen.keep(self._ready(self.screen.take_rest()))
        if self.terminal.title:
            set_title(sys.stderr, f"cococat: {message.text}")
        self.screen.mark("C")
        caught, turn = self._run(self._supervised(message))
        self.screen.mark("D")
        ring(sys.stderr, self.terminal.bell, turn.seconds)
        if turn.stop.reason is StopReason.CANCELLED:
            self.screen.give_back()
        conversation = self.conversation
        self.console.usage += turn.usage
        self.console.turns += 1
        result = outcome(turn, conversation.log, caught.number, conversation.connection.name)
        if result.exit_code and result.stop_reason not in (StopReason.CANCELLED, StopReason.STORAGE_ERROR):  # shown
            self.sink.finish(result)
        from cococat.app.dream.remember import remember
        from cococat.app.dream.when import reached

        self.dreams.reached = reached(turn)
        steered = [message for message in conversation.added if isinstance(message, User) and message.steers]
        remember(
            conversation.settings, conversation.folders, conversation.log, message, turn, steered=steered, chat=True
        )

    async def _supervised(self, message: User) -> tuple[Caught, Turn]:
        with cancel_on_signals(self.leaving, self.sink.suspended) as caught:
            output = CancellingSink(self.sink, caught.cancel)
            async with ticking(self.sink):
                with self.screen.listening(caught.cancel, self.prompt.typed_ahead()):
                    turn = await self.conversation.turn(message, self.trouble.watching(output.emit))
        return caught, turn

    def _leave(self, code: int) -> int:
        """The answers are given: say how to come back, then dream if one is due."""
        conversation = self.conversation
        if conversation.log:
            conversation.log.close()
            if conversation.log.problem and conversation.history:
                self.sink.emit(Notice(f"{conversation.log.problem.message}; what is not saved is lost now", "error"))
                code = code or EXIT_CODES[StopReason.STORAGE_ERROR]
            elif conversation.history:
                self.screen.say(f"\nsession saved; cococat chat -r {conversation.log.id} goes on with it")
        from cococat.app.sessions.prune import tidy

        if cleared := tidy(conversation.settings, conversation.folders):
            self.screen.say(cleared)
        self._run(self.dreams.at_the_end(look_on=not code, said=self.console.turns > 0))
        self.sink.close()
        return code

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def _theme(self) -> Theme:
        return self.screen.theme() if colour(self.options.color, sys.stdout, os.environ) else "plain"

    def _lent(self) -> contextlib.AbstractContextManager[None]:
        return self.prompt.suspend_terminal()


class Trouble:
    """The trouble of a conversation's log, as far as it was told."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._told: Problem | None = None

    def notice(self) -> Notice | None:
        """Return what is new, if anything is."""
        log = self._conversation.log
        before, self._told = self._told, log.problem if log else None
        if before == self._told:
            return None
        if self._told:
            return Notice(f"{self._told.message}\n  hint: {self._told.hint}", "error")
        return Notice("the session is saved again, with all that was missing")

    def watching(self, emit: Emit) -> Emit:
        """Return *emit*, which says at once when the session cannot be saved, and again can; hints are those of a chat."""

        def with_notice(event: Event) -> None:
            if notice := self.notice():
                emit(notice)
            if isinstance(event, TurnFinished) and (problem := event.stop.problem):
                told = replace(problem, hint=hint_here(problem.hint))
                event = replace(event, stop=replace(event.stop, problem=told))
            emit(event)

        return with_notice
