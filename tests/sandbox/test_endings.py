"""What is left when boxed commands end, are cancelled, or cococat is killed: nothing, in each tier."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from itertools import product
from pathlib import Path
from socket import socket

import pytest

from tests.begun import eventually
from tests.sandbox.places import TIERS, Place
from tests.scripted import calls, forever, says, tool_results

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tiers that are tested are those of Linux"),
    pytest.mark.usefixtures("boxed"),
]
LEAVES = "setsid sh -c 'echo > up; sleep 98765' & while [ ! -e up ]; do :; done; rm up"
STAYS = "echo > begun; (trap '' TERM HUP INT; setsid sleep 3600 & sleep 3600)"


@pytest.fixture
def place(tmp_path, home, tier):
    """A place of the test's own; what a command that failed its test left running ends with it."""
    found = Place(tmp_path, home, tier)
    yield found
    for number in found.running():
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def shell(*commands, **more):
    """A reply that runs commands."""
    return calls(*[("run_shell", {"command": command, **more}) for command in commands])


@pytest.mark.slow  # .ci/run has time for it
@pytest.mark.parametrize(("tier", "steps"), [("namespaces", 10), ("bubblewrap", 3), ("landlock", 3)])
def test_a_hundred_commands_leave_nothing(scripted, place, tier, steps):
    """No file, mount, process or descriptor, and thirty in the other tiers; none is said to have left what it did not."""
    open_files = []

    def reply(body):
        open_files.append([len(list(Path(f"/proc/{number}/fd").iterdir())) for number in place.running()])
        each = [f"echo {len(open_files)}{at} > $TMPDIR/t; mkdir d; touch .envrc; rmdir d" for at in range(9)]
        return shell(*each, LEAVES) if len(open_files) <= steps else says(".")

    server = scripted(forever(reply))
    with place.ask(server) as asked:
        code = asked.wait(timeout=200)

    told = tool_results(server.requests[-1])
    assert (0, 10 * steps) == (code, len(told))
    assert 9 * steps == sum("put aside" in text and "left running" not in text for text in told)
    named = sum("left running" in text and "sleep 98765" in text for text in told)
    assert (0 if tier == "bubblewrap" else steps) == named  # bwrap ends what is left and tells nobody
    assert open_files[1] == open_files[-1]
    assert [] == place.left()


ENDINGS = {  # what ends a command that ignores it, and how `ask` ends then
    "its session": ({"background": "s"}, None, 0),
    "its time limit": ({"timeout_s": 1}, None, 0),
    "Ctrl-C": ({}, signal.SIGINT, 130),
    "TERM": ({}, signal.SIGTERM, 143),
    "KILL": ({}, signal.SIGKILL, -signal.SIGKILL),
}
UNENDED = ("landlock", "KILL")  # no process there ends with another; SECURITY.md says so


@pytest.mark.parametrize(("tier", "ending"), [pair for pair in product(TIERS, ENDINGS) if pair != UNENDED])
def test_an_hour_long_command_ends_however_it_is_ended(scripted, place, tier, ending):
    """With all that it started, whatever signals these ignore and whatever session they went to."""
    more, number, code = ENDINGS[ending]
    server = scripted(shell(STAYS, **more), says("."))
    with place.ask(server, "--allow", "run_shell") as asked:  # what stays in the background asks
        eventually(lambda: not number or (place.root / "begun").exists(), lambda: asked.stderr)

        asked.send_signal(number or 0)

        assert code == asked.wait()
    kept = [place.temporary] if ending == "KILL" else []  # the next session removes it
    assert ["begun", *(path.name for folder in kept for path in folder.iterdir())] == place.left()


SERVES = f"{sys.executable} -m http.server {{port}} --bind 127.0.0.1"
FETCHES = f"{sys.executable} -c 'import urllib.request as r; print(r.urlopen(\"http://127.0.0.1:{{port}}/a\").read())'"


@pytest.mark.parametrize("tier", TIERS)
def test_what_listens_in_the_background_is_there_for_the_next_commands_and_for_nobody_outside(scripted, place, tier):
    """Where boxes can share a loopback; elsewhere it is said that nothing reaches it."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (place.root / "a").write_text("served")
    outside = []

    def look(_):
        with socket() as client:
            outside.append(client.connect_ex(("127.0.0.1", port)) == 0)
        return shell(FETCHES.format(port=port))

    server = scripted(shell(SERVES.format(port=port), background="web"), look, says("."))
    with place.ask(server, "--allow", "run_shell") as asked:
        assert 0 == asked.wait()

    begun, fetched = tool_results(server.requests[-1])
    assert [False] == outside
    assert ("other commands" in begun, "b'served'" in fetched) == (tier == "namespaces",) * 2
    assert [place.root / "a"] == [*place.root.iterdir()]


@pytest.mark.parametrize("tier", ["namespaces", "bubblewrap"])
def test_a_command_ends_when_cococat_is_killed_while_its_box_is_made(scripted, place, tier):
    """The end may come before the box is told of it; a command that runs on would do so for an hour."""
    server = scripted(shell(STAYS), says("."))
    with place.ask(server) as asked:
        while not any(
            "COCOCAT_COMMAND" in line for line in place.lines()
        ):  # what is tried in a box before has no command
            assert asked.returncode is None

        asked.kill()

    assert {*(path.name for path in place.temporary.iterdir())} >= {*place.left()} - {"begun"}
