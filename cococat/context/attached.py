"""What a user hands in, by its first bytes: text, the text of a PDF, or a picture; and what a request may hold of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from cococat.core.history import MAX_PICTURE_BYTES, MAX_PICTURES
from cococat.core.messages import Attachment, Origin, Picture
from cococat.system.picture import look_at
from cococat.system.text_file import MAX_PICTURE, SMALLER, NoTextError, PictureError, decode, in_child

MAX_SIDE = 2048  # pixels: no model sees more of a picture
# what a camera or a program wrote into a JPEG, a PNG, a WebP begins so
_CAMERA = (b"Exif\0\0", b"eXIf", b"EXIF", b"http://ns.adobe.com/", b"XML:com.adobe.xmp", b"XMP ")
_OTHER = "hand in one that other programs can show"


def attached(data: bytes, name: str, origin: Origin = "file") -> Attachment | Picture:
    """
    Return what is in *data*.

    Raises: NoTextError: neither text nor a PDF with text; PictureError: a picture that cannot be sent.
    """
    return picture_in(data, name) or Attachment(name, decode(data, pdf=True), origin)


def picture_in(data: bytes, name: str) -> Picture | None:
    """
    Return the picture in *data*, made anew if it is large or from a camera and the extra `images` is installed; None where there is none.

    Raises: PictureError: it cannot be sent.
    """
    if (picture := _picture(data, name)) is None:
        return None
    large = picture.size > MAX_PICTURE
    if not (large or max(picture.width, picture.height) > MAX_SIDE or any(mark in data for mark in _CAMERA)):
        return picture
    from importlib.util import find_spec

    if find_spec("PIL"):
        return _smaller(picture)
    if large:
        told = f"it has {-(-picture.size // 100_000) / 10:.1f} MB, at most {MAX_PICTURE / 1e6:.0f} MB of a picture can be sent"
        raise PictureError(told, f"pip install 'cococat[images]', which makes it smaller; or {SMALLER}")
    return picture


def _picture(data: bytes, name: str) -> Picture | None:
    """Return the picture in *data*; None where there is none."""
    if (seen := look_at(data)) is None:
        return None
    media_type, width, height = seen
    if not (width and height):
        raise PictureError(f"it is a {media_type.rpartition('/')[2].upper()} picture that is damaged", _OTHER)
    return Picture(name, media_type, width, height, len(data), sha256(data).hexdigest(), data)


def _smaller(picture: Picture) -> Picture:
    """Return *picture* as one that can be sent, without what a camera wrote into it."""
    kind = f"a picture of {picture.pixels} pixels"
    try:
        made = in_child(("picture", str(MAX_SIDE), str(MAX_PICTURE)), picture.data, kind, _OTHER)
    except NoTextError as error:
        raise PictureError(error.reason, error.hint) from error
    smaller = _picture(made, picture.name)
    assert smaller
    return replace(smaller, before=f"{picture.pixels}, {-(-picture.size // 1000):,} kB")


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
