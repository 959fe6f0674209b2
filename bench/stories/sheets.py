"""Single lines to tune the rules with: what was typed, and what a note of it may say and may not.

A sheet is one TOML file in `sheets/`: a `day`, and `[[record]]` tables with `typed`, perhaps the question before it (`asked`) and
whose words they are (`user`, each with a batch of their own), and lists of [line, quote] that are `true` or `false`. Every sheet belongs to the half
`tune`, but those in the folder `apart`, which are for numbers.

`python -m bench.stories.sheets > tests/memory/misjudged.toml` writes down which lines the rules judge wrongly.

Public: Line, lines, misjudged, verdict.
"""

from __future__ import annotations

import asyncio
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.confirmations import confirmed
from cococat.memory.dream_tools import DreamTools
from cococat.memory.file import MEMORY
from cococat.memory.rules import Rules

HERE = Path(__file__).resolve().parent / "sheets"
HEADING = "## Preferences"


@dataclass(frozen=True, slots=True)
class Line:
    """A line with the quote it comes with, whether it is true, and the records it is judged by."""

    sheet: str
    text: str
    seq: int
    quote: str
    true: bool
    rules: Rules


def lines(name: str = "*") -> tuple[Line, ...]:
    """Return the lines of the sheets of that *name*, a pattern; `apart/*` are those that nobody tunes on."""
    return tuple(line for path in sorted(HERE.glob(f"{name}.toml")) for line in _sheet(path))


def verdict(line: Line) -> str:
    """Return why *line* is not kept as it is; empty when it is."""
    return _judged(line)[1]


def _judged(line: Line) -> tuple[bool, str]:
    """Return whether anything is noted for *line*, if only in the user's own words, and why it is not kept as it is."""
    box = DreamTools(f"# Memory\n\n{HEADING}\n", line.rules)
    call = {"path": MEMORY, "old_text": HEADING, "new_text": f"{HEADING}\n- {line.text}"}
    evidence = [{"seq": line.seq, "quote": line.quote}]
    try:
        told = asyncio.run(box.tools()[1].run({**call, "evidence": evidence}, lambda _: None)).output
    except ToolFailure as refusal:
        return False, str(refusal)
    return True, "" if f"- {line.text}" in box.text.split("\n") else told


def _sheet(path: Path) -> list[Line]:
    table = tomllib.loads(path.read_text("utf-8"))
    users = {record.get("user", ""): None for record in table["record"]}
    return [line for user in users for line in _batch(path.stem, table, user)]


def _batch(sheet: str, table: dict[str, Any], user: str) -> list[Line]:
    records = {seq: record for seq, record in enumerate(table["record"], 1) if record.get("user", "") == user}
    typed = {seq: record["typed"] for seq, record in records.items()}
    asked = {seq: taken for seq, record in records.items() if (taken := confirmed(typed[seq], record.get("asked", "")))}
    rules = Rules(typed, DreamSettings(), asked=asked, days=dict.fromkeys(typed, table["day"]))
    return [
        Line(sheet, text, seq, quote, kind == "true", rules)
        for seq, record in records.items()
        for kind in ("true", "false")
        for text, quote in record.get(kind, [])
    ]


def misjudged(name: str) -> dict[str, list[str]]:
    """
    Return the lines of a sheet that the rules judge wrongly.

    These are true ones that are refused (`true`), true ones for which the user's own words stand (`reworded`), and false ones that
    are kept (`false`).
    """
    judged = [(line, *_judged(line)) for line in lines(name)]
    return {
        "true": sorted(line.text for line, noted, _ in judged if line.true and not noted),
        "reworded": sorted(line.text for line, noted, why in judged if line.true and noted and why),
        "false": sorted(line.text for line, _, why in judged if not line.true and not why),
    }


if __name__ == "__main__":
    import json
    import sys

    for sheet in sorted(path.stem for path in HERE.glob("*.toml")):
        sys.stdout.write(f"[{sheet}]\n")
        for kind, texts in misjudged(sheet).items():
            sys.stdout.write(
                f"{kind} = [{''.join(f'{chr(10)}  {json.dumps(text, ensure_ascii=False)},' for text in texts)}\n]\n"
            )
        sys.stdout.write("\n")
