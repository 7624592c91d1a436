# SPDX-License-Identifier: Apache-2.0
"""Bounds of unpacking: files, bytes, folders, headers and time."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.engine.access import UnpackRule
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout
from tests.loopback import folder_files
from tests.pipeline.tools.fetch.archives import FILES, special, tar_bytes, visible, zip_bytes


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (UnpackRule(archives="*", files=2, bytes=1_000_000), "more than 2 files"),
        (UnpackRule(archives="*", files=9, bytes=5005), "more than 5,005 bytes"),
    ],
)
def test_bounds_hold(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, rule: UnpackRule, words: str
) -> None:
    with pytest.raises(FetchError, match=words):
        opened(tar_bytes(FILES), "x.tar.gz", rule)
    assert visible(place) == {}
    opened(tar_bytes(FILES), "x.tar.gz", UnpackRule(archives="*", files=3, bytes=5006))


@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes])
def test_folders_in_folders_have_a_bound(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, pack: Callable[..., bytes]
) -> None:
    """Whoever walks the raw folder later must be able to come back."""
    with pytest.raises(FetchError, match=r"is 1,901 levels deep; at most 64 are allowed"):
        opened(pack({"good.txt": b"good", "d/" * 1900 + "a": b"a"}))
    assert visible(place) == {}
    with pytest.raises(FetchError, match="65 levels"):
        opened(pack({"d/" * 64 + "a": b"a"}))
    opened(pack({"d/" * 63 + "a": b"a"}))
    assert visible(place) == {"d/" * 63 + "a": b"a"}


def test_an_archive_of_folders_and_links_has_a_bound(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    """They make no file, but each costs time, and they pack to almost nothing."""
    folders = [special(f"d{number}", tarfile.DIRTYPE) for number in range(101)]
    links = [special(f"l{number}", tarfile.SYMTYPE, "x") for number in range(101)]
    for members in (folders, links, [tarfile.TarInfo("a")] * 101):
        with pytest.raises(FetchError, match="more than 100 files"):
            opened(tar_bytes({}, *members))
        assert visible(place) == {}
    opened(tar_bytes({}, *folders[:99], tarfile.TarInfo("a")))


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_without_end_does_not_fill_the_memory(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, kind: bytes
) -> None:
    info = special("header", kind)
    info.size = 1 << 32  # of which nothing has to be in the archive
    data = gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 16))
    with pytest.raises(FetchError, match="a header of 4,294,967,296 bytes"):
        opened(data)
    assert visible(place) == {}


@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes])
def test_a_bomb_is_stopped_near_its_bound(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, pack: Callable[..., bytes]
) -> None:
    data = pack({"bomb": bytes(60_000_000)})
    assert len(data) < 200_000
    with pytest.raises(FetchError, match="more than 1,000 bytes"):
        opened(data, "x", UnpackRule(archives="*", files=3, bytes=1000))
    assert sum(len(x) for x in folder_files(place.root).values()) < 3_000_000


@pytest.mark.parametrize(
    ("method", "words"),
    [(zipfile.ZIP_BZIP2, r"bzip2 \(method 12\)"), (zipfile.ZIP_LZMA, r"lzma \(method 14\)"),
     (199, r"an unknown method \(method 199\)")],
)  # fmt: skip
def test_a_zip_s_method_that_one_read_unpacks_whole_is_refused(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, method: int, words: str
) -> None:
    """Such a member hands out all of its bytes at the first read, however few were asked for."""
    known = method if method in zipfile.compressor_names else zipfile.ZIP_STORED
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("good.txt", b"good")
        archive.writestr("bomb", bytes(60_000_000 if known == method else 9), known)
    data = bytearray(stream.getvalue())
    data[data.rindex(b"PK\x01\x02") + 10] = method
    assert len(data) < 200_000
    tracemalloc.start()
    try:
        with pytest.raises(
            FetchError, match=f"x.zip: the member 'bomb' is compressed with {words}"
        ):
            opened(bytes(data), "x.zip")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert visible(place) == {}


def tail_bytes(size: int) -> bytes:
    """Return a tar with zeros behind its end, which pack to almost nothing."""
    return bz2.compress(tar_bytes(FILES, mode="w")) + bz2.compress(bytes(size))


def skipped_bytes(size: int) -> bytes:
    """Return a tar with a member of no known kind, whose content a reader passes over."""
    info = special("odd", b"Z")
    info.size = size
    head = info.tobuf(tarfile.GNU_FORMAT)
    return bz2.compress(head + bytes(size) + tar_bytes(FILES, mode="w"))


@pytest.mark.parametrize("pack", [tail_bytes, skipped_bytes])
def test_bytes_of_no_file_count_too(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, pack: Callable[[int], bytes]
) -> None:
    data = pack(8_000_000)
    assert len(data) < 2000
    with pytest.raises(FetchError, match="more than 6,000 bytes"):
        opened(data, "x.tar.bz2", UnpackRule(archives="*", files=4, bytes=6000))
    assert visible(place) == {}
    opened(data, "x.tar.bz2", UnpackRule(archives="*", files=4, bytes=8_006_000))
    assert visible(place) == FILES


class LateStop(threading.Event):
    """A stop that comes when it was asked for some times."""

    def __init__(self, asks: int) -> None:
        super().__init__()
        self.asks = asks

    def is_set(self) -> bool:
        self.asks -= 1
        return self.asks < 0


class LateLimit(TimeLimit):
    """A time limit that is over when it was asked for some times."""

    def __init__(self, asks: int) -> None:
        super().__init__(1)
        self.asks = asks

    def left(self) -> float:
        self.asks -= 1
        return float(max(self.asks, 0))


@pytest.mark.parametrize(
    "data",
    [tail_bytes(900_000), skipped_bytes(900_000), zip_bytes({"a": bytes(10_000_000)}),
     zip_bytes({f"{n}": b"" for n in range(40)}), zip_bytes({}, *map(str, range(40))),
     tar_bytes({"a": bytes(900_000)}), gzip.compress(b"") * 20_000 + tar_bytes(FILES)],
)  # fmt: skip
def test_a_stop_and_a_time_limit_end_every_kind_of_work(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, data: bytes
) -> None:
    rule = UnpackRule(archives="*", files=100, bytes=20_000_000)
    with pytest.raises(Interrupted):
        opened(data, "x", rule, LateStop(9))
    with pytest.raises(FetchError, match=r"time limit .* is over"):
        opened(data, "x", rule, None, LateLimit(9))
    assert visible(place) == {}
    opened(data, "x", rule)
