"""From words to a call of the composition root."""

from __future__ import annotations

import inspect
import re
import shlex
from functools import partial
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from cococat.app import about
from cococat.app import doctor as checks
from cococat.app.ask import ask
from cococat.app.dream import log, memory
from cococat.app.dream.commands import ByHand, by_hand
from cococat.app.sessions import browse, prune
from cococat.cli.commands import COMMANDS, OVERVIEW
from cococat.cli.flags import FLAGS, command_of, read_plain
from cococat.cli.main import main
from cococat.cli.parse import application, parse
from cococat.config import Folders, Options, Settings
from cococat.config.settings import rules
from cococat.errors import CococatError, ConfigError, UsageError

ROOT = Path(__file__).resolve().parents[2]
AUTO = {"theme": "auto"}
EXAMPLES = {  # of each command and of each below one
    " ".join((name, *below)): command.examples
    for name in COMMANDS
    for below, command in (
        ((), command_of(name)),
        *(((below,), command) for below, command in command_of(name).below.items()),
    )
}


def call(*words):
    """The call that the words come to: (function, positional arguments, keyword arguments)."""
    job = parse(words)
    return job.func, job.args, job.keywords


def test_ask_joins_nothing_and_takes_flags_anywhere():
    """Words before and after flags are the prompt, in order."""
    function, (settings, options, words), _ = call("ask", "why", "-m", "x", "is", "--mode=single", "it")

    assert (ask, ("why", "is", "it")) == (function, words)
    assert ("x", "--model", "single") == (settings.model.name, str(settings.origins["model.name"]), settings.mode)
    assert Options() == options


@pytest.mark.parametrize(
    "words",
    [
        ("chat",),
        ("ask", "why", "-m", "x", "is", "--mode=single", "it", "--", "-c"),
        ("chat", "-c", "--fork", "-f", "a", "--file=b", "--allow", "read_file", "-o", "top_p=1", "-q"),
        ("ask", "-", "-r", "01abc", "--system=", "--max-steps", "3", "-m", "a", "--model", "b"),
        ("dream", "--dry-run", "-q", "--output-format=json"),
        ("dream", "undo", "2"),
        ("memory", "search", "a", "b"),
        ("sessions", "delete", "01h", "01J", "-y"),
        ("sessions", "search", "--limit=3", "a"),
        ("config", "set", "mode", "react"),
        ("replay", "01h", "--from", "2"),
        ("tools", "--allow", "read_file", "--root", "."),
        ("completion", "fish"),
    ],
    ids=" ".join,
)
def test_flags_come_to_the_same_whichever_way_they_were_read(monkeypatch, words):
    """What the table reads comes to the very call that Typer would make."""
    monkeypatch.setenv("COCOCAT_MODEL", "m")
    short, whole = read_plain(words), parse(words)

    assert (short.func, short.args, short.keywords) == (whole.func, whole.args, whole.keywords)


WORDS = ("hi", "-", "--", "", "-m", "--model", "--model=x", "-mx", "-c", "-cq", "--fork", "--fork=1", "-f", "a b", "-h")


@given(st.sampled_from([name.split() for name in EXAMPLES]), st.lists(st.sampled_from(WORDS), max_size=6))
def test_what_the_table_takes_for_plain_typer_reads_the_same_way(name, words):
    """Of every command, whatever the order; what Typer refuses, or answers with help, is not plain."""
    plain = outcome(read_plain, [*name, *words])
    if plain is not None:
        assert plain == outcome(parse, [*name, *words])


def outcome(reading, words):
    """A call, or why there is none."""
    try:
        job = reading(words)
    except CococatError as error:
        return error.message
    return (job.func, job.args, job.keywords) if isinstance(job, partial) else job


def test_every_flag_of_the_table_arrives_somewhere():
    """It becomes a setting or a field of the options that there is, unless it is --config; only one becomes each."""
    keys = [flag.key for flag in FLAGS.values() if flag.key and flag.name != "--no-sandbox"]  # which undoes --sandbox
    fields = [flag.option for flag in FLAGS.values() if flag.option]

    assert {"--config"} == {flag.name for flag in FLAGS.values() if bool(flag.key) == bool(flag.option)}
    assert sorted(set(keys)) == sorted(keys)
    assert set(keys) <= {*rules()}
    assert sorted(Options.__slots__) == sorted(fields)


def test_every_shared_flag_arrives(tmp_path):
    """Flags that are settings go into the settings, the others into the options."""
    _, (settings, options, words), _ = call(
        *("chat", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--mode", "react"),
        *("-s", "be brief", "-f", "a.txt", "-f", "b.txt", "-r", "01abc", "--fork", "--root", str(tmp_path)),
        *("--permission", "plan", "--allow", "read_file", "--allow", "run_shell(git *)"),
        *("--no-tools", "--no-dream", "--no-session", "--max-steps", "9", "--max-tokens", "1000"),
        *("--max-seconds", "2.5", "--min-tool-calls", "1", "--output-format", "json", "--color", "never", "-v"),
    )

    assert () == words
    assert ("m", "http://127.0.0.1:1/v1", "react") == (settings.model.name, settings.model.base_url, settings.mode)
    assert snapshot(("plan", ("read_file", "run_shell(git *)"))) == (
        settings.permissions.mode,
        settings.permissions.allow,
    )
    assert (9, 1000, 2.5, 1) == (
        settings.agent.max_steps,
        settings.agent.max_total_tokens,
        settings.agent.max_seconds,
        settings.agent.min_tool_calls,
    )
    assert (
        Options(
            system="be brief",
            files=(Path("a.txt"), Path("b.txt")),
            resume="01ABC",
            fork=True,
            root=tmp_path,
            tools=False,
            dream=False,
            session=False,
            output_format="json",
            color="never",
            verbose=True,
        )
        == options
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("ask", "--", "--yolo", "-m", "x"), ("--yolo", "-m", "x")),
        (("ask", "-"), ("-",)),
        (("ask", "hello --config=/tmp/x --permission auto"), ("hello --config=/tmp/x --permission auto",)),
        (("ask",), ()),
        (("ask", "a", "--", "--", "b"), ("a", "--", "b")),
        (("chat", "--continue", "hi"), ("hi",)),
    ],
)
def test_a_prompt_is_never_read_as_flags(given, words):
    """What stands behind `--`, or inside one word, is text."""
    _, (settings, _, found), _ = call(*given)

    assert words == found
    assert ("gpt-4.1-mini", "ask-first") == (settings.model.name, settings.permissions.mode)


@pytest.mark.parametrize(
    ("given", "function", "rest", "keywords"),
    [
        (("dream",), by_hand, (Options(), ByHand()), {}),
        (("dream", "--dry-run", "-q"), by_hand, (Options(quiet=True), ByHand(dry_run=True)), {}),
        (("dream", "log"), log.log, (), {}),
        (("dream", "show", "3"), log.show, (3,), AUTO),
        (("dream", "diff", "3"), log.diff, (3,), AUTO),
        (("dream", "undo"), log.undo, (None,), AUTO),
        (("dream", "undo", "2"), log.undo, (2,), AUTO),
        (("memory", "show"), memory.show, (), {}),
        (("memory", "path"), memory.path, (), {}),
        (("memory", "edit"), memory.edit, (), {}),
        (("sessions", "list"), browse.list_all, (), {"limit": None, "as_json": False}),
        (("sessions", "list", "--all", "--json"), browse.list_all, (), {"limit": 0, "as_json": True}),
        (("sessions", "list", "--limit", "5"), browse.list_all, (), {"limit": 5, "as_json": False}),
        (("sessions", "search", "red", '"blue sky"'), browse.search, ('red "blue sky"',), {"limit": 20}),
        (("sessions", "delete", "01h", "01J", "-y"), prune.delete, (("01H", "01J"),), {"yes": True}),
        (("sessions", "prune"), prune.prune, (prune.Keep(None, None, None),), {"dry_run": False, "yes": False}),
        (
            ("sessions", "prune", "--older-than", "2w", "--keep", "9", "--max-bytes", "1.5GB", "--dry-run"),
            prune.prune,
            (prune.Keep(14.0, 9, 1_500_000_000),),
            {"dry_run": True, "yes": False},
        ),
        (("sessions", "repair", "01H"), prune.repair, ("01H",), {}),
        (("doctor", "--session", "01h"), checks.doctor_session, ("01H",), {"as_json": False}),
        (("sessions", "show", "01h"), browse.show, ("01H",), {}),
        (("sessions", "export", "01H"), browse.export, ("01H", "md"), {"raw": False}),
        (("sessions", "export", "01H", "--format", "html"), browse.export, ("01H", "html"), {"raw": False}),
        (("models",), about.models, (), {}),
        (("tools",), about.tools, (Options(),), {}),
        (("doctor",), checks.doctor, (Options(),), {"as_json": False}),
        (("doctor", "--json"), checks.doctor, (Options(),), {"as_json": True}),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) and part and isinstance(part[0], str) else "",
)
def test_each_command_calls_its_function(given, function, rest, keywords):
    """Every command of the contract comes to one call, the settings first, or the folders where they are enough."""
    found, (first, *arguments), named = call(*given)

    assert (function, rest, keywords) == (found, tuple(arguments), named)
    assert isinstance(first, Settings if "settings" in inspect.signature(function).parameters else Folders)


@pytest.mark.parametrize("words", [("memory", "show"), ("sessions", "list"), ("dream", "log")], ids=" ".join)
def test_a_command_that_reads_no_setting_still_refuses_a_bad_config(words, home):
    """A config file that makes no sense is told by whichever command is first to meet it."""
    (home / "config.toml").write_text("[agent]\nmax_stepz = 3\n")

    with pytest.raises(ConfigError, match="max_stepz"):
        parse(words)


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        (("ak",), "no such command 'ak'", "did you mean 'ask'?"),
        (("zzz",), "no such command 'zzz'", "cococat ask WORDS"),
        (("memory", "shw"), "no such command 'shw'", "did you mean 'show'?"),
        (("memory",), "missing command", "`cococat memory --help`"),
        (("ask", "--modell", "x"), "no such flag: --modell", "did you mean --model?"),
        (("ask", "--modle", "x"), "no such flag: --modle", "did you mean --model?"),
        (("ask", "-y"), "no such flag: -y", "stand behind `--`"),
        (("-c",), "no such flag: -c", "cococat chat -c"),
        (("ask", "--model"), "option '--model' requires an argument", "--help"),
        (("config", "set", "mode"), "missing argument 'VALUE'", "`cococat config set --help`"),
        (("ask", "--max-steps", "-1"), "--max-steps: wanted a whole number from 1 to 200, got -1", "15"),
        (("ask", "--max-steps", "1e9"), "--max-steps: wanted a whole number", "15"),
        (("ask", "--max-seconds", "nan"), "--max-seconds: wanted a number", "0"),
        (("ask", "--mode", "reakt"), "--mode: wanted one of single, react", "did you mean react?"),
        (("ask", "--permission", "auto-edit"), "--permission: wanted one of plan", "did you mean auto?"),
        (("ask", "--color", "alway"), "--color: wanted one of auto, always, never", "did you mean always?"),
        (("ask", "--output-format", "xml"), "--output-format: wanted one of text", "e.g. --output-format text"),
        (("ask", "--resume", "../../etc"), "--resume: wanted 1 to 26 digits and letters", "sessions list"),
        (("ask", "--resume", ""), "--resume: wanted 1 to 26 digits and letters", "sessions list"),
        (("doctor", "--session", "../x"), "--session: wanted 1 to 26 digits and letters", "sessions list"),
        (("sessions", "delete", "01H", "../x"), "ID: wanted 1 to 26 digits and letters", "sessions list"),
        (("sessions", "list", "--all", "--limit", "3"), "--all and --limit", "one of them"),
        (("sessions", "list", "--limit", "-1"), "--limit: wanted a whole number", "20"),
        (("sessions", "prune", "--older-than", "soon"), "--older-than: wanted a time such as 30d", "30d"),
        (("sessions", "prune", "--max-bytes", "1XB"), "--max-bytes: wanted a size such as 500MB", "500MB"),
        (("sessions", "show", "01HO"), "ID: wanted 1 to 26 digits and letters", "sessions list"),
        (("sessions", "export", "01H", "--format", "pdf"), "--format: wanted one of md, json, html", "--format md"),
        (("dream", "show", "0"), "N: wanted the number of a dream, got '0'", "dream log"),
        (("ask", "-c", "-r", "01H"), "--continue and --resume", "one of them"),
        (("ask", "--fork"), "--fork has no session to copy", "--continue"),
        (("ask", "-q", "-v"), "--quiet and --verbose", "one of them"),
        (("ask", "--root", "/no/such/folder"), "--root: '/no/such/folder' is no folder", "exists"),
        (("ask", "--config", ""), "--config: names no file", "--config FILE"),
        (("config", "get", "model.nam"), "model.nam: unknown key", "did you mean model.name?"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_what_makes_no_sense_is_refused_with_a_way_out(given, message, hint):
    """Usage errors are ours in form: what is wrong, what to do, exit code 2."""
    with pytest.raises(UsageError) as caught:
        parse(given)

    assert message in caught.value.message
    assert hint in caught.value.hint
    assert (2, False) == (caught.value.exit_code, "\n" in caught.value.message)


def test_a_word_in_a_foreign_encoding_becomes_text():
    """Bytes that the locale could not read arrive as UTF-8, and rubbish as U+FFFD."""
    _, (_, _, words), _ = call("ask", "caf\udcc3\udca9", "\udcff", "naïve")

    assert ("café", "\ufffd", "naïve") == words


def test_the_overview_and_the_commands_agree(capsys):
    """The static text of `cococat --help` names every command, and flags that exist; it fits 80 columns."""
    commands = typer.main.get_command(application("")).commands
    parse(["ask", "--help"])
    flags = capsys.readouterr().out

    told = re.findall(r"^  ([a-z]+) .*", OVERVIEW, re.MULTILINE)
    shown = re.findall(r"--[a-z-]+", OVERVIEW.partition("The most used")[2].partition("COMMAND")[0])

    assert list(commands) == sorted(set(told) & set(commands), key=list(commands).index)
    assert len(shown) > 5
    assert [] == [flag for flag in shown if flag not in flags]
    assert [] == [line for line in OVERVIEW.split("\n") if len(line) > 80]


@pytest.mark.parametrize("name", ["ask", "chat"])
def test_the_static_help_is_what_the_flags_say(capsys, name):
    """Who adds a flag writes the text again: `cococat NAME - --help > cococat/cli/NAME.txt`."""
    parse([name, "--help"])

    assert capsys.readouterr().out == (ROOT / "cococat" / "cli" / f"{name}.txt").read_text("ascii")


def page_of(name, columns, capsys, monkeypatch):
    """The help of a command, or the overview, on a screen of so many columns."""
    monkeypatch.setenv("COLUMNS", str(columns))
    main([*name.split(), "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("name", ["", *EXAMPLES])
def test_help_fits_every_screen_and_breaks_no_word(capsys, monkeypatch, name, columns):
    """Each page says the same words on each screen; an example that is broken is still one command of a shell."""
    wide, page = (page_of(name, screen, capsys, monkeypatch) for screen in (10_000, columns))

    assert [] == [row for row in page.splitlines() if len(row) > columns]
    assert wide.split() == page.replace(" \\\n", " ").split()
    assert 1 == page.count("Usage:")


@pytest.mark.parametrize("columns", [40, 60])
def test_texts_of_help_stand_in_one_column_on_a_narrow_screen(capsys, monkeypatch, columns):
    """Beside the flags where half of the screen is left for them, else below each flag."""
    page = page_of("ask", columns, capsys, monkeypatch).partition("\nTools:\n")[2].partition("\nExamples:")[0]

    rows = [row for row in page.splitlines() if row.startswith("   ")]
    assert {6 if columns == 40 else 30} == {len(row) - len(row.lstrip()) for row in rows if "--" not in row}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_command_shows_three_examples_that_can_be_run(capsys, home, name):
    """They stand in its help as they are to be typed, and the command line takes them."""
    (home / "config.toml").write_text('[profiles.local]\nname = "qwen3:8b"\n')
    assert parse([*name.split(), "--help"]) is None
    shown = capsys.readouterr().out.partition("\nExamples:\n")[2].split("\n")  # a heading like the others

    found = [line.strip() for line in shown if line.strip()]
    assert 3 == len(found)
    assert list(EXAMPLES[name]) == found
    for example in found:
        words = shlex.split(re.split(r" [|>]|&& |\)\"", example[example.index("cococat ") :])[0])
        assert name.split()[0] in {words[1], "sessions"}
        assert parse(words[1:]) is not None, example


def test_no_command_is_without_examples():
    """Those below another one have their own."""
    groups = typer.main.get_command(application("")).commands

    below = [f"{name} {one}" for name, group in groups.items() for one in getattr(group, "commands", ())]
    assert len(below) > 20
    assert sorted([*groups, *below]) == sorted(name for name, shown in EXAMPLES.items() if shown)


@pytest.mark.parametrize(
    "words", [["dream"], ["replay"], ["doctor"], ["memory", "test"], ["config", "show"]], ids=" ".join
)
def test_the_flags_of_a_command_stand_in_groups_the_common_ones_last(capsys, words):
    """What is the command's own comes first; --config and --help are at the end of every page."""
    parse([*words, "--help"])
    page = capsys.readouterr().out

    groups = dict(re.findall(r"\n([A-Z]\w+):\n((?:  .*\n)+)", page))
    named = [name for name in groups if name not in ("Commands", "Examples")]
    assert len(named) > 1
    assert "Options" == named[-1]
    assert {"--config", "--help"} <= set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", groups["Options"], re.MULTILINE))


@pytest.mark.parametrize("name", ["dream", "memory", "sessions", "config"])
def test_no_subcommand_is_told_of_in_half_a_sentence(capsys, name):
    """Nothing is cut for want of room, nor at the full stop of an abbreviation."""
    parse([name, "--help"])

    rows = capsys.readouterr().out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert len(rows) > 3
    assert [] == [row for row in rows if not row.endswith(".") or row.endswith(("...", "e.g."))]


def test_flags_stand_in_groups_below_each_other(capsys):
    """All that say which model answers are together, and every text of the page begins in one column."""
    parse(["ask", "--help"])
    page = capsys.readouterr().out

    model = page.partition("\nModel:\n")[2].partition("\n\n")[0]
    assert ["--model", "--base-url", "--profile", "--option"] == re.findall(
        r"^  (?:-\w, )?(--[a-z-]+)", model, re.MULTILINE
    )
    assert ["Tools", "Model", "Conversation", "Limits", "Output", "Options", "Examples"] == re.findall(
        r"^(\w+):$", page, re.MULTILINE
    )
    assert 1 == len({len(row) - len(row.lstrip()) for row in page.splitlines() if row.startswith(" " * 10)})
