"""docs/endpoints.md is what the command really does, server by server."""

import pytest

from tests.endpoints.dialects import DIALECTS
from tests.endpoints.recorded import recorded
from tests.endpoints.table import BEHAVIOURS, FILE, cells, row, section, written


@pytest.mark.parametrize("dialect", DIALECTS, ids=[dialect.name for dialect in DIALECTS])
def test_the_page_of_endpoints_is_not_stale(dialect):
    """Played anew, each server comes to the row and the lines of the page."""
    seen = cells(dialect)

    hint = "python -m tests.endpoints.table > docs/endpoints.md"
    assert (row(dialect.name, seen), section(dialect.name, seen)) == written(dialect.name), hint


@pytest.mark.parametrize("name", recorded())
def test_the_rows_of_real_servers_are_those_that_were_recorded(name):
    """With the day they were seen; the tests of the servers compare the record with the server."""
    seen = recorded()[name]

    assert (row(name, seen), section(name, seen)) == written(name), (
        "python -m tests.endpoints.table > docs/endpoints.md"
    )
    assert list(BEHAVIOURS) == sorted(seen, key=BEHAVIOURS.index)


def test_every_server_of_the_page_is_known():
    """None is left over from a dialect or a server that is gone."""
    rows = [line.split(" | ")[0][2:] for line in FILE.read_text("utf-8").splitlines() if line.startswith("| ")]

    assert ["server", "llama.cpp", "LiteLLM", *(dialect.name for dialect in DIALECTS)] == rows
