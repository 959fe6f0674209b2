"""Permission rules: `tool`, `tool(pattern)`, or `server__*` for all tools of a server.

A pattern names one simple command word by word (`*` one word, a last `**` the rest), a path below
the root (`*`, `?` within a component, `**` any number of them), or a host by labels.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from glob import iglob
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath

from cococat.core.tools import Declared
from cococat.permissions.hazards import only_reads, proven
from cococat.permissions.network import host_labels
from cococat.permissions.paths import compile_pattern, inside
from cococat.permissions.reading import WRITERS
from cococat.permissions.shell_scan import Word, scan
from cococat.permissions.shell_split import TAKERS, VARIES, Script, Segment, program, quote

# ruff: noqa: SIM905 - long lists of words read better as a text

MAX_ENDS = 8  # words that a rule may end behind, besides the command itself: each is tried against the whole command
MAX_NAMED = 3  # words that say what a program is told to do, as in `python -m unittest`
_REST = Word("**", fixed=False)
_ONE = Word("*", fixed=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """
    A parsed rule.

    Args:
        pattern: as it was written; None for the bare tool.
        words: of a pattern for a tool that runs a command.
        path: of a pattern for a tool that takes a path.
        labels: of a pattern for a tool that takes an address.
    """

    tool: str
    pattern: str | None = None
    words: tuple[Word, ...] = ()
    path: re.Pattern[str] | None = None
    labels: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """It names one command, path or host, without wildcards."""
        if self.pattern is None:
            return False
        if self.words:
            return all(word.fixed for word in self.words)
        return "*" not in re.sub(r"\\.", "", self.pattern) and "?" not in re.sub(r"\\.", "", self.pattern)


def parse_rule(text: str, declared: Declared) -> Rule:
    """
    Read one rule.

    Args:
        declared: says what a tool is about, and so how its pattern is read.
    Raises: ValueError: what is wrong with it, and what a right one looks like.
    """
    match = re.fullmatch(r"\s*(\w[\w.-]*(?:__\*)?)\s*(?:\((.*)\)\s*)?", text, re.DOTALL)
    if not match:
        raise ValueError(f"{text!r} is no rule; write `tool` or `tool(pattern)`, as in run_shell(git status)")
    tool, pattern = match.groups()
    if pattern is None:
        return Rule(tool)
    if not pattern.strip():
        raise ValueError(f"{text!r} has an empty pattern; write {tool} to mean every call")
    try:
        match known.about if (known := declared(tool)) else None:
            case "command":
                return Rule(tool, pattern, words=_shell_pattern(pattern))
            case "url":
                return Rule(tool, pattern, labels=host_labels(pattern.strip()))
            case "path":
                return Rule(tool, pattern, path=compile_pattern(pattern))
            case None:
                pass
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from error
    raise ValueError(f"{text!r}: {tool} takes no pattern; write {tool}")


def covers_tool(rule: Rule, name: str) -> bool:
    """Return whether *rule* is about the tool *name*, with or without a pattern."""
    return rule.tool == name or (rule.tool.endswith("__*") and name.startswith(rule.tool[:-1]))


def command_rule(tool: str, argv: Sequence[str]) -> str:
    """Write the rule that covers exactly this command."""
    return f"{tool}({quote(argv)})"


def offered_rules(tool: str, argv: Sequence[str]) -> tuple[str, ...]:
    """
    Write the rules that cover a command and name what it does, its program and what that is told to do, the shortest first.

    What varies behind that is `**`; the last is the command itself, alone where no wildcard may stand for anything.
    """
    named = next((at for at, word in enumerate(argv[1:], 1) if not word.startswith("-")), 0) + 1
    first = min(named, MAX_NAMED)
    shorter = [
        f"{tool}({quote(argv[:length])} **)"
        for length in range(first, min(len(argv), first + MAX_ENDS))
        if covers_command(Rule(tool, "", words=(*(Word(word) for word in argv[:length]), _REST)), argv)
    ]
    return (*shorter, command_rule(tool, argv))


def covers_command(rule: Rule, argv: Sequence[str]) -> bool:
    """Return whether an allow rule with a pattern covers a simple command; wildcards cover what is proven to read."""
    words = rule.words
    rest = words[-1] == _REST
    fixed = words[:-1] if rest else words
    if len(argv) < len(fixed) or (len(argv) > len(fixed) and not rest):
        return False
    if any(word.fixed and word.text != given for word, given in zip(fixed, argv, strict=False)):
        return False
    wild = [place for place in range(len(argv)) if place >= len(fixed) or not fixed[place].fixed]
    return not wild or proven(argv, wild, len(fixed))


def denies_command(rule: Rule, segment: Segment) -> bool | None:
    """
    Return whether a deny rule names one of the commands that may run.

    A deny rule holds for everything that begins with its words, and for the program in any folder. Options are a
    set: they may be bundled, written out, and stand anywhere.
    Returns: None when that cannot be known.
    """
    wanted = [word for word in rule.words if word != _REST]
    name, given = wanted[0].text, segment[0]
    known = given.fixed or not VARIES.search(program(given.text))
    if known and name not in (given.text, program(given.text)):
        other = any("/" in word.text and program(word.text) == program(name) for word in segment[1:])
        return None if other else False  # it may be copied, or given a name
    options, operands = _sorted(segment[1:], glued=True)
    needed, named = _sorted(wanted[1:], glued=False)
    sure = [
        True if given.fixed else None,
        *(_has_option(option, options, name) for option in needed),
        _has_operands(named, operands),
    ]
    if all(sure):
        return True
    unknown = any(not word.fixed and word.text[0:1] in "-$<*?[{" for word in segment[1:])
    return None if unknown and _has_operands(named, operands) is not False else min(sure, key=_CERTAINTY.index)


_CERTAINTY = (False, None, True)
_LETTERS = {
    "recursive": "rR",
    "force": "f",
    "all": "a",
    "interactive": "i",
    "verbose": "v",
    "quiet": "q",
    "delete": "d",
}
_WHOLE = frozenset("find java go terraform openssl ffmpeg convert".split())  # programs whose `-word` is no bundle


def _sorted(words: Sequence[Word], *, glued: bool) -> tuple[list[str], list[tuple[str, bool]]]:
    """Part words into options and operands; marked is what may be the value of an option, *glued* to it too."""
    options: list[str] = []
    operands: list[tuple[str, bool]] = []
    ended = value = False
    for word in words:
        text = word.text if word.fixed else re.sub(r"^[$<*?\[{].*", "*", word.text)
        if text == "--" and not ended:
            ended = True
        elif text.startswith("-") and text != "-" and not ended:
            options.append(text)
            value = "=" not in text
            tail = text.partition("=")[2] or (text[2:] if text[1] != "-" else "")
            operands += [(tail, True)] if tail and glued else []
            continue
        else:
            operands.append((text, value and not ended))
        value = False
    return options, operands


def _has_option(wanted: str, options: Sequence[str], name: str) -> bool | None:
    """Return whether a command has an option; None when it has one that may be the same."""
    if wanted in options:
        return True
    names = [option.partition("=")[0] for option in options]
    letters = {letter for option in names if not option.startswith("--") for letter in option[1:]}
    long = [option[2:] for option in names if option.startswith("--")]
    if wanted.startswith("--"):
        word = wanted[2:].partition("=")[0]
        if any(option and word.startswith(option) for option in long) or letters.intersection(_LETTERS.get(word, "")):
            return True if "=" not in wanted else None
        return None if word[0].lower() in {letter.lower() for letter in letters} else False
    if name in _WHOLE and len(wanted) > 2:  # noqa: PLR2004 - more than one letter
        return False
    found = [_has_letter(letter, letters, long) for letter in wanted[1:]]
    return min(found, key=_CERTAINTY.index)


def _has_letter(letter: str, letters: AbstractSet[str], long: Sequence[str]) -> bool | None:
    same = {letter, *(each for group in _LETTERS.values() if letter in group for each in group)}
    if letters & same or any(
        word.startswith(option) for option in long if option for word, group in _LETTERS.items() if letter in group
    ):
        return True
    either = {each.lower() for each in letters} | {option[0].lower() for option in long if option}
    return None if letter.lower() in either else False


def _has_operands(named: Sequence[tuple[str, bool]], operands: Sequence[tuple[str, bool]]) -> bool | None:
    """Return whether operands begin with those that are named; None when some may be values of options."""
    place, sure = 0, True
    for text, _ in named:
        while place < len(operands):
            given, value = operands[place]
            place += 1
            if given == "*" and text != "*":
                sure = False
                break
            if text in ("*", given):
                break
            if not value:
                return False
            sure = False
        else:
            return None if any(pattern == "*" for pattern, _ in operands) else False
    return True if sure else None


def denies_paths(rule: Rule, script: Script, root: Path, *, writes: bool) -> bool | None:
    """
    Return whether a command works on a path that a deny rule names.

    Args:
        root: resolved; where the command begins.
        writes: the rule keeps from writing there, else from reading.
    Returns: None when that cannot be known.
    """
    places = _places(script, root)
    look = _Look(rule, root, places or [root], writes)
    found = {look.word(word, sure=True) for operator, word in script.targets if _goes(operator, writes)}
    found |= {None for text in script.codes for part, _ in _paths(text) if look.text(part, sure=False) is not False}
    takers = [segment for segment in script.certain if segment in script.feeds and _taker(segment) not in NAMING]
    for segment in script.certain:
        found |= set(look.words(segment, taken=bool(takers)))
    listed = NAMING | FILTERS | {"git"}
    if not writes and any(not (feed := script.feeds[taker]) or program(feed[0].text) not in listed for taker in takers):
        found.add(None)
    return True if True in found else None if None in found or places is None else False


FILTERS = frozenset("grep egrep fgrep rg head tail sort uniq".split())
PRINTERS = frozenset(
    "echo printf : true false exit return export pwd date sleep set kill wait command type which hash trap gh".split()
)  # open none of their words
NAMING = PRINTERS | frozenset(
    "ls cd pushd popd test [ mkdir rmdir stat du find fd fdfind tree realpath basename dirname".split()
)
RECURSIVE = frozenset("grep egrep fgrep zgrep diff cp scp".split())
DESCENDING = frozenset("rg ag ack tar zip rsync 7z".split())
MAX_NAMES = 5000  # that a pattern may stand for, or that a command may have
_DESCENDS = re.compile(r"-[^-]*[rRa]|--(rec|arc|dereference-rec)")


def _taker(segment: Segment) -> str:
    """Return the program that `xargs` starts in a command; `echo`, which is its own choice, where there is none."""
    names = [program(word.text) for word in segment]
    at = next((place for place, name in enumerate(names, 1) if name in TAKERS), len(names))
    return next((name for name in names[at:] if not re.match(r"[-{]|\d+$", name)), "echo")


def _goes(operator: str, writes: bool) -> bool:
    return operator != "<<<" and (">" in operator if writes else "<" in operator)


def _places(script: Script, root: Path) -> list[Path] | None:
    """Return every folder in which a part of *script* may run; None when that cannot be known."""
    places = [root]
    for segment in script.segments:
        texts = [word.text for word in segment]
        moves = program(texts[0]) in ("cd", "pushd")
        for at, word in enumerate(segment[1:], 1):
            led = re.fullmatch("(-C|--chdir=|--directory=)(.*)", word.text)
            if not led and (
                word.text.startswith("-") or not (moves or texts[at - 1] in ("-C", "--chdir", "--directory"))
            ):
                continue
            text = os.path.expanduser(led[2] if led else word.text)  # noqa: PTH111 - an unknown user is no error
            if not (word.fixed or (text != word.text and not VARIES.search(text))) or len(places) > MAX_PLACES:
                return None
            places += [Path(os.path.normpath(place / text)) for place in places if text]
    return list(dict.fromkeys(places))


MAX_PLACES = 16


@dataclass(frozen=True, slots=True)
class _Look:
    """Looks for the paths of a deny rule in the words of commands that may run in *places*."""

    rule: Rule
    root: Path
    places: Sequence[Path]
    writes: bool

    def words(self, segment: Segment, *, taken: bool) -> Iterator[bool | None]:
        """Look at the words of a command; *taken*: what it prints may be the names of files for another one."""
        name, argv = program(segment[0].text), [word.text for word in segment]
        if (name in PRINTERS and not taken) or (self.writes and only_reads(argv)):
            return
        runs = any(re.match("-(exec|ok)|-[xX]$|--exec", text) for text in argv)
        naming = name in NAMING and not taken and not runs and not (name == "find" and "-delete" in argv)
        sure = not self.writes or name in WRITERS
        message = argv[:2] == ["git", "commit"]
        for at, word in enumerate(segment):
            if word.fixed or (at and not message):
                yield self.word(word, sure=sure, naming=naming)
        descends = (
            (name in DESCENDING and not (name == "tar" and re.match("-?[a-zA-Z]*[xt]", " ".join(argv[1:2]))))
            or (name in NAMING and (taken or runs))
            or (name == "git" and "grep" in argv)
            or (name in RECURSIVE and any(map(_DESCENDS.match, argv)))
        )
        if descends and not self.writes:
            folders = [
                place / text
                for place in self.places
                for text in argv[1:]
                if inside(place, text) is not None and _is_folder(place / text)
            ]
            implied = [] if name in NAMING and len(argv) > 1 and name != "find" else self.places
            yield None if any(map(self._leads_to, folders or implied)) else False

    def word(self, word: Word, *, sure: bool, naming: bool = False) -> bool | None:
        """Look at one word."""
        text = word.text if word.fixed else os.path.expanduser(word.text)  # noqa: PTH111 - as above
        text = text.replace("{}", "")  # a name that is looked at where it comes from
        if word.fixed or not VARIES.search(text):
            found = (self.text(part, sure=sure and certain, naming=naming) for part, certain in _paths(text))
            return max(found, key=_CERTAINTY.index)
        if text in ("<(", ">("):
            return False  # what stands in it is looked at for itself
        if re.search(r"[$~{<>]", text):
            return None
        head, _, tail = text.rpartition("/")
        names = [name for place in self.places for name in _matching(text, place)]
        names += [
            f"{name}/{tail}" for place in self.places for name in _matching(head, place)
        ]  # a file that is made yet
        if len(names) >= MAX_NAMES:
            return None
        return max((self.text(name, sure=sure, naming=naming) for name in (*names, text)), key=_CERTAINTY.index)

    def text(self, text: str, *, sure: bool, naming: bool = False) -> bool | None:
        """Look at what may be a path."""
        for place in self.places:
            parts = inside(self.root, str(place / text)) if text else None
            if parts is None:
                continue
            below = not naming and denies_path(self.rule, (*parts, "x")) and _is_folder(self.root.joinpath(*parts))
            if below or denies_path(self.rule, parts):
                return True if sure else None
        return False

    def _leads_to(self, folder: Path) -> bool:
        """Return whether what the rule names may lie below *folder*, or the other way round."""
        parts = inside(self.root, str(folder))
        known = list(
            takewhile(lambda part: not re.search(r"[*?\\]", part), PurePosixPath(self.rule.pattern or "").parts)
        )
        return parts is not None and all(
            mine.lower() == theirs.lower() for mine, theirs in zip(parts, known, strict=False)
        )


def _matching(pattern: str, place: Path) -> Iterator[str]:
    return islice(iglob(pattern, root_dir=place), MAX_NAMES)  # noqa: PTH207 - as a shell does it


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path raises for a name that is too long


def _paths(text: str) -> list[tuple[str, bool]]:
    """What of a word may be a path, and whether it is one where the word is."""
    parts = [(text, True), (re.sub(r"^(--[\w-]+=|-\w|@|[\w.]+=@?)", "", text), True), (text.rpartition(":")[2], True)]
    if re.search(r"[\s'\"(){};,]", text):
        parts += [(part, False) for part in re.findall(r"[\w./~@%+-]+", text)[:MAX_NAMES]]
    return list(dict.fromkeys(parts))


def covers_path(rule: Rule, parts: Sequence[str]) -> bool:
    """Return whether a path rule names the path with these components below the root."""
    return rule.path is not None and rule.path.fullmatch("/".join(parts)) is not None


def denies_path(rule: Rule, parts: Sequence[str]) -> bool:
    """Return whether a deny rule names this path; case makes no difference, as on some file systems."""
    return (
        rule.path is not None
        and re.fullmatch(rule.path.pattern, "/".join(parts), re.IGNORECASE | re.DOTALL) is not None
    )


def covers_host(rule: Rule, host: str) -> bool:
    """Return whether a host rule names *host*, label by label."""
    given, wanted = host.split("."), rule.labels
    if wanted and wanted[0] == "**":
        wanted = wanted[1:]
        if len(given) <= len(wanted):
            return False
        given = given[len(given) - len(wanted) :]
    return len(given) == len(wanted) and all(mine in ("*", theirs) for mine, theirs in zip(wanted, given, strict=True))


def _shell_pattern(pattern: str) -> tuple[Word, ...]:
    found = scan(pattern)
    words = tuple(word for segment in found.segments for word in segment)
    strange = [reason for reason in found.oddities if reason != "an unquoted `*`"]
    if found.broken or strange:
        raise ValueError(f"a rule covers one simple command, this has {', '.join(strange) or 'an open quote'}")
    if not words[0].fixed:
        raise ValueError("the first word must name the program")
    for word in words:
        if not word.fixed and word not in (_ONE, _REST):
            raise ValueError(f"`*` stands for a whole word; quote it in {word.text!r} to mean the character")
    if _REST in words[:-1]:
        raise ValueError("`**` may only be the last word")
    return words
