"""A process of its own that makes text of a PDF: the file on stdin, its pages on stdout, why there are none on stderr."""

from __future__ import annotations

import io
import sys
from contextlib import suppress

MAX_PAGES = 500
MAX_MEMORY = 512 << 20  # bytes
MAX_TEXT = 8 << 20  # bytes that are written; who reads them takes less
CPU_S = 20


def main() -> int:
    """Write the pages; 1 where there is no text to write."""
    with suppress(ImportError, OSError, ValueError):  # no such limits on Windows, or lower ones here
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    try:
        return _write(sys.stdin.buffer.read())
    except MemoryError:
        return _fail(f"it takes more than {MAX_MEMORY >> 20} MiB to read it")
    except Exception as error:  # noqa: BLE001 - a library reads a foreign file: whatever it raises, it cannot be read
        return _fail(f"it cannot be read: {type(error).__name__}: {error}")


def _write(data: bytes) -> int:
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


def _fail(why: str) -> int:
    sys.stderr.write(" ".join(why.split())[:200])
    return 1


if __name__ == "__main__":
    sys.exit(main())
