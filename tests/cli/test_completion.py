"""What Tab offers in each shell, asked of the shells themselves."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

SHELLS = ("bash", "zsh", "fish")
ASK_BASH = """
source "$0"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cococat; printf '%s\\n' "${COMPREPLY[@]}"
"""
ASKED = [
    (("",), {"ask", "chat", "sessions", "completion", "help"}),
    (("se",), {"sessions"}),
    (("sessions", ""), {"list", "search", "show", "export", "delete", "prune", "repair"}),
    (("sessions", "export", "--format", ""), {"md", "json", "html"}),
    (("ask", "--permission", ""), {"plan", "ask-first", "edits", "auto"}),
    (("ask", "--mo"), {"--mode", "--model"}),
    (("-c", "--per"), {"--permission"}),
    (("ask", "--root", "fol"), {"folder"}),
    (("ask", "-f", "fi"), {"file one.txt"}),
    (("dream", "--config", "fi"), {"file one.txt"}),
    (("completion", ""), {"bash", "zsh", "fish"}),
    (("ask", "-t", ""), {"plan", "review"}),
    (("ask", "--template", "re"), {"review"}),
    (("ask", "-m", ""), set()),
    (("ask", "memory", ""), set()),
    (("ask", "--", "--mo"), set()),
]

ZSH_LINES = [
    ("se", "sessions"),
    ("sessions ex", "sessions export"),
    ("ask --permission au", "ask --permission auto"),
    ("ask --mode=re", "ask --mode=react"),
    ("-c --per", "-c --permission"),
    ("ask --root fol", "ask --root folder/"),
    ("ask -f fi", "ask -f file\\ one.txt"),
    ("ask -t re", "ask -t review"),
    ("ask -- --mo", "ask -- --mo"),
]


@pytest.fixture
def script(cococat, home, tmp_path):
    """Write the script of a shell, beside a file and a folder to find, and prompts of the user's own; gives its path."""
    (home / "prompts").mkdir()
    for name in ("review.md", "plan.md", "$(touch ran).md", "no prompt.md", "notes.txt"):
        (home / "prompts" / name).touch()

    def write(shell):
        (tmp_path / "file one.txt").touch()
        (tmp_path / "folder").mkdir()
        ran = cococat("completion", shell)
        assert (0, "") == (ran.code, ran.stderr)
        path = tmp_path / f"script.{shell}"
        path.write_text(ran.stdout)
        return path

    return write


def asked(command, folder):
    """The lines that a shell prints."""
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True, stdin=subprocess.DEVNULL)
    assert "" == ran.stderr
    return {line for line in ran.stdout.splitlines() if line}


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_offers_what_fits_at_each_place(script, tmp_path):
    """Commands, subcommands, flags, their choices, files for -f and --config, folders for --root, prompts for -t; else nothing."""
    path = script("bash")

    found = {words: asked(["bash", "-c", ASK_BASH, path, "cococat", *words], tmp_path) for words, _ in ASKED}

    assert found.pop(("",)) >= ASKED[0][1]
    assert dict(ASKED[1:]) == found
    assert not (tmp_path / "ran").exists()  # names are words


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_a_value_behind_an_equals_sign(script, tmp_path):
    """Bash makes three words of --mode=r."""
    path = script("bash")

    for words, wanted in ((("ask", "--mode", "=", "r"), {"react"}), (("ask", "--mode", "="), {"single", "react"})):
        assert wanted == asked(["bash", "-c", ASK_BASH, path, "cococat", *words], tmp_path)


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish_offers_what_fits_at_each_place(script, tmp_path):
    """The same answers, each with what it is for."""
    path = script("fish")

    for words, wanted in ASKED:
        line = " ".join(("cococat", *words))
        shown = asked(["fish", "--no-config", "-c", f"source {path}; complete -C '{line}'"], tmp_path)
        found = {one.partition("\t")[0].rstrip("/") for one in shown}
        assert found >= wanted if words == ("",) else found == wanted, line


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_completes_a_line_as_it_is_typed(script, tmp_path):
    """Commands, subcommands, flags, their choices behind a blank or an equals sign, folders and files; behind `--` nothing."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    rc = f"autoload -Uz compinit; compinit -u -D; source {script('zsh')}; cd {tmp_path}; PS1='shell''> '\n"
    (tmp_path / ".zshrc").write_text(rc)
    with PseudoTerminal("tests.app.shell_program", f"ZDOTDIR={tmp_path} exec zsh -i", columns=100) as terminal:
        terminal.until("shell>")
        for typed, wanted in ZSH_LINES:
            terminal.press(f"\x15cococat {typed}\t")
            terminal.until(lambda text, wanted=wanted: f"shell> cococat {wanted}" == text.splitlines()[-1].rstrip())


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_without_a_prompt_of_ones_own_nothing_is_offered_for_one(script, home, tmp_path):
    """Also where the folder was taken away since the script was made."""
    path = script("bash")
    shutil.rmtree(home / "prompts")

    assert set() == asked(["bash", "-c", ASK_BASH, path, "cococat", "ask", "-t", ""], tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_can_be_read_by_its_shell(script, shell):
    """Nothing in a help text breaks the quotes."""
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")

    assert b"" == subprocess.run([shell, "-n", script(shell)], capture_output=True, check=True).stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_knows_every_flag_of_ask(cococat, shell):
    """They are made from the flags, so a new one is in all three."""
    flags = set(re.findall(r"--([a-z-]+)", cococat("ask", "--help").stdout))

    written = cococat("completion", shell).stdout

    assert len(flags) > 20
    assert [] == sorted(flag for flag in flags if not re.search(rf"(?:--|-l ){flag}\b", written))


@pytest.mark.parametrize("words", [(), ("nu",)])
def test_an_unknown_shell_is_told_which_there_are(cococat, words):
    """Two lines and exit code 2."""
    ran = cococat("completion", *words)

    assert (2, "") == (ran.code, ran.stdout)
    assert "wanted one of bash, zsh, fish" in ran.stderr
