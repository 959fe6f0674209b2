"""What runs inside the box first, and then becomes the command: `TIER --flag VALUE… -- ARGV`. See `box.Box.words`."""

from __future__ import annotations

import os
import sys

from cococat.sandbox.kernel import cap_drop, no_new_privileges, with_parent
from cococat.sandbox.landlock import restrict

FLAGS = ("root", "home", "private", "read", "write", "hidden", "fixed", "network", "beside")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
OWN = ("/dev/ptmx", "/dev/pts", "/dev/shm", "/tmp", "/var/tmp")  # where they are not the user's
NOT_FOUND = 127


def main(words: list[str]) -> None:
    """Make the box of *words*, and run in it what stands behind `--`; exit 125 says that nothing ran."""
    tier, cut = words[0], words.index("--")
    order: dict[str, list[str]] = {flag: [] for flag in FLAGS}
    for flag, value in zip(words[1:cut:2], words[2:cut:2], strict=True):
        order[flag[2:]].append(value)
    (root,), (private,) = order["root"], order["private"]
    order["write"].insert(0, root)
    write = [*order["write"], *DEVICES, *(() if tier == "landlock" else OWN)]
    if tier == "namespaces":
        from cococat.sandbox.namespaces import enter

        enter(order)
        private = "/tmp"
    write.append(private)
    os.chdir(root)
    os.environ.update(TMPDIR=private, XDG_CACHE_HOME=f"{private}/cache", XDG_RUNTIME_DIR=f"{private}/run")
    os.environ["NPM_CONFIG_CACHE"] = f"{private}/npm"  # npm writes there whatever it does
    # root's tar gives files to the owners that an archive names, which nobody can here
    os.environ["TAR_OPTIONS"] = f"{os.environ.get('TAR_OPTIONS', '')} --no-same-owner"
    no_new_privileges()
    if tier != "namespaces":  # where the first process waits for it
        with_parent()
    restrict([*order["read"], "/proc"], write, tier, network=bool(order["network"]))
    cap_drop()
    argv = words[cut + 1 :]
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - the box becomes the command
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(NOT_FOUND)
