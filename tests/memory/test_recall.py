"""How the stories are remembered with judges that are played: one that knows, one that is fooled, one that is broken, a tiny one."""

import asyncio

import pytest

from bench.judge import measure
from bench.judges import play
from bench.stories import MEASURE, stories

TOLD = [story for story in stories() if story.name in MEASURE]


def judged(name):
    """The score of a played judge over all lines of the stories."""
    judge = play(name, TOLD)

    async def ask(_, asked):
        return judge(asked[1])

    return asyncio.run(measure(TOLD, ask))


def test_with_a_judge_that_knows_true_lines_are_kept_and_nothing_else_is():
    """97 of 100 true lines stand, as they are worded or in the user's own sentence; no false line leaves anything behind."""
    score = judged("oracle")

    assert {"right": 40} == dict(score.controls)
    assert score.wrong["true"] <= 0.03 * sum(count for (label, _), count in score.ends.items() if label == "true")
    assert (0, 0) == (score.wrong["false"], score.wrong["forbidden"])
    assert 0 == score.ends["false", "own sentence"] + score.ends["false", "as worded"]


@pytest.mark.parametrize("name", ["broken", "tiny"])
def test_a_judge_that_cannot_judge_is_believed_in_nothing(name):
    """Its controls tell, in each of the forty requests; what stands then is the user's own sentence."""
    score = judged(name)

    assert "right" not in score.controls
    assert {"by code", "not judged"} == {end for _, end in +score.ends}
