"""
A process of its own for what is foreign and complicated: a file on stdin, what is made of it on stdout, why nothing is on stderr.

`pdf` makes text of its pages of a PDF; `picture SIDE BYTES` makes a picture of SIDE pixels and BYTES at the most, which
holds nothing but its pixels.
"""

from __future__ import annotations

import io
import sys
from contextlib import suppress

MAX_PAGES = 500
MAX_MEMORY = 512 << 20  # bytes
MAX_TEXT = 8 << 20  # bytes that are written; who reads them takes less
CPU_S = 20
QUALITY = 90  # of a JPEG


def main(kind: str, *numbers: str) -> int:
    """Write what is made of it; 1 where there is nothing to write."""
    with suppress(ImportError, OSError, ValueError):  # no such limits on Windows, or lower ones here
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    try:
        data = sys.stdin.buffer.read()
        return _pages(data) if kind == "pdf" else _smaller(data, *map(int, numbers))
    except MemoryError:
        return _fail(f"it takes more than {MAX_MEMORY >> 20} MiB to read it")
    except Exception as error:  # noqa: BLE001 - a library reads a foreign file: whatever it raises, it cannot be read
        return _fail(f"it cannot be read: {type(error).__name__}: {error}")


def _pages(data: bytes) -> int:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return _fail("it wants a password")
    count, said, written = len(reader.pages), False, 0
    if count > MAX_PAGES:
        return _fail(f"it has {count} pages, at most {MAX_PAGES} are read")
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text().replace("\0", "").strip()
        said = said or bool(text)
        written += sys.stdout.buffer.write(f"--- page {number} of {count} ---\n{text}\n\n".encode("utf-8", "replace"))
        if written > MAX_TEXT:
            return _fail(f"it holds more than {MAX_TEXT >> 20} MiB of text")
    return 0 if said else _fail("it has no text, pictures of pages perhaps")


def _smaller(data: bytes, side: int, most: int) -> int:
    """Write a JPEG of a JPEG, a PNG of the first frame of anything else, and a JPEG of that where it is too large."""
    import warnings

    from PIL import Image, ImageFile, ImageOps

    warnings.simplefilter("error", Image.DecompressionBombWarning)
    ImageFile.LOAD_TRUNCATED_IMAGES = True  # a wrong checksum of a colour profile hurts no pixel
    picture: Image.Image = Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP"))
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    kind = "JPEG" if data.startswith(b"\xff\xd8") else "PNG"
    if picture.mode not in ("RGB", "RGBA", "L"):  # no other can be shrunk well
        picture = picture.convert(mode)
    picture.thumbnail((side, side))
    picture = ImageOps.exif_transpose(picture).convert(mode)
    picture.info.clear()  # what a camera wrote into it
    made = io.BytesIO()
    picture.save(made, kind, quality=QUALITY)
    if made.tell() > most and kind == "PNG":
        made, white = io.BytesIO(), Image.new("RGBA", picture.size, "white")
        white.alpha_composite(picture.convert("RGBA"))
        white.convert("RGB").save(made, "JPEG", quality=QUALITY)
    sys.stdout.buffer.write(made.getvalue())
    return 0


def _fail(why: str) -> int:
    sys.stderr.write(" ".join(why.split())[:200])
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
