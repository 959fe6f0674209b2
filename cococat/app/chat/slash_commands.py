"""The slash commands of the REPL."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from cococat.app.chat import session_commands as session
from cococat.app.chat.console import Console
from cococat.app.chat.toolbar import next_request
from cococat.app.conversation import Conversation
from cococat.app.endpoint.connect import EMBEDDED, change_model
from cococat.app.prompting.memory_prompt import memory_prompt
from cococat.core.history import without_extra
from cococat.errors import CococatError, UsageError
from cococat.ui.lines.columns import cells, one_line
from cococat.ui.lines.theme import STYLES, Theme, ansi, size_of
from cococat.ui.lines.wrap import wrap_rows
from cococat.ui.prompt.slash import SlashCommand, Value

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["format_error", "help_page", "hint_here", "slash_commands"]

MEMORY_WORDS = ("show", "path", "edit", "search", "why", "rm")
DREAM_WORDS = ("now", "review", "log", "show", "diff", "undo")
MAX_NAMES = 8  # models that are named beside the one in use
HELP = (Value("keys", "the keys alone"),)
MODES = (Value("single", "one round of tools"), Value("react", "as many rounds as it takes"))
PERMISSIONS = (
    Value("plan", "reading only; nothing is changed"),
    Value("ask-first", "reading runs; the rest asks"),
    Value("edits", "reading and edits of files run"),
    Value("auto", "what is proven harmless runs, too"),
)
THEMES = (
    Value("dark", "colours for a dark ground"),
    Value("light", "colours for a light ground"),
    Value("plain", "no colours"),
    Value("auto", "as the terminal says"),
)
FORMS = (Value("md", "Markdown"), Value("json", "for programs"), Value("html", "one page for a browser"))
CODE = (Value("code", "the last block of code alone"),)
BACK = (Value("turns", "choose from which turn on"), Value("chat", "leave the files as they are"))
UNDO = (Value("undo", "put the older messages back"),)
ABOUT_MEMORY = tuple(map(Value, MEMORY_WORDS))
ABOUT_DREAMS = tuple(map(Value, DREAM_WORDS))
_MEMORY, _DREAM = "[path|edit|search|why|rm]", "[review|log|show|diff|undo]"
_ELSEWHERE = re.compile(  # what is a command of the shell and of the chat alike
    rf"`?\bcococat (?:(doctor|memory|dream)(?: (?:--)?({'|'.join((*MEMORY_WORDS, *DREAM_WORDS))})\b)?|(sessions) list)"
    r"(?! -)`?"
)
GAP = 2  # columns between two columns of a table
APART = 4  # and between two tables
KEYS = (
    ("Enter", "send; in a turn: with its next step"),
    ("Ctrl-J, Alt-Enter, \\ Enter", "a new line"),
    ("Esc, Ctrl-C", "stop the turn, and keep what it said"),
    ("Ctrl-D, Ctrl-C twice", "leave"),
    ("Up, Ctrl-R", "earlier lines; search in them"),
    ("Tab", "complete a command or an @path"),
    ("Shift-Tab", "the next permission mode"),
    ("Ctrl-O", "the steps of the last turn in full"),
    ("Ctrl-G, Ctrl-X Ctrl-E", "write in your editor"),
    ("@path", "attach a file"),
    ("!command", "run a shell command of yours"),
    ("?", "these keys, on an empty line"),
)


def slash_commands(console: Console) -> tuple[SlashCommand, ...]:
    """Make the commands; each acts on *console* and prints what it did."""
    c = console
    return (
        SlashCommand(
            "help", "[keys]", "this list, or the keys alone", lambda word: _help(c, word), lambda: HELP, shows=True
        ),
        SlashCommand("new", "", "a new session with an empty history", lambda _: session.new(c)),
        SlashCommand("clear", "", "the same as /new", lambda _: session.new(c)),
        SlashCommand("context", "", "what the next request holds, in tokens", lambda _: _context(c), shows=True),
        SlashCommand(
            "compact", "[undo]", "notes in the place of older messages", lambda word: _compact(c, word), lambda: UNDO
        ),
        SlashCommand("cost", "", "tokens used by this session", lambda _: _cost(c), shows=True),
        SlashCommand(
            "model",
            "[NAME]",
            "show or change the model",
            lambda name: _model(c, name),
            lambda: map(Value, c.models()),
            c.models_are_coming,
        ),
        SlashCommand("mode", "[single|react]", "show or change the mode", lambda name: _mode(c, name), lambda: MODES),
        SlashCommand(
            "resume",
            "[ID|NUMBER]",
            "go on with an earlier session; choose it",
            lambda name: session.resume(c, name),
            lambda: session.ids(c),
        ),
        SlashCommand(
            "sessions", "[WORDS]", "choose from the sessions; WORDS filter", lambda words: session.browse(c, words)
        ),
        SlashCommand("fork", "", "go on in a copy of this session", lambda _: session.fork(c)),
        SlashCommand("rename", "TITLE", "give this session a name", lambda title: session.rename(c, title)),
        SlashCommand(
            "export",
            "[md|json|html] [FILE]",
            "write this session to a file",
            lambda w: _export(c, w),
            lambda: FORMS,
        ),
        SlashCommand(
            "copy",
            "[code]",
            "the last answer, or code, to the clipboard",
            lambda w: _copy(c, w),
            lambda: CODE,
        ),
        SlashCommand(
            "undo",
            "[N|turns|chat]",
            "take back the last turn and its changes, the last N, or choose",
            lambda w: session.undo(c, w),
            lambda: BACK,
        ),
        SlashCommand("retry", "", "ask the last question again", lambda _: session.retry(c), leads=True),
        SlashCommand(
            "memory", _MEMORY, "what is remembered of you", lambda rest: _memory(c, rest), lambda: ABOUT_MEMORY
        ),
        SlashCommand("dream", _DREAM, "compact the memory now", lambda rest: _dream(c, rest), lambda: ABOUT_DREAMS),
        SlashCommand("tools", "", "every tool with its permission", lambda _: _tools(c), shows=True),
        SlashCommand(
            "mcp",
            "[restart NAME]",
            "the MCP servers, and how they do",
            lambda w: _mcp(c, w),
            lambda: (Value(f"restart {name}") for name in c.conversation.settings.mcp),
        ),
        SlashCommand("skills", "", "skills and commands of your own", lambda _: _skills(c)),
        SlashCommand(
            "permissions",
            "[MODE]",
            "show or change them",
            lambda w: _permissions(c, w),
            lambda: PERMISSIONS,
            shows=True,
        ),
        SlashCommand("theme", "[NAME]", "show or change the colours", lambda name: _theme(c, name), lambda: THEMES),
        SlashCommand("status", "", "model, session, folders", lambda _: _status(c), shows=True),
        SlashCommand("doctor", "", "check endpoint, terminal and folders", lambda _: _doctor(c)),
        SlashCommand("config", "", "what was set, and where", lambda _: _config(c)),
        SlashCommand("exit", "", "leave (also Ctrl-D, exit, quit, :q)", lambda _: _exit(c), leads=True),
    )


def _help(console: Console, word: str) -> None:
    theme = console.paint(console.conversation.settings.terminal.theme)
    commands = () if word == "keys" else slash_commands(console)
    sys.stderr.write(help_page(commands, size_of(sys.stderr)[0], theme))
    sys.stderr.flush()


def _context(console: Console) -> None:
    conversation, count = console.conversation, console.conversation.measure.count
    system, memory = count(conversation.system(conversation.tools())), count(conversation.notes)
    instructions = count(conversation.project_instructions())
    window, about, next_one = (
        conversation.connection.window,
        conversation.measure.about,
        next_request(conversation, count),
    )
    cut = f", cut from {next_one.uncut:,}" if next_one.history < next_one.uncut else ""
    console.say(
        f"next request: {about}{next_one.tokens:,} of {window:,} tokens ({next_one.tokens / window:.0%})\n"
        f"system {system - memory - instructions:,} · instructions {instructions:,} · memory {memory:,}"
        f" · tools {max(0, next_one.fixed - system):,} · history {next_one.history:,}{cut}"
    )


def _compact(console: Console, word: str) -> None:
    from cococat.app.chat import compact

    match word:
        case "":
            line, usage = console.run(compact.compact(console.conversation))
            console.usage += usage
            console.say(line)
        case "undo":
            console.say(compact.undo(console.conversation))
        case _:
            raise UsageError(f"/compact {word} is unknown", "/compact, /compact undo")


def _export(console: Console, words: str) -> None:
    from cococat.app.chat.export_copy import export_session

    console.say(export_session(console.conversation, words))


def _copy(console: Console, word: str) -> None:
    from cococat.app.chat.export_copy import copy

    console.say(copy(console.conversation, word))


def _cost(console: Console) -> None:
    usage = console.usage
    about = "about " if usage.estimated else ""
    console.say(
        f"{about}{usage.total_tokens:,} tokens in {console.turns} turn{'s' * (console.turns != 1)}: "
        f"{usage.prompt_tokens:,} sent, {usage.completion_tokens:,} received"
    )


def _model(console: Console, name: str) -> None:
    conversation = console.conversation
    if not name:
        console.say(f"{conversation.connection.name} at {conversation.connection.host}; /model NAME changes it")
        if others := [name for name in console.models() if name != conversation.connection.name]:
            more = f" and {len(others) - MAX_NAMES:,} more: cococat models" if len(others) > MAX_NAMES else ""
            console.say(f"also there: {', '.join(map(one_line, others[:MAX_NAMES]))}{more}")
        return
    if conversation.connection.host == EMBEDDED:
        raise UsageError("the embedded model is the only one here", "start with --base-url URL -m NAME for others")
    conversation.settings, conversation.connection = change_model(
        conversation.connection, conversation.settings, conversation.folders, name
    )
    conversation.history = without_extra(conversation.history)  # it was the other model's
    console.say(f"the model is now {name} at {conversation.connection.host}")


def _mode(console: Console, name: str) -> None:
    if name and name not in _texts(MODES):
        raise UsageError(f"no mode {name!r}", "/mode single, or /mode react")
    console.conversation.mode = name or console.conversation.mode
    console.say(f"the mode is {console.conversation.mode}")


def _memory(console: Console, rest: str) -> None:
    with console.suspend_terminal():  # for its editor
        memory_command(console.conversation, rest)


def _dream(console: Console, rest: str) -> None:
    dreams, theme = console.dreams, console.paint(console.conversation.settings.terminal.theme)
    now, review = (lambda: console.run(dreams.now())), (lambda: console.run(dreams.review()))
    dream_command(console.conversation, rest, now, review, theme)


def _tools(console: Console) -> None:
    conversation = console.conversation
    offered = {tool.name for tool in conversation.tools()}
    rules = replace(
        conversation.settings.permissions, mode=conversation.permits.mode, allow=conversation.permits.allowed
    )
    from cococat.app import about

    about.tools(replace(conversation.settings, permissions=rules), conversation.options)
    console.say(f"{conversation.mode} mode offers: {', '.join(sorted(offered)) or 'none'}")


def _mcp(console: Console, words: str) -> None:
    servers, (verb, _, name) = console.conversation.bench.servers, words.partition(" ")
    if servers is None:
        console.say("there are no MCP servers; cococat mcp add NAME -- COMMAND adds one")
        return
    if verb:
        if verb != "restart" or not name:
            raise UsageError(f"/mcp {words} is unknown", "/mcp, /mcp restart NAME")
        console.run(servers.restart(name))
    for state in servers.states():
        console.say(f"{state.name}: {one_line(state.words)} · {len(state.tools)} tools, about {state.tokens:,} tokens")


def _skills(console: Console) -> None:
    from cococat.app.skills.commands import listing

    conversation = console.conversation
    folder = conversation.folders.config_file.parent
    lines = listing(conversation.bench.skills, folder)
    console.say("\n".join(map(one_line, lines)) or f"there are none; {folder}/skills/NAME/SKILL.md would be one")


def _permissions(console: Console, mode: str) -> None:
    conversation = console.conversation
    if mode and mode not in _texts(PERMISSIONS):
        raise UsageError(f"no permission mode {mode!r}", f"one of {', '.join(_texts(PERMISSIONS))}")
    conversation.permits.mode = mode or conversation.permits.mode
    from cococat.permissions.gate import FREE

    rules = conversation.permits.allowed
    console.say(
        f"permission mode {conversation.permits.mode}: {FREE[conversation.permits.mode]}\n"
        f"allowed besides: {', '.join(rules) or 'nothing'}"
    )


def _theme(console: Console, name: str) -> None:
    conversation = console.conversation
    settings = conversation.settings
    if not name:
        shown = console.paint(settings.terminal.theme)
        console.say(
            f"the theme is {settings.terminal.theme}{_comes_to(settings.terminal.theme, shown)}\n"
            f"/theme {'|'.join(_texts(THEMES))} changes it"
        )
        return
    if name not in _texts(THEMES):
        raise UsageError(f"no theme {name!r}", f"one of {', '.join(_texts(THEMES))}")
    conversation.settings = replace(settings, terminal=replace(settings.terminal, theme=name))
    shown = console.paint(name)
    console.say(
        f"the theme is now {name}{_comes_to(name, shown)}; to keep it: cococat config set terminal.theme {name}"
    )


def _comes_to(setting: str, shown: str) -> str:
    return "" if shown == setting else f", which is {shown} here"


def _texts(values: Sequence[Value]) -> tuple[str, ...]:
    return tuple(value.text for value in values)


def _doctor(console: Console) -> None:
    from cococat.app.doctor import doctor

    doctor(console.conversation.settings, console.conversation.options, as_json=False)


def _status(console: Console) -> None:
    conversation = console.conversation
    saved = conversation.log.id if conversation.log else "not saved (--no-session)"
    running = ", ".join(name for name, one in conversation.bench.background.items() if one.code is None)
    console.say(
        f"model {conversation.connection.name} at {conversation.connection.host} · {conversation.connection.protocol.name} protocol\n"
        f"mode {conversation.mode} · permission {conversation.permits.mode} · root {conversation.root}\n"
        f"session {saved} · memory {conversation.settings.memory.mode}"
        f"{running and f' · in the background {running}'}"
    )


def _config(console: Console) -> None:
    from cococat.app.output import columns
    from cococat.config.show import as_text, rows

    changed = [row for row in rows(console.conversation.settings) if row.kind != "default"]
    values = as_text(changed, columns()) if changed else "everything is at its default"
    console.say(f"{console.conversation.folders.config_file}\n{values}")


def _exit(console: Console) -> None:
    console.leaving = True


def hint_here(hint: str) -> str:
    """Return *hint* with what a chat can do by itself written as its commands."""
    return _ELSEWHERE.sub(
        lambda found: f"/{' '.join(filter(None, found.groups()))}", hint.replace("-m NAME", "/model NAME")
    )


def format_error(error: CococatError) -> str:
    """An error of a command as lines for the user."""
    return f"{error.message}" + (f" -> {hint_here(error.hint)}" if error.hint else "")


def help_page(commands: Sequence[SlashCommand], width: int, theme: Theme) -> str:
    """Return the page for *width* columns; without *commands* it is that of the keys alone."""
    rows = [(f"/{command.name} {command.usage}".rstrip(), command.help) for command in commands]
    tables = [_table(title, table, width) for title, table in (("Commands", rows), ("Keys", KEYS)) if table]
    widths = [max(cells(row.plain) for row in table) for table in tables]
    if len(tables) > 1 and sum(widths) + APART <= width:
        lines = [_beside(left, right, widths[0] + APART) for left, right in zip_longest(*tables)]
    else:
        lines = [line for table in tables for line in (*table, None)][:-1]
    return "".join(f"{ansi(line, coloured=theme != 'plain', theme=theme) if line else ''}\n" for line in lines)


def _table(title: str, rows: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Two columns; where both do not fit into the screen, the second stands below the first."""
    from rich.text import Text

    names = max(len(name) for name, _ in rows)
    narrow = names + GAP + max(len(text) for _, text in rows) > width
    lines = [Text().append(title, STYLES["title"])]
    for name, text in rows:
        line = Text().append(name, STYLES["tool"])
        if narrow:
            lines += [line, *map(Text, wrap_rows(f"    {text}", 4, width))]
        else:
            lines.append(line.append(f"{' ' * (names + GAP - len(name))}{text}"))
    return lines


def _beside(left: Text | None, right: Text | None, at: int) -> Text | None:
    """*right* at the column *at* behind *left*."""
    if left is None or right is None:
        return left or right
    return left.append(" " * (at - cells(left.plain))).append_text(right)


def memory_command(conversation: Conversation, rest: str) -> None:
    """
    Run `/memory REST`.

    Raises: UsageError: it makes no sense. StorageError: the memory is not usable.
    """
    from cococat.app.dream import memory

    word, _, words = rest.partition(" ")
    words = words.strip()
    match word, words:
        case "" | "show", "":
            memory.show(conversation.folders)
        case "path", "":
            memory.path(conversation.folders)
        case "edit", "":
            memory.edit(conversation.folders)
        case "search", words if words:
            memory.search(conversation.folders, words)
        case "why", words if words:
            memory.why(conversation.folders, words)
        case "rm", words if words:
            memory.rm(conversation.folders, words)
        case _:
            hint = "/memory, /memory path, /memory edit, /memory search WORDS, /memory why LINE, /memory rm LINE"
            raise UsageError(f"/memory {rest} is unknown", hint)
    if word in ("edit", "rm"):
        _reread(conversation)


def dream_command(
    conversation: Conversation, rest: str, now: Callable[[], None], review: Callable[[], None], theme: Theme
) -> None:
    """
    Run `/dream REST`.

    Args:
        now: dreams in the foreground.
        review: asks about the change that waits.
        theme: of what prints a diff.
    Raises: UsageError: it makes no sense. StorageError: the memory is not usable.
    """
    from cococat.app.dream import log

    actions: Mapping[str, Callable[[], object]] = {
        "": now,
        "now": now,
        "review": review,
        "log": lambda: log.log(conversation.folders),
        "undo": lambda: log.undo(conversation.folders, None, theme),
    }
    numbered: Mapping[str, Callable[[int], object]] = {
        "show": lambda number: log.show(conversation.folders, number, theme),
        "diff": lambda number: log.diff(conversation.folders, number, theme),
        "undo": lambda number: log.undo(conversation.folders, number, theme),
    }
    match rest.split():
        case [] | [_] as words if (word := "".join(words)) in actions:
            actions[word]()
        case [word, number] if word in numbered and number.isascii() and number.isdigit():
            numbered[word](int(number))
        case _:
            hint = "/dream, /dream review, /dream log, /dream show N, /dream diff N, /dream undo [N]"
            raise UsageError(f"/dream {rest} is unknown", hint)
    _reread(conversation)


def _reread(conversation: Conversation) -> None:
    """Put the memory as it is now into the next request."""
    found = memory_prompt(conversation.settings, conversation.folders, quiet=True)
    conversation.memory, conversation.notes = found
