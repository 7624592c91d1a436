# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that writes raw bytes, so that it can break the protocol itself."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from typing import Any

Script = Callable[[socket.socket, str], None]


class Liar:
    """Answers every connection by a script that gets the socket and the path asked for.

    Attributes
    ----------
    requests : list
        Path and headers (lower case) of every request, in order.
    """

    def __init__(self, script: Script, *, reads: bool = True) -> None:
        self.script, self.requests = script, []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.ended = threading.Event()
        liar = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                path = liar._read(self.rfile) if reads else ""
                with contextlib.suppress(OSError):  # the client went away
                    liar.script(self.request, path)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def _read(self, stream: Any) -> str:
        path = stream.readline().decode().split(" ")[1]
        headers = {}
        while (line := stream.readline().decode().strip()) != "":
            key, _, value = line.partition(":")
            headers[key.lower()] = value.strip()
        self.requests.append((path, headers))
        return path

    def __enter__(self) -> Liar:
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def pieces(self) -> Iterator[int]:
        """Count for ever, slowly, until the test is over."""
        count = 0
        while not self.ended.wait(0.02):
            yield count
            count += 1


def answer(body: bytes, status: str = "200 OK", *, length: bool = True, **headers: str) -> bytes:
    """Return an answer of HTTP/1.1 with its length."""
    lines = [f"HTTP/1.1 {status}", *(f"{key}: {value}" for key, value in headers.items())]
    lines += [f"Content-Length: {len(body)}"] if length else []
    return "\r\n".join([*lines, "", ""]).encode() + body
