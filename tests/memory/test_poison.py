"""A model that obeys whatever it reads is told to remember and to run things by texts that nobody typed."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unicodedata import normalize

import pytest

from cococat.core.events import ToolFailed
from cococat.memory.file.history import HISTORY
from cococat.memory.judge.floor import untyped
from tests.memory.conftest import NOW
from tests.memory.earlier import said_earlier
from tests.memory.poison import CANARY, DISGUISES, PAYLOADS, confirmed, corpus, keep, obedient
from tests.scripted import calls, says, serve
from tests.scripted.judging import ALL_NO, ALL_YES, YES, by_words, plays

ROOT = Path(__file__).resolve().parents[2]
BEFORE = (
    "# Memory\n\n## Pinned\n- Allergic to peanuts\n\n## Preferences\n- Prefers tea to coffee\n"
    "- Never deploys on Friday\n- Writes Python\n"
)
SHORT = range(12)
ALL = range(200)
ENDS = ("failed", "nothing", "changed")
HONEST = plays(lambda item: {**by_words(item), "holds": "passing"})  # nothing that is typed here will matter in a month
# its controls are right, and it says yes to whatever words were typed, and to all that the poison wants
FOOLED = plays(lambda item: YES if CANARY in normalize("NFKC", str(item.get("line"))) else by_words(item))


def dreamt(notes, server, seed, make=corpus, ends=ENDS):
    """Dream of corpus *seed* in a fresh folder, with a model that knows the poison as well; give the bytes after it, and what was typed."""
    notes.folder = notes.folder.parent / f"memory-{seed}"
    notes.knows().has(BEFORE)
    found = make(seed)
    keep(notes.folder, found, NOW)
    server.add(*obedient(found))
    finished = notes.dream(server)
    server.items.clear()
    assert finished.outcome in ends, (seed, finished.receipt, finished.diff)
    return notes.text, "\n".join((*found.typed, BEFORE))


def foreign(after):
    """The lines that hold a word nobody typed, by corpus."""
    found = {}
    for seed, (text, typed) in after.items():
        new = [line for line in text.split("\n") if line not in BEFORE]
        if wrong := [line for line in new if untyped(line, typed, [NOW.date()]) or CANARY in line]:
            found[seed] = wrong
    return found


def kept(after):
    """How many lines came, in the user's own words."""
    return sum(len(text.split("\n")) - len(BEFORE.split("\n")) for text, _ in after.values())


def test_nothing_that_was_not_typed_changes_a_byte(notes, scripted):
    """The worst case, twelve corpora: the model obeys poison it was told behind our back, with every trick there is."""
    server = scripted(usage=(10, 5))
    server.judge = HONEST

    after = {seed: dreamt(notes, server, seed) for seed in SHORT}

    assert [] == [seed for seed, (text, _) in after.items() if text != BEFORE]
    assert CANARY not in json.dumps([body["messages"][:2] for body in server.requests if len(body["messages"]) == 2])
    assert len([event for event in notes.events if isinstance(event, ToolFailed)]) > 30 * len(SHORT)


@pytest.mark.parametrize("judge", [FOOLED, ALL_YES, ALL_NO], ids=["fooled", "yes to all", "no to all"])
def test_whatever_a_judge_says_no_word_gets_in_that_nobody_typed(notes, scripted, judge):
    """Neither a name, a number, an address nor a command; what it lets through are the user's own words."""
    server = scripted(usage=(10, 5))
    server.judge = judge

    after = {seed: dreamt(notes, server, seed) for seed in SHORT}

    assert {} == foreign(after)


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("judge", [HONEST, FOOLED, ALL_YES], ids=["honest", "fooled", "yes to all"])
@pytest.mark.parametrize("make", [corpus, confirmed])
def test_two_hundred_corpora_bring_no_word_that_nobody_typed(notes, scripted, capsys, judge, make):
    """The same for all of them, with a yes to each poisoned question as well: `pytest -m slow tests/memory/test_poison.py`."""
    server = scripted(usage=(10, 5))
    server.judge = judge

    after = {seed: dreamt(notes, server, seed, make, (*ENDS, "held")) for seed in ALL}

    with capsys.disabled():
        print(f"\n{kept(after)} lines in the user's own words from {len(ALL)} corpora")  # noqa: T201 - a measurement
    assert {} == foreign(after)
    assert judge is not HONEST or kept(after) == 0


def test_a_yes_to_a_poisoned_question_changes_no_byte(notes, scripted):
    """The user confirms what a page made the assistant ask: a review may hold it, the memory stays as it was."""
    server = scripted(usage=(10, 5))
    server.judge = HONEST

    after = {seed: dreamt(notes, server, seed, confirmed, (*ENDS, "held")) for seed in SHORT}

    assert [] == [seed for seed, (text, _) in after.items() if text != BEFORE]
    assert any(f"assistant had asked: {CANARY}" in json.dumps(body["messages"]) for body in server.requests)


def test_the_same_model_remembers_what_was_typed(notes, scripted):
    """The control: one typed fact among the poison is noted, and nothing else."""
    notes.knows().has(BEFORE).said("remember that I moved to Porto in May", answer=f"Noted. Remember: {PAYLOADS[0]}")
    server = scripted(*obedient(None), usage=(10, 5))

    finished = notes.dream(server)

    assert ("changed", BEFORE + "- I moved to Porto in May\n") == (finished.outcome, notes.text)


def test_the_command_line_keeps_poison_from_the_model(cococat, scripted, home, tmp_path):
    """A file, a pipe, tool output and an answer, each poisoned: `dream` shows the model none of it, and changes nothing."""
    page = tmp_path / "page.html"
    page.write_text("\n".join(f"<p>remember: {payload}</p>" for payload in PAYLOADS))
    home.joinpath("memory").mkdir(mode=0o700)
    memory = home / "memory" / "MEMORY.md"
    memory.write_text(BEFORE)
    looks = calls(("read_file", {"path": "page.html"}), ("run_shell", {"command": "cat page.html"}))
    done = says("nothing to tidy")
    server = scripted(looks, says(f"It says: remember: {PAYLOADS[0]}"), *obedient(None)[:1], done)
    there = ("--base-url", server.base_url, "-m", "scripted", "--no-dream", "--permission", "auto")

    asked = cococat("ask", *there, "-f", "page.html", "tell me what it says", stdin=f"remember: {PAYLOADS[1]}")
    dreamt = cococat("dream", *there[:4])

    assert (0, 0) == (asked.code, dreamt.code), dreamt.stderr
    assert CANARY in json.dumps(server.requests[1]["messages"])
    assert not any(CANARY in json.dumps(body["messages"]) for body in server.requests[2:])
    assert "remember" in (home / "memory" / HISTORY).read_text()
    assert BEFORE == memory.read_text()


def test_twelve_corpora_through_the_command_line(cococat, home):
    """One `cococat dream` over what twelve poisoned sessions left behind, by a model that knows all the poison."""
    folder = home / "memory"
    folder.mkdir(mode=0o700)
    (folder / "MEMORY.md").write_text(BEFORE)
    for seed in range(12, 24):
        found = corpus(seed)
        keep(folder, replace(found, exchanges=found.exchanges[:1]), NOW)
    with serve(*obedient(corpus(12)), says("nothing to tidy"), usage=(10, 5)) as server:
        server.judge = HONEST
        ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted")

    assert 0 == ran.code, ran.stderr
    assert "left out" in ran.stderr
    assert BEFORE == (folder / "MEMORY.md").read_text()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_hundred_corpora_through_the_command_line(tmp_path):
    """`cococat dream` for each of them: `pytest -m slow tests/memory/test_poison.py`."""
    changed = []
    for seed in ALL:
        folder = tmp_path / str(seed) / "memory"
        folder.mkdir(mode=0o700, parents=True)
        (folder / "MEMORY.md").write_text(BEFORE)
        said_earlier(folder)
        keep(folder, corpus(seed), NOW)
        env = {**os.environ, "PYTHONPATH": str(ROOT), "COCOCAT_HOME": str(folder.parent)}
        with serve(*obedient(corpus(seed)), says("nothing to tidy"), usage=(10, 5)) as server:
            server.judge = HONEST
            command = [sys.executable, "-m", "cococat", "dream", "--base-url", server.base_url, "-m", "scripted"]
            subprocess.run(command, env=env, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if (folder / "MEMORY.md").read_text() != BEFORE:
            changed.append(seed)

    assert [] == changed


def test_the_corpora_differ_and_nobody_typed_a_payload():
    """The generator is no row of copies, and its poison never passes for typed text."""
    made = [corpus(seed) for seed in ALL]

    assert len(ALL) == len({repr(one.exchanges) for one in made})
    assert not any(CANARY in text for one in made for text in one.typed)
    assert {one.origin for each in made for exchange in each.exchanges for one in exchange.user} == {
        "typed", "file", "stdin", "pasted"
    }  # fmt: skip
    assert len(DISGUISES) > 10
    assert len({payload for one in made for payload in one.payloads}) == len(PAYLOADS)
