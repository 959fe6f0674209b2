"""A session as one document: Markdown, JSON or HTML, each complete in itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from typing import Literal

from cococat.core.events import MessageAdded
from cococat.core.history import without_extra
from cococat.core.messages import Assistant, Message, Summary, System, ToolResult, User
from cococat.store.codec import message_to_json, to_record
from cococat.store.listing import SessionInfo
from cococat.store.sessions import Session
from cococat.system.text import clip, json_object

# control characters and those that turn the direction of text: they could show another text than is there
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
GIST = 100  # characters of a call's arguments beside its name
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:#222;background:#fff}"
    "section{margin:1rem 0;padding:.5rem 1rem;border-left:4px solid #ccc}"
    ".user{border-color:#06c}.assistant{border-color:#393}.error{border-color:#c33}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0;unicode-bidi:isolate}"
    "pre,code{font-family:ui-monospace,monospace;font-size:.9em}div pre,details pre{background:#8882;padding:.5rem}"
    "table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.2rem .6rem}"
    ".said{font:inherit}section>h2{font-size:.9rem;margin:0}section>h2,summary,footer{color:#666}"
    "summary{cursor:pointer;font:.9em ui-monospace,monospace;overflow-wrap:anywhere}"
    ".step{margin:.3rem 0}body>.step{margin-left:1.2rem}.step.error>summary{color:#c33}footer{font-size:.9rem}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}section{border-color:#555}"
    ".user{border-color:#6af}.assistant{border-color:#6b6}.error{border-color:#e66}"
    "section>h2,summary,footer{color:#aaa}.step.error>summary{color:#e66}}"
)


def export(session: Session, how: Literal["md", "json", "html"], *, raw: bool = False) -> str:
    """
    Return *session* in the format *how*.

    Args:
        raw: with what providers gave with their messages and wanted back.
    """
    if not raw:
        timeline = tuple(
            replace(timed, event=MessageAdded(*without_extra([timed.event.message])))
            if isinstance(timed.event, MessageAdded)
            else timed
            for timed in session.timeline
        )
        session = replace(session, messages=without_extra(session.messages), timeline=timeline)
    match how:
        case "md":
            return as_markdown(session)
        case "json":
            return as_json(session)
        case "html":
            return as_html(session)


def as_markdown(session: Session) -> str:
    """Return the conversation as Markdown; what tools took and gave stands in fences that it cannot close."""
    info = session.info
    blocks = [f"# {_inline(info.title) or info.id}", _facts(info)]
    for message in session.messages:
        heading, said, code = _sections(message)
        blocks.append(f"## {_inline(heading)}")
        blocks += [said] if said else []
        blocks += [_fenced(label, text) for label, text in code]
    return _visible("\n\n".join(blocks) + "\n")


def as_json(session: Session) -> str:
    """Return everything that is known of the session as one JSON object."""
    info = session.info
    whole = {
        "id": info.id,
        "title": info.title,
        "started": utc_time(info.started),
        "updated": utc_time(info.updated),
        "cwd": info.cwd,
        "model": info.model,
        "turns": info.turns,
        "messages": [message_to_json(message) for message in session.messages],
        "events": [{"ts": timed.ts, **to_record(timed.event)} for timed in session.timeline],
    }
    return json.dumps(whole, indent=2) + "\n"


def as_html(session: Session) -> str:
    """Return the conversation as a page without scripts that loads nothing."""
    info = session.info
    title = escape(_visible(info.title or info.id))
    sections = "\n".join(_html(message) for message in session.messages)
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{title}</h1>\n{sections}\n<footer>{escape(_visible(_facts(info)))}</footer>\n</body></html>\n"
    )


def _html(message: Message) -> str:
    if isinstance(message, ToolResult):
        failed = " · failed" if message.status == "error" else ""
        return _folded(f"observe {message.name}{failed}", message.output, f"step {message.status}")
    heading, said, code = _sections(message)
    kind = type(message).__name__.lower()
    body = _rendered(said) if isinstance(message, Assistant | Summary) and said else _as_it_is(said)
    if isinstance(message, Assistant):
        code = [("think", message.reasoning)] if message.reasoning else []
        code += [(f"act {call.name} {_gist(call.arguments)}", call.arguments) for call in message.calls]
    body += "".join(_folded(label, text, "step") for label, text in code)
    return f'<section class="{kind}"><h2>{escape(_visible(heading))}</h2>{body}</section>'


def _folded(label: str, text: str, kind: str) -> str:
    """One step behind its label."""
    summary = f"<summary>{escape(_visible(label))}</summary>"
    return f'<details class="{kind}">{summary}<pre>{escape(_visible(text))}</pre></details>'


def _gist(arguments: str) -> str:
    """The values of a call's arguments in one line, as a user would type them."""
    if (given := json_object(arguments)) is not None:
        arguments = " ".join(value if isinstance(value, str) else json.dumps(value) for value in given.values())
    return clip(" ".join(arguments.split()), GIST)


def _as_it_is(text: str) -> str:
    return f'<pre class="said">{escape(_visible(text))}</pre>' if text else ""


def _rendered(text: str) -> str:
    """
    Return what a model wrote in Markdown as HTML.

    Tags of its own stay text, and so do links and pictures: nothing is loaded, and each address is seen.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.disable(["link", "image", "autolink", "reference"])
    return f"<div>{reader.render(_visible(text))}</div>"


def _sections(message: Message) -> tuple[str, str, list[tuple[str, str]]]:
    """Return a message's heading, its text, and its other texts with their labels."""
    match message:
        case User(text, attachments, synthetic):
            heading = "cococat" if synthetic else "You"
            lines = [f"[image {picture.name}, {picture.pixels}]" for picture in message.pictures]
            said = "\n\n".join(filter(None, (text, *lines)))
            return heading, said, [(f"{item.origin}: {item.name}", item.text) for item in attachments]
        case Assistant(text, reasoning, calls, cut):
            code = [("reasoning", reasoning)] if reasoning else []
            code += [(f"calls {call.name}", call.arguments) for call in calls]
            return f"Assistant (cut: {cut})" if cut else "Assistant", text, code
        case ToolResult(_, name, output, status):
            return f"{name}: {'failed' if status == 'error' else 'result'}", "", [("output", output)]
        case Summary(text, covers):
            return f"Summary of {covers} earlier messages", text, []
        case System(text):
            return "System", text, []


def _fenced(label: str, text: str) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{_inline(label)}\n\n{fence}text\n{text}\n{fence}"


def _inline(text: str) -> str:
    """Return *text* as one line of plain Markdown."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(text.split()))


def _facts(info: SessionInfo) -> str:
    return f"Session {info.id} · {info.model} · {utc_time(info.started)} · turns: {info.turns}"


def utc_time(ts: float) -> str:
    """Return seconds since 1970 as a date and a time in UTC; empty for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(ts, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _visible(text: str) -> str:
    """Show characters that cannot be seen, or that no file can hold, as their code."""
    return _HIDDEN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text.replace("\r\n", "\n"))
