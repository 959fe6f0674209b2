"""The box a dream works in: a private copy of the memory and exactly two tools closed over it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.memory.checks import check_new, check_pinned, check_size
from cococat.memory.cjk_doubt import turned
from cococat.memory.edits import Edit, edited, unasked, with_lines
from cococat.memory.evidence import AcceptedEdit, Heard, merges, plain_heading, unsupported
from cococat.memory.facts import agreed, inherited
from cococat.memory.file import MEMORY
from cococat.memory.own_lines import remainder
from cococat.memory.quotes import Quote, how_to, nearest, quotes
from cococat.memory.receipt import difference
from cococat.memory.refusals import MORE, MORE_THAN_OLD, NO_EDIT, NO_FACT, NOTED, SAYS_NOTHING, UNFIT, Refusal, all_of
from cococat.memory.room import at_most
from cococat.memory.rules import Rules
from cococat.memory.scan import part_of, threat, unfit
from cococat.memory.stand_ins import as_answered, cut_short, in_own_words, outdone, still_missing
from cococat.safety.untrusted import wrap

__all__ = ["TOOL_NAMES", "DreamTools"]

TOOL_NAMES = frozenset({"read_file", "edit_file"})
MAX_EDITS = 12
_LAST_EDIT = f"{MAX_EDITS} edits are made, the most of one run"
MAX_LINE = 300  # characters
NEARLY_FULL = 0.8  # of the tokens; from there on a dream may delete what nobody spoke of
_HEADING = re.compile(r"#{1,6} +\w[\w &/+.,-]{0,39}")
_BULLET = re.compile(r"\s*[-*+] \S")
_UNSUPPORTED = "the evidence does not support"
_PATH = {"enum": [MEMORY]}
_TEXT = {"maxLength": 2000}
_EVIDENCE = {  # what old_text, seq and quote are is said once, by the prompt
    "items": {
        "type": "object",
        "properties": {
            "seq": {"type": "integer"},
            "quote": {"type": "string", "maxLength": 500},
        },
        "required": ["seq", "quote"],
        "additionalProperties": False,
    },
    "maxItems": 8,
}


class DreamTools:
    """
    The private copy and what was done to it; nothing in here can reach a disk.

    Args:
        text: the memory as it is, every line end a line feed.
    """

    def __init__(self, text: str, rules: Rules) -> None:
        self.text = text
        self.made: list[AcceptedEdit] = []
        self.quarantined: list[tuple[str, str]] = []  # (line, why)
        self.unasked: list[str] = []  # deleted lines that the user said nothing about: a user decides
        self.unsure: list[str] = []  # lines that rest on a "yes" to a question of unknown origin: a user decides
        self.refused: list[str] = []  # why, edit by edit, for the user
        self.whole = True  # whether the last edit kept every line, if in the user's own words
        self.compacts = rules.compacts
        self.rules = rules
        self._start = text
        self._gone: list[str] = []  # lines that went, and may still come back elsewhere
        self._parents: dict[str, tuple[str, ...]] = {}  # of the lines of this edit
        self._roots: dict[str, tuple[str, ...]] = {}  # what each new line was made of, lines of the beginning
        self._tried: set[str] = set()
        self._fresh: list[str] = []  # lines of this edit that are to rest on evidence
        self._rests: dict[str, tuple[Quote, ...]] = {}  # the evidence of each line, as it was edited last
        self._beside: set[str] = set()  # lines of this edit whose old lines stay beside the user's own words
        self._own: set[str] = set()  # lines in the user's own words
        self._advised: set[str] = set()  # what refusals have told the model to do

    def tools(self) -> tuple[Tool, Tool]:
        """Make the two tools of a dream."""

        @tool("reads")
        async def read_file(path: Annotated[str, _PATH]) -> ToolOutcome:
            """Read the memory as it is now."""
            _check_path(path)
            return ToolOutcome(
                wrap(part_of(self.text, self.rules.hidden), MEMORY), f"{self.text.count(chr(10)) + 1} lines"
            )

        @tool("writes")
        async def edit_file(
            path: Annotated[str, _PATH],
            old_text: Annotated[str, _TEXT],
            new_text: Annotated[str, "empty deletes old_text", _TEXT],
            evidence: Annotated[list[dict[str, object]] | None, _EVIDENCE] = None,
        ) -> ToolOutcome:
            """Replace one passage of the memory; every new or changed line needs evidence."""
            try:
                _check_path(path)
                return self._edit(old_text, new_text, evidence or [])
            except ToolFailure as refusal:
                self.refused.append(refusal.display or NO_EDIT)
                raise ToolFailure(self._briefly(str(refusal)), display=refusal.display) from None

        return read_file, edit_file

    def _briefly(self, refusal: str) -> str:
        """Return *refusal* without the one line that the edit was about, and without advice that was given before."""
        if len(self._fresh) == 1:
            refusal = refusal.replace(f"{_UNSUPPORTED} {self._fresh[0]!r}: ", f"{_UNSUPPORTED} it: ")
        return "\n".join(map(self._once, refusal.split("\n")))

    def _once(self, refusal: str) -> str:
        if not refusal.startswith(_UNSUPPORTED):
            return refusal
        why, *advice = refusal.split("; ")
        new = [one for one in advice if one not in self._advised or "would do" in one]
        self._advised.update(advice)
        return "; ".join((why, *new))

    def _edit(self, old: str, new: str, given: Sequence[object]) -> ToolOutcome:
        rules = self.rules
        if len(self.made) >= MAX_EDITS:
            raise ToolFailure(f"{_LAST_EDIT}: answer now, without a call; what is left comes again")
        edit = edited(self.text, old, new)
        if (call := repr((old, new, given))) in self._tried:
            raise Refusal("this edit was made before: do something else, or answer without a call", NOTED)
        self._tried.add(call)
        check_pinned(edit.text, self.text)
        evidence, refused, instead = self._judge(edit, given)
        told = "".join(self._told(line, why, instead.get(line, "")) for line, why in refused.items())
        self.whole = refused.keys() <= instead.keys()
        if refused:
            edit = with_lines(edit, {**dict.fromkeys(refused, ""), **instead}, self.text, self._beside)
            if edit.text == self.text:
                return ToolOutcome(f"nothing changed:{told}", "noted already")
        edit, rest = self._beside_rest(edit)
        told += f"\nkept beside it, of the line before: {rest!r}" if rest else ""
        most = rules.settings.max_tokens
        check_size(edit.text, self._start if rules.compacts else self.text, rules.settings, rules.count)
        if not rules.compacts and at_most(self.text, NEARLY_FULL * most, rules.count):
            self.unasked += unasked(edit, "\n".join(rules.typed.values()))
        self.unsure += [line for line in edit.added if self._on_a_question(line, evidence, edit.removed)]
        self.text = edit.text
        self.made += self._merged(edit) if rules.compacts else [self._accepted(edit, evidence)]
        full = not at_most(edit.text, NEARLY_FULL * most, rules.count)
        left = f"; {MEMORY} now holds {rules.count(edit.text):,} of {most:,} tokens" if full else ""
        counts = f"{difference(len(edit.added), len(edit.removed))} lines"
        return ToolOutcome(f"edited: {counts}{left}{told}", f"{counts} · in your own words" if instead else counts)

    def _beside_rest(self, edit: Edit) -> tuple[Edit, str]:
        """Return *edit* with what else the one line said that another takes the place of, where the user did not want that forgotten."""
        match edit.removed, edit.added:
            case (old,), (new,) if not self.rules.compacts:
                rest = remainder(old, new)
            case _:
                rest = ""
        if not rest or rest in edit.text or agreed(rest, "\n".join(self.rules.typed.values())):
            return edit, ""
        self._rests[rest] = ()  # what the line before rests on
        self._own.add(rest)
        lines = edit.text.split("\n")
        lines.insert(lines.index(new) + 1, rest)
        return edited(self.text, self.text, "\n".join(lines)), rest

    def _told(self, line: str, why: ToolFailure, own: str) -> str:
        """Tell of a line that did not hold, and of what stands there instead."""
        if not own:
            return f"\nnot kept: {self._once(str(why))}"
        stays = "; the line it was to replace stays" if line in self._beside else ""
        which = f", not as {line!r}" if len(self._fresh) > 1 else ""
        return f"\nkept as the user said it, {own!r}{which}: {str(why).partition(': ')[2].partition('; ')[0]}{stays}"

    def _accepted(self, edit: Edit, evidence: tuple[Quote, ...]) -> AcceptedEdit:
        return AcceptedEdit(
            edit.removed, edit.added, evidence, {line: self._rests.get(line, evidence) for line in edit.added}
        )

    def _merged(self, edit: Edit) -> list[AcceptedEdit]:
        """Return *edit* line by line: each new line with the lines of the beginning that it is made of."""
        pool = [*edit.removed, *self._gone]
        for line in edit.added:
            parents = self._parents.get(line, ())
            self._roots[line] = tuple({root: None for old in parents for root in self._roots.get(old, (old,))})
        self._gone = [line for line in pool if line not in edit.added]
        new = [AcceptedEdit(self._roots[line], (line,), ()) for line in edit.added if not line.startswith("#")]
        return new or [AcceptedEdit(edit.removed, edit.added, ())]

    def _judge(
        self, edit: Edit, given: Sequence[object]
    ) -> tuple[tuple[Quote, ...], dict[str, ToolFailure], dict[str, str]]:
        """
        Check every line that came, each by itself.

        Returns: the evidence, why a line is refused, by line, and the user's own words that stand there instead.
        Raises: ToolFailure: nothing is left of the edit, with every reason.
        """
        refused: dict[str, ToolFailure] = {}
        for line in edit.added:
            try:
                self._check_line(line, edit)
            except ToolFailure as why:
                refused[line] = why
        self._fresh = fresh = [line for line in edit.added if not line.lstrip().startswith("#")]
        if fresh and all(line in refused for line in fresh):
            raise all_of(refused.values())
        evidence = () if self.rules.compacts else quotes(given, self.rules.typed)
        instead: dict[str, str] = {}
        self._beside.clear()
        for line in (one for one in fresh if one not in refused):
            mine = self._resting(line, evidence, edit.removed)
            noted = "\n".join((self.text, *instead.values()))
            own = in_own_words(line, mine, edit.removed, self.rules, noted)
            if lack := self._lacking(line, mine, edit.removed, own):
                refused[line] = lack
                own = as_answered(line, mine, edit.removed, self.rules, noted) or own
                if not own and edit.removed and (own := in_own_words(line, mine, (), self.rules, noted)):
                    self._beside.add(line)  # they say less: what the line was to replace stays as well
                if own:
                    instead[line] = still_missing(own, line, mine, edit.removed, self.rules, noted=noted)
            self._rests[instead.get(line, line)] = mine
        if refused and (not fresh or all(line in refused and line not in instead for line in fresh)):
            raise all_of(refused.values())
        self._own.update(instead.values())
        return evidence, refused, instead

    def _resting(self, line: str, evidence: tuple[Quote, ...], removed: Sequence[str]) -> tuple[Quote, ...]:
        """Return what of *evidence*, which is that of all lines of an edit, is that of *line*."""
        rules = self.rules
        said = {seq: f"{text}\n{rules.asked.get(seq, '')}" for seq, text in rules.typed.items()}
        if len(self._fresh) == 1 or len(near := nearest(line, evidence, said)) == len(evidence):
            return evidence
        heard = Heard(rules.typed, rules.asked, rules.days, self.text)
        lacks = unsupported(line, near, heard, removed) and not unsupported(line, evidence, heard, removed)
        return evidence if lacks else near

    def _lacking(self, line: str, evidence: Sequence[Quote], removed: Sequence[str], own: str) -> Refusal | None:
        """Return why *line* does not rest on *evidence*, or may not where its *own* words can stand there; None when it does."""
        rules = self.rules
        if rules.compacts:
            self._parents[line], why = inherited(line, [*removed, *self._gone])
            return None if merges(line, removed) or not why else Refusal(why, MORE_THAN_OLD, line)
        if merges(line, removed):
            return None
        if not evidence:
            return Refusal(f"no evidence for {line!r}: {how_to(rules.typed, line)}")
        heard = Heard(rules.typed, rules.asked, rules.days, self.text)
        why = unsupported(line, evidence, heard, removed) or cut_short(line, evidence, rules)
        if not why and own:
            why = outdone(line, own, evidence, removed, rules, noted=self.text)
        if not why and not own and not any(map(_BULLET.match, removed)):
            seqs = {one.seq for one in evidence} - rules.asked.keys()
            why = turned(line.lstrip("-*+ "), "\n".join(rules.typed[seq] for seq in sorted(seqs)))
        if not why:
            return None
        told = f"{_UNSUPPORTED} {line!r}: {why}; {how_to(rules.typed, line, evidence)}"
        return Refusal(told, NO_FACT if why == SAYS_NOTHING else MORE, line)

    def _on_a_question(self, line: str, evidence: Sequence[Quote], removed: Sequence[str]) -> bool:
        """Return whether *line* rests on a question that foreign text may have brought up."""
        rules = self.rules
        sure = {seq: asked for seq, asked in rules.asked.items() if seq not in rules.unsure}
        if sure == rules.asked or line in self._own or line.lstrip().startswith("#") or merges(line, removed):
            return False
        # A line that waits for the user lends its words to no other.
        noted = "\n".join(one for one in self.text.split("\n") if one not in self.unsure)
        return bool(unsupported(line, evidence, Heard(rules.typed, sure, rules.days, noted), removed))

    def _check_line(self, line: str, edit: Edit) -> None:
        rules = self.rules
        known = "\n".join((*rules.typed.values(), self.text, self._start))
        if why := unfit(line, rules.redact, known):
            safe = rules.redact(line)
            if threat(line):
                self.quarantined.append((safe, why))
            raise Refusal(f"{line!r} cannot be kept: {why}", UNFIT, safe)
        if line.lstrip().startswith("#"):
            if not _HEADING.fullmatch(line.strip()) or not plain_heading(line, rules.typed, edit.removed):
                raise ToolFailure(f"{line!r} is no good heading: use a short and common one, such as '## Preferences'")
            return
        if not _BULLET.match(line) and all(
            map(_BULLET.match, (old for old in edit.removed if not old.startswith("#")))
        ):
            raise ToolFailure(f"{line!r} must be one bullet: begin it with '- '")
        if len(line) > MAX_LINE:
            raise ToolFailure(f"the line holds {len(line)} characters, at most {MAX_LINE} are allowed: shorten it")
        check_new(line, edit, self.text, rules.tombstones)


def _check_path(path: str) -> None:
    if path != MEMORY:
        raise ToolFailure(f"there is one file, and its path is {MEMORY}")
