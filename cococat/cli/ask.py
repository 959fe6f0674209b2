"""`ask` and `chat`: the same flags, another ending."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import typer

from cococat.cli import flags as f
from cococat.config import Options, Settings
from cococat.errors import UsageError

__all__ = ["converse"]


def converse(  # noqa: PLR0917 - one argument a flag
    context: typer.Context,
    prompt: f.Words = None,
    mode: f.Mode = None,
    model: f.Model = None,
    base_url: f.BaseUrl = None,
    profile: f.Profile = None,
    system: f.System = None,
    file: f.File = None,
    continue_: f.Continue = False,
    resume: f.Resume = None,
    fork: f.Fork = False,
    root: f.Root = None,
    permission: f.Permission = None,
    allow: f.Allow = None,
    option: f.Option = None,
    trust: f.Trust = False,
    no_tools: f.NoTools = False,
    no_dream: f.NoDream = False,
    no_session: f.NoSession = False,
    max_steps: f.MaxSteps = None,
    max_tokens: f.MaxTokens = None,
    max_seconds: f.MaxSeconds = None,
    min_tool_calls: f.MinToolCalls = None,
    output_format: f.OutputFormat = "text",
    color: f.Color = "auto",
    quiet: f.Quiet = False,
    verbose: f.Verbose = False,
    config: f.Config = None,
) -> f.Job:
    """Return the call of `ask` or `chat`, whichever name it was invoked by."""
    options = Options(
        system=None if system is None else f.text_of(system),
        files=tuple(map(Path, file or ())),
        continue_=continue_,
        resume=None if resume is None else f.session_id(resume, "--resume"),
        fork=fork,
        root=f.folder_of(root),
        tools=not no_tools,
        trust=trust,
        dream=not no_dream,
        session=not no_session,
        output_format=f.output_of(output_format),
        color=f.color_of(color),
        quiet=quiet,
        verbose=verbose,
    )
    _check(options)
    settings = f.settings_of(
        config,
        mode=mode,
        profile=profile,
        model__name=model,
        model__base_url=base_url,
        model__options=f.fields_of(option),
        permissions__mode=permission,
        permissions__allow=tuple(allow) if allow else None,
        agent__max_steps=max_steps,
        agent__max_total_tokens=max_tokens,
        agent__max_seconds=max_seconds,
        agent__min_tool_calls=min_tool_calls,
    )
    return _job(context.info_name, settings, options, tuple(map(f.text_of, prompt or ())))


def _job(name: str | None, settings: Settings, options: Options, words: tuple[str, ...]) -> f.Job:
    if name == "chat":
        from cococat.app.chat.repl import chat

        return partial(chat, settings, options, words)
    from cococat.app.ask import ask

    return partial(ask, settings, options, words)


def _check(options: Options) -> None:
    """
    Refuse flags that contradict each other.

    Raises: UsageError: two of them do.
    """
    if options.continue_ and options.resume:
        raise UsageError("--continue and --resume name two sessions", "give one of them")
    if options.fork and not (options.continue_ or options.resume):
        raise UsageError("--fork has no session to copy", "add --continue, or --resume ID")
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other", "give one of them")
