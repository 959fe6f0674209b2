"""Looking back at dreams: the log, one dream's steps and diff, taking it back."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from cococat.app.dream.memory import counter, forget_prompts
from cococat.app.output import note, out, report
from cococat.config import Folders
from cococat.memory.file import journal, versions
from cococat.ui.lines import format as fmt
from cococat.ui.lines.theme import colour, is_terminal, theme_of
from cococat.ui.steps.plain import Log
from cococat.ui.steps.step_rows import call_text, why_failed


def log(folders: Folders) -> int:
    """List every run, whatever became of it, and what else changed the memory; oldest first."""
    entries = {entry.number: entry for entry in versions.log(folders.memory)}
    if not entries:
        note("no dream has changed the memory yet")
    rows = []
    for run in versions.runs(folders.memory):
        parts = (entries.pop(number, None) for number in range(run.first or run.dream, run.dream))
        rows += [(run.ts, _row(part)) for part in parts if part]
        entry = entries.pop(run.dream, None)
        rows.append((run.ts, _row(entry, run) if entry else _run_row(run)))
    rows += [(entry.ts, _row(entry)) for entry in entries.values()]
    report("\n".join(row for _, row in sorted(rows, key=lambda row: row[0])))  # runs of one second stay in their order
    return 0


def _run_row(run: versions.PastRun) -> str:
    """Write a run without an entry: there is nothing of it to show or to undo."""
    when = run.ts.astimezone().strftime("%Y-%m-%d %H:%M")
    told = run.receipt.partition("; look first")[0] if run.outcome == "held" else run.receipt  # it was decided since
    return f"   -  {when}  {run.outcome:<9}  {told}"


def _row(entry: versions.Entry, run: versions.PastRun | None = None) -> str:
    """Write an entry; *run* tells what it took with the parts of it that changed nothing."""
    when = entry.ts.astimezone().strftime("%Y-%m-%d %H:%M")
    kind = f"{entry.kind} of {entry.target}" if entry.target else entry.kind
    took = run if run and run.first == entry.number else entry
    cost = (
        f" · {took.steps} step{'s' * (took.steps != 1)} · {took.tokens:,} tokens · {entry.model}" if took.steps else ""
    )
    undone = " · undone" if entry.undone else ""
    told = entry.told or f"+{entry.added} -{entry.removed} lines"
    return f"{entry.number:>4}  {when}  {kind:<9}  {told}{cost}{undone}"


def show(folders: Folders, number: int, theme: str = "auto") -> int:
    """Print what one dream was: its row of the log, its steps, and its diff in the colours of *theme*."""
    folder = folders.memory
    version = versions.show(folder, number)
    report(_row(version.entry))
    records, seconds = version.meta.get("records"), version.meta.get("seconds")
    if isinstance(records, list) and records:
        took = f" · {fmt.seconds(float(seconds))}" if isinstance(seconds, int | float) and seconds else ""
        report(f"      of records {', '.join(map(str, records))} · {version.entry.stop}{took}")
    run = version.meta.get("run")
    _air()
    for part in run if isinstance(run, list) else ():
        if isinstance(part, Mapping):
            report("\n".join(_part(part)))
    verdicts = version.meta.get("verdicts")
    for row in verdicts if isinstance(verdicts, list) else ():
        if isinstance(row, Mapping):
            report(_verdict(row))
    if run or verdicts:
        _air()
    print_diff(versions.diff(folder, number), theme)
    return 0


def _verdict(row: Mapping[str, object]) -> str:
    """Write what became of a proposed line, and why."""
    line, stands, why = (str(row.get(name) or "") for name in ("line", "stands", "why"))
    what = f"kept {line}" if stands == line else f"kept {stands}, not {line}" if stands else f"left out {line}"
    return f"judge    {what}{f': {why}' if why else ''}"


def _air() -> None:
    """A blank row between what a user reads; a script gets what it got."""
    if is_terminal(sys.stdout):
        out("\n")


def _part(part: Mapping[str, object]) -> list[str]:
    """Write one part of a run as a run is shown everywhere."""
    if "tool" not in part:
        text = str(part.get("text") or "").strip()
        return [f"think    {text}"] if text else []
    call = fmt.plain(call_text(str(part["tool"]), str(part.get("input") or "")))
    told, shown = str(part.get("output") or "").strip(), str(part.get("display") or "")
    why = (
        why_failed(told)[0] if told.startswith("[TOOL_ERROR] ") else told
    )  # a version of before knows no words for people
    return [f"act      {call}", f"observe  {fmt.first_line(shown or why)}"]


def diff(folders: Folders, number: int, theme: str = "auto") -> int:
    """Print the diff of one dream in the colours of *theme*."""
    print_diff(versions.diff(folders.memory, number), theme)
    return 0


def undo(folders: Folders, number: int | None, theme: str = "auto") -> int:
    """Take back one dream; 6 when its lines were changed since."""
    finished = journal.undo(folders.memory, number, now=datetime.now(UTC), count=counter(folders))
    forget_prompts(folders)
    note(finished.receipt)
    print_diff(finished.diff, theme)
    return 6 if finished.outcome == "failed" else 0


def print_diff(text: str, theme: str = "auto") -> None:
    """Print a unified diff on stdout: in the colours of *theme* on a terminal, byte for byte elsewhere."""
    if colour("auto", sys.stdout, os.environ):
        screen = Log(sys.stdout, coloured=True)
        screen.theme = theme_of(theme)
        screen.print(fmt.changes(text))
    else:
        out(text)
