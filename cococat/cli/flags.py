"""The flags that commands share, as Typer declares them: from the table of `talk`; what they come to is in `read_flags`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

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
from cococat.cli.talk import FLAGS, Flag

__all__ = [
    "Allow",
    "BaseUrl",
    "Color",
    "Config",
    "Job",
    "MaxSeconds",
    "MaxSteps",
    "MaxTokens",
    "Model",
    "Option",
    "OutputFormat",
    "Permission",
    "Profile",
    "Quiet",
    "Root",
    "Verbose",
    "Words",
    "color_of",
    "declared",
    "fields_of",
    "folder_of",
    "folders_of",
    "option",
    "output_of",
    "path_of",
    "session_id",
    "settings_of",
    "text_of",
]


def option(name: str) -> Any:
    """Return what Typer calls the flag of the table with that long *name*."""
    flag = next(flag for flag in FLAGS if flag.names.split()[0] == name)
    return typer.Option(*flag.names.split(), metavar=flag.takes or None, help=flag.help, rich_help_panel=flag.group)


def declared(flag: Flag) -> Any:
    """Return the annotation of a parameter that takes *flag*."""
    kind: Any = list[str] | None if flag.many else str | None if flag.takes else bool
    return Annotated[kind, option(flag.names.split()[0])]


Words: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="PROMPT", hidden=True)]
Allow: TypeAlias = Annotated[list[str] | None, option("--allow")]
BaseUrl: TypeAlias = Annotated[str | None, option("--base-url")]
Color: TypeAlias = Annotated[str, option("--color")]
Config: TypeAlias = Annotated[str | None, option("--config")]
MaxSeconds: TypeAlias = Annotated[str | None, option("--max-seconds")]
MaxSteps: TypeAlias = Annotated[str | None, option("--max-steps")]
MaxTokens: TypeAlias = Annotated[str | None, option("--max-tokens")]
Model: TypeAlias = Annotated[str | None, option("--model")]
Option: TypeAlias = Annotated[list[str] | None, option("--option")]
OutputFormat: TypeAlias = Annotated[str, option("--output-format")]
Permission: TypeAlias = Annotated[str | None, option("--permission")]
Profile: TypeAlias = Annotated[str | None, option("--profile")]
Quiet: TypeAlias = Annotated[bool, option("--quiet")]
Root: TypeAlias = Annotated[str | None, option("--root")]
Verbose: TypeAlias = Annotated[bool, option("--verbose")]
