"""LiteLLM's gateway in front of llama.cpp, as a team has it: `LITELLM=… python -m pytest -m slow tests/endpoints/test_litellm.py`."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cococat.model.embedded import available
from tests.endpoints.real import Real

LITELLM = os.environ.get("LITELLM") or shutil.which("litellm") or ""
KEY = "sk-gateway-0123456789abcdef"
START_S = 150.0
CONFIG = """
model_list:
  - model_name: qwen-small
    litellm_params: {{model: openai/qwen-small, api_base: {base_url}, api_key: {key}}}
general_settings: {{master_key: {own}}}
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}"),
    pytest.mark.skipif(not LITELLM, reason="needs the package litellm[proxy], or its command in LITELLM"),
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def gateway(llama_cpp, tmp_path_factory) -> Iterator[Real]:
    """LiteLLM with a key of its own; that of the server behind it is not the user's."""
    behind, folder = llama_cpp(8192), tmp_path_factory.mktemp("litellm")
    (folder / "config.yaml").write_text(CONFIG.format(base_url=behind.base_url, key=behind.key, own=KEY))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [LITELLM, "--config", str(folder / "config.yaml"), "--host", "127.0.0.1", "--port", str(port)]
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _wait(f"http://127.0.0.1:{port}/health/liveliness", process)
        yield Real(f"http://127.0.0.1:{port}/v1", KEY)
        process.kill()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    process.kill()
    pytest.fail("LiteLLM did not start")


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
