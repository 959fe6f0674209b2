"""Opening a conversation: folders, root, model, session, memory."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cococat.app.conversation import Conversation
from cococat.app.endpoint.connect import connect
from cococat.app.output import note, note_once
from cococat.app.prompting.instructions import Place, project_folders, skill_places, usable_instructions
from cococat.app.prompting.memory_prompt import memory_prompt
from cococat.app.redactor import redactor
from cococat.app.workbench import sees
from cococat.config import Options, Settings, find_folders
from cococat.core.hooks import Hooks
from cococat.errors import UsageError
from cococat.store import sessions
from cococat.store.ids import find
from cococat.store.listing import latest

GROUP = "cococat.hooks"


def root_of(options: Options) -> Path:
    """
    The folder that tools may see.

    Raises: UsageError: it is gone, or is `/` or the home folder without being named by --root.
    """
    try:
        root = (options.root or Path.cwd()).resolve(strict=True)
    except OSError as error:
        raise UsageError(
            f"the working folder cannot be used: {error.strerror}", "cd to a folder, or --root DIR"
        ) from error
    if not root.is_dir():
        raise UsageError(f"--root {root} is no folder", "--root DIR")
    return root


def _sees_files(root: Path, options: Options) -> bool:
    """
    Let no run see a whole home or system only because it was started there; in the home folder it goes on without.

    Raises: UsageError: tools would see `/`, and --root does not name it.
    Source: docs/reliability.md, F8.
    """
    if options.root is not None or not options.tools:
        return True
    if str(root) == os.path.realpath(Path("~").expanduser()):
        if not options.quiet:
            note(f"no file tools in your home folder: cd to a project, or say so: --root {root}")
        return False
    if str(root) == root.anchor:
        raise UsageError(f"tools would see all of {root}", f"cd to a project, or say so: --root {root}, or --no-tools")
    return True


async def open_conversation(settings: Settings, options: Options, default_mode: str) -> Conversation:
    """Connect to a model and open or resume the session."""
    folders = find_folders(os.environ)
    root = root_of(options)
    files = _sees_files(root, options)
    connection = await connect(settings, folders, quiet=options.quiet)
    memory, notes = memory_prompt(settings, folders, quiet=options.quiet)
    conversation = Conversation(
        settings,
        options,
        folders,
        root,
        settings.mode or default_mode,
        connection,
        None,
        memory=memory,
        notes=notes,
        instructions=usable_instructions(settings, options, folders, root) if files else (),
        files=files,
        hooks=load_hooks(note),
    )
    if settings.mcp and options.tools:
        _add_servers(conversation)
    if options.tools and (places := skill_places(folders.config_file.parent, project_folders(root) if files else ())):
        _add_skills(conversation, places)
    try:
        if settings.permissions.allow or settings.permissions.deny:
            conversation.gate()
        if settings.sandbox.mode == "require" and options.tools:
            conversation.bench.boxing.require()
    except ValueError as error:
        raise UsageError(str(error), "see permissions.allow, permissions.deny and --allow") from error
    if options.continue_ or options.resume:
        wanted = options.resume or latest(folders.sessions, root, folders.cache)
        if wanted is None:
            last = latest(folders.sessions, cache=folders.cache)  # of other folders
            hint = f"the last one of another folder: -r {last}; all: cococat sessions list" if last else "leave out -c"
            raise UsageError("there is no session to continue in this folder", hint)
        for line in resume(conversation, wanted, fork=options.fork) if options.session else _read(conversation, wanted):
            note(line)
    elif options.session:
        restart(conversation)
    return conversation


def _add_servers(conversation: Conversation) -> None:
    """Let the conversation have MCP servers; none is started."""
    from cococat.app.mcp.servers import Servers

    c = conversation
    cache, root = c.folders.cache, c.root

    def mask(text: str) -> str:
        return c.bench.mask(c.connection)(text).text

    c.bench.servers = Servers(
        c.settings, cache, root, mask, lambda: c.ask_user, lambda: c.agree, lambda: sees(c.connection)
    )
    for name in () if c.options.quiet else c.bench.servers.unknown():
        note(f"mcp {name}: its tools are offered once you have looked at them: cococat mcp check {name}")


def find_skills_again(conversation: Conversation) -> None:
    """Let the conversation have the skills there are by now."""
    c, folders = conversation, project_folders(conversation.root) if conversation.files else ()
    c.bench.skills = None
    if c.options.tools and (places := skill_places(c.folders.config_file.parent, folders)):
        _add_skills(c, places)


def _add_skills(conversation: Conversation, places: Sequence[Place]) -> None:
    """Let the conversation have skills; what is wrong with one is said once."""
    from cococat.app.skills.session import find_skills

    c = conversation
    try:
        found = find_skills(places, c.folders.state, redactor(c.settings), trusted=c.options.trust)
    except UsageError as error:
        if not c.options.quiet:
            note(f"{error.message}, so they are not used; {error.hint}")
        return
    found.seen = lambda: c.held.view if c.so_far()[: len(c.held.history)] == c.held.history else c.so_far()
    c.bench.skills = found if found.found else None
    for line in () if c.options.quiet else (*found.wrong, *found.clashes):
        note_once(line, c.folders.state / "skills_told.json")


def resume(conversation: Conversation, prefix: str, *, fork: bool = False) -> tuple[str, ...]:
    """Go on with the session that *prefix* names; return what had to be fixed."""
    found = find(conversation.folders.sessions, prefix)
    same = conversation.log is not None and conversation.log.id == found and not fork
    if same:
        return ("this is the session you are in",)
    folder, redact = conversation.folders.sessions, redactor(conversation.settings)
    model = conversation.connection.name, conversation.connection.host
    log, history, notes = sessions.resume(folder, found, fork=fork, cwd=conversation.root, model=model, redact=redact)
    if conversation.log:
        conversation.log.close()
    conversation.log, conversation.history = log, history
    if not fork:
        conversation.bench.end()
    else:
        conversation.bench.outputs(conversation.log).inherit(conversation.folders.state, found)
    return tuple(notes)


def _read(conversation: Conversation, prefix: str) -> tuple[str, ...]:
    """Take up what a session holds and leave its log alone, also when another process writes it."""
    session = sessions.load(conversation.folders.sessions, prefix)
    conversation.history = session.messages
    conversation.bench.outputs(conversation.log).inherit(conversation.folders.state, session.info.id)
    return (*session.notes, f"nothing of this is added to session {session.info.id} (--no-session)")


def restart(conversation: Conversation) -> None:
    """Begin a new session; the one before it stays as it is."""
    if conversation.log:
        conversation.log.close()
    conversation.bench.end()
    conversation.history = ()
    conversation.log = conversation.at_first = None
    if conversation.options.session:
        conversation.log = sessions.create(
            conversation.folders.sessions,
            model=conversation.connection.name,
            host=conversation.connection.host,
            mode=conversation.mode,
            cwd=conversation.root,
            clock=time.time,
            redact=redactor(conversation.settings),
        )


def load_hooks(tell: Callable[[str], None]) -> tuple[Hooks, ...]:
    """Load every hook that is installed; one that cannot be loaded is told and left out."""
    loaded: list[Hooks] = []
    for folder in _naming_us():
        try:
            loaded += _of(folder)
        except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises, the chat goes on
            why = (str(error).splitlines() or [""])[0]
            tell(f"the hooks of {folder.stem} are not used: {type(error).__name__}: {why}")
    return tuple(loaded)


def _of(folder: Path) -> list[Hooks]:
    """Import the hooks that the metadata in *folder* name."""
    from importlib.metadata import Distribution

    hooks = [entry.load() for entry in Distribution.at(folder).entry_points.select(group=GROUP)]
    if any(not isinstance(each, Hooks) for each in hooks):
        raise TypeError("the entry point names no cococat.core.hooks.Hooks")
    return hooks


def _naming_us() -> Iterator[Path]:
    """
    Return the metadata of installed packages that mention our group: a look of 1 ms.

    The working folder is passed over: nothing in it may run because it is there.
    """
    here = Path.cwd()
    for folder in sys.path:
        path = Path(folder)
        if not folder or path == here:
            continue
        for file in path.glob("*-info/entry_points.txt"):
            try:
                if GROUP in file.read_text("utf-8", "replace"):
                    yield file.parent
            except OSError:
                continue
