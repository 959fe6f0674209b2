"""What an endpoint lists, and which servers run on this machine."""

import asyncio
import socket
import subprocess
import sys
import time

import pytest

from cococat.core.model import ProviderError
from cococat.model.catalog import LocalServer, ModelInfo, context_window, find_local, list_models
from cococat.model.client import Endpoint
from tests.scripted import serve


def test_models_are_listed_with_the_window_their_server_tells(scripted):
    """Every server has its own word for the size of the context."""
    models = [
        {"id": "b", "context_window": 1000},
        {"id": "a", "max_model_len": 2000},
        {"id": "c", "meta": {"n_ctx_train": 9000, "n_ctx": 3000}},
        {"id": "d", "context_length": "many", "meta": {"n_ctx_train": 9000}},
        {"name": "no id"},
    ]
    server = scripted(models=models[:4])

    listed = asyncio.run(list_models(Endpoint(server.base_url, "sk-x")))

    rows = [("a", 2000), ("b", 1000), ("c", 3000), ("d", 0)]
    assert [ModelInfo(name, size, "scripted") for name, size in rows] == listed


@pytest.mark.parametrize(("path", "kind"), [("/v2", "not_found"), ("/v1/", "")], ids=["wrong path", "slash at the end"])
def test_a_wrong_path_is_told(scripted, path, kind):
    """Errors are those of the client; a slash too many is none."""
    server = scripted()
    url = server.base_url.removesuffix("/v1") + path

    try:
        found = asyncio.run(list_models(Endpoint(url)))[0].name
    except ProviderError as error:
        found = error.problem.kind

    assert (kind or "scripted") == found


def test_nobody_at_home_is_an_error_of_the_connection():
    """The same text as for a request."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = Endpoint(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")

        with pytest.raises(ProviderError) as caught:
            asyncio.run(list_models(endpoint))

    assert "connection" == caught.value.problem.kind


@pytest.mark.parametrize(
    ("name", "info", "expected"),
    [
        ("gpt-4.1-mini", None, 1_047_576),
        ("gpt-4o-mini", None, 128_000),
        ("gpt-4-0613", None, 8_192),
        ("openai/gpt-5", None, 400_000),
        ("GPT-4o", None, 128_000),
        ("qwen3:8b", None, 40_960),
        ("who-knows", None, 32_768),
        ("", None, 32_768),
        ("gpt-4o", ModelInfo("gpt-4o", 5_000), 5_000),
        ("gpt-4o", ModelInfo("gpt-4o"), 128_000),
    ],
)
def test_the_window_is_what_the_server_says_or_what_is_known(name, info, expected):
    """The longest known prefix counts; an unknown model gets a careful size."""
    assert expected == context_window(name, info)


def test_the_first_server_in_order_of_preference_is_found():
    """Ports are tried side by side, and the order decides, not the speed."""
    with serve(models=["text-embedding-x", "qwen3:8b"]) as first, serve(models=["other"]) as second:
        ports = (("Nobody", unused_port()), ("Ollama", first.port), ("vLLM", second.port))

        found = asyncio.run(find_local(ports))

        assert LocalServer("Ollama", first.base_url, "qwen3:8b") == found


def test_a_server_without_a_model_is_passed_over():
    """An empty list is as good as no server."""
    with serve(models=[]) as empty, serve(models=["m"]) as full:
        found = asyncio.run(find_local((("Ollama", empty.port), ("vLLM", full.port))))

        assert ("vLLM", "m") == (found.kind, found.model)


def test_a_model_that_is_looked_for_is_the_only_one_that_will_do():
    """A server that has others is passed over; Ollama's tag `latest` need not be written."""
    with serve(models=["other"]) as first, serve(models=["x", "llama3.2:latest"]) as second:
        ports = (("Ollama", first.port), ("LM Studio", second.port))

        found = [asyncio.run(find_local(ports, name)) for name in ("x", "llama3.2", "llama")]

        assert [("LM Studio", "x"), ("LM Studio", "llama3.2"), None] == [one and (one.kind, one.model) for one in found]


def test_a_port_that_is_silent_or_speaks_nonsense_costs_a_fifth_of_a_second():
    """Whatever else listens there is not waited for."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ports = tuple((str(n), silent.getsockname()[1]) for n in range(40))
        began = time.monotonic()

        found = asyncio.run(find_local(ports))

        assert found is None
        assert time.monotonic() - began < 5  # one after the other takes eight


def test_looking_for_servers_loads_no_http_client():
    """It happens before the first prompt."""
    code = (
        "import asyncio, sys\n"
        "from cococat.model.catalog import find_local\n"
        "print(asyncio.run(find_local((('x', 9),))))\n"
        "print(*sys.modules)"
    )

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"openai", "httpx2", "httpx", "anyio"} & set(ended.stdout.split())
    assert ended.stdout.startswith("None\n")


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
