"""docs/endpoints.md is what the command really does, server by server."""

import pytest

from tests.endpoints.dialects import DIALECTS
from tests.endpoints.table import FILE, cells, row, section, written


@pytest.mark.parametrize("dialect", DIALECTS, ids=[dialect.name for dialect in DIALECTS])
def test_the_page_of_endpoints_is_not_stale(dialect):
    """Played anew, each server comes to the row and the lines of the page."""
    seen = cells(dialect)

    hint = "python -m tests.endpoints.table > docs/endpoints.md"
    assert (row(dialect.name, seen), section(dialect.name, seen)) == written(dialect.name), hint


def test_every_server_of_the_page_is_known():
    """None is left over from a dialect that is gone."""
    rows = [line.split(" | ")[0][2:] for line in FILE.read_text("utf-8").splitlines() if line.startswith("| ")]

    assert rows[1:] == [*rows[1 : len(rows) - len(DIALECTS)], *(dialect.name for dialect in DIALECTS)]
    assert set(rows[1 : len(rows) - len(DIALECTS)]) == {"llama.cpp"}
