"""`cococat doctor --probe`: agree, ask the endpoint, show what it can do, and keep it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict

from cococat.app.about import Unreachable
from cococat.app.named_endpoint import endpoint_here
from cococat.app.output import note, out, report
from cococat.app.probe import LONG_WORDS, MAX_REQUESTS, MAX_TOKENS, Found, probe
from cococat.config import Settings, folders
from cococat.core.model import ProviderError
from cococat.errors import ConsentError
from cococat.model.profile import Profile, keep, kept
from cococat.model.tokens import count
from cococat.safety.terminal import safe
from cococat.system.urls import host_of
from cococat.ui.theme import is_terminal

__all__ = ["agree", "calls_here", "doctor_probe"]

_CALLS = {
    "native": "tools are called as such",
    "json": "tools are called by JSON decisions",
    "text": "tools are called in words, which are read",
}


def calls_here(settings: Settings) -> str:
    """How tools are called at the configured endpoint, in one word; empty while no probe and no refusal has told."""
    if settings.model.protocol != "auto":
        return settings.model.protocol
    return kept(folders(os.environ).cache, settings.model.base_url, settings.model.name, time.time()).calls


def doctor_probe(settings: Settings, *, as_json: bool, yes: bool) -> int:
    """
    Print what the endpoint can do; 0 when it answers a plain question.

    Raises:
        UsageError: there is none.
        ConsentError: nobody agreed to the requests.
        CococatError: it cannot be reached, or does not answer.
    """
    endpoint, cache = asyncio.run(endpoint_here(settings)), folders(os.environ).cache
    cost = f"{host_of(endpoint.base_url)} gets {MAX_REQUESTS} small requests at most, of {MAX_TOKENS:,} tokens together"
    if yes:
        note(cost)
    else:
        agree(f"{cost}. Go on?")
    try:
        found = asyncio.run(probe(endpoint, settings.timeouts, lambda text: count(text, endpoint.name, folder=cache)))
    except ProviderError as error:
        raise Unreachable(error) from error
    now = time.time()
    profile = Profile(found.window, found.question, found.server, found.calls, judge=found.judge, judged=int(now))
    keep(cache, endpoint.base_url, endpoint.name, profile, now)
    if as_json:
        asked = {"base_url": endpoint.base_url, "model": endpoint.name}
        out(json.dumps({"ok": True, **asked, "probe": asdict(found)}, indent=2))
        return 0
    rows = [f"{name:<12} {safe(said)}" for name, said in _rows(found)]
    report("\n".join([f"{endpoint.name} at {endpoint.base_url}", *rows]))
    note(f"{found.requests} requests, {found.tokens:,} tokens; kept for a week: `auto` goes by it")
    return 0


def agree(question: str) -> None:
    """
    Let the user decide whether requests are sent.

    Raises: ConsentError: there is no terminal to ask on, or the answer is no.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise ConsentError(f"{question} There is no terminal to ask on", "add --yes")
    sys.stderr.write(f"{safe(question)} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConsentError("nothing was asked", "answer y to go on")


def _rows(found: Found) -> Iterator[tuple[str, str]]:
    server = f" by {found.server}" if found.server else ""
    yield "models", f"{found.listed} listed{server}" if found.listed is not None else "no listing"
    yield "streaming", "yes" if found.streams else "no: a reply comes in one piece"
    yield "usage", "in the stream" if found.usage else "none: tokens are estimated"
    yield "tools", _tools(found)
    yield "JSON schema", _with_reason(found.schema, found.schema_error)
    yield "judge", f"{found.judge}: of what is remembered of you"
    yield "reasoning", "in a field or tags of its own" if found.reasoning else "none seen"
    yield "max_tokens", {"": "refused in both names", "max_tokens": "obeyed"}.get(found.max_tokens, found.max_tokens)
    window = f"{found.window:,} tokens, told by its {found.window_from}"
    yield "window", window if found.window else "not told; set model.context_window"
    yield "long prompt", _long(found)
    pace = f", then {found.per_s:g} tokens a second" if found.per_s else ""
    yield "first delta", f"{found.first_s:.2f} s{pace}"
    yield "connection", "used again" if found.connections == 1 else f"opened {found.connections} times"
    yield "so", f"{found.calls}: {_CALLS[found.calls]}"


def _with_reason(what: str, error: str) -> str:
    return f"failed: {error}" if what == "failed" and error else what


def _tools(found: Found) -> str:
    if found.tools not in ("native", "text"):
        return _with_reason(found.tools, found.tools_error)
    return f"{found.tools}, {found.parallel} call{'' if found.parallel == 1 else 's'} in one reply when two were wanted"


def _long(found: Found) -> str:
    if not found.sent:
        return f"not tried: the window is near {LONG_WORDS} tokens"
    if not found.read:
        return "not told what is read of it"
    cut = "cut: " if found.read * 2 < found.sent else ""
    return f"{cut}{found.read:,} tokens read of about {found.sent:,}"
