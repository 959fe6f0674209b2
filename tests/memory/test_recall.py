"""How well a dream remembers, by the half of the stories on which its rules were tuned."""

import pytest

from bench.stories import stories
from bench.story import play


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(story, id=story.name, marks=() if story.name == "nurse" else pytest.mark.slow)
        for story in stories()
    ],
)
def test_a_story_is_remembered_and_nothing_false_is(story, tmp_path):
    """Nineteen of twenty facts, no false line, nothing of a secret or of foreign text: `pytest -m slow` for all stories."""
    played = play(story, tmp_path / "memory")

    score = played.scores["tune"]
    assert 0.94 * score.facts <= score.remembered
    assert [] == score.false_kept
    assert [] == [line for line in score.forbidden_kept if "secret" in line or "pasted" in line]
