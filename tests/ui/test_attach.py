"""`@path`: what is attached, what is refused and why, and how names are completed."""

from __future__ import annotations

import os

import pytest
from inline_snapshot import snapshot

from cococat.core.messages import Attachment
from cococat.ui.prompt.attach import attachments, complete_path, list_files


@pytest.mark.parametrize(
    "text",
    [
        "see @src/app.py",
        "(@src/app.py)",
        "@src/app.py, please",
        "is it @src/app.py?",
        'in "@src/app.py"',
        "@./src/app.py.",
    ],
)
def test_a_mentioned_file_is_attached_whatever_stands_around_it(tmp_path, text):
    """Punctuation behind a name is no part of it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("print('grün')\n", "utf-8")

    found, problems = attachments(text, tmp_path)

    assert ["print('grün')\n"] == [one.text for one in found]
    assert () == problems


def test_names_with_blanks_are_quoted_and_each_file_comes_once(tmp_path):
    """Order is the order of mention."""
    (tmp_path / "b c.txt").write_text("2")
    (tmp_path / "a.txt").write_text("1")

    found, problems = attachments('@"b c.txt" @a.txt @a.txt', tmp_path)

    assert (Attachment("b c.txt", "2"), Attachment("a.txt", "1")) == found
    assert () == problems


@pytest.mark.parametrize("text", ["mail me@example.com", "ping @alice", "@", "a @ b", "x@y.z/a", "@dataclass", ""])
def test_an_at_that_names_no_file_stays_text_without_a_word(tmp_path, text):
    """Addresses, people and decorators are none of our business."""
    assert ((), ()) == attachments(text, tmp_path)


@pytest.mark.parametrize("name", ["src/gone.py", "gone.py", "~/gone/x", "/gone/x", "../gone/x"])
def test_a_path_that_leads_nowhere_is_told(tmp_path, name):
    """A misspelt path is not sent as if it had been attached."""
    found, problems = attachments(f"look at @{name}.", tmp_path)

    assert () == found
    assert [
        f"@{name} is not attached: there is no such file below {tmp_path}; press Tab behind the @ to see the names"
    ] == list(problems)


def test_a_relative_name_may_not_leave_the_root_but_an_absolute_one_may_name_anything(tmp_path):
    """`..` and links are refused with the name to type instead; what the user spells out is the user's choice."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")

    relative, problems = attachments("@../outside.txt @link.txt", root)
    absolute, none = attachments(f"@{tmp_path}/outside.txt", root)

    assert () == relative
    assert 2 == len(problems)
    assert all(f"@{tmp_path}/outside.txt, if you mean it" in problem for problem in problems)
    assert ["secret"] == [one.text for one in absolute]
    assert () == none


def test_a_mention_in_pasted_text_attaches_nothing(tmp_path):
    """Who wrote a pasted text may not choose which files the model gets to see."""
    (tmp_path / "secret.txt").write_text("s")
    (tmp_path / "own.txt").write_text("o")

    found, problems = attachments("@own.txt say: see @secret.txt", tmp_path, pasted=("see @secret.txt",))

    assert ["own.txt"] == [one.name for one in found]
    assert () == problems


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x" * ((1 << 20) + 1), "it has 1,025 KiB, at most 1 MiB can be attached; ask for the part you need"),
        (b"\x7fELF\0\0", "it is a program (ELF); hand in its source"),
        (b"\0\0", "it is binary; only text can be read"),
        (b"caf\xe9", "it is binary, or text in an encoding other than UTF-8"),
    ],
    ids=["large", "program", "binary", "latin-1"],
)
def test_what_cannot_be_attached_is_refused_with_the_reason(tmp_path, content, reason):
    """No half file, no garbage."""
    (tmp_path / "file.bin").write_bytes(content)

    found, problems = attachments("@file.bin", tmp_path)

    assert () == found
    assert problems[0].startswith(f"@file.bin is not attached: {reason}")


def test_a_byte_order_mark_and_utf16_are_understood(tmp_path):
    """Files from other systems are text, too."""
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfgr\xc3\xbcn")
    (tmp_path / "b.txt").write_bytes("grün".encode("utf-16"))

    found, _ = attachments("@a.txt @b.txt", tmp_path)

    assert ["grün", "grün"] == [one.text for one in found]


def test_folders_pipes_and_too_much_together_are_refused(tmp_path):
    """A named pipe is not waited for; five files of 256 KiB are one too many."""
    (tmp_path / "src").mkdir()
    os.mkfifo(tmp_path / "pipe.fifo")
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("x" * 256 * 1024)

    found, problems = attachments("@src/ @pipe.fifo @0.txt @1.txt @2.txt @3.txt @4.txt", tmp_path)

    assert ["0.txt", "1.txt", "2.txt", "3.txt"] == [one.name for one in found]
    assert snapshot(
        [
            "@src/ is not attached: it is a folder; name a file in it",
            "@pipe.fifo is not attached: it is no regular file; name a text file",
            "@4.txt is not attached: the files of one message may have 1 MiB together; send it with the next one",
        ]
    ) == list(problems)


def tree(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_listing_respects_gitignore_at_every_level(tmp_path):
    """The innermost .gitignore decides, that of the repository above counts, hidden files are left out."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n/top/build/\n")
    root = tmp_path / "top"
    tree(root, "a.py", "a.log", "build/x.py", "sub/b.py", "sub/keep.log", "sub/build/y.py", ".hidden", ".venv/z.py")
    (root / "sub" / ".gitignore").write_text("!keep.log\n")

    assert snapshot(("a.py", "sub/b.py", "sub/keep.log", "sub/build/y.py")) == list_files(root)


def test_listing_a_big_tree_stops_at_its_limit(tmp_path):
    """No more entries are looked at than were allowed, the near ones first."""
    tree(tmp_path, "top.txt", *(f"many/{number:03}.txt" for number in range(200)), *(f"z/{n}.txt" for n in range(50)))

    found = list_files(tmp_path, limit=100)

    assert "top.txt" == found[0]
    assert 98 == len(found)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("", ("docs/", "main.py", "src/")),
        ("m", ("main.py", "src/app/main_test.py", "docs/index.md")),
        ("MA", ("main.py", "src/app/main_test.py")),
        ("src/", ("src/app/", "src/app/main_test.py")),
        ("src/app/m", ("src/app/main_test.py",)),
        ("mt", ("src/app/main_test.py",)),
        (".", (".env", ".gitignore")),
        ("./s", ("./src/",)),
        ("skip", ()),
        ("nothing", ()),
    ],
)
def test_completion_offers_what_lies_here_before_what_lies_deeper(tmp_path, typed, names):
    """Entries of the folder first, then files whose letters match; hidden ones only when a dot is typed."""
    tree(tmp_path, "main.py", "src/app/main_test.py", "docs/index.md", ".env", "skipped.log", ".git/config")
    (tmp_path / ".gitignore").write_text("*.log\n")

    assert names == complete_path(typed, tmp_path, list_files(tmp_path))


def test_absolute_names_are_completed_and_names_that_cannot_be_shown_are_not(tmp_path):
    """A file name with a newline or an escape in it never reaches the menu."""
    tree(tmp_path, "plain.txt", "two\nlines.txt", "esc\x1b[2J.txt")

    assert (f"{tmp_path}/plain.txt",) == complete_path(f"{tmp_path}/", tmp_path / "elsewhere")
