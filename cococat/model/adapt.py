"""What an endpoint's refusals teach: how its requests have to be made from then on.

A row of `ROWS` says which words teach it, how the request changes, and whether the endpoint's profile keeps it.
Words are names of fields and numbers, which servers write in every language; the status says nothing, as
gateways wrap refusals in any.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeAlias

from cococat.core.history import calls_as_text
from cococat.core.model import ProviderError, Request
from cococat.model import wire
from cococat.model.extra import how_much
from cococat.model.meaning import HISTORY, MINUTE
from cococat.model.sight import IMAGES
from cococat.system.text import json_object

Learned: TypeAlias = Mapping[str, str]  # the names of rows, with what each has to know
Body: TypeAlias = dict[str, Any]

IN_WORDS = "in_words"  # calls are told in words: the last resort for a history that is refused
CLOSING = "closing"  # the same where no tools are offered: calls in the history of a request without are refused
MIN_REPLY = 16  # tokens; less is no limit of a reply
ENOUGH = "4096"  # tokens of a reply, for endpoints that must be told a limit
_NEVER = ("auth", "rate_limit", "not_found", "content_filter", "timeout")
_SERVER = 500  # from here on a status says that something failed, unless the words name what was refused
_PASSES = re.compile(r"overload|try again|\bretry\b|temporar|capacity|rate.?limit|time.?out|unavailable|busy")
# what refuses a field for being there, in the words that validators share; anything else wants it
_UNWANTED = re.compile(
    r"un(?:supported|known|expected|recognized|recognised|allowed)|not (?:supported|permitted|allowed|accepted)|extra"
    r"|additional propert|forbidden|n't (?:support|allow|accept|recogni)|not support|no such field|cannot find field"
)
_PROMPT = re.compile(r"context|prompt|input|messages|request")  # too long is what was asked, not the reply
_THOUGHT = re.compile(r"reasoning|thinking|thought|signature")
_CORE = frozenset({"type", "properties", "required", "items", "enum", "description", "anyOf"})  # of a JSON Schema


@dataclass(frozen=True, slots=True)
class Adaptation:
    """
    One thing that a refusal can teach.

    Args:
        name: in the profile.
        words: what the refusal says, in lower case.
        values: what may have to be known, best first, out of the refused body and the words.
        change: makes the body as the endpoint wants it.
        lasting: it is true of the endpoint, not of this session alone.
    """

    name: str
    words: re.Pattern[str]
    change: Callable[[Body, str], None]
    values: Callable[[Body, str], Iterator[str]] = lambda *_: iter([""])
    lasting: bool = True


def body_for(learned: Learned, request: Request, name: str, source: str, more: Body) -> Body:
    """
    Return the body of *request* as the endpoint is known to want it, *more* included.

    Args:
        name: of the model.
        source: the endpoint and the model, as `Endpoint.source` names them.
    """
    if IN_WORDS in learned or (CLOSING in learned and not request.tools):
        request = replace(request, messages=calls_as_text(request.messages))
    body = wire.body_of(request, name, source, more, how_much(learned.get("give_back", "")))
    for row in ROWS:
        if row.name in learned:
            with suppress(ValueError):  # a file that somebody changed teaches nothing
                row.change(body, learned[row.name])
    wire.merge_neighbours(body["messages"])
    return body


class Tries:
    """
    One request that is refused, made anew until it is taken.

    Args:
        learned: what was known before it.
        made: makes the body as it is wanted.

    Attributes:
        known: what was seen to help.
    """

    def __init__(self, learned: Learned, made: Callable[[Learned], Body]) -> None:
        self.known, self._now, self._made = learned, learned, made
        self._tried, self._words = [learned], ""
        self._options: Iterator[Learned] = iter(())

    def after(self, error: ProviderError) -> Learned | None:
        """Return what to try after *error*; None where it teaches nothing more."""
        if error.words != self._words:  # what was changed helped: something else is refused now, or has failed
            self.known, self._words = self._now, error.words
            self._options = learn(self.known, error, self._made)
        found = next((known for known in self._options if known not in self._tried), None)
        if found is not None:
            self._now = found
            self._tried.append(found)
        return found


def learn(learned: Learned, error: ProviderError, made: Callable[[Learned], Body]) -> Iterator[dict[str, str]]:
    """
    Yield what may be learned of *error*, best first: each changes the body, which *made* makes.

    A wrong key, an unknown model and the like teach nothing, nor does a failure that passes.
    """
    words = error.words
    passes = error.status >= _SERVER and _PASSES.search(words) and not MINUTE.search(words)
    if error.problem.kind in _NEVER or passes:
        return
    body, rows = made(learned), ROWS
    if error.problem.kind == "tools_unsupported" and "tools" in body:
        return  # the protocol has another way to offer them
    if HISTORY.search(words):
        rows = LAST
    elif error.problem.kind == "quota":
        rows = OF_REPLY
    elif error.problem.kind == "context_overflow":
        rows = OF_REPLY if MINUTE.search(words) or not _PROMPT.search(words) else ()
        rows = rows if _limit_in(body) else ()
    for row in rows:
        if row.words.search(words):
            for value in row.values(body, words):
                taught = {**learned, row.name: value}
                if learned.get(row.name) != value and made(taught) != body:
                    yield taught


def _without(*fields: str) -> Callable[[Body, str], None]:
    def change(body: Body, value: str) -> None:
        for field in fields:
            body.pop(field, None)

    return change


def _limit_in(body: Body) -> int:
    return int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)


def _limits(body: Body, words: str) -> Iterator[str]:
    """Yield the numbers that the limit of a reply may be, largest first; or a limit where none was sent."""
    sent = _limit_in(body)
    if MINUTE.search(words):
        return
    found = {int(number.replace(",", "")) for number in re.findall(r"(?<![\w.])\d[\d,]{1,9}(?![\w])", words)}
    told = sorted(found - {400, 402, 422, 429, 500}, reverse=True)  # statuses stand in many refusals
    most = sent or max(told, default=0)
    yield from (str(number) for number in told if MIN_REPLY <= number < most)
    if not sent and not told:
        yield ENOUGH


def _minutes(body: Body, words: str) -> Iterator[str]:
    """Yield the tokens of a minute, and how many the prompt was of so many characters, both as they are now."""
    if minute := MINUTE.search(words):
        yield f"{minute[1]} {max(1, int(minute[2]) - _limit_in(body))} {_characters(body)}"


def _within_a_minute(body: Body, value: str) -> None:
    """Leave for the reply what the prompt leaves of a minute's tokens, a part of which is kept for how others count."""
    allowed, prompt, of = (int(number) for number in value.split())
    left = allowed - prompt * _characters(body) // of
    if left - left // 16 >= MIN_REPLY:
        _limit(body, str(left - left // 16))


def _characters(body: Body) -> int:
    return len(json.dumps((body["messages"], body.get("tools"))))


def _limit(body: Body, value: str) -> None:
    field = "max_completion_tokens" if "max_completion_tokens" in body else "max_tokens"
    body[field] = min(body.get(field) or int(value), int(value))


def _other_limit(body: Body, value: str) -> None:
    """Name the limit as newer models do, or (`none`) not at all."""
    if limit := body.pop("max_tokens", None) or body.pop("max_completion_tokens", None):
        body |= {} if value else {"max_completion_tokens": limit}


def _whole(body: Body, value: str) -> None:
    body["stream"] = False
    body.pop("stream_options", None)


def _system_in_user(body: Body, value: str) -> None:
    """Let the system text open the first message of the user."""
    messages = body["messages"]
    if messages and messages[0]["role"] == "system":
        messages[0] = {**messages[0], "role": "user"}


def _answered_tools(body: Body, value: str) -> None:
    """Put a word of the model's between the results of tools and what the user says."""
    told: list[Body] = []
    for message in body["messages"]:
        if message["role"] == "user" and told and told[-1]["role"] == "tool":
            told.append({"role": "assistant", "content": "I have the results."})
        told.append(message)
    body["messages"] = told


def _formats(body: Body, words: str) -> Iterator[str]:
    """Yield what may be asked for in the place of a schema: JSON of any shape where an answer has to be JSON, or nothing."""
    if _shape_of(body).get("name") == wire.ANSWER:
        yield "json_object"
    yield ""


def _other_format(body: Body, value: str) -> None:
    answers = _shape_of(body).get("name") == wire.ANSWER
    if body.pop("response_format", None) and answers and value:
        body["response_format"] = {"type": value}


def _shape_of(body: Body) -> Body:
    shape: Body = body.get("response_format", {}).get("json_schema", {})
    return shape


def _schemas(body: Body) -> Iterator[Any]:
    yield from (tool["function"]["parameters"] for tool in body.get("tools", ()))
    if shape := _shape_of(body):
        yield shape["schema"]


def _keywords(body: Body, words: str) -> Iterator[str]:
    """Yield the keywords of schemas that *words* name."""
    there = {key for schema in _schemas(body) for key in _keys(schema)} - _CORE
    if named := sorted(key for key in there if re.search(rf"(?<!\w){re.escape(key.lower())}(?!\w)", words)):
        yield " ".join(named)


def _keys(schema: Any) -> Iterator[str]:
    """Yield the keywords of *schema*; the names of properties are none."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        yield key
        inner = value.values() if key == "properties" and isinstance(value, dict) else [value]
        for part in inner:
            for nested in part if isinstance(part, list) else [part]:
                yield from _keys(nested)


def _without_keywords(body: Body, value: str) -> None:
    gone = frozenset(value.split())
    for tool in body.get("tools", ()):
        tool["function"]["parameters"] = _stripped(tool["function"]["parameters"], gone)
    if shape := _shape_of(body):
        body["response_format"] = deepcopy(body["response_format"])
        _shape_of(body)["schema"] = _stripped(shape["schema"], gone)


def _stripped(schema: Any, gone: frozenset[str]) -> Any:
    if isinstance(schema, list):
        return [_stripped(part, gone) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _stripped(part, gone) for name, part in value.items()}
        if key == "properties" and isinstance(value, dict)
        else _stripped(value, gone)
        for key, value in schema.items()
        if key not in gone
    }


def _give_back(body: Body, words: str) -> Iterator[str]:
    """Yield how much may be wanted back: more where a field is missed, ever less where it is refused."""
    named = any(key.lower() in words for key in _given(body))
    if named and _UNWANTED.search(words):
        yield from ("turn", "none")
    elif named:
        yield from ("all", "turn", "none")
    elif _THOUGHT.search(words):
        yield "all"


def _given(body: Body) -> set[str]:
    """Return the keys of messages and calls in *body* that are not of the API's own."""
    messages = [message for message in body["messages"] if message["role"] == "assistant"]
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    parts = {"content"} if any(isinstance(message.get("content"), list) for message in messages) else set()
    own = {"role", "content", "tool_calls", "id", "type", "function"}
    return {key for part in (*messages, *calls) for key in part} - own | parts


def _text_for_null(body: Body, value: str) -> None:
    for message in body["messages"]:
        if not message.get("content"):
            message["content"] = value


def _nine(body: Body, value: str) -> None:
    """Make ids of nine letters and digits."""
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            call["id"] = _nine_of(call["id"])
        if "tool_call_id" in message:
            message["tool_call_id"] = _nine_of(message["tool_call_id"])


def _nine_of(call_id: str) -> str:
    return call_id if re.fullmatch("[a-zA-Z0-9]{9}", call_id) else sha256(call_id.encode()).hexdigest()[:9]


def _wrapped(body: Body, value: str) -> None:
    """Put arguments of earlier calls that are no JSON in an object."""
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            if json_object(function["arguments"]) is None:
                function["arguments"] = json.dumps({"invalid_json": function["arguments"]}, ensure_ascii=False)


ROWS: tuple[Adaptation, ...] = (
    Adaptation("minute", MINUTE, _within_a_minute, _minutes),
    Adaptation(
        "max_output",
        re.compile(
            r"max_?(?:imum)?[_ ](?:\w+[_ ])?tokens|maxoutputtokens|(?:completion|output|new) tokens|afford|requested"
        ),
        _limit,
        _limits,
    ),
    Adaptation("other_limit", re.compile(r"max_(?:completion_)?tokens"), _other_limit, lambda *_: iter(["", "none"])),
    Adaptation(CLOSING, re.compile("tools|tool_use|toolconfig"), _without()),  # `body_for` has done it, as of others
    Adaptation("give_back", re.compile(""), _without(), _give_back),
    Adaptation("stream_options", re.compile(r"stream_options|include_usage"), _without("stream_options")),
    Adaptation("whole", re.compile(r"(?<![\w.])stream(?:ing)?(?![\w.]| error)"), _whole),
    Adaptation("temperature", re.compile("temperature"), _without("temperature")),
    Adaptation(
        "tool_choice", re.compile("tool_choice|parallel_tool_calls"), _without("tool_choice", "parallel_tool_calls")
    ),
    Adaptation("response_format", re.compile("response_format|json_schema"), _other_format, _formats),
    Adaptation("keywords", re.compile(""), _without_keywords, _keywords),
    Adaptation("answered_tools", re.compile(r"\broles?\b|\buser\b.{0,60}\btool\b"), _answered_tools),
    Adaptation(
        "system",
        re.compile(
            r"\b(?:system|developer)\b.{0,30}\b(?:roles?|messages?|prompts?|instructions?)\b|\broles?\b.{0,40}\bsystem\b"
            r"|['\"`](?:system|developer)['\"`]|\broles\b"
        ),
        _system_in_user,
    ),
    Adaptation(
        "content",
        re.compile(r"(?<![a-z_])content(?![a-z_])|null|none is not"),
        _text_for_null,
        lambda *_: iter(["", "I call a tool."]),
    ),
    Adaptation("ids", re.compile("tool.?call.?id|a-z"), _nine),
    Adaptation(IMAGES, re.compile("(?!)"), _without()),  # no change of a body: `sight`
    Adaptation("schema", re.compile("schema|grammar"), _other_format, _formats, lasting=False),
    Adaptation("wrapped", re.compile(""), _wrapped, lasting=False),
    Adaptation(
        IN_WORDS,
        re.compile(f"{HISTORY.pattern}|tool_calls?|\\broles\\b|reasoning|thinking|thought|signature"),
        _without(),
        lasting=False,
    ),
)
OF_REPLY = ROWS[:2]
LAST = ROWS[-1:]  # all that helps where calls and results are refused as such
_LASTING = frozenset(row.name for row in ROWS if row.lasting)


def lasting(learned: Learned) -> dict[str, str]:
    """Return what of *learned* is true of the endpoint, and not of this session alone."""
    return {name: value for name, value in learned.items() if name in _LASTING}
