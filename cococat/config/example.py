"""The config file that explains itself: config.example.toml, and what `config init` writes."""

from __future__ import annotations

import sys

from cococat.config.settings import SERVER, SettingRule, rules
from cococat.config.values import toml

HEAD = """\
# cococat: every setting with its default.
#
# Order: flags > COCOCAT_* environment variables > the profile > this file > defaults.
# Any setting can be given as COCOCAT_<SECTION>_<KEY>, e.g. COCOCAT_AGENT_MAX_STEPS=20; the common ones
# also as COCOCAT_MODE, COCOCAT_MODEL, COCOCAT_BASE_URL, COCOCAT_PROFILE and COCOCAT_GGUF.
# `cococat config show` prints every value and where it came from. Nothing in here is expanded.
#
# Keys. A key is never written into this file, and each key belongs to one origin (scheme, host, port):
#   COCOCAT_API_KEY                    goes to COCOCAT_BASE_URL, or without that to base_url below
#   the api_key_env of a profile       goes to that profile's base_url
#   the api_key_env below              goes to the base_url below
#   `cococat config set-key [ORIGIN]`  goes to that origin: kept in the system keyring, else in keys.json beside this
#   OPENAI_API_KEY                     goes to OPENAI_BASE_URL, or without that to https://api.openai.com
# The first of these that is set and belongs to where a request goes is sent, and no other: --base-url
# takes no key to another host. A server on this machine needs none. To give a host a key, name
# base_url and api_key_env together. http:// goes to this machine and, without a key, to your own
# network; anywhere else it is refused (see insecure_http).
"""
TAIL = """
# A profile may set anything that [model] has. `-P local` or COCOCAT_PROFILE=local picks this one.
[profiles.local]
base_url = "http://127.0.0.1:11434/v1"
name = "qwen3:8b"
api_key_env = ""
"""
SERVERS = """
# MCP servers, of which there are none by default: `cococat mcp add` writes such a table for each (docs/mcp.md).
#   [mcp.servers.git]
"""
SHOWN = {
    "command": ("mcp-server-git", "--repository", "."),
    "env": ("GITHUB_TOKEN",),
    "url": "https://docs.example/mcp",
    "key_env": "DOCS_TOKEN",
}  # of a server that gets along with the defaults nothing is seen
WIDTH = 42  # columns before a comment


def example(*, live: bool) -> str:
    """
    Write the file.

    Args:
        live: state the defaults; otherwise only show them, so that the file changes nothing.
    """
    lines, section = [HEAD], ""
    for key, rule in rules().items():
        table, _, name = key.rpartition(".")
        if table != section:
            section = table
            lines.append(f"\n[{section}]")
        lines.append(_line(name, rule, live=live and rule.default is not None))
    tail = TAIL if live else "\n".join(_off(line) for line in TAIL.split("\n"))
    servers = [
        f"{f'#   {key} = {toml(SHOWN.get(key, rule.default or ()))}':<{WIDTH}}  # {rule.doc}"
        for key, rule in SERVER.items()
    ]
    return "\n".join(lines) + "\n" + tail + SERVERS + "\n".join(servers) + "\n"


def _line(name: str, rule: SettingRule, *, live: bool) -> str:
    value = rule.default if rule.default is not None else (rule.choices[-1] if rule.choices else "local")
    setting = f"{name} = {toml(value)}"
    return f"{setting if live else _off(setting):<{WIDTH}}  # {rule.doc}"


def _off(line: str) -> str:
    return line if not line or line.startswith("#") else f"# {line}"


if __name__ == "__main__":  # python -m cococat.config.example > config.example.toml
    sys.stdout.write(example(live=True))
