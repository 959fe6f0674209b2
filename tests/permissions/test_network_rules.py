"""Which addresses are public, which URLs make sense, which hosts a rule names."""

from __future__ import annotations

import pytest

from cococat.permissions.network import parse_url, refused_address
from cococat.permissions.rules import covers_host, parse_rule
from cococat.tools.registry import declared


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.31.0.1"),
        *("192.0.0.8", "192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1"),
        *("::127.0.0.1", "::8.8.8.8", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
        *(
            "64:ff9b:1::808:808",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2002:808:808::1",
            "2001:0:7f00:1::",
            "fc00::1",
            "fd12::1",
            "fe80::1",
        ),
        *("fe80::1%eth0", "fec0::1", "ff02::1", "2001:db8::1", "100::1", "not an address", ""),
    ],
)
def test_what_is_not_public_unicast_is_refused(address):
    """Also where an IPv4 address is wrapped in an IPv6 one."""
    assert refused_address(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808"])
def test_public_addresses_pass(address):
    """The wrapped ones too, as long as what they wrap is public."""
    assert "" == refused_address(address)


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://x.org/", "javascript:1", "//x.org/", "x.org", "http://", "http:///x"),
        *("http://u@x.org/", "http://u:p@x.org/", "http://good@evil.org/", "http://x.org\\@evil.org/", "http://a b/"),
        *("http://x.org\0.evil.org/", "http://x.org/\n", "\thttp://x.org/", "http://x.org:22/", "http://x.org:6379/"),
        *("http://x..org/", "http://-\u200b.org/", "http://[::1", "http://x.org:0x50/", "http://%31.org/"),
        "http://x.org/" + "a" * 3000,
    ],
)
def test_odd_urls_are_refused(url):
    """Only plain web addresses are fetched."""
    with pytest.raises(ValueError, match=r".+"):
        parse_url(url)


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("http://X.org", "x.org", "/"),
        ("https://x.org:443/a?b=c#d", "x.org", "/a?b=c"),
        ("http://x.org:443/", "x.org:443", "/"),
        ("http://x.org./", "x.org", "/"),
        ("http://bücher.de/ä", "xn--bcher-kva.de", "/%C3%A4"),
        ("http://[2606:4700::1111]/", "[2606:4700::1111]", "/"),
    ],
)
def test_a_url_is_written_as_it_goes_on_the_wire(url, authority, path):
    """ASCII, lower case, without root dot and fragment."""
    target = parse_url(url)

    assert (authority, path) == (target.authority, target.path)


@pytest.mark.parametrize(
    ("rule", "host", "covered"),
    [
        ("docs.python.org", "docs.python.org", True),
        ("Docs.Python.ORG.", "docs.python.org", True),
        ("python.org", "docs.python.org", False),
        ("python.org", "evilpython.org", False),
        ("good.com", "good.com.evil.com", False),
        ("*.python.org", "docs.python.org", True),
        ("*.python.org", "a.docs.python.org", False),
        ("*.python.org", "python.org", False),
        ("**.python.org", "a.docs.python.org", True),
        ("**.python.org", "python.org", False),
        ("**.python.org", "evil-python.org", False),
        ("**", "x.org", True),
    ],
)
def test_hosts_are_compared_by_labels(rule, host, covered):
    """Never by prefix or suffix of the text."""
    assert covered is covers_host(parse_rule(f"fetch_url({rule})", declared), host)
