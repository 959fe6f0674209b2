"""The watch over a dream's run: which tools a request offers, what was called, and when it is enough."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from cococat.core.agent import Agent, Turn, identity_output
from cococat.core.events import DreamFinished, Emit, Event, ToolCompleted, ToolFailed, ToolPending, TurnFinished
from cococat.core.limits import Limits, Problem, Stop, StopReason
from cococat.core.loop import run_turn
from cococat.core.messages import Assistant, Message, System, User
from cococat.core.model import CallPiece, Model, Piece, ProviderError, Request, TextPiece
from cococat.core.reply import Answer, Invalid, Reply
from cococat.core.tools import Arguments, Report, Tool, ToolOutcome, allow_all
from cococat.memory.dream.options import ROUNDS, DreamBounds, DreamOptions, MakeAgent
from cococat.memory.dream.tools import TOOL_NAMES, DreamWorkspace
from cococat.memory.file.versions import log_run

REPLY_TOKENS = 4000  # of text and calls
OUTPUT_TOKENS = REPLY_TOKENS + 8000  # with reasoning beside them: a model that thinks must be able to dream

CHARS = 4  # of a token, roughly
ENOUGH = 3  # calls of a tool that does not exist, or rounds in a row whose edits were all refused
_DONE = re.compile(r"(?i)(?<!not )\bdone\b\W*\Z")  # at the end of what is said beside calls
STOPPED = "dream_stopped"  # kind of the problem when the watch has ended a run


@dataclass(frozen=True, slots=True)
class Dreaming:
    """
    What all runs of one dream share.

    Args:
        left: the bounds of one more run; None when the user's budget is spent.
        turns: runs of the loop that have ended.
        logged: what became of its parts, as far as the list of runs knows.
    """

    folder: Path
    make_agent: MakeAgent
    emit: Emit
    options: DreamOptions
    left: Callable[[], DreamBounds | None]
    turns: list[TurnFinished]
    logged: list[DreamFinished] = field(default_factory=list)

    def log(self, finished: DreamFinished, spent: Mapping[str, int]) -> DreamFinished:
        """Append what became of a part to the list of runs, unless it worked on a copy; give it back."""
        if not self.options.dry_run:
            log_run(self.folder, finished, now=self.options.now, spent=spent, model=self.options.model)
            self.logged.append(finished)
        return finished


class Watch:
    """Stands between the loop and the model."""

    def __init__(self, model: Model, emit: Emit) -> None:
        self._model = model
        self._emit = emit
        self._foreign = 0
        self._barren = 0
        self._refused = self._edited = self._looked = False
        self._open = 0  # calls of this reply that have no result yet
        self._said = ""  # the text beside them
        self.last_refusal = ""

    def see(self, event: Event) -> None:
        """Count what *event* tells and pass it on."""
        match event:
            case ToolPending(name=name):
                self._open += 1
                self._looked = self._looked or name == "read_file"
                if name not in TOOL_NAMES:
                    self._foreign += 1
                    self.last_refusal = f"there is no tool {name[:40]!r}"
            case ToolFailed(output=output, display=display):
                self._open -= 1
                self._refused = True
                self.last_refusal = display or output
            case ToolCompleted(name=name):
                self._open -= 1
                self._edited = self._edited or name == "edit_file"
            case _:
                pass
        self._emit(event)

    def ends_when_done(self, edit_file: Tool, whole: Callable[[], bool]) -> Tool:
        """
        Return *edit_file* so that a reply ends the run whose text says `done` beside its calls, where all of them were taken.

        A request that is answered with `done` alone costs as much as all before it.

        Args:
            whole: whether the edit that was made last kept every line that it brought.
        """

        async def run(arguments: Arguments, report: Report) -> ToolOutcome:
            outcome = await edit_file.run(arguments, report)
            self._refused = self._refused or not whole()
            if _DONE.search(self._said) and self._open == 1 and not (self._refused or self._looked):
                return replace(outcome, stop=Stop(StopReason.ANSWERED, "done"))
            return outcome

        return replace(edit_file, run=run)

    async def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        """Send *request*, unless it offers anything but the two tools, or it is enough."""
        offered = {spec.name for spec in request.tools}
        if offered and offered != TOOL_NAMES:
            raise _stop(f"a request offered {', '.join(sorted(offered))}")
        self._end_round()
        if self._foreign >= ENOUGH:
            raise _stop(f"the model called tools that do not exist {self._foreign} times")
        if self._barren >= ENOUGH:
            raise _stop(f"edits were refused {self._barren} times in a row, at last: {self.last_refusal}")
        async with aclosing(self._model.stream(replace(request, max_output_tokens=OUTPUT_TOKENS))) as pieces:
            size = 0
            async for piece in pieces:
                size += len(piece.arguments) if isinstance(piece, CallPiece) else 0
                if isinstance(piece, TextPiece):
                    size += len(piece.text)
                    self._said += piece.text
                if size > REPLY_TOKENS * CHARS:
                    raise _stop(f"a reply was longer than {REPLY_TOKENS:,} tokens")
                yield piece

    def _end_round(self) -> None:
        if self._edited:
            self._barren = 0
        elif self._refused:
            self._barren += 1
        self._refused = self._edited = self._looked = False
        self._open, self._said = 0, ""


def restricted(
    make_agent: MakeAgent, system: str, box: DreamWorkspace, emit: Emit, bounds: DreamBounds
) -> tuple[Agent, Watch]:
    """
    Make the agent, and make sure that it has the two tools, the limits and the watch, whoever made it.

    A run that remembers may end with its edits. One that tidies works in several rounds, and so does a model that makes one call at
    a time: its text is the call.
    """
    limits = _limits(bounds, min(bounds.rounds, ROUNDS - 1))
    read_file, edit_file = box.tools()
    assert {read_file.name, edit_file.name} == TOOL_NAMES
    agent = make_agent(system, (read_file, edit_file), limits)
    watch = Watch(agent.model, emit)
    ends = agent.protocol.continues and not box.compacts
    tools = read_file, watch.ends_when_done(edit_file, lambda: box.whole) if ends else edit_file
    return replace(agent, model=watch, tools=tools, limits=limits, gate=allow_all, observe=identity_output), watch


@dataclass(frozen=True, slots=True)
class _Closed:
    """One question, answered by JSON of a closed schema; no tools."""

    schema: Mapping[str, object]
    name: str = "json"
    continues: bool = False

    def request(self, system: str, history: Sequence[Message], tools: Sequence[Tool]) -> Request:
        """Ask for the schema."""
        del tools
        return Request((System(system), *history), schema=self.schema)

    def lens(self) -> Callable[[str], str]:
        """Show nothing: verdicts are no words for a user."""
        return lambda _: ""

    def read(self, message: Assistant, tools: Sequence[Tool]) -> Reply:
        """Take the text as it came; whoever asked reads it."""
        del tools
        return Answer(message.text)

    def arguments(self, tool: Tool, text: str) -> Mapping[str, object] | Invalid:
        """Run nothing."""
        return Invalid(f"there is no tool {tool.name!r} for {text!r}")

    def degrade(self, kind: str) -> str:
        """Stay as it was chosen."""
        del kind
        return ""


async def asking(
    make_agent: MakeAgent, system: str, user: str, *, schema: Mapping[str, object], emit: Emit, bounds: DreamBounds
) -> Turn:
    """Ask a judge its one question, within the bounds of a run; no tool is offered, whoever made the agent."""
    limits = _limits(bounds, 1)
    agent = make_agent(system, (), limits)
    watch = Watch(agent.model, emit)
    alone = replace(agent, model=watch, tools=(), limits=limits, protocol=_Closed(schema), observe=identity_output)
    return await run_turn(alone, (), User(user, synthetic=True), watch.see)


def _limits(bounds: DreamBounds, steps: int) -> Limits:
    return Limits(
        max_steps=steps,
        max_total_tokens=bounds.tokens,
        max_seconds=bounds.seconds,
        max_output_tokens=OUTPUT_TOKENS,
        spent=StopReason.ANSWERED,
    )


def _stop(why: str) -> ProviderError:
    return ProviderError(Problem(STOPPED, why, "the next dream tries again"))
