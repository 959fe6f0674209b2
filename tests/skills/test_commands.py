"""`cococat skills list|show|check`."""

from __future__ import annotations

import time

import pytest

from cococat.app.chat.slash_commands import slash_commands
from cococat.app.skills.commands import BUILT_IN
from tests.skills.conftest import put
from tests.skills.shapes import SHAPES, written


def test_seventeen_shapes_are_read_as_they_are(cococat, own):
    """Only the description that is too long is cut; none is left out, and all of it takes no time."""
    written(own)
    began = time.process_time()

    ran = cococat("skills", "check")

    assert 0 == ran.code
    assert len(SHAPES) == ran.stdout.count("ok    ")
    [note] = [line for line in ran.stdout.splitlines() if line.startswith("note")]
    assert "model-api: its description has" in note
    assert time.process_time() - began < 5


def test_list_says_whose_each_is_and_what_waits(cococat, home, own, repository):
    """Skills of the user, of the project, prompts; one line each."""
    put(own, "pdf")
    put(repository, "deploy")
    (home / "prompts").mkdir()
    (home / "prompts" / "review.md").write_text("# Review it\nwith care\n")

    ran, none = cococat("skills", "list"), cococat("skills", "show", "none")

    rows = [line.split(maxsplit=2) for line in ran.stdout.splitlines()]
    assert [["deploy", "not", "agreed  About deploy."], ["pdf", "yours", "About pdf."]] == rows[:2]
    assert ["review", "prompt", "Review it"] == rows[2]
    assert (2, True) == (none.code, "cococat skills list" in none.stderr)


def test_the_tool_is_listed_where_there_is_a_skill(cococat, own):
    """With its permission, as every other tool."""
    before = cococat("tools").stdout
    put(own, "pdf")

    [row] = set(cococat("tools").stdout.splitlines()) - set(before.splitlines())

    assert ["skill", "allowed", "reads"] == row.split()[:3]


def test_show_prints_one_as_a_model_reads_it(cococat, home, own, repository):
    """A prompt as it stands; what waits is shown, and said to wait."""
    put(own, "pdf", files={"forms.md": "x"})
    put(repository, "deploy")
    (home / "prompts").mkdir()
    (home / "prompts" / "review.md").write_text("Review $1\n")

    pdf, deploy, review = (cococat("skills", "show", name) for name in ("pdf", "deploy", "review"))

    assert "Do pdf." in pdf.stdout
    assert "forms.md" in pdf.stdout
    assert "Do deploy." in deploy.stdout
    assert "nobody agreed" in deploy.stderr
    assert "Review $1\n" == review.stdout


@pytest.mark.parametrize("path", ["one/pdf", "one/pdf/SKILL.md", "one"])
def test_check_takes_a_skill_or_a_folder_of_them(cococat, tmp_path, path):
    """Wherever it lies; nobody has to agree to be told."""
    put(tmp_path / "one", "pdf")

    ran = cococat("skills", "check", path)

    assert (0, 1) == (ran.code, ran.stdout.count("ok    "))


@pytest.mark.parametrize(("path", "why"), [("none", "there is nothing at"), (".", "there is no SKILL.md in")])
def test_check_of_nothing_ends_with_2(cococat, path, why):
    """It says what a skill is."""
    ran = cococat("skills", "check", path)

    assert (2, True) == (ran.code, why in ran.stderr)


def test_check_tells_which_names_are_taken(cococat, home, own):
    """A command of cococat wins over both, a prompt over a skill; a name that no slash takes is said."""
    (home / "prompts").mkdir()
    for name in ("help", "pdf"):
        (home / "prompts" / f"{name}.md").write_text("Go: !`id`\n")
    for name in ("pdf", "undo", "3d"):
        put(own, name)

    told = cococat("skills", "check").stdout

    assert "help: /help is the command of cococat" in told
    assert "pdf: /pdf is this prompt, and not the skill" in told
    assert "undo: /undo is no command" in told
    assert "3d: /3d is no command" in told
    assert 2 == told.count("stays text")


def test_the_names_of_built_in_commands_are_all_known():
    """What checks names goes by the same list as the chat has."""

    class Anything:
        def __getattr__(self, name):
            return self

    assert {command.name for command in slash_commands(Anything())} == BUILT_IN
