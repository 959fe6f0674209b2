"""What servers tell of the window they serve, and how it is kept."""

import pytest

from cococat.model.profile import MAX_AGE_S, Profile, load_profile, read, save_profile

LLAMA_CPP = {"data": [{"id": "m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}]}
OLLAMA = {"object": "list", "data": [{"id": "qwen3:8b", "owned_by": "library"}, {"id": "b", "owned_by": "library"}]}
LM_STUDIO = {
    "models": [{"key": "m", "max_context_length": 9, "loaded_instances": [{"config": {"context_length": 5000}}]}]
}
TOLD = {
    "vllm": ("/models", {"data": [{"id": "m", "max_model_len": 2048, "owned_by": "vllm"}]}, Profile(2048, "", "vLLM")),
    "openrouter": ("/models", {"data": [{"id": "a"}, {"id": "m", "context_length": 4096}]}, Profile(4096, "")),
    "llama.cpp": ("/models", LLAMA_CPP, Profile(0, "/props", "llama.cpp")),
    "llama.cpp, newer": (
        "/models",
        {"data": [{"id": "x", "meta": {"n_ctx": 1024, "n_ctx_train": 9}}]},
        Profile(1024, ""),
    ),
    "llama.cpp, props": ("/props", {"default_generation_settings": {"n_ctx": 1024}}, Profile(1024, "", "llama.cpp")),
    "ollama": ("/models", OLLAMA | {"data": [{"id": "m", "owned_by": "library"}]}, Profile(0, "/api/ps", "Ollama")),
    "ollama, loaded": ("/api/ps", {"models": [{"name": "m", "context_length": 4096}]}, Profile(4096, "", "Ollama")),
    "ollama, not loaded": ("/api/ps", {"models": []}, Profile(0, "/api/show", "Ollama")),
    "ollama, set": (
        "/api/show",
        {"parameters": "stop x\nnum_ctx    8192\n", "model_info": {"l.context_length": 1}},
        Profile(8192, "", "Ollama"),
    ),
    "ollama, not set": ("/api/show", {"model_info": {"llama.context_length": 131072}}, Profile(0, "", "Ollama")),
    "lm studio": ("/api/v1/models", LM_STUDIO, Profile(5000, "", "LM Studio")),
    "lm studio, not loaded": (
        "/api/v1/models",
        {"models": [{"key": "m", "loaded_instances": []}]},
        Profile(0, "/api/v0/models", "LM Studio"),
    ),
    "lm studio, older": (
        "/api/v0/models",
        {"data": [{"id": "m", "loaded_context_length": 6000}]},
        Profile(6000, "", "LM Studio"),
    ),
    "openai": ("/models", {"data": [{"id": "m", "owned_by": "system"}, {"id": "n"}]}, Profile(0, "")),
    "another model": ("/models", {"data": [{"id": "a", "max_model_len": 9}, {"id": "b"}]}, Profile(0, "")),
    "nonsense": ("/models", {"data": [{"id": "m", "max_model_len": "many", "meta": []}]}, Profile(0, "")),
    "no object": ("/props", [1], Profile(0, "", "llama.cpp")),
    "nothing": ("/api/v0/models", None, Profile(0, "", "LM Studio")),
}


@pytest.mark.parametrize("server", TOLD)
def test_the_window_is_the_one_that_is_served(server):
    """Not the one a model was trained with; what does not tell it says where to ask next."""
    question, said, profile = TOLD[server]

    assert profile == read(question, said, "m")


def test_what_was_found_is_kept_for_a_week_by_origin_and_model(tmp_path):
    """Private, and worth nothing when it is old or from the future."""
    save_profile(tmp_path / "cache", "http://h:8000/v1", "m", Profile(2048, ""), 1000)

    def window(url="http://h:8000/v1/", model="m", now=1000.0):
        return load_profile(tmp_path / "cache", url, model, now).window

    assert 2048 == window() == window(now=1000 + MAX_AGE_S - 1)
    assert [0, 0, 0, 0] == [
        window(now=1000 + MAX_AGE_S),
        window(now=900),
        window("http://i:8000/v1"),
        window(model="n"),
    ]
    assert 0o600 == (tmp_path / "cache" / "endpoints.json").stat().st_mode & 0o777


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"http://h:8000 m": 3}', '{"http://h:8000 m": {"window": -1}}'])
def test_a_damaged_profile_is_asked_for_again(tmp_path, damage):
    """It is a cache, and nothing more."""
    (tmp_path / "endpoints.json").write_text(damage)

    assert Profile() == load_profile(tmp_path, "http://h:8000/v1", "m", 0)


@pytest.mark.parametrize(("port", "question"), [(11434, "/api/ps"), (1234, "/api/v1/models"), (8000, "/models")])
def test_a_port_that_is_known_is_asked_in_its_own_way(tmp_path, port, question):
    """One question is enough, most of the time."""
    assert question == load_profile(tmp_path, f"http://127.0.0.1:{port}/v1", "m", 0).question
