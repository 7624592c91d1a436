# SPDX-License-Identifier: Apache-2.0
"""Which part of the version a change of a release raises, in Croissant's meaning."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset.format.layout import LibraryLayout
from pipeline.base.errors import PipelineError
from pipeline.tools.release.command import main, raised
from pipeline.tools.release.compare import VersionPart, changes
from tests.kit import releases
from tests.kit.releases import SAMPLE, change_rows

Row = dict[str, Any]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose `release/` the tests copy and change."""
    from tests.kit.places import REPOSITORY

    folder = tmp_path_factory.mktemp("release")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        shutil.copytree(REPOSITORY / "taxonomy", "taxonomy")
        releases.write_library(releases.specs())
        releases.publish(version="1.2.3")
    return folder


@pytest.fixture
def pair(made: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Return two equal releases."""
    for name in ("old", "new"):
        shutil.copytree(made / "release", tmp_path / name)
    return tmp_path / "old", tmp_path / "new"


def found(old: Path, new: Path) -> dict[VersionPart, list[str]]:
    """Return the reasons by part."""
    out: dict[VersionPart, list[str]] = {}
    for change in changes(LibraryLayout(old), LibraryLayout(new)):
        out.setdefault(change.part, []).append(change.reason)
    return out


def without(key: str) -> Callable[[Row], Row | None]:
    """Return what drops the rows of an object."""
    return lambda row: None if row["object_id"] == key else row


def edit(root: Path, name: str, key: str, **values: Any) -> None:
    """Change cells in the rows of an object."""
    change_rows(root, name, lambda row: row | values if row["object_id"] == key else row)


def set_column(root: Path, name: str, field: pa.Field, *, drop: bool = False) -> None:
    """Replace, add or drop a column."""
    path = root / f"{name}.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index(field.name)
    if drop:
        table = table.drop_columns([field.name])
    elif place < 0:
        table = table.append_column(field, pa.nulls(len(table), field.type))
    else:
        table = table.set_column(place, field, table[field.name].cast(field.type))
    pq.write_table(table, path)


def drop_object(root: Path, key: str) -> None:
    """Take an object out of every table."""
    for name in ("objects", "links", "joints", "findings", "exclusions", "splits"):
        change_rows(root, name, without(key))


def meaning(root: Path, name: str, column: str) -> pa.Field:
    return pq.read_schema(root / f"{name}.parquet").field(column)


def test_equal_releases_raise_nothing(pair: tuple[Path, Path]) -> None:
    assert found(*pair) == {}


def test_another_card_raises_the_patch(pair: tuple[Path, Path]) -> None:
    path = pair[1] / "SHA256SUMS"
    path.write_text(path.read_text().replace("  README.md", "0  README.md", 1))
    assert found(*pair) == {VersionPart.PATCH: ["1 files differ in their bytes (README.md)."]}


CHANGES: dict[str, tuple[VersionPart, str, Callable[[Path, Path], None]]] = {
    "a moved axis": (
        VersionPart.MAJOR, "joints: .* changed",
        lambda old, new: edit(new, "joints", "generated-a", axis=[1.0, 0.0, 0.0], pitch=0.5)),
    "an object that is gone": (
        VersionPart.MAJOR, r"objects: 1 row is \(generated-b\) gone",
        lambda old, new: drop_object(new, "generated-b")),
    "an object more in train": (
        VersionPart.MAJOR, r"split train: 1 row is \(generated-b\) new in it",
        lambda old, new: drop_object(old, "generated-b")),
    "an object that changes its split": (
        VersionPart.MAJOR, r"split train: 1 row is \(generated-a\) out",
        lambda old, new: edit(new, "splits", "generated-a", split=SAMPLE)),
    "a split that is new, with its own objects": (
        VersionPart.MINOR, "split near_duplicates_in_neither: the split is new",
        lambda old, new: [drop_object(old, key) for key in ("generated-f", "local-i")] and None),
    "a joint more in an old object": (
        VersionPart.MAJOR, "joints: .* new in objects that were here",
        lambda old, new: change_rows(old, "joints", lambda row: None if (
            row["object_id"] == "generated-a" and row["joint"] == "door_joint") else row)),
    "a column more": (
        VersionPart.MINOR, "joints.wear: the column is new",
        lambda old, new: set_column(new, "joints", pa.field("wear", pa.float64()))),
    "a column less": (
        VersionPart.MAJOR, "joints.effort: the column is gone",
        lambda old, new: set_column(new, "joints", pa.field("effort", pa.float64()), drop=True)),
    "another type": (
        VersionPart.MAJOR, "links.faces: the type is int64",
        lambda old, new: set_column(new, "links", pa.field("faces", pa.int64(), nullable=False))),
    "another unit": (
        VersionPart.MAJOR, "links.mass: the unit is 'g', it was 'kg'",
        lambda old, new: set_column(new, "links", meaning(new, "links", "mass").with_metadata(
            {"unit": "g", "meaning": "mass at the configured density"}))),
    "other words for a column": (
        VersionPart.PATCH, "links.mass: the column is described in other words",
        lambda old, new: set_column(new, "links", meaning(new, "links", "mass").with_metadata(
            {"unit": "kg", "meaning": "how heavy it is"}))),
    "values that may be missing": (
        VersionPart.MAJOR, "links.faces: a value may be missing",
        lambda old, new: set_column(new, "links", meaning(new, "links", "faces").with_nullable(
            True))),
    "a table less": (
        VersionPart.MAJOR, "exclusions: the table is gone",
        lambda old, new: (new / "exclusions.parquet").unlink()),
    "a table more": (
        VersionPart.MINOR, "exclusions: the table is new",
        lambda old, new: (old / "exclusions.parquet").unlink()),
    "a reject more": (
        VersionPart.MINOR, r"rejects: 1 row is \(generated-broken normalize\) new",
        lambda old, new: change_rows(old, "rejects", lambda row: None)),
    "files that are gone": (
        VersionPart.MAJOR, r"assets: the files of 1 row is \(generated-a\) gone",
        lambda old, new: edit(new, "objects", "generated-a", shard=None, offset=None, size=None)),
    "files that came": (
        VersionPart.MINOR, r"assets: the files of 1 row is \(generated-a\) new",
        lambda old, new: edit(old, "objects", "generated-a", shard=None, offset=None, size=None)),
    "another place of the same files": (
        VersionPart.NONE, "",
        lambda old, new: edit(new, "objects", "generated-a", shard="eval200", offset=512)),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_raises_its_part_and_says_why(pair: tuple[Path, Path], case: str) -> None:
    part, reason, change = CHANGES[case]
    change(*pair)
    reasons = found(*pair)
    assert max(reasons, default=VersionPart.NONE) is part
    assert not reason or any(re.search(reason, one) for one in reasons[part])


def test_the_parts_are_raised_as_in_semantic_versioning() -> None:
    assert [raised((1, 2, 3), part) for part in VersionPart] == [
        (1, 2, 3), (1, 2, 4), (1, 3, 0), (2, 0, 0)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "code"), [("1.2.3", 1), ("1.2.9", 1), ("1.3.0", 0), ("2.0.0", 0), ("0.9.0", 1)]
)
def test_the_command_compares_the_stated_version(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str], stated: str, code: int
) -> None:
    old, new = pair
    set_column(new, "joints", pa.field("wear", pa.float64()))
    path = new / "croissant.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": stated}))
    assert main(["--previous", str(old), "--release", str(new)]) == code
    said = capsys.readouterr().out
    assert "minor  joints.wear: the column is new." in said
    assert "must be at least 1.3.0" in said
    assert ("publish.version" in said) == bool(code)
    assert main(["--previous", str(old), "--release", str(new), "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert (told["raise"], told["least"], told["enough"]) == ("minor", "1.3.0", not code)


def test_an_older_release_states_its_version_in_the_card(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (pair[0] / "croissant.json").unlink()
    assert main(["--previous", str(pair[0]), "--release", str(pair[1])]) == 0
    assert "previous release 1.2.3" in capsys.readouterr().out


def test_a_folder_that_is_no_release_is_a_sentence(pair: tuple[Path, Path]) -> None:
    (pair[0] / "joints.parquet").write_bytes(b"no table")
    with pytest.raises(PipelineError, match="cannot be read"):
        main(["--previous", str(pair[0]), "--release", str(pair[1])])
    with pytest.raises(PipelineError, match="is no release"):
        main(["--previous", str(pair[0] / "assets"), "--release", str(pair[1])])
    assert (pair[0] / "joints.parquet").is_file()
