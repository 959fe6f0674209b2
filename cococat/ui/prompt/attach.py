"""`@path` mentions: read the files a user names, and complete their names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cococat.core.messages import Attachment
from cococat.system.gitignore import files_below, ignored_at
from cococat.system.text_file import NoTextError, read_text

__all__ = ["MENTION_TYPED", "attachments", "complete_path", "list_files"]

MAX_IN_ALL = 1 << 20  # bytes of all files of one message
WALKED = 10_000  # directory entries looked at for completion
OFFERED = 40
MENTION_TYPED = re.compile(r"""(?:^|(?<=[\s(\[{<'"]))@(?P<quote>"?)(?P<path>(?:(?<=")[^"\n]*|[^\s"]*))$""")
_MENTION = re.compile(r"""(?:^|(?<=[\s(\[{<'"]))@(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"]+))""")
_TRAILING = ".,;:!?)]}>'\""
_LIKE_A_PATH = re.compile(r"^[~.]?/|/.+|\w\.[A-Za-z]\w{0,7}$")


def attachments(text: str, root: Path, pasted: Sequence[str] = ()) -> tuple[tuple[Attachment, ...], tuple[str, ...]]:
    """
    Read the files that *text* mentions.

    Relative names are looked up below *root* and may not lead out of it, links included; an
    absolute name or `~/...` is the user's own word and may name any file. An `@` that names no
    file stays text.

    Args:
        pasted: parts of *text* in which nothing counts as a mention: their author may be another.
    Returns: the attachments in order, each file once; and what could not be attached, a sentence each.
    """
    for part in pasted:
        text = text.replace(part, " ")
    found: dict[str, Attachment] = {}
    problems: list[str] = []
    left = MAX_IN_ALL
    for quoted, bare in _MENTION.findall(text):
        name = _existing(quoted or bare, root, trim=not quoted)
        try:
            content = None if name in found else _read(name, root, left)
        except NoTextError as error:
            problems.append(f"@{name} is not attached: {error}")
            continue
        if content is not None:
            left -= len(content.encode())
            found[name] = Attachment(name, content)
    return tuple(found.values()), tuple(dict.fromkeys(problems))


def list_files(root: Path, limit: int = WALKED) -> tuple[str, ...]:
    """
    Name the files below *root*, near ones first, without hidden and ignored ones.

    Args:
        limit: directory entries to look at, so that a big tree costs no more than a small one.
    """
    found = files_below(root.absolute(), near_first=True, hidden=False, most=limit)
    return tuple(name for name in ("/".join(each.parts) for each in found) if name.isprintable())


def complete_path(typed: str, root: Path, known: Sequence[str] = ()) -> tuple[str, ...]:
    """
    Return the names that *typed* may become, the likeliest first; folders end in `/`.

    Args:
        typed: what stands behind the `@`; relative to *root*, absolute, or with `~`.
        known: files below *root* that may match by their letters, from `list_files`.
    """
    folder, _, stem = typed.rpartition("/")
    folder = f"{folder}/" if "/" in typed else ""
    offered = [folder + name for name in _names_in(_target(folder, root), root, stem)]
    if re.search(r"\w", typed) and not os.path.isabs(os.path.expanduser(typed)):  # noqa: PTH111, PTH117 - a str, not a Path
        offered += _ranked(typed, known)
    return tuple(dict.fromkeys(offered))[:OFFERED]


def _existing(name: str, root: Path, *, trim: bool) -> str:
    """The longest form of *name* that exists, closing punctuation dropped; *name* trimmed if none does."""
    candidate = name
    while trim and candidate and candidate[-1] in _TRAILING and not _exists(_target(candidate, root)):
        candidate = candidate[:-1]
    return candidate


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, a NUL
        return False


def _target(name: str, root: Path) -> Path:
    return root / os.path.expanduser(name)  # noqa: PTH111 - Path.expanduser raises for an unknown ~user


def _read(name: str, root: Path, left: int) -> str | None:
    """The text of the file; None when *name* does not look like one at all."""
    path = _target(name, root)
    if not name or not _exists(path):
        if _LIKE_A_PATH.search(name):
            raise NoTextError(f"there is no such file below {root}", "press Tab behind the @ to see the names")
        return None
    if not os.path.isabs(os.path.expanduser(name)):  # noqa: PTH111, PTH117 - as in _target
        real = path.resolve()
        if not real.is_relative_to(root.resolve()):
            raise NoTextError("it leads out of the working folder", f"type its own name, @{real}, if you mean it")
    text = read_text(path, pdf=True)
    if len(text.encode()) > left:
        raise NoTextError("the files of one message may have 1 MiB together", "send it with the next one")
    return text


def _names_in(folder: Path, root: Path, stem: str) -> list[str]:
    """Entries of *folder* that start with *stem*, files of the repository only; hidden ones if asked for."""
    here, top = Path(os.path.abspath(folder)), Path(os.path.abspath(root))  # noqa: PTH100 - without `..`, links as they are
    top = top if here.is_relative_to(top) else here
    parts = here.relative_to(top).parts
    ignored = ignored_at(top, parts)
    return [
        entry.name + ("/" if entry.is_dir() else "")
        for entry in _entries(folder)
        if entry.name.lower().startswith(stem.lower())
        and (stem.startswith(".") or not entry.name.startswith("."))
        and entry.name != ".git"
        and not ignored((*parts, entry.name), folder=entry.is_dir(follow_symlinks=False))
    ]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Entries whose names can be shown and typed, in order."""
    with suppress(OSError), os.scandir(folder) as found:
        return sorted((entry for entry in found if entry.name.isprintable()), key=lambda entry: entry.name)
    return []


def _ranked(typed: str, known: Sequence[str]) -> list[str]:
    """Known files that hold the letters of *typed* in order: in the name before in the path, short ones first."""
    wanted = typed.lower()
    letters = re.compile(".*?".join(map(re.escape, wanted)))

    def rank(name: str) -> tuple[int, int, str]:
        last = name.rpartition("/")[2].lower()
        places = (last.startswith(wanted), wanted in last, wanted in name.lower(), True)
        return places.index(True), len(name), name

    return sorted((name for name in known if letters.search(name.lower())), key=rank)
