"""What `doctor` advises where a tier of the box is missing: the command that mends it there, for each reason there can be."""

from __future__ import annotations

import pytest

from cococat.app.doctor import box_hint

EPERM, ENOSYS = "namespaces: Operation not permitted", "Landlock: Function not implemented"
APPARMOR = {"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}
MAP = "bwrap: setting up uid map: Permission denied"
NO_BWRAP = "bwrap is not installed"
NO_LANDLOCK = (("namespaces", ENOSYS), ("bubblewrap", ENOSYS), ("landlock", ENOSYS))
RELEASE = "proc/sys/kernel/osrelease"
FULL = "[Errno 30] Read-only file system: '/home/me/.local/state/cococat/tmp/cococat-probe-x'"
ROWS = {  # what failed, what the files of the machine hold, and a part of the advice
    "Debian: all is there": ((), {}, ""),
    "Debian before 11: closed to users": (
        (("namespaces", EPERM), ("bubblewrap", "bwrap: No permissions to create new namespace")),
        {"proc/sys/kernel/unprivileged_userns_clone": "0\n", "proc/sys/user/max_user_namespaces": "31000\n"},
        "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    "none are left": (
        (("namespaces", "namespaces: No space left on device"), ("bubblewrap", NO_BWRAP)),
        {"proc/sys/user/max_user_namespaces": "0\n"},
        "sudo sysctl -w user.max_user_namespaces=10000",
    ),
    "Ubuntu 24.04, no bwrap": (
        (("namespaces", "mount /: Permission denied"), ("bubblewrap", NO_BWRAP)),
        APPARMOR,
        "install bubblewrap",
    ),
    "Ubuntu 24.04, bwrap without its profile": (
        (("namespaces", "mount /: Permission denied"), ("bubblewrap", MAP)),
        APPARMOR,
        "apparmor_parser -r bwrap-userns-restrict",
    ),
    "Ubuntu 24.04, bwrap with its profile": ((("namespaces", "mount /: Permission denied"),), APPARMOR, ""),
    "Docker": (
        (("namespaces", EPERM), ("bubblewrap", NO_BWRAP)),
        {".dockerenv": "", **APPARMOR},
        "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined",
    ),
    "Podman": (
        (("namespaces", "mount proc: Operation not permitted"), ("bubblewrap", NO_BWRAP)),
        {"run/.containerenv": 'engine="podman-5"\n'},
        "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL",
    ),
    "WSL 1": (NO_LANDLOCK, {RELEASE: "4.4.0-22621-Microsoft\n"}, "wsl --set-version DISTRIBUTION 2"),
    "WSL 2 of old": (NO_LANDLOCK, {RELEASE: "5.10.16.3-microsoft-standard-WSL2\n"}, "wsl --update"),
    "a kernel without Landlock": (NO_LANDLOCK, {RELEASE: "5.10.0-30-amd64\n"}, "lsm="),
    "nothing can be written": (
        tuple((tier, FULL) for tier in ("namespaces", "bubblewrap", "landlock")),
        {},
        "set TMPDIR",
    ),
    "who knows why": ((("namespaces", EPERM), ("bubblewrap", "timed out")), {}, "ask who runs this machine"),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_missing_tier_is_told_with_the_command_that_mends_it_there(tmp_path, name):
    """In a container first, as nothing else can be set there; nothing where a tier that is as good works."""
    failed, files, hint = ROWS[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    found = box_hint(failed, tmp_path)

    assert hint in found
    assert bool(hint) == bool(found)
