"""One edit of a text: a passage that occurs exactly once is replaced, which lines that changes, and what those rest on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from cococat.core.tools import ToolFailure
from cococat.memory.words import similarity

MAX_LINES = 20  # lines that one edit may change
_NEAR = 0.5  # similarity from which a new line is a new wording of an old one


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that was made: the text after it, the lines that went and the lines that came."""

    text: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that the user typed in record *seq*."""

    seq: int
    quote: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """
    A line that an edit brings, or with an empty *line* those that it takes away.

    Args:
        line: as the model worded it.
        quotes: what it rests on; none where it only puts *removed* lines together.
        removed: lines that the edit took away.
        own: the user's own sentence as it would be noted; empty when it cannot be.
        lacks: words of *line* that nobody typed: *own* stands in the text until somebody judges.
        unjudged: it is the user's own sentence, for nobody was there to judge.
    """

    line: str
    quotes: tuple[Quote, ...] = ()
    removed: tuple[str, ...] = ()
    own: str = ""
    lacks: tuple[str, ...] = ()
    unjudged: bool = False

    @property
    def stands(self) -> str:
        """What the text of the box holds of it."""
        return self.own if self.lacks else self.line


def edited(text: str, old: str, new: str) -> Edit:
    """
    Replace *old* by *new* in *text*.

    Raises: ToolFailure: *old* does not occur exactly once, nothing changes, or too much does.
    """
    old, new = (part.replace("\r\n", "\n").replace("\r", "\n") for part in (old, new))
    if not old:
        raise ToolFailure("old_text is empty: quote a line of the file, such as a heading, and repeat it in new_text")
    if old == new:
        raise ToolFailure("old_text and new_text are equal: nothing to change; if all is noted, answer without a call")
    at = _only(text, old)
    known, made = set(text.split("\n")), text[:at] + new + text[at + len(old) :]
    after = "\n".join(line if line in known else line.rstrip() for line in made.split("\n"))  # nobody would see it
    if _lines(after) == _lines(text):
        raise ToolFailure("only blank space would change: leave it; if all is noted, answer without a call")
    removed, added = changed_lines(text, after)
    if max(len(removed), len(added)) > MAX_LINES:
        raise ToolFailure(f"the edit changes {max(len(removed), len(added))} lines, at most {MAX_LINES} are allowed")
    return Edit(after, removed, added)


def changed_lines(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines that went and the lines that came, in order; moved and blank lines are neither."""
    old, new = _lines(before), _lines(after)
    return tuple(_missing(old, new)), tuple(_missing(new, old))


def removed_share(before: str, after: str) -> float:
    """Return which part of the lines is gone, 0 to 1; a line that was only reworded is not gone."""
    total = len(_lines(before))
    if not total:
        return 0.0
    return len(_unpaired(*changed_lines(before, after))[0]) / total


def facts_changed(before: str, after: str) -> tuple[int, int, int]:
    """Return how many lines came, how many took the place of another, and how many are gone; headings are none of them."""
    removed, added = ([line for line in lines if not line.startswith("#")] for lines in changed_lines(before, after))
    gone, came = _unpaired(removed, added)
    in_place = _in_place(_lines(before), _lines(after), gone, came)
    return len(came) - in_place, len(added) - len(came) + in_place, len(gone) - in_place


def _unpaired(removed: Sequence[str], added: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which of *removed* no new line is another wording of, and which of *added* are none of an old one."""
    gone, came = list[str](), list(added)
    for line in removed:
        nearness = [similarity(line, new) for new in came]
        if max(nearness, default=0.0) >= _NEAR:
            came.pop(nearness.index(max(nearness)))
        else:
            gone.append(line)
    return gone, came


def _in_place(old: list[str], new: list[str], gone: Sequence[str], came: Sequence[str]) -> int:
    """Return how many of *came* stand where one of *gone* stood: a fact in place of another, whatever their words."""
    places = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    found = sum(
        min(sum(line in gone for line in old[i1:i2]), sum(line in came for line in new[j1:j2]))
        for how, i1, i2, j1, j2 in places
        if how == "replace"
    )
    return min(found, len(gone), len(came))


def certain(before: str, after: str, doubtful: Collection[str]) -> str:
    """
    Return *after* with what *doubtful* lines are part of left as it was *before*; *before* itself where that is not plain.

    Lines that only come are told apart one by one. Where fewer come than go, all stay: what took the place of one may be
    among the doubtful.
    """
    old, new = before.split("\n"), after.split("\n")
    found: list[str] = []
    for how, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, came = old[i1:i2], new[j1:j2]
        if how == "equal":
            found += gone
        elif how == "insert":
            found += [line for line in came if line.strip() not in doubtful and not (line.strip() and line in old)]
        elif len(came) >= len(gone) and not any(line.strip() in doubtful for line in (*gone, *came)):
            found += came
        else:
            found += gone
    lost = {line for line in old if line in new} - set(found)
    return before if lost else "\n".join(found)


def put_back(before: str, after: str, lines: Collection[str]) -> str:
    """Return *after* with those *lines* of *before* that went, each where it stood, and with the heading it stood under."""
    old, new, wanted = before.split("\n"), after.split("\n"), {line.strip() for line in lines}
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = {at for how, start, end, _, _ in steps if how != "equal" for at in range(start, end)}
    missing, back, heading = Counter(old) - Counter(new), set[int](), -1
    for at, line in enumerate(old):
        heading = at if line.startswith("#") else heading
        if at in gone and line.strip() in wanted and missing[line] > 0:
            missing[line] -= 1
            back |= {at} | ({heading - 1, heading} & gone if missing[old[heading]] > 0 else set())
    out: list[str] = []
    for _, start, end, first, last in steps:
        out += [old[at] for at in range(start, end) if at in back] + new[first:last]
    return "\n".join([*out, ""] if out[-1] and not new[-1] else out)


def _only(text: str, old: str) -> int:
    """Return the one place where *old* stands."""
    places = [found.start() for found in re.finditer(f"(?={re.escape(old)})", text)]  # also those that overlap
    if not places:
        raise ToolFailure(f"old_text occurs 0 times, want 1: copy it letter by letter{_nearest(text, old)}")
    only, *more = places
    if more:
        numbers = ", ".join(str(text[:place].count("\n") + 1) for place in places[:5])
        raise ToolFailure(f"old_text occurs {len(places)} times (lines {numbers}), want 1: quote more around it")
    return only


def _nearest(text: str, old: str) -> str:
    wanted = next((line for line in old.split("\n") if line.strip()), old)
    near = get_close_matches(wanted, _lines(text), n=3, cutoff=0.4)
    heading = next((line for line in reversed(_lines(text)) if line.startswith("## ")), "")
    below = f"; to add a line, take a heading as old_text, such as {heading!r}" if heading else ""
    return f"; the nearest lines are {', '.join(map(repr, near))}" if near else below


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def _missing(lines: list[str], others: list[str]) -> list[str]:
    """Return the lines that *others* does not have, as often as it lacks them; order as a reader sees it."""
    spare = Counter(lines) - Counter(others)
    found: list[str] = []
    for how, start, end, _, _ in SequenceMatcher(None, lines, others, autojunk=False).get_opcodes():
        for line in () if how == "equal" else lines[start:end]:
            if spare[line] > 0:
                spare[line] -= 1
                found.append(line)
    return found


def with_lines(edit: Edit, instead: Mapping[str, str], text: str) -> Edit:
    """
    Return *edit* of *text* with other lines *instead* of those that do not hold, or with none: the old lines that they were to replace stay.

    Raises: ToolFailure: as `edited`.
    """
    lines = text.split("\n")
    old, before, kept = list(edit.removed), Counter(lines), list[str]()
    for line in edit.text.split("\n"):
        own = instead.get(line.rstrip())
        if own is None or before[line] > 0:
            before[line] -= 1
            kept.append(line)
            continue
        if old and not own:
            nearest_old = max(old, key=lambda one: similarity(one, line))
            old.remove(nearest_old)
            kept.append(nearest_old)
        if own and own not in kept and (own in edit.removed or own not in lines):
            kept.append(own)
    left = "\n".join(kept)
    return edited(text, text, left) if _lines(left) != _lines(text) else Edit(text, (), ())


def patched(before: bytes, after: bytes, current: bytes) -> bytes | None:
    """Make the step from *before* to *after* in *current*; None when what it changes was changed since."""
    old, new, now = (data.splitlines(keepends=True) for data in (after, before, current))
    place = _places(new, now)
    out = list(now)
    for how, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if how == "equal":
            continue
        start = _where(place, j1, j2, len(new), len(now))
        if start is None:
            return None
        out[start : start + j2 - j1] = old[i1:i2]
    return b"".join(line if line.endswith((b"\n", b"\r")) else line + b"\n" for line in out[:-1]) + b"".join(out[-1:])


def _places(new: list[bytes], now: list[bytes]) -> dict[int, int]:
    """Return where each line of *new* stands in *now*, if it still does."""
    blocks = SequenceMatcher(None, new, now, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _where(place: dict[int, int], j1: int, j2: int, new_size: int, now_size: int) -> int | None:
    """Return where lines j1..j2 stand now, all of them side by side, or where lines between them would."""
    if j1 < j2:
        start = place.get(j1)
        whole = start is not None and all(place.get(j1 + step) == start + step for step in range(j2 - j1))
        return start if whole else None
    if j1 == 0:
        return 0 if place.get(0, 0) == 0 else None
    if (above := place.get(j1 - 1)) is not None:
        return above + 1
    return place.get(j1) if j1 < new_size else now_size
