"""What is noted in the place of a line of the model's: the user's own sentences, or a question and the answer to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cococat.memory.cjk import written
from cococat.memory.confirmations import as_told, left_out, settles
from cococat.memory.doubt import doubtful
from cococat.memory.evidence import Heard, put_right_later, unsupported
from cococat.memory.own_lines import bare, holds, narrowed, own_lines, share
from cococat.memory.own_words import borrowed
from cococat.memory.quotes import Quote
from cococat.memory.rules import Rules
from cococat.memory.scan import unfit
from cococat.memory.statements import plain
from cococat.memory.words import SAME, classes, fold, language, related, sequence, similarity, tokens

__all__ = ["as_answered", "cut_short", "in_own_words", "outdone", "still_missing"]

_DENIES = frozenset("不没沒别別未")
_INSTEAD = 0.6  # of the words in a line: sentences that have so many stand in its place where they say much beside it


def in_own_words(line: str, given: Sequence[Quote], removed: Sequence[str], rules: Rules, noted: str) -> str:
    """
    Return the line in the user's own words that may stand where *line* was to stand; empty when there is none.

    Args:
        removed: lines of the memory that *line* takes the place of.
        noted: the memory as it stands.
    """
    old = [one for one in removed if not one.startswith("#")]
    whole = bool(old) or any(one.seq in rules.asked for one in given)  # an answer is half of what it says
    heard = Heard(rules.typed, rules.asked, rules.days, noted)
    rest = "\n".join(one for one in noted.split("\n") if one not in old)
    for said in own_lines(line, given, rules.typed, rules.days, rest):
        own = _without_wrong(said, given, rules)
        if (not whole or holds(own, line)) and _may_stand(own, given, old, rules, heard):
            return own
    return ""


def outdone(line: str, own: str, given: Sequence[Quote], removed: Sequence[str], rules: Rules, *, noted: str) -> str:
    """Return why *own* stands in the place of *line*, though that holds by the rules; empty when it need not."""
    seqs = {one.seq for one in given}
    instead = share(own, line) >= (1 if len(seqs) > 1 else _INSTEAD)
    if why := doubtful(line.lstrip("-*+ "), bare(own).removeprefix("- "), instead=instead):
        return why
    said = "\n".join((*map(rules.typed.__getitem__, seqs), *(rules.asked.get(seq, "") for seq in seqs), *removed))
    if written(line):
        alone = Heard({seq: rules.typed[seq] for seq in seqs}, rules.asked, rules.days)
        return unsupported(line, given, alone, removed)
    words = borrowed(line, said, "\n".join((*rules.typed.values(), noted)))
    return f"the user said {words[0]!r} elsewhere, or not at all" if words else ""


def cut_short(line: str, given: Sequence[Quote], rules: Rules) -> str:
    """Return what *line* leaves out of an answer that says more than yes, "only at work"; empty where it leaves out nothing."""
    for seq in dict.fromkeys(one.seq for one in given if one.seq in rules.asked):
        question = rules.answers[seq][0] if seq in rules.answers else rules.asked[seq]
        if said := left_out(line, rules.typed[seq], question):
            return f"the user said {said!r}: keep all of it"
    return ""


def _without_wrong(own: str, given: Sequence[Quote], rules: Rules) -> str:
    """Return *own* without the end of a sentence that a later one puts right: "my mother has a shop, and is 76"."""
    wrong = put_right_later(own, sorted({one.seq for one in given}), rules.typed)
    return re.sub(rf'[、,，\s]+[^、,，\s"]*{re.escape(wrong)}[^、,，\s"]*(?=")', "", own) if wrong else own  # noqa: RUF001 - Japanese


def still_missing(
    own: str, line: str, given: Sequence[Quote], removed: Sequence[str], rules: Rules, *, noted: str
) -> str:
    """Return *own*, or where the memory has it already, those of its clauses that stand for *line* alone, if they can."""
    if own not in noted.split("\n") or own in removed or not (less := narrowed(own, line)):
        return own
    heard = Heard(rules.typed, rules.asked, rules.days, noted.replace(f"{own}\n", ""))
    return less if less not in noted and _may_stand(less, given, removed, rules, heard) else own


def as_answered(line: str, given: Sequence[Quote], removed: Sequence[str], rules: Rules, noted: str) -> str:
    """Return a line of what was asked and what was said to it, where that holds all of *line*; see `in_own_words`."""
    for seq in dict.fromkeys(one.seq for one in given if one.seq in rules.answers and not rules.compacts):
        question, answer = rules.answers[seq]
        own = f'- "{question}" \u2192 "{answer}"'
        wished = re.sub(r"\A\W*\w+", "", line) if fold(next(iter(sequence(line)), "")) in language("wants") else line
        said = frozenset(one for one in tokens(plain(answer)) if fold(one) not in classes("free", "not"))
        about = settles(answer, question) or any(related(word, said) for word in sequence(plain(wished)))
        told = re.sub(r"か(?=\W|$)", "", as_told(question))
        turns = not set(line) & _DENIES <= set(told + answer)
        held = share(own, wished) >= _INSTEAD and not turns
        if '"' in question + answer or not about or not held:
            continue
        heard = Heard(rules.typed, {seq: told}, rules.days, noted)
        if _may_stand(own, given, removed, rules, heard, said=f"{told} {answer}"):
            return own
    return ""


def _may_stand(
    own: str, given: Sequence[Quote], old: Sequence[str], rules: Rules, heard: Heard, *, said: str = ""
) -> bool:
    """
    Return whether *own* passes every check of a line but those of its wording, and no line says it in other marks or did.

    Args:
        said: what it says, where that is not its words alone.
    """
    others = [one for one in heard.noted.split("\n") if one not in (own, *old)]
    if any(own.removeprefix("- ") in one or similarity(bare(own), one) >= SAME for one in (*others, *rules.tombstones)):
        return False
    known = "\n".join((*rules.typed.values(), heard.noted))
    if any(unfit(one, rules.redact, known, own=True) for one in (own, bare(own))):
        return False
    return not unsupported(said or bare(own), given, heard, own=True)
