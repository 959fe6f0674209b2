"""`cococat chat` on a real pseudo-terminal: what a user sees and what is kept."""

import json
import os
import re
import sys
import threading
import tomllib
from functools import partial

import pytest
from inline_snapshot import snapshot

from tests.screens import ready
from tests.scripted import STALL, broken, calls, forever, reached, says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")

IDLE = "> "


@pytest.fixture
def chat(chat):
    """Start it, and see it from its first line on."""
    return partial(chat, wait=False)


def in_its_first_answer(chat, scripted):
    """A chat whose first answer waits to go on, its server, and what lets it."""
    shown, go = threading.Event(), threading.Event()
    server = scripted(says("First.", reached(shown), go), says("Second."))
    terminal = chat(server)
    terminal.until(ready)
    terminal.press("one\r")
    assert shown.wait(60)
    return terminal, server, go


def test_a_long_silence_is_told_with_the_key_that_stops_it(chat, scripted):
    """The turn goes on waiting; Esc ends it."""
    terminal = chat(scripted(broken(how=STALL)), env={"COCOCAT_TIMEOUTS_FIRST_BYTE": "0.3"})
    terminal.until(ready)

    terminal.press("hi\r")
    terminal.until("still waiting, 0.3 s; Esc stops")
    terminal.press("\x1b")

    terminal.until(ready)


def test_three_turns_with_a_tool_and_the_way_out(chat, scripted, tmp_path):
    """Questions, steps and answers scroll by; leaving tells how to come back; the log holds it all."""
    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    server = scripted(says("Hello Dana."), calls(("read_file", {"path": "notes.txt"}), text="I look."), says("Milk."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("I am Dana\r")
    terminal.until(lambda text: "Hello Dana." in text and ready(text))
    terminal.press("what do I need?\r")
    text = terminal.until(lambda text: "Milk." in text and ready(text))
    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert "think    I look." in text
    assert re.search(r"act      read_file notes.txt +observe  ✓ 1 line", text)
    assert "cococat chat -r " in terminal.text
    assert "Dana" in json.dumps(server.requests[2]["messages"])


@pytest.mark.parametrize("key", ["\x03", "\x1b"], ids=["Ctrl-C", "Esc"])
def test_a_stopped_turn_keeps_its_text_and_the_chat_goes_on(chat, scripted, key):
    """The partial answer stays on the screen and in the history of the next request."""
    shown = threading.Event()
    server = scripted(broken("Half an answer", reached(shown), how=STALL), says("As you wish."))
    terminal = chat(server)
    terminal.until(ready)
    terminal.press("a long story\r")
    assert shown.wait(60)
    terminal.until("Half an answer")

    terminal.press(key)
    terminal.until(lambda text: "Half an answer" in text and ready(text))
    terminal.press("never mind\r")
    terminal.until("As you wish.")

    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert ["system", "user", "assistant", "user"] == roles
    assert snapshot("Half an answer") == server.requests[1]["messages"][2]["content"]


def test_consent_is_asked_and_a_no_is_told_to_the_model(chat, scripted, tmp_path):
    """The whole command is shown; n keeps it from running and the model hears of it."""
    wanted = calls(("run_shell", {"command": "touch made"}))
    server = scripted(wanted, says("Then not."), calls(("run_shell", {"command": "touch made"})), says("Made."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("make it\r")
    assert "touch made" in terminal.until("[y]es")
    terminal.press("n")
    terminal.until(lambda text: "Then not." in text and ready(text))
    assert not (tmp_path / "made").exists()
    terminal.press("do it now\r")
    terminal.until("[y]es")
    terminal.press("y")
    terminal.until("Made.")

    assert (tmp_path / "made").exists()
    assert "the user said no" in server.requests[1]["messages"][-1]["content"]


def test_what_is_typed_while_a_turn_runs_answers_no_question(chat, scripted, tmp_path):
    """The letters belong to the draft, whole, and the command waits for a key that came after the question."""
    server = scripted(calls(("run_shell", {"command": "touch made"})), says("Made."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("make it\r")
    terminal.until(lambda text: not ready(text))  # Enter was read by itself
    terminal.press("yes, say y")
    terminal.until("touch made")
    terminal.press("es and")
    terminal.until("[y]es once")
    assert not (tmp_path / "made").exists()
    terminal.press("y")
    terminal.until("Made.")
    terminal.until("> yes, say yes and")

    assert (tmp_path / "made").exists()


def test_a_consent_for_the_session_names_its_rule_and_always_writes_it_down(chat, scripted, home, tmp_path):
    """
    The exact rule is shown; it holds for the next call, and `always` is in the config file for the next chat.

    The prompt of the next turn says nothing of either: a server would have to read the whole conversation again.
    """
    once = calls(("run_shell", {"command": "touch made"}))
    other = calls(("run_shell", {"command": "touch other"}))
    (home / "config.toml").write_text("# mine\n[permissions]\nallow = ['run_shell(git status)']\n")
    server = scripted(once, once, other, says("Made."), says("Welcome."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("make it\r")
    terminal.until("[s]ession  [a]lways\n    run_shell(touch made)")
    terminal.press("s")
    terminal.until("[s]ession  [a]lways\n    run_shell(touch other)")
    terminal.press("a")
    terminal.until(lambda text: "Made." in text and ready(text))
    terminal.press("thanks\r")
    terminal.until("Welcome.")

    text = (home / "config.toml").read_text()
    assert text.startswith("# mine\n")
    assert snapshot(["run_shell(git status)", "run_shell(touch other)"]) == tomllib.loads(text)["permissions"]["allow"]
    assert f"{home / 'config.toml'} allows run_shell(touch other) from now on" in terminal.text
    assert (tmp_path / "other").exists()
    allowed = {request["messages"][0]["content"].splitlines()[-1] for request in server.requests}
    assert [True] == ["run_shell(git status); anything else is the user's to allow" in line for line in allowed]


def test_the_end_of_the_rule_moves_with_the_arrows_before_it_is_agreed_to(chat, scripted, tmp_path):
    """What is shown is what is kept: the next call that it does not name asks again."""
    wanted = [calls(("run_shell", {"command": f"grep -c {name} a.txt"})) for name in ("a", "b")]
    (tmp_path / "a.txt").write_text("a\n")
    terminal = chat(scripted(*wanted, says("Counted.")))
    terminal.until(ready)

    terminal.press("count\r")
    terminal.until("    run_shell(grep -c a **)")
    terminal.press("\x1b[C")
    terminal.until("    run_shell(grep -c a a.txt)")
    terminal.press("s")
    terminal.until("    run_shell(grep -c b **)")
    terminal.press("n")
    terminal.until("Counted.")

    assert "? run_shell: it runs a program → no" in terminal.text


def test_a_yes_to_all_edits_is_for_this_session_and_delicate_files_still_ask(chat, scripted, tmp_path):
    """One answer covers files below the folder; what other programs run is asked about, and not by this answer."""
    server = scripted(
        *(calls(("write_file", {"path": path, "content": "x\n"})) for path in ("a", "b/c", ".git/hooks/post-commit")),
        calls(("edit_file", {"path": "a", "old_text": "x", "new_text": "y"})),
        says("Done."),
    )
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("make them\r")
    terminal.until("all edits in the [f]older")
    terminal.press("f")
    asked = terminal.until("post-commit can change")
    rows = terminal.until(lambda text: "post-commit can change" in text and "[y]es once" in text)
    terminal.press("n")
    terminal.until(lambda text: "Done." in text and ready(text))

    assert "? write_file: it writes a → yes, all edits in the folder for this session" in asked
    assert "[f]older" not in rows[rows.index("post-commit can change") :]
    assert ("y\n", "x\n") == ((tmp_path / "a").read_text(), (tmp_path / "b/c").read_text())
    assert not (tmp_path / ".git").exists()


def test_shift_tab_answers_a_question_where_the_next_mode_allows_the_call(chat, scripted, tmp_path):
    """An edit runs in the mode `edits`; a program that no mode but a yes runs stays a question, and says the mode."""
    server = scripted(
        calls(("write_file", {"path": "a", "content": "x\n"})), calls(("run_shell", {"command": "touch b"})), says("Done.")
    )  # fmt: skip
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("make them\r")
    terminal.until("[y]es once")
    terminal.press("\x1b[Z")
    terminal.until(lambda text: "it writes a → yes: permission mode edits" in text and "[y]es once" in text)
    terminal.press("\x1b[Z")
    terminal.until("permission mode: auto")
    terminal.press("\x1b[Z")
    terminal.until("permission mode: plan")
    terminal.press("y")
    terminal.until(lambda text: "Done." in text and ready(text))

    assert "x\n" == (tmp_path / "a").read_text()
    assert (tmp_path / "b").exists()


def test_a_command_that_only_the_bare_tool_covers_is_allowed_once_or_not(chat, scripted, tmp_path):
    """No key grants every command; the next one is asked about again."""
    server = scripted(
        calls(("run_shell", {"command": "touch a > b"})), calls(("run_shell", {"command": "touch c > d"})), says("Done.")
    )  # fmt: skip
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("make them\r")
    asked = terminal.until("[n]o  no, for a [r]eason  [y]es once")
    terminal.press("y")
    terminal.until(lambda text: "$ touch c > d" in text and "[y]es once" in text)
    terminal.press("r")
    terminal.until("why not?")
    terminal.press("d is not needed\r")
    terminal.until("Done.")

    assert "[s]ession" not in asked
    assert (tmp_path / "b").exists()
    assert not (tmp_path / "c").exists()
    assert "the user said no: d is not needed" in server.requests[2]["messages"][-1]["content"]


def test_a_question_of_the_model_is_asked_inside_the_turn(chat, scripted):
    """The user's answer is the tool's result and the same run goes on; the question stands once, above its call."""
    server = scripted(calls(("ask_user", {"question": "Which port?"})), says("8080 it is."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("set it up\r")
    terminal.until(lambda text: ready(text.partition("? Which port?")[2]))  # what is typed before that is dropped
    terminal.press("8080\r")
    shown = terminal.until("8080 it is.")

    assert 1 == shown.count("Which port?")
    assert re.search(r"act +ask_user +observe +✓ answered", shown)
    assert "8080" in server.requests[1]["messages"][-1]["content"]


def test_a_failing_model_does_not_end_the_chat(chat, scripted):
    """The error is one line with the fix, in commands of the chat; the next question can be asked."""
    from tests.scripted import fault

    server = scripted(fault(400, "something is odd"), says("Back again."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("hello\r")
    text = terminal.until(lambda text: "error" in text and ready(text))
    terminal.press("/retry\r")
    terminal.until("Back again.")

    assert "Traceback" not in text
    assert "/doctor shows which endpoint and model are used; /model NAME or" in " ".join(text.split())


def test_a_line_typed_while_a_turn_runs_is_sent_after_it(chat, scripted):
    """Nothing that was typed is lost."""
    terminal, server, go = in_its_first_answer(chat, scripted)
    terminal.until("First.")

    terminal.press("two\r")
    terminal.until("queued   two")
    go.set()
    terminal.until("Second.")

    assert "two" == server.requests[1]["messages"][-1]["content"]


@pytest.mark.usefixtures("dreams")
def test_three_exchanges_are_dreamt_of_at_the_end_and_the_receipt_is_shown(chat, scripted, home):
    """Leaving compacts the memory with two tools, shows the real diff's receipt, and MEMORY.md has the line."""

    def dreaming(body):
        assert {"read_file", "edit_file"} == {tool["function"]["name"] for tool in body["tools"]}
        edit = {
            "path": "MEMORY.md",
            "old_text": "## About the user\n",
            "new_text": "## About the user\n- Lives in Lisbon\n",
            "evidence": [{"seq": 1, "quote": "I live in Lisbon"}],
        }
        return calls(("edit_file", edit))

    server = scripted(says("Nice."), says("Sure."), says("Bye."), dreaming, says("Remembered."))
    terminal = chat(server)
    terminal.until(ready)
    for words, answer in (("I live in Lisbon", "Nice."), ("thanks", "Sure."), ("bye", "Bye.")):
        terminal.press(f"{words}\r")
        terminal.until(lambda text, answer=answer: answer in text and ready(text))

    terminal.press("\x04")

    assert 0 == terminal.leave()
    assert "remembered " in terminal.text
    assert "undo: cococat dream undo" in terminal.text
    assert "I live in Lisbon" in (home / "memory" / "MEMORY.md").read_text()


def test_the_sdk_is_not_imported_before_the_prompt_is_drawn():
    """The modules of a chat up to its first prompt hold no openai."""
    import subprocess

    code = "import sys, cococat.app.chat.repl; print([m for m in ('openai', 'tiktoken') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == ran.stdout.strip()


def test_chat_without_a_terminal_is_refused(cococat):
    """No hang, no traceback: one line that names `ask`."""
    ran = cococat("chat", "--base-url", "http://127.0.0.1:9/v1", "hello")

    assert 2 == ran.code
    assert "cococat ask" in ran.stderr


def test_what_is_entered_before_the_prompt_is_there_is_sent(chat, scripted):
    """Enter is Enter, also for those who are faster than the start; several lines at once are looked at first."""
    server = scripted(says("Good morning."))
    terminal = chat(server)

    terminal.press("hello early\r")
    terminal.until(lambda text: "Good morning." in text and ready(text))

    assert "hello early" == server.requests[0]["messages"][-1]["content"]


def test_several_lines_before_the_prompt_wait_in_it(chat, scripted):
    """They may be one paste, which only the user can tell."""
    server = scripted(says("Both."))
    terminal = chat(server)

    terminal.press("one\rtwo\r")
    terminal.until(lambda text: "> one\n  two\n" in text and "scripted · react" in text)
    terminal.press(", three\r")
    terminal.until("Both.")

    assert snapshot("one\ntwo, three") == server.requests[0]["messages"][-1]["content"]


def test_what_is_entered_between_two_ctrl_c_makes_the_second_the_first_again(chat, scripted):
    """Turns, commands and the prompt share one memory of the last Ctrl-C, and an entered line clears it."""
    again = "Ctrl-C again leaves"
    terminal = chat(scripted())
    terminal.until(ready)

    terminal.press("\x03")
    terminal.until(again)
    terminal.press("/cost\r")
    terminal.until(lambda text: "tokens in 0 turns" in text and again not in text and ready(text))
    terminal.press("\x03")
    terminal.until(again)
    terminal.press("\x03")

    assert 130 == terminal.leave()
    assert 1 == terminal.text.count("tokens in 0 turns")


def test_what_is_entered_between_two_prompts_is_typed_and_a_paste_is_a_paste(chat, scripted, home):
    """While nobody reads, Enter stays Enter, only what was pasted counts as that, and facts reach the memory."""
    dreaming, go = threading.Event(), threading.Event()
    server = scripted(says("Hi."), says("Nothing to keep.", reached(dreaming), go), says("Nice."), says("Seen."))
    terminal = chat(server)
    terminal.until(ready)
    terminal.press("hello my dear friend\r")
    terminal.until(lambda text: "Hi." in text and ready(text))
    terminal.press("/dream\r")
    assert dreaming.wait(60)

    terminal.press("I live in Lisbon\r")
    go.set()
    terminal.until(lambda text: "Nice." in text and ready(text))
    terminal.press("see \x1b[200~a whole pasted\rblock of text\x1b[201~\r")
    terminal.until(lambda text: "Seen." in text and ready(text))

    remembered = [json.loads(line) for line in (home / "memory" / "history.jsonl").read_text().splitlines()]
    assert snapshot("I live in Lisbon") == server.requests[-2]["messages"][-1]["content"]
    assert snapshot("see a whole pasted\nblock of text") == server.requests[-1]["messages"][-1]["content"]
    assert ["typed"] == [part["origin"] for part in remembered[1]["user"]]
    assert ["typed", "pasted"] == [part["origin"] for part in remembered[2]["user"]]


def test_a_line_entered_under_a_command_of_the_users_own_is_sent(chat, scripted):
    """The command has the terminal as it was found, and what it did not read is the next line."""
    server = scripted(says("Heard."))
    terminal = chat(server)
    terminal.until(ready)
    waiting = "import os; os.write(1, b'be' + b'gun '); os.read(0, 9); print('over')"
    terminal.press(f'!{sys.executable} -c "{waiting}"\r')
    terminal.until("begun")

    terminal.press("first\rthe second\r")
    terminal.until(lambda text: "Heard." in text and ready(text))

    assert "the second" == server.requests[0]["messages"][-1]["content"]


def test_what_is_typed_while_nobody_reads_it_is_typed(chat, scripted, home, dreams, tmp_path):
    """A line under a command of the user's own, and one from before the chat has the terminal, can be remembered."""
    server = scripted(says("One."), says("Two."))
    terminal = chat(server, "--no-dream")
    terminal.press("I live in Lisbon\r")
    terminal.until(lambda text: "One." in text and ready(text))
    waiting = "import os; os.write(1, b'be' + b'gun '); os.read(0, 9); print('over')"
    terminal.press(f'!{sys.executable} -c "{waiting}"\r')
    terminal.until("begun")

    terminal.press("first\rmy cat is called Miso\r")
    terminal.until(lambda text: "Two." in text and ready(text))

    remembered = [json.loads(line) for line in (home / "memory" / "history.jsonl").read_text().splitlines()]
    assert [["typed"], ["typed"]] == [[part["origin"] for part in record["user"]] for record in remembered]


def test_a_secret_that_was_typed_is_not_kept_for_the_arrow_keys(chat, scripted, home):
    """The history of the prompt holds the line without it: a key that is set, a token, a password told in words."""
    key, token = "canary-of-the-line-4711", "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
    server = scripted(says("One."), says("Two."))
    terminal = chat(server, env={"COCOCAT_API_KEY": key})
    for number, line in enumerate((f"is {key} mine, and {token}?", "my password is hunter2-blue")):
        terminal.until(lambda text, number=number: ready(text) and ("One." in text or not number))
        terminal.press(f"{line}\r")
    terminal.until(lambda text: "Two." in text and ready(text))

    (history,) = (home / "state" / "history").iterdir()
    kept = history.read_text()
    assert not [secret for secret in (key, token, "hunter2") if secret in kept]
    assert "+is [redacted:known] mine, and [redacted:" in kept
    assert "+my password is [redacted:password]" in kept


def test_a_chat_knows_what_was_listed_and_what_a_probe_found(chat, cococat, scripted):
    """`/model` completes from the listing; the toolbar has the probe's word for calls."""
    written = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'
    play = forever(lambda body: says(written) if body.get("tools") else says("one ", "two", usage=(9, 9)))
    server = scripted(play, models=("scripted", "granite4:8b"))
    at = ("--base-url", server.base_url)
    done = [cococat("models", *at).code, cococat("doctor", "--probe", "--yes", "-m", "scripted", *at).code]
    assert [0, 0] == done

    terminal = chat(server)
    terminal.until(ready)
    assert "scripted · tools in words · react" in terminal.until("0 tokens")
    terminal.press("/model\r")
    terminal.until(lambda text: "also there: granite4:8b" in text and ready(text))
    terminal.press("/model gr\t")
    terminal.until("> /model granite4:8b")


def test_tab_behind_model_asks_the_endpoint(chat, scripted):
    """Nothing was listed before: the word is completed as soon as the names are there, and keys are taken meanwhile."""
    server = scripted(models=("scripted", "granite4:8b"))
    terminal = chat(server)
    terminal.until("0 tokens")

    terminal.press("/model gr\t")

    terminal.until("> /model granite4:8b")
    assert ["/v1/models"] == server.looked


def test_the_toolbar_is_drawn_before_the_library_of_the_model_is_loaded(chat, scripted):
    """Its import takes longer than all that is before it; what Python tells of imports is on the same terminal."""
    terminal = chat(scripted(), env={"PYTHONPROFILEIMPORTTIME": "1"}, wait=False)

    terminal.until(lambda _: re.search(rb"\| +openai\r", terminal.raw))

    loaded = re.search(rb"\| +(openai|httpx2|pydantic)[.\r]", terminal.raw)
    assert 0 < terminal.raw.find(b"ask-first") < loaded.start()


def test_the_toolbar_says_what_the_next_request_would_hold(chat, scripted):
    """Model, protocol, mode, permission; the part of the window grows with what is typed, before Enter."""
    terminal = chat(scripted(says("Yes.")))
    terminal.until(ready)
    assert "scripted · react · ask-first · 0 tokens" in terminal.until("0 tokens")

    terminal.press("x")
    few = int(re.search(r"· context ~?(\d+) %", terminal.until(" %"))[1])
    terminal.press(f"\x1b[200~{'word ' * 8000}\x1b[201~")
    terminal.until(lambda text: (found := re.search(r"· context ~?(\d+) %", text)) and int(found[1]) > few)


def test_a_narrow_toolbar_keeps_what_is_permitted_and_how_full_the_window_is(chat, scripted):
    """What matters least goes first, and the name of the model is cut before a word is lost at the edge."""
    name = "a-model-with-a-long-name-of-a-certain-vendor/instruct"
    terminal = chat(scripted(says("Yes.")), "-m", name, rows=12, columns=40)
    terminal.until("ask-first")

    terminal.press("x")
    terminal.until(" %")

    below = [row for row in terminal.text.splitlines() if row.startswith("  a-model") and " %" in row][-1]
    assert re.fullmatch(r"  a-model-\S*… · ask-first · context ~?\d+ %", below)
    assert 40 == len(below)


def test_words_behind_the_command_stand_on_the_screen_as_what_was_asked(chat, scripted):
    """Whoever looks up finds the question above its answer, as if it had been typed."""
    terminal = chat(scripted(says("Four.")), "what", "is", "2+2", wait=False)

    text = terminal.until(lambda text: " tokens · " in text and ready(text))

    assert "\n\n> what is 2+2\n\nFour.\n" in text


def test_an_arrow_and_enter_choose_an_answer(chat, scripted, tmp_path):
    """The last but one is the session's rule; Enter alone is no answer."""
    wanted = calls(("run_shell", {"command": "touch made"}))
    terminal = chat(scripted(wanted, wanted, says("Done.")))
    terminal.until(ready)
    terminal.press("make it\r")
    terminal.until("[y]es once")
    terminal.press("\x1b[D")
    terminal.until(lambda _: b"\x1b[7m[a]lways" in terminal.raw)
    terminal.press("\x1b[D")
    terminal.until(lambda _: b"\x1b[7m[s]ession" in terminal.raw)
    terminal.press("\r")
    terminal.until("Done.")

    assert "? run_shell: it runs a program → yes, for this session" in terminal.text
    assert (tmp_path / "made").exists()
    assert "[s]ession" not in terminal.text


def test_a_draft_is_seen_edited_and_queued_below_the_turn_and_echoed_when_it_runs(chat, scripted):
    """The row holds what is typed; Up takes the queue back; the line is seen again where it begins to run."""
    terminal, server, go = in_its_first_answer(chat, scripted)

    terminal.press("tow\x1b[D\x1b[D\x1b[3~\x1b[Co")
    terminal.until("> two")
    terminal.press("\r")
    terminal.until("queued   two")
    terminal.press("\x1b[A")
    terminal.until(lambda text: "> two" in text and "queued" not in text)
    terminal.press("!\r")
    terminal.until("queued   two!")
    go.set()
    text = terminal.until(lambda text: "Second." in text and ready(text))

    assert "\n> two!\n" in text
    assert "queued" not in text
    assert "two!" == server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("key", ["\x03", "\x1b"], ids=["Ctrl-C", "Esc"])
def test_stopping_a_turn_gives_its_queue_back_to_the_input(chat, scripted, key):
    """Both lines and the draft behind them stand at the next prompt, one after the other; none was sent, none is glued."""
    shown = threading.Event()
    server = scripted(broken("Half", reached(shown), how=STALL), says("Now."), says("Then."), says("Last."))
    terminal = chat(server)
    terminal.until(ready)
    terminal.press("one\r")
    assert shown.wait(60)

    terminal.press("two\r")
    terminal.until("queued   two")
    terminal.press("three\r")
    terminal.until("queued   three")
    terminal.press("fo")
    terminal.until("> fo")
    terminal.press(key)
    terminal.until(lambda text: "given back, one at a time; next: three · fo" in text and "> two" in text)
    for words, answer, draft in (("\r", "Now.", "> three"), ("\r", "Then.", "> fo"), ("ur\r", "Last.", "> ")):
        terminal.press(words)
        terminal.until(lambda text, words=(answer, draft): all(word in text for word in words))

    assert ["two", "three", "four"] == [body["messages"][-1]["content"] for body in server.requests[1:]]


def test_a_draft_outlives_the_turn_of_a_queued_line(chat, scripted):
    """What was begun behind a queued line is at the next prompt, whole, after that line's turn."""
    shown, go, second, end = (threading.Event() for _ in range(4))
    server = scripted(says("First.", reached(shown), go), says("Second.", reached(second), end), says("Third."))
    terminal = chat(server)
    terminal.until(ready)
    terminal.press("one\r")
    assert shown.wait(60)

    terminal.press("two\r")
    terminal.until("queued   two")
    terminal.press("a dra")
    terminal.until("> a dra")
    go.set()
    assert second.wait(60)
    terminal.press("ft")
    end.set()
    terminal.until("> a draft")
    terminal.press("\r")
    terminal.until("Third.")

    assert "a draft" == server.requests[2]["messages"][-1]["content"]


def test_ctrl_d_during_a_turn_leaves_after_it_and_only_from_an_empty_line(chat, scripted):
    """The answer is still given; on a line with text it does nothing."""
    shown, go = threading.Event(), threading.Event()
    server = scripted(says("The answer.", reached(shown), go))
    terminal = chat(server)
    terminal.until(ready)
    terminal.press("one\r")
    assert shown.wait(60)

    terminal.press("x\x04\x7f\x04")
    terminal.until("leaving when this turn has ended")
    go.set()

    assert 0 == terminal.leave()
    assert "The answer." in terminal.text
    assert "leaving when" not in terminal.text
    assert 1 == len(server.requests)


def test_coming_back_shows_which_session_it_is_and_its_last_exchange(chat, scripted, tmp_path):
    """`-c` prints title, age and turns, then the last question and its answer, nothing twice; a new session prints none."""
    server = scripted(says("Hello."), says("The **second** answer."))
    for answer, question in (("Hello.", "my first question"), ("The second answer.", "and what\nnext?")):
        terminal = chat(server) if answer == "Hello." else chat(server, "-c")
        before = terminal.until(ready)
        assert (answer != "Hello.") == bool(
            re.search(r"\n\d+ (s|min) ago · 1 turn\n\n> my first question\n\nHello\.\n", before)
        )
        terminal.press(f"{question}\r")
        terminal.until(lambda text, answer=answer: answer in text.partition("next?")[2] + text and ready(text))
        terminal.press("/exit\r")
        assert 0 == terminal.leave()

    terminal = chat(server, "-c")
    text = terminal.until(ready)
    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert re.search(
        r"my first question · +\d+ (s|min) ago · 2 turns\n\n> and what next\?\n\nThe \*\*second\*\* answer\.", text
    )


def test_what_was_entered_in_this_folder_is_suggested_and_nothing_of_another(chat, scripted, tmp_path):
    """The rest of an earlier line stands dim behind the cursor; the right arrow takes it."""
    here, there = tmp_path / "here", tmp_path / "there"
    server = scripted(says("One."), says("Two."), says("Three."))
    for root, keys, sent in (
        (here, "only known here\r", "only known here"),
        (there, "only\x1b[C\x1b[A\r", "only"),
        (here, "only kn\x1b[C\r", "only known here"),
    ):
        root.mkdir(exist_ok=True)
        terminal = chat(server, "--root", root)
        terminal.until(ready)
        for part in re.split(r"(?=\x1b|\r)", keys):
            terminal.press(part)
            if part == "only kn":
                terminal.until("> only known here")
        terminal.until(lambda text: "tok" in text and re.search(r"(One|Two|Three)\.", text) and ready(text))
        terminal.press("/exit\r")
        assert 0 == terminal.leave()
        assert sent == server.requests[-1]["messages"][-1]["content"]


def test_a_question_mark_on_an_empty_line_shows_the_keys_and_help_shows_all(chat, scripted):
    """`?` needs no Enter there and is a letter elsewhere."""
    server = scripted(says("Yes."))
    terminal = chat(server)
    terminal.until(ready)

    terminal.press("?")
    keys = terminal.until(lambda text: "Shift-Tab" in text and ready(text))
    terminal.press("/help\r")
    text = terminal.until(lambda text: "/status" in text and ready(text))
    terminal.press("why?\r")
    terminal.until("Yes.")

    assert "/permissions" not in keys
    assert re.search(r"^Shift-Tab +the next permission mode$", keys, re.MULTILINE)
    assert re.search(r"^/permissions \[MODE\] +show or change them$", text, re.MULTILINE)
    assert "why?" == server.requests[0]["messages"][-1]["content"]


def test_the_keys_can_be_read_on_a_narrow_screen(chat, scripted):
    """At 40 columns each key has a row, what it does the next, and no word is broken."""
    terminal = chat(scripted(), columns=40, rows=40)
    terminal.until(ready)

    terminal.press("?")
    text = terminal.until(lambda text: "these keys" in text and ready(text))

    rows = text.partition("Enter\n")[2].partition("\n>")[0].splitlines()
    assert len(rows) == 23
    assert all(row.startswith("    ") for row in rows[::2])


def test_flags_alone_are_the_chats_and_resume_takes_a_number_of_its_list(scripted, tmp_path):
    """`cococat -c` goes on with the newest session; `/resume 1` with the first that `/resume` lists."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(says("Hello."), says("Again."))
    flags = ["--base-url", server.base_url, "-m", "scripted", "--root", tmp_path]
    for words, answer in ((["chat", *flags, "first words"], "Hello."), (["-c", *flags, "second words"], "Again.")):
        with PseudoTerminal("cococat", *words, env={"PWD": str(tmp_path)}) as terminal:
            terminal.until(lambda text, answer=answer: answer in text and ready(text))
            terminal.press("/resume 9\r")
            terminal.until("there is no session 9")
            terminal.press("/resume 1\r")
            terminal.until("messages")
            terminal.press("/exit\r")
            assert 0 == terminal.leave()

    assert "first words" == server.requests[1]["messages"][1]["content"]


def test_help_and_a_command_is_that_commands_help(cococat):
    """`cococat help ask` is what `cococat ask --help` prints, and `cococat help` the overview."""
    assert cococat("ask", "--help").stdout == cococat("help", "ask").stdout
    assert cococat("--help").stdout == cococat("help").stdout


def test_what_a_killed_run_left_half_written_in_the_cache_goes(chat, scripted, home):
    """A file of another hour, however fast every prompt is answered; what somebody may be writing now stays."""
    cache = home / "cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    old, new = cache / ".endpoints.json.a47027e45bc4.tmp", cache / ".endpoints.json.b47027e45bc4.tmp"
    for each in (old, new):
        each.write_text("{")
    os.utime(old, (0, 0))

    terminal = chat(scripted(), env={"PROMPT_TOOLKIT_NO_CPR": "1"})
    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert (False, True) == (old.exists(), new.exists())


def test_slash_doctor_checks_what_this_chat_talks_to(chat, scripted):
    """The report of `cococat doctor`, between two turns of the chat; its rows fit the screen."""
    server = scripted(says("Yes."))
    terminal = chat(server, columns=60, rows=60)
    terminal.until(ready)

    terminal.press("/doctor\r")
    told = terminal.until(lambda text: "endpoint" in text.partition("/doctor")[2] and ready(text))
    terminal.press("hi\r")
    terminal.until(lambda text: "Yes." in text and ready(text))

    report = told.partition("/doctor")[2]
    assert server.base_url.partition("//")[2].partition("/")[0] in report
    assert "scripted" in report
    assert "was stopped" not in report
    assert 1 == len([body for body in server.requests if body["messages"][-1]["content"] == "hi"])
