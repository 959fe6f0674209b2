"""The JSON Schema that a server gives of a tool's arguments: made such that every endpoint takes it, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

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
_SAME = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})  # of the same value
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
    _check(cleaned)
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


def _check(schema: dict[str, Any]) -> None:
    """Refuse what the validation of a call could not work with: a word that means nothing, references without an end."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise Unusable(f"its arguments are no valid JSON Schema: {short(error.message)}") from None
    places = _places(schema)
    weights: dict[int, int] = {}
    for one in places.values():
        _weigh(one, places, weights)


def _places(schema: Mapping[str, Any], path: str = "#") -> dict[str, Mapping[str, Any]]:
    """Return every schema in *schema*, by the reference that means it."""
    found = {path: schema}
    for key, value in schema.items():
        match value:
            case dict() if key in _MAPS:
                below = {f"{path}/{key}/{_escaped(name)}": one for name, one in value.items()}
            case list() if key in _LISTS:
                below = {f"{path}/{key}/{number}": one for number, one in enumerate(value)}
            case dict() if key in _ONE:
                below = {f"{path}/{key}": value}
            case _:
                continue
        for inner, one in below.items():
            found |= _places(one, inner) if isinstance(one, dict) else {inner: {}}
    return found


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _weigh(schema: Mapping[str, Any], places: Mapping[str, Mapping[str, Any]], weights: dict[int, int]) -> int:
    """
    Return how many schemas a value is held against that is held against *schema*; none is expanded to count them.

    Raises: Unusable: there are too many, without an end, or one that is referred to is not there.
    """
    if id(schema) not in weights:
        weights[id(schema)] = 0  # until it is known: who comes here again goes in a circle
        try:
            same = [places[unquote(schema[key])] for key in _REFS if key in schema]
        except KeyError:
            raise Unusable("its arguments refer to a part that is not there") from None
        for key in _SAME & schema.keys():
            value = schema[key]
            inner = value.values() if key == "dependentSchemas" else value if isinstance(value, list) else [value]
            same += [one for one in inner if isinstance(one, dict)]
        weights[id(schema)] = 1 + sum(_weigh(one, places, weights) for one in same)
    if not weights[id(schema)]:
        raise Unusable("its arguments refer to themselves without an end")
    if weights[id(schema)] > MAX_SCHEMAS:
        raise Unusable(f"its arguments are held against more than {MAX_SCHEMAS} parts at once")
    return weights[id(schema)]
