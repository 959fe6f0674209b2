"""The composition root: the only room that imports everything, one function a command.

Every function gives the exit code of its command; the modules behind them are imported when called,
so that a command pays only for what it uses.

Public: ask, chat, dream, dream_log, dream_show, dream_diff, dream_undo, memory_show, memory_path,
memory_edit, sessions_list, sessions_show, sessions_export, models, tools, doctor, fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cococat.config import Options, Settings
    from cococat.errors import CococatError

# ruff: noqa: PLC0415 - each command imports its own module, and no other


def ask(settings: Settings, options: Options, words: Sequence[str]) -> int:
    """Answer one prompt."""
    from cococat.app import one_shot

    return one_shot.ask(settings, options, words)


def chat(settings: Settings, options: Options, words: Sequence[str]) -> int:
    """Hold a conversation on a terminal."""
    from cococat.app import conversation

    return conversation.chat(settings, options, words)


def dream(settings: Settings, options: Options, *, dry_run: bool = False, background: bool = False) -> int:
    """Compact the memory now."""
    from cococat.app import dreaming

    return dreaming.by_hand(settings, options, dry_run=dry_run, background=background)


def dream_log(settings: Settings) -> int:
    """List the dreams so far."""
    from cococat.app import memories

    return memories.dream_log(settings)


def dream_show(settings: Settings, number: int) -> int:
    """Show what one dream did."""
    from cococat.app import memories

    return memories.dream_show(settings, number)


def dream_diff(settings: Settings, number: int) -> int:
    """Show the diff of one dream."""
    from cococat.app import memories

    return memories.dream_diff(settings, number)


def dream_undo(settings: Settings, number: int | None) -> int:
    """Take back one dream, the last by default."""
    from cococat.app import memories

    return memories.dream_undo(settings, number)


def memory_show(settings: Settings) -> int:
    """Print MEMORY.md."""
    from cococat.app import memories

    return memories.show(settings)


def memory_path(settings: Settings) -> int:
    """Print where MEMORY.md is."""
    from cococat.app import memories

    return memories.path(settings)


def memory_edit(settings: Settings) -> int:
    """Open MEMORY.md in the user's editor."""
    from cococat.app import memories

    return memories.edit(settings)


def sessions_list(settings: Settings) -> int:
    """List the sessions, newest first."""
    from cococat.app import archive

    return archive.list_all(settings)


def sessions_show(settings: Settings, session_id: str) -> int:
    """Print one session."""
    from cococat.app import archive

    return archive.show(settings, session_id)


def sessions_export(settings: Settings, session_id: str, form: str) -> int:
    """Print one session as md, json or html."""
    from cococat.app import archive

    return archive.export(settings, session_id, form)


def models(settings: Settings) -> int:
    """List what the endpoint offers."""
    from cococat.app import reports

    return reports.models(settings)


def tools(settings: Settings, options: Options) -> int:
    """List every tool with its permission."""
    from cococat.app import reports

    return reports.tools(settings, options)


def doctor(settings: Settings, options: Options, *, as_json: bool) -> int:
    """Check configuration, endpoint, model, terminal, folders and versions."""
    from cococat.app import reports

    return reports.doctor(settings, options, as_json=as_json)


def fail(error: CococatError, output_format: str) -> int:
    """Report an error that came before any run, in the form the user asked for."""
    from cococat.app import outputs

    return outputs.fail(error, output_format)
