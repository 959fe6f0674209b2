"""`ask` and `chat` as Typer declares them: the same flags, another ending."""

from __future__ import annotations

import typer

from cococat.cli import flags as f
from cococat.cli.conversing import Given, conversing

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
    no_stdin: f.NoStdin = False,
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
    given = Given(
        mode=mode,
        model=model,
        base_url=base_url,
        profile=profile,
        system=system,
        file=file,
        continue_=continue_,
        resume=resume,
        fork=fork,
        root=root,
        permission=permission,
        allow=allow,
        option=option,
        trust=trust,
        no_tools=no_tools,
        no_dream=no_dream,
        no_session=no_session,
        no_stdin=bool(no_stdin),
        max_steps=max_steps,
        max_tokens=max_tokens,
        max_seconds=max_seconds,
        min_tool_calls=min_tool_calls,
        output_format=output_format,
        color=color,
        quiet=quiet,
        verbose=verbose,
        config=config,
    )
    return conversing(context.info_name or "ask", prompt or (), given)
