"""edit_file on a file that read_file did not read: a passage that was shown, and stands there once, is enough."""

from __future__ import annotations

import pytest

from tests.scripted import calls, says, tool_results

FILE = "def a():\n    return 1\n\ndef b():\n    return 1\n\nport = 1\npassword: hunter2\n"
AROUND = ("grep_search", {"pattern": "def b", "context": 2})
ALONE = ("grep_search", {"pattern": "def b"})
BOTH = "def b():\n    return 1"
TWO = "def b():\n    return 2"
GREW = ("run_shell", {"command": "sh grow.sh"})


def change(old, new, **more):
    return "edit_file", {"path": "f.py", "old_text": old, "new_text": new, **more}


@pytest.mark.parametrize(
    ("before", "edit", "refused"),
    [
        ([AROUND], change(BOTH, TWO), ""),
        ([AROUND], change(f"\n{BOTH}\n\n", f"\n{TWO}\n\n"), ""),
        ([("run_shell", {"command": "sed -n 4,5p f.py"})], change(f"{BOTH}\n", f"{TWO}\n"), ""),
        ([("read_file", {"path": "f.py"}), GREW], change(BOTH, TWO), ""),
        ([AROUND, change(BOTH, TWO), GREW], change(f"\n{TWO}", f"\n{TWO} + 0"), ""),
        ([("grep_search", {"pattern": "port|pass"})], change("port = 1\npassword: [redacted:password]", "x = 1"), ""),
        ([], change(BOTH, TWO), "NotReadError"),
        ([ALONE], change(BOTH, TWO), "NotReadError"),
        ([AROUND], change("    return 1", "    return 2"), "NotReadError"),
        ([AROUND], change("    return 1", "    return 2", replace_all=True), "NotReadError"),
        ([("grep_search", {"pattern": "pass"})], change("password: hunter2", "x"), "NotReadError"),
        ([("read_file", {"path": "f.py"}), GREW], change("port = 2", "x"), "ChangedError"),
        ([AROUND, change(BOTH, TWO)], ("write_file", {"path": "f.py", "content": "x"}), "NotReadError"),
        ([AROUND], ("edit_file", {"path": "private/f.py", "old_text": BOTH, "new_text": TWO}), "NotReadError"),
    ],
    ids=[
        "context", "blank lines", "a command", "changed elsewhere", "an edit's answer", "a mask",
        "nothing shown", "a part shown", "twice", "every one", "a guess", "gone", "the whole file", "a file that must not be read",
    ],
)  # fmt: skip
def test_a_passage_that_was_shown_and_stands_once_counts_as_read(
    ask, scripted, tmp_path, home, *, before, edit, refused
):
    """Of a result in this session, with what the tool put before its lines; of the rest of the file nothing is told."""
    (tmp_path / "f.py").write_text(FILE)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "f.py").write_text(FILE)
    (home / "config.toml").write_text('[permissions]\ndeny = ["read_file(private/**)"]\n')
    (tmp_path / "grow.sh").write_text("echo more >>f.py")
    server = scripted(*map(calls, before), calls(edit), says("Done."))
    rules = [f"--allow={rule}" for rule in ("run_shell(sh grow.sh)", "run_shell(sed -n 4,5p f.py)")]

    ran = ask(server, "--mode", "react", "--permission", "edits", *rules, "change it")

    *_, last = tool_results(server.requests[-1])
    assert (0, "Done.\n") == ran[:2]
    assert (refused or "changed f.py") in last
    assert not refused or (tmp_path / "f.py").read_text() in (FILE, FILE + "more\n", FILE.replace(BOTH, TWO))
