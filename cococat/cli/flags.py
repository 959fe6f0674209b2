"""The flags that commands share, as Typer declares them; what they come to is in `read_flags`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from cococat.cli.read_flags import (
    Job,
    color_of,
    fields_of,
    folder_of,
    folders_of,
    output_of,
    path_of,
    session_id,
    settings_of,
    text_of,
)

__all__ = [
    "Allow",
    "BaseUrl",
    "Color",
    "Config",
    "Continue",
    "File",
    "Fork",
    "Job",
    "MaxSeconds",
    "MaxSteps",
    "MaxTokens",
    "MinToolCalls",
    "Mode",
    "Model",
    "NoDream",
    "NoSession",
    "NoStdin",
    "NoTools",
    "Option",
    "OutputFormat",
    "Permission",
    "Profile",
    "Quiet",
    "Resume",
    "Root",
    "System",
    "Trust",
    "Verbose",
    "Words",
    "color_of",
    "fields_of",
    "folder_of",
    "folders_of",
    "output_of",
    "path_of",
    "session_id",
    "settings_of",
    "text_of",
]

MODEL, TALK, TOOLS, LIMITS, OUTPUT = "Model", "Conversation", "Tools", "Limits", "Output"  # groups of the help
Words: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="PROMPT", hidden=True)]
Mode: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--mode", metavar="single|react", help="One round of tools, or as many as it takes.", rich_help_panel=TOOLS
    ),
]
Model: TypeAlias = Annotated[
    str | None, typer.Option("--model", "-m", metavar="NAME", help="Which model answers.", rich_help_panel=MODEL)
]
BaseUrl: TypeAlias = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Any OpenAI-compatible endpoint.", rich_help_panel=MODEL)
]
Profile: TypeAlias = Annotated[
    str | None,
    typer.Option("--profile", "-P", metavar="NAME", help="Use [profiles.NAME] of the config.", rich_help_panel=MODEL),
]
System: TypeAlias = Annotated[
    str | None,
    typer.Option("--system", "-s", metavar="TEXT", help="Add TEXT to the system prompt.", rich_help_panel=TALK),
]
File: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="PATH", help="Attach a file; repeatable.", rich_help_panel=TALK),
]
Continue: TypeAlias = Annotated[
    bool, typer.Option("--continue", "-c", help="Go on with the last session of this folder.", rich_help_panel=TALK)
]
Resume: TypeAlias = Annotated[
    str | None, typer.Option("--resume", "-r", metavar="ID", help="Go on with that session.", rich_help_panel=TALK)
]
Fork: TypeAlias = Annotated[bool, typer.Option("--fork", help="Go on in a copy; needs -c or -r.", rich_help_panel=TALK)]
Root: TypeAlias = Annotated[
    str | None, typer.Option("--root", metavar="DIR", help="The folder that tools may see.", rich_help_panel=TOOLS)
]
Permission: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--permission", metavar="plan|ask-first|edits|auto", help="What tools may do unasked.", rich_help_panel=TOOLS
    ),
]
Allow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="RULE",
        help='Never ask about this, e.g. "run_shell(git status)"; repeatable.',
        rich_help_panel=TOOLS,
    ),
]
Option: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="Send this with each request, as it is; repeatable.",
        rich_help_panel=MODEL,
    ),
]
NoTools: TypeAlias = Annotated[
    bool, typer.Option("--no-tools", help="Offer the model no tools.", rich_help_panel=TOOLS)
]
NoDream: TypeAlias = Annotated[
    bool, typer.Option("--no-dream", help="Do not compact the memory afterwards.", rich_help_panel=TALK)
]
NoSession: TypeAlias = Annotated[
    bool, typer.Option("--no-session", help="Keep no record, and remember nothing.", rich_help_panel=TALK)
]
NoStdin: TypeAlias = Annotated[
    bool, typer.Option("--no-stdin", help="Take no input from a pipe or a file.", rich_help_panel=TALK)
]
Trust: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--trust", help="Use AGENTS.md of this folder once, though nobody agreed to it.", rich_help_panel=TOOLS
    ),
]
MaxSteps: TypeAlias = Annotated[
    str | None,
    typer.Option("--max-steps", metavar="N", help="Requests of one turn that may call tools.", rich_help_panel=LIMITS),
]
MaxTokens: TypeAlias = Annotated[
    str | None, typer.Option("--max-tokens", metavar="N", help="Tokens of the whole run.", rich_help_panel=LIMITS)
]
MaxSeconds: TypeAlias = Annotated[
    str | None, typer.Option("--max-seconds", metavar="S", help="Seconds of the whole run.", rich_help_panel=LIMITS)
]
MinToolCalls: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--min-tool-calls", metavar="N", help="Calls that must succeed before the answer.", rich_help_panel=TOOLS
    ),
]
OutputFormat: TypeAlias = Annotated[
    str,
    typer.Option("--output-format", metavar="text|json|stream-json", help="What stdout holds.", rich_help_panel=OUTPUT),
]
Color: TypeAlias = Annotated[
    str, typer.Option("--color", metavar="auto|always|never", help="When to use colour.", rich_help_panel=OUTPUT)
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show the answer and errors alone.", rich_help_panel=OUTPUT)
]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show more of each step.", rich_help_panel=OUTPUT)
]
Config: TypeAlias = Annotated[str | None, typer.Option("--config", metavar="FILE", help="Use this config file.")]
