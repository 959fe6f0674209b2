"""A key in the environment of every test: no byte that is written, printed or sent may hold it."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests import canary
from tests.scripted import calls, says

ROOT = Path(__file__).resolve().parent.parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks through /proc")


def test_the_key_is_in_the_environment_of_every_test():
    """Where it is not, nothing is looked for."""
    assert canary.KEY == os.environ[canary.VARIABLE]


@pytest.mark.parametrize(
    "text",
    [
        canary.KEY,
        canary.KEY[::-1],
        canary.KEY.encode().hex(),
        *(base64.b64encode(f"{before}{canary.KEY}!".encode()).decode() for before in ("", "x", "xy", "xyz")),
    ],
)
def test_what_looks_for_it_finds_it_however_it_is_written(tmp_path, text):
    """In a stream, in a file behind a hole or across two reads, in the name of a file."""
    (tmp_path / "file").write_bytes(b"x" * (canary.CHUNK - 5) + text.encode())
    (tmp_path / "holes").mkdir()
    with (tmp_path / "holes" / "file").open("wb") as file:
        file.seek(1 << 30)
        file.write(text.encode())

    for where in (tmp_path / "file", tmp_path / "holes" / "file"):
        with pytest.raises(AssertionError, match="the key of the environment is in"):
            canary.written([where.parent])
        where.unlink()
    with pytest.raises(AssertionError, match="the key of the environment is in a text"):
        canary.absent("a text", f"a {text} b")


@linux
@pytest.mark.skipif(os.getuid() == 0 and shutil.which("setpriv") is None, reason="root may trace every process")
def test_no_child_of_a_run_has_the_key_or_can_reach_it(scripted, tmp_path):
    """A process that holds the key and sends it, and a shell that keeps all there is to see."""
    looks = ("env; set", "cat /proc/[0-9]*/cmdline", "cat /proc/[0-9]*/environ", "cat /proc/$PPID/environ")
    command = "; ".join(f"({look}) >seen{number} 2>&1" for number, look in enumerate(looks))
    server = scripted(calls(("run_shell", {"command": f"{command}; echo over"})), says("done"))
    key = f"canary-{uuid4().hex}"  # of this test alone: others run beside it
    ours = {canary.VARIABLE: key, "COCOCAT_BASE_URL": server.base_url, "PYTHONPATH": str(ROOT)}
    untraced = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
    words = ["ask", "-m", "x", "--mode", "react", "--allow", "run_shell", "go"]

    ran = subprocess.run(
        [*untraced, sys.executable, "-m", "cococat", *words],
        env={**os.environ, **ours},
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert (0, b"done\n") == (ran.returncode, ran.stdout)
    assert f"Bearer {key}" == server.headers[0]["authorization"]
    for number, look in enumerate(looks):
        file = tmp_path / f"seen{number}"
        seen = file.read_bytes()
        file.unlink()  # it holds what other tests' children, which run beside, may see
        assert seen, look
        canary.absent(f"what a child sees by {look}", seen, key=key)
    canary.absent("what the command printed", ran.stdout, ran.stderr, key=key)
    canary.written([tmp_path, Path(os.environ["COCOCAT_HOME"])], key=key)
