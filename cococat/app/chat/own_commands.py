"""`/NAME` for each prompt and each skill of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from cococat.app.chat.console import Console
from cococat.app.input import read_files
from cococat.app.skills.own import own_message, own_names
from cococat.skills.prompts import words_of
from cococat.ui.prompt.attach import attachments
from cococat.ui.prompt.slash import SlashCommand, is_name

__all__ = ["own_commands"]


def own_commands(console: Console, built_in: Sequence[SlashCommand]) -> tuple[SlashCommand, ...]:
    """Make them; a command of ours keeps its name."""
    conversation = console.conversation
    taken = {command.name for command in built_in}
    names = own_names(conversation.folders.config_file.parent, conversation.bench.skills)
    return tuple(
        SlashCommand(name, "WORDS", f"your own: cococat skills show {name}", partial(_run, console, name), leads=True)
        for name in names
        if name not in taken and is_name(name)
    )


def _run(console: Console, name: str, typed: str) -> None:
    """Send what it says; an @path in what was typed is attached, one in the prompt is not."""
    c = console.conversation
    folder, window = c.folders.config_file.parent, c.connection.window
    message = own_message(name, typed, words_of(typed), config_folder=folder, skills=c.bench.skills, window=window)
    files, problems = attachments(typed, c.root)
    for problem in problems:
        console.say(problem)
    texts, pictures = read_files((), files)
    console.again(replace(message, attachments=(*message.attachments, *texts), pictures=pictures))
