"""Decisions shown to a model as turns it took before: small models learn from nothing else.

Public: Example, EXAMPLES.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """
    One past turn.

    Args:
        calls: tool, its arguments, and what was observed, in order; all must be offered.
        action: what the turn ended with.
    """

    asked: str
    calls: tuple[tuple[str, Mapping[str, object], str], ...]
    final: str
    action: str = "finish"


EXAMPLES: tuple[Example, ...] = (
    Example("hi", (), "Hello! How can I help?"),
    Example(
        "What does todo.md say?",
        (("read_file", {"path": "todo.md"}, "todo.md: 2 lines\nbuy milk\nsell the car"),),
        "todo.md says: buy milk, sell the car.",
    ),
    Example(
        "Which file explains the colors?",
        (("grep_search", {"pattern": "color"}, "paint.txt:3: The colors: red means error"),),
        "paint.txt explains the colors: red means error.",
    ),
    Example("What is 12 plus 5?", (), "12 plus 5 is 17."),
    Example(
        "Where is the login text?",
        (
            ("grep_search", {"pattern": "login text"}, "no hits"),
            ("grep_search", {"pattern": "login"}, "web/start.html:3: <h1>login</h1>"),
        ),
        "In web/start.html, line 3.",
    ),
    Example(
        "List the files here",
        (("list_dir", {"path": "."}, "src/\nnet.py  310\nshape.py  95"),),
        "There are src, net.py and shape.py.",
    ),
    Example(
        "Where is the function area defined?",
        (("grep_search", {"pattern": "def area"}, "src/shape.py:12: def area(r):"),),
        "src/shape.py defines the function area in line 12.",
    ),
    Example(
        "Who made this? See AUTHORS",
        (("read_file", {"path": "AUTHORS"}, "AUTHORS: 1 lines\nAna Silva"),),
        "Ana Silva made it.",
    ),
    Example(
        "Are there yaml files?", (("glob", {"pattern": "**/*.yaml"}, "ci/build.yaml"),), "Yes, one: ci/build.yaml."
    ),
    Example(
        "What is this folder for?",
        (
            ("list_dir", {"path": "."}, "README.md  29\nnet.py  310"),
            ("read_file", {"path": "README.md"}, "README.md: 2 lines\n# Tea shop\nSells tea online."),
        ),
        "It is a tea shop that sells tea online.",
    ),
    Example("run `uptime`", (("run_shell", {"command": "uptime"}, "exit 0\nup 3 days"),), "It has been up for 3 days."),
    Example(
        "Make hello.txt with the text hi",
        (("write_file", {"path": "hello.txt", "content": "hi"}, "created hello.txt: 1 lines, 2 bytes"),),
        "I made hello.txt.",
    ),
    Example(
        "In colors.txt change red to blue",
        (
            ("read_file", {"path": "colors.txt"}, "colors.txt: 1 lines\nthe sky is red"),
            (
                "edit_file",
                {"path": "colors.txt", "old_text": "red", "new_text": "blue"},
                "-the sky is red\n+the sky is blue",
            ),
        ),
        "colors.txt says blue now.",
    ),
    Example(
        "what does plan.txt say",
        (("read_file", {"path": "plan.txt"}, "[TOOL_ERROR] plan.txt does not exist"),),
        "There is no file plan.txt here.",
    ),
    Example("Fix it", (), "What should I fix?", "ask_user"),
    Example("Which gas do plants take in?", (), "Plants take in carbon dioxide."),
)
