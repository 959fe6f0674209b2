"""Markdown that streams: what is final is never taken back, and costs no more than its length."""

import random
import re
import time

import pytest

from cococat.ui.lines import markdown
from cococat.ui.lines.markdown import Markdown, render
from cococat.ui.lines.theme import ansi

DOCUMENT = r"""# Title with **bold** ##

Some *prose* with `code`, a [link](https://evil/?q=SECRET) and snake_case_name.
Second line.


- item one **b**
  - nested `x`
1. first
7) seventh

> quote *here*
> ```python
> def f(): return "**no bold**"
> ```

```python
def f(x):

	return {"a": 1}  # **not bold**
```

| name | port |
|------|-----:|
| **a** | 80 |
| 日本 | 8080 |

a | b is no table
***
    code *x*
"""
SHOWN = r"""Title with bold

Some prose with code, a link (https://evil/?q=SECRET) and snake_case_name.
Second line.

- item one b
  - nested x
1. first
7) seventh

> quote here
> ```python
> def f(): return "**no bold**"
> ```

```python
def f(x):

	return {"a": 1}  # **not bold**
```

| name | port |
| ---- | ---- |
| a    |   80 |
| 日本 | 8080 |

a | b is no table
────────────────────────────────────────
    code x
"""
LONG = "word **bold words** and `c d`, 日本語。 " * 120
WORST = {
    "one line of 1 MB": "a" * 1_000_000,
    "a paragraph of 1 MB": "The **quick** `fox` " * 50_000,
    "brackets": "![[" * 300_000,
    "as many stars as are parsed": "**abcde " * 125_000,
    "stars": "**a *" * 200_000,
    "nested quotes": ">" * 100_000 + "x",
    "nested lists": "".join(" " * min(depth, 300) + "- x\n" for depth in range(20_000)),
    "a table of 2000 rows": "|a|b|\n|-|-|\n" + "| **x** | `y` |\n" * 2000,
    "a code block of 10 MB": "```c\n" + "int x = 1;\n" * 900_000,
    "blank headings": ("# " + " " * 900 + "x\n") * 1000,
    "fences that are none": ("``` " + "a" * 900 + " `\n") * 1000,
    "rulers that are none": ("a|b\n" + "-" * 900 + " x\n") * 500,
}


def written(texts):
    return "".join(ansi(text) + text.end for text in texts)


def streamed(source, sizes, width=80):
    """Feed *source* in chunks of *sizes* and look at the open end after each of them."""
    stream, done, at = Markdown(lambda: width), [], 0
    for size in sizes:
        done += stream.feed(source[at : at + size])
        for text in stream.tail():
            ansi(text)
        at += size
        if at >= len(source):
            break
    return [*done, *stream.close()]


def test_a_document_is_shown_as_it_was_written():
    """Marks that mean a style become one; lines, lists, quotes and code keep their places."""
    assert SHOWN == "".join(text.plain + text.end for text in render(DOCUMENT, 80))


@pytest.mark.parametrize(
    "source",
    [DOCUMENT, LONG, f"{LONG}\n\n# {LONG}", f"```\n{'x' * 3500}\n```\n{LONG}", "|a|b|\n|-|-|\n" + "|1|`x`|\n" * 200],
    ids=["document", "paragraph", "heading", "code", "table"],
)
def test_what_was_streamed_equals_what_is_rendered_at_once(source):
    """Where the chunks were cut leaves no trace."""
    chance = random.Random(7)
    whole = written(render(source, 80))

    for _ in range(2):
        assert whole == written(streamed(source, iter(lambda: chance.randint(1, 60), 0)))


def test_a_paragraph_is_one_line_however_long():
    """Prose is not wrapped: that is the terminal's work, so copying gives the model's text."""
    assert LONG.replace("**", "").replace("`", "") == "".join(text.plain + text.end for text in render(LONG, 40))[:-1]


def test_no_line_is_padded():
    """Nothing but what the model wrote stands at the ends of lines; tables are the exception."""
    assert [text.plain for text in render("a\n- b\n> c\n\n# d\n```\ne\n```", 80)] == [
        text.plain.strip() for text in render("a\n- b\n> c\n\n# d\n```\ne\n```", 80)
    ]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("[https://good](https://evil/?q=1)", "https://good (https://evil/?q=1)"),
        ("![x](https://evil/i.png)", "x (https://evil/i.png)"),
        ("<https://same>", "https://same"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("&#x202e;a&#27;[2J &lt;b&gt;", "a�[2J <b>"),
        ("[/INST] [red]x[/red]", "[/INST] [red]x[/red]"),
        (r"\(x\) \[y\] \*z\*", r"\(x\) \[y\] *z*"),
        ("<b>html</b> <!-- c -->", "<b>html</b> <!-- c -->"),
        ("**open and `open", "**open and `open"),
        ("a  \nb\\\nc", "a  \nb\\\nc"),
        ("| a | b |\n| - |\nx", "| a | b |\n| - |\nx"),
        ("> ```\n> **x**\nafter **y**", "> ```\n> **x**\nafter y"),
        ("- ```\n  **x**\n  ```\n- **y**", "- ```\n  **x**\n  ```\n- y"),
        ("````\n```\n**x**\n````\n**y**", "````\n```\n**x**\n````\ny"),
        ("# # C#", "# C#"),
        ("\n\n\na\n\n\n\nb\n\n", "a\n\nb"),
    ],
)
def test_marks_with_a_doubtful_meaning(source, wanted):
    """Links show where they lead, entities bring no control characters, broken marks stay visible."""
    assert wanted + "\n" == "".join(text.plain + text.end for text in render(source, 80))


@pytest.mark.parametrize(
    ("source", "addresses"),
    [
        ("see http://a.b/c?d=e.", ["http://a.b/c?d=e"]),
        ("[a](http://b) <http://c> ![d](http://e)", ["http://b", "http://c", "http://e"]),
        ("[http://good](http://evil)", ["http://good", "http://evil"]),
        ("(http://a) **http://b**, `http://c`", ["http://a", "http://b", "http://c"]),
        ("[a](file:///bin/sh) [b](javascript:x) /etc/passwd", []),
    ],
)
def test_a_hyperlink_of_the_terminal_leads_where_it_says(source, addresses):
    """Only an address is one, and only to itself; no terminal gets one that may not know what it is."""
    texts = render(source, 80)
    linked = "".join(ansi(text, links=True) for text in texts)

    assert [(address, address) for address in addresses] == re.findall(
        r"\x1b]8;id=\d+;(.*?)\x1b\\(?:\x1b\[[\d;]*m)?(.*?)(?:\x1b\[0m)?\x1b]8;;\x1b\\", linked
    )
    assert "\x1b]8" not in written(texts)


def test_a_table_that_is_too_wide_is_not_aligned():
    """Padding would only make its rows longer."""
    wide = render("| a | b |\n|---|---|\n| " + "x" * 60 + " | y |\n| 1 | 2 |", 40)

    assert "| 1 | 2 |" == wide[-1].plain


def test_the_open_end_stays_small():
    """However long a block is, what may still change is a few lines."""
    stream = Markdown(lambda: 80)
    largest = 0

    for chunk in ("word **b** " * 20 for _ in range(200)):
        stream.feed(chunk)
        largest = max(largest, sum(len(text.plain) for text in stream.tail()))

    assert largest < markdown.PIECE


@pytest.mark.parametrize("source", WORST.values(), ids=WORST.keys())
def test_the_worst_cases_cost_less_than_two_seconds(source):
    """No block, line or mark makes the time grow faster than the text."""
    began = time.process_time()

    texts = streamed(source, iter(lambda: 8192, 0))

    assert time.process_time() - began < 2
    assert sum(len(text.plain) for text in texts) > len(source) // 3
