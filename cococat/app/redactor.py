"""What takes keys and other secrets out of text before it is written or sent anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable

from cococat.config import Settings, key_for
from cococat.safety.secrets import redact

__all__ = ["redactor"]


def redactor(settings: Settings) -> Callable[[str], str]:
    """Make the function for the key in use and everything that looks like a secret."""
    secret = key_for(settings, os.environ)
    known = (secret.reveal(),) if secret else ()
    return lambda text: redact(text, known)
