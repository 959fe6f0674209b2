"""glob and grep_search: gitignore, bounds, and patterns that would run for ever."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from itertools import product

import pytest
from inline_snapshot import snapshot

from cococat.core.tools import ToolFailure
from cococat.tools.grep_search import find_rg, grep_tool
from tests.scripted import calls, says, tool_results


@pytest.fixture
def tree(root):
    """A small project with ignored, hidden, secret and binary files."""
    files = {
        "main.py": "import os\nprint('Größe')\n",
        "src/a.py": "x = 1\nTODO later\n",
        "src/b.ts": "const x = 1;\n",
        "src/gen/out.py": "x = 1\n",
        "docs/a.md": "TODO docs\nTODO more\n",
        ".github/ci.yml": "x = 1\n",
        ".gitignore": "*.log\n/src/gen/\n",
        "docs/.gitignore": "!keep.log\n",
        "docs/keep.log": "TODO kept\n",
        "app.log": "TODO log\n",
        ".env": "TODO=secret\n",
        ".git/config": "TODO git\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "x.bin").write_bytes(b"\0TODO\n")
    return root


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", ".", ["main.py", "src/a.py"]),
        ("src/*.py", ".", ["src/a.py"]),
        ("**/*.{ts,md}", ".", ["docs/a.md", "src/b.ts"]),
        ("*.py", "src", ["src/a.py"]),
        ("**", "docs", ["docs/.gitignore", "docs/a.md", "docs/keep.log"]),
        (".github/**", ".", [".github/ci.yml"]),
        ("?.py", ".", ["src/a.py"]),
        ("*.log", ".", ["docs/keep.log"]),
        ("nothing*", ".", ["no files"]),
        ("[a-m]*.py", ".", ["main.py", "src/a.py"]),
        ("[!m]*.py", ".", ["src/a.py"]),
        ("src/[ab].*", ".", ["src/a.py", "src/b.ts"]),
        ("[[:alpha:]].??", ".", ["docs/a.md", "src/a.py", "src/b.ts"]),
        ("./docs/", ".", ["no files"]),
    ],
)
def test_files_are_found_by_name(call, tree, pattern, path, expected):
    """A pattern without a slash matches at any depth; ignored files and .git are left out."""
    assert expected == call("glob", pattern=pattern, path=path).output.splitlines()


def test_a_bracket_also_means_itself(call, root):
    """Files are named like `[id].tsx`, and models ask for them by that name."""
    (root / "app" / "[id]").mkdir(parents=True)
    (root / "app" / "[id]" / "[slug].tsx").touch()

    for pattern in ("[slug].tsx", "app/[id]/*.tsx", "**/[[]slug].*", r"app/\[id]/**"):
        assert snapshot("app/[id]/[slug].tsx") == call("glob", pattern=pattern).output


def test_what_the_repository_above_ignores_is_left_out(call, root):
    """Below a subfolder it is as it is below the top; a file that is named itself is found."""
    (root.parent / ".git").mkdir()
    (root.parent / ".gitignore").write_text("*.log\n/private/\n")
    for name in ("x.log", "x.txt", "private"):
        (root / name).touch()

    assert ["private", "x.txt"] == call("glob", pattern="*").output.splitlines()
    assert "private\nx.txt" == call("glob", pattern="**").output


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("*\n!*/\n!*.go\n", ["a.go", "sub/keep", "sub/deep/b.go"]),
        ("sub/**\n", [".gitignore", "a.go", "a1", "sub/keep"]),
        ("\ufeffa1\n*.go\n", [".gitignore", "sub/.gitignore", "sub/keep"]),
        ("*[[:digit:]]\n*.go\n", [".gitignore", "sub/.gitignore", "sub/keep"]),
    ],
    ids=["allow-list", "whole folder", "byte order mark", "class"],
)
def test_ignore_files_are_read_as_git_reads_them(call, root, lines, found):
    """An allow-list, a folder whose own file takes back, a byte order mark, a class of characters."""
    for name in ("a.go", "a1", "sub/deep/b.go", "sub/keep"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / "sub" / ".gitignore").write_text("!keep\n")
    (root / ".gitignore").write_text(lines, "utf-8")

    assert found == call("glob", pattern="**").output.splitlines()


def test_what_is_ignored_is_read_in_the_repository_alone(call, root):
    """A link to rules elsewhere, as a file or as a folder above it, leaves nothing out; a pipe is not waited for."""
    elsewhere = root.parent / "elsewhere"
    (elsewhere / "info").mkdir(parents=True)
    (elsewhere / "info" / "exclude").write_text("a\n")
    (root / "a").touch()
    (root / ".git").symlink_to(elsewhere)
    (root / ".gitignore").symlink_to(elsewhere / "info" / "exclude")

    linked = call("glob", pattern="*").output
    (root / ".gitignore").unlink()
    os.mkfifo(root / ".gitignore")

    assert ".git\n.gitignore\na" == linked == call("glob", pattern="*").output


def test_many_files_are_capped_and_counted(call, root):
    """The user sees the count, the model 200 paths."""
    for number in range(250):
        (root / f"{number:03}.txt").touch()

    outcome = call("glob", pattern="*.txt")

    assert "250 files" == outcome.display
    assert outcome.output.endswith("[50 more; narrow the pattern]")


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])
def test_a_glob_that_makes_no_sense_is_refused(call, root, pattern):
    """It leads out, is empty, or has too many alternatives."""
    with pytest.raises(ToolFailure):
        call("glob", pattern=pattern)


def test_text_is_found_with_its_place(call, tree):
    """Hits read `path:line: text`, with a count a file; ignored, secret, binary and .git files are passed over."""
    outcome = call("grep_search", pattern="TODO")

    counts, *hits = outcome.output.splitlines()
    found = ["docs/a.md:1: TODO docs", "docs/a.md:2: TODO more", "docs/keep.log:1: TODO kept", "src/a.py:2: TODO later"]
    assert found == sorted(hits)
    assert {"docs/a.md 2", "docs/keep.log 1", "src/a.py 1"} == set(counts.strip("[]").split(": ")[1].split(", "))
    assert "4 hits" == outcome.display


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "x = 1", "glob": "*.py"}, ["src/a.py:1: x = 1"]),
        ({"pattern": "x = 1", "path": "src"}, ["src/a.py:1: x = 1", "src/b.ts:1: const x = 1;"]),
        ({"pattern": "^x", "path": "src/a.py"}, ["src/a.py:1: x = 1"]),
        ({"pattern": r"\bGr\w+e\b"}, ["main.py:2: print('Größe')"]),
        ({"pattern": "-e"}, ["no hits"]),
        ({"pattern": "TODO", "path": ".env"}, [".env:1: TODO=secret"]),
        ({"pattern": "log", "path": "app.log"}, ["app.log:1: TODO log"]),
    ],
    ids=["glob", "folder", "file", "unicode", "dash", "secret named itself", "ignored named itself"],
)
def test_a_search_can_be_narrowed(call, tree, arguments, expected):
    """By folder, by file, by names; a file that is named itself is searched in any case."""
    lines = call("grep_search", **arguments).output.splitlines()

    assert expected == sorted(line for line in lines if not line.startswith("["))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "run tests"}, ["guide.txt:2: Run the tests with make"]),
        ({"pattern": r"^\s*run_tests\(|make (the )?tests$"}, ["guide.txt:2: Run the tests with make", "*"]),
        ({"pattern": "nearest.function"}, ["src/ports.py:1: def Nearest(name):"]),
        ({"pattern": "nearestPort.py"}, ["src/ports.py:1: def Nearest(name):"]),
        ({"pattern": "farthest_name"}, None),
        ({"pattern": "farthest|oddest"}, None),
    ],
    ids=["phrase", "expression", "joined words", "parts of a name", "one name alone", "nowhere"],
)
def test_where_no_line_is_as_written_the_nearest_are_named(call, root, arguments, expected):
    """Also by words, in another case; files that hold the most of them first, and it is said that none is a hit."""
    texts = {
        "src/ports.py": "def Nearest(name):\n    tests = name\n",
        "README.md": "About the tests.\n",
        "guide.txt": "The tests.\nRun the tests with make\n",
        "data.json": '{"tests": 1}\n' * 50,
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)

    said, *lines = call("grep_search", **arguments).output.splitlines()

    if expected is None:
        assert ("no hits", []) == (said, lines)
    else:
        assert snapshot("no hits as written; nearest lines, with some of its words:") == said
        assert expected[0] == lines[0]
        assert len(lines) <= 10


def test_where_files_of_such_names_hold_nothing_others_are_named(call, root):
    """A pattern of names that was too narrow costs no second search; a folder that was named is kept to."""
    (root / "src").mkdir()
    (root / "src" / "app.ts").write_text("port = 8080\n")
    (root / "settings.py").write_text("port = 9090\n")

    found = call("grep_search", pattern="port =", path="src", glob="*.py").output

    assert snapshot(["no hits in files of such names; in others:", "src/app.ts:1: port = 8080"]) == found.splitlines()


def test_where_no_line_holds_a_word_files_of_such_names_are_named(call, root):
    """What is in no text may be in a name; what a search passes over is not named."""
    for name in ("src/harbour.py", "docs/harbour_tides.md", "harbour.pem"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x\n")

    found = call("grep_search", pattern="class Harbour")

    assert snapshot("no hits; files of such names: docs/harbour_tides.md, src/harbour.py") == found.output
    assert "0 hits" == found.display


def test_files_that_explain_come_before_those_that_record(call, root):
    """README and prose at the top, then by depth; data and the past last. One hit in each needs no counts."""
    wanted = ["README.md", "GUIDE.md", "main.py", "docs/deep.md", "src/a/b.py", "CHANGELOG.md", "data.json"]
    for name in sorted(wanted):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("needle\n")

    lines = call("grep_search", pattern="needle").output.splitlines()

    assert wanted == [line.partition(":")[0] for line in lines]


def test_a_wrong_pattern_is_explained(call, tree):
    """The failure is for the model to fix."""
    with pytest.raises(ToolFailure, match="no regular expression: missing"):
        call("grep_search", pattern="(")
    with pytest.raises(ToolFailure, match="does not exist"):
        call("grep_search", pattern="x", path="nowhere")


def test_a_catastrophic_pattern_is_killed_and_the_rest_kept(call, root):
    """After five seconds the worker is gone; hits from before are there, flagged as partial."""
    (root / "a.txt").write_text("aaa\n")
    (root / "b.txt").write_text("a" * 35 + "!\n")
    began = time.monotonic()

    outcome = call("grep_search", pattern="^(?=a)(a+)+$")

    assert time.monotonic() - began < 20  # the search itself would take hours
    stopped = "[partial: the search ran out of time; narrow the path or the glob]"
    assert [stopped, "a.txt:1: aaa"] == outcome.output.splitlines()


def test_lines_are_whole_and_what_is_left_out_is_counted(call, root):
    """Notes come first: more than a hundred are counted file by file, and each file has its share of the lines."""
    for number in range(5):
        (root / f"{number}.txt").write_text("hit\n" * 60)
    (root / "wide.md").write_text(f"needle {'x' * 900}\n")
    (root / "long.md").write_text("-" * 100_000 + "NEEDLE" + "-" * 100_000)

    outcome = call("grep_search", pattern="hit")
    needle = call("grep_search", pattern="NEEDLE").output

    counts, stopped, *lines = outcome.output.splitlines()
    assert "300 hits" == outcome.display
    assert [f"{file}.txt:{line}: hit" for file in range(5) for line in range(1, 21)] == lines
    assert snapshot("[hits a file: 0.txt 60, 1.txt 60, 2.txt 60, 3.txt 60, 4.txt 60]") == counts
    assert (
        snapshot("[100 of 300 hits shown, at most 20 of a file; narrow the pattern, the path or the glob]") == stopped
    )
    assert f"wide.md:1: needle {'x' * 900}" == call("grep_search", pattern="needle").output
    assert len(needle) < 1100
    assert "NEEDLE" in needle
    assert needle.endswith("[line of 200006 characters]")


def test_no_line_is_cut_where_the_output_is_full(call, root):
    """Also a small window is shown whole lines."""
    (root / "a.txt").write_text(f"hit {'x' * 90}\n" * 60)

    stopped, *lines = call("grep_search", pattern="hit", options={"output_chars": 2000}).output.splitlines()

    assert all(line.endswith("x" * 90) for line in lines)
    assert stopped.startswith(f"[{len(lines)} of 60 hits shown, up to line {len(lines)};")


def test_lines_around_a_hit_are_shown_where_they_are_wanted(call, root):
    """As grep marks them; lines between two near hits stand once."""
    (root / "a.txt").write_text("1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n")

    lines = call("grep_search", pattern="hit", context=1).output.splitlines()

    assert ["a.txt-2- 2", "a.txt:3: hit 3", "a.txt-4- 4", "a.txt:5: hit 5", "a.txt-6- 6"] == lines


TWO_SECRETS = ("s3Kq7Vw9xPz2Lm4Rt6Yb", "d8Jh5Gf1cNw0Bv3Xq9Ze")
ASKED = (
    "token = .s",  # a letter
    "token = .s|redacted:",  # or what stands in the mask: where only the letter leads to the file
    "(?!.*token = .s)token",  # or not
    "(?<![s])3K|token",
    "token = .[^d]",
    r"token = \".\b",
    "^token = .{3}3",
    "token = .s|token = .$",
    "(?>token = .s|token)",
    ".*",
    "$|s3K",
    "token = .(?:[s]|)+",
)
HOLDS = ("by its name", "as a key that is set", "in a long line", "in lines of its own")
EVERYWHERE = (
    ASKED[:2] + ASKED[9:11]
)  # no hit, one by a mask, all lines, all ends; how patterns look is one for all masks


@pytest.mark.parametrize(("pattern", "holds"), [*product(ASKED, HOLDS[:1]), *product(EVERYWHERE, HOLDS[1:])])
def test_a_search_answers_the_same_whatever_a_secret_is(call, root, pattern, holds):
    """Hits, counts, nearest lines: no pattern tells one value from another, in however many searches."""
    answers = []
    for value in TWO_SECRETS:
        text = f'token = "{value}"\n'
        if holds == "as a key that is set":
            text = f'word = "{value}"\n'
        elif holds == "in a long line":
            text = "x" * 480 + f' token = "{value}" ' + "x" * 600 + "\n"
        elif holds == "in lines of its own":
            text = f"-----BEGIN PRIVATE KEY-----\n{value}\n\n{value}\n-----END PRIVATE KEY-----\n"
        (root / "a.py").write_text(f"import os\n{text}end\n")
        options = {"keys": (value,)} if holds == "as a key that is set" else {}
        answers.append(call("grep_search", pattern=pattern.replace("token", "word" if options else "token"),
                            context=1, options=options))  # fmt: skip

    assert answers[0] == answers[1]
    assert not any(value[:6] in answer.output for value in TWO_SECRETS for answer in answers)


@pytest.mark.parametrize("pattern", ["token", r"\btoken\b", "^token", "token = .", "(?i)TOKEN.*=", "token|nothing"])
def test_a_line_that_holds_a_secret_is_found_by_what_stands_beside_it(call, root, pattern):
    """Names are looked for, and shown with the mask."""
    (root / "a.py").write_text(f'import os\ntoken = "{TWO_SECRETS[0]}"\n')

    assert 'a.py:2: token = "[redacted:password]"' == call("grep_search", pattern=pattern).output


def test_a_secret_cannot_be_spelled_out_by_searches(cococat, scripted, tmp_path):
    """Two letters, one of which is right: the model reads the same."""
    (tmp_path / "a.py").write_text(f'token = "{TWO_SECRETS[0]}"\n')
    asked = [("grep_search", {"pattern": f'token = "{letter}'}) for letter in "sd"]
    server = scripted(calls(*asked), says("no"))

    cococat("ask", "--mode", "react", "--base-url", server.base_url, "-m", "x", "what is the token?")

    right, wrong = tool_results(server.requests[1])
    assert wrong == right.replace('token = \\"s', 'token = \\"d')
    assert TWO_SECRETS[0][:4] not in right


def test_links_are_not_followed(call, root):
    """Neither a loop nor a way out is walked."""
    (root / "loop").symlink_to(".")
    (root / "etc").symlink_to("/etc")
    (root / "passwd").symlink_to("/etc/passwd")
    (root / "a.txt").write_text("root\n")

    assert "a.txt:1: root" == call("grep_search", pattern="root").output
    assert ["a.txt"] == call("glob", pattern="*.txt").output.splitlines()


def test_what_git_ignores_is_counted_and_named_where_nothing_else_holds_it(call, root):
    """A file that is passed over is no file that is not there; secrets stay unnamed."""
    (root / ".gitignore").write_text("*.log\nbuild/\n.env\n")
    for name in ("a.log", "build/out.js", "build/deep/more.js", ".env"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("needle\nneedle\n")
    (root / "main.py").write_text("hay\n")

    grep = call("grep_search", pattern="needle")
    narrow = call("grep_search", pattern="needle", path=".", glob="o*.js").output
    one = call("grep_search", pattern="needle", path="build/out.js").output
    globs = [call("glob", pattern=pattern).output for pattern in ("*.log", "*.py", "*.zig")]

    held = "no hits; 3 ignored files hold it: build/out.js, build/deep/more.js, a.log; name one as path to search it"
    assert (held, "0 hits") == (grep.output, grep.display)
    assert snapshot("no hits; 1 ignored file holds it: build/out.js; name one as path to search it") == narrow
    assert snapshot("build/out.js:1: needle\nbuild/out.js:2: needle") == one
    assert snapshot(["no files; ignored ones: a.log", "main.py", "no files"]) == globs


def test_text_of_any_encoding_that_can_be_read_is_found(call, root):
    """What read_file shows can be searched, and a line end is no part of a line."""
    for name, encoding in (("16", "utf-16"), ("8", "utf-8-sig"), ("32", "utf-32"), ("1", "latin-1")):
        (root / f"{name}.txt").write_bytes("first é\r\nneedle é".encode(encoding))

    lines = call("grep_search", pattern="^(first .|needle .)$").output.splitlines()

    assert {f"{name}.txt" for name in ("16", "8", "32", "1")} == {
        line.partition(":")[0] for line in lines if line[0] != "["
    }


RG = shutil.which("rg")


@pytest.mark.parametrize(
    "rg", ["", pytest.param(RG, marks=pytest.mark.skipif(not RG, reason="ripgrep is not installed"))]
)
@pytest.mark.parametrize("pattern", ["needle", "none", "TODO"])
def test_files_that_are_too_large_to_search_are_named(root, tree, rg, pattern):
    """Whether others have hits or not; none that a search passes over anyhow, or that the glob leaves out."""
    for name in ("docs/large.md", "large.txt", "app.log", ".env", ".git/large.md"):
        (root / name).write_bytes(b"needle\n" * (1 << 20))
    grep = grep_tool(root.resolve(), lambda parts: parts[-1] == ".env", rg or None)

    def found(**more):
        return asyncio.run(grep.run({"pattern": pattern, **more}, print)).output

    note = "[not searched, larger than 5 MiB: {}; read_file reads parts of it]\n"
    assert found().startswith(note.format("docs/large.md, large.txt"))
    assert found(glob="*.md").startswith(note.format("docs/large.md"))
    assert "not searched" not in found(path="src")
    with pytest.raises(ToolFailure, match=r"large\.txt is larger than 5 MiB and is not searched; read_file reads"):
        found(path="large.txt")


@pytest.mark.skipif(not RG, reason="ripgrep is not installed")
@pytest.mark.parametrize("pattern", ["needle", "^needle$", r"n\w+e .$", "(?i)NEEDLE", "(?<=n)eedle", "é", "none"])
def test_ripgrep_and_our_own_search_find_the_same(root, tree, pattern):
    """With either the output is the same: encodings, long lines, ignored, binary and large files, and what to try next."""
    (root / "long.js").write_text("x" * 5000 + "needle" + "y" * 5000 + "\nneedle\n")
    (root / "node_modules").mkdir()
    for name, encoding in (("16", "utf-16"), ("8", "utf-8-sig"), ("1", "latin-1"), ("node_modules/x", "utf-8")):
        (root / f"{name}.txt").write_bytes("first é\r\nneedle é\r\nneedle\r\n".encode(encoding))
    (root / "late.txt").write_bytes(b"needle\n" + b"x\n" * 10_000 + b"\0\nneedle\n")
    for name in ("large.txt", "docs/large.txt", "app.log", ".env", ".git/large", "src/gen/large"):
        (root / name).write_bytes(b"needle\n" * (1 << 20))

    def found(rg):
        (grep,) = [grep_tool(root.resolve(), lambda _: False, rg)]
        return asyncio.run(grep.run({"pattern": pattern}, print)).output

    assert found(None) == found(RG)


def test_ripgrep_is_called_with_fixed_arguments(call, root, tmp_path, monkeypatch):
    """It is found on PATH, its own configuration is off, and a pattern can never be an option."""
    tool = tmp_path / "bin" / "rg"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\ncase $* in *" --files "*) exit;; esac\nprintf "%s\\n" "$@" >"$0.args"\nprintf "./a.txt\\0./a.log\\0"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")

    (root / "a.txt").write_text("near\n--pre=evil\n")
    (root / "a.log").write_text("--pre=evil\n")
    (root / ".gitignore").write_text("*.log\n")

    outcome = call("grep_search", pattern="--pre=evil", context=3)

    arguments = (tmp_path / "bin" / "rg.args").read_text().splitlines()
    assert snapshot("a.txt-1- near\na.txt:2: --pre=evil") == outcome.output
    assert "--no-config" == arguments[0]
    assert snapshot(["--regexp=--pre=evil", "--", "./"]) == arguments[-3:]


def test_ripgrep_inside_the_folder_is_not_used(root, monkeypatch):
    """A program that lies in the folder that is searched could be anybody's."""
    (root / "rg").write_text("#!/bin/sh\n")
    (root / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(root))

    assert find_rg(root.resolve()) is None
