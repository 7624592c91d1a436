# SPDX-License-Identifier: Apache-2.0
"""A Hub on loopback: repositories with commits, tags, large files and uploads, and its faults.

It speaks the protocol of the real client, so that `huggingface_hub` itself does all the talking:
create, preupload, LFS batch, upload in one or several parts, verify, commit, tags, facts of a
revision, listings, and files with ranges; large files are redirected to another host name.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote

from tests.kit.hub_data import LARGE, Fault, Repository, entry, mode, references, sha1

JSON = {"Content-Type": "application/json"}


class Hub:
    """The server. `requests` has (method, path, headers), `sent` the bytes of bodies by path.

    `token`: what a gated repository and every upload want; `part_size`: uploads of more bytes come
    in several parts; `stored` has the large files by their digest.
    """

    def __init__(self, token: str = "", part_size: int = 1 << 40) -> None:
        self.repositories: dict[str, Repository] = {}
        self.token, self.part_size = token, part_size
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.sent: list[tuple[str, int]] = []
        self.stored: dict[str, bytes] = {}
        self.parts: dict[tuple[str, int], bytes] = {}
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # header and body are two writes

            def handle_one(self) -> None:
                body = _body(self)
                headers = {key.lower(): value for key, value in self.headers.items()}
                path = unquote(self.path.split("?")[0])
                hub.requests.append((self.command, path, headers))
                try:
                    hub.answer(_Exchange(self, self.command, path, headers, body))
                except OSError:  # the client went away
                    self.close_connection = True

            do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_one

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Hub:
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def clear(self) -> None:
        """Forget the requests so far."""
        self.requests.clear()
        self.sent.clear()

    def paths(self, method: str = "GET") -> list[str]:
        """Return the paths that were asked for, in order."""
        return [path for asked, path, _ in self.requests if asked == method]

    def answer(self, ask: _Exchange) -> None:
        """Answer one request."""
        ask.hub = self
        fault = self._fault(f"{ask.method} {ask.path}")
        if fault is not None and fault.call:
            fault.call()
        if fault is not None and fault.kind == "status":
            ask.reply(fault.value, b'{"error": "no"}', JSON | fault.headers)
        elif fault is not None and fault.kind == "html":
            ask.reply(200, b"<html><title>Log in</title></html>", {"Content-Type": "text/html"})
        else:
            ask.fault = fault
            self._route(ask)

    def _fault(self, text: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and re.search(fault.path, text):
                fault.times -= 1
                return fault
        return None

    def _route(self, ask: _Exchange) -> None:
        for pattern, action in (
            (r"/api/repos/create", self._create),
            (r"/api/validate-yaml", lambda ask: ask.json({})),
            (r"/api/datasets/([^/]+/[^/]+)(?:/([a-z-]+)(?:/([^/]+))?)?", self._api),
            (r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", self._resolve),
            (r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", self._batch),
            (r"/cdn/([0-9a-f]{64})", lambda ask, name: ask.file(self.stored[name])),
            (r"/put/([0-9a-f]{64})/(\d+)", self._put),
            (r"/complete/([0-9a-f]{64})", self._complete),
            (r"/verify", lambda ask: ask.json({})),
        ):
            if found := re.fullmatch(pattern, ask.path):
                action(ask, *found.groups())
                return
        ask.error(404, "EntryNotFound")

    def _create(self, ask: _Exchange) -> None:
        if not ask.has_token():
            return
        facts = ask.content()
        name = f"{facts['organization']}/{facts['name']}"
        if name in self.repositories:
            ask.reply(409, json.dumps({"error": "exists", "url": name}).encode(), JSON)
            return
        self.repositories[name] = Repository()
        self.repositories[name].commit({})
        ask.json({"url": f"{self.address}/datasets/{name}"})

    def _api(self, ask: _Exchange, name: str, verb: str | None, revision: str | None) -> None:
        repository = self.repositories.get(name)
        if repository is None:
            ask.error(404, "RepoNotFound")
            return
        if verb == "refs":
            ask.json(references(repository))
            return
        commit = repository.find(revision or "main")
        if commit is None:
            ask.error(404, "RevisionNotFound")
            return
        files = repository.commits[commit]
        if verb in (None, "revision"):
            ask.json({"id": name, "sha": commit, "private": False, "siblings": []})
        elif verb == "tree":
            ask.json([entry(path, data) for path, data in sorted(files.items())])
        elif verb == "paths-info":
            ask.json([entry(path, files[path]) for path in ask.form("paths") if path in files])
        elif ask.has_token():
            self._write(ask, repository, verb, commit, revision or "main")

    def _write(
        self, ask: _Exchange, repository: Repository, verb: str | None, commit: str, revision: str
    ) -> None:
        if verb == "preupload":
            files = repository.commits[commit]
            ask.json({"files": [mode(one["path"], files) for one in ask.content()["files"]]})
        elif verb == "tag":
            tag = ask.content()["tag"]
            if tag in repository.tags:
                ask.error(409, "TagExists")
                return
            repository.tags[tag] = commit
            ask.json({})
        elif verb == "commit":
            self._commit(ask, repository, commit, revision)
        else:
            ask.error(404, "EntryNotFound")

    def _commit(self, ask: _Exchange, repository: Repository, parent: str, branch: str) -> None:
        lines = [json.loads(line) for line in ask.body.splitlines()]
        files = dict(repository.commits[parent])
        for line in lines:
            value = line["value"]
            if line["key"] == "header" and value.get("parentCommit", parent) != parent:
                ask.error(412, "Conflict")
                return
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.stored:
                    ask.error(400, "absent large file")
                    return
                files[value["path"]] = self.stored[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        name = repository.commit(files, branch)
        ask.json({"commitUrl": f"{self.address}/datasets/x/y/commit/{name}", "commitOid": name})

    def _resolve(self, ask: _Exchange, name: str, revision: str, path: str) -> None:
        repository = self.repositories.get(name)
        if repository is None:
            ask.error(404, "RepoNotFound")
            return
        if repository.gated and not ask.has_token("GatedRepo"):
            return
        commit = repository.find(revision)
        if commit is None:
            ask.error(404, "RevisionNotFound")
        elif path not in repository.commits[commit]:
            ask.error(404, "EntryNotFound")
        elif path.endswith(LARGE):
            data = repository.commits[commit][path]
            self.stored[digest := hashlib.sha256(data).hexdigest()] = data
            other = f"http://localhost:{self.server.server_port}/cdn/{digest}?signed=yes"
            ask.reply(302, b"", {"Location": other, "X-Repo-Commit": commit})
        else:
            ask.file(repository.commits[commit][path], {"X-Repo-Commit": commit})

    def _batch(self, ask: _Exchange, name: str) -> None:
        if ask.has_token():
            objects = [self._upload(one["oid"], one["size"]) for one in ask.content()["objects"]]
            ask.json({"transfer": "multipart", "objects": objects})

    def _upload(self, oid: str, size: int) -> dict[str, Any]:
        if oid in self.stored:
            return {"oid": oid, "size": size}
        count = -(-size // self.part_size)
        parts = {f"{k + 1:05d}": f"{self.address}/put/{oid}/{k + 1}" for k in range(count)}
        upload: dict[str, Any] = {"href": parts["00001"], "header": {}}
        if count > 1:
            header = {"chunk_size": str(self.part_size), **parts}
            upload = {"href": f"{self.address}/complete/{oid}", "header": header}
        verify = {"href": f"{self.address}/verify", "header": {}}
        return {"oid": oid, "size": size, "actions": {"upload": upload, "verify": verify}}

    def _put(self, ask: _Exchange, oid: str, number: str) -> None:
        self.parts[oid, int(number)] = ask.body
        if hashlib.sha256(ask.body).hexdigest() == oid:
            self.stored[oid] = ask.body
        ask.reply(200, b"", {"ETag": f'"{sha1(ask.body)}"'})

    def _complete(self, ask: _Exchange, oid: str) -> None:
        whole = b"".join(self.parts[oid, one["partNumber"]] for one in ask.content()["parts"])
        if hashlib.sha256(whole).hexdigest() != oid:
            ask.error(400, "other bytes than the digest says")
            return
        self.stored[oid] = whole
        ask.json({})


@dataclass
class _Exchange:
    """One request and the ways to answer it."""

    handler: Any
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    fault: Fault | None = None
    hub: Any = None

    def content(self) -> Any:
        return json.loads(self.body)

    def form(self, name: str) -> list[str]:
        return parse_qs(self.body.decode()).get(name, [])

    def has_token(self, code: str = "") -> bool:
        given = self.headers.get("authorization", "")
        if not self.hub.token or given == f"Bearer {self.hub.token}":
            return True
        if given:  # a token that expired
            message = "Invalid credentials in Authorization header"
            self.reply(401, b'{"error": "no"}', JSON | {"X-Error-Message": message})
        else:
            self.error(401, code or "RepoNotFound")
        return False

    def error(self, status: int, code: str) -> None:
        self.reply(status, json.dumps({"error": code}).encode(), JSON | {"X-Error-Code": code})

    def json(self, value: object) -> None:
        self.reply(200, json.dumps(value).encode(), JSON)

    def file(self, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        kind = self.fault.kind if self.fault else ""
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range", ""))
        if asked is None or kind == "whole":
            self.reply(200, data, dict(headers or {}))
            return
        first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
        total = len(data) + (kind == "total")
        span = {"Content-Range": f"bytes {first}-{last}/{total}"}
        self.reply(206, data[first : last + 1], {**(headers or {}), **span})

    def reply(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        fault = self.fault if status in (200, 206) else None
        kind, value = (fault.kind, fault.value) if fault else ("", 0)
        if kind == "flip" and len(body) > value:
            body = body[:value] + bytes([body[value] ^ 1]) + body[value + 1 :]
        body = body[:value] if kind == "short" else body + b"more" * (kind == "long")
        self.handler.send_response(status)
        for key, text in {"Content-Length": str(len(body)), **headers}.items():
            self.handler.send_header(key, text)
        self.handler.end_headers()
        if self.method == "HEAD":
            return
        sent = body[:value] if kind == "cut" else body
        self.handler.wfile.write(sent)
        self.handler.wfile.flush()
        self.hub.sent.append((self.path, len(sent)))
        self.handler.close_connection |= len(sent) < len(body)


def _body(handler: Any) -> bytes:
    if handler.headers.get("transfer-encoding", "") != "chunked":
        return bytes(handler.rfile.read(int(handler.headers.get("content-length", 0))))
    return b"".join(_chunks(handler.rfile))


def _chunks(stream: Any) -> Iterator[bytes]:
    while size := int(stream.readline().split(b";")[0], 16):
        yield stream.read(size)
        stream.readline()
    stream.readline()


@contextmanager
def serving(monkeypatch: Any, **options: Any) -> Iterator[Hub]:
    """Run a Hub and let the client of this process talk to it, without pauses."""
    from huggingface_hub import constants, utils

    with Hub(**options) as hub:
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, hub.address)
        monkeypatch.setattr(constants, "ENDPOINT", hub.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr("time.sleep", lambda _: None)
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HF_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        utils.close_session()
        yield hub
        utils.close_session()


def main() -> None:
    """Serve an empty Hub until it is interrupted, to try `aa publish` and `aa pull` by hand."""
    with Hub() as hub:
        sys.stdout.write(f"export HF_ENDPOINT={hub.address} HF_HUB_DISABLE_XET=1 HF_TOKEN=any\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
