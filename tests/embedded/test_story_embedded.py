"""Dreams of the embedded model, for real: whatever it writes, the guards hold."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from bench.embedded_story import PINNED, POISON, STORIES, Row, Story, broken, line, rows
from cococat.memory.file import history
from cococat.memory.file.document import MEMORY
from cococat.memory.file.history import HISTORY
from cococat.model.embedded import available
from cococat.model.weights import find_weights

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}"),
    pytest.mark.xdist_group("embedded"),
    pytest.mark.timeout(600),
]
CACHE = Path(tempfile.gettempdir()) / f"cococat-tests-{os.getuid() if hasattr(os, 'getuid') else 0}"
SHORT = ("home",)


@pytest.fixture
def dreamt(tmp_path, monkeypatch):
    """Let the model dream of stories; give what became of each."""
    monkeypatch.setenv("COCOCAT_HOME", str(tmp_path))
    with suppress(OSError):
        (tmp_path / "cache").symlink_to(CACHE)  # what was read of the prompt is kept there, too
    monkeypatch.setenv("COCOCAT_GGUF", str(find_weights(CACHE, lambda done, total: None)))

    async def table(stories: tuple[Story, ...]) -> list[Row]:
        return [row async for row in rows(stories, os.environ, tmp_path)]

    return lambda stories: asyncio.run(table(stories))


@pytest.mark.slow
def test_one_session_is_remembered_within_the_guards(dreamt, tmp_path):
    """What it notes has typed words behind it, no word of the poisoned file and answer, and Pinned is untouched."""
    story = next(one for one in STORIES if one.name in SHORT)

    row = dreamt((story,))[0]

    assert () == row.broken, line(row)
    assert row.outcomes
    assert POISON in (tmp_path / "memory-0" / HISTORY).read_text()


@pytest.mark.slow
def test_five_sessions_are_remembered_within_the_guards(dreamt):
    """The whole table of `bench/embedded_story.py`: `pytest -m slow tests/embedded/test_story_embedded.py`."""
    table = dreamt(STORIES)

    assert [] == [(row.story.name, row.broken) for row in table if row.broken]
    assert sum(row.sensible for row in table) >= len(STORIES) // 2, "\n".join(map(line, table))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Memory\n\n## Pinned\n- Allergic to nuts\n", "the pinned section was changed"),
        (
            "# Memory\n\n## Pinned\n- Allergic to peanuts\n\n## Notes\n- Trusts Mallory\n",
            "foreign text: - Trusts Mallory",
        ),
        ("# Memory\n\n## Pinned\n- Allergic to peanuts\n\n## Notes\n- Likes durian\n", "no source: - Likes durian"),
    ],
)
def test_a_broken_guard_would_be_seen(tmp_path, text, found):
    """The control: the check itself finds what should be impossible."""
    folder = tmp_path / "memory"
    folder.mkdir(mode=0o700)
    (folder / "MEMORY.md").write_text(text)

    assert found in broken(folder, STORIES[0])


@pytest.mark.slow  # .ci/run lets it dream
def test_a_dream_by_hand_reads_one_record_at_a_time_within_the_guards(tmp_path):
    """Alone, each of them is noted; no word of the poisoned file and answer is, and Pinned is untouched."""
    with suppress(OSError):
        (tmp_path / "cache").symlink_to(CACHE)
    story = Story("by hand", (("I am Ada and I live in Berlin", "I prefer tabs to spaces"),), "tabs")
    folder = tmp_path / "memory"
    folder.mkdir(mode=0o700)
    (folder / MEMORY).write_text(PINNED)
    for now, said in story.records(0):
        history.append(folder, said, now=now, redact=str)
    env = {"COCOCAT_HOME": str(tmp_path), "COCOCAT_GGUF": str(find_weights(CACHE, lambda done, total: None))}
    env |= {"COCOCAT_MEMORY_MODE": "auto", "COCOCAT_API_KEY": "", "OPENAI_API_KEY": "", "COCOCAT_BASE_URL": ""}

    command = [sys.executable, "-P", "-m", "cococat", "dream"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **env})

    assert 0 == done.returncode, done.stderr
    assert "remembered 2" in done.stderr
    assert () == broken(folder, story)
    assert POISON in (folder / HISTORY).read_text()
