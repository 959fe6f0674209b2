"""A conversation in progress: what `ask` does once and `chat` again and again."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.app.endpoint.connect import EMBEDDED, Connection, next_model
from cococat.app.endpoint.context_profile import Measure, leaves_out, output_chars
from cococat.app.prompting.instructions import Instruction, quoted
from cococat.app.prompting.memory_prompt import memory_prompt, remembering
from cococat.app.prompting.system_prompt import system_prompt, today
from cococat.app.redactor import masker, redact_events
from cococat.app.signals import Leaving
from cococat.app.workbench import Permits, Workbench
from cococat.config import Folders, Options, Settings
from cococat.context.fit import Fitting, Held
from cococat.core.agent import Agent, Context, Fitted, Form, Need, Turn, deny_more_steps, unsteered
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
from cococat.core.messages import Message, Summary, ToolResult, User
from cococat.core.reply import ReplyProtocol
from cococat.core.tools import Arguments, Consent, Gate, Tool, Verdict, no_user
from cococat.prompts import prompt
from cococat.protocol.native import Native
from cococat.store.recorder import SessionLog
from cococat.tools.ask_user import AskUser
from cococat.tools.kept_outputs import observer
from cococat.tools.registry import declared
from cococat.tools.todo import Present

if TYPE_CHECKING:
    from cococat.app.mcp.servers import Agree

IN_PARTS = "write the first part with write_file, then append the next ones with edit_file, each well below that size"


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
        form: see `Agent`.
        schema: a JSON Schema that answers have to satisfy; None for words.
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
    consent: Consent = no_user
    ask_user: AskUser | None = None
    present: Present | None = None  # asks whether a plan is to be carried out, and how
    agree: Agree | None = None  # asks whether a server's tool that has changed may be used
    more: Callable[[int, bool], Awaitable[bool]] = deny_more_steps
    steered: Callable[[], User | None] = unsteered
    hooks: tuple[Hooks, ...] = ()
    form: Form | None = None
    schema: Mapping[str, object] | None = None
    leaving: Leaving = field(default_factory=Leaving)  # what signals asked for
    day: str = ""  # of the turn that runs, or of the last one
    place: str = ""  # where that turn began, as the model is told
    at_first: str | None = None  # what was changed there when the session began
    added: list[Message] = field(default_factory=list)  # by the turn that runs, or by the last one
    step: int = 0  # of the turn that runs; 0 between turns
    held: Held = field(default_factory=Held)
    permits: Permits = field(init=False)
    bench: Workbench = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the permissions of the settings, and with nothing on the bench."""
        self.permits = Permits(self.settings, self.folders, self.root, self.settings.permissions.mode)
        self.bench = Workbench(self.settings, self.folders, self.root, self.files)

    def gate(self, also: Sequence[str] = ()) -> Gate:
        """
        Make the gate for the permissions as they stand now.

        Args:
            also: rules that are allowed besides.
        Raises: ValueError: an unknown mode or a bad rule.
        """
        from cococat.permissions.gate import Known
        from cococat.permissions.origins import origins_of

        words = (self.options.system,) if self.options.system else ()
        known = Known(
            lambda: origins_of(
                (*self.history, *self.added), declared, words, (self.memory, self.project_instructions())
            ),
            lambda: self.bench.boxing.holds(),  # noqa: PLW0108 - it is made where it is asked for
            lambda text: not masker(self.settings)(text).marks,
        )
        return self.permits.gate(known, also)

    def _decide(self, tool: Tool, arguments: Arguments) -> Verdict:
        """Judge one call by the rules of this moment: a consent may have added one in mid-turn."""
        return self.gate()(tool, arguments)

    def tools(self) -> tuple[Tool, ...]:
        """What is offered: of what the mode has nothing that the permissions could only refuse."""
        return self._offered(self.all_tools())

    def _offered(self, every: Sequence[Tool]) -> tuple[Tool, ...]:
        """Of the tools of servers so many as there is room for."""
        if servers := self.bench.servers:
            from cococat.app.mcp.servers import budget

            every = servers.fitted(every, budget(self.connection.window), self.measure.quick_count)
        return tuple(filter(self.permits.offers, every))

    async def _fit_with_tools(self, fitting: Fitting, mode: str, agent: Agent, need: Need) -> Fitted:
        """Offer what a plan that was agreed to may do, and the tools of servers that have changed or been asked for, from now on."""
        now = self.agent()
        agent = now if self.permits.mode != mode else replace(agent, tools=now.tools, withheld=now.withheld)
        fitted = await fitting(agent, replace(need, tools=now.tools) if need.tools else need)
        return fitted if fitted.agent else replace(fitted, agent=agent)

    def all_tools(self) -> tuple[Tool, ...]:
        """What the mode has."""
        if not self.options.tools:
            return ()
        react = self.mode == "react"
        return self.bench.tools(
            self.connection,
            self.log,
            self.permits,
            lambda: (message.output for message in self.so_far() if isinstance(message, ToolResult)),
            ask=self.ask_user,
            present=self.present,
            react=react,
            answer=self.schema,
        )

    def agent(self) -> Agent:
        """The frozen value that the loop runs."""
        settings, every, outputs = self.settings, self.all_tools(), self.bench.outputs(self.log)
        mode = self.permits.mode
        tools = self._offered(every)
        single, shown = self.mode == "single", output_chars(self.connection, settings.agent.tool_output_chars)
        reply = min(self.measure.bounds.max_reply, self.connection.window // 2)
        limits = replace(settings.agent, tool_output_chars=shown, max_output_tokens=reply)
        wait_s = settings.timeouts.first_byte
        waited = f"{wait_s / 60:.0f} min" if wait_s >= 60 else f"{wait_s:g} s"  # noqa: PLR2004 - a minute
        if single:
            limits = replace(limits, max_steps=1, spent=StopReason.ANSWERED)
        measure, learned = self.measure, lambda *window: self._learn(fitting, *window)
        fitting: Fitting = Fitting(
            measure.bounds, learned, measure.quick_count, outputs.keep, measure.count, told=self._told, held=self.held
        )
        observe = observer(outputs, shown)
        protocol = plain = self._protocol(tools)
        if self.schema is not None:
            from cococat.protocol.shaped import Shaped

            protocol = Shaped(plain, self.schema)
        return Agent(
            model=self.connection.model,
            protocol=protocol,
            system=self.system(tools),
            tools=tools,
            limits=limits,
            gate=self._decide,
            clock=time.monotonic,
            consent=self.consent,
            context=partial(self._fit_with_tools, fitting, mode) if self.bench.servers or mode == "plan" else fitting,
            permitted=self.permits.runs_freely(tools),
            withheld=tuple(tool for tool in every if tool not in tools),
            more=self.more,
            steered=self.steered,
            fallback=self._fall_back,
            still_waiting=(
                wait_s,
                f"still waiting, {waited}; {'Ctrl-C' if self.more is deny_more_steps else 'Esc'} stops",
            ),
            in_parts=IN_PARTS if {"write_file", "edit_file"} <= {tool.name for tool in tools} else "",
            closing="" if single else prompt("closing"),
            form=self.form,
            plain=plain,
            hooks=self.hooks,
            retry=settings.retry,
            observe=self.bench.skills.observer(observe) if self.bench.skills else observe,
            count=measure.count,
            session_id=self.log.id if self.log else "",
        )

    def _protocol(self, tools: Sequence[Tool]) -> ReplyProtocol:
        """With no tools, now or before, the embedded model has nothing to decide: it chats."""
        if self.connection.host == EMBEDDED and not tools and not call_ids(self.history):
            return Native()
        return self.connection.protocol

    @property
    def measure(self) -> Measure:
        """Tokens by the model of this moment, and what a request to it may hold."""
        return Measure(self.connection, self.settings, self.folders.cache, today())

    def _learn(self, context: Context, window: int, assumed: bool) -> Agent:
        """Keep the window that the server taught for the turns to come; give the agent that fits it for this one."""
        question = self.connection.question
        if question and (assumed or window != question.window):
            (question.assume if assumed else question.correct)(window)
        self.connection = replace(self.connection, window=window)
        return replace(self.agent(), context=context)

    def _told(self) -> int:
        """Tokens of the window that was asked for beside an answer of this run or an earlier one; 0: not told."""
        return self.connection.question.profile.window if self.connection.question else 0

    def _fall_back(self, problem: Problem) -> tuple[str, Agent] | None:
        if not (found := next_model(self.settings, self.connection, self.folders, problem)):
            return None
        notice, self.settings, self.connection = found
        return notice, self.agent()

    def project_instructions(self) -> str:
        """Return what the system prompt holds of AGENTS.md and the like."""
        return quoted([instruction for instruction in self.instructions if instruction.trusted], self.connection.window)

    def system(self, tools: Sequence[Tool]) -> str:
        """Return the system prompt for *tools*."""
        memory = "" if leaves_out(self.connection, self.memory) else self.memory
        kept = remembering(self.settings.memory.mode, saved=self.log is not None, dreams=self.options.dream)
        shape = "" if self.schema is None else f"{prompt('schema')}\n{json.dumps(self.schema, ensure_ascii=False)}"
        skills = self.bench.skills.lines(tools, self.connection.window) if self.bench.skills else ""
        given = (self.options.system or "", self.project_instructions(), skills, memory, kept, shape)
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
        permits = replace(self.permits, granted=[])  # what is granted on the way would make the next turn a new prompt
        return f"{self.place}\n{permissions_line(permits.runs_freely(tools), can_ask=self.consent is not no_user)}"

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
        if self.bench.servers:
            self.bench.servers.begin_turn()
        if not self.history:
            self.bench.scratch.remove()  # what a conversation before this one left
        if question := self.connection.question:
            self.connection = replace(self.connection, window=question.window)
        waits = bool(self.tools()) or self.form is not None
        emit = redact_events(emit, self.settings, self.options, hold=waits)
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
