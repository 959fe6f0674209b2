"""What real servers say when a request is too long."""

import pytest

from cococat.context.overflow import window_from_error

SAID = {
    "openai": (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        8192,
    ),
    "azure": ("This model's maximum context length is 128000 tokens, however you requested 131072 tokens", 128_000),
    "openai, no number": ("Your input exceeds the context window of this model.", None),
    "vllm": (
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (904 in the messages, "
            "4096 in the completion). Please reduce the length of the messages or completion."
        ),
        4096,
    ),
    "vllm, newer": (
        (
            "'max_tokens' is too large: 8192. This model's maximum context length is 65536 tokens and your request has "
            "57879 input tokens (8192 > 65536 - 57879)."
        ),
        65_536,
    ),
    "vllm, prompt": ("The prompt (total length 9000) is longer than the maximum model length of 8192.", 8192),
    "llama.cpp": ("request (9043 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192),
    "llama.cpp, older": ("the request exceeds the available context size. try increasing the context size", None),
    "llama.cpp, fields": ('{"type": "exceed_context_size_error", "n_prompt_tokens": 9043, "n_ctx": 8192}', 8192),
    "llama-cpp-python": ("Requested tokens (2065) exceed context window of 1800", 1800),
    "lm studio": (
        (
            "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context "
            "length of only 32768 tokens, which is not enough."
        ),
        32_768,
    ),
    "lm studio, newer": (
        "The number of tokens to keep from the initial prompt is greater than the context length.",
        None,
    ),
    "groq": (
        (
            "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8012, please reduce your "
            "message size and try again."
        ),
        6000,
    ),
    "groq, no number": ("Please reduce the length of the messages or completion.", None),
    "together": ("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000", 8193),
    "openrouter": (
        (
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 40960 tokens (36864 of "
            "text input, 4096 in the output). Please reduce the length of either one."
        ),
        32_768,
    ),
    "mistral": (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context",
        32768,
    ),
    "deepseek": ("This model's maximum context length is 65536 tokens. However, you requested 70000 tokens", 65_536),
    "litellm": (
        "litellm.ContextWindowExceededError: AnthropicError - prompt is too long: 213462 tokens > 200000 maximum",
        200_000,
    ),
    "gemini": (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        1_048_575,
    ),
    "xai": ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
    "kimi": ("Your request exceeded model token limit: 262144 (requested: 300000)", 262_144),
    "copilot": ("prompt token count of 140000 exceeds the limit of 128000", 128_000),
    "embedded": ("the conversation holds 9,043 tokens, more than the 8,192 of the embedded model", 8192),
    "nonsense": ("maximum context length is 7 tokens", None),
}


@pytest.mark.parametrize(("words", "window"), SAID.values(), ids=SAID)
def test_the_window_is_read_from_what_a_server_says(words, window):
    """The window is learned, never the size of the request; a complaint without a number teaches nothing."""
    assert window == window_from_error(words)
