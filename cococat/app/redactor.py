"""What takes keys and other secrets out of text before it is written or sent anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable

from cococat.config import Settings, all_keys
from cococat.safety.secrets import Masked, mask, redact, redact_said

__all__ = ["masker", "redactor"]


def redactor(settings: Settings, *, said: bool = False) -> Callable[[str], str]:
    """
    Make the function for the keys that are set and everything that looks like a secret.

    Args:
        said: also what people tell in words; a text about passwords, as tools read it, is none.
    """
    known = all_keys(settings, os.environ)
    take = redact_said if said else redact
    return lambda text: take(text, known)


def masker(settings: Settings) -> Callable[[str], Masked]:
    """Make the same for a text whose secrets are to be put back later."""
    known = all_keys(settings, os.environ)
    return lambda text: mask(text, known)
