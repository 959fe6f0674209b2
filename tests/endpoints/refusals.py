"""What a server that looks at each request sees, gives and refuses: the pieces of which `dialects` makes its rows."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

from tests.scripted import Delta, Turn, calls, fault, raw, reasons, says
from tests.scripted.turns import Mark
from tests.scripted.windows import tokens_of

Body: TypeAlias = dict[str, Any]
MESSAGE = frozenset({"role", "content", "tool_calls", "name", "tool_call_id"})
CALL = frozenset({"id", "type", "function"})
Check: TypeAlias = "Callable[[Body, Player], Turn | None]"


def refusal(status: int, body: object) -> Turn:
    """An error in the server's own shape."""
    return replace(raw(json.dumps(body).encode(), status=status), headers={"content-type": "application/json"})


def flat(status: int, message: str, kind: str) -> Turn:
    """An error as vLLM, SGLang and Mistral shape it."""
    return refusal(status, {"object": "error", "message": message, "type": kind, "param": None, "code": status})


def google(code: int, message: str, status: str) -> Turn:
    """An error as Gemini's compatible endpoint shapes it: in a list."""
    return refusal(code, [{"error": {"code": code, "message": message, "status": status}}])


def coded(status: int, message: str, **more: object) -> Turn:
    """An error as OpenRouter shapes it."""
    return refusal(status, {"error": {"message": message, "code": status, **more}})


def identity_output(turn: Turn, _: Player) -> Turn:
    """Give nothing with a reply."""
    return turn


@dataclass(frozen=True)
class Strict:
    """
    A server that refuses.

    Args:
        check: the refusal of a request; None where it is taken.
        dress: puts around a reply what this server gives with one, and notes what has to come back.
        env: settings that bring the refusal about.
        free: the refusal is not provoked by a program that gives back what it was given.
    """

    name: str
    check: Check
    dress: Callable[[Turn, Player], Turn] = identity_output
    env: Mapping[str, str] = field(default_factory=dict)
    free: bool = False


class Player:
    """Plays a script as *strict*: a text is an answer, a tuple the calls of one reply, a turn what it is."""

    def __init__(self, strict: Strict, *script: str | tuple[Any, ...] | Turn) -> None:
        self.strict, self.script = strict, [*script]
        self.refused: list[str] = []  # in its own words
        self.given: dict[str, Any] = {}  # what came with a reply, by the id of its first call
        self.replies = 0

    def __call__(self, body: Body) -> Turn:
        if refusal := self.strict.check(body, self):
            self.refused.append(said_by(refusal))
            return replace(refusal, endless=True)
        reply = self.script.pop(0)
        self.replies += 1
        if isinstance(reply, tuple):
            made = [(*call, f"call{self.replies:04}{number}") for number, call in enumerate(reply)]
            reply = calls(*made, dialect="whole") if "tools" in body else says(_decision(*reply[0]))
        turn = says(reply) if isinstance(reply, str) else reply
        if turn.status == 200:
            turn = self.strict.dress(turn, self)
            turn = turn if body.get("stream") else whole(turn)
        return replace(turn, endless=bool(self.script))

    def came_with(self, message: Mapping[str, Any]) -> Any:
        """What was given with the reply that *message* is; None where it is none of this server's."""
        return self.given.get(message["tool_calls"][0]["id"])


def _decision(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps({"action": "tool_call", "tool": name, "tool_input": arguments})


def whole(turn: Turn) -> Turn:
    """The reply of *turn* as one JSON object, as to a request without `stream`."""
    deltas = [step.delta for step in turn.steps if isinstance(step, Delta)]
    text = "".join(delta["content"] for delta in deltas if delta.get("content"))
    made = [{**entry} for delta in deltas for entry in delta.get("tool_calls", ())]
    message = {"role": "assistant", "content": text or None, **({"tool_calls": made} if made else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}
    told = refusal(200, {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]})
    return replace(told, steps=(*(step for step in turn.steps if isinstance(step, Mark)), *told.steps))


def entries_of(turn: Turn) -> list[dict[str, Any]]:
    """The calls that *turn* makes."""
    return [entry for step in turn.steps if isinstance(step, Delta) for entry in step.delta.get("tool_calls", ())]


def called(body: Body, *, running: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """The messages with calls, each with its place; of the running turn alone, where that is asked."""
    roles = [message["role"] for message in body["messages"]]
    begins = len(roles) - 1 - roles[::-1].index("user") if running and "user" in roles else 0
    return ((at, one) for at, one in enumerate(body["messages"]) if at >= begins and one.get("tool_calls"))


def first(*checks: Check) -> Check:
    """The first refusal of *checks*."""
    return lambda body, player: next((found for check in checks if (found := check(body, player))), None)


def when(found: Callable[[Body], object], refusal: Turn) -> Check:
    """Refuse a request in which something is *found*; a `{}` in the words is what that is."""

    def check(body: Body, _: Player) -> Turn | None:
        if not (what := found(body)):
            return None
        steps = tuple(
            step.replace(b"{}", str(what).encode()) if isinstance(step, bytes) else step for step in refusal.steps
        )
        return replace(refusal, steps=steps)

    return check


def has(name: str) -> Callable[[Body], object]:
    """A field of the body."""
    return lambda body: name in body


def more_than(limit: int, unsaid: int = 0) -> Callable[[Body], object]:
    """So many tokens of a reply."""

    def found(body: Body) -> int:
        wanted = int(body.get("max_tokens") or body.get("max_completion_tokens") or unsaid)
        return wanted if wanted > limit else 0

    return found


def keyword(*names: str) -> Callable[[Body], object]:
    """One of *names* in the schema of a tool or of the reply, where it is a keyword and no property."""

    def within(schema: object) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from (name for name in names if name in schema)
            for key, value in schema.items():
                yield from (
                    (one for below in value.values() for one in within(below)) if key == "properties" else within(value)
                )
        elif isinstance(schema, list):
            yield from (one for item in schema for one in within(item))

    def found(body: Body) -> str:
        schemas = [tool["function"].get("parameters") for tool in body.get("tools", ())]
        schemas.append((body.get("response_format") or {}).get("json_schema", {}).get("schema"))
        return next((one for schema in schemas for one in within(schema)), "")

    return found


def role(name: str) -> Callable[[Body], object]:
    """A message of this role."""
    return lambda body: any(message["role"] == name for message in body["messages"])


def null(body: Body) -> object:
    """A message without content."""
    return next((f"[{at}]" for at, one in enumerate(body["messages"]) if one.get("content") is None), "")


def listed(body: Body) -> object:
    """A message whose content is a list."""
    return any(isinstance(message.get("content"), list) for message in body["messages"])


def unsteady(*, calling: bool) -> Callable[[Body], object]:
    """
    Roles that do not alternate behind the system text, beginning with the user.

    Args:
        calling: calls and their results are no part of the row.
    """

    def found(body: Body) -> object:
        said = [one for one in body["messages"] if one["role"] != "system"]
        if calling:
            said = [one for one in said if one["role"] != "tool" and not one.get("tool_calls")]
        return any((one["role"] == "assistant") != (at % 2 == 1) for at, one in enumerate(said))

    return found


def after(before: str, name: str) -> Callable[[Body], object]:
    """A message of role *name* right behind one of role *before*."""
    return lambda body: (before, name) in pairwise(message["role"] for message in body["messages"])


def unknown(body: Body) -> Iterator[tuple[int, str]]:
    """The place and name of each key that a message, or a call in one, would not have at OpenAI's."""
    for at, message in enumerate(body["messages"]):
        keys = (*message, *(key for call in message.get("tool_calls", ()) for key in call if key not in CALL))
        yield from ((at, key) for key in keys if key not in MESSAGE)


def forbidden(body: Body, _: Player) -> Turn | None:
    """Refuse unknown keys as Mistral does."""
    wrong = [
        {
            "type": "extra_forbidden",
            "loc": ["body", "messages", at, "assistant", key],
            "msg": "Extra inputs are not permitted",
        }
        for at, key in unknown(body)
    ]
    return mistral(422, {"detail": wrong}, "invalid_request_error", "3001") if wrong else None


def unsupported(body: Body, _: Player) -> Turn | None:
    """Refuse unknown keys as Groq does."""
    for at, key in unknown(body):
        place = f"'messages.{at}'"
        return openai(
            f"{place} : for 'role:assistant' the following must be satisfied[({place} : property '{key}' is unsupported)]"
        )
    return None


def wrong_format(body: Body, _: Player) -> Turn | None:
    """Refuse unknown keys as Cerebras does."""
    for at, key in unknown(body):
        place = f"messages.{at}.assistant.{key}"
        return refusal(400, {"message": f"{place}: property '{place}' is unsupported", "code": "wrong_api_format"})
    return None


def openai(message: str, param: str | None = None, code: str | None = None, status: int = 400) -> Turn:
    """An error as OpenAI and Azure shape it."""
    return refusal(
        status, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}
    )


def mistral(status: int, message: object, kind: str, code: str) -> Turn:
    """An error as Mistral shapes it now."""
    return refusal(status, {"object": "error", "message": message, "type": kind, "param": None, "code": code})


def llama_cpp(message: str) -> Turn:
    """An exception of a template in llama.cpp."""
    what = f"\n------------\nWhile executing CallExpression at line 46, column 32 in source:\n...\nError: Jinja Exception: {message}"
    return refusal(500, {"error": {"code": 500, "message": what, "type": "server_error"}})


def said_by(refused: Turn) -> str:
    """What stands in the body of a refusal."""
    return b"".join(step for step in refused.steps if isinstance(step, bytes)).decode()


def litellm(refused: Turn) -> Turn:
    """The same from LiteLLM, which answers 500 whatever it was."""
    words = f"litellm.InternalServerError: OpenAIException - {said_by(refused)}. Received Model Group=scripted"
    return refusal(500, {"error": {"message": words, "type": None, "param": None, "code": "500"}})


def openrouter(refused: Turn) -> Turn:
    """The same from OpenRouter, which puts it beside its own words."""
    return coded(400, "Provider returned error", metadata={"raw": said_by(refused), "provider_name": "Upstream"})


def in_stream(refused: Turn) -> Turn:
    """The same as the first event of a stream, as LocalAI and many gateways have it."""
    words = f"rpc error: code = InvalidArgument desc = {said_by(refused)}"
    event = json.dumps({"error": {"code": "server_error", "message": words, "type": "server_error"}})
    return raw(f"data: {event}\n\ndata: [DONE]\n\n".encode())


def behind(gateway: Callable[[Turn], Turn], strict: Strict) -> Strict:
    """*strict* behind a *gateway* that passes its refusals on in a shape of its own."""

    def check(body: Body, player: Player) -> Turn | None:
        refused = strict.check(body, player)
        return gateway(refused) if refused else None

    return replace(strict, name=f"{strict.name}, {gateway.__name__}", check=check)


def thinking(key: str) -> Callable[[Turn, Player], Turn]:
    """Give thoughts in *key* before each reply."""

    def dress(turn: Turn, player: Player) -> Turn:
        thought = f"Thought {player.replies}."
        if made := entries_of(turn):
            player.given[made[0]["id"]] = thought
        return reasons(thought[:4], thought[4:], key=key, then=turn)

    return dress


def thought_back(key: str, words: str, *, running: bool) -> Check:
    """Refuse messages with calls whose thoughts are missing or others; {} in *words* is the place."""

    def check(body: Body, player: Player) -> Turn | None:
        for at, message in called(body, running=running):
            if key not in message or message[key] != (player.came_with(message) or message[key]):
                return openai(words.replace("{}", str(at)), code="invalid_request_error")
        return None

    return check


def sign(turn: Turn, player: Player) -> Turn:
    """Give a signature with the first call, as Gemini 3 does."""
    if made := entries_of(turn):
        signed = {"google": {"thought_signature": f"c2lnbmF0dXJl{player.replies:04}=="}}
        player.given[made[0]["id"]] = signed
        made[0]["extra_content"] = signed
    return turn


def signed(body: Body, player: Player) -> Turn | None:
    """Refuse a step whose first call is not signed as it was."""
    for at, message in called(body):
        call = message["tool_calls"][0]
        if call.get("extra_content") is None or call["extra_content"] != (
            player.came_with(message) or call["extra_content"]
        ):
            words = (
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
                "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
                f"call `default_api:{call['function']['name']}` , position {at + 1}. Please refer to "
                "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
            )
            return google(400, words, "INVALID_ARGUMENT")
    return None


def detail(turn: Turn, player: Player) -> Turn:
    """Give reasoning as OpenRouter does: details in parts that belong together by their index, some of them sealed."""
    number = player.replies
    plain = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    parts = [
        {**plain, "text": "Thought "},
        {**plain, "text": f"{number}."},
        {**plain, "signature": f"sig{number}"},
        {
            "type": "reasoning.encrypted",
            "format": "openai-responses-v1",
            "index": 1,
            "id": f"rs_{number}",
            "data": "aGk=",
        },
        {
            "type": "reasoning.summary",
            "format": "openai-responses-v1",
            "index": 2,
            "id": f"rs_{number}",
            "summary": "Hm.",
        },
    ]
    if made := entries_of(turn):
        player.given[made[0]["id"]] = _joined(parts)
    deltas = [Delta({"reasoning": part.get("text"), "reasoning_details": [part], "content": ""}) for part in parts]
    return Turn(tuple(deltas)) + turn


def _joined(parts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Parts of one index in one, as OpenRouter itself reads them."""
    joined: dict[Any, dict[str, Any]] = {}
    for part in parts:
        into = joined.setdefault(part.get("index"), {})
        for key, value in part.items():
            grows = key in ("text", "data", "summary") and isinstance(into.get(key), str)
            into[key] = into[key] + value if grows else value if value is not None else into.get(key)
    return list(joined.values())


def detailed(body: Body, player: Player) -> Turn | None:
    """Refuse messages with calls whose details are not what was given."""
    for _, message in called(body):
        given = player.came_with(message)
        if "reasoning_details" not in message or (given and _joined(message["reasoning_details"]) != given):
            raw_words = (
                "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: "
                "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks."
            )
            return coded(
                400, "Provider returned error", metadata={"raw": raw_words, "provider_name": "Google AI Studio"}
            )
    return None


def part(turn: Turn, player: Player) -> Turn:
    """Give thoughts as parts of the content, and the text as parts, too."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": f"Thought {player.replies}."}]}
    if made := entries_of(turn):
        player.given[made[0]["id"]] = [thought]
    steps = [
        Delta({**step.delta, "content": [{"type": "text", "text": step.delta["content"]}]}, step.finish)
        if isinstance(step, Delta) and step.delta.get("content")
        else step
        for step in turn.steps
    ]
    return Turn((Delta({"role": "assistant", "content": [thought]}), *steps))


def strange_id(body: Body) -> object:
    ids = (call["id"] for _, message in called(body) for call in message["tool_calls"])
    return next((one for one in ids if not re.fullmatch("[a-zA-Z0-9]{9}", one)), "")


def longer_ids(turn: Turn, _: Player) -> Turn:
    """Give ids as omlx does, which its own template refuses."""
    for entry in entries_of(turn):
        entry["id"] = f"call_{zlib.crc32(entry['id'].encode()):08x}"
    return turn


def think_aloud(opening: str) -> Callable[[Turn, Player], Turn]:
    """Give thoughts in the text, *opening* before them."""
    return lambda turn, player: (
        Turn((Delta({"content": f"{opening}Thought {player.replies}."}), Delta({"content": "\n</think>\n\n"}))) + turn
    )


def filtered_first(turn: Turn, _: Player) -> Turn:
    """Begin as Azure does: with what its filter says of the prompt, in an event without choices."""
    safe = {"hate": {"filtered": False, "severity": "safe"}}
    return (
        Turn(({"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": safe}]},)) + turn
    )


def too_large(limit: int, status: int) -> Check:
    """Refuse what is more than *limit* tokens with the reply that it asks for, as Groq counts a minute."""

    def check(body: Body, _: Player) -> Turn | None:
        wanted = tokens_of(body) + int(body.get("max_tokens") or 0)
        words = (
            f"Request too large for model `scripted` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): "
            f"Limit {limit}, Requested {wanted}, please reduce your message size and try again. Need more tokens? Upgrade to "
            "Dev Tier today at https://console.groq.com/settings/billing"
        )
        return fault(status, words, kind="tokens", code="rate_limit_exceeded") if wanted > limit else None

    return check


def streamed(body: Body) -> object:
    """A request for a stream."""
    return body.get("stream")
