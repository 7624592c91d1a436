# SPDX-License-Identifier: Apache-2.0
"""One file over a real connection that breaks, lies, redirects and changes its mind."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.tools.fetch import download as module
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.download import Remote, asked_pause, download, git_sha1
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout
from tests.loopback import Loopback

SIZE = 300_000
DATA = random.Random(1).randbytes(SIZE)
OTHER = random.Random(2).randbytes(SIZE)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Setting:
    """A server with one file, and a folder to download it to."""

    def __init__(self, server: Loopback, root: Path) -> None:
        self.server, self.place = server, FetchLayout(root)
        self.ticks: list[int] = []
        self.stop, self.stops, self.limit = threading.Event(), False, TimeLimit(5)

    def remote(self, data: bytes = DATA, path: str = "/a.bin", **facts: Any) -> Remote:
        facts = {"sha256": sha256(data), "size": len(data), **facts}
        return Remote("sub/a.bin", f"{self.server.address}{path}", **facts)

    def get(self, remote: Remote | None = None) -> bytes:
        remote = remote or self.remote()
        path = download(remote, self.place, tick=self.tick, stop=self.stop, limit=self.limit)
        return path.read_bytes()

    def tick(self, count: int) -> None:
        self.ticks.append(count)
        if self.stops and count:  # as a user does who watches the bar
            self.stop.set()

    def leave_part(self, length: int, data: bytes = DATA, **facts: Any) -> None:
        """Leave what an interrupted download of `data` leaves, and forget the requests."""
        self.server.files["/a.bin"] = data
        self.server.cuts = [length]
        self.stops = True
        with pytest.raises(Interrupted):
            self.get(self.remote(data, **facts))
        self.stops = False
        self.stop.clear()
        while self.server.sending:  # it may not know yet that nobody listens
            time.sleep(0.01)
        self.server.requests.clear()
        self.server.sent = 0

    @property
    def have(self) -> int:
        part = self.place.part("sub/a.bin")
        return part.stat().st_size if part.exists() else 0

    def nothing_left(self) -> bool:
        return not self.have and not self.place.part_state("sub/a.bin").exists()


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    monkeypatch.setenv("NO_PROXY", "*")
    with Loopback({"/a.bin": DATA}) as server:
        yield Setting(server, tmp_path / "raw")


def test_a_whole_file_takes_one_request(setting: Setting) -> None:
    assert setting.get() == DATA
    assert setting.server.paths() == ["/a.bin"] and sum(setting.ticks) == SIZE
    assert not setting.place.part_state("sub/a.bin").exists()


def test_an_empty_file_is_a_file(setting: Setting) -> None:
    setting.server.files["/a.bin"] = b""
    assert setting.get(setting.remote(b"")) == b""


def test_cut_connections_are_taken_up_where_they_ended(setting: Setting) -> None:
    setting.server.cuts = [100_000, 50_000, 0, 1]
    assert setting.get() == DATA
    ranges = [headers.get("range") for _, _, headers in setting.server.requests]
    assert ranges == [None, "bytes=100000-", "bytes=150000-", "bytes=150000-", "bytes=150001-"]
    assert setting.server.sent == SIZE  # no byte twice
    assert sum(setting.ticks) == SIZE


def test_a_stopped_download_continues_in_the_next_run(setting: Setting) -> None:
    setting.leave_part(120_000)
    have = setting.have
    assert 0 < have <= 120_000
    setting.ticks.clear()
    assert setting.get() == DATA
    assert setting.server.sent == SIZE - have
    assert sum(setting.ticks) == SIZE
    assert "if-range" in setting.server.requests[0][2]


def test_a_server_that_ignores_ranges_sends_everything_again(setting: Setting) -> None:
    setting.leave_part(120_000)
    setting.server.ranges = False
    setting.ticks.clear()
    assert setting.get() == DATA
    assert setting.server.sent == SIZE and sum(setting.ticks) == SIZE


@pytest.mark.parametrize("if_range", [True, False])
def test_another_etag_means_another_file(setting: Setting, if_range: bool) -> None:
    """The part is of an old state of the same size, and no digest could tell the mixture."""
    setting.leave_part(120_000, OTHER, sha256="")
    setting.server.files["/a.bin"] = DATA
    setting.server.if_range = if_range  # False: a server that answers 206 all the same
    assert setting.get(setting.remote(sha256="")) == DATA


def test_without_etags_a_mixture_is_detected_and_downloaded_again(setting: Setting) -> None:
    setting.server.etags = False
    setting.leave_part(120_000, OTHER)
    state = setting.place.part_state("sub/a.bin")
    state.write_text(state.read_text().replace(sha256(OTHER), sha256(DATA)))
    setting.server.files["/a.bin"] = DATA
    assert setting.get() == DATA
    assert len(setting.server.requests) == 2


def test_a_part_of_another_revision_is_not_continued(setting: Setting) -> None:
    setting.leave_part(120_000, OTHER)
    setting.server.files["/a.bin"] = DATA
    assert setting.get() == DATA
    assert "range" not in setting.server.requests[0][2]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"sha256": "0" * 64}, "its sha256 is"),
        ({"sha256": "", "git_sha1": "0" * 40}, "its Git digest is"),
    ],
)
def test_a_wrong_digest_is_thrown_away(setting: Setting, facts: dict[str, str], words: str) -> None:
    with pytest.raises(FetchError, match=words):
        setting.get(setting.remote(**facts))
    assert setting.nothing_left() and len(setting.server.requests) == 1
    assert sum(setting.ticks) == 0


@pytest.mark.parametrize("size", [SIZE - 1, SIZE + 1])
def test_a_size_that_differs_is_refused_before_a_byte_is_written(
    setting: Setting, size: int
) -> None:
    with pytest.raises(FetchError, match=f"now has {SIZE:,} bytes instead of {size:,}"):
        setting.get(setting.remote(size=size))
    assert setting.nothing_left()


def test_a_file_that_shrank_is_reported(setting: Setting) -> None:
    setting.leave_part(120_000)
    setting.server.files["/a.bin"] = DATA[:1000]
    with pytest.raises(FetchError, match="now has 1,000 bytes instead of 300,000"):
        setting.get()


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_names_where_to_get_access_and_is_not_repeated(
    setting: Setting, status: int
) -> None:
    setting.server.statuses["/a.bin"] = [status] * 9
    with pytest.raises(FetchError, match=f"status {status}. Ask there."):
        setting.get(setting.remote(refusal="Ask there."))
    assert len(setting.server.requests) == 1


def test_passing_trouble_is_waited_out(setting: Setting) -> None:
    setting.server.statuses["/a.bin"] = [503, 429, 500]
    assert setting.get() == DATA


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"RateLimit": '"resolvers";r=0;t=55'}, 55),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0),
        ({"Retry-After": "9" * 40}, 0),
        ({}, 0),
    ],
)
def test_the_delay_that_a_busy_server_requests_is_kept(
    headers: dict[str, str], seconds: float
) -> None:
    assert asked_pause(headers) == seconds


def test_lasting_trouble_ends_with_a_sentence_and_keeps_the_part(setting: Setting) -> None:
    setting.leave_part(120_000)
    have = setting.have
    setting.server.statuses["/a.bin"] = [503] * 99
    with pytest.raises(FetchError, match=r"status 503; 5 attempts.*run the same command again"):
        setting.get()
    assert setting.have == have and len(setting.server.requests) == module.TRIES


def test_an_unreachable_server_is_an_error_message(setting: Setting) -> None:
    remote = Remote("a", "http://127.0.0.1:9/a", 1, sha256=sha256(b"a"))
    with pytest.raises(FetchError, match="cannot be downloaded"):
        setting.get(remote)


def test_not_found_is_reported_at_once(setting: Setting) -> None:
    with pytest.raises(FetchError, match="status 404"):
        setting.get(setting.remote(path="/none"))
    assert len(setting.server.requests) == 1


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/a.bin", "data:,abc", "gopher://x/"]
)
def test_a_redirect_to_another_scheme_is_refused(setting: Setting, target: str) -> None:
    setting.server.redirects["/moved"] = target
    with pytest.raises(FetchError):
        setting.get(setting.remote(path="/moved"))
    assert not setting.have


def test_an_address_that_is_no_http_is_refused(setting: Setting, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(DATA)
    remote = Remote("a", (tmp_path / "secret").as_uri(), SIZE, sha256=sha256(DATA))
    with pytest.raises(FetchError):
        setting.get(remote)


def test_a_circle_of_redirects_ends(setting: Setting) -> None:
    setting.server.redirects["/moved"] = f"{setting.server.address}/moved"
    with pytest.raises(FetchError, match="redirects more than 8 times"):
        setting.get(setting.remote(path="/moved"))


def test_the_token_is_shown_to_the_first_host_alone(setting: Setting) -> None:
    port = setting.server.server.server_port
    setting.server.redirects["/moved"] = f"{setting.server.address}/again"
    setting.server.redirects["/again"] = f"http://localhost:{port}/a.bin"
    headers = {"authorization": "Bearer secret"}
    assert setting.get(setting.remote(path="/moved", headers=headers)) == DATA
    shown = {path: sent.get("authorization") for _, path, sent in setting.server.requests}
    assert shown == {"/moved": "Bearer secret", "/again": "Bearer secret", "/a.bin": None}


def test_the_git_digest_is_git_s(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"hello\n")
    # `git hash-object` of "hello\n", as every Git tutorial shows it.
    assert git_sha1(tmp_path / "a") == "ce013625030ba8dba906f756967f9e9ca394464a"
