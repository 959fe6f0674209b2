"""What a question of consent shows: what will happen, not the arguments of a call."""

import re
import sys

import pytest
from inline_snapshot import snapshot

from cococat.app.chat.preview import preview
from cococat.tools.registry import ToolDeps, build
from cococat.ui.prompt.question import consent_text
from tests.screens import ready
from tests.scripted import calls, says

OLD = "import os\n\nHOST = 'a'\nPORT = 8080\nNAME = 'b'\n\nprint(PORT)\n"


@pytest.fixture
def shown(tmp_path):
    """Give what is shown of a call in *tmp_path*, and how."""
    tools = {tool.name: tool for tool in build(ToolDeps(tmp_path))}

    return lambda name, theme="dark", **arguments: preview(tools[name], arguments, tmp_path, 60, theme)


def test_an_edit_is_a_diff_with_numbers_and_three_lines_around_it(shown, tmp_path):
    """The user sees which lines go and which come, and where."""
    (tmp_path / "server.py").write_text(OLD)

    text = shown("edit_file", path="server.py", old_text="PORT = 8080", new_text="PORT = 9090").text

    assert [
        "server.py +1 -1",
        "   1   import os",
        "   2   ",
        "   3   HOST = 'a'",
        "   4 - PORT = 8080",
        "   4 + PORT = 9090",
        "   5   NAME = 'b'",
        "   6   ",
        "   7   print(PORT)",
    ] == text.split("\n")


def test_a_long_change_is_cut_at_twenty_rows_and_says_how_to_see_it_all(shown):
    """Sixty new lines do not push the question off the screen; nothing is lost from the whole."""
    made = shown("write_file", path="new.py", content="".join(f"row {n}\n" for n in range(60)))

    cut = consent_text("write_file", made.text, 80, made.painted, made.rows).split("\n")

    assert snapshot("  │ new.py: new file, 60 lines") == cut[1]
    assert "\x1b[32m   1 + row 0\x1b[0m" in cut[2]
    assert snapshot("  … 41 more rows: Ctrl-O shows all") == cut[21]
    assert "row 59" in consent_text("write_file", made.text, 80)


def test_where_few_rows_fit_a_change_is_shown_before_the_lines_that_lead_to_it(shown, tmp_path):
    """On twelve rows three lines of context would be all that is seen; what is left out is counted, and Ctrl-O shows it."""
    (tmp_path / "server.py").write_text(OLD)
    made = shown("edit_file", path="server.py", old_text="PORT = 8080", new_text="PORT = 9090")

    cut = consent_text("edit_file", made.text, 40, max_rows=5).split("\n")
    whole = consent_text("edit_file", made.text, 40, max_rows=7).split("\n")

    assert ["  │ server.py +1 -1", "  │    4 - PORT = 8080", "  │    4 + PORT = 9090"] == cut[1:4]
    assert snapshot("  … 4 more rows: Ctrl-O shows all") == cut[6]
    assert ("  │    1   import os", "  │    4 + PORT = 9090") == (whole[2], whole[6])


def test_a_long_write_is_whole_and_one_that_is_not_says_so(shown):
    """Nothing is written that could not be looked at: the middle of a file too."""
    made = [shown("write_file", path="new.py", content=f"{'x' * 99}\n" * count) for count in (2000, 5000)]

    assert [True, False] == [one.whole for one in made]
    assert 2001 == len(made[0].text.split("\n"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_what_cannot_be_shown_whole_cannot_be_agreed_to(chat, scripted, tmp_path):
    """No yes is offered."""
    (tmp_path / "big").write_text(before := f"a{'x' * 99}\n" * 3000)
    edit = {"path": "big", "old_text": "a", "new_text": "b", "replace_all": True}
    server = scripted(calls(("read_file", {"path": "big", "end_line": 1})), calls(("edit_file", edit)), says("Done."))
    terminal = chat(server)
    terminal.press("go\r")
    asked = terminal.until("no, for a [r]eason")
    terminal.press("n")
    terminal.until(lambda text: "Done." in text and ready(text))

    assert "it cannot be agreed to" in " ".join(asked.split())
    assert "[y]es" not in asked
    assert before == (tmp_path / "big").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_question_that_no_mode_answers_names_its_tool_once(chat, scripted, tmp_path):
    """It says what would happen, as every other question does."""
    terminal = chat(scripted(calls(("run_shell", {"command": "rm -rf ."})), says("Kept.")))
    terminal.press("go\r")
    asked = terminal.until("no, for a [r]eason")
    terminal.press("n")
    terminal.until(lambda text: "Kept." in text and ready(text))

    assert "? run_shell: it removes the whole folder (.)" in asked


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
        whole = terminal.until(lambda text: "  40 + row 39" in text and "[y]es once" in text)
        terminal.press("y")
        after = terminal.until(lambda text: "Made." in text and ready(text))

    assert "row 39" not in before
    assert "more rows: Ctrl-O shows all" in before
    assert 1 == whole.count("row 5\n")
    assert "? write_file: it writes new.py → yes\n  act      write_file new.py" in after
    assert 1 == after.count("row 5\n")
    assert not any(words in after for words in ("│", "[y]es", "Ctrl-O shows all"))
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
    assert "new.py: new file, 40 lines" in asked
    assert "more rows: Ctrl-O shows all" in asked
    assert 5 <= asked.count(" │ ")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_an_answered_question_is_one_line_above_the_call_and_the_diff_stands_once(chat, scripted, tmp_path):
    """On a real terminal: neither its keys nor what it was about stay; what is above it does."""
    (tmp_path / "server.py").write_text(OLD)
    edit = {"path": "server.py", "old_text": "PORT = 8080", "new_text": "PORT = 9090"}
    read = calls(("read_file", {"path": "server.py"}))
    server = scripted(read, calls(("edit_file", edit), text="The port is a constant."), says("Done."))
    terminal = chat(server, columns=80)
    terminal.press("change it\r")
    terminal.until("[y]es once")
    terminal.press("y")
    text = terminal.until(lambda text: "Done." in text and ready(text))

    rows = [" ".join(row.split()) for row in text.splitlines()]
    begin = rows.index("think The port is a constant.")
    assert (
        snapshot(
            [
                "",
                "? edit_file: it writes server.py → yes",
                "act edit_file server.py observe ✓ +1 -1",
                "4 - PORT = 8080",
                "4 + PORT = 9090",
                "",
                "Done.",
            ]
        )
        == rows[begin + 1 : begin + 8]
    )
    assert "[y]es" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize("keys", ["\x04", "/exit\r"])
def test_the_last_word_of_a_chat_has_air_above_it(chat, scripted, keys):
    """How to come back stands apart from the prompt, whatever was typed there."""
    terminal = chat(scripted(says("Done.")))
    terminal.press("go\r")
    terminal.until(lambda text: "Done." in text and ready(text))
    terminal.press(keys)
    terminal.leave()

    assert re.search(r"\n> ?(?:/exit)?\n\nsession saved; ", terminal.text)


def scrolled(terminal):
    """What has left the upper end of the screen."""
    return ["".join(row[at].data for at in range(160)).rstrip() for row in terminal.screen.history.top]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_question_that_is_higher_than_the_screen_loses_its_keys_alone(chat, scripted, tmp_path):
    """What has scrolled away cannot be taken back, so nothing of it is; a long command is never cut."""
    command = "\n".join(f"echo {n}" for n in range(40))
    terminal = chat(scripted(calls(("run_shell", {"command": command})), says("Done.")), rows=20, columns=80)
    terminal.press("go\r")
    terminal.until("[y]es once")
    terminal.press("y")
    text = terminal.until(lambda text: "Done." in text and ready(text))

    above = scrolled(terminal)
    assert [f"  │ > echo {n}" for n in range(1, 40)] == [row for row in above if "> echo" in row]
    assert "it runs 40 programs → yes\n" in text
    assert not any("[y]es" in row for row in (text, *above))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize(("columns", "breaks"), [(60, True), (120, True), (60, False)], ids=["tmux", "wider", "xterm"])
def test_a_window_that_changes_while_a_question_stands_loses_no_row_above_it(chat, scripted, columns, breaks):
    """How many rows it takes by then is the terminal's to know: what was decided stands below it."""
    command = f"echo {'long ' * 14}"
    words = says("\n\n".join(f"<{n}>" for n in range(15)))
    terminal = chat(scripted(words, calls(("run_shell", {"command": command})), says("Done.")), columns=90, rows=60)
    terminal.press("say\r")
    terminal.until(lambda text: "<14>" in text and ready(text))
    terminal.press("go\r")
    terminal.until("[y]es once")
    if breaks:
        terminal.resize(columns)
    else:
        terminal.screen.resize(columns=columns)
        terminal.child.setwinsize(60, columns)
    terminal.press("y")
    text = terminal.until(lambda text: "Done." in text and ready(text))

    assert [*(f"<{n}>" for n in range(15)), "> go"] == re.findall(r"<\d+>|> go", "\n".join((*scrolled(terminal), text)))
    assert "? run_shell: it runs a program → yes" in text


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_what_a_slash_command_and_a_first_question_say_has_air_around_it(chat, scripted, tmp_path):
    """A blank row stands above the answer and above the next prompt."""
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    terminal = chat(scripted(), wait=False)
    terminal.until("[y]es")
    terminal.press("y")
    greeted = terminal.until(ready)
    terminal.press("/cost\r")
    text = terminal.until(lambda text: "turns: " in text and ready(text))
    terminal.press("/help keys\r")
    helped = terminal.until(lambda text: "Shift-Tab" in text and ready(text))

    assert re.search(r"AGENTS.md: may it guide the model\? → yes, remembered\n\n>", greeted)
    assert re.search(r"> /cost\n\n\S.*tokens.*\n\n>", text)
    assert re.search(r"> /help keys\n\nKeys\n(?:\S.*\n)+\n>", helped)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_under_no_color_there_is_no_weight_and_no_colour_and_words_and_signs_tell(chat, scripted, tmp_path):
    """Think, act and observe, and what goes and comes, from the question to the answer and the keys."""
    (tmp_path / "server.py").write_text(OLD)
    edit = {"path": "server.py", "old_text": "PORT = 8080", "new_text": "PORT = 9090"}
    read = calls(("read_file", {"path": "server.py"}), text="Look at it.")
    server = scripted(read, calls(("edit_file", edit)), says("# Done\n\nIt is **9090** in `server.py`."))
    terminal = chat(server, columns=80, env={"NO_COLOR": "1"})
    terminal.press("change it\r")
    asked = terminal.until("[y]es once")
    terminal.press("y")
    text = terminal.until(lambda text: "It is" in text and ready(text))
    terminal.press("?")
    terminal.until("Shift-Tab")

    assert all(words in asked for words in ("think", "act", "observe", "│    4 - PORT = 8080", "│    4 + PORT = 9090"))
    assert all(words in text for words in ("→ yes", "4 - PORT = 8080", "4 + PORT = 9090", "# Done", "**9090**"))
    assert set(re.findall(rb"\x1b\[[\d;]*m", terminal.raw)) <= {b"\x1b[0m", b"\x1b[m"}
