"""Whatever a command raises becomes an exit code and a few lines."""

from __future__ import annotations

import errno
import stat

import pytest

from cococat.cli.main import exit_code_of
from cococat.errors import ConfigError, Interrupted, StorageError, UsageError


def raising(error):
    """A command that fails with *error*."""

    def job():
        raise error

    return job


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (UsageError("wrong", "right"), 2, "cococat: error: wrong\n  hint: right\n"),
        (ConfigError("f:1: wrong"), 2, "cococat: error: f:1: wrong\n"),
        (StorageError("full", "free some"), 6, "cococat: error: full\n  hint: free some\n"),
        (Interrupted(15), 143, ""),
        (KeyboardInterrupt(), 130, ""),
        (SystemExit(3), 3, ""),
        (SystemExit(None), 0, ""),
    ],
)
def test_known_errors_have_their_codes_and_lines(capsys, error, code, text):
    """Each error of ours gives its own exit code, what failed, and the fix."""
    assert code == exit_code_of(raising(error), ["ask"])
    assert ("", text) == capsys.readouterr()


def test_a_bug_saves_a_report_without_anybodys_words(capsys, home):
    """The report tells where, never what was said; the user sees one line that names it."""

    def job():
        secret = "sk-verysecret"
        try:
            raising(ValueError(secret))()
        except ValueError as error:
            raise KeyError(secret + "in a prompt") from error

    code = exit_code_of(job, ["ask", "sk-verysecret"])

    (report,) = (home / "state" / "crashes").iterdir()
    text, (out, err) = report.read_text(), capsys.readouterr()
    assert (1, "") == (code, out)
    assert f"a report is saved in {report}" in err
    assert "KeyError at tests/cli/test_exit_codes.py:" in err
    assert "Traceback" not in err + text
    assert "verysecret" not in err + text
    assert "/" not in text.split(" in job")[0].split()[-1].removeprefix("tests/cli/")
    assert "builtins.KeyError" in text
    assert "builtins.ValueError" in text
    assert "command: ask" in text
    assert 0o600 == stat.S_IMODE(report.stat().st_mode)


def test_a_report_names_foreign_files_without_their_folders(home):
    """Where somebody's files lie is nobody's business."""
    code = compile("raise KeyError", "/home/somebody/private/x.py", "exec")

    exit_code_of(lambda: exec(code, {}), ["ask"])

    (report,) = (home / "state" / "crashes").iterdir()
    assert "  x.py:1 in <module>" in report.read_text()
    assert "somebody" not in report.read_text()


def test_a_bug_with_no_place_for_the_report_is_still_told(capsys, home):
    """A state folder that cannot be written does not make it worse."""
    (home / "state").write_text("in the way")

    assert 1 == exit_code_of(raising(RuntimeError("x")), ["ask"])
    assert "no report could be saved" in capsys.readouterr().err


def test_every_branch_of_a_group_of_errors_is_in_the_report(home):
    """Parallel tools fail in groups; causes may be circular."""
    inner = OSError(errno.EPERM, "x")
    inner.__cause__ = inner

    exit_code_of(raising(ExceptionGroup("two", [inner, TypeError("y")])), ["ask"])

    (report,) = (home / "state" / "crashes").iterdir()
    assert {"builtins.PermissionError", "builtins.TypeError"} <= {
        word.strip(" |") for word in report.read_text().split("\n")
    }


def test_a_missing_library_is_no_bug_of_ours(capsys):
    """The line names the package and the command that installs it."""
    code = exit_code_of(raising(ModuleNotFoundError("x", name="openai")), ["ask"])

    assert 1 == code
    assert "the package openai is missing\n  hint: pip install --force-reinstall cococat" in capsys.readouterr().err
