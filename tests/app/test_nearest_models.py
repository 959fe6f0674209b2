"""A wrong model name gives the names that come near."""

from tests.scripted import fault, says

WRONG = fault(404, "The model `qwen3:9b` does not exist", code="model_not_found")
MODELS = ("llama3.1:8b", "qwen3:8b", "qwen3:4b", "qwen2.5:7b", "nomic-embed-text")


def test_a_wrong_name_gives_the_three_nearest(cococat, scripted):
    """Each as a flag to paste, and nothing that looks quite different."""
    server = scripted(WRONG, models=MODELS)

    ran = cococat("ask", "--base-url", server.base_url, "-m", "qwen3:9b", "hi")

    assert 3 == ran.code
    assert "-m qwen3:8b, -m qwen3:4b, -m qwen2.5:7b" in " ".join(ran.stderr.split())
    assert "nomic" not in ran.stderr


def test_where_nothing_comes_near_the_listing_is_named(cococat, scripted):
    """As before."""
    server = scripted(WRONG, says("unused"), models=("zzz",))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "qwen3:9b", "hi")

    assert 3 == ran.code
    assert "cococat models" in ran.stderr
