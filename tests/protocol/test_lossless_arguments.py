"""Arguments as models botch them: read with not one character changed, or refused and nothing done."""

import itertools
import json

import pytest

from cococat.core.messages import Assistant
from cococat.core.reply import Calls, Invalid
from cococat.core.tools import tool
from cococat.protocol.arguments import parse_arguments
from cococat.protocol.decision import Decision
from cococat.protocol.lossless import read_object
from cococat.protocol.written import written_calls
from tests.scripted import calls, fault, says

CORPUS = [
    {},
    {"path": "a.txt"},
    {"path": "a.c", "content": 'int main(void) {\n\tprintf("%d\\n", x);\n}\n'},
    {"path": "x.sh", "content": 'echo "done", "path": "y"\n'},
    {"path": "y.toml", "content": '[a]\nb = "x"\nc = {d = "}", e = ["]", "\'"]}\n\n'},
    {"path": "src/ünï.py", "old_text": "x = ''", "new_text": "x = \"\" + 'it\\'s'", "replace_all": True},
    {"path": "C:\\temp\\new", "start_line": 120, "end_line": 1500},
    {"command": "grep -E '\\d+' *.txt | tr '\\n' \"'\"", "timeout_s": 2.5},
    {"items": ["one, two", "{three}", "it's [four]", ""], "kind": None},
    {"path": "d.json", "content": '{"a": {"b": [1, 2, {"c": null}]}, "d": "\\"e\\""}'},
    {"a": {"b": {"c": ["x", ["y", 12, False]]}}, "😀": "😀\u2028\x7f\x01"},
    {"content": "```json\n{}\n```", "path": "a.md"},
]
STRUCTURE = "{}[]:,\"'"


def texts(value):
    """How models write *value* when they write it well."""
    yield json.dumps(value)
    yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    yield json.dumps(value, indent=1)


def outside_strings(text):
    """The places of *text* that are in no string; nothing fits before a string's last quote, or in a number."""
    quoted = False
    at = 0
    while at < len(text):
        if quoted and text[at] == "\\":
            at += 2
            continue
        if text[at] == '"':
            yield at, not quoted
            quoted = not quoted
        elif not quoted:
            yield at, not text[at - 1 : at + 1].isalnum()
        at += 1


def is_part(found, whole):
    """Nothing of *found* differs from *whole*; fields and last items may be missing."""
    match found, whole:
        case dict(), dict():
            return all(key in whole and is_part(item, whole[key]) for key, item in found.items())
        case list(), list():
            return len(found) <= len(whole) and all(itertools.starmap(is_part, zip(found, whole, strict=False)))
        case _:
            return type(found) is type(whole) and found == whole


def damaged(text):
    """Texts with one thing wrong, which may be read as what was meant or not at all."""
    for at, fits_before in outside_strings(text):
        if not text[at].isalnum() and text[at] not in ".-":
            yield text[:at] + text[at + 1 :]
            yield from (text[:at] + mark + text[at + 1 :] for mark in STRUCTURE)
        yield from (text[:at] + mark + text[at:] for mark in STRUCTURE if fits_before)
    quotes = [at for at in range(len(text)) if text.startswith('\\"', at)]
    yield from (text[:at] + text[at + 1 :] for at in quotes)
    yield text.replace('\\"', '"')
    yield text.replace('\\"', '"').replace("\\n", "\n")
    yield from (text + text, text + "\n" + text, f"[{text}]", json.dumps(text), f'"note": 1, {text}')


def botched(value, text):
    """Texts with something wrong that has one meaning: they must be read."""
    yield text.replace("\\n", "\n").replace("\\t", "\t") if "\\\\" not in text else text
    closing = text.rstrip("]} \n")
    if closing[-1:] in ('"', "e", "l"):
        yield closing
        yield closing + "\n"
    places = [at for at, _ in outside_strings(text) if text[at] in "}]" and text[:at].rstrip()[-1:] not in "{["]
    yield from (f"{text[:at]}, {text[at:]}" for at in places)
    yield from (f"```json\n{text}\n```", f"```\n{text}\n```\nThat's all.", f"Here's the call: {text} Done.")
    yield from (f"{text}\nI hope this helps.", f"<tool_call>\n{text}\n</tool_call>")
    if "\\x" not in repr(value) and "\\u" not in repr(value):
        yield repr(value)


@pytest.mark.parametrize("value", CORPUS, ids=range(len(CORPUS)))
def test_a_text_that_is_cut_never_changes_a_value(value):
    """Cut at every place it is refused, or what it holds is what was meant."""
    cuts = [text[:at] for text in texts(value) for at in range(len(text))]

    read = [(cut, found) for cut in cuts if not isinstance(found := read_object(cut), Invalid)]

    print(f"{len(cuts):,} cuts, {len(read):,} read")  # noqa: T201 - the number is what it shows
    assert [] == [(cut, found) for cut, found in read if not is_part(found, value)]


@pytest.mark.parametrize("value", CORPUS, ids=range(len(CORPUS)))
def test_a_damaged_text_means_what_it_said_or_nothing(value):
    """Quotes not escaped, marks lost, doubled or exchanged: thousands of texts, none read as something else."""
    wrong = {bad for text in texts(value) for bad in damaged(text)}

    read = [(bad, found) for bad in wrong if not isinstance(found := read_object(bad), Invalid)]

    print(f"{len(wrong):,} damaged texts, {len(read):,} read")  # noqa: T201 - the number is what it shows
    assert [] == [(bad, found) for bad, found in read if json.dumps(found) != json.dumps(value)]


@pytest.mark.parametrize("value", CORPUS, ids=range(len(CORPUS)))
def test_what_has_one_meaning_is_read(value):
    """Control characters, missing brackets, trailing commas, fences, prose, Python's notation."""
    odd = {text for good in texts(value) for text in botched(value, good)}

    print(f"{len(odd):,} botched texts")  # noqa: T201 - the number is what it shows
    assert [] == [(text, found) for text in odd if (found := read_object(text)) != value]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r'{"path":"a.c","content":"printf("%d\n", x);\n}\n"}', r"behind '{\"path\":\"a.c\",\"content\":\"printf(\"'"),
        ('{"path":"x.sh","content":"echo "done", "path": "y"}', "a quote is written"),
        ('{"path":"a","content":"half', "was it cut off?"),
        ('{"path":"a","start_line":1', "was it cut off?"),
        ('{"path":"a",', "was it cut off?"),
        ('{"path":', "was it cut off?"),
        ("{", "was it cut off?"),
        ('{"path":"a","path":"b"}', "the key 'path' is given twice"),
        ('{"path":"C:\\users"}', "a backslash"),
        ("{'path': 'x' 'y'}", "JSONDecodeError"),
        ('{"path": ""a""}', "JSONDecodeError"),
        (r"{'path': 'a\/b'}", "two ways"),
        (r"{'path': '\x41'}", "JSONDecodeError"),
        ("{path: 'a'}", "JSONDecodeError"),
        ('{"path": "a"} // a comment', "more than one"),
        ('{"path": "a"}{"path": "b"}', "more than one"),
        ('{"content":"x = "} else y', "more than one"),
        ('{"path": NaN}', "NaN"),
        ('{"path": ("a",)}', "JSONDecodeError"),
        ("[1]", "must be a JSON object, got list"),
        ("9" * 5000, "ValueError"),
        ('{"a":' * 100_000, "JSON"),
        ("{'a':" * 100_000 + "1" + "}" * 100_000, "JSON"),
    ],
    ids=range(23),
)
def test_what_would_be_a_guess_is_refused_with_what_is_wrong(text, why):
    """The model is told where reading ended and how it is written."""
    found = read_object(text)

    assert isinstance(found, Invalid)
    assert why.replace('\\"', '"') in found.reason


@tool("writes")
async def write_file(path: str, content: str) -> str:
    """Write a file."""
    return path


@pytest.mark.parametrize("path", ["C:\\temp\\new", "src\\test.py", "a\nb"])
def test_a_path_whose_backslashes_were_read_as_escapes_is_refused(path):
    """A tab in a path is a backslash that was not doubled; in a text it is a tab."""
    text = json.dumps({"path": path, "content": "a\tb\n"})
    lazy = text.replace("\\\\", "\\")

    refused = parse_arguments(write_file, lazy)

    assert isinstance(refused, Invalid)
    assert "path: " in refused.reason
    assert {"path": "a", "content": "a\tb\n"} == parse_arguments(write_file, '{"path":"a","content":"a\\tb\\n"}')


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ('{"action":"tool_call","tool":"write_file","tool_input":{"path":"x","content":"see "} } of "y""}}', False),
        ('I think {"action":"tool_call","tool":"write_file","tool_input":{"path":"x","content":"y"}}', True),
        ('{"tool":"x" "y" {"action":"tool_call","tool":"write_file","tool_input":{"path":"x","content":"y"}}', False),
    ],
    ids=["quotes that end too early", "prose", "inside of something broken"],
)
def test_a_decision_that_writes_is_read_by_the_same_rule(text, runs):
    """No call is taken out of the middle of a text that is broken."""
    assert isinstance(Decision().read(Assistant(text), (write_file,)), Calls if runs else Invalid)


@pytest.mark.parametrize(("second", "runs"), [("a", True), ("b", False)], ids=["same", "other"])
def test_a_call_in_text_with_two_paths_is_no_call(second, runs):
    """What a model writes in the place of a call is read by the same rule."""
    text = f'{{"name":"write_file","arguments":{{"path":"a","content":"x","path":"{second}"}}}}'

    assert runs == bool(written_calls(text, (write_file,)))


BROKEN = [
    r'{"path":"a.c","content":"printf("%d\n", x);\n}\n"}',
    '{"path":"x.sh","content":"echo "done", "path": "y"}',
    '{"path":"a.txt","content":"half of it',
    '{"path":"C:\\temp\\new","content":"x"}',
]


def write(server, cococat, *words):
    """Ask for a file."""
    flags = ["--base-url", server.base_url, "-m", "m", "--mode", "react", "--allow", "write_file", "--no-session"]
    return cococat("ask", *flags, *words, "write it")


@pytest.mark.parametrize("text", BROKEN, ids=["quotes", "another path", "cut", "backslashes"])
def test_ask_writes_nothing_of_a_call_that_is_broken(scripted, cococat, tmp_path, text):
    """The model sees its own words again and what is wrong with them; no file is there."""
    server = scripted(calls(("write_file", text)), says("I could not."))

    ran = write(server, cococat)

    *_, made, result = server.requests[1]["messages"]
    assert text == made["tool_calls"][0]["function"]["arguments"]
    assert "[TOOL_ERROR] InvalidArguments" in result["content"]
    assert [] == list(tmp_path.iterdir())
    assert (0, "I could not.\n") == (ran.code, ran.stdout)


def test_ask_writes_every_character_of_a_call_that_is_put_right(scripted, cococat, tmp_path):
    """Line ends in a string that should have been escaped, the last one too."""
    content = "one\n\ttwo\n\n"
    server = scripted(calls(("write_file", f'{{"path": "a.txt", "content": "{content}",}}')), says("Done."))

    write(server, cococat)

    assert content == (tmp_path / "a.txt").read_text()


def test_an_endpoint_that_cannot_read_broken_arguments_gets_them_in_an_object(scripted, cococat):
    """It is asked once more, and from then on never again with what it refused."""
    bad = '{"path":"a","content":"half'
    server = scripted(
        calls(("write_file", bad)),
        fault(400, "Unterminated string starting at: line 1 column 24 (char 23)"),
        calls(("list_dir", {"path": "."})),
        says("I could not."),
    )

    ran = write(server, cococat)

    sent = [
        [call["function"]["arguments"] for message in body["messages"] for call in message.get("tool_calls", ())]
        for body in server.requests
    ]
    wrapped = json.dumps({"invalid_json": bad})
    assert [[], [bad], [wrapped]] == sent[:3]
    assert wrapped == sent[3][0]
    assert (0, "I could not.\n") == (ran.code, ran.stdout)
