"""Pictures: made for tests, looked at as servers do, counted by tiles.

Public: png, jpeg, gif, webp, images_of, picture_violations, text_only, tiles_of.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from cococat.system.picture import look_at
from tests.scripted.turns import Turn, fault

KINDS = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
DATA_URL = re.compile(r"data:([a-z]+/[a-z+.-]+);base64,([A-Za-z0-9+/]+={0,2})")
# what llama.cpp says, with status 500
UNSEEN = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"


def png(width: int, height: int, *, padding: int = 0) -> bytes:
    """A black picture that any program can show, with so many bytes more."""
    rows = zlib.compress(bytes((width + 1) * height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", rows), *([(b"teXt", bytes(padding))] if padding else []), (b"IEND", b"")]
    made = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return KINDS["image/png"] + b"".join(made)


def jpeg(width: int, height: int, *, preview: int = 9) -> bytes:
    """The head of a JPEG, with a segment of *preview* bytes before its frame."""
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(10)
    before = b"\xff\xe1" + struct.pack(">H", preview + 2) + bytes(preview) + b"\xff\xc4\x00\x04\0\0\xff"
    return b"\xff\xd8" + before + frame + b"\xff\xd9"


def gif(width: int, height: int) -> bytes:
    """The head of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def webp(width: int, height: int, kind: str = "VP8X") -> bytes:
    """The head of a WebP of one of the three kinds."""
    three = (width - 1).to_bytes(3, "little"), (height - 1).to_bytes(3, "little")
    body = {
        "VP8X": bytes(4) + three[0] + three[1],
        "VP8L": b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + bytes(5),
        "VP8 ": bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", width, height),
    }[kind]
    chunk = kind.encode() + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def images_of(body: dict[str, Any]) -> list[tuple[str, bytes]]:
    """The media type and the bytes of each picture in a request."""
    parts = [
        part for message in body["messages"] if isinstance(message.get("content"), list) for part in message["content"]
    ]
    urls = [DATA_URL.fullmatch(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
    return [(url[1], base64.b64decode(url[2])) for url in urls if url]


def picture_violations(role: str, part: dict[str, Any]) -> Iterator[str]:
    """What a server that sees refuses of an `image_url` part."""
    url = part["image_url"].get("url") if isinstance(part.get("image_url"), dict) else None
    if role != "user":
        yield f"image_url in a {role} message"
    if set(part) != {"type", "image_url"} or not isinstance(url, str):
        yield "image_url must be {type, image_url: {url}}"
    elif not (found := DATA_URL.fullmatch(url)):
        yield f"invalid data URL {url!r:.40}"
    elif not (start := KINDS.get(found[1])):
        yield f"unsupported image format {found[1]}"
    else:
        try:
            data = base64.b64decode(found[2], validate=True)
        except ValueError:
            yield "the image is no base64"
            return
        if not data.startswith(start):
            yield f"the image is no {found[1]}"


def text_only(turn: Turn, refusal: Turn | None = None) -> Any:
    """Play *turn*, but refuse a request with a picture, by default as llama.cpp does for a model without a projector."""

    def play(body: dict[str, Any]) -> Turn:
        return (refusal or fault(500, UNSEEN, kind="server_error")) if images_of(body) else turn

    return play


def tiles_of(body: dict[str, Any]) -> int:
    """Tokens of the pictures in a request, by their tiles of 512 pixels."""
    sizes = [look_at(data) for _, data in images_of(body)]
    return sum(85 + 170 * -(-width // 512) * -(-height // 512) for _, width, height in filter(None, sizes))
