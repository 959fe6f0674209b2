"""Token counts: right, offline, and never in the way."""

import hashlib
import os
import stat
import subprocess
import sys
import time

import pytest

from cococat.core.agent import estimate_tokens
from cococat.model.tokens import count, encoding_name


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """One cache for all tests of this file: unpacking takes a moment."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize(
    ("text", "model", "expected"),
    [
        ("", "", 0),
        ("hello world", "gpt-4.1-mini", 2),
        ("hello world", "gpt-4", 2),
        ("<|endoftext|>", "gpt-4o", 7),
        ("\ud800", "", 1),
        ("日本語", "gpt-4o", 2),
    ],
)
def test_counts_are_those_of_the_models(folder, text, model, expected):
    """Special tokens are plain text, and surrogates are no error."""
    assert expected == count(text, model, folder=folder)


def test_the_vocabulary_is_the_one_tiktoken_wants(folder):
    """The unpacked file has the digest that tiktoken checks, so that it never downloads."""
    count("x", folder=folder)

    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "tiktoken").iterdir()}

    expected = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    assert expected == files["fb374d419588a4632f3f557e76b4b70aebbca790"]


@pytest.mark.parametrize(
    "text", ["a" * 500_000, " " * 1_000_000 + "x", "word " * 100_000], ids=["word", "blanks", "words"]
)
def test_no_text_takes_long(folder, text):
    """One endless word costs no more than many, and endless blanks do not crash the tokenizer."""
    count("x", folder=folder)
    began = time.process_time()

    tokens = count(text, folder=folder)

    assert tokens > 0
    assert time.process_time() - began < 2


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path):
    """The count is the same, only slower."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    assert 2 == count("hello world", folder=blocked)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permissions of POSIX systems, nor a umask")
def test_every_folder_that_is_made_for_the_vocabulary_is_its_owners_alone(tmp_path):
    """Also the home that the cache is the first to need, whatever the umask allows."""
    before = os.umask(0o022)
    try:
        count("x", folder=tmp_path / "home" / "cache")
    finally:
        os.umask(before)

    made = [path for path in (tmp_path / "home", *(tmp_path / "home").rglob("*")) if path.is_dir()]
    assert (3, {0o700}) == (len(made), {stat.S_IMODE(path.stat().st_mode) for path in made})


def test_a_spoilt_cache_is_fixed_without_the_network(tmp_path):
    """A wrong file is replaced by ours, not downloaded."""
    spoilt = tmp_path / "tiktoken" / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    spoilt.parent.mkdir()
    spoilt.write_bytes(b"rubbish")

    tokens = count("hello world", "gpt-4", folder=tmp_path)

    assert (2, [spoilt]) == (tokens, list(spoilt.parent.iterdir()))
    assert len(spoilt.read_bytes()) > 1_000_000


def test_counting_opens_no_connection(tmp_path):
    """Offline means that no socket is made."""
    code = (
        "import sys, pathlib\n"
        "sys.addaudithook(lambda event, args: sys.exit('network') if event.startswith('socket.') else None)\n"
        "from cococat.model.tokens import count\n"
        "print(count('hello world', folder=pathlib.Path(sys.argv[1])))"
    )

    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)

    assert (0, "2\n") == (ended.returncode, ended.stdout)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("openai/gpt-3.5-turbo", "cl100k_base"),
        ("gpt-4o", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("qwen3:8b", "o200k_base"),
    ],
)
def test_each_model_has_its_vocabulary(model, expected):
    """Unknown models use the newest."""
    assert expected == encoding_name(model)


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("abcd", 1), ("abcde", 2), ("日本", 2), ("\ud800", 1)])
def test_an_estimate_is_a_quarter_of_the_bytes(text, expected):
    """Bytes, so that scripts with more bytes to a letter count for more."""
    assert expected == estimate_tokens(text)
