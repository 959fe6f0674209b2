"""What has room is not counted."""

import pytest

from cococat.memory.dream.plan import fits_budget
from cococat.model.tokens import count


def never(text):
    """A vocabulary that must not be loaded."""
    raise AssertionError(f"counted {text!r}")


@pytest.mark.parametrize("text", ["", "word", "日", "\ud800abc"], ids=["nothing", "word", "wide", "surrogate"])
def test_what_has_as_many_bytes_as_the_limit_tokens_is_not_counted(text):
    """No vocabulary is loaded for it."""
    assert fits_budget(text, 4, never)


@pytest.mark.parametrize(("limit", "fits"), [(1, False), (2, True)])
def test_what_has_more_bytes_is_counted(limit, fits):
    """The limit is one of tokens."""
    assert fits == fits_budget("hello world", limit, lambda text: len(text.split()))


@pytest.mark.parametrize(
    "text", ["a", "\x00\x01", "日本語", "🏳️‍🌈", "ÿ" * 50, "\u0600\u200b\ufeff", "   \n\n\t"], ids=ascii
)
def test_no_text_has_more_tokens_than_bytes(text, tmp_path):
    """Whatever its script, in either vocabulary."""
    assert count(text, folder=tmp_path) <= len(text.encode())
    assert count(text, "gpt-4", folder=tmp_path) <= len(text.encode())
