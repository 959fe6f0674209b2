"""Which box there is on this machine, and how a command is run in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cococat.sandbox.bounds import Bounds
from cococat.sandbox.seatbelt import profile

PACKAGE = Path(__file__).resolve().parents[2]
BOOT = f"import sys; sys.path.insert(0, {str(PACKAGE)!r}); from cococat.sandbox.launch import main; main(sys.argv[1:])"
TIERS = ("namespaces", "bubblewrap", "landlock", "seatbelt")
LINUX = TIERS[:3]
PROBE_S = 5
TRIAL = "cococat-probe-"  # how the name of the folder for it begins
NOT_INSTALLED = "bwrap is not installed"


@dataclass(frozen=True, slots=True)
class Box:
    """
    How commands are held.

    Args:
        tier: one of `TIERS`; empty: there is no box.
        failed: the tiers that were tried before, each with why it is not there.
    """

    tier: str
    failed: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tier)

    def holds(self, bounds: Bounds) -> bool:
        """Return whether this tier can keep all of *bounds*: Landlock cannot hide what is below a folder it shows."""
        return bool(self.tier) and not (self.tier == "landlock" and bounds.hidden)

    def words(self, bounds: Bounds, argv: Sequence[str]) -> list[str]:
        """Return the command line that runs *argv* within *bounds*; it exits with 125 where nothing could be run."""
        if self.tier == "seatbelt":
            return ["/usr/bin/sandbox-exec", "-p", profile(bounds), *argv]
        launch = [sys.executable, "-I", "-S", "-c", BOOT]
        launch += [self.tier, *_flags(bounds), "--", *argv]
        return [*_bubblewrap(bounds), *launch] if self.tier == "bubblewrap" else launch


NONE = Box("")


def find(wanted: Iterable[str] = TIERS, place: Path | None = None) -> Box:
    """
    Try the tiers in order, each with a command that does nothing; return the first that works.

    Args:
        place: where a folder can be made for that; the system's for temporary files.
    """
    failed: list[tuple[str, str]] = []
    here, home, base = os.path.realpath(sys.prefix), os.path.realpath(Path.home()), os.path.realpath(sys.base_prefix)
    read = tuple(filter(os.path.exists, ("/usr", "/bin", "/lib", "/lib64", here, base)))
    for tier in wanted:
        if (tier in LINUX) != (sys.platform == "linux") or (tier == "seatbelt" and sys.platform != "darwin"):
            continue
        if tier == "bubblewrap" and not shutil.which("bwrap"):
            failed.append((tier, NOT_INSTALLED))
            continue
        try:
            with tempfile.TemporaryDirectory(prefix=TRIAL, dir=place) as private:
                done = subprocess.run(
                    Box(tier).words(Bounds(here, home, os.path.realpath(private), read), ["/bin/sh", "-c", "exit 0"]),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=PROBE_S,
                    check=False,
                    env={"PATH": os.defpath},
                )
        except (OSError, subprocess.TimeoutExpired) as error:
            failed.append((tier, str(error)))
            continue
        if done.returncode == 0:
            return Box(tier, tuple(failed))
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        failed.append((tier, said[-1] if said else f"exit {done.returncode}"))
    return Box("", tuple(failed))


def _flags(bounds: Bounds) -> list[str]:
    """What `launch` reads."""
    pairs = [("root", bounds.root), ("home", bounds.home), ("private", bounds.private)]
    for name in ("read", "write", "hidden", "fixed"):
        pairs += [(name, path) for path in getattr(bounds, name)]
    pairs += [("network", "yes")] if bounds.network else []
    pairs += [("beside", str(bounds.beside))] if bounds.beside else []
    return [word for name, value in pairs for word in (f"--{name}", value)]


def _bubblewrap(bounds: Bounds) -> list[str]:
    """The outer wall by bwrap, where its profile alone may make namespaces; `landlock` stands inside it."""
    words = ["bwrap", "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--die-with-parent"]
    words += [] if bounds.network else ["--unshare-net"]
    words += ["--proc", "/proc", "--dev", "/dev", "--bind", bounds.private, "/tmp", "--tmpfs", "/var/tmp"]
    for path in sorted(
        {"/etc" if path.startswith("/etc/") else path for path in bounds.read}
    ):  # the inner wall has each
        words += ["--ro-bind-try", path, path]
    words += ["--ro-bind", str(PACKAGE / "cococat"), str(PACKAGE / "cococat"), "--bind", bounds.private, bounds.private]
    for path in (bounds.root, *bounds.write):
        words += ["--bind", path, path]
    for path in bounds.fixed:
        words += ["--bind" if path.endswith("/.git") else "--ro-bind", path, path]
    for path in bounds.hidden:
        words += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    return [*words, "--chdir", bounds.root, "--"]
