"""`cococat sessions …`, `doctor --session`, and the ways back into a session."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from cococat.app import doctor
from cococat.app.sessions import browse, prune
from cococat.app.sessions.prune import tidy
from cococat.config import find_folders, load
from cococat.core.events import MessageAdded, TurnFinished
from cococat.core.limits import Stop, StopReason, Usage
from cococat.core.messages import Assistant, ToolCall, User
from cococat.errors import ConsentError, UsageError
from cococat.store.sessions import create
from tests.scripted import says

DAY_S = 86_400
posix = pytest.mark.skipif(sys.platform == "win32", reason="locks and terminals of POSIX systems")


@pytest.fixture
def settings():
    """The settings of the test's own home."""
    return load(None, dict(os.environ), {})


@pytest.fixture
def folders(home):
    """The folders of the test's own home."""
    return find_folders(os.environ)


@pytest.fixture
def talked(home):
    """Make a session with one turn, some days ago; give its closed log."""

    def talk(text, *, days=0.0, cwd="/home/me/project", answer="hello"):
        now = time.time() - days * DAY_S
        log = create(home / "sessions", model="m", host="h", mode="react", cwd=cwd, clock=lambda: now)
        log.emit(MessageAdded(User(text)))
        log.emit(MessageAdded(Assistant(answer)))
        log.emit(TurnFinished(answer, Stop(StopReason.ANSWERED), 1, Usage(1, 1), 0.1))
        log.close()
        return log

    return talk


def left(home):
    """The ids whose logs are still there."""
    return {path.stem for path in (home / "sessions").glob("*.jsonl")}


def kept_of(home, session_id):
    """What tools keep for a session, as they would."""
    for kind, name in (("undo", "000001-000001"), ("outputs", f"1-{'0' * 16}.txt")):
        folder = home / "state" / kind / session_id
        folder.mkdir(parents=True)
        (folder / name).write_text("{}\nprivate")
    (home / "sessions" / f"{session_id}.jsonl.torn").write_text("private")


def test_a_list_is_one_line_a_session(folders, talked, capsys):
    """The newest first, whatever a title or a folder holds."""
    old = talked("first\x1b[31m\nwords", days=2, cwd="/tmp/a\nb\x1b]0;x\x07")
    new = talked("then", cwd=f"{Path.home()}/work")

    code = browse.list_all(folders, limit=None, as_json=False)

    first, second = capsys.readouterr().out.splitlines()
    assert 0 == code
    assert (new.id, old.id) == (first[:26], second[:26])
    assert "  1 turn   then  (m, ~/work)" in first
    assert "\x1b" not in second
    assert "words" in second


@posix
@pytest.mark.parametrize("columns", [80, 62, 40])
def test_a_list_fits_the_terminal(talked, columns):
    """A row a session, whatever its letters are; as much of the id as -r needs."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    folder = "/home/me/a/long/way/down/to/the/project"
    logs = [talked("部署服务器需要多少内存" * 4, cwd=folder, days=1), talked("short", cwd=folder)]
    terminal = PseudoTerminal("cococat", "sessions", "list", columns=columns)

    assert 0 == terminal.leave()

    rows = terminal.text.splitlines()
    assert [[logs[1].id], [logs[0].id]] == [[log.id for log in logs if log.id.startswith(row[:10])] for row in rows]
    assert {10} == {row.index(" ") for row in rows}
    assert (columns > 62) == all(row.endswith("the/project)") for row in rows)
    assert "short" in rows[0]
    assert "部署服务" in rows[1]


def test_a_list_for_machines(folders, talked, capsys):
    """Every field, times with their zone, as many as were asked for."""
    talked("old", days=1)
    log = talked("new")

    browse.list_all(folders, limit=1, as_json=True)

    (info,) = json.loads(capsys.readouterr().out)
    assert {"id", "started", "updated", "title", "turns", "cwd", "model", "first_words", "size"} == set(info)
    assert (log.id, "new", 1, log.path.stat().st_size) == (info["id"], info["title"], info["turns"], info["size"])
    assert info["updated"].endswith("+00:00")


def test_a_search_prints_where_it_was_said(folders, talked, capsys):
    """Id, date, folder, title, and the words around; as many sessions as were asked for."""
    talked("tell me of needles", days=1)
    log = talked("a question", answer="the needle, and again the Needle")

    code = browse.search(folders, "needle*", limit=1)

    said = capsys.readouterr()
    head, place = said.out.splitlines()
    day = time.strftime("%Y-%m-%d")
    assert 0 == code
    assert head.startswith(f"{log.id}  {day}")
    assert head.endswith("/home/me/project  a question")
    assert snapshot("    model: the needle, and again the Needle") == place
    assert "there are more; --limit 2" in said.err


def test_a_search_marks_what_it_found_where_there_are_colours(folders, talked, capsys, monkeypatch):
    """And shows control characters that were said instead of sending them."""
    talked("the \x1b]0;title\x07 red needle here")
    monkeypatch.setenv("FORCE_COLOR", "1")

    browse.search(folders, "needle red", limit=1)

    place = capsys.readouterr().out.splitlines()[1]
    assert place.endswith(" \x1b[1mred\x1b[0m \x1b[1mneedle\x1b[0m here")
    assert 4 == place.count("\x1b")


def test_a_search_that_finds_nothing_says_so(folders, talked, capsys):
    """On stderr; it is no error."""
    talked("hi")

    assert 0 == browse.search(folders, "needle\x1b[31m", limit=20)

    said = capsys.readouterr()
    assert ("", True) == (said.out, "nobody said needle" in said.err)
    assert "\x1b" not in said.err


def test_a_deleted_session_takes_everything_with_it(folders, talked, home, capsys):
    """Log, torn lines, what tools kept, and its text in both caches."""
    gone, stays, _ = talked("xylophone"), talked("hi"), [talked("more") for _ in range(16)]
    kept_of(home, gone.id)
    kept_of(home, stays.id)
    browse.search(folders, "hi", limit=1)
    caches = {path.name for path in (home / "cache").iterdir() if b"xylophone" in path.read_bytes()}

    code = prune.delete(folders, (gone.id[:24], gone.id), yes=True)

    assert 0 == code
    assert {"search.sqlite", "sessions.json"} == caches
    assert f"deleted {gone.id}" in capsys.readouterr().out
    names = {str(path.relative_to(home)) for path in home.rglob("*") if gone.id in str(path)}
    assert set() == names
    assert [] == [path for path in home.rglob("*") if path.is_file() and b"xylophone" in path.read_bytes()]
    assert 4 == sum(stays.id in str(path) for path in home.rglob("*") if path.is_file())


@posix
def test_an_open_session_is_not_deleted(folders, talked, home):
    """Nor what its tools kept; who has it is said, and those before it are gone."""
    closed = talked("closed")
    log = create(home / "sessions", model="m", host="h", mode="react", cwd="/")
    log.emit(MessageAdded(User("hi")))
    kept_of(home, log.id)

    with pytest.raises(UsageError, match=rf"is open in another cococat \(process {os.getpid()} on"):
        prune.delete(folders, (closed.id, log.id), yes=True)

    assert {log.id} == left(home)
    assert 1 == len(list((home / "state" / "undo" / log.id).iterdir()))
    log.close()


def test_nobody_is_asked_off_a_terminal(settings, folders, talked, home):
    """--yes is needed there; nothing is deleted without it."""
    log = talked("hi", days=9)

    with pytest.raises(ConsentError, match="delete 1 session for good"):
        prune.delete(folders, (log.id,), yes=False)
    with pytest.raises(ConsentError, match="delete 1 session with"):
        prune.prune(settings, prune.Keep(1, None, None), dry_run=False, yes=False)

    assert {log.id} == left(home)


@posix
@pytest.mark.parametrize(("answer", "code", "rest"), [("y", 0, 0), ("", 4, 1)])
def test_a_terminal_is_asked(talked, home, answer, code, rest):
    """Only a yes deletes."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    log = talked("a title to know it by")
    terminal = PseudoTerminal("cococat", "sessions", "delete", log.id)
    shown = terminal.until(lambda text: "[y/N]" in text)

    terminal.press(f"{answer}\r")

    assert code == terminal.leave()
    assert "a title to know it by" in shown
    assert rest == len(left(home))


def test_several_sessions_that_begin_so_are_named(folders, talked, home):
    """Nothing is deleted when it is not clear what."""
    logs = [talked("a"), talked("b")]

    with pytest.raises(UsageError, match=f"2 sessions begin with {logs[0].id[:5]}: .*{logs[0].id}"):
        prune.delete(folders, (logs[0].id[:5],), yes=True)

    assert 2 == len(left(home))


@pytest.mark.parametrize(
    ("limits", "stay"),
    [
        ((5.5, None, None), 6),
        ((None, 3, None), 3),
        ((5.5, 3, None), 3),
        ((None, None, 1), 1),
        ((100, 100, 10**9), 8),
        ((0.5 / DAY_S, None, None), 0),
    ],
    ids=["age", "number", "both", "size", "room for all", "all too old"],
)
def test_prune_leaves_what_is_to_be_kept(settings, talked, home, limits, stay):
    """The newest ones, by age, number and size; a dry run leaves all."""
    logs = [talked("hi", days=days + 0.01) for days in range(8)]

    prune.prune(settings, prune.Keep(*limits), dry_run=True, yes=False)
    before = len(left(home))
    prune.prune(settings, prune.Keep(*limits), dry_run=False, yes=True)

    assert 8 == before
    assert {log.id for log in logs[:stay]} == left(home)


@posix
def test_prune_leaves_open_sessions(settings, talked, home, capsys):
    """And says which."""
    old = talked("old", days=9)
    log = create(home / "sessions", model="m", host="h", mode="react", cwd="/", clock=lambda: 1.0)
    log.emit(MessageAdded(User("hi")))

    code = prune.prune(settings, prune.Keep(1, None, None), dry_run=False, yes=True)

    assert (0, {log.id}) == (code, left(home))
    assert old.id != log.id
    assert f"kept: session {log.id} is open in another cococat" in capsys.readouterr().err
    log.close()


def test_prune_needs_to_know_what(settings, talked, home):
    """Without flags and settings it deletes nothing."""
    talked("hi", days=1000)

    with pytest.raises(UsageError, match="nothing says what to prune"):
        prune.prune(settings, prune.Keep(None, None, None), dry_run=False, yes=True)

    assert 1 == len(left(home))


def test_settings_prune_when_a_chat_ends(settings, talked, home, monkeypatch):
    """Only when one of them is set; then they are the defaults of `prune`, too."""
    folders = find_folders(os.environ)
    talked("old", days=40)
    new = talked("new")
    silent = tidy(settings, folders)
    monkeypatch.setenv("COCOCAT_SESSIONS_KEEP_DAYS", "30")
    limited = load(None, dict(os.environ), {})

    told = tidy(limited, folders)

    assert snapshot(("", "deleted 1 session, more than [sessions] in the config keeps")) == (silent, told)
    assert {new.id} == left(home)
    assert "" == tidy(limited, folders)
    assert 0 == prune.prune(limited, prune.Keep(None, None, None), dry_run=False, yes=False)


def test_a_repair_says_what_it_fixed_once(folders, talked, capsys):
    """The second time there is nothing to do."""
    log = talked("hi")
    with log.path.open("ab") as stream:
        stream.write(b'{"v":1,"seq"')

    prune.repair(folders, log.id)
    prune.repair(folders, log.id[:20].lower())

    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{log.id}: the last line of the log was torn; it was moved to")
    assert f"{log.id}: nothing to fix" == second


def damaged(log, how):
    """Damage a closed log."""
    lines = log.path.read_bytes().splitlines(keepends=True)
    if how == "torn":
        lines.append(b'{"v":1,"se')
    elif how == "bad line":
        lines[1] = b"\0" * 20 + b"\n"
    elif how == "gap":
        del lines[1]
    elif how == "nothing":
        lines = [b"\0" * 100]
    log.path.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("how", "fault", "fix"),
    [
        ("torn", "the last line is torn: 10 bytes", "move the torn line to"),
        ("bad line", "lines that cannot be read: 1 (line 2)", "nothing: what can be read is read"),
        ("gap", "numbers that no line has: 1", "nothing: what can be read is read"),
        ("nothing", "no line can be read", "nothing: what can be read is read"),
    ],
)
def test_doctor_tells_what_is_wrong_with_a_log(folders, talked, capsys, *, how, fault, fix):
    """And what a repair would do; it changes nothing."""
    log = talked("hi")
    damaged(log, how)
    before = log.path.read_bytes()

    code = doctor.doctor_session(folders, log.id, as_json=True)

    report = json.loads(capsys.readouterr().out)
    assert (6, False, before) == (code, report["ok"], log.path.read_bytes())
    assert [fault] == [check["detail"] for check in report["checks"] if check["name"] == "fault"][:1]
    assert fix in next(check["detail"] for check in report["checks"] if check["name"] == "repair")


def test_doctor_finds_a_log_healthy_again_after_a_repair(folders, home, capsys):
    """A call without a result is a fault until then; what was moved aside is none."""
    log = create(home / "sessions", model="m", host="h", mode="react", cwd="/")
    log.emit(MessageAdded(User("hi")))
    log.emit(MessageAdded(Assistant(calls=(ToolCall("1", "run_shell", "{}"),))))
    log.close()
    damaged(log, "torn")

    codes = [doctor.doctor_session(folders, log.id, as_json=False)]
    text = capsys.readouterr().out
    prune.repair(folders, log.id)
    codes.append(doctor.doctor_session(folders, log.id, as_json=False))

    assert [6, 0] == codes
    assert "FAIL  fault        calls without a result: run_shell" in text
    assert f"-> cococat sessions repair {log.id}" in text
    assert "bytes of torn lines, in" in capsys.readouterr().out


@posix
def test_doctor_finds_nothing_wrong_with_a_log_that_is_being_written(folders, home, capsys):
    """Its owner is named; what is still to come is no fault."""
    log = create(home / "sessions", model="m", host="h", mode="react", cwd="/")
    log.emit(MessageAdded(User("hi")))
    log.emit(MessageAdded(Assistant(calls=(ToolCall("1", "run_shell", "{}"),))))

    code = doctor.doctor_session(folders, log.id, as_json=False)

    assert 0 == code
    assert f"owner        another cococat (process {os.getpid()} on" in capsys.readouterr().out
    log.emit(MessageAdded(User("it is still the owner's")))
    assert log.problem is None
    log.close()


@posix
def test_an_open_session_goes_on_in_a_copy(cococat, scripted, home, tmp_path):
    """-r alone is refused with the owner's process; --fork and --no-session take up what was said."""
    log = create(home / "sessions", model="m", host="h", mode="single", cwd="/elsewhere")
    log.emit(MessageAdded(User("my name is Dana")))
    log.emit(MessageAdded(Assistant("hello")))
    before = log.path.read_bytes()
    server = scripted(says("Dana"), says("Dana"))
    ask = ("ask", "--base-url", server.base_url, "-m", "m", "--no-dream", "-r", log.id.lower()[:20])

    refused = cococat(*ask, "who am I?")
    fork = cococat(*ask, "--fork", "who am I?")
    unsaved = cococat(*ask, "--no-session", "who am I?")

    assert (2, True) == (refused.code, f"process {os.getpid()} on" in refused.stderr)
    assert (0, "Dana\n", 0, "Dana\n") == (fork.code, fork.stdout, unsaved.code, unsaved.stdout)
    assert all("my name is Dana" in json.dumps(request) for request in server.requests)
    assert f"it worked in /elsewhere; now its tools work in {tmp_path.resolve()}" in fork.stderr
    assert 2 == len(left(home))
    assert before == log.path.read_bytes()
    log.close()


def test_continue_stays_in_its_folder(cococat, talked):
    """It says how to reach the sessions of others."""
    log = talked("elsewhere")

    ran = cococat("ask", "--base-url", "http://127.0.0.1:9/v1", "-m", "m", "-c", "hi")

    assert 2 == ran.code
    assert "there is no session to continue in this folder" in ran.stderr
    assert f"-r {log.id}" in ran.stderr


@posix
def test_a_chat_prunes_when_it_ends(scripted, talked, home, tmp_path):
    """As the config says, after the last word and not before the prompt."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    talked("old", days=2)
    new = talked("new")
    words = ("chat", "--base-url", scripted().base_url, "-m", "m", "--no-dream", "--root", tmp_path)
    terminal = PseudoTerminal("cococat", *words, env={"COCOCAT_SESSIONS_KEEP_COUNT": "1"})
    terminal.until(lambda text: any(row.rstrip() == ">" for row in text.splitlines()))
    before = len(left(home))

    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert "deleted 1 session, more than [sessions] in the config keeps" in terminal.text
    assert (3, {new.id}) == (before, left(home))  # its own log, without a message, was there meanwhile


@pytest.mark.parametrize("words", [("chat", "-r"), ("ask", "hi", "--resume")], ids=" ".join)
def test_resume_without_an_id_says_which_sessions_there_are(cococat, folders, home, words):
    """The last one is named as it is to be typed, and where all the others are."""
    nothing = cococat(*words)
    log = create(home / "sessions", model="m", host="h", mode="react", cwd="/", clock=time.time)
    log.emit(MessageAdded(User("why is\x1b]0;x\x07 the sky blue?")))
    log.close()

    ran = cococat(*words)

    first, second, third = ran.stderr.splitlines()
    assert (2, "") == (ran.code, ran.stdout)
    assert f"cococat: error: {words[-1]} names no session to go on with" == first
    assert re.match(rf"  hint: cococat chat -r {log.id[:4]}\w*, the last one, \d+ s ago: why is", second)
    assert snapshot("-c: the last one of this folder; all of them: cococat sessions list") == third.strip()
    assert "\x1b" not in ran.stderr
    assert "there are no sessions yet" in nothing.stderr
