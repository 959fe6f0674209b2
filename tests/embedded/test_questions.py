"""The embedded model with tools, for real: most questions about a small project get the right answer."""

from __future__ import annotations

import asyncio
import os
import tempfile
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
ONE_OF_EACH = tuple(QUESTIONS[number] for number in (0, 1, 3, 8))


# not all of them: rounding differs from processor to processor, and a small model's choice with it
@pytest.mark.parametrize(
    ("questions", "least"),
    [
        pytest.param(ONE_OF_EACH, 3, id="one of each"),
        pytest.param(QUESTIONS, 7, id="all", marks=pytest.mark.slow),  # pytest -m slow tests/embedded/test_questions.py
    ],
)
def test_most_questions_about_a_folder_are_answered_from_its_files(tmp_path, monkeypatch, questions, least):
    """Listing, reading, searching and common knowledge, each asked as a user would."""
    monkeypatch.setenv("COCOCAT_HOME", str(tmp_path))
    monkeypatch.setenv("COCOCAT_GGUF", str(find_weights(CACHE, lambda done, total: None)))

    async def table() -> list[Row]:
        return [row async for row in rows(questions, FILES, os.environ)]

    answered = asyncio.run(table())

    assert len(questions) == len(answered)
    assert least <= sum(row.right for row in answered), "\n".join(map(line, answered))
