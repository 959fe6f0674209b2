"""A wrong model name gives the names that come near."""

import json

from cococat.app.model_names import known_names
from cococat.config import folders
from cococat.config.resolve import resolve
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
    settings = resolve({"model": {"base_url": server.base_url}}, {}, {})
    places = folders({"COCOCAT_HOME": str(home)})
    before = known_names(settings, places)

    ran = cococat("models", "--base-url", server.base_url)

    assert (0, ()) == (ran.code, before)
    assert "llama3.1:8b  8,192 tokens\n" in ran.stdout
    assert tuple(sorted(MODELS)) == known_names(settings, places)
    assert ["/v1/models"] == server.looked
    assert () == known_names(resolve({"model": {"base_url": "http://127.0.0.1:9/v1"}}, {}, {}), places)
    path = home / "cache" / "models.json"
    assert 0o600 == path.stat().st_mode & 0o777
    [(origin, kept)] = json.loads(path.read_text()).items()
    path.write_text(json.dumps({origin: {**kept, "at": kept["at"] - 8 * 24 * 3600}}))
    assert () == known_names(settings, places)
