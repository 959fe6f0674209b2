"""Pictures: which kind a file is by its first bytes, and how many pixels it has; nothing of it is decoded."""

from __future__ import annotations

_NO_FRAMES = (0xC4, 0xC8, 0xCC)  # markers of a JPEG among those of its frames


def look_at(data: bytes) -> tuple[str, int, int] | None:
    """
    Return the media type, the width and the height of the picture in *data*.

    Args:
        data: all of it, or so much that its sizes are in it.
    Returns: None where it is no picture of a kind that is sent; 0 pixels where its sizes cannot be read.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png", _big(data[16:20]), _big(data[20:24])
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg", *_jpeg(data)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif", _little(data[6:8]), _little(data[8:10])
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp", *_webp(data)
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _jpeg(data: bytes) -> tuple[int, int]:
    """Walk from segment to segment to the frame: what stands before it, as a preview, can be long."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:  # noqa: PLR2004 - a marker begins
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAMES:  # noqa: PLR2004 - start of a frame
            return _big(data[at + 7 : at + 9]), _big(data[at + 5 : at + 7])
        at += 1 if marker == 0xFF else 2 + _big(data[at + 2 : at + 4])  # noqa: PLR2004 - padding
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
        case b"VP8L" if len(data) >= 25:  # noqa: PLR2004 - so far its head goes
            both = _little(data[21:25])
            return (both & 0x3FFF) + 1, (both >> 14 & 0x3FFF) + 1
        case b"VP8X" if len(data) >= 30:  # noqa: PLR2004 - so far its head goes
            return _little(data[24:27]) + 1, _little(data[27:30]) + 1
        case _:
            return 0, 0
