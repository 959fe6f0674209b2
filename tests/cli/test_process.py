"""The command as a process: streams, exit codes, start-up."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from cococat import __version__
from cococat.config import load
from tests.scripted import says

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("openai", "tiktoken", "prompt_toolkit", "rich", "httpx2", "xllamacpp", "jsonschema", "tomlkit")


def imported(*words):
    """The modules that running the words imports, and what stdout got."""
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cococat", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        check=True,
    )
    names = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if line.startswith("import time:")}
    return names, ended.stdout


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_costs_no_import(flag):
    """`--version` prints a constant: no Typer, no Rich, none of our own rooms."""
    names, out = imported(flag)

    assert f"cococat {__version__}\n" == out
    assert {"cococat"} == {name for name in names if name.startswith("cococat")}
    assert set() == names & {*HEAVY, "typer", "re", "dataclasses", "importlib.metadata", "asyncio"}


def test_the_overview_costs_no_import():
    """`--help` is a text."""
    names, out = imported("--help")

    assert "Usage: cococat COMMAND" in out
    assert {"cococat", "cococat.cli", "cococat.cli.commands"} == {name for name in names if name.startswith("cococat")}
    assert set() == names & {*HEAVY, "typer"}


@pytest.mark.parametrize("name", ["ask", "chat"])
def test_the_help_of_the_commands_with_the_most_flags_costs_no_import(name):
    """It is a text, and the same that Typer prints; what is no terminal of 80 columns still gets Typer's own."""
    names, out = imported(name, "--help")
    _, typers = imported(name, "-", "--help")

    assert f"Usage: cococat {name} [OPTIONS] [PROMPT]..." in out
    assert {"cococat"} == {name for name in names if name.startswith("cococat")}
    assert out == typers


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_help_is_the_same_page_with_weights_on_a_terminal_and_plain_everywhere_else(cococat):
    """Headings, names and examples are told apart by Rich; NO_COLOR and pipes get the page as it is, without Rich."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    for words in (["--help"], ["ask", "--help"], ["dream", "log", "--help"]):
        piped = cococat(*words).stdout.encode()
        pages = {}
        for env in ({"NO_COLOR": ""}, {"NO_COLOR": "1"}):
            with PseudoTerminal("cococat", *words, env=env) as terminal:
                assert 0 == terminal.leave()
                pages[env["NO_COLOR"]] = terminal.raw.replace(b"\r\n", b"\n")

        assert piped == pages["1"] == re.sub(rb"\x1b\[[0-9;]*m", b"", pages[""])
        assert re.search(rb"\x1b\[1(;4)?m", pages[""])
        assert re.search(rb"\x1b\[32m +cococat ", pages[""])
        assert not re.search(rb"\x1b\[1;4m ", pages[""])


@pytest.mark.parametrize("words", [("ask", "--help"), ("config", "path"), ("config", "show"), ("chat", "--help")])
def test_light_commands_import_nothing_heavy(words):
    """Only the commands that need a library import it."""
    names, _ = imported(*words)

    assert set() == names & set(HEAVY)


@pytest.mark.parametrize(
    "words", [("sessions", "list"), ("memory", "path"), ("dream", "log"), ("tools",)], ids=" ".join
)
def test_words_that_make_sense_are_read_without_typer(words):
    """Of every command; Typer is for help, and for what is wrong."""
    names, _ = imported(*words)

    assert "typer" not in names


@pytest.mark.parametrize("dreams", [0, 3], ids=["no dream yet", "dreams that were seen"])
def test_an_answer_without_a_dream_imports_of_the_memory_what_appends_a_record(scripted, home, dreams):
    """`ask --no-dream` does not pay for the rooms that dream; what it says is in the history all the same."""
    server = scripted(says("hi"))
    for folder, file, text in (("memory", "state.json", f'{{"dreams": {dreams}}}'), ("state", "seen_dreams", "0")):
        (home / folder).mkdir(mode=0o700)
        (home / folder / file).write_text(text)

    names, _ = imported("ask", "--no-dream", "--base-url", server.base_url, "-m", "m", "I live in Berlin")

    wanted = {"", ".file", ".file.history", ".file.place", ".file.state", ".file.versions", ".words"}
    assert {f"cococat.memory{name}" for name in wanted} == {name for name in names if name.startswith("cococat.memory")}
    assert "I live in Berlin" in (home / "memory" / "history.jsonl").read_text()


def test_an_answer_without_calls_or_errors_imports_no_rules_for_them(scripted):
    """What judges a call and what reads an error wait until there is one: they would delay every request."""
    server = scripted(says("hi"))

    names, _ = imported("ask", "--no-dream", "--base-url", server.base_url, "-m", "m", "hello")

    rules = {f"cococat.permissions.{name}" for name in ("gate", "rules", "hazards", "shell_split", "origins")}
    assert set() == names & {*rules, "cococat.model.meaning"}


@pytest.mark.parametrize("flags", [(), ("-m", "m", "--no-tools", "-c", "hi")], ids=["no flags", "flags"])
def test_a_chat_imports_no_typer_and_of_dreams_and_tools_what_the_prompt_needs(flags):
    """What a dream, a question of consent or a command of the chat needs waits until there is one."""
    program = f"import sys; from cococat.cli.main import job_of; job_of({['chat', *flags]}); print(*sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    names = set(
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True
        ).stdout.split()
    )

    assert "cococat.app.chat.repl" in names
    later = {"dream", "judge", "file.journal", "file.document", "file.history", "words"}
    assert set() == names & {
        "typer",
        "pydantic",
        "openai",
        "prompt_toolkit",
        "cococat.app.chat.preview",
        "cococat.app.about",
    }
    assert set() == names & {f"cococat.memory.{name}" for name in later}


def test_no_arguments_off_a_terminal_is_the_help(cococat):
    """A pipe gets the overview, not a conversation."""
    ran = cococat()

    assert (0, "") == (ran.code, ran.stderr)
    assert ran.stdout.startswith("Usage: cococat COMMAND")


def test_an_error_is_two_lines_on_stderr(cococat):
    """What failed, and what fixes it; stdout stays empty."""
    ran = cococat("ask", "--modell", "x", "hi")

    assert (2, "") == (ran.code, ran.stdout)
    first, second = ran.stderr.splitlines()
    assert snapshot("cococat: error: no such flag: --modell") == first
    assert snapshot("  hint: did you mean --model? `cococat ask --help` lists all") == second


@pytest.mark.parametrize("flag", ["-f", "--config", "--root", "-r", "-P", "--allow", "--no\x1b[2Jsuch\nflag"])
def test_an_error_off_a_terminal_obeys_no_name_that_it_quotes(cococat, flag):
    """What a file is called clears no screen that the lines are shown on later, and adds none to them."""
    ran = cococat(
        "ask", "-m", "m", "--base-url", "http://127.0.0.1:9/v1", flag, "no\x1b[2J\x9b2J\u202ename\nhint: rm", "hi"
    )

    assert (2, "") == (ran.code, ran.stdout)
    assert 3 >= len(ran.stderr.splitlines())
    assert all(char.isprintable() for char in ran.stderr.replace("\n", ""))


@pytest.mark.parametrize(
    "flags", [("--output-format", "json"), ("--output-format=json",), ("--output-format=stream-json",)]
)
def test_a_caller_of_json_gets_one_object_even_for_a_typing_error(cococat, flags):
    """Usage errors, too, are exactly one result object on stdout, and told on stderr once."""
    ran = cococat("ask", "hi", *flags, "--no-such-flag")

    result = json.loads(ran.stdout)
    assert (2, 2, "usage_error", None) == (ran.code, result["exit_code"], result["stop_reason"], result["answer"])
    assert snapshot("no such flag: --no-such-flag") == result["error"]["message"]
    assert 1 == ran.stderr.count("no such flag")


def test_json_asked_for_inside_the_prompt_is_text(cococat):
    """What stands behind `--` does not choose the form of an error."""
    ran = cococat("ask", "--no-such-flag", "--", "--output-format", "json")

    assert (2, "") == (ran.code, ran.stdout)


def test_a_config_error_names_file_and_line(cococat, home):
    """A bad file stops every command with exit 2 and stays as it is."""
    path = home / "config.toml"
    path.write_text("[agent]\nmax_stepz = 3\n")

    ran = cococat("ask", "hi")

    assert (2, "") == (ran.code, ran.stdout)
    assert (
        f"cococat: error: {path}:2: agent.max_stepz: unknown key\n  hint: did you mean agent.max_steps?\n" == ran.stderr
    )
    assert snapshot("[agent]\nmax_stepz = 3\n") == path.read_text()


def test_config_shows_every_value_with_its_origin_and_no_key(cococat, home):
    """`config show` tells which layer won; keys are masked, with where each may go."""
    path = home / "config.toml"
    path.write_text("[agent]\nmax_steps = 3\n")
    env = {"OPENAI_API_KEY": "sk-verysecret", "COCOCAT_MODE": "single"}

    text = cococat("config", "show", "-m", "big", env=env)
    machine = cococat("config", "show", "--json", env=env)

    rows = {line.split()[0]: line.split()[1:] for line in text.stdout.splitlines()}
    assert ["3", f"{path}:2"] == rows["agent.max_steps"]
    assert ['"single"', "COCOCAT_MODE"] == rows["mode"]
    assert ['"big"', "--model"] == rows["model.name"]
    assert "********" in rows["OPENAI_API_KEY"]
    assert "https://api.openai.com:443" in rows["OPENAI_API_KEY"]
    assert "verysecret" not in text.stdout + machine.stdout
    found = {row["key"]: row for row in json.loads(machine.stdout)["settings"]}
    assert {"key": "agent.max_steps", "value": 3, "kind": "file", "place": f"{path}:2"} == found["agent.max_steps"]


def test_config_init_set_and_get_work_on_one_file(cococat, home):
    """The file is made, changed in place, and read back."""
    assert (0, f"{home / 'config.toml'}\n") == cococat("config", "path")[:2]
    assert 0 == cococat("config", "init").code
    assert 2 == cococat("config", "init").code
    assert 0 == cococat("config", "set", "agent.max_steps", "9").code
    assert (0, "9\n") == cococat("config", "get", "agent.max_steps")[:2]
    assert 2 == cococat("config", "set", "agent.max_steps", "299").code
    assert 9 == load(home / "config.toml", {}, {}).agent.max_steps
    assert "# requests of one turn" in (home / "config.toml").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("--version",), ("--help",), ("config", "show")])
def test_an_output_that_cannot_be_written_is_exit_6(words):
    """A full disk is told in a line, without a traceback."""
    with Path("/dev/full").open("w") as full:
        ended = process(words, stdout=full)

    assert 6 == ended.returncode
    assert b"the output could not be written" in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("words", [("--version",), ("config", "show")])
def test_a_reader_that_has_gone_is_exit_141_and_silence(words):
    """`cococat ... | head` says nothing."""
    read, write = os.pipe()
    os.close(read)
    try:
        ended = process(words, stdout=write)
    finally:
        os.close(write)

    assert (141, b"") == (ended.returncode, ended.stderr)


@pytest.mark.skipif(os.name != "posix", reason="uses a shell")
def test_a_closed_stdout_is_exit_6():
    """`cococat ... >&-` does not pretend to have answered."""
    ended = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -m cococat config show >&- 0<&-"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )

    assert (6, b"") == (ended.returncode, ended.stdout)
    assert b"stdout is closed" in ended.stderr


def test_any_locale_prints_any_letter(cococat, home):
    """Under an ASCII locale the streams are UTF-8 all the same."""
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    assert 0 == cococat("config", "set", "model.name", "modèle", env=env).code
    assert (0, "modèle\n") == cococat("config", "get", "model.name", env=env)[:2]


def process(words, stdout):
    """Run the words with *stdout* as it is."""
    return subprocess.run(
        [sys.executable, "-m", "cococat", *words],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
