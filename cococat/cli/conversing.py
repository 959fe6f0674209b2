"""What the flags of `ask` and `chat` come to, however they were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cococat.cli import read_flags as f
from cococat.config import Options, Settings
from cococat.errors import UsageError

__all__ = ["Given", "conversing"]


@dataclass(frozen=True, slots=True)
class Given:
    """The words behind each flag of `ask` and `chat`, as they were typed."""

    mode: str | None = None
    model: str | None = None
    base_url: str | None = None
    profile: str | None = None
    system: str | None = None
    file: Sequence[str] | None = None
    continue_: bool = False
    resume: str | None = None
    fork: bool = False
    root: str | None = None
    permission: str | None = None
    allow: Sequence[str] | None = None
    option: Sequence[str] | None = None
    trust: bool = False
    no_tools: bool = False
    no_dream: bool = False
    no_session: bool = False
    no_stdin: bool = False
    max_steps: str | None = None
    max_tokens: str | None = None
    max_seconds: str | None = None
    min_tool_calls: str | None = None
    output_format: str = "text"
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    config: str | None = None


def conversing(name: str, words: Sequence[str], given: Given) -> f.Job:
    """
    Return the call of `ask` or `chat`, whichever *name* it is.

    Raises: UsageError: a flag makes no sense, or contradicts another. ConfigError: a setting is wrong.
    """
    options = _options(given)
    _check(name, options)
    return _job(name, _settings(given), options, tuple(map(f.text_of, words)))


def _options(given: Given) -> Options:
    return Options(
        system=None if given.system is None else f.text_of(given.system),
        files=tuple(map(Path, given.file or ())),
        continue_=given.continue_,
        resume=None if given.resume is None else f.session_id(given.resume, "--resume"),
        fork=given.fork,
        root=f.folder_of(given.root),
        tools=not given.no_tools,
        trust=given.trust,
        dream=not given.no_dream,
        session=not given.no_session,
        stdin=not given.no_stdin,
        output_format=f.output_of(given.output_format),
        color=f.color_of(given.color),
        quiet=given.quiet,
        verbose=given.verbose,
    )


def _settings(given: Given) -> Settings:
    return f.settings_of(
        given.config,
        mode=given.mode,
        profile=given.profile,
        model__name=given.model,
        model__base_url=given.base_url,
        model__options=f.fields_of(given.option),
        permissions__mode=given.permission,
        permissions__allow=tuple(given.allow) if given.allow else None,
        agent__max_steps=given.max_steps,
        agent__max_total_tokens=given.max_tokens,
        agent__max_seconds=given.max_seconds,
        agent__min_tool_calls=given.min_tool_calls,
    )


def _job(name: str, settings: Settings, options: Options, words: tuple[str, ...]) -> f.Job:
    if name == "chat":
        from cococat.app.chat.repl import chat

        return partial(chat, settings, options, words)
    from cococat.app.ask import ask

    return partial(ask, settings, options, words)


def _check(name: str, options: Options) -> None:
    """
    Refuse flags that contradict each other, or the command *name*.

    Raises: UsageError: one does.
    """
    if name == "chat" and not options.stdin:
        raise UsageError("no such flag: --no-stdin", "a chat needs a terminal; `cococat ask` answers without one")
    if options.continue_ and options.resume:
        raise UsageError("--continue and --resume name two sessions", "give one of them")
    if options.fork and not (options.continue_ or options.resume):
        raise UsageError("--fork has no session to copy", "add --continue, or --resume ID")
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other", "give one of them")
