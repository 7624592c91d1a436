# SPDX-License-Identifier: Apache-2.0
"""Foreign archives: unpacked whole or not at all, and never out of their folder."""

from __future__ import annotations

import hashlib
import io
import random
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.engine.access import UnpackRule
from pipeline.tools.fetch import unpack as module
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout, safe_name
from tests.pipeline.tools.fetch.archives import FILES, special, tar_bytes, visible, zip_bytes


@pytest.mark.parametrize(
    "data",
    [tar_bytes(FILES), tar_bytes(FILES, mode="w"), tar_bytes(FILES, mode="w:xz"), zip_bytes(FILES)],
)
def test_files_are_unpacked_unchanged(
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


def test_an_interrupted_move_continues(
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
