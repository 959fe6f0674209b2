"""The slash commands about the session: begin, resume, fork, name, and take back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cococat.app import open_session
from cococat.app.chat.console import Console
from cococat.app.chat.welcome_back import recap
from cococat.app.sessions.browse import folder_name, letters_of
from cococat.core.limits import Usage
from cococat.core.messages import User
from cococat.errors import UsageError
from cococat.store.listing import SessionInfo, list_sessions
from cococat.ui.lines.format import ago
from cococat.ui.prompt.pick import Choice
from cococat.ui.prompt.slash import Suggestion

LISTED = 10  # sessions that /resume lists


def new(console: Console) -> None:
    """`/new` and `/clear`."""
    open_session.restart(console.conversation)
    open_session.find_skills_again(console.conversation)
    console.usage, console.turns = Usage(), 0
    console.say("a new session")


def resume(console: Console, wanted: str) -> None:
    """`/resume`: go on with a session, by its id or its number; without either, with the one that is chosen."""
    number = int(wanted) if re.fullmatch(r"[1-9]\d?", wanted) else 0  # every id begins with a 0
    if not wanted:
        browse(console, "")
    elif number:
        rows = _newest(console)
        if number > len(rows):
            raise UsageError(f"there is no session {number}", "/resume lists them")
        _resume(console, rows[number - 1].id)
    else:
        _resume(console, wanted)


def browse(console: Console, typed: str) -> None:
    """`/sessions`: choose the session to go on with; a terminal that cannot show a picker gets a list."""
    if console.choose is None:
        _list(console)
    elif not (choices := _choices(console)):
        console.say("there are no sessions yet")
    elif chosen := console.choose("resume", choices, typed):
        _resume(console, chosen)


def ids(console: Console) -> tuple[Suggestion, ...]:
    """What completes `/resume`: ids, as short as tells them apart, with their titles."""
    folders = console.conversation.folders
    infos = list_sessions(folders.sessions, folders.cache)
    letters = letters_of(infos)
    return tuple(Suggestion(info.id[:letters], f"{ago(info.updated).strip()}  {info.title}") for info in infos)


def _resume(console: Console, prefix: str) -> None:
    conversation = console.conversation
    for line in open_session.resume(conversation, prefix):
        console.say(line)
    count = len(conversation.history)
    console.say(f"session {conversation.log.id if conversation.log else ''} with {count} message{'s' * (count != 1)}")
    if left := recap(conversation):
        console.say(left)


def _list(console: Console) -> None:
    lines = [
        f"{at:2}  {info.id}  {ago(info.updated)}  {info.title[:60]}" for at, info in enumerate(_newest(console), 1)
    ]
    console.say("\n".join([*lines, "/resume NUMBER or ID (its first letters will do)"]))


def _newest(console: Console) -> Sequence[SessionInfo]:
    folders = console.conversation.folders
    return list_sessions(folders.sessions, folders.cache)[:LISTED]


def _choices(console: Console) -> list[Choice]:
    folders, log = console.conversation.folders, console.conversation.log
    own = log.id if log else ""
    return [
        Choice(
            info.id,
            info.title,
            "this one" if info.id == own else ago(info.updated),
            folder_name(info.cwd),
            info.first_words,
            f"{info.turns} turn{'s' * (info.turns != 1)} · {info.model}",
        )
        for info in list_sessions(folders.sessions, folders.cache)
    ]


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


def undo(console: Console, words: str) -> None:
    """`/undo`: take back the last turn, the last N, or those from a chosen one on; `chat` leaves the files as they are."""
    first, _, rest = words.partition(" ")
    files, wanted = (first != "chat"), (rest.strip() if first == "chat" else words)
    if wanted == "turns" and not (wanted := _chosen_turn(console)):
        return
    if wanted and not re.fullmatch(r"[1-9]\d{0,3}", wanted):
        raise UsageError(
            f"/undo {words} is unknown",
            "/undo [N], /undo turns to choose, /undo chat [N] to leave the files as they are",
        )
    from cococat.app.chat import undo as taking_back

    console.say(taking_back.undo(console.conversation, console.say, int(wanted or 1), files=files))


def _chosen_turn(console: Console) -> str:
    """Return how many turns to take back, the last one as 1; nothing where none was chosen."""
    from cococat.app.chat.undo import questions

    history = console.conversation.history
    asked = [message for at in reversed(questions(history)) if isinstance(message := history[at], User)]
    titles = [" ".join(message.text.split()) for message in asked]
    if console.choose is None:
        console.say("\n".join([*(f"{at:2}  {title[:60]}" for at, title in enumerate(titles, 1)), "/undo NUMBER"]))
        return ""
    choices = [Choice(str(at), title, f"{at:2}") for at, title in enumerate(titles, 1)]
    return console.choose("rewind", choices, "") or ""


def retry(console: Console) -> None:
    """The question is asked once more; what it gave before leaves the history, not the log."""
    from cococat.app.chat import undo as taking_back

    index = taking_back.questions(console.conversation.history)[-1]
    question = console.conversation.history[index]
    assert isinstance(question, User)
    taking_back.rewind(console.conversation, index)
    console.again(question)
