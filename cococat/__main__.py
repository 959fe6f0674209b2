"""Entry point: `cococat` and `python -m cococat`.

What needs no command is answered before anything is imported.
"""

import os
import sys

COLUMNS = 80  # of the static texts


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        code = _ran(sys.argv[1:])
    except KeyboardInterrupt:  # before there was anything to cancel, or behind the end
        code = 130
    # everything is closed and flushed; taking a thousand modules apart would cost 0.1 s
    os._exit(code)


def _ran(argv: list[str]) -> int:
    if (text := _text(argv)) and _printed(text):
        return 0
    from cococat.cli.main import main as run

    code = run(argv)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 6
    return code


def _text(argv: list[str]) -> str:
    """Return the version, the overview, or the help of the two commands with the most flags; empty for all else."""
    match argv:
        case ["--version" | "-V"]:
            from cococat import __version__

            return f"cococat {__version__}\n"
        case ["--help" | "-h"] if _is_wide():
            from cococat.cli.commands import OVERVIEW

            return OVERVIEW
        case ["ask" | "chat" as name, "--help" | "-h"] if _is_wide():
            place = f"{__file__.removesuffix('__main__.py')}cli/{name}.txt"
            with open(place, encoding="ascii") as file:  # noqa: PTH123 - pathlib would cost a fifth of the time
                return file.read()
        case _:
            return ""


def _is_wide() -> bool:
    """Return whether a static text fits; what makes it narrower costs imports."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0) or (os.get_terminal_size(1).columns if os.isatty(1) else COLUMNS)
    except (OSError, ValueError):
        return False
    return columns >= COLUMNS


def _styled(text: str) -> str:
    """Return *text* as a terminal gets it; of one line, such as the version, nothing is to be told apart."""
    if text.count("\n") == 1:
        return text
    from cococat.app.help import help_for_stdout

    return help_for_stdout(text)


def _printed(text: str) -> bool:
    """Print *text*; False when stdout takes nothing, which is explained elsewhere."""
    if sys.stdout is None:
        return False
    try:
        sys.stdout.write(_styled(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
    except (OSError, UnicodeError):
        return False
    return True


if __name__ == "__main__":
    main()
