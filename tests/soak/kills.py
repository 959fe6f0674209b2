"""The real chat on a pseudo-terminal, killed with -9 again and again, and what it kept.

A scripted model answers `turn N`; every other turn runs a command with a side effect, and leaving runs
a dream. Half of the kills come at random moments, the others while the process is seen inside a system
call that writes, flushes or renames a file of its home.

Public: soak, Tally.
"""

from __future__ import annotations

import json
import os
import platform
import random
import re
import signal
import termios
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from cococat.core.history import InvalidHistoryError, assert_valid
from cococat.core.messages import Assistant, Message, ToolResult, User
from cococat.store.sessions import load
from tests.forks import warm
from tests.scripted import Server, calls, forever, says, serve
from tests.scripted.turns import Turn

ROOT = Path(__file__).resolve().parents[2]
TURNS = 3  # a chat leaves, and so dreams, after that many turns
SESSION = 12  # kills before a new session is begun
HALF_SENT = "the body is no JSON object"  # what a request is that a kill cut
MAX_S = 20.0  # a chat that does nothing for so long is stuck
FOOTER = re.compile(rb"steps? \xc2\xb7 [\d.,]+k? tokens \xc2\xb7 [\d.]+ s")
PROMPT = re.compile(
    rb"\x1b\[\?2004h(?:\x1b\[\?1l)?\x1b\[\?25l"
)  # what the editor writes when it begins, and only then reads
ASKED = re.compile(r"turn (\d+)\b")
# system calls that change files, by machine: write, pwrite64, writev, fsync, fdatasync, ftruncate, rename*, unlink*, link*
CALLS = {
    "x86_64": {1, 18, 20, 74, 75, 77, 82, 264, 316, 87, 263, 86, 265},
    "aarch64": {64, 68, 66, 82, 83, 46, 38, 276, 35, 37},
}
BY_NUMBER = {"x86_64": {1, 18, 20, 74, 75, 77}, "aarch64": {64, 68, 66, 82, 83, 46}}  # their first argument is a file


@dataclass(slots=True)
class Tally:
    """What a soak saw."""

    wanted: int
    kills: int = 0
    inside: int = 0  # kills of a process that was writing, flushing or renaming a file of its home
    asked: int = 0  # questions that had reached the model before a kill
    answered: int = 0  # turns whose end was on the screen before a kill
    effects: int = 0
    dreams: int = 0
    left: int = 0  # chats that ended by themselves before they were killed
    problems: list[str] = field(default_factory=list)

    @property
    def enough(self) -> bool:
        """As many kills as were wanted, and enough of them hit where it hurts."""
        return self.kills >= self.wanted and self.inside >= 0.3 * self.kills

    @property
    def good(self) -> bool:
        """Nothing was lost, and the soak did what it is for."""
        return not self.problems and self.enough and self.dreams > 0

    def report(self) -> str:
        """The numbers in lines."""
        share = self.inside / self.kills if self.kills else 0
        return "\n".join([
            f"{self.kills} kills, {self.inside} inside a write ({share:.0%}, wanted 30%); {self.left} chats ended first",
            f"{self.asked} questions sent, {self.answered} turns shown whole",
            f"{self.effects} side effects, {self.dreams} requests of dreams",
            f"{len(self.problems)} problems" + "".join(f"\n  {problem}" for problem in self.problems[:20]),
        ])  # fmt: skip


class _World:
    """The model's side: what reached it is what the chat must never lose."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        self.work.mkdir()
        self.effects = self.work / "effects.log"
        self.asked: set[int] = set()
        self.resulted: set[int] = set()
        self.answered: set[int] = set()
        self.dreams = 0

    def reply(self, body: dict[str, Any]) -> Turn:
        """Answer a request of the chat or of a dream."""
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        if names == {"read_file", "edit_file"}:
            self.dreams += 1
            return _dreamed(body["messages"])
        said = [message for message in body["messages"] if message["role"] == "user"]
        found = ASKED.findall(said[-1]["content"]) if said else []
        if not found:
            return says("ok")
        number = int(found[-1])
        self.asked.add(number)
        if body["messages"][-1]["role"] == "tool":
            self.resulted.add(number)
        elif number % 2 == 0:
            return calls(("run_shell", {"command": f"echo {number} >> effects.log"}, f"call_{number}"))
        return says(f"ok {number}")


def _dreamed(messages: list[dict[str, Any]]) -> Turn:
    """Note the first record that the dream was given, once."""
    brief = next(message["content"] for message in messages if message["role"] == "user")
    record = re.search(r"record seq=(\d+)[^\n]*\nuser: ([^\n]+)", brief)
    lines = re.findall(r"^\d+\| (.*\S)", brief, re.MULTILINE)
    if messages[-1]["role"] == "tool" or not record or not lines:
        return says("done")
    seq, quote = int(record[1]), record[2].split(":", 1)[-1].strip()
    new = f"{lines[-1]}\n- {quote}"
    edit = {"path": "MEMORY.md", "old_text": lines[-1], "new_text": new, "evidence": [{"seq": seq, "quote": quote}]}
    return calls(("edit_file", edit))


def soak(folder: Path, kills: int, seed: int, tell: Callable[[str], None] = str) -> Tally:
    """
    Kill the chat *kills* times and look at what is left after each.

    Args:
        folder: empty; everything happens below it.
        seed: of the moments and the order; the machine's own timing stays as it is.
    """
    tally, world, dice = Tally(kills), _World(folder), random.Random(seed)
    (world.home / "memory").mkdir(mode=0o700, parents=True)
    world.home.chmod(0o700)
    (world.home / "memory" / "MEMORY.md").write_text("# Memory\n\n## Facts\n")
    with serve(forever(world.reply)) as server:
        turn, session, first, until = 0, "", 1, SESSION
        # a busy machine hits fewer writes, so it goes on for longer
        while not tally.enough and tally.kills + tally.left < 4 * kills + 10:
            if tally.kills >= until:
                session, first, until = "", turn + 1, until + SESSION
            before, told = _logs(world.home), tally.kills // 50
            with _Chat(world, server, session) as chat:
                turn = _live(chat, dice, turn, world, tally)
            session = session or next(iter(_logs(world.home) - before), "")
            _look(world, session, first, tally)
            if tally.kills // 50 > told:
                tell(f"{tally.kills} kills, {tally.inside} inside a write, {len(tally.problems)} problems")
        _last(world, server, session, tally, turn)
        refused = [problem for problem in server.problems if problem != HALF_SENT]
        tally.problems += [f"a request that the API refuses: {problem}" for problem in refused]
    tally.asked, tally.answered, tally.dreams = len(world.asked), len(world.answered), world.dreams
    return tally


class _Chat:
    """One process on a pseudo-terminal; a thread drains what it prints."""

    def __init__(self, world: _World, server: Server, session: str) -> None:
        words = ["chat", "--base-url", server.base_url, "-m", "soak", "--allow", "run_shell"]
        words += ["--permission", "auto", "--root", str(world.work)] + (["-r", session] if session else [])
        env = {**os.environ, "COCOCAT_HOME": str(world.home), "PYTHONPATH": str(ROOT), "TERM": "xterm"}
        env["PROMPT_TOOLKIT_NO_CPR"] = "1"
        self.home = str(world.home)
        self.fd, end = os.openpty()
        termios.tcsetwinsize(end, (40, 150))
        self.job = warm().start(words, (end, end, end), env, world.work, terminal=True)
        self.pid = self.job.pid
        os.close(end)
        self.printed = b""
        self.changed = threading.Condition()
        self.over = False
        threading.Thread(target=self._drain, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.job.wait(MAX_S)
        os.close(self.fd)

    @property
    def footers(self) -> int:
        """Turns whose last line is on the screen."""
        return len(FOOTER.findall(self.printed))

    @property
    def prompts(self) -> int:
        """Prompts that were drawn."""
        return len(PROMPT.findall(self.printed))

    def enter(self, line: str) -> None:
        with suppress(OSError):
            os.write(self.fd, f"{line}\r".encode())

    def until(self, seen: Callable[[], bool]) -> bool:
        """Wait until *seen*, or until the process is over, which is what it says."""
        with self.changed:
            self.changed.wait_for(lambda: self.over or seen(), MAX_S)
        return self.over

    def _drain(self) -> None:
        while True:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                piece = b""
            with self.changed:
                self.printed += piece
                self.over = not piece
                self.changed.notify_all()
            if not piece:
                return


def _live(chat: _Chat, dice: random.Random, turn: int, world: _World, tally: Tally) -> int:
    """Enter turns until the moment of the kill; give the number of the last one."""
    before, started, shown, entered = turn, time.monotonic(), 0, 0
    moment = _inside(chat, dice) if dice.random() < 0.75 else _at(started + dice.uniform(0.0, 1.0))
    for due in moment:
        if chat.footers > shown:
            shown += 1
            world.answered.add(before + shown)
        if chat.prompts > entered:
            entered += 1
            turn += entered <= TURNS
            chat.enter(f"turn {turn}: {_fact(turn)}" if entered <= TURNS else "/exit")
        if due or chat.over:
            break
        if time.monotonic() - started > MAX_S:
            tally.problems.append(f"stuck: {chat.printed[-300:]!r}")
            break
    if chat.over:
        tally.left += 1
        return turn
    tally.inside += due == "inside"
    tally.kills += 1
    os.kill(chat.pid, signal.SIGKILL)
    return turn


def _at(moment: float) -> Iterator[str]:
    while time.monotonic() < moment:
        time.sleep(0.002)
        yield ""
    while True:
        yield "now"


def _inside(chat: _Chat, dice: random.Random) -> Iterator[str]:
    """Look which system call the process is in, until it is the n-th that changes a file of its home."""
    machine, wanted, last = platform.machine(), dice.choice((1, 2, 4, 8, 13, 20, 30, 45, 70, 110)), ""
    seen = 0
    while True:
        for _ in range(200):
            now = _changing(chat, machine)
            if now and now != last:
                seen += 1
                if seen >= wanted:
                    yield "inside"
            last = now
        yield ""


def _changing(chat: _Chat, machine: str) -> str:
    """The call that changes a file of the home right now, if any."""
    try:
        with open(f"/proc/{chat.pid}/syscall", encoding="ascii") as file:  # noqa: PTH123 - in a loop of microseconds
            words = file.read().split()
        if len(words) < 3 or not words[0].isdecimal() or int(words[0]) not in CALLS.get(machine, ()):
            return ""
        if int(words[0]) not in BY_NUMBER[machine]:
            return " ".join(words)
        name = os.readlink(f"/proc/{chat.pid}/fd/{int(words[1], 16)}")  # noqa: PTH115 - as above
    except (OSError, ValueError):
        return ""
    return f"{words} {name}" if name.startswith(chat.home) else ""


def _fact(turn: int) -> str:
    """Words that are unlike those of other turns, for the dream."""
    dice = random.Random(turn)
    letters = "bcdfghklmnprstvz"
    words = ["".join(dice.choice(letters) + dice.choice("aeiou") for _ in range(3)) for _ in range(4)]
    return f"my word is {' '.join(words)}"


def _logs(home: Path) -> set[str]:
    return {path.stem for path in (home / "sessions").glob("*.jsonl")}


def _look(world: _World, session: str, first: int, tally: Tally) -> None:
    """Compare what the log holds with what had reached the model and the screen since turn *first*."""
    history = load(world.home / "sessions", session).messages if session else ()
    try:
        assert_valid(history)
    except InvalidHistoryError as error:
        tally.problems.append(f"session {session}: {error}")
    held, results, answers = _held(history), _results(history), _answers(history)
    tally.problems += [f"question {n} is lost" for n in _missing(world.asked, held, first)]
    tally.problems += [f"the result of {n} is lost" for n in _missing(world.resulted, results, first)]
    tally.problems += [f"answer {n} is lost" for n in _missing(world.answered, answers, first)]
    effects = Counter(world.effects.read_text().split()) if world.effects.exists() else Counter[str]()
    tally.effects = len(effects)
    tally.problems += [f"side effect {n} happened {times} times" for n, times in effects.items() if times > 1]
    tally.problems += [f"side effect {n} is missing" for n in world.resulted if str(n) not in effects]


def _missing(wanted: set[int], held: set[int], first: int) -> list[int]:
    """Those of this session that are not held; earlier ones were looked at in their time."""
    return sorted(n for n in wanted - held if n >= first)


def _held(history: tuple[Message, ...]) -> set[int]:
    return {int(n) for m in history if isinstance(m, User) and not m.synthetic for n in ASKED.findall(m.text)}


def _results(history: tuple[Message, ...]) -> set[int]:
    results = [m for m in history if isinstance(m, ToolResult) and "outcome unknown" not in m.output]
    return {int(m.call_id.removeprefix("call_")) for m in results if m.call_id.startswith("call_")}


def _answers(history: tuple[Message, ...]) -> set[int]:
    return {int(m.text[3:]) for m in history if isinstance(m, Assistant) and re.fullmatch(r"ok \d+", m.text)}


def _last(world: _World, server: Server, session: str, tally: Tally, turn: int) -> None:
    """One more chat, an hour later, that is left alone: it goes on, dreams, and leaves nothing lying about."""
    for path in world.home.rglob("*.tmp"):
        os.utime(path, (0, 0))
    with _Chat(world, server, session) as chat:
        for prompts, line in enumerate((f"turn {turn + 1}: {_fact(turn + 1)}", "/exit"), 1):
            chat.until(lambda prompts=prompts: chat.prompts >= prompts)
            chat.enter(line)
        ended = chat.until(lambda: False)
    if not ended or turn + 1 not in world.asked:
        tally.problems.append(f"the last chat did not go on: {chat.printed[-300:]!r}")
    files = [path for path in world.home.rglob("*") if path.is_file()]
    tally.problems += [f"left behind: {path.relative_to(world.home)}" for path in files if path.name.endswith(".tmp")]
    state = world.home / "memory" / "state.json"
    if state.exists() and not isinstance(json.loads(state.read_text()), dict):
        tally.problems.append("state.json is damaged")
