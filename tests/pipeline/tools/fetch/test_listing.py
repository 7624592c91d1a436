# SPDX-License-Identifier: Apache-2.0
"""Lists of a Hub that lies: too long, elsewhere, malformed."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pipeline.tools.fetch import listing
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.errors import FetchError
from pipeline.tools.fetch.listing import Entry, Listing
from tests.loopback import HubLoopback, Loopback
from tests.pipeline.tools.fetch.conftest import Checkout
from tests.pipeline.tools.fetch.liar import Liar, answer
from tests.pipeline.tools.fetch.test_connection import drip, drip_headers, interim_answers
from tests.pipeline.tools.fetch.test_fetch_command import (
    COMMIT,
    CONTENT,
    EXPECTED,
    HUB,
    REPO,
    TOKEN,
)

SHA1, SHA256 = "a" * 40, "b" * 64
FILE = {"type": "file", "path": "a.bin", "size": 3, "oid": SHA1}
LARGE = {**FILE, "lfs": {"oid": SHA256, "size": 3, "pointerSize": 130}}
SECRET = {"authorization": "Bearer secret"}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "WAIT_S", 0.01)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def hub() -> Iterator[HubLoopback]:
    with HubLoopback(REPO, COMMIT, CONTENT, large=(".tar.gz",), token=TOKEN) as server:
        yield server


def ask(address: str, limit: TimeLimit | None = None) -> list[Entry]:
    limit = limit or TimeLimit(5)
    return Listing(
        f"{address}/tree", "someone/objects", headers=SECRET, refusal="Ask.", limit=limit
    ).files()


def list_of(page: bytes, **headers: str) -> list[Entry]:
    with Liar(lambda line, _: line.sendall(answer(page, **headers))) as liar:
        return ask(liar.address)


def test_pages_of_one_host_are_followed_with_the_token() -> None:
    def script(line: socket.socket, path: str) -> None:
        number = int(path.partition("=")[2] or 0)
        more = (
            {"Link": f'<{liar.address}/tree?page={number + 1}>; rel="next"'} if number < 3 else {}
        )
        row = {**(LARGE if number else FILE), "path": f"{number}.bin"}
        line.sendall(answer(json.dumps([row, {"type": "directory", "path": "d"}]).encode(), **more))

    with Liar(script) as liar:
        found = ask(liar.address)
    assert [entry.path for entry in found] == [f"{number}.bin" for number in range(4)]
    assert found[0] == Entry("0.bin", 3, git_sha1=SHA1) and found[1].sha256 == SHA256
    assert all(sent["authorization"] == "Bearer secret" for _, sent in liar.requests)


@pytest.mark.parametrize(
    "target",
    ["{other}/tree", "http://localhost:{port}/tree", "//127.0.0.1:{port}@evil.example/tree",
     "https://127.0.0.1:{port}/tree", "http://evil.example/tree", "http://[x/"],
)  # fmt: skip
def test_a_list_does_not_take_the_token_elsewhere(target: str) -> None:
    with Loopback({"/tree": b"[]"}) as other, Liar(lambda line, _: line.sendall(page)) as liar:
        link = target.format(other=other.address, port=liar.port)
        page = answer(b"[]", Link=f'<{link}>; rel="next"')
        with pytest.raises(FetchError):
            ask(liar.address)
    assert other.requests == [] and len(liar.requests) == 1


@pytest.mark.parametrize(
    ("name", "most", "words"),
    [("PAGES", 7, "more than 7 pages"), ("ENTRIES", 20, "more than 20 entries"),
     ("LISTING_BYTES", 900, "more than 900 bytes;"), ("PAGE_BYTES", 90, "90 bytes in one page")],
)  # fmt: skip
def test_a_list_without_end_is_counted(
    monkeypatch: pytest.MonkeyPatch, name: str, most: int, words: str
) -> None:
    monkeypatch.setattr(listing, name, most)

    def script(line: socket.socket, _: str) -> None:
        rows = [{**FILE, "path": f"{len(liar.requests)}-{number}"} for number in range(3)]
        more = f'<{liar.address}/tree?{len(liar.requests)}>; rel="next"'
        line.sendall(answer(json.dumps(rows).encode(), Link=more))

    with Liar(script) as liar, pytest.raises(FetchError, match=words):
        ask(liar.address)
    assert len(liar.requests) <= 7


@pytest.mark.parametrize("lie", [drip, drip_headers, interim_answers])
def test_a_slow_list_ends_with_the_time_limit(lie: Callable[[Liar, socket.socket], None]) -> None:
    with (
        Liar(lambda line, _: lie(liar, line)) as liar,
        pytest.raises(FetchError, match=r"limit of 0\.01 minutes is over"),
    ):
        ask(liar.address, TimeLimit(0.01))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (None, "an entry is None"),
        ([], r"an entry is \[\]"),
        ({}, "path None"),
        ({**FILE, "path": None}, "path None"),
        ({**FILE, "path": 5}, "path 5"),
        ({**FILE, "type": {}}, "type {}"),
        ({**FILE, "size": None}, "size None"),
        ({**FILE, "size": -1}, "size -1"),
        ({**FILE, "size": "3"}, "size '3'"),
        ({**FILE, "size": 3.0}, "size 3.0"),
        ({**FILE, "size": True}, "size True"),
        ({**FILE, "size": 10**400}, "an integer of more than 39 digits"),
        ({**FILE, "oid": ""}, "digest ''"),
        ({**FILE, "oid": None}, "digest None"),
        ({**FILE, "oid": SHA1.upper()}, "digest 'AAA"),
        ({**FILE, "oid": f"{SHA1}\n"}, "digest"),
        ({**LARGE, "lfs": {"oid": "", "size": 3}}, "digest ''"),
        ({**LARGE, "lfs": {"oid": SHA1, "size": 3}}, "digest 'aaa"),
        ({**LARGE, "lfs": {"size": 3}}, "digest None"),
        ({**LARGE, "lfs": {}}, "digest None"),
        ({**LARGE, "lfs": ""}, "two sizes or none"),
        ({**LARGE, "lfs": {"oid": SHA256, "size": 4}}, "two sizes or none"),
        ({**LARGE, "lfs": {"oid": SHA256, "size": None}}, "two sizes or none"),
    ],
)
def test_a_malformed_entry_is_a_sentence(row: Any, words: str) -> None:
    with pytest.raises(FetchError, match=rf"list of someone/objects is not usable.*{words}"):
        list_of(json.dumps([FILE | {"path": "first"}, row]).encode())


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (b"", "Expecting value"),
        (b"<html>", "Expecting value"),
        (b'[{"path": "\xff"}]', "it is not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "an integer of more than 39 digits"),
        (b'[{"size": NaN}]', "NaN, which is not JSON"),
        (b"null", "not a list"),
        (b'{"error": "no"}', "not a list"),
        (b'[{"path": "a", "path": "b"}]', "the name 'path' twice"),
        (json.dumps([FILE, LARGE]).encode(), "names 'a.bin' twice"),
    ],
)
def test_a_malformed_page_is_a_sentence(page: bytes, words: str) -> None:
    with pytest.raises(FetchError, match=f"not usable.*{words}"):
        list_of(page)


def test_a_truncated_list_is_requested_again() -> None:
    page = json.dumps([FILE]).encode()
    replies = [
        answer(page[:5], length=False, **{"Content-Length": str(len(page))}),
        answer(b"busy", "503 Service Unavailable"),
        answer(page),
    ]
    with Liar(lambda line, _: line.sendall(replies.pop(0))) as liar:
        assert [entry.path for entry in ask(liar.address)] == ["a.bin"]
    with Liar(lambda line, _: line.sendall(answer(b"", "500 No"))) as liar:
        with pytest.raises(
            FetchError, match=r"does not list someone/objects .status 500; 5 attempts"
        ):
            ask(liar.address)
        assert len(liar.requests) == listing.TRIES


HOSTILE = {
    "no digest": [{**FILE, "path": "x.tar.gz", "lfs": {"oid": "", "size": 3, "pointerSize": 1}}],
    "git": [{**FILE, "path": "box_3/.git/config"}],
    "GIT": [{**FILE, "path": "box_3/.GIT/config"}],
    "surrogate": [{**FILE, "path": "box_3/\ud800"}],
    "file and folder": [{**FILE, "path": "box_3/a"}, {**FILE, "path": "box_3/a/b/c"}],
    "deep": [{**FILE, "path": "box_3/" + "a/" * 100 + "a"}],
    "negative": [{**FILE, "path": "box_3/a", "size": -5}],
}


@pytest.mark.parametrize("lie", HOSTILE)
def test_after_a_lie_nothing_is_left_and_an_honest_hub_serves(
    checkout: Checkout, hub: HubLoopback, lie: str
) -> None:
    checkout.describe(HUB)
    tree = f"/api/datasets/{REPO}/tree/{COMMIT}"
    hub.files[tree] = json.dumps(HOSTILE[lie]).encode()
    settings = {"HF_ENDPOINT": hub.address, "HF_TOKEN": TOKEN}
    done = checkout.fetch(**settings)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert "Nothing was written" in done.stderr and not checkout.raw.exists()
    assert [path for path in hub.paths() if path != tree] == []  # nothing was asked for
    del hub.files[tree]
    assert checkout.fetch(**settings).returncode == 0
    assert checkout.visible() == EXPECTED


def test_a_second_host_never_sees_the_token_of_a_fetch(checkout: Checkout) -> None:
    checkout.describe(HUB)
    with Loopback() as other, Liar(lambda line, _: line.sendall(page)) as liar:
        page = answer(json.dumps([FILE]).encode(), Link=f'<{other.address}/p>; rel="next"')
        done = checkout.fetch(HF_ENDPOINT=liar.address, HF_TOKEN=TOKEN)
    assert done.returncode == 2 and "continues on another host" in done.stderr
    assert other.requests == [] and liar.requests[0][1]["authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in done.stderr and not checkout.raw.exists()
