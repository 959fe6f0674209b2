"""Answers as JSON that satisfies a schema: how they are asked for, and what is wrong with one, or with the schema."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cococat.core.messages import Assistant, Message
from cococat.core.model import Request
from cococat.core.reply import Answer, Calls, Invalid, Replan, Reply, ReplyProtocol
from cococat.core.tools import Tool
from cococat.protocol.fence import first_block
from cococat.protocol.lossless import no_number

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Resource
    from referencing._core import Resolver

MAX_TOLD = 300  # characters of what is wrong
DIALECT = "https://json-schema.org/draft/2020-12/schema"  # of a schema that names none
REFERENCES = ("$ref", "$dynamicRef")


@dataclass(frozen=True, slots=True)
class Shaped:
    """
    Another protocol, whose answers have to satisfy a schema.

    A request that offers no tools asks the endpoint to hold the reply to it; what comes beside tools is checked all
    the same, as not every endpoint takes both.

    Args:
        inner: how tools are called.
        schema: a JSON Schema in which `wrong_schema` finds nothing.
    """

    inner: ReplyProtocol
    schema: Mapping[str, object]
    continues: bool = False  # JSON that was cut begins anew

    @property
    def name(self) -> str:
        """As the other one is called."""
        return self.inner.name

    def request(self, system: str, history: Sequence[Message], tools: Sequence[Tool]) -> Request:
        """Ask as the other one does; without tools for the answer."""
        request = self.inner.request(system, history, tools)
        return request if tools else replace(request, schema=self.schema, answers=True)

    def lens(self) -> Callable[[str], str]:
        """Show what the other one shows."""
        return self.inner.lens()

    def read(self, message: Assistant, tools: Sequence[Tool]) -> Reply:
        """Read calls as the other one does; an answer counts where it satisfies the schema."""
        reply = self.inner.read(message, tools) if tools else Answer(message.text)
        if isinstance(reply, Calls | Replan):
            return reply
        said = reply.text if isinstance(reply, Answer) else message.text
        if tools and not said.strip():
            return reply
        found = fitting(self.schema, said)
        if isinstance(found, str):
            return Answer(found)
        return found if isinstance(reply, Answer) else reply

    def arguments(self, tool: Tool, text: str) -> Mapping[str, object] | Invalid:
        """Read them as the other one does, those of the tool that ends the run as the answer that they are."""
        if tool.effect != "ends":
            return self.inner.arguments(tool, text)
        found = fitting(self.schema, text)
        return found if isinstance(found, Invalid) else _load(found)

    def degrade(self, kind: str) -> str:
        """Let the other one change."""
        return self.inner.degrade(kind)


def fitting(schema: Mapping[str, object], text: str) -> str | Invalid:
    """Return the JSON that *text* is, or that its first fenced block holds, if it satisfies *schema*; else the first thing wrong."""
    block = first_block(text) if "```" in text or "~~~" in text else None
    wrong = ""
    for found in (text.strip(), block):
        if found is None:
            continue
        try:
            wrong = _first_error(schema, _load(found))
        except ValueError as error:
            wrong = wrong or f"it is no JSON: {error}"
        except RecursionError:
            wrong = "it is nested too deep"
        if not wrong:
            return found
    return Invalid(wrong[:MAX_TOLD], final=True)


def _load(text: str) -> Any:
    """Load what every reader of JSON can: Python alone knows NaN and numbers without end."""
    return json.loads(text, parse_constant=no_number, parse_float=_finite)


def _finite(digits: str) -> float:
    return number if math.isfinite(number := float(digits)) else no_number(digits[:40])


def _first_error(schema: Mapping[str, object], value: Any) -> str:
    """Return where and what *value* is that it should not be; empty when it satisfies *schema*."""
    from jsonschema.exceptions import best_match

    error = best_match(_validator(schema).iter_errors(value))
    return f"{error.json_path}: {error.message}" if error else ""


def _validator(schema: Mapping[str, object]) -> Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    return validator_for(schema, Draft202012Validator)(schema, registry=Registry())


def wrong_schema(schema: Mapping[str, object]) -> str:
    """Return the first thing wrong with *schema*, with its place; empty where answers can be checked against it."""
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import UnknownDialect, specification_with

    dialect = str(schema.get("$schema", DIALECT))
    try:
        resource = specification_with(dialect).create_resource(schema)
        validator_for(schema, Draft202012Validator).check_schema(dict(schema))
    except UnknownDialect:
        return f"$.$schema: {dialect} is no dialect that is known here"
    except SchemaError as error:
        return f"{error.json_path}: {error.message}"[:MAX_TOLD]
    except RecursionError:
        return "$: it is nested too deep"
    address = resource.id() or ""
    try:
        _follow(resource, Registry().with_resource(address, resource).resolver(address))
        _first_error(schema, {})
    except Unresolvable as error:
        return f"{error.ref!r} is not in it; nothing is fetched"
    except RecursionError:
        return "$: it refers to itself without end"
    return ""


def _follow(resource: Resource[Any], resolver: Resolver[Any]) -> None:
    """Look up what *resource* and its parts refer to."""
    if isinstance(resource.contents, Mapping):
        for keyword in REFERENCES:
            if isinstance(ref := resource.contents.get(keyword), str):
                resolver.lookup(ref)
    for part in resource.subresources():
        _follow(part, resolver.in_subresource(part))
