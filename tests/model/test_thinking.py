"""Reasoning and the tokens that end a turn, where servers leave them in the text."""

import pytest

from cococat.core.messages import User
from cococat.core.model import ReasoningPiece, Request, TextPiece, ToolSpec
from tests.scripted import says

AGENTIC = Request((User("hello"),), (ToolSpec("f", "does it", {"type": "object", "properties": {}}),))
FINAL = "<|start|>assistant<|channel|>final<|message|>"
CHATML = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>"
FOUND = {
    "Two files?\n</think>\n\nMilk.": ("Two files?\n", "Milk."),
    "Briefly.</think>391": ("Briefly.", "391"),
    "It is 391</think>391": ("It is 391", "391"),
    "我想想。</think>你好": ("我想想。", "你好"),
    "\n</think>\n\nMilk.": ("", "Milk."),
    "</think>Milk.": ("", "Milk."),
    "Hm. </think>\nMilk.": ("Hm. ", "Milk."),
    "Hm.[/THINK]Milk.": ("Hm.", "Milk."),
    "Hm.</seed:think>Milk.": ("Hm.", "Milk."),
    "Hm.\n</think>": ("Hm.\n", ""),
    "The `<think>` tag.\n```\n</think>\n```\n</think>\nMilk.": ("The `<think>` tag.\n```\n</think>\n```\n", "Milk."),
    "<think>The `</think>` tag.</think>Milk.": ("The `</think>` tag.", "Milk."),
    "<thought>a</thought>Milk.": ("a", "Milk."),
    "<thinking>a</thinking>Milk.": ("a", "Milk."),
    "<reasoning>a</reasoning>\nMilk.": ("a", "Milk."),
    "<seed:think>a</seed:think>Milk.": ("a", "Milk."),
    "[THINK]a[/THINK]Milk.": ("a", "Milk."),
    "<think>a</think>\n<think>b</think>\nMilk.": ("ab", "Milk."),
    f"<|channel|>analysis<|message|>a<|end|>{FINAL}Milk.<|return|>": ("a", "Milk."),
    f"<|channel|>analysis<|message|>a{FINAL}Milk.": ("a", "Milk."),
    "<|channel|>analysis<|message|>a<|channel|>final<|message|>Milk.": ("a", "Milk."),
    "<|channel>thought\na<channel|>Milk.<turn|>": ("a", "Milk."),
    "Milk.<|im_end|>": ("", "Milk."),
    "Milk.<|eot_id|>\n": ("", "Milk."),
    "Milk.</s>": ("", "Milk."),
    "Milk. <|end|>": ("", "Milk. "),
    "Milk.\n<end_of_turn>\n<|endoftext|>": ("", "Milk.\n"),
    "Not `<|im_end|>`.<|im_end|>": ("", "Not `<|im_end|>`."),
}
QUOTED = [
    "The `</think>` tag ends it.",
    "Qwen writes </think> before it answers.",
    "It ends with </think>.",
    "</think> ends it.",
    "- </think> ends it",
    "标签</think>表示结束",
    "Use <think>so</think> here.",
    "```\nso\n</think>\n```\n",
    "So:\n\n    so\n    </think>\n",
    '{"end": "</think>", "other": "[/THINK]"}',
    "A turn ends with <|im_end|>",
    "The token is:\n<|im_end|>",
    "It is `<|im_end|>`",
    "a <|im_end|> b",
    "Was <s>10</s>",
    "```\nHi<|im_end|>\n```",
    "```\nHi<|im_end|>",
    CHATML,
    "<|im_end",
]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("text", FOUND)
def test_reasoning_and_the_ends_of_turns_are_no_text(scripted, ask, text, size):
    """Wherever the deltas are split, and whether or not an opening stood in the prompt."""
    deltas = [text[at : at + size] for at in range(0, len(text), size)]

    message = ask(scripted(says(*deltas)), AGENTIC).message

    assert FOUND[text] == (message.reasoning, message.text)


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("text", QUOTED)
def test_an_answer_that_quotes_a_mark_stays_byte_for_byte(scripted, ask, text, size):
    """In prose, in code, in pairs of its own."""
    deltas = [text[at : at + size] for at in range(0, len(text), size)]

    message = ask(scripted(says(*deltas)), AGENTIC).message

    assert ("", text) == (message.reasoning, message.text)


def test_no_text_waits_for_an_end_that_may_never_come(scripted, ask):
    """Each delta is passed on as it comes; what turns out to have been reasoning is told so."""
    heard = ask(scripted(says("Two ", "files?", "\n</think>\n", "Milk.")), AGENTIC)

    told = [TextPiece("Two "), TextPiece("files?"), ReasoningPiece("\n", so_far=True), TextPiece("Milk.")]
    assert told == heard.pieces[:4]
