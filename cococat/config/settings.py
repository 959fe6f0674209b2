"""The settings as frozen values, one to one with the config file.

A field's default, bounds and one-line explanation stand together, or the bounds and the explanation alone where
the value is one of the core's; validation, `config show` and config.example.toml are all made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

from cococat.core.limits import Limits
from cococat.core.settings import DreamSettings, RetryPolicy, ServerSettings, Timeouts

T = TypeVar("T")
THEMES = ("auto", "dark", "light", "plain")
BELLS = ("off", "on", "long")
BOXES = ("auto", "off", "require")
PERMISSION_MODES = ("plan", "ask-first", "edits", "auto")


@dataclass(frozen=True, slots=True)
class SettingRule:
    """
    What one setting may hold.

    Args:
        kind: the type of its values; tuple stands for a list of strings.
        default: None for a setting that has none.
        low, high: bounds of a number, both included.
        choices: the only words allowed, unless empty.
        form: a further check by name: `url`, `variable`, `variables`, `rule` or `paths`; `fields` is a table.
    """

    doc: str
    kind: type
    default: object = None
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    form: str = ""


def _setting(  # what dataclasses.field is, with the rule beside the default
    default: T, doc: str, *, low: float = 0, high: float = 0, choices: tuple[str, ...] = (), form: str = ""
) -> T:
    kind = str if default is None else type(default)
    rule = SettingRule(doc, kind, default, low, high, choices, form)
    fixed = rule.form != "fields"  # dataclasses take no mapping as a default
    made: T = (
        field(default=default, metadata={"rule": rule})
        if fixed
        else field(default_factory=lambda: default, metadata={"rule": rule})
    )
    return made


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from; *place* is a file and line, a variable or a flag."""

    kind: Literal["default", "file", "env", "flag"]
    place: str = ""

    def __str__(self) -> str:
        return self.place or self.kind


@dataclass(frozen=True, slots=True)
class KeyHome:
    """
    The one URL that a key belongs to.

    Args:
        variable: of the environment, which holds the key; empty: none is needed there, unless one is *kept*.
        kept: the file that says where `config set-key` has put it.
    """

    variable: str
    url: str
    origin: Origin
    kept: Path | None = None

    @property
    def name(self) -> str:
        """Where the key is, as users are told."""
        return self.variable or str(self.origin)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """`[model]`: who answers."""

    name: str = _setting("gpt-4.1-mini", "as the endpoint calls it; `cococat models` lists them")
    base_url: str = _setting("https://api.openai.com/v1", "any OpenAI-compatible endpoint", form="url")
    api_key_env: str = _setting(
        "OPENAI_API_KEY", 'variable that holds the key, never the key itself; "" if none is needed', form="variable"
    )
    protocol: str = _setting(
        "auto", "auto | native | json: how the model calls tools", choices=("auto", "native", "json")
    )
    images: str = _setting(
        "auto", "auto | on | off: whether it takes pictures; auto asks the endpoint", choices=("auto", "on", "off")
    )
    context_window: int = _setting(0, "tokens; 0: told by the endpoint or known by the model's name", high=100_000_000)
    max_output_tokens: int = _setting(
        0, "tokens of one reply; 0: not sent, or what the endpoint is known to allow", high=10_000_000
    )
    temperature: float = _setting(0.2, "0..2", high=2)
    options: Mapping[str, object] = _setting(
        MappingProxyType({}), 'sent with each request as it is: { reasoning_effort = "low" }', form="fields"
    )
    fallback: tuple[str, ...] = _setting((), "models to go on with, in order, where this one is overloaded or down")
    keep_think: bool = _setting(default=False, doc="true: a leading <think>…</think> stays in the text of the answer")
    gguf: str = _setting("", "path of a GGUF file to run here instead of asking an endpoint")
    insecure_http: bool = _setting(
        default=False, doc="true: allow http:// to any machine, with its key; both travel in the clear"
    )


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """`[context]`: what fits into a request."""

    budget_ratio: float = _setting(0.7, "part of the window that a request may fill", low=0.05, high=1)
    prune_protect_tokens: int = _setting(40_000, "newest tokens whose tool output is never cleared", high=100_000_000)
    keep_recent_messages: int = _setting(4, "newest messages that are never summarised", high=1000)


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """`[sessions]`: what is kept of what was said; older ones are deleted by `sessions prune` and when a chat ends."""

    keep_days: float = _setting(0.0, "days since a session was used last; 0: no limit", high=100_000)
    keep_count: int = _setting(0, "sessions, the newest; 0: no limit", high=1_000_000_000)
    keep_bytes: int = _setting(0, "bytes of all logs and pictures together; 0: no limit", high=1_000_000_000_000)


@dataclass(frozen=True, slots=True)
class WebSettings:
    """`[web]`: how the web is searched."""

    search_url: str = _setting("", 'a SearXNG server, as http://127.0.0.1:8888/search; "": the extra `web`', form="url")


@dataclass(frozen=True, slots=True)
class TerminalSettings:
    """`[terminal]`: how a session looks and is typed."""

    wrap: str = _setting(
        "word", "word | none: prose wraps at words, or is left to the terminal", choices=("word", "none")
    )
    theme: str = _setting("auto", "auto | dark | light | plain: auto asks the terminal", choices=THEMES)
    editor: str = _setting("emacs", "emacs | vi: the keys of the prompt", choices=("emacs", "vi"))
    title: bool = _setting(default=False, doc="true: set the terminal's title")
    bell: str = _setting("off", "off | on | long: when a turn ends, or one of 10 s and more", choices=BELLS)


@dataclass(frozen=True, slots=True)
class PermissionSettings:
    """`[permissions]`: what tools may do; deny wins over allow."""

    mode: str = _setting("ask-first", " | ".join(PERMISSION_MODES), choices=PERMISSION_MODES)
    allow: tuple[str, ...] = _setting((), 'never asked about: "tool" or "tool(pattern)"', form="rule")
    deny: tuple[str, ...] = _setting((), "never run, same form", form="rule")


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """`[sandbox]`: the box that commands run in."""

    mode: str = _setting("auto", "auto | off | require: a box where there is one, none, or nothing runs", choices=BOXES)
    network: bool = _setting(default=False, doc="true: commands reach the network from inside the box")
    read: tuple[str, ...] = _setting((), "more folders that commands may read, by absolute paths", form="paths")
    write: tuple[str, ...] = _setting((), "more folders that commands may write", form="paths")
    env: tuple[str, ...] = _setting((), "variables that commands get though their names look secret")


@dataclass(frozen=True, slots=True)
class Settings:
    """
    Everything that can be set, resolved.

    Args:
        mode: None: `single` for `ask`, `react` for `chat`.
        mcp: the MCP servers by name.
        profile: name of the profile in force, if any.
        origins: where each value came from, by dotted key; every key is there.
        keys: which environment variable holds the key for which URL, best first.
        profiles: names of all profiles in the config file.
        file: the config file that was read; None when there is none.
    """

    mode: str | None = None
    model: ModelSettings = field(default_factory=ModelSettings)
    agent: Limits = field(default_factory=Limits)
    context: ContextSettings = field(default_factory=ContextSettings)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    timeouts: Timeouts = field(default_factory=Timeouts)
    memory: DreamSettings = field(default_factory=DreamSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    web: WebSettings = field(default_factory=WebSettings)
    terminal: TerminalSettings = field(default_factory=TerminalSettings)
    permissions: PermissionSettings = field(default_factory=PermissionSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    mcp: Mapping[str, ServerSettings] = field(default_factory=dict)
    profile: str | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)
    keys: tuple[KeyHome, ...] = ()
    profiles: tuple[str, ...] = ()
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """What a command was asked to do this once; unlike settings, none of it can be configured."""

    system: str | None = None
    files: tuple[Path, ...] = ()
    continue_: bool = False
    resume: str | None = None
    fork: bool = False
    root: Path | None = None
    tools: bool = True
    trust: bool = False
    dream: bool = True
    session: bool = True
    stdin: bool = True
    extract: bool = False
    schema: str | None = None
    template: str | None = None
    output_format: Literal["text", "json", "stream-json"] = "text"
    color: Literal["auto", "always", "never"] = "auto"
    quiet: bool = False
    verbose: bool = False


_DEFAULTS = Settings()
# of the config file, with the type that holds what is in each
SECTIONS: Mapping[str, type] = MappingProxyType(
    {each.name: type(part) for each in fields(Settings) if is_dataclass(part := getattr(_DEFAULTS, each.name))}
)

# what the settings of the core's own values may hold; their defaults are the core's
_BOUNDS: Mapping[str, Mapping[str, SettingRule]] = MappingProxyType(
    {
        "agent": {
            "max_steps": SettingRule("requests of one turn that may call tools, 1..200", int, low=1, high=200),
            "min_tool_calls": SettingRule("calls that must have succeeded before an answer counts", int, high=50),
            "max_parallel_tools": SettingRule("tools that read, side by side", int, low=1, high=64),
            "max_total_tokens": SettingRule("tokens of the whole run; 0: no limit", int, high=1_000_000_000),
            "max_seconds": SettingRule("seconds of the whole run; 0: no limit", float, high=604_800),
            "tool_output_chars": SettingRule(
                "characters of one fresh tool output; less where the window is small", int, low=1, high=1_000_000
            ),
            "detect_loops": SettingRule("false: calls that go in circles are neither refused nor the end", bool),
            "tool_timeout_s": SettingRule("seconds one tool call may take", float, low=0.01, high=86_400),
        },
        "retry": {
            "attempts": SettingRule("requests in all, the first included", int, low=1, high=20),
            "base_ms": SettingRule("milliseconds before the second request; doubles each time", int, high=600_000),
            "cap_ms": SettingRule("longest wait in milliseconds", int, high=600_000),
            "jitter_ms": SettingRule("up to so many milliseconds are added by chance", int, high=600_000),
        },
        "timeouts": {
            "connect": SettingRule("seconds until the connection stands", float, low=0.01, high=86_400),
            "first_byte": SettingRule("seconds without a reply until that is told", float, low=0.01, high=86_400),
            "silence": SettingRule("seconds until it is given up, and not sent again", float, low=0.01, high=86_400),
            "idle": SettingRule("seconds without a single byte", float, low=0.01, high=86_400),
            "data_idle": SettingRule("seconds with signs of life but no content", float, low=0.01, high=86_400),
        },
        "memory": {
            "mode": SettingRule("off | read | confirm | auto", str, choices=("off", "read", "confirm", "auto")),
            "wait": SettingRule("true: `ask` waits for its dream (scripts, tests)", bool),
            "dream_min_records": SettingRule("new records before a dream is due", int, high=1_000_000),
            "dream_min_minutes": SettingRule("minutes between two dreams", float, high=1_000_000),
            "max_tokens": SettingRule("tokens MEMORY.md may hold", int, low=1, high=1_000_000),
            "max_bytes": SettingRule("bytes MEMORY.md may hold", int, low=1, high=16_777_216),
            "max_lines": SettingRule("lines MEMORY.md may hold", int, low=1, high=100_000),
            "judge": SettingRule("who judges what is noted: same | off | a model of the endpoint", str),
            "unjudged": SettingRule(
                "own | hold | drop: lines that nobody judged", str, choices=("own", "hold", "drop")
            ),
        },
    }
)

# what each key of `[mcp.servers.NAME]` may hold
SERVER: Mapping[str, SettingRule] = MappingProxyType(
    {
        "command": SettingRule("the program and its arguments; no shell, nothing is expanded", tuple),
        "env": SettingRule("names of variables that it gets", tuple, form="variables"),
        "url": SettingRule("of one that runs elsewhere: https, or this machine", str, "", form="url"),
        "key_env": SettingRule("variable with the key for that address alone", str, "", form="variable"),
        "tools": SettingRule("which of its tools are offered; []: all", tuple),
        "start_s": SettingRule("seconds until it has told its tools, 1..300", float, 20.0, low=1, high=300),
        "call_s": SettingRule("seconds for one call", float, 60.0, low=0.1, high=86_400),
    }
)


def rules() -> dict[str, SettingRule]:
    """The rule of every setting by dotted key, in the order of the config file."""
    found = {
        "mode": SettingRule(
            "single | react; unset: single for `ask`, react for `chat`", str, choices=("single", "react")
        ),
        "profile": SettingRule("the profile to use when -P names none", str),
    }
    for section, kind in SECTIONS.items():
        own = {each.name: each for each in fields(kind)}
        bounds = _BOUNDS.get(section) or {name: each.metadata["rule"] for name, each in own.items()}
        for name, rule in bounds.items():
            found[f"{section}.{name}"] = replace(rule, default=own[name].default) if section in _BOUNDS else rule
    return found
