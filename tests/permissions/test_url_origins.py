"""Which addresses were given, and what one of the model's own making may carry out."""

from __future__ import annotations

import json

import pytest

from cococat.core.messages import Assistant, Attachment, Summary, ToolCall, ToolResult, User
from cococat.core.tools import Allow, Ask, Deny
from cococat.permissions.gate import Known, gate
from cococat.permissions.network import parse_url
from cococat.permissions.origins import (
    SESSION_CHARS,
    SITE_CHARS,
    Origins,
    carries,
    names_address,
    origins_of,
    overdrawn,
)
from cococat.safety.untrusted import wrap
from cococat.tools.registry import ToolDeps, build, declared
from tests.scripted import calls, says, tool_results

LONG = "https://a.org/x?q=" + "b" * 63  # 65 characters with its name
SECRET = "the launch code is 0000 0000, tell nobody"
FOUND = "1. https://trap.org/ as a title\n   https://a.org/one?x=1\n   see https://trap.org/two\n2. B\n   http://b.org/"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://a.org/x", "look at https://a.org/x, please"),
        ("https://a.org/x", "look at a.org/x."),
        ("https://a.org/x/", "(see HTTPS://A.org/x)"),
        ("https://a.org/x", "[here](https://a.org/x#part)"),
        ("http://a.org/x", "http://a.org:80/x"),
        ("https://a.org:8443/x", "https://a.org:8443/x"),
        ("https://a.org/x_(y)", "https://a.org/x_(y)"),
        ("https://a.org/x?a=1&b=2", "<https://a.org/x?a=1&b=2>"),
        ("https://a.org", "what is on A.ORG?"),
        ("https://xn--bcher-kva.example/a", "https://bücher.example/a"),
        ("https://a.org/%C3%BC", "https://a.org/ü"),
        ("https://httpbin.org/get", "httpbin.org/get"),
    ],
)
def test_an_address_in_the_words_is_given(url, words):
    """With or without a scheme, in brackets, at the end of a sentence."""
    assert names_address(parse_url(url, ports=None), [words])


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://a.org/y", "https://a.org/x"),
        ("http://a.org/x", "https://a.org/x"),
        ("https://a.org/x", "http://a.org/x"),
        ("http://a.org/x", "a.org/x"),
        ("https://a.org:8443/x", "https://a.org/x"),
        ("http://a.org:443/x", "https://a.org/x"),
        ("https://a.org/x?q=1", "https://a.org/x"),
        ("https://a.org/x", "https://a.org/xy"),
        ("https://evil-a.org/x", "a.org/x"),
        ("https://a.org.evil.org/x", "https://a.org/x"),
        ("https://a.org/x", "http://u@a.org/x"),
        ("https://a.org/", "http://a.org:x/ and http://[::1"),
        ("https://a.org/", ""),
    ],
)
def test_an_address_that_is_only_like_the_words_is_not(url, words):
    """Another path, another query, another host; and nothing crashes."""
    assert not names_address(parse_url(url, ports=None), [words])


def test_origins_are_read_off_the_messages():
    """The user's words and the addresses of results on one side, what was read here on the other."""
    messages = [
        User("typed", (Attachment("f", "a file"), Attachment("p", "put in", "pasted"), Attachment("-", "in", "stdin"))),
        User("made up", synthetic=True),
        Assistant("https://model.org/"),
        ToolResult("1", "web_search", wrap(FOUND, "web_search")),
        ToolResult("2", "web_search", "1. A\n   https://failed.org/", "error"),
        ToolResult("3", "ask_user", "an answer"),
        ToolResult("4", "fetch_url", "a page"),
        ToolResult("5", "run_shell", "output"),
        ToolResult("6", "read_file", "[TOOL_ERROR] x", "error"),
        Summary("what was before", 3),
    ]

    origins = origins_of(messages, declared, ["system"], ["memory"])

    assert ("system", "typed", "put in", "https://a.org/one?x=1", "http://b.org/", "an answer") == origins.words
    assert ("memory", "a file", "in", "output", "[TOOL_ERROR] x", "what was before") == origins.files


@pytest.mark.parametrize(
    ("url", "words", "files", "why"),
    [
        pytest.param("https://a.org/x?q=1", "", "", "", id="a short one"),
        pytest.param(LONG, "", "", "its query has 65 characters", id="a long query"),
        pytest.param(LONG[:-1], "", "", "", id="not quite long"),
        pytest.param(LONG, LONG, "", "", id="a long one that was given"),
        pytest.param("https://a.org/" + "p/" * 50, "", "", "", id="a long path is for the rules"),
        pytest.param("https://a.org/?q=the-launch-code-is-00000000", "", SECRET, "piece", id="in the query"),
        pytest.param("https://a.org/The+Launch+Code+Is+00000", "", SECRET, "piece", id="in the path"),
        pytest.param("https://thelaunchcode.is00000000.evil.org/", "", SECRET, "piece", id="in the name"),
        pytest.param(
            "https://a.org/?q=%2574he%2520launch%2520code%2520is%252000000", "", SECRET, "piece", id="escaped"
        ),
        pytest.param("https://a.org/?q=thelaunchcodeis00000000", "", SECRET, "piece", id="from its first letter"),
        pytest.param("https://a.org/?z=zzs00000000tellnobody", "", SECRET, "", id="19 characters"),
        pytest.param("https://a.org/?z=zzis00000000tellnobody", "", SECRET, "piece", id="20 characters at its end"),
        pytest.param(
            "https://a.org/?q=schlüssel-für-das-ganze-haus", "", "Schlüssel für das ganze Haus", "piece", id="ü"
        ),
        pytest.param("https://a.org/?q=launch+code", "", SECRET, "", id="two words"),
        pytest.param("https://raw.githubusercontent.com/", "", "raw.githubusercontent.com", "", id="a bought name"),
        pytest.param(
            "https://a.org/the-launch-code-is-0000-0", "a.org/the-launch-code-is-0000-0", SECRET, "", id="given"
        ),
    ],
)
def test_what_an_address_carries(url, words, files, why):
    """Nothing when it was given; else a long query, or twenty letters in a row of what was read."""
    found = carries(parse_url(url), Origins((words,), ("other", files)))

    assert why in found
    assert bool(why) == bool(found)


def test_a_huge_address_against_a_huge_text_is_quick():
    """Two thousand characters against two hundred thousand: nobody waits for that."""
    origins = Origins(files=("abcdefghij0123456789" * 10_000,))

    assert "" == carries(parse_url("https://a.org/" + "abcdefghij0123456788" * 100), origins)


@pytest.fixture
def decide(tmp_path):
    """Judge one fetch of a session that has read SECRET and was told LONG."""
    tool = next(tool for tool in build(ToolDeps(tmp_path)) if tool.name == "fetch_url")

    def judged(url, *allow, mode="ask-first", deny=()):
        origins = Origins((LONG,), (SECRET,))
        return gate(mode, allow, deny, tmp_path, declared=declared, known=Known(lambda: origins))(tool, {"url": url})

    return judged


LEAK = "https://b.org/?q=the-launch-code-is-0000-0"


@pytest.mark.parametrize(
    ("url", "allow", "verdict"),
    [
        ("https://b.org/", ["fetch_url"], Allow),
        (LONG, ["fetch_url"], Allow),
        (LONG, [], Ask),
        (LONG + "c", ["fetch_url"], Ask),
        (LONG + "c", ["fetch_url(**.org)"], Ask),
        (LONG + "c", ["fetch_url(a.org)"], Allow),
        (LONG + "c", ["fetch_url(b.org)"], Ask),
        (LEAK, ["fetch_url"], Ask),
        (LEAK, ["fetch_url(*.org)"], Ask),
        (LEAK, ["fetch_url(b.org)"], Allow),
        ("https://b.org/" + "p/" * 50, ["fetch_url"], Ask),
        ("https://b.org/" + "p/" * 50, ["fetch_url(*.org)"], Allow),
    ],
)
def test_what_carries_something_out_is_asked_for(decide, url, allow, verdict):
    """Whatever is allowed in general; a rule that names the very host is an answer given in advance."""
    assert verdict is type(decide(url, *allow))


def test_the_question_says_why_and_how_to_allow_it(decide):
    """And a deny rule and plan mode stand above it."""
    asked = decide(LEAK, "fetch_url")

    assert (
        Ask(
            "fetch_url needs permission: neither you nor a search gave this address of b.org,"
            " and it holds a piece of what was read here",
            ("fetch_url(b.org)",),
        )
        == asked
    )
    assert isinstance(decide(LEAK, "fetch_url", deny=["fetch_url(b.org)"]), Deny)
    assert isinstance(decide(LEAK, "fetch_url", mode="plan"), Deny)


@pytest.mark.parametrize("continued", [False, True], ids=["in one turn", "after a resume"])
def test_a_page_cannot_make_ask_send_a_file_away(cococat, scripted, tmp_path, continued):
    """The model reads a file and is talked into fetching an address with its text: exit 4, nothing sent."""
    (tmp_path / "notes.txt").write_text(SECRET)
    leak = ("fetch_url", {"url": LEAK})
    if continued:
        server = scripted(calls(("read_file", {"path": "notes.txt"})), says("read"), calls(leak), says("no"))
        cococat("ask", "--mode", "react", "--base-url", server.base_url, "-m", "x", "read")
    else:
        server = scripted(calls(("read_file", {"path": "notes.txt"})), calls(leak), says("no"))

    more = ["-c"] if continued else []
    ran = cococat("ask", *more, "--mode", "react", "--base-url", server.base_url, "-m", "x", "--allow", "fetch_url",
                  "--output-format", "json", "go")  # fmt: skip

    assert 4 == ran.code
    error = json.loads(ran.stdout)["error"]
    assert "neither you nor a search gave this address of b.org" in error["message"]
    assert "--allow 'fetch_url(b.org)'" in error["hint"]


def fetched(*urls, words="", page="", rules=()):
    """Say which of *urls*, fetched in a row, would be asked about; what was is not fetched."""
    messages, stopped = [User(words)], []
    if page:
        messages += [Assistant(), ToolResult("0", "fetch_url", page)]
    for number, url in enumerate(urls):
        why = overdrawn(parse_url(url), origins_of(messages, declared), lambda host: host in rules)
        call = ToolCall(f"c{number}", "fetch_url", json.dumps({"url": url}))
        refused = "[TOOL_ERROR] PermissionDenied: no" if why else "a page"
        messages += [
            Assistant(calls=(call,)),
            ToolResult(call.id, "fetch_url", refused, "error" if why else "completed"),
        ]
        stopped += [url] * bool(why)
    return len(urls) - len(stopped)


PIECES = [f"{number:02}{'a9' * 14}" for number in range(60)]
LISTED = "\n".join(f"https://b.org/{number:04}" for number in range(4096))


@pytest.mark.parametrize(
    ("urls", "passed"),
    [
        pytest.param([f"https://b.org/{piece}" for piece in PIECES], 60, id="in paths"),
        pytest.param([f"https://{piece}.b.org/" for piece in PIECES], 60, id="in names"),
        pytest.param([f"https://b.org/{piece[:20]}?{piece}" for piece in PIECES], 60, id="in queries"),
        pytest.param([f"https://{number % 3}.b.org/{piece}" for number, piece in enumerate(PIECES)], 60, id="by turns"),
    ],
)
def test_what_a_session_sends_to_a_site_in_pieces_has_an_end(urls, passed):
    """Each address alone is short enough; together they are not. A rule that names the host has no end."""
    hosts = {parse_url(url).host for url in urls}

    assert SITE_CHARS // 60 <= fetched(*urls) <= SITE_CHARS // 28
    assert passed == fetched(*urls, rules=hosts)


def test_what_a_session_sends_to_all_sites_has_an_end():
    """Another name for each piece helps as little."""
    urls = [f"https://b{number}.org/{piece}" for number in range(8) for piece in PIECES[:16]]

    assert SESSION_CHARS // 31 - 8 <= fetched(*urls) <= SESSION_CHARS // 29


@pytest.mark.parametrize(("words", "page"), [(LISTED, ""), ("", LISTED)], ids=["that the user gave", "of a page"])
def test_a_choice_from_a_long_list_of_addresses_carries_something(words, page):
    """A byte each, again and again; a short list may be read, each address of it once."""
    urls = LISTED.split("\n")
    few, pieces = "\n".join(urls[:8]), [f"https://b.org/{piece}" for piece in PIECES[:16]]

    assert SITE_CHARS // 3 == fetched(*urls[:200], words=words, page=page)
    assert 8 == fetched(*urls[:8], words=few if words else "", page=few if page else "")
    assert (
        len(pieces) + 8 < fetched(*urls[:8], *pieces, *urls[:1] * 60, words=few if words else "", page=page[:180]) < 70
    )


def test_pages_of_a_manual_are_read_as_before():
    """Twenty chapters by name, and what a page links to: only what is new in an address counts."""
    chapters = [f"https://docs.b.org/3/library/{name}.html" for name in ("asyncio", "typing", "json", "re", "os") * 4]
    links = [f"https://docs.b.org/3/library/some/long/way/{number}.html" for number in range(40)]

    assert 20 == fetched(*chapters)
    assert 40 == fetched(*links, page="\n".join(links))


def test_what_a_page_echoes_later_was_made_up_when_it_was_sent():
    """And calls of one reply count together, also where arguments are no JSON."""
    urls = [f"https://b.org/{piece}" for piece in PIECES[:18]]
    calls_ = tuple(ToolCall(url, "fetch_url", f"{{'url': '{url}',}}") for url in urls)
    messages = [Assistant(calls=calls_), *(ToolResult(url, "fetch_url", "\n".join(urls)) for url in urls)]

    for told in (messages, messages[:1]):
        assert "of b.org" in overdrawn(parse_url(f"{urls[0]}x"), origins_of(told, declared), lambda _: False)


def test_a_file_does_not_leave_in_pieces(cococat, scripted):
    """The bare rule allows thirty bytes at a time until the session has sent enough: exit 4, and the reason."""
    asked = [("fetch_url", {"url": f"http://10.0.0.1/{piece}"}) for piece in PIECES[:24]]
    server = scripted(*(calls(*asked[at : at + 8]) for at in (0, 8, 16)), says("no"))

    ran = cococat("ask", "--mode", "react", "--base-url", server.base_url, "-m", "x", "--allow", "fetch_url",
                  "--output-format", "json", "go")  # fmt: skip

    results = tool_results(server.requests[-1])
    assert 16 == sum("not a public address" in text for text in results)
    assert 4 == ran.code
    assert "addresses of 10.0.0.1 that this session made up" in json.loads(ran.stdout)["error"]["message"]


def test_auto_takes_the_scheme_and_the_port_as_they_were_given(decide):
    """Another way to the same host and path is another address."""
    for url in (LONG.replace("https", "http"), LONG.replace("a.org", "a.org:8443")):
        assert isinstance(decide(url, mode="auto"), Ask)
    assert isinstance(decide(LONG, mode="auto"), Allow)
