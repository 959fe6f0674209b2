"""The scripted server itself: what other tests stand on."""

import base64
import json
import threading
import urllib.error
import urllib.request

import pytest

from tests.scripted import RESET, broken, calls, forever, reached, says
from tests.scripted.pictures import png
from tests.scripted.strict import violations

HELLO = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def picture(media_type, url="", role="user"):
    url = url or f"data:{media_type};base64,{base64.b64encode(png(1, 1)).decode()}"
    return {"role": role, "content": [{"type": "image_url", "image_url": {"url": url}}]}


def post(server, body):
    request = urllib.request.Request(server.base_url + "/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


def test_turns_are_played_in_order(scripted):
    """One item answers one request, and every request is recorded."""
    server = scripted(says("first"), says("second"))

    replies = [post(server, HELLO), post(server, HELLO)]

    assert ["first" in replies[0], "second" in replies[1]] == [True, True]
    assert [HELLO, HELLO] == server.requests


def test_a_request_after_the_end_of_the_script_is_a_problem(scripted):
    """A script that runs out answers 500 and says so."""
    server = scripted(says("only"))
    server.expect_problems()
    post(server, HELLO)

    with pytest.raises(urllib.error.HTTPError) as caught:
        post(server, HELLO)

    assert 500 == caught.value.code
    assert ["request 2 came after the end of the script"] == server.problems
    caught.value.close()


def test_a_script_can_depend_on_the_request_and_repeat(scripted):
    """A function makes the turn, as often as it is asked."""
    server = scripted(forever(lambda body: says(body["model"].upper())))

    replies = [post(server, {**HELLO, "model": model}) for model in ("abc", "xyz")]

    assert ["ABC" in replies[0], "XYZ" in replies[1]] == [True, True]


def test_a_gate_holds_the_reply_until_the_test_opens_it(scripted):
    """Events give tests the timing without sleeps."""
    here, gate, replies = threading.Event(), threading.Event(), []
    server = scripted(says("one", reached(here), gate, "two"))
    client = threading.Thread(target=lambda: replies.append(post(server, HELLO)))

    client.start()
    assert here.wait(60)
    before = list(replies)
    gate.set()
    client.join()

    assert [] == before
    assert "two" in replies[0]


def test_a_reset_is_a_real_one(scripted):
    """RESET reaches the client as ECONNRESET."""
    server = scripted(broken(how=RESET))

    with pytest.raises(ConnectionResetError) as caught:
        post(server, HELLO)

    assert "reset" in str(caught.value)


def test_dialects_are_sent_as_loose_as_servers_send_them(scripted):
    """Arguments as an object are against the API, and still on the wire of some servers."""
    server = scripted(calls(("f", {"x": 1}), dialect="object"))

    reply = post(server, HELLO)

    assert '"arguments": {"x": 1}' in reply


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"role": "user", "content": "x"}], []),
        ([{"role": "robot", "content": "x"}], ["messages[0]: unknown role 'robot'"]),
        ([{"role": "user", "content": None}], ["messages[0]: bad content None"]),
        ([{"role": "user", "content": "x", "id": 1}], ["messages[0]: unknown key 'id'"]),
        (
            [{"role": "tool", "content": "x", "tool_call_id": "c1"}],
            ["messages[0]: no open call has the id 'c1'"],
        ),
        (
            [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
            ["end: tool_calls must be followed by tool messages, missing ['c1']"],
        ),
        (
            [
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "user", "content": "x"},
                {"role": "tool", "content": "x", "tool_call_id": "c1"},
            ],
            [
                "messages[1]: tool_calls must be followed by tool messages, missing ['c1']",
                "messages[2]: no open call has the id 'c1'",
            ],
        ),
        (
            [
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "content": "x", "tool_call_id": "c1"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "content": "x", "tool_call_id": "c1"},
            ],
            ["messages[2]: call id 'c1' is empty or not unique"],
        ),
        ([picture("image/png")], []),
        ([picture("image/jpeg")], ["messages[0]: the image is no image/jpeg"]),
        ([picture("image/bmp")], ["messages[0]: unsupported image format image/bmp"]),
        ([picture("image/png", "file:///a.png")], ["messages[0]: invalid data URL 'file:///a.png'"]),
        ([picture("image/png", role="system")], ["messages[0]: image_url in a system message"]),
    ],
    ids=[
        "fine",
        "role",
        "content",
        "key",
        "orphan",
        "unanswered",
        "late",
        "repeated id",
        "picture",
        "other kind",
        "unknown kind",
        "no data",
        "not the user's",
    ],
)
def test_histories_are_judged_as_the_api_judges_them(messages, expected):
    """Each rule of the API has its own refusal."""
    assert expected == violations({"model": "m", "messages": messages})
