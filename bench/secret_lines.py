"""Lines of ordinary source that redaction changes: `python bench/secret_lines.py [FOLDER …]`.

Without folders: the standard library and everything installed beside this project. Each changed line is
printed as it became, for a reader to say which of them held a secret after all; then the count.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from cococat.safety.secrets import mask

ENDINGS = frozenset(
    (".py", ".pyi", ".c", ".h", ".go", ".java", ".js", ".kt", ".rb", ".rs", ".sh", ".swift", ".ts", ".tsx")
)
MAX_BYTES = 1 << 20  # larger files are data or built from others


def sources(folders: list[Path]) -> Iterator[Path]:
    """Find the files of source below *folders*, each once."""
    seen: set[Path] = set()
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            real = file.resolve()
            if file.suffix in ENDINGS and ".min." not in file.name and file.is_file() and real not in seen:
                seen.add(real)
                if file.stat().st_size <= MAX_BYTES:
                    yield file


def main(folders: list[Path]) -> None:
    """Count, and print what changed."""
    lines = changed = 0
    for file in sources(folders):
        text = file.read_text("utf-8", "replace")
        lines += text.count("\n")
        masked = mask(text)
        for mark in masked.marks:
            changed += 1
            number = masked.text.count("\n", 0, mark.start) + 1
            sys.stdout.write(f"{file}:{number}: {masked.text.splitlines()[number - 1].strip()[:160]}\n")
    sys.stdout.write(f"{changed} of {lines} lines changed, {changed / max(lines, 1) * 100_000:.1f} in 100,000\n")


if __name__ == "__main__":
    installed = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    main([Path(folder) for folder in sys.argv[1:]] or installed)
