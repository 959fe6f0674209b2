"""Reading of shell commands: one simple command word by word, or everything that might run.

Two readings of the same text, each wrong only on the safe side: `simple` gives up on anything but
plain words; `read` finds more commands than there are, and says where it cannot.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from cococat.permissions.reading import EVALUATORS, INTERPRETERS
from cococat.permissions.shell_scan import Scan, Word, scan

# ruff: noqa: SIM905 - long lists of words read better as a text

MAX_COMMAND = 10_000  # characters of a command that a rule may cover
MAX_DEPTH = 6  # nested texts that are followed
MAX_WORDS = 500  # of one command behind a wrapper
KEYWORDS = frozenset(
    "if then else elif fi do done case esac while until for in function select time coproc { } ! [[ ]]".split()
)
WRAPPERS = frozenset(
    "env sudo doas su xargs parallel timeout nice ionice nohup setsid stdbuf chroot unshare nsenter command builtin "
    "exec eval source . trap sh bash dash zsh ksh fish ash busybox watch flock strace ltrace script ssh "
    "start-stop-daemon runuser setpriv chrt taskset time entr".split()
)
SHELLS = frozenset("sh bash dash zsh ksh mksh fish ash rbash".split())
FED = frozenset("at batch crontab parallel su".split())  # programs besides that run what they are fed
CARRIERS = WRAPPERS | EVALUATORS | {"find", "fd", "fdfind", "docker", "podman", "kubectl", "git", "toybox"}
HOLDERS = CARRIERS - WRAPPERS - FED - {"docker", "podman", "kubectl", "toybox"}  # most of their words are no commands
TAKERS = frozenset("xargs parallel".split())  # they put what they are fed into the words of a command
CODED = INTERPRETERS | {"awk", "gawk", "mawk"}  # their code may hold commands
LISTERS = frozenset("find fd fdfind git rg".split())  # print the names of files
TAKEN = Word("$<", fixed=False)  # the words that a taker puts in
_INPUTS = frozenset("- /dev/stdin /dev/fd/0 /proc/self/fd/0".split())
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=")
_GLUED = re.compile(r"--[\w-]+=|-\w|[\w.-]+=")  # what a script may stand behind in its own word
_TEXT = re.compile(r"[\s;&|$`(){}<>]")
_SOURCED = frozenset({"BASH_ENV", "ENV", "PROMPT_COMMAND"})  # scripts that a shell runs by itself
_ARITHMETIC = re.compile(r"\(.*\)", re.DOTALL)
VARIES = re.compile(r"[$*?\[{~<>]")
_VERSION = re.compile(r"[-.]?\d[\d.]*$")
_NUMBER = re.compile(r"\d+(\.\d+)?[smhd]?")
_HARMLESS = frozenset({"`;`", "more than one line", "a comment", "a continued line"})  # round one command
_JOINING = _HARMLESS | {"`|`", "`||`", "`&&`", "`>`", "`<`"}  # between simple commands
_FREE = frozenset(  # redirections that touch no file
    [(">", "/dev/null"), (">>", "/dev/null"), ("<", "/dev/null"), (">&", "1"), (">&", "2")]
)
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why a text is not one simple command."""

    reason: str


Segment: TypeAlias = tuple[Word, ...]


def commands(command: str) -> tuple[tuple[str, ...], ...] | Unclear:
    """
    Return the simple commands that *command* joins by `|`, `&&`, `||`, `;` or a newline.

    Redirections to and from /dev/null and `2>&1` write and read nothing, and are left out.
    """
    one = simple(command)
    if isinstance(one, tuple) or os.name == "nt" or len(command) > MAX_COMMAND:
        return (one,) if isinstance(one, tuple) else one
    found = scan(command)
    odd = [reason for reason in found.oddities if reason not in _JOINING]
    free = all((operator, word.text) in _FREE and word.fixed for operator, word in found.targets)
    if found.broken or odd or not free or found.bodies or found.announced:
        return one
    parts = [tuple(word.text for word in segment) for segment in found.segments if segment]
    if not parts or any(not part[0] or part[0] in KEYWORDS or _ASSIGNMENT.match(part[0]) for part in parts):
        return one
    return tuple(parts)


def simple(command: str) -> tuple[str, ...] | Unclear:
    """Return the words of *command* when it is one simple command without any expansion."""
    if len(command) > MAX_COMMAND:
        return Unclear(f"the command is longer than {MAX_COMMAND:,} characters")
    if os.name == "nt" and not _PLAIN.fullmatch(command.replace(" ", "_").replace("%", "'")):
        return Unclear("it has characters that cmd.exe reads in its own way")
    found = scan(command)
    if found.broken:
        return Unclear("a quote or bracket is left open")
    parts = [segment for segment in found.segments if segment]
    odd = [reason for reason in found.oddities if len(parts) > 1 or reason not in _HARMLESS]
    if odd:
        return Unclear(f"it has {', '.join(odd)}")
    words = [word.text for segment in parts for word in segment]
    if not words or not words[0]:
        return Unclear("it is empty")
    if words[0] in KEYWORDS:
        return Unclear(f"it has the shell keyword `{words[0]}`")
    if _ASSIGNMENT.match(words[0]):
        return Unclear("it has an assignment")
    return tuple(words)


@dataclass(slots=True)
class Script:
    """
    Everything that a text might run, with what its wrappers, its substitutions and the shells in it are given.

    Args:
        segments: its commands, every later part of one that starts another, and whatever only looks like one.
        whole: the commands as they are written.
        certain: those among them that are commands beyond doubt.
        codes: texts that an interpreter is fed.
        targets: operator and word of each redirection.
        feeds: what each command that is fed something is fed by, where that is one simple command before its `|`.
        unread: why some of what runs cannot be known; empty when all is.
    """

    segments: list[Segment] = field(default_factory=list)
    whole: list[Segment] = field(default_factory=list)
    certain: list[Segment] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    targets: list[tuple[str, Word]] = field(default_factory=list)
    feeds: dict[Segment, Segment | None] = field(default_factory=dict)
    unread: str = ""
    seen: set[_Text] = field(default_factory=set)

    def unclear(self, why: str) -> None:
        """Note the first reason."""
        self.unread = self.unread or why


@dataclass(frozen=True, slots=True)
class _Text:
    """
    A text that may run.

    Args:
        fed: what its shells read, when nothing else is said, comes from outside of it.
        sure: it is a script, not only a word that might be one.
    """

    text: str
    depth: int = field(default=0, compare=False)
    fed: bool = False
    sure: bool = True


def read(command: str) -> Script:
    """Return every command that *command* might run, behind wrappers, in substitutions and in texts for a shell too."""
    script, waiting = Script(), [_Text(command)]
    if re.search("[\0\ud800-\udfff]", command):
        script.unclear("it has a character that no word of a command can have")
        return script
    while waiting:
        text = waiting.pop(0)
        if text not in script.seen:
            script.seen.add(text)
            waiting += _read(script, text)
    script.segments = list(dict.fromkeys(script.segments))
    return script


def _read(script: Script, given: _Text) -> list[_Text]:
    """Add what a text runs, and return the texts that run with it."""
    found = scan(given.text)
    if given.sure:
        script.targets += found.targets
        if found.broken or given.depth == MAX_DEPTH:
            script.unclear("a quote, a bracket or what stands behind `<<` is left open")
    if given.depth == MAX_DEPTH:
        return []
    opened = [word.text for operator, word in found.targets if operator[0] == "<" and operator != "<<<"]
    fed = given.fed or any(text not in ("/dev/null", "-") for text in opened)
    sources = bool(fed or found.pipes or _inputs(found))
    deeper = partial(_Text, depth=given.depth + 1, fed=sources)
    texts = [deeper(text, sure=given.sure and not _ARITHMETIC.fullmatch(text)) for text in found.nested]
    texts += [deeper(text, fed=True, sure=given.sure) for text in found.sinks]
    bare = [_bare(words) for words in found.segments]
    assigned = [word for words in found.segments for word in words if _ASSIGNMENT.match(word.text)]
    texts += [deeper(text, sure=False) for text in _values(assigned)]
    if given.sure and any(word.text.partition("=")[0] in _SOURCED for word in assigned):
        script.unclear("what a shell reads first is only known when it runs")
    for place, segment in ((place, segment) for place, segment in enumerate(bare) if segment):
        parts = _parts(segment)
        before = max((pipe for pipe in found.pipes if pipe <= place), default=0)
        feed = bare[before - 1] if before and found.pipes[before] else ()
        if sources:
            script.feeds[segment] = feed if feed and before == place else None
        script.whole.append(segment)
        script.segments += _taking(script, segment, parts, sure=given.sure)
        if given.sure and _is_command(found, place, len(segment)):
            script.certain.append(segment)
            if (len(segment) > MAX_WORDS and program(segment[0].text) in CARRIERS) or _starts_unknown(parts):
                script.unclear("which program runs is only known when it runs")
        texts += [deeper(text, sure=given.sure and sure) for part in parts for text, sure in _scripts(part)]
        unknown = fed or bool(before and _printed(feed) is None)
        given_to = _fed(script, parts, (*_inputs(found), _printed(feed) or ""), unknown=unknown, sure=given.sure)
        texts += [deeper(text, sure=sure) for text, sure in given_to]
    return texts + ([deeper(text) for text in _written(script, found, bare)] if given.sure else [])


def _fed(
    script: Script, parts: Sequence[Segment], inputs: Sequence[str], *, unknown: bool, sure: bool
) -> list[tuple[str, bool]]:
    """Return the texts that a command runs because it is fed them, and whether they are scripts beyond doubt."""
    if program(parts[0][0].text) not in HOLDERS and any(map(_runs_its_input, parts)):
        if sure and (unknown or any(word.text.startswith("<(") for word in parts[0])):
            script.unclear("what a shell is fed is only known when it runs")
        return [(text, sure) for text in inputs]
    if any(_name(part) in CODED for part in parts):
        script.codes += inputs
        return [(text, False) for text in inputs]
    return []


def _is_command(found: Scan, place: int, length: int) -> bool:
    """Return whether a segment is a command, and no test, list, pattern or arithmetic."""
    words = found.segments[place]
    dropped = words[: len(words) - length]
    pattern = any(other and other[0].text == "case" for other in found.segments) and len(words) == 1
    no_command = place in found.inert or (dropped and dropped[-1].text in ("case", "[[", "for", "select"))
    return not no_command and not (pattern and not words[0].fixed and "$" not in words[0].text)


def _taking(script: Script, segment: Segment, parts: Sequence[Segment], *, sure: bool) -> list[Segment]:
    """The parts of a command that may be known, with what `xargs` puts in."""
    feed = script.feeds.get(segment)
    taken = segment in script.feeds and any(program(word.text) in TAKERS for word in segment)
    more = (TAKEN,) if taken and not (feed and program(feed[0].text) in LISTERS) else ()
    known = [
        part
        for part in parts
        if (sure and part is segment) or part[0].fixed or not VARIES.search(program(part[0].text))
    ]
    parts = known if not sure or program(segment[0].text) in HOLDERS else parts
    return [(*part, *more) for part in parts if not re.match(r"-|\{\}$", part[0].text)]


def _written(script: Script, found: Scan, bare: Sequence[Segment]) -> list[str]:
    """Return the texts that a script writes into a file which it runs."""
    files = {os.path.normpath(word.text) for operator, word in found.targets if ">" in operator and "." in word.text}
    runs = [part for segment in bare if segment for part in _parts(segment)] if files else []
    started = {os.path.normpath(part[0].text) for part in runs}
    for part in runs:
        words = [word.text for word in part[1:] if word.text[:1] != "-"]
        started |= {os.path.normpath(word) for word in words[:1] if program(part[0].text) in SHELLS | {"source", "."}}
    if not files & started:
        return []
    texts = [*_inputs(found), *(text for segment in bare if (text := _printed(segment)) is not None)]
    if not texts:
        script.unclear("it runs what it writes itself")
    return texts


def _inputs(found: Scan) -> list[str]:
    """The texts in a script that a program in it may be fed."""
    return [*found.bodies, *(word.text for operator, word in found.targets if operator == "<<<")]


def quote(words: Sequence[str]) -> str:
    """Write *words* so that a shell, or a rule, reads exactly them; without single quotes."""
    return " ".join(
        word if _PLAIN.fullmatch(word) else '"' + re.sub(r'(["\\$`])', r"\\\1", word) + '"' for word in words
    )


def program(word: str) -> str:
    """The name of the program, without its folder."""
    return word.rpartition("/")[2]


def _name(segment: Segment) -> str:
    """The name of its program, without folder and version."""
    return _VERSION.sub("", program(segment[0].text))


def _bare(words: Sequence[Word]) -> Segment:
    """Drop keywords and assignments in front; what a taker puts in somewhere is not known."""
    start = 0
    while start < len(words) and (words[start].text in KEYWORDS or _ASSIGNMENT.match(words[start].text)):
        own = {"function": 1, "time": int(words[start + 1 : start + 2] == [Word("-p")])}  # words that belong to it
        start += 1 + own.get(words[start].text, 0)
    rest = tuple(words[start:])
    if rest and rest[0].text == "[":
        rest = (Word("["), *rest[1:])  # no pattern
    for at, word in enumerate(rest):
        mark = rest[at + 1].text if word.text == "-I" and rest[at + 1 :] else word.text[2:]
        if (
            mark
            and mark != "{}"
            and word.text.startswith("-I")
            and any(program(each.text) in TAKERS for each in rest[:at])
        ):
            return tuple(
                Word(each.text.replace(mark, f"${mark}"), fixed=False) if place > at + 1 and mark in each.text else each
                for place, each in enumerate(rest)
            )
    return rest


def _parts(segment: Segment) -> list[Segment]:
    """The command, and behind a wrapper all that begins with a later word."""
    many = program(segment[0].text) not in CARRIERS or len(segment) > MAX_WORDS
    return [segment] if many else [segment[place:] for place in range(len(segment))]


def _starts_unknown(parts: Sequence[Segment]) -> bool:
    """Return whether the program of a command, or of one behind its wrapper, is only known to the shell."""
    whole = parts[0]
    name, starts = program(whole[0].text), [whole[0]]
    if name in ("find", "fd", "fdfind"):
        starts += [whole[at] for at in range(1, len(whole)) if re.match("-(exec|ok|x$|X$)|--exec", whole[at - 1].text)]
    elif name in WRAPPERS and not (name == "command" and whole[1:] and whole[1].text in ("-v", "-V")):
        value = False
        for word in whole[1:]:
            if word.text[0:1] in ("-", "+") or _ASSIGNMENT.match(word.text) or _NUMBER.fullmatch(word.text):
                value = bool(re.fullmatch("-[A-Za-z]|--[a-z-]+", word.text))
                continue
            starts.append(word)
            if not value and program(word.text) not in WRAPPERS:
                break
            value = False
        if name in TAKERS and len(starts) > 1 and program(starts[-1].text) in WRAPPERS:
            return True
    return any(not word.fixed and _unknown(word.text) for word in starts)


def _unknown(text: str) -> bool:
    return "{" in text or VARIES.search(program(text)) is not None


def _scripts(segment: Segment) -> list[tuple[str, bool]]:
    """Words of a program that are scripts, as in `sh -c '…'`, and whether that is sure."""
    name = _name(segment)
    words = segment[1:]
    if name == "eval":
        return [(" ".join(word.text for word in words), True)]
    if name not in CARRIERS | CODED | {"sed"}:
        return [(text, False) for text in (segment[0].text, *_values(words)) if re.search(r"\s", text)]
    told = name in SHELLS | {"su", "script", "flock", "runuser", "sg"}
    sure = told and any(re.match("-[a-z]*c", word.text) for word in words)
    texts = [(word.text, sure) for word in words if sure or _TEXT.search(word.text)]
    if name == "trap" and words:
        texts[0:0] = [(words[0].text, True)]
    if name == "sed":
        return [(text, False) for word in words for text in re.findall(r"e\s+(.+)", word.text)]
    if name in CODED:  # a list of words is a command too
        texts += [(re.sub(r"[\[\]{}]", "\n", text).replace(",", " "), False) for text, _ in texts]
    behind = [_GLUED.sub("", word.text, count=1).lstrip("!") for word in words if _GLUED.match(word.text)]
    behind += [text.lstrip("!:") for text, _ in texts if text[0:1] in ("!", ":")]
    return texts + [(text, False) for text in (*behind, *_values(words)) if name == "alias" or _TEXT.search(text)]


def _values(words: Sequence[Word]) -> list[str]:
    """What stands behind the last `=` of each word that has one."""
    return [word.text.rpartition("=")[2] for word in words if "=" in word.text]


def _runs_its_input(segment: Segment) -> bool:
    """Return whether a program runs what it reads from its input, or from a process substitution."""
    name = program(segment[0].text)
    words = [word.text for word in segment[1:]]
    if name in FED:
        return not any(re.match("-[a-z]*c|[^-\\d]", word) for word in words) or name in ("at", "batch", "crontab")
    if name in ("source", "."):
        return words[:1] != [] and (words[0] in _INPUTS or words[0].startswith("<("))
    if name not in SHELLS:
        return False
    value = False
    for word in words:
        if word not in _INPUTS and (value or word[:1] in ("-", "+")):
            if not value and re.match("-[a-z]*s", word):
                return True
            if not value and re.match("-[a-z]*c", word):
                return False
            value = not value and bool(re.search(r"^[-+][a-z]*[oO]$|^--(rcfile|init-file)$", word))
        else:
            return word in _INPUTS or word.startswith("<(")
    return True


def _printed(segment: Segment) -> str | None:
    """What `echo` or `printf` print; None when that is not certain."""
    name = program(segment[0].text) if segment else ""
    words = [word.text for word in segment[1:]]
    if name not in ("echo", "printf") or not all(word.fixed for word in segment):
        return None
    if name == "echo":
        while words and re.fullmatch("-[neE]+", words[0]):
            words = words[1:]
        return None if any("\\" in word for word in words) else " ".join(words)
    words = words[1:] if words[:1] == ["--"] else words
    if words[:1] in (["%s"], ["%s\\n"], ["%s\n"]):
        return "\n".join(words[1:])
    text = " ".join(words[:1]).replace("\\n", "\n")
    return None if re.search(r"[%\\]", text) or words[1:] else text
