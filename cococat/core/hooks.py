"""Hooks: plain async functions of the user's own that see a run, and may veto or amend.

A hook that fails is reported and skipped; it never ends a run, and nothing that it gives is taken
without the checks that the model's own words go through.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Literal

from cococat.core.events import Emit, Notice, TurnFinished
from cococat.core.messages import Assistant, Message, ToolCall, ToolResult
from cococat.core.tools import Arguments, Deny

MAX_S = 5.0  # seconds one hook may take
ERROR_CHARS = 200


@dataclass(frozen=True, slots=True)
class Hooks:
    """
    What to call, and when; every function is optional.

    Args:
        name: says in notices whose hooks these are.
        before_think: given the messages of the next request.
        after_think: given each whole reply.
        before_act: given a call and a copy of its arguments; gives other arguments, a Deny, or None.
        after_act: given the result of a call that ran; gives it amended, or None.
        on_stop: given the end of the turn, before anybody is told of it.
        timeout_s: seconds for each of them, at most MAX_S.
    """

    name: str
    before_think: Callable[[Sequence[Message]], Awaitable[None]] | None = None
    after_think: Callable[[Assistant], Awaitable[None]] | None = None
    before_act: Callable[[ToolCall, Arguments], Awaitable[Arguments | Deny | None]] | None = None
    after_act: Callable[[ToolResult], Awaitable[ToolResult | None]] | None = None
    on_stop: Callable[[TurnFinished], Awaitable[None]] | None = None
    timeout_s: float = MAX_S


async def show(
    hooks: Sequence[Hooks], tell: Emit, moment: Literal["before_think", "after_think", "on_stop"], value: object
) -> None:
    """Let the hooks see *value*."""
    for each in hooks:
        await _called(each, tell, moment, value)


async def before_act(hooks: Sequence[Hooks], tell: Emit, call: ToolCall, arguments: Arguments) -> ToolCall | Deny:
    """Return the call that is to be checked, its arguments perhaps amended, or the veto of a hook."""
    for each in hooks:
        given: object = await _called(each, tell, "before_act", call, deepcopy(dict(arguments)))
        match given:
            case None:
                continue
            case Deny(str(reason)):
                return Deny(f"{reason} (hook {each.name})")
            case Mapping() if text := _written(given):
                call, arguments = replace(call, arguments=text), json.loads(text)
                tell(Notice(f"hook {each.name}.before_act changed the arguments of {call.name} to {text}"))
            case _:
                _skipped(each, tell, "before_act", "it gave neither arguments nor a Deny")
    return call


async def after_act(hooks: Sequence[Hooks], tell: Emit, result: ToolResult) -> ToolResult:
    """Return *result* with what the hooks amended: output, display and status, never whose result it is."""
    for each in hooks:
        given: object = await _called(each, tell, "after_act", result)
        match given:
            case None:
                continue
            case ToolResult(output=str(output), status=("completed" | "error") as status, display=str(display)):
                result = replace(result, output=output, status=status, display=display)
            case _:
                _skipped(each, tell, "after_act", "it gave no ToolResult")
    return result


async def _called(hooks: Hooks, tell: Emit, moment: str, *given: object) -> object:
    """Call the hook for *moment* under its time limit; None when there is none, and when it fails."""
    hook: Callable[..., Awaitable[object]] | None = getattr(hooks, moment)
    if hook is None:
        return None
    limit = min(hooks.timeout_s, MAX_S)
    try:
        task = asyncio.ensure_future(hook(*given))
    except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises is a notice, never ours
        _skipped(hooks, tell, moment, _what(error))
        return None
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # seen, so asyncio reports nothing
    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    finally:
        task.cancel()  # one that will not end is left behind, and delays nothing
    if not done or task.cancelled():
        _skipped(hooks, tell, moment, "it was cancelled" if done else f"no end after {limit:g} s")
        return None
    if failure := task.exception():
        _skipped(hooks, tell, moment, _what(failure))
        return None
    return task.result()


def _skipped(hooks: Hooks, tell: Emit, moment: str, why: str) -> None:
    tell(Notice(f"hook {hooks.name}.{moment} failed and was skipped: {why}", "warning"))


def _what(error: BaseException) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:ERROR_CHARS]}".removesuffix(": ")


def _written(arguments: object) -> str:
    """Write amended arguments as JSON, so that nothing is shared with the hook; empty when that cannot be."""
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
