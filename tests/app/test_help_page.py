"""The tables of `/help` at every width."""

import pytest

from cococat.app.chat.slash_commands import help_page
from cococat.ui.prompt.slash import SlashCommand

COMMANDS = [
    SlashCommand("resume", "[ID|NUMBER]", "go on with an earlier session; choose it", lambda _: None),
    SlashCommand("copy", "[code]", "the last answer to the clipboard", lambda _: None),
]


@pytest.mark.parametrize(
    ("width", "rows"),
    [(40, 32), (80, 17), (140, 13)],
    ids=["texts below names", "two columns", "tables side by side"],
)
def test_help_uses_the_width_there_is_and_no_more(width, rows):
    """Nothing is wider than the screen, every command and key is there, and plain is plain."""
    page = help_page(COMMANDS, width, "plain")

    lines = page.splitlines()
    assert max(map(len, lines)) <= width
    assert [] == sorted(set(COMMANDS[0].help.split()) - set(page.split()))
    assert len(lines) == rows
    assert [] == [word for word in ("/resume [ID|NUMBER]", "go on with an", "Shift-Tab", "Ctrl-O") if word not in page]
    assert "\x1b" not in page


def test_names_have_the_colour_of_the_theme_and_headings_a_weight():
    """Cyan on dark ground, blue on light."""
    dark, light = (help_page((), 80, theme) for theme in ("dark", "light"))

    assert "\x1b[36mShift-Tab\x1b[0m" in dark
    assert "\x1b[34mShift-Tab\x1b[0m" in light
    assert "\x1b[1;4mKeys\x1b[0m" in dark
