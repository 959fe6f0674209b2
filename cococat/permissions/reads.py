"""What of a program only reads: the form of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Reads", "reads"]

ANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Reads:
    """
    What of one program, or of one command of it, only reads; whatever is not named here is asked for.

    Args:
        flags: letters of short options without a value.
        valued: letters of short options whose value is the rest of the word, or the next one.
        long: names of long options, whole; a value stands behind `=`.
        numbers: digits may stand among short options, as in `-5` or `-U3`.
        dashed: an expression for whole words that begin with a dash, as `find` has them.
        operands: how many other words there may be; the one after the last could be a file to write.
        operand: an expression for each of them.
        first: the same for the first one, where that is a script.
        tail: what stands behind `--` goes to a script that the words before have named.
        commands: what each first word means, where a program has commands; no other is read.
    """

    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    numbers: bool = False
    dashed: str = ""
    operands: int = ANY
    operand: str = ""
    first: str = ""
    tail: bool = False
    commands: Mapping[str, Reads] = field(default_factory=dict)


def reads(flags: str = "", long: str = "", valued: str = "", **more: object) -> Reads:
    """Write a table shortly: *long* names are parted by blanks."""
    return Reads(flags, valued, frozenset(long.split()), **more)  # type: ignore[arg-type]  # named in the class
