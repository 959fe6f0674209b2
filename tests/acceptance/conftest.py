"""The fixture that runs the loop in this process, with real HTTP to a scripted server."""

from tests.core.conftest import run

__all__ = ["run"]
