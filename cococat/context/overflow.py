"""What servers say when a request is too long for the model."""

from __future__ import annotations

import re

MIN_WINDOW, MAX_WINDOW = 256, 100_000_000  # tokens of a window that can be meant

# how the window is called, in lower case; the first row that fits counts
_WORDINGS = tuple(
    re.compile(pattern.replace("N", r"(?P<window>\d[\d,_]*)"))
    for pattern in (
        # OpenAI, Azure, DeepSeek, vLLM, OpenRouter, Groq, LiteLLM, as in "maximum context length is 8192 tokens"
        r"maximum (?:context|prompt|input|sequence) length(?: is| of|:)(?: only)? N",
        # vLLM, as in "exceeds model's maximum context length (8192)"
        r"maximum context length \(N\)",
        # Anthropic, as in "`max_tokens` exceed context limit: 190000 + 20000 > 200000"
        r"context limit: [\d,_]+ ?\+ ?[\d,_]+ ?> ?N",
        # Anthropic behind a proxy, as in "prompt is too long: 213462 tokens > 200000 maximum"
        r"tokens? ?> ?N(?: tokens)? maximum",
        # Mistral, as in "too large for model with 32768 maximum context length"
        r"model with N maximum context",
        # llama.cpp, as in "request (9000 tokens) exceeds the available context size (4096 tokens)"
        r"context (?:size|length|window) \(N tokens?\)",
        # llama.cpp's fields, Ollama's option, as in "n_ctx": 4096, num_ctx = 4096
        r"n(?:um)?_ctx\W{1,4}N",
        # LM Studio, as in "loaded with context length of only 4096 tokens", "context length of 4096"
        r"context (?:length|window|size) (?:of|is)(?: only| limited to)? N",
        # vLLM, as in "longer than the maximum model length of 4096", "max_model_len=4096"
        r"(?:maximum )?model length (?:of|is) N",
        r"max_model_len\W{1,3}N",
        # Gemini, as in "exceeds the maximum number of tokens allowed (1048575)"
        r"maximum number of (?:input )?tokens(?: allowed)? ?\(?(?:is |of )?N",
        # Together, TGI, as in "`inputs` tokens + `max_new_tokens` must be <= 4097"
        r"max_new_tokens`? must be <=? N",
        # Groq, as in "tokens per minute (TPM): Limit 6000, Requested 8000"; no larger request will ever pass
        r"\(tpm\): limit N, requested",
        # Kimi, as in "exceeded model token limit: 131072 (requested: 140000)"
        r"token limit:? (?:of |is )?N",
        # OpenAI, as in "exceed the configured limit of 272000 tokens"
        r"configured limit of N",
        # Cerebras, as in "Current length is 9000 while limit is 8192"
        r"while limit is N",
        # TGI, as in "`inputs` must have less than 4096 tokens"
        r"less than N tokens",
        # Cohere, as in "total number of tokens in the prompt cannot exceed 4081"
        r"tokens in the prompt cannot exceed N",
        # Qwen, as in "Range of input length should be [1, 30720]"
        r"input length should be \[\d+, ?N\]",
        # GitHub, as in "Request body too large for gpt-4o model. Max size: 8000 tokens"
        r"max size: N tokens",
        # Copilot and others, as in "prompt token count of 140000 exceeds the limit of 128000"
        r"exceeds? (?:the |its )?(?:limit|maximum)(?: context)? (?:of|is) N",
        # ours, of the embedded model, as in "holds 9,000 tokens, more than the 8,192 of the embedded model"
        r"more than the N of the embedded model",
        # LiteLLM, others, as in "max input tokens: 8192", "supports at most 8192 tokens"
        r"max(?:imum)?[_ ]input[_ ]tokens\W{1,3}N",
        r"(?:at most|up to|a maximum of) N tokens",
    )
)

# how large the prompt was, by the server's own count
_PROMPTS = tuple(
    re.compile(pattern.replace("N", r"(?P<prompt>\d[\d,_]*)"))
    for pattern in (
        # vLLM, OpenAI, OpenRouter, as in "(904 in the messages, 4096 in the completion)", "(36864 of text input"
        r"\(N (?:in the (?:messages|prompt)|of text input)(?:, (?P<tools>\d[\d,_]*) in the functions)?",
        # vLLM, as in "your request has 57879 input tokens", "your prompt contains at least 300 input tokens"
        r"(?:has|contains)(?: at least)? N (?:input|prompt) tokens",
        # OpenAI, as in "your messages resulted in 9001 tokens"
        r"messages resulted in N tokens",
        # llama.cpp, as in "request (9043 tokens) exceeds", and its field
        r"request \(N tokens\) exceeds",
        r"n_prompt_tokens\W{1,4}N",
        # Anthropic behind a proxy, as in "prompt is too long: 213462 tokens > 200000 maximum"
        r"prompt is too long: N tokens",
    )
)


def prompt_from_error(text: str) -> int | None:
    """Read how many tokens the prompt was, without the reply, out of the same; None when it is not told."""
    words = " ".join(text.lower().split())
    for wording in _PROMPTS:
        if found := wording.search(words):
            return sum(int(re.sub(r"\D", "", number)) for number in found.groupdict().values() if number)
    return None


def window_from_error(text: str) -> int | None:
    """
    Read the model's window, in tokens, out of a server's complaint about too long a request.

    Returns: None when it is not told, or cannot be meant.
    """
    words = " ".join(text.lower().split())
    for wording in _WORDINGS:
        if found := wording.search(words):
            window = int(re.sub(r"\D", "", found["window"]))
            return window if MIN_WINDOW <= window <= MAX_WINDOW else None
    return None
