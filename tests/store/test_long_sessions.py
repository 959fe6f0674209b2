"""A session that went on for days: it is resumed and listed without reading or holding more than it needs."""

from __future__ import annotations

import json
import time
import tracemalloc

import pytest

from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.store.codec import message_to_json
from cococat.store.ids import new_id
from cococat.store.listing import list_sessions
from cococat.store.record import encode
from cococat.store.sessions import resume

pytestmark = pytest.mark.slow
ROUNDS = 4000
OUTPUT = "x" * 2000


@pytest.fixture
def long_log(tmp_path):
    """A log of some 20,000 records and 27 MB: calls, their output as it came, their results."""
    path = tmp_path / f"{new_id(1.7e9)}.jsonl"
    bodies = [{"type": "message", "message": message_to_json(User("begin"))}]
    for number in range(ROUNDS):
        call = ToolCall(f"c{number}", "run_shell", "{}")
        bodies += [
            {"type": "message", "message": message_to_json(Assistant("next", calls=(call,)))},
            {"type": "tool_running", "call_id": call.id, "name": call.name, "at": 0.0},
            {"type": "tool_output", "call_id": call.id, "text": OUTPUT},
            {"type": "tool_completed", "call_id": call.id, "name": call.name, "output": OUTPUT},
            {"type": "message", "message": message_to_json(ToolResult(call.id, call.name, OUTPUT))},
            {"type": "turn_finished", "turn": number + 1, "model": "m"},
        ]
    with path.open("wb") as log:
        log.writelines(encode(seq, 1.7e9 + seq, body) for seq, body in enumerate(bodies, 1))
    return path


def test_a_long_session_is_resumed_in_the_time_of_a_few_plain_readings(long_log):
    """Measured against json.loads of every line, in CPU time of this process."""
    began = time.process_time()
    with long_log.open("rb") as stream:
        records = sum(bool(json.loads(line)) for line in stream)
    floor, began = time.process_time() - began, time.process_time()

    log, messages, notes = resume(long_log.parent, long_log.stem)

    spent = time.process_time() - began
    log.close()
    assert (6 * ROUNDS + 1, 2 * ROUNDS + 1, ()) == (records, len(messages), notes)
    assert spent < 5 * floor


def test_a_long_session_takes_the_memory_of_its_messages(long_log):
    """What else the log holds is passed over line by line; a list reads its ends alone."""
    tracemalloc.start()
    (info,) = list_sessions(long_log.parent)
    _, listed = tracemalloc.get_traced_memory()
    log, messages, _ = resume(long_log.parent, long_log.stem)
    _, resumed = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    log.close()

    assert (ROUNDS, "begin") == (info.turns, info.title)
    assert listed < 2_000_000
    assert resumed < 2 * ROUNDS * (len(OUTPUT) + 1000)
    assert 2 * ROUNDS + 1 == len(messages)
