"""What tests of whole conversations share."""

import pytest

from tests.screens import ready


@pytest.fixture
def chat(tmp_path):
    """Start `cococat chat` in *tmp_path* against a scripted server; give the terminal, by default once it takes a line."""
    from tests.ui.pseudo_terminal import PseudoTerminal  # there are none on Windows

    started = []

    def start(server, *words, env=None, wait=True, **options):
        flags = ["chat", "--base-url", server.base_url, "-m", "scripted", "--root", tmp_path, *words]
        started.append(PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path), **(env or {})}, **options))
        if wait:
            started[-1].until(ready)
        return started[-1]

    yield start
    for terminal in started:
        terminal.child.close(force=True)
