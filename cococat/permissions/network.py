"""Web addresses: what may be fetched at all, and which hosts a rule names."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

WEB_PORTS = frozenset({80, 443})
MAX_URL = 2048
_REFUSED = [
    ipaddress.ip_network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("224.0.0.0/3", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32"),
        "2002::/16",  # 6to4 is long out of use, and newer Pythons do not call it global any more
        *("fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"),
    )
]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Target:
    """A checked web address; *host* is ASCII and lower case, *path* holds the query too."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host as the Host header wants it: the port only when it is unusual."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address in full."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_url(url: str, ports: Collection[int] | None = WEB_PORTS) -> Target:
    """
    Check a web address.

    Args:
        ports: those that may be named; None allows every port.
    Raises: ValueError: why it cannot be fetched.
    Source: docs/reliability.md, 3.8 rule 1.
    """
    if len(url) > MAX_URL:
        raise ValueError(f"the URL is longer than {MAX_URL} characters")
    if re.search(r"[\x00-\x20\x7f-\xa0\\]", url) or not url.isprintable():
        raise ValueError("the URL holds a space, a backslash or a control character")
    split = urlsplit(url)
    if split.scheme not in ("http", "https"):
        raise ValueError("only http:// and https:// URLs can be fetched")
    if "@" in split.netloc:
        raise ValueError("a URL with a user name in it is not fetched")
    port = split.port or {"http": 80, "https": 443}[split.scheme]
    if ports is not None and port not in ports:
        raise ValueError(f"port {port} is not a web port; only 80 and 443 are fetched")
    path = (split.path or "/") + (f"?{split.query}" if split.query else "")
    return Target(split.scheme, _ascii_host(split.hostname or ""), port, _ascii_path(path))


def refused_address(address: str) -> str:
    """
    Return why *address* must not be connected to; empty when it is a public unicast address.

    Args:
        address: an IPv4 or IPv6 address as the resolver gave it.
    Source: docs/reliability.md, 3.8 rule 2.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return f"{address!r} is not an IP address"
    for candidate in (parsed, *_embedded(parsed)):
        if not candidate.is_global or candidate.is_multicast or any(candidate in net for net in _REFUSED):
            return f"{address} is not a public address"
    return ""


def _embedded(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """Every IPv4 address that an IPv6 address stands for: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]


def host_labels(pattern: str) -> tuple[str, ...]:
    """
    Split a host, or the pattern of a rule, into its labels.

    Raises: ValueError: it is no host name; `*` may stand for one label, a first `**` for several.
    """
    text = pattern.lower().removesuffix(".")
    labels = tuple(text.split("."))
    if "**" in labels[1:] or not all(re.fullmatch(r"\*|\*\*|[a-z0-9_-]+|\[?[0-9a-f:]+\]?", label) for label in labels):
        raise ValueError(f"{pattern!r} is not a host name; write docs.python.org, *.python.org or **.python.org")
    return labels


def _ascii_host(host: str) -> str:
    """Write the host in ASCII, without the root dot."""
    if ":" in host:
        return str(ipaddress.IPv6Address(host.partition("%")[0]))
    try:
        plain = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise ValueError(f"{host!r} is not a host name") from error
    if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", plain):
        raise ValueError(f"{host!r} is not a host name")
    return plain


def _ascii_path(path: str) -> str:
    """Percent-encode what HTTP cannot carry."""
    return "".join(char if char.isascii() else "".join(f"%{byte:02X}" for byte in char.encode()) for char in path)
