"""docs/endpoints.md: what a user sees of each server. `python -m tests.endpoints.table > docs/endpoints.md` writes it."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.endpoints.dialects import DIALECTS, Dialect
from tests.endpoints.real import Real, llama_cpp
from tests.forks import warm
from tests.scripted import Server, broken, forever, says, serve

FILE = Path(__file__).resolve().parents[2] / "docs" / "endpoints.md"
WINDOWS = ("1,024", "2,048", "4,096", "8,192")
REAL = ("llama.cpp",)
BEHAVIOURS = ("hi", "stream", "tools", "overflow", "wrong key", "wrong model", "rate limit", "cut stream")
JSON_LINES = ("--output-format", "stream-json", "--no-tools")
LONG = "one two three four five six seven eight nine ten " * 600
HEAD = """# What cococat makes of the servers people run

Written by `python -m tests.endpoints.table > docs/endpoints.md` from real runs of the command. llama.cpp is the real
server of the extra `local` (anew with `--real`); the others are played by the scripted server in their documented words.
A test says when this page is stale. "—": the server has no such answer, or it cannot be provoked.

"""


class Seen(NamedTuple):
    """A cell: in a word for the table, and the lines that the user sees."""

    word: str
    lines: str = ""


class Run(NamedTuple):
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> str:
        """What stands on stderr of notices and errors, without the numbers that change with a prompt, and ports."""
        text = re.sub(r"127\.0\.0\.1:\d+", "HOST", self.err)
        text = re.sub(r"\b\d{1,3},\d{3}\b", lambda found: found[0] if found[0] in WINDOWS else "N", text)
        rows = [re.sub(r"again in [\d.]+ s", "again in N s", row.rstrip()) for row in text.splitlines()]
        return "\n".join(row for row in rows if row.startswith(("cococat: ", "  hint: ", "attempt ")))


def command(home: Path, url: str, *words: str, env: Mapping[str, str] | None = None) -> Run:
    """Run `cococat ask` as a user would, in a home of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))}
    more = {
        "COCOCAT_HOME": str(home / "own"), "COCOCAT_BASE_URL": url, "COCOCAT_MODEL": "scripted", "COCOCAT_API_KEY": "sk-test",
        "COCOCAT_MEMORY_MODE": "read", "COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0", "NO_COLOR": "1",
    }  # fmt: skip
    folder = home / "work"
    folder.mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("The boat leaves at noon.\n")
    done = warm().run(["ask", "--no-dream", *words], b"", {**clean, **more, **(env or {})}, folder, 120)
    return Run(done.code, done.stdout.decode(), done.stderr.decode())


def cells(dialect: Dialect) -> dict[str, Seen]:
    """Play *dialect*, and tell what each behaviour came to."""
    told: dict[str, Callable[[Server, Path], Seen]] = {
        "hi": lambda server, home: _answered(_play(server, home, dialect.hi)),
        "stream": lambda server, home: _streamed(_play(server, home, dialect.hi, words=JSON_LINES)),
        "tools": lambda server, home: _tools(server, home, dialect),
        "overflow": lambda server, home: _overflow(server, home, dialect),
        "wrong key": lambda server, home: _refused(server, home, dialect.key),
        "wrong model": lambda server, home: _refused(server, home, dialect.model),
        "rate limit": lambda server, home: _limited(server, home, dialect),
        "cut stream": lambda server, home: _cut(_play(server, home, broken("hel"))),
    }
    seen = {}
    for name, tell in told.items():
        with tempfile.TemporaryDirectory() as home, _server(dialect, known=name != "wrong model") as server:
            seen[name] = tell(server, Path(home))
    return seen


def _server(dialect: Dialect, *, known: bool) -> Server:
    names = ("scripted", "other") if known else ("scripture", "other")
    return serve(models=tuple({"id": name, "owned_by": dialect.owner} for name in names))


def _play(server: Server, home: Path, *items: object, words: tuple[str, ...] = ()) -> Run:
    server.add(*items)
    return command(home, server.base_url, *words, "hi")


def _answered(ran: Run) -> Seen:
    return Seen("answered" if ran.code == 0 and ran.out.strip() == "hello" else f"exit {ran.code}", ran.lines)


def _streamed(ran: Run) -> Seen:
    events = [json.loads(line) for line in ran.out.splitlines()]
    deltas = sum(event["type"] == "text_delta" for event in events)
    return Seen("as it comes" if deltas > 1 else "in one piece")


def _tools(server: Server, home: Path, dialect: Dialect) -> Seen:
    refused = dialect.tools.status != 200
    decision = says(json.dumps({"action": "tool_call", "tool": "read_file", "args": {"path": "notes.txt"}}))
    final = says(json.dumps({"action": "finish", "final": "noon"})) if refused else says("noon")
    server.add(dialect.tools, *((decision,) if refused else ()), final)
    ran = command(home, server.base_url, "--mode", "react", "when?")
    called = any("tool_calls" in str(step) for step in dialect.tools.steps)
    word = "JSON decisions" if refused else "native" if called else "in words, read"
    return Seen(word if (ran.code, ran.out) == (0, "noon\n") else f"exit {ran.code}", ran.lines)


def _overflow(server: Server, home: Path, dialect: Dialect) -> Seen:
    server.add(says("hel", server.listed, "lo"))
    command(home, server.base_url, "hi")
    server.add(dialect.overflow, *(() if dialect.overflow.status == 200 else (says("hello"),)))
    ran = command(home, server.base_url, LONG)
    kept = json.loads((home / "own" / "cache" / "endpoints.json").read_text()).values()
    window = next((entry["window"] for entry in kept if entry["window"]), 0)
    learned = f"learns {window:,}, answered" if window else "sent shorter, answered"
    if "cut the prompt" in ran.lines:
        learned = "answered, the cut is said"
    return Seen(learned if (ran.code, ran.out) == (0, "hello\n") else f"exit {ran.code}", ran.lines)


def _refused(server: Server, home: Path, refusal: object) -> Seen:
    if refusal is None:
        return Seen("—")
    ran = _play(server, home, forever(refusal))
    return Seen(f"said, exit {ran.code}", ran.lines)


def _limited(server: Server, home: Path, dialect: Dialect) -> Seen:
    if dialect.rate is None:
        return Seen("—")
    ran = _play(server, home, dialect.rate, says("hello"))
    return Seen("waits, answered" if (ran.code, ran.out) == (0, "hello\n") else f"said, exit {ran.code}", ran.lines)


def _cut(ran: Run) -> Seen:
    kept = "hel" in ran.out
    return Seen(f"text kept, exit {ran.code}" if kept else f"exit {ran.code}", ran.lines)


def row(name: str, seen: Mapping[str, Seen]) -> str:
    """A row of the table."""
    return f"| {name} | " + " | ".join(seen[key].word if key in seen else "—" for key in BEHAVIOURS) + " |"


def section(name: str, seen: Mapping[str, Seen]) -> str:
    """What the user reads where not all is well."""
    shown = [f"{key}:\n{cell.lines}" for key, cell in seen.items() if cell.lines]
    return f"## {name}\n\n```text\n" + "\n\n".join(shown) + "\n```\n"


def page(real: Mapping[str, tuple[str, str]]) -> str:
    """The whole page; *real* has row and section of the servers that are not played."""
    played = {dialect.name: cells(dialect) for dialect in DIALECTS}
    rows = [*(there for there, _ in real.values()), *(row(name, seen) for name, seen in played.items())]
    head = "| server | " + " | ".join(BEHAVIOURS) + " |\n|" + "---|" * (len(BEHAVIOURS) + 1)
    sections = [*(text for _, text in real.values()), *(section(name, seen) for name, seen in played.items())]
    return HEAD + "\n".join([head, *rows]) + "\n\n" + "\n".join(sections)


def written(name: str) -> tuple[str, str]:
    """Return row and section of *name* as the page has them; empty where it has none."""
    text = FILE.read_text("utf-8") if FILE.exists() else ""
    there = next((line for line in text.splitlines() if line.startswith(f"| {name} |")), "")
    found = re.search(rf"^## {re.escape(name)}\n.*?```\n(?=\n## |\Z)", text, re.MULTILINE | re.DOTALL)
    return there, found[0] if found else ""


def real_cells(big: Real, small: Real | None = None) -> dict[str, Seen]:
    """What a real server comes to; *small* has a window that a long question does not fit."""

    def run(server: Real, *words: str, **more: str) -> Run:
        with tempfile.TemporaryDirectory() as home:
            return command(Path(home), server.base_url, "--no-tools", *words, env={**server.env, **more})

    hi = run(big, "Say hello.")
    seen = {
        "hi": Seen("answered" if hi.code == 0 and hi.out.strip() else f"exit {hi.code}"),
        "stream": _streamed(run(big, "--output-format", "stream-json", "Count to ten.")),
        "tools": Seen("as the probe says"),
    }
    if small:
        over = run(small, "word " * 1500)
        seen["overflow"] = Seen(f"said, exit {over.code}" if over.code else "answered", over.lines)
    key = run(big, "hi", COCOCAT_API_KEY="sk-wrong-0123456789abcdef")
    name = run(big, "-m", "nonesuch", "Say hello.")
    return seen | {
        "wrong key": Seen(f"said, exit {key.code}", key.lines),
        "wrong model": Seen(f"said, exit {name.code}", name.lines) if name.code else Seen("answered all the same"),
    }


def main() -> None:
    """Write the page, llama.cpp anew with `--real`, else as it was seen last."""
    real = {name: written(name) for name in REAL}
    if "--real" in sys.argv:
        with llama_cpp(8192) as big, llama_cpp(1024) as small:
            seen = real_cells(big, small)
        real["llama.cpp"] = (row("llama.cpp", seen), section("llama.cpp", seen))
    sys.stdout.write(page({name: both for name, both in real.items() if both[0]}))


if __name__ == "__main__":
    main()
