"""Commands in their box, from the question to the answer."""

from __future__ import annotations

import os
import sys

import pytest

from tests.begun import begin, eventually, working_in
from tests.scripted import calls, says

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a box that is tested is one of Linux"),
    pytest.mark.usefixtures("boxed"),
]
FLAGS = ("-m", "x", "--mode", "react")


def shell(*commands, **more):
    """A reply that calls the shell."""
    return calls(*[("run_shell", {"command": command, **more}) for command in commands])


def test_a_command_in_the_box_is_not_asked_about(cococat, scripted, tmp_path):
    """In `edits`, where without a box every command asks; the model is told so."""
    server = scripted(shell("echo made > new.txt; make -f /dev/null x; pwd"), says("Done."))

    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "build it")

    assert (0, "Done.\n") == (ran.code, ran.stdout)
    assert "run_shell in its box, " in server.requests[0]["messages"][0]["content"]
    assert str(tmp_path) in server.requests[1]["messages"][-1]["content"]
    assert "made\n" == (tmp_path / "new.txt").read_text()


def test_in_ask_first_a_command_asks_and_is_boxed_all_the_same(cococat, scripted, tmp_path):
    """A rule lets it run; nothing of the home is seen."""
    outside = tmp_path.parent / "outside.txt"
    outside.write_text("mine")
    server = scripted(shell("make"), shell(f"cat {outside}"), says("No."))

    flags = ("--permission", "ask-first", "--allow", "run_shell(cat *)")
    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, *flags, "look")

    assert 4 == ran.code
    assert "--allow 'run_shell(make)'" in ran.stderr
    assert "mine" not in str(server.requests[2])


def test_what_the_box_holds_back_is_told_and_leaving_it_asks(cococat, scripted, tmp_path):
    """The model learns which wall it met, and how to ask; nobody is here to say yes."""
    (tmp_path / "secrets.json").write_text("{}")
    server = scripted(
        shell("curl -sS http://192.0.2.1/", "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'"),
        shell("curl http://192.0.2.1/", outside="network"),
        says("No network."),
    )

    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "auto", "fetch it")

    assert (4, "No network.\n") == (ran.code, ran.stdout)
    told = [message["content"] for message in server.requests[1]["messages"][-2:]]
    assert all("no network but a loopback of its own" in text for text in told)
    assert "wants the network" in ran.stderr or "wants the network" in str(server.requests[2])


def test_a_secret_below_the_folder_cannot_be_read_by_a_command(cococat, scripted, tmp_path):
    """Whatever it makes of it."""
    (tmp_path / ".env").write_text("PASSWORD=correct-horse\n")
    server = scripted(shell("rev .env; cp .env b; cat b; base64 .env"), says("No."))

    cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "auto", "read it")

    shown = server.requests[1]["messages"][-1]["content"]
    assert "esroh-tcerroc" not in shown
    assert "correct-horse" not in shown
    assert "PASSWORD=correct-horse\n" == (tmp_path / ".env").read_text()


def test_a_command_that_stays_asks_and_so_does_one_that_removes_the_folder(cococat, scripted, tmp_path):
    """What each of them does cannot be told, or taken back, when it has ended."""
    server = scripted(shell("python3 -m http.server 0", background="web"), shell("rm -rf ."), says("No."))

    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "serve it")

    assert 4 == ran.code
    assert "--allow 'run_shell(python3 -m http.server 0)'" in ran.stderr
    assert tmp_path.exists()


def test_what_would_make_programs_run_is_put_aside_and_told(cococat, scripted, tmp_path, home):
    """A hook that a command wrote is in no repository afterwards."""
    server = scripted(
        shell("git init -q .; echo evil > .git/hooks/pre-commit; mkdir .vscode; touch .vscode/x"), says(".")
    )

    cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "write it")

    shown = server.requests[1]["messages"][-1]["content"]
    assert "put aside" in shown
    assert not (tmp_path / ".vscode").exists()
    assert not (tmp_path / ".git" / "hooks" / "pre-commit").exists()
    assert [*(home / "state" / "aside").rglob("*pre-commit")]


def test_neither_many_files_nor_a_full_disk_keep_what_makes_programs_run(cococat, scripted, tmp_path, home):
    """More new files than a folder may have that gets a box; no place to put things aside: they are removed, and it is told."""
    (home / "state").mkdir(parents=True, exist_ok=True)
    (home / "state" / "aside").write_text("in the way")
    server = scripted(shell("mkdir .vscode many; touch .vscode/x; cd many; seq 50001 | xargs touch"), says("."))

    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "write it")

    assert 0 == ran.code
    assert "removed: .vscode" in server.requests[1]["messages"][-1]["content"]
    assert not (tmp_path / ".vscode").exists()


def test_where_a_path_is_denied_the_box_frees_no_command(cococat, scripted, tmp_path, home):
    """What a program opens is not read before it runs, and the box shows the whole folder."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "x").write_text("mine")
    (home / "config.toml").write_text('[permissions]\ndeny = ["read_file(private/**)"]\n')
    server = scripted(calls(("run_python", {"code": "print(open('private/x').read())"})), says("No."))

    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "read it")

    assert 4 == ran.code
    assert "mine" not in str(server.requests[1]["messages"])


def test_the_certificates_of_an_installation_are_no_secrets(cococat, scripted, tmp_path):
    """They end as private keys do; a program that cannot read them has no TLS."""
    (tmp_path / ".venv").mkdir()
    for name in ("cacert.pem", ".venv/cacert.pem"):
        (tmp_path / name).write_text(f"this is {name}")
    server = scripted(shell("cat cacert.pem .venv/cacert.pem"), says("."))

    cococat("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "read it")

    assert "this is .venv/cacert.pem" in (shown := server.requests[1]["messages"][-1]["content"])
    assert "this is cacert.pem" not in shown


def test_nothing_is_left_of_a_command_when_cococat_is_killed(scripted, tmp_path, home):
    """It ends at once, whatever it ignores; its /tmp goes with the next session."""
    server = scripted(
        shell("trap '' TERM HUP; echo x > $TMPDIR/kept; echo $TMPDIR > begun; sleep 333"), shell("echo"), says(".")
    )
    (temporary := tmp_path.parent / "temporary").mkdir()
    flags = ("ask", "--base-url", server.base_url, *FLAGS, "--permission", "edits", "--root", tmp_path, "go")
    env = {**os.environ, "COCOCAT_HOME": str(home), "TMPDIR": str(temporary)}
    with begin(*flags, env=env) as asked:
        eventually(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
        asked.kill()

    eventually(lambda: not working_in(tmp_path))
    (left,) = temporary.iterdir()
    assert "x\n" == (left / "kept").read_text()
    os.utime(left, (0, 0))
    with begin(*flags, env=env) as asked:
        assert 0 == asked.ended()[0]
    assert [] == list(temporary.iterdir())


@pytest.mark.parametrize("root", ["/", "the home"])
def test_a_box_that_is_required_and_missing_is_an_error(cococat, scripted, tmp_path, root):
    """A folder that cannot be held: exit 2, before anything is asked."""
    server = scripted(says("."))
    where = ("--sandbox", "--root", str(tmp_path) if root == "the home" else root)

    ran = cococat("ask", "--base-url", server.base_url, *FLAGS, *where, "hi", env={"HOME": str(tmp_path / "me")})

    assert (2, 0) == (ran.code, len(server.requests))
    assert "no box for commands here" in ran.stderr
    assert "--no-sandbox" in ran.stderr
