"""Files with secrets: the model sees masks, the file keeps its values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from cococat.core.tools import ToolFailure
from cococat.safety.secrets import mask
from cococat.tools.kept_outputs import Outputs, observer

CONFIG = 'name: app\ntoken: "s3cr3t-ab12cd"\nport: 8080\npassword: hunter2\n'


@pytest.fixture
def config(root, call):
    """A file with two secrets, read as the model reads it."""
    file = root / "app.yml"
    file.write_text(CONFIG)
    call("read_file", path="app.yml")
    return file


def test_a_passage_with_a_mask_is_found_and_its_value_put_back(config, call):
    """What stood behind the mask stands there again, byte for byte; the change beside it is made."""
    old = 'token: "[redacted:password]"\nport: 8080'

    call("edit_file", path="app.yml", old_text=old, new_text=old.replace("8080", "9090"))

    assert CONFIG.replace("8080", "9090") == config.read_text()


def test_two_masks_keep_their_places(config, call):
    """Each value goes back to its own mask."""
    old = 'token: "[redacted:password]"\nport: 8080\npassword: [redacted:password]\n'

    call("edit_file", path="app.yml", old_text=old, new_text=f"# secrets\n{old}")

    assert CONFIG.replace("token:", "# secrets\ntoken:") == config.read_text()


def test_a_secret_may_be_replaced_or_removed(config, call):
    """A new text without masks is taken as it is."""
    call("edit_file", path="app.yml", old_text='token: "[redacted:password]"\n', new_text="")
    call("edit_file", path="app.yml", old_text="password: [redacted:password]", new_text="password: ${PASSWORD}")

    assert snapshot("name: app\nport: 8080\npassword: ${PASSWORD}\n") == config.read_text()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("port: 8080", "key: [redacted:password]", "not in old_text"),
        ("password: [redacted:password]", "password: [redacted:password]\nagain: [redacted:password]", "2 masks"),
        ("password: [redacted:password]", "password: [redacted:jwt]", "another order"),
        ("[redacted:password]", "x", "different values"),
        ("user: [redacted:password]", "x", "occurs 0 times"),
    ],
)
def test_a_mask_that_is_tied_to_nothing_is_refused(config, call, old, new, why):
    """The reason is said, and the file stays as it was."""
    with pytest.raises(ToolFailure, match=why):
        call("edit_file", path="app.yml", old_text=old, new_text=new)

    assert CONFIG == config.read_text()


def test_a_whole_file_is_written_with_its_values(config, call, root):
    """Masks in number and order as in the file; anything else is refused, as is a mask in a new file."""
    shown = mask(CONFIG).text

    call("write_file", path="app.yml", content=shown.replace("8080", "1"))
    with pytest.raises(ToolFailure, match="content holds 1 mask, the file 2"):
        call("write_file", path="app.yml", content="password: [redacted:password]\n")
    with pytest.raises(ToolFailure, match="not shown to you"):
        call("write_file", path="new.yml", content="password: [redacted:password]\n")

    assert CONFIG.replace("8080", "1") == config.read_text()
    assert not (root / "new.yml").exists()


def test_a_diff_hides_values_and_tells_that_one_is_new(config, call, root):
    """Masked on both sides, and yet not the same on both sides."""
    observe = observer(Outputs(lambda: root, "s", lambda text: mask(text).text), 4000)

    outcome = call(
        "edit_file", path="app.yml", old_text="password: [redacted:password]", new_text="password: n3w-hunter77"
    )

    shown = observe("edit_file", outcome.shown, None)
    assert "-password: [redacted:password]" in shown
    assert "+password: [redacted:password, new value]" in shown
    assert "hunter" not in shown + outcome.output
    assert "password: n3w-hunter77" in config.read_text()


def test_line_ends_and_a_literal_mask_survive(root, call):
    """CRLF stays CRLF; a mask that the file itself holds is its own text."""
    file = root / "notes.ini"
    before = b"see=[redacted:password]\r\nDB_PASSWORD=hunter2xx\r\nport=1\r\n"
    file.write_bytes(before)
    call("read_file", path="notes.ini")
    old = "see=[redacted:password]\nDB_PASSWORD=[redacted:password]\nport=1"

    call("edit_file", path="notes.ini", old_text=old, new_text=old.replace("port=1", "port=2"))

    assert before.replace(b"port=1", b"port=2") == file.read_bytes()


@given(
    st.lists(
        st.sampled_from(
            [
                "password = 'hunter2x'",
                "x = 1",
                "token: ghp_" + "a1B2" * 9,
                "postgres://bob:hunter2@db/x",
                "secret",
                "\n",
            ]
        ),
        max_size=8,
    ).map(" \n".join)
)
def test_every_mask_knows_what_it_stands_for(text):
    """Putting each value in the place of its mask gives the text back."""
    masked = mask(text)
    pieces, place = [], 0
    for mark in masked.marks:
        pieces += masked.text[place : mark.start], mark.secret
        assert masked.text[mark.start : mark.end].startswith("[redacted:")
        place = mark.end

    assert text == "".join([*pieces, masked.text[place:]])
