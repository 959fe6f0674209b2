"""Tool calls, also those that a model wrote as text instead of making them; and the change to decisions where neither works.

Such a text is nothing but JSON objects, each bare, in a fence, between tags, or both; or it ends in calls
between the marks that a family of models was trained on, with a thought before them. What goes on in prose,
and what stands in a code fence of an answer, is an example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from cococat.core.messages import Assistant, Message, ToolCall
from cococat.core.model import Request
from cococat.core.reply import Calls, Invalid, Reply, ReplyProtocol
from cococat.core.tools import Tool
from cococat.protocol.arguments import parse_arguments, tool_meant
from cococat.protocol.lossless import read_object
from cococat.protocol.native import Native
from cococat.protocol.stream_filter import Scanner
from cococat.system.text import join_surrogates

_NAMES = ("name", "tool", "tool_name", "function", "action")
_INPUTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
_BESIDE = ("type", "id")
_KEYS = frozenset((*_NAMES, *_INPUTS, *_BESIDE))
# without blanks, which may stand anywhere between marks
_OPENINGS = tuple(
    f"{tag}{fence}{{" for tag in ("", "<tool_call>", "<function_call>") for fence in ("", "```", "```json")
)
_CLOSINGS = tuple(f"{fence}{tag}" for fence in ("", "```") for tag in ("", "</tool_call>", "</function_call>"))
_BETWEEN = _CLOSINGS + tuple(closing + opening for closing in _CLOSINGS for opening in _OPENINGS)

# the dialects that name a call outside of its JSON, or have no JSON at all
_DIALECTS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        # Qwen-Coder, GLM: <function=read_file><parameter=path>a.txt</parameter></function>
        r"<function=(?P<name>[\w.-]+)>(?P<parameters>.*?)</function>",
        # DeepSeek, the older ones with a type before the name and a fence around the JSON
        (
            r"<\uff5ctool▁call▁begin\uff5c>(?:function<\uff5ctool▁sep\uff5c>)?(?P<name>[\w.-]+)(?:<\uff5ctool▁sep\uff5c>|\n)\s*(?:```json)?"
            r"(?P<arguments>.*?)(?:```)?\s*<\uff5ctool▁call▁end\uff5c>"
        ),
        # Kimi: <|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{…}<|tool_call_end|>
        (
            r"<\|tool_call_begin\|>\s*(?:functions\.)?(?P<name>[\w-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>"
            r"(?P<arguments>.*?)<\|tool_call_end\|>"
        ),
        # gpt-oss: <|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{…}<|call|>
        (
            r"<\|channel\|>\w+ to=(?:functions\.)?(?P<name>[\w-]+)\s*(?:<\|constrain\|>\w+\s*)?<\|message\|>"
            r"(?P<arguments>\{.*?\})\s*(?:<\|call\|>|\Z)"
        ),
        # Mistral, newer: [TOOL_CALLS]read_file[ARGS]{…}
        r"\[TOOL_CALLS\]\s*(?P<name>[\w-]+)(?:\[CALL_ID\][\w-]*)?\[ARGS\]\s*(?P<arguments>\{.*?\})\s*(?=\[TOOL_CALLS\]|\Z)",
    )
)
_PARAMETER = re.compile(r"<parameter=(?P<key>[\w.-]+)>\n?(?P<value>.*?)\n?</parameter>", re.DOTALL)
# what may stand around calls of a dialect, and what may stand before JSON: Mistral's older mark, Llama's
_AROUND = re.compile(r"</?tool_call>|<\uff5ctool▁calls▁(?:begin|end)\uff5c>|<\|tool_calls_section_(?:begin|end)\|>|\s")
_TAGGED = re.compile(r"<(tool_call|function_call)>.*?</\1>", re.DOTALL)
_BEFORE_JSON = ("[TOOL_CALLS]", "<|python_tag|>")
_MARKS = (
    *("<tool_call>", "<function_call>", "<function=", *_BEFORE_JSON, "<\uff5ctool▁calls▁begin\uff5c>"),
    *("<\uff5ctool▁call▁begin\uff5c>", "<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
    *("<|channel|>commentary to=", "<|channel|>analysis to="),
)
_FIRST = frozenset(mark[0] for mark in _MARKS)
_MARKED = re.compile("|".join(map(re.escape, _MARKS)))  # none begins within another
_REASONS: Mapping[str, str] = {
    "tools_unsupported": "this endpoint does not take tools: using JSON decisions",
}


class Auto:
    """
    The protocol of one connection, which learns: `degrade` changes it, once and for good.

    Everything else only reads what it has become, so each connection needs its own, and whatever shares
    the connection shares what was learned.

    Args:
        decides: it is known already that native calls do not work here.
    """

    __slots__ = ("_now",)

    def __init__(self, *, decides: bool = False) -> None:
        self._now: ReplyProtocol = _decision() if decides else Native()

    @property
    def name(self) -> str:
        """`native`, or `json` from the change on."""
        return self._now.name

    @property
    def continues(self) -> bool:
        """As the protocol of the moment does."""
        return self._now.continues

    def request(self, system: str, history: Sequence[Message], tools: Sequence[Tool]) -> Request:
        """Ask in the way that is known to work."""
        return self._now.request(system, history, tools)

    def lens(self) -> Callable[[str], str]:
        """Hold back what may be a tool call in text; of a decision show the answer."""
        return self._now.lens() if self.name == "json" else _call_lens()

    def read(self, message: Assistant, tools: Sequence[Tool]) -> Reply:
        """Read a reply; one that is, or ends in, valid calls of *tools* is calls, in whatever dialect."""
        reply = self._now.read(message, tools)
        if isinstance(reply, Calls):
            return reply
        if calls := written_calls(message.text, tools):
            return Calls(replace(message, text="", calls=calls))
        said, calls = _calls_at_end(message.text, tools)
        return Calls(replace(message, text=said, calls=calls)) if calls else reply

    def arguments(self, tool: Tool, text: str) -> Mapping[str, object] | Invalid:
        """Parse and validate against the tool's schema."""
        return self._now.arguments(tool, text)

    def degrade(self, kind: str) -> str:
        """Change to JSON decisions when native calls do not work here."""
        if self.name == "json" or kind not in _REASONS:
            return ""
        self._now = _decision()
        return _REASONS[kind]


def _decision() -> ReplyProtocol:
    from cococat.protocol.decision import Decision

    return Decision()


def _calls_at_end(text: str, tools: Sequence[Tool]) -> tuple[str, tuple[ToolCall, ...]]:
    """
    Return what *text* says and the calls that it ends in, between the marks of some dialect.

    Every call must be valid, and nothing may stand behind the last. Returns: no calls for any other text.
    """
    at = _mark(text) if tools else -1
    if at < 0:
        return text, ()
    end = text[at:].strip()
    between, calls = _dialect(end, {tool.name: tool for tool in tools})
    if not calls:
        tagged = [found for found in _TAGGED.finditer(end) if not _is_quoted(end, found.start())]
        if len(tagged) > 1 and tagged[-1].end() == len(end):
            between = " ".join(_TAGGED.sub(" ", end).split())
            end = "".join(found[0] for found in tagged)
        mark = next((mark for mark in _BEFORE_JSON if end.startswith(mark)), "")
        calls = written_calls(_listed(end.removeprefix(mark)), tools)
    said = "\n\n".join(filter(None, (text[:at].strip(), between)))
    return (said, calls) if calls else (text, ())


def _mark(text: str, start: int = 0) -> int:
    """Return where, from *start* on, the first mark stands that is neither in a fence nor quoted; -1 for none."""
    found = (match.start() for match in _MARKED.finditer(text, start))
    return next((at for at in found if not _is_quoted(text, at)), -1)


def _dialect(text: str, offered: Mapping[str, Tool]) -> tuple[str, tuple[ToolCall, ...]]:
    """Read *text* as calls of one dialect, the last at its end; return what is said between them as well."""
    for dialect in _DIALECTS:
        found = list(dialect.finditer(text))
        if not found or _AROUND.sub("", text[found[-1].end() :]):
            continue
        between = _AROUND.sub(" ", dialect.sub(" ", text)).strip()
        calls = tuple(call for match in found if (call := _call(_as_json(match, offered), offered)))
        quoted = "`" in between and any(_is_quoted(text, match.start()) for match in found)
        return (between, calls) if len(calls) == len(found) and not quoted else ("", ())
    return "", ()


def _is_quoted(text: str, at: int) -> bool:
    return text.count("```", 0, at) % 2 == 1 or text[:at].endswith("`")


def _as_json(found: re.Match[str], offered: Mapping[str, Tool]) -> str:
    """Write what a dialect says as the object that others write; as no object when it makes no sense."""
    said, name = found.groupdict(), tool_meant(found["name"], offered)
    if name not in offered or said.get("parameters") is None:
        return json.dumps({"name": name, "arguments": (said.get("arguments") or "").strip()})
    given = _PARAMETER.findall(said["parameters"])
    keys = [key for key, _ in given]
    if len(set(keys)) < len(keys) or _PARAMETER.sub("", said["parameters"]).strip():
        return "{}"
    typed = offered[name].properties
    return json.dumps({"name": name, "arguments": {key: _typed(value, typed.get(key)) for key, value in given}})


def _typed(value: str, schema: object) -> object:
    """Read a parameter as its schema wants it; text is left as it is."""
    if isinstance(schema, dict) and schema.get("type") == "string":
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _listed(text: str) -> str:
    """Write the objects of a JSON array one behind the other."""
    if not text.lstrip().startswith("["):
        return text
    try:
        return "\n".join(json.dumps(item, ensure_ascii=False) for item in json.loads(text))
    except (ValueError, RecursionError):
        return text


def written_calls(text: str, tools: Sequence[Tool]) -> tuple[ToolCall, ...]:
    """
    Return the calls that *text* consists of; none when it is anything else.

    Every object must name one of *tools* with arguments that its schema allows.
    """
    offered = {tool.name: tool for tool in tools}
    found: list[str] = []
    scanner = _marked_objects(found)
    next(scanner)
    try:
        for char in text:
            scanner.send(char)
    except StopIteration:
        return ()
    calls = tuple(call for written in found if (call := _call(written, offered)))
    return calls if len(calls) == len(found) else ()


def _call_lens() -> Callable[[str], str]:
    """
    Return a filter that holds a reply back for as long as it may be nothing but tool calls.

    From the first character that rules this out, text is shown up to the mark of a dialect.
    """
    held: list[str] = []
    scanner = _marked_objects([])
    next(scanner)
    ruled_out = False
    said, shown, marked = "", 0, False

    def look(text: str) -> str:
        nonlocal ruled_out, said, shown
        if ruled_out:
            return reveal(text)
        held.append(text)
        try:
            for char in text:
                scanner.send(char)
        except StopIteration:
            ruled_out = True
            return reveal("".join(held))
        return ""

    def reveal(text: str) -> str:
        nonlocal said, shown, marked
        said += text
        at = _mark(said, shown)
        if marked or at >= 0:
            end, marked = (shown if marked else at), True
        else:
            end = len(said) - _begun(said)
        visible, shown = said[shown:end], end
        return visible

    return look


def _begun(text: str) -> int:
    """Return how many characters at the end of *text* may be the beginning of a mark."""
    tail = text[1 - max(map(len, _MARKS)) :]
    if _FIRST.isdisjoint(tail):  # most of the time, and it is asked at each delta
        return 0
    begins = (at for at in range(len(tail)) if any(mark.startswith(tail[at:]) for mark in _MARKS))
    return len(tail) - next(begins, len(tail))


def _marked_objects(found: list[str]) -> Scanner[None]:
    """
    Follow objects and their marks, and end where the text cannot be tool calls.

    Args:
        found: gets each object; the last one is empty until it is complete.
    """
    marks, allowed = "", _OPENINGS
    while True:
        char = yield
        if char.isspace():
            continue
        marks += char
        if not any(mark.startswith(marks) for mark in allowed):
            return
        if char == "{":
            found.append("")
            found[-1] = yield from _object()
            if not found[-1]:
                return
            marks, allowed = "", _BETWEEN


def _object() -> Scanner[str]:
    """Follow an object behind its brace and give its text; empty when a key is none of a tool call's."""
    said, depth, naming = ["{"], 1, True
    while depth:
        said.append(char := (yield))
        match char:
            case '"':
                said.append(word := (yield from _string()))
                if depth == 1 and naming and word[:-1] not in _KEYS:
                    return ""
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case "," | ":":
                naming = char == ","
            case _ if depth == 1 and naming and not char.isspace():
                return ""
            case _:
                pass
    return "".join(said)


def _string() -> Scanner[str]:
    """Follow a string to its closing quote, which is given with it."""
    said: list[str] = []
    while not said or said[-1] != '"':
        said.append((yield))
        if said[-1] == "\\":
            said[-1] += yield
    return "".join(said)


def _call(written: str, offered: Mapping[str, Tool]) -> ToolCall | None:
    """Read one object; None when it is no valid call of a tool that is offered."""
    parsed = read_object(written)
    if isinstance(parsed, Invalid):
        return None
    if isinstance(inner := parsed.get("function"), dict):
        if not parsed.keys() <= {"function", *_BESIDE}:
            return None
        parsed = inner
    names = [parsed[key] for key in _NAMES if key in parsed]
    inputs = [parsed[key] for key in _INPUTS if key in parsed]
    if not (len(names) == len(inputs) == 1 and isinstance(names[0], str)):
        return None
    name = tool_meant(names[0], offered)
    if name not in offered:
        return None
    given = inputs[0] if isinstance(inputs[0], str) else json.dumps(inputs[0] or {}, ensure_ascii=False)
    given = join_surrogates(given)
    if isinstance(parse_arguments(offered[name], given), Invalid):
        return None
    return ToolCall(f"call_{uuid4().hex[:12]}", name, given)
