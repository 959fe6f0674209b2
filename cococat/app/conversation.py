"""A conversation in progress: what `ask` does once and `chat` again and again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.app.endpoint.connect import EMBEDDED, Connection, next_model
from cococat.app.endpoint.context_profile import context_bounds, leaves_out, offered, output_chars
from cococat.app.prompting.instructions import Instruction, quoted
from cococat.app.prompting.memory_prompt import memory_prompt, remembering
from cococat.app.prompting.system_prompt import system_prompt, today
from cococat.app.redactor import masker, redact_events, redactor
from cococat.app.signals import Leaving
from cococat.config import Folders, Options, Settings, all_keys
from cococat.context.budget import ContextBounds, Count
from cococat.context.fit import Fitting
from cococat.context.micro import MIN_CHARS
from cococat.core.agent import Agent, Context, Turn, deny_more_steps, estimate_tokens, unsteered
from cococat.core.events import (
    Emit,
    Event,
    MessageAdded,
    Notice,
    ReasoningDelta,
    StepStarted,
    TextDelta,
    ToolPending,
    tee,
)
from cococat.core.history import call_ids
from cococat.core.hooks import Hooks
from cococat.core.limits import Problem, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import Message, Summary, User
from cococat.core.reply import ReplyProtocol
from cococat.core.tools import Arguments, Consent, Gate, Tool, Verdict, no_user
from cococat.model.tokens import count, is_loaded
from cococat.permissions.paths import secret
from cococat.prompts import prompt
from cococat.protocol.native import Native
from cococat.store.recorder import SessionLog
from cococat.tools.access import Seen
from cococat.tools.kept_outputs import Outputs, Scratch, observer, page_chars
from cococat.tools.registry import ToolDeps, build, declared

if TYPE_CHECKING:
    from cococat.app.boxing import Boxing
    from cococat.safety.secrets import Masked
    from cococat.tools.background import Background
    from cococat.tools.masks import Mask
    from cococat.tools.preimages import Preimages
    from cococat.tools.run_shell import Enclose

__all__ = ["AskUser", "Conversation"]

BOXABLE = ("linux", "darwin")  # platforms with a box of any kind
IN_PARTS = "write the first part with write_file, then append the next ones with edit_file, each well below that size"
ROOTLESS = frozenset({"ask_user", "fetch_url", "finish", "todo", "web_search"})
AskUser = Callable[[str, Sequence[str]], Awaitable[str]]


@dataclass(slots=True)
class Conversation:
    """
    What lasts from one turn to the next.

    Args:
        instructions: AGENTS.md and the like, those that the user did not agree to included.
        memory: the quoted memory block for the system prompt; empty for none.
        notes: what of MEMORY.md is in it, word for word: what receipts of dreams count.
        mode: `single` or `react`; `/mode` changes it.
        log: the session's log; None with --no-session.
        files: tools may see the root; without, only those are offered that need none.
    """

    settings: Settings
    options: Options
    folders: Folders
    root: Path
    mode: str
    connection: Connection
    log: SessionLog | None
    history: tuple[Message, ...] = ()
    memory: str = ""
    notes: str = ""
    instructions: tuple[Instruction, ...] = ()
    files: bool = True
    permission: str = "ask-first"
    consent: Consent = no_user
    ask_user: AskUser | None = None
    more: Callable[[int, bool], Awaitable[bool]] = deny_more_steps
    steered: Callable[[], User | None] = unsteered
    granted: list[str] = field(default_factory=list)  # rules the user allowed for this session
    hooks: tuple[Hooks, ...] = ()
    seen: Seen = field(default_factory=dict)  # what was read, so that later turns may edit it
    told: set[str] = field(default_factory=set)  # names of the environment that the model knows to be left out
    masked: dict[tuple[str, str], int] = field(default_factory=dict)  # numbers of the values that masks stand for
    background: Background = field(default_factory=dict)  # commands that run on between the turns of a session
    scratch: Scratch = field(default_factory=Scratch)  # for the outputs of a session that is not saved
    leaving: Leaving = field(default_factory=Leaving)  # what signals asked for
    day: str = ""  # of the turn that runs, or of the last one
    place: str = ""  # where that turn began, as the model is told
    at_first: str | None = None  # what was changed there when the session began
    added: list[Message] = field(default_factory=list)  # by the turn that runs, or by the last one
    step: int = 0  # of the turn that runs; 0 between turns
    _boxing: Boxing | None = None  # made for the first command, or for who asks about it

    @property
    def boxed(self) -> bool:
        """Whether commands are known to run in a box; nothing is looked for."""
        return self._boxing is not None and self._boxing.is_known_to_hold

    @property
    def boxing(self) -> Boxing:
        """The box of this session's commands."""
        from cococat.app.boxing import Boxing

        self._boxing = self._boxing or Boxing(self.settings, self.folders, self.root)
        return self._boxing

    @property
    def allowed(self) -> tuple[str, ...]:
        """The rules that hold now."""
        return (*self.settings.permissions.allow, *self.granted)

    def gate(self, also: Sequence[str] = ()) -> Gate:
        """
        Make the gate for the permissions as they stand now.

        Args:
            also: rules that are allowed besides.
        Raises: ValueError: an unknown mode or a bad rule.
        """
        from cococat.permissions.gate import Known, gate
        from cococat.permissions.origins import origins_of

        words = (self.options.system,) if self.options.system else ()
        rules = self.settings.permissions
        own = (self.folders.sessions, self.folders.memory, self.folders.state, self.folders.config_file.parent)
        known = Known(
            lambda: origins_of(
                (*self.history, *self.added), declared, words, (self.memory, self.project_instructions())
            ),
            lambda: self.boxing.holds(),  # noqa: PLW0108 - it is made where it is asked for
            lambda text: not masker(self.settings)(text).marks,
        )
        allowed = (*self.allowed, *also)
        return gate(self.permission, allowed, rules.deny, self.root, own, declared=declared, known=known)

    def _decide(self, tool: Tool, arguments: Arguments) -> Verdict:
        """Judge one call by the rules of this moment: a consent may have added one in mid-turn."""
        return self.gate()(tool, arguments)

    def tools(self) -> tuple[Tool, ...]:
        """What is offered: of what the mode has nothing that the permissions could only refuse."""
        every = self.all_tools()
        if self.permission != "plan":
            return every
        from cococat.permissions.summary import HARMLESS

        return tuple(tool for tool in every if tool.effect in HARMLESS)

    def all_tools(self) -> tuple[Tool, ...]:
        """What the mode has: everything in `react`, what needs no consent in `single`; less in a small window."""
        if not self.options.tools:
            return ()
        react, rules = self.mode == "react", self.settings.permissions
        deps = ToolDeps(
            self.root,
            ask=self.ask_user,
            seen=self.seen,
            keep=self._preimages() if react or rules.allow else None,
            outputs=self.outputs(),
            output_chars=self._output_chars(),
            shell_timeout_s=self.settings.agent.tool_timeout_s,
            unreadable=self._unreadable(),
            search_url=self.settings.web.search_url,
            numbered=self.connection.host != EMBEDDED,  # a small model takes the numbers for text
            mask=self.mask(),
            keys=all_keys(self.settings, os.environ),
            told=self.told,
            background=self.background,
            enclose=self._enclose() if react or rules.allow else None,
        )
        every = build(deps, offered(self.connection, rules.allow, react=react))
        if not self.files:
            every = tuple(tool for tool in every if tool.name in ROOTLESS)
        decides = self.connection.protocol.name == "json"  # a decision has its own way to finish
        return tuple(tool for tool in every if not (tool.effect == "ends" and (decides or not react)))

    def mask(self) -> Mask:
        """What hides secrets from the model, and knows what it hid; a small model is shown no numbers at all."""
        mask = masker(self.settings)

        def told_apart(text: str) -> Masked:
            from cococat.tools.masks import identified

            return identified(mask, self.masked)(text)

        return mask if self.connection.host == EMBEDDED else told_apart

    def _enclose(self) -> Enclose | None:
        """A box is made by what is imported for the first command."""
        wanted = self.settings.sandbox.mode != "off" and sys.platform in BOXABLE
        return (lambda argv, outside: self.boxing(argv, outside)) if wanted else None  # noqa: PLW0108

    def outputs(self) -> Outputs:
        """Where the outputs of this session are kept that are too long to be shown whole."""
        base = (lambda: self.folders.state) if self.log else self.scratch
        width = page_chars(min(MIN_CHARS, self.settings.agent.tool_output_chars))  # fits a page in any window
        return Outputs(
            base, self.log.id if self.log else "unsaved", redactor(self.settings), self.background, width=width
        )

    def end_background(self) -> None:
        """End what commands left running for the session, and their /tmp; it takes a moment where there is something."""
        if self.background:
            from cococat.tools.background import end

            end(self.background)
            self.background.clear()
        if self._boxing:
            self._boxing.close()

    def _output_chars(self) -> int:
        return output_chars(self.connection, self.settings.agent.tool_output_chars)

    def _preimages(self) -> Preimages | None:
        from cococat.tools.preimages import Preimages

        if self.log is None:
            return None
        return Preimages(self.folders.state, self.log.id, self.log.asked.count + 1, self.root)

    def _unreadable(self) -> Callable[[Sequence[str]], bool]:
        if not self.settings.permissions.deny:
            return secret
        from cococat.permissions.gate import unreadable

        return unreadable(self.settings.permissions.deny, declared)

    def agent(self) -> Agent:
        """The frozen value that the loop runs."""
        settings, tools, outputs = self.settings, self.tools(), self.outputs()
        names = {tool.name for tool in tools}
        withheld = (
            tuple(tool for tool in self.all_tools() if tool.name not in names) if self.permission == "plan" else ()
        )
        single, shown = self.mode == "single", self._output_chars()
        reply = min(self.bounds().max_reply, self.connection.window // 2)
        limits = replace(settings.agent, tool_output_chars=shown, max_output_tokens=reply)
        wait_s = settings.timeouts.first_byte
        waited = f"{wait_s / 60:.0f} min" if wait_s >= 60 else f"{wait_s:g} s"  # noqa: PLR2004 - a minute
        if single:
            limits = replace(limits, max_steps=1, spent=StopReason.ANSWERED)
        learned, count = (lambda *window: self._learn(fitting, *window)), self.quick_count
        fitting: Fitting = Fitting(self.bounds(), learned, count, outputs.keep, self.count, told=self._told)
        return Agent(
            model=self.connection.model,
            protocol=self._protocol(tools),
            system=self.system(tools),
            tools=tools,
            limits=limits,
            gate=self._decide,
            clock=time.monotonic,
            consent=self.consent,
            context=fitting,
            permitted=self.permitted(tools),
            withheld=withheld,
            more=self.more,
            steered=self.steered,
            fallback=self._fall_back,
            still_waiting=(
                wait_s,
                f"still waiting, {waited}; {'Ctrl-C' if self.more is deny_more_steps else 'Esc'} stops",
            ),
            in_parts=IN_PARTS if {"write_file", "edit_file"} <= {tool.name for tool in tools} else "",
            closing="" if single else prompt("closing"),
            hooks=self.hooks,
            retry=settings.retry,
            observe=observer(outputs, shown),
            count=self.count,
            session_id=self.log.id if self.log else "",
        )

    def permitted(self, tools: Sequence[Tool]) -> str:
        """What runs without asking, for whoever is told that something else may not."""
        from cococat.permissions.summary import runs_freely

        return runs_freely(self.permission, self.allowed, tools)

    def _protocol(self, tools: Sequence[Tool]) -> ReplyProtocol:
        """With no tools, now or before, the embedded model has nothing to decide: it chats."""
        if self.connection.host == EMBEDDED and not tools and not call_ids(self.history):
            return Native()
        return self.connection.protocol

    def count(self, text: str) -> int:
        """Tokens of *text* by the model's vocabulary, which takes a moment to load."""
        return count(text, self.connection.name, folder=self.folders.cache)

    @property
    def about(self) -> str:
        """What stands before a number of tokens: a mark while numbers are estimates."""
        return "" if is_loaded(self.connection.name, folder=self.folders.cache) else "~"

    @property
    def quick_count(self) -> Count:
        """Tokens of a text, at once: by the vocabulary where that is loaded, else estimated."""
        return estimate_tokens if self.about else self.count

    def bounds(self) -> ContextBounds:
        """What a request may hold."""
        return context_bounds(self.connection, self.settings, today())

    def _learn(self, context: Context, window: int, assumed: bool) -> Agent:
        """Keep the window that the server taught for the turns to come; give the agent that fits it for this one."""
        question = self.connection.question
        if question and (assumed or window != question.window):
            (question.assume if assumed else question.correct)(window)
        self.connection = replace(self.connection, window=window)
        return replace(self.agent(), context=context)

    def _told(self) -> int:
        """Tokens of the window that was asked for beside an answer of this run or an earlier one; 0: not told."""
        return self.connection.question.told if self.connection.question else 0

    def _fall_back(self, problem: Problem) -> tuple[str, Agent] | None:
        if not (found := next_model(self.settings, self.connection, self.folders, problem)):
            return None
        notice, self.settings, self.connection = found
        return notice, self.agent()

    def project_instructions(self) -> str:
        """Return what the system prompt holds of AGENTS.md and the like."""
        return quoted([one for one in self.instructions if one.trusted], self.connection.window)

    def system(self, tools: Sequence[Tool]) -> str:
        """Return the system prompt for *tools*."""
        memory = "" if leaves_out(self.connection, self.memory) else self.memory
        kept = remembering(self.settings.memory.mode, saved=self.log is not None, dreams=self.options.dream)
        given = (self.options.system or "", self.project_instructions(), memory, kept)
        steps, place = self.settings.agent.max_steps, partial(self._place, tools)
        return system_prompt(
            self.connection,
            self.root,
            given,
            mode=self.mode,
            tools=bool(tools),
            steps=steps,
            day=self.day or today(),
            place=place,
        )

    def _place(self, tools: Sequence[Tool]) -> str:
        from cococat.app.prompting.environment import permissions_line, surroundings, unstaged_files

        if self.at_first is None:
            self.at_first = unstaged_files(self.root) if self.files else ""
        if not self.files:
            self.place = f"Today is {self.day or today()}. Folder: none that tools may see."
        self.place = self.place or surroundings(self.root, self.day or today(), self.at_first)
        return f"{self.place}\n{permissions_line(self.permitted(tools), can_ask=self.consent is not no_user)}"

    def _look_around(self) -> None:
        """Let the turn that begins be told of this moment, and the next day of how old the memory is then."""
        if self.day not in ("", now := today()):
            self.memory, self.notes = memory_prompt(self.settings, self.folders, quiet=True)
        self.day, self.place = now, ""

    def so_far(self) -> tuple[Message, ...]:
        """Return the history, with what the turn that runs has added to it."""
        messages = list(self.history)
        for message in self.added if self.step else ():
            if isinstance(message, Summary):
                messages[: message.covers] = [message]
            else:
                messages.append(message)
        return tuple(messages)

    async def turn(self, message: User, emit: Emit) -> Turn:
        """Run one turn; it is on disk before it is on the screen."""
        self.added.clear()
        self._look_around()
        if not self.history:
            self.scratch.remove()  # what a conversation before this one left
        if question := self.connection.question:
            self.connection = replace(self.connection, window=question.window)
        emit = redact_events(emit, self.settings, self.options, hold=bool(self.tools()))
        everyone = tee(self.log.emit, self._note, emit) if self.log else tee(self._note, emit)
        turn = await run_turn(self.agent(), self.history, message, everyone)
        self.history = turn.history
        self.step = 0
        if turn.stop.problem and turn.stop.problem.kind == "not_found":
            from cococat.app.endpoint.names import named_right

            turn = await named_right(turn, self.settings, everyone)
        question = self.connection.question if turn.stop.problem is None else None
        for line in filter(None, (self.connection.cut(), question.line() if question else "")):
            everyone(Notice(line, "warning"))
        if leaves_out(self.connection, self.memory):
            everyone(Notice(f"the memory was left out: the model takes {self.connection.window:,} tokens"))
        if turn.stop.problem and turn.stop.problem.kind == "refused_history":
            from cococat.app.endpoint.refusal_report import save_report

            crashes, name = self.folders.state / "crashes", self.connection.name
            if path := save_report(crashes, turn.stop.problem, name, self.history):
                everyone(Notice(f"the shape of the refused history is saved in {path}, without anything that was said"))
        return turn

    def _note(self, event: Event) -> None:
        """Keep what the turn adds: a call is judged by what was said and read before it; beside it, ask for the window."""
        match event:
            case MessageAdded(message):
                self.added.append(message)
            case StepStarted(step):
                self.step = step
            case TextDelta() | ReasoningDelta() | ToolPending() if self.connection.question:
                self.connection.question.begin()
            case _:
                pass
