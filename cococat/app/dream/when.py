"""Whether a dream is due; and one behind the back of `ask`, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from cococat.app.output import note
from cococat.config import Folders, Options, Settings
from cococat.errors import CococatError

__all__ = ["after_ask", "skip_reason"]


def skip_reason(settings: Settings, options: Options, places: Folders) -> str | None:
    """Return why no dream runs now: a sentence for --verbose, empty where none was wanted; None when one is due."""
    if not (options.dream and settings.memory.mode in ("auto", "confirm")):
        return ""
    from cococat.memory.plan import NotDue, due_now

    try:
        verdict = due_now(places.memory, settings.memory)
    except CococatError as error:  # which `remember` has shown
        return f"no dream now: {error.message}"
    return f"no dream now: {verdict.reason}" if isinstance(verdict, NotDue) else None


def after_ask(settings: Settings, options: Options, places: Folders) -> None:
    """Start a dream of its own, detached, when one is due: `ask` returns to the shell at once."""
    reason = skip_reason(settings, options, places)
    if reason is not None:
        if reason and options.verbose:
            note(reason)
        return
    subprocess.Popen(
        # -P: or else a module in the working folder would be imported before ours
        [sys.executable, "-P", "-m", "cococat", "dream", "--background", "--quiet", *_same_model(settings)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _same_model(settings: Settings) -> list[str]:
    """Return the flags that lead a child to the model of this process; keys reach it as they reached us."""
    words = ["--config", str(settings.file)] if settings.file else []
    if settings.profile:
        words += ["--profile", settings.profile]
    for flag, key, value in (
        ("--model", "model.name", settings.model.name),
        ("--base-url", "model.base_url", settings.model.base_url),
    ):
        if settings.origins[key].kind == "flag":
            words += [flag, value]
    return words
