"""Who judges the judge: items whose answer is known, made from the user's own words and mixed with those that are asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from random import Random

from cococat.memory.judge.request import Item, Judge, Verdict, judge_request, read_verdicts
from cococat.memory.words import JOINING, related, tokens

TRUE, FALSE = 2, 3  # controls of each kind; with fewer no verdict is believed
MIN_WORDS = 4  # of a sentence that is one
ALIKE = 2  # letters with which a name of another language begins alike
_SHARED = 0.25  # of the words of a sentence that another message may hold, or it may say the same
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[^\W\d_] )[^\W\d_a-z\u00df-\u00ff][^\W\d_]{2,}")  # with a capital, within a sentence
_PAIRS = 400  # of messages that are compared at most


@dataclass(frozen=True, slots=True)
class Judged:
    """
    What came of asking a judge.

    Args:
        verdicts: one an item; empty where they are not believed.
        controlled: whether it passed its controls; None where it was not asked, or gave no answer.
        why: there are no verdicts.
    """

    verdicts: tuple[Verdict, ...] = ()
    controlled: bool | None = None
    why: str = ""


async def judged(judge: Judge, items: Sequence[Item], own: Sequence[Item], nonce: str) -> Judged:
    """
    Have *items* judged, and believe what is said of them only where all controls among them were answered right.

    Args:
        own: sentences of the user's, each beside the message it was typed in: what controls are made of.
        nonce: random.
    """
    random = Random(nonce)  # noqa: S311 - an order that a judge cannot know, for the nonce cannot be either
    true, false = _true(own, random), [*islice(_false(own, random), FALSE)]
    if len(true) < TRUE or len(false) < FALSE:
        return Judged(why="too little was typed to test a judge with")
    mixed = [
        *((item, None) for item in items),
        *((control, True) for control in true),
        *((control, False) for control in false),
    ]
    random.shuffle(mixed)
    answer = await judge(*judge_request([item for item, _ in mixed], nonce))
    verdicts = read_verdicts(answer, len(mixed))
    if verdicts is None:
        return Judged(why="the judge gave no verdict on each line" if answer else "the judge gave no answer")
    said = list(zip(mixed, verdicts, strict=True))
    if any(must is not None and must != (verdict.says == "yes") for (_, must), verdict in said):
        return Judged(controlled=False, why="the judge was wrong about lines whose answer is known")
    by_item = {id(item): verdict for (item, _), verdict in said}
    return Judged(tuple(by_item[id(item)] for item in items), controlled=True)


def _true(own: Sequence[Item], random: Random) -> list[Item]:
    """Return items that hold for certain: a sentence beside its message; one that begins it needs nothing before it to be understood."""
    long = [item for item in own if len(tokens(item.sentence)) >= MIN_WORDS]
    first = [item for item in long if item.typed.lstrip().startswith(item.sentence) and not item.asked]
    enough = first if len(first) >= TRUE else long
    return random.sample(enough, min(TRUE, len(enough)))


def _false(own: Sequence[Item], random: Random) -> Iterator[Item]:
    """Give items that cannot hold: another number, the name of another message, a sentence of another message."""
    mixed = random.sample(own, len(own))
    yield from islice((found for item in mixed if (found := _other_number(item))), 1)
    pairs = [*islice(permutations(mixed, 2), _PAIRS)]
    yield from islice((found for item, other in pairs if (found := _other_name(item, other))), 1)
    for item, other in pairs:
        if len(tokens(item.sentence)) >= MIN_WORDS and _strange(item.sentence, other):
            yield replace(other, line=item.line)


def _other_number(one: Item) -> Item | None:
    found = _NUMBER.search(one.line)
    if not found:
        return None
    number = f"{found[0][:-1]}{(int(found[0][-1]) + 3) % 10}"
    told = _NUMBER.findall(_all(one))
    return (
        None if number in told else replace(one, line=f"{one.line[: found.start()]}{number}{one.line[found.end() :]}")
    )


def _other_name(one: Item, other: Item) -> Item | None:
    mine = _NAME.search(one.line)
    if not mine:
        return None
    told, begins = _all(one).casefold(), mine[0][:ALIKE].casefold()  # "Lisboa" is no other place than "Lisbon"
    others = [name for name in map(str.casefold, _NAME.findall(other.line)) if name not in told]
    name = next((name for name in others if not name.startswith(begins)), "")
    return replace(one, line=one.line.replace(mine[0], name.capitalize())) if name else None


def _strange(sentence: str, beside: Item) -> bool:
    """Return whether hardly a word of *sentence* was typed in the messages of another item."""
    words, there = tokens(sentence) - JOINING, tokens(_all(beside))
    return bool(words) and sum(related(word, there) for word in words) <= _SHARED * len(words)


def _all(item: Item) -> str:
    return f"{item.before}\n{item.typed}\n{item.after}\n{item.asked}"
