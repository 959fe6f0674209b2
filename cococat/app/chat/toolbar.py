"""The line below what is typed: what a chat talks to, what is permitted, and how full the next request would be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cococat.app.conversation import Conversation
from cococat.config.settings import PERMISSION_MODES
from cococat.context.budget import Count, budget, request_tokens, sizer, total
from cococat.core.agent import Need
from cococat.core.history import fold_pictures
from cococat.core.limits import Usage
from cococat.core.messages import Message, User
from cococat.ui.lines.columns import cells, cut
from cococat.ui.lines.format import tokens
from cococat.ui.lines.theme import size_of

MARGIN = 2  # columns before the line
FEW_LEFT = 2 / 3  # part of the steps from which on their number is told


class Toolbar:
    """
    The line, and the sizes that it has counted already.

    Args:
        usage: gives what the session has used.
    """

    def __init__(self, conversation: Conversation, usage: Callable[[], Usage]) -> None:
        self._conversation, self._usage = conversation, usage
        self._counted: tuple[object, int] = (None, 0)
        self._drawn = False

    def __call__(self, typed: str) -> str:
        """Return the line for the moment in which *typed* stands in the prompt."""
        c, about = self._conversation, self._conversation.measure.about
        parts = [
            (0, c.connection.name),
            (2, _calls(c)),
            (1, c.mode),
            (0, f"{c.permits.mode}{', boxed' if c.bench.boxed else ''}"),
        ]
        parts = [part for part in parts if part[1]]
        if steps := _steps(c):
            parts.append((0, steps))
        if self._drawn and (typed or c.history or c.step):  # the first prompt waits for no count
            size = self._untyped() + c.measure.quick_count(typed)
            parts.append((0, f"context {about}{size / max(1, c.connection.window):.0%}".replace("%", " %")))
        self._drawn = True
        parts.append((3, f"{tokens(self._usage().total_tokens)} tokens"))
        if c.memory:
            parts.append((4, f"memory {about}{tokens(c.measure.quick_count(c.notes))}"))
        return f" {_fitting(parts, size_of(sys.stdout)[0] - MARGIN)}"

    def _untyped(self) -> int:
        """Tokens of the next request without what is typed; counted again when something of it has changed."""
        c = self._conversation
        lengths = (id(c.history), len(c.history), c.step and len(c.added))
        key = (*lengths, c.mode, c.permits.mode, c.connection.name, c.connection.window, c.measure.about, c.memory)
        if self._counted[0] != key:
            self._counted = (key, next_request(c, c.measure.quick_count).tokens)
        return self._counted[1]


@dataclass(frozen=True, slots=True)
class NextRequest:
    """
    Tokens of the next request.

    Args:
        fixed: of everything but the history.
        history: of what it would hold of that.
        uncut: of all that there is of that.
    """

    fixed: int
    history: int
    uncut: int

    @property
    def tokens(self) -> int:
        """Of the whole."""
        return self.fixed + self.history


def next_request(conversation: Conversation, count: Count) -> NextRequest:
    """Return what the next request of *conversation* would hold, after the cuts that it would need."""
    tools, size, protocol = conversation.tools(), sizer(count), conversation.connection.protocol
    fixed = request_tokens(protocol.request(conversation.system(tools), (), tools), size, count)
    messages, bounds = fold_pictures(conversation.so_far()), conversation.measure.bounds
    uncut = total(messages, size)
    if fixed + uncut <= budget(bounds.window, bounds.reserved_output, bounds.ratio):
        return NextRequest(fixed, uncut, uncut)
    return NextRequest(fixed, min(uncut, max(0, _after_cutting(conversation, messages, count) - fixed)), uncut)


def _after_cutting(conversation: Conversation, messages: Sequence[Message], count: Count) -> int:
    """Tokens of a request of *messages* that a run would send now; nothing is asked of the model for it."""
    from cococat.context.fit import Fitting

    agent = conversation.agent()
    need = Need((*messages, User("")), agent.tools, left_tokens=1)  # too few for notes
    fitting = Fitting(conversation.measure.bounds, count=count, held=replace(conversation.held))(agent, need)
    try:
        fitting.send(None)
    except StopIteration as ended:
        return int(ended.value.after_tokens)
    fitting.close()  # it waits for something: what that comes to is not known
    return conversation.connection.window


def next_mode(conversation: Conversation) -> None:
    """Shift-Tab: the next permission mode."""
    modes = PERMISSION_MODES
    conversation.permits.mode = modes[(modes.index(conversation.permits.mode) + 1) % len(modes)]


def _steps(conversation: Conversation) -> str:
    """Return how many steps of the turn are used, where few are left; each time it goes on, as many again are allowed."""
    step, most = conversation.step, conversation.settings.agent.max_steps
    allowed = most * -(-step // most)
    return f"step {step} of {allowed}" if step >= FEW_LEFT * allowed and conversation.mode != "single" and step else ""


def _fitting(parts: Sequence[tuple[int, str]], room: int) -> str:
    """Return what has room of *parts*: the highest number goes first; of what stays, the first is cut."""
    while cells(line := " · ".join(words for _, words in parts)) > room:
        least, _ = max(parts)
        if not least:
            first = parts[0][1]
            return cut(first, room - cells(line) + cells(first)) + line[len(first) :]
        parts = [part for part in parts if part[0] != least]
    return line


def _calls(conversation: Conversation) -> str:
    """Return how tools are called where that is not the usual way: as JSON, or in words where that is what works here."""
    connection, setting = conversation.connection, conversation.settings.model.protocol
    written = connection.question and setting == "auto" and connection.question.profile.calls
    return "tools in words" if written == "text" else "tools as JSON" if connection.protocol.name == "json" else ""
