"""What can go wrong with a request, in one line each: who, why, and the fix."""

from __future__ import annotations

import html
import json
import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from cococat.core.limits import Problem
from cococat.core.model import ProviderError
from cococat.core.retry import MAX_WAIT_S
from cococat.model.endpoint import URL_HINT, Endpoint
from cococat.model.watchdog import Silence
from cococat.system.network import BadVariable, Proxy, certificates_variable, proxy_for
from cococat.system.text import clip
from cococat.system.urls import host_of, is_http

MAX_CHARS = 300  # characters of a server's words
_HIDDEN = "[key]"
_MESSAGES = tuple("error message detail msg status_msg errors base_resp error_description title type".split())  # noqa: SIM905
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|gsk|xai)[-_][A-Za-z0-9_\-]{16,}")


class Refusal(Exception):
    """The server answered with a status other than 2xx."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.headers = headers
        self.body = body


def from_refusal(endpoint: Endpoint, refusal: Refusal, now: float, *, images: bool = False) -> ProviderError:
    """
    Read an error response.

    Args:
        now: wall-clock seconds, for a Retry-After that is a date.
        images: the request held pictures.
    """
    from cococat.model.meaning import retry_after_s, wait_in_words_s

    status, host = refusal.status, host_of(endpoint.base_url)
    if endpoint.base_url.startswith("http://") and (proxy := _proxy(endpoint)):  # which may be the one that answers
        if status == 407:  # noqa: PLR2004 - as below
            why = f"{proxy.variable} names the proxy {proxy.host}, which wants another login"
            return _network(endpoint, why, _proxy_hint(proxy), kind="config", retryable=False)
        host = _who(endpoint)
    if status < 400:  # noqa: PLR2004 - the classes of HTTP status codes
        return _redirect(endpoint, refusal)
    said, words = _said(endpoint, refusal.body)
    wait = retry_after_s(refusal.headers, now)
    if wait is None:
        wait = wait_in_words_s(refusal.body)
    message = f"{host} answered {status}: {said}" if said else f"{host} answered {status}"
    error = _answered(status, message, words, wait, now, images=images)
    error.retryable &= refusal.headers.get("x-should-retry", "").strip().lower() != "false"
    return error


def from_event(endpoint: Endpoint, error: object, now: float) -> ProviderError:
    """Read an error object that came in the middle of a stream."""
    from cococat.model.meaning import status_of, wait_in_words_s

    body = json.dumps({"error": error})
    said, words = _said(endpoint, body)
    message = f"{host_of(endpoint.base_url)} broke the reply off: {said or 'no reason given'}"
    return _answered(status_of(error, words), message, words, wait_in_words_s(body), now)


def _answered(
    status: int, message: str, words: str, wait_s: float | None, now: float, *, images: bool = False
) -> ProviderError:
    from cococat.model.meaning import RETRYABLE, duration, kind_of, local_time

    kind, hint = kind_of(status, words, waits=wait_s is not None, images=images)
    retryable = status in RETRYABLE and kind in ("rate_limit", "server", "timeout")
    if retryable and wait_s is not None and wait_s > MAX_WAIT_S:
        hint = f"it asks to wait {duration(wait_s)}: try again at {local_time(wait_s, now)}"
    problem = Problem(kind, message, hint)
    return ProviderError(problem, status=status, retryable=retryable, retry_after_s=wait_s, words=words)


def from_network(endpoint: Endpoint, error: BaseException) -> ProviderError:
    """Name the cause of a connection that failed or broke, and who it was: behind a proxy, nobody else is connected to."""
    chain, proxy = list(_causes(error)), _proxy(endpoint)
    if proxy and (refused := _from_proxy(endpoint, proxy, chain)):
        return refused
    for cause in chain:
        if known := _system_error(endpoint, cause):
            return known
    host, names = _who(endpoint), {type(cause).__name__ for cause in chain}
    if names & {"ConnectTimeout", "ReadTimeout", "PoolTimeout", "APITimeoutError"}:
        return _network(endpoint, f"no connection to {host} in time", "raise timeouts.connect", kind="timeout")
    if names & {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}:
        return _network(endpoint, f"no request can be sent to {host}: {chain[-1]}", URL_HINT, retryable=False)
    if "RemoteProtocolError" in names and "incomplete" in str(chain[0]):
        return cut_reply_error(endpoint)
    if names & {"ConnectionResetError", "ReadError", "WriteError", "RemoteProtocolError", "EndOfStream"}:
        return _network(endpoint, f"{host} broke the connection", "try again")
    return _network(endpoint, f"no connection to {host}: {chain[-1]}", "check --base-url and the network connection")


def _from_proxy(endpoint: Endpoint, proxy: Proxy, chain: Sequence[BaseException]) -> ProviderError | None:
    """What a proxy did that could not be reached or does not let us pass."""
    place, names = f"{proxy.variable} names the proxy {proxy.host}", {type(cause).__name__ for cause in chain}
    why = ""
    for cause in chain:
        match cause:
            case ssl.SSLError() if proxy.scheme == "https" and not isinstance(cause, ssl.SSLCertVerificationError):
                why = "which does not speak TLS: http:// may be what is meant"
            case socket.gaierror():
                why = "for which no address is known"
            case ConnectionRefusedError():
                why = "where nothing listens"
            case _ if type(cause).__name__ in ("SOCKSError", "ProtocolError"):
                why = "which does not speak SOCKS 5"
            case _ if type(cause).__name__ == "ProxyError":
                said = str(cause)
                if not re.match("407|Requested|Invalid user", said):
                    message = f"{place}, which refused {host_of(endpoint.base_url)}: {said}"
                    return _network(endpoint, message, _proxy_hint(proxy), retryable=said[:2] == "50")
                why = "which wants another login"
    if not why and "ConnectError" in names and not any(isinstance(cause, ssl.SSLError) for cause in chain):
        why = f"which cannot be reached: {chain[-1]}"
    return _network(endpoint, f"{place}, {why}", _proxy_hint(proxy), kind="config", retryable=False) if why else None


def _proxy_hint(proxy: Proxy) -> str:
    return f"correct or unset {proxy.variable}, or name the host in NO_PROXY"


def _proxy(endpoint: Endpoint) -> Proxy | None:
    try:
        return proxy_for(endpoint.base_url)
    except ValueError:
        return None


def _who(endpoint: Endpoint) -> str:
    """The endpoint, and by whose way it is reached."""
    proxy = _proxy(endpoint)
    return f"{host_of(endpoint.base_url)}{f' through the proxy of {proxy.variable}' if proxy else ''}"


def _system_error(endpoint: Endpoint, cause: BaseException) -> ProviderError | None:
    """What the operating system or TLS says, which tells more than the layers above."""
    host = host_of(endpoint.base_url)
    match cause:
        case ssl.SSLCertVerificationError():
            why = f"the certificate of {_who(endpoint)} is not valid: {cause.verify_message}"
            if variable := certificates_variable():
                hint = f"{variable} names what is trusted: add the CA of {host}, or unset {variable}"
            else:
                hint = "check the address, or set SSL_CERT_FILE to your CA"
            return _network(endpoint, why, hint, retryable=False)
        case ssl.SSLError() if "WRONG_VERSION" in str(cause) or "RECORD_LAYER" in str(cause):
            return _network(endpoint, f"{host} does not speak TLS", "try http:// in --base-url", retryable=False)
        case socket.gaierror():
            hint, passing = "check --base-url and the network connection", cause.errno == socket.EAI_AGAIN
            return _network(endpoint, f"no address is known for {host}", hint, retryable=passing)
        case ConnectionRefusedError():
            return _network(endpoint, f"nothing listens at {host}", "start the server, or check --base-url")
    return None


def bad_variable(endpoint: Endpoint, bad: BadVariable) -> ProviderError:
    """Name the variable of the environment that makes a client impossible."""
    return _network(endpoint, str(bad), bad.hint, kind="config", retryable=False)


def from_silence(endpoint: Endpoint, silence: Silence) -> ProviderError:
    """Name the limit that passed."""
    host, seconds = host_of(endpoint.base_url), silence.seconds
    hint = f"raise timeouts.{silence.limit} if the model is only slow"
    if silence.limit == "silence":
        problem = Problem("timeout", f"{host} sent nothing for {seconds:g} s", hint)
    elif silence.limit == "data_idle":
        problem = Problem("stalled", f"stream stalled: {host} sent no data for {seconds:g} s", hint)
    else:
        problem = Problem("stalled", f"stream stalled: {host} sent nothing more for {seconds:g} s", hint)
    return ProviderError(problem, retryable=silence.limit != "silence")  # it was taken, and may be computed to its end


def not_a_completion(endpoint: Endpoint, content_type: str, begins: str) -> ProviderError:
    """Name a 200 that is something else, as sign-in pages and wrong paths answer."""
    kind = " ".join(content_type.split())[:60] or "no content type"
    what = f"{kind}: {_line(endpoint, begins)[:80]!r}" if begins.strip() else f"{kind}, empty"
    message = f"{host_of(endpoint.base_url)} sent no completion ({what})"
    return ProviderError(Problem("protocol", message, URL_HINT), status=200, retryable=True)


def garbled(endpoint: Endpoint, why: str) -> ProviderError:
    """Name a reply that cannot be read."""
    message = f"{host_of(endpoint.base_url)} sent a reply that cannot be read: {_line(endpoint, why)}"
    return ProviderError(Problem("protocol", message, "check --base-url; `cococat doctor` tests it"))


def cut_reply_error(endpoint: Endpoint) -> ProviderError:
    """Name a reply that ended before it was complete."""
    message = f"{host_of(endpoint.base_url)} ended the reply before it was complete"
    return ProviderError(Problem("stream_cut", message, "try again"), retryable=True)


def failed(endpoint: Endpoint, word: str) -> ProviderError:
    """Name a reply that the server ended with a reason that is a failure."""
    message = f"{host_of(endpoint.base_url)} failed in the middle of the reply: it ended with {_line(endpoint, word)!r}"
    return ProviderError(Problem("server", message, "try again"), retryable=True)


def unusable(endpoint: Endpoint) -> ProviderError | None:
    """Return why no request can be made of *endpoint* at all, before one is tried."""
    key = endpoint.api_key
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        why = "the API key holds a line break, a blank or a character outside ASCII"
        return ProviderError(Problem("auth", why, "copy the key again, for example into OPENAI_API_KEY"))
    if not is_http(endpoint.base_url):
        return ProviderError(Problem("bad_request", f"not an http address: {endpoint.base_url[:80]!r}", URL_HINT))
    return None


def _network(
    endpoint: Endpoint, why: str, hint: str, *, kind: str = "connection", retryable: bool = True
) -> ProviderError:
    return ProviderError(Problem(kind, _line(endpoint, why), hint), retryable=retryable)


def _redirect(endpoint: Endpoint, refusal: Refusal) -> ProviderError:
    target = urljoin(endpoint.base_url, refusal.headers.get("location", ""))
    same = host_of(target) == host_of(endpoint.base_url)
    where = target if same else host_of(target)
    message = f"{host_of(endpoint.base_url)} redirects to {where} ({refusal.status}), which is never followed"
    hint = URL_HINT if same else "if you trust that host, name it with --base-url"
    return ProviderError(Problem("redirect", _line(endpoint, message), hint), status=refusal.status)


def _said(endpoint: Endpoint, body: str) -> tuple[str, str]:
    """Return the server's message in one line, and all its words in lower case, to look for causes in."""
    try:
        parsed: Any = json.loads(body)
    except (ValueError, RecursionError):
        title = re.search(r"<title[^>]*>(.*?)</title", body, re.IGNORECASE | re.DOTALL)
        parsed = html.unescape(re.sub(r"<[^>]*>", " ", title[1] if title else body))
    words = list(_leaves(parsed))
    everything = " ".join(words).lower().replace("invalid_request_error", "")  # the type of most errors tells nothing
    return _line(endpoint, _message(parsed) or next(iter(words), "")), everything


def _leaves(value: Any) -> Iterator[str]:
    """Yield the texts and numbers in *value*, in order."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(part) if key != "status" else ()  # a number, or a word for one
    elif value is not None and value != "" and not isinstance(value, bool):
        yield str(value)


def _message(value: Any) -> str:
    """Return what of an error is its message, wherever servers put it; what a provider behind it said comes with it."""
    match value:
        case str():
            return value
        case list():
            return next(filter(None, map(_message, value)), "")
        case dict():
            said = next((found for key in _MESSAGES if (found := _message(value.get(key)))), "")
            behind = _message(value["metadata"].get("raw")) if isinstance(value.get("metadata"), dict) else ""
            return f"{said}: {behind}" if said and behind else said
        case _:
            return ""


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
