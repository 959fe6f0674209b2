"""fetch_url: over real sockets to a server on loopback, with a resolver of the test's own."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from cococat.core.tools import ToolFailure
from cococat.permissions.network import refused_address
from cococat.tools.html_text import text_of
from cococat.tools.web import Web

PAGE = "<html><head><title>T</title><script>evil()</script></head><body><h1>Hi</h1><p>a &amp; b</p></body></html>"


@dataclass
class Site:
    """A server that answers each path with a script of its own, and remembers the requests."""

    port: int
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    slow: float = 0

    def web(self, **more) -> Web:
        """Reach this server under any name, and call it public."""
        options = {"resolve": lambda host, port: ["127.0.0.1"], "refuse": lambda address: "", "ports": None}
        return Web(**{**options, **more})


@pytest.fixture
def site() -> Iterator[Site]:
    """Start a server on loopback."""
    with _serve() as served:
        yield served


@contextmanager
def _serve(context: ssl.SSLContext | None = None) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, dict(self.headers)))
            status, headers, body = site.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for place in range(0, len(body), 1 << 16) if not site.slow else range(len(body)):
                    self.wfile.write(body[place : place + (1 << 16 if not site.slow else 1)])
                    if site.slow:
                        gone.wait(site.slow)
            except OSError:
                pass

        def log_message(self, *args: object) -> None:
            pass

    gone = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *args: None
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        gone.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def fetch(call) -> Callable:
    """Fetch one URL through *web*."""
    return lambda web, url: call("fetch_url", options={"web": web}, url=url)


def test_a_page_becomes_text(site, fetch):
    """Scripts are gone, entities are read; the final URL stands above."""
    site.answers["/p?q=1"] = (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE.encode())

    output = fetch(site.web(), f"http://example.org:{site.port}/p?q=1").output

    assert output.startswith(f"http://example.org:{site.port}/p?q=1\n")
    assert "Hi" in output
    assert "a & b" in output
    assert "evil" not in output


def test_the_request_gives_nothing_away(site, fetch):
    """The host that was meant, and neither cookies, nor a referrer, nor credentials."""
    site.answers["/a"] = (302, {"Location": "/b", "Set-Cookie": "id=1"}, b"")
    site.answers["/b"] = (200, {"Content-Type": "text/plain"}, b"ok")

    fetch(site.web(), f"http://example.org:{site.port}/a")

    headers = site.requests[1][1]
    assert f"example.org:{site.port}" == headers["Host"]
    assert {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"} == set(headers)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "0", "[::1]", "[::ffff:127.0.0.1]"),
        *("169.254.169.254", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "[fd00::1]", "[fe80::1]"),
        *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fec0::1]", "[::127.0.0.1]", "192.0.0.8", "224.0.0.1"),
    ],
)
def test_private_addresses_are_refused_before_connecting(fetch, host):
    """Every spelling of an address that is not public, judged after the system resolved it."""
    connected = []

    def resolve(name: str, port: int) -> list[str]:
        infos = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        return [str(info[4][0]) for info in infos]

    def refuse(address: str) -> str:
        why = refused_address(address)
        connected.append(address) if not why else None
        return why

    with pytest.raises(ToolFailure, match=r"is refused|is not known"):
        fetch(Web(resolve=resolve, refuse=refuse), f"http://{host}/")

    assert [] == connected


def test_one_private_address_among_public_ones_refuses_all(fetch):
    """A name that leads to both is refused, whatever the order."""
    for addresses in (["93.184.216.34", "127.0.0.1"], ["10.0.0.1", "93.184.216.34"]):
        with pytest.raises(ToolFailure, match="not a public address"):
            fetch(Web(resolve=lambda host, port, found=addresses: found), "http://example.org/")


def test_the_name_is_resolved_once_for_each_hop(site, fetch):
    """The address that was checked is the one that is connected to: rebinding has no second look-up."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    site.answers["/"] = (200, {"Content-Type": "text/plain"}, b"ok")

    fetch(site.web(resolve=resolve), f"http://example.org:{site.port}/")

    assert ["example.org"] == asked


def test_a_redirect_is_checked_like_a_first_request(site, fetch):
    """Neither a private host, nor a file, nor credentials, nor a strange port by way of a redirect."""
    public = {"good.org": "127.0.0.1"}
    web = site.web(
        resolve=lambda host, port: [public.get(host, "10.0.0.1")],
        refuse=lambda address: "" if address == "127.0.0.1" else refused_address(address),
        ports=frozenset({80, 443, site.port}),
    )
    for place, why in {
        "http://internal/": "not a public address",
        "file:///etc/passwd": "only http",
        "http://u:p@good.org/": "user name",
        "http://good.org:22/": "port 22",
        "http://good.org:99999/": "Port out of range",
    }.items():
        site.answers["/"] = (302, {"Location": place}, b"")
        with pytest.raises(ToolFailure, match=why):
            fetch(web, f"http://good.org:{site.port}/")


def test_redirects_end_after_five(site, fetch):
    """A loop is a failure, after six requests."""
    site.answers["/"] = (301, {"Location": "/"}, b"")

    with pytest.raises(ToolFailure, match="more than 5 redirects"):
        fetch(site.web(), f"http://example.org:{site.port}/")

    assert 6 == len(site.requests)


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("image/png", b"\x89PNG", "image/png; only text"),
        ("application/octet-stream", b"x", "only text"),
        ("text/plain", b"\0\1\2", "binary data"),
    ],
)
def test_only_text_is_fetched(site, fetch, kind, body, why):
    """By its type, and by its first bytes."""
    site.answers["/"] = (200, {"Content-Type": kind}, body)

    with pytest.raises(ToolFailure, match=why):
        fetch(site.web(), f"http://example.org:{site.port}/")


def test_a_large_page_is_cut(site, fetch):
    """At most two megabytes are read, also of what a small answer unpacks to."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    bomb = b"".join(packer.compress(b"a" * (1 << 20)) for _ in range(200)) + packer.flush()
    site.answers["/bomb"] = (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, bomb)
    site.answers["/long"] = (200, {"Content-Type": "text/plain"}, b"a" * (5 << 20))
    site.answers["/"] = (200, {"Content-Type": "text/plain"}, b"a")
    fetch(site.web(), f"http://example.org:{site.port}/")  # what is imported for the first page does not count
    tracemalloc.start()

    outcomes = [fetch(site.web(), f"http://example.org:{site.port}{path}") for path in ("/bomb", "/long")]

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12_000_000
    for outcome in outcomes:
        assert outcome.output.endswith("a\n[cut]")
        assert len(outcome.output) < 51_000
        assert "2048.0 KiB" == outcome.display


def test_a_slow_page_ends_at_the_time_limit(site, fetch):
    """The limit is for the whole fetch, however steadily bytes trickle in."""
    site.answers["/"] = (200, {"Content-Type": "text/plain"}, b"a" * 100)
    site.slow = 0.2
    began = time.monotonic()

    with pytest.raises(ToolFailure, match="no page within 1 s"):
        fetch(site.web(seconds=1), f"http://example.org:{site.port}/")

    assert time.monotonic() - began < 10  # the whole page takes twenty


def test_failures_are_said_in_a_line(site, fetch):
    """A status, a closed port, an unknown name."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ToolFailure, match=r"example.org answered 404"):
        fetch(site.web(), f"http://example.org:{site.port}/missing")
    with pytest.raises(ToolFailure, match="could not be fetched: Connection refused"):
        fetch(site.web(), f"http://example.org:{port}/")
    with pytest.raises(ToolFailure, match="has no address"):
        fetch(site.web(resolve=lambda host, port: []), f"http://example.org:{site.port}/")


def test_tls_is_checked_against_the_name_not_the_address(fetch, tmp_path):
    """The connection goes to the pinned address, the certificate must be the host's."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=good.org", "-addext", "subjectAltName=DNS:good.org", "-keyout", str(key), "-out", str(cert)]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl program to make a certificate with")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with _serve(context) as site:
        site.answers["/"] = (200, {"Content-Type": "text/plain"}, b"safe")
        site.answers["/down"] = (302, {"Location": f"http://good.org:{site.port}/"}, b"")
        web = site.web(tls=lambda: ssl.create_default_context(cafile=cert))

        assert fetch(web, f"https://good.org:{site.port}/").output.endswith("\nsafe")
        with pytest.raises(ToolFailure, match="TLS failed"):
            fetch(web, f"https://evil.org:{site.port}/")
        with pytest.raises(ToolFailure, match="from https to http"):
            fetch(web, f"https://good.org:{site.port}/down")
        assert 2 == len(site.requests)


def test_html_is_read_without_the_extra():
    """Blocks become lines, lists keep their marks, preformatted text its spaces; noise is dropped."""
    html = "<nav>menu</nav><h1>A</h1><ul><li>one<li>two</ul><pre>x\n  y</pre><style>p{}</style><p>b   c<br>d"

    assert "A\n\n- one\n- two\n\nx\n  y\n\nb c\nd" == text_of(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<table><tr><th>Year<th>N</tr>\n<tr><td>2024</td><td>500</td></tr></table>", "Year | N\n2024 | 500"),
        ("<td>2024</td><td>500</td>", "2024 | 500"),
        ("<select><option>10</option><option>20</option></select>", "10 20"),
        ("<button>1</button><button>2</button>", "1 2"),
        ("<span>19</span><small>99</small> <b>2024</b><i>500</i>", "19 99 2024 500"),
        ("10<sup>3</sup> x<sup>2</sup> 10<sup>-6</sup>5 10<sup>n</sup>", "10^3 x^2 10^-6 5 10^n"),
        ("1<sup>st</sup> 10<sub>2</sub> H<sub>2</sub>O log<sub>10</sub>100", "1st 10_2 H2O log10 100"),
        ("1<b>0</b>0 1<wbr>000 1<!-- -->0", "100 1000 10"),
        ("<dl><dt>1<dd>2</dl><ol><li>3</li><li>4</li></ol>", "1\n2\n\n- 3\n- 4"),
        ("<label>1</label><input><textarea>2</textarea>3", "1 2 3"),
    ],
)
def test_numbers_of_a_page_never_run_together(html, text):
    """Cells, options, exponents: a border that is seen is read; what is one number stays one."""
    assert text == text_of(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            '<a href="/x?a=1&amp;b=2">one</a><a href=two>two</a>',
            "[one](http://e.org/x?a=1&b=2)[two](http://e.org/d/two)",
        ),
        ('<a href="q"><h2>Head</h2> <img src=i.png alt=pic></a>', "[Head pic](http://e.org/d/q)"),
        ('<a href="a (b)">x</a>', "[x](<http://e.org/d/a (b)>)"),
        ('<a href="http://e.org/y">http://e.org/y</a>', "<http://e.org/y>"),
        ('<head><base href="//b.org/"></head><a href="q">q</a>', "[q](http://b.org/q)"),
        (
            '<a href="#top">a</a> <a href="javascript:x()">b</a> <a>c</a> <a href="http://[">d</a> <a href=q></a>',
            "a b c d",
        ),
    ],
)
def test_links_of_a_page_keep_where_they_lead(html, text):
    """From where the page was; what leads nowhere is its words."""
    assert text == text_of(html, "http://e.org/d/p")


def test_a_fetched_page_knows_its_address(site, fetch):
    """Behind a redirect it is the last one."""
    site.answers["/a"] = (302, {"Location": "/d/b"}, b"")
    site.answers["/d/b"] = (200, {"Content-Type": "text/html"}, b"<a href=c>next</a>")

    output = fetch(site.web(), f"http://example.org:{site.port}/a").output

    assert f"[next](http://example.org:{site.port}/d/c)" in output
