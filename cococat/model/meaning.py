"""What an error of a server means: its status, its type and code, and its words, all of which servers use loosely.

And how long it asks to wait, in its headers or in those words.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from datetime import datetime
from typing import Any

from cococat.model.endpoint import URL_HINT

RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, *range(520, 528), 529, 530})  # Cloudflare's as well

# types and codes of errors, letters only, with the status that a server would have answered
_STATUSES: Mapping[str, int] = {
    name: status
    for status, names in {
        400: "invalidrequest invalidrequesterror badrequest badrequesterror invalidargument validationerror"
        " contextlengthexceeded unsupportedparameter invalidvalue contentfilter contentpolicyviolation",
        401: "authenticationerror invalidapikey unauthorized unauthenticated invalidauthentication incorrectapikey",
        402: "insufficientquota billingerror paymentrequired insufficientcredits insufficientbalance billinghardlimitreached",
        403: "permissionerror permissiondenied forbidden permissiondeniederror",
        404: "notfound notfounderror modelnotfound invalidmodel unknownmodel modelnotavailable",
        413: "requesttoolarge",
        422: "unprocessableentity unprocessableentityerror",
        429: "ratelimit ratelimited ratelimiterror ratelimitexceeded toomanyrequests resourceexhausted quotaexceeded throttled"
        " throttlingexception",
        500: "apierror servererror internalerror internalservererror internal",
        503: "overloaded overloadederror unavailable serviceunavailable engineoverloaded serveroverloaded modeloverloaded",
        504: "timeout timeouterror requesttimeout deadlineexceeded",
    }.items()
    for name in names.split()
}

# words of servers, in lower case
_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context.?(?:length|window|size)|maximum.{0,20}context"
    r"|context (?:is )?too long|model_context\w*_exceeded|max_prompt_tokens_exceeded|prompt_too_long"
    r"|too many (?:\w+ )?tokens|(?:prompt|input|request) (?:is )?too (?:long|large)|prompt.{0,30}exceed|reduce the length"
    r"|n.t fit\b|length limit exceeded|(?:allowed|maximum) (?:input|prompt|context) length"
    r"|maximum (?:model|prompt|input) length|max_new_tokens. must be|maximum number of (?:input )?tokens"
    r"|model token limit|exceeds? (?:the )?context|input tokens exceed|length is \d+ while limit is \d+"
    r"|.inputs. must have less than|max_tokens must be at least 1, got -|tokens in the prompt cannot exceed"
    r"|range of input length|request body too large|tokens to keep from the initial prompt"
)
_QUOTA = re.compile(
    r"insufficient.?(?:quota|credits|funds|balance)|(?:out of|no) (?:credits|funds)|credit balance|payment.?required"
    r"|billing.?(?:hard.?)?(?:limit|not.?active)|account is not active"
)
# said of limits that last and of limits of a minute: where a wait or a short span stands beside it, it is one of those
_MAYBE_QUOTA = re.compile(
    r"billing|exceeded your current quota|quota.{0,20}(?:exceeded|exhausted|used up|reached)"
    r"|exceed\w*.{0,30}quota|(?:monthly|weekly|usage|spend\w*) limit"
)
_SHORT_SPAN = re.compile(r"per.?(?:second|minute|hour|day)|\b(?:rpm|tpm|rpd|tpd)\b|rate.?limit")
_KEY = re.compile(
    r"api_key_invalid|invalid_api_key"
    r"|(?:incorrect|invalid|missing|no|expired|wrong|revoked|unknown|disabled)(?: or \w+)? (?:api|access|authentication).?(?:key|token)\b"
    r"|\b(?:api|access).?(?:key|token)\b.{0,30}\b(?:not valid|invalid|incorrect|missing|expired|required|not found|not provided|revoked)"
    r"|(?:provide|pass|supply) (?:a valid |an |your )api.?key|invalid.?authentication"
    r"|no connected db"  # LiteLLM without a database, of a key that is not its own
)
_NO_TOOLS = re.compile(
    r"(?:not|n't)(?: yet)? support\w*.{0,30}\b(?:tools?|function.?call\w*|tool_choice)\b|no .{0,40}support tool use"
    r"|\b(?:tools?|function.?calling|tool.?use|tool_choice)\b.{0,20}(?:not|n't) (?:supported|available|enabled|allowed)"
    r"|unsupported.{0,30}\b(?:tools|tool_choice|functions)\b|--jinja|enable-auto-tool-choice"
)
_NO_MODEL = re.compile(
    r"model_not_found|model.{0,80}(?:not found|not exist|unavailable|not available|no longer)"
    r"|(?:no such|unknown|invalid|not found).{0,30}model|not a(?: valid| known)? model"
)
# of requests that hold pictures; what is said of one picture is about that one
_NO_IMAGES = re.compile(
    r"(?:not|n't)(?: yet)? (?:support|accept|allow|handle|take)\w*.{0,40}\b(?:images?|image_url|vision|multi.?modal)\b"
    r"|\b(?:images?|image_url|vision|multi.?modal)\b.{0,40}(?:not|n't)(?: yet)? (?:supported|available|enabled|allowed|accepted)"
    r"|image_url\W{1,3}is only supported by|unknown variant .image_url|at most 0 image|required for image input"
    r"|not a (?:multi.?modal|vision)|no endpoints found that support image|content\W.{0,20}must be a (?:valid )?string"
    r"|unsupported.{0,20}(?:image_url|image input|image content)|content.{0,40}allowed values: \[.text.\]"
)
_ONE_IMAGE = re.compile(r"\bformats?\b|mime|media.type|dimension|resolution|too (?:large|big|small)|download|corrupt")
HISTORY = re.compile(
    r"tool_calls.{0,20}must be followed|(?:did|do) not have response messages"
    r"|must be a response to a prece+ding message with .tool_calls|tool_call_id.{0,40}not found"
    r"|tool_use.{0,40}without.{0,20}tool_result|(?:unexpected|each) .{0,10}tool_result|tool_result.{0,40}(?:corresponding|no matching)"
    r"|not the same number of function calls and responses|number of function (?:response|call) parts"
    r"|function (?:call|response) turn comes? immediately|unexpected role .?tool.? after|no tool call found for"
    r"|tool message.{0,40}(?:must follow|without)"
)
_FILTER = re.compile(
    r"content.?filter|content management policy|content.?policy|responsible.?ai|data.?inspection.?failed"
    r"|flagged (?:by|as|for)|safety system|usage polic(?:y|ies)"
)

_UNSUPPORTED = re.compile(r"not (?:yet )?(?:support|implement)|unsupported|n't (?:yet )?support")
_DOCTOR_HINT = "`cococat doctor` shows which endpoint and model are used; -m NAME or --base-url URL chooses another"
_QUOTA_HINT = "the account's quota is used up: check its plan and billing"
_MINUTE_HINT = (
    "no request fits into so few tokens a minute: raise the account's limit, or choose another model with -m NAME"
)
_KEY_HINT = "check the key (OPENAI_API_KEY, or what `cococat doctor` names); a key works for one host only"
_SIZE_HINT = "shorten the input, /compact, or set model.context_window"
_HISTORY_HINT = 'set model.protocol = "json", or begin anew with /new'
_TOOLS_HINT = 'set model.protocol = "json", or --no-tools, or choose another model with -m NAME'
_FILTER_HINT = "say it in other words, or choose another model with -m NAME"
# tokens of a minute, those of the reply included: a request for more never passes by waiting
MINUTE = re.compile(r"limit:? (\d{1,9}), requested:? (\d{1,9})\b")
MIN_MINUTE = 256  # tokens: into less no request fits
# kind, statuses, words of the server (None: any), hint; the first row that fits counts
_RULES: tuple[tuple[str, Container[int], re.Pattern[str] | None, str], ...] = (
    ("quota", {402}, None, _QUOTA_HINT),
    ("quota", {400, 403, 429}, _QUOTA, _QUOTA_HINT),
    ("auth", {401}, None, _KEY_HINT),
    ("content_filter", {400, 403, 422}, _FILTER, _FILTER_HINT),
    ("auth", {403}, None, _KEY_HINT),
    ("rate_limit", {429}, None, "wait, or ask less at a time"),
    ("context_overflow", {413}, None, _SIZE_HINT),
    ("context_overflow", range(400, 600), _OVERFLOW, _SIZE_HINT),
    ("auth", {400, 422}, _KEY, _KEY_HINT),
    ("refused_history", {400, 422, 500}, HISTORY, _HISTORY_HINT),
    ("not_found", {400, 404, 422}, _NO_MODEL, "`cococat models` lists what there is; choose with -m NAME"),
    ("tools_unsupported", {400, 404, 422, 500, 501}, _NO_TOOLS, _TOOLS_HINT),
    ("not_found", {404}, None, URL_HINT),
    ("connection", {407}, None, "the proxy wants a login: check HTTPS_PROXY"),
    ("timeout", {408}, None, "try again"),
    ("server", {409, 425}, None, "try again"),
    ("bad_request", {500, 501}, _UNSUPPORTED, _DOCTOR_HINT),
    ("server", range(500, 600), None, "try again later"),
)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_UNIT = r"ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?"
_PART = re.compile(rf"({_NUMBER}) ?({_UNIT})(?![a-z])")
_PARTS = rf"(?P<parts>(?:{_NUMBER} ?(?:{_UNIT})(?![a-z])[ ,]*(?:and )?)+)"
# "try again in 6m0s", "retry after 20 seconds", "please wait 1.5s", "retrydelay": "25s"
_WORDS = re.compile(
    rf"(?:try again|retry|retrying|wait|retry.?delay|resets?)\W{{0,4}}(?:in|after|for|at least)?\W{{0,4}}{_PARTS}"
)
# "retry_after": 12, "retry_after_ms": 1500
_FIELD = re.compile(rf"retry.?after(?P<unit>.?ms|.?seconds|.?s)?\"?\s*[:=]\s*\"?(?P<number>{_NUMBER})(?![\w.])")


def kind_of(status: int, words: str, *, waits: bool = False, images: bool = False) -> tuple[str, str]:
    """
    Return the kind of an error, and the hint that goes with it.

    Args:
        words: all that the server said, in lower case.
        waits: it named a time after which to try again.
        images: the request held pictures.
    """
    if images and status not in (401, 403, 429) and _NO_IMAGES.search(words) and not _ONE_IMAGE.search(words):
        return "no_images", ""
    if (minute := MINUTE.search(words)) and int(minute[1]) < int(minute[2]):
        small = int(minute[1]) < MIN_MINUTE
        return ("quota", _MINUTE_HINT) if small else ("context_overflow", _SIZE_HINT)
    lasting = not (waits or _SHORT_SPAN.search(words))
    if status in (400, 403, 429) and lasting and _MAYBE_QUOTA.search(words):
        return "quota", _QUOTA_HINT
    for kind, statuses, pattern, hint in _RULES:
        if status in statuses and (pattern is None or pattern.search(words)):
            return kind, hint
    return "bad_request", _DOCTOR_HINT


def status_of(error: object, words: str) -> int:
    """Return the status that stands for *error*, an error without one: by its number, its code, its type, its words."""
    fields: Mapping[str, Any] = error if isinstance(error, dict) else {}
    named = [str(fields.get(key) or "") for key in ("code", "status", "status_code", "type")]
    for name in named:
        if re.fullmatch("[45][0-9][0-9]", name):
            return int(name)
    for name in named:
        if status := _STATUSES.get(re.sub("[^a-z]", "", name.lower())):
            return status
    if re.search("rate.?limit|too many requests", words):
        return 429
    return 400 if re.fullmatch("[0-9]{4}", named[2]) else 500  # a code of the server's own; it names what passes


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """
    Return the seconds that the server asks to wait, from `retry-after-ms` or `retry-after` (seconds or HTTP date).

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


def wait_in_words_s(text: str) -> float | None:
    """Return the seconds that an error asks to wait, "try again in 6m0s" or a field of its JSON; None when it does not."""
    words = " ".join(text.lower().split())
    if found := _WORDS.search(words):
        return sum(
            float(number) * _SECONDS["ms" if unit.startswith(("ms", "mil")) else unit[0]]
            for number, unit in _PART.findall(found["parts"])
        )
    if field := _FIELD.search(words):
        return float(field["number"]) * (0.001 if (field["unit"] or "").endswith("ms") else 1.0)
    return None


def duration(seconds: float) -> str:
    """Write a wait of a minute and more in words: 10 min, 1 h 30 min, 3 days."""
    minutes = round(seconds / 60)
    if minutes < 120:  # noqa: PLR2004 - two hours
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
    return f"{round(minutes / 60 / 24)} days"


def local_time(seconds: float, now: float) -> str:
    """Return the local time of day that is *seconds* after *now*, with the date when it is not today's."""
    begin, end = datetime.fromtimestamp(now).astimezone(), datetime.fromtimestamp(now + seconds).astimezone()
    return end.strftime("%H:%M" if begin.date() == end.date() else "%Y-%m-%d %H:%M")
