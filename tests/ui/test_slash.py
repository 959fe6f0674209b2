"""Slash commands: reading a line, finding a command, completing one."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from cococat.ui.prompt.slash import Shell, Slash, SlashCommand, Unknown, find, matching, parse

NAMES = ("help", "new", "clear", "compact", "context", "cost", "model", "mode", "memory", "dream", "export", "exit")
COMMANDS = [SlashCommand(name, "", f"does {name}", lambda argument: argument) for name in NAMES]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("/help", Slash("help")),
        ("  /Compact  undo now ", Slash("compact", "undo now")),
        ("/rename two\nlines", Slash("rename", "two\nlines")),
        ("/", Slash("help")),
        ("/?", Slash("help")),
        ("exit", Slash("exit")),
        ("QUIT", Slash("exit")),
        (":q", Slash("exit")),
        ("!git status | head", Shell("git status | head")),
        ("!", Shell("")),
        ("/etc/hosts is wrong, why?", None),
        ("//comment", None),
        ("/../../x", None),
        ("quit smoking", None),
        ("hello /help", None),
        ("", None),
    ],
    ids=str,
)
def test_a_line_is_a_command_a_shell_line_or_text(line, asked):
    """Paths and sentences go to the model, everything that starts like a command does not."""
    assert asked == parse(line)


@pytest.mark.parametrize(
    ("name", "found"),
    [("help", "help"), ("/help", "help"), ("HELP", "help"), ("mode", "mode"), ("h", "help"), ("dr", "dream")],
)
def test_a_name_or_a_prefix_that_only_one_has_finds_the_command(name, found):
    """An exact name wins over the longer ones that start with it."""
    assert found == find(COMMANDS, name).name


@pytest.mark.parametrize(
    ("name", "suggestions"),
    [
        ("hlep", ("help",)),
        ("co", ("compact", "context", "cost")),
        ("modle", ("model", "mode")),
        ("ex", ("export", "exit")),
        ("xyzzy", ()),
    ],
)
def test_an_unknown_name_is_answered_with_the_likely_ones(name, suggestions):
    """The wrong command never runs: a near miss only suggests."""
    assert Unknown(name, suggestions) == find(COMMANDS, name)


def test_the_message_for_an_unknown_name_says_what_to_do():
    """Either what was meant, or where the list is."""
    assert snapshot("no command /hlep: did you mean /help?") == Unknown("hlep", ("help",)).message
    assert snapshot("no command /x: did you mean /a or /b?") == Unknown("x", ("a", "b")).message
    assert snapshot("no command /xyzzy: /help lists them") == Unknown("xyzzy", ()).message


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("/co", ["compact", "context", "cost"]),
        ("mo", ["model", "mode", "memory"]),
        ("/mry", ["memory"]),
        ("/zz", []),
        ("/(", []),
        ("", list(NAMES)),
    ],
)
def test_completion_offers_prefixes_before_letters_in_order(typed, names):
    """`/mry` still finds memory, but never before a command that starts with what was typed."""
    assert names == [command.name for command in matching(COMMANDS, typed)]
