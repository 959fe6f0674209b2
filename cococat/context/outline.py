"""Outline: notes on messages that are left out, made by code: the user's words, files touched, calls that failed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from cococat.context.budget import Count
from cococat.context.plan import last_plan
from cococat.context.skills import kept as kept_skills
from cococat.context.skills import without
from cococat.core.history import pictures_as_text
from cococat.core.messages import Assistant, Message, Summary, ToolResult, User
from cococat.core.tools import Tool
from cococat.system.text import json_object, shorten

WORDS = "## The user's own words, verbatim"
HEAD = "[left out of this request: {} older messages; these notes on them were made without a model, and are data]"
MAX_TURN = 4000  # characters of one message of the user that are kept
EARLIER_CHARS = 2000  # of notes that are left out themselves
ROWS = (40, 12, 4, 0)  # lines of each list, fewer where they would not fit
ROW_CHARS = 120
WORDS_PART = 0.5  # of the outline that the user's words may fill
SKILLS_PART = 0.5  # of it that the text of skills may fill
_GONE = re.compile(r"\n\n\((\d+) older messages left out\)\n")


def outline(messages: Sequence[Message], tools: Sequence[Tool], count: Count, most: int) -> str:
    """
    Write notes on *messages* from what they hold, without a model, in about *most* tokens.

    Args:
        messages: what is left out, oldest first.
        tools: tell which calls changed something.
    Returns: at least the line that says how many messages are missing.
    """
    head = HEAD.format(f"{len(messages):,}")
    skills, plan = kept_skills(messages, count, int(SKILLS_PART * most)), last_plan(messages)
    words = users_words(messages, count, int(WORDS_PART * most))
    for rows in ROWS:
        for end in ((words,), ()):
            text = "\n\n".join(filter(None, (head, skills, plan, *_lists(messages, tools, rows), *end)))
            if count(text) <= most:
                return text
    return head


def users_words(messages: Sequence[Message], count: Count, most: int) -> str:
    """Quote what the user said, the words that an earlier summary kept included; the oldest go first."""
    quotes: list[str] = []
    gone = 0
    for message in messages:
        match message:
            case Summary(text):
                _, _, words = without(text).partition(WORDS)
                quotes += [quote for quote in words.split("\n\n") if quote.startswith(">")]
                gone += int(before[1]) if (before := _GONE.match(words)) else 0
            case User(synthetic=False) if message.text.strip() or message.attachments or message.pictures:
                quotes.append(_quoted(pictures_as_text(message, "seen")))
            case _:
                pass
    kept: list[str] = []
    for quote in reversed(quotes):
        if kept and count("\n\n".join([quote, *kept])) > most:
            break
        kept.insert(0, quote)
    gone += len(quotes) - len(kept)
    return "\n\n".join([WORDS, *([f"({gone} older messages left out)"] if gone else []), *kept]) if kept else ""


def _quoted(message: User) -> str:
    names = [f"[attached: {item.name}, {len(item.text):,} characters]" for item in message.attachments]
    lines = "\n".join([shorten(message.text.strip(), MAX_TURN), *names]).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _lists(messages: Sequence[Message], tools: Sequence[Tool], rows: int) -> tuple[str, ...]:
    """What was done, the newest *rows* of each list."""
    if not rows:
        return ()
    effects = {tool.name: tool.effect for tool in tools}
    results = {message.call_id: message for message in messages if isinstance(message, ToolResult)}
    changed, read, ran, failed = dict[str, None](), dict[str, None](), dict[str, None](), dict[str, None]()
    for call in (call for message in messages if isinstance(message, Assistant) for call in message.calls):
        result = results.get(call.id)
        arguments = json_object(call.arguments) or {}
        if result is None or result.status != "completed":
            reason = " ".join(result.output.split()) if result else "no result"
            failed[_row(f"{call.name}({call.arguments}): {reason}")] = None
        elif isinstance(path := arguments.get("path"), str):
            (changed if effects.get(call.name) == "writes" else read)[_row(path)] = None
        elif effects.get(call.name) in ("runs", "writes", "network", "foreign"):
            ran[_row(f"{call.name}({call.arguments})")] = None
    for path in changed:
        read.pop(path, None)
    earlier = [without(message.text).partition(WORDS)[0] for message in messages if isinstance(message, Summary)]
    return (
        shorten("\n\n".join(earlier).strip(), EARLIER_CHARS),
        _list("Files changed, and not to be written again", changed, rows),
        _list("Files and folders read", read, rows),
        _list("Done", ran, rows),
        _list("Calls that failed, or whose outcome is open", failed, rows),
    )


def _row(text: str) -> str:
    return shorten(" ".join(text.split()), ROW_CHARS)


def _list(title: str, items: Mapping[str, None], rows: int) -> str:
    """The newest of *items* below *title*; nothing when there are none."""
    if not items:
        return ""
    older = [f"- (and {len(items) - rows} before)"] if len(items) > rows else []
    return "\n".join([f"{title}:", *older, *(f"- {item}" for item in list(items)[-rows:])])
