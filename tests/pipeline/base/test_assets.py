# SPDX-License-Identifier: Apache-2.0
"""Asset tars: any tar reader opens them, a byte range is one object, no clock inside."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.assets import AssetRange, AssetWriter, pack, read_fragment, read_range, unpack
from pipeline.base.errors import DamagedFileError

# A folder is never called as a file is, and no file as a device of Windows, such as `aux`.
FILES = st.dictionaries(
    st.from_regex(r"q[a-z0-9_]{0,20}x|f_[a-z0-9_]{1,20}f/q[a-z0-9_.]{0,20}x", fullmatch=True),
    st.binary(max_size=1500),
    min_size=1,
    max_size=6,
)


def written(path: Path, objects: dict[str, dict[str, bytes]]) -> dict[str, AssetRange]:
    """Write an asset tar and return where each object lies."""
    with path.open("wb") as stream:
        writer = AssetWriter(stream)
        places = {key: writer.append(pack(key, files)) for key, files in objects.items()}
        writer.close()
    return {key: AssetRange(path, *place) for key, place in places.items()}


@given(FILES)
def test_what_is_packed_is_unpacked(files: dict[str, bytes]) -> None:
    assert unpack(pack("object", files)) == files


@given(FILES)
def test_a_fragment_does_not_depend_on_the_order_of_its_files(files: dict[str, bytes]) -> None:
    assert pack("object", dict(reversed(files.items()))) == pack("object", files)


def test_the_standard_library_alone_reads_a_tar_and_finds_no_clock(tmp_path: Path) -> None:
    objects = {"a-1": {"object.urdf": b"<robot/>", "meshes/m.obj": b"v"}, "a-2": {"x": b"\0" * 513}}
    written(tmp_path / "t.tar", objects)
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(tmp_path / "t.tar", "r:") as tar:
        for member in tar:
            assert (member.mtime, member.mode, member.uid, member.gid) == (0, 0o644, 0, 0)
            assert (member.uname, member.gname) == ("", "")
            stream = tar.extractfile(member)
            assert stream is not None
            key, name = member.name.split("/", 1)
            found.setdefault(key, {})[name] = stream.read()
    assert found == objects


def test_the_tar_command_lists_it_without_complaint(tmp_path: Path) -> None:
    written(tmp_path / "t.tar", {"a-1": {"object.urdf": b"<robot/>"}, "a-2": {"x": b"y"}})
    listed = subprocess.run(
        ["tar", "--list", "--file", tmp_path / "t.tar"], capture_output=True, check=True, text=True
    )
    assert listed.stdout.split() == ["a-1/object.urdf", "a-2/x"]
    assert listed.stderr == ""


def test_a_byte_range_is_one_object_and_the_ranges_tile_the_file(tmp_path: Path) -> None:
    objects = {f"o-{n}": {"a": b"x" * n, "b/c": bytes(n)} for n in (0, 1, 511, 512, 513, 5000)}
    places = written(tmp_path / "t.tar", objects)
    position = 0
    for key, where in places.items():
        assert where.offset == position
        assert where.size % 512 == 0
        assert read_range(where) == objects[key]
        # The range alone, without our reader: a tar that ends early is still a tar.
        with tarfile.open(fileobj=io.BytesIO(read_fragment(where) + bytes(1024))) as tar:
            assert {name.split("/")[0] for name in tar.getnames()} == {key}
        position += where.size
    assert (tmp_path / "t.tar").stat().st_size == position + 1024


def test_the_longest_names_of_the_library_fit() -> None:
    key = "source_name-" + "x" * 107
    name = "meshes/" + "l" * 51 + "-collision_63.obj"
    assert unpack(pack(key, {name: b"v"})) == {name: b"v"}


def test_a_name_that_no_tar_header_holds_is_an_error_not_a_cut() -> None:
    with pytest.raises(ValueError, match="long"):
        pack("x" * 400, {"a": b""})


def test_a_tar_that_was_cut_off_is_removed_with_a_sentence(tmp_path: Path) -> None:
    places = written(tmp_path / "t.tar", {"a-1": {"x": b"y" * 900}, "a-2": {"x": b"y" * 900}})
    with (tmp_path / "t.tar").open("r+b") as stream:
        stream.truncate(places["a-2"].offset + 600)
    assert read_range(places["a-1"]) == {"x": b"y" * 900}
    with pytest.raises(DamagedFileError, match=r"t\.tar is damaged .* `make library`"):
        read_range(places["a-2"])
    assert not (tmp_path / "t.tar").exists()
