"""The environment is the user's, and often broken: proxies, certificates, and what is said where they fail."""

import base64
import contextlib
import socket
from itertools import product

import pytest
from inline_snapshot import snapshot

from tests.screens import ready
from tests.scripted import says
from tests.scripted.passage import CERTIFICATE, answers, connect, passage, silent, socks, tls

FAR = "http://10.9.8.7/v1"  # nobody is there
SECURE = "https://models.example/v1"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    """The machine that runs the tests names no certificates."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def behind():
    """Start passages that are closed at the end; give the port of each."""
    with contextlib.ExitStack() as stack:
        yield lambda *greet_and_port: stack.enter_context(passage(*greet_and_port))


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def run(cococat):
    """Ask an endpoint in an environment of its own."""

    def ask(url, **env):
        place = {"COCOCAT_BASE_URL": url, "COCOCAT_API_KEY": "k", "COCOCAT_RETRY_ATTEMPTS": "1"}
        done = cococat("ask", "-m", "m", "hi", env={**place, **env})
        assert "hunter2" not in done.stderr
        return done

    return ask


@pytest.mark.parametrize("scheme", ["socks", "socks5", "socks5h", "SOCKS5"])
def test_a_socks_proxy_is_used_in_every_spelling(scripted, behind, run, scheme):
    """GNOME writes `socks://`."""
    port = behind(socks(), scripted(says("through")).port)

    done = run(FAR, ALL_PROXY=f"{scheme}://127.0.0.1:{port}/")

    assert (0, "through\n") == (done.code, done.stdout), done.stderr


def test_a_login_holds_whatever_its_password_holds(scripted, behind, run):
    """An @, a slash and a # in a password are written by people as they are, and as %23."""
    port = behind(socks("al@ice/#"), scripted(says("one"), says("two")).port)

    first = run(FAR, all_proxy=f"socks5://al@ice/#:hunter2@127.0.0.1:{port}")
    second = run(FAR, all_proxy=f"socks5://al%40ice%2F%23:hunter2@127.0.0.1:{port}")

    assert ("one\n", "two\n") == (first.stdout, second.stdout), first.stderr


def test_an_https_endpoint_is_reached_through_each_kind_of_proxy(scripted, behind, run):
    """The certificate is the endpoint's, also there."""
    server = scripted(says("one"), says("two"))
    port = behind(tls, server.port)
    login = base64.b64encode(b"me:hunter2").decode()
    proxies = (
        f"socks5://127.0.0.1:{behind(socks(), port)}",
        f"me:hunter2@127.0.0.1:{behind(connect(login=login), port)}",
    )

    said = [run(SECURE, HTTPS_PROXY=proxy, SSL_CERT_FILE=str(CERTIFICATE)) for proxy in proxies]

    assert ["one\n", "two\n"] == [done.stdout for done in said], said


def test_a_ca_of_ones_own_counts_for_this_machine(scripted, behind, run):
    """`https://localhost` is verified like any other, and reached without a proxy."""
    port = behind(tls, scripted(says("here")).port)
    url = f"https://localhost:{port}/v1"

    trusted = run(url, SSL_CERT_FILE=str(CERTIFICATE), ALL_PROXY="socks5://127.0.0.1:9")
    other = run(url)

    assert (0, "here\n") == (trusted.code, trusted.stdout), trusted.stderr
    assert 3 == other.code
    assert "certificate of localhost" in other.stderr
    assert "SSL_CERT_FILE" in other.stderr


def by_command(rows):
    """Every row for `ask`; the first two for whatever else reaches out, which looks at its environment in the same place."""
    return [*product(["ask"], rows), *product(["models", "doctor"], rows[:2])]


@pytest.mark.parametrize(
    ("command", "value"),
    by_command((
        "socks4://127.0.0.1:1080", "user:hunter2", "http://u:hunter2@:80", "http://u:hunter2@x:99999", "htp://x", "://",
        "garbage value", "http://[::1", '"http://127.0.0.1:80"', "u:hunter2@a://b", "http://exa mple:80", "http://..:80",
        "http://\u00df\u0000.:80".replace("\0", "\x01"), f"socks5://u:{'hunter2' * 40}@127.0.0.1:9",
    )),
)  # fmt: skip
def test_a_value_that_is_no_proxy_is_told(cococat, command, value):
    """One line names the variable and its fault, never the password in it, and nothing was a crash."""
    words = ("hi",) if command == "ask" else ()

    done = cococat(command, *words, env={"ALL_PROXY": value, "COCOCAT_BASE_URL": SECURE, "COCOCAT_API_KEY": "x"})

    assert 2 == done.code, done.stderr
    said = done.stdout + done.stderr
    assert "ALL_PROXY names " in said
    assert "hunter2" not in said
    assert "internal error" not in said


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
def test_a_proxy_that_is_down_is_told_and_not_the_endpoint(run, home, scheme):
    """Its variable is named, at once; what was asked in vain is nothing to remember."""
    done = run(
        SECURE, HTTPS_PROXY=f"{scheme}://me:hunter2@127.0.0.1:{(port := unused_port())}", COCOCAT_MEMORY_MODE="auto"
    )

    assert 2 == done.code
    assert f"HTTPS_PROXY names the proxy 127.0.0.1:{port}, where nothing listens" in done.stderr
    assert not (home / "memory" / "history.jsonl").exists()


@pytest.mark.parametrize(
    ("scheme", "greet", "told"),
    [
        ("http", connect("403 Forbidden"), (3, "refused models.example: 403 Forbidden")),
        ("http", connect("502 Bad Gateway"), (3, "refused models.example: 502")),
        ("http", connect(login="c2VjcmV0"), (2, "wants another login")),
        ("socks5", socks(reply=2), (3, "refused models.example")),
        ("socks5", socks("somebody"), (2, "wants another login")),
        ("socks5", answers(b"HTTP/1.1 400 Bad Request\r\n\r\n"), (2, "does not speak SOCKS 5")),
        ("socks5", answers(b"\5"), (2, "does not speak SOCKS 5")),
        ("socks5", answers(b""), (2, "does not speak SOCKS 5")),
        ("socks5", answers(b"\5\7"), (2, "does not speak SOCKS 5")),
        ("https", answers(b"HTTP/1.1 400 Bad Request\r\n\r\n"), (2, "does not speak TLS")),
        ("http", answers(b"SSH-2.0-x\r\n"), (3, "through the proxy of HTTPS_PROXY")),
        ("http", answers(b""), (3, "through the proxy of HTTPS_PROXY")),
    ],
)
def test_a_proxy_that_refuses_is_blamed(behind, run, scheme, greet, told):
    """Whoever is named is who said no."""
    done = run(SECURE, HTTPS_PROXY=f"{scheme}://127.0.0.1:{behind(greet)}")

    assert told[0] == done.code, done.stderr
    assert "HTTPS_PROXY" in done.stderr
    assert told[1] in done.stderr


@pytest.mark.parametrize("scheme", ["http", "socks5"])
def test_a_proxy_that_is_silent_has_the_time_to_connect_and_a_reply_has_more(scripted, behind, run, scheme):
    """The model may think as long as it likes, also behind a proxy."""
    greet = socks() if scheme == "socks5" else connect()
    slow = behind(greet, behind(tls, scripted(says("late", 0.6, " but whole")).port))

    silence = run(SECURE, HTTPS_PROXY=f"{scheme}://127.0.0.1:{behind(silent)}", COCOCAT_TIMEOUTS_CONNECT="0.2")
    env = {"HTTPS_PROXY": f"{scheme}://127.0.0.1:{slow}", "SSL_CERT_FILE": str(CERTIFICATE)}
    reply = run(SECURE, COCOCAT_TIMEOUTS_CONNECT="0.5", **env)

    assert 3 == silence.code
    assert "no connection to models.example through the proxy of HTTPS_PROXY in time" in silence.stderr
    assert snapshot("late but whole\n") == reply.stdout, reply.stderr


def test_an_endpoint_that_refuses_behind_a_proxy_is_blamed_itself(scripted, behind, run):
    """Its 401 and its certificate are no fault of the way there."""
    port = behind(tls, scripted(key="another").port)
    proxy = f"http://127.0.0.1:{behind(connect(), port)}"

    refused = run(SECURE, HTTPS_PROXY=proxy, SSL_CERT_FILE=str(CERTIFICATE))
    unknown = run(SECURE, HTTPS_PROXY=proxy)

    assert (3, 3) == (refused.code, unknown.code)
    assert "models.example answered 401" in refused.stderr
    assert "the certificate of models.example" in unknown.stderr


@pytest.mark.parametrize(
    ("exceptions", "reached"),
    [("10.9.8.7", False), ("10.0.0.0/8, x", False), ("*", False), ("10.9.8.7:80", False), ("10.9.8.7:81,8.7", True)],
)
def test_no_proxy_names_who_is_reached_directly(scripted, behind, run, exceptions, reached):
    """An address, a network, a port; nobody answers there."""
    port = behind(socks(), scripted(says("through")).port) if reached else 9

    done = run(FAR, ALL_PROXY=f"socks5://127.0.0.1:{port}", NO_PROXY=exceptions, COCOCAT_TIMEOUTS_CONNECT="0.1")

    assert ("through\n" if reached else "") == done.stdout
    assert reached or "ALL_PROXY" not in done.stderr


def test_what_does_not_matter_for_the_endpoint_may_be_broken(scripted, ask):
    """A proxy for others, certificates where there is no TLS."""
    env = {"HTTPS_PROXY": "garbage:", "ALL_PROXY": "://", "SSL_CERT_FILE": "/nowhere"}

    done = ask(scripted(says("fine")), "hi", env=env)

    assert (0, "fine\n") == (done.code, done.stdout), done.stderr


@pytest.mark.parametrize(
    ("command", "where"),
    by_command([
        ("SSL_CERT_FILE", None), ("SSL_CERT_DIR", None), ("SSL_CERT_FILE", "no certificate"),
        ("SSL_CERT_DIR", "no certificate"), ("SSL_CERT_FILE", "folder"), ("SSL_CERT_DIR", "folder"),
    ]),
)  # fmt: skip
def test_certificates_that_are_none_are_told(cococat, tmp_path, command, where):
    """A file that is gone, garbage, a folder of nothing: the variable is named, exit 2."""
    variable, content = where
    place, words = tmp_path / "certificates", ("hi",) if command == "ask" else ()
    if content == "folder":
        place.mkdir()
    elif content:
        place.write_text(content)
    env = {variable: str(place), "COCOCAT_BASE_URL": SECURE, "COCOCAT_API_KEY": "x"}

    done = cococat(command, *words, env=env)

    assert 2 == done.code, done.stderr
    assert f"{variable} names {place}" in done.stdout + done.stderr


@pytest.mark.parametrize("variable", ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"])
def test_what_cannot_be_a_header_is_told(run, variable):
    """The SDK would put it into each request."""
    done = run(FAR, **{variable: "X-Mine: \u00fc"})

    assert (2, True) == (done.code, f"{variable} holds a character" in done.stderr), done.stderr


def test_a_chat_lives_on_in_a_broken_environment(chat, scripted):
    """The line is said at each question, and the prompt is back."""
    terminal = chat(scripted(), "--base-url", FAR, env={"ALL_PROXY": "socks5://u:hunter2@x:port"})

    for times in (1, 2):
        terminal.press("hi\r")
        terminal.until(lambda text, times=times: times == text.count("ALL_PROXY names no proxy") and ready(text))

    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert "hunter2" not in terminal.text
