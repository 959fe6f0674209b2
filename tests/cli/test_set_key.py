"""`config set-key`: a key that is kept belongs to one origin, and nobody is shown it."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pexpect
import pytest

from tests.scripted import calls, says

KEY = "wolf.river.kept"  # no format tells that it is a key
ROOT = Path(__file__).resolve().parents[2]
VAULT = """
from pathlib import Path
from keyring.backend import KeyringBackend
class Vault(KeyringBackend):
    priority = {priority}
    def set_password(self, service, name, password):
        {deny}
        Path(__file__).with_name("vault.txt").write_text(f"{{service}} {{name}} {{password}}")
    def get_password(self, service, name):
        file = Path(__file__).with_name("vault.txt")
        kept = file.read_text().split() if file.exists() else ["", "", ""]
        return kept[2] if kept[:2] == [service, name] else None
    def delete_password(self, service, name):
        Path(__file__).with_name("vault.txt").unlink()
"""
NO_RING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}


def ring(folder, priority=5, deny="pass"):
    """The environment in which `keyring` takes a backend of ours, which keeps one key in a file."""
    (folder / "vault.py").write_text(VAULT.format(priority=priority, deny=deny))
    return {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PYTHON_KEYRING_BACKEND": "vault.Vault"}


def asked(cococat, server, **env):
    """The key that a question to *server* is sent with."""
    done = cococat("ask", "--base-url", server.base_url, "-m", "m", "hi", env={"COCOCAT_API_KEY": "", **NO_RING, **env})
    assert 0 == done.code, done.stderr
    return server.headers[-1].get("authorization", "").removeprefix("Bearer ")


def test_a_key_that_was_kept_is_sent_to_its_origin_and_to_no_other(cococat, scripted, home):
    """Scheme, host and port count; the path does not."""
    own, other = scripted(says("one")), scripted(says("two"))

    done = cococat("config", "set-key", own.base_url, stdin=f"{KEY}\n", env=NO_RING)

    assert (0, "") == (done.code, done.stdout)
    assert str(home / "keys.json") in done.stderr
    assert KEY == asked(cococat, own)
    assert KEY != asked(cococat, other)


def test_the_file_of_kept_keys_is_open_to_its_owner_alone(cococat, home):
    """0600 from the first moment, also where an older one was open."""
    for _ in range(2):
        cococat("config", "set-key", stdin=KEY, env=NO_RING)

        assert 0o600 == stat.S_IMODE((home / "keys.json").stat().st_mode)
        assert {"https://api.openai.com:443": KEY} == json.loads((home / "keys.json").read_text())
        (home / "keys.json").chmod(0o644)


@pytest.mark.parametrize("words", [("-P", "p"), ("--base-url", "https://p.test/v9"), ("https://p.test",)])
def test_without_an_origin_the_key_is_for_where_requests_go(cococat, home, words):
    """A profile, a flag and a word of one's own name the same place."""
    (home / "config.toml").write_text('[profiles.p]\nbase_url = "https://p.test/v1"\n')

    cococat("config", "set-key", *words, stdin=KEY, env=NO_RING)

    assert ["https://p.test:443"] == [*json.loads((home / "keys.json").read_text())]


def test_a_system_keyring_keeps_the_key_and_the_file_only_says_so(cococat, scripted, home, tmp_path):
    """It is asked for the key when a request wants it, and both commands name it."""
    server, vault = scripted(says("one")), ring(tmp_path)

    done = cococat("config", "set-key", server.base_url, stdin=KEY, env=vault)
    shown = cococat("config", "show", env=vault).stdout
    told = cococat("doctor", "--base-url", server.base_url, env={"COCOCAT_API_KEY": "", **vault}).stdout

    assert "in the system keyring" in done.stderr
    assert KEY not in (home / "keys.json").read_text() + done.stderr + shown + told
    assert KEY in (tmp_path / "vault.txt").read_text()
    assert KEY == asked(cococat, server, **vault)
    assert "the system keyring" in shown.splitlines()[-1]
    assert "the system keyring (********)" in told


@pytest.mark.parametrize(
    ("priority", "deny"), [(0.5, "pass"), (5, "raise RuntimeError('locked')")], ids=["plain text", "locked"]
)
def test_a_keyring_that_is_not_safe_or_takes_nothing_leaves_the_key_to_the_file(
    cococat, home, tmp_path, priority, deny
):
    """What `keyring` itself does not recommend keeps keys in plain text, or nowhere."""
    done = cococat("config", "set-key", stdin=KEY, env=ring(tmp_path, priority, deny))

    assert (0, False) == (done.code, (tmp_path / "vault.txt").exists())
    assert str(home / "keys.json") in done.stderr
    assert KEY in (home / "keys.json").read_text()


def test_a_keyring_that_has_lost_the_key_is_an_error_with_its_way_out(cococat, scripted, tmp_path):
    """No request goes out without the key that it should have."""
    server, vault = scripted(), ring(tmp_path)
    cococat("config", "set-key", server.base_url, stdin=KEY, env=vault)
    (tmp_path / "vault.txt").unlink()

    done = cococat("ask", "--base-url", server.base_url, "hi", env={"COCOCAT_API_KEY": "", **vault})

    assert (2, []) == (done.code, server.requests)
    assert "cococat config set-key http://127.0.0.1" in done.stderr


@pytest.mark.parametrize(
    ("config", "env", "sent"),
    [
        ("", {"COCOCAT_API_KEY": "ours"}, "ours"),
        ('api_key_env = "MINE"', {"MINE": "named"}, "named"),
        ('api_key_env = "MINE"', {}, KEY),
        ("", {"OPENAI_API_KEY": "standard", "OPENAI_BASE_URL": "URL"}, KEY),
    ],
    ids=["ours", "named", "named-but-unset", "standard"],
)
def test_a_kept_key_comes_behind_what_is_named_and_before_what_is_only_standard(cococat, scripted, config, env, sent):
    """It belongs to the layer of the config file, so COCOCAT_API_KEY goes before it and OPENAI_API_KEY does not."""
    server = scripted(says("one"))
    env = {name: value.replace("URL", server.base_url) for name, value in env.items()}
    Path(os.environ["COCOCAT_HOME"], "config.toml").write_text(f'[model]\nbase_url = "{server.base_url}"\n{config}\n')
    cococat("config", "set-key", stdin=KEY, env=NO_RING)

    done = cococat("ask", "hi", env={"COCOCAT_API_KEY": "", **NO_RING, **env})

    assert "one\n" == done.stdout, done.stderr
    assert f"Bearer {sent}" == server.headers[-1]["authorization"]


def test_who_sets_a_key_is_told_of_a_variable_that_goes_before_it(cococat, home):
    """Else the new key would seem to do nothing."""
    done = cococat("config", "set-key", stdin=KEY, env={"COCOCAT_API_KEY": "ours", **NO_RING})

    assert "COCOCAT_API_KEY goes before it" in done.stderr


@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        (("api.test",), KEY, "does not begin with https://"),
        (("sk-0123456789",), KEY, "looks like a key"),
        ((), "", "nothing was typed"),
        ((), f"{KEY} {KEY}", "contains a space"),
        ((), f"'{KEY}'", "contains a quotation mark"),
    ],
)
def test_what_is_no_origin_or_no_key_is_refused_and_nothing_is_kept(cococat, home, words, typed, said):
    """Exit 2, and no word of the key."""
    done = cococat("config", "set-key", *words, stdin=typed, env=NO_RING)

    assert (2, "") == (done.code, done.stdout)
    assert said in done.stderr
    assert KEY not in done.stderr
    assert not (home / "keys.json").exists()


def test_a_kept_key_reaches_no_model_no_log_and_no_child(cococat, scripted, home):
    """A tool that reads the file, or a command that prints its environment, brings back no word of it."""
    server = scripted(
        calls(("read_file", {"path": "keys.json"}), ("run_shell", {"command": "env; cat keys.json"})), says("done")
    )
    cococat("config", "set-key", server.base_url, stdin=KEY, env=NO_RING)

    done = cococat(
        *("ask", "--base-url", server.base_url, "-m", "m", "--root", home, "--allow", "run_shell", "--mode", "react"),
        *("--allow", "read_file", "hi"),
        env={"COCOCAT_API_KEY": "", **NO_RING},
    )

    assert "done\n" == done.stdout, done.stderr
    assert "PATH=" in repr(server.requests[-1])
    assert KEY not in repr(server.requests) + done.stderr
    assert [] == [log for log in home.glob("sessions/*") if log.is_file() and KEY.encode() in log.read_bytes()]


def test_a_file_of_keys_that_makes_no_sense_is_told_by_its_name(cococat, home):
    """Nothing in it is repeated."""
    (home / "keys.json").write_text(f'{{"api": ["{KEY}"]}}')

    done = cococat("config", "show")

    assert 2 == done.code
    assert f"rm {home / 'keys.json'}" in done.stderr
    assert KEY not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals")
def test_on_a_terminal_the_key_is_typed_unseen(home, tmp_path):
    """The question says for whom it is; what is typed stands nowhere."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **NO_RING}
    terminal = pexpect.spawn(
        sys.executable, ["-m", "cococat", "config", "set-key"], env=env, cwd=str(tmp_path), encoding="utf-8"
    )
    terminal.expect_exact("key for https://api.openai.com:443 (not shown): ")
    terminal.sendline(KEY)
    terminal.expect(pexpect.EOF)
    terminal.close()

    assert 0 == terminal.exitstatus
    assert KEY not in terminal.before
    assert KEY in (home / "keys.json").read_text()
