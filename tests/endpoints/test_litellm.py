"""LiteLLM's gateway in front of llama.cpp, as a team has it: `LITELLM=… python -m pytest -m slow tests/endpoints/test_litellm.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cococat.model.embedded import available
from tests.endpoints.gateway import LITELLM, litellm
from tests.endpoints.real import Real
from tests.endpoints.recorded import recorded
from tests.endpoints.table import real_cells

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}"),
    pytest.mark.skipif(not LITELLM, reason="needs the package litellm[proxy], or its command in LITELLM"),
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def gateways(llama_cpp, tmp_path_factory) -> Iterator[tuple[Real, Real]]:
    """LiteLLM in front of a large and a small window."""
    with litellm(tmp_path_factory.mktemp("litellm"), llama_cpp(8192), llama_cpp(1024)) as both:
        yield both


@pytest.fixture
def gateway(gateways) -> Real:
    """LiteLLM with a key of its own; that of the server behind it is not the user's."""
    return gateways[0]


def test_a_question_through_the_gateway_is_answered(gateway, real):
    """Streamed, with usage."""
    ran = real(gateway, "ask", "--no-tools", "Say hello.")

    assert 0 == ran.code, ran.stderr
    assert ran.stdout.strip()


def test_the_wrong_key_is_said_as_that(gateway, real):
    """LiteLLM without a database answers 400 about its database."""
    ran = real(gateway, "ask", "hi", env={"COCOCAT_API_KEY": "sk-wrong-0123456789abcdef"})

    assert 3 == ran.code
    assert "OPENAI_API_KEY" in ran.stderr


def test_a_wrong_name_is_said_with_what_there_is(gateway, real):
    """The gateway knows its names."""
    ran = real(gateway, "ask", "--no-tools", "-m", "qwen-smal", "hi")

    assert 3 == ran.code
    assert "qwen-small" in ran.stderr


def test_a_file_is_read_through_the_gateway(gateway, real, tmp_path: Path):
    """By JSON decisions: the schema is passed on."""
    (tmp_path / "harbour.txt").write_text("The boat leaves at noon.\n")
    env = {"COCOCAT_MODEL_PROTOCOL": "json", "COCOCAT_MODEL_CONTEXT_WINDOW": "8192"}

    ran = real(gateway, "ask", "--mode", "react", "--max-steps", "3", "What does harbour.txt say?", env=env)

    assert "read_file" in ran.stderr
    assert "noon" in ran.stdout


def test_the_row_of_the_page_is_what_the_gateway_does(gateways):
    """real.json, from which docs/endpoints.md is written, is what LiteLLM does today."""
    assert recorded()["LiteLLM"] == real_cells(*gateways), "python -m tests.endpoints.table --real > docs/endpoints.md"
