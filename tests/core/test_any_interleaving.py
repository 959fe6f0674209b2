"""Any interleaving of deltas, cuts, cancels, results and compactions: properties over whole conversations."""

import asyncio
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from cococat.context.budget import ContextBounds
from cococat.core.events import tee
from cococat.core.limits import Limits
from cococat.core.settings import Timeouts
from cococat.model.client import ChatModel, Endpoint
from cococat.store.sessions import create, load
from tests.core.whole_runs import Desk, Hourglass, Playing, Script, Trip, Watch, agent_for, played, scripts
from tests.scripted import forever, says, serve

CUT_OFF = "the body is no JSON object"  # of a request that a cancel has stopped in the middle
QUICK = settings(
    max_examples=150,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # to make an example small takes minutes: the slow run does it
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def in_memory(script):
    """Play *script* with a model in memory, in no time, and check every turn of it."""
    glass, noise = Hourglass(), []
    trip, desk, ran = Trip(), Desk(script), Counter()
    model, watch = Playing(desk, trip), Watch(desk, trip)

    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: noise.append(context["message"]))
        agent = agent_for(script, model, trip, ran, lambda: glass.now)
        await played(script, agent, watch, ran, lambda turn: None)
        await asyncio.sleep(100)  # whatever was left behind has ended by then
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with asyncio.Runner(loop_factory=glass.loop) as runner:
        runner.run(main())
    assert [] == model.problems
    assert 0 == model.open, "a stream was not closed"
    assert [] == noise
    return desk


@QUICK
@given(scripts())
def test_whatever_happens_in_whatever_order_the_history_is_valid_and_nothing_is_lost(script):
    """Cut, cancelled, refused or compacted: every call has one end, every word of the user its place."""
    in_memory(script)


def test_an_unreadable_decision_frees_none_of_the_later_ones_from_the_count_of_steps():
    """A model that answers again and again before it has used a tool is asked a last time when its steps are used up."""
    never = frozenset()
    limits = Limits(max_steps=3, min_tool_calls=2)
    script = Script((("go", never, never),), (says("{"),), (), "json", limits, ContextBounds(128_000), (), ())

    desk = in_memory(script)

    assert 5 == len(desk.bodies)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(QUICK, max_examples=5000, derandomize=False, phases=list(Phase))
@given(scripts())
def test_the_same_holds_for_thousands_of_conversations(script):
    """As above, with other scripts each time."""
    in_memory(script)


@settings(QUICK, max_examples=20)
@given(scripts(live=True))
def test_the_same_holds_over_real_http_and_the_log_tells_the_same(tmp_path_factory, script):
    """The scripted server refuses what the real API would, and the session is read back as the history."""
    trip, desk, ran = Trip(scale=0), Desk(script), Counter()
    watch = Watch(desk, trip)
    log = create(tmp_path_factory.mktemp("s"), model="m", host="h", mode="react", cwd="/")

    async def main(server):
        model = ChatModel(Endpoint(server.base_url, "", "scripted"), Timeouts(30, 30, 30, 30))
        agent = agent_for(script, model, trip, ran, time.monotonic)
        await played(script, agent, watch, ran, same_in_the_log)
        await model.aclose()

    def same_in_the_log(turn):
        assert load(log.path.parent, log.id).messages == turn.history

    watch.emit = tee(log.emit, watch.emit)
    with serve(forever(desk)) as server:
        asyncio.run(main(server))
    log.close()
    assert {CUT_OFF} >= set(server.problems)
