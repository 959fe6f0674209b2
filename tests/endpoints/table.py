"""
docs/endpoints.md: what a user sees of each server. `python -m tests.endpoints.table > docs/endpoints.md` writes it.

Rows of servers that are played are played anew each time; those of real servers are in real.json, which `--real` writes.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.endpoints.dialects import DIALECTS, READ, STRICT, TOLD, Dialect
from tests.endpoints.gateway import LITELLM, litellm
from tests.endpoints.real import Real, cutting, llama_cpp
from tests.endpoints.recorded import Seen, record, recorded
from tests.endpoints.refusals import Player, Strict
from tests.forks import warm
from tests.scripted import Server, broken, forever, says, serve

FILE = Path(__file__).resolve().parents[2] / "docs" / "endpoints.md"
WINDOWS = ("1,024", "2,048", "4,096", "8,192")
BEHAVIOURS = ("hi", "stream", "tools", "overflow", "wrong key", "wrong model", "rate limit", "cut stream")
REFUSING = ("a question with a tool", "refused on the way", "and the next time")
JSON_LINES = ("--output-format", "stream-json")
LONG = "one two three four five six seven eight nine ten " * 600
HEAD = """# What cococat makes of the servers people run

Written by `python -m tests.endpoints.table > docs/endpoints.md` from real runs of the command. {real}
are real servers (tests/endpoints/real.json; anew with `--real`); the others are played by the scripted
server in their documented words. A test says when this page is stale.
"—": the server has no such answer; "not provoked": it may have one, and nothing was done to get it.

"""
HEAD_REFUSING = """\
What follows are servers that look at each request and refuse as the real ones do, in words of public reports; how many
requests that costs is counted. LiteLLM's HTTP 500 around the same words makes no difference.

"""


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
        "tools": lambda server, home: _tools(server, home, dialect),
        "overflow": lambda server, home: _overflow(server, home, dialect),
        "wrong key": lambda server, home: _refused(server, home, dialect.key),
        "wrong model": lambda server, home: _refused(server, home, dialect.model),
        "rate limit": lambda server, home: _limited(server, home, dialect),
        "cut stream": lambda server, home: _cut(_play(server, home, broken("hel"))),
    }
    with tempfile.TemporaryDirectory() as home, _server(dialect, known=True) as server:
        seen = _greeted(_play(server, Path(home), dialect.hi, words=JSON_LINES), "hello")
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


def _greeted(ran: Run, answer: str = "") -> dict[str, Seen]:
    """Tell of one run in JSON lines whether the answer came, and whether it came in parts."""
    events = [json.loads(line) for line in ran.out.splitlines()]
    said = str(events[-1]["answer"] or "").strip()
    well = ran.code == 0 and (said == answer if answer else bool(said))
    deltas = sum(event["type"] == "text_delta" for event in events)
    return {
        "hi": Seen("answered" if well else f"exit {ran.code}", ran.lines),
        "stream": Seen("as it comes" if deltas > 1 else "in one piece"),
    }


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
    if dialect.overflow.status == 200:  # its name stands in what is said of it, and is asked for beside an answer
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


def _cut(ran: Run, begins: str = "hel") -> Seen:
    kept = begins in ran.out
    return Seen(f"text kept, exit {ran.code}" if kept else f"exit {ran.code}", ran.lines)


def refusing() -> dict[str, Strict]:
    """The servers that refuse, those whose refusal nothing meets as well."""
    always = (Strict(one.name, lambda body, player, one=one: one.refusal) for one in TOLD)  # type: ignore[misc]
    return {strict.name: strict for strict in (*STRICT, *always)}


def met(strict: Strict) -> dict[str, Seen]:
    """Play *strict*, and tell what two questions with a tool came to, and how many requests were refused for each."""
    player, runs, refused = Player(strict), [], [0]
    with tempfile.TemporaryDirectory() as home, serve() as server:
        for _ in range(2):
            player.script, server.items = [(READ,), "noon"], [player]
            runs.append(command(Path(home), server.base_url, "--mode", "react", "when?", env=strict.env))
            refused.append(len(player.refused))
    word = "answered" if (runs[0].code, runs[0].out) == (0, "noon\n") else f"said, exit {runs[0].code}"
    counts = (Seen(str(now - before)) for before, now in pairwise(refused))
    return dict(zip(REFUSING, (Seen(word, runs[0].lines), *counts), strict=True))


def row(name: str, seen: Mapping[str, Seen], columns: tuple[str, ...] = BEHAVIOURS) -> str:
    """A row of the table."""
    return f"| {name} | " + " | ".join(seen[key].word if key in seen else "—" for key in columns) + " |"


def table(rows: Mapping[str, Mapping[str, Seen]], columns: tuple[str, ...]) -> str:
    """A whole table."""
    head = "| server | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1)
    return "\n".join([head, *(row(name, seen, columns) for name, seen in rows.items())])


def section(name: str, seen: Mapping[str, Seen]) -> str:
    """What the user reads where not all is well."""
    shown = [f"{key}:\n{cell.lines}" for key, cell in seen.items() if cell.lines]
    return f"## {name}\n\n```text\n" + "\n\n".join(shown) + "\n```\n"


def page() -> str:
    """The whole page."""
    rows = recorded() | {dialect.name: cells(dialect) for dialect in DIALECTS}
    strict = {name: met(one) for name, one in refusing().items()}
    tables = f"{table(rows, BEHAVIOURS)}\n\n{HEAD_REFUSING}{table(strict, REFUSING)}\n\n"
    sections = (
        section(name, seen)
        for name, seen in (*rows.items(), *strict.items())
        if any(one.lines for one in seen.values())
    )
    return HEAD.format(real=" and ".join(recorded())) + tables + "\n".join(sections)


def written(name: str) -> tuple[str, str]:
    """Return row and section of *name* as the page has them; empty where it has none."""
    text = FILE.read_text("utf-8") if FILE.exists() else ""
    there = next((line for line in text.splitlines() if line.startswith(f"| {name} |")), "")
    found = re.search(rf"^## {re.escape(name)}\n.*?```\n(?=\n## |\Z)", text, re.MULTILINE | re.DOTALL)
    return there, found[0] if found else ""


def real_cells(big: Real, small: Real) -> dict[str, Seen]:
    """What a real server comes to; *small* has a window that a long question does not fit."""

    def run(server: Real, *words: str, **more: str) -> Run:
        with tempfile.TemporaryDirectory() as home:
            return command(Path(home), server.base_url, *words, env={**server.env, **more})

    json_env = {"COCOCAT_MODEL_PROTOCOL": "json", "COCOCAT_MODEL_CONTEXT_WINDOW": "2048"}
    seen = _greeted(run(big, *JSON_LINES, "--no-tools", "Count to five."))
    tools = run(big, "--mode", "react", "--max-steps", "3", "What does notes.txt say?", **json_env)
    over = run(small, "--no-tools", "word " * 1500)
    key = run(big, "hi", COCOCAT_API_KEY="sk-wrong-0123456789abcdef")
    name = run(big, "--no-tools", "-m", "nonesuch", "Say ok.", COCOCAT_MODEL_MAX_OUTPUT_TOKENS="8")
    with cutting(big) as cut:
        seen["cut stream"] = _cut(run(cut, "--no-tools", "Count to five.", COCOCAT_RETRY_ATTEMPTS="1"), "1")
    seen |= {
        "tools": Seen("JSON decisions" if "noon" in tools.out else f"exit {tools.code}"),
        "overflow": Seen(f"said, exit {over.code}" if over.code else "answered", over.lines),
        "wrong key": Seen(f"said, exit {key.code}", key.lines),
        "wrong model": Seen(f"said, exit {name.code}", name.lines) if name.code == 3 else Seen("answered all the same"),
        "rate limit": Seen("not provoked"),
    }
    return {behaviour: seen[behaviour] for behaviour in BEHAVIOURS}


def main() -> None:
    """Write the page, with `--real` after the real servers were asked anew (LiteLLM where LITELLM names its command)."""
    if "--real" in sys.argv:
        seen = recorded()
        with llama_cpp(8192) as big, llama_cpp(1024) as small:
            seen["llama.cpp"] = real_cells(big, small)
            if LITELLM:
                with tempfile.TemporaryDirectory() as folder, litellm(Path(folder), big, small) as (wide, narrow):
                    seen["LiteLLM"] = real_cells(wide, narrow)
        record(seen)
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
