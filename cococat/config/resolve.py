"""Settings from file, environment and flags; pure.

Order: flags > COCOCAT_* variables > the profile > the config file > OPENAI_BASE_URL > defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cococat.config.layers import Layer, env_layer, file_layer, flag_layer, openai_layer, openai_url
from cococat.config.settings import SECTIONS, KeyHome, Origin, Settings, rules
from cococat.config.values import Given, check_url, printable, suggestion
from cococat.core.settings import ServerSettings
from cococat.errors import ConfigError
from cococat.system.urls import is_loopback, is_private

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
    for key in ("permissions.allow", "model.options"):
        if (own := (top | chosen | variables).get(key)) and (more := said.get(key)):
            given[key] = _joined(own, more)
    _check_transport(given)
    origins = {key: given[key].origin if key in given else Origin("default") for key in known}
    mode = given.get("mode")
    servers: Mapping[str, ServerSettings] = {}
    sections: dict[str, Any] = {section: kind(**_below(section, given)) for section, kind in SECTIONS.items()}
    if "mcp" in file:
        from cococat.config.servers import servers_of

        servers = servers_of(file["mcp"], places)
    return Settings(
        mode=str(mode.value) if mode else None,
        **sections,
        mcp=servers,
        profile=name,
        origins=MappingProxyType(origins),
        keys=tuple(_key_homes(env, top, chosen, variables)),
        profiles=tuple(profiles),
    )


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


def _joined(own: Given, said: Given) -> Given:
    """Let --allow and -o add to what is configured instead of replacing it; -o wins where both name a field."""
    both: tuple[str, ...] | Mapping[str, object]
    match own.value, said.value:
        case tuple() as before, tuple() as more:
            both = tuple(dict.fromkeys((*before, *more)))
        case Mapping() as before, Mapping() as more:
            both = MappingProxyType({**before, **more})
        case _:
            return said
    return Given(both, Origin("flag", f"{own.origin} and {said.origin}"))


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


def _below(section: str, given: Layer) -> dict[str, Any]:
    start = f"{section}."
    return {key.removeprefix(start): entry.value for key, entry in given.items() if key.startswith(start)}
