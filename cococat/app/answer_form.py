"""The form that `ask` was told to give its answer in: what of the answer is printed, or why nothing is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cococat.core.limits import Problem, Stop, StopReason
from cococat.errors import UsageError
from cococat.protocol.fence import first_block
from cococat.protocol.shaped import fitting, wrong_schema
from cococat.system.text_file import NoTextError, read_text

HINT = "leave out -x, or see what was answered: cococat replay ID (cococat sessions list)"
SHORT = "name a file, write JSON, or fields: --schema 'name, age int, bio: one line' (int, float, bool, str)"
TYPES: Mapping[str, str] = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
# endings behind which there can be a whole answer
WHOLE = (
    StopReason.ANSWERED,
    StopReason.PERMISSION_DENIED,
    StopReason.STEP_LIMIT,
    StopReason.TOKEN_LIMIT,
    StopReason.LOOP,
    StopReason.NO_PROGRESS,
)


def extracted(answer: str, stop: Stop) -> tuple[str, Stop]:
    """Return the first fenced block of *answer* alone, for -x: of one that was cut, only if it is closed."""
    whole = stop.reason is StopReason.ANSWERED
    block = first_block(answer, closed=not whole)
    if block is not None or not whole:
        return block or "", stop
    problem = Problem("no_block", "the answer holds no fenced block, so nothing is printed", HINT)
    return "", Stop(StopReason.MODEL_ERROR, problem.message, problem)


def satisfying(schema: Mapping[str, object], answer: str, stop: Stop) -> tuple[str, Stop]:
    """Return the JSON of *answer* that satisfies *schema*, for --schema; where there is none, nothing, and what there is instead."""
    found = fitting(schema, answer)
    if stop.reason is StopReason.QUESTION:
        asked = Problem("question", f"the model asked instead of answering: {stop.detail}", "answer it in the prompt")
        return "", replace(stop, problem=asked)
    if stop.reason not in WHOLE or (not isinstance(found, str) and stop.reason is not StopReason.ANSWERED):
        return "", stop
    if isinstance(found, str):
        return found, stop
    problem = Problem(
        "schema_mismatch", f"no reply satisfied the schema: {found.reason}", HINT.replace("-x", "--schema")
    )
    return "", Stop(StopReason.SCHEMA_MISMATCH, problem.message, problem)


def read_schema(word: str) -> Mapping[str, object]:
    """
    Return the JSON Schema that *word* is: JSON, the name of a file that holds it, or fields in short.

    Raises: UsageError: it is none of them, or no schema that an answer can be checked against.
    """
    if word.lstrip().startswith("{"):
        name, schema = "--schema", _loaded("--schema", word)
    elif _names_a_file(word):
        name = f"--schema {word}"
        try:
            schema = _loaded(name, read_text(Path(word)))
        except NoTextError as error:
            raise UsageError(f"{name}: {error.reason}", error.hint) from error
    else:
        return _of_fields(word)
    if wrong := wrong_schema(schema):
        raise UsageError(f"{name}: no JSON Schema that can be used: {wrong}", "see https://json-schema.org/learn")
    return schema


def _names_a_file(word: str) -> bool:
    try:
        return Path(word).is_file() or word.endswith(".json") or os.sep in word.partition(":")[0]
    except (OSError, ValueError):  # too long, or a NUL
        return False


def _loaded(name: str, text: str) -> Mapping[str, object]:
    try:
        schema = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"{name}: no JSON: {error.msg} at {where}", "write a JSON Schema, an object") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: no JSON that can be read: {error}", "write a JSON Schema, an object") from error
    if not isinstance(schema, dict):
        raise UsageError(f"{name}: a schema is a JSON object, this is not", 'e.g. {"type": "array"}')
    return schema


def _of_fields(word: str) -> Mapping[str, object]:
    """Read `name, age int, bio: one line`: names with types and descriptions; on lines of their own, these may hold commas."""
    properties: dict[str, object] = {}
    for field in filter(None, map(str.strip, word.split("\n" if "\n" in word.strip() else ","))):
        declared, _, description = (part.strip() for part in field.partition(":"))
        found = re.fullmatch(r"([^\W\d][\w-]*)(?:\s+(\w+))?", declared)
        if not found or (found[2] or "str") not in TYPES or found[1] in properties:
            raise UsageError(f"--schema: '{ascii(field)[1:-1][:60]}' is no field, no file and no JSON", SHORT)
        described = {"description": description} if description else {}
        properties[found[1]] = {"type": TYPES[found[2] or "str"], **described}
    if not properties:
        raise UsageError("--schema: it names no field", SHORT)
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
