"""The text of a skill inside of a conversation: marked so that it is known again, and kept word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from cococat.context.budget import Count
from cococat.context.micro import SKILL
from cococat.core.messages import Attachment, Message, Summary, ToolResult, User

LOST = "(left out here, and to be read again with `skill` where it is needed: {})"
_BLOCK = re.compile(r'<(skill-[0-9a-f]{16}) name="([^"\n]+)" file="([^"\n]+)">\n(.*?)\n</\1>', re.DOTALL)


def block(name: str, file: str, text: str) -> str:
    """Fence the text of a skill with a mark that it cannot hold, as the mark is a digest of it."""
    mark = f"skill-{_digest(text)}"
    return f'<{mark} name="{name}" file="{file}">\n{text}\n</{mark}>'


def attached(name: str, text: str) -> Attachment:
    """Return a block as what came with the user's words and is none of them."""
    return Attachment(f"{SKILL} {name}", text, "file")


def is_block(text: str) -> bool:
    """Return whether *text* is what `block` made, to the letter."""
    found = _BLOCK.fullmatch(text)
    return found is not None and found[1] == f"skill-{_digest(found[4])}"


def present(messages: Iterable[Message]) -> Mapping[tuple[str, str], str]:
    """Return the blocks in *messages* by name and file, the newest of each."""
    return {(found[2], found[3]): found[0] for text in _texts(messages) for found in _BLOCK.finditer(text)}


def kept(messages: Iterable[Message], count: Count, most: int) -> str:
    """Return the blocks in *messages*, the newest that fit into *most* tokens; the others are named."""
    held: list[str] = []
    lost: list[str] = []
    for (name, file), text in reversed([*present(messages).items()]):
        if count("\n\n".join((text, *held))) <= most:
            held.insert(0, text)
        else:
            lost.insert(0, f"{name} {file}")
    return "\n\n".join((*held, *([LOST.format(", ".join(lost))] if lost else [])))


def without(text: str) -> str:
    """Return notes without the blocks in them."""
    return _BLOCK.sub("", text)


def _texts(messages: Iterable[Message]) -> Iterator[str]:
    """What holds blocks of ours: results of the tool, what `/NAME` attached, notes."""
    for message in messages:
        match message:
            case ToolResult(name=name, status="completed") if name == SKILL:
                yield message.output
            case User(attachments=attachments):
                yield from (file.text for file in attachments if file.name.startswith(f"{SKILL} "))
            case Summary(text):
                yield text
            case _:
                pass


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
