"""The slash commands of the REPL."""

from __future__ import annotations

import base64
import shlex
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from cococat.app import about, open_session
from cococat.app.chat import compact, undo
from cococat.app.chat.memory_commands import DREAM_WORDS, MEMORY_WORDS, dream_command, memory_command
from cococat.app.conversation import Conversation
from cococat.app.dream.dream_in_chat import DreamInChat
from cococat.app.endpoint import EMBEDDED, connect
from cococat.core.agent import estimate_tokens
from cococat.core.limits import Usage
from cococat.core.messages import Assistant, User
from cococat.errors import CococatError, StorageError, UsageError
from cococat.store import export, sessions
from cococat.ui.slash import Command

__all__ = ["Console", "slash_commands"]

T = TypeVar("T")
MODES = ("single", "react")
PERMISSIONS = ("plan", "ask-first", "edits", "auto")
_MEMORY, _DREAM = "[path|edit|search Q|why X|rm X]", "[review|log|show N|diff N|undo [N]]"


class Runs(Protocol):
    """Runs a coroutine to its end; Ctrl-C cancels it."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what *work* gives."""
        ...


@dataclass(slots=True)
class Console:
    """
    What the commands act on.

    Args:
        say: prints lines of ours above the prompt.
        again: sends a message as if it had just been entered.
        dreams: those of this chat.
    """

    conversation: Conversation
    say: Callable[[str], None]
    run: Runs
    again: Callable[[User], None]
    dreams: DreamInChat
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    leaving: bool = False


def slash_commands(console: Console) -> tuple[Command, ...]:
    """Make the commands; each acts on *console* and prints what it did."""
    c = console
    return (
        Command("help", "", "this list and the keys", lambda _: _help(c)),
        Command("new", "", "a new session with an empty history", lambda _: _new(c)),
        Command("clear", "", "the same as /new", lambda _: _new(c)),
        Command("context", "", "what the next request holds, in tokens", lambda _: _context(c)),
        Command("compact", "[undo]", "notes in the place of older messages", lambda word: _compact(c, word)),
        Command("cost", "", "tokens used by this session", lambda _: _cost(c)),
        Command("model", "[NAME]", "show or change the model", lambda name: _model(c, name)),
        Command("mode", "[single|react]", "show or change the mode", lambda name: _mode(c, name), lambda: MODES),
        Command("resume", "[ID]", "go on with an earlier session", lambda name: _resume(c, name)),
        Command("fork", "", "go on in a copy of this session", lambda _: _fork(c)),
        Command("rename", "TITLE", "give this session a name", lambda title: _rename(c, title)),
        Command("export", "[md|json|html] [FILE]", "write this session to a file", lambda rest: _export(c, rest)),
        Command("copy", "", "the last answer to the clipboard", lambda _: _copy(c)),
        Command("undo", "[chat]", "take back the last turn and its changes of files", lambda word: _undo(c, word)),
        Command("retry", "", "ask the last question again", lambda _: _retry(c)),
        Command("memory", _MEMORY, "what is remembered of you", lambda rest: _memory(c, rest), lambda: MEMORY_WORDS),
        Command("dream", _DREAM, "compact the memory now", lambda rest: _dream(c, rest), lambda: DREAM_WORDS),
        Command("tools", "", "every tool with its permission", lambda _: _tools(c)),
        Command("permissions", "[MODE]", "show or change them", lambda w: _permissions(c, w), lambda: PERMISSIONS),
        Command("status", "", "model, session, folders", lambda _: _status(c)),
        Command("config", "", "where the settings come from", lambda _: _config(c)),
        Command("exit", "", "leave (also Ctrl-D, exit, quit, :q)", lambda _: _exit(c)),
    )


def _help(console: Console) -> None:
    rows = [(f"/{c.name} {c.usage}".rstrip(), c.help) for c in slash_commands(console)]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {text}" for name, text in rows]
    keys = "Enter sends; Ctrl-J, Alt-Enter or a trailing \\ gives a new line; Esc or Ctrl-C stops a turn; Ctrl-D leaves"
    more = "@path attaches a file; !command runs a shell command of yours; Shift-Tab cycles the permission mode"
    console.say("\n".join([*lines, keys, more]))


def _new(console: Console) -> None:
    open_session.restart(console.conversation)
    console.usage, console.turns = Usage(), 0
    console.say("a new session")


def _context(console: Console) -> None:
    conversation = console.conversation
    tools = conversation.tools()
    system, memory = (
        estimate_tokens(conversation.system(tools)),
        estimate_tokens(conversation.memory) if conversation.memory else 0,
    )
    offered = sum(estimate_tokens(repr(tool.spec)) for tool in tools)
    history = sum(estimate_tokens(repr(message)) for message in conversation.history)
    total = system + offered + history
    window = conversation.connection.window
    console.say(
        f"next request: about {total:,} of {window:,} tokens ({total / window:.0%})\n"
        f"system {system - memory:,} · memory {memory:,} · tools {offered:,} · history {history:,}"
    )


def _compact(console: Console, word: str) -> None:
    match word:
        case "":
            told, usage = console.run(compact.compact(console.conversation))
            console.usage += usage
            console.say(told)
        case "undo":
            console.say(compact.undo(console.conversation))
        case _:
            raise UsageError(f"/compact {word} is unknown", "/compact, /compact undo")


def _cost(console: Console) -> None:
    usage = console.usage
    about = "about " if usage.estimated else ""
    console.say(
        f"{about}{usage.total_tokens:,} tokens in {console.turns} turns: "
        f"{usage.prompt_tokens:,} sent, {usage.completion_tokens:,} received"
    )


def _model(console: Console, name: str) -> None:
    conversation = console.conversation
    if not name:
        console.say(f"{conversation.connection.name} at {conversation.connection.host}; /model NAME changes it")
        return
    if conversation.connection.host == EMBEDDED:
        raise UsageError("the embedded model is the only one here", "start with --base-url URL -m NAME for others")
    settings = replace(conversation.settings, model=replace(conversation.settings.model, name=name))
    connection = console.run(connect(settings, conversation.folders, quiet=True))
    console.run(conversation.connection.close())
    conversation.settings, conversation.connection = settings, connection
    console.say(f"the model is now {connection.name} at {connection.host}")


def _mode(console: Console, name: str) -> None:
    if name and name not in MODES:
        raise UsageError(f"no mode {name!r}", "/mode single, or /mode react")
    console.conversation.mode = name or console.conversation.mode
    console.say(f"the mode is {console.conversation.mode}")


def _resume(console: Console, prefix: str) -> None:
    conversation = console.conversation
    if not prefix:
        rows = sessions.list_sessions(conversation.folders.sessions, conversation.folders.cache)[:10]
        lines = [f"{info.id}  {_ago(info.updated)}  {info.title[:60]}" for info in rows]
        console.say("\n".join([*lines, "/resume ID (its first letters will do)"]))
        return
    for line in open_session.resume(conversation, prefix):
        console.say(line)
    console.say(f"session {conversation.log.id if conversation.log else ''} with {len(conversation.history)} messages")


def _fork(console: Console) -> None:
    if console.conversation.log is None:
        raise UsageError("there is no session to fork", "start without --no-session")
    open_session.resume(console.conversation, console.conversation.log.id, fork=True)
    console.say(f"now in a copy: session {console.conversation.log.id}")


def _export(console: Console, rest: str) -> None:
    conversation = console.conversation
    if conversation.log is None:
        raise UsageError("there is no session to export", "start without --no-session")
    words = shlex.split(rest)
    form: Literal["md", "json", "html"] = "md"
    if words and words[0] in ("json", "html"):
        form = "json" if words[0] == "json" else "html"
    names = words[1:] if words and words[0] in ("md", "json", "html") else words
    path = Path(names[0]).expanduser() if names else conversation.root / f"cococat-{conversation.log.id}.{form}"
    session = sessions.load(conversation.folders.sessions, conversation.log.id)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(export.export(session, form))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}", "/export md ANOTHER_FILE") from error
    console.say(f"written to {path}")


def _last_answer(console: Console) -> str:
    said = [m.text for m in console.conversation.history if isinstance(m, Assistant) and m.text and not m.calls]
    if not said:
        raise UsageError("there is no answer yet", "ask something first")
    return said[-1]


def _copy(console: Console) -> None:
    """OSC 52 reaches the clipboard of the terminal's own machine, also through ssh."""
    text = _last_answer(console)
    code = base64.b64encode(text.encode()).decode("ascii")
    sys.stdout.write(f"\x1b]52;c;{code}\x07")
    sys.stdout.flush()
    console.say(f"{len(text):,} characters sent to the terminal's clipboard")


def _retry(console: Console) -> None:
    """The question is asked once more; what it gave before leaves the history, not the log."""
    index = undo.last_question(console.conversation.history)
    question = console.conversation.history[index]
    assert isinstance(question, User)
    undo.rewind(console.conversation, index)
    console.again(question)


def _undo(console: Console, word: str) -> None:
    if word not in ("", "chat"):
        raise UsageError(f"/undo {word} is unknown", "/undo, or /undo chat to leave the files as they are")
    console.say(undo.undo(console.conversation, console.say, files=not word))


def _rename(console: Console, title: str) -> None:
    if console.conversation.log is None:
        raise UsageError("there is no session to name", "start without --no-session")
    if not title:
        raise UsageError("a session needs a name", "/rename TITLE")
    console.conversation.log.rename(title)
    console.say(f"this session is now called {console.conversation.log.title}")


def _memory(console: Console, rest: str) -> None:
    memory_command(console.conversation, rest)


def _dream(console: Console, rest: str) -> None:
    dreams = console.dreams
    dream_command(console.conversation, rest, lambda: console.run(dreams.now()), lambda: console.run(dreams.review()))


def _tools(console: Console) -> None:
    conversation = console.conversation
    offered = {tool.name for tool in conversation.tools()}
    about.tools(conversation.settings, conversation.options)
    console.say(f"{conversation.mode} mode offers: {', '.join(sorted(offered)) or 'none'}")


def _permissions(console: Console, mode: str) -> None:
    conversation = console.conversation
    if mode and mode not in PERMISSIONS:
        raise UsageError(f"no permission mode {mode!r}", f"one of {', '.join(PERMISSIONS)}")
    conversation.permission = mode or conversation.permission
    rules = [*conversation.settings.permissions.allow, *conversation.granted]
    console.say(f"permission mode {conversation.permission}; allowed: {', '.join(rules) or 'nothing else'}")


def _status(console: Console) -> None:
    conversation = console.conversation
    session = conversation.log.id if conversation.log else "not saved (--no-session)"
    console.say(
        f"model {conversation.connection.name} at {conversation.connection.host} · {conversation.connection.protocol.name} protocol\n"
        f"mode {conversation.mode} · permission {conversation.permission} · root {conversation.root}\n"
        f"session {session} · memory {conversation.settings.memory.mode}"
    )


def _config(console: Console) -> None:
    settings = console.conversation.settings
    changed = {key: origin for key, origin in settings.origins.items() if origin.kind != "default"}
    lines = [f"{key} from {origin}" for key, origin in sorted(changed.items())]
    console.say(
        "\n".join([str(console.conversation.folders.config_file), *(lines or ["everything is at its default"])])
    )


def _exit(console: Console) -> None:
    console.leaving = True


def _ago(then: float) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, time.time() - then)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:>3.0f} {unit} ago"
    return f"{seconds:>3.0f} s ago"


def format_error(error: CococatError) -> str:
    """An error of a command as lines for the user."""
    return f"{error.message}" + (f" -> {error.hint}" if error.hint else "")
