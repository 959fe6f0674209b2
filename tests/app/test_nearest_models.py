"""A wrong model name gives the names that come near."""

import json

import pytest

from cococat.app.endpoint.names import known_names
from cococat.config import find_folders
from tests.scripted import fault, says

WRONG = fault(404, "The model `qwen3:9b` does not exist", code="model_not_found")
MODELS = ("llama3.1:8b", "qwen3:8b", "qwen3:4b", "qwen2.5:7b", "qwen3-coder:30b", "nomic-embed-text")


def test_a_wrong_name_gives_the_three_nearest(cococat, scripted):
    """Each as a flag to paste, and nothing that looks quite different."""
    server = scripted(WRONG, models=MODELS)

    ran = cococat("ask", "--base-url", server.base_url, "-m", "qwen3:9b", "--output-format", "stream-json", "hi")

    *events, result = map(json.loads, ran.stdout.splitlines())
    nearest = "nearest: -m qwen3:8b, -m qwen3:4b, -m qwen2.5:7b; all: cococat models"
    assert (3, nearest) == (ran.code, result["error"]["hint"])
    assert nearest in [event.get("message") or event.get("text") for event in events if event["type"] == "notice"]


def test_where_nothing_comes_near_the_listing_is_named(cococat, scripted):
    """As before."""
    server = scripted(WRONG, says("unused"), models=("zzz",))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "qwen3:9b", "hi")

    assert 3 == ran.code
    assert "cococat models" in ran.stderr


def test_what_was_listed_is_known_to_menus(cococat, scripted, home):
    """`cococat models` keeps the names, privately; a menu reads them and asks nobody."""
    server = scripted(models=(*MODELS[1:], {"id": MODELS[0], "context_window": 8192}))
    folders = find_folders({"COCOCAT_HOME": str(home)})
    before = known_names(server.base_url, folders)

    ran = cococat("models", "--base-url", server.base_url)

    assert (0, ()) == (ran.code, before)
    assert "llama3.1:8b  8,192 tokens\n" in ran.stdout
    assert tuple(sorted(MODELS)) == known_names(server.base_url, folders)
    assert ["/v1/models"] == server.looked
    assert () == known_names("http://127.0.0.1:9/v1", folders)
    path = home / "cache" / "models.json"
    assert 0o600 == path.stat().st_mode & 0o777
    [(origin, kept)] = json.loads(path.read_text()).items()
    path.write_text(json.dumps({origin: {**kept, "at": kept["at"] - 8 * 24 * 3600}}))
    assert () == known_names(server.base_url, folders)


@pytest.mark.parametrize(
    ("owner", "told", "windows"),
    [
        ("library", {"/api/ps": {"models": [{"name": "a", "context_length": 8192}]}}, ["  8,192 tokens", ""]),
        ("library", {"/api/ps": {"models": []}, "/api/show": {"parameters": "num_ctx  2048"}}, ["  2,048 tokens"] * 2),
        (
            "organization_owner",
            {"/api/v1/models": {"models": [{"key": "b", "loaded_instances": [{"config": {"context_length": 4096}}]}]}},
            ["", "  4,096 tokens"],
        ),
        ("organization_owner", {"/api/v0/models": {"data": [{"id": "a", "loaded_context_length": 512}]}}, ["  512 tokens", ""]),
        ("llamacpp", {"/props": {"default_generation_settings": {"n_ctx": 1024}}}, ["  1,024 tokens"] * 2),
        ("somebody", {"/props": {"n_ctx": 1024}}, ["", ""]),
    ],
    ids=["Ollama, loaded", "Ollama, set", "LM Studio", "LM Studio, older", "llama.cpp", "others"],
)  # fmt: skip
def test_windows_are_listed_that_a_server_tells_elsewhere(cococat, scripted, owner, told, windows):
    """As `ask` asks for them, and with the same header; a path that tells of all models is asked once."""
    server = scripted(models=[{"id": name, "owned_by": owner} for name in "ab"])
    server.told |= told

    ran = cococat("models", "--base-url", server.base_url)

    assert "".join(f"{name}{window}\n" for name, window in zip("ab", windows, strict=True)) == ran.stdout
    assert len(server.looked) == len(set(server.looked)) or "/api/show" in server.looked
    assert {"Bearer none"} == set(server.authorized)


def test_an_empty_listing_is_told(cococat, scripted):
    """Nothing on stdout, and one line that says why."""
    ran = cococat("models", "--base-url", scripted(models=()).base_url)

    assert (0, "") == (ran.code, ran.stdout)
    assert "lists no models" in ran.stderr


def test_a_listing_is_asked_with_the_key_of_the_chat(cococat, scripted):
    """One header for both."""
    server = scripted(key="sk-test-0123456789", models=("m",))
    env = {"COCOCAT_BASE_URL": server.base_url, "COCOCAT_API_KEY": server.key}

    assert "m\n" == cococat("models", env=env).stdout
    assert [f"Bearer {server.key}"] == server.authorized
