"""Questions to the user at the terminal, with their answers in the session's log."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from cococat.app.chat.toolbar import next_mode
from cococat.app.conversation import Conversation
from cococat.app.prompting.instructions import MAX_CHARS, Instruction, trust
from cococat.core.events import UserAsked
from cococat.core.tools import Allow, Arguments, Ask, Deny, Tool
from cococat.errors import CococatError
from cococat.safety.terminal import safe
from cococat.system.text import shorten
from cococat.tools.diff import unified
from cococat.ui.lines.theme import Theme, colour, write_now
from cococat.ui.prompt.turn_keys import KeyWatch

if TYPE_CHECKING:
    from cococat.ui.prompt.confirm import ConsentReply

EDITS = ("write_file(**)", "edit_file(**)")  # what always asks goes on asking: only its own path answers that
GO_ON_S = 20.0
BY_ITSELF = 2  # times in a turn

CARRY_OUT = "carry out this plan?"
PLAN = ("no", "reason", "asking", "editing")
MODE_AFTER = {"asking": "ask-first", "editing": "edits"}
TRUST = ("remember", "no")  # what is agreed to is kept: the path, and the content's hash
TEXT_ROWS = 20  # of a text that are shown until Ctrl-O asks for the rest


@dataclass(frozen=True, slots=True)
class Asking:
    """
    Asks for *conversation*.

    Args:
        asking: while it lasts nothing is redrawn; gives the keys that are heard.
        undisturbed: while it lasts nothing is redrawn and no other keys are read.
        theme: gives what becomes of the colours.
        go_on_s: seconds after which a turn goes on whose steps are used up.
    """

    conversation: Conversation
    asking: Callable[[], AbstractContextManager[KeyWatch]]
    undisturbed: Callable[[], AbstractContextManager[None]]
    theme: Callable[[], Theme]
    go_on_s: float = GO_ON_S

    async def consent(self, tool: Tool, arguments: Arguments, ask: Ask) -> Literal["yes", "no"] | Deny:
        """Show the whole action and ask; a rule is added for this chat or for good, and only one narrower than the tool."""
        from cococat.app.chat.preview import preview
        from cococat.ui.prompt.confirm import confirm, recorded_reply

        conversation = self.conversation
        timeout_s = conversation.settings.agent.tool_timeout_s
        shown = preview(
            tool,
            arguments,
            conversation.root,
            timeout_s,
            self.theme(),
            mask=conversation.bench.mask(conversation.connection),
        )
        why = ask.reason.removeprefix(f"{tool.name} ").removeprefix("needs permission: ").removeprefix("needs a user: ")
        question, action = f"{tool.name}: {why}", shown.text
        rules = [rule for rule in ask.rules if rule != tool.name or tool.effect == "foreign"]
        ends = [rules, *([rule] for rule in ask.longer)] if rules else []
        choices = ("session", "always", "no", "reason") if rules else ("no", "reason")
        edits = tool.effect == "writes" and isinstance(conversation.gate(EDITS)(tool, arguments), Allow)
        choices = ("yes", *(["edits"] if edits else []), *choices)
        if not shown.whole:
            question, choices = f"{question}; too long to be shown whole, so it cannot be agreed to", ("no", "reason")
            ends = []

        def cycle() -> tuple[str, bool]:
            next_mode(conversation)
            return conversation.permits.mode, isinstance(conversation.gate()(tool, arguments), Allow)

        reply = None
        try:
            with self.asking() as keys:
                keys.cycle = cycle
                offered = (*choices, *map(" ".join, ends))
                paint, rows, theme = shown.painted, shown.rows, self._colours()
                reply = await confirm(question, action, offered, keys=keys, paint=paint, rows=rows, theme=theme)
                keys.cycle = None
        finally:
            rules = ends[reply.end if reply else 0] if ends else []
            self._record(
                UserAsked(question, recorded_reply(reply), (*choices, " ".join(rules)) if rules else choices, action)
            )
        if reply.answer == "edits":
            self.conversation.permits.granted.extend(EDITS)
        if reply.answer in ("session", "always"):
            self.conversation.permits.granted.extend(rules)
        if reply.answer == "always":
            for rule in rules:
                self._keep(rule)
        if reply.answer == "no":
            return Deny(reply.reason) if reply.reason else "no"
        return "yes"

    def _keep(self, rule: str) -> None:
        """Write *rule* to the config file, and say where; it holds for this chat in any case."""
        from cococat.config.write import add_rule

        file = self.conversation.settings.file or self.conversation.folders.config_file
        try:
            add_rule(file, rule)
            words = f"  {file} allows {rule} from now on"
        except CococatError as error:
            words = f"  {rule} is allowed for this session only: {error.problem.message}"
        write_now(sys.stderr, f"{safe(words)}\n")

    async def trust(self) -> None:
        """Ask once for each file of instructions that nobody agreed to yet, and for what skills a repository brings."""
        conversation = self.conversation
        for file in [file for file in conversation.instructions if not file.trusted]:
            if await self._trusts((file,)):
                agreed = replace(file, trusted=True)
                conversation.instructions = tuple(agreed if i is file else i for i in conversation.instructions)
        skills = conversation.bench.skills
        for files in [*skills.questions()] if skills else ():
            if skills and await self._trusts(files):
                skills.agree(files)

    async def _trusts(self, files: Sequence[Instruction]) -> bool:
        """Show files that may guide the model, a changed one as its diff, and keep what was agreed to."""
        first = files[0]
        most = len(first.before) + 2 * len(first.text) + MAX_CHARS  # all of it
        text = unified(first.before, first.text, first.path.name, max_chars=most)[0] if first.before else first.text
        what = f"{first.path}{' changed since you agreed to it' if first.before else ''}: may it guide the model?"
        if len(files) > 1:
            text = "\n\n".join(f"{file.path}:\n{file.text}" for file in files)
            what = f"{len(files)} skills of this folder, {first.path} and others: may they guide the model?"
        agreed = (await self._confirmed(what, text, TRUST)).answer == "remember"
        for file in files if agreed else ():
            with contextlib.suppress(OSError):  # then it is asked again
                trust(self.conversation.folders.state, file)
        return agreed

    async def agree(self, question: str, diff: str) -> bool:
        """Show how a server's tool changed and ask whether it may be used."""
        return (await self._confirmed(question, diff, ("yes", "no"))).answer == "yes"

    async def present(self, items: Sequence[str]) -> str:
        """Show a plan and ask whether it is carried out; the permission mode becomes what was answered."""
        reply = await self._confirmed(CARRY_OUT, "\n".join(items), PLAN)
        if mode := MODE_AFTER.get(reply.answer):
            self.conversation.permits.mode = mode
            return f"the user agrees to the plan: carry it out now; the permission mode is {mode}"
        why = f": {reply.reason}" if reply.reason else ""
        return f"the user does not agree to the plan{why}; change it, or end with an answer"

    async def _confirmed(self, question: str, text: str, choices: tuple[str, ...]) -> ConsentReply:
        """Ask about *text*; the log holds what was answered, or that nothing was."""
        from cococat.ui.prompt.confirm import confirm, recorded_reply

        reply = None
        try:
            with self.asking() as keys:
                reply = await confirm(question, text, choices, keys=keys, rows=TEXT_ROWS, theme=self._colours())
        finally:
            self._record(UserAsked(question, recorded_reply(reply), choices, shorten(text, MAX_CHARS)))
        return reply

    async def ask_user(self, question: str, choices: Sequence[str]) -> str:
        """Let the user answer a question of the model's."""
        from cococat.ui.prompt.confirm import ask_line

        answer = ""
        try:
            with self.undisturbed():
                answer = await ask_line(question, choices, coloured=self._colours() is not None)
        finally:
            self._record(UserAsked(question, answer, tuple(choices)))
        return answer

    async def more_steps(self, used: int, gets_on: bool) -> bool:
        """Ask whether the turn may go on with as many steps again; one that gets on does so by itself, the first times."""
        from cococat.ui.prompt.confirm import ask_to_go_on

        steps = self.conversation.settings.agent.max_steps
        question = f"{used} step{'' if used == 1 else 's'} used; {steps} more?"
        after_s, answer = self.go_on_s if gets_on and used <= BY_ITSELF * steps else 0, ""
        try:
            with self.asking() as keys:
                answer = await ask_to_go_on(question, after_s, keys=keys, redraws=self._colours() is not None)
        finally:
            self._record(UserAsked(question, answer, ("yes", "no"), ""))
        return answer != "no"

    def _colours(self) -> Theme | None:
        """Return the theme of what is asked; None where it has no colours."""
        return self.theme() if colour(self.conversation.options.color, sys.stderr, os.environ) else None

    def _record(self, event: UserAsked) -> None:
        """Keep what the screen showed without an event, so that a replay can show it."""
        if self.conversation.log:
            self.conversation.log.emit(event)
