"""The answers to a question of consent: a letter, a digit, or the arrows and Enter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from cococat.ui.hang import wrap_rows
from cococat.ui.revealed import revealed
from cococat.ui.turn_keys import STAY, Stay

__all__ = ["DECIDED", "KEYS", "NAMES", "Answer", "Choosing", "consent_keys"]

Answer: TypeAlias = Literal["yes", "remember", "session", "always", "no", "reason", "each"]

KEYS: Mapping[str, Answer] = {
    "y": "yes",
    "s": "session",
    "a": "always",
    "n": "no",
    "r": "reason",
    "e": "each",
    "q": "no",
    "\x1b": "no",
    "\x04": "no",
    "": "no",
}
NAMES: Mapping[Answer, str] = {
    "yes": "[y]es once",
    "remember": "[y]es, remember this version",
    "session": "[s]ession",
    "always": "[a]lways",
    "no": "[n]o",
    "each": "[e]ach by itself",
    "reason": "no, for a [r]eason",
}
_NARROW = 60  # columns below which the answers are shorter
_SHORT: Mapping[Answer, str] = {
    **NAMES,
    "yes": "[y]es",
    "remember": "[y]es, remember",
    "each": "[e]ach",
    "reason": "no + [r]eason",
}
DECIDED: Mapping[str, str] = {  # the answers once they are given
    "session": "yes, for this session",
    "always": "yes, always",
    "remember": "yes, remembered",
    "each": "each by itself",
}
_STEPS = {"\x1b[C": 1, "\x1b[B": 1, "\x1b[D": -1, "\x1b[A": -1}
_MARK, _OFF = "\x1b[7m", "\x1b[27m"  # reverse


class Choosing:
    """
    What a key answers; nothing is chosen until an arrow was pressed, so Enter alone never answers.

    Attributes:
        keys: which keys answer, see `consent_keys`.

    Args:
        choices: the answers there are, and behind them the rule that two of them would add.
        show: prints; the row of answers stands at the end of what was printed before.
        width: columns of the screen.
    """

    def __init__(self, choices: Sequence[str], show: Callable[[str], object], width: int) -> None:
        self._answers: list[Answer] = [answer for answer in NAMES if answer in choices]
        self.show, self._width = show, width
        self.keys = consent_keys(choices, width)
        self._at: int | None = None

    def meaning(self, key: str) -> Answer | Stay | None:
        """Return what *key* answers; STAY when it moves the mark; None when it means nothing here."""
        if key in _STEPS:
            first = 0 if _STEPS[key] > 0 else len(self._answers) - 1
            self._mark(first if self._at is None else (self._at + _STEPS[key]) % len(self._answers))
            return STAY
        if key == "\r" and self._at is not None:
            return self._answers[self._at]
        if key.isdecimal() and key.isascii() and 1 <= int(key) <= len(self._answers):
            return self._answers[int(key) - 1]
        answer = KEYS.get(key.lower())
        if answer == "yes" and "remember" in self._answers:
            return "remember"
        return answer if answer in self._answers else None

    def _mark(self, at: int) -> None:
        self._at = at
        rows = _rows(self._answers, self._width)
        up = f"\x1b[{rows.count(chr(10))}A" if "\n" in rows else ""
        name = _names(self._width)[self._answers[at]]
        self.show(f"{up}\r{rows.replace(f'  {name} ', f'  {_MARK}{name}{_OFF} ', 1)}")


def consent_keys(choices: Sequence[str], width: int) -> str:
    """Return which keys answer a question of consent, and the rule that two of them would add."""
    rule = "".join(choice for choice in choices if choice not in NAMES)
    told = wrap_rows(f"  [s]ession and [a]lways allow {revealed(rule)[0]}", 4, width) if rule else []
    return "\n".join([*told, _rows([answer for answer in NAMES if answer in choices], width)])


def _names(width: int) -> Mapping[Answer, str]:
    return _SHORT if width < _NARROW else NAMES


def _rows(answers: Sequence[Answer], width: int) -> str:
    """The answers in rows, each between two blanks and one."""
    rows, names = [""], _names(width)
    for answer in answers:
        if rows[-1] and len(rows[-1]) + len(names[answer]) + 3 > width:
            rows.append("")
        rows[-1] += f"  {names[answer]}"
    return " \n".join(rows) + " "
