"""The name of a tool call, and its arguments: read without loss or refused, and validated in full."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from cococat.core.reply import Invalid
from cococat.core.tools import Tool
from cococat.protocol.lossless import read_object

MAX_CHARS = 1 << 20  # characters of the arguments of one call
MAX_DEPTH = 64  # levels of nesting
_BEHIND = re.compile(r"<\|.*|:\d+\Z|\(\)\Z", re.DOTALL)
_BORDERS = tuple(".:/=")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def tool_meant(name: str, offered: Collection[str]) -> str:
    """
    Return the one of *offered* that *name* means, with what templates leave around it; *name* where there is none.

    `functions.NAME`, `NAME:0` and `NAME<|channel|>commentary` are NAME. What others of *offered* begin with is
    no such prefix: it names a server whose tool is missing.
    """
    if name in offered:
        return name
    bare = _BEHIND.sub("", name)
    meant = max(
        (tool for tool in offered if bare == tool or bare.endswith(tuple(b + tool for b in _BORDERS))),
        key=len,
        default="",
    )
    prefix = bare.removesuffix(meant)
    return meant if meant and not (prefix and any(tool.startswith(prefix) for tool in offered)) else name


def parse_arguments(tool: Tool, text: str) -> Mapping[str, object] | Invalid:
    """
    Return the arguments that *text* holds for *tool*, or what is wrong with them.

    Empty text means no arguments. What is wrong names the field and the allowed names.
    """
    if len(text) > MAX_CHARS:
        return Invalid(f"the arguments hold {len(text):,} characters, at most {MAX_CHARS:,} are allowed")
    if _depth(text) > MAX_DEPTH:
        return Invalid(f"the arguments are nested deeper than {MAX_DEPTH} levels")
    arguments = read_object(text) if text.strip() else {}
    return arguments if isinstance(arguments, Invalid) else _validated(tool, arguments)


def _depth(text: str) -> int:
    """Levels of brackets in *text*; brackets in strings count too, which errs on the safe side."""
    deepest = level = 0
    for char in text:
        if char in "[{":
            level += 1
            deepest = max(deepest, level)
        elif char in "]}":
            level -= 1
    return deepest


def _validated(tool: Tool, arguments: dict[str, object]) -> Mapping[str, object] | Invalid:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    # null for an optional field means "not given" to every model that sends it
    arguments = {name: value for name, value in arguments.items() if value is not None or name in tool.required}
    validator = Draft202012Validator(tool.parameters, registry=Registry())
    errors = sorted(validator.iter_errors(arguments), key=lambda error: [str(step) for step in error.absolute_path])
    if not errors:
        path = arguments.get("path")
        if isinstance(path, str) and (
            found := _CONTROL.search(path)
        ):  # C:\temp, src\new, with the backslash as an escape
            told = f"path: {path!r} holds the control character {found[0]!r}"
            return Invalid(f"{told}; a backslash is written \\\\ in JSON")
        return arguments
    places = "; ".join(
        f"{'.'.join(map(str, error.absolute_path)) or 'arguments'}: {error.message[:200]}" for error in errors[:3]
    )
    return Invalid(f"{places}. {tool.name} takes: {', '.join(tool.properties) or 'no arguments'}")
