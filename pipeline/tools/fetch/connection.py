# SPDX-License-Identifier: Apache-2.0
"""Opens untrusted addresses: in bounded time, over HTTP only, the token for one host only.

A socket timeout only detects silence. A server that sends a byte now and then, or endless interim
responses, would keep a request open indefinitely. A watchdog therefore closes every late request.
"""

from __future__ import annotations

import functools
import http.client
import re
import socket
import ssl
import string
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from pipeline.tools.fetch.errors import FetchError, Interrupted

MINUTES = 1440.0  # for a whole run, unless --time-limit is given
SILENCE_S = 60.0  # without a byte
ANSWER_S = 120.0  # until the response begins, redirects included
SLOW_S = 300.0  # for one `PROGRESS` of a file, or for one page of a list
LOOK_S = 0.1  # between two looks whether the user stopped the run
REDIRECTS = 8
ADDRESSES = 4  # of one name
REDIRECT_CODES = (301, 302, 303, 307, 308)
PUBLIC_HEADERS = ("accept", "accept-encoding", "if-range", "range", "user-agent")
_NETLOC = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")
Origin = tuple[str, str, int]


class TimeLimit:
    """The time limit of one run, independent of the servers."""

    def __init__(self, minutes: float = MINUTES) -> None:
        self.minutes = minutes
        self._ends = time.monotonic() + 60.0 * minutes

    def left(self) -> float:
        """Return the seconds that are left, never below 0."""
        return max(0.0, self._ends - time.monotonic())

    def check(self) -> None:
        """Raise if the time is over."""
        if not self.left():
            raise FetchError(
                f"The time limit of {self.minutes:,g} minutes is over. Finished work is kept: run "
                "the same command again to continue, or give more time with --time-limit."
            )


class Watch:
    """Closes the connections of one request when its time, or that of the run, is over.

    It does so too when `stop` is set: else a silent server would hold up a user's Ctrl-C.
    """

    def __init__(
        self, limit: TimeLimit, seconds: float, stop: threading.Event | None = None
    ) -> None:
        self._limit, self._stop, self.is_over = limit, stop or threading.Event(), False
        self._sockets: list[socket.socket] = []
        self._lock, self._done = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._shut_down_at_deadline, daemon=True)
        self.renew(seconds)

    def renew(self, seconds: float) -> None:
        """Give the request this much time from now on."""
        self.seconds = min(seconds, self._limit.left())
        self._ends = time.monotonic() + self.seconds

    def __enter__(self) -> Watch:
        self._limit.check()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._done.set()
        self._thread.join()
        for one in self._sockets:
            one.close()
        if self.is_over and (
            kind is None or issubclass(kind, (OSError, http.client.HTTPException))
        ):
            if self._stop.is_set():
                raise Interrupted("The download was stopped; run the command again to resume.")
            self._limit.check()
            raise TimeoutError(f"the server was too slow: closed after {self.seconds:,.0f} s")

    def connect(self, address: tuple[str, int], timeout: float, *_: object) -> socket.socket:
        """Return a new connection that the watchdog can close, even during a handshake."""
        made = self._connect_to_first_addresses(address, timeout)
        with self._lock:
            self._sockets.append(made.dup())  # TLS detaches the first descriptor
            if self.is_over:
                self._shut_down_sockets()
        return made

    def _connect_to_first_addresses(
        self, address: tuple[str, int], timeout: float
    ) -> socket.socket:
        """Try the first addresses of a name; an untrusted name may have thousands."""
        problem = OSError("the name has no address")
        found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        for *_, where in found[:ADDRESSES]:
            host, port = where[:2]
            try:
                return socket.create_connection((str(host), int(port)), timeout)
            except OSError as error:
                problem = error
        raise problem

    def _shut_down_at_deadline(self) -> None:
        while (left := self._ends - time.monotonic()) > 0 and not self._stop.is_set():
            if self._done.wait(min(left, LOOK_S)):
                return
        with self._lock:
            self.is_over = True
            self._shut_down_sockets()

    def _shut_down_sockets(self) -> None:
        for one in self._sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:  # the other side closed it first
                continue


class _Connection(http.client.HTTPConnection):
    """A connection that is registered with its watchdog from the start."""

    def __init__(self, host: str, *, watch: Watch, **options: Any) -> None:
        super().__init__(host, **options)
        self._create_connection = watch.connect


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    """The same over TLS."""


class _Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens HTTP and HTTPS connections with a watchdog."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a plain address."""
        return self.do_open(functools.partial(_Connection, watch=self._watch), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open an address over TLS, with the certificates of the machine."""
        make = functools.partial(_SecureConnection, watch=self._watch)
        return self.do_open(make, req, context=ssl.create_default_context())


def _http_opener(watch: Watch) -> urllib.request.OpenerDirector:
    """Return an opener that supports only HTTP: no `file:`, no automatic redirects."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _Handler(watch),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def origin(address: str) -> Origin:
    """Return scheme, host and port of an address; raise if parsers could disagree about it.

    User names (`https://hub@elsewhere`), letters beyond ASCII and characters that some parsers
    drop are refused, so that the host checked here is the host connected to.
    """
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        raise FetchError(_address_message(address)) from None
    plain = address.isascii() and address.isprintable() and not set(address) & set(' \\"<>')
    if parts.scheme not in ("http", "https") or not plain or not _NETLOC.fullmatch(parts.netloc):
        raise FetchError(_address_message(address))
    return parts.scheme, str(parts.hostname), port


def _address_message(address: str) -> str:
    return (
        f"{address[:200]!r} is not a plain HTTP address and is not followed. Check HF_ENDPOINT and "
        "the address in pipeline/raw/sources.yaml."
    )


def plain_text(words: object) -> str:
    """Return text of a server without terminal control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(words)[:200])


def open_address(address: str, headers: Mapping[str, str], *, watch: Watch) -> Any:
    """Return the response of an address or of its redirect target.

    Headers that are not public, such as the token, are sent only to the first host. Another
    scheme, name or port is another host.
    """
    first, here = address, origin(address)
    for _ in range(REDIRECTS + 1):
        _refuse_proxy(address, headers)
        request = urllib.request.Request(address, headers=dict(headers))
        try:
            return _http_opener(watch).open(
                request, timeout=min(SILENCE_S, watch.seconds or SILENCE_S)
            )
        except urllib.error.HTTPError as error:
            if error.code not in REDIRECT_CODES:
                raise
            error.close()  # its body may be endless, so it is never read
            address = _next_address(address, error.headers.get("Location", ""))
        except ValueError:  # its message may contain the token
            raise FetchError(
                f"{here[1][:100]} cannot be contacted: its name or a header is not plain text. "
                "Check HF_ENDPOINT, HF_TOKEN and the address in pipeline/raw/sources.yaml."
            ) from None
        if (there := origin(address)) != here:
            here, headers = there, public_headers(headers)
    raise FetchError(
        f"{first} redirects more than {REDIRECTS} times. Try again later; if this persists, check "
        "the address in pipeline/raw/sources.yaml."
    )


def public_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that any host may see."""
    return {key: value for key, value in headers.items() if key.lower() in PUBLIC_HEADERS}


def _next_address(address: str, location: str) -> str:
    """Return the target of a redirect; raise if it must not be followed."""
    plain = quote(location, safe=string.punctuation, encoding="iso-8859-1")
    try:
        target = urljoin(address, plain)
        old, new = urlsplit(address), urlsplit(target)
    except ValueError:
        raise FetchError(_address_message(location)) from None
    if new.scheme not in ("http", "https") or (old.scheme, new.scheme) == ("https", "http"):
        raise FetchError(
            f"{old.scheme}://{old.netloc} redirects to a {new.scheme[:20]}: address, which is not "
            "followed. Check the address in pipeline/raw/sources.yaml."
        )
    return target


def _refuse_proxy(address: str, headers: Mapping[str, str]) -> None:
    """Raise if a proxy from the environment could read the token."""
    scheme, host, _ = origin(address)
    secret = len(public_headers(headers)) < len(headers)
    proxied = scheme == "http" and "http" in urllib.request.getproxies()
    if secret and proxied and not urllib.request.proxy_bypass(host):
        raise FetchError(
            f"{host} would be contacted without TLS through the proxy in http_proxy, which could "
            f"read your token. Use an https: address, or add {host} to no_proxy."
        )
