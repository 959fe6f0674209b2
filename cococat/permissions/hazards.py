"""What no wildcard covers: options that make a harmless program run another one or write, and wide removals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cococat.permissions.paths import inside, sensitive_word
from cococat.permissions.shell_split import WRAPPERS, Segment, program

__all__ = ["removal", "risky_word"]

_REMOVERS = frozenset({"rm", "shred", "unlink", "rmdir"})
_MOVERS = frozenset({"cd", "pushd", "popd"})


@dataclass(frozen=True, slots=True)
class _Options:
    """Options of one program: letters of short ones, names of long ones, and whole words as an expression."""

    short: str = ""
    long: tuple[str, ...] = ()
    words: str = ""
    leading: bool = False  # they count only before the first word that is no option


_INTERPRETER = _Options("ceEprn", ("eval", "print", "require"), leading=True)
_EDITOR = _Options("cesS", ("cmd", "eval", "execute"), r"\+.*")
_AWK = _Options("filE", ("file", "include", "load", "exec", "source"), r".*(system|getline|[|>@]).*")
_TABLE: Mapping[str, _Options] = {
    "git": _Options(
        "cOx",
        (
            *("exec-path", "config-env", "git-dir", "work-tree", "open-files-in-pager", "ext-diff", "textconv"),
            *("upload-pack", "receive-pack", "output", "exec", "template", "config", "extcmd"),
        ),
        r"(config|bisect|submodule|filter-branch|daemon|difftool|mergetool|web--browse|help|ext::.*)",
    ),
    "find": _Options(words=r"-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)"),
    "fd": _Options("xX", ("exec", "exec-batch")),
    "fdfind": _Options("xX", ("exec", "exec-batch")),
    "sed": _Options(
        "if", ("in-place", "file"), r"[\d,$~+!\s]*[ewWrR].*|.*[;{}\n].*|.*[/!$\d]\s*[ewWrRmM].*|s.*[ew]\w*"
    ),
    "awk": _AWK,
    "gawk": _AWK,
    "mawk": _AWK,
    "rg": _Options(long=("pre", "hostname-bin")),
    "sort": _Options("oT", ("output", "compress-program", "temporary-directory")),
    "tar": _Options(
        "IF",
        (
            *("to-command", "use-compress-program", "checkpoint-action", "info-script", "new-volume-script"),
            *("rsh-command", "rmt-command"),
        ),
    ),
    "man": _Options("PHC", ("pager", "html", "config-file", "browser")),
    "file": _Options("mC", ("magic-file", "compile")),
    "curl": _Options(
        "oOKTdF", ("output", "remote-name", "config", "upload-file", "data", "form", "json", "output-dir", "netrc-file")
    ),
    "wget": _Options(
        "OoaPie", ("output-document", "output-file", "execute", "post-file", "post-data", "body-file", "use-askpass")
    ),
    "rsync": _Options("e", ("rsh", "rsync-path")),
    "scp": _Options("SoF"),
    "sftp": _Options("SoFb"),
    "zip": _Options("T", ("unzip-command",)),
    "split": _Options(long=("filter",)),
    "tree": _Options("o"),
    "yq": _Options("i", ("inplace",)),
    "gcc": _Options("o", words=r"-wrapper|-fplugin=.*|@.*|-specs=.*"),
    "date": _Options("s", ("set",)),
    "less": _Options("oOk", ("log-file", "LOG-FILE", "lesskey-file"), r"\+.*"),
    **dict.fromkeys(("python", "python3", "perl", "ruby", "node", "php", "lua", "deno", "bun"), _INTERPRETER),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "emacs", "ed"), _EDITOR),
}


def risky_word(argv: Sequence[str], place: int) -> bool:
    """
    Return whether a wildcard must not stand for word *place* of *argv*.

    True for every word after a program whose business is to run others, for options that make a
    program run another one or write a file, and for paths that are secret or protected.
    """
    name, word = program(argv[0]), argv[place]
    if name in WRAPPERS or sensitive_word(word):
        return True
    options = _TABLE.get(name)
    if options is None or (options.leading and not all(_is_option(before) for before in argv[1:place])):
        return False
    return _is_risky(options, word)


def removal(segments: Sequence[Segment], root: Path) -> str:
    """
    Return why a command removes too much to be routine; empty when it does not.

    Args:
        segments: every command that may run, as `shell_split.segments` gives them.
        root: resolved.
    Source: docs/reliability.md, S7.
    """
    removals = [segment for segment in segments if program(segment[0].text) in _REMOVERS]
    if removals and any(program(segment[0].text) in _MOVERS for segment in segments):
        return "it changes the folder and removes files"
    for segment in removals:
        for word in segment[1:]:
            if not word.text.startswith("-") and (why := _too_wide(word.text, root, fixed=word.fixed)):
                return why
    return ""


def _too_wide(text: str, root: Path, *, fixed: bool) -> str:
    if not fixed and re.search(r"[$~{]", text):
        return f"what it removes is not known before it runs ({text})"
    stem = text if fixed else re.split(r"[*?\[]", text, maxsplit=1)[0].rpartition("/")[0]
    parts = inside(root, stem) if fixed or not text.startswith("/") or stem else None
    if parts is None:
        return f"it removes files outside the folder ({text})"
    if not parts:
        return f"it removes the whole folder ({text})"
    return ""


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-m"


def _is_risky(options: _Options, word: str) -> bool:
    if options.words and re.fullmatch(options.words, word, re.DOTALL):
        return True
    if word.startswith("--"):
        name = word[2:].partition("=")[0]
        # abbreviations count, and so do the longer relatives of a name
        return bool(name) and any(long.startswith(name) or name.startswith(f"{long}-") for long in options.long)
    return word.startswith("-") and any(letter in options.short for letter in word[1:])
