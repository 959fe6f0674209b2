"""run_shell: bounded, without terminal, without keys, and gone when it is over."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from cococat.core.tools import ToolFailure
from cococat.tools.registry import ToolDeps, build
from tests.begun import living
from tests.scripted import calls, says, tool_results

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process adopt, and close itself")


@pytest.fixture
def naptime() -> str:
    """Seconds to sleep that no other process on this machine sleeps, to be found by."""
    return f"9{os.getpid()}.{time.monotonic_ns()}"


def test_output_and_exit_code_are_given(call):
    """Both streams, in order, under the exit code; while it runs the user sees them too."""
    printed: list[str] = []

    outcome = call("run_shell", printed, command="echo one; echo two >&2; exit 3")

    assert snapshot("exit 3\none\ntwo\n") == outcome.output
    assert "exit 3" == outcome.display
    assert {"exit_code": 3} == outcome.data
    assert "one\ntwo\n" == "".join(printed)


@pytest.mark.parametrize("name", ["run_shell", "run_python"])
def test_what_is_printed_reaches_the_model_as_a_terminal_would_show_it(call, name):
    """A line written over is its last state; sequences that move, colour or name, and form feeds are nothing."""
    raw = r"\r1%\r2%\r33%\r4\n\033[24;1Hhere \033[1;31mred\033[0m\f\nlong\r\033[Kx\ngone\033[2K\ry\n\033]0;title\007ab\bc\r\nend"
    python = raw.replace(r"\033", r"\x1b").replace(r"\007", r"\x07")
    arguments = (
        {"command": f"printf '{raw.replace('%', '%%')}'"}
        if name == "run_shell"
        else {"code": f"print('{python}', end='')"}
    )

    assert "exit 0\n43%\nhere red\nx\ny\nac\nend" == call(name, **arguments).output


@pytest.mark.skipif(sys.platform == "win32", reason="there is no bash")
@pytest.mark.parametrize(
    ("command", "code", "note"),
    [
        ("false | tail -1", 1, "[exit codes along the pipe: 1 0]"),
        ("exit 3 | cat | cat", 3, "[exit codes along the pipe: 3 0 0]"),
        ("true && false | cat", 1, "[exit codes along the pipe: 1 0]"),
        ("true | false", 1, "[exit codes along the pipe: 0 1]"),
        ("yes | head -1", 0, ""),  # its reader left
        ("false | true; true", 0, ""),
        ("if false | grep x; then :; fi", 0, ""),
    ],
)
def test_a_pipe_that_failed_before_its_end_has_failed(call, command, code, note):
    """Or `pytest | tail` would look green."""
    if not Path("/bin/bash").exists():
        pytest.skip("there is no bash")

    outcome = call("run_shell", command=command)

    assert outcome.output.startswith(f"exit {code}")
    assert note in outcome.output
    assert bool(note) == ("along the pipe" in outcome.output)


def test_a_progress_bar_of_any_length_is_one_line_and_nothing_is_cut_for_it(call):
    """What was written over takes no room."""
    code = "print('begin')\nfor n in range(60_000): print(f'\\r{n} of 60000', end='')\nprint('\\ndone')"

    assert "exit 0\nbegin\n59999 of 60000\ndone\n" == call("run_python", code=code).output


@pytest.mark.parametrize("command", ["git commit", "git rebase -i --root", "$EDITOR x", 'sh -c "$VISUAL"'])
def test_a_command_that_opens_an_editor_is_told_what_to_pass(call, root, command):
    """It fails at once, and says why in words."""
    setup = "git init -q && git config user.email a@b && git config user.name a && touch a && git add a"
    subprocess.run(f"{setup} && git commit -qm one && touch b && git add b", shell=True, cwd=root, check=True)
    if command.startswith("git rebase"):
        subprocess.run("git commit -qm two", shell=True, cwd=root, check=True)

    outcome = call("run_shell", command=command.replace("$EDITOR x", 'sh -c "$EDITOR x"'))

    assert "exit 0" not in outcome.output
    assert "no editor here: pass" in outcome.output


def test_it_runs_in_the_root(call, root):
    """The working folder is the root, and a silent command says so."""
    (root / "here").touch()

    assert "exit 0\nhere\n" == call("run_shell", command="ls").output
    assert snapshot("exit 0, no output") == call("run_shell", command="true").output


def test_there_is_no_input_and_no_terminal(call):
    """What waits for a user fails at once."""
    began = time.monotonic()

    output = call("run_shell", command="cat; tty; : </dev/tty; echo end").output

    assert "not a tty" in output
    assert "/dev/tty: No such device or address" in output
    assert time.monotonic() - began < 20  # who waits for input waits for the limit of a minute


def test_keys_do_not_reach_the_child(call, monkeypatch):
    """What is secret by name or value stays behind, and is named once; the rest of the environment is passed on."""
    secret = {
        "OPENAI_API_KEY": "sk-canary0123456789abcdef", "LC_EVIL": "ghp_canary0123456789abcdef0123456789abcd",
        "MY_TOKEN": "canary", "DB_URL": "postgres://u:canary@h/d", "MYSQL_PWD": "canary1",
    }  # fmt: skip
    plain = {"MY_SETTING": "plain value", "LANG": "C.UTF-8", "SSH_AUTH_SOCK": "/tmp/agent.1", "MAX_TOKENS": "100"}
    for name, value in (secret | plain).items():
        monkeypatch.setenv(name, value)
    told: set[str] = set()

    output = call("run_shell", options={"told": told}, command="env").output
    again = call("run_shell", options={"told": told}, command="env").output

    assert "canary" not in output
    assert [] == [name for name, value in plain.items() if f"{name}={value}\n" not in output]
    assert "[kept from commands, as they look secret: DB_URL, LC_EVIL, MYSQL_PWD, MY_TOKEN, OPENAI_API_KEY]" in output
    assert "kept from commands" not in again


@pytest.mark.parametrize(
    "command",
    [
        "git init -q r && cd r && git config user.email a@b && git config user.name a && touch f && git add f && git commit",
        "git init -q r && cd r && git -c user.email=a@b -c user.name=a commit -qm x --allow-empty && git rebase -i --root",
        "$EDITOR f", "$VISUAL f", "git clone https://127.0.0.1:1/x", "bash -c 'read -p name: x'", "$SSH_ASKPASS",
    ],
)  # fmt: skip
def test_what_wants_a_user_fails_at_once(call, monkeypatch, command):
    """An editor, a password and a question are none to wait for, whatever the user's own editor is."""
    for name in ("EDITOR", "VISUAL", "GIT_EDITOR", "SSH_ASKPASS"):
        monkeypatch.setenv(name, "sleep 100;")
    began = time.monotonic()

    outcome = call("run_shell", command=command)

    assert 0 != outcome.data["exit_code"]
    assert time.monotonic() - began < 20


def test_a_time_limit_ends_everything(call, naptime):
    """The failure keeps what was printed, and nothing of the command lives on."""
    with pytest.raises(ToolFailure, match="ended after 1 s") as failed:
        call("run_shell", command=f"echo started; sleep {naptime} & sleep {naptime}1", timeout_s=1)

    assert "started" in str(failed.value)
    assert [] == living(naptime)


def test_a_command_that_ignores_term_is_killed(call, naptime):
    """TERM first, KILL after a moment."""
    began = time.monotonic()

    with pytest.raises(ToolFailure):
        call("run_shell", command=f"trap '' TERM; while :; do sleep {naptime}; done", timeout_s=1)

    assert time.monotonic() - began < 10
    assert [] == living(naptime)


@pytest.mark.parametrize(
    "command",
    [
        "sleep NAP & echo done",
        "setsid sleep NAP & echo done",
        "(setsid sh -c 'sleep NAP & exit' &) ; echo done",
        "nohup sleep NAP >/dev/null 2>&1 & disown; echo done",
    ],
    ids=["background", "session of its own", "double fork", "disowned"],
)
def test_nothing_survives_the_call(call, naptime, command):
    """What was left in the background ends with the command, and does not hold it up."""
    began = time.monotonic()

    outcome = call("run_shell", command=command.replace("NAP", naptime))

    assert outcome.output.startswith("exit 0\ndone\n")
    assert time.monotonic() - began < 5
    assert [] == living(naptime)


@linux
@pytest.mark.parametrize(
    "command",
    [
        "(env -i setsid sleep {} &)",
        "(env -i setsid sh -c 'trap \"\" TERM; sleep {}; :' &); echo started",
        "env -i setsid -f sleep {}",
        "sleep {} & echo started",
    ],
)
def test_what_a_call_leaves_behind_is_ended_and_said(call, naptime, command):
    """A session and an environment of its own do not let a process outlive its call."""
    outcome = call("run_shell", command=command.format(naptime))

    assert [] == living(naptime)
    assert "[left running and ended with this call: " in outcome.output
    assert naptime in outcome.output


@linux
def test_what_ran_before_a_call_is_left_alone(call, naptime):
    """A child that this process had already is none of the call's."""
    with subprocess.Popen(["sleep", naptime]) as mine:
        outcome = call("run_shell", command="true")

        assert mine.poll() is None
        mine.kill()
    assert snapshot("exit 0, no output") == outcome.output


READS = """
import asyncio, sys
from pathlib import Path
from cococat.tools.registry import ToolDeps, build
from tests.scripted import calls, says
root = Path(sys.argv[1]).resolve()
tools = {tool.name: tool for tool in build(ToolDeps(root))}
print(asyncio.run(tools["run_shell"].run({"command": sys.argv[2]}, lambda text: None)).output)
"""


@linux
@pytest.mark.skipif(os.getuid() == 0 and shutil.which("setpriv") is None, reason="root may trace every process")
@pytest.mark.parametrize(
    "command",
    [
        r"tr '\0' '\n' </proc/$OURS/environ | rev; echo done",
        "ls -l /proc/$OURS/fd; echo done",
        "dd if=/proc/$OURS/mem bs=1 count=1 skip=0; echo done",
        "tr '\\0' ' ' </proc/$OURS/cmdline; env; ulimit -c; echo done",
    ],
    ids=["environment", "open files", "memory", "command line"],
)
def test_a_command_cannot_read_the_process_that_started_it(root, command):
    """The key in our environment is out of reach of what a tool runs, unless it may trace every process."""
    command = f"read -r _ _ _ OURS _ < /proc/$PPID/stat; {command}"
    untraced = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
    key = "sk-canary-0123456789"

    ran = subprocess.run(
        [*untraced, sys.executable, "-c", READS, str(root), command],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OPENAI_API_KEY": key},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert "done" in ran.stdout
    assert key not in ran.stdout
    assert key[::-1] not in ran.stdout
    if "ulimit" in command:
        assert "\n0\ndone" in ran.stdout
    elif "environ" not in command:
        assert "ermission denied" in ran.stdout


def test_cancelling_ends_the_command(root, naptime):
    """A cancelled call leaves no process, and ends within the grace it has."""
    tool = next(tool for tool in build(ToolDeps(root)) if tool.name == "run_shell")

    async def cancelled() -> float:
        started = asyncio.Event()
        task = asyncio.ensure_future(tool.run({"command": f"echo go; sleep {naptime}"}, lambda text: started.set()))
        await started.wait()
        began = time.monotonic()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        return time.monotonic() - began

    assert asyncio.run(cancelled()) < 2
    assert [] == living(naptime)


def test_a_call_that_is_cancelled_while_its_process_starts_leaves_none(root, naptime):
    """The process may have started others before we know of it; all of them end."""
    tool = next(tool for tool in build(ToolDeps(root)) if tool.name == "run_shell")
    command = f"(trap '' TERM; touch up; sleep {naptime}); true"

    async def cancelled() -> bool:
        task = asyncio.ensure_future(tool.run({"command": command}, lambda text: None))
        while not living(naptime):
            await asyncio.sleep(0)
        while not (root / "up").exists():
            time.sleep(0.001)  # noqa: ASYNC251 - the loop stands still: it has not heard of the process yet
        task.cancel()
        await asyncio.wait({task})
        return task.cancelled()

    assert asyncio.run(cancelled())
    assert [] == living(naptime)


def test_an_endless_output_keeps_head_and_tail_in_bounded_memory(call):
    """Two hundred megabytes pass through; what is kept, shown and returned stays small."""
    printed: list[str] = []
    call("run_shell", command="true")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    output = call("run_shell", printed, command="echo first; yes | head -c 200000000; echo last").output

    assert re.match(r"exit 0( after \d+ s)?\nfirst\ny\n", output)
    assert output.endswith("y\nlast\n")
    assert "[truncated 1999" in output
    assert len(output) < 40_000
    assert sum(map(len, printed)) < 70_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


def test_bytes_that_are_no_text_are_replaced(call):
    """Output is text whatever the command prints."""
    assert "exit 0\na\ufffdb" == call("run_shell", command=r"printf 'a\377b'").output


def test_a_nul_is_refused(call):
    """No command can hold one."""
    with pytest.raises(ToolFailure, match="NUL"):
        call("run_shell", command="echo a\0b")


def test_the_files_that_a_command_changed_are_named(call, root):
    """C28: new, changed and gone, from a look before and one after; what git ignores is left out."""
    for name in ("a.txt", "b.txt", "same.txt"):
        (root / name).write_text(name)
    (root / ".gitignore").write_text("*.log\n")

    output = call("run_shell", command="echo more >> a.txt; rm b.txt; touch new.txt x.log").output

    assert snapshot("exit 0, no output\n[files changed: a.txt, b.txt (gone), new.txt (new)]") == output


def test_what_tools_fill_is_no_change_of_the_users_files(call):
    """In a folder without .gitignore, too: a run of Python there leaves its cache."""
    output = call(
        "run_shell", command="mkdir -p __pycache__ a/node_modules/b; touch __pycache__/a.pyc a/node_modules/b/c n"
    )

    assert snapshot("exit 0, no output\n[files changed: n (new)]") == output.output


def test_a_command_that_takes_its_time_says_how_long(call):
    """Whole seconds from one second on; of a long output there are 8,000 characters, head and tail."""
    output = call("run_shell", command="sleep 1.2; seq 9000").output

    head, _, printed = output.partition("\n")
    assert re.fullmatch(r"exit 0 after [1-9]\d* s", head)  # how many says how busy the machine is
    assert printed.startswith("1\n2\n")
    assert printed.endswith("\n8999\n9000\n")
    assert 8000 == len(re.sub(r"\[truncated \d+ chars\]", "", printed))


@pytest.mark.parametrize(
    ("second", "beside"),
    [("sleep 0.31", True), ("touch made", False), ("sleep 0.31 > made", False)],
    ids=["reads", "writes", "redirected"],
)
def test_neighbouring_commands_that_only_read_run_side_by_side(ask, scripted, second, beside):
    """Both have started before the first has ended; what may write waits for its turn."""
    server = scripted(calls(("run_shell", {"command": "sleep 0.3"}), ("run_shell", {"command": second})), says("ok"))

    ran = ask(server, "--mode", "react", "--allow", "run_shell", "--output-format", "stream-json", "go")

    kinds = [json.loads(line)["type"] for line in ran.stdout.splitlines()]
    moves = [kind for kind in kinds if kind in ("tool_running", "tool_completed")]
    assert beside == (["tool_running"] * 2 == moves[:2])
    assert 4 == len(moves)


@linux
def test_the_first_of_two_side_by_side_to_end_leaves_the_other_alone(ask, scripted):
    """What runs beside a call is none of what it left behind."""
    naps = (("run_shell", {"command": f"sleep {seconds}"}) for seconds in ("0.1", "0.7", "0.4"))
    server = scripted(calls(*naps), says("ok"))

    ask(server, "--mode", "react", "--allow", "run_shell", "go")

    given = [message["content"].partition("\n")[2] for message in server.requests[1]["messages"][-3:]]
    assert ["exit 0, no output"] * 3 == given


def test_a_change_and_the_command_that_shows_it_go_together_in_one_reply(ask, scripted, tmp_path):
    """The prompt says so: calls that do something run in the order they are given, so the command sees the change."""
    (tmp_path / "tide.txt").write_text("hour % 24\n")
    change = ("edit_file", {"path": "tide.txt", "old_text": "24", "new_text": "12"})
    reads = calls(("read_file", {"path": "tide.txt"}))
    server = scripted(reads, calls(change, ("run_shell", {"command": "cat tide.txt"})), says("ok"))

    ask(server, "--mode", "react", "--allow", "run_shell", "--allow", "edit_file", "go")

    assert "They run in your order" in server.requests[0]["messages"][0]["content"]
    assert server.requests[2]["messages"][-1]["content"].endswith("exit 0\nhour % 12\n")


@linux
def test_a_command_that_ends_its_parent_ends_no_chat(scripted, root, naptime):
    """Neither by the number of its parent nor by a word of what the user asked."""
    word = f"zebra{naptime}"  # in no command line of anybody else
    ends = ("kill $PPID", "kill -INT $PPID", f"pkill -f {word}")
    commands = (*(f"{end}; echo lived" for end in ends), "kill -9 $PPID; sleep 9")
    server = scripted(calls(*(("run_shell", {"command": command}) for command in commands)), says("still here"))

    words = [sys.executable, "-m", "cococat", "ask", "--base-url", server.base_url, "-m", "scripted", "--mode", "react"]
    ran = subprocess.run(
        [*words, "--allow", "run_shell", f"count the {word}"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (0, "still here\n") == (ran.returncode, ran.stdout)
    *lived, _ = tool_results(server.requests[1])
    assert all("exit 0\nlived" in content for content in lived), lived
