"""A session that cannot be saved, as the user of `cococat chat` sees it."""

import shutil
import sys

import pytest

from tests.screens import ready, says_somewhere
from tests.scripted import says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


def test_a_log_that_is_deleted_while_chatting_is_told_at_once_and_the_work_goes_on(chat, scripted, home):
    """One line says so, the answers still come, and the end says what is lost instead of how to resume."""
    server = scripted(says("First."), says("Second."), says("Third."))
    terminal = chat(server)
    terminal.press("one\r")
    terminal.until(lambda text: "First." in text and ready(text))
    shutil.rmtree(home / "sessions")

    terminal.press("two\r")
    text = terminal.until(lambda text: "Second." in text and ready(text))
    terminal.press("three\r")
    terminal.until(lambda text: "Third." in text and ready(text))
    terminal.press("/exit\r")

    assert 6 == terminal.leave()
    assert text.index("this session is not being saved") < text.index("Second.")
    assert 1 == text.count("this session is not being saved: the file was deleted")
    assert says_somewhere(terminal.text, "what is not saved is lost now")
    assert "session saved" not in terminal.text
    assert "First." in str(server.requests[2]["messages"])


def test_a_home_that_cannot_be_written_is_one_warning_at_the_start(chat, scripted, tmp_path):
    """The chat works in memory."""
    (tmp_path / "file").write_text("x")
    server = scripted(says("Hello."))
    terminal = chat(server, env={"COCOCAT_HOME": str(tmp_path / "file")})

    assert 1 == terminal.text.count("this session is not being saved")
    terminal.press("hi\r")
    terminal.until(lambda text: "Hello." in text and ready(text))
    terminal.press("/exit\r")

    assert 6 == terminal.leave()
