"""`/resume`, `/sessions`, `/theme` and the menu of the prompt, on a real pseudo-terminal."""

import re
import sys
import time

import pytest
from inline_snapshot import snapshot

from cococat.core.events import MessageAdded, TurnFinished
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Assistant, User
from cococat.store.sessions import create
from tests.screens import ready
from tests.scripted import says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


@pytest.fixture
def talked(home):
    """Make a session with one turn, some days ago."""

    def talk(text, days, name=""):
        now = time.time() - days * 86_400
        log = create(home / "sessions", model="m", host="h", mode="react", cwd="/home/me/project", clock=lambda: now)
        log.emit(MessageAdded(User(text)))
        log.emit(MessageAdded(Assistant(f"Of {text}.")))
        log.emit(TurnFinished("", Stop(StopReason.ANSWERED), 1, Usage(1, 1), 0.1))
        if name:
            log.rename(name)
        log.close()

    return talk


def picker(text):
    """The picker stands on the screen, whole."""
    return "Esc leaves" in text


def closed(text):
    """The picker is gone and the prompt is back."""
    return not picker(text) and ready(text)


@pytest.mark.parametrize(("command", "size"), [("/resume", (40, 12)), ("/sessions", (120, 40))])
def test_a_session_is_chosen_by_a_few_letters_and_enter(chat, scripted, talked, command, size):
    """Title, age, folder and first words are shown; letters filter, Esc leaves with nothing changed, Enter goes on."""
    for number in range(4):
        talked(f"question {number}", number + 3)
    talked("change the port\x1b]0;x\x07 to 9090", 1, name="servers 为什么")
    talked("the newest", 0)
    server = scripted(says("Yes."))
    terminal = chat(server, columns=size[0], rows=size[1])

    terminal.press(f"{command}\r")
    listed = terminal.until(picker)
    terminal.press("\x1b[B")
    marked = terminal.until(re.compile("^> .*servers 为", re.MULTILINE).search)
    terminal.press("\x1b")
    left = terminal.until(closed)
    terminal.press(f"{command}\r")
    terminal.until(picker)
    terminal.press("chng 90")
    one = terminal.until("1 of 6")
    terminal.press("\r")
    resumed = terminal.until(lambda text: "2 messages" in text and ready(text))
    terminal.press("and now?\r")
    terminal.until("Yes.")

    assert "1 d ago" in listed
    assert "6 of 6" in listed
    assert "/home/me/project · 1 turn" in marked
    assert "change the port" in marked
    assert "messages" not in left
    assert "servers" in one
    assert "question" not in one
    assert "Of change the port" in resumed
    assert "change the port" in server.requests[0]["messages"][1]["content"]
    assert b"\x1b]0;" not in terminal.raw
    assert b"\x1b[?1049h" not in terminal.raw


@pytest.mark.parametrize("command", ["/resume", "/sessions"])
@pytest.mark.parametrize("size", [(12, 7), (6, 3), (4, 1)], ids=lambda size: f"{size[0]} rows")
def test_a_picker_fits_a_screen_of_few_rows(chat, scripted, talked, command, size):
    """The list has what the rows for typing, for the marked choice and for the keys leave; it moves with the mark."""
    for number in range(20):
        talked(f"question {number:02}", number + 1)
    rows, listed = size
    terminal = chat(scripted(), columns=40, rows=rows)

    terminal.press(f"{command}\r")
    first = terminal.until(picker)
    terminal.press("\x1b[B" * 12)
    moved = terminal.until(re.compile("^> .*question 12", re.MULTILINE).search)
    terminal.press("\x1b")
    terminal.until(closed)

    assert [listed, listed] == [
        len(re.findall(r"question \d\d$", text, re.MULTILINE)) - (rows > 9) for text in (first, moved)
    ]
    assert "resume:" in first
    assert snapshot("  20 of 20 · Enter resumes · Esc leaves") == first.splitlines()[-1]


def test_without_a_picker_there_is_the_list(chat, scripted, talked):
    """A terminal that cannot move its cursor gets rows with numbers; `/resume 2` takes the second."""
    talked("the older one", 2)
    talked("the newer one", 1)
    terminal = chat(scripted(), env={"TERM": "dumb"}, wait=False)
    terminal.until(ready)

    terminal.press("/sessions\r")
    listed = terminal.until("/resume NUMBER")
    terminal.press("/resume 2\r")
    terminal.until("Of the older one.")

    assert re.search(r"^ 1 .* 1 d ago +the newer one$", listed, re.MULTILINE)


def test_there_is_nothing_to_choose_from_at_first(chat, scripted):
    """No empty list stands on the screen."""
    terminal = chat(scripted())

    terminal.press("/resume\r")

    terminal.until("there are no sessions yet")


def test_a_theme_is_switched_at_once_and_the_way_to_keep_it_is_told(chat, scripted):
    """What follows is blue instead of cyan, the prompt as well; a name that is none is refused."""
    terminal = chat(scripted(says("`code`")), columns=80)

    terminal.press("/theme light\r")
    terminal.until(lambda text: "to keep it: cococat config set terminal.theme light" in text and ready(text))
    before = len(terminal.raw)
    terminal.press("hi\r")
    terminal.until(lambda text: "code" in text and ready(text))
    light = terminal.raw[before:]
    terminal.press("/theme auto\r")
    terminal.until("the theme is now auto, which is dark here")
    terminal.press("/theme mauve\r")
    terminal.until("one of dark, light, plain, auto")
    terminal.press("/theme\r")
    terminal.until("/theme dark|light|plain|auto changes it")

    assert b"\x1b[34mcode" in light
    assert not re.search(rb"\x1b\[[0-9;]*36", light)
    assert re.search(rb"\x1b\[[0-9;]*34;1m> ", light)


def test_toolbar_menu_and_picker_are_ascii_where_the_locale_is_not_utf_8(chat, scripted, talked, monkeypatch):
    """Such a terminal shows three strange letters for each of our marks."""
    monkeypatch.setenv("LC_ALL", "C")
    talked("the newest", 0)
    terminal = chat(scripted(), columns=40)

    prompt = terminal.until("ask-first")
    terminal.press("/")
    menu = terminal.until("the ke...")
    terminal.press("resume\r")
    chosen = terminal.until(picker)

    assert (prompt + menu + chosen).isascii()


def shows(*words):
    """Return whether a screen shows all of *words*; a menu may come in pieces."""
    return lambda text: all(word in text for word in words)


@pytest.mark.parametrize("columns", [40, 120])
def test_the_menu_is_whole_on_a_narrow_screen_and_in_the_themes_colours(chat, scripted, talked, columns):
    """Names are never cut; values are offered behind a command, each with what it means, sessions by their titles."""
    talked("about parsers", 1)
    terminal = chat(scripted(), columns=columns, rows=40)

    terminal.press("/")
    names = terminal.until(shows("/help  ", "/new  ", "this list, or the", "/exit"))
    terminal.press("\x1b[B")
    if columns < 80:
        terminal.until(re.compile(r"^ +this list, or the keys alone$", re.MULTILINE).search)
    terminal.press("\x15/")
    terminal.press("permissions ")
    terminal.until(shows("plan  ", "ask-first  ", "edits  ", "auto  "))
    terminal.press("\x15/export ")
    terminal.until(shows("html  ", "md  ", "json  ", "Markdown"))
    terminal.press("\x15/theme")
    terminal.until(re.compile(r"> /theme\n\s*scripted").search)
    terminal.press(" ")
    terminal.until(shows("auto  ", "dark  ", "light  ", "plain  "))
    terminal.press("\x15/resume pars")
    terminal.until(shows("about parsers", "1 d ago"))
    terminal.press("\t\r")
    terminal.until("Of about parsers.")

    assert not re.search(rb"\x1b\[[0-9;]*[34]8;", terminal.raw)
    assert "..." not in names
    assert columns >= 80 or "this list, or the keys…" in names


@pytest.mark.parametrize(("typed", "offered"), [("look at @ser", "server_of_it.py"), ("/permissions ed", "edits")])
def test_the_menu_stands_below_the_word_that_it_completes(chat, scripted, tmp_path, typed, offered):
    """Neither at the edge of the screen nor behind the cursor."""
    (tmp_path / "server_of_it.py").touch()
    terminal = chat(scripted())

    terminal.press(typed)
    rows = terminal.until(lambda text: offered in text).splitlines()

    row = next(row for row in rows if typed in row)
    start = re.search(r"@?(?=\w+$)", row).end()
    assert start == rows[rows.index(row) + 1].index(offered)


def test_a_name_that_is_wider_than_the_screen_keeps_its_end_in_the_menu(chat, scripted, tmp_path):
    """What tells paths apart stands last; what is said of a word gives way before the word does."""
    deep = "some/deep/folder/of/the/project/with"
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / deep / "server.py").touch()
    terminal = chat(scripted(), columns=40)

    terminal.press("look at @server")

    assert re.search(r"^ …\S+/with/server\.py$", terminal.until("server.py"), re.MULTILINE)
