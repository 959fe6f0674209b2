"""Arguments of a tool call: parsed, repaired where that is unambiguous, validated in full."""

from __future__ import annotations

import json
from collections.abc import Mapping

from cococat.core.reply import Invalid
from cococat.core.tools import Tool

__all__ = ["parse_arguments"]

MAX_BYTES = 1 << 20  # bytes of the arguments of one call
DEEPEST = 64  # levels of nesting


def parse_arguments(tool: Tool, text: str) -> Mapping[str, object] | Invalid:
    """
    Return the arguments that *text* holds for *tool*, or what is wrong with them.

    Empty text means no arguments. Broken JSON is repaired only when the repaired object is valid
    for the tool's schema; what cannot be repaired names the field and the allowed names.
    """
    if len(text) > MAX_BYTES:
        return Invalid(f"the arguments hold {len(text):,} characters, at most {MAX_BYTES:,} are allowed")
    if _depth(text) > DEEPEST:
        return Invalid(f"the arguments are nested deeper than {DEEPEST} levels")
    parsed: object
    try:
        parsed = json.loads(text or "{}")
    except ValueError as error:
        parsed = _repaired(text)
        if parsed is None:
            return Invalid(f"Invalid JSON parse error: {type(error).__name__}: {error}")
    if not isinstance(parsed, dict):
        return Invalid(f"the arguments must be a JSON object, got {type(parsed).__name__}")
    return _validated(tool, parsed)


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


def _repaired(text: str) -> object:
    from json_repair import repair_json

    fixed = repair_json(text, return_objects=True)
    return fixed if isinstance(fixed, dict) and fixed else None


def _validated(tool: Tool, arguments: dict[str, object]) -> Mapping[str, object] | Invalid:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    required = tool.parameters.get("required")
    needed = required if isinstance(required, list) else []
    # null for an optional field means "not given" to every model that sends it
    arguments = {name: value for name, value in arguments.items() if value is not None or name in needed}
    validator = Draft202012Validator(tool.parameters, registry=Registry())
    errors = sorted(validator.iter_errors(arguments), key=lambda error: [str(step) for step in error.absolute_path])
    if not errors:
        return arguments
    properties = tool.parameters.get("properties")
    allowed = ", ".join(properties) if isinstance(properties, dict) else ""
    places = "; ".join(
        f"{'.'.join(map(str, error.absolute_path)) or 'arguments'}: {error.message[:200]}" for error in errors[:3]
    )
    return Invalid(f"{places}. {tool.name} takes: {allowed or 'no arguments'}")
