"""Entry point: `cococat` and `python -m cococat`.

What needs no command is answered before anything is imported.
"""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        code = _ran(sys.argv[1:])
    except KeyboardInterrupt:  # before there was anything to cancel, or behind the end
        code = 130
    # everything is closed and flushed; taking a thousand modules apart would cost 0.1 s
    os._exit(code)


def _ran(argv: list[str]) -> int:
    if argv in (["--version"], ["-V"], ["--help"], ["-h"]) and _answered(argv[0]):
        return 0
    from cococat.cli.main import main as run

    code = run(argv)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 6
    return code


def _answered(flag: str) -> bool:
    """Print the version or the overview; False when stdout takes nothing, which is explained elsewhere."""
    if sys.stdout is None:
        return False
    try:
        sys.stdout.write(_version() if flag in ("--version", "-V") else _help())
        sys.stdout.flush()
    except (OSError, UnicodeError):
        return False
    return True


def _version() -> str:
    from cococat import __version__

    return f"cococat {__version__}\n"


def _help() -> str:
    from cococat.cli.help import HELP

    return HELP


if __name__ == "__main__":
    main()
