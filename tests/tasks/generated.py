"""Projects that are too long to be written down: a tree of 200 modules, and a table of a year's sales.

Public: TREES.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

MODULES = 200
PLACES = ("billing", "search", "mail", "stock", "users")
SLOW = {17: 45, 64: 90, 131: 60}  # modules that wait longer than all others, and their seconds
LINES = 200  # of each module, about


def services() -> Mapping[str, str]:
    """200 modules in five folders; three wait longer than 30 s, and `gateway` calls one of them in a loop."""
    files = {f"{PLACES[number % 5]}/service_{number:03}.py": _module(number) for number in range(MODULES)}
    callers = "\n".join(f"from {PLACES[number % 5]} import service_{number:03}" for number in SLOW)
    body = "\n".join(f"    service_{number:03}.fetch(name)" for number in SLOW)
    files["gateway.py"] = (
        f'"""The way in."""\n\n{callers}\n\n\ndef everything(name):\n    """Ask them all."""\n{body}\n'
    )
    return files


def _module(number: int) -> str:
    chance = random.Random(number)
    words = ["order", "ledger", "parcel", "letter", "person", "shelf", "route", "quota", "label", "ticket"]
    parts = [
        f'"""Service {number}: {chance.choice(words)}s of the {PLACES[number % 5]} department."""',
        f"TIMEOUT_S = {SLOW.get(number, chance.randrange(1, 30))}",
        f"RETRIES = {chance.randrange(1, 5)}",
        f'def fetch(name):\n    """Fetch what belongs to *name*."""\n    return send("{chance.choice(words)}", name, timeout=TIMEOUT_S)',
    ]
    while sum(part.count("\n") + 3 for part in parts) < LINES:
        one, other = chance.choice(words), chance.choice(words)
        name = f"{one}_of_{other}_{len(parts)}"
        parts.append(
            f'def {name}(given):\n    """Give the {one} of a {other}; None where there is none."""\n'
            f'    found = [item for item in given if item.kind == "{one}" and item.number > {chance.randrange(999)}]\n'
            f"    if not found:\n        return None\n    return max(found, key=lambda item: item.number)"
        )
    return "\n\n\n".join(parts) + "\n"


def sales() -> Mapping[str, str]:
    """Sales of a year: a line a day and region, with two lines that are no numbers."""
    chance = random.Random(7)
    rows = ["day,region,amount"]
    places = ((day, region) for day in range(1, 366) for region in ("north", "south", "west"))
    rows += [f"{day},{region},{chance.randrange(100, 999)}" for day, region in places]
    rows[200], rows[700] = "67,south,n/a", "234,north,"
    return {"data/sales.csv": "\n".join(rows) + "\n"}


TREES: Mapping[str, Callable[[], Mapping[str, str]]] = {"question": services, "data": sales}
