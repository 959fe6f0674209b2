"""docs/streams.md, written by runs: what stdout, stderr and the exit code hold, for each ending and each format.

python -m tests.streams > docs/streams.md

Public: CASES, FORMATS, Case, rows, page, prepared, cell.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO

from tests import canary
from tests.forks import Job, warm
from tests.scripted import STALL, Server, broken, calls, fault, forever, raw, says, serve

FORMATS = ("text", "json", "stream-json")
LOOK = ("list_dir", {"path": "."})
HALF_JSON = raw(b'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"del')
HANGS = (calls(LOOK, text="I look first."), broken(how=STALL))  # its second request is never answered
NOBODY = "http://127.0.0.1:9/v1"  # where no server is
NOWHERE = "https://no-such-host.invalid/v1"
QUICK = {"COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0", "COCOCAT_RETRY_CAP_MS": "1"}
NOT_OURS = re.compile(r"COCOCAT_|OPENAI_|NO_COLOR|FORCE_COLOR|\w+_proxy\Z", re.IGNORECASE)
SAME: tuple[tuple[str, str], ...] = (  # what differs from run to run, and what stands for it
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "ID"),
    (r"(?m)(  observe  .*) · [\d.]+ s$", r"\1"),  # a tool that took its time, on a busy machine
    (r"\b\d+(\.\d+)? ?(ms|s)\b", "N s"),
    (r"([\d,.]+ of )?[\d,.]+k? tokens", "N tokens"),
)
PAGE = """\
# What comes out, and where

Each row is a run that was made: `cococat ask` in react mode on pipes, against a server that plays the ending. Written
by `python -m tests.streams > docs/streams.md`; a test says which row is stale. `N`, `PORT` and `ID` stand for what differs
from run to run, `as text` for the same as in the first row. With `json` the row shows four fields of the one
object; with `stream-json` the types of the lines, equal neighbours once, and the same fields of the last one.
[scripting.md](scripting.md) explains the fields and the codes.
"""
HEAD = "\n## {name}\n\n{story}\n\n| format | stdout | stderr | exit code |\n|---|---|---|---|\n"


@dataclass(frozen=True)
class Case:
    """
    One ending.

    Args:
        story: what happens, one sentence.
        script: what the server plays.
        requests: Ctrl-C comes as soon as that many have arrived; 0: it does not come.
        base_url: where there is no scripted server.
        stdout: `pipe`, `gone` (its reader has left) or `full` (no byte can be written).
        sessions: whether they can be written.
    """

    name: str
    story: str
    script: tuple[object, ...] = ()
    flags: tuple[str, ...] = ()
    requests: int = 0
    base_url: str = ""
    stdout: str = "pipe"
    sessions: bool = True


def _circling(body: dict[str, object]) -> object:
    return calls(LOOK) if body.get("tools") else says("It goes in circles.")


def _fruitless(body: dict[str, list[object]]) -> object:
    if not body.get("tools"):
        return says("There is no such word.")
    return calls(("grep_search", {"pattern": f"word{len(body['messages'])}", "path": "a.txt"}))


PARIS = (says("Paris."),)
LONG = ("--max-tokens", "3000")
CASES = (
    Case("answered", "The model answers.", PARIS),
    Case("401", "The server refuses the key.", (fault(401, "Incorrect API key"),)),
    Case("402", "The account is empty.", (forever(fault(402, "Insufficient credits")),)),
    Case("429", "The server stays busy through every attempt.", (forever(fault(429, "Rate limit reached")),)),
    Case("500", "The server fails through every attempt.", (forever(fault(500, "oops")),)),
    Case("refused", "Nothing listens at the address.", base_url=NOBODY),
    Case("DNS", "The host has no address.", base_url=NOWHERE),
    Case("stall", "The server falls silent in the middle of an answer.", (broken("Half", how=STALL),), ("--no-tools",)),
    Case("half JSON", "The stream ends within an event, at every attempt.", (forever(HALF_JSON),)),
    Case("empty answer", "The model says nothing, at every attempt.", (forever(says()),)),
    Case("schema", "No reply satisfies `--schema`.", (forever(says("Paris.")),), ("--schema", "city")),
    Case("filter", "The provider stops the answer.", (says("It begins ", finish="content_filter"),)),
    Case("step limit", "`--max-steps 1` is spent.", (calls(LOOK), says("So far.")), ("--max-steps", "1")),
    Case("token limit", "`--max-tokens 3000` is spent.", (says("A long story", usage=(4000, 9)),), LONG),
    Case("time limit", "`--max-seconds 3` is spent.", HANGS, ("--max-seconds", "3")),
    Case("output limit", "Every part of the answer is cut.", (forever(says("more ", finish="length")),)),
    Case("loop", "The model makes the same call again and again.", (forever(_circling),)),
    Case("no progress", "The model's calls find nothing new.", (forever(_fruitless),)),
    Case(
        "denied",
        "A call is not permitted, and nobody can be asked.",
        (calls(("run_shell", {"command": "touch made"}), text="I make it."), says("It is not made.")),
    ),
    Case("question", "The model asks the user.", (calls(("ask_user", {"question": "Which port?"})),)),
    Case("SIGINT", "Ctrl-C while the second request waits.", HANGS, requests=2),
    Case("broken pipe", "The reader of stdout has gone.", PARIS, stdout="gone"),
    Case("full disk", "stdout is a file on a disk without space.", PARIS, stdout="full"),
    Case("no session", "The sessions cannot be written.", PARIS, sessions=False),
    Case("usage", "A flag makes no sense.", (), ("--max-steps", "0")),
)


def page() -> str:
    """The whole page."""
    return PAGE + "".join(map(rows, CASES))


def rows(case: Case) -> str:
    """The part of the page that tells of *case*: it is run once in each format, all at once."""
    lines, first = [], ""
    with ExitStack() as running:
        runs = [_begun(case, form, running) for form in FORMATS]
        for form, run in zip(FORMATS, runs, strict=True):
            out, err, code = run.ended()
            lines.append(f"| {form} | {out} | {'as text' if err == first != 'nothing' else err} | {code} |\n")
            first = first or err
    return HEAD.format(name=case.name, story=case.story) + "".join(lines)


@dataclass(frozen=True)
class _Run:
    """A case that runs in one format."""

    case: Case
    form: str
    server: Server
    folder: Path
    job: Job
    streams: tuple[IO[bytes], IO[bytes]]

    def ended(self) -> tuple[str, str, str]:
        """Wait for its end; what stands in its row."""
        if self.case.requests:
            self.server.wait_for(self.case.requests, 20)
            os.kill(self.job.pid, signal.SIGINT)
        code = self.job.wait(60)
        if code is None:
            os.kill(self.job.pid, signal.SIGKILL)
            raise AssertionError(f"{self.case.name} as {self.form} did not end")
        out, err = (stream.read().decode() for stream in self.streams if stream.seek(0) == 0)
        err = err.replace(str(self.folder / "work"), "WORK").replace(str(self.folder / "home"), "HOME")
        canary.absent("what the command printed", out, err)
        return _stdout(self.case, self.form, out), cell(err), str(code)


def prepared(case: Case, until: ExitStack) -> tuple[Server, Path, list[str], dict[str, str]]:
    """A server of its own and a folder for one run of *case*, there *until* then; the words, and the environment."""
    server = serve(*case.script)
    until.callback(server.close)
    folder = Path(until.enter_context(tempfile.TemporaryDirectory()))
    home, work = folder / "home", folder / "work"
    for place in (home, work):
        place.mkdir(mode=0o700)
    (work / "a.txt").write_text("Nothing to see.\n")
    if not case.sessions:
        (home / "sessions").write_text("a file where the folder should be")
    words = ["ask", "-m", "scripted", "--mode", "react", "--no-dream", "--root", str(work), *case.flags]
    env = {
        **QUICK,
        "COCOCAT_HOME": str(home),
        "COCOCAT_BASE_URL": case.base_url or server.base_url,  # a key goes where the same layer says
        "COCOCAT_MEMORY_MODE": "off",
        "COCOCAT_TIMEOUTS_IDLE": "1",
        canary.VARIABLE: canary.KEY,
    }
    return server, folder, words, env


def _begun(case: Case, form: str, until: ExitStack) -> _Run:
    """Begin to run *case*; what it needs is there *until* then."""
    server, folder, words, own = prepared(case, until)
    env = {**{name: value for name, value in os.environ.items() if not NOT_OURS.match(name)}, **own}
    out = until.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it is entered
    err = until.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - as above
    sink, source = _sink(case.stdout, out.fileno()), os.open(os.devnull, os.O_RDONLY)
    job = warm().start([*words, "--output-format", form, "go"], (source, sink, err.fileno()), env, folder / "work")
    os.close(sink)
    os.close(source)
    return _Run(case, form, server, folder, job, (out, err))


def _sink(kind: str, pipe: int) -> int:
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY)
    if kind == "pipe":
        return os.dup(pipe)
    read, write = os.pipe()
    os.close(read)
    return write


def _stdout(case: Case, form: str, out: str) -> str:
    """What stdout holds, in one cell."""
    if case.stdout != "pipe" or not out:
        return "nothing" if case.stdout == "pipe" else "cannot be written"
    if form == "text":
        return cell(out)
    objects = [json.loads(line) for line in out.splitlines()]
    types = [kind for kind, _ in groupby(one["type"] for one in objects)]
    last = objects[-1]
    kind = (last["error"] or {}).get("kind")
    shown = {name: last[name] for name in ("answer", "stop_reason", "exit_code")} | {"error.kind": kind}
    assert last["type"] == "result"
    assert form == "stream-json" or len(objects) == 1
    return " ".join([*types[:-1], cell(json.dumps(shown))])


def cell(text: str) -> str:
    """*text* as code in one cell of a table, its lines below each other."""
    for pattern, name in SAME:
        text = re.sub(pattern, name, text)
    lines = [line.rstrip().replace("|", "\\|").replace("`", "'") for line in text.splitlines()]
    return "<br>".join(f"`{line}`" for line in lines if line) or "nothing"


if __name__ == "__main__":
    sys.stdout.write(page())
