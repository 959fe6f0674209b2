"""`@path` mentions: read the files a user names, and complete their names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cococat.core.messages import Attachment, Picture
from cococat.system.gitignore import files_below, ignored_at
from cococat.system.text_file import PDF, NoTextError, PictureError, read_bytes

MAX_IN_ALL = 1 << 20  # bytes of all files of one message
WALKED = 10_000  # directory entries looked at for completion
OFFERED = 40
MAX_PATH = 4096  # characters
MENTION_TYPED = re.compile(r"""(?:^|(?<=[\s(\[{<'"]))@(?P<quote>"?)(?P<path>(?:(?<=")[^"\n]*|[^\s"]*))$""")
_MENTION = re.compile(r"""(?:^|(?<=[\s(\[{<'"]))@(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"]+))""")
_TRAILING = ".,;:!?)]}>'\""
_LIKE_A_PATH = re.compile(r"^[~.]?/|/.+|\w\.[A-Za-z]\w{0,7}$")


def attachments(
    text: str, root: Path, pasted: Sequence[str] = ()
) -> tuple[tuple[Attachment | Picture, ...], tuple[str, ...]]:
    """
    Read the files that *text* mentions.

    Relative names are looked up below *root* and may not lead out of it, links included; an
    absolute name or `~/...` is the user's own word and may name any file. An `@` that names no
    file stays text.

    Args:
        pasted: parts of *text* in which nothing counts as a mention: their author may be another. One that is the path
            of a picture or a PDF and nothing else, as terminals write a file that is dropped on them, is one.
    Returns: the attachments in order, each file once; and what could not be attached, a sentence each.
    Raises: UsageError: a picture cannot be sent.
    """
    for part in pasted:
        text = text.replace(part, f' @"{name}" ' if (name := _dropped(part, root)) else " ")
    found: dict[str, Attachment | Picture] = {}
    problems: list[str] = []
    left = MAX_IN_ALL
    for quoted, bare in _MENTION.findall(text):
        name = _existing(quoted or bare, root, trim=not quoted)
        try:
            content = None if name in found else _read(name, root, left)
        except PictureError as error:
            from cococat.errors import UsageError

            raise UsageError(f"@{name} is not attached: {error.reason}", error.hint) from error
        except NoTextError as error:
            problems.append(f"@{name} is not attached: {error}")
            continue
        if content is not None:
            left -= len(content.text.encode()) if isinstance(content, Attachment) else 0
            found[name] = content
    return tuple(found.values()), tuple(dict.fromkeys(problems))


def _dropped(pasted: str, root: Path) -> str:
    """Return the path of the picture or PDF that *pasted* is, as a shell would read it; empty where it is more or none."""
    name = pasted.strip()
    if not name or "\n" in name or len(name) > MAX_PATH:
        return ""
    quoted = name[0] in "'\"" and name[0] == name[-1]
    name = name[1:-1] if quoted else re.sub(r"\\(.)", r"\1", name) if os.name == "posix" else name
    with suppress(OSError, ValueError):
        from cococat.system.picture import look_at

        if (path := _target(name, root)).is_file():
            with path.open("rb") as file:
                start = file.read(16)
            return name if look_at(start) or start.startswith(PDF) else ""
    return ""


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


def _read(name: str, root: Path, left: int) -> Attachment | Picture | None:
    """What is in the file; None when *name* does not look like one at all."""
    path = _target(name, root)
    if not name or not _exists(path):
        if _LIKE_A_PATH.search(name):
            raise NoTextError(f"there is no such file below {root}", "press Tab behind the @ to see the names")
        return None
    if not os.path.isabs(os.path.expanduser(name)):  # noqa: PTH111, PTH117 - as in _target
        real = path.resolve()
        if not real.is_relative_to(root.resolve()):
            raise NoTextError("it leads out of the working folder", f"type its own name, @{real}, if you mean it")
    from cococat.context.attached import attached

    read = attached(read_bytes(path), name)
    if isinstance(read, Attachment) and len(read.text.encode()) > left:
        raise NoTextError("the files of one message may have 1 MiB together", "send it with the next one")
    return read


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
