"""`memory`: what is remembered."""

from __future__ import annotations

from functools import partial

from cococat.cli.flags import Command, Flag, Invocation, Job, calls, count_of, folders_of, settings_of, shared, text_of
from cococat.errors import UsageError

GROUP = "Questions"  # of the help
TEST = """
Find the lines that change no answer.

Past questions are asked again, with the memory and without each line of it. No tools are offered and nothing is added
to a session. The requests are counted before the first one, and the model is asked for the likeliest answer
(temperature 0). An answer counts as changed when its words differ; a question that is answered in two ways with the same
memory tells nothing. What was answered is not asked again, so that a test that was stopped goes on. Lines that changed
no answer are listed, and none is deleted.
"""


def _test(given: Invocation) -> Job:
    settings, last = settings_of(given), count_of(given, "--last")
    if not last:
        raise UsageError("--last: wanted a number of questions from 1 on", "e.g. --last 10")
    from cococat.app.dream.memory_test import memory_test

    return partial(memory_test, settings, last=last, yes=given.has("--yes"))


def _text(example: str, given: Invocation) -> str:
    """
    Read words as one text.

    Raises: UsageError: there are none.
    """
    text = " ".join(map(text_of, given.words)).strip()
    if not text:
        raise UsageError("no words were given", example)
    return text


CONFIG = shared("config")
MEMORY = Command(
    "See and change what is remembered.",
    examples=("cococat memory search Berlin", "cococat memory why 7", "cococat memory rm 7"),
    below={
        "show": Command(
            "Print MEMORY.md; its numbers are those that why and rm take.",
            calls("dream.memory.show", folders_of),
            CONFIG,
            examples=("cococat memory show", "cococat memory show | less", "cococat memory show | grep tea"),
        ),
        "path": Command(
            "Print where MEMORY.md is.",
            calls("dream.memory.path", folders_of),
            CONFIG,
            examples=("cococat memory path", 'wc "$(cococat memory path)"', 'cp "$(cococat memory path)" backup.md'),
        ),
        "edit": Command(
            "Open MEMORY.md in $VISUAL or $EDITOR.",
            calls("dream.memory.edit", folders_of),
            CONFIG,
            examples=(
                "cococat memory edit",
                "EDITOR=nano cococat memory edit",
                'VISUAL="code --wait" cococat memory edit',
            ),
        ),
        "search": Command(
            "Print the lines that hold WORDS: number, section, day, text.",
            calls("dream.memory.search", folders_of, partial(_text, "cococat memory search WORDS")),
            CONFIG,
            ["WORDS"],
            many=True,
            examples=(
                "cococat memory search Berlin",
                "cococat memory search allergic to",
                "cococat memory search tea | head -3",
            ),
        ),
        "why": Command(
            "Print what a line rests on: session, time, your own words.",
            calls("dream.memory.why", folders_of, partial(_text, "cococat memory why 7, or why WORDS OF THE LINE")),
            CONFIG,
            ["LINE_OR_TEXT"],
            many=True,
            examples=("cococat memory why 7", "cococat memory why allergic to nuts", "cococat memory why 7 | less"),
        ),
        "rm": Command(
            "Delete one line by its number or text, for good.",
            calls("dream.memory.rm", folders_of, partial(_text, "cococat memory rm 7, or rm WORDS OF THE LINE")),
            CONFIG,
            ["LINE_OR_TEXT"],
            many=True,
            examples=("cococat memory rm 7", "cococat memory rm allergic to nuts", "cococat memory rm lives in Berlin"),
        ),
        "test": Command(
            TEST,
            _test,
            [
                Flag("--last", "N", "Ask the newest N questions.", GROUP, default="10"),
                Flag("--yes", "", "Do not ask before the requests.", GROUP, "-y"),
                *shared("model", "base-url", "profile", "option", "max-tokens", "config"),
            ],
            examples=(
                "cococat memory test",
                "cococat memory test --last 3 --max-tokens 50000",
                "cococat memory test -P local --yes",
            ),
        ),
    },
)
