"""Messages from and to a server as the SDK wants them; what it would do with a tool's output schema, it is not given."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from cococat.mcp.process import MAX_BYTES, Program
from cococat.mcp.shallow import shallow
from cococat.mcp.web import Refused, new_client

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

__all__ = ["program_streams", "web_streams"]

NO_OBJECT = {"type": "object", "properties": {"": {"type": "no object"}}}  # `clean` refuses it


@asynccontextmanager
async def program_streams(program: Program, ended: Callable[[], object]) -> AsyncIterator[TransportStreams]:
    """
    Start *program* and talk with it; it is stopped at the end, whatever happens.

    Args:
        ended: told when it ends by itself.
    Raises: OSError: it cannot be started.
    """
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
    stopping = False
    gone = (anyio.BrokenResourceError, anyio.ClosedResourceError)

    async def read() -> None:
        try:
            async with to_client:
                async for line in program.lines():
                    try:
                        # not `validate_json`, which refuses half a surrogate pair, as a file's name may hold
                        message = jsonrpc_message_adapter.validate_python(json.loads(shallow(line)), by_name=False)
                    except ValueError:
                        program.noise = line.decode("utf-8", "replace").strip() or program.noise
                        continue
                    await to_client.send(_trimmed(SessionMessage(message)))
                if not stopping:
                    ended()
        except gone:
            pass  # the session ended first

    async def write() -> None:
        try:
            async with from_client:
                async for sent in from_client:
                    await program.write(sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
        except gone:
            pass
        except OSError:
            ended()
            to_client.close()  # it listens no more: whoever waits for an answer must not wait for ever

    await program.start()
    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield incoming, outgoing
        finally:
            stopping = True
            with anyio.CancelScope(shield=True):
                await program.stop()
            group.cancel_scope.cancel()
            incoming.close()
            outgoing.close()


@asynccontextmanager
async def web_streams(url: str, key: str, seen: Refused) -> AsyncIterator[TransportStreams]:
    """
    Talk with the server at *url*, which is sent *key*.

    Args:
        seen: notes what was refused.
    Raises: BadVariable: see `new_client`.
    """
    import anyio
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.message import SessionMessage

    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async with (
        new_client(url, key, seen) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BYTES) as (came, outgoing),
        anyio.create_task_group() as group,
    ):

        async def hand_on() -> None:
            async with to_client:
                async for one in came:
                    await to_client.send(one if isinstance(one, Exception) else _trimmed(one))

        group.start_soon(hand_on)
        yield incoming, outgoing
        group.cancel_scope.cancel()
        incoming.close()


def _trimmed(message: SessionMessage) -> SessionMessage:
    """
    Take out of a list of tools what the SDK fails at, with all of the list.

    It checks results by output schemas, where a foreign pattern could take for ever, and results are only text here.
    """
    result = getattr(message.message, "result", None)
    tools = result.get("tools") if isinstance(result, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            tool.pop("outputSchema", None)
            schema = tool.get("inputSchema") or {}
            good = isinstance(schema, dict) and schema.setdefault("type", "object") == "object"
            tool["inputSchema"] = schema if good else NO_OBJECT
    return message
