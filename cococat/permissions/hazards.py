"""What no wildcard covers: words that may make a program run another one or write, and wide removals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from pathlib import Path

from cococat.permissions.paths import inside, sensitive_word
from cococat.permissions.reading import EVALUATORS, INTERPRETERS, MODULES, PROGRAMS, WRITERS, Reads
from cococat.permissions.shell_scan import Word
from cococat.permissions.shell_split import TAKEN, TAKERS, WRAPPERS, Script, Segment, program

# ruff: noqa: SIM905 - long lists of words read better as a text

_REMOVERS = frozenset("rm shred unlink rmdir truncate rimraf srm wipe trash".split())
_MOVERS = frozenset("cd pushd popd chroot nsenter alias hash".split())  # after them a name is another place or program
_LISTERS = frozenset("find fd fdfind ls grep egrep fgrep rg git echo printf".split())
_FILTERS = frozenset("grep egrep fgrep head tail sort uniq cat".split())
_FINDERS = frozenset("find fd fdfind".split())
_NARROWING = re.compile("-(i?name|i?path|i?wholename|i?regex|empty)")
_COPIERS = frozenset("cp ln mv install".split())

# a word that is no option, assignment, script or expression, and names one thing at most
_PLAIN = re.compile(r"(?!.*::)[\w./][\w./:%,^~-]*", re.ASCII)
# a word in a place that the user has named: no option, no assignment, nothing that is evaluated
_PLACED = re.compile(r"(?![-+@])(?!\w+[:+?!]*=)(?!.*(::|[`$;|&<>\n])).+", re.DOTALL)
RUNNERS = frozenset("pytest py.test mypy ruff npm cargo go pip".split())  # they run code or keep caches
_VERSION = re.compile(r"[-.]?\d[\d.]*$")


def proven(argv: Sequence[str], wild: Sequence[int], rest: int) -> bool:
    """
    Return whether wildcards may stand for words of *argv*.

    They may where the table of the program proves that it only reads, and never for paths that are secret or
    protected. Of a program without a table they cover what can be neither an option nor a second file.

    Args:
        argv: a simple command.
        wild: the places of the words that a wildcard stands for.
        rest: where those begin that a final `**` stands for; the user has placed each of the others.
    """
    if any(sensitive_word(argv[place]) for place in wild):
        return False
    start, table = _table(argv, wild)
    if start is None:
        return False
    if table is not None and not table.commands:
        return _only_reads(table, argv, start, frozenset(wild))
    placed = [place for place in wild if place < rest]
    free = [place for place in wild if place >= rest]
    if not all(_PLACED.fullmatch(argv[place]) for place in placed):
        return False
    if not free or table is not None or program(argv[0]) in WRITERS:  # it may write: a user has to place each word
        return not free
    files = [word for at, word in enumerate(argv[1:rest]) if word[0:1] != "-" and (at or re.search("[./]", word))]
    return len(files) + len(free) == 1 and _PLAIN.fullmatch(argv[free[0]]) is not None


def only_reads(argv: Sequence[str]) -> bool:
    """Return whether the table of its program proves that a simple command only reads, and runs nothing of the folder's."""
    if program(argv[0]) in RUNNERS | INTERPRETERS:
        return False
    start, table = _table(argv, ())
    if start is None or table is None or table.commands:
        return False
    return _only_reads(table, argv, start, frozenset(range(start, len(argv))))


def runs_what_it_is_fed(argv: Sequence[str]) -> bool:
    """Return whether a command may run what comes from the one before it: a wrapper, a shell, an interpreter without a script."""
    name = _VERSION.sub("", program(argv[0]))
    bare = name in INTERPRETERS and (len(argv) == 1 or argv[1] == "-")
    return bare or bool({name, program(argv[0])} & (WRAPPERS | EVALUATORS))


def _table(argv: Sequence[str], wild: Sequence[int]) -> tuple[int | None, Reads | None]:
    """Return where the words of the program begin and its table, if it has one; no place for one that runs what it is told."""
    names = {program(argv[0]), _VERSION.sub("", program(argv[0]))}
    if names & (WRAPPERS | EVALUATORS):
        return None, None
    if names & INTERPRETERS:
        return _interpreted(argv, wild)
    known = argv[0].removeprefix("/usr").removeprefix("/bin/")  # a program of the folder's own may bear any name
    start, table = 1, PROGRAMS.get(known)
    while table and table.commands and start < len(argv):
        word = argv[start]
        if word in table.commands:
            table = table.commands[word]
        elif not (word.startswith("--") and word[2:] in table.long):
            return (None, None) if start in wild else (start, table)
        start += 1
    return start, table


def _interpreted(argv: Sequence[str], wild: Sequence[int]) -> tuple[int | None, Reads | None]:
    """The same for `python -m MODULE` and `python SCRIPT`, where the user has named what runs."""
    named = 2 if argv[1:2] == ("-m",) else 1
    if named >= len(argv) or any(place <= named for place in wild) or (named == 1 and argv[1].startswith("-")):
        return None, None
    module = program(argv[0]).startswith("python") and named > 1
    if named > 1 and not module:
        return None, None
    table = MODULES.get(argv[named]) if module else None
    start = named + 1
    if table and table.commands:
        if start >= len(argv) or argv[start] not in table.commands:
            return None, None
        return start + 1, table.commands[argv[start]]
    return start, table


def _only_reads(table: Reads, argv: Sequence[str], start: int, wild: AbstractSet[int]) -> bool:
    """Walk through the words as the program does; each that a wildcard stands for must be one that only reads."""
    operands, place = 0, start
    while place < len(argv):
        word = argv[place]
        step = 1
        if word == "--":
            if table.tail:
                return True
        elif word.startswith("-") and word != "-":
            step = _option(table, argv, place)
            if not step and place in wild:
                return False
        else:
            operands += 1
            wanted = table.first if table.first and operands == 1 else table.operand
            fits = not wanted or re.fullmatch(wanted, word, re.DOTALL)
            if place in wild and (not fits or operands > table.operands):
                return False
        place += step or 1
    return True


def _option(table: Reads, argv: Sequence[str], place: int) -> int:
    """Return how many words the option at *place* takes with its value; 0 for one that is not known to read."""
    word = argv[place]
    if table.dashed and re.fullmatch(table.dashed, word, re.DOTALL):
        return 1
    if "--" in argv[:place]:
        return 0
    if word.startswith("--"):
        return 1 if word[2:].partition("=")[0] in table.long else 0
    for at, letter in enumerate(word[1:], 2):
        if letter in table.valued:
            if word[at:]:
                return 1
            value = argv[place + 1 : place + 2]
            return 2 if value and not value[0].startswith("-") else 0
        if letter not in table.flags and not (table.numbers and letter.isdigit()):
            return 0
    return 1


def removal(script: Script, root: Path) -> str:
    """
    Return why a command removes too much to be routine; empty when it does not.

    Args:
        script: everything that may run.
        root: resolved.
    Source: docs/reliability.md, S7.
    """
    reasons = [
        *(_removed_elsewhere(segment, script.segments) for segment in script.segments if _removes(segment)),
        *(_removed_from(segment, root) for segment in script.segments if program(segment[0].text) in _REMOVERS),
        *(_found_and_removed(segment, root) for segment in script.segments if program(segment[0].text) in _FINDERS),
        *(_taken_and_removed(segment, script, root) for segment in script.whole),
        *(_swept(segment, root) for segment in script.segments),
        *("it gives a program that removes files another name" for segment in script.whole if _renames(segment)),
    ]
    return next(filter(None, reasons), "")


def _removes(segment: Segment) -> bool:
    name = program(segment[0].text)
    return name in _REMOVERS or (name == "find" and any(word.text == "-delete" for word in segment))


def _renames(segment: Segment) -> bool:
    copies = program(segment[0].text) in _COPIERS
    return copies and any("/" in word.text and program(word.text) in _REMOVERS for word in segment[1:])


def _removed_elsewhere(segment: Segment, every: Sequence[Segment]) -> str:
    before = every[: every.index(segment)]
    linked = any(program(other[0].text) in ("ln", "mount") for other in before)
    moved = any(program(other[0].text) in _MOVERS or _leads(other) for other in every)
    return "it changes the folder and removes files" if linked or moved else ""


def _leads(segment: Segment) -> bool:
    """Return whether a wrapper changes the folder, as in `env -C`."""
    return program(segment[0].text) in ("env", "sudo", "doas", "systemd-run", "unshare") and any(
        re.match("-[a-zA-Z]*[CD]|--(ch?d?i?r?|wor|wd|root)", word.text) for word in segment[1:]
    )


def _removed_from(segment: Segment, root: Path) -> str:
    texts = [word.text for word in segment]
    ended = texts.index("--") if "--" in texts else len(texts)
    for at, word in enumerate(segment):
        own = at and not (word.text == "{}" or word == TAKEN or (word.text.startswith("-") and at <= ended))
        if own and (why := _too_wide(word.text, root, fixed=word.fixed)):
            return why
    return ""


def _found_and_removed(segment: Segment, root: Path) -> str:
    """The same for what `find` removes itself, or has removed."""
    name, texts = program(segment[0].text), [word.text for word in segment]
    runs = any(re.match("-(exec|ok)|-[xX]$|--exec", text) for text in texts)
    removes = any(program(text) in _REMOVERS for text in texts[1:]) or any(
        re.search(rf"\b({'|'.join(_REMOVERS)})\b", text) for text in texts[1:] if re.search(r"\s", text)
    )
    if not ("-delete" in texts and name == "find") and not (
        runs and removes and (name != "find" or "{}" in " ".join(texts))
    ):
        return ""
    return _wide_find(segment, root)


def _wide_find(segment: Segment, root: Path) -> str:
    texts = [word.text for word in segment]
    if program(texts[0]) != "find" or any(re.match("-(L|H|follow|files0-from)", text) for text in texts):
        return "which files it removes is not known before it runs"
    first = next((at for at, text in enumerate(texts) if at and re.match("[-(!]", text) and text != "-P"), len(texts))
    ways = re.split(r"\0(?:-o|-or|,)\0", "\0".join(texts[first:]))
    narrow = not {"!", "-not"}.intersection(texts) and all(map(_narrows, ways))
    for word in [word for word in segment[1:first] if word.text != "-P"] or [Word(".")]:
        why = _too_wide(word.text, root, fixed=word.fixed)
        if why and not (narrow and word.fixed and inside(root, word.text) == ()):
            return why
    return ""


def _narrows(way: str) -> bool:
    """Return whether the tests of `find` in *way*, each word ended by a NUL, leave out most files by their name."""
    words = way.split("\0")
    return any(
        _NARROWING.match(word) and (word == "-empty" or bool(re.search(r"[^*?./]", "".join(words[at + 1 : at + 2]))))
        for at, word in enumerate(words)
    )


def _taken_and_removed(segment: Segment, script: Script, root: Path) -> str:
    """The same for what `xargs` is fed."""
    names = [program(word.text) for word in segment]
    if not TAKERS.intersection(names) or not _REMOVERS.intersection(names) or ":::" in names:
        return ""
    if "-a" not in names and not any(name.startswith("--arg-file") for name in names):
        feed, filtered = script.feeds.get(segment), False
        while feed and program(feed[0].text) in _FILTERS and script.feeds.get(feed):
            filtered = filtered or program(feed[0].text) != "cat"
            feed = script.feeds[feed]
        if segment not in script.feeds or (
            feed and program(feed[0].text) in _LISTERS and _lists_inside(feed, root, filtered=filtered)
        ):
            return ""
    return "which files it removes is not known before it runs"


def _lists_inside(feed: Segment, root: Path, *, filtered: bool) -> bool:
    """Return whether what a command prints are names below the folder, and not all of them."""
    name, texts = program(feed[0].text), [word.text for word in feed]
    if name in ("echo", "printf"):
        words = [word for word in feed[1:] if not word.text.startswith(("-", "%"))]
        return not any("\\" in word.text or _too_wide(word.text, root, fixed=word.fixed) for word in words)
    if name == "find":
        return not _wide_find(feed, root) or (filtered and not _wide_find((*feed, Word("-name"), Word("x")), root))
    if not all(word.fixed or not re.search("[$~{]", word.text) for word in feed):
        return False
    listed = name in ("ls", "fd", "fdfind") or "ls-files" in texts
    narrow = filtered or not listed or any("*" in text for text in texts)
    return narrow and all(inside(root, text.lstrip("-")) is not None for text in texts[1:])


def _swept(segment: Segment, root: Path) -> str:
    """The same for programs that remove with a word or an option of theirs."""
    name, texts = program(segment[0].text), [word.text for word in segment[1:]]
    sweeps = {
        "rsync": any(re.match("--(del|remove-source)", text) for text in texts),
        "git": bool({"clean", "remove", "rm"}.intersection(texts)),
    }
    if not sweeps.get(name):
        return ""
    places = [(re.sub("^(-C|--[^=]*=?)", "", word.text), word) for word in segment[1:]]
    reasons = (_too_wide(text, root, fixed=word.fixed) for text, word in places if text)
    return next((why for why in reasons if why and "whole" not in why), "")


def _too_wide(text: str, root: Path, *, fixed: bool) -> str:
    if not fixed and re.search(r"[$~{]", text):
        return f"what it removes is not known before it runs ({text})"
    stem, rest = (text, "") if fixed else _stem(text)
    if any(part[0:1] in (".", "[") and fnmatchcase("..", part) for part in rest.split("/")):
        return f"what it removes is not known before it runs ({text})"
    parts = inside(root, stem) if fixed or not text.startswith("/") or stem else None
    if parts is None:
        return f"it removes files outside the folder ({text})"
    if not parts:
        return f"it removes the whole folder ({text})"
    return ""


def _stem(text: str) -> tuple[str, str]:
    """Part a pattern into the folder that is certain, and the rest."""
    known = re.split(r"[*?\[]", text, maxsplit=1)[0].rpartition("/")[0]
    return known, text[len(known) :]
