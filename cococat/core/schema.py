"""JSON Schema of a function's annotated arguments."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["parameters_of"]

_SCALARS: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def parameters_of(function: Callable[..., object], skip: tuple[object, ...] = ()) -> dict[str, Any]:
    """
    Derive the JSON Schema of *function*'s arguments.

    Args:
        function: every argument annotated; `Annotated[T, "text"]` adds a description; an argument
            with a default is optional; `T | None` accepts null where the default is None.
        skip: annotations of arguments that the caller supplies itself.
    Returns: a schema of type object with additionalProperties false.
    Raises: TypeError: an annotation has no JSON counterpart.
    """
    if (lines := _lines_of(function, skip)) is None:
        return _derived(function, skip)
    if lines not in _known:
        _known[lines] = _derived(function, skip)
    return _known[lines]


_known: dict[tuple[object, ...], dict[str, Any]] = {}  # a tool is made anew for each turn, its arguments are the same


def _lines_of(function: Callable[..., object], skip: tuple[object, ...]) -> tuple[object, ...] | None:
    """Return what functions share that are made of the same lines; None where their annotations are no text to compare."""
    if not isinstance(function, types.FunctionType):
        return None
    if not all(isinstance(hint, str) for hint in function.__annotations__.values()):
        return None
    defaults = len(function.__defaults__ or ()), frozenset(function.__kwdefaults__ or ())
    return function.__code__, tuple(function.__annotations__.items()), defaults, skip


def _derived(function: Callable[..., object], skip: tuple[object, ...]) -> dict[str, Any]:
    hints = get_type_hints(function, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, str)
        if hint in skip:
            continue
        properties[name] = _schema(hint)
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def _schema(hint: object) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        texts = [note for note in arguments[1:] if isinstance(note, str)]
        extras = {key: value for note in arguments[1:] if isinstance(note, dict) for key, value in note.items()}
        return {**_schema(arguments[0]), **({"description": texts[0]} if texts else {}), **extras}
    if origin in (Union, types.UnionType):
        inner = [argument for argument in arguments if argument is not type(None)]
        if len(inner) == 1:
            return _schema(inner[0])
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin is dict:
        return {"type": "object"}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    raise TypeError(f"no JSON Schema for {hint!r}")
