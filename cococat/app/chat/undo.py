"""`/undo` and `/retry`: the last turn, or several, leave the conversation, and their changes leave the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from cococat.app.conversation import Conversation
from cococat.app.dream.orphaned_lines import unfounded
from cococat.app.dream.remember import typed_words
from cococat.app.redactor import redactor
from cococat.core.messages import Message, ToolResult, User
from cococat.core.tools import ToolFailure
from cococat.errors import StorageError, UsageError
from cococat.system.text import clip
from cococat.tools.preimages import forget, kept_preimages
from cococat.tools.registry import declared
from cococat.tools.takeback import plan, put_back

SHOWN = 60  # characters of the question


def undo(conversation: Conversation, say: Callable[[str], None], turns: int = 1, *, files: bool = True) -> str:
    """
    Take back the last turns; files first, so that a crash in between leaves them to be taken back again.

    Args:
        say: is given the diffs of files that stand in the way.
        turns: how many of them, >= 1.
        files: put back what their tools changed, too.
    Returns: what was taken back, in lines for the user.

    Raises:
        UsageError: there are not so many turns, or a file was changed since; nothing is taken back then.
        StorageError: a file cannot be read or written.
    """
    begins = questions(conversation.history)
    if turns > len(begins):
        count = f"{len(begins)} turn{'s' * (len(begins) != 1)}"
        raise UsageError(f"{count} can be taken back, not {turns}", "/undo turns shows them")
    index = begins[-turns]
    question = conversation.history[index]
    assert isinstance(question, User)
    lines = _files_back(conversation, index, turns, say) if files else []
    known = rewind(conversation, index)
    words = clip(" ".join(question.text.split()), SHOWN)
    head = f'taken back: "{words}"' if turns == 1 else f'taken back: {turns} turns, from "{words}" on'
    told = unfounded(conversation.folders, review="/dream review", rm="/memory rm") if known else []
    return "\n".join([head, *lines, *told])


def rewind(conversation: Conversation, index: int) -> bool:
    """
    Go on with the first *index* messages, the last question being left out; the log keeps it, no dream reads it.

    Returns: whether a dream could have read it.
    Raises: StorageError: it cannot be taken out of what dreams read; nothing has changed then.
    """
    before = conversation.history[index:]
    after = conversation.history[:index]
    known = _retracted(conversation, before)
    if conversation.log and before:
        conversation.log.rewrite("rewind", conversation.history, after)
    conversation.history = after
    return known


def _retracted(conversation: Conversation, turns: Sequence[Message]) -> bool:
    """Take the questions in *turns* out of what dreams read, the last one first; return whether one of them was there."""
    log, asked = conversation.log, [turns[at] for at in (questions(turns) if turns else ())]
    if log is None:
        return False
    from cococat.memory.dream.retract import retract_turn

    known, redact = False, redactor(conversation.settings, said=True)
    for number, question in zip(reversed(log.asked.numbers), reversed(asked), strict=False):
        if isinstance(question, User):
            typed, now = redact(typed_words(question)), datetime.now(UTC)
            known |= retract_turn(conversation.folders.memory, log.id, number, typed, now=now)
    return known


def questions(history: Sequence[Message]) -> list[int]:
    """
    Return where each turn begins, in order; what a summary stands for is no turn any more.

    Raises: UsageError: nothing was asked yet.
    """
    begins = [
        index
        for index, message in enumerate(history)
        if isinstance(message, User) and not (message.synthetic or message.steers)
    ]
    if not begins:
        raise UsageError("nothing was asked yet", "ask something first")
    return begins


def _files_back(conversation: Conversation, index: int, turns: int, say: Callable[[str], None]) -> list[str]:
    """Put back the files that the tools of the last *turns* changed, which begin at *index*; say what cannot be."""
    results = [
        message
        for message in conversation.history[index:]
        if isinstance(message, ToolResult) and message.status == "completed"
    ]
    effects = {result.name: tool.effect for result in results if (tool := declared(result.name))}
    if servers := conversation.bench.servers:
        effects |= dict.fromkeys((result.name for result in results if servers.declares(result.name)), "runs")
    lines = [f"what {name} did to files is not taken back" for name, effect in effects.items() if effect == "runs"]
    log = conversation.log
    numbers = log.asked.numbers[-turns:] if log else []
    images = [] if log is None else kept_preimages(conversation.folders.state, log.id)
    own = [
        (image, before) for image, before in images if image.turn in numbers and image.root == str(conversation.root)
    ]
    if not own:
        wrote = "writes" in effects.values()
        return [*lines, "what its tools wrote is not kept here, so the files stay as they are"] if wrote else lines
    assert log is not None  # or nothing would have been kept
    try:
        backs, clashes = plan(conversation.root, own)
        if clashes:
            for clash in clashes:
                say(clash.diff)
            names = ", ".join(clash.path for clash in clashes)
            message = f"nothing is taken back: {names} changed since, and would be changed as shown"
            raise UsageError(message, "/undo chat takes back the conversation alone")
        lines = [*(put_back(conversation.root, back) for back in reversed(backs)), *lines]
    except ToolFailure as error:
        raise StorageError(f"not all is taken back: {error}", "/undo again, or /undo chat") from error
    for number in numbers:
        with suppress(OSError):  # what stays is found to be done when it is looked at again
            forget(conversation.folders.state, log.id, number)
    return lines
