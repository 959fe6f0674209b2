"""The edge of the process: whatever happens inside becomes an exit code and at most three lines."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeVar

from cococat import __version__
from cococat.cli.commands import OVERVIEW
from cococat.errors import CococatError, Interrupted, StorageError
from cococat.system.sealed import seal

FULL = frozenset(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS") if hasattr(errno, name))
Choice = TypeVar("Choice", bound=str)
PACKAGE = Path(__file__).parents[2]
ALLOCATIONS = 200_000  # between two collections: importing what a command needs would else cause dozens


def main(argv: Sequence[str]) -> int:
    """Run the command that *argv*, without the program's name, asks for; return its exit code."""
    gc.set_threshold(ALLOCATIONS, 20, 100)
    closed = _open_streams()
    code = exit_code_of(lambda: _run(argv), argv)
    if code == 0 and closed:
        return _report(StorageError("stdout is closed, so the result went nowhere", "run it without >&-"), argv)
    return code


def exit_code_of(job: Callable[[], int], argv: Sequence[str]) -> int:
    """Run *job* and flush stdout; turn every exception into its exit code and its lines."""
    code = None
    try:
        code = job()
        sys.stdout.flush()
    except CococatError as error:
        return _report(error, argv)
    except KeyboardInterrupt:
        if code is not None:  # all is said and done
            return code
        return _report(Interrupted(signal.SIGINT), argv)
    except BrokenPipeError:
        _silence()
        return 128 + getattr(signal, "SIGPIPE", 13)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 2
    except OSError as error:
        if error.errno not in FULL:
            return _crash(error, argv)
        _silence()
        why = error.strerror or "no space"
        return _report(StorageError(f"the output could not be written: {why}", "free some space and try again"), argv)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback ever reaches a user
        return _crash(error, argv)
    return code


def _run(argv: Sequence[str]) -> int:
    words = _expanded(argv)
    if not words or words[0] in ("-h", "--help"):
        from cococat.app.help import help_for_stdout

        sys.stdout.write(help_for_stdout(OVERVIEW))
        return 0
    if words[0] in ("-V", "--version"):
        sys.stdout.write(f"cococat {__version__}\n")
        return 0
    seal()
    job = job_of(words)
    return job() if job else 0


def job_of(words: Sequence[str]) -> Callable[[], int] | None:
    """
    Return what the command line asks for; None when that was help, which has been printed.

    Raises: UsageError: it makes no sense. ConfigError: a setting is wrong.
    """
    from cococat.cli.flags import read_plain

    if job := read_plain(words):
        return job
    from cococat.cli.parse import parse

    return parse(words)


def _expanded(argv: Sequence[str]) -> list[str]:
    """Return what is meant: `help ask` is `ask --help`, and flags alone are the chat's on a terminal."""
    words = list(argv)
    if words[:1] == ["help"]:
        return [*words[1:], "--help"]
    own = ("-h", "--help", "-V", "--version")
    chatting = not words or (words[0].startswith("-") and words[0] not in own)
    return ["chat", *words] if chatting and sys.stdin.isatty() and sys.stdout.isatty() else words


def _report(error: CococatError, argv: Sequence[str]) -> int:
    """Return what failed on stderr and, where the caller reads JSON, as one object on stdout."""
    form: Literal["text", "json", "stream-json"] = _word_behind(
        "--output-format", argv, ("text", "json", "stream-json")
    )
    if form == "text":
        _tell(error, argv)
        return error.exit_code
    try:
        from cococat.app import output

        if form == "stream-json":
            _tell(error, argv)
        return output.fail(error, form)  # which tells stderr, too, when stdout holds one object alone
    except Exception:  # noqa: BLE001 - a second error would hide the first
        _tell(error, argv)
        return error.exit_code


def _tell(error: CococatError, argv: Sequence[str]) -> None:
    """Write one to three lines, as a run does; Ctrl-C needs none."""
    if isinstance(error, Interrupted):
        return
    try:
        from cococat.app.output import explain

        explain(error, _word_behind("--color", argv, ("auto", "always", "never")))
    except Exception:  # noqa: BLE001 - what explains an error must not hide it
        text = f"cococat: error: {error.message}\n  hint: {error.hint}\n"
        with suppress(OSError, ValueError):
            sys.stderr.write("".join(char if char.isprintable() or char == "\n" else "?" for char in text))
            sys.stderr.flush()


def _crash(error: Exception, argv: Sequence[str]) -> int:
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("cococat"):
        missing = CococatError(f"the package {error.name} is missing", "pip install --force-reinstall cococat")
        return _report(missing, argv)
    command = argv[0] if argv and argv[0].isalpha() else "(none)"
    saved = _save_report(error, command)
    where = f"a report is saved in {saved}" if saved else "no report could be saved"
    message = f"an internal error: {type(error).__name__} at {_place_of(error)}; {where}"
    return _report(CococatError(message, "please report it; the report holds no text of yours and no key"), argv)


def _word_behind(flag: str, argv: Sequence[str], choices: tuple[Choice, ...]) -> Choice:
    """What *flag* says, for errors that come before the flags have been read; the first choice where it says nothing."""
    said = ""
    for word, after in zip(argv, [*argv[1:], ""], strict=True):
        if word == "--":
            break
        if word == flag:
            said = after
        elif word.startswith(f"{flag}="):
            said = word.partition("=")[2]
    return next((choice for choice in choices if choice == said), choices[0])


def _open_streams() -> bool:
    """Make the three streams usable whatever the locale and the caller did; return whether stdout was closed."""
    closed = sys.stdout is None
    if None in (sys.stdin, sys.stdout, sys.stderr):
        for number in range(3):  # a free number would be given to the next file that is opened
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)
        sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as we do
        sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
        sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if reconfigure := getattr(stream, "reconfigure", None):
            with suppress(OSError):  # text that could not be written before is flushed first; it will fail again
                reconfigure(encoding="utf-8", errors=errors)
    return closed


def _silence() -> None:
    """Point stdout nowhere, so that the interpreter's last flush does not complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _save_report(error: BaseException, command: str) -> Path | None:
    """
    Write types, files and lines of *error* to the state folder; no message, no value, no argument.

    Returns: where it is; None when it could not be written.
    """
    import platform

    from cococat.config import find_folders
    from cococat.system.private import open_private, private_dir

    lines = [
        f"cococat {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        f"command: {command}",
        *_story(error, ""),
    ]
    try:
        folder = private_dir(find_folders(os.environ).state / "crashes")
        path = folder / f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.txt"
        handle = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    except Exception:  # noqa: BLE001 - a report that cannot be kept must not become a second crash
        return None
    return path


def _place_of(error: BaseException) -> str:
    """The file and line where *error* was raised."""
    frames = list(_frames(error.__traceback__))
    return frames[-1].rpartition(" in ")[0].strip() if frames else "?"


def _story(error: BaseException, indent: str, seen: frozenset[int] = frozenset()) -> Iterator[str]:
    if id(error) in seen:
        return
    seen |= {id(error)}
    yield f"{indent}{type(error).__module__}.{type(error).__qualname__}"
    yield from (f"{indent}  {frame}" for frame in _frames(error.__traceback__))
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _story(inner, indent + "  | ", seen)
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield f"{indent}after:"
        yield from _story(before, indent, seen)


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        yield f"{_relative(code.co_filename)}:{traceback.tb_lineno} in {code.co_name}"
        traceback = traceback.tb_next


def _relative(name: str) -> str:
    """*name* without the folders that tell whose machine this is."""
    path = Path(name)
    for base in (PACKAGE, *map(Path, sys.path)):
        if base.is_absolute() and path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return path.name
