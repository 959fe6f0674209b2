"""What a conversation makes of its settings before anything is asked."""

from __future__ import annotations

import pytest

from cococat.app.conversation import Conversation
from cococat.app.endpoint.connect import EMBEDDED, Connection
from cococat.config import Options, find_folders, load
from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.core.settings import Timeouts
from cococat.model.client import ChatModel, Endpoint
from cococat.protocol.decision import Decision

CALLED = (
    User("what is in a.txt?"),
    Assistant("", calls=(ToolCall("1", "read_file", '{"path":"a.txt"}'),)),
    ToolResult("1", "read_file", "A"),
    Assistant("It says A."),
)


@pytest.mark.parametrize(
    ("host", "tools", "history", "protocol"),
    [
        (EMBEDDED, False, (), "native"),
        (EMBEDDED, False, (User("hi"), Assistant("Hello.")), "native"),
        (EMBEDDED, False, CALLED, "json"),
        (EMBEDDED, True, (), "json"),
        ("127.0.0.1:11434", False, (), "json"),
    ],
    ids=["embedded", "a chat", "calls before", "with tools", "an endpoint"],
)
def test_the_embedded_model_chats_in_prose_where_nothing_is_to_be_decided(tmp_path, host, tools, history, protocol):
    """With no tools, now or before, its answer is plain text, which may hold braces and go on when it is cut."""
    env = {"COCOCAT_HOME": str(tmp_path)}
    model = ChatModel(Endpoint("http://127.0.0.1:9", "", "m", 100, 0.2), Timeouts(1, 1, 1, 1))
    connection = Connection(model, Decision(), "m", host, 8192, model.aclose)
    options = Options(root=tmp_path, session=False, tools=tools)

    talk = Conversation(load(None, env, {}), options, find_folders(env), tmp_path, "react", connection, None, history)

    assert protocol == talk.agent().protocol.name
