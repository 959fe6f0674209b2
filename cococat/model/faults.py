"""What can go wrong with a request, in one line each: who, why, and the fix."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Container, Iterator, Mapping
from typing import Any
from urllib.parse import urljoin

from cococat.core.limits import Problem
from cococat.core.model import ProviderError
from cococat.model.endpoint import Endpoint
from cococat.model.transport import Refusal
from cococat.model.watchdog import Silence
from cococat.system.text import clip
from cococat.system.urls import host_of, is_http

__all__ = [
    "RETRYABLE",
    "cut",
    "from_event",
    "from_network",
    "from_refusal",
    "from_silence",
    "garbled",
    "not_a_completion",
    "retry_after_s",
    "unusable",
]

RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
MAX_CHARS = 300  # characters of a server's words
_HIDDEN = "[key]"
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|gsk|xai)[-_][A-Za-z0-9_\-]{16,}")

# words of servers, in lower case; the first row that matches names the kind
_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context.?(?:length|window|size)|maximum.{0,20}context"
    r"|too many tokens|prompt is too long|input is too long|prompt.{0,30}exceed|reduce the length"
    r"|maximum (?:model|prompt|input) length|max_new_tokens. must be|maximum number of (?:input )?tokens"
    r"|model token limit"
)
_QUOTA = re.compile(
    r"insufficient_quota|billing|exceeded your current quota|credit balance|(?:insufficient|out of|no) (?:credits|funds)"
    r"|insufficient.?balance"
)
_NO_TOOLS = re.compile(
    r"(?:not|n't)(?: yet)? support\w*.{0,30}\b(?:tools?|function.?call\w*|tool_choice)\b|no .{0,40}support tool use"
    r"|\b(?:tools?|function.?calling|tool.?use|tool_choice)\b.{0,20}(?:not|n't) (?:supported|available|enabled|allowed)"
    r"|unsupported.{0,30}\b(?:tools|tool_choice|functions)\b|--jinja|enable-auto-tool-choice"
)
_NO_MODEL = re.compile(
    r"model_not_found|model.{0,80}(?:not found|not exist|unavailable|not available|no longer)"
    r"|(?:no such|unknown|invalid|not found).{0,30}model"
)

_URL_HINT = "check --base-url: it is http(s)://HOST[:PORT] and usually ends in /v1"
_HISTORY = re.compile(
    r"tool_calls.{0,20}must be followed|(?:did|do) not have response messages"
    r"|must be a response to a prece+ding message with .tool_calls|tool_call_id.{0,40}not found"
    r"|tool_use.{0,40}without.{0,20}tool_result|(?:unexpected|each) .{0,10}tool_result|tool_result.{0,40}(?:corresponding|no matching)"
    r"|not the same number of function calls and responses|number of function (?:response|call) parts"
    r"|function (?:call|response) turn comes? immediately|unexpected role .?tool.? after|no tool call found for"
    r"|tool message.{0,40}(?:must follow|without)|invalid tool_call_id|tool call id .{0,40}(?:has to|must) be"
)

_QUOTA_HINT = "the account's quota is used up: check its plan and billing"
_SIZE_HINT = "shorten the input, /compact, or set model.context_window"
_HISTORY_HINT = 'set model.protocol = "json", or begin anew with /new'
_TOOLS_HINT = 'set model.protocol = "json", or --no-tools, or choose another model with -m NAME'
# kind, statuses, words of the server (None: any), hint; the first row that fits counts
_RULES: tuple[tuple[str, Container[int], re.Pattern[str] | None, str], ...] = (
    ("quota", {402}, None, _QUOTA_HINT),
    ("quota", {400, 403, 429}, _QUOTA, _QUOTA_HINT),
    ("auth", {401, 403}, None, "check OPENAI_API_KEY or model.api_key_env; a key works for one host only"),
    ("rate_limit", {429}, None, "wait, or ask less at a time"),
    ("context_overflow", {413}, None, _SIZE_HINT),
    ("context_overflow", range(400, 600), _OVERFLOW, _SIZE_HINT),
    ("refused_history", {400, 422}, _HISTORY, _HISTORY_HINT),
    ("not_found", {400, 404, 422}, _NO_MODEL, "`cococat models` lists what there is; choose with -m NAME"),
    ("tools_unsupported", {400, 404, 422, 500, 501}, _NO_TOOLS, _TOOLS_HINT),
    ("not_found", {404}, None, _URL_HINT),
    ("connection", {407}, None, "the proxy wants a login: check HTTPS_PROXY"),
    ("timeout", {408}, None, "try again"),
    ("server", {409, 425}, None, "try again"),
    ("server", range(500, 600), None, "try again later"),
)


def from_refusal(endpoint: Endpoint, refusal: Refusal, now: float) -> ProviderError:
    """Read an error response; *now* is wall-clock seconds, for a Retry-After that is a date."""
    status, host = refusal.status, host_of(endpoint.base_url)
    if status < 400:  # noqa: PLR2004 - the classes of HTTP status codes
        return _redirect(endpoint, refusal)
    said, words = _said(endpoint, refusal.body)
    kind, hint = _kind(status, words)
    message = f"{host} answered {status}: {said}" if said else f"{host} answered {status}"
    retryable = status in RETRYABLE and kind in ("rate_limit", "server", "timeout")
    wait = retry_after_s(refusal.headers, now)
    return ProviderError(Problem(kind, message, hint), status=status, retryable=retryable, retry_after_s=wait)


def from_event(endpoint: Endpoint, error: object) -> ProviderError:
    """Read an error object that came in the middle of a stream."""
    said, words = _said(endpoint, json.dumps({"error": error}))
    fields = error if isinstance(error, dict) else {}
    numbers = [str(fields.get(key)) for key in ("code", "status", "status_code")]
    status = next((int(number) for number in numbers if re.fullmatch("[45][0-9][0-9]", number)), 0)
    if not status:
        status = 429 if "rate_limit" in words or "rate limit" in words else 500
    kind, hint = _kind(status, words)
    message = f"{host_of(endpoint.base_url)} broke the reply off: {said or 'no reason given'}"
    retryable = status in RETRYABLE and kind in ("rate_limit", "server", "timeout")
    return ProviderError(Problem(kind, message, hint), status=status, retryable=retryable)


def from_network(endpoint: Endpoint, error: BaseException) -> ProviderError:
    """Name the cause of a connection that failed or broke."""
    chain = list(_causes(error))
    for cause in chain:
        if known := _system_error(endpoint, cause):
            return known
    host, names = host_of(endpoint.base_url), {type(cause).__name__ for cause in chain}
    if "ProxyError" in names:
        return _network(endpoint, f"the proxy refused {host}: {chain[-1]}", "check HTTPS_PROXY", retryable=False)
    if names & {"ConnectTimeout", "PoolTimeout", "APITimeoutError"}:
        return _network(endpoint, f"no connection to {host} in time", "raise timeouts.connect", kind="timeout")
    if names & {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}:
        return _network(endpoint, f"no request can be sent to {host}: {chain[-1]}", _URL_HINT, retryable=False)
    if "RemoteProtocolError" in names and "incomplete" in str(chain[0]):
        return cut(endpoint)
    if names & {"ConnectionResetError", "ReadError", "WriteError", "RemoteProtocolError", "EndOfStream"}:
        return _network(endpoint, f"{host} broke the connection", "try again")
    return _network(endpoint, f"no connection to {host}: {chain[-1]}", "check --base-url and the network connection")


def _system_error(endpoint: Endpoint, cause: BaseException) -> ProviderError | None:
    """What the operating system or TLS says, which tells more than the layers above."""
    host = host_of(endpoint.base_url)
    match cause:
        case ssl.SSLCertVerificationError():
            why = f"the certificate of {host} is not valid: {cause.verify_message}"
            return _network(endpoint, why, "check the address, or set SSL_CERT_FILE to your CA", retryable=False)
        case ssl.SSLError() if "WRONG_VERSION" in str(cause) or "RECORD_LAYER" in str(cause):
            return _network(endpoint, f"{host} does not speak TLS", "try http:// in --base-url", retryable=False)
        case socket.gaierror():
            hint, passing = "check --base-url and the network connection", cause.errno == socket.EAI_AGAIN
            return _network(endpoint, f"no address is known for {host}", hint, retryable=passing)
        case ConnectionRefusedError():
            return _network(endpoint, f"nothing listens at {host}", "start the server, or check --base-url")
    return None


def from_silence(endpoint: Endpoint, silence: Silence) -> ProviderError:
    """Name the limit that passed."""
    host, seconds = host_of(endpoint.base_url), silence.seconds
    hint = f"raise timeouts.{silence.limit} if the model is only slow"
    if silence.limit == "first_byte":
        problem = Problem("timeout", f"{host} sent nothing for {seconds:g} s", hint)
    elif silence.limit == "data_idle":
        problem = Problem("stalled", f"stream stalled: {host} sent no data for {seconds:g} s", hint)
    else:
        problem = Problem("stalled", f"stream stalled: {host} sent nothing more for {seconds:g} s", hint)
    return ProviderError(problem, retryable=True)


def not_a_completion(endpoint: Endpoint, content_type: str, begins: str) -> ProviderError:
    """Name a 200 that is something else, as sign-in pages and wrong paths answer."""
    kind = " ".join(content_type.split())[:60] or "no content type"
    what = f"{kind}: {_line(endpoint, begins)[:80]!r}" if begins.strip() else f"{kind}, empty"
    message = f"{host_of(endpoint.base_url)} sent no completion ({what})"
    return ProviderError(Problem("protocol", message, _URL_HINT), status=200, retryable=True)


def garbled(endpoint: Endpoint, why: str) -> ProviderError:
    """Name a reply that cannot be read."""
    message = f"{host_of(endpoint.base_url)} sent a reply that cannot be read: {_line(endpoint, why)}"
    return ProviderError(Problem("protocol", message, "check --base-url; `cococat doctor --probe` tests it"))


def cut(endpoint: Endpoint) -> ProviderError:
    """Name a reply that ended before it was complete."""
    message = f"{host_of(endpoint.base_url)} ended the reply before it was complete"
    return ProviderError(Problem("stream_cut", message, "try again"), retryable=True)


def unusable(endpoint: Endpoint) -> ProviderError | None:
    """Return why no request can be made of *endpoint* at all, before one is tried."""
    key = endpoint.api_key
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        why = "the API key holds a line break, a blank or a character outside ASCII"
        return ProviderError(Problem("auth", why, "copy the key again, for example into OPENAI_API_KEY"))
    if not is_http(endpoint.base_url):
        return ProviderError(Problem("bad_request", f"not an http address: {endpoint.base_url[:80]!r}", _URL_HINT))
    return None


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """
    Seconds that the server asks to wait, from `retry-after-ms` or `retry-after` (seconds or HTTP date).

    Args:
        headers: names in lower case.
        now: wall-clock seconds since 1970.
    Returns: None for values that make no sense, negative ones too; a date that has passed is 0.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return float(value) * unit
    if not (date := headers.get("retry-after")):
        return None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _network(
    endpoint: Endpoint, why: str, hint: str, *, kind: str = "connection", retryable: bool = True
) -> ProviderError:
    return ProviderError(Problem(kind, _line(endpoint, why), hint), retryable=retryable)


def _redirect(endpoint: Endpoint, refusal: Refusal) -> ProviderError:
    target = urljoin(endpoint.base_url, refusal.headers.get("location", ""))
    message = f"{host_of(endpoint.base_url)} redirects to {host_of(target)} ({refusal.status}), which is never followed"
    hint = "if you trust that host, name it with --base-url"
    return ProviderError(Problem("redirect", _line(endpoint, message), hint), status=refusal.status)


def _kind(status: int, words: str) -> tuple[str, str]:
    """Kind and hint for a status and the server's words, both of which servers use loosely."""
    for kind, statuses, pattern, hint in _RULES:
        if status in statuses and (pattern is None or pattern.search(words)):
            return kind, hint
    return "bad_request", "`cococat doctor --probe` tests what the endpoint can do"


def _said(endpoint: Endpoint, body: str) -> tuple[str, str]:
    """The server's message in one line, and all its words in lower case, to look for causes in."""
    try:
        parsed: Any = json.loads(body)
    except (ValueError, RecursionError):
        parsed = None
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else parsed
    texts: list[object] = [error]
    if isinstance(error, dict):
        texts = [error.get(key) for key in ("message", "detail", "msg", "code", "type")]
    elif error is None:
        texts = [re.sub(r"<[^>]*>", " ", body)]
    words = [text if isinstance(text, str) else json.dumps(text) for text in texts if text]
    everything = " ".join(words).lower().replace("invalid_request_error", "")  # the type of most errors tells nothing
    return _line(endpoint, words[0] if words else ""), everything


def _line(endpoint: Endpoint, text: str) -> str:
    """Foreign text in one short line of printable characters, without a key."""
    if len(endpoint.api_key) > 4:  # noqa: PLR2004 - shorter ones are words that mean nothing secret
        text = text.replace(endpoint.api_key, _HIDDEN)
    text = _LOOKS_LIKE_A_KEY.sub(_HIDDEN, " ".join(text.split()))
    text = "".join(char if char.isprintable() else "?" for char in text)
    return clip(text, MAX_CHARS)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup) and current.exceptions:
            current = current.exceptions[0]
        else:
            current = current.__cause__ or current.__context__
