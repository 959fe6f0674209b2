"""`/compact` and `/compact undo`: the older part of a session becomes notes, and back again."""

from __future__ import annotations

from cococat.app.conversation import Conversation
from cococat.app.signals import cancel_on_signals
from cococat.context.budget import budget, sizer, total
from cococat.context.consolidate import digest, split
from cococat.context.outline import outline
from cococat.core.events import ContextCompacted, MessageAdded
from cococat.core.history import distinct, repair
from cococat.core.limits import Usage
from cococat.core.messages import Message, Summary
from cococat.errors import StorageError, UsageError
from cococat.store.codec import from_record
from cococat.store.record import Reading
from cococat.store.session_state import History
from cococat.store.sessions import with_pixels
from cococat.ui.screen.progress import stages


async def compact(conversation: Conversation) -> tuple[str, Usage]:
    """
    Let the model write notes in the place of all but the newest messages.

    Returns: what came of it, in a line, and what it cost.
    Raises: UsageError: the history is too short.
    """
    bounds, history = conversation.measure.bounds, conversation.history
    covers = split(history, bounds.keep)
    if not covers:
        raise UsageError("there is nothing to compact yet", f"the newest {bounds.keep} messages always stay whole")
    size, room = sizer(conversation.measure.count), budget(bounds.window, bounds.reserved_output, bounds.ratio)
    bar = stages("compacting; Ctrl-C stops", shown=not conversation.options.quiet)
    with bar, cancel_on_signals(conversation.leaving):
        old = history[:covers]
        made = await digest(conversation.agent(), old, conversation.measure.count, bounds, room=room)
    if made.cancelled:
        return "stopped; the history is as it was", made.usage
    summary = made.summary
    if made.unusable:
        summary = Summary(
            outline(old, conversation.all_tools(), conversation.measure.count, total(old, size) // 2), covers
        )
    if summary is None:
        return f"the history is as it was: {made.why_not}", made.usage
    after = (summary, *history[covers:])
    sizes = total(history, size), total(after, size)
    if sizes[1] >= sizes[0]:
        return "the history is as it was: the notes would take as much room", made.usage
    conversation.history = after
    if conversation.log:
        conversation.log.emit(MessageAdded(summary))
        conversation.log.emit(ContextCompacted(*sizes, f"{covers} messages summarised"))
    shown = f"{covers} messages became notes: history about {sizes[0]:,} -> {sizes[1]:,} tokens"
    how = f"; they were made without the model: {made.why_not}" if made.unusable else ""
    return f"{shown}{how}; /compact undo takes it back", made.usage


def undo(conversation: Conversation) -> str:
    """
    Put back the messages that the summary at the head of the history stands for.

    Raises:
        UsageError: there is no summary, or its messages are not in the log of this session.
        StorageError: the log cannot be read.
    """
    summary = conversation.history[0] if conversation.history else None
    if not isinstance(summary, Summary):
        raise UsageError("nothing was compacted", "/compact does it")
    if conversation.log is None:
        raise UsageError("a session that is not saved cannot be taken back", "start without --no-session")
    try:
        covered = _covered(conversation, summary)
    except OSError as error:
        raise StorageError(f"the log of this session cannot be read: {error.strerror}", "/status names it") from error
    if not covered:
        raise UsageError("the messages are in the session that this one was forked from", "/resume that one")
    after = repair(distinct((*covered, *conversation.history[1:])))
    conversation.log.rewrite("rewind", conversation.history, after)
    conversation.history = with_pixels(after, conversation.log.path)
    return f"{len(covered)} messages are back in the place of the notes"


def _covered(conversation: Conversation, summary: Summary) -> tuple[Message, ...]:
    """What *summary* stands for, as the log tells; secrets were taken out of what is there."""
    assert conversation.log is not None
    history, covered = History(), dict[Message, tuple[Message, ...]]()
    last: tuple[Message, ...] = ()
    with conversation.log.path.open("rb") as stream:
        for record in Reading(stream):
            event = from_record(record.body) if record.type == "message" and b'"summary"' in record.line else None
            if isinstance(event, MessageAdded) and isinstance(event.message, Summary):
                last = tuple(history.messages[: event.message.covers])
                covered[event.message] = last
            history.take(record)
    return covered.get(summary, last)
