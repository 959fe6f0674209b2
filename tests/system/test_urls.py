"""Whose an address is, and whether it is on this machine."""

from __future__ import annotations

import pytest

from cococat.system.urls import host_of, is_http, is_loopback, origin_of


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://A.test/v1", "https://a.test:443"),
        ("http://127.0.0.1/v1", "http://127.0.0.1:80"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url, origin):
    """Paths and letter case make no difference; ports do."""
    assert origin == origin_of(url)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost", True),
        ("http://LOCALHOST:8080/v1", True),
        ("http://127.255.0.1", True),
        ("http://[::1]:1", True),
        ("http://127.0.0.1.x", False),
        ("http://127.evil.example", False),
        ("http://127.0.0.256", False),
        ("http://127.0.0", False),
        ("http://localhost.evil.example", False),
        ("http://128.0.0.1", False),
        ("http://[::2]", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_loopback_is_judged_by_the_whole_host(url, here):
    """A name that only begins like this machine is another machine, and what is no address is none of ours."""
    assert here == is_loopback(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [("http://me:secret@a.test:81/v1", "a.test:81"), ("https://a.test", "a.test"), ("http://[", "http://[")],
)
def test_an_address_is_shown_without_its_user(url, host):
    """A password in a URL is never repeated."""
    assert host == host_of(url)


@pytest.mark.parametrize(
    "url", ["ftp://a.test", "http://", "http://a.test:0", "http://a.test:99999", "http://a b", "x"]
)
def test_what_nothing_can_be_sent_to_is_no_http_address(url):
    """Scheme, host and port must be such as can exist."""
    assert not is_http(url)
    assert is_http("http://a.test:81/v1")
