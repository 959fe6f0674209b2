"""How help looks: the flags of a command in groups, aligned, in the order in which they are declared, and examples of each command."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import typer

from cococat.app.help_style import for_stdout
from cococat.cli.help_layout import laid_out

if TYPE_CHECKING:
    from typer._click.core import Command, Context
    from typer._click.formatting import HelpFormatter

__all__ = ["EXAMPLES", "Grouped", "GroupedBelow"]

ASK_ALONE = frozenset({"no_stdin"})  # flags
WIDE = 26  # columns; a longer flag has its text on the next line
REST = "Options"  # of flags that name no group
WHOLE = 10_000  # characters of a sentence about a command: all of it
EXAMPLES = {
    "chat": (
        "cococat chat -c",
        'cococat chat --permission edits "fix the failing test"',
        "cococat chat -m gpt-4.1-mini -f notes.txt",
    ),
    "ask": (
        'git diff | cococat ask "review this"',
        'cococat ask -f notes.txt "summarise" > summary.md',
        'while read -r q; do cococat ask "$q" </dev/null; done < questions.txt',
    ),
    "dream": ("cococat dream --dry-run", "cococat dream --review", "cococat dream undo"),
    "dream log": ("cococat dream log", "cococat dream log | head -5", "cococat dream log | grep held"),
    "dream show": ("cococat dream show 1", "cococat dream show 12", "cococat dream show 12 | less"),
    "dream diff": ("cococat dream diff 1", "cococat dream diff 12", "cococat dream diff 12 > dream.patch"),
    "dream undo": ("cococat dream undo", "cococat dream undo 12", "cococat dream undo 1"),
    "memory": ("cococat memory search Berlin", "cococat memory why 7", "cococat memory rm 7"),
    "memory show": ("cococat memory show", "cococat memory show | less", "cococat memory show | grep tea"),
    "memory path": (
        "cococat memory path",
        'wc "$(cococat memory path)"',
        'cp "$(cococat memory path)" backup.md',
    ),
    "memory edit": (
        "cococat memory edit",
        "EDITOR=nano cococat memory edit",
        'VISUAL="code --wait" cococat memory edit',
    ),
    "memory search": (
        "cococat memory search Berlin",
        "cococat memory search allergic to",
        "cococat memory search tea | head -3",
    ),
    "memory why": ("cococat memory why 7", "cococat memory why allergic to nuts", "cococat memory why 7 | less"),
    "memory rm": ("cococat memory rm 7", "cococat memory rm allergic to nuts", "cococat memory rm lives in Berlin"),
    "memory test": (
        "cococat memory test",
        "cococat memory test --last 3 --max-tokens 50000",
        "cococat memory test -P local --yes",
    ),
    "sessions": (
        """cococat sessions search '"blue sky"'""",
        "cococat sessions export 01K --format html > talk.html",
        "cococat sessions prune --older-than 30d --dry-run",
    ),
    "sessions list": (
        "cococat sessions list",
        "cococat sessions list --limit 5",
        "cococat sessions list --all --json | jq length",
    ),
    "sessions search": (
        "cococat sessions search parser",
        """cococat sessions search '"blue sky" refract*'""",
        "cococat sessions search port --limit 3",
    ),
    "sessions show": (
        "cococat sessions show 01K",
        "cococat sessions show 01K | less",
        "cococat sessions show 01K > talk.md",
    ),
    "sessions export": (
        "cococat sessions export 01K > talk.md",
        "cococat sessions export 01K --format html > talk.html",
        "cococat sessions export 01K --format json | jq .",
    ),
    "sessions delete": (
        "cococat sessions delete 01K",
        "cococat sessions delete 01K 01J",
        "cococat sessions delete 01K --yes",
    ),
    "sessions prune": (
        "cococat sessions prune --older-than 30d --dry-run",
        "cococat sessions prune --keep 100",
        "cococat sessions prune --max-bytes 500MB --yes",
    ),
    "sessions repair": (
        "cococat sessions repair 01K",
        "cococat doctor --session 01K",
        "cococat sessions repair 01K > repaired.txt",
    ),
    "replay": ("cococat replay 01K", "cococat replay 01K --speed 4", "cococat replay 01K --from 2"),
    "config": ("cococat config init", "cococat config set model.name gpt-4.1-mini", "cococat config show"),
    "config path": (
        "cococat config path",
        '"$EDITOR" "$(cococat config path)"',
        'ls -l "$(cococat config path)"',
    ),
    "config show": (
        "cococat config show",
        "cococat config show --json | jq .file",
        "cococat config show -P local",
    ),
    "config init": (
        "cococat config init",
        "cococat config init --config work.toml",
        'cococat config init && "$EDITOR" "$(cococat config path)"',
    ),
    "config get": (
        "cococat config get model.name",
        "cococat config get permissions.allow",
        "cococat config get profiles.local.name",
    ),
    "config set": (
        "cococat config set model.name gpt-4.1-mini",
        "cococat config set terminal.theme light",
        "cococat config set profiles.local.base_url http://127.0.0.1:11434/v1",
    ),
    "models": (
        "cococat models",
        "cococat models --base-url http://127.0.0.1:11434/v1",
        "cococat models | grep mini",
    ),
    "tools": (
        "cococat tools",
        "cococat tools --permission edits",
        "cococat tools --allow 'run_shell(git status)'",
    ),
    "doctor": ("cococat doctor", "cococat doctor --probe", "cococat doctor --session 01K"),
    "completion": (
        'eval "$(cococat completion bash)"',
        'eval "$(cococat completion zsh)"',
        "cococat completion fish | source",
    ),
}


class Grouped(typer.core.TyperCommand):  # Typer takes nothing but subclasses
    """A command whose help shows each flag below its `rich_help_panel`."""

    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **given)
        if name == "chat":  # it shares a function with `ask`
            self.params = [one for one in self.params if one.name not in ASK_ALONE]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the groups into *formatter*."""
        _write_groups(self, ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002 - the signature is Click's
        """Write the examples into *formatter*, with a heading like the others."""
        _write_examples(self, formatter)

    def get_help(self, ctx: Context) -> str:
        """Return the page for the screen at hand, with colours where it is shown on a terminal."""
        return _page(super().get_help(ctx))


class GroupedBelow(typer.core.TyperGroup):  # as above
    """The same of a command that has others below it."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the groups and the commands into *formatter*."""
        _write_groups(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a whole sentence of each command into *formatter*, however narrow it is."""
        below = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(WHOLE)) for name, one in below if one])

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002 - the signature is Click's
        """Write the examples into *formatter*, with a heading like the others."""
        _write_examples(self, formatter)

    def get_help(self, ctx: Context) -> str:
        """Return the page for the screen at hand, with colours where it is shown on a terminal."""
        return _page(super().get_help(ctx))


def _write_groups(command: Command, ctx: Context, formatter: HelpFormatter) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if record := parameter.get_help_record(ctx):
            groups.setdefault(getattr(parameter, "rich_help_panel", None) or REST, []).append(record)
    groups[REST] = groups.pop(REST)  # --help is in it, and it stands last
    width = min(WIDE, max(len(name) for rows in groups.values() for name, _ in rows))
    for title, rows in groups.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=WIDE)


def _write_examples(command: Command, formatter: HelpFormatter) -> None:
    if command.epilog:
        formatter.write(f"\n{command.epilog}\n")


def _page(text: str) -> str:
    return for_stdout(laid_out(text, shutil.get_terminal_size().columns))
