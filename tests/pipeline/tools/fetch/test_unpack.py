# SPDX-License-Identifier: Apache-2.0
"""Archives of strangers: whole or not at all, bounded, and never out of their folder."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import random
import stat
import tarfile
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.tools.fetch import unpack as module
from pipeline.tools.fetch.access import UnpackRule
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout, safe_name
from pipeline.tools.fetch.unpack import settle, unpack
from tests.loopback import folder_files

FILES = {"data/a/one.txt": b"one", "data/b/two.bin": bytes(5000), "top.txt": b"top"}
RULE = UnpackRule(archives="*", files=100, bytes=1_000_000)


def tar_bytes(files: dict[str, bytes], *more: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return stream.getvalue()


def zip_bytes(files: dict[str, bytes], *links: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        for name in links:
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.fixture
def place(tmp_path: Path) -> FetchLayout:
    return FetchLayout(tmp_path / "raw")


@pytest.fixture
def opened(place: FetchLayout, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run(
        data: bytes,
        name: str = "x.tar.gz",
        rule: UnpackRule = RULE,
        stop: threading.Event | None = None,
        limit: TimeLimit | None = None,
    ) -> dict[str, Any]:
        archive = tmp_path / "archive"
        archive.write_bytes(data)
        ends = {"stop": stop or threading.Event(), "limit": limit or TimeLimit()}
        record = unpack(archive, rule, place, facts={"path": name}, **ends)
        settle(name, record, place)
        return record

    return run


def visible(place: FetchLayout) -> dict[str, bytes]:
    """Return the files outside of the working folder."""
    found = folder_files(place.root) if place.root.is_dir() else {}
    return {name: data for name, data in found.items() if not name.startswith(".fetch/")}


@pytest.mark.parametrize(
    "data",
    [tar_bytes(FILES), tar_bytes(FILES, mode="w"), tar_bytes(FILES, mode="w:xz"), zip_bytes(FILES)],
)
def test_files_come_out_as_they_went_in(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, data: bytes
) -> None:
    record = opened(data)
    assert visible(place) == FILES
    assert record["members"] == sorted(
        [name, len(content), hashlib.sha256(content).hexdigest()] for name, content in FILES.items()
    )
    assert not any(place.unpacking.iterdir())


def test_a_top_folder_is_left_out_and_another_put_before(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    rule = UnpackRule(archives="*", files=9, bytes=9999, into="{stem}", strip="{stem}")
    opened(zip_bytes({"7/mobility.urdf": b"nested"}), "7.zip", rule)
    opened(zip_bytes({"mobility.urdf": b"flat"}), "8.zip", rule)
    assert visible(place) == {"7/mobility.urdf": b"nested", "8/mobility.urdf": b"flat"}


@pytest.mark.parametrize(
    "name",
    ["../out", "a/../../out", "{tmp}/out", "a//b", "C:/out", "a\\..\\..\\out", "file:out",
     ".fetch/lock", ".FETCH/lock", ".fetched.json", "a/\x01", "a/\x9b", "x" * 256,
     ".git/config", "a/.git/hooks/x", ".GIT/config", "a/.git", ".git /x", ".git./x", ".git. ./x",
     "GIT~1/x", "a/.gi\u200ct/x", ".git::$INDEX_ALLOCATION/x"],
)  # fmt: skip
@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes])
def test_a_name_that_leads_out_refuses_the_archive(
    opened: Callable[..., dict[str, Any]],
    place: FetchLayout,
    pack: Callable[[dict[str, bytes]], bytes],
    name: str,
) -> None:
    name = name.format(tmp=place.root.parent)  # an absolute path
    with pytest.raises(FetchError, match="not a path below the source's folder"):
        opened(pack({"good.txt": b"good", name: b"bad"}))
    assert visible(place) == {} and not list(place.root.parent.glob("out"))


def test_links_and_devices_are_left_out_and_counted(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    odd = [
        special("link", tarfile.SYMTYPE, "/etc/passwd"),
        special("hard", tarfile.LNKTYPE, "a.txt"),
        special("pipe", tarfile.FIFOTYPE),
        special("device", tarfile.CHRTYPE),
    ]
    assert opened(tar_bytes({"a.txt": b"a"}, *odd))["left_out"] == 4
    assert opened(zip_bytes({"b.txt": b"b"}, "link"), "y.zip")["left_out"] == 1
    assert visible(place) == {"a.txt": b"a", "b.txt": b"b"}


def test_a_file_through_a_link_of_the_same_archive_stays_inside(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, tmp_path: Path
) -> None:
    link = special("sub", tarfile.SYMTYPE, str(tmp_path))
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(link)
        info = tarfile.TarInfo("sub/evil")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"evil"))
    opened(stream.getvalue())
    assert not (tmp_path / "evil").exists() and visible(place) == {"sub/evil": b"evil"}


def test_a_link_in_the_source_s_folder_is_not_followed(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    place.root.mkdir()
    (place.root / "data").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FetchError, match=r"exists already|through a link"):
        opened(tar_bytes(FILES))
    assert not list((tmp_path / "elsewhere").iterdir())


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


def test_of_two_members_with_one_name_the_later_counts(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for data in (b"the first", b"last"):
            info = tarfile.TarInfo("a")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    opened(stream.getvalue())
    assert visible(place) == {"a": b"last"}


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


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", tar_bytes(FILES)[:-30],
     tar_bytes({"a": random.Random(3).randbytes(9999)})[:5000], zip_bytes(FILES)[:-30],
     zip_bytes({"a": b"a" * 99, "a/b": b"b"})],
)  # fmt: skip
def test_a_broken_archive_is_a_sentence(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, data: bytes
) -> None:
    with pytest.raises(FetchError, match=r"x\.tar\.gz"):
        opened(data)
    assert visible(place) == {}


def test_the_checksum_at_the_end_of_a_tar_counts(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    data = bytearray(tar_bytes(FILES))
    data[-8] ^= 1  # of the CRC, behind everything that a tar reader needs
    with pytest.raises(FetchError, match="not a usable archive: CRC check failed"):
        opened(bytes(data))
    assert visible(place) == {}


def test_an_encrypted_zip_is_a_sentence(opened: Callable[..., dict[str, Any]]) -> None:
    data = bytearray(zip_bytes({"a": b"a"}))
    for signature, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flag] |= 1
    with pytest.raises(FetchError, match=r"password|encrypted"):
        opened(bytes(data))


def test_two_archives_may_share_folders(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    opened(tar_bytes({"objects/box/1/u": b"1"}), "a.tar.gz")
    opened(tar_bytes({"objects/box/2/u": b"2", "objects/lid/3/u": b"3"}), "b.tar.gz")
    assert len(visible(place)) == 3


def test_what_is_there_with_other_content_is_kept(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    place.root.mkdir()
    (place.root / "top.txt").write_bytes(b"mine")
    with pytest.raises(FetchError, match=r"top\.txt exists already with other content"):
        opened(tar_bytes(FILES))
    assert (place.root / "top.txt").read_bytes() == b"mine"
    (place.root / "top.txt").write_bytes(b"top")  # the same content is no conflict
    opened(tar_bytes(FILES))
    assert visible(place) == FILES


def test_a_move_that_was_interrupted_goes_on(
    opened: Callable[..., dict[str, Any]], place: FetchLayout, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, moved = Path.rename, []

    def stop_at_second(self: Path, target: Path) -> Path:
        if place.tree("x.tar.gz") in self.parents:
            moved.append(target)
            if len(moved) == 2:
                raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", stop_at_second)
    with pytest.raises(KeyboardInterrupt):
        opened(tar_bytes(FILES))
    assert not place.record("x.tar.gz").exists() and 0 < len(visible(place)) < len(FILES)
    monkeypatch.setattr(module, "_write_members", None)  # it must not be unpacked a second time
    opened(tar_bytes(FILES))
    assert visible(place) == FILES and place.record("x.tar.gz").exists()


def test_an_unpacking_that_was_interrupted_begins_again(
    opened: Callable[..., dict[str, Any]], place: FetchLayout
) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        opened(tar_bytes(FILES), stop=stop)
    (place.unfinished_tree("x.tar.gz") / "half").write_bytes(b"written")
    opened(tar_bytes(FILES))
    assert visible(place) == FILES


@pytest.mark.parametrize(
    "name", ["a", "a/b.c", "rec_x.tar.gz", ".gitattributes", "a b/c", "a.git/x", "ü. /x"]
)
def test_plain_names_are_left_alone(name: str) -> None:
    assert safe_name(name, "list") == name
