"""`/undo` and `/retry`: the last turn leaves the conversation, and its changes leave the files."""

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
from cococat.tools.takeback import Clash, plan, put_back

__all__ = ["last_question", "rewind", "undo"]

SHOWN = 60  # characters of the question


def undo(conversation: Conversation, say: Callable[[str], None], *, files: bool = True) -> str:
    """
    Take back the last turn; files first, so that a crash in between leaves it to be taken back again.

    Args:
        say: is given the diffs of files that stand in the way.
        files: put back what its tools changed, too.
    Returns: what was taken back, in lines for the user.

    Raises:
        UsageError: there is no turn, or a file was changed since; nothing is taken back then.
        StorageError: a file cannot be read or written.
    """
    index = last_question(conversation.history)
    question, turn = conversation.history[index], conversation.history[index:]
    assert isinstance(question, User)
    lines = _files_back(conversation, turn, say) if files else []
    known = rewind(conversation, index)
    words = " ".join(question.text.split())
    told = unfounded(conversation.folders, review="/dream review", rm="/memory rm") if known else []
    return "\n".join([f'taken back: "{clip(words, SHOWN)}"', *lines, *told])


def rewind(conversation: Conversation, index: int) -> bool:
    """
    Go on with the first *index* messages, the last question being left out; the log keeps it, no dream reads it.

    Returns: whether a dream could have read it.
    Raises: StorageError: it cannot be taken out of what dreams read; nothing has changed then.
    """
    before = conversation.history[index:]
    after = conversation.history[:index]
    known = _retracted(conversation, before[0]) if before else False
    if conversation.log and before:
        conversation.log.rewrite("rewind", conversation.history, after)
    conversation.history = after
    return known


def _retracted(conversation: Conversation, question: Message) -> bool:
    log = conversation.log
    if log is None or not log.asked.numbers or not isinstance(question, User):
        return False
    typed = redactor(conversation.settings, said=True)(typed_words(question))
    from cococat.memory.dream.retract import retract_turn

    return retract_turn(conversation.folders.memory, log.id, log.asked.numbers[-1], typed, now=datetime.now(UTC))


def last_question(history: Sequence[Message]) -> int:
    """
    Return where the last turn begins.

    Raises: UsageError: nothing was asked yet.
    """
    for index in range(len(history) - 1, -1, -1):
        message = history[index]
        if isinstance(message, User) and not (message.synthetic or message.steers):
            return index
    raise UsageError("nothing was asked yet", "ask something first")


def _files_back(conversation: Conversation, turn: Sequence[Message], say: Callable[[str], None]) -> list[str]:
    """Put back the files that the tools of *turn* changed; say what cannot be."""
    results = [message for message in turn if isinstance(message, ToolResult) and message.status == "completed"]
    effects = {result.name: tool.effect for result in results if (tool := declared(result.name))}
    if servers := conversation.bench.servers:
        effects |= dict.fromkeys((result.name for result in results if servers.declares(result.name)), "runs")
    lines = [f"what {name} did to files is not taken back" for name, effect in effects.items() if effect == "runs"]
    number = conversation.log.asked.numbers[-1] if conversation.log and conversation.log.asked.numbers else 0
    images = [] if conversation.log is None else kept_preimages(conversation.folders.state, conversation.log.id)
    own = [(image, before) for image, before in images if image.turn == number and image.root == str(conversation.root)]
    if not own:
        wrote = "writes" in effects.values()
        return [*lines, "what its tools wrote is not kept here, so the files stay as they are"] if wrote else lines
    assert conversation.log is not None  # or nothing would have been kept
    try:
        backs, clashes = plan(conversation.root, own)
        if clashes:
            raise _refusal(clashes, say)
        lines = [*(put_back(conversation.root, back) for back in reversed(backs)), *lines]
    except ToolFailure as error:
        raise StorageError(f"not all is taken back: {error}", "/undo again, or /undo chat") from error
    with suppress(OSError):  # what stays is found to be done when it is looked at again
        forget(conversation.folders.state, conversation.log.id, number)
    return lines


def _refusal(clashes: Sequence[Clash], say: Callable[[str], None]) -> UsageError:
    for clash in clashes:
        say(clash.diff)
    names = ", ".join(clash.path for clash in clashes)
    message = f"nothing is taken back: {names} changed since, and would be changed as shown"
    return UsageError(message, "/undo chat takes back the conversation alone")
