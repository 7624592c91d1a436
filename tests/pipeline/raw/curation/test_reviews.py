# SPDX-License-Identifier: Apache-2.0
"""Human verdicts: a bad row stops before the first job and names its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import ConfigError
from pipeline.raw.curation.reviews import HEAD, load_reviews, read_slice, unknown_objects


def write(folder: Path, *lines: str) -> Path:
    path = folder / "reviews.tsv"
    path.write_text("\n".join((HEAD, *lines)) + "\n")
    return path


def test_rows_are_read_with_their_line(tmp_path: Path) -> None:
    path = write(tmp_path, "s-a\tnote\tone", "", "s-b\texclude\ttwo")
    assert [(r.line, r.object_id, r.action, r.why) for r in load_reviews(path)] == [
        (2, "s-a", "note", "one"),
        (4, "s-b", "exclude", "two"),
    ]


@pytest.mark.parametrize(
    "line",
    ["s-a", "s-a\tnote", "s-a exclude why", "s-a\tdelete\twhy", "s-a\tnote\tx\ty", "\tnote\twhy",
     "s-a\tnote\t ", "s-a\tNOTE\twhy"],
)  # fmt: skip
def test_a_malformed_row_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    path = write(tmp_path, "s-b\tnote\tfine", line)
    with pytest.raises(ConfigError) as caught:
        load_reviews(path)
    assert f"reviews.tsv, line 3: {line!r}" in str(caught.value)


def test_all_malformed_rows_are_reported_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "x", "s-b\tnote\tfine", "y")
    with pytest.raises(ConfigError) as caught:
        load_reviews(path)
    told = str(caught.value).splitlines()
    assert [("line 2" in t, "line 4" in t) for t in told] == [(True, False), (False, True)]


@pytest.mark.parametrize("data", [b"", b"id\taction\twhy\n", b"\xff\xfe\n"])
def test_a_file_without_its_head_or_in_another_encoding_is_refused(
    tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "reviews.tsv"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"reviews\.tsv"):
        load_reviews(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_reviews(tmp_path / "absent.tsv")


def test_rows_about_unknown_objects_are_reported_except_those_of_absent_sources(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "s-a\tnote\tx", "s-gone\tnote\tx", "later-1\tnote\tx", "odd\tnote\tx")
    told = unknown_objects(load_reviews(path), {"s-a"}, ["later"], path)
    assert ["line 3" in told[0], "'s-gone'" in told[0], "line 5" in told[1]] == [True] * 3
    assert len(told) == 2


def test_a_slice_is_read_by_object(tmp_path: Path) -> None:
    path = tmp_path / "slice.tsv"
    path.write_text("s-a\tnote\tone\ns-b\texclude\ttwo\ns-a\tnote\tthree\n")
    assert read_slice(path) == {
        "s-a": [("note", "one"), ("note", "three")],
        "s-b": [("exclude", "two")],
    }
