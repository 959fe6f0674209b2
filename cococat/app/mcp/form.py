"""What a server asks the user in the middle of a call, question by question; nothing is sent that was not entered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from cococat.mcp.connection import Answers, Elicit
from cococat.mcp.schema import short
from cococat.tools.ask_user import AskUser

ANSWER, DECLINE, DONE = "answer", "decline", "done"
TRIES = 3  # for one field
WORDS = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "yes or no", "array": "words"}
TRUTH = {"yes": True, "true": True, "no": False, "false": False}


def asking(server: str, ask: AskUser) -> Elicit:
    """Return what lets the user answer *server* by means of *ask*."""
    return partial(_answered, server, ask)


async def _answered(server: str, ask: AskUser, message: str, asked: Mapping[str, Any] | str) -> Answers | None:
    """Let the user fill a form, or open the address that is *asked*, which is never opened by us."""
    if isinstance(asked, str):
        return (
            {}
            if await ask(f"mcp {server} asks you to open {asked}: {short(message)}", (DONE, DECLINE)) == DONE
            else None
        )
    return await _filled(server, message, asked, ask)


async def _filled(server: str, message: str, schema: Mapping[str, Any], ask: AskUser) -> Answers | None:
    """
    Let the user answer each field of *schema*, or all of it with a no.

    Returns: what was entered, defaults where nothing was; None: the user declined.
    """
    fields, required = schema.get("properties", {}), schema.get("required", ())
    if await ask(f"mcp {server} asks: {short(message)}", (ANSWER, DECLINE)) != ANSWER:
        return None
    answers: Answers = {}
    for name, field in fields.items():
        for _ in range(TRIES):
            text = (await ask(_question(server, name, field, needed=name in required), _choices(field))).strip()
            if not text and "default" in field:
                answers[name] = field["default"]
            elif not text and name in required:
                continue
            elif text:
                try:
                    answers[name] = _value(field, text)
                except ValueError:
                    continue
            break
        else:
            return None
    return answers


def _question(server: str, name: str, field: Mapping[str, Any], *, needed: bool) -> str:
    about = short(str(field.get("description") or field.get("title") or ""))
    kind = WORDS.get(str(field.get("type")), "text")
    standard = f"; Enter: {field['default']}" if "default" in field else "" if needed else "; Enter: nothing"
    return f"mcp {server}: {short(name)}{f' ({about})' if about else ''}: {kind}{standard}"


def _choices(field: Mapping[str, Any]) -> tuple[str, ...]:
    if field.get("type") == "boolean":
        return ("yes", "no")
    constants = [choice.get("const") for choice in field.get("oneOf", ())]
    return tuple(map(str, field.get("enum") or constants))


def _value(field: Mapping[str, Any], text: str) -> str | int | float | bool | list[str]:
    """
    Read what was entered as what the field wants.

    Raises: ValueError: it is something else.
    """
    match field.get("type"):
        case "integer":
            return int(text)
        case "number":
            return float(text)
        case "boolean" if text.lower() in TRUTH:
            return TRUTH[text.lower()]
        case "boolean":
            raise ValueError(text)
        case "array":
            return [word.strip() for word in text.split(",") if word.strip()]
        case _ if (choices := _choices(field)) and text not in choices:
            raise ValueError(text)
        case _:
            return text
