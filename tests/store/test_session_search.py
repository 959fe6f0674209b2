"""Search in what was said: what a query finds, and an index that may be missing, damaged or in use."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cococat.core.events import MessageAdded
from cococat.core.messages import Assistant, ToolResult, User
from cococat.store import full_text
from cococat.store.listing import list_sessions
from cococat.store.query import expression, fold, grams, parse
from cococat.store.session_search import search
from cococat.store.sessions import create, delete

SIGNS = [
    "a",
    "b",
    "ab",
    "é",
    "e",
    "ß",
    "ss",
    "İ",
    "_",
    "-",
    "*",
    '"',
    " ",
    "\n",
    "服",
    "务",
    "器",
    "サ",
    "ｱ",
    "서",
    "\uff21",
    "2",
    "²",
]
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=8).map("".join)
FULL_TEXT_SYNTAX = [
    "(",
    "a AND",
    "NOT",
    "NEAR(a b)",
    "text:a",
    "^a",
    "a OR",
    '"',
    '""',
    '"a',
    "*",
    "a**",
    "{a}",
    "a + b",
    "'",
    ";",
    "-a",
]
WITHOUT_FTS5 = """
import sqlite3 as real, sys
from pathlib import Path
class Refusing(real.Connection):
    def execute(self, statement, *values):
        if "fts5" in statement:
            raise real.OperationalError("no such module: fts5")
        return super().execute(statement, *values)
connect = real.connect
real.connect = lambda *words, **options: connect(*words, factory=Refusing, **options)
from cococat.store.session_search import search
print([hit.excerpt for hit in search(Path(sys.argv[1]), "needle", Path(sys.argv[2]))])
"""


def talked(begin, *texts):
    """One closed session with these things said by the user."""
    log = begin()
    for text in texts:
        log.emit(MessageAdded(User(text)))
    log.close()
    return log


def found(folder, wanted, cache=None):
    """Session and excerpt of each hit."""
    return [(hit.info.id, hit.excerpt) for hit in search(folder, wanted, cache)]


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("port", "the Port is 80"),
        ("firewall port", "a port of the firewall"),
        ('"red  car"', "one red\ncar"),
        ("deploy*", "it was deployed"),
        ("cafe", "Café"),
        ("CAFÉ", "cafe\u0301 au lait"),
        ("strasse", "Straße"),
        ("C++", "in C++, of course"),
        ("read_file", "calls read_file twice"),
        ("file", "calls read_file twice"),
        ("->", "a -> b"),
        ("服务", "部署服务器"),
        ("器", "部署服务器"),
        ("docker部署", "使用docker部署服务"),
        ("docker", "使用docker部署服务"),
        ("サーバ", "このサーバーは"),
        ("서버", "서버가 느리다"),
        ("เซิร์ฟ", "ติดตั้งเซิร์ฟเวอร์"),
        ("ABC", "\uff21\uff22\uff23"),
        ("🎉", "done 🎉"),
        ('"unclosed quote', "an unclosed quote here"),
    ],
)
def test_a_query_finds(tmp_path, begin, wanted, text):
    """Words, phrases, beginnings and signs, in any script; with the index as without."""
    log = talked(begin, text)

    assert [(log.id, " ".join(text.split()))] == found(log.path.parent, wanted)
    assert found(log.path.parent, wanted) == found(log.path.parent, wanted, tmp_path / "cache")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("port", "an important report"),
        ("red car", "a red bicycle"),
        ('"red car"', "the car is red"),
        ("C++", "plain C"),
        ("务服", "服务"),
        ("word*", "a sword"),
        ("", "anything"),
        ('  "" ', "anything"),
    ],
)
def test_a_query_passes_over(tmp_path, begin, wanted, text):
    """Parts of words, other orders, half of what was asked for."""
    log = talked(begin, text)

    assert [] == found(log.path.parent, wanted)
    assert [] == found(log.path.parent, wanted, tmp_path / "cache")


@pytest.mark.parametrize("wanted", FULL_TEXT_SYNTAX)
def test_every_text_is_a_query(tmp_path, begin, wanted):
    """What the index would take for syntax is looked for as it stands."""
    log = talked(begin, f"here is {wanted} and a b")

    hits = found(log.path.parent, wanted, tmp_path / "cache")

    assert hits == found(log.path.parent, wanted)
    assert len(hits) == bool(parse(wanted).terms)


@settings(max_examples=80)
@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS)
def test_the_index_proposes_whatever_the_query_would_find(texts, wanted):
    """What is not in the index cannot be found with it, so nothing may be missing there."""
    query = parse(wanted)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE word USING fts5(folded, content='', tokenize='ascii')")
        db.executemany("INSERT INTO word (folded) VALUES (?)", [(grams(fold(text)),) for text in texts])
        match = expression(query)
        rows = db.execute("SELECT rowid FROM word WHERE word MATCH ?", (match,)) if match else [(1,), (2,), (3,), (4,)]
        proposed = {number for (number,) in rows}

    assert {number for number, text in enumerate(texts, 1) if query.within(text)} <= proposed


@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_what_is_marked_is_what_was_looked_for(text, wanted):
    """Marks lie in the text, in order, and hold a term each."""
    query = parse(wanted)

    spans = query.spans(text)

    assert query.within(text) <= bool(spans)
    assert sorted(spans) == list(spans)
    for begin, end in spans:
        assert 0 <= begin < end <= len(text)
        assert any(term.literal.split()[0] in fold(text[begin:end]) for term in query.terms)


def test_an_excerpt_is_one_line_with_marks(begin):
    """Some words around the first place, each term in it marked."""
    log = talked(begin, "before " * 20 + "a red\n\ncar, a RED one, " + "after " * 20)

    (hit,) = search(log.path.parent, "red car")

    assert ["red", "car", "RED"] == [hit.excerpt[begin:end] for begin, end in hit.marks]
    assert "before a red car, a RED one, after" in hit.excerpt
    assert ("…", "…") == (hit.excerpt[0], hit.excerpt[-1])


def test_what_tools_gave_is_not_found(tmp_path, begin):
    """Only what a user or a model said; not what the loop put into the user's mouth."""
    log = begin()
    log.emit(MessageAdded(User("needle", synthetic=True)))
    log.emit(MessageAdded(ToolResult("1", "grep", "needle")))
    log.emit(MessageAdded(Assistant("the needle")))

    hits = list(search(log.path.parent, "needle", tmp_path / "cache"))

    assert [("assistant", "the needle")] == [(hit.role, hit.excerpt) for hit in hits]


def test_the_newest_session_comes_first(tmp_path, begin):
    """And in a session what was said first."""
    old, new = talked(begin, "needle 1"), talked(begin, "needle 2", "needle 3")

    hits = found(old.path.parent, "needle", tmp_path / "cache")

    assert [(new.id, "needle 2"), (new.id, "needle 3"), (old.id, "needle 1")] == hits


def test_what_was_said_since_is_found(tmp_path, begin):
    """A log that has grown is read on from where it was; one that was replaced, from its beginning."""
    cache, log = tmp_path / "cache", begin()
    log.emit(MessageAdded(User("needle one")))
    first = found(log.path.parent, "needle", cache)
    log.emit(MessageAdded(User("needle two")))
    second = found(log.path.parent, "needle", cache)
    log.close()
    other = talked(begin, "a needle of another log, with more words than there were before in this place")
    log.path.write_bytes(other.path.read_bytes())

    third = {excerpt[:17] for _, excerpt in found(log.path.parent, "needle", cache)}

    assert ["needle one"] == [excerpt for _, excerpt in first]
    assert ["needle one", "needle two"] == [excerpt for _, excerpt in second]
    assert {"a needle of anoth"} == third


@pytest.mark.parametrize("by_hand", [True, False], ids=["by hand", "by command"])
def test_a_deleted_session_is_gone_from_the_index(tmp_path, begin, by_hand):
    """Its words are in none of its bytes any more, and the others are still found."""
    cache = tmp_path / "cache"
    gone, stays = talked(begin, "xylophone quartzite " * 40), talked(begin, "xylem")
    folder, index = gone.path.parent, cache / "search.sqlite"
    list(search(folder, "x", cache))
    held = b"quartzite" in index.read_bytes()
    if by_hand:
        gone.path.unlink()
        list(search(folder, "x", cache))
    else:
        delete(folder, gone.id)
        full_text.forget(cache, [gone.id])

    assert held
    assert b"xylem" in index.read_bytes()
    assert not [word for word in (b"xylophone", b"quartzite", b"quartz") if word in index.read_bytes()]
    assert [(stays.id, "xylem")] == found(folder, "xyl*", cache)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX systems")
def test_the_index_is_its_owners_alone(tmp_path, begin):
    """It holds what was said."""
    cache = tmp_path / "cache"

    found(talked(begin, "hi").path.parent, "hi", cache)

    assert 0o700 == stat.S_IMODE(cache.stat().st_mode)
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in cache.iterdir()}


def spoil(index: Path, how: str) -> None:
    """Make an index of no use."""
    if how == "no database":
        index.write_bytes(b"no database at all" * 100)
    elif how == "overwritten":
        data = index.read_bytes()
        index.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    elif how == "cut":
        index.write_bytes(index.read_bytes()[:5000])
    elif how == "empty":
        index.write_bytes(b"")
    else:
        with closing(sqlite3.connect(index)) as db:
            db.execute("PRAGMA user_version = 7")


@pytest.mark.parametrize("how", ["no database", "overwritten", "cut", "empty", "another version"])
def test_a_damaged_index_is_rebuilt(tmp_path, begin, how):
    """A search finds what the logs hold, and the next one has an index again."""
    cache, log = tmp_path / "cache", talked(begin, "needle")
    found(log.path.parent, "needle", cache)
    spoil(cache / "search.sqlite", how)

    hits = found(log.path.parent, "needle", cache)

    assert [(log.id, "needle")] == hits
    with closing(sqlite3.connect(cache / "search.sqlite")) as db:
        assert [("needle",)] == db.execute("SELECT text FROM message").fetchall()


def test_a_search_does_without_an_index_that_is_in_use(tmp_path, begin):
    """A writer that does not end in time is not waited for."""
    cache, log = tmp_path / "cache", talked(begin, "needle")
    found(log.path.parent, "needle", cache)
    later = talked(begin, "another needle")
    with closing(sqlite3.connect(cache / "search.sqlite", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")

        hits = found(log.path.parent, "needle", cache)

    assert [(later.id, "another needle"), (log.id, "needle")] == hits


def test_a_search_does_without_a_folder_for_an_index(tmp_path, begin):
    """A file where the folder should be."""
    (tmp_path / "cache").write_text("")
    log = talked(begin, "needle")

    assert [(log.id, "needle")] == found(log.path.parent, "needle", tmp_path / "cache")


def test_a_search_does_without_fts5(tmp_path, begin, process):
    """As some builds of SQLite do."""
    log = talked(begin, "needle")

    out, _ = process(WITHOUT_FTS5, log.path.parent, tmp_path / "cache").communicate()

    assert "['needle']\n" == out


def test_a_list_is_kept_and_made_from_the_logs_again(tmp_path, begin):
    """Whatever became of the index, and of the logs since."""
    cache, folder, index = tmp_path / "cache", tmp_path / "sessions", tmp_path / "cache" / "sessions.json"
    logs = [talked(begin, f"number {number}") for number in range(20)]
    lists = [list_sessions(folder), list_sessions(folder, cache), list_sessions(folder, cache)]
    kept = index.read_bytes()
    index.write_bytes(kept.replace(b"number 7", b"number 8"))
    lists.append(list_sessions(folder, cache))
    index.write_bytes(kept[:-100])
    lists.append(list_sessions(folder, cache))
    delete(folder, logs[3].id)
    with create(folder, model="m", host="h", mode="x", cwd="/").path.open("rb"):
        shorter = list_sessions(folder, cache)

    assert [lists[0]] * 5 == lists
    assert [info for info in lists[0] if info.id != logs[3].id] == shorter
    assert b"number 3" not in index.read_bytes()
    assert b"number 4" in index.read_bytes()


def test_a_list_is_not_misled_by_an_older_index(tmp_path, begin):
    """A log that has grown is looked at again."""
    cache, folder = tmp_path / "cache", tmp_path / "sessions"
    logs = [begin() for _ in range(20)]
    for log in logs:
        log.emit(MessageAdded(User("hi")))
    list_sessions(folder, cache)
    logs[0].rename("a name")

    assert "a name" == next(info.title for info in list_sessions(folder, cache) if info.id == logs[0].id)
