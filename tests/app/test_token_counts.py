"""Which count of tokens decides and is shown: the vocabulary's, and an estimate only while that is not loaded."""

from __future__ import annotations

import hashlib
import json
import re
import sys

import pytest

from cococat.core.agent import estimate_tokens
from cococat.model.tokens import count
from tests.screens import ready
from tests.scripted import says
from tests.ui.pseudo_terminal import PseudoTerminal

NOTES = "## Task\nKeep it.\n\n## State\nIt was kept.\n\n## Findings\nDigits.\n\n## Next steps\nAnswer."


def _digits(size: int) -> str:
    """Text of which an estimate by its bytes sees half the tokens."""
    found = "".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(size // 64))
    return "\n".join(found[at : at + 64] for at in range(0, size, 64))


def test_a_history_that_only_seems_to_fit_is_made_smaller(ask, scripted, tmp_path, home):
    """A session full of digits: a quarter of its bytes would fit, its tokens do not, and are not sent."""
    text = _digits(20_000)
    (tmp_path / "digits.txt").write_text(text)
    limits = {"COCOCAT_MODEL_CONTEXT_WINDOW": "14000", "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "1000"}
    limits["COCOCAT_CONTEXT_KEEP_RECENT_MESSAGES"] = "2"
    room = int(0.7 * (14_000 - 1_000))
    assert estimate_tokens(text) + 1_000 < room < count(text, folder=home / "cache")
    server = scripted(says("noted"), says(NOTES), says("done"))
    ask(server, "--no-dream", "-f", tmp_path / "digits.txt", "keep this", env=limits)

    ran = ask(server, "--no-dream", "-c", "--output-format", "stream-json", "and now?", env=limits)

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    [compacted] = [event for event in events if event["type"] == "context_compacted"]
    assert compacted["before_tokens"] > room
    assert text not in json.dumps(server.requests[-1]["messages"])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_the_toolbar_marks_an_estimate_until_the_vocabulary_is_there(scripted, tmp_path, home):
    """`~` stands before a number that is not counted yet; /context counts, and from then on nothing is marked."""
    memory = home / "memory" / "MEMORY.md"
    memory.parent.mkdir(mode=0o700)
    memory.write_text(f"# Memory\n\n## Pinned\n- The number is {_digits(640)[:600].replace(chr(10), '')}\n")
    memory.chmod(0o600)
    server = scripted(says("x"))
    terminal = PseudoTerminal(
        "cococat",
        "chat",
        "--no-dream",
        "--base-url",
        server.base_url,
        "-m",
        "scripted",
        "--root",
        tmp_path,
        columns=160,
    )
    try:
        text = terminal.until(lambda text: ready(text) and " memory " in text)
        assert re.search(r"memory ~\d+", text)

        terminal.press("/context\r")

        text = terminal.until(lambda text: "history" in text and re.search(r"memory \d+", text))
    finally:
        terminal.child.close(force=True)
    shown = re.search(r"system [\d,]+ · instructions [\d,]+ · memory ([\d,]+)", text)
    assert shown
    assert f"memory {shown[1].replace(',', '')}" in text
    assert re.search(r"next request: [\d,]+ of", text)
