"""Reading the config file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cococat.config import load
from cococat.config.load import MAX_BYTES, key_lines
from cococat.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]


def refused(path: Path) -> ConfigError:
    """The error that loading *path* gives."""
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(ConfigError) as caught:
        load(path, os.environ, {})
    assert before == (path.read_bytes() if path.is_file() else b"")
    return caught.value


def test_a_value_knows_its_file_and_line(tmp_path):
    """Every value from the file names path and line, in tables, dotted keys and profiles."""
    path = tmp_path / "config.toml"
    path.write_text('# first\nmode = "react"\n\n[agent]\n max_steps = 3\n[profiles."a b"]\nname = "x"\n')

    settings = load(path, os.environ, {"profile": "a b"})

    assert f"{path}:2" == str(settings.origins["mode"])
    assert f"{path}:5" == str(settings.origins["agent.max_steps"])
    assert f"{path}:7" == str(settings.origins["model.name"])
    assert path == settings.file


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        pytest.param(b"[agent]\nmax_stepz = 3\n", 2, "agent.max_stepz: unknown key", id="unknown"),
        pytest.param(b"\n\n[agent]\nmax_steps = \n", 4, "invalid value", id="toml"),
        pytest.param(b'a = "', 1, "", id="open-string"),
        pytest.param(b"mode = react\n", 1, "invalid value", id="no-quotes"),
        pytest.param(b"[agent]\nmax_steps=1\nmax_steps=2\n", 3, "agent.max_steps is there twice", id="twice"),
        pytest.param(b'[model]\nname="a"\n[model]\n', 3, "[model] is there twice", id="table-twice"),
        pytest.param(b'# ok\nname = "\xff"\n', 2, "is not UTF-8 text", id="latin-1"),
        pytest.param(b'x = """\nmode = 1\n"""\n', 1, "x: unknown key", id="in-a-long-string"),
        pytest.param(b"a = " + b"[" * 5000, 1, "", id="deep"),
    ],
)
def test_a_bad_file_is_named_by_line(tmp_path, content, line, what):
    """The error tells file, line and what is wrong, and the file stays as it is."""
    path = tmp_path / "config.toml"
    path.write_bytes(content)

    error = refused(path)

    assert error.message.startswith(f"{path}:{line}: ") or (line == 1 and str(path) in error.message)
    assert what in error.message
    assert error.hint


def test_a_byte_order_mark_and_foreign_line_ends_do_no_harm(tmp_path):
    """Editors of other systems may save the file."""
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbfmode = "react"\r\n[agent]\r\nmax_steps = 3\r\n')

    settings = load(path, os.environ, {})

    assert ("react", 3) == (settings.mode, settings.agent.max_steps)


def test_what_is_no_config_file_is_refused(tmp_path):
    """Folders, pipes, missing and huge files each get their own words."""
    huge, pipe = tmp_path / "huge.toml", tmp_path / "pipe"
    huge.write_bytes(b"#" * (MAX_BYTES + 1))
    os.mkfifo(pipe)

    assert "is larger than 1 MiB" in refused(huge).message
    assert "is a folder" in refused(tmp_path).message
    assert "is not a regular file" in refused(pipe).message
    assert "there is no such file" in refused(tmp_path / "none.toml").message


def test_no_file_at_the_usual_place_is_fine(home):
    """A first run has no config file."""
    assert load(None, os.environ, {}).file is None


def test_the_working_folder_sets_nothing(tmp_path, home, monkeypatch):
    """No file in the working folder is read, whatever its name."""
    for name in ("config.toml", "cococat.toml", ".env", ".cococat.toml"):
        (tmp_path / name).write_text('[model]\nname = "evil"\n')
    monkeypatch.chdir(tmp_path)

    assert "gpt-4.1-mini" == load(None, os.environ, {}).model.name


def test_a_variable_in_the_file_is_not_expanded(tmp_path):
    """`${HOME}` is text."""
    path = tmp_path / "config.toml"
    path.write_text('[model]\nname = "${HOME}"\n')

    assert "${HOME}" == load(path, os.environ, {}).model.name


def test_lines_are_found_through_long_strings_and_lists():
    """A key that only stands inside a string is none."""
    text = "a = '''\nb = 1\n'''\nlist = [\n 'c = 2',\n]\n[t.\"u v\"]\nd.e = 1\n"

    assert {"a": 1, "list": 4, "t.u v": 7, "t.u v.d.e": 8} == key_lines(text)
