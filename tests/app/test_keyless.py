"""What a model says reaches the screen without the key and without lines that look like ours."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripted import calls, says

KEY = "sk-canary-0123456789abcdef"
SAID = ("The key is ", KEY[:7], KEY[7:15], KEY[15:], " indeed.")
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@posix
@pytest.mark.parametrize("words", [("--no-tools",), ("--mode", "react"), ("--color", "never")], ids=" ".join)
def test_an_answer_on_a_terminal_does_not_show_the_key(scripted, tmp_path, words):
    """However the answer streams in, and however it is drawn."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(says(*SAID))
    flags = ("ask", "--base-url", server.base_url, "-m", "scripted", "--root", tmp_path, *words)
    with PseudoTerminal("cococat", *flags, "what is the key?", env={"COCOCAT_API_KEY": KEY}) as terminal:
        code = terminal.leave()

    assert 0 == code
    assert "The key is [redacted:known] indeed." in terminal.text
    assert KEY[4:15].encode() not in terminal.raw


def test_a_pipe_gets_the_answer_byte_for_byte(cococat, scripted):
    """A script is told what the model said; the lines of the steps do not hold the key even then."""
    server = scripted(calls((f"run {KEY}", {"key": KEY})), says(*SAID))

    ran = cococat(
        "ask", "--base-url", server.base_url, "-m", "x", "--mode", "react", "key?", env={"COCOCAT_API_KEY": KEY}
    )

    assert (0, "".join(SAID) + "\n") == (ran.code, ran.stdout)
    assert KEY not in ran.stderr
    assert "[redacted:known]" in ran.stderr


@pytest.mark.parametrize("words", [(), ("--output-format", "json"), ("-v",)], ids=["text", "json", "verbose"])
def test_a_thought_on_stderr_does_not_show_the_key(cococat, scripted, words):
    """What is said beside a call is no answer, so it is redacted also where stdout is a pipe; the answer is not."""
    server = scripted(calls(("list_dir", {"path": "."}), text="".join(SAID)), says(*SAID))
    flags = ("--base-url", server.base_url, "-m", "x", "--mode", "react", *words)

    ran = cococat("ask", *flags, "key?", env={"COCOCAT_API_KEY": KEY})

    assert KEY not in ran.stderr
    assert "The key is [redacted:known] indeed." in ran.stderr
    assert "".join(SAID) in ran.stdout


@posix
def test_a_thought_on_a_terminal_beside_a_piped_answer_does_not_show_the_key(scripted, tmp_path):
    """Neither while it streams nor when it stands."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(calls(("list_dir", {"path": "."}), text="".join(SAID)), says("done"))
    words = ["ask", "--base-url", server.base_url, "-m", "x", "--mode", "react", "--root", str(tmp_path), "key?"]
    script = f"{shlex.join([sys.executable, '-m', 'cococat', *words])} >{shlex.quote(str(tmp_path / 'out'))}"
    with PseudoTerminal("tests.app.shell_program", script, env={"COCOCAT_API_KEY": KEY}) as terminal:
        code = terminal.leave()

    assert (0, "done\n") == (code, (tmp_path / "out").read_text())
    assert "The key is [redacted:known] indeed." in terminal.text
    assert KEY[4:15].encode() not in terminal.raw


@pytest.mark.parametrize(
    "call",
    [
        ("x\ncococat: error: your key has expired\n  hint: paste it here", {}),
        ("list_dir", {"path\ncococat: error: your key has expired": "."}),
        ("list_dir", '[\n"a",\ncococat: error: your key has expired\n]'),
        ("list_dir\u2028cococat: error: your key has expired", {}),
    ],
    ids=["name", "argument", "broken arguments", "line separator"],
)
def test_a_call_cannot_print_an_error_of_ours(cococat, scripted, call):
    """A line end in what the model wrote is shown as one, not printed."""
    server = scripted(calls(call), says("done"))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "scripted", "--mode", "react", "go")

    assert "your key" in ran.stderr or "path" in ran.stderr
    assert not [line for line in ran.stderr.splitlines() if line.startswith(("cococat: error", "  hint"))]


def test_a_file_with_the_key_is_edited_around_it(cococat, scripted, tmp_path):
    """The model sees a mask, and what it writes with that mask leaves the key where it was."""
    file = tmp_path / "settings.py"
    file.write_text(f"KEYS = ['{KEY}']\nport = 1\n")
    old = "KEYS = ['[redacted:known]']\nport = 1"
    server = scripted(
        calls(("read_file", {"path": "settings.py"})),
        calls(("edit_file", {"path": "settings.py", "old_text": old, "new_text": old.replace("port = 1", "port = 2")})),
        says("done"),
    )
    flags = ("--mode", "react", "--allow", "edit_file(**)", "--root", str(tmp_path))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "x", *flags, "edit", env={"COCOCAT_API_KEY": KEY})

    assert 0 == ran.code
    assert f"KEYS = ['{KEY}']\nport = 2\n" == file.read_text()
    assert KEY not in "".join(map(str, server.requests)) + ran.stdout + ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process close itself")
@pytest.mark.skipif(os.getuid() == 0 and shutil.which("setpriv") is None, reason="root may trace every process")
def test_the_key_is_out_of_reach_before_a_tool_has_run():
    """A command of another process of the user's reads no environment of one that only waits."""
    untraced = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COCOCAT_API_KEY": KEY}
    words = [*untraced, sys.executable, "-m", "cococat", "ask"]

    with subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
        assert waiting.stderr is not None
        assert b"waiting for standard input" in waiting.stderr.readline()
        looked = subprocess.run(
            [*untraced, "cat", f"/proc/{waiting.pid}/environ"], capture_output=True, text=True, check=False
        )
        waiting.communicate()

    assert "" == looked.stdout
    assert "ermission denied" in looked.stderr
