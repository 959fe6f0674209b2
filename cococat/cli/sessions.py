"""`sessions`: what was said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from cococat.cli.flags import (
    Command,
    Flag,
    Invocation,
    Job,
    calls,
    count_of,
    folders_of,
    refuse_both,
    session_id,
    settings_of,
    shared,
    text_of,
)
from cococat.errors import UsageError

FORMS = ("md", "json", "html")
DAYS = {"": 1, "d": 1, "day": 1, "days": 1, "h": 1 / 24, "w": 7, "m": 30, "y": 365}
BYTES = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12}
BYTES |= {"tb": 10**12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
SEARCH = """
Find what you or a model said.

WORDS stand in one message; "phrases in quotes" and beginnings like word* may be among them.

Capitals and accents make no difference. The newest session comes first.
"""
DELETE = """
Delete sessions for good, with what their tools kept.

No dream reads what was said in them any more. Lines of the memory that rest on them alone are named, and go with
`cococat dream --review`.
"""
PRUNE = """
Delete old sessions; none that is open.

Without flags the limits are sessions.keep_days, keep_count and keep_bytes of the config. Those are also applied
whenever a chat ends. 0 is no limit.
"""


def _list(given: Invocation) -> Job:
    refuse_both(given, "--all", "--limit")
    limit = 0 if given.has("--all") else count_of(given, "--limit")
    from cococat.app.sessions import browse

    return partial(browse.list_all, folders_of(given), limit=limit, as_json=given.has("--json"))


def _search(given: Invocation) -> Job:
    wanted = " ".join(map(text_of, given.words))
    from cococat.app.sessions import browse

    return partial(browse.search, folders_of(given), wanted, limit=count_of(given, "--limit") or 0)


def _export(given: Invocation) -> Job:
    wanted, form = _id(given), given.text("--format") or ""
    if form not in FORMS:
        raise UsageError(f"--format: wanted one of md, json, html, got {ascii(form)[:40]}", "e.g. --format md")
    from cococat.app.sessions.browse import export

    return partial(export, folders_of(given), wanted, form, raw=given.has("--raw"))


def _delete(given: Invocation) -> Job:
    from cococat.app.sessions import prune

    return partial(prune.delete, folders_of(given), tuple(map(session_id, given.words)), yes=given.has("--yes"))


def _prune(given: Invocation) -> Job:
    from cococat.app.sessions.prune import Keep, prune

    days = _amount(given, "--older-than", DAYS, "a time such as 30d, 12h or 2w", "30d")
    size = _amount(given, "--max-bytes", BYTES, "a size such as 500MB, 2GB or 1GiB", "500MB")
    limits = Keep(days, count_of(given, "--keep"), None if size is None else int(size))
    return partial(prune, settings_of(given), limits, dry_run=given.has("--dry-run"), yes=given.has("--yes"))


def _id(given: Invocation) -> str:
    return session_id(given.words[0])


def _amount(given: Invocation, flag: str, units: Mapping[str, float], wanted: str, example: str) -> float | None:
    """Read a number with its unit; None where it was not given."""
    if (text := given.text(flag)) is None:
        return None
    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([a-z]*)", text.strip().lower())
    if found is None or found[2] not in units:
        raise UsageError(f"{flag}: wanted {wanted}, got {ascii(text)[:40]}", f"e.g. {flag} {example}")
    return float(found[1]) * units[found[2]]


CONFIG = shared("config")
YES = Flag("--yes", "", "Do not ask.", short="-y")
SESSIONS = Command(
    "Look at what was said, and clear it away.",
    examples=(
        """cococat sessions search '"blue sky"'""",
        "cococat sessions export 01K --format html > talk.html",
        "cococat sessions prune --older-than 30d --dry-run",
    ),
    below={
        "list": Command(
            "List the sessions, newest first; on a terminal the newest 50.",
            _list,
            [
                Flag("--limit", "N", "The newest N alone."),
                Flag("--all", "", "All of them, on a terminal too."),
                Flag("--json", "", "For machines."),
                *CONFIG,
            ],
            examples=(
                "cococat sessions list",
                "cococat sessions list --limit 5",
                "cococat sessions list --all --json | jq length",
            ),
        ),
        "search": Command(
            SEARCH,
            _search,
            [Flag("--limit", "N", "Sessions at most; 0: all.", default="20"), *CONFIG],
            ["WORDS"],
            1,
            many=True,
            examples=(
                "cococat sessions search parser",
                """cococat sessions search '"blue sky" refract*'""",
                "cococat sessions search port --limit 3",
            ),
        ),
        "show": Command(
            "Print session ID, or the one that begins so.",
            calls("sessions.browse.show", folders_of, _id),
            CONFIG,
            ["ID"],
            1,
            examples=(
                "cococat sessions show 01K",
                "cococat sessions show 01K | less",
                "cococat sessions show 01K > talk.md",
            ),
        ),
        "export": Command(
            "Print session ID as Markdown, JSON or HTML.",
            _export,
            [
                Flag("--format", "md|json|html", "As what.", default="md"),
                Flag("--raw", "", "json: with what providers gave with messages."),
                *CONFIG,
            ],
            ["ID"],
            1,
            examples=(
                "cococat sessions export 01K > talk.md",
                "cococat sessions export 01K --format html > talk.html",
                "cococat sessions export 01K --format json | jq .",
            ),
        ),
        "delete": Command(
            DELETE,
            _delete,
            [YES, *CONFIG],
            ["ID..."],
            1,
            many=True,
            examples=(
                "cococat sessions delete 01K",
                "cococat sessions delete 01K 01J",
                "cococat sessions delete 01K --yes",
            ),
        ),
        "prune": Command(
            PRUNE,
            _prune,
            [
                Flag("--older-than", "30d", "Not used for so long."),
                Flag("--keep", "N", "All but the newest N."),
                Flag("--max-bytes", "500MB", "The oldest beyond this size, pictures included."),
                Flag("--dry-run", "", "Only show what would be deleted."),
                YES,
                *CONFIG,
            ],
            examples=(
                "cococat sessions prune --older-than 30d --dry-run",
                "cococat sessions prune --keep 100",
                "cococat sessions prune --max-bytes 500MB --yes",
            ),
        ),
        "repair": Command(
            "Fix the log of session ID, and say what was fixed.",
            calls("sessions.prune.repair", folders_of, _id),
            CONFIG,
            ["ID"],
            1,
            examples=(
                "cococat sessions repair 01K",
                "cococat doctor --session 01K",
                "cococat sessions repair 01K > repaired.txt",
            ),
        ),
    },
)
