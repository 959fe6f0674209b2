"""Writing the config file."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cococat.config import load, resolve
from cococat.config.example import example
from cococat.config.settings import rules
from cococat.config.show import value_of
from cococat.config.write import add_rule, init, set_value
from cococat.errors import ConfigError, StorageError

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_in_the_repository_states_every_default():
    """config.example.toml loads, names every key, and changes nothing."""
    path = ROOT / "config.example.toml"
    text = path.read_text("utf-8")

    settings, standard = load(path, {}, {}), resolve({}, {}, {})

    again = [sys.executable, "-W", "error", "-m", "cococat.config.example"]  # and this is how it is made
    assert text == subprocess.run(again, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert {key: value_of(standard, key) for key in rules()} == {key: value_of(settings, key) for key in rules()}
    assert [] == [key for key in rules() if f"{key.rpartition('.')[2]} = " not in text]
    assert ("local",) == settings.profiles


def test_every_line_of_the_example_that_is_switched_off_may_be_switched_on():
    """The file that `config init` writes is valid with every setting uncommented."""
    lines = example(live=False).split("\n")
    switched = [line[2:] if re.match(r"# (\[|\w+ = )", line) else line for line in lines]

    data = tomllib.loads("\n".join(switched))

    sections = {f"{a}.{b}" for a, t in data.items() if isinstance(t, dict) and a != "profiles" for b in t}
    assert set(rules()) == sections | {"mode", "profile"}
    assert [] == [line for line in lines if len(line) > 120]


def test_init_writes_a_file_that_changes_nothing_and_only_once(tmp_path):
    """The new file is for its owner alone; an existing one is left as it is."""
    path = tmp_path / "new" / "config.toml"
    old = os.umask(0)
    try:
        init(path)
    finally:
        os.umask(old)

    assert {"default"} == {origin.kind for origin in load(path, {}, {}).origins.values()}
    assert (0o600, 0o700) == (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode))
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="there is a file already"):
        init(path)
    assert before == path.read_bytes()


def test_set_keeps_comments_and_the_rest(tmp_path):
    """Changing one setting changes that line and no other."""
    path = tmp_path / "config.toml"
    path.write_text("# mine\n[agent]  # bounds\nmax_steps = 3  # few\n\n[memory]\nwait = true\n")

    set_value(path, "agent.max_steps", "9")

    assert "# mine\n[agent]  # bounds\nmax_steps = 9  # few\n\n[memory]\nwait = true\n" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits on Windows")
def test_what_a_killed_writer_left_is_swept_by_the_next_one(tmp_path):
    """A run that dies while it writes leaves one file at most, and not for ever."""
    path = tmp_path / "config.toml"
    killed = (
        "import resource, signal, sys; from pathlib import Path; from cococat.config.write import set_value\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL); resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))\n"
        "set_value(Path(sys.argv[1]), 'mode', 'single')"
    )
    ran = subprocess.run([sys.executable, "-c", killed, str(path)], check=False)
    assert -signal.SIGXFSZ == ran.returncode
    (left,) = tmp_path.iterdir()
    os.utime(left, (0, 0))

    set_value(path, "mode", "react")

    assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("mode", "single", "single"),
        ("model.temperature", "1", 1.0),
        ("memory.wait", "yes", True),
        ("permissions.allow", "run_shell(git status)", ("run_shell(git status)",)),
        ("permissions.deny", '["a", "b"]', ("a", "b")),
        ("model.name", 'odd "name" \\ é', 'odd "name" \\ é'),
    ],
)
def test_what_was_set_is_what_is_loaded(tmp_path, key, text, value):
    """A value survives the way through the file, which is made if need be."""
    path = tmp_path / "config.toml"

    set_value(path, key, text)

    assert value == value_of(load(path, {}, {}), key)


def test_a_profile_can_be_set(tmp_path):
    """profiles.NAME.KEY makes the profile; its name may hold dots."""
    path = tmp_path / "config.toml"

    set_value(path, "profiles.my.lan.base_url", "http://127.0.0.1:1/v1")

    assert "http://127.0.0.1:1/v1" == load(path, {}, {"profile": "my.lan"}).model.base_url


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("agent.max_steps", "299", "agent.max_steps: wanted a whole number from 1 to 200, got 299"),
        ("agent.max_step", "9", "agent.max_step: unknown key"),
        ("model.api_key", "sk-1", "model.api_key: unknown key"),
        ("model.base_url", "http://8.8.8.8", "neither encrypted nor on this machine"),
        ("profiles.x.base_url", "http://8.8.8.8", "neither encrypted nor on this machine"),
        ("profiles.x", "y", "a profile is no setting"),
    ],
)
def test_a_wrong_value_leaves_the_file_alone(tmp_path, key, text, message):
    """What the next start would refuse is not written."""
    path = tmp_path / "config.toml"
    path.write_text("[agent]\nmax_steps = 3\n")

    with pytest.raises(ConfigError) as caught:
        set_value(path, key, text)

    assert message in caught.value.message
    assert "[agent]\nmax_steps = 3\n" == path.read_text()


def test_a_link_to_the_file_stays_a_link(tmp_path):
    """People keep their dotfiles elsewhere."""
    real, link = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    real.write_text("")
    link.symlink_to(real)

    set_value(link, "mode", "react")

    assert link.is_symlink()
    assert 'mode = "react"\n' == real.read_text()


def test_a_folder_in_the_way_is_a_storage_error(tmp_path):
    """What cannot be written is said, with exit code 6."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageError) as caught:
        init(tmp_path / "file" / "config.toml")

    assert 6 == caught.value.exit_code
    assert "cannot be written" in caught.value.message


def test_a_rule_is_added_behind_those_of_the_file_once(tmp_path):
    """Comments and the other settings stay, a file is made where there is none, a rule is there once."""
    file, other = tmp_path / "config.toml", tmp_path / "new.toml"
    file.write_text('# mine\nmode = "react"\n\n[permissions]\nallow = ["run_shell(git status)"]  # always\n')

    for _ in range(2):
        add_rule(file, "run_shell(ls \"a b\" '*')")
        add_rule(other, "fetch_url(docs.python.org)")

    assert ["run_shell(git status)", "run_shell(ls \"a b\" '*')"] == tomllib.loads(file.read_text())["permissions"][
        "allow"
    ]
    assert file.read_text().startswith('# mine\nmode = "react"\n')
    assert ["fetch_url(docs.python.org)"] == tomllib.loads(other.read_text())["permissions"]["allow"]
