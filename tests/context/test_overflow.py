"""What real servers say when a request is too long."""

import pytest

from cococat.context.overflow import prompt_from_error, window_from_error

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
    "anthropic, output": (
        (
            "input length and `max_tokens` exceed context limit: 190345 + 20000 > 200000, decrease input length or "
            "`max_tokens` and try again"
        ),
        200_000,
    ),
    "bedrock": ("Input is too long for requested model.", None),
    "bedrock, tokens": (
        "Too many input tokens. Max input tokens: 8192, request input token count: 9043",
        8192,
    ),
    "openai, configured": (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300147 tokens.",
        272_000,
    ),
    "openai, no limit": ("Input tokens exceed the configured limit", None),
    "cerebras": ("Current length is 41014 while limit is 32768", 32_768),
    "sglang": ("The input (9043 tokens) is longer than the model's context length (8192 tokens).", 8192),
    "sglang, total": (
        "Requested token count exceeds the model's maximum context length of 8192 tokens.",
        8192,
    ),
    "vllm, input": ("Input length (9043) exceeds model's maximum context length (8192).", 8192),
    "vllm, no room": ("max_tokens must be at least 1, got -851.", None),
    "tgi": ("Input validation error: `inputs` must have less than 4096 tokens. Given: 5120", 4096),
    "ollama": ("the input length exceeds the context length", None),
    "fireworks": ("The prompt is too long: 40960, model maximum context length: 32767", 32_767),
    "cohere": (
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5120.",
        4081,
    ),
    "qwen": ("InvalidParameter: Range of input length should be [1, 30720]", 30_720),
    "zhipu": ("Prompt exceeds max length", None),
    "minimax": ("invalid params, context window exceeds limit", None),
    "github": ("Request body too large for gpt-4o model. Max size: 8000 tokens.", 8000),
    "copilot, code": ("model_max_prompt_tokens_exceeded", None),
    "plain": ("context too long", None),
    "claude code": ("prompt_too_long", None),
    "reason": ("model_context_exceeded", None),
    "reason, window": ("model_context_window_exceeded", None),
    "ai21": ("Prompt has too many tokens", None),
    "nonsense": ("maximum context length is 7 tokens", None),
    "total": ("too many total tokens in the request", None),
    "allowed input": ("The input exceeds the maximum allowed input length.", None),
    "fit": ("The prompt couldn't fit into the model", None),
    "input": ("input too large", None),
    "length limit": ("Sequence length limit exceeded", None),
}


@pytest.mark.parametrize(("words", "window"), SAID.values(), ids=SAID)
def test_the_window_is_read_from_what_a_server_says(words, window):
    """The window is learned, never the size of the request; a complaint without a number teaches nothing."""
    assert window == window_from_error(words)


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        (SAID["openai"][0], 9001),
        (SAID["vllm"][0], 904),
        (SAID["vllm, newer"][0], 57_879),
        ("However, you requested 4096 output tokens and your prompt contains at least 300 input tokens", 300),
        (SAID["llama.cpp"][0], 9043),
        (SAID["llama.cpp, fields"][0], 9043),
        (SAID["openrouter"][0], 36_864),
        ("(950 in the messages, 50 in the functions, 100 in the completion)", 1000),
        (SAID["azure"][0], None),
    ],
)
def test_the_size_of_the_prompt_is_read_apart_from_the_reply(said, prompt):
    """What the server counted sets our own count right."""
    assert prompt == prompt_from_error(said)
