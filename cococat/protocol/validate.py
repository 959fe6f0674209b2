"""The three layers a JSON decision has to pass: its structure, its types, its sense."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from cococat.core.reply import Invalid
from cococat.core.tools import Tool

__all__ = ["ACTIONS", "check", "find_decision"]

Decision: TypeAlias = Mapping[str, object]
ACTIONS = ("tool_call", "finish", "replan", "ask_user")
MAX_OBJECTS = 50  # braces of a reply that are looked at; text full of them must not cost a second
KEYS = ("action", "tool", "tool_input", "final")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "object": (dict,),
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


def find_decision(text: str) -> Decision | Invalid:
    """
    Return the first JSON object of *text* that looks like a decision.

    What stands around it (a fence, a tag, a sentence) is ignored. The object that models trained
    on `<tool_call>` write, {name, arguments}, counts as a tool call.
    """
    decoder, failure, end = json.JSONDecoder(strict=False), "", 0
    other: object = None
    for _ in range(MAX_OBJECTS):
        start = text.find("{", end)
        if start < 0:
            break
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            failure, end = failure or type(error).__name__, start + 1
        else:
            if "action" in found:
                return {**dict.fromkeys(KEYS), **found}
            if isinstance(found.get("name"), str) and "arguments" in found:
                return {"action": "tool_call", "tool": found["name"], "tool_input": found["arguments"], "final": None}
            other = other or found
    if other is None:
        return Invalid(f"Invalid JSON parse error: {failure or 'JSONDecodeError'}")
    return Invalid("Missing required field: action")


def check(decision: Decision, tools: Sequence[Tool]) -> Invalid | None:
    """
    Return what is wrong with *decision*, the first thing only; None when it may be carried out.

    Args:
        decision: has all of KEYS; what the model left out is null.
    """
    if decision["action"] not in ACTIONS:
        return Invalid(f"action must be one of {', '.join(ACTIONS)}")
    if decision["action"] == "tool_call":
        return _check_call(decision, {tool.name: tool for tool in tools})
    if decision["tool"] is not None or decision["tool_input"] is not None:
        return Invalid(f"tool and tool_input must be null when action is {decision['action']}")
    if not isinstance(decision["final"], str):
        return Invalid(f"final must be a string when action is {decision['action']}")
    return None


def _check_call(decision: Decision, tools: Mapping[str, Tool]) -> Invalid | None:
    name, given = decision["tool"], decision["tool_input"]
    if not isinstance(name, str):
        return Invalid("tool must be a string when action is tool_call")
    if name not in tools:
        return Invalid(f"tool must be one of {', '.join(sorted(tools))}" if tools else "no tool is available: finish")
    if not isinstance(given, dict):
        return Invalid("tool_input must be an object when action is tool_call")
    if decision["final"] is not None:
        return Invalid("final must be null when action is tool_call")
    return _check_input(given, tools[name].parameters)


def _check_input(given: Mapping[str, object], parameters: Mapping[str, object]) -> Invalid | None:
    """Check the fields of a tool's input; what is inside them is checked when the call is made."""
    declared, required = parameters.get("properties"), parameters.get("required")
    properties: Mapping[str, object] = declared if isinstance(declared, dict) else {}
    for key in required if isinstance(required, list) else ():
        if key not in given:
            return Invalid(f"Missing required tool_input field: {key}")
    for key, value in given.items():
        if key not in properties:
            if parameters.get("additionalProperties") is False:
                return Invalid(f"Unexpected tool_input field: {key}")
            continue
        if value is not None and (wanted := _wrong_type(value, properties[key])):
            return Invalid(f"tool_input field {key} must be {wanted}")
    return None


def _wrong_type(value: object, schema: object) -> str:
    """Name the type that *value* should have; empty when it has it."""
    wanted = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(wanted, str) or wanted not in _TYPES:
        return ""
    right = isinstance(value, _TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool))
    return "" if right else wanted
