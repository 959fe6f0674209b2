"""What a user finds again: which session goes on and where it was left, and what was entered in this folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from cococat.app.conversation import Conversation
from cococat.core.messages import Assistant, Message, User
from cococat.store.listing import list_sessions
from cococat.system.text import clip
from cococat.ui.lines.columns import cells, cut, one_line
from cococat.ui.lines.format import ago

QUESTION_CHARS, ANSWER_CHARS = 200, 600  # of the last exchange


def where(conversation: Conversation, width: int) -> str:
    """Return in which folder and branch a chat is, how it works, and what to type, in a row of at most *width* columns."""
    from cococat.system.git_state import branch_of

    root, home, branch = conversation.root, Path.home(), branch_of(conversation.root)
    folder = f"~/{root.relative_to(home)}" if root != home and root.is_relative_to(home) else str(root)
    parts = [
        f"{folder}{f' on {branch}' if branch else ''}",
        f"{conversation.mode}, {conversation.permits.mode}",
        "? keys",
    ]
    if not conversation.history:
        parts.append("try: what is in this folder?")
    while len(parts) > 1 and cells(" · ".join(parts)) > width:
        parts.pop()
    return cut(one_line(" · ".join(parts), "exact"), width)


def recap(conversation: Conversation) -> str:
    """
    Return the title, the age and the turns of the session, and its last exchange; empty for a new one.

    A title that is that question is not said twice.
    """
    folders = conversation.folders
    if conversation.log is None or not conversation.history:
        return ""
    wanted = conversation.log.id
    found = (info for info in list_sessions(folders.sessions, folders.cache) if info.id == wanted)
    exchange = _exchange(conversation.history)
    head = [
        f"{'' if f'> {info.title}' in exchange else f'{info.title} · '}{ago(info.updated).strip()}"
        f" · {info.turns} turn{'s' * (info.turns != 1)}"
        for info in found
    ]
    return "\n\n".join([*head, *exchange])


def history_file(state: Path, root: Path) -> Path:
    """Where the lines are kept that were entered in *root*; each folder has its own, named by a digest of its path."""
    return state / "history" / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _exchange(history: Sequence[Message]) -> list[str]:
    """The last question and the answer that it got, each cut where it is long."""
    at = max((at for at, one in enumerate(history) if isinstance(one, User) and not one.synthetic), default=None)
    if at is None:
        return []
    question = history[at]
    assert isinstance(question, User)
    answers = [message.text for message in history[at:] if isinstance(message, Assistant) and message.text]
    answer = clip(answers[-1].strip(), ANSWER_CHARS) if answers else "(no answer yet)"
    return [f"> {clip(' '.join(question.text.split()), QUESTION_CHARS)}", answer]
