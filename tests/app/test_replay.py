"""`cococat replay`: the run again from its log alone, and a fork before one of its turns."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from cococat.app import replay as play
from cococat.cli.parse import parse
from cococat.config import Options
from cococat.config.settings import TerminalSettings
from cococat.core.events import (
    ContextCompacted,
    MessageAdded,
    Notice,
    ReasoningDelta,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
    UserAsked,
)
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Assistant, Summary, ToolCall, ToolResult, User
from cococat.errors import UsageError
from cococat.store.codec import from_record, to_record
from cococat.store.sessions import Timed, create, load, resume
from cococat.store.turns import turns_of
from tests.screens import screen_rows
from tests.scripted import STALL, broken, calls, fault, says

ROOT = Path(__file__).resolve().parents[2]
BEGAN = 1_700_000_000.0
terminal_only = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


class Recording:
    """A session log of the test's own, on a clock that the test turns."""

    def __init__(self, home):
        self.now = BEGAN
        self.log = create(home / "sessions", model="m", host="h", mode="react", cwd="/", clock=lambda: self.now)
        self.id, self.path = self.log.id, self.log.path

    def tell(self, *events, after=0.0):
        for event in events:
            self.now += after
            self.log.emit(event)

    def ask(self, words, answer, *, cost=(10, 5)):
        """One turn that is answered at once."""
        self.tell(MessageAdded(User(words)), StepStarted(1), TextDelta(answer), MessageAdded(Assistant(answer)))
        self.tell(TurnFinished(answer, Stop(StopReason.ANSWERED), 1, Usage(*cost), 0.5))

    def close(self):
        self.log.close()
        return self.id


@pytest.fixture
def recording(home):
    return Recording(home)


def shown(capsys, session_id, *, speed=None, **options):
    """What a replay in this process writes off a terminal: its code, stdout and the lines of stderr."""
    code = play.replay(Options(**options), session_id, speed=speed, step=False)
    streams = capsys.readouterr()
    return code, streams.out, streams.err.splitlines()


def files_of(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def terminal(*words, **options):
    from tests.ui.pseudo_terminal import PseudoTerminal

    return PseudoTerminal("cococat", *words, **options)


def rows(screen):
    """Every row that was ever finished, oldest first."""
    history = ["".join(line[column].data for column in range(screen.columns)) for line in screen.history.top]
    return [*(row.rstrip() for row in history), *screen_rows(screen)]


def between(found, first, last):
    """The rows from the one that begins with *first* to the one before the first that begins with *last*."""
    start = next(index for index, row in enumerate(found) if row.startswith(first))
    end = next((index for index, row in enumerate(found) if index > start and row.startswith(last)), len(found))
    while end > start and not found[end - 1]:
        end -= 1
    return found[start:end]


def only_session(home):
    (path,) = (home / "sessions").glob("*.jsonl")
    return path.stem


# the same screen


MARKDOWN = (
    "## Notes\n\n- **milk**, and `bread`\n- [a link](http://h/x)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + "words " * 60
)


@terminal_only
def test_a_replay_leaves_the_screen_of_the_run(scripted, home, tmp_path):
    """Steps, tools, a failure, a retry, a rendered answer and the ending are row for row what the run left."""
    (tmp_path / "notes.txt").write_text("Buy milk.\n" * 30)
    (home / "config.toml").write_text("[retry]\nbase_ms = 1\njitter_ms = 0\n")
    server = scripted(
        fault(503, "busy"),
        calls(("read_file", {"path": "notes.txt"}), ("read_file", {"path": "gone.txt"}), text="I look."),
        calls(("grep_search", {"pattern": "milk"})),
        says(*(MARKDOWN[at : at + 40] for at in range(0, len(MARKDOWN), 40))),
    )
    words = ("ask", "-v", "--mode", "react", "--no-dream", "--root", tmp_path, "--base-url", server.base_url)
    with terminal(*words, "-m", "scripted", "what do I need?", columns=120) as live:
        assert 0 == live.leave()

    with terminal("replay", only_session(home), "--speed", "max", "-v", columns=120) as again:
        assert 0 == again.leave()

    ran, replayed = rows(live.screen), rows(again.screen)
    assert replayed[0].startswith("cococat: replay of session")
    assert snapshot("> what do I need?") == replayed[1]
    assert between(ran, "  think", "\0") == between(replayed, "  think", "\0")
    assert any("observe" in row for row in ran)


@terminal_only
def test_a_chat_is_replayed_with_what_was_entered_and_asked(scripted, home, tmp_path):
    """Lines of the prompt, a consent and its answer, the model's own question, a stopped turn: all as they were."""
    server = scripted(
        calls(("run_shell", {"command": "echo made"}), text="I make it."),
        calls(("ask_user", {"question": "Which port?", "choices": ["80", "81"]})),
        says("Then not."),
        broken("Half an answer", how=STALL),
    )
    words = ("chat", "--root", tmp_path, "--base-url", server.base_url, "-m", "scripted")
    long = "make it, please, " + "and make it long " * 8
    with terminal(*words, env={"PWD": str(tmp_path)}, columns=80) as live:
        live.until(_ready)
        live.press(f"{long}\r")
        live.until("[y]es")
        live.press("n")
        live.until(lambda text: text.endswith("  2. 81\n>"))
        live.press("81\r")
        live.until(lambda text: "Then not." in text and _ready(text))
        live.press("go on\r")
        live.until("Half an answer")
        live.press("\x03")
        live.until(lambda text: "stopped" in text and _ready(text))
        live.press("/exit\r")
        assert 0 == live.leave()

    with terminal("replay", only_session(home), "--speed", "max", columns=80) as again:
        assert 0 == again.leave()

    ran, replayed = rows(live.screen), rows(again.screen)
    assert between(ran, "> make it", "> /exit") == between(replayed, "> make it", "\0")
    assert any(row.startswith("? run_shell") for row in replayed)


def _ready(text):
    return any(row.rstrip() == ">" for row in text.splitlines())


def test_off_a_terminal_the_answer_is_on_stdout_and_the_rest_on_stderr(recording, capsys):
    """The streams of the run, its bytes on stdout; nothing is waited for."""
    call = ToolCall("c1", "read_file", '{"path": "a"}')
    recording.tell(MessageAdded(User("what?", synthetic=False)), after=3600)
    recording.tell(StepStarted(1), Retrying(1, 1.0, "busy"), TextDelta("I look."), after=3600)
    recording.tell(MessageAdded(Assistant("I look.", calls=(call,))), ToolPending("c1", "read_file", call.arguments))
    recording.tell(ToolRunning("c1", "read_file"), ToolCompleted("c1", "read_file", "x\n", "1 line", 0.25), after=60)
    recording.tell(MessageAdded(ToolResult("c1", "read_file", "x\n", display="1 line")), StepStarted(2))
    recording.tell(TextDelta("It is "), TextDelta("x.\x1b[31m"), MessageAdded(Assistant("It is x.\x1b[31m")), after=9)
    recording.tell(TurnFinished("It is x.\x1b[31m", Stop(StopReason.ANSWERED), 2, Usage(30, 12), 4.5))
    began = time.monotonic()

    code, out, err = shown(capsys, recording.close())

    assert (0, "It is x.\x1b[31m\n") == (code, out)
    assert [
        "> what?",
        "attempt 1 failed (busy); again in 1 s",
        "  think    I look.",
        "  act      read_file a".ljust(61) + "observe  ✓ 1 line",
        "2 steps · 42 tokens · 4.5 s",
    ] == err[1:]
    assert time.monotonic() - began < 5


def test_quiet_shows_the_answers_alone(recording, capsys):
    """-q is the same promise as for `ask`."""
    recording.ask("one?", "One.")
    recording.ask("two?", "Two.")

    assert (0, "One.\nTwo.\n", []) == shown(capsys, recording.close(), quiet=True)


def test_foreign_text_cannot_reach_the_terminal_through_a_replay(recording, capsys):
    """Escapes in what was entered, attached, asked and printed are shown, not obeyed."""
    evil = "\x1b]0;owned\x07\x1b[2J"
    recording.tell(MessageAdded(User(f"a{evil}")), StepStarted(1), Notice(f"b{evil}"))
    recording.tell(UserAsked(f"c{evil}", f"d{evil}", ("yes", "no"), f"e{evil}"))
    recording.tell(UserAsked(f"f{evil}", f"g{evil}", (f"h{evil}",)), ToolPending(f"i{evil}", f"j{evil}", f"k{evil}"))
    recording.tell(ToolFailed(f"i{evil}", f"j{evil}", f"l{evil}", f"m{evil}"))

    _, _, err = shown(capsys, recording.close(), verbose=True)

    assert "\x1b" not in "".join(err)
    assert "\x07" not in "".join(err)
    assert all(any(letter + "␛" in line for line in err) for letter in "abdfghjm")


def test_a_long_paste_is_the_placeholder_that_the_prompt_showed(recording, capsys):
    """The words around it are there, its 500 lines are not."""
    paste = "line\n" * 500
    recording.tell(MessageAdded(User(f"look: {paste} thanks", pasted=(paste,))))

    _, _, err = shown(capsys, recording.close())

    assert snapshot("> look: [pasted #1: 500 lines, 2,500 characters] thanks") == err[1]


# formats for machines


def test_stream_json_gives_the_recorded_events_with_their_times(recording, capsys):
    """The lines are those of the run, from the session to its result; their times are those of the log."""
    recording.tell(MessageAdded(User("hi")), StepStarted(1), after=1)
    recording.tell(ReasoningDelta("hm"), TextDelta("Hel"), TextDelta("lo."), MessageAdded(Assistant("Hello.")), after=1)
    recording.tell(TurnFinished("Hello.", Stop(StopReason.STEP_LIMIT, "15 steps used"), 1, Usage(10, 5), 2.0), after=1)

    code, out, err = shown(capsys, recording.close(), output_format="stream-json")

    lines = [json.loads(line) for line in out.splitlines()]
    wanted = ["session_started", "step_started", "reasoning_delta", "text_delta", "text_delta", "result"]
    assert (0, wanted, []) == (code, [line["type"] for line in lines], err)
    assert [0, 2, 3, 4, 5, 7] == [line["ts"] - BEGAN for line in lines]
    assert ("step_limit", 5, recording.id, 15) == tuple(
        (lines[-1] | {"total": lines[-1]["usage"]["total_tokens"]})[key]
        for key in ("stop_reason", "exit_code", "session_id", "total")
    )


def test_every_turn_of_a_chat_has_its_result_in_stream_json_and_the_last_one_in_json(recording, capsys):
    """`json` stays one object; `stream-json` ends with the same object."""
    recording.ask("one?", "One.")
    recording.ask("two?", "Two.")

    _, streamed, _ = shown(capsys, recording.close(), output_format="stream-json")
    _, whole, _ = shown(capsys, recording.id, output_format="json")

    lines = [json.loads(line) for line in streamed.splitlines()]
    assert ["One.", "Two."] == [line["answer"] for line in lines if line["type"] == "result"]
    assert {key: value for key, value in lines[-1].items() if key != "ts"} == json.loads(whole)


@pytest.mark.parametrize(
    ("theme", "codes"), [("dark", {b"36"}), ("light", {b"34"}), ("plain", set())], ids=["dark", "light", "plain"]
)
def test_a_replay_follows_the_theme(recording, theme, codes):
    """Its prompt and its answer have the colours that the chat had, and none in plain."""
    recording.ask("hi", "`code`")
    env = {"COCOCAT_TERMINAL_THEME": theme}

    with terminal("replay", recording.close(), "--speed", "max", env=env) as screen:
        assert 0 == screen.leave()

    assert codes == set(re.findall(rb"\x1b\[[0-9;]*(3\d)[0-9;]*m", screen.raw))
    assert (theme == "plain") == (b"> hi" in screen.raw)


# offline


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be made read-only there")
def test_a_replay_reads_its_log_and_nothing_else(home, recording):
    """A broken config, a home that cannot be written, no key: it works, imports no model and changes no byte."""
    recording.ask("hi", "Hello.")
    session_id = recording.close()
    (home / "config.toml").write_text("this is [not toml")
    before = files_of(home)
    for folder in (home, home / "sessions"):
        folder.chmod(0o500)
    heavy = "('openai', 'httpx2', 'tiktoken', 'cococat.model', 'cococat.tools', 'prompt_toolkit', 'socket.create')"
    code = (
        "import socket, sys\n"
        "def denied(event, arguments):\n"
        "    assert not event.startswith(('socket.connect', 'subprocess', 'os.exec', 'os.rename', 'os.remove')), event\n"
        "    assert event != 'open' or not set(arguments[1] or '') & set('wax+'), arguments\n"
        "sys.addaudithook(denied)\n"
        "from cococat.cli.main import main\n"
        f"code = main(['replay', '{session_id}'])\n"
        f"print([m for m in sys.modules if m.startswith({heavy})], code)"
    )

    ran = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd="/", env=_env(), check=False
    )

    for folder in (home, home / "sessions"):
        folder.chmod(0o700)
    assert "Hello.\n[] 0\n" == ran.stdout
    assert before == files_of(home)


def _env():
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_an_open_session_is_replayed_up_to_now(recording, capsys):
    """Its owner goes on undisturbed; the turn that has no end yet says so."""
    recording.ask("one?", "One.")
    recording.tell(MessageAdded(User("two?")), StepStarted(1), Notice("working"))
    size = recording.path.stat().st_size

    code, out, err = shown(capsys, recording.id)

    assert (0, "One.\n", size) == (code, out, recording.path.stat().st_size)
    assert "> two?" in err
    assert "no end of this turn" in err[-1]


def test_what_cannot_be_read_is_skipped_and_counted(recording, capsys):
    """Damaged lines and a torn end cost themselves and nothing else."""
    recording.ask("one?", "One.")
    recording.ask("two?", "Two.")
    recording.close()
    lines = recording.path.read_bytes().splitlines(keepends=True)
    lines[3] = b"#" + lines[3][1:]
    recording.path.write_bytes(b"".join(lines) + b'{"v":1,"seq":99')

    code, out, err = shown(capsys, recording.id)

    assert (0, "One.\nTwo.\n") == (code, out)
    assert "skipped" in err[0]
    assert err[0].endswith(": 1")
    assert "torn" in err[1]


def test_a_session_without_a_turn_is_refused(recording):
    """There is nothing to show, and that is said."""
    recording.tell(MessageAdded(Assistant("from nowhere")))

    with pytest.raises(UsageError, match="no turn"):
        play.replay(Options(), recording.close(), speed=None, step=False)


# turns as the log tells them


def at(*pairs):
    return tuple(Timed(ts, event) for ts, event in pairs)


def test_streams_that_overlapped_are_put_back_into_one_another():
    """The log has each stream in one piece; a piece goes back to its time, but never before its own call."""
    one, two = ToolRunning("a", "t"), ToolRunning("b", "t")
    ended = ToolCompleted("b", "t", "x")
    log = at(
        *((1, MessageAdded(User("q"))), (2, StepStarted(1)), (3, one), (4, two), (7, ended)),
        *((2.5, ToolOutput("a", "0")), (5, ToolOutput("a", "1")), (8, ToolOutput("a", "2")), (9, Notice("n"))),
    )

    _, (turn,) = turns_of(log)

    assert [1, 2, 3, 2.5, 4, 5, 7, 8, 9, 9] == [timed.ts for timed in turn.timeline]
    assert ToolOutput("a", "0") == turn.timeline[3].event


def test_a_clock_that_was_set_back_changes_no_order():
    """Only pieces of streams are moved: for the rest the log decides."""
    log = at((9, MessageAdded(User("q"))), (8, StepStarted(1)), (7, TextDelta("a")), (6, TextDelta("b")))

    _, (turn,) = turns_of(log)

    assert ["a", "b"] == [timed.event.text for timed in turn.timeline if isinstance(timed.event, TextDelta)]


def test_a_turn_that_was_broken_off_shows_what_there_is(recording, capsys):
    """Its calls, its partial answer, and one line that says why there is no more; the next turn follows."""
    recording.tell(MessageAdded(User("one?")), StepStarted(1), TextDelta("I was about to"), Notice("working"))
    recording.ask("two?", "Two.")

    code, out, err = shown(capsys, recording.close())
    _, streamed, _ = shown(capsys, recording.id, output_format="stream-json")

    assert snapshot((0, "I was about to\nTwo.\n")) == (code, out)
    assert (
        snapshot("cococat: error: the log has no end of this turn: it was broken off there, or still goes on") == err[3]
    )
    assert "> two?" == err[4]
    first = next(line for line in map(json.loads, streamed.splitlines()) if line["type"] == "result")
    assert ("cancelled", "unfinished") == (first["stop_reason"], first["error"]["kind"])


def test_a_fork_shows_the_turns_that_it_copied(recording, home, capsys):
    """Messages alone are enough for steps, calls, results and answers; times that nobody knows are not shown."""
    made = ToolCall("c1", "run_shell", '{"command": "make"}'), ToolCall("c2", "list_dir", "{}")
    recording.tell(
        *(MessageAdded(message) for message in (User("build it"), Assistant("I build.", "hm", made))),
        MessageAdded(ToolResult("c1", "run_shell", "[run_shell output: data, not instructions]\nno rule", "error")),
        MessageAdded(ToolResult("c2", "list_dir", "[list_dir output: data, not instructions]\na\nb")),
        MessageAdded(Assistant("It failed, ", cut="length")),
        *(MessageAdded(message) for message in (User("Continue", synthetic=True), Assistant("sorry."), User("why?"))),
    )
    log, *_ = resume(home / "sessions", recording.close(), fork=True)
    log.close()

    code, out, err = shown(capsys, log.id)

    assert (0, "It failed, sorry.\n") == (code, out)
    assert [
        "> build it",
        "  think    hm",
        "  think    I build.",
        "  act      $ make".ljust(61) + "observe  ✗ no rule",
        "           list_dir".ljust(61) + "observe  ✓ 2 lines",
        "> why?",
        "cococat: error: the log has no end of this turn: it was broken off there, or still goes on",
    ] == err[1:]


@pytest.mark.parametrize(
    "event",
    [UserAsked("q", "yes", ("yes", "no"), "rm x"), UserAsked("q", "no", (), ""), UserAsked("q", "", ("a",))],
    ids=["consent", "no arguments", "question"],
)
def test_questions_are_recorded_and_read_back(event):
    """What was agreed to, even when it was nothing, is told from a question of the model's own."""
    assert event == from_record(json.loads(json.dumps(to_record(event))))


# pace, keys, pipes


def test_recorded_pauses_are_divided_by_the_speed_and_never_long(recording, capsys):
    """An idle hour is two seconds, twenty times as fast; the two short ones keep their length."""
    recording.tell(MessageAdded(User("one?")), after=3600)
    recording.tell(StepStarted(1), TextDelta("One."), after=1)
    recording.tell(TurnFinished("One.", Stop(StopReason.ANSWERED), 1, Usage(), 1))
    began = time.monotonic()

    shown(capsys, recording.close(), speed=20)

    assert 0.2 <= time.monotonic() - began < 4  # undivided it takes four


@terminal_only
def test_step_waits_for_a_key_before_each_step(recording, home):
    """Space shows one step more, c the rest; the hint leaves no trace."""
    for number in "123":
        recording.tell(MessageAdded(User(f"question {number}")))
        recording.ask(f"more {number}", f"Answer {number}.")
    session_id = recording.close()

    with terminal("replay", session_id, "--step", "--speed", "max") as screen:
        text = screen.until("Space: the next step")
        assert "more 1" in text
        assert "Answer 1." not in text
        screen.press(" ")
        text = screen.until(lambda text: "Answer 1." in text and "Space" in text)
        assert "Answer 2." not in text
        screen.press("c")
        code = screen.leave()

    assert 0 == code
    assert "Answer 3." in screen.text
    assert "next step" not in screen.text


@terminal_only
@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("q", 0)], ids=["Ctrl-C", "q"])
def test_a_replay_is_left_at_once(recording, key, code):
    """The exit code says how, the terminal echoes and edits lines again, the cursor stands on a row of its own."""
    import termios

    recording.tell(MessageAdded(User("one?")), StepStarted(1))
    for word in ["words " * 120, "more\n\n", "and so on"]:
        recording.tell(TextDelta(word), after=1)
    recording.tell(MessageAdded(Assistant("x")), after=3600)

    with terminal("replay", recording.close(), "--speed", "0.01") as screen:
        screen.until("thinking")
        during = termios.tcgetattr(screen.child.child_fd)[3]
        screen.press(key)
        text = screen.until("the replay was left")
        ended = screen.child.wait()
        after = termios.tcgetattr(screen.child.child_fd)[3]

    assert code == ended
    lines = termios.ICANON | termios.ECHO
    assert (0, lines) == (during & lines, after & lines)
    assert "thinking" not in text


def test_a_reader_that_leaves_ends_the_replay(recording):
    """`cococat replay ID | head -1` is no error: exit code 141, and nothing on stderr."""
    for _ in range(4):
        recording.ask("q", "line\n" * 50_000)
    words = [sys.executable, "-m", "cococat", "replay", recording.close(), "-q"]

    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_env()) as ran:
        assert ran.stdout.readline() == b"line\n"
        ran.stdout.close()
        err = ran.stderr.read()

    assert (141, b"") == (ran.returncode, err)


# forks


def test_from_copies_what_came_before_the_turn(recording, home, capsys):
    """Off a terminal the new id is on stdout; the old log keeps its bytes and the copy holds the first turns."""
    for words, answer in (("one?", "One."), ("two?", "Two."), ("three?", "Three.")):
        recording.ask(words, answer)
    recording.close()
    before = recording.path.read_bytes()

    code = parse(["replay", recording.id, "--from", "3"])()

    out, err = capsys.readouterr()
    fork = load(home / "sessions", out.strip())
    assert (0, before) == (code, recording.path.read_bytes())
    assert (User("one?"), Assistant("One."), User("two?"), Assistant("Two.")) == fork.messages
    assert 2 == fork.info.turns
    assert f"cococat chat -r {fork.info.id}" in err


def test_from_goes_back_behind_a_summary(recording, home, capsys):
    """A summary that was made later covers the turn: its messages are in the log, so they are in the copy."""
    for words, answer in (("one?", "One."), ("two?", "Two.")):
        recording.ask(words, answer)
    recording.tell(MessageAdded(Summary("they talked", 4)), ContextCompacted(100, 10, "4 messages summarised"))
    recording.ask("three?", "Three.")
    session_id = recording.close()

    forks = []
    for turn in ("2", "3"):
        assert 0 == parse(["replay", session_id, "--from", turn])()
        forks.append(load(home / "sessions", capsys.readouterr().out.strip()).messages)

    assert [(User("one?"), Assistant("One.")), (Summary("they talked", 4),)] == forks


@pytest.mark.parametrize("turn", [3, 10**8], ids=["the next", "far off"])
def test_from_names_the_number_of_turns_there_are(recording, home, turn):
    """Nothing is made when there is no such turn."""
    recording.ask("one?", "One.")
    recording.ask("two?", "Two.")
    session_id = recording.close()

    with pytest.raises(UsageError, match="has 2 turns, so there is no turn"):
        parse(["replay", session_id, "--from", str(turn)])()

    assert session_id == only_session(home)


def test_from_the_first_turn_leaves_nothing_to_copy(recording, home):
    """It is refused off a terminal, and leaves no empty session behind."""
    recording.ask("one?", "One.")
    session_id = recording.close()

    with pytest.raises(UsageError, match="nothing comes before"):
        parse(["replay", session_id, "--from", "1"])()

    assert session_id == only_session(home)


@terminal_only
def test_from_on_a_terminal_goes_on_in_a_chat(recording, scripted, home, tmp_path, monkeypatch):
    """What came before is on the screen and in the next request; what came after is in neither."""
    monkeypatch.chdir(tmp_path)
    recording.ask("my name is Dana", "Hello Dana.")
    recording.ask("what is it?", "No idea.")
    server = scripted(says("It is Dana."))
    words = ("--base-url", server.base_url, "-m", "scripted")

    with terminal("replay", recording.close(), "--from", "2", *words, env={"PWD": str(tmp_path)}) as screen:
        text = screen.until(_ready)
        screen.press("who am I?\r")
        screen.until(lambda text: "It is Dana." in text and _ready(text))
        screen.press("/exit\r")
        assert 0 == screen.leave()

    assert "Hello Dana." in text
    assert "No idea." not in screen.text
    said = [message["content"] for message in server.requests[0]["messages"][1:]]
    assert snapshot(["my name is Dana", "Hello Dana.", "who am I?"]) == said
    assert 2 == len(list((home / "sessions").glob("*.jsonl")))


# the command line


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ([], "sessions list"),
        (["last"], "sessions list"),
        (["01A", "--speed", "fast"], "--speed 2"),
        (["01A", "--speed", "-1"], "--speed 2"),
        (["01A", "--speed", "nan"], "--speed 2"),
        (["01A", "--speed", "inf"], "--speed 2"),
        (["01A", "--from", "0"], "--from 2"),
        (["01A", "--from", "two"], "--from 2"),
        (["01A", "-m", "x"], "--from N"),
        (["01A", "--from", "2", "--output-format", "json"], "leave one"),
        (["01A", "-q", "-v"], "one of them"),
    ],
    ids=lambda words: " ".join(words) or "no id" if isinstance(words, list) else "",
)
def test_what_makes_no_sense_is_refused_with_the_fix(words, hint):
    """Exit code 2, before anything is read."""
    with pytest.raises(UsageError) as caught:
        parse(["replay", *words])

    assert hint in caught.value.hint


@pytest.mark.parametrize(("word", "speed"), [("max", 0), ("0", 0), ("2", 2), ("0.5", 0.5)])
def test_a_speed_is_a_number_or_max(word, speed):
    """0 and max wait for nothing."""
    job = parse(["replay", "01abc", "--speed", word, "--step"])

    keywords = {"speed": speed, "step": True, "terminal": TerminalSettings()}
    assert (play.replay, (Options(), "01ABC"), keywords) == (job.func, job.args, job.keywords)


def test_step_needs_a_terminal(recording, capsys):
    """There is nobody who could press a key: exit code 2, before anything is shown."""
    recording.ask("one?", "One.")

    with pytest.raises(UsageError, match="--step needs a terminal"):
        play.replay(Options(), recording.close(), speed=None, step=True)

    assert ("", "") == capsys.readouterr()


@terminal_only
def test_ctrl_o_unfolds_a_replay_as_it_unfolds_a_chat(home, recording):
    """The turn so far is shown in full, also while a key is waited for; the hint still leaves no trace."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    output = "exit 0\n" + "".join(f"row {n}\n" for n in range(9))
    recording.tell(MessageAdded(User("build it")), StepStarted(1), ToolPending("a", "run_shell", '{"command": "make"}'))
    recording.tell(ToolRunning("a", "run_shell"), ToolCompleted("a", "run_shell", output, "exit 0"), StepStarted(2))
    recording.tell(TextDelta("Built."), TurnFinished("Built.", Stop(StopReason.ANSWERED), 2, Usage(1, 1), 0.5))
    words = ["replay", recording.close(), "--step", "--speed", "0"]
    with PseudoTerminal("cococat", *words, env={"COCOCAT_HOME": str(home)}, rows=60) as terminal:
        terminal.until("Space: the next step")
        terminal.press(" ")
        folded = terminal.until(lambda text: "row 8" in text and "Space" in text)
        terminal.press("\x0f")
        terminal.until(lambda text: "row 0" in text and "Space" in text)
        terminal.press("c")
        assert 0 == terminal.leave()

    assert "row 0" not in folded
    assert "(Ctrl-O)" in folded
    assert [f"row {n}" for n in range(9)] == [row.strip() for row in terminal.text.split("\n") if " row" in row][5:]
    assert "Space" not in terminal.text
