"""Every phase of a run, stopped in every way: on a real pseudo-terminal, with the real process and server."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cococat.core.history import assert_valid
from cococat.core.messages import Assistant
from cococat.store.sessions import load
from tests.begun import eventually
from tests.scripted import STALL, Delta, Server, Turn, broken, calls, fault, reached, says

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
    pytest.mark.timeout(180),
]

PASTE_ON, PASTE_OFF = b"\x1b[?2004h", b"\x1b[?2004l"
CUT = "cancelled"
FSYNC = "82" if platform.machine() == "aarch64" else "74"


def waits(shown: str) -> bool:
    """The prompt waits: the toolbar is there, and the row of a turn that runs is not."""
    return "· react · ask-first ·" in shown and "Enter queues it" not in shown


def said(stage: Stage, text: str) -> bool:
    """The log holds *text*."""
    return any(text in log.read_text() for log in stage.home.glob("sessions/*.jsonl"))


def processes(mark: str) -> dict[int, str]:
    """The living processes that carry *mark* in their environment, with their words."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


class Stage:
    """A chat on a terminal, its server, and what must hold behind whatever happens to it."""

    def __init__(
        self,
        server: Server,
        folder: Path,
        home: Path,
        *,
        shell: str = "",
        command: str = "chat",
        output: str = "",
        rows: int = 40,
        **env: str,
    ) -> None:
        import termios

        from tests.ui.pseudo_terminal import PseudoTerminal

        self.server, self.folder, self.home = server, folder, home
        self.mark = f"cancel-{os.getpid()}-{folder.name}"
        self.partial: list[str] = []  # texts that were cut
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        (folder / "stubborn.sh").write_text(
            "trap '' TERM HUP INT\n(trap '' TERM HUP INT; sleep 600 & wait) &\necho up > up\nwait\nsleep 600\n"
        )
        (folder / "rows.txt").write_text("a" * 200 + "!\n")
        (folder / "project").mkdir()
        os.mkfifo(folder / "project" / "pipe")
        words = [
            command,
            *(["go", "--mode", "react", "-q", "--output-format", output] if output else []),
            "--base-url",
            server.base_url,
            "-m",
            "scripted",
            "--root",
            str(folder),
        ]
        words += ["--allow", "run_shell(sh stubborn.sh)"]
        own = {
            "PWD": str(folder),
            "TMPDIR": str(self.temporary),
            "LC_CANCELLING": self.mark,
            "COCOCAT_RETRY_BASE_MS": "60000",
            "COCOCAT_RETRY_CAP_MS": "60000",
            "COCOCAT_CONTEXT_KEEP_RECENT_MESSAGES": "2",
            **env,
        }
        if shell:
            run = shlex.join([sys.executable, "-m", "cococat", *words])
            script = f"cd {shlex.quote(str(folder))}; {shell.replace('$RUN', run)}"
            self.terminal = PseudoTerminal("tests.app.shell_program", script, env=own, rows=rows)
        else:
            self.terminal = PseudoTerminal("cococat", *words, env=own, rows=rows)
        self.found = termios.tcgetattr(self.terminal.child.child_fd)
        self.pid = self.terminal.child.pid

    def begin(self) -> Stage:
        """Wait for the first prompt."""
        self.until(waits)
        return self

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        return self.terminal.until(wanted)

    def so(self, seen: Callable[[], object]) -> None:
        """Read until it is so, whether or not there is anything to read."""
        import pexpect

        def looked() -> object:
            with suppress(pexpect.TIMEOUT, pexpect.EOF):
                chunk = self.terminal.child.read_nonblocking(65536, timeout=0.01)
                self.terminal.raw += chunk
                self.terminal._stream.feed(chunk)
            return seen()

        eventually(looked, lambda: self.terminal.text)

    def enter(self, text: str, *played: Turn) -> None:
        """Send a line; the server plays *played* for the requests that it leads to."""
        self.server.add(*played)
        self.terminal.press(f"{text}\r")
        self.until(lambda shown: not waits(shown))

    def asked(self, text: str, *played: Turn) -> None:
        """Send a line and wait until its request has arrived."""
        before = len(self.server.requests)
        self.enter(text, *played)
        self.so(lambda: len(self.server.requests) > before)

    def exchange(self, number: int | str) -> None:
        """A turn that works."""
        self.enter(f"question {number}", says(f"Fine {number}."))
        self.until(lambda shown: f"Fine {number}." in shown and waits(shown))

    def kill(self, number: int, times: int = 1) -> None:
        """Send a signal as often, each once the one before was taken."""
        for _ in range(times):
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return
            self.so(lambda: not self._pending(number))

    def _alive(self) -> bool:
        try:
            return "\nState:\tZ" not in Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return False

    def _pending(self, number: int) -> bool:
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return False
        bits = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
        return any(mask >> (number - 1) & 1 for mask in bits)

    def alone(self) -> None:
        """Nothing that the chat started is left."""
        self.so(lambda: set(processes(self.mark)) <= {self.pid})

    def gone(self) -> int:
        """Read to the end; the terminal is as it was found. Gives the exit code."""
        import termios

        self.so(lambda: not self._alive())
        while self.terminal._read():
            pass
        modes, child = termios.tcgetattr(self.terminal.child.child_fd), self.terminal.child
        child.wait()
        assert self.found == modes
        assert self.terminal.raw.rfind(PASTE_ON) <= self.terminal.raw.rfind(PASTE_OFF)
        assert not self.terminal.screen.cursor.hidden
        return child.exitstatus if child.exitstatus is not None else 128 + child.signalstatus

    def hang_up(self) -> int:
        """Close the terminal as a window is closed. Gives the exit code."""
        self.terminal.child.close()
        return self.terminal.child.wait()

    def wake(self) -> None:
        """Stop the dream that goes on in the background: its endpoint would be silent for ever."""
        for pid in processes(self.mark):
            os.kill(pid, signal.SIGTERM)

    def settled(self) -> None:
        """What is left behind when the chat is gone: a valid history, each cut text once, no process, no file."""
        eventually(lambda: not processes(self.mark))
        assert [] == list(self.temporary.iterdir())
        assert [] == [
            path for path in self.home.rglob("*") if path.suffix in (".tmp", ".torn") or "crashes" in path.parts
        ]
        assert "Traceback" not in self.terminal.text
        assert "an internal error" not in self.terminal.text
        logs = list((self.home / "sessions").glob("*.jsonl"))
        messages = [message for log in logs for message in load(log.parent, log.stem).messages]
        for log in logs:
            assert_valid(load(log.parent, log.stem).messages)
        ended = [record for log in logs for record in map(json.loads, log.read_text().splitlines())]
        ended = [record for record in ended if record.get("answer") in self.partial]
        assert [True] * len(ended) == [record["usage"]["estimated"] for record in ended]
        cut = [message for message in messages if isinstance(message, Assistant) and message.cut]
        assert self.partial == [message.text for message in cut]
        assert {CUT} >= {str(message.cut) for message in cut}
        assert [1] * len(self.partial) == [self.terminal.text.count(text) for text in self.partial]


@pytest.fixture
def stage(tmp_path: Path, home: Path, scripted: Callable[..., Server]) -> Iterator[Callable[..., Stage]]:
    """Set up a chat with a server of its own."""
    made: list[Stage] = []

    def make(**options: object) -> Stage:
        made.append(Stage(scripted(), tmp_path, home, **options))
        return made[-1]

    yield make
    for one in made:
        if not one.terminal.child.closed:
            one.terminal.__exit__()
        for pid in processes(one.mark):
            os.kill(pid, signal.SIGKILL)


# each phase: brings the chat there, with the server or a process holding it for ever


def idle(stage: Stage) -> None:
    """At the prompt, with half a line typed."""
    stage.terminal.press("half a line")
    stage.until("> half a line")


def no_byte_yet(stage: Stage) -> None:
    """The request was sent, nothing came."""
    stage.asked("anybody there?", broken(how=STALL))


def streaming(stage: Stage) -> None:
    """Some of the answer is on the screen."""
    text = f"Half an answer to {len(stage.server.requests)}"
    stage.partial.append(text)
    stage.asked("a long story", broken(text, how=STALL))
    stage.until(text)


def streaming_a_call(stage: Stage) -> None:
    """The arguments of a tool call are on their way; the call must never run."""
    sent = threading.Event()
    call = {"index": 0, "id": "call_cut", "type": "function"}
    head = Delta({"tool_calls": [{**call, "function": {"name": "run_shell", "arguments": '{"command": "touch m'}}]})
    stage.asked("make it", Turn((Delta({"role": "assistant", "content": None}), head, reached(sent), STALL)))
    stage.so(sent.is_set)


def in_the_shell(stage: Stage) -> None:
    """A command runs that ignores TERM, and so does its child."""
    (stage.folder / "up").unlink(missing_ok=True)
    stage.enter("run it", calls(("run_shell", {"command": "sh stubborn.sh"})))
    stage.so((stage.folder / "up").exists)


def in_grep(stage: Stage) -> None:
    """A pattern that takes for ever is looked for, in a folder with a pipe nobody writes to."""
    stage.enter("find it", calls(("grep_search", {"pattern": "(a+)+(a+)+$"})))
    stage.so(lambda: any("grep_worker" in words for words in processes(stage.mark).values()))


def waiting_to_retry(stage: Stage) -> None:
    """The server was busy; the next try is a minute away."""
    stage.enter("are you busy?", fault(503))
    stage.until("; again in ")


def asking_for_consent(stage: Stage) -> None:
    """The user is asked whether a command may run."""
    stage.enter("make a file", calls(("run_shell", {"command": "touch made"})))
    stage.until("[y]es once")


def asking_the_user(stage: Stage) -> None:
    """The model asks; half an answer is typed."""
    number = len(stage.server.requests)
    stage.enter("set it up", calls(("ask_user", {"question": f"Which port, {number}?"})))
    stage.until(lambda shown: f"? Which port, {number}?\n>" in shown)
    stage.terminal.press("80")
    stage.until(lambda shown: f"? Which port, {number}?\n> 80" in shown)


def compacting(stage: Stage) -> None:
    """The notes of /compact are being written."""
    stage.exchange("one")
    stage.exchange("two")
    stage.asked("/compact", broken("Some notes", how=STALL))


def dreaming(stage: Stage) -> None:
    """A dream was asked for, and thinks."""
    stage.exchange("before the dream")
    stage.asked("/dream", broken("I look", how=STALL))


def dreaming_at_the_end(stage: Stage) -> None:
    """The user leaves, and looks on while the dream thinks in a process of its own."""
    stage.server.add(says("Noted."))
    stage.terminal.press("I live in Lisbon\r")
    stage.until(lambda shown: "Noted." in shown and waits(shown))
    stage.asked("/exit", broken("I look", how=STALL))
    stage.until("any key leaves it")


DREAMS = {"COCOCAT_MEMORY_MODE": "auto"}


def in_a_command_of_the_users(stage: Stage) -> None:
    """`!command` runs: one program alone, for dash loses a Ctrl-C between two of a line."""
    (stage.folder / "begun.txt").write_text("started\n")
    stage.terminal.press("!tail -f begun.txt\r")
    stage.until("begun.txt\n\nstarted")


STREAMED = (no_byte_yet, streaming, streaming_a_call)
WAITS = (idle, *STREAMED, in_the_shell, waiting_to_retry, asking_for_consent, asking_the_user, compacting, dreaming)


def test_ctrl_c_stops_whatever_is_going_on_and_the_chat_goes_on(stage, tmp_path):
    """One chat goes through every phase: each ends at once, leaves no process, and the next turn works."""
    chat = stage(rows=240, **DREAMS).begin()
    for number, phase in enumerate((*WAITS, in_a_command_of_the_users)):
        phase(chat)
        abandoned = chat.server.abandoned

        chat.terminal.press("\x03")

        if phase in (*STREAMED, compacting, dreaming):  # the server holds these; nothing but the client can end them
            chat.so(lambda abandoned=abandoned: chat.server.abandoned > abandoned)
        chat.until(lambda shown: waits(shown) or "Ctrl-C again leaves" in shown)
        chat.alone()
        chat.exchange(number)
    dreaming_at_the_end(chat)
    chat.terminal.press("\x03")

    assert 0 == chat.gone()
    chat.wake()
    assert not (tmp_path / "made").exists()
    assert not (tmp_path / "m").exists()
    assert 1 == chat.terminal.text.count("session saved;")
    chat.settled()


def test_esc_stops_a_turn_and_a_second_one_does_nothing(stage, tmp_path):
    """As Ctrl-C does, but never the chat; in a question of consent it is a no."""
    chat = stage(rows=240).begin()
    for number, phase in enumerate((*STREAMED, in_the_shell, waiting_to_retry)):
        phase(chat)

        chat.terminal.press("\x1b")
        chat.terminal.press("\x1b")

        chat.until(waits)
        chat.alone()
        chat.exchange(number)
    asking_for_consent(chat)
    chat.server.add(says("Then not."))
    chat.terminal.press("\x1b")
    chat.until(lambda shown: "Then not." in shown and waits(shown))
    chat.kill(signal.SIGINT, 2)

    assert 130 == chat.gone()
    assert not (tmp_path / "made").exists()
    chat.settled()


ENDS = {
    "twice": (lambda chat: chat.kill(signal.SIGINT, 2), 130),
    "twenty times": (lambda chat: chat.kill(signal.SIGINT, 20), 130),
    "TERM": (lambda chat: chat.kill(signal.SIGTERM), 143),
    "HUP": (lambda chat: chat.kill(signal.SIGHUP), 129),
}
EVERYWHERE = (*WAITS, dreaming_at_the_end, in_grep)
CHEAP = {("streaming", "twenty times"), ("in_the_shell", "twice"), ("asking_for_consent", "TERM")}
ROWS = [
    pytest.param(
        phase, how, id=f"{phase.__name__}, {how}", marks=[] if (phase.__name__, how) in CHEAP else pytest.mark.slow
    )
    for phase in EVERYWHERE
    for how in ENDS
]


@pytest.mark.parametrize(("phase", "how"), ROWS)
def test_what_ends_a_chat_ends_it_in_every_phase(stage, phase, how):
    """The exit code says which signal it was; nobody waits for what was going on; nothing is left behind."""
    if phase is in_grep and shutil.which("rg"):
        pytest.skip("ripgrep needs no time for this pattern")
    at_the_end = phase is dreaming_at_the_end
    chat = stage(**(DREAMS if at_the_end else {})).begin()
    phase(chat)

    end, code = ENDS[how]
    end(chat)

    left = chat.gone()
    if at_the_end:
        chat.wake()
    assert code == left or (left == 0 and code == 130 and phase is dreaming_at_the_end)  # the first one was enough
    chat.settled()


@pytest.mark.parametrize(
    "phase",
    [pytest.param(each, marks=[] if each is asking_for_consent else pytest.mark.slow) for each in EVERYWHERE],
)
def test_a_window_that_is_closed_ends_the_chat(stage, phase):
    """The terminal is gone in the middle of it: exit 129, no bug, no process left, the session is kept."""
    at_the_end = phase is dreaming_at_the_end
    chat = stage(**(DREAMS if at_the_end else {})).begin()
    phase(chat)

    assert 129 == chat.hang_up()
    if at_the_end:
        chat.wake()
    chat.partial = [text for text in chat.partial if text in chat.terminal.text]
    chat.settled()


@pytest.mark.slow
def test_ctrl_c_stops_notes_that_are_written_on_the_way_to_a_request(stage):
    """The automatic compaction ends with its turn; the history is as it was, and the next turn makes the notes."""
    chat = stage(COCOCAT_MODEL_CONTEXT_WINDOW="5000", COCOCAT_MODEL_MAX_OUTPUT_TOKENS="500").begin()
    for number in range(2):
        words = " ".join(f"word-{number}-{word}" for word in range(500))
        chat.enter(f"question {number}", says(f"Fine {number}. {words}"))
        chat.until(lambda shown, number=number: f"word-{number}-499" in shown and waits(shown))
    chat.asked("more", broken("Some notes", how=STALL))
    abandoned = chat.server.abandoned
    assert "Write the notes now" in chat.server.requests[-1]["messages"][-1]["content"]

    chat.terminal.press("\x03")
    chat.so(lambda: chat.server.abandoned > abandoned)
    chat.until(waits)
    chat.enter("go on", says("Notes."), says("As you wish."))
    chat.until(lambda shown: "As you wish." in shown and waits(shown))
    chat.kill(signal.SIGINT, 2)

    assert 130 == chat.gone()
    chat.settled()


@pytest.mark.parametrize(
    ("number", "times", "code"), [(signal.SIGTERM, 1, 143), pytest.param(signal.SIGINT, 2, 130, marks=pytest.mark.slow)]
)
def test_a_prompt_on_a_dumb_terminal_hears_signals_too(stage, number, times, code):
    """Where no line editor runs, a read that blocks is ended by them."""
    chat = stage(TERM="dumb")
    chat.until("\n>")

    chat.kill(number, times)

    assert code == chat.gone()
    chat.settled()


def test_ctrl_z_lends_the_terminal_and_fg_goes_on_where_it_was(stage, tmp_path):
    """While the chat is stopped the terminal is as it was found; then prompt and stream come back, each text once."""
    gate = threading.Event()
    job = "set -m; $RUN; stty -a >one; read -r _; fg >/dev/null; stty -a >two; read -r _; fg >/dev/null; echo left $?"
    chat = stage(shell=f"stty -a >none; {job}; stty -a >three").begin()
    before = len(chat.server.requests)

    chat.terminal.press("\x1a")  # the prompt
    chat.so(lambda: (tmp_path / "one").exists() and (tmp_path / "one").stat().st_size)
    chat.terminal.press("\r")
    chat.until(waits)
    chat.enter("tell me", says("The first half, ", gate, "the second half."))
    chat.until("The first half,")
    chat.terminal.press("\x1a")  # the stream
    chat.so(lambda: (tmp_path / "two").exists() and (tmp_path / "two").stat().st_size)
    chat.terminal.press("\r")
    gate.set()
    chat.until(lambda shown: "the second half." in shown and waits(shown))
    chat.exchange("after it")
    chat.terminal.press("\x04")
    chat.until("left 0")

    assert 0 == chat.gone()
    assert before + 2 == len(chat.server.requests)
    # words, since stty breaks its lines by the width of the terminal
    states = [(tmp_path / name).read_text().split() for name in ("none", "one", "two", "three")]
    assert [states[0]] * 4 == states
    assert [1, 1] == [chat.terminal.text.count(text) for text in ("The first half,", "the second half.")]
    chat.settled()


def test_ctrl_z_in_a_slash_command_lends_the_terminal_as_well(stage, tmp_path):
    """Also where no loop runs that would hear of it: `/copy` waits for a tmux that hangs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "tmux").write_text("#!/bin/sh\ntouch begun\nexec sleep 60\n")
    (programs / "tmux").chmod(0o755)
    job = "set -m; $RUN; stty -a >one; read -r _; fg >/dev/null; echo left $?"
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    chat = stage(shell=f"stty -a >none; {job}; stty -a >two", TMUX="x", PATH=path).begin()
    chat.exchange(1)

    chat.terminal.press("/copy\r")
    chat.so((tmp_path / "begun").exists)
    chat.terminal.press("\x1a")
    chat.so(lambda: (tmp_path / "one").exists() and (tmp_path / "one").stat().st_size)
    chat.terminal.press("\r")
    chat.until(lambda shown: "sent to the terminal's clipboard" in shown and waits(shown))
    chat.exchange("after it")
    chat.terminal.press("\x04")
    chat.until("left 0")

    assert 0 == chat.gone()
    states = [(tmp_path / name).read_text().split() for name in ("none", "one", "two")]
    assert [states[0]] * 3 == states


@pytest.mark.slow
def test_a_window_that_changes_its_size_prints_nothing_twice(stage):
    """A hundred WINCH while an answer comes: every word of it is on the screen once."""
    rows = [f"Row number {number} of the answer.\n\n" for number in range(20)]
    halfway, gate = threading.Event(), threading.Event()
    chat = stage(rows=60).begin()
    chat.enter("many rows", says(*rows[:10], reached(halfway), gate, *rows[10:]))
    chat.until("Row number 9 of")

    for number in range(100):
        chat.terminal.child.setwinsize(60, 150 + number % 10)
        chat.kill(signal.SIGWINCH)
    gate.set()
    chat.until(lambda shown: "Row number 19 of" in shown and waits(shown))
    chat.terminal.press("\x04")

    assert 0 == chat.gone()
    assert [1] * 20 == [chat.terminal.text.count(f"Row number {number} of") for number in range(20)]


@pytest.mark.parametrize(
    ("number", "times", "code"), [pytest.param(signal.SIGINT, 2, 130, marks=pytest.mark.slow), (signal.SIGTERM, 1, 143)]
)
def test_a_chat_that_is_still_starting_can_be_ended(stage, number, times, code):
    """The session was begun and the prompt is not there yet; nothing of it stays."""
    chat = stage(shell="exec $RUN")  # with its imports still to come
    chat.so(lambda: list(chat.home.glob("sessions/*.jsonl")))

    chat.kill(number, times)

    assert code == chat.gone()
    assert [] == list(chat.home.glob("sessions/*.jsonl"))
    chat.settled()


def test_terminal_modes_of_a_killed_chat_are_fixed_by_the_next(stage):
    """Killed in its prompt it leaves keys unechoed and pastes bracketed; the next one leaves a sane terminal."""
    job = "$RUN; stty -a | grep -o -- '-icanon' ; $RUN; stty -a >after; echo left $?"
    chat = stage(shell=f"stty -a >before; {job}").begin()
    first = next(pid for pid, words in processes(chat.mark).items() if "cococat" in words and pid != chat.pid)

    os.kill(first, signal.SIGKILL)
    chat.until("-icanon")
    chat.until(lambda shown: waits(shown.partition("-icanon")[2]))
    chat.terminal.press("\x04")
    chat.until("left 0")

    assert 0 == chat.gone()
    flags = [set((chat.folder / name).read_text().split()) for name in ("before", "after")]
    assert {"icanon", "echo", "isig", "icrnl"} <= flags[1] & flags[0]


@pytest.mark.parametrize(
    ("number", "times", "code"),
    [
        pytest.param(signal.SIGINT, 20, 130, id="twenty Ctrl-C"),
        pytest.param(signal.SIGTERM, 1, 143, id="TERM", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 1, 129, id="HUP", marks=pytest.mark.slow),
    ],
)
def test_a_script_that_ends_ask_in_a_tool_gets_one_object(stage, number, times, code):
    """However often it is told to: one JSON object, the exit code of the signal, no process left."""
    ask = stage(command="ask", output="json")
    ask.server.add(calls(("run_shell", {"command": "sh stubborn.sh"})))
    ask.so((ask.folder / "up").exists)

    ask.kill(number, times)

    assert code == ask.gone()
    results = [json.loads(line) for line in ask.terminal.raw.splitlines() if line.startswith(b"{")]
    assert [(code, "cancelled")] == [(result["exit_code"], result["stop_reason"]) for result in results]
    ask.settled()


@pytest.mark.slow
def test_a_hang_up_that_is_ignored_stays_ignored(stage):
    """`nohup cococat ask` goes on when the terminal is closed."""
    gate = threading.Event()
    ask = stage(shell="trap '' HUP; exec $RUN", command="ask", output="text")
    ask.server.add(says("To the ", gate, "end."))
    ask.so(lambda: ask.server.requests)

    ask.kill(signal.SIGHUP)
    gate.set()
    ask.until("To the end.")

    assert 0 == ask.gone()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 0, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, 143, id="TERM", marks=pytest.mark.slow),
    ],
)
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to hold a process in a flush")
def test_a_signal_while_the_session_is_saved_waits_for_the_line(stage, number, code):
    """The line that is being flushed is whole; then the turn stops, or the chat ends."""
    chat = stage(
        shell="exec strace -f --seccomp-bpf -qq -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=300000 $RUN"
    )
    chat.begin()
    child = next(pid for pid, words in processes(chat.mark).items() if words.startswith(sys.executable))
    chat.server.add(broken("Half an answer to 0", how=STALL))
    chat.terminal.press("save this\r")
    chat.so(lambda: Path(f"/proc/{child}/syscall").read_text().split()[0] == FSYNC and said(chat, "save this"))

    os.kill(child, number)
    if not code:
        chat.until(waits)
        chat.server.items.clear()
        chat.exchange("after it")
        chat.terminal.press("\x04")

    assert code == chat.gone()
    chat.settled()
