"""Draw the rooms of the package, what each owns, and who imports whom, from the imports as they are.

python docs/rooms.py > docs/rooms.svg

An arrow is drawn where no longer way along arrows says the same.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "cococat"
FLOORS = (  # from top to bottom, each room with what it owns; beside each other so that few arrows cross
    {"cli": "commands, flags, help"},
    {"app": "ask, chat, dream"},
    {
        "config": "settings, keys",
        "store": "session logs",
        "ui": "screen, pipe, JSON",
        "model": "HTTP, SDK, tokens",
        "memory": "file, judge, dream",
        "tools": "what a model may call",
        "mcp": "servers with tools",
        "skills": "instructions, prompts",
    },
    {
        "errors": "exit codes, hints",
        "safety": "secrets, foreign text",
        "protocol": "replies into calls",
        "context": "the next request",
        "permissions": "what a call may do",
        "sandbox": "the box of commands",
    },
    {"system": "files, addresses", "core": "the loop, its values", "prompts": "what a model is told"},
)
OWNS = {room: owns for floor in FLOORS for room, owns in floor.items()}
WIDTH, HEIGHT, BOX, TALL, TOP = 1400, 118, 164, 50, 20
STYLE = """
  svg { background: #ffffff }
  rect { fill: #f4f1ea; stroke: #55606b }
  text { font: 15px monospace; fill: #20262c; text-anchor: middle }
  .owns { font-size: 11.5px; fill: #55606b }
  path { fill: none; stroke: #8a97a3; stroke-width: 1.2; marker-end: url(#tip) }
  marker path { fill: #8a97a3; stroke: none; marker-end: none }
"""


def room_of(name: str) -> str:
    """The room that a dotted name of ours lies in; empty for the package itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


@cache  # all of the package is parsed for it
def arrows() -> set[tuple[str, str]]:
    """Every pair of rooms of which the first imports the second."""
    found: set[tuple[str, str]] = set()
    for path in PACKAGE.rglob("*.py"):
        here = room_of(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                deep = node.module != "cococat"
                names = [node.module] if deep else [f"cococat.{alias.name}" for alias in node.names]
            found |= {(here, room_of(name)) for name in names if name.startswith("cococat.")}
    return {(a, b) for a, b in found if a != b and a in OWNS and b in OWNS}


def reached(start: str, pairs: Collection[tuple[str, str]]) -> set[str]:
    """Where *pairs* lead from *start*, by ways of any length."""
    found: set[str] = set()
    rest = {start}
    while rest:
        rest = {end for begin, end in pairs if begin in rest} - found
        found |= rest
    return found


def shortest(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of *pairs* without which the others lead to fewer places; there is no circle among them."""
    return {(begin, end) for begin, end in pairs if end not in reached(begin, pairs - {(begin, end)})}


def places() -> dict[str, tuple[int, int]]:
    """The upper left corner of each room's box."""
    found = {}
    for level, floor in enumerate(FLOORS):
        step = WIDTH / len(floor)
        for number, room in enumerate(floor):
            found[room] = (round(step * number + (step - BOX) / 2), TOP + level * HEIGHT)
    return found


def way(start: str, end: str) -> str:
    """The line of an arrow: from box to box, through the gaps of the floors between them."""
    where, levels = places(), {room: level for level, floor in enumerate(FLOORS) for room in floor}
    (x, y), (to_x, to_y) = where[start], where[end]
    x, to_x, y = x + BOX // 2, to_x + BOX // 2, y + TALL
    line = f"M{x},{y}"
    for level in range(levels[start] + 1, levels[end] + 1):
        top, rooms = TOP + level * HEIGHT, len(FLOORS[level])
        straight = x + (to_x - x) * (top - y) / (to_y - y)
        gap = min((round(WIDTH / rooms * number) for number in range(rooms + 1)), key=lambda at: abs(at - straight))
        last = level == levels[end]
        at, bend = to_x if last else gap, (y + top) // 2
        line += f" C{x},{bend} {at},{bend} {at},{top}" + ("" if last else f" V{top + TALL}")
        x, y = at, top + TALL
    return line


def drawn() -> str:
    """The picture as SVG, the same bytes for the same imports."""
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(FLOORS) * HEIGHT - 20}">']
    lines += [f"<style>{STYLE}</style>", "<title>cococat: rooms, what they own, and who imports whom</title>"]
    tip = '<path d="M0,0 L8,4 L0,8 z"/>'
    lines.append(f'<marker id="tip" markerWidth="8" markerHeight="8" refX="8" refY="4" orient="auto">{tip}</marker>')
    lines += [f'<path d="{way(start, end)}"/>' for start, end in sorted(shortest(arrows()))]
    for room, (x, y) in places().items():
        lines.append(f'<rect x="{x}" y="{y}" width="{BOX}" height="{TALL}" rx="6"/>')
        lines.append(f'<text x="{x + BOX // 2}" y="{y + 21}">{room}</text>')
        lines.append(f'<text class="owns" x="{x + BOX // 2}" y="{y + 39}">{OWNS[room]}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    print(drawn(), end="")
