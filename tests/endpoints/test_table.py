"""docs/endpoints.md is what the command really does, server by server."""

import pytest

from tests.endpoints.dialects import DIALECTS
from tests.endpoints.recorded import recorded
from tests.endpoints.table import BEHAVIOURS, FILE, REFUSING, cells, met, refusing, row, section, written


@pytest.mark.parametrize("dialect", DIALECTS, ids=[dialect.name for dialect in DIALECTS])
def test_the_page_of_endpoints_is_not_stale(dialect):
    """Played anew, each server comes to the row and the lines of the page."""
    seen = cells(dialect)

    hint = "python -m tests.endpoints.table > docs/endpoints.md"
    assert (row(dialect.name, seen), section(dialect.name, seen)) == written(dialect.name), hint


@pytest.mark.parametrize("name", refusing())
def test_what_the_page_says_of_servers_that_refuse_is_not_stale(name):
    """Played anew, each comes to its row, and to its lines where there are some."""
    seen = met(refusing()[name])

    said = section(name, seen) if any(one.lines for one in seen.values()) else ""
    assert (row(name, seen, REFUSING), said) == written(name), "python -m tests.endpoints.table > docs/endpoints.md"


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

    first = ["server", "llama.cpp", "LiteLLM", *(dialect.name for dialect in DIALECTS)]
    assert [*first, "server", *refusing()] == rows
