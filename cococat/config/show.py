"""Every setting with where it came from, as `config show` prints it; keys are named, never shown."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cococat.config.keys import MASK, in_use
from cococat.config.settings import Settings, rules
from cococat.config.values import printable, toml
from cococat.system.urls import origin_of

MAX_VALUE = 44  # characters of a value that keep its origin in the column of the others
BELOW = 2  # how far in a value stands that has no room beside its key


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting; *kind* is default, file, env or flag, *place* the file and line, variable or flag."""

    key: str
    value: object
    kind: str
    place: str = ""


def rows(settings: Settings) -> tuple[SettingRow, ...]:
    """All settings in the order of the config file."""
    return tuple(
        SettingRow(key, value_of(settings, key), settings.origins[key].kind, settings.origins[key].place)
        for key in rules()
    )


def value_of(settings: Settings, key: str) -> object:
    """The value of the setting with the dotted *key*, which must exist."""
    value: object = settings
    for step in key.split("."):
        value = getattr(value, step)
    return value


def key_rows(settings: Settings, env: Mapping[str, str]) -> tuple[SettingRow, ...]:
    """The keys that are set, and the one origin that each belongs to."""
    homes = {(home.name, home.url if home.kept else ""): home for home in reversed(settings.keys) if in_use(home, env)}
    return tuple(
        SettingRow(
            home.variable or "set-key", f"{MASK} for {origin_of(home.url)}", "file" if home.kept else "env", home.name
        )
        for home in reversed(homes.values())
    )


def as_text(found: Sequence[SettingRow], columns: int = 0) -> str:
    """One setting a line: key, value, origin; on a screen of so many *columns* what has no room goes on below."""
    cells = [(row.key, _cell(row), printable_path(row.place or row.kind)) for row in found]
    wide = max(len(key) for key, _, _ in cells)
    if 0 < columns < 2 * (wide + 2):
        return "\n".join(row for key, value, place in cells for row in (key, *_rows(value, place, BELOW, columns)))
    most = MAX_VALUE if not columns else min(MAX_VALUE, columns - wide - len("    default"))
    middle = min(most, max(len(value) for _, value, _ in cells))
    rows: list[str] = []
    for key, value, place in cells:
        row = f"{key:<{wide}}  {value:<{middle}}  {place}"
        below = _rows(value, place, wide + 2, columns) if 0 < columns < len(row) else []
        rows += [f"{key:<{wide}}{below[0][wide:]}", *below[1:]] if below else [row]
    return "\n".join(rows)


def _rows(value: str, place: str, column: int, columns: int) -> list[str]:
    """Break a value and its origin at blanks; a word that is too wide, such as a path, stays whole to be copied."""
    rows = textwrap.wrap(value, max(1, columns - column), break_long_words=False, break_on_hyphens=False) or [""]
    if len(rows[-1]) + 2 + len(place) <= columns - column:
        rows[-1] += f"  {place}"
    else:
        rows.append(place)
    return [" " * column + row for row in rows]


def as_json(found: Sequence[SettingRow]) -> list[dict[str, object]]:
    """The same for machines."""
    return [{"key": row.key, "value": _plain(row.value), "kind": row.kind, "place": row.place} for row in found]


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def printable_path(place: str) -> str:
    """*place* without anything a terminal would obey, however long it is."""
    return "".join(char if char.isprintable() else "?" for char in place)


def _cell(row: SettingRow) -> str:
    if row.value is None:
        return "(unset)"
    if str(row.value).startswith(MASK):
        return str(row.value)
    return toml(row.value) if isinstance(row.value, str | tuple | int | float | Mapping) else printable(str(row.value))
