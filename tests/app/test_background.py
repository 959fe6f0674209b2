"""A command that runs on between calls and turns: reached, read and ended by its name, and gone with its session."""

import os
import re
import signal
import socket
import sys
import threading
import time

import pytest

from tests.begun import eventually, living
from tests.screens import ready
from tests.scripted import STALL, broken, calls, reached, says, tool_results

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

REACH = "python3 -c \"import urllib.request as r; print('status', r.urlopen('http://127.0.0.1:{}/').status)\""
PATIENCE_S = 60


@pytest.fixture
def port() -> int:
    """One that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def nap() -> str:
    """Seconds to sleep that no other process on this machine sleeps, to be found by."""
    return f"8{os.getpid()}.{time.monotonic_ns()}"


def serving(port: int, nap: str = "") -> str:
    """A server that says where it is, and where *nap* is given somebody beside it in a session and an environment of its own."""
    beside = f"(env -i setsid sh -c 'trap \"\" TERM HUP; sleep {nap}; :' &); " if nap else ""
    return f"{beside}python3 -m http.server {port} --bind 127.0.0.1"


def in_background(name: str, command: str) -> tuple[str, dict[str, object]]:
    """The call that lets *command* run on; an empty one ends it."""
    return ("run_shell", {"command": command, "background": name})


def answers(port: int) -> bool:
    """Somebody listens there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def gone(port: int, nap: str) -> bool:
    """Nothing is left, at the latest after a while: who was killed cannot wait for it."""
    eventually(lambda: not answers(port) and not living(nap))
    return True


def test_a_server_is_kept_between_calls_read_by_its_name_and_gone_at_the_end(ask, scripted, port, nap):
    """A second call reaches it; its log is read like any output that is kept; `ask` ends with nothing left."""
    server = scripted(
        calls(in_background("web", serving(port, nap))),
        calls(("run_shell", {"command": REACH.format(port)})),
        calls(("read_file", {"path": "output:web"}), ("grep_search", {"path": "output:web", "pattern": "GET"})),
        says("It answers."),
    )

    ran = ask(server, "--mode", "react", "--allow", "run_shell", "serve this folder")

    begun, reached_it, log, grep = tool_results(server.requests[-1])
    assert (0, "It answers.\n") == ran[:2]
    assert "running in the background as web, until this session ends\nServing HTTP on 127.0.0.1" in begun
    assert 'read_file path="output:web"' in begun
    assert "exit 0\nstatus 200" in reached_it
    assert "1\t[running]\n2\tServing HTTP on 127.0.0.1" in log
    assert '"GET / HTTP/1.1" 200' in log
    assert "read_file shows it" in grep
    assert re.search(r'act      \$ .*background="web"', ran.stderr)
    assert "observe  ✓ runs in the background as web" in ran.stderr
    assert not answers(port)
    assert [] == living(nap)


LEAVING = {
    "exit": lambda terminal: terminal.press("/exit\r"),
    "Ctrl-D": lambda terminal: terminal.press("\x04"),
    "TERM": lambda terminal: terminal.child.kill(signal.SIGTERM),
    "HUP": lambda terminal: terminal.child.kill(signal.SIGHUP),
    "KILL": lambda terminal: terminal.child.kill(signal.SIGKILL),
    "new": lambda terminal: terminal.press("/new\r"),
}


@pytest.mark.parametrize("way", LEAVING)
def test_a_server_lives_from_turn_to_turn_and_ends_with_its_session(chat, scripted, port, nap, way):
    """However the chat ends, nothing is left of it, nor of what it started in a session and an environment of its own."""
    server = scripted(
        calls(in_background("web", serving(port, nap))),
        says("It runs."),
        calls(("run_shell", {"command": REACH.format(port)})),
        says("It answers."),
    )
    terminal = chat(server, "--allow", "run_shell")
    terminal.press("serve\r")
    terminal.until(lambda text: "It runs." in text and ready(text))
    assert answers(port)
    terminal.press("is it there?\r")
    terminal.until(lambda text: "It answers." in text and ready(text))
    assert "status 200" in tool_results(server.requests[-1])[-1]
    assert living(nap)

    LEAVING[way](terminal)

    assert gone(port, nap)


def test_a_server_ends_with_a_run_that_is_killed_in_the_middle(ask, scripted, port, nap):
    """KILL leaves `ask` no moment to do anything."""
    serves = threading.Event()
    server = scripted(calls(in_background("web", serving(port, nap))), broken(reached(serves), how=STALL))

    def kill(number: int) -> None:
        assert serves.wait(PATIENCE_S)
        assert answers(port)
        os.kill(number, signal.SIGKILL)

    ran = ask(server, "--mode", "react", "--allow", "run_shell", "serve", meanwhile=kill)

    assert -signal.SIGKILL == ran.code
    assert gone(port, nap)


def test_the_question_says_that_it_keeps_running_and_its_end_needs_none(chat, scripted, port, nap):
    """The same consent as ever; /status names what runs; an empty command ends it at once, and the name is free again."""
    server = scripted(
        calls(in_background("web", serving(port, nap))),
        says("It runs."),
        calls(in_background("web", "")),
        says("It has ended."),
    )
    terminal = chat(server)
    terminal.press("serve\r")
    terminal.until("keeps running until this session ends")
    terminal.until("[y]es")
    terminal.press("y")
    terminal.until(lambda text: "It runs." in text and ready(text))
    terminal.press("/status\r")
    terminal.until("in the background web")

    terminal.press("end it\r")
    terminal.until(lambda text: "It has ended." in text and ready(text))

    assert "web was ended" in tool_results(server.requests[-1])[-1]
    assert gone(port, nap)
    terminal.press("/exit\r")
    assert 0 == terminal.leave()


def test_there_are_four_at_most_each_with_a_name_of_its_own(ask, scripted, nap):
    """What is wrong is said with what mends it; one that has ended by itself leaves its place and its output."""
    run = f"echo up; sleep {nap}"
    server = scripted(
        calls(*(in_background(name, run) for name in ("a", "b", "c", "d", "e"))),
        calls(in_background("b", "echo again"), in_background("7", run), in_background("x", "")),
        calls(
            in_background("b", ""),
            in_background("e", "echo down; exit 3"),
            in_background("b", f"{run} >/dev/null 2>&1 &"),
        ),
        calls(("read_file", {"path": "output:e"}), ("read_file", {"path": "output:b"}), in_background("e", "")),
        says("ok"),
    )

    ask(server, "--mode", "react", "--allow", "run_shell", "go")

    first, second, third, last = (
        tool_results(request)[-count:] for request, count in zip(server.requests[1:], (5, 3, 3, 3), strict=True)
    )
    assert all("up\n" in one for one in first[:4])
    assert "4 commands run in the background, which is the most: a, b, c, d; end one" in first[4]
    assert "b is running already" in second[0]
    assert "background is a name" in second[1]
    assert "no command of the background is called 'x'" in second[2]
    assert "b was ended" in third[0]
    assert "exit 3\ndown" in third[1]
    assert "running in the background as b" in third[2]
    assert "1\t[exit 3]\n2\tdown" in last[0]
    assert "1\t[running]\n2\tup" in last[1]
    assert "e had ended by itself: exit 3" in last[2]
    assert [] == living(nap)


def test_what_it_prints_between_the_calls_is_kept_within_bounds(ask, scripted, nap):
    """Five megabytes halt neither of the two: the first of them are read by lines, and the last lines stand behind them."""
    server = scripted(
        calls(in_background("much", f"seq 800000; touch printed; sleep {nap}")),
        calls(("run_shell", {"command": "until test -e printed; do sleep 0.02; done"})),
        calls(("read_file", {"path": "output:much"}), ("read_file", {"path": "output:much", "start_line": 165500})),
        says("ok"),
    )

    ask(server, "--mode", "react", "--allow", "run_shell", "go")

    begun, _, page, end = tool_results(server.requests[-1])
    assert len(begun) < 12_000
    lines = int(re.search(r"lines 1-\d+ of (\d+)", page)[1])
    assert 100_000 < lines < 200_000
    assert re.search(r"\[truncated \d+ chars\]", end)
    assert end.rstrip().endswith("\t800000")
    assert [] == living(nap)


@pytest.mark.parametrize("held", ["plan mode", "a denial"])
def test_plan_mode_and_a_denial_hold_for_it_as_for_any_command(ask, scripted, home, nap, held):
    """Neither starts anything."""
    if held == "a denial":
        (home / "config.toml").write_text('[permissions]\ndeny = ["run_shell(sleep **)"]\n')
    server = scripted(calls(in_background("nap", f"sleep {nap}")), says("ok"))

    flags = ["--permission", "plan"] if held == "plan mode" else []
    ask(server, "--mode", "react", "--allow", "run_shell", *flags, "go")

    assert "PermissionDenied" in tool_results(server.requests[-1])[-1]
    assert [] == living(nap)
