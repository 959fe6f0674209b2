"""The composition root: the only room that imports everything, one function a command.

Every function gives the exit code of its command; the modules behind them are imported when called,
so that a command pays only for what it uses.

Public: ask, chat, dream, dream_review, dream_prove, dream_log, dream_show, dream_diff, dream_undo, memory_show,
memory_path, memory_edit, memory_search, memory_why, memory_rm, sessions_list, sessions_search, sessions_show,
sessions_export, sessions_delete, sessions_prune, sessions_repair, replay, replay_from, models, tools, doctor,
doctor_session, fail.
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
    from cococat.app import dream_command

    return dream_command.by_hand(settings, options, dry_run=dry_run, background=background)


def dream_review(settings: Settings, options: Options) -> int:
    """Ask about each place of the change that waits, or of a new one."""
    from cococat.app import dream_command

    return dream_command.by_hand(settings, options, ask_first=True)


def dream_prove(settings: Settings, options: Options, *, dry_run: bool = False) -> int:
    """Compact the memory now, and print what the process opened, called and connected to."""
    from cococat.app import dream_command

    return dream_command.by_hand(settings, options, dry_run=dry_run, prove=True)


def dream_log(settings: Settings) -> int:
    """List the dreams so far."""
    from cococat.app import dreams

    return dreams.log(settings)


def dream_show(settings: Settings, number: int) -> int:
    """Show what one dream did."""
    from cococat.app import dreams

    return dreams.show(settings, number)


def dream_diff(settings: Settings, number: int) -> int:
    """Show the diff of one dream."""
    from cococat.app import dreams

    return dreams.diff(settings, number)


def dream_undo(settings: Settings, number: int | None) -> int:
    """Take back one dream, the last by default."""
    from cococat.app import dreams

    return dreams.undo(settings, number)


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


def memory_search(settings: Settings, query: str) -> int:
    """Print the lines that hold these words."""
    from cococat.app import memories

    return memories.search(settings, query)


def memory_why(settings: Settings, wanted: str) -> int:
    """Print what a line rests on."""
    from cococat.app import memories

    return memories.why(settings, wanted)


def memory_rm(settings: Settings, wanted: str) -> int:
    """Delete one line for good."""
    from cococat.app import memories

    return memories.rm(settings, wanted)


def sessions_list(settings: Settings, *, limit: int | None, as_json: bool) -> int:
    """List the sessions, newest first."""
    from cococat.app import archive

    return archive.list_all(settings, limit=limit, as_json=as_json)


def sessions_search(settings: Settings, wanted: str, *, limit: int) -> int:
    """Print the sessions in which something was said."""
    from cococat.app import archive

    return archive.search(settings, wanted, limit=limit)


def sessions_show(settings: Settings, session_id: str) -> int:
    """Print one session."""
    from cococat.app import archive

    return archive.show(settings, session_id)


def sessions_export(settings: Settings, session_id: str, form: str) -> int:
    """Print one session as md, json or html."""
    from cococat.app import archive

    return archive.export(settings, session_id, form)


def sessions_delete(settings: Settings, session_ids: Sequence[str], *, yes: bool) -> int:
    """Delete sessions for good."""
    from cococat.app import clearing

    return clearing.delete(settings, session_ids, yes=yes)


def sessions_prune(
    settings: Settings, days: float | None, count: int | None, most: int | None, *, dry_run: bool, yes: bool
) -> int:
    """Delete the sessions that are more than is to be kept."""
    from cococat.app import clearing

    return clearing.prune(settings, clearing.Keep(days, count, most), dry_run=dry_run, yes=yes)


def sessions_repair(settings: Settings, session_id: str) -> int:
    """Mend the log of one session."""
    from cococat.app import clearing

    return clearing.repair(settings, session_id)


def replay(options: Options, session_id: str, *, speed: float | None, step: bool) -> int:
    """Show a recorded session again, from its log alone."""
    from cococat.app import replaying

    return replaying.replay(options, session_id, speed=speed, step=step)


def replay_from(
    settings: Settings, options: Options, session_id: str, turn: int, *, speed: float | None, step: bool
) -> int:
    """Go on from before a turn of a recorded session, in a copy."""
    from cococat.app import replaying

    return replaying.replay_from(settings, options, session_id, turn, speed=speed, step=step)


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


def doctor_session(settings: Settings, session_id: str, *, as_json: bool) -> int:
    """Check the log of one session."""
    from cococat.app import reports

    return reports.doctor_session(settings, session_id, as_json=as_json)


def fail(error: CococatError, output_format: str) -> int:
    """Report an error that came before any run, in the form the user asked for."""
    from cococat.app import outputs

    return outputs.fail(error, output_format)
