"""`completion`: what Tab offers in bash, zsh and fish, as a text made from the flags themselves."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from cococat.cli.commands import COMMANDS
from cococat.cli.flags import Command, Flag, Invocation, Job, command_of
from cococat.config import find_folders
from cococat.errors import UsageError

VERSION = Flag("--version", "", "Print the version.", short="-V")
HELP = Flag("--help", "", "Tell what it takes.", short="-h")
Offer: TypeAlias = tuple[str, ...] | Literal["files", "folders", "prompts"] | None  # None: nothing is offered


@dataclass(frozen=True, slots=True)
class _Level:
    """The words before the cursor that name a command, and what may follow them."""

    words: str  # joined by spaces, with one in front; empty behind the program's own name
    commands: tuple[tuple[str, str], ...]  # name, help; or the choices of an argument
    flags: tuple[Flag, ...]


def _completion(given: Invocation) -> Job:
    shell = given.words[0] if given.words else ""
    if shell not in SCRIPTS:
        got = f", got {ascii(shell)[:40]}" if shell else ""
        raise UsageError(f"SHELL: wanted one of {', '.join(SCRIPTS)}{got}", 'e.g. eval "$(cococat completion bash)"')
    return partial(_print, SCRIPTS[shell])


def _print(script: Callable[[Sequence[_Level]], str]) -> int:
    sys.stdout.write(script(_places()))
    return 0


def _places() -> list[_Level]:
    commands = {name: command_of(name) for name in COMMANDS}
    commands = dict(sorted(commands.items(), key=lambda item: bool(item[1].below)))  # as the other helps list them
    chat, *others = (place for name, command in commands.items() for place in _walk(command, f" {name}"))
    helped = _Level(" help", tuple((name, "") for name in COMMANDS), ())
    own = _Level("", (*_named(commands), ("help", "Tell what a command takes.")), (VERSION, *chat.flags))
    return [own, chat, *others, helped]


def _walk(command: Command, words: str) -> Iterator[_Level]:
    """The place of a command and those of its subcommands."""
    choices = tuple((choice, "") for metavar in command.takes for choice in _choices(metavar))
    flags = (*(flag for flag in command.flags if not flag.hidden), HELP)
    yield _Level(words, (*_named(command.below), *choices), flags)
    for name, below in command.below.items():
        yield from _walk(below, f"{words} {name}")


def _named(commands: Mapping[str, Command]) -> tuple[tuple[str, str], ...]:
    """Each name with the first sentence of its help."""
    return tuple(
        (name, re.sub(r"(?<=\.)\s.*", "", command.help.strip(), flags=re.DOTALL)) for name, command in commands.items()
    )


def _value(flag: Flag) -> Offer:
    kinds: Mapping[str, Offer] = {"PATH": "files", "FILE": "files", "DIR": "folders", "template": "prompts"}
    return kinds.get(flag.takes) or kinds.get(flag.option) or _choices(flag.takes) or None


def _choices(metavar: str) -> tuple[str, ...]:
    """What `text|json` lists; nothing for NAME."""
    return tuple(metavar.split("|")) if "|" in metavar else ()


def _prompts() -> str:
    """The folder of the user's prompts, as one word; what is in it is looked for at each Tab."""
    return _quoted(str(find_folders(os.environ).config_file.parent / "prompts"))


def _quoted(text: str) -> str:
    """*text* as one word of any of the three shells."""
    return "'" + text.replace("\\", "").replace("'", "`") + "'"


def _nodes(places: Sequence[_Level]) -> str:
    """The pattern of a `case` that every command's words match."""
    return "|".join(_quoted(place.words) for place in places if place.words)


def _values(places: Sequence[_Level], offer: Callable[[Offer], str]) -> Iterator[str]:
    """The arms of a `case`: behind which flags which values are offered; equal ones share an arm."""
    arms: dict[Offer, list[str]] = {}
    for place in places:
        for flag in place.flags:
            if flag.takes:
                arms.setdefault(_value(flag), []).extend(_quoted(f"{place.words} {name}") for name in flag.names)
    for value, patterns in arms.items():
        yield f"        {'|'.join(patterns)})\n            {offer(value)}\n            return ;;\n"


def _bash(places: Sequence[_Level]) -> str:
    def offer(value: Offer) -> str:
        match value:
            case None:
                return ":"
            case "files" | "folders":
                names = f"compgen -{'d' if value == 'folders' else 'f'}"
                return f"local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($({names} -- \"$cur\"))"
            case "prompts":
                names = f"compgen -G {_prompts()}'/*.md' | sed -n 's:.*/\\([a-z][a-z0-9_-]*\\)[.]md$:\\1:p'"
                return f'COMPREPLY=($(compgen -W "$({names})" -- "$cur"))'
        return f'COMPREPLY=($(compgen -W "{" ".join(value)}" -- "$cur"))'

    words = "".join(
        f"        {_quoted(place.words)})\n"
        f"            commands={_quoted(' '.join(name for name, _ in place.commands))}\n"
        f"            flags={_quoted(' '.join(name for flag in place.flags for name in flag.names))} ;;\n"
        for place in places
    )
    return f"""\
# cococat in bash: eval "$(cococat completion bash)" in ~/.bashrc
_cococat() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} place='' commands='' flags='' i
    COMPREPLY=()
    if [[ $cur == '=' ]]; then cur=''
    elif [[ $prev == '=' ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${{COMP_WORDS[i]}} == -- ]] && return
        [[ $i == 1 && ${{COMP_WORDS[i]}} == -* ]] && place=' chat'
        case "$place ${{COMP_WORDS[i]}}" in {_nodes(places)}) place="$place ${{COMP_WORDS[i]}}" ;; esac
    done
    case "$place $prev" in
{"".join(_values(places, offer))}    esac
    case "$place" in
{words}    esac
    [[ $cur == -* ]] && commands=$flags
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
}}
complete -F _cococat cococat
"""


def _zsh(places: Sequence[_Level]) -> str:
    def offer(value: Offer) -> str:
        match value:
            case None:
                return ":"
            case "files" | "folders":
                return "_files -/" if value == "folders" else "_files"
            case "prompts":
                return f"compadd -- {_prompts()}/[a-z]*.md(N:t:r)"
        return f"compadd -- {' '.join(value)}"

    def rows(pairs: Sequence[tuple[str, str]]) -> str:
        return " ".join(_quoted(f"{name}:{text}" if text else name) for name, text in pairs)

    words = "".join(
        f"        {_quoted(place.words)})\n"
        f"            commands=({rows(place.commands)})\n"
        f"            flags=({rows([(name, flag.help) for flag in place.flags for name in flag.names])}) ;;\n"
        for place in places
    )
    return f"""\
#compdef cococat
# cococat in zsh: eval "$(cococat completion zsh)" in ~/.zshrc, behind compinit
_cococat() {{
    local cur=${{words[CURRENT]}} prev=${{words[CURRENT-1]}} place='' i
    local -a commands flags
    for ((i = 2; i < CURRENT; i++)); do
        [[ ${{words[i]}} == -- ]] && return
        [[ $i == 2 && ${{words[i]}} == -* ]] && place=' chat'
        case "$place ${{words[i]}}" in ({_nodes(places)}) place="$place ${{words[i]}}" ;; esac
    done
    if [[ $cur == --*=* ]]; then prev=${{cur%%=*}}; compset -P '*='; fi
    case "$place $prev" in
{"".join(_values(places, offer))}    esac
    case "$place" in
{words}    esac
    if [[ $cur == -* ]]; then _describe -o flag flags; else _describe command commands; fi
}}
if [[ ${{funcstack[1]}} == _cococat ]]; then _cococat "$@"; else compdef _cococat cococat; fi
"""


def _fish(places: Sequence[_Level]) -> str:
    def lines(place: _Level) -> Iterator[str]:
        condition = f'test (__cococat_place) = "{place.words}"'
        here = f"complete -c cococat -n '{condition}'"
        for name, text in place.commands:
            yield f"{here} -a {name}" + (f" -d {_quoted(text)}" if text else "")
        for flag in place.flags:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
            yield f"{here} {names}{offer(flag)} -d {_quoted(flag.help)}"

    def offer(flag: Flag) -> str:
        match _value(flag):
            case None:
                return " -x" if flag.takes else ""
            case "files":
                return " -r -F"
            case "folders":
                return " -x -a '(__fish_complete_directories)'"
            case "prompts":
                return " -x -a '(__cococat_prompts)'"
            case choices:
                return f" -x -a {_quoted(' '.join(choices))}"

    nodes = " ".join(_quoted(place.words) for place in places if place.words)
    return f"""\
# cococat in fish: cococat completion fish > ~/.config/fish/completions/cococat.fish
function __cococat_place
    set -l place ''
    set -l words (commandline -opc)
    string match -q -- '-*' "$words[2]"; and set place ' chat'
    for word in $words[2..-1]
        contains -- "$place $word" {nodes}; and set place "$place $word"
    end
    echo "$place"
end
function __cococat_prompts
    set -l files {_prompts()}/*.md
    string replace -rf '.*/([a-z][a-z0-9_-]*)\\.md$' '$1' -- $files
end
complete -c cococat -f
{chr(10).join(line for place in places for line in lines(place))}
"""


SCRIPTS: Mapping[str, Callable[[Sequence[_Level]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
COMPLETION = Command(
    'Print what Tab offers in bash, zsh or fish: eval "$(cococat completion bash)".',
    _completion,
    takes=["|".join(SCRIPTS)],
    examples=(
        'eval "$(cococat completion bash)"',
        'eval "$(cococat completion zsh)"',
        "cococat completion fish | source",
    ),
)
