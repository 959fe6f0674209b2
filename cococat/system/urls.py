"""Web addresses of endpoints: whose they are, whether they are on this machine, how they are shown."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7", "fe80::/10")
_OCTETS = 4
_MAX_OCTET = 255


def origin_of(url: str) -> str:
    """
    Scheme, host and port of *url*, the default port written out.

    Raises: ValueError: the port is none.
    """
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def host_of(url: str) -> str:
    """Host and port of *url*, as shown to people: never with a user name or a password."""
    return _split(url).netloc.rpartition("@")[2] or url[:80]


def is_http(url: str) -> bool:
    """Return whether *url* is an http or https address with a host and a port that can exist."""
    parts = _split(url)
    try:
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.split() == [url]
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Return whether *url* names this very machine: localhost, 127.0.0.0/8 or ::1; no proxy could reach it."""
    host = _split(url).hostname or ""
    octets = host.split(".")
    numeric = len(octets) == _OCTETS and all(o.isascii() and o.isdecimal() and int(o) <= _MAX_OCTET for o in octets)
    return host in ("localhost", "::1") or (numeric and octets[0] == "127")


def is_private(url: str) -> bool:
    """
    Return whether *url* names a machine of the user's own network by its address, or by a name that ends in .local.

    Private are 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7 and the link-local ones; no name is looked up.
    """
    host = (_split(url).hostname or "").rstrip(".")
    if host.endswith(".local"):
        return True
    from ipaddress import ip_address, ip_network

    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return any(address in ip_network(network) for network in _PRIVATE)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")
