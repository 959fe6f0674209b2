"""How the servers people run say things: their documented words, for the scripted server to play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tests.endpoints.refusals import (
    Strict,
    after,
    coded,
    detail,
    detailed,
    filtered_first,
    first,
    flat,
    forbidden,
    google,
    has,
    keyword,
    listed,
    llama_cpp,
    longer_ids,
    mistral,
    more_than,
    null,
    openai,
    part,
    refusal,
    role,
    sign,
    signed,
    strange_id,
    streamed,
    think_aloud,
    thinking,
    thought_back,
    too_large,
    unsteady,
    unsupported,
    when,
    wrong_format,
)
from tests.scripted import Turn, calls, fault, raw, reasons, says

READ = ("read_file", {"path": "notes.txt"})
IN_WORDS = '<tool_call>\n{"name": "read_file", "arguments": {"path": "notes.txt"}}\n</tool_call>'
VLLM = (
    "This model's maximum context length is 8192 tokens. However, you requested 9096 tokens (5000 in the messages, 4096 "
    "in the completion). Please reduce the length of the messages or completion."
)


@dataclass(frozen=True)
class Dialect:
    """
    One server.

    Args:
        owner: who owns the models of its listing.
        overflow, key, model, rate: what it answers to too long a prompt, a wrong key, a wrong name, too many
            requests; None where it has no such answer.
        hi: its answer to a plain question.
        tools: its answer to a request with tools.
    """

    name: str
    owner: str
    overflow: Turn
    key: Turn | None = None
    model: Turn | None = None
    rate: Turn | None = None
    hi: Turn = says("hel", "lo")  # noqa: RUF009 - a frozen value
    tools: Turn = calls(READ)  # noqa: RUF009 - as above


COMMENT = (b": OPENROUTER PROCESSING\n\n", b": OPENROUTER PROCESSING\n\n")
KEEP_ALIVE = (b": keep-alive\n\n",)
DIALECTS = (
    Dialect(
        "vLLM",
        "vllm",
        flat(400, VLLM, "BadRequestError"),
        refusal(401, {"error": "Unauthorized"}),
        flat(404, "The model `scripted` does not exist.", "NotFoundError"),
        tools=flat(
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            "BadRequestError",
        ),
    ),
    Dialect(
        "SGLang",
        "sglang",
        flat(
            400, "The input (9096 tokens) is longer than the model's context length (8192 tokens).", "BadRequestError"
        ),
        refusal(401, {"error": "Unauthorized"}),
        rate=flat(503, "The request queue is full.", "ServiceUnavailableError"),
    ),
    Dialect(
        "Ollama",
        "library",
        says("hel", "lo", usage=(2048, 5)),
        model=fault(404, 'model "scripted" not found, try pulling it first', kind="api_error"),
        rate=refusal(503, {"error": "server busy, please try again.  maximum pending requests exceeded"}),
        tools=fault(400, "registry.ollama.ai/library/scripted:latest does not support tools", kind="api_error"),
    ),
    Dialect(
        "LM Studio",
        "organization_owner",
        refusal(
            400,
            {
                "error": "Trying to keep the first 9096 tokens when context the overflows. However, the model is loaded "
                "with context length of only 8192 tokens, which is not enough. Try to load the model with a larger "
                "context length, or provide a shorter input"
            },
        ),
        model=fault(404, 'Model "scripted" not found', code="model_not_found"),
        tools=says(IN_WORDS),
    ),
    Dialect(
        "TGI",
        "tgi",
        refusal(
            422,
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 5000 `inputs` "
                "tokens and 4096 `max_new_tokens`",
                "error_type": "validation",
            },
        ),
        rate=refusal(429, {"error": "Model is overloaded", "error_type": "overloaded"}),
    ),
    Dialect(
        "OpenRouter",
        "",
        coded(
            400,
            "This endpoint's maximum context length is 8192 tokens. However, you requested about 9096 tokens (5000 of "
            "text input, 4096 in the output). Please reduce the length of either one.",
        ),
        coded(401, "User not found."),
        coded(400, "scripted is not a valid model ID"),
        coded(429, "Rate limit exceeded: free-models-per-min"),
        hi=Turn(COMMENT) + says("hel", "lo"),
    ),
    Dialect(
        "Groq",
        "Meta",
        fault(400, "Please reduce the length of the messages or completion.", code="context_length_exceeded"),
        fault(401, "Invalid API Key", code="invalid_api_key"),
        fault(404, "The model `scripted` does not exist or you do not have access to it.", code="model_not_found"),
        fault(
            429,
            "Rate limit reached for model `scripted` on tokens per minute (TPM): Limit 6000, Used 5800, Requested 900. "
            "Please try again in 10ms.",
            kind="tokens",
            code="rate_limit_exceeded",
        ),
    ),
    Dialect(
        "Mistral",
        "mistralai",
        flat(
            400,
            "Prompt contains 9096 tokens and 0 draft tokens, too large for model with 8192 maximum context length",
            "invalid_request_error",
        ),
        refusal(401, {"detail": "Unauthorized"}),
        flat(400, "Invalid model: scripted", "invalid_model"),
        refusal(429, {"message": "Requests rate limit exceeded"}),
    ),
    Dialect(
        "DeepSeek",
        "deepseek",
        fault(400, VLLM),
        fault(401, "Authentication Fails, Your api key: ****0000 is invalid", kind="authentication_error"),
        fault(400, "Model Not Exist"),
        fault(503, "Service is too busy. We advise users to temporarily switch to alternative providers."),
        hi=Turn(KEEP_ALIVE) + reasons("a greeting", then=says("hel", "lo")),
    ),
    Dialect(
        "Gemini, compatible",
        "google",
        google(
            400,
            "The input token count (9096) exceeds the maximum number of tokens allowed (8192).",
            "INVALID_ARGUMENT",
        ),
        google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
        google(404, "models/scripted is not found for API version v1main.", "NOT_FOUND"),
        google(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED"),
        tools=calls(READ, dialect="whole"),
    ),
)

NO_LIMIT = {"COCOCAT_MODEL_CONTEXT_WINDOW": "1000000", "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "100000"}
GROWN = openai(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
    "unsupported_parameter",
)
WARM = openai(
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    "temperature",
    "unsupported_value",
)
STREAM = openai(
    "Your organization must be verified to stream this model. Please go to: "
    "https://platform.openai.com/settings/organization/general and click on Verify Organization. If you just verified, it can "
    "take up to 15 minutes for access to propagate.",
    "stream",
    "unsupported_value",
)
ALTERNATE = "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."
GEMMA = "Conversation roles must alternate user/assistant/user/assistant/..."
FIELD = "Invalid JSON payload received. Unknown name \"{}\" at 'tools[0].function_declarations[0].parameters': Cannot find field."
NO_TOOLS = flat(
    400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "BadRequestError"
)
DEEPSEEK = "The `reasoning_content` in the thinking mode must be passed back to the API."
KIMI = "thinking is enabled but reasoning_content is missing in assistant tool call message at index {}"


STRICT = (
    Strict(
        "DeepSeek V4, thinking",
        thought_back("reasoning_content", DEEPSEEK, running=True),
        thinking("reasoning_content"),
        free=True,
    ),
    Strict(
        "Kimi K2, thinking",
        thought_back("reasoning_content", KIMI, running=False),
        thinking("reasoning_content"),
    ),
    Strict(
        "Qwen3 through vLLM",
        thought_back("reasoning", DEEPSEEK.replace("_content", ""), running=True),
        thinking("reasoning"),
        free=True,
    ),
    Strict("Gemini 3, compatible", signed, sign, free=True),
    Strict("OpenRouter, reasoning", detailed, detail, free=True),
    Strict(
        "Mistral, reasoning",
        first(
            forbidden,
            when(
                strange_id,
                mistral(
                    400,
                    "Tool call id was {} but must be a-z, A-Z, 0-9, with a length of 9.",
                    "invalid_function_call",
                    "3280",
                ),
            ),
            when(
                after("tool", "user"),
                mistral(400, "Unexpected role 'user' after role 'tool'", "invalid_request_message_order", "3230"),
            ),
            when(
                after("user", "user"),
                mistral(400, "Unexpected role 'user' after role 'user'", "invalid_request_message_order", "3230"),
            ),
        ),
        part,
    ),
    Strict("Devstral, llama.cpp", when(unsteady(calling=True), llama_cpp(ALTERNATE))),
    Strict(
        "Mistral template, omlx",
        when(
            strange_id,
            refusal(500, {"error": {"message": "Tool call id was {} but must be a-z, A-Z, 0-9, with a length of 9"}}),
        ),
        longer_ids,
    ),
    Strict("Groq, reasoning", unsupported, thinking("reasoning")),
    Strict("strict gateway", wrong_format, thinking("reasoning_content")),
    Strict(
        "Azure, o-series",
        first(when(has("max_tokens"), GROWN), when(has("temperature"), WARM)),
        filtered_first,
        NO_LIMIT,
    ),
    Strict("vLLM without a reasoning parser", lambda *_: None, think_aloud(""), free=True),
    Strict("MiniMax", lambda *_: None, think_aloud("<think>"), free=True),
    Strict(
        "Perplexity",
        first(
            when(
                has("tools"), openai("Tool calling is not supported for this model", code="tool_calling_not_supported")
            ),
            when(
                role("tool"),
                openai("[\"At body -> messages -> 1 -> role: Input should be 'system', 'user' or 'assistant'\"]"),
            ),
            when(
                unsteady(calling=False),
                refusal(
                    400,
                    {
                        "error": {
                            "message": "After the (optional) system message(s), user or tool message(s) should alternate with "
                            "assistant message(s).",
                            "type": "invalid_message",
                            "code": 400,
                        }
                    },
                ),
            ),
        ),
    ),
    Strict(
        "Gemma, vLLM",
        first(
            when(role("system"), flat(400, "System role not supported", "BadRequestError")),
            when(has("tools"), NO_TOOLS),
            when(unsteady(calling=False), flat(400, GEMMA, "BadRequestError")),
        ),
    ),
    Strict(
        "Gemma, llama.cpp",
        first(
            when(role("system"), llama_cpp("System role not supported")), when(unsteady(calling=True), llama_cpp(GEMMA))
        ),
    ),
    Strict(
        "LM Studio, Mistral 7B",
        when(
            role("system"),
            refusal(
                400,
                {"error": 'Error rendering prompt with jinja template: "Only user and assistant roles are supported!"'},
            ),
        ),
    ),
    Strict("o-series, unverified", when(streamed, STREAM)),
    Strict(
        "Gemini, schema",
        when(keyword("additionalProperties", "$schema", "default", "format"), google(400, FIELD, "INVALID_ARGUMENT")),
    ),
    Strict(
        "o-mini, calls",
        first(
            *(
                when(
                    has(name),
                    openai(
                        f"Unsupported parameter: '{name}' is not supported with this model.",
                        name,
                        "unsupported_parameter",
                    ),
                )
                for name in ("parallel_tool_calls", "tool_choice")
            )
        ),
    ),
    Strict(
        "OpenAI, older",
        first(
            when(null, openai("Invalid value for 'content': expected a string, got null.", "messages.{}.content")),
            when(listed, openai("Invalid value for 'content': expected a string, got an array.", "messages")),
        ),
    ),
    Strict("Ollama, older", when(null, fault(400, "invalid message content type: <nil>", kind="api_error"))),
    Strict(
        "max_tokens, MiMo",
        when(
            more_than(131072),
            refusal(
                400,
                {
                    "error": {
                        "message": "Param Incorrect",
                        "type": "upstream_error",
                        "param": "max_tokens is too large: {}. This model supports at most 131072 completion tokens, whereas you "
                        "provided {}.",
                        "code": "400",
                    }
                },
            ),
        ),
        env={**NO_LIMIT, "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "200000"},
    ),
    *(
        Strict(f"max_tokens, {who}", when(more_than(limit), openai(words, code=code)), env=NO_LIMIT)
        for who, limit, words, code in (
            (
                "OpenAI",
                16384,
                "max_tokens is too large: {}. This model supports at most 16384 completion tokens, whereas you provided {}.",
                "invalid_value",
            ),
            (
                "DeepSeek",
                8192,
                "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
                "invalid_request_error",
            ),
            (
                "DashScope",
                8192,
                "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
                None,
            ),
            (
                "Anthropic",
                8192,
                "max_tokens: {} > 8192, which is the maximum allowed number of output tokens for scripted",
                None,
            ),
            (
                "Groq",
                16384,
                "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens`",
                None,
            ),
            (
                "Cohere",
                4096,
                "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received {}.",
                None,
            ),
        )
    ),
    Strict("Groq, 429 of a minute", too_large(20000, 429), env=NO_LIMIT),
    Strict("Groq, 413 of a minute", too_large(20000, 413), env=NO_LIMIT),
    Strict(
        "OpenRouter, 402",
        when(
            more_than(3919, unsaid=65536),
            coded(
                402,
                "This request requires more credits, or fewer max_tokens. You requested up to {} tokens, but can only afford 3919. "
                "To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
                metadata={"provider_name": None},
            ),
        ),
    ),
    Strict(
        "GLM, in Chinese",
        when(
            has("temperature"),
            refusal(400, {"error": {"code": "1214", "message": "temperature 参数非法。请检查文档。"}}),
        ),
    ),
    Strict(
        "all of it",
        first(
            when(role("system"), flat(400, "System role not supported", "BadRequestError")),
            when(has("max_tokens"), GROWN),
            when(has("temperature"), WARM),
            when(
                has("stream_options"),
                openai("Unrecognized request argument supplied: stream_options", "stream_options"),
            ),
            when(streamed, STREAM),
            *(
                when(keyword(name), google(400, FIELD, "INVALID_ARGUMENT"))
                for name in ("additionalProperties", "default")
            ),
            when(null, openai("Invalid value for 'content': expected a string, got null.", "messages.{}.content")),
            when(after("tool", "user"), openai("Unexpected role 'user' after role 'tool'")),
            unsupported,
        ),
        thinking("reasoning_content"),
        NO_LIMIT,
    ),
)


class TerminalInfo(NamedTuple):
    """A refusal that no other form of the request meets: what is read of it, and the exit code."""

    name: str
    refusal: Turn
    words: str
    code: int = 3
    tries: int = 1


AZURE = (
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt "
    "and retry."
)
TOLD = (
    TerminalInfo(
        "Azure, filter",
        refusal(
            400,
            {
                "error": {
                    "message": AZURE,
                    "type": None,
                    "param": "prompt",
                    "code": "content_filter",
                    "status": 400,
                    "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}},
                }
            },
        ),
        "content management policy",
        5,
    ),
    TerminalInfo(
        "MiniMax, 200",
        refusal(200, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}),
        "insufficient balance",
    ),
    TerminalInfo(
        "MiniMax, in the stream",
        raw(
            b'data: {"choices":null,"base_resp":{"status_code":2013,"status_msg":"invalid params, invalid chat setting"}}\n\n'
        ),
        "invalid chat setting",
    ),
    TerminalInfo(
        "GLM, messages",
        refusal(400, {"error": {"code": "1214", "message": "messages 参数非法。请检查文档。"}}),
        "参数非法",
    ),
    TerminalInfo(
        "OpenRouter, 402 without credits",
        coded(
            402,
            "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 0.",
        ),
        "more credits",
    ),
    TerminalInfo(
        "Groq, a minute that is too small",
        fault(
            429,
            "Request too large for model `scripted` on tokens per minute (TPM): Limit 60, Requested 14810, please reduce your "
            "message size and try again.",
            kind="tokens",
            code="rate_limit_exceeded",
        ),
        "Limit 60",
    ),
    TerminalInfo(
        "HTML with 200", raw(b"<html><title>Sign in</title></html>", content_type="text/html"), "Sign in", tries=3
    ),
)
