# SPDX-License-Identifier: Apache-2.0
"""Downloads one file over HTTP, resumes interrupted downloads, and checks the result.

Hub files are downloaded here as well. The Hub's client provides names, sizes, digests, addresses
and the token. Its own download starts a new file each time, so 38 GB would start again.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import threading
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

from aa_dataset.files import file_sha256
from pipeline.base.tables import dump_json, write_bytes
from pipeline.tools.fetch.connection import (
    ANSWER_S,
    SLOW_S,
    TimeLimit,
    Watch,
    open_address,
    plain_text,
)
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout

CHUNK = 1 << 18  # B
TRIES = 5  # consecutive attempts without progress
PROGRESS = 1 << 20  # B after which an attempt counts as progress
WAIT_S = 1.0  # before the second attempt; doubled for each further one
LONGEST_WAIT_S = 300.0  # that a server may ask for
PASSING = (408, 425, 429, 500, 502, 503, 504)
_RANGE = re.compile(r"bytes (\d{1,20})-(\d{1,20})/(\d{1,20}|\*)")


@dataclass(frozen=True, slots=True)
class Remote:
    """One file of a publisher.

    Attributes
    ----------
    name : str
        Path below the source's folder.
    address : str
        Its URL.
    size : int [B]
    sha256, git_sha1 : str
        Digest of the content, or of the Git blob if the Hub has no other; one may be empty.
    headers : mapping
        Sent only to the host of the address.
    refusal : str
        What to do when the server refuses access.
    """

    name: str
    address: str
    size: int
    sha256: str = ""
    git_sha1: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal: str = "The publisher refuses access; see `aa sources` for the conditions."


class _Restart(Exception):
    """The partial file belongs to another version than the server has now."""


def download(
    remote: Remote,
    place: FetchLayout,
    *,
    tick: Callable[[int], None],
    stop: threading.Event,
    limit: TimeLimit,
) -> Path:
    """Download a remote file to its part file and check it; return the path.

    A part file of an earlier attempt is resumed. If the result has the wrong digest, it is
    downloaded once more from the start, because its parts may come from two versions.

    Parameters
    ----------
    tick : callable
        Called with the number of bytes added (negative after a restart).
    stop : threading.Event
        Ends the download with `Interrupted` when set; the part file is kept.
    limit : TimeLimit
        Ends it with an error; the part file is kept.
    """
    path = place.part(remote.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    attempt = _Attempt(remote, place, tick=tick, stop=stop, limit=limit)
    resumed = attempt.begin()
    attempt.complete()
    problem = difference(path, remote)
    if problem and resumed:
        attempt.discard()
        attempt.complete()
        problem = difference(path, remote)
    if problem:
        attempt.discard()
        raise FetchError(
            f"{remote.address}: {problem}. The file was discarded. If this happens again, the "
            "publisher has changed it: update pipeline/raw/sources.yaml."
        )
    place.part_state(remote.name).unlink(missing_ok=True)
    return path


def difference(path: Path, remote: Remote) -> str:
    """Return how a file differs from the expected one, empty if it does not."""
    size = path.stat().st_size
    if size != remote.size:
        return f"it has {size:,} bytes instead of {remote.size:,}"
    if remote.sha256 and (found := file_sha256(path)) != remote.sha256:
        return f"its sha256 is {found} instead of {remote.sha256}"
    if remote.git_sha1 and not remote.sha256 and (found := git_sha1(path)) != remote.git_sha1:
        return f"its Git digest is {found} instead of {remote.git_sha1}"
    return ""


def git_sha1(path: Path) -> str:
    """Return the id that Git gives to a file's content."""
    total = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            total.update(chunk)
    return total.hexdigest()


def asked_pause(headers: Mapping[str, str] | Message) -> float:
    """Return the seconds that a busy server asks to wait, 0 if it does not state any.

    The Hub limits requests per window of minutes and sends the rest of the window as `t=`.
    """
    after = re.fullmatch(r"\d{1,6}", headers.get("Retry-After", ""))
    window = re.search(r"\bt=(\d{1,6})\b", headers.get("RateLimit", ""))
    return float(after[0] if after else window[1] if window else 0)


class _Attempt:
    """The attempts for one file, and the state of its part file."""

    def __init__(
        self,
        remote: Remote,
        place: FetchLayout,
        *,
        tick: Callable[[int], None],
        stop: threading.Event,
        limit: TimeLimit,
    ) -> None:
        self.remote = remote
        self.path, self.state_path = place.part(remote.name), place.part_state(remote.name)
        self.tick, self.stop, self.limit = tick, stop, limit
        self.changes = 0

    @property
    def have(self) -> int:
        """Bytes downloaded so far."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def begin(self) -> bool:
        """Resume the part file of an earlier attempt of the same file; return whether."""
        identity = self._read_state().get("file")
        if identity != self._remote_identity() or self.have > self.remote.size:
            self.path.unlink(missing_ok=True)
        self.tick(self.have)
        return self.have > 0

    def discard(self) -> None:
        """Discard the part file."""
        self.changes += 1
        self.tick(-self.have)
        self.path.unlink(missing_ok=True)
        self.state_path.unlink(missing_ok=True)

    def complete(self) -> None:
        """Send requests until the part file is complete."""
        failures = 0
        while self.have < self.remote.size or not self.path.is_file():
            before, problem, wait = self.have, "the connection ended early", 0.0
            try:
                self._receive_response()
            except _Restart:
                self.discard()
                problem = "the publisher changed the file"
            except urllib.error.HTTPError as error:
                problem, wait = self._retry_or_raise(error)
            except (OSError, http.client.HTTPException) as error:
                problem = plain_text(getattr(error, "reason", error)) or type(error).__name__
            whole = self.have >= self.remote.size
            failures = 0 if whole or self.have - before >= PROGRESS else failures + 1
            if not whole:
                self.limit.check()
            if failures >= TRIES or self.changes > TRIES:
                raise FetchError(
                    f"{self.remote.address} cannot be downloaded ({problem}; {TRIES} attempts). "
                    "The partial download is kept: run the same command again to resume."
                )
            if failures:
                self._wait_before_retry(max(wait, WAIT_S * 2 ** (failures - 1)))

    def _receive_response(self) -> None:
        """Send one request and write the response to the part file."""
        have, state = self.have, self._read_state()
        headers = {**self.remote.headers, "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
            etag = state.get("etag", "")
            if etag and not etag.startswith("W/"):
                headers["If-Range"] = etag
        with (
            Watch(self.limit, ANSWER_S, self.stop) as watch,
            open_address(self.remote.address, headers, watch=watch) as response,
        ):
            offset = self._response_offset(response, have, state)
            if offset < have:
                self.tick(offset - have)
            state = {"file": self._remote_identity(), "etag": response.headers.get("ETag", "")}
            with self.path.open("r+b" if self.path.is_file() else "wb") as stream:
                stream.truncate(offset)
                stream.seek(offset)
                if not offset:  # the part file now belongs to the server's current version
                    write_bytes(self.state_path, dump_json(state))
                self._copy_response(response, stream, watch)

    def _response_offset(self, response: Any, have: int, state: Mapping[str, Any]) -> int:
        """Return the offset of the response's bytes; raise if they do not fit."""
        if response.status == 206:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            etag = response.headers.get("ETag", "")
            fits = found and int(found[1]) == have and found[3] in ("*", str(self.remote.size))
            if not fits or (etag and state.get("etag") and etag != state["etag"]):
                raise _Restart
            return have
        length = response.headers.get("Content-Length", "")
        if re.fullmatch(r"\d{1,20}", length) and int(length) != self.remote.size:
            raise FetchError(
                f"{self.remote.address} now has {int(length):,} bytes instead of "
                f"{self.remote.size:,}. The publisher has changed it: "
                "update pipeline/raw/sources.yaml."
            )
        return 0  # the whole file: no part file, or the server ignores ranges

    def _copy_response(self, response: Any, stream: Any, watch: Watch) -> None:
        """Write the response to the part file, as far as it arrives."""
        room, since = self.remote.size - stream.tell(), PROGRESS
        while room > 0 and (chunk := response.read1(min(CHUNK, room))):
            stream.write(chunk)
            room, since = room - len(chunk), since + len(chunk)
            if since >= PROGRESS:
                watch.renew(SLOW_S)
                since = 0
            self.tick(len(chunk))
            if self.stop.is_set():
                raise Interrupted(f"{self.remote.name}: stopped; run the command again to resume.")
        stream.flush()
        os.fsync(stream.fileno())

    def _retry_or_raise(self, error: urllib.error.HTTPError) -> tuple[str, float]:
        """Return problem and pause if the request should be retried; raise otherwise."""
        error.close()
        if error.code in (401, 403):
            raise FetchError(f"{self.remote.address}: status {error.code}. {self.remote.refusal}")
        if error.code == 416:
            self.discard()
            return "status 416", 0.0
        if error.code in PASSING:
            return f"status {error.code}", min(asked_pause(error.headers), LONGEST_WAIT_S)
        raise FetchError(
            f"{self.remote.address}: status {error.code} ({plain_text(error.reason)}). Check that "
            "the publisher still offers the file; the address comes from pipeline/raw/sources.yaml."
        )

    def _wait_before_retry(self, seconds: float) -> None:
        if self.stop.wait(min(seconds, self.limit.left())):
            raise Interrupted(f"{self.remote.name}: stopped; run the command again to resume.")

    def _remote_identity(self) -> list[Any]:
        return [self.remote.size, self.remote.sha256 or self.remote.git_sha1]

    def _read_state(self) -> dict[str, Any]:
        try:
            state = json.loads(self.state_path.read_bytes())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}
