"""What a user hands in, by its first bytes: text, the text of a PDF, or a picture; and what a request may hold of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from cococat.core.history import MAX_PICTURE_BYTES, MAX_PICTURES
from cococat.core.messages import Attachment, Origin, Picture
from cococat.system.picture import look_at
from cococat.system.text_file import MAX_PICTURE, SMALLER, PictureError, decode

__all__ = ["attached", "check_pictures"]


def attached(data: bytes, name: str, origin: Origin = "file") -> Attachment | Picture:
    """
    Return what is in *data*.

    Raises: NoTextError: neither text nor a PDF with text; PictureError: a picture that cannot be sent.
    """
    if (seen := look_at(data)) is None:
        return Attachment(name, decode(data, pdf=True), origin)
    media_type, width, height = seen
    kind = media_type.rpartition("/")[2].upper()
    if not (width and height):
        raise PictureError(f"it is a {kind} picture that is damaged", "hand in one that other programs can show")
    if len(data) > MAX_PICTURE:
        raise PictureError(
            f"it has {-(-len(data) // 100_000) / 10:.1f} MB, at most 5 MB of a picture can be sent", SMALLER
        )
    return Picture(name, media_type, width, height, len(data), sha256(data).hexdigest(), data)


def check_pictures(pictures: Sequence[Picture]) -> None:
    """
    Check that one message can hold *pictures*.

    Raises: PictureError: they are too many or too large together.
    """
    if len(pictures) > MAX_PICTURES:
        raise PictureError(
            f"there are {len(pictures)} pictures, at most {MAX_PICTURES} can be sent", "send fewer at once"
        )
    if (size := sum(picture.size for picture in pictures)) > MAX_PICTURE_BYTES:
        told = (
            f"the pictures have {-(-size // 100_000) / 10:.1f} MB, at most {MAX_PICTURE_BYTES / 1e6:.0f} MB can be sent"
        )
        raise PictureError(told, "send fewer at once")
