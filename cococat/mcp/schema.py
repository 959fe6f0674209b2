"""The JSON Schema that a server gives of a tool's arguments: made such that every endpoint takes it, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from cococat.safety.terminal import safe
from cococat.system.text import clip

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

_Weights: TypeAlias = dict[int, tuple[int, int]]
_Places: TypeAlias = dict[str, Mapping[str, Any]]  # schemas by the references that mean them


class Unusable(ValueError):
    """No request may carry this schema; the message says why."""


def clean(schema: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return *schema* without what no model needs, with `properties` wherever there is an object.

    Raises: Unusable: it refers to another document, is too deep or too large, or is no schema of an object.
    """
    places: _Places = {}
    cleaned = _cleaned(schema, 1, "#", places)
    if cleaned.get("type") != "object" or not isinstance(cleaned.get("properties"), dict):
        raise Unusable("its arguments are no object")
    if len(json.dumps(cleaned, ensure_ascii=False)) > MAX_CHARS:
        raise Unusable(f"its arguments take more than {MAX_CHARS:,} characters to describe")
    _check(cleaned, places)
    return cleaned


def short(text: str) -> str:
    """Return a server's *text* about something: on one line, harmless, not too long."""
    return clip(" ".join(safe(text).split()), MAX_DESCRIPTION)


def _cleaned(schema: Mapping[str, Any], depth: int, path: str, places: _Places) -> dict[str, Any]:
    """Return *schema* cleaned; each that is in it is noted in *places*, by the reference that means it."""
    if depth > MAX_DEPTH:
        raise Unusable(f"its arguments are nested deeper than {MAX_DEPTH} levels")
    if len(places) > MAX_SCHEMAS:
        raise Unusable(f"its arguments have more than {MAX_SCHEMAS} parts")
    made: dict[str, Any] = {}
    places[path] = made

    def inner(part: Any, *steps: str) -> Any:
        at = "/".join((path, *(step.replace("~", "~0").replace("/", "~1") for step in steps)))
        places[at] = {}
        return _cleaned(part, depth + 1, at, places) if isinstance(part, dict) else part

    for key, value in schema.items():
        if key in _REFS and not (isinstance(value, str) and value.startswith("#")):
            raise Unusable("its arguments refer to another document, which is never fetched")
        if key in _DROPPED or key.startswith("x-"):
            continue
        made[key] = _below(key, value, inner)
    if missing := {"object": "properties", "array": "items"}.get(str(made.get("type"))):
        made.setdefault(missing, {})
    return made


def _below(key: str, value: Any, inner: Callable[..., Any]) -> Any:
    """Return the *value* of a keyword with the schemas in it cleaned by *inner*."""
    match value:
        case str() if key == "description":
            return short(value)
        case dict() if key in _MAPS:
            return {name: inner(part, key, name) for name, part in value.items()}
        case list() if key in _LISTS:
            return [inner(part, key, str(number)) for number, part in enumerate(value)]
        case dict() if key in _ONE:
            return inner(value, key)
        case _:
            return value


def _check(schema: dict[str, Any], places: _Places) -> None:
    """Refuse what the validation of a call could not work with: a word that means nothing, references without an end."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise Unusable(f"its arguments are no valid JSON Schema: {short(error.message)}") from None
    weighed: _Weights = {}
    for part in places.values():
        _weigh(part, places, weighed)


def _weigh(schema: Mapping[str, Any], places: _Places, weighed: _Weights, level: int = 1) -> tuple[int, int]:
    """
    Return how many schemas a value is held against that is held against *schema*, and how deep; none is expanded for it.

    Raises: Unusable: that is too much, without an end, or one that is referred to is not there.
    """
    if id(schema) not in weighed:
        weighed[id(schema)] = (0, 0)  # until it is known: who comes here again goes in a circle
        same = _of_same_value(schema, places) if level <= MAX_DEPTH else ()
        below = [_weigh(part, places, weighed, level + 1) for part in same]
        weighed[id(schema)] = 1 + sum(count for count, _ in below), 1 + max((deep for _, deep in below), default=0)
    count, deep = weighed[id(schema)]
    if not count:
        raise Unusable("its arguments refer to themselves without an end")
    if count > MAX_SCHEMAS or max(deep, level) > MAX_DEPTH:
        raise Unusable(f"its arguments hold one value against more than {MAX_SCHEMAS} parts, or {MAX_DEPTH} levels")
    return count, deep


def _of_same_value(schema: Mapping[str, Any], places: _Places) -> list[Mapping[str, Any]]:
    """The schemas that a value is held against which is held against *schema*."""
    try:
        found = [places[unquote(schema[key])] for key in _REFS if key in schema]
    except KeyError:
        raise Unusable("its arguments refer to a part that is not there") from None
    for key in _SAME & schema.keys():
        value = schema[key]
        inner = value.values() if key == "dependentSchemas" else value if isinstance(value, list) else [value]
        found += [part for part in inner if isinstance(part, dict)]
    return found
