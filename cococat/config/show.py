"""Every setting with where it came from, as `config show` prints it; keys are named, never shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cococat.config.keys import MASK
from cococat.config.settings import Settings, rules
from cococat.config.values import printable, toml
from cococat.system.urls import origin_of

__all__ = ["Row", "as_json", "as_text", "rows"]


@dataclass(frozen=True, slots=True)
class Row:
    """One setting; *kind* is default, file, env or flag, *place* the file and line, variable or flag."""

    key: str
    value: object
    kind: str
    place: str = ""


def rows(settings: Settings) -> tuple[Row, ...]:
    """All settings in the order of the config file."""
    return tuple(
        Row(key, value_of(settings, key), settings.origins[key].kind, settings.origins[key].place) for key in rules()
    )


def value_of(settings: Settings, key: str) -> object:
    """The value of the setting with the dotted *key*, which must exist."""
    value: object = settings
    for step in key.split("."):
        value = getattr(value, step)
    return value


def key_rows(settings: Settings, env: Mapping[str, str]) -> tuple[Row, ...]:
    """The keys that are set, and the one origin that each belongs to."""
    homes = {home.variable: home for home in reversed(settings.keys) if env.get(home.variable)}
    return tuple(Row(name, f"{MASK} for {origin_of(home.url)}", "env", name) for name, home in reversed(homes.items()))


def as_text(found: Sequence[Row]) -> str:
    """One line a setting: key, value, origin."""
    cells = [(row.key, _cell(row), row.place or row.kind) for row in found]
    wide = max(len(key) for key, _, _ in cells)
    middle = min(44, max(len(value) for _, value, _ in cells))
    return "\n".join(f"{key:<{wide}}  {value:<{middle}}  {printable_path(place)}" for key, value, place in cells)


def as_json(found: Sequence[Row]) -> list[dict[str, object]]:
    """The same for machines."""
    return [{"key": row.key, "value": _plain(row.value), "kind": row.kind, "place": row.place} for row in found]


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def printable_path(place: str) -> str:
    """*place* without anything a terminal would obey, however long it is."""
    return "".join(char if char.isprintable() else "?" for char in place)


def _cell(row: Row) -> str:
    if row.value is None:
        return "(unset)"
    if str(row.value).startswith(MASK):
        return str(row.value)
    return toml(row.value) if isinstance(row.value, str | tuple | int | float | Mapping) else printable(str(row.value))
