"""A task in a window that it does not fit into: what was done survives every summary, and nothing is done twice."""

from __future__ import annotations

import json
import re
from collections import Counter

from tests.scripted import Turn, calls, forever, says
from tests.tasks.player import lay_out, tasks

THOUGHT = " ".join(f"thought{number}" for number in range(560))  # about 1,700 tokens
DONE = re.compile(r"^- done: (.+)$", re.MULTILINE)
CALLED = re.compile(r"^\[call (\w+)\] (.+)$", re.MULTILINE)
HELPER = {"path": "shop/rates.py", "content": '"""Rates."""\n\nMOST = 90  # percent\n'}


class Forgetful:
    """A model that knows what a request tells it and nothing else: it takes the first step that is not done there."""

    def __init__(self, task):
        steps = [call for step in task.rounds for call in step.calls]
        self.plan = [*steps[:4], ("write_file", HELPER), *steps[4:]]
        self.final = task.final

    def __call__(self, body: dict) -> Turn:
        done = told(body["messages"])
        if not body.get("tools"):
            lines = "\n".join(f"- done: {step}" for step in done)
            return says(
                f"## Task\nThe discount.\n\n## State\n{lines}\n\n## Findings\n-\n\n## Next steps\nThe rest.", usage=None
            )
        left = [call for call in self.plan if signature(*call) not in done]
        return calls(left[0], text=f"Next. {THOUGHT}", usage=None) if left else says(self.final, usage=None)


def signature(name, given):
    """What a step is known by."""
    return f"{name} {given.get('path') or given.get('command')}"


def told(messages):
    """The steps that a request says are done: in its calls, in notes, in the material for notes."""
    found = []
    for message in messages:
        content = message["content"] or ""
        found += DONE.findall(content)
        found += [signature(name, json.loads(given)) for name, given in CALLED.findall(content)]
        for call in message.get("tool_calls", ()):
            found.append(signature(call["function"]["name"], json.loads(call["function"]["arguments"])))
    return list(dict.fromkeys(found))


def test_what_was_done_survives_three_summaries_and_is_done_once(cococat, scripted, home, tmp_path):
    """A window of 10,000 tokens: the question is in every request, no file is written twice, the tests pass."""
    (home / "config.toml").write_text("[model]\ncontext_window = 10000\nmax_output_tokens = 1500\n")
    task, root = tasks()["feature"], tmp_path / "project"
    lay_out(task, root)
    server = scripted(forever(Forgetful(task)))
    rules = [word for rule in (*task.allow, "write_file(shop/**)") for word in ("--allow", rule)]
    words = ["--base-url", server.base_url, "-m", "scripted", "--mode", "react", "--output-format", "stream-json"]

    ran = cococat("ask", *words, *rules, "--root", root, task.prompt, cwd=root)

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    ran_once = Counter(
        signature(one["name"], json.loads(one["arguments"])) for one in events if one["type"] == "tool_pending"
    )
    assert (0, task.final) == (ran.code, events[-1]["answer"]), ran.stderr
    assert 3 <= sum("summarised" in event["how"] for event in events if event["type"] == "context_compacted")
    assert {1} == set(ran_once.values()), ran_once
    assert 9 == len(ran_once)
    assert all(task.prompt in json.dumps(request["messages"]) for request in server.requests if request.get("tools"))
    assert task.is_done(root)
    assert HELPER["content"] == (root / HELPER["path"]).read_text()
