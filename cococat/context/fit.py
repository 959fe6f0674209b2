"""Fit: what each request of a run holds, so that the model can take it.

Nothing is touched until a request would not fit, so that what a server has cached of the one before stays good; then
one cut goes well below the limit. The measures in their order, each only while it is still needed: old tool outputs
are cut, then become titles, the model writes notes on the oldest messages, the oldest messages are left out and an
outline made by code takes their place, the run stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cococat.context.budget import ContextBounds, Count, Size, budget, request_tokens, sizer, too_large, total
from cococat.context.micro import SKILL, Keep, cut_result, full_chars, nowhere, pointed, shared
from cococat.core.agent import Agent, Fitted, Need, estimate_tokens
from cococat.core.history import fold_pictures, group_start, recent_start, request_index
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Message, Summary, ToolResult, User

LOW = 0.6  # part of what a request may hold that a cut leaves, so that the next steps need none
LEAST_ROOM = 0.5  # part of the room for the history that a cut leaves, however much else the request holds
TRIES = 2  # requests for notes in a row that may come to nothing
OUTLINE_PART = 0.2  # part of the room that the outline of what is left out may fill
NEAR = 0.5  # part of the room from which an estimate, which may be half of the truth, no longer decides
MIN_REPLY = 16  # tokens: what is asked for where the window leaves room for none
SHORT_REPLY = 256  # tokens: where an assumed window leaves less, the server may know better
MAX_OFF = 2.0  # times that a server's count may be above our estimate and still be believed
GUESSES = 2  # windows that are assumed in one run, each half of what was refused without a number
NOTABLE = 0.2  # part of the messages that notes must replace to be worth a request
LEAST = 16  # tokens that a title must save
WORTH = 0.2  # part of the excess that all titles together must save
GAIN = 0.05  # part of the messages that shortening outputs must save
NOTES_PART = 0.5  # of what a cut leaves that notes and the user's words may fill
PRUNED = "[pruned: "
Shorten: TypeAlias = Callable[[ToolResult, str], ToolResult]  # given the name, too, that all of it can be read by
KEPT = 4  # newest messages that always stay


@dataclass(slots=True)
class _Work:
    """One request in the making: what it holds so far, and what was done to it."""

    view: tuple[Message, ...]
    summary: Summary | None = None
    usage: Usage = field(default_factory=Usage)
    done: tuple[str, ...] = ()
    cancelled: bool = False
    notes: int = 0  # requests for them


@dataclass(slots=True)
class Held:
    """
    What the last request held of a history, and what it stands for: the next run goes on from there.

    Args:
        history: the messages behind the view.
        window: tokens that the view was made for.
        outline: stands in the view for what is left out.
    """

    view: tuple[Message, ...] = ()
    history: tuple[Message, ...] = ()
    window: int = 0
    left_out: tuple[Message, ...] = ()
    outline: Summary | None = None


class Fitting:
    """
    The context of one run: a `core.agent.Context` that remembers what it has left out.

    Args:
        learned: told the window that a server named when it refused a request or was asked, or one that is assumed
            where it named none, with which of them it is; may give an agent for it.
        count: tokens of a text; a cheap estimate will do while much room is left.
        exact: the same by the vocabulary, which takes a moment to load: asked when the room may be short.
        keep: keeps the outputs that titles take the place of.
        told: gives the window that the server has told meanwhile; 0 = none.
        held: what the run before this one left, and where this one leaves it: a history that goes on from there is
            sent as it was, letter for letter, until the next cut.
    """

    def __init__(
        self,
        bounds: ContextBounds,
        learned: Callable[[int, bool], Agent | None] = lambda *_: None,
        count: Count = estimate_tokens,
        keep: Keep = nowhere,
        exact: Count | None = None,
        *,
        told: Callable[[], int] = int,
        held: Held | None = None,
    ) -> None:
        self._bounds, self._learned, self._count, self._keep = bounds, learned, count, keep
        self._size = sizer(count)
        self._exact, self._told = exact, told
        self._window = bounds.window
        self._named = False  # the server said how large it is
        self._assumed = bounds.assumed
        self._guesses = 0
        self._scale = 1.0  # true tokens for one that we count
        self._sent = 0  # of the request before, as we count
        self._reply = 0  # tokens that it left for the reply
        self._asked = 0  # tokens that it asked for; 0 = the server's own setting
        self._held = held or Held()
        self._request: Message | None = None
        self._failed = 0  # requests for notes in a row that came to nothing

    async def __call__(self, agent: Agent, need: Need) -> Fitted:
        """Make what *need* asks for fit, as `core.agent.Fitted` tells it."""
        if self._request is None and (index := request_index(need.messages)) is not None:
            self._request = need.messages[index]
        held = self._held
        if not self._sent and ((*need.messages[: len(held.history)],), self._window) != (held.history, held.window):
            held.view, held.history, held.left_out, held.outline = (), (), (), None
        work = _Work(fold_pictures((*held.view, *shared(need.messages[len(held.history) :], self._keep))))
        reply, self._reply = self._reply, 0
        if other := self._learn(need, reply):
            work.done += ("a shorter prompt and fewer tools",) if len(other.tools) < len(agent.tools) else ()
            agent, need = other, replace(need, tools=other.tools if need.tools else ())
        fixed = self._fixed(agent, need)
        if self._exact and self._is_near(fixed + self._total(work)):
            estimated = fixed + self._total(work)
            self._size, self._count, self._exact = sizer(self._exact), self._exact, None
            fixed = self._fixed(agent, need)
            if self._scale > 1:  # what servers have taught about the estimate still holds
                self._scale = max(1.0, self._scale * estimated / (fixed + self._total(work)))
        before = max(fixed + self._total(work), self._sent if other else 0)
        await self._shrink(agent, need, work, fixed)
        held.view, held.window = work.view, self._window
        held.history = (work.summary, *need.messages[work.summary.covers :]) if work.summary else (*need.messages,)
        self._sent = fixed + self._total(work)
        sizes = (int(before * self._scale), int(self._sent * self._scale))
        self._reply = min(self._bounds.reserved_output, self._left(sizes[1]))
        if self._assumed and self._sent > self._limit:
            self._try_all_the_same(sizes[1], reply, learn=bool(need.refused))
        least = reply if self._named or self._assumed else 0
        stuck = bool(need.refused) and not work.done and self._asked > 0 and self._reply >= least
        asked, self._asked = self._asked, self._reply_to_ask(sizes[1], full=need.full_reply)
        if need.refused and asked:  # then there is less to send, not a token more
            self._asked = min(self._asked or asked, asked)
        full = stuck or sizes[1] > self._window
        stop = too_large(sizes[1], self._window, self._bounds.reserved_output) if full else None
        stop = Stop(StopReason.CANCELLED, "cancelled") if work.cancelled else stop
        how = ", ".join(work.done) if self._sent < before else ""  # what does not shrink is no compaction
        again = 0 < self._guesses < GUESSES
        return Fitted(work.view, work.summary, work.usage, *sizes, how, stop, self._asked, other, again, work.notes)

    @property
    def _limit(self) -> int:
        """Tokens that a request may hold, as we count."""
        return int(budget(self._window, self._bounds.reserved_output, self._bounds.ratio) / self._scale)

    def _is_near(self, tokens: int) -> bool:
        """Return whether *tokens*, an estimate, may be too many, or may leave less for the reply than is set."""
        least = self._window - int(2 * tokens * self._scale)
        return tokens > NEAR * self._limit or least < self._bounds.reserved_output

    def _left(self, tokens: int) -> int:
        """Tokens that a prompt of *tokens* leaves, less the margin that other tokenizers and templates take."""
        return max(self._window - tokens - tokens // 8 - 32, MIN_REPLY)

    def _reply_to_ask(self, tokens: int, *, full: bool) -> int:
        """Tokens to ask for: what is set or known, or what is left of a short window; 0 = the server's own setting."""
        left = self._left(tokens)
        if full or self._bounds.max_reply:
            return max(self._reply, min(self._bounds.max_reply or left, left))
        short = self._reply < self._bounds.reserved_output or self._named or self._assumed
        return self._reply if short else 0

    def _fixed(self, agent: Agent, need: Need) -> int:
        """Tokens of everything but the history."""
        request = agent.protocol.request(agent.system, need.hints, need.tools)
        return request_tokens(request, self._size, self._count)

    def _total(self, work: _Work) -> int:
        return total(work.view, self._size)

    def _learn(self, need: Need, reply: int) -> Agent | None:
        """Set the estimate right by what the server counted, or refused with *reply*; give the agent for its window."""
        if not self._sent:
            return None
        if not need.refused:
            self._believe(need.asked_tokens)
            if (window := self._told()) in (0, self._window):
                return None
            self._window, self._assumed = window, False
            return self._learned(self._window, self._assumed)
        from cococat.context.overflow import prompt_from_error, window_from_error

        told, prompt = window_from_error(need.refused), prompt_from_error(need.refused)
        self._named, self._assumed = bool(told), not told
        if prompt:
            self._believe(prompt)
        elif told:  # prompt and reply together were too large
            self._scale = max(self._scale, (told - reply) / self._sent)
        self._guesses += not told
        self._window = told or min(self._window, (int(self._sent * self._scale) + reply) // 2)
        return self._learned(self._window, self._assumed)

    def _try_all_the_same(self, tokens: int, refused: int, *, learn: bool) -> None:
        """Send what cannot be made smaller, with a quarter of the reply that was *refused*: the server knows better."""
        least = max(MIN_REPLY, (refused or self._bounds.reserved_output) // 4)
        if self._reply >= min(SHORT_REPLY, least):
            return
        self._reply, self._window = least, tokens + least
        if learn:
            self._learned(self._window, self._assumed)

    def _believe(self, tokens: int) -> None:
        """Set the estimate right by what the server counted of the request before; 0 = unknown."""
        self._scale = max(self._scale, min(MAX_OFF, tokens / self._sent))

    async def _shrink(self, agent: Agent, need: Need, work: _Work, fixed: int) -> None:
        """Once the view leaves less than *fixed* tokens of the budget, take the measures in their order until it is low."""
        room = self._limit - fixed
        if self._total(work) <= room:
            return
        low = max(int(LOW * self._limit) - fixed, int(LEAST_ROOM * room))
        for protect, shorten in ((self._bounds.protect, cut_result), (0, cut_result), (self._bounds.protect, title)):
            if self._total(work) > low:
                self._prune(work, protect, low, shorten)
        if self._total(work) > low:
            await self._consolidate(agent, need, work, low)
        if self._total(work) > room:
            self._leave_out(agent, work, low, int(self._window / self._scale) - fixed)

    def _prune(self, work: _Work, protect: int, room: int, shorten: Shorten) -> None:
        """Shorten old outputs."""
        excess = self._total(work) - room
        pruned = prune(work.view, self._size, protect, excess, self._keep, shorten=shorten)
        how = "old tool output pruned" if shorten is title else "old tool output cut"
        if pruned != work.view and how not in work.done:
            work.done += (how,)
        work.view = pruned

    def _leave_out(self, agent: Agent, work: _Work, room: int, most: int) -> None:
        """Leave the oldest messages out, and say in their place what they were; *most* is all that can be sent."""
        from cococat.context.outline import outline

        view = tuple(message for message in work.view if message is not self._held.outline)
        spare = max(0, int(OUTLINE_PART * room))
        snipped = snip(snip(view, self._size, room - spare), self._size, most - spare)
        here = set(map(id, snipped))
        gone = tuple(message for message in view if id(message) not in here)
        if not gone:
            return
        left_out = (*self._held.left_out, *gone)
        told = Summary(outline(left_out, (*agent.tools, *agent.withheld), self._count, spare), len(left_out))
        first = 1 if isinstance(snipped[0], Summary) else 0
        after = (*snipped[:first], told, *snipped[first:])
        if total(after, self._size) > most >= total(snipped, self._size):
            after = snipped  # not even a line has room
        if total(after, self._size) >= self._total(work):
            return
        self._held.left_out, self._held.outline, work.view = left_out, told, after
        work.done += (f"{len(gone)} old messages left out",)

    async def _consolidate(self, agent: Agent, need: Need, work: _Work, low: int) -> None:
        """Let the model write notes on the oldest messages; notes that fail are said to have failed."""
        from cococat.context.consolidate import digest, split

        covers = split(need.messages, self._bounds.keep)
        old = need.messages[:covers]
        replaced, most, left = total(old, self._size), self._limit, need.left_tokens
        if replaced < NOTABLE * self._total(work):
            return
        while self._failed < TRIES and (not need.left_tokens or min(replaced, most) * self._scale < left):
            need.noting(covers)
            made = await digest(
                agent,
                old,
                self._count,
                replace(self._bounds, window=self._window),
                room=most,
                notes=int(NOTES_PART * low),
                left=left,
                tries=TRIES - self._failed,
            )
            work.usage, work.notes = work.usage + made.usage, work.notes + made.requests
            left -= made.usage.total_tokens
            if made.summary:
                self._replace(need, work, made.summary, low)
                self._failed = 0 if work.summary else self._failed + made.requests  # notes that are no shorter are none
                return
            self._failed += made.requests
            work.cancelled = made.cancelled
            if made.cancelled:
                return
            if self._failed >= TRIES:
                work.done += (f"notes failed: {made.why_not}",)
            most //= 2  # the material may have been what was wrong

    def _replace(self, need: Need, work: _Work, summary: Summary, low: int) -> None:
        """Put *summary* in the place of what it covers; what is newer is shortened as far as that is needed."""
        rest = shared(need.messages[summary.covers :], self._keep)
        request = (self._request,) if self._request and not any(m is self._request for m in rest) else ()
        made = _Work((summary, *request, *rest))
        for shorten in (cut_result, title):
            if self._total(made) > low:
                self._prune(made, 0 if shorten is cut_result else self._bounds.protect, low, shorten)
        if self._total(made) >= self._total(work):
            work.done += ("notes failed: they would take as much room as what they stand for",)
            return
        work.view, work.summary = made.view, summary
        work.done += (f"{summary.covers} messages summarised",)
        self._held.left_out, self._held.outline = (), None


def title(result: ToolResult, name: str) -> ToolResult:
    """Return a result that says in one line what it was."""
    if result.output.startswith(PRUNED):
        return result
    where = f'; read_file path="{name}"' if name else ""
    return replace(result, output=f"{PRUNED}{result.name}, {full_chars(result.output):,} characters{where}]")


def prune(
    messages: Sequence[Message],
    size: Size,
    protect: int,
    excess: int,
    keep: Keep = nowhere,
    *,
    shorten: Shorten = title,
) -> tuple[Message, ...]:
    """
    Shorten tool outputs that are older than the newest *protect* tokens.

    Args:
        messages: valid.
        protect: tokens that stay whole, with every message they reach into; the latest round of
            results stays whole in any case.
        excess: tokens that the messages are too many.
        keep: is given each output that is shortened, unless it is known to be kept; equal
            outputs must have equal names.
        shorten: leaves alone what it has shortened before.
    Returns: equal messages when all that would save too little to be worth a change.
    Source: docs/acceptance.md, A20, C20.
    """
    latest = group_start(messages, len(messages) - 1)
    newer, shortened = 0, list(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ToolResult) and message.name != SKILL and index < latest and newer >= protect:
            short = shorten(message, pointed(message.output))
            shortened[index] = short if size(message) - size(short) >= LEAST else message
        newer += size(message)
    freed = newer - total(shortened, size)
    if freed <= WORTH * excess or freed < GAIN * newer:
        return tuple(messages)
    # what stays of an output that is kept nowhere yet says where all of it can be read
    return tuple(
        new if old is new or not isinstance(old, ToolResult) or pointed(old.output) else shorten(old, keep(old.output))
        for old, new in zip(messages, shortened, strict=True)
    )


def snip(messages: Sequence[Message], size: Size, room: int) -> tuple[Message, ...]:
    """
    Leave out whole groups, the oldest first, until there is room for more; a summary goes last, if it must.

    The last four messages, extended back to a whole group, and the user's current request stay.

    Args:
        messages: valid.
        room: tokens.
    Returns: valid messages; more than *room* when what must stay is too much; all when they fit.
    Source: docs/acceptance.md, A19.
    """
    tokens = sum(map(size, messages))
    if tokens <= room:
        return tuple(messages)
    gone: set[int] = set()
    for group in _expendable(messages):
        saved = sum(size(messages[index]) for index in group)
        if isinstance(messages[group.start], Summary) and not tokens - saved <= room < tokens:
            break  # it stands for much: it goes only where that makes the rest fit
        if tokens <= room:
            break
        gone.update(group)
        tokens -= saved
    return tuple(message for index, message in enumerate(messages) if index not in gone)


def _expendable(messages: Sequence[Message]) -> Iterator[range]:
    """Groups that may go, in the order in which they go."""
    request = request_index(messages)
    groups = [group for group in _groups(messages, recent_start(messages, KEPT)) if group.start != request]
    yield from sorted(groups, key=lambda group: max(_worth(messages[index]) for index in group))


def _worth(message: Message) -> int:
    """Return how late a message goes: behind all others the text of a skill, and a summary last."""
    match message:
        case Summary():
            return 2
        case ToolResult(name=name, status="completed") if name == SKILL:
            return 1
        case User(attachments=attachments) if any(file.name.startswith(f"{SKILL} ") for file in attachments):
            return 1
        case _:
            return 0


def _groups(messages: Sequence[Message], end: int) -> Iterator[range]:
    start = 0
    for index in range(1, end + 1):
        if index == end or not isinstance(messages[index], ToolResult):
            yield range(start, index)
            start = index
