"""The layers that settings come in: the file, its profiles, the environment, the flags; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from cococat.config.settings import SECTIONS, SERVER, Origin, SettingRule, rules
from cococat.config.values import (
    Given,
    allowed_values,
    check,
    check_url,
    masked_value,
    not_a_rule,
    parse,
    printable,
    suggestion,
    toml,
)
from cococat.errors import ConfigError

Layer: TypeAlias = dict[str, Given]
SHORT_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "mode": "COCOCAT_MODE",
        "profile": "COCOCAT_PROFILE",
        "model.name": "COCOCAT_MODEL",
        "model.base_url": "COCOCAT_BASE_URL",
        "model.gguf": "COCOCAT_GGUF",
    }
)
ALIASES: Mapping[str, str] = MappingProxyType({"agent.max_iterations": "agent.max_steps"})


def profile_steps(key: str) -> tuple[str, str] | None:
    """Split `profiles.NAME.KEY` into name and key; None for any other key. The name may hold dots."""
    first, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    return (name, last) if first == "profiles" and name else None


def server_steps(key: str) -> tuple[str, str] | None:
    """
    Split `mcp.servers.NAME.KEY` into name and key; None for what does not begin so.

    Raises: ConfigError: no server has such a key.
    """
    match key.split("."):
        case ["mcp", "servers", name, last] if last in SERVER:
            return name, last
        case ["mcp", *_]:
            keys = f"of a server there are {', '.join(SERVER)}: mcp.servers.NAME.command, for example"
            raise ConfigError(f"{printable(key)}: unknown key", keys)
        case _:
            return None


def no_server(name: str) -> ConfigError:
    """Return the error for a server that the config file does not have."""
    return ConfigError(
        f"mcp.servers.{printable(name)}: there is no such server", f"cococat mcp add {printable(name)} -- COMMAND ARG…"
    )


def file_layer(
    file: Mapping[str, object], known: Mapping[str, SettingRule], places: Mapping[str, str]
) -> tuple[Layer, dict[str, Layer]]:
    """The checked values of the file, and those of each profile."""
    top: Layer = {}
    profiles: dict[str, Layer] = {}
    for profile, key, path, value in _leaves(file, places):
        origin = Origin("file", places.get(path, "config file"))
        if profile is not None:
            own = profiles.setdefault(profile, {})
            if key:
                own[key] = checked(known, key, value, origin, path)
            continue
        setting = ALIASES.get(key, key)
        if setting in top:
            raise ConfigError(f"{origin}: {path}: the same setting is given twice", f"keep {setting} alone")
        top[setting] = checked(known, setting, value, origin, path)
    return top, profiles


def _leaves(file: Mapping[str, object], places: Mapping[str, str]) -> Iterator[tuple[str | None, str, str, object]]:
    """Each setting of the file as (profile, key of the setting, path in the file, value)."""
    for name, value in file.items():
        if name == "profiles":
            for profile, table in table_of(name, value, places).items():
                path = f"profiles.{profile}"
                yield profile, "", path, None  # a profile that sets nothing is one, too
                for key, entry in table_of(path, table, places).items():
                    yield profile, f"model.{key}", f"{path}.{key}", entry
        elif name in SECTIONS:
            for key, entry in table_of(name, value, places).items():
                yield None, f"{name}.{key}", f"{name}.{key}", entry
        elif name != "mcp":  # see config/servers.py
            yield None, name, name, value


def table_of(path: str, value: object, places: Mapping[str, str]) -> Mapping[str, object]:
    """
    Return *value* as the table that it has to be.

    Raises: ConfigError: it is none.
    """
    if isinstance(value, Mapping):
        return value
    where = places.get(path, "config file")
    raise ConfigError(
        f"{where}: {printable(path)}: wanted a table, got {masked_value(value)}", f"write it as [{printable(path)}]"
    )


def checked(known: Mapping[str, SettingRule], key: str, value: object, origin: Origin, name: str) -> Given:
    """
    Check one value; *name* is what the user called it.

    Raises: ConfigError: there is no setting *key*, or it may not be *value*.
    """
    where = str(origin) if str(origin) == name else f"{origin}: {printable(name)}"
    if key not in known:
        raise unknown_key(key, {} if isinstance(value, Mapping) else known, where)
    rule = known[key]
    good = check(rule, value)
    if good is None:
        secret = rule.form == "variable" and isinstance(value, str)
        got = "something else" if secret else (rule.form == "rule" and not_a_rule(value)) or masked_value(value)
        near = suggestion(value, rule.choices) if isinstance(value, str) else ""
        raise ConfigError(f"{where}: wanted {allowed_values(rule)}, got {got}", _value_hint(rule, key, near))
    if rule.form == "url" and good != rule.default and (trouble := check_url(str(good))):
        endpoints = "https://api.openai.com/v1 or http://127.0.0.1:11434/v1"
        like = endpoints if rule.default else "http://127.0.0.1:8888/search"
        raise ConfigError(f"{where}: {trouble}", f"write it like {like}")
    return Given(good, origin)


def _value_hint(rule: SettingRule, key: str, near: str) -> str:
    if near:
        return f"did you mean {near}?"
    if rule.form == "variable":
        return 'export MY_KEY=… in your shell and write api_key_env = "MY_KEY"'
    return f"the default is {toml(rule.default)}" if rule.default is not None else f"`cococat config show` lists {key}"


def unknown_key(key: str, known: Mapping[str, SettingRule], where: str = "") -> ConfigError:
    """Return the error for a setting that does not exist, with the nearest one that does."""
    last, tails = key.rpartition(".")[2], {name.rpartition(".")[2]: name for name in known}
    near = suggestion(key, [*known, *SECTIONS, "profiles"]) or tails.get(suggestion(last, tails), "")
    hint = f"did you mean {near}?" if near else "`cococat config show` lists every key"
    if last in ("api_key", "key", "token"):
        hint = "a key never goes into the file: put it into a variable and name that with model.api_key_env"
    return ConfigError(f"{where or printable(key)}: unknown key", hint)


def openai_layer(env: Mapping[str, str]) -> Layer:
    """OPENAI_BASE_URL, or OPENAI_API_BASE, which an older library used."""
    name, value = openai_url(env)
    return {"model.base_url": checked(rules(), "model.base_url", value, Origin("env", name), name)} if name else {}


def openai_url(env: Mapping[str, str]) -> tuple[str, str]:
    """The variable that says where OPENAI_API_KEY belongs, and its value; both empty when neither is set."""
    return next(((name, env[name]) for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE") if env.get(name)), ("", ""))


def env_layer(env: Mapping[str, str], known: Mapping[str, SettingRule]) -> Layer:
    """The COCOCAT_* variables; empty ones count as unset, misspelt ones are refused."""
    names = {"COCOCAT_" + key.replace(".", "_").upper(): key for key in known}
    names |= {"COCOCAT_AGENT_MAX_ITERATIONS": "agent.max_steps"}
    names |= {short: key for key, short in SHORT_VARIABLES.items()}  # last, so that the short name wins
    ours = tuple(f"COCOCAT_{section.upper()}_" for section in SECTIONS)
    for name in env:
        if name.startswith(ours) and name not in names:
            near = suggestion(name, names)
            hint = f"did you mean {near}?" if near else "`cococat config show` lists every key"
            raise ConfigError(f"{printable(name)}: unknown variable", hint)
    return {
        key: checked(known, key, parse(known[key], env[name]), Origin("env", name), name)
        for name, key in names.items()
        if env.get(name)
    }


def flag_layer(flags: Mapping[str, object], names: Mapping[str, str], known: Mapping[str, SettingRule]) -> Layer:
    """The settings among the flags, each told of by its name; text is read as a variable's would be."""
    found = {}
    for key, value in flags.items():
        if value is not None:
            name = names.get(key, key)
            typed = parse(known[key], value) if isinstance(value, str) else value
            found[key] = checked(known, key, typed, Origin("flag", name), name)
    return found
