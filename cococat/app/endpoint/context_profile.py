"""What a window wants: bounds for its requests; a small one a short prompt, few tools, short results, no long memory.

The embedded model's window counts as none: its prompt is made for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cococat.app.endpoint.connect import EMBEDDED, Connection
from cococat.config import Settings
from cococat.context.budget import ContextBounds, Count
from cococat.context.micro import MIN_CHARS, fresh_chars
from cococat.core.agent import estimate_tokens
from cococat.model.tokens import count, is_loaded

REPLY, EMBEDDED_REPLY = 4096, 1024  # tokens that are kept for a reply where none are set, and by the embedded model
SMALL_WINDOW, TINY_WINDOW = 8192, 2048  # tokens
PROTECTED_PART = 5  # part of a small window whose tool output is never pruned, as a divisor
MEMORY_PART = 4  # part of a small window that the memory may fill, as a divisor
SMALL = ("list_dir", "read_file", "grep_search", "write_file", "edit_file", "run_shell")  # 370 tokens
SINGLE = ("list_dir", "read_file", "glob", "grep_search")  # what only reads
FEW = ("list_dir", "read_file", "grep_search")  # for the smallest windows and models
# the embedded model's prompt is made for these
HERE = (*SMALL, "glob", "web_search", "fetch_url", "ask_user", "finish")


def is_small(connection: Connection) -> bool:
    """Return whether the window is one of those."""
    return connection.window <= SMALL_WINDOW and connection.host != EMBEDDED


def offered(connection: Connection, allow: Sequence[str], *, react: bool) -> frozenset[str]:
    """
    Name the tools that a mode offers: in one round that nobody watches, those that only read; empty stands for all.

    Args:
        allow: rules of the user; the tools that they name are always offered.
    """
    here = connection.host == EMBEDDED
    if react and not (here or is_small(connection)):
        return frozenset()
    if react and connection.window > TINY_WINDOW:
        names: Sequence[str] = HERE if here else SMALL
    else:
        names = FEW if here or connection.window <= TINY_WINDOW else SINGLE
    return frozenset((*names, *(rule.split("(")[0].strip() for rule in allow)))


def output_chars(connection: Connection, most: int) -> int:
    """Return the characters of one fresh tool output that the model sees, *most* by the user's setting."""
    chars = fresh_chars(most, connection.window)
    return min(chars, MIN_CHARS) if is_small(connection) else chars


def leaves_out(connection: Connection, memory: str) -> bool:
    """Return whether the window is too small for the memory."""
    return is_small(connection) and estimate_tokens(memory) > connection.window // MEMORY_PART


@dataclass(frozen=True, slots=True)
class Measure:
    """
    Tokens by the vocabulary of a connection's model, and what a request to it may hold.

    Args:
        cache: the folder of the vocabularies.
        today: a date.
    """

    connection: Connection
    settings: Settings
    cache: Path
    today: str

    def count(self, text: str) -> int:
        """Tokens of *text* by the model's vocabulary, which takes a moment to load."""
        return count(text, self.connection.name, folder=self.cache)

    @property
    def about(self) -> str:
        """What stands before a number of tokens: a mark while numbers are estimates."""
        return "" if is_loaded(self.connection.name, folder=self.cache) else "~"

    @property
    def quick_count(self) -> Count:
        """Tokens of a text, at once: by the vocabulary where that is loaded, else estimated."""
        return estimate_tokens if self.about else self.count

    @property
    def bounds(self) -> ContextBounds:
        """What a request may hold."""
        connection, own, model = self.connection, self.settings.context, self.settings.model
        here, small = connection.host == EMBEDDED, is_small(connection)
        said = (model.options.get(field) for field in ("max_tokens", "max_completion_tokens"))
        most = next((tokens for tokens in said if isinstance(tokens, int)), model.max_output_tokens)
        known = connection.question.max_reply if connection.question else 0
        protect = own.prune_protect_tokens
        return ContextBounds(
            window=connection.window,
            reserved_output=EMBEDDED_REPLY if here else most or min(REPLY, known or REPLY),
            max_reply=0 if here else min(filter(None, (most, known)), default=0),
            ratio=own.budget_ratio,
            protect=min(protect, connection.window // PROTECTED_PART) if small else protect,
            keep=own.keep_recent_messages,
            today=self.today,
            assumed=connection.question is not None and connection.question.is_assumed,
        )
