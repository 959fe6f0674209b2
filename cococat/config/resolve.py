"""Settings from file, environment and flags; pure.

Order: flags > COCOCAT_* variables > the profile > the config file > OPENAI_BASE_URL > defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from cococat.config.layers import Layer, env_layer, file_layer, flag_layer, openai_layer, openai_url
from cococat.config.settings import (
    ContextSettings,
    KeyHome,
    ModelSettings,
    Origin,
    PermissionSettings,
    SandboxSettings,
    SessionSettings,
    Settings,
    TerminalSettings,
    WebSettings,
    rules,
)
from cococat.config.values import Given, Value, check_url, printable, suggestion
from cococat.core.limits import Limits
from cococat.core.settings import DreamSettings, RetryPolicy, ServerSettings, Timeouts
from cococat.errors import ConfigError
from cococat.system.urls import is_loopback, is_private

__all__ = ["resolve"]

T = TypeVar("T")
OPENAI_URL = "https://api.openai.com/v1"


def resolve(
    file: Mapping[str, object],
    env: Mapping[str, str],
    flags: Mapping[str, object],
    places: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, str] = MappingProxyType({}),
) -> Settings:
    """
    Make the settings.

    Args:
        file: the parsed config file.
        flags: by dotted key, as typed or as text; None counts as not given.
        places: "path:line" of each dotted key of *file*.
        names: of the flags, as errors and `config show` tell them, by dotted key.
    Raises: ConfigError: the first thing that is wrong, with its place and what was wanted.
    """
    known = rules()
    top, profiles = file_layer(file, known, places)
    variables, said = env_layer(env, known), flag_layer(flags, names, known)
    name, chosen = _profile(profiles, [top, variables, said])
    given = top | chosen | variables | said
    if "model.base_url" not in given:
        given |= openai_layer(env)
    _join_allowed(given, (top | variables).get("permissions.allow"), said.get("permissions.allow"))
    _join_options(given, (top | chosen | variables).get("model.options"), said.get("model.options"))
    _check_transport(given)
    origins = {key: given[key].origin if key in given else Origin("default") for key in known}
    mode = given.get("mode")
    return Settings(
        mode=str(mode.value) if mode else None,
        model=_section(ModelSettings, "model", given),
        agent=_section(Limits, "agent", given),
        context=_section(ContextSettings, "context", given),
        retry=_section(RetryPolicy, "retry", given),
        timeouts=_section(Timeouts, "timeouts", given),
        memory=_section(DreamSettings, "memory", given),
        sessions=_section(SessionSettings, "sessions", given),
        web=_section(WebSettings, "web", given),
        terminal=_section(TerminalSettings, "terminal", given),
        permissions=_section(PermissionSettings, "permissions", given),
        sandbox=_section(SandboxSettings, "sandbox", given),
        mcp=_servers(file["mcp"], places) if "mcp" in file else {},
        profile=name,
        origins=MappingProxyType(origins),
        keys=tuple(_key_homes(env, top, chosen, variables)),
        profiles=tuple(profiles),
    )


def _servers(mcp: object, places: Mapping[str, str]) -> Mapping[str, ServerSettings]:
    from cococat.config.servers import servers_of

    return servers_of(mcp, places)


def _profile(profiles: Mapping[str, Layer], layers: Sequence[Layer]) -> tuple[str | None, Layer]:
    """The profile that the last layer names, and its values."""
    named = [layer["profile"] for layer in layers if "profile" in layer]
    if not named or not named[-1].value:
        return None, {}
    name, origin = str(named[-1].value), named[-1].origin
    if name in profiles:
        return name, profiles[name]
    near = suggestion(name, profiles)
    there = ", ".join(map(printable, profiles))
    raise ConfigError(
        f"{origin}: there is no profile {printable(name)!r}",
        f"did you mean {printable(near)}?"
        if near
        else f"the config has {there}"
        if there
        else "add [profiles.NAME] to the config",
    )


def _join_allowed(given: dict[str, Given], own: Given | None, said: Given | None) -> None:
    """Let --allow add to what is configured instead of replacing it."""
    if own and said and isinstance(own.value, tuple) and isinstance(said.value, tuple):
        both = tuple(dict.fromkeys((*own.value, *said.value)))
        given["permissions.allow"] = Given(both, Origin("flag", f"{own.origin} and {said.origin}"))


def _join_options(given: dict[str, Given], own: Given | None, said: Given | None) -> None:
    """Let -o add to what is configured, and win where both name a field."""
    if own and said and isinstance(own.value, Mapping) and isinstance(said.value, Mapping):
        both = MappingProxyType({**own.value, **said.value})
        given["model.options"] = Given(both, Origin("flag", f"{own.origin} and {said.origin}"))


def _check_transport(given: Layer) -> None:
    """Refuse to send prompts in the clear to a machine that is neither this one nor of the user's own network."""
    url, insecure = given.get("model.base_url"), given.get("model.insecure_http")
    if url is None or (insecure and insecure.value):
        return
    address = str(url.value)
    if address.startswith("http:") and not is_loopback(address) and not is_private(address):
        raise ConfigError(
            f"{url.origin}: {printable(address)} is neither encrypted nor on this machine or its own network",
            "use https://, or an address of your network, or set model.insecure_http = true",
        )


def _key_homes(env: Mapping[str, str], top: Layer, profile: Layer, variables: Layer) -> Iterator[KeyHome]:
    """
    Pair each key with the URL that was named beside it.

    COCOCAT_API_KEY goes with COCOCAT_BASE_URL, a profile's api_key_env with the profile's base_url,
    [model]'s with [model]'s, OPENAI_API_KEY with OPENAI_BASE_URL; where the second half is missing,
    with the next less specific URL. A flag names no key, so no key follows --base-url elsewhere.
    """
    standard = openai_url(env)[1] or OPENAI_URL
    base = _text(top, "model.base_url") or standard
    own = _text(variables, "model.base_url") or base
    yield KeyHome("COCOCAT_API_KEY", own, Origin("env", "COCOCAT_API_KEY"))
    for layer, url in ((variables, own), (profile, _text(profile, "model.base_url") or base), (top, base)):
        if named := layer.get("model.api_key_env"):
            yield KeyHome(str(named.value), url, named.origin)
    if not check_url(standard):
        yield KeyHome("OPENAI_API_KEY", standard, Origin("default"))


def _text(layer: Layer, key: str) -> str:
    return str(layer[key].value) if key in layer else ""


def _section(make: Callable[..., T], name: str, given: Layer) -> T:
    values: dict[str, Value] = {
        key.removeprefix(f"{name}."): entry.value for key, entry in given.items() if key.startswith(f"{name}.")
    }
    return make(**values)
