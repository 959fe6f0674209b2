"""The real chat on a pseudo-terminal, killed with -9 again and again, and what it kept.

A scripted model answers `turn N`; every other turn runs a command with a side effect, and leaving runs
a dream. A quarter of the kills come at random moments, the others while the process, or the dream that it
has started, is seen inside a system call that writes, flushes or renames a file of its home. Half of them
take the dream with them.

Public: soak, Tally.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cococat.core.history import InvalidHistoryError, assert_valid
from cococat.core.messages import Assistant, Message, ToolResult, User
from cococat.memory.file.journal import JOURNAL
from cococat.store.sessions import load
from tests.scripted import Server, calls, forever, says, serve
from tests.scripted.turns import Turn
from tests.soak.chat import MAX_S, Chat, dreams
from tests.soak.moments import Aim, at

TURNS = 3  # a chat leaves, and so dreams, after that many turns
SESSION = 12  # kills before a new session is begun; half of those that are wanted, if that is fewer
HALF_SENT = "the body is no JSON object"  # what a request is that a kill cut
ASKED = re.compile(r"turn (\d+)\b")


@dataclass(slots=True)
class Tally:
    """What a soak saw."""

    wanted: int
    kills: int = 0
    inside: int = 0  # kills of a process that was writing, flushing or renaming a file of its home
    dreaming: int = 0  # those of them that were a dream
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
            f"{self.kills} kills, {self.inside} inside a write ({share:.0%}, wanted 30%), {self.dreaming} of these a dream's",
            f"{self.left} chats ended first",
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
        self.requests = 0
        self.aim = Aim()

    def reply(self, body: dict[str, Any]) -> Turn:
        """Answer a request of the chat or of a dream."""
        self.requests += 1
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
        each = min(SESSION, kills // 2 + 1)
        turn, session, first, until = 0, "", 1, each
        # a busy machine hits fewer writes, so it goes on for longer
        while not tally.enough and tally.kills + tally.left < 4 * kills + 10:
            if tally.kills >= until:
                session, first, until = "", turn + 1, until + each
            before, told = _logs(world.home), tally.kills // 50
            with Chat(world.home, world.work, server.base_url, session) as chat:
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


def _live(chat: Chat, dice: random.Random, turn: int, world: _World, tally: Tally) -> int:
    """Enter turns until the moment of the kill; give the number of the last one."""
    before, shown, entered, stuck = turn, 0, 0, _Stuck()
    moment = world.aim.inside(chat, dice) if dice.random() < 0.75 else at(time.monotonic() + dice.uniform(0.0, 1.0))
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
        if stuck.after(shown, entered, world.requests):
            tally.problems.append(f"stuck: {chat.printed[-300:]!r}")
            break
    if chat.over:
        tally.left += 1
        return turn
    tally.inside += due in ("chat", "dream")
    tally.dreaming += due == "dream"
    tally.kills += 1
    chat.kill(dream=dice.random() < 0.5 or due == "dream")
    return turn


class _Stuck:
    """Whether nothing has happened for MAX_S."""

    def __init__(self) -> None:
        self.last: tuple[int, ...] = ()
        self.since = 0.0

    def after(self, *counts: int) -> bool:
        """Look at how often each of the things has happened that a chat goes on by."""
        if counts != self.last:
            self.last, self.since = counts, time.monotonic()
        return time.monotonic() - self.since > MAX_S


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
    _wait_for_dreams(world.home, tally)
    cache = world.home / "cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    (cache / ".endpoints.json.0123456789ab.tmp").write_text("{")  # of a moment that kills seldom hit
    for path in world.home.rglob("*.tmp"):
        os.utime(path, (0, 0))
    with Chat(world.home, world.work, server.base_url, session) as chat:
        for prompts, line in enumerate((f"turn {turn + 1}: {_fact(turn + 1)}", "/exit"), 1):
            chat.until(lambda prompts=prompts: chat.prompts >= prompts)
            chat.enter(line)
        ended = chat.until(lambda: False)
    if not ended or turn + 1 not in world.asked:
        tally.problems.append(f"the last chat did not go on: {chat.printed[-300:]!r}")
    _wait_for_dreams(world.home, tally)
    files = [path for path in world.home.rglob("*") if path.is_file()]
    left = [path for path in files if path.name.endswith(".tmp") or path.name == JOURNAL]
    tally.problems += [f"left behind: {path.relative_to(world.home)}" for path in left]
    state = world.home / "memory" / "state.json"
    if state.exists() and not isinstance(json.loads(state.read_text()), dict):
        tally.problems.append("state.json is damaged")


def _wait_for_dreams(home: Path, tally: Tally) -> None:
    """Wait for those that outlived their chats: what is half written while one works is not left behind."""
    until = time.monotonic() + MAX_S
    while left := dreams(home):
        if time.monotonic() > until:
            tally.problems.append(f"dreams that do not end: {left}")
            return
        time.sleep(0.05)
