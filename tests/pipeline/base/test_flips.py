# SPDX-License-Identifier: Apache-2.0
"""A flipped bit between two stages: the next one reports it, and no seal covers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.base import layout
from pipeline.base.assets import (
    AssetRange,
    asset_ranges,
    pack,
    read_fragment,
    require_content,
    unpack,
)
from pipeline.base.errors import DamagedFileError
from pipeline.base.records import read_records
from pipeline.engine.config import load_config
from pipeline.handover.annotated import AnnotatedFacts
from pipeline.stages.manifest.stage import run as make_manifest
from pipeline.stages.publish.stage import run as publish
from pipeline.stages.split.stage import run as choose_split
from tests.kit import small_build

STAGES = {"manifest": make_manifest, "split": choose_split, "publish": publish}


def flip(path: Path, mark: bytes, after: int) -> None:
    """Flip the lowest bit of the byte at a distance after a mark."""
    data = bytearray(path.read_bytes())
    data[data.index(mark) + after] ^= 1
    path.write_bytes(data)


ANNOTATE, RENDER = "work/annotate/generated/0000", "work/render/generated/0000"
TAR, SPOT = "library/assets/generated-0000.tar", b"object.urdf"
# The file, a mark in it, the place of the flip behind the mark, the stage that must see it.
FLIPS = {
    "a file of annotate": (f"{ANNOTATE}.tar", SPOT, 600, "manifest"),
    "a header of annotate": (f"{ANNOTATE}.tar", SPOT, 124, "manifest"),
    "the filling of annotate": (f"{ANNOTATE}.tar", b"</robot>\n", 10, "manifest"),
    "a picture": (f"{RENDER}.tar", b"preview.png", 520, "manifest"),
    "a header of render": (f"{RENDER}.tar", b"preview.png", 60, "manifest"),
    "a table of annotate": (f"{ANNOTATE}.parquet", b"PAR1", 200, "manifest"),
    "a table of render": (f"{RENDER}.parquet", b"PAR1", 60, "manifest"),
    "a file of the library before its seal": (TAR, SPOT, 600, "split"),
    "a picture of the library before its seal": (TAR, b"preview.png", 520, "split"),
    "a table of the library before its seal": ("library/links.parquet", b"PAR1", 300, "split"),
    "a file of the library before its release": (TAR, SPOT, 600, "publish"),
    "a table before the release": ("library/joints.parquet", b"PAR1", 300, "publish"),
}


@pytest.mark.parametrize("case", FLIPS)
def test_the_next_stage_sees_a_flip_and_seals_nothing(copied: Path, case: str) -> None:
    name, mark, after, stage = FLIPS[case]
    flip(Path(name), mark, after)
    seals = [layout.LIBRARY / "library.json", layout.RELEASE / "library.json"]
    before = [path.read_bytes() for path in seals]
    with pytest.raises(DamagedFileError, match=rf"{name} is damaged .* `make library` makes it"):
        STAGES[stage](small_build.library_job(stage, load_config()))
    assert not Path(name).exists()
    assert [path.read_bytes() for path in seals] == before


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_marks_that_are_damaged_are_removed(copied: Path, text: str) -> None:
    marks = layout.WORK / "manifest" / "marks.json"
    marks.write_text(text)
    with pytest.raises(DamagedFileError, match=r"marks\.json is damaged"):
        choose_split(small_build.library_job("split", load_config()))
    assert not marks.exists()


def test_marks_are_those_of_the_files(copied: Path) -> None:
    marks = json.loads((layout.WORK / "manifest" / "marks.json").read_bytes())
    seal = json.loads((layout.LIBRARY / "library.json").read_bytes())
    assert {name: mark for name, mark in seal["files"].items() if name in marks} == marks
    assert set(seal["files"]) - set(marks) == {"splits.parquet"}


def test_a_range_is_compared_with_the_digest_of_its_record(copied: Path) -> None:
    path = Path(f"{ANNOTATE}.tar")
    records = read_records(path.with_suffix(".parquet"), AnnotatedFacts)
    places = asset_ranges(path.with_suffix(".parquet"), path)
    assert list(places) == list(records)
    for key, where in places.items():
        require_content(where, read_fragment(where), records[key].content_sha256)
    first, *_, last = places.values()
    data = bytearray(path.read_bytes())
    data[last.offset + 700] ^= 4
    path.write_bytes(data)
    assert read_fragment(first)
    with pytest.raises(DamagedFileError, match="is not what was written"):
        read_fragment(last)


def test_files_that_the_tables_do_not_vouch_for_are_not_packed(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    fragment = pack("a-1", {"object.urdf": b"<robot/>"})
    path.write_bytes(fragment)
    with pytest.raises(DamagedFileError, match="has files that do not match"):
        require_content(AssetRange(path, 0, len(fragment)), fragment, "0" * 64)
    assert not path.exists()


def test_a_fragment_that_is_no_object_is_a_value_error() -> None:
    fragment = pack("a-1", {"a": b"1", "b": b"2"})
    for broken in (fragment[:512], fragment[:1536], fragment * 2, fragment + bytes(512), b""):
        with pytest.raises(ValueError, match=r"ends|twice|truncated"):
            unpack(broken)
