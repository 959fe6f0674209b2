"""The embedded model with tools, for real: most questions about a small project get the right answer."""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from bench.embedded import FILES, QUESTIONS, Row, line, rows
from cococat.model.embedded import available
from cococat.model.weights import find_weights

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}"),
    pytest.mark.xdist_group("embedded"),
    pytest.mark.timeout(300),
]
CACHE = Path(tempfile.gettempdir()) / f"cococat-tests-{os.getuid() if hasattr(os, 'getuid') else 0}"
RIGHT = 7  # of ten: rounding differs from processor to processor, and a small model's choice with it


@pytest.mark.slow  # pytest -m slow tests/embedded/test_questions.py, as .ci/run does
def test_most_questions_about_a_folder_are_answered_from_its_files(tmp_path, monkeypatch):
    """Listing, reading, searching and common knowledge, each asked as a user would."""
    monkeypatch.setenv("COCOCAT_HOME", str(tmp_path))
    with suppress(OSError):
        (tmp_path / "cache").symlink_to(CACHE)  # what was read of the prompt is kept there, too
    monkeypatch.setenv("COCOCAT_GGUF", str(find_weights(CACHE, lambda done, total: None)))

    async def table() -> list[Row]:
        answered: list[Row] = []
        async with aclosing(rows(QUESTIONS, FILES, os.environ)) as each:
            async for row in each:
                answered.append(row)
                if RIGHT <= sum(one.right for one in answered):
                    break  # whatever the others bring
        return answered

    answered = asyncio.run(table())

    assert RIGHT <= sum(row.right for row in answered), "\n".join(map(line, answered))
