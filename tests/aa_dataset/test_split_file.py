# SPDX-License-Identifier: Apache-2.0
"""A split file: everything that scoring uses survives to the bit, and a hostile one is refused."""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.format import split_file
from aa_dataset.format.benchmark import members_digest
from aa_dataset.format.split_file import (
    SplitFile,
    SplitFileError,
    is_split_file,
    parse_split,
    read_split_file,
    split_bytes,
    write_split_file,
)
from aa_dataset.format.truth import difference, read_truths
from aa_dataset.library.exchange import compare_split, export_split
from tests.kit.library_folder import write_seal


@pytest.fixture
def split(pristine_library: Path) -> SplitFile:
    return export_split(load_dataset(pristine_library, verbose=False).catalog, "eval200")


@pytest.fixture
def content(split: SplitFile) -> dict[str, Any]:
    """Return the file as JSON, for a test to damage."""
    return dict(json.loads(split_bytes(split)))


def written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_everything_that_scoring_uses_survives_to_the_bit(
    split: SplitFile, pristine_library: Path
) -> None:
    again = parse_split(split_bytes(split))
    assert again == split
    rows = [
        pq.read_table(pristine_library / f"{n}.parquet").to_pylist() for n in ("objects", "joints")
    ]
    truths = read_truths(*rows)
    assert {member.object_id for member in again.members} == {
        "generated-cabinet", "generated-lamp", "local-stool",
    }  # fmt: skip
    for member in again.members:
        assert member.truth == truths[member.object_id]
    # An object with a mimic joint and with a screw, which this split does not hold.
    jar = replace(split, members=(replace(split.members[0], truth=_screw()),))
    assert parse_split(split_bytes(jar)) == jar


def _screw() -> Any:
    body = {"body_mass": 0.1, "body_com": [0.1, 1 / 3, 0.0], "body_inertia": [1e-9] * 9}
    lid = {
        "object_id": "x", "joint": "lid", "type": "helical", "parent": "base", "child": "lid é",
        "axis": [0.0, 0.0, 1.0], "origin": [0.1, 0.2, 0.3], "pitch": 0.1 + 0.2, "lower": -math.inf,
        "upper": 5e-324, "mimic": {"joint": "a", "multiplier": -2.0, "offset": 1 / 3}, **body,
    }  # fmt: skip
    fixed = {**lid, "joint": "f", "body_mass": None, "body_com": None, "body_inertia": None}
    row = {"object_id": "x", "is_metric": False, "extents": [1, 2, 3]}
    return read_truths([row], [lid, {**fixed, "mimic": None}])["x"]


def test_the_file_is_what_the_page_describes(content: dict[str, Any]) -> None:
    """Derived from the objects of `tests/kit/library_objects.py`."""
    assert content["format"] == "articulatearena-split" and content["format_version"] == "1"
    assert (content["name"], content["version"]) == ("eval200_1a2b3c4d", None)
    pairs = [(row["object_id"], row["content_sha256"]) for row in content["objects"]]
    assert content["members"] == members_digest(pairs)
    lamp = content["objects"][1]
    assert (lamp["source"], lamp["source_id"], lamp["license"]) == ("generated", "lamp", "CC0-1.0")
    arm, elbow, _ = lamp["joints"]
    assert (arm["type"], arm["lower"], arm["upper"]) == ("continuous", None, None)
    assert (elbow["lower"], elbow["upper"], elbow["parent"]) == (-1.0, 0.5, "arm")
    (knob,) = [one for one in content["objects"][0]["joints"] if one["joint"] == "knob_joint"]
    assert (knob["type"], knob["body_mass"], knob["mimic"]) == ("fixed", None, None)


def test_equal_splits_are_equal_bytes_in_any_order(split: SplitFile, tmp_path: Path) -> None:
    data = split_bytes(split)
    assert split_bytes(replace(split, members=split.members[::-1])) == data
    for name in ("a.json", "b.json"):
        write_split_file(split, tmp_path / name)
        assert (tmp_path / name).read_bytes() == data
    assert read_split_file(tmp_path / "a.json") == split
    lines = data.decode().splitlines()
    assert sum('"object_id"' in line for line in lines) == 3  # one object per line


def test_a_frozen_split_counts_by_its_list(frozen_library: Path) -> None:
    dataset = load_dataset(frozen_library, split="eval200", verbose=False)
    split = export_split(dataset.catalog, "eval200-v0")
    assert (split.name, split.version) == ("eval200", "eval200-v0")
    assert {member.proof for member in split.members} == {"00112233aabbccdd"}
    assert all(len(member.content_sha256) == 64 for member in split.members)
    assert split.digest == dataset.members
    again = parse_split(split_bytes(split))
    assert again == split


Change = Callable[[dict[str, Any]], object]


def field(name: str, value: object) -> Change:
    return lambda data: data.update({name: value})


def member(name: str, value: object) -> Change:
    return lambda data: data["objects"][0].update({name: value})


def joint(name: str, value: object) -> Change:
    return lambda data: data["objects"][0]["joints"][0].update({name: value})


COUPLING = {"joint": "a", "multiplier": 1.0, "offset": 0.0}
HOSTILE: dict[str, tuple[Change, str]] = {
    "other format": (field("format", "tar"), "format is 'tar'"),
    "format is a list": (field("format", []), r"format is \[\]"),
    "newer format": (field("format_version", "2"), "format version '2', this package reads '1'"),
    "no format": (lambda data: data.pop("format"), "format is None"),
    "name is a path": (field("name", "../x"), "the file.name is '../x'"),
    "name is long": (field("name", "a" * 101), "the file.name is"),
    "name is null": (field("name", None), "the file.name is None"),
    "version is any text": (field("version", "eval200-v01"), "the file.version"),
    "members is another": (field("members", "0" * 16), "its objects have the digest"),
    "members is no digest": (field("members", "G" * 16), "the file.members"),
    "unknown field": (field("note", ""), "the file has an unknown field 'note'"),
    "no objects": (lambda data: data.pop("objects"), "the file lacks the field 'objects'"),
    "objects is an object": (field("objects", {}), "the file.objects is {}"),
    "object is a number": (field("objects", [1]), r"objects\[0\] is 1, not an object"),
    "library is long": (field("library", "x" * 1001), "the file.library"),
    "surrogate": (field("library", "\ud800"), "not valid Unicode"),
    "duplicate": (lambda data: data["objects"].insert(0, data["objects"][0]), "is there twice"),
    "unsorted": (lambda data: data["objects"].reverse(), "not sorted by id"),
    "id is a path": (member("object_id", "generated-../../x"), r"objects\[0\].object_id"),
    "id of a newline": (member("object_id", "generated-a\n"), r"objects\[0\].object_id"),
    "id is long": (member("object_id", f"a-{'x' * 200}"), r"objects\[0\].object_id"),
    "source is a path": (member("source", "../raw"), r"objects\[0\].source"),
    "content is short": (member("content_sha256", "ab"), r"objects\[0\].content_sha256"),
    "proof is another content": (member("proof", "0" * 64), "neither its content_sha256 nor 16"),
    "proof is text": (member("proof", "eval200"), r"objects\[0\].proof"),
    "metric is 1": (member("is_metric", 1), r"is_metric is 1, not true or false"),
    "two extents": (member("extents", [1, 2]), "not a list of 3 numbers"),
    "extents of text": (member("extents", [1, 2, "3"]), r"extents\[2\] is '3', not a number"),
    "extents of truth": (member("extents", [1, 2, True]), r"extents\[2\] is True, not a number"),
    "joints is null": (member("joints", None), r"joints is None, not a list"),
    "joint lacks its axis": (
        lambda data: data["objects"][0]["joints"][0].pop("axis"),
        r"objects\[0\].joints\[0\] lacks the field 'axis'",
    ),
    "axis is null": (joint("axis", None), r"joints\[0\].axis is None"),
    "pitch is null": (joint("pitch", None), r"joints\[0\].pitch is None"),
    "inertia of eight": (joint("body_inertia", [1.0] * 8), "not a list of 9 numbers"),
    "name of a joint is long": (joint("joint", "j" * 1001), r"joints\[0\].joint"),
    "mimic of text": (joint("mimic", "a"), r"joints\[0\].mimic is 'a', not an object"),
    "mimic without offset": (
        joint("mimic", {k: v for k, v in COUPLING.items() if k != "offset"}),
        r"joints\[0\].mimic lacks the field 'offset'",
    ),
    "mimic of a list": (joint("mimic", {**COUPLING, "multiplier": [1]}), "mimic.multiplier"),
}  # fmt: skip


@pytest.mark.parametrize("damage", HOSTILE)
def test_a_damaged_file_is_a_sentence(content: dict[str, Any], damage: str, tmp_path: Path) -> None:
    change, problem = HOSTILE[damage]
    change(content)
    path = written(tmp_path / "s.json", content)
    with pytest.raises(SplitFileError, match=f"is not a valid split file: .*{problem}") as error:
        read_split_file(path)
    assert str(error.value).endswith(". Export it again with `aa split export`.")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "format is None"),
        ('{"format": 1, "format": 2}', "'format' twice"),
        ('{"format": NaN}', "NaN"),
        ('{"format": 1e999}', "not a finite number"),
        ("{}" + " " * split_file.MOST_BYTES, "more than 8,388,608 bytes"),
    ],
)
def test_what_is_no_json_of_a_split_is_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SplitFileError, match=problem):
        read_split_file(written(tmp_path / "s.json", text))


def test_too_many_members_are_refused_before_they_are_read(content: dict[str, Any]) -> None:
    content["objects"] = [None] * (split_file.MOST_MEMBERS + 1)
    with pytest.raises(ValueError, match="at most 10,000 entries"):
        parse_split(json.dumps(content).encode())


def test_folders_pipes_and_absent_files_are_a_sentence(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, problem in (
        ("", "Is a directory"),
        ("pipe", "not a regular file"),
        ("absent.json", "No such file"),
    ):
        with pytest.raises(SplitFileError, match=problem):
            read_split_file(tmp_path / name)


def test_a_split_that_no_file_can_hold_is_not_written(split: SplitFile, tmp_path: Path) -> None:
    truth = replace(split.members[0].truth, extents=(1.0, math.nan, 1.0))
    broken = replace(split, members=(replace(split.members[0], truth=truth),))
    with pytest.raises(SplitFileError, match="generated-cabinet has a number that is not finite"):
        write_split_file(broken, tmp_path / "s.json")
    long = replace(split, members=(replace(split.members[0], attribution="x" * 1001),))
    with pytest.raises(SplitFileError, match="attribution"):
        write_split_file(long, tmp_path / "s.json")
    with pytest.raises(SplitFileError, match="cannot be written"):
        write_split_file(split, tmp_path / "absent" / "s.json")
    assert not list(tmp_path.iterdir())


def test_huge_numbers_of_a_file_agree_with_nothing(
    content: dict[str, Any], pristine_library: Path
) -> None:
    """Their diagonal overflows to infinity, and so would the tolerance."""
    content["objects"][0]["extents"] = [1.7e308] * 3
    joints = content["objects"][1]["joints"]
    joints[0]["body_inertia"] = [1.7e308] * 9
    split = parse_split(json.dumps(content).encode())
    assert math.isinf(split.members[0].truth.diagonal)
    catalog = load_dataset(pristine_library, verbose=False).catalog
    found = compare_split(catalog, split).agreement
    assert set(found.changed) == {"generated-cabinet", "generated-lamp"}
    assert found.changed["generated-cabinet"].startswith("extents: 1.7e+308")
    assert "body_inertia" in found.changed["generated-lamp"]


def test_a_hole_in_a_vector_of_a_library_agrees_with_nothing(
    split: SplitFile, library: Path
) -> None:
    """The format has no nulls inside vectors, but a forged table may."""
    path = library / "joints.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0]["axis"][1] = None
    pq.write_table(table.from_pylist(rows, schema=table.schema), path)
    write_seal(library)
    found = compare_split(load_dataset(library, verbose=False).catalog, split).agreement
    assert list(found.changed) == ["generated-cabinet"]
    assert "axis: 0.0 0.0 1.0 listed, 0.0 nan 1.0 here" in found.changed["generated-cabinet"]


def test_every_number_of_a_file_is_compared(content: dict[str, Any]) -> None:
    """Moving any single number of a file by 1e-6 of a meter or radian makes the truths differ."""
    original = parse_split(json.dumps(content).encode())
    seen = 0
    for k, row in enumerate(content["objects"]):
        for n, one in enumerate(row["joints"]):
            for name, value in one.items():
                if not isinstance(value, float | list):
                    continue
                damaged = copy.deepcopy(content)
                moved = np.asarray(value, float) + 1e-6
                damaged["objects"][k]["joints"][n][name] = moved.tolist()
                found = parse_split(json.dumps(damaged).encode())
                assert f", {name}: " in difference(
                    original.members[k].truth, found.members[k].truth
                )
                seen += 1
    assert seen > 40


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("eval200", False),
        ("eval200-v1", False),
        ("eval200_1a2b3c4d", False),
        ("train", False),
        ("eval200.json", True),
        ("./eval200", True),
        ("folder/eval200", True),
        (Path("eval200"), True),
    ],
)
def test_a_file_is_told_from_a_name_by_its_dot_or_slash(split: str | Path, expected: bool) -> None:
    assert is_split_file(split) == expected
