"""The JSON Schema that a server gives of a tool's arguments: made such that every endpoint takes it, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from cococat.safety.terminal import safe
from cococat.system.text import clip

__all__ = ["MAX_DESCRIPTION", "Unusable", "clean", "short"]

MAX_DESCRIPTION = 300  # characters
MAX_DEPTH = 20  # levels of schemas
MAX_SCHEMAS = 500  # in one
MAX_CHARS = 32_768  # of what is left, as JSON
# what models have no use for; a pattern could take for ever, and what is under `x-` is for the server alone
_DROPPED = frozenset({"$schema", "$id", "$anchor", "$comment", "title", "examples", "pattern", "patternProperties"})
_MAPS = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONE = frozenset({
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_REFS = ("$ref", "$dynamicRef", "$recursiveRef")


class Unusable(ValueError):
    """No request may carry this schema; the message says why."""


def clean(schema: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return *schema* without what no model needs, with `properties` wherever there is an object.

    Raises: Unusable: it refers to another document, is too deep or too large, or is no schema of an object.
    """
    cleaned = _cleaned(schema, 1, iter(range(MAX_SCHEMAS)))
    if cleaned.get("type") != "object" or not isinstance(cleaned.get("properties"), dict):
        raise Unusable("its arguments are no object")
    if len(json.dumps(cleaned, ensure_ascii=False)) > MAX_CHARS:
        raise Unusable(f"its arguments take more than {MAX_CHARS:,} characters to describe")
    _try(cleaned)
    return cleaned


def short(text: str) -> str:
    """Return a server's *text* about something: on one line, harmless, not too long."""
    return clip(" ".join(safe(text).split()), MAX_DESCRIPTION)


def _cleaned(schema: Mapping[str, Any], depth: int, room: Iterator[int]) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise Unusable(f"its arguments are nested deeper than {MAX_DEPTH} levels")
    if next(room, None) is None:
        raise Unusable(f"its arguments have more than {MAX_SCHEMAS} parts")
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _REFS and not (isinstance(value, str) and value.startswith("#")):
            raise Unusable("its arguments refer to another document, which is never fetched")
        if key in _DROPPED or key.startswith("x-"):
            continue
        made[key] = _below(key, value, partial(_cleaned, depth=depth + 1, room=room))
    if missing := {"object": "properties", "array": "items"}.get(str(made.get("type"))):
        made.setdefault(missing, {})
    return made


def _below(key: str, value: Any, cleaned: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Any:
    """Return the *value* of a keyword with the schemas in it cleaned."""
    match value:
        case str() if key == "description":
            return short(value)
        case dict() if key in _MAPS:
            return {name: cleaned(one) if isinstance(one, dict) else one for name, one in value.items()}
        case list() if key in _LISTS:
            return [cleaned(one) if isinstance(one, dict) else one for one in value]
        case dict() if key in _ONE:
            return cleaned(value)
        case _:
            return value


def _try(schema: dict[str, Any]) -> None:
    """Refuse what the validation of a call could not work with: a word that means nothing, a reference in a circle."""
    from jsonschema import Draft202012Validator, SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    samples: tuple[object, ...] = ({}, "", 0)
    try:
        Draft202012Validator.check_schema(schema)
        for one in (schema, *({**schema, "$ref": ref} for ref in _refs_of(schema))):
            for sample in samples:
                list(Draft202012Validator(one, registry=Registry()).iter_errors(sample))
    except SchemaError as error:
        raise Unusable(f"its arguments are no valid JSON Schema: {short(error.message)}") from None
    except Unresolvable:
        raise Unusable("its arguments refer to a part that is not there") from None
    except RecursionError:
        raise Unusable("its arguments refer to themselves without an end") from None


def _refs_of(schema: Any) -> set[str]:
    """Every reference in *schema*."""
    match schema:
        case dict():
            own = {value for key, value in schema.items() if key in _REFS and isinstance(value, str)}
            return own.union(*(_refs_of(one) for one in schema.values()))
        case list():
            return set[str]().union(*(_refs_of(one) for one in schema))
        case _:
            return set()
