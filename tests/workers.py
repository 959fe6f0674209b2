"""How the workers of a run share its tests, and tell of them: xdist's ways, for seven thousand tests that take 50 ms each.

Public: a plugin for pytest, which `tests/conftest.py` registers.
"""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.runner import runtestprotocol


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what shares the tests of `--dist loadgroup`: group by group, and function by function where there is none."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ByFunction(LoadGroupScheduling):
        """What has run is forgotten; the original counts it again after each test, 8 s in all."""

        def _split_scope(self, nodeid: str) -> str:
            group: str = super()._split_scope(nodeid)
            return nodeid.partition("[")[0] if group == nodeid else group

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            nodeid = self.registered_collections[node][item_index]
            scope = self._split_scope(nodeid)
            del self.assigned_work[node][scope][nodeid]
            if not self.assigned_work[node][scope]:
                del self.assigned_work[node][scope]
            self._reschedule(node)

    return ByFunction(config, log)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Tell in a worker of nothing but the call, and of what went wrong: each of six messages takes 0.3 ms."""
    if not hasattr(item.config, "workerinput") or item.config.option.durations is not None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True
