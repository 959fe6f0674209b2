"""Foreign text on a terminal: nothing of it may move the cursor, and nothing may hide."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.safety.terminal import MAX_CHARS, SafeStream, safe

HOSTILE = {
    "clipboard": ("a\x1b]52;c;SGVsbG8gd29ybGQgbG9uZw==\x07b", "a␛[]52;c;SGVsbG8gd2…]b"),
    "title": ("\x1b]0;owned\x1b\\x", "␛[]0;owned\\]x"),
    "title with no end": ("x\x1b]0;owned", "x␛[]0;owned]"),
    "hyperlink": ("\x1b]8;;http://evil\x07good\x1b]8;;\x07", "␛[]8;;http://evil]good␛[]8;;]"),
    "notification": ("\x1b]9;hi\x07\x1b]777;notify;a;b\x07", "␛[]9;hi]␛[]777;notify;a;b]"),
    "clear screen": ("\x1b[2Jx", "␛[[2J]x"),
    "report title": ("\x1b[21tx", "␛[[21t]x"),
    "alternate screen": ("\x1b[?1049hx", "␛[[?1049h]x"),
    "8-bit CSI": ("\x9b2Jx", "␛[2J]x"),
    "8-bit OSC": ("\x9d0;t\x9cx", "␛[0;t]x"),
    "DCS": ("\x1bPq#0;2\x1b\\x", "␛[Pq#0;2\\]x"),
    "APC": ("\x1b_Gf=100\x1b\\x", "␛[_Gf=100\\]x"),
    "aborted string": ("\x1b]x\x18q", "␛[]x]␘q"),
    "escape inside a string": ("\x1b]x\x1b[2Jq", "␛[]x]␛[[2J]q"),
    "reset": ("\x1bcx", "␛[c]x"),
    "lone escape": ("x\x1b", "x␛[]"),
    "overwrite by CR": ("safe\rrm -rf", "safe␍rm -rf"),
    "line ends of Windows": ("a\r\nb", "a\nb"),
    "backspace, bell, DEL, C1": ("a\x08\x07\x7f\x85", "a␈␇␡\\x85"),
    "lone surrogate": ("a\ud800b", "a\ufffdb"),
    "bidi override": ("a\u202eb\u2066c", "abc"),
    "zero width and soft hyphen": ("a\u200bb\u2060\ufeff\xadc", "abc"),
    "tag block": ("a\U000e0041\U000e007fb", "ab"),
    "selectors that carry data": ("a\ufe01\U000e0100b", "ab"),
    "private use": ("a\ue000\U000f0000b", "ab"),
    "line separator": ("a\u2028b", "a\nb"),
    "emoji family": ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    "emoji heart and keycap": ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
    "joiner between letters": ("a\u200db\ufe0f", "ab"),
    "second selector": ("❤\ufe0f\ufe0fx", "❤\ufe0fx"),
}
PLAIN = "plain text, tabs\tand lines\n日本語 é ñ 👍"
table = pytest.mark.parametrize(("given_", "wanted"), HOSTILE.values(), ids=HOSTILE.keys())
pieces = st.lists(
    st.sampled_from("ab1#❤👍\n\r\t[];\\P2J~\x1b\x07\x9b\x9c\x9d\x18\ufe0f\u200d\u20e3\u202e\ud800\U000e0041"),
    max_size=14,
).map("".join)


@table
def test_a_hostile_text_becomes_visible_and_harmless(given_, wanted):
    """Control sequences turn into one short mark, invisible characters go."""
    assert wanted == safe(given_)


@table
def test_a_sequence_that_is_split_over_two_chunks_is_still_found(given_, wanted):
    """Wherever the text is cut in two, the result is the same."""
    for cut in range(len(given_) + 1):
        stream = SafeStream()

        assert wanted == stream.feed(given_[:cut]) + stream.feed(given_[cut:]) + stream.flush()


@given(pieces, st.sampled_from(["prose", "exact"]))
def test_chunks_of_one_character_give_the_same_as_the_whole(text, context):
    """The stream decides nothing that the whole text would decide otherwise."""
    stream = SafeStream(context)

    streamed = "".join(map(stream.feed, text)) + stream.flush()

    assert safe(text, context) == streamed


@given(st.text())
def test_no_control_character_is_left(text):
    """The result holds line feeds and tabs and no other control character, whatever came in."""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", safe(text))


def test_clean_text_comes_back_as_it_is():
    """Clean text costs one search and no copy."""
    assert PLAIN is safe(PLAIN)
    assert PLAIN == SafeStream().feed(PLAIN)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a\u202eb", "a\\u{202e}b"), ("\u200bx", "\\u{200b}x"), ("a\ufe0f", "a\\u{fe0f}"), ("\x1b[2J", "␛[[2J]")],
)
def test_exact_text_shows_what_prose_leaves_out(text, wanted):
    """In commands, diffs and names an invisible character is written as its number."""
    assert wanted == safe(text, "exact")


def test_a_string_without_end_holds_back_a_bounded_text():
    """A model that opens a control string and never ends it cannot hide the rest of its answer."""
    stream = SafeStream()

    shown = [stream.feed(chunk) for chunk in ("\x1b]", *["x" * 100] * 100)]

    assert shown[0] == ""
    assert 100 * 100 - MAX_CHARS <= len("".join(shown))
