"""LiteLLM's gateway in front of llama.cpp, as a team has it; LITELLM names its command."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.endpoints.real import Real

__all__ = ["LITELLM", "litellm"]

LITELLM = os.environ.get("LITELLM") or shutil.which("litellm") or ""
KEY = "sk-gateway-0123456789abcdef"
START_S = 150.0
MODEL = """
  - model_name: {name}
    litellm_params: {{model: openai/qwen-small, api_base: {server.base_url}, api_key: {server.key}}}"""


@contextmanager
def litellm(folder: Path, big: Real, small: Real) -> Iterator[tuple[Real, Real]]:
    """Run it with a key of its own, in front of *big* and *small*; the keys behind it are not the user's."""
    models = "".join(MODEL.format(name=name, server=one) for name, one in (("qwen-small", big), ("qwen-tiny", small)))
    (folder / "config.yaml").write_text(f"model_list:{models}\ngeneral_settings: {{master_key: {KEY}}}\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [LITELLM, "--config", str(folder / "config.yaml"), "--host", "127.0.0.1", "--port", str(port)]
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health/liveliness", process)
            wide = Real(f"http://127.0.0.1:{port}/v1", KEY)
            yield wide, replace(wide, model="qwen-tiny")
        finally:
            process.kill()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError("LiteLLM did not start")
