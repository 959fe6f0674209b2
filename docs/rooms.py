"""Draw the rooms of the package and who imports whom, from the imports as they are.

python docs/rooms.py > docs/rooms.svg
"""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "cococat"
FLOORS = (
    ("cli",),
    ("app",),
    ("model", "tools", "store", "ui", "memory"),
    ("protocol", "context", "permissions", "safety", "config", "errors"),
    ("core", "system"),
)
WIDTH, HEIGHT, BOX, TALL, TOP = 980, 110, 124, 40, 30
STYLE = """
  svg { background: #ffffff }
  rect { fill: #f4f1ea; stroke: #55606b }
  text { font: 15px monospace; fill: #20262c; text-anchor: middle }
  path { fill: none; stroke: #8a97a3; stroke-width: 1.2; marker-end: url(#tip) }
  marker path { fill: #8a97a3; stroke: none; marker-end: none }
"""


def room_of(name: str) -> str:
    """The room that a dotted name of ours lies in; empty for the package itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


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
    rooms = {room for floor in FLOORS for room in floor}
    return {(a, b) for a, b in found if a != b and a in rooms and b in rooms}


def places() -> dict[str, tuple[int, int]]:
    """The upper left corner of each room's box."""
    found = {}
    for level, floor in enumerate(FLOORS):
        step = WIDTH / len(floor)
        for number, room in enumerate(floor):
            found[room] = (round(step * number + (step - BOX) / 2), TOP + level * HEIGHT)
    return found


def drawn() -> str:
    """The picture as SVG, the same bytes for the same imports."""
    where = places()
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(FLOORS) * HEIGHT}">']
    lines += [f"<style>{STYLE}</style>", "<title>cococat: rooms, and which of them import which</title>"]
    tip = '<path d="M0,0 L8,4 L0,8 z"/>'
    lines.append(f'<marker id="tip" markerWidth="8" markerHeight="8" refX="8" refY="4" orient="auto">{tip}</marker>')
    for start, end in sorted(arrows()):
        (x, y), (to_x, to_y) = where[start], where[end]
        x, to_x = x + BOX // 2, to_x + BOX // 2
        if y == to_y:  # neighbours: below the boxes
            lines.append(f'<path d="M{x},{y + TALL} Q{(x + to_x) // 2},{y + TALL + 40} {to_x},{y + TALL}"/>')
        else:
            begin, finish = (y + TALL, to_y) if to_y > y else (y, to_y + TALL)
            bend = (begin + finish) // 2
            lines.append(f'<path d="M{x},{begin} C{x},{bend} {to_x},{bend} {to_x},{finish}"/>')
    for room, (x, y) in where.items():
        lines.append(f'<rect x="{x}" y="{y}" width="{BOX}" height="{TALL}" rx="6"/>')
        lines.append(f'<text x="{x + BOX // 2}" y="{y + 25}">{room}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    print(drawn(), end="")
