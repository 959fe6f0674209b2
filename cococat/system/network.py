"""What the environment says of the network: the proxy for an address, and the certificates that are trusted."""

from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cococat.system.urls import is_loopback

_SCHEMES = {"http": "http", "https": "https", "socks": "socks5", "socks5": "socks5", "socks5h": "socks5"}
_FORM = "http://HOST:PORT or socks5://HOST:PORT"
_CA_FILE, _CA_FOLDERS = "SSL_CERT_FILE", "SSL_CERT_DIR"
_HASHED = re.compile(r"[0-9a-fA-F]{8}\.\d+")  # how a folder's certificates are called that OpenSSL can find
_MAX_PORT = 65_535
_MAX_LOGIN = 255  # bytes of a name and of a password, in SOCKS


class BadVariable(ValueError):
    """A *variable* of the environment holds what cannot be used: why, and the fix; never a password of its value."""

    def __init__(self, variable: str, why: str, hint: str) -> None:
        super().__init__(f"{variable} {why}")
        self.variable, self.hint = variable, hint


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy, and the *variable* that names it; a *login* is its user's name and password."""

    variable: str
    scheme: str
    host: str
    login: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Where it is, without the login."""
        return f"{self.scheme}://{self.host}"


def proxy_for(url: str) -> Proxy | None:
    """
    Return the proxy that the environment names for *url*; None: it is reached directly, as this machine always is.

    Raises: BadVariable: it is no address of a proxy.
    """
    parts = urlsplit(url)
    if is_loopback(url) or not (named := _named(f"{parts.scheme}_proxy") or _named("all_proxy")):
        return None
    if _is_excepted(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)):
        return None
    variable, value = named
    return _parsed(variable, value)


def bad_proxy(variable: str, why: str) -> BadVariable:
    """Return that the value of *variable* is no address of a proxy."""
    return BadVariable(variable, f"names no proxy: {why}", f"{variable}={_FORM}, or unset {variable}")


def _named(name: str) -> tuple[str, str] | None:
    """The variable *name* and its value; small letters win, also where they say that there is none."""
    variable = name if name in os.environ else name.upper()
    value = os.environ.get(variable, "").strip()
    return (variable, value) if value else None


def _parsed(variable: str, value: str) -> Proxy:
    kind, rest = value.split("://", 1) if "://" in value else ("http", value)
    scheme = _SCHEMES.get(kind.lower())
    if scheme is None:
        raise bad_proxy(variable, f"it begins with none of {', '.join(f'{known}://' for known in _SCHEMES)}")
    login, _, place = rest.rpartition("@")  # a password may hold anything
    host = re.split("[/?#]", place)[0]
    name, port = _host_and_port(host)
    if not name or not re.fullmatch(r"[^\s\[\]%\\^`{|}<>\"',;=]+|\[[0-9a-fA-F:.]+\]", name):
        raise bad_proxy(variable, "it has no host" if not name else "its host is no name and no address")
    if port is not None and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _MAX_PORT):
        raise bad_proxy(variable, f"its port is no number from 1 to {_MAX_PORT:,}")
    user, _, password = login.partition(":")
    if any(len(part.encode("utf-8", "replace")) > _MAX_LOGIN for part in (user, password)):
        raise bad_proxy(variable, "its login is too long")
    return Proxy(variable, scheme, host, (unquote(user), unquote(password)) if login else None)


def _host_and_port(host: str) -> tuple[str, str | None]:
    """Split what may hold a port: `[::1]:80`, `name:80`, `name`."""
    found = re.fullmatch(r"(\[.*\]|[^:]*)(?::([^:]*))?", host, re.DOTALL)
    return (found[1], found[2]) if found else (host, None)


def _is_excepted(host: str, port: int) -> bool:
    """Return whether NO_PROXY names *host*: itself, a domain above it, a network around it, or `*`."""
    _, entries = _named("no_proxy") or ("", "")
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        address = None
    for entry in re.split(r"[\s,]+", entries.lower()):
        name, wanted = _host_and_port(entry.rpartition("://")[2])
        if entry == "*" or (wanted in (None, str(port)) and _names(name, host, address)):
            return True
    return False


def _names(entry: str, host: str, address: IPv4Address | IPv6Address | None) -> bool:
    if address is None:
        name = entry.removeprefix("*").removeprefix(".")
        return bool(name) and (host == name or host.endswith(f".{name}"))
    try:
        return address in ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return False


def certificates_variable() -> str:
    """Name the variable that says which certificates are trusted; empty: none does."""
    return next((variable for variable in (_CA_FILE, _CA_FOLDERS) if os.environ.get(variable)), "")


def certificates() -> ssl.SSLContext | None:
    """
    Return what trusts the certificates of `SSL_CERT_FILE` and `SSL_CERT_DIR` alone; None: neither is set.

    Raises: BadVariable: there are none.
    """
    file, folders = os.environ.get(_CA_FILE), os.environ.get(_CA_FOLDERS)
    if not (file or folders):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if folders and any(map(_has_certificates, folders.split(os.pathsep))):
        context.load_verify_locations(capath=folders)
    elif folders and not file:
        raise _bad_certificates(_CA_FOLDERS, folders, "no folder with certificates that `openssl rehash` has named")
    if file:
        try:
            context.load_verify_locations(cafile=file)
        except ssl.SSLError:
            raise _bad_certificates(_CA_FILE, file, "it holds no certificates in PEM") from None
        except OSError as error:
            raise _bad_certificates(_CA_FILE, file, error.strerror or type(error).__name__) from None
    return context


def _bad_certificates(variable: str, value: str, why: str) -> BadVariable:
    shown = value.rpartition("@")[2] if "://" in value else value
    return BadVariable(variable, f"names {shown[:200]}: {why}", f"correct {variable}, or unset it")


def _has_certificates(folder: str) -> bool:
    try:
        return any(_HASHED.fullmatch(entry.name) for entry in Path(folder).iterdir())
    except OSError:
        return False
