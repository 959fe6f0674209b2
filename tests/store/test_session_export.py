"""A session as a document that nothing in it can break out of."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from cococat.core.events import MessageAdded
from cococat.core.messages import Assistant, Attachment, Summary, ToolCall, ToolResult, User
from cococat.store.export import export
from cococat.store.sessions import load

HOSTILE = '</pre></details><script>alert(1)</script><img src=x onerror="a()">\x1b]0;t\x07\u202e\ud800 ```` & "q"'


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.open = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, [name for name, _ in attrs]))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag == self.open.pop()

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def session(begin):
    """A session with every kind of message, each as hostile as can be."""
    log = begin()
    calls = (ToolCall("1", "grep", HOSTILE), ToolCall("2", HOSTILE, "{}"))
    for message in (
        User(HOSTILE, (Attachment(HOSTILE, HOSTILE),)),
        Assistant(HOSTILE, HOSTILE, calls),
        ToolResult("1", "grep", HOSTILE),
        ToolResult("2", HOSTILE, "why", "error"),
        User("go on", synthetic=True),
        Assistant("bye", cut="length"),
    ):
        log.emit(MessageAdded(message))
    return load(log.path.parent, log.id)


@pytest.mark.parametrize("how", ["md", "json", "html"])
def test_an_export_can_be_written_and_hides_nothing(session, how):
    """It is valid UTF-8 and holds no control characters that a terminal would obey."""
    text = export(session, how)

    assert text.encode("utf-8").endswith(b"\n")
    assert not {char for char in text if ord(char) < 32 and char != "\n"}
    assert "\u202e" not in text
    assert session.info.id in text


def test_html_is_escaped_and_loads_nothing(session):
    """No tag, attribute or link comes from the session; every text is there."""
    page = Page(export(session, "html"))

    assert [] == page.open
    assert {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "section",
        "h2",
        "pre",
        "div",
        "p",
        "details",
        "summary",
        "footer",
    } == {tag for tag, _ in page.tags}
    assert {"lang", "charset", "http-equiv", "content", "class"} == {name for _, names in page.tags for name in names}
    assert 12 == page.text.count("<script>alert(1)</script>")  # one of them beside the name of its call
    assert "Assistant (cut: length)" in page.text


WRITTEN = """\
# Ports

It is **open**: `9090`.

| host | port |
|---|---|
| a | 1 |

```python
print("<b>")
```

- see [the bank](https://elsewhere.test/x) ![pixel](https://elsewhere.test/y.png)
- <https://elsewhere.test/z> <img src=x>

[hidden]: https://elsewhere.test/hidden
"""


def test_what_a_model_wrote_is_read_as_markdown_and_loads_nothing(begin):
    """Headings, tables, lists and code are what they are; links, pictures and tags are the text that they were."""
    log = begin()
    log.emit(MessageAdded(User("**mine** stays as I typed it")))
    log.emit(MessageAdded(Assistant(WRITTEN)))
    page = Page(export(load(log.path.parent, log.id), "html"))

    tags = [tag for tag, _ in page.tags]
    assert [] == page.open
    assert {"h1", "strong", "code", "table", "td", "ul", "li"} <= set(tags)
    assert set() == {"a", "img", "script", "b", "link"} & set(tags)
    assert "**mine** stays as I typed it" in page.text
    assert 'print("<b>")' in page.text
    for address in ("[the bank](https://elsewhere.test/x)", "elsewhere.test/y.png", "elsewhere.test/z", "test/hidden"):
        assert address in page.text


def test_a_step_is_folded_behind_what_it_did_and_a_failure_is_told(begin):
    """The words think, act and observe stand in the page as on the screen, with what a call is about."""
    log = begin()
    call = ToolCall("a", "read_file", '{"path": "src/nope.py", "start_line": 3}')
    log.emit(MessageAdded(Assistant("", "where is it?", (call,))))
    log.emit(MessageAdded(ToolResult("a", "read_file", "does not exist", "error")))

    page = export(load(log.path.parent, log.id), "html")

    assert '<details class="step"><summary>think</summary><pre>where is it?</pre></details>' in page
    assert '<details class="step"><summary>act read_file src/nope.py 3</summary>' in page
    assert '<details class="step error"><summary>observe read_file · failed</summary><pre>does not exist</pre>' in page


def test_the_page_is_readable_in_the_dark_and_takes_no_script(session):
    """The style follows what the reader's system prefers; the policy lets nothing in but that style."""
    text = export(session, "html")

    assert "@media(prefers-color-scheme:dark)" in text
    assert """content="default-src 'none'; style-src 'unsafe-inline'\"""" in text
    assert "<script" not in text


def test_markdown_fences_cannot_be_closed_from_within(session):
    """The fence is longer than any run of backticks in the text."""
    text = export(session, "md")

    assert f"`````text\n{HOSTILE[:40]}" in text
    assert "## You" in text
    assert "## grep: result" in text
    assert "failed" in text


def test_json_holds_everything(session):
    """Messages and events in the form of the log."""
    whole = json.loads(export(session, "json"))

    assert 6 == len(whole["messages"])
    assert "session_started" == whole["events"][0]["type"]
    assert HOSTILE == whole["messages"][0]["text"]
    assert whole["started"].endswith("+00:00")


def test_a_summary_is_told_from_what_was_said(begin):
    """The reader sees that something was left out."""
    log = begin()
    log.emit(MessageAdded(User("hi")))
    log.emit(MessageAdded(Summary("we spoke", 1)))

    text = export(load(log.path.parent, log.id), "md")

    assert "## Summary of 1 earlier messages\n\nwe spoke" in text
