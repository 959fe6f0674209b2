"""The walker lists what git lists: measured against git itself over folders made of its rules."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import pytest

from cococat.system.gitignore import files_below, ignored_at
from cococat.system.wildmatch import name_pattern

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names that Windows does not allow")

# what a pattern is tried on: every way of being near to it
NAMES = (
    *("foo", "foobar", "foo.c", "foo.o", "bar", "baz", "Foo", "FOO1", "foo bar", "foo ", "#foo", "!foo", "a", "b"),
    *("ab", "abc", "aXb", "a-b", "a]b", "a[b", "a*b", "a?b", r"a\b", "-", "]", "[ab]", "*", "**", "1", "12", "a1"),
    *("\t", "é", "日本", "a.b.c", ".hidden", "-adobe-courier-bold-o-normal--12-120-75-75-m-70-iso8859-1"),
    "z" * 200,
    *("new\nline", "~", "a&&b", "keep", "foo.pyc", "Makefile", "x.log", "x.log.1", "build.gradle", "lib.so.1"),
)
DEEP = (
    *("foo/", "foo/bar/", "foo/bar/baz/", "bar/", "bar/foo/", "a/b/c/", "deep/", "deep/foo/", "foox/", "build/", ".x/"),
)
PATTERNS = (
    *("foo", "bar", "", "???", "??", "*", "f*", "*f", "*foo*", "*ob*a*r*", "*ab", r"foo\*", r"foo\*bar", r"f\oo"),
    *("[ten]", "*[al]?", "**[!te]", "**[!ten]", "t[a-g]n", "t[!a-g]n", "a[]]b", "a[]-]b", "a[]a-]b", "]", "foo*bar"),
    *("f??o", "-*-*-*", "-*-*-*-*-*-*-12-*-*-*-m-*-*-*", "foo/bar", "/foo", "/foo/", "foo/", "foo/*", "foo/**"),
    *("foo/**/", "foo/*/baz", "**", "foo/**/baz", "foo**/baz", "foo**baz", "**/foo", "**/foo/", "**/bar/baz"),
    *("**/bar/*", "**/bar*", "**/bar/**", "/**", "/**/foo", "***", "foo/***/baz", "**/*/*", "*/foo", "*/*/*", "/*"),
    *("/*/", "*/", "!*", "a/**/c", "a/**/b/**/c/**", "a/b/", "[a-c]b*", "[a-y]", "[!a-y]", "[^a-y]", "[--9]", "[a-]"),
    *("[-a]", "[]-a]", r"[\\]", r"a[\\]b", r"[\-_]", r"[\]]", r"[a\]]b", "[[:digit:]]", "[[:digit:]][[:digit:]]"),
    *("[[:alpha:]]", "[[:upper:]]*", "[[:lower:]]", "[[:alnum:]]*", "[[:space:]]", "[[:punct:]]", "[[:xdigit:]]"),
    *("[[:graph:]]", "[[:print:]]", "[[:blank:]]", "[[:cntrl:]]", "[![:digit:]]", "[[:nope:]]", "[[:digit:]"),
    *("[[:digit:", "[[::]]", "[[:]", "[a[:digit:]-z]", "[a-[:digit:]]", "[", "[a", "a[", "[]", "[!]", "[^]]"),
    *("[[ab]", "[a&&b]", "[a--b]", "[a~~b]", "[a||b]", r"\#foo", "#foo", r"\!foo", "!foo", r"foo\ ", "foo "),
    *(r"foo\\ ", "foo\\", "foo bar", " foo", "foo\t", "foo\r", "//", "/", "///", "foo//", "foo//bar", "./foo"),
    *("../foo", "foo/.", "?", "????*", "é", "?é", "??", "*é*", "日*", "[日]*", "new*line", "*.log", "*.log*", "*.l?g"),
    *("*.py[cod]", "lib*.so.*", "Make*", "*[Mm]akefile", "z*z", "~", "**foo", "foo**", "**/", "/foo/**/bar"),
    *("foo/bar/**", "!foo/", "deep/**/foo", "deep/foo", "**/deep/foo/**", r"\*", r"\a", "**/é"),
)
# whole files, in the manner of those that languages and editors are given
FILES = (
    ("*", "!*/", "!*.c", "!Makefile"),
    ("*", "!.gitignore", "!foo/", "!foo/**"),
    ("/*", "!/foo", "/foo/*", "!/foo/bar"),
    ("foo/**", "!foo/bar/", "!foo/bar/baz/", "!foo/bar/baz/*.c"),
    ("__pycache__/", "*.py[cod]", "*$py.class", "*.so", "build/", "dist/", ".eggs/", "*.egg-info/", ".venv", "foo.c"),
    ("logs", "*.log", "npm-debug.log*", "node_modules/", "bar/", "!bar/", ".env", ".env.*", "!.env.example"),
    ("*.o", "*.a", "*.so", "*.so.*", "*.exe", "/build", "/foo/*", "!/foo/bar", "*.dSYM/"),
    ("target/", "**/*.rs.bk", "*.pdb", "!lib*.so.1", "[Bb]uild/", "[Ff]oo/", "*.[Cc]"),
    ("### A head", "", "[._]*.s[a-v][a-z]", "[._]*.sw[a-p]", "*~", "tags", "[._]*.un~", "Session.vim", ".netrwhist"),
    ("*.log", "!important.log", "/x.log", "!/deep/x.log", "deep/*", "!deep/foo", "foo/", "!foo/bar"),
    ("**/foo/*", "!**/foo/bar", "a/*", "!a/b", "a/b/*", "!a/b/c", "bin/*", "!bin/.gitkeep"),
    ("\ufefffoo", "bar"),
    ("\ufeff# comment", "foo"),
    ("foo\r", "bar/\r", "\r", "*.c\r"),
    ("foo   ", "bar\\ ", "\t", "  ", "#", "\\#foo", "!", "!!foo"),
    (".*", "!.gitignore", "!/.x/", "*.?", "[0-9]*", "[[:digit:]]*"),
)
PIECES = (
    "foo",
    "bar",
    "a",
    "b",
    "*",
    "**",
    "?",
    "/",
    "/",
    "[ab]",
    "[!a]",
    "[a-f]",
    "[[:alpha:]]",
    ".c",
    "\\*",
    " ",
    "o",
)


def _whole(patterns: tuple[str, ...]) -> str:
    return "\n".join(patterns) + "\n"


def _cases() -> list[dict[str, str]]:
    """Return the .gitignore files of each folder: one line, whole files, several below each other, made by chance."""
    dice = random.Random(20)
    cases = [{"": _whole((pattern,))} for pattern in PATTERNS if pattern]
    cases += [{"": _whole(("*", f"!{pattern}"))} for pattern in PATTERNS if pattern[:1] not in ("", "!")]
    cases += [{"": _whole(("*", "!*/", f"!{pattern}"))} for pattern in PATTERNS if pattern[:1] not in ("", "!")]
    cases += [{"": _whole(file)} for file in FILES]
    cases += [{"": _whole(one + other)} for one, other in dice.sample(list(product(FILES, FILES)), 80)]
    cases += [{"": _whole(one), "foo/": _whole(other)} for one, other in dice.sample(list(product(FILES, FILES)), 80)]
    inner = [("!keep", "!baz"), ("*", "!bar/"), ("!*",), ("/foo",), ("!/a",), ("bar",)]
    cases += [{"": _whole((pattern,)), "foo/": _whole(dice.choice(inner))} for pattern in PATTERNS if pattern]
    for _ in range(350):
        files = {}
        for place in ("", *dice.sample(("foo/", "foo/bar/", "a/b/", "deep/"), dice.choice((0, 1, 2)))):
            lines = ["".join(dice.choices(PIECES, k=dice.randint(1, 5))) for _ in range(dice.randint(1, 5))]
            files[place] = "\n".join(dice.choice(("", "", "!")) + line for line in lines) + dice.choice(("\n", ""))
        cases.append(files)
    return cases


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    """A repository with nothing in it, and no setting of this machine's."""
    top = tmp_path_factory.mktemp("repository")
    _git(top, "init", "-q")
    (top / ".git" / "info" / "exclude").write_text("said-in-exclude\n")
    return top


def _git(top: Path, *words: str, said: str = "") -> list[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(top / ".git"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["git", *words], cwd=top, env=env, check=True, capture_output=True, input=said.encode())
    return sorted(os.fsdecode(done.stdout).split("\0")[:-1])


def _plant(root: str, files: dict[str, str], dice: random.Random, names: int) -> None:
    """Make a folder with what its patterns are tried on; without pathlib, as there are many."""
    folders = {"", *files, *dice.sample(DEEP, 2)}
    for folder in folders:
        os.makedirs(f"{root}/{folder}", exist_ok=True)  # noqa: PTH103
    paths = {folder + name for folder in folders for name in dice.sample(NAMES, 2 if folder else names)}
    for path in (*paths, "said-in-exclude"):
        if not os.path.isdir(f"{root}/{path}"):  # noqa: PTH112
            os.close(os.open(f"{root}/{path}", os.O_WRONLY | os.O_CREAT))
    for place, text in files.items():
        Path(root, place, ".gitignore").write_text(text, "utf-8", newline="")


@pytest.mark.skipif(not shutil.which("git"), reason="git is what it is measured against")
def test_the_walker_lists_what_git_lists(repository, capsys):
    """At least 995 of 1,000 folders are equal, and nothing that git lists is missing anywhere."""
    dice, cases = random.Random(7), _cases()
    for number, files in enumerate(cases):
        _plant(f"{repository}/{number:04}", files, dice, 32 if number < len(PATTERNS) else 4)
    listed: dict[str, set[str]] = {f"{number:04}": set() for number in range(len(cases))}
    for path in _git(repository, "ls-files", "-co", "--exclude-standard", "-z"):
        listed[path[:4]].add(path[5:])

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = {case: {"/".join(one.parts) for one in files_below(repository / case)} for case in listed}

    wrong = {case: (cases[int(case)], listed[case] ^ found[case]) for case in listed if listed[case] != found[case]}
    absent = {case: listed[case] - found[case] for case in listed if listed[case] - found[case]}
    with capsys.disabled():
        sys.stdout.write(
            f"\ngitignore: {len(cases) - len(wrong)} of {len(cases)} folders as git, {len(absent)} miss a path\n"
        )
    assert {} == absent
    assert len(wrong) <= len(cases) * 0.005, wrong
    assert [] == warned
    assert len(cases) > 1000


STARS = (
    "**",
    "**",
    "*",
    "a",
    "b",
    "a*",
    "**a",
    "a**",
    "?",
    "***",
    "[ab]",
    "**b*",
    "x.c",
    "a\\",
    "**\\",
    "[!a]",
    "a**b",
)
BRANCHES = ["/".join(path) for size in (1, 2, 3, 4) for path in product(("a", "b", "ab"), repeat=size)]


@pytest.mark.skipif(not shutil.which("git"), reason="git is what it is measured against")
def test_double_stars_are_read_as_git_reads_them(repository):
    """In every place of a pattern, beside each other and at its ends; without one difference."""
    dice, top = random.Random(11), repository / "stars"
    lines = {"/".join(dice.choices(STARS, k=dice.randint(1, 6))) for _ in range(700)}
    patterns = sorted(dice.choice(("", "", "/")) + line + dice.choice(("", "", "/")) for line in lines)
    for number, pattern in enumerate(patterns):
        (top / f"{number:04}").mkdir(parents=True)
        (top / f"{number:04}" / ".gitignore").write_text(f"{pattern}\n")
    asked = "".join(f"stars/{number:04}/{path}\0" for number in range(len(patterns)) for path in BRANCHES)

    ignored = set(_git(repository, "check-ignore", "--no-index", "--stdin", "-z", said=asked))

    wrong: dict[str, list[str]] = {}
    for number, pattern in enumerate(patterns):
        rules = ignored_at(top, (f"{number:04}",))
        for path in BRANCHES:
            parts = (f"{number:04}", *path.split("/"))
            found = any(rules(parts[:size], folder=size < len(parts)) for size in range(2, len(parts) + 1))
            if found != (f"stars/{number:04}/{path}" in ignored):
                wrong.setdefault(pattern, []).append(path)
    assert {} == wrong
    assert len(patterns) > 500


@pytest.mark.skipif(not shutil.which("git"), reason="git is what it is measured against")
def test_globs_are_read_as_git_reads_them(tmp_path):
    """What `git ls-files` lists for them, without one difference."""
    _git(tmp_path, "init", "-q")
    files = [
        "/".join((*folders, name))
        for size in range(4)
        for folders in product("de", repeat=size)
        for name in BRANCHES[:3]
    ]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    dice, pieces = (
        random.Random(12),
        ("**", "**", "*", "d", "e", "a", "d*", "**a", "a**", "?", "***", "[ab]", "**b*", "[!a]*"),
    )
    patterns = sorted({"/".join(dice.choices(pieces, k=dice.randint(2, 5))) for _ in range(150)})

    wrong = {}
    for pattern in filter(re.compile(r"[*?\[]").search, patterns):  # any other path names a folder's files as well
        listed = set(_git(tmp_path, "ls-files", "-co", "-z", f":(glob){pattern}"))
        if listed != (found := {file for file in files if name_pattern(pattern).fullmatch(file)}):
            wrong[pattern] = sorted(listed ^ found)

    assert {} == wrong
    assert len(patterns) > 100


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 250),
        ("**/a/" * 30 + "b", "a/" * 300 + "a"),
        ("*?" * 40 + "/x", "a" * 250 + "/y"),
        ("**/" * 99 + "b", "a/" * 300 + "a"),
    ],
)
def test_no_pattern_takes_long(pattern, path):
    """What a stranger's repository says about names cannot hold up a search."""
    began = time.process_time()

    assert not name_pattern(pattern).fullmatch(path)

    assert time.process_time() - began < 0.5


def test_a_link_is_no_gitignore(tmp_path):
    """Git follows none, as it may lead anywhere."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "elsewhere").write_text("*\n")
    (tmp_path / ".gitignore").symlink_to("elsewhere")

    assert not ignored_at(tmp_path)(("a",), folder=False)
    assert [".gitignore", "elsewhere"] == ["/".join(found.parts) for found in files_below(tmp_path)]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({}, ["a"]),
        ({".gitignore": "b"}, [".gitignore", "a", "node_modules/x"]),
        ({"c/.gitignore": "!node_modules"}, ["a", "c/.gitignore", "c/node_modules/x"]),
    ],
    ids=["nothing", "something", "deeper"],
)
def test_what_tools_fill_is_left_out_where_no_gitignore_says_what_is(tmp_path, said, found):
    """Who keeps such a folder says so by any .gitignore, as in git."""
    for name in ("a", "node_modules/x", "c/node_modules/x"):
        if not name.startswith("c") or "c/.gitignore" in said:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
    for name, text in said.items():
        (tmp_path / name).write_text(text)

    assert found == ["/".join(one.parts) for one in files_below(tmp_path)]


def test_links_are_listed_and_not_followed(tmp_path):
    """A way round leads to no second name, and none leads out."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "sub" / "a").touch()

    assert ["sub/a", "sub/up"] == ["/".join(found.parts) for found in files_below(tmp_path)]
