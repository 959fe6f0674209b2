"""What `auto` runs without a question: commands that are proven to read files below the folder, and to show no secret."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cococat.permissions.hazards import only_reads
from cococat.permissions.paths import Parts, inside, sensitive_word
from cococat.permissions.reading import READERS
from cococat.permissions.shell_split import program
from cococat.system.below import read_below
from cococat.system.git_state import git_settings, is_repository

# ruff: noqa: SIM905 - long lists of words read better as a text

Words: TypeAlias = tuple[str, ...]
MAX_BYTES = 1 << 20  # of a file that is looked through for secrets
MAX_FILES = 20_000  # of a folder that is searched
MAX_SEARCHED = 2 << 20  # bytes of a folder that are looked through for secrets before it is searched: about a second
# they show the lines that they are fed whole and from the first on, so that a secret in them is still seen
_WHOLE = frozenset(("head", "cat", "wc"))
_PASSING = _WHOLE | {"tail", "sort", "uniq"}
_NAMES = frozenset(("ls", "find", "tree", "du", "stat", "file", "which", "basename", "dirname", "pwd", "echo"))
_SEARCHING = frozenset(("rg",))
_GREPS = frozenset(("grep", "egrep", "fgrep"))
_GIT = frozenset(  # what asks no other program as long as the repository's settings do not
    "status log diff show branch rev-parse blame ls-files describe shortlog tag remote".split()
)
_TOLD = re.compile(  # what `git log` may be told where others take its lines apart: it shows no content
    r"(?!-)|-n?\d*$|--(oneline|graph|all|decorate|stat|shortstat|name-only|name-status|reverse|merges|no-merges|first-parent)$"
    r"|--(since|until|author|grep|max-count)="
)
_SHOWING = frozenset(("show", "diff", "blame", "log", "shortlog"))
_REFUSED: Mapping[str, re.Pattern[str]] = {  # links followed, names read from a file, answers about what is masked
    "ls": re.compile("-[^-]*[LH]|--deref"),
    "du": re.compile("-[^-]*[LHD]|--deref"),
    "find": re.compile("-[LH]|-follow|-fprint|-fls"),
    "file": re.compile("-[^-]*[fpsz]|--(files-from|preserve|special)"),
    "tree": re.compile("(?!-[adfhpsuDFCL]$|--(dirsfirst|noreport|gitignore|du|si)$)-"),  # it reads clusters its own way
    "head": re.compile("-[^-]*c|--bytes"),
    "tail": re.compile("-[^-]*[cfF]|--(bytes|follow|retry|pid)"),
    "rg": re.compile("-[^-]*[LoruUz.]|--(follow|only-matching|replace|hidden|no-ignore|unrestricted|search-zip|pre)"),
    "git": re.compile(
        "-[SGL]|--(word-diff|color-words|pickaxe|stdin|ext-diff|textconv|output|no-index|exec-path|git-dir)"
    ),
    "diff": re.compile("-[^-]*r|--recursive"),
    **dict.fromkeys(_GREPS, re.compile("-[^-]*[Rf]|--(dereference-recursive|file)")),
    **dict.fromkeys(
        ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"),
        re.compile("-[^-]*c|--check"),
    ),
}
_RECURSIVE = re.compile("-[^-]*r|--recursive")
_PRINTED_LINES = re.compile(r"\d+(,(\d+|\$))?p")  # the one script of sed that is read
_BEYOND = re.compile(r"\b(import|include|inputs?|input_filename|input_line_number|env|get_search_list)\b|\$ENV|\$__")
_TELLS_VERSION = frozenset(
    "python python3 perl ruby node php lua git gcc g++ clang make cmake java docker pip pip3 jq rg bash tar curl".split()
)
_KERNEL = (("proc",), ("sys",), ("dev",))
_PLAIN_SETTINGS = re.compile(  # of a repository: none of these names a program or another file
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)"
    r"|(remote|branch)\..*|user\.(name|email)|init\.defaultbranch|(pull|push|merge|rebase|fetch)\.[\w.]+"
    r"|extensions\.objectformat"
)


@dataclass(frozen=True, slots=True)
class Sight:
    """
    What a command may read.

    Args:
        root: the folder, resolved.
        readable: of a word that may be a path, whatever it is to the program.
        hidden: of a path below the root: nobody may read it unasked.
        clean: of a text: no secret is found in it.
    """

    root: Path
    readable: Callable[[str], bool]
    hidden: Callable[[Parts], bool]
    clean: Callable[[str], bool]


def reads_unasked(argv: Words, line: Sequence[Words], bases: Sequence[str], sight: Sight) -> bool:
    """
    Return whether *argv* is proven to read nothing but what *sight* allows, and to show it as it is.

    Args:
        line: all commands that it stands among.
        bases: the folders below the root that it may run in.
    """
    name = argv[0]
    if "/" in name.removeprefix("/usr").removeprefix("/bin/") or _is_of_the_folder(program(name), sight.root):
        return False
    name = program(name)
    if len(argv) == 2 and argv[1] in ("--version", "-V"):  # noqa: PLR2004 - the program and the wish
        return name in _TELLS_VERSION
    refused = _REFUSED.get(name)
    if name not in READERS or not only_reads(argv) or (refused and any(map(refused.match, argv[1:]))):
        return False
    if not all(_may_be_named(word, bases, sight) for word in argv[1:]):
        return False
    if name not in _WHOLE | _NAMES | {"git"} and any(map(_shows_history, line)):
        return False
    if name == "git":
        return bases == [""] and argv[1:2] != () and argv[1] in _GIT and _has_plain_settings(sight.root)
    if name == "sed":
        return (
            argv[1:2] == ("-n",)
            and bool(_PRINTED_LINES.fullmatch("".join(argv[2:3])))
            and _are_clean(argv[3:], bases, sight)
        )
    if name == "jq":
        filters = [word for word in argv[1:] if not word.startswith("-")][:1]
        return bool(filters) and not _BEYOND.search(filters[0]) and _are_clean(argv[1:], bases, sight)
    if name in _SEARCHING or (name in _GREPS and any(map(_RECURSIVE.match, argv[1:]))):
        return _hides_nothing(argv[1:], bases, sight, dotted=name not in _SEARCHING)
    # of a folder `diff` opens what lies there, links too; to others its name is a pattern or a mistake
    return name in _NAMES or _are_clean(argv[1:], bases, sight, folders=name != "diff")


def only_passes_on(root: Path, argv: Words, line: Sequence[Words], bases: Sequence[str]) -> bool:
    """Return whether *argv* opens no file and shows lines that others of *line* have printed, which is no more than they may."""
    name = argv[0]
    refused = _REFUSED.get(name)
    return (
        name in _PASSING
        and argv != line[0]
        and all(re.fullmatch(r"-.*|\+?\d+", word) and not (refused and refused.match(word)) for word in argv[1:])
        and only_reads(argv)
        and not _is_of_the_folder(name, root)
    )


def _is_of_the_folder(name: str, root: Path) -> bool:
    """Whether what PATH names may be a program of the folder's own."""
    found = shutil.which(name)
    return found is not None and Path(os.path.realpath(found)).is_relative_to(root)


def _shows_history(argv: Words) -> bool:
    """Whether a command shows what nobody has looked through: what git keeps."""
    if program(argv[0]) != "git" or argv[1:2] == () or argv[1] not in _SHOWING:
        return False
    return argv[1] != "log" or not all(map(_TOLD.match, argv[2:]))


def _may_be_named(word: str, bases: Sequence[str], sight: Sight) -> bool:
    if word.startswith("-"):
        option, _, value = word.partition("=")
        paths = [*([value] if value else []), *(["/"] if "/" in option or ".." in option else [])]
    else:
        paths = [word]
    # a path that leads out raises what Path would hide; see `inside`
    every = [os.path.join(base, path) for base in bases for path in paths]  # noqa: PTH118
    return (
        not sensitive_word(word)
        and all(map(sight.readable, every))
        and not any(_of_the_kernel(sight, p) for p in every)
    )


def _of_the_kernel(sight: Sight, path: str) -> bool:
    """Whether a path below the root is one of processes and devices, as where the root is all there is."""
    parts = inside(sight.root, path) or ()
    return sight.root.joinpath(*parts).parts[1:2] in _KERNEL


def _are_clean(words: Sequence[str], bases: Sequence[str], sight: Sight, *, folders: bool = True) -> bool:
    """Whether no secret is found in any file that one of *words* may name; one of no ordinary kind is none to read."""
    for word in words:
        for base in bases:
            parts = inside(sight.root, os.path.join(base, word.rpartition("=")[2]))  # noqa: PTH118 - as above
            path = sight.root.joinpath(*parts or ())
            if parts is not None and not (_is_clean(path, sight) and (folders or not path.is_dir())):
                return False
    return True


def _is_clean(path: Path, sight: Sight) -> bool:
    if path.is_dir() or not os.path.lexists(path):
        return True  # its names are no secret; what is not there is an option, a pattern or a mistake
    data = _content(path)
    return data is not None and sight.clean(data)


def _content(path: Path) -> str | None:
    """What an ordinary file of a bounded size holds; None for any other."""
    with contextlib.suppress(OSError, ValueError):
        return read_below(path.parent, (path.name,), MAX_BYTES).decode("utf-8", "replace")
    return None


def _hides_nothing(words: Sequence[str], bases: Sequence[str], sight: Sight, *, dotted: bool) -> bool:
    """
    Whether no file below what is searched is one that nobody may read unasked, and no secret is found in any.

    What is found, and what is not, would answer about a secret letter by letter, though it is masked.
    """
    looked = left = 0
    for base in bases:
        named = [word for word in words if not word.startswith("-")]
        below = [parts for word in named if (parts := inside(sight.root, os.path.join(base, word))) is not None]  # noqa: PTH118
        tops = [parts for parts in below if sight.root.joinpath(*parts).exists()] or [Path(base).parts]
        if any(map(sight.hidden, tops)):
            return False
        for path in (found for parts in tops for found in _below(sight.root.joinpath(*parts), dotted=dotted)):
            looked += 1
            with contextlib.suppress(OSError):
                left += path.lstat().st_size
            if looked > MAX_FILES or left > MAX_SEARCHED or sight.hidden(path.relative_to(sight.root).parts):
                return False
            if not path.is_symlink() and not _is_clean(path, sight):
                return False
    return True


def _below(top: Path, *, dotted: bool) -> Iterator[Path]:
    """Everything that a search of *top* may come by and find words in; *dotted*: also what is hidden."""
    if not top.is_dir():
        yield top
    for folder, folders, files in os.walk(top):
        packed = Path(folder).name == ".git"  # what it keeps there is compressed
        folders[:] = [name for name in folders if (dotted or name[0] != ".") and not (packed and name == "objects")]
        yield from (Path(folder, name) for name in (*folders, *files) if dotted or name[0] != ".")


def _has_plain_settings(root: Path) -> bool:
    """Whether the settings of the repository around *root* name no program: git runs what they do."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_symlink() or git.is_file() or is_repository(folder) or os.path.lexists(git / "commondir"):
            return False  # its settings lie elsewhere
        if git.is_dir():
            text = _content(git / "config")
            return text is not None and names_no_program(text)
    return True


def names_no_program(text: str) -> bool:
    """Return whether *text*, the settings of a repository, holds nothing that git runs or reads elsewhere."""
    return all(_PLAIN_SETTINGS.fullmatch(name) for name, _ in git_settings(text))
