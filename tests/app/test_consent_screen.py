"""What a question of consent shows: what will happen, not the arguments of a call."""

import sys

import pytest

from cococat.app.chat.preview import preview
from cococat.tools.registry import ToolDeps, build
from cococat.ui.confirm import consent_text
from tests.screens import ready
from tests.scripted import calls, says

OLD = "import os\n\nHOST = 'a'\nPORT = 8080\nNAME = 'b'\n\nprint(PORT)\n"


@pytest.fixture
def shown(tmp_path):
    """Give what is shown of a call in *tmp_path*, and how."""
    tools = {tool.name: tool for tool in build(ToolDeps(tmp_path))}

    return lambda name, theme="dark", **arguments: preview(tools[name], arguments, tmp_path, 60, theme)


def test_an_edit_is_a_diff_with_three_lines_around_it(shown, tmp_path):
    """The user sees which lines go and which come, and where."""
    (tmp_path / "server.py").write_text(OLD)

    text = shown("edit_file", path="server.py", old_text="PORT = 8080", new_text="PORT = 9090").text

    assert [
        "server.py +1 -1",
        "@@ -1,7 +1,7 @@",
        " import os",
        " ",
        " HOST = 'a'",
        "-PORT = 8080",
        "+PORT = 9090",
        " NAME = 'b'",
        " ",
        " print(PORT)",
    ] == text.split("\n")


def test_a_long_change_is_cut_at_twenty_rows_and_says_how_to_see_it_all(shown):
    """Sixty new lines do not push the question off the screen; nothing is lost from the whole."""
    made = shown("write_file", path="new.py", content="".join(f"row {n}\n" for n in range(60)))

    cut = consent_text("write_file", made.text, 80, made.painted, made.rows).split("\n")

    assert "  │ new.py (new) +60 -0" == cut[1]
    assert "  … 42 more rows: Ctrl-O shows all" == cut[21]
    assert "\x1b[32m+row 0\x1b[0m" in cut[3]
    assert "row 59" in consent_text("write_file", made.text, 80)


def test_an_edit_that_cannot_be_made_shows_its_arguments(shown, tmp_path):
    """What the tool will refuse is not guessed at, and nothing outside the root is read."""
    assert "old_text: x" in shown("edit_file", path="none.py", old_text="x", new_text="y").text
    assert "path: ../up" in shown("write_file", path="../up", content="x").text


def test_a_command_is_shown_as_it_is_typed_with_folder_and_limit(shown, tmp_path):
    """No line of the command can pass for the line that says where and how long."""
    forged = shown("run_shell", command="make\nin / · at most 1 s", timeout_s=5)

    assert f"$ make\n> in / · at most 1 s\nin {tmp_path} · at most 5 s" == forged.text
    assert f"$ ls\nin {tmp_path} · at most 60 s" == shown("run_shell", command="ls").text
    assert 0 == forged.rows


@pytest.mark.parametrize(
    ("theme", "command", "place"),
    [
        ("dark", "\x1b[36m$ ls\x1b[0m", "\x1b[2min /\x1b[0m"),
        ("light", "\x1b[34m$ ls\x1b[0m", "\x1b[2min /\x1b[0m"),
        ("plain", "$ ls", "\x1b[2min /\x1b[0m"),
    ],
)
def test_a_command_has_the_colours_of_the_theme_and_its_place_steps_back(shown, theme, command, place):
    """Cyan fades on white; no line of a command looks like the line that says where and how long."""
    painted = shown("run_shell", theme, command="ls").painted

    assert (command, place) == (painted("$ ls", "$ ls"), painted("in /", "in / · at most 60 s"))


@pytest.mark.parametrize(
    ("url", "bold"),
    [
        ("https://docs.python.org/3/", "https://\x1b[1mdocs.python.org\x1b[0m/3/"),
        ("https://a.com@evil.com/a.com", "https://a.com@\x1b[1mevil.com\x1b[0m/a.com"),
        ("http://evil.com:80@evil.com:81/x", "http://evil.com:80@\x1b[1mevil.com\x1b[0m:81/x"),
    ],
    ids=["plain", "user", "same"],
)
def test_the_host_of_a_url_is_bold(shown, url, bold):
    """A name before an @ or in the path is not what is asked."""
    made = shown("fetch_url", url=url)

    assert bold == made.painted(url, url)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_ctrl_o_shows_the_rest_of_a_change_before_it_is_answered(scripted, tmp_path):
    """On a real terminal: cut, whole, yes, and the file is there."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    content = "".join(f"row {n}\n" for n in range(40))
    server = scripted(calls(("write_file", {"path": "new.py", "content": content})), says("Made."))
    flags = ["chat", "--base-url", server.base_url, "-m", "scripted", "--root", tmp_path]
    with PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path)}, rows=70) as terminal:
        terminal.until(ready)
        terminal.press("make it\r")
        before = terminal.until("[y]es once")
        terminal.press("\x0f")
        terminal.until(lambda text: 2 == text.count("[y]es once"))
        terminal.press("y")
        whole = terminal.until(lambda text: "Made." in text and ready(text))

    assert "row 39" not in before
    assert "more rows: Ctrl-O shows all" in before
    assert "+row 39" in whole
    assert content == (tmp_path / "new.py").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (16, 80), (24, 40)], ids=["usual", "low", "narrow"])
def test_a_question_about_a_long_change_stands_on_the_screen_from_its_first_row_to_its_answers(
    scripted, tmp_path, rows, columns
):
    """On a real terminal: the rows that do not fit are cut, and at least five of the change are there."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    content = "".join(f"row {n}\n" for n in range(40))
    server = scripted(calls(("write_file", {"path": "new.py", "content": content})), says("Made."))
    flags = ["chat", "--base-url", server.base_url, "-m", "scripted", "--root", tmp_path]
    env = {"PWD": str(tmp_path)}
    with PseudoTerminal("cococat", *flags, env=env, rows=rows, columns=columns) as terminal:
        terminal.until(ready)
        terminal.press("make it\r")
        asked = terminal.until("[r]eason")

    assert "? write_file" in asked
    assert "new.py (new) +40 -0" in asked
    assert "more rows: Ctrl-O shows all" in asked
    assert 5 <= asked.count(" │ ")
