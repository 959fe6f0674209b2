"""`ask` and `chat` as Typer declares them: the same flags, another ending."""

from __future__ import annotations

from inspect import Parameter, Signature

import typer

from cococat.cli import flags as f
from cococat.cli.talk import FLAGS, conversing

__all__ = ["converse"]


def converse(context: typer.Context, prompt: f.Words = None, **found: str | list[str] | bool | None) -> f.Job:
    """Return the call of `ask` or `chat`, whichever name it was invoked by."""
    given = {name: value for name, value in found.items() if value is not None and value is not False and value != []}
    return conversing(context.info_name or "ask", prompt or (), given)


_HEAD = {"context": (typer.Context, Parameter.empty), "prompt": (f.Words, None)}
_TABLE = {flag.field: (f.declared(flag), (flag.default or None) if flag.takes else False) for flag in FLAGS}
# Typer asks a function for its parameters: here they are those of the table
converse.__annotations__ = {name: kind for name, (kind, _) in (_HEAD | _TABLE).items()}
converse.__signature__ = Signature(  # type: ignore[attr-defined]  # what `inspect` documents for this
    [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in (_HEAD | _TABLE).items()
    ]
)
