"""docs/streams.md says what really comes out."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.streams import CASES, PAGE, rows

WRITTEN = (Path(__file__).resolve().parents[2] / "docs" / "streams.md").read_text()
REWRITE = "python -m tests.streams > docs/streams.md"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_row_of_the_page_is_what_a_run_gives(case):
    """stdout, stderr and the exit code, in each of the three formats; where it is stale, write the page again."""
    assert rows(case) in WRITTEN, REWRITE


def test_the_page_holds_these_rows_and_no_others():
    """An ending that is no longer run is no longer told of."""
    assert WRITTEN.startswith(PAGE), REWRITE
    assert [case.name for case in CASES] == re.findall(r"^## (.+)$", WRITTEN, re.MULTILINE), REWRITE
