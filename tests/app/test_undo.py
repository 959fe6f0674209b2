"""`/undo`, `/retry` and `/rename` on a real pseudo-terminal, and what they leave in files and log."""

import codecs
import json
import re
import sys

import pytest

from tests.screens import ready
from tests.scripted import calls, says

MAY_WRITE = ("--allow", "write_file")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


def say(terminal, line, wanted):
    """Enter *line* and wait for *wanted* and the prompt."""
    terminal.press(f"{line}\r")
    return terminal.until(lambda text: wanted in text and ready(text))


def test_undo_takes_back_the_words_and_the_files_of_one_turn_after_another(chat, scripted, tmp_path, home):
    """Files and history are as before each turn, also after the session was resumed; the log loses nothing."""
    write = [calls(("write_file", {"path": "a.txt", "content": text})) for text in ("one", "two")]
    look = calls(("read_file", {"path": "a.txt"}))
    server = scripted(write[0], says("First."), look, write[1], says("Second."), says("Fresh."))
    terminal = chat(server, *MAY_WRITE)
    say(terminal, "write one", "First.")
    say(terminal, "write two", "Second.")

    text = say(terminal, "/undo", 'taken back: "write two"')
    assert "a.txt is as it was" in text
    assert "one" == (tmp_path / "a.txt").read_text()
    terminal.press("/exit\r")
    assert 0 == terminal.leave()
    (log,) = (home / "sessions").glob("*.jsonl")
    again = chat(server, *MAY_WRITE, "-r", log.stem)
    text = say(again, "/undo", 'taken back: "write one"')
    assert "a.txt is gone again" in text
    say(again, "hello", "Fresh.")

    assert not (tmp_path / "a.txt").exists()
    assert ["system", "user"] == [message["role"] for message in server.requests[-1]["messages"]]
    assert "write two" in log.read_text()
    assert "nothing was asked" not in text


@pytest.mark.parametrize("keys", ["/undo 2\r", "/undo turns\r|two\r"], ids=["a number", "chosen"])
def test_undo_goes_back_to_any_turn(chat, scripted, tmp_path, home, keys):
    """Three turns were, the first one stays: words, files, also one that both changed, and what dreams read."""
    write = [
        calls(("write_file", {"path": name, "content": text}))
        for name, text in (("a.txt", "one"), ("a.txt", "two"), ("b.txt", "new"))
    ]
    look = calls(("read_file", {"path": "a.txt"}), ("run_shell", {"command": "echo hi"}))
    turns = (write[0], says("First."), look, write[1], says("Second."), write[2], says("Third."), says("Fresh."))
    server = scripted(*turns)
    terminal = chat(server, *MAY_WRITE, "--allow", "run_shell(echo **)")
    for words, answer in (("write one", "First."), ("write two", "Second."), ("write three", "Third.")):
        say(terminal, words, answer)

    command, _, choice = keys.partition("|")
    terminal.press(command)
    if choice:
        terminal.until("3 of 3")
        terminal.press(choice)
    text = terminal.until(lambda text: "taken back" in text and ready(text))
    say(terminal, "hello", "Fresh.")

    assert 'taken back: 2 turns, from "write two" on' in text
    assert "what run_shell did to files is not taken back" in text
    assert ["a.txt"] == [path.name for path in tmp_path.glob("*.txt")]
    assert "one" == (tmp_path / "a.txt").read_text()
    kept = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "user"]
    assert ["write one", "hello"] == kept
    rows = [json.loads(line) for line in (home / "memory" / "history.jsonl").read_text().splitlines()]
    assert [3, 2] == [row["retracts"][1] for row in rows if "retracts" in row]


def test_undo_does_not_go_back_behind_a_change_of_somebody_else(chat, scripted, tmp_path):
    """What a user did to a file between two turns would be lost with both; with the last one alone it is not."""
    write = [calls(("write_file", {"path": "a.txt", "content": text})) for text in ("one\n", "two\n")]
    look = calls(("read_file", {"path": "a.txt"}))
    terminal = chat(scripted(write[0], says("First."), look, write[1], says("Second.")), *MAY_WRITE)
    say(terminal, "write one", "First.")
    (tmp_path / "a.txt").write_text("mine\n")
    say(terminal, "write two", "Second.")

    text = say(terminal, "/undo 2", "nothing is taken back")
    assert "two\n" == (tmp_path / "a.txt").read_text()
    assert "2 turns can be taken back, not 3" in say(terminal, "/undo 3", "not 3")
    assert "-two" in text
    say(terminal, "/undo", 'taken back: "write two"')

    assert "mine\n" == (tmp_path / "a.txt").read_text()


@pytest.mark.parametrize(
    ("mark", "encoding", "end", "kept"),
    [
        (b"", "utf-8", "\r\n", True),
        (codecs.BOM_UTF8, "utf-8", "\n", True),
        (codecs.BOM_UTF16_LE, "utf-16-le", "\r\n", True),
        (b"", "latin-1", "\r\n", False),
        (b"", "shift-jis", "\n", False),
        (b"", "gbk", "\n", False),
    ],
    ids=["crlf", "mark", "utf-16", "latin-1", "shift-jis", "gbk"],
)
def test_what_is_asked_is_what_is_written_and_what_is_taken_back(
    chat, scripted, tmp_path, *, mark, encoding, end, kept
):
    """The question shows one line of a file in any encoding, that line alone is written, and /undo brings each byte back."""
    letter = {"shift-jis": "表", "gbk": "你"}.get(encoding, "é")
    lines = [f"{letter} first", "second", f"{letter} third"]
    whole = [mark + (end.join(part) + end).encode(encoding) for part in (lines, [lines[0], "SECOND", lines[2]])]
    (tmp_path / "f").write_bytes(whole[0])
    back = {"path": "f", "content": "\n".join([lines[0], "SECOND", lines[2]]) + "\n"}
    edit = {"path": "f", "old_text": "second", "new_text": "SECOND"}
    write = calls(("write_file", back)), *([] if kept else [calls(("edit_file", edit))])
    terminal = chat(scripted(calls(("read_file", {"path": "f"})), *write, says("Done.")))

    terminal.press("change it\r")
    asked = terminal.until("[y]es once")
    terminal.press("y")
    terminal.until(lambda text: "Done." in text and ready(text))

    assert whole[1] == (tmp_path / "f").read_bytes()
    assert [("2", "-", "second"), ("2", "+", "SECOND")] == re.findall(r"│ +(\d+) ([-+]) +(\S+) *$", asked, re.MULTILINE)
    assert kept != ("not UTF-8" in terminal.text)
    say(terminal, "/undo", "f is as it was")
    assert whole[0] == (tmp_path / "f").read_bytes()


def test_undo_takes_back_a_file_in_a_folder_that_is_left_out_of_lists(chat, scripted, tmp_path):
    """What a tool has edited is kept by its name, wherever it lies."""
    server = scripted(calls(("write_file", {"path": "node_modules/a.js", "content": "1"})), says("Patched."))
    terminal = chat(server, *MAY_WRITE)
    shown = say(terminal, "patch it", "Patched.")

    say(terminal, "/undo", "node_modules/a.js is gone again")

    assert "1 file ·" in shown
    assert not (tmp_path / "node_modules" / "a.js").exists()


def test_undo_refuses_where_a_person_changed_the_file_and_shows_what_it_would_do(chat, scripted, tmp_path):
    """Nothing is taken back then; /undo chat takes back the conversation alone."""
    (tmp_path / "a.txt").write_text("old\n")
    server = scripted(
        calls(("read_file", {"path": "a.txt"}), ("write_file", {"path": "a.txt", "content": "new\n"})),
        says("Written."),
    )
    terminal = chat(server, *MAY_WRITE)
    say(terminal, "write it", "Written.")
    (tmp_path / "a.txt").write_text("mine\n")

    text = say(terminal, "/undo", "nothing is taken back")
    assert "-mine" in text
    assert "+old" in text
    text = say(terminal, "/undo chat", 'taken back: "write it"')

    assert "mine\n" == (tmp_path / "a.txt").read_text()
    say(terminal, "/undo", "nothing was asked yet")


def test_retry_leaves_one_question_in_the_log_and_rename_gives_the_title(chat, scripted, cococat):
    """What a resumed session goes on with is what the chat had."""
    server = scripted(says("First."), says("Better."), says("Later."))
    terminal = chat(server, *MAY_WRITE)
    say(terminal, "a question", "First.")
    say(terminal, "/retry", "Better.")
    say(terminal, "/rename   Trip to  Rome", "this session is now called Trip to Rome")
    terminal.press("/exit\r")
    assert 0 == terminal.leave()

    ran = cococat("ask", "-c", "--base-url", server.base_url, "-m", "s", "and then?")

    assert "Later.\n" == ran.stdout
    sent = [message["content"] for message in server.requests[-1]["messages"][1:]]
    assert ["a question", "Better.", "and then?"] == sent
    assert "Trip to Rome" in cococat("sessions", "list").stdout
    assert "First." not in json.dumps(sent)
