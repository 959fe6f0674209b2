"""`-c`: the session that worked last in this folder, wherever the folder was then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from cococat.store.record import encode
from cococat.system.same_folder import place_of
from tests.scripted import says

moved = pytest.mark.skipif(not place_of(Path.home()).mark, reason="the system does not tell when a folder was made")


class Asked(NamedTuple):
    """How a command ended, and what the model was told that had been said before."""

    code: int
    stderr: str
    said: list[str]


@pytest.fixture
def say(cococat, scripted):
    """Ask in a folder."""
    server = scripted(*[says("ok")] * 8)

    def run(folder, words, *flags):
        before = len(server.requests)
        ran = cococat("ask", "--base-url", server.base_url, "-m", "m", "--no-dream", *flags, words, cwd=folder)
        sent = [message for request in server.requests[before:] for message in request["messages"]]
        said = [message["content"] for message in sent if message["role"] == "user"]
        return Asked(ran.code, ran.stderr, said[:-1])

    return run


@pytest.fixture
def folder(tmp_path):
    """Make a folder beside the others."""

    def make(name):
        (tmp_path / name).mkdir(parents=True)
        return tmp_path / name

    return make


def last(home):
    """The id of the session that was begun last."""
    return max(path.stem for path in (home / "sessions").glob("*.jsonl"))


def as_before(home):
    """Write the logs as they were when only the first line named the folder."""
    for path in (home / "sessions").glob("*.jsonl"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        own = [
            {k: v for k, v in record.items() if k not in ("v", "seq", "ts", "crc", "mark") and (not at or k != "cwd")}
            for at, record in enumerate(records)
        ]
        path.write_bytes(b"".join(encode(r["seq"], r["ts"], body) for r, body in zip(records, own, strict=True)))


@moved
@pytest.mark.parametrize("to", ["renamed", "deep/below/it"])
def test_a_folder_that_was_moved_has_its_session_still(say, folder, tmp_path, to):
    """By a new name or at another place; a line says where it worked before."""
    old, new = folder("old"), tmp_path / to
    say(old, "I am Dana.")
    new.parent.mkdir(parents=True, exist_ok=True)
    old.rename(new)

    first, second = say(new, "Who am I?", "-c"), say(new, "And again?", "-c")

    assert (["I am Dana."], 0) == (first.said, first.code)
    assert f"it worked in {old}; now its tools work in {new}" in first.stderr
    assert (["I am Dana.", "Who am I?"], False) == (second.said, "worked in" in second.stderr)


def test_a_session_that_went_on_elsewhere_is_found_there(say, folder, home):
    """In the folder where it worked last, and no more in the one where it began."""
    began, later = folder("began"), folder("later")
    say(began, "one")
    say(later, "two", "-r", last(home))

    there, here = say(later, "three", "-c"), say(began, "four", "-c")

    assert ["one", "two"] == there.said
    assert (2, True) == (here.code, "there is no session to continue in this folder" in here.stderr)


@moved
def test_a_session_that_went_on_elsewhere_goes_with_that_folder(say, folder, home, tmp_path):
    """Both at once: resumed in another folder, which was renamed then."""
    began, later = folder("began"), folder("later")
    say(began, "one")
    say(later, "two", "-r", last(home))
    later.rename(tmp_path / "renamed")

    assert ["one", "two"] == say(tmp_path / "renamed", "three", "-c").said


@moved
def test_a_folders_own_session_comes_before_that_of_the_one_at_its_place(say, folder, tmp_path):
    """Two folders change places: each has its own session, though the other's was used later."""
    one, two = folder("one"), folder("two")
    say(two, "in two")
    say(one, "in one")
    one.rename(tmp_path / "aside")
    two.rename(one)

    assert ["in two"] == say(one, "go on", "-c").said
    assert ["in one"] == say(tmp_path / "aside", "go on", "-c").said


@moved
def test_another_folder_at_the_place_has_the_session_and_says_so(say, folder):
    """As when it was removed and cloned again; the next time there is nothing to say."""
    place = folder("place")
    say(place, "one")
    place.rmdir()
    folder("between")  # which may get its number
    folder("place")

    first, second = say(place, "two", "-c"), say(place, "three", "-c")

    assert (["one"], True) == (first.said, f"{place} is another folder now than the one it worked in" in first.stderr)
    assert (["one", "two"], False) == (second.said, "another folder" in second.stderr)


def test_a_new_folder_has_no_session_though_it_got_the_number_of_a_removed_one(say, folder):
    """Systems give it again at once: what was said in the one is not told in the other."""
    gone = folder("gone")
    say(gone, "a secret of this project")
    gone.rmdir()

    ran = say(folder("new"), "what do you know?", "-c")

    assert (2, []) == (ran.code, ran.said)


@moved
def test_an_old_log_is_found_by_its_path_and_after_that_wherever_the_folder_goes(say, folder, home, tmp_path):
    """Logs of before name the folder once, by its path alone."""
    old = folder("old")
    say(old, "one")
    as_before(home)

    ran = say(old, "two", "-c")
    old.rename(tmp_path / "renamed")

    assert (["one"], False) == (ran.said, "worked in" in ran.stderr)
    assert ["one", "two"] == say(tmp_path / "renamed", "three", "-c").said


@moved
def test_a_copy_belongs_to_the_folder_in_which_it_was_made(say, folder, home):
    """And its original to that in which it worked."""
    began, later = folder("began"), folder("later")
    say(began, "one")
    say(later, "two", "-r", last(home), "--fork")

    assert ["one", "two"] == say(later, "three", "-c").said
    assert ["one"] == say(began, "four", "-c").said
