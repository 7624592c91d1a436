# SPDX-License-Identifier: Apache-2.0
"""Servers on loopback: plain files with all the faults of a network, and a Hub."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

CHUNK = 1 << 14


class Loopback:
    """Serves `files` (path to bytes) with ranges and ETags, and misbehaves as the test chooses.

    Attributes
    ----------
    files : dict
        What is served; may be changed between requests.
    cuts : list of int
        Bytes after which the next answers with a body are cut off, one each.
    statuses : dict
        Path to a list of statuses that are answered first.
    redirects : dict
        Path to the address that it redirects to.
    ranges, if_range, etags : bool
        Whether the server honors Range and If-Range, and sends ETags.
    hold_at : int
        Bytes of a body after which the next ones wait until the server is closed.
    requests : list
        Method, path and headers of every request; `sent` counts the bytes of bodies, `sending` the
        bodies that are under way.
    """

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files = dict(files or {})
        self.cuts: list[int] = []
        self.statuses: dict[str, list[int]] = {}
        self.redirects: dict[str, str] = {}
        self.ranges = self.if_range = self.etags = True
        self.hold_at = sys.maxsize
        self._closing = threading.Event()
        self.sent = self.sending = 0
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = unquote(self.path.split("?")[0])
                headers = {key.lower(): value for key, value in self.headers.items()}
                loopback.requests.append((self.command, path, headers))
                loopback.answer(self, path, headers)

            do_HEAD = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Loopback:
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def paths(self, method: str = "GET") -> list[str]:
        """Return the paths that were asked for, in order."""
        return [path for asked, path, _ in self.requests if asked == method]

    def answer(self, handler: Any, path: str, headers: Mapping[str, str]) -> None:
        """Answer one request; a subclass looks at the path first."""
        if self.statuses.get(path):
            self.reply(handler, self.statuses[path].pop(0), b"no", {})
        elif path in self.redirects:
            self.reply(handler, 302, b"", {"Location": self.redirects[path]})
        elif path in self.files:
            self.send_file(handler, self.files[path], headers)
        else:
            self.reply(handler, 404, b"not here", {})

    def send_file(
        self, handler: Any, data: bytes, headers: Mapping[str, str], **extra: str
    ) -> None:
        """Send a file or the range of it that was asked for."""
        etag = f'"{hashlib.sha1(data).hexdigest()}"'
        answer = {**({"ETag": etag} if self.etags else {}), **extra}
        asked = re.fullmatch(r"bytes=(\d+)-", headers.get("range", ""))
        same = not self.if_range or headers.get("if-range", etag) == etag
        if not (asked and self.ranges and same):
            self.reply(handler, 200, data, answer)
            return
        start = int(asked[1])
        if start >= len(data):
            self.reply(handler, 416, b"", {"Content-Range": f"bytes */{len(data)}"})
            return
        answer["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        self.reply(handler, 206, data[start:], answer)

    def reply(self, handler: Any, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """Send status, headers and body, cut off where the test wants it."""
        handler.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(key, value)
        handler.end_headers()
        if handler.command == "HEAD":
            return
        end = len(body)
        if status in (200, 206) and self.cuts:
            end = min(end, self.cuts.pop(0))
        self.sending += 1
        try:
            self._send_body(handler, body[:end])
        except OSError:  # the client went away, as a killed one does
            end = -1
        finally:
            self.sending -= 1
        if end < len(body):
            handler.close_connection = True

    def _send_body(self, handler: Any, body: bytes) -> None:
        for start in range(0, len(body), CHUNK):
            if start >= self.hold_at:
                self._closing.wait()
            handler.wfile.write(body[start : start + CHUNK])
            handler.wfile.flush()
            self.sent += len(body[start : start + CHUNK])


class HubLoopback(Loopback):
    """One dataset repository with one commit, in the Hub's own protocol.

    Files that end in `large` are LFS objects: the tree tells their sha256, and their address
    redirects to a content server under another host name. `token`: what a gated repository wants.
    """

    def __init__(
        self,
        repo: str,
        commit: str,
        files: Mapping[str, bytes],
        *,
        large: tuple[str, ...] = (),
        token: str = "",
    ) -> None:
        super().__init__()
        self.repo, self.commit, self.content = repo, commit, dict(files)
        self.large, self.token = large, token
        self.lies: dict[str, str] = {}  # path in the tree to the sha256 that is told instead

    def answer(self, handler: Any, path: str, headers: Mapping[str, str]) -> None:
        """Answer as the Hub does."""
        resolve = f"/datasets/{self.repo}/resolve/{self.commit}/"
        if self.statuses.get(path) or path in self.files:
            super().answer(handler, path, headers)
        elif path.startswith(f"/api/datasets/{self.repo}"):
            self._answer_api(handler, path)
        elif path.startswith(resolve):
            self._answer_file(handler, path.removeprefix(resolve), headers)
        elif path.startswith("/cdn/"):
            self.send_file(handler, self.content[path.removeprefix("/cdn/")], headers)
        else:
            self.reply(handler, 404, b"{}", {"X-Error-Code": "RepoNotFound"})

    def _answer_api(self, handler: Any, path: str) -> None:
        if path.endswith(f"/tree/{self.commit}"):
            info: object = [self._entry(name, data) for name, data in sorted(self.content.items())]
        elif path.endswith(("/revision/main", f"/revision/{self.commit}")):
            siblings = [{"rfilename": name} for name in sorted(self.content)]
            info = {"id": self.repo, "sha": self.commit, "siblings": siblings, "private": False}
        else:
            self.reply(handler, 404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            return
        self.reply(handler, 200, json.dumps(info).encode(), {"Content-Type": "application/json"})

    def _entry(self, name: str, data: bytes) -> dict[str, Any]:
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        entry = {"type": "file", "path": name, "size": len(data), "oid": blob}
        if self.large and name.endswith(self.large):
            digest = self.lies.get(name, hashlib.sha256(data).hexdigest())
            entry["lfs"] = {"oid": digest, "size": len(data), "pointerSize": 130}
        return entry

    def _answer_file(self, handler: Any, name: str, headers: Mapping[str, str]) -> None:
        if self.token and headers.get("authorization") != f"Bearer {self.token}":
            self.reply(handler, 403, b"{}", {"X-Error-Code": "GatedRepo"})
        elif self.large and name.endswith(self.large):
            other = f"http://localhost:{self.server.server_port}/cdn/{name}"
            self.reply(handler, 302, b"", {"Location": other, "X-Repo-Commit": self.commit})
        else:
            data = self.content[name]
            self.send_file(handler, data, headers, **{"X-Repo-Commit": self.commit})


def folder_files(root: Path) -> dict[str, bytes]:
    """Return everything below a folder by its relative path."""
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
