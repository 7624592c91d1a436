# SPDX-License-Identifier: Apache-2.0
"""Servers that never end and servers that fish for the token."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.tools.fetch import connection, download
from pipeline.tools.fetch.connection import TimeLimit, Watch, open_address, origin
from pipeline.tools.fetch.download import Remote
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout
from tests.loopback import Loopback, folder_files
from tests.pipeline.tools.fetch.conftest import Checkout
from tests.pipeline.tools.fetch.liar import Liar, answer

DATA = bytes(range(256)) * 8
SECRET = {"authorization": "Bearer secret", "User-Agent": "aa"}


def drip(liar: Liar, line: socket.socket) -> None:
    line.sendall(answer(b"", length=False, **{"Content-Length": str(len(DATA))}))
    for count in liar.pieces():
        line.sendall(DATA[count : count + 1])


def drip_headers(liar: Liar, line: socket.socket) -> None:
    line.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in liar.pieces():
        line.sendall(b"a")


def interim_answers(liar: Liar, line: socket.socket) -> None:
    for _ in liar.pieces():
        line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def trailers(liar: Liar, line: socket.socket) -> None:
    body = b"%x\r\n%s\r\n0\r\n" % (1, DATA[:1])
    line.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    for count in liar.pieces():
        line.sendall(b"X-%d: a\r\n" % count)


def handshake(liar: Liar, line: socket.socket) -> None:
    line.sendall(b"\x16\x03\x03\x40\x00")  # a TLS record of 16 kB that never comes
    for _ in liar.pieces():
        line.sendall(b"\x02")


def redirects_without_end(liar: Liar, line: socket.socket) -> None:
    line.sendall(b"HTTP/1.1 302 Found\r\nLocation: /more\r\n\r\n")
    for _ in liar.pieces():
        line.sendall(bytes(1 << 16))


ENDLESS = [drip, drip_headers, interim_answers, trailers, handshake]


def remote_file(address: str, **facts: object) -> Remote:
    known = {"size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest(), **facts}
    return Remote("a.bin", address, **known)


def get(remote: Remote, root: Path, limit: TimeLimit | None = None) -> bytes:
    limit = limit or TimeLimit(5)
    return download.download(
        remote, FetchLayout(root), tick=lambda _: None, stop=threading.Event(), limit=limit
    ).read_bytes()


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "WAIT_S", 0.01)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.mark.parametrize("lie", ENDLESS)
def test_a_server_without_end_ends_with_the_time_limit(
    lie: Callable[[Liar, socket.socket], None], tmp_path: Path
) -> None:
    """Each of them sends something again and again, so that no timeout of a socket ends it."""
    with Liar(lambda line, _: lie(liar, line), reads=lie is not handshake) as liar:
        scheme = "https" if lie is handshake else "http"
        address = f"{scheme}://127.0.0.1:{liar.port}/a.bin"
        with pytest.raises(FetchError, match=r"limit of 0\.01 minutes is over.*--time-limit"):
            get(remote_file(address), tmp_path, TimeLimit(0.01))
    left = {name for name in folder_files(tmp_path) if not name.startswith(".fetch/parts/")}
    assert not left
    with Loopback({"/a.bin": DATA}) as honest:
        assert get(remote_file(f"{honest.address}/a.bin"), tmp_path) == DATA


def test_a_stop_does_not_wait_for_a_silent_server() -> None:
    """Who presses Ctrl-C waits for no timeout of a socket, which would be another error."""
    stop = threading.Event()
    with Loopback({"/a.bin": DATA}) as server:
        server.hold_at = 0
        with (
            pytest.raises(Interrupted),
            Watch(TimeLimit(), 600, stop) as watch,
            open_address(f"{server.address}/a.bin", {}, watch=watch) as response,
        ):
            stop.set()
            response.read1(1)


@pytest.mark.parametrize("lie", [drip, drip_headers, interim_answers, trailers])
def test_a_slow_server_costs_a_try_not_the_whole_time(
    lie: Callable[[Liar, socket.socket], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((download, "SLOW_S"), (download, "ANSWER_S")):
        monkeypatch.setattr(module, name, 0.2)
    with (
        Liar(lambda line, _: lie(liar, line)) as liar,
        pytest.raises(FetchError, match="too slow: closed after 0 s; 5 attempts"),
    ):
        get(remote_file(f"{liar.address}/a.bin"), tmp_path)
    assert len(liar.requests) == download.TRIES


def test_a_whole_fetch_has_a_time_limit_that_the_user_sets(checkout: Checkout) -> None:
    entry = {"name": "a.bin", "size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest()}
    with Liar(lambda line, _: drip(liar, line)) as liar:
        checkout.describe({"kind": "archive", "archives": [{**entry, "url": f"{liar.address}/a"}]})
        done = checkout.here("fetch", "local", "--time-limit", "0.01")
    assert done.returncode == 2 and "limit of 0.01 minutes is over" in done.stderr
    assert checkout.visible() == {} and not checkout.receipt["complete"]
    with Loopback({"/a": DATA}) as honest:
        checkout.describe(
            {"kind": "archive", "archives": [{**entry, "url": f"{honest.address}/a"}]}
        )
        assert checkout.here("fetch", "local").returncode == 0
    assert checkout.visible() == {"a.bin": DATA} and checkout.receipt["complete"]


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "inf", "1e9", "soon"])
def test_a_time_limit_is_a_number_of_minutes(checkout: Checkout, minutes: str) -> None:
    checkout.describe({"kind": "generated"})
    done = checkout.here("fetch", "local", f"--time-limit={minutes}")
    assert done.returncode == 2 and "--time-limit" in done.stderr


def test_the_body_of_a_redirect_is_not_read(tmp_path: Path) -> None:
    """It had to end before the next address was asked, and lay in memory as a whole."""
    with Liar(lambda line, path: redirects_without_end(liar, line)) as liar:
        with pytest.raises(FetchError, match="redirects more than 8 times"):
            get(remote_file(f"{liar.address}/a.bin"), tmp_path)
        assert len(liar.requests) == connection.REDIRECTS + 1


def test_a_file_that_changes_for_ever_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some progress between two changes must not make the tries endless."""
    monkeypatch.setattr(download, "PROGRESS", 100)
    half = answer(DATA[:1000], length=False, **{"Content-Length": str(len(DATA))})

    def script(line: socket.socket, _: str) -> None:
        again = "range" in liar.requests[-1][1]
        line.sendall(answer(b"", "416 Range Not Satisfiable") if again else half)

    with Liar(script) as liar, pytest.raises(FetchError, match="cannot be downloaded"):
        get(remote_file(f"{liar.address}/a.bin"), tmp_path)
    assert len(liar.requests) == 2 * (download.TRIES + 1)
    assert not FetchLayout(tmp_path).part("a.bin").exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_another_port_or_name_is_another_host(tmp_path: Path, host: str) -> None:
    with Loopback({"/a.bin": DATA}) as other, Loopback() as first:
        port = other.server.server_port
        if host == "localhost":  # the same server under another name
            first, port = other, other.server.server_port
        first.redirects["/moved"] = f"http://{host}:{port}/a.bin"
        assert get(remote_file(f"{first.address}/moved", headers=SECRET), tmp_path) == DATA
        assert first.requests[0][2]["authorization"] == "Bearer secret"
        _, path, shown = other.requests[-1]
        assert path == "/a.bin" and "authorization" not in shown and shown["user-agent"] == "aa"


def test_the_token_does_not_come_back_from_a_second_host(tmp_path: Path) -> None:
    """The second host could choose what the first is asked in the user's name."""
    with Loopback({"/a.bin": DATA}) as first, Loopback() as second:
        first.redirects["/moved"] = f"{second.address}/back"
        second.redirects["/back"] = f"{first.address}/a.bin"
        assert get(remote_file(f"{first.address}/moved", headers=SECRET), tmp_path) == DATA
        shown = [sent.get("authorization") for _, _, sent in first.requests]
        assert shown == ["Bearer secret", None]


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:{first}@127.0.0.1:{second}/", "http://127.0.0.1:{second}\\@x/",
     "http://hüb/", "http://[::1/", "http://127.0.0.1:99999999/", "http://{long}.org/",
     "http:///a", "", "//user:word@127.0.0.1:{second}/"],
)  # fmt: skip
def test_an_invalid_address_is_an_error_message_without_a_request(
    tmp_path: Path, target: str
) -> None:
    with Loopback() as first, Loopback({"/": DATA}) as second:
        ports = {"first": first.server.server_port, "second": second.server.server_port}
        location = target.format(**ports, long="a" * 70).encode().decode("latin-1")
        lines = answer(b"", "302 Found", Location=location).decode("latin-1").encode("latin-1")
        with Liar(lambda line, _: line.sendall(lines)) as liar, pytest.raises(FetchError) as caught:
            get(remote_file(f"{liar.address}/a", headers=SECRET), tmp_path)
        assert second.requests == [] and "secret" not in str(caught.value)


def test_a_step_down_from_tls_is_refused() -> None:
    with pytest.raises(FetchError, match="redirects to a http: address"):
        connection._next_address("https://hub.example/a", "http://hub.example/a")


@pytest.mark.parametrize(
    "address",
    ["https://hub@evil.example/", "https://hüb.example/", "https://hub\t.example/",
     "https://hub.example\\@evil.example/", "ftp://hub.example/", "https://", "https:hub",
     "https://hub.example:x/", "https://hub%2eexample/", "https://hub.example /a"],
)  # fmt: skip
def test_only_a_plain_address_has_an_origin(address: str) -> None:
    with pytest.raises(FetchError, match="not a plain HTTP address"):
        origin(address)


def test_the_same_host_has_one_origin() -> None:
    assert origin("https://Hub.example/a") == origin("https://hub.example:443/b")
    assert len({origin(one) for one in ("http://h", "https://h", "http://h:81", "http://i")}) == 4


def test_a_proxy_does_not_read_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.delenv("no_proxy", raising=False)
    with Loopback({"/a.bin": DATA, "http://hub.example/a.bin": DATA}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)
        remote = remote_file("http://hub.example/a.bin", headers=SECRET)
        with pytest.raises(FetchError, match=r"could read your token.*no_proxy"):
            get(remote, tmp_path)
        assert proxy.requests == []
        assert get(remote_file("http://hub.example/a.bin"), tmp_path) == DATA  # nothing to hide
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert get(remote_file(f"{proxy.address}/a.bin", headers=SECRET), tmp_path) == DATA


def test_a_token_that_is_no_text_is_not_shown(tmp_path: Path) -> None:
    with Loopback({"/a.bin": DATA}) as server, pytest.raises(FetchError) as caught:
        headers = {"authorization": "Bearer se\ncret"}
        get(remote_file(f"{server.address}/a.bin", headers=headers), tmp_path)
    assert "HF_TOKEN" in str(caught.value) and "cret" not in str(caught.value)


@pytest.mark.parametrize("line", [b"HTTP/1.1 404 \x1b[2J\x9bgone\r\n\r\n", b"\x1b[2J\r\n\r\n"])
def test_text_of_a_server_is_escaped_for_the_terminal(tmp_path: Path, line: bytes) -> None:
    with (
        Liar(lambda opened, _: opened.sendall(line)) as liar,
        pytest.raises(FetchError, match=r"\?\[2J") as caught,
    ):
        get(remote_file(f"{liar.address}/a.bin"), tmp_path)
    assert str(caught.value).isprintable()


def test_a_name_with_thousands_of_addresses_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each address may cost a whole timeout, in which no connection is there to be cut."""
    asked = []

    def many(host: str, port: int, *rest: object, **options: object) -> list[tuple]:
        asked.append(host)
        if host != "evil.example":
            return resolve(host, port, *rest, **options)
        own = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*own, (f"127.0.{k // 250}.{1 + k % 250}", 9)) for k in range(5000)]

    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", many)
    with pytest.raises(FetchError, match="cannot be downloaded"):
        get(remote_file("http://evil.example/a.bin"), tmp_path)
    assert len(asked) == download.TRIES * (1 + connection.ADDRESSES)
