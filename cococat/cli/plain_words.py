"""The flags of `ask` and `chat` read by a table: importing Typer costs a quarter of the way to a prompt.

What is not plain, wrong words above all, is left to Typer, which reads it all again and explains it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from cococat.cli.conversing import Given

__all__ = ["FLAGS", "read_plain"]

TEXT, LIST, SWITCH = "text", "list", "switch"
FLAGS = {  # each as it is typed: the field of `Given`, and what it takes
    "--mode": ("mode", TEXT),
    "--model": ("model", TEXT),
    "-m": ("model", TEXT),
    "--base-url": ("base_url", TEXT),
    "--profile": ("profile", TEXT),
    "-P": ("profile", TEXT),
    "--system": ("system", TEXT),
    "-s": ("system", TEXT),
    "--file": ("file", LIST),
    "-f": ("file", LIST),
    "--continue": ("continue_", SWITCH),
    "-c": ("continue_", SWITCH),
    "--resume": ("resume", TEXT),
    "-r": ("resume", TEXT),
    "--fork": ("fork", SWITCH),
    "--root": ("root", TEXT),
    "--permission": ("permission", TEXT),
    "--allow": ("allow", LIST),
    "--option": ("option", LIST),
    "-o": ("option", LIST),
    "--trust": ("trust", SWITCH),
    "--no-tools": ("no_tools", SWITCH),
    "--no-dream": ("no_dream", SWITCH),
    "--no-session": ("no_session", SWITCH),
    "--no-stdin": ("no_stdin", SWITCH),
    "--max-steps": ("max_steps", TEXT),
    "--max-tokens": ("max_tokens", TEXT),
    "--max-seconds": ("max_seconds", TEXT),
    "--min-tool-calls": ("min_tool_calls", TEXT),
    "--output-format": ("output_format", TEXT),
    "--color": ("color", TEXT),
    "--quiet": ("quiet", SWITCH),
    "-q": ("quiet", SWITCH),
    "--verbose": ("verbose", SWITCH),
    "-v": ("verbose", SWITCH),
    "--config": ("config", TEXT),
}
_Found: TypeAlias = "dict[str, str | list[str] | bool]"


def read_plain(argv: Sequence[str]) -> tuple[list[str], Given] | None:
    """Return the prompt's words and what the flags of *argv* say; None where Typer has to read them."""
    words: list[str] = []
    found: _Found = {}
    rest = iter(argv)
    for word in rest:
        if word == "--":
            words.extend(rest)
        elif word == "-" or not word.startswith("-"):
            words.append(word)
        elif not _take(word, rest, found):
            return None
    return words, Given(**found)  # type: ignore[arg-type]  # a test holds the table to the fields


def _take(word: str, rest: Iterator[str], found: _Found) -> bool:
    """Add a flag, with the word behind it where it takes one, to *found*; False where it is not plain."""
    flag, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
    name, kind = FLAGS.get(flag, ("", ""))
    if not kind or (kind == SWITCH and sign):
        return False
    if kind == SWITCH:
        found[name] = True
        return True
    if not sign:
        value = next(rest, "-")
        if value.startswith("-"):  # a flag without its value, or a value that looks like one
            return False
    before = found.get(name, [])
    found[name] = [*before, value] if kind == LIST and isinstance(before, list) else value
    return True
