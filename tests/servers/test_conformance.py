"""The protocol's own conformance suite: `./coco test -m slow tests/servers/test_conformance.py`."""

from __future__ import annotations

import pytest

from tests.servers.conformance import SHORT, VERSIONS, installed, missing, run, scenarios

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.skipif(bool(missing()), reason=missing())]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_scenario_that_is_for_us_passes(version):
    """With `mcp check` and `mcp call` as the client, in both eras; what is left out on purpose is counted."""
    suite = installed(version)

    ran = {name: run(suite, name) for name in scenarios(suite)}

    assert len(ran) >= 4
    for name, (passed, checks, text) in ran.items():
        assert checks, text
        assert checks - SHORT.get(name, (0, ""))[0] == passed, text
