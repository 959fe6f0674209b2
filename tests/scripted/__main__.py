"""Serve an endless demonstration by hand: `python -m tests.scripted --port 8080 [--turn TEXT]...`."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from tests.scripted.server import serve
from tests.scripted.turns import Turn, calls, forever, says

ANSWER = """## A scripted answer

Nothing here was thought up: the **server** plays a *script*.

1. `list_dir` was called when tools were offered.
2. The rest is text:

```python
print("hello")
```
"""


def _demo(texts: list[str]) -> Any:
    rest = list(texts)

    def turn(body: dict[str, Any]) -> Turn:
        if body.get("tools") and body["messages"][-1]["role"] == "user":
            return calls(("list_dir", {"path": "."}), text="Let me look around first.")
        text = rest.pop(0) if rest else ANSWER
        return says(*(part for word in text.split(" ") for part in (word + " ", 0.02)))

    return turn


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--turn", action="append", default=[], help="text of one answer; repeatable")
    options = parser.parse_args()
    with serve(forever(_demo(options.turn)), port=options.port) as server:
        print(server.base_url, flush=True)  # noqa: T201 - this is a program
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
