"""`cococat dream`: one dream by hand, its review, its proof; or the one behind `ask`'s back."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace

from cococat.app.dream.orphaned_lines import offer
from cococat.app.dream.review import asks_now, needs_terminal, review
from cococat.app.dream.runner import DreamReport, DreamRunner, steps_of
from cococat.app.dream.stages_shown import as_lines, bars_of, stages_beside
from cococat.app.dream.unread_receipts import mark_seen
from cococat.app.endpoint.connect import connect
from cococat.app.output import CancellingSink, can_ask, out, sink_for
from cococat.app.signals import cancel_on_signals
from cococat.config import Folders, Options, Settings, find_folders
from cococat.core.events import DreamFinished, Emit
from cococat.core.limits import Problem, StopReason, Usage
from cococat.core.result import Result
from cococat.errors import EXIT_CODES
from cococat.memory.dream.options import ROUNDS
from cococat.memory.dream.plan import Due, due_now
from cococat.memory.dream.review import waiting
from cococat.system.audit import Trail

NOTHING_ENDED = (StopReason.ANSWERED, StopReason.CANCELLED)


@dataclass(frozen=True, slots=True)
class ByHand:
    """
    The flags of `cococat dream` that no other command has.

    Args:
        background: `ask` has started it; a dream that is not due is left out.
        ask_first: make no change before a user has agreed to each place of it.
        prove: print what the process opened, called and connected to.
    """

    dry_run: bool = False
    background: bool = False
    ask_first: bool = False
    prove: bool = False


def by_hand(settings: Settings, options: Options, flags: ByHand) -> int:
    """
    Dream now, thresholds ignored, unless it runs in the background for `ask`; return the exit code.

    Raises: ConsentError: a review without a terminal. StorageError: the memory is not usable.
    """
    folders = find_folders(os.environ)
    if flags.background and not isinstance(due_now(folders.memory, settings.memory, ended=True), Due):
        return 0
    confirms = settings.memory.mode == "confirm" and not (flags.background or flags.dry_run)
    asks = flags.ask_first or (confirms and can_ask())
    if flags.ask_first and not can_ask():
        raise needs_terminal(folders)
    with asyncio.Runner() as runner:
        return runner.run(_by_hand(settings, options, folders, flags, asks=asks))


async def _by_hand(settings: Settings, options: Options, folders: Folders, flags: ByHand, *, asks: bool) -> int:
    report = DreamReport()
    with cancel_on_signals() as caught:
        sink = sink_for(options, hold=False)
        output = CancellingSink(sink, caught.cancel)
        output.running = not flags.background  # it goes on when nobody looks on any more
        raw = options.output_format == "stream-json"
        emit = output.emit if raw else steps_of(output.emit, verbose=options.verbose)
        alone = flags.dry_run or flags.background
        if flags.ask_first and (forgotten := await offer(folders)):
            _show(output, forgotten, options)
        held = (asks and waiting(folders.memory) is not None) or (not alone and asks_now(folders))
        finished = await _reviewed(output, folders, options) if held else None
        if not (finished and flags.ask_first):  # what was said since is taken in behind what waited
            finished = await _dreamt(settings, options, folders, flags, emit, report=report)
            asks = asks or (not alone and asks_now(folders, finished))
            if asks and finished.outcome == "held":
                finished = await _reviewed(output, folders, options) or finished
            else:
                _show(output, finished, options)
        output.running = False
        if not (flags.background or options.quiet):
            mark_seen(folders)
    proof = _proof(report) if flags.prove else ""
    result = _result(finished, report, proof, caught.number)
    if proof and options.output_format == "text":
        out(proof)
    return output.finish(result)


async def _dreamt(
    settings: Settings, options: Options, folders: Folders, flags: ByHand, emit: Emit, *, report: DreamReport
) -> DreamFinished:
    told = as_lines(sys.stdout) if flags.background and options.output_format == "stream-json" else None
    connection = await connect(settings, folders, quiet=options.quiet, bars=bars_of(told) if told else None)
    lines = flags.background or options.verbose or options.quiet or options.output_format == "stream-json"
    try:
        with ExitStack() as stack:
            show = told
            if not lines:
                show, beside = stack.enter_context(stages_beside(emit))
                emit = steps_of(beside, verbose=False)  # what shows nothing does not take the bar away
            runner = DreamRunner(settings, options, folders, connection, emit, report=report, show=show)
            return await runner.run(by_hand=not flags.background, dry_run=flags.dry_run, hold=flags.ask_first)
    finally:
        await connection.close()


async def _reviewed(output: CancellingSink, folders: Folders, options: Options) -> DreamFinished | None:
    """Ask about what waits, and show what became of it."""
    running, output.running = output.running, False
    if finished := await review(folders, options.color):
        _show(output, finished, options)
    output.running = running
    return finished


def _show(output: CancellingSink, finished: DreamFinished, options: Options) -> None:
    """Show the receipt; what failed is shown once, with the result."""
    if options.output_format == "stream-json" or finished.outcome not in ("failed", "gave_up"):
        output.emit(finished)


def _result(finished: DreamFinished, report: DreamReport, proof: str, caught: int) -> Result:
    usage = sum((turn.usage for turn in report.turns), Usage())
    stop = report.turns[-1].stop if report.turns else None
    steps, seconds = (sum(getattr(turn, name) for turn in report.turns) for name in ("steps", "seconds"))
    done = Result(proof or finished.receipt, StopReason.ANSWERED, 0, None, steps, usage, seconds)
    match finished.outcome:
        case "cancelled":
            code = 128 + (caught or signal.SIGINT)
            return replace(done, answer=proof or None, stop_reason=StopReason.CANCELLED, exit_code=code)
        case "failed" | "gave_up":
            reason = stop.reason if stop and stop.reason not in NOTHING_ENDED else _own_reason(report)
            hint = stop.problem.hint if stop and stop.problem else "the next dream tries again"
            error = Problem(stop.problem.kind if stop and stop.problem else str(reason), finished.receipt, hint)
            code = EXIT_CODES[reason]
            return replace(done, answer=proof or None, stop_reason=reason, exit_code=code, error=error)
        case _:
            return done


def _own_reason(report: DreamReport) -> StopReason:
    """Why a run failed that the model ended well: it went round without an edit, or the memory had changed."""
    fruitless = bool(report.turns) and report.turns[-1].steps >= ROUNDS
    return StopReason.NO_PROGRESS if fruitless else StopReason.STORAGE_ERROR


def _proof(report: DreamReport) -> str:
    """Write down what the dream's process did, as Python reported it; see `cococat.system.audit`."""
    trail, own = report.trail, _own_files(report.trail)
    read = [path for path in trail.read if path not in own]
    calls = [f"{name}: {count}" for name, count in report.called.items()]
    sections = (
        ("tools that existed", report.tools),
        ("tools that were called", calls),
        ("opened for writing", trail.written),
        ("opened for reading", [*read, *([f"{len(own)} files of Python and its packages"] if own else [])]),
        ("connected to", trail.connected),
        ("refused", trail.refused),
    )
    return "\n\n".join("\n".join([f"{name}:", *(f"  {row}" for row in rows or ["-"])]) for name, rows in sections)


def _own_files(trail: Trail) -> frozenset[str]:
    """The files that importing a module reads, and what lies beside them."""
    homes = {sys.prefix, sys.base_prefix}
    code = {*filter(os.path.isabs, sys.path)}

    def own(path: str) -> bool:
        python = path.endswith((".py", ".pyc", ".so", ".pyd"))
        return any(path.startswith(home + os.sep) for home in (homes | code if python else homes))

    return frozenset(filter(own, trail.read))
