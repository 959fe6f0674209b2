"""The slash commands of the REPL."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
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
from cococat.ui.lines.theme import STYLES, Theme, ansi, size_of, write_now
from cococat.ui.lines.wrap import wrap_rows
from cococat.ui.prompt.slash import SlashCommand, Suggestion, is_name

if TYPE_CHECKING:
    from rich.text import Text

MEMORY_WORDS = ("show", "path", "edit", "search", "why", "rm")
DREAM_WORDS = ("now", "review", "log", "show", "diff", "undo")
MAX_NAMES = 8  # models that are named beside the one in use
HELP = (Suggestion("keys", "the keys alone"),)
MODES = (Suggestion("single", "one round of tools"), Suggestion("react", "as many rounds as it takes"))
PERMISSIONS = (
    Suggestion("plan", "reading only; nothing is changed"),
    Suggestion("ask-first", "reading runs; the rest asks"),
    Suggestion("edits", "reading and edits of files run"),
    Suggestion("auto", "what is proven harmless runs, too"),
)
THEMES = (
    Suggestion("dark", "colours for a dark ground"),
    Suggestion("light", "colours for a light ground"),
    Suggestion("plain", "no colours"),
    Suggestion("auto", "as the terminal says"),
)
FORMS = (Suggestion("md", "Markdown"), Suggestion("json", "for programs"), Suggestion("html", "one page for a browser"))
CODE = (Suggestion("code", "the last block of code alone"),)
BACK = (Suggestion("turns", "choose from which turn on"), Suggestion("chat", "leave the files as they are"))
UNDO = (Suggestion("undo", "put the older messages back"),)
ABOUT_MEMORY = tuple(map(Suggestion, MEMORY_WORDS))
ABOUT_DREAMS = tuple(map(Suggestion, DREAM_WORDS))
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
        SlashCommand("help", "[keys]", "this list, or the keys alone", partial(_help, c), lambda: HELP, shows=True),
        SlashCommand("new", "", "a new session with an empty history", lambda _: _new(c)),
        SlashCommand("clear", "", "the same as /new", lambda _: _new(c)),
        SlashCommand("context", "", "what the next request holds, in tokens", lambda _: _context(c), shows=True),
        SlashCommand("compact", "[undo]", "notes in the place of older messages", partial(_compact, c), lambda: UNDO),
        SlashCommand("cost", "", "tokens used by this session", lambda _: _cost(c), shows=True),
        SlashCommand(
            "model",
            "[NAME]",
            "show or change the model",
            partial(_model, c),
            lambda: map(Suggestion, c.models()),
            c.models_are_coming,
        ),
        SlashCommand("mode", "[single|react]", "show or change the mode", partial(_mode, c), lambda: MODES),
        SlashCommand(
            "resume",
            "[ID|NUMBER]",
            "go on with an earlier session; choose it",
            partial(session.resume, c),
            lambda: session.ids(c),
        ),
        SlashCommand("sessions", "[WORDS]", "choose from the sessions; WORDS filter", partial(session.browse, c)),
        SlashCommand("fork", "", "go on in a copy of this session", lambda _: session.fork(c)),
        SlashCommand("rename", "TITLE", "give this session a name", partial(session.rename, c)),
        SlashCommand(
            "export", "[md|json|html] [FILE]", "write this session to a file", partial(_export, c), lambda: FORMS
        ),
        SlashCommand("copy", "[code]", "the last answer, or code, to the clipboard", partial(_copy, c), lambda: CODE),
        SlashCommand(
            "undo",
            "[N|turns|chat]",
            "take back the last turn and its changes, the last N, or choose",
            partial(session.undo, c),
            lambda: BACK,
        ),
        SlashCommand("retry", "", "ask the last question again", lambda _: session.retry(c), leads=True),
        SlashCommand("memory", _MEMORY, "what is remembered of you", partial(_memory, c), lambda: ABOUT_MEMORY),
        SlashCommand("dream", _DREAM, "compact the memory now", partial(_dream, c), lambda: ABOUT_DREAMS),
        SlashCommand("tools", "", "every tool with its permission", lambda _: _tools(c), shows=True),
        SlashCommand(
            "mcp",
            "[restart NAME]",
            "the MCP servers, and how they do",
            partial(_mcp, c),
            lambda: (Suggestion(f"restart {name}") for name in c.conversation.settings.mcp),
        ),
        SlashCommand("skills", "", "skills and commands of your own", lambda _: _skills(c)),
        SlashCommand(
            "permissions", "[MODE]", "show or change them", partial(_permissions, c), lambda: PERMISSIONS, shows=True
        ),
        SlashCommand("theme", "[NAME]", "show or change the colours", partial(_theme, c), lambda: THEMES),
        SlashCommand("status", "", "model, session, folders", lambda _: _status(c), shows=True),
        SlashCommand("doctor", "", "check endpoint, terminal and folders", lambda _: _doctor(c)),
        SlashCommand("config", "", "what was set, and where", lambda _: _config(c)),
        SlashCommand("exit", "", "leave (also Ctrl-D, exit, quit, :q)", lambda _: _exit(c), leads=True),
    )


def own_commands(console: Console, built_in: Sequence[SlashCommand]) -> tuple[SlashCommand, ...]:
    """Make `/NAME` for each prompt and each skill of the user's own; a command of ours keeps its name."""
    from cococat.app.skills.own import own_names

    conversation = console.conversation
    taken = {command.name for command in built_in}
    names = own_names(conversation.folders.config_file.parent, conversation.bench.skills)
    return tuple(
        SlashCommand(name, "WORDS", f"your own: cococat skills show {name}", partial(_own, console, name), leads=True)
        for name in names
        if name not in taken and is_name(name)
    )


def _own(console: Console, name: str, typed: str) -> None:
    """Send what it says; an @path in what was typed is attached, one in the prompt is not."""
    from cococat.app.input import read_files
    from cococat.app.skills.own import own_message
    from cococat.skills.prompts import words_of
    from cococat.ui.prompt.attach import attachments

    c = console.conversation
    folder, window = c.folders.config_file.parent, c.connection.window
    message = own_message(name, typed, words_of(typed), config_folder=folder, skills=c.bench.skills, window=window)
    files, problems = attachments(typed, c.root)
    for problem in problems:
        console.say(problem)
    texts, pictures = read_files((), files)
    console.again(replace(message, attachments=(*message.attachments, *texts), pictures=pictures))


def _new(console: Console) -> None:
    """Begin a new session, with the skills and commands of the user's own that there are by now."""
    session.new(console)
    built_in = slash_commands(console)
    console.commands[:] = (*built_in, *own_commands(console, built_in))


def _help(console: Console, word: str) -> None:
    theme = console.paint(console.conversation.settings.terminal.theme)
    commands = () if word == "keys" else slash_commands(console)
    write_now(sys.stderr, help_page(commands, size_of(sys.stderr)[0], theme))


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


def _texts(values: Sequence[Suggestion]) -> tuple[str, ...]:
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


def _memory(console: Console, rest: str) -> None:
    from cococat.app.dream import memory

    folders, (word, _, words) = console.conversation.folders, rest.partition(" ")
    with console.suspend_terminal():  # for its editor
        match word, words.strip():
            case "" | "show", "":
                memory.show(folders)
            case "path", "":
                memory.path(folders)
            case "edit", "":
                memory.edit(folders)
            case "search", wanted if wanted:
                memory.search(folders, wanted)
            case "why", wanted if wanted:
                memory.why(folders, wanted)
            case "rm", wanted if wanted:
                memory.rm(folders, wanted)
            case _:
                hint = "/memory, /memory path, /memory edit, /memory search WORDS, /memory why LINE, /memory rm LINE"
                raise UsageError(f"/memory {rest} is unknown", hint)
    if word in ("edit", "rm"):
        _reread(console.conversation)


def _dream(console: Console, rest: str) -> None:
    from cococat.app.dream import log

    folders, dreams = console.conversation.folders, console.dreams
    theme = console.paint(console.conversation.settings.terminal.theme)
    match rest.split():
        case [] | ["now"]:
            console.run(dreams.now())
        case ["review"]:
            console.run(dreams.review())
        case ["log"]:
            log.log(folders)
        case ["undo"]:
            log.undo(folders, None, theme)
        case ["show" | "diff" | "undo" as word, number] if number.isascii() and number.isdigit():
            {"show": log.show, "diff": log.diff, "undo": log.undo}[word](folders, int(number), theme)
        case _:
            hint = "/dream, /dream review, /dream log, /dream show N, /dream diff N, /dream undo [N]"
            raise UsageError(f"/dream {rest} is unknown", hint)
    _reread(console.conversation)


def _reread(conversation: Conversation) -> None:
    """Put the memory as it is now into the next request."""
    found = memory_prompt(conversation.settings, conversation.folders, quiet=True)
    conversation.memory, conversation.notes = found
