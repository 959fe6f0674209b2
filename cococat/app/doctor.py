"""`cococat doctor`: whether all is in place for an answer, and whether the log of a session is."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from cococat import __version__
from cococat.app.boxing import Boxing
from cococat.app.endpoint.names import NO_MODEL, named_endpoint, named_model
from cococat.app.endpoint.probe import calls_here
from cococat.app.output import out, report
from cococat.config import Folders, Options, Settings, find_folders, key_for
from cococat.core.model import ProviderError
from cococat.errors import UsageError
from cococat.model.catalog import ABSENT, find_local, list_models, takes_questions
from cococat.model.endpoint import URL_HINT
from cococat.safety.terminal import safe
from cococat.system.urls import host_of
from cococat.tools.web import HINT, MISSING, provider

PACKAGES = ("openai", "typer", "rich", "prompt-toolkit", "tiktoken", "platformdirs", "xllamacpp")
EXTRAS = {"docs": "pypdf", "images": "PIL", "keyring": "keyring", "mcp": "mcp", "skills": "yaml"}
MEGABYTE = 1_000_000
# what closes a tier of the box: a file of Linux, how its text begins then, and what opens the tier again
_DOCKER = "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
_PROFILE = (  # Ubuntu 24.04 has it in a package, later ones in force
    "sudo apt-get install apparmor-profiles && cd /etc/apparmor.d && "
    "sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict . && sudo apparmor_parser -r bwrap-userns-restrict"
)
_CONTAINERS = (
    (".dockerenv", "", _DOCKER),
    ("run/.containerenv", "", "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL"),
)
_KERNELS = (
    ("proc/sys/kernel/osrelease", ".*-Microsoft", "in Windows: wsl --set-version DISTRIBUTION 2"),
    ("proc/sys/kernel/osrelease", ".*-microsoft", "in Windows: wsl --update"),
    ("proc/sys/kernel/osrelease", "", "a kernel from 5.13 on, with landlock in its boot parameter lsm="),
)
_SETTINGS = (
    ("proc/sys/user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=10000"),
    ("proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
)
_APPARMOR = ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", _PROFILE)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that doctor looked at; *hint* is the fix when it is not ok, or what there would be more."""

    name: str
    state: Literal["ok", "warn", "fail"]
    detail: str
    hint: str = ""


def doctor(settings: Settings, options: Options, *, as_json: bool) -> int:
    """Print what was checked; 0 when nothing failed, 3 when the model cannot be reached, else 2."""
    folders = find_folders(os.environ)
    checks = [
        *_versions(),
        *_configuration(settings, folders),
        *_folders(folders),
        *_terminal(),
        _search(settings),
        _box(settings, folders),
        *_model(settings, folders),
    ]
    failed = _print(checks, as_json=as_json)
    if not failed:
        return 0
    return 3 if any(check.name == "endpoint" for check in failed) else 2


def _print(checks: Sequence[Check], *, as_json: bool) -> list[Check]:
    """Print *checks*; return those that failed."""
    failed = [check for check in checks if check.state == "fail"]
    if as_json:
        out(json.dumps({"ok": not failed, "checks": [asdict(check) for check in checks]}, ensure_ascii=False, indent=2))
        return failed
    marks = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
    rows = [f"{marks[c.state]}  {c.name:<12} {c.detail}" + (f"\n      -> {c.hint}" if c.hint else "") for c in checks]
    report("\n".join(rows))
    return failed


def doctor_session(folders: Folders, session_id: str, *, as_json: bool) -> int:
    """Print what is in the log of one session, and what a repair would do; 0 when nothing is wrong with it, else 6."""
    from cococat.store.check import examine

    log = examine(folders.sessions, session_id)
    faults, fixes = tuple(map(safe, log.faults)), log.fixes
    kinds = ", ".join(f"{count} {kind}" for kind, count in log.records.items())
    checks = [
        Check("log", "ok", f"{log.path} ({_amount(log.size)})"),
        Check("records", "ok" if log.records else "fail", f"{sum(log.records.values()):,}: {kinds or 'none'}"),
        Check("owner", "ok", log.owner or "none: it is closed"),
        *(Check("fault", "fail", fault) for fault in faults),
    ]
    if log.aside:
        checks.append(Check("set aside", "ok", f"{log.aside:,} bytes of torn lines, in {log.path.name}.torn"))
    if faults:
        fix = f"cococat sessions repair {log.id}" if fixes else ""
        what = "; ".join(fixes) or "nothing: what can be read is read, and the rest stays in the file"
        checks.append(Check("repair", "warn", f"would {what}" if fixes else what, fix))
    _print(checks, as_json=as_json)
    return 6 if faults else 0


def _versions() -> Iterator[Check]:
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Check("cococat", "ok", f"{__version__} on {where}")
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            if name != "xllamacpp":
                yield Check("packages", "fail", f"{name} is not installed", "pip install --force-reinstall cococat")
    yield Check("packages", "ok", ", ".join(found))
    missing = [extra for extra, module in EXTRAS.items() if find_spec(module) is None]
    there = ", ".join(extra for extra in EXTRAS if extra not in missing)
    if missing:
        there = f"{there or 'none'}; not installed: {', '.join(missing)}"
    yield Check("extras", "ok", there, f"pip install 'cococat[{','.join(missing)}]'" * bool(missing))


def _configuration(settings: Settings, folders: Folders) -> Iterator[Check]:
    file = settings.file or folders.config_file
    yield Check("config", "ok", f"{file}{'' if file.exists() else ' (none; defaults are used)'}")
    model = settings.model
    yield Check("model", "ok", f"{model.name} (from {settings.origins['model.name']})")
    yield Check("base_url", "ok", f"{model.base_url} (from {settings.origins['model.base_url']})")
    key = key_for(settings, os.environ)
    yield Check("key", "ok", f"{key} for {host_of(model.base_url)}" if key else "none")


def _folders(folders: Folders) -> Iterator[Check]:
    for name, folder in (("sessions", folders.sessions), ("memory", folders.memory), ("cache", folders.cache)):
        nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if not os.access(nearest, os.W_OK | os.X_OK):
            yield Check(name, "fail", f"{folder} cannot be written", f"chmod u+wx {nearest}, or set COCOCAT_HOME")
            continue
        size = sum(path.lstat().st_size for path in folder.rglob("*")) if folder.is_dir() else 0
        yield Check(name, "ok", f"{folder} ({_amount(size)})")


def _box(settings: Settings, folders: Folders) -> Check:
    """The box of commands, why a stronger one is not there, and what would mend that."""
    boxing = Boxing(settings, folders, Path.cwd())
    failed = [] if settings.sandbox.mode == "off" else boxing.box.failed
    why = "".join(f"; {tier}: {reason}" for tier, reason in failed)
    hint = box_hint(failed)
    state: Literal["ok", "warn"] = "warn" if hint or (not boxing.box and settings.sandbox.mode != "off") else "ok"
    return Check("box", state, f"{boxing.word}{why}", hint)


def box_hint(failed: Sequence[tuple[str, str]], system: Path = Path("/")) -> str:
    """Return what opens a tier that *failed*, as the files of *system* tell; empty where one that is as good works."""
    from cococat.sandbox.box import NOT_INSTALLED, TRIAL

    why = dict(failed)
    if any(TRIAL in reason for reason in why.values()):
        return "set TMPDIR to a folder that can be written"
    if "bubblewrap" not in why:
        return ""
    bwrap = "sudo apt-get install bubblewrap, or as your system calls it" if NOT_INSTALLED in why.values() else ""
    rows: tuple[tuple[str, str, str], ...] = (
        _KERNELS if "landlock" in why else _SETTINGS if bwrap else (*_SETTINGS, _APPARMOR)
    )
    for name, begins, opens in (*_CONTAINERS, *rows):
        if (file := system / name).is_file() and re.match(begins, file.read_text("utf-8", "replace")):
            return opens
    return bwrap or "ask who runs this machine for user namespaces"


def _amount(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= MEGABYTE else f"{-(-size // 1000):,} kB"


def _terminal() -> Iterator[Check]:
    size = shutil.get_terminal_size()
    streams = (("stdin", sys.stdin), ("stdout", sys.stdout), ("stderr", sys.stderr))
    ends = ", ".join(f"{n} {'terminal' if s and s.isatty() else 'no terminal'}" for n, s in streams)
    encoding = (sys.stdout.encoding or "?").lower()
    yield Check("terminal", "ok", f"{ends}; {size.columns}x{size.lines}, TERM={os.environ.get('TERM', '')}, {encoding}")


def _search(settings: Settings) -> Check:
    who = provider(settings.web.search_url)
    return Check("web search", "ok" if who else "warn", who or f"not offered: {MISSING}", "" if who else HINT)


def _model(settings: Settings, folders: Folders) -> Iterator[Check]:
    """Is there a model to talk to, and does its endpoint answer?"""
    why_not = _embedded_trouble()
    yield Check(
        "embedded",
        "ok" if not why_not else "warn",
        why_not or "installed",
        "" if not why_not else "pip install 'cococat[local]'",
    )
    try:
        endpoint = named_endpoint(settings)
    except UsageError as error:
        local = asyncio.run(find_local(name=named_model(settings)))
        if local:
            yield Check("endpoint", "ok", f"{local.base_url} answers on this machine ({local.kind}: {local.model})")
        elif why_not:
            yield Check("endpoint", "fail", error.message, NO_MODEL)
        else:
            yield Check("endpoint", "ok", "none configured; the embedded model answers")
        return
    try:
        names = [model.name for model in asyncio.run(list_models(endpoint))]
    except ProviderError as error:
        if error.status in ABSENT and asyncio.run(takes_questions(endpoint)):
            detail = f"{endpoint.base_url} takes questions and lists no models: {settings.model.name} is not checked"
            yield Check("endpoint", "warn", detail)
            return
        hint = URL_HINT if error.status in ABSENT else error.problem.hint
        name = "environment" if error.problem.kind == "config" else "endpoint"
        yield Check(name, "fail", error.problem.message, hint)
        return
    word = calls_here(settings)
    yield Check("tools", "ok", word or "auto", "" if word else "cococat doctor --probe finds out what works here")
    known = settings.model.name in names or not names
    yield Check(
        "endpoint", "ok", f"{endpoint.base_url} answers and lists {len(names)} model{'' if len(names) == 1 else 's'}"
    )
    if not known:
        yield Check("model", "warn", f"{settings.model.name} is not among them", "cococat models; then -m NAME")


def _embedded_trouble() -> str:
    if find_spec("xllamacpp") is None:
        return "not installed"
    from cococat.model.embedded import available

    return available()
