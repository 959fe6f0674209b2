"""The tools of a session: what their calls may do as things stand, and what they keep between them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.app.endpoint.connect import EMBEDDED, Connection
from cococat.app.endpoint.context_profile import offered, output_chars
from cococat.app.redactor import masker, redactor
from cococat.config import Folders, Settings, all_keys
from cococat.context.micro import MIN_CHARS
from cococat.core.tools import Gate, Tool
from cococat.permissions.paths import secret
from cococat.store.recorder import SessionLog
from cococat.tools.access import Seen
from cococat.tools.ask_user import AskUser
from cococat.tools.kept_outputs import Outputs, Scratch, page_chars
from cococat.tools.read_file import SEEN, See
from cococat.tools.registry import ToolDeps, build, declared
from cococat.tools.todo import Present

if TYPE_CHECKING:
    from cococat.app.boxing import Boxing
    from cococat.app.mcp.servers import Servers
    from cococat.app.skills.session import Skills
    from cococat.permissions.gate import Known
    from cococat.safety.secrets import Masked
    from cococat.tools.background import Background
    from cococat.tools.masks import Mask
    from cococat.tools.preimages import Preimages
    from cococat.tools.run_shell import Enclose

BOXABLE = sys.platform in ("linux", "darwin")  # platforms with a box of any kind
COMBINED = frozenset({"anyOf", "oneOf", "allOf", "not", "enum", "if"})  # of a schema that is none of named fields
ROOTLESS = frozenset({"ask_user", "fetch_url", "finish", "todo", "web_search"})


@dataclass(slots=True)
class Workbench:
    """
    What lasts from one call to the next.

    Args:
        files: false: no tool works in the folder.
        seen: what was read, so that later turns may edit it.
        told: names of the environment that the model knows to be left out.
        masked: numbers of the values that masks stand for.
        background: commands that run on between the turns of a session.
        scratch: for the outputs of a session that is not saved.
        servers: MCP servers; None: there are none, or no tools are offered.
        skills: None: there are none, or no tools are offered.
    """

    settings: Settings
    folders: Folders
    root: Path
    files: bool = True
    seen: Seen = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    masked: dict[tuple[str, str], int] = field(default_factory=dict)
    background: Background = field(default_factory=dict)
    scratch: Scratch = field(default_factory=Scratch)
    servers: Servers | None = None
    skills: Skills | None = None
    _boxing: Boxing | None = None  # made for the first command, or for who asks about it

    @property
    def boxed(self) -> bool:
        """Whether commands are known to run in a box; nothing is looked for."""
        return self._boxing is not None and self._boxing.is_known_to_hold

    @property
    def boxing(self) -> Boxing:
        """The box of this session's commands."""
        from cococat.app.boxing import Boxing

        self._boxing = self._boxing or Boxing(self.settings, self.folders, self.root)
        return self._boxing

    def tools(
        self,
        connection: Connection,
        log: SessionLog | None,
        permits: Permits,
        results: Callable[[], Iterable[str]],
        *,
        ask: AskUser | None,
        present: Present | None,
        react: bool,
        answer: Mapping[str, object] | None = None,
    ) -> tuple[Tool, ...]:
        """
        What a mode has: everything in `react`, what needs no consent in one round; less in a small window.

        Args:
            present: see `todo_tool`; of use in plan mode alone.
            answer: the schema of the answer; the tool that ends a run takes one of named fields, or there is none.
        """
        allow = self.settings.permissions.allow
        deps = ToolDeps(
            self.root,
            ask=ask,
            present=present if permits.mode == "plan" else None,
            seen=self.seen,
            results=results,
            keep=self._preimages(log) if react or allow else None,
            outputs=self.outputs(log),
            output_chars=output_chars(connection, self.settings.agent.tool_output_chars),
            shell_timeout_s=self.settings.agent.tool_timeout_s,
            unreadable=permits.unreadable(),
            search_url=self.settings.web.search_url,
            numbered=connection.host != EMBEDDED,  # a small model takes the numbers for text
            mask=self.mask(connection),
            keys=all_keys(self.settings, os.environ),
            told=self.told,
            background=self.background,
            enclose=self._enclose() if react or allow else None,
            answer=answer,
            see=_see(connection) if SEEN in allow else None,
        )
        every = build(deps, offered(connection, allow, react=react))
        if not self.files:
            every = tuple(tool for tool in every if tool.name in ROOTLESS)
        if self.servers and connection.host != EMBEDDED:
            every = (*every, *self.servers.tools(permits.allowed, react=react))
        if self.skills and connection.host != EMBEDDED:
            every = (*every, *self.skills.tools(connection.window))
        decides = connection.protocol.name == "json"  # a decision has its own way to finish
        decides |= answer is not None and (answer.get("type") != "object" or not COMBINED.isdisjoint(answer))
        return tuple(tool for tool in every if not (tool.effect == "ends" and (decides or not react)))

    def mask(self, connection: Connection) -> Mask:
        """What hides secrets from the model, and knows what it hid; a small model is shown no numbers at all."""
        mask = masker(self.settings)

        def told_apart(text: str) -> Masked:
            from cococat.tools.masks import identified

            return identified(mask, self.masked)(text)

        return mask if connection.host == EMBEDDED else told_apart

    def outputs(self, log: SessionLog | None) -> Outputs:
        """Where the outputs of this session are kept that are too long to be shown whole."""
        base = (lambda: self.folders.state) if log else self.scratch
        width = page_chars(min(MIN_CHARS, self.settings.agent.tool_output_chars))  # fits a page in any window
        return Outputs(base, log.id if log else "unsaved", redactor(self.settings), self.background, width=width)

    def end(self) -> None:
        """End what commands left running for the session, and their /tmp; it takes a moment where there is something."""
        if self.background:
            from cococat.tools.background import end

            end(self.background)
            self.background.clear()
        if self._boxing:
            self._boxing.close()

    def _enclose(self) -> Enclose | None:
        """A box is made by what is imported for the first command."""
        wanted = self.settings.sandbox.mode != "off" and BOXABLE
        return (lambda *call: self.boxing(*call)) if wanted else None  # noqa: PLW0108

    def _preimages(self, log: SessionLog | None) -> Preimages | None:
        from cococat.tools.preimages import Preimages

        return Preimages(self.folders.state, log.id, log.asked.count + 1, self.root) if log else None


@dataclass(slots=True)
class Permits:
    """
    Permissions that a session may change.

    Args:
        mode: one of `cococat.permissions.gate.MODES`.
        granted: rules that the user allowed for this session.
    """

    settings: Settings
    folders: Folders
    root: Path
    mode: str
    granted: list[str] = field(default_factory=list)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The rules that hold now."""
        return (*self.settings.permissions.allow, *self.granted)

    def gate(self, known: Known, also: Sequence[str] = ()) -> Gate:
        """
        Make the gate for the permissions as they stand now.

        Args:
            also: rules that are allowed besides.
        Raises: ValueError: an unknown mode or a bad rule.
        """
        from cococat.permissions.gate import gate

        folders, denied = self.folders, self.settings.permissions.deny
        own = (folders.sessions, folders.memory, folders.state, folders.config_file.parent)
        return gate(self.mode, (*self.allowed, *also), denied, self.root, own, declared=declared, known=known)

    def offers(self, tool: Tool) -> bool:
        """Return whether a call of *tool* could be anything but refused."""
        if self.mode != "plan":
            return True
        from cococat.permissions.summary import HARMLESS

        return tool.effect in HARMLESS

    def runs_freely(self, tools: Sequence[Tool]) -> str:
        """What runs without asking, for whoever is told that something else may not."""
        from cococat.permissions.summary import runs_freely

        boxes = self.settings.sandbox.mode != "off" and BOXABLE
        return runs_freely(self.mode, self.allowed, tools, boxes=boxes)

    def unreadable(self) -> Callable[[Sequence[str]], bool]:
        """Which paths a search over a folder must pass over."""
        if not self.settings.permissions.deny:
            return secret
        from cococat.permissions.gate import unreadable

        return unreadable(self.settings.permissions.deny, declared)


def sees(connection: Connection) -> bool:
    """Return whether the model may take pictures, as far as that is known."""
    from cococat.model.client import ChatModel

    return isinstance(connection.model, ChatModel) and not connection.model.is_blind


def _see(connection: Connection) -> See | None:
    """What makes pictures of files for a model that sees."""
    from cococat.context.attached import picture_in

    return picture_in if sees(connection) else None
