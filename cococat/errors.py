"""The errors that leave the edges, each with its exit code and the fix.

    Exception
    └── CococatError             what failed, why, and the command or setting that fixes it
        ├── UsageError      2    wrong words on the command line
        │   └── ConfigError 2    wrong settings; names the file and the line
        ├── StorageError    6    a session or the memory could not be read or written
        ├── ServerError     3    an MCP server did not do what it was asked
        ├── ConsentError    4    a user has to decide, and nobody can be asked
        └── Interrupted   128+n  signal n ended the command

The model's own error is `core.model.ProviderError` (exit code 3): the loop turns it into a Stop.
"""

from __future__ import annotations

from collections.abc import Mapping

from cococat.core.limits import Problem, StopReason

EXIT_CODES: Mapping[StopReason, int] = {
    StopReason.ANSWERED: 0,
    StopReason.INTERNAL_ERROR: 1,
    StopReason.USAGE_ERROR: 2,
    StopReason.MODEL_ERROR: 3,
    StopReason.SCHEMA_MISMATCH: 3,
    StopReason.PERMISSION_DENIED: 4,
    StopReason.STEP_LIMIT: 5,
    StopReason.TOKEN_LIMIT: 5,
    StopReason.TIME_LIMIT: 5,
    StopReason.LOOP: 5,
    StopReason.NO_PROGRESS: 5,
    StopReason.OUTPUT_LIMIT: 5,
    StopReason.CONTENT_FILTER: 5,
    StopReason.STORAGE_ERROR: 6,
    StopReason.QUESTION: 7,
    StopReason.CANCELLED: 130,
}


class CococatError(Exception):
    """Anything we can explain: the message says what and why, *hint* is the fix."""

    kind = "error"
    stop_reason = StopReason.INTERNAL_ERROR

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def exit_code(self) -> int:
        """The code the process ends with."""
        return EXIT_CODES[self.stop_reason]

    @property
    def problem(self) -> Problem:
        """The error as a value."""
        return Problem(self.kind, self.message, self.hint)


class UsageError(CococatError):
    """The command line makes no sense."""

    kind = "usage"
    stop_reason = StopReason.USAGE_ERROR


class ConfigError(UsageError):
    """A setting is wrong; the message names the file, the line and the key."""

    kind = "config"


class StorageError(CococatError):
    """A file of ours could not be read or written."""

    kind = "storage"
    stop_reason = StopReason.STORAGE_ERROR


class ConsentError(CococatError):
    """A user has to decide, and there is no terminal to ask on."""

    kind = "permission"
    stop_reason = StopReason.PERMISSION_DENIED


class ServerError(CococatError):
    """An MCP server cannot be started or reached, or gave no answer; the message names it and its last line."""

    kind = "mcp"
    stop_reason = StopReason.MODEL_ERROR


class Interrupted(CococatError):
    """A signal ended the command."""

    kind = "cancelled"
    stop_reason = StopReason.CANCELLED

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"stopped by signal {signal_number}")
        self.signal_number = signal_number

    @property
    def exit_code(self) -> int:
        """128 plus the number of the signal."""
        return 128 + self.signal_number
