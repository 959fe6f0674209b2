"""Finding a session: `list` and `search`; showing and exporting one."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain, groupby, islice
from typing import Literal

from cococat.app.output import note, out
from cococat.config import Folders
from cococat.store import export as store_export
from cococat.store.listing import SessionInfo, list_sessions
from cococat.store.sessions import Session, load
from cococat.ui.lines.columns import cells, cut, cut_start, one_line
from cococat.ui.lines.format import ago
from cococat.ui.lines.theme import colour, is_terminal, size_of, write_now
from cococat.ui.screen.progress import Bars, Tell, progress

MANY = 200  # logs that take long enough to say so
NEWEST = 50  # sessions that a terminal gets when it does not ask for more
NARROW = 60  # columns below which a session is its id and its title
TITLE = 40  # columns of a title in a hint
TIME_LETTERS = 10  # of an id, that say when it was made
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def list_all(folders: Folders, *, limit: int | None = None, as_json: bool = False) -> int:
    """
    Print one line a session, the one used last first.

    Args:
        limit: sessions at most, 0 for all; None: all, but on a terminal the newest alone.
    """
    infos = list_sessions(folders.sessions, folders.cache)
    terminal = is_terminal(sys.stdout)
    most = (NEWEST if terminal and not as_json else 0) if limit is None else limit
    shown = infos[: most or None]
    if as_json:
        rows = [
            {
                **asdict(info),
                "started": store_export.utc_time(info.started),
                "updated": store_export.utc_time(info.updated),
            }
            for info in shown
        ]
        out(json.dumps([{name: row[name] for name in row if name != "mark"} for row in rows], indent=2))
        return 0
    width, letters = (size_of(sys.stdout)[0], letters_of(infos)) if terminal else (0, None)
    out("\n".join(_row(info, width, letters) for info in shown))
    if not infos:
        note("there are no sessions yet")
    elif len(shown) < len(infos):
        note(f"{len(shown)} of {len(infos):,} sessions; --all lists every one, `cococat sessions search` finds one")
    return 0


def how_to_resume(folders: Folders) -> str:
    """Say, in a line or two, which session could be meant and how all of them are found."""
    infos = list_sessions(folders.sessions, folders.cache)
    if not infos:
        return "there are no sessions yet; cococat chat begins one"
    last, letters = infos[0], letters_of(infos)
    title = cut(one_line(last.title), TITLE)
    return (
        f"cococat chat -r {last.id[:letters]}, the last one, {ago(last.updated).strip()}: {title}\n"
        "-c: the last one of this folder; all of them: cococat sessions list"
    )


def search(folders: Folders, wanted: str, *, limit: int, bars: Bars = progress) -> int:
    """Print the sessions in which *wanted* was said, the newest first, each with the first place."""
    from cococat.store.session_search import search as find

    with bars("reading sessions for the index") as tell:
        hits = find(folders.sessions, wanted, folders.cache, tell=partial(_reading, tell))
        first_hits = list(islice(hits, 1))  # the index is there now
    found = 0
    for _, group in groupby(chain(first_hits, hits), key=lambda hit: hit.info.id):
        if limit and found == limit:
            note(f"there are more; --limit {2 * limit} shows them, or add a word")
            break
        first, *more = group
        found += 1
        width = size_of(sys.stdout)[0] if is_terminal(sys.stdout) else 0
        quote = _quote(first.role, first.excerpt, first.marks, len(more))
        write_now(sys.stdout, f"{_head(first.info, width)}\n{quote}\n")
    if not found:
        note(f"nobody said {one_line(wanted)}; `word*` finds longer words, too" if wanted.strip() else "no words given")
    return 0


def _reading(tell: Tell, done: int, total: int) -> None:
    """Tell how far the index is; where no bar can be shown, say it once."""
    if not done and total > MANY and not is_terminal(sys.stderr):
        note(f"reading {total:,} sessions for the index; the next search need not")
    tell(done, total)


def _row(info: SessionInfo, width: int, letters: int | None) -> str:
    """One session on one line; *width* columns cut it, 0 do not."""
    turns = f"{info.turns:>3} {'turn ' if info.turns == 1 else 'turns'}"
    title, folder = one_line(info.title), folder_name(info.cwd)
    if 0 < width < NARROW:  # what it was about, and what resumes it
        return cut(f"{info.id[:letters]}  {title}", width)
    begin = f"{info.id[:letters]}  {local_minute(info.updated)}  {turns}  "
    if not width:
        return f"{begin}{title}  ({one_line(info.model, 'exact')}, {folder})"
    return cut(begin + _fitted(title, folder, width - len(begin)), width)


def _head(info: SessionInfo, width: int) -> str:
    begin, title, folder = f"{info.id}  {local_minute(info.updated)}  ", one_line(info.title), folder_name(info.cwd)
    if not width:
        return f"{begin}{folder}  {title}"
    return cut(begin + _fitted(title, folder, width - len(begin)), width)


def _fitted(title: str, folder: str, room: int) -> str:
    """A title with its folder in *room* columns; of a long folder the end is kept, and no more than a third."""
    end = f"  ({cut_start(folder, max(room // 3, room - cells(title) - len('  ()')))})"
    return cut(title, room - cells(end)) + end


def letters_of(infos: Sequence[SessionInfo]) -> int:
    """Return how many letters tell the ids apart; those of the time at least, so that later ones are not taken for them."""
    letters = TIME_LETTERS
    while len({info.id[:letters] for info in infos}) < len(infos):
        letters += 1
    return letters


def _quote(role: str, excerpt: str, marks: tuple[tuple[int, int], ...], more: int) -> str:
    """What was said, with the terms in bold where there are colours."""
    bold = colour("auto", sys.stdout, os.environ)
    pieces, done = [], 0
    for begin, end in marks:
        found = _clean(excerpt[begin:end])
        pieces += [_clean(excerpt[done:begin]), f"{_BOLD}{found}{_PLAIN}" if bold else found]
        done = end
    others = f"  (+{more} more)" if more else ""
    return f"    {'you' if role == 'user' else 'model'}: {''.join(pieces)}{_clean(excerpt[done:])}{others}"


def _clean(text: str) -> str:
    """Make a piece of a line harmless and keep the spaces at its ends."""
    line = one_line(text)
    return f"{' ' if text[:1] == ' ' else ''}{line}{' ' if line and text[-1:] == ' ' else ''}"


def local_minute(ts: float) -> str:
    """Return seconds since 1970 as a date and a time of here."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts))
    except (ValueError, OverflowError, OSError):  # a clock that was far off
        return "????-??-?? ??:??"


def folder_name(cwd: str) -> str:
    """Return a folder as a user writes it, harmless."""
    home = os.environ.get("HOME", "")
    near = home and (cwd == home or cwd.startswith(home + os.sep))
    return one_line(f"~{cwd[len(home) :]}" if near else cwd, "exact")


def show(folders: Folders, session_id: str) -> int:
    """Print a session as Markdown."""
    out(store_export.as_markdown(_loaded(folders, session_id)))
    return 0


def export(folders: Folders, session_id: str, form: str, *, raw: bool = False) -> int:
    """Print a session as md, json or html."""
    how: Literal["md", "json", "html"] = "json" if form == "json" else "html" if form == "html" else "md"
    text = store_export.export(_loaded(folders, session_id), how, raw=raw)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _loaded(folders: Folders, session_id: str) -> Session:
    session = load(folders.sessions, session_id)
    for line in session.notes:
        note(line)
    return session
