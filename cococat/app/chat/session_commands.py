"""The slash commands about the session: begin, resume, fork, name, and take back."""

from __future__ import annotations

import re

from cococat.app import open_session
from cococat.app.chat import undo as taking_back
from cococat.app.chat.coming_back import ago, recap
from cococat.app.chat.console import Console
from cococat.core.limits import Usage
from cococat.core.messages import User
from cococat.errors import UsageError
from cococat.store.listing import list_sessions

__all__ = ["fork", "new", "rename", "resume", "retry", "undo"]

LISTED = 10  # sessions that /resume lists


def new(console: Console) -> None:
    """`/new` and `/clear`."""
    open_session.restart(console.conversation)
    console.usage, console.turns = Usage(), 0
    console.say("a new session")


def resume(console: Console, prefix: str) -> None:
    """`/resume`: list the newest sessions, or go on with one."""
    conversation = console.conversation
    number = int(prefix) if re.fullmatch(r"[1-9]\d?", prefix) else 0  # every id begins with a 0
    if not prefix or number:
        rows = list_sessions(conversation.folders.sessions, conversation.folders.cache)[:LISTED]
        if not prefix:
            lines = [f"{at:2}  {info.id}  {ago(info.updated)}  {info.title[:60]}" for at, info in enumerate(rows, 1)]
            console.say("\n".join([*lines, "/resume NUMBER or ID (its first letters will do)"]))
            return
        if number > len(rows):
            raise UsageError(f"there is no session {number}", "/resume lists them")
        prefix = rows[number - 1].id
    for line in open_session.resume(conversation, prefix):
        console.say(line)
    console.say(f"session {conversation.log.id if conversation.log else ''} with {len(conversation.history)} messages")
    if left := recap(conversation):
        console.say(left)


def fork(console: Console) -> None:
    """`/fork`."""
    if console.conversation.log is None:
        raise UsageError("there is no session to fork", "start without --no-session")
    open_session.resume(console.conversation, console.conversation.log.id, fork=True)
    console.say(f"now in a copy: session {console.conversation.log.id}")


def rename(console: Console, title: str) -> None:
    """`/rename`."""
    if console.conversation.log is None:
        raise UsageError("there is no session to name", "start without --no-session")
    if not title:
        raise UsageError("a session needs a name", "/rename TITLE")
    console.conversation.log.rename(title)
    console.say(f"this session is now called {console.conversation.log.title}")


def undo(console: Console, word: str) -> None:
    """`/undo`."""
    if word not in ("", "chat"):
        raise UsageError(f"/undo {word} is unknown", "/undo, or /undo chat to leave the files as they are")
    console.say(taking_back.undo(console.conversation, console.say, files=not word))


def retry(console: Console) -> None:
    """The question is asked once more; what it gave before leaves the history, not the log."""
    index = taking_back.last_question(console.conversation.history)
    question = console.conversation.history[index]
    assert isinstance(question, User)
    taking_back.rewind(console.conversation, index)
    console.again(question)
