"""What takes keys and other secrets out of text before it is written or sent anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable

from cococat.config import Settings, all_keys
from cococat.safety.secrets import redact, redact_said

__all__ = ["redactor"]


def redactor(settings: Settings, *, said: bool = False) -> Callable[[str], str]:
    """
    Make the function for the keys that are set and everything that looks like a secret.

    Args:
        said: also what people tell in words; a text about passwords, as tools read it, is none.
    """
    known = all_keys(settings, os.environ)
    take = redact_said if said else redact
    return lambda text: take(text, known)
