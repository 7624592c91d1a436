# SPDX-License-Identifier: Apache-2.0
"""Every law of a library catches the damage that it is for; a sound library breaks none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.format.schema import TABLES
from aa_dataset.library.laws import LAWS
from aa_dataset.library.laws.objects import OBJECT_LAWS
from aa_dataset.library.verify import BYTE_LAWS, Problem, verify_library
from tests.aa_dataset.test_damage import flip
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import JAR, LIBRARY_OBJECTS, SHARD, ObjectSpec
from tests.kit.places import REPOSITORY

TAR = f"assets/{SHARD}.tar"
CABINET = "generated-cabinet"


def change(library: Path, table: str, edit: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the rows of a table and seal the library again."""
    path = library / f"{table}.parquet"
    rows = pq.read_table(path).to_pylist()
    edit(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=TABLES[table]), path)
    write_seal(library)


def put(table: str, column: str, value: Any, *, row: int = 0) -> Callable[[Path], None]:
    """Return the damage of one cell; `value` may be a function of the old one."""

    def damage(library: Path) -> None:
        def edit(rows: list[dict[str, Any]]) -> None:
            old = rows[row][column]
            rows[row][column] = value(old) if callable(value) else value

        change(library, table, edit)

    return damage


def twice(table: str) -> Callable[[Path], None]:
    return lambda library: change(library, table, lambda rows: rows.append(rows[0]))


def without(table: str, row: int = 0) -> Callable[[Path], None]:
    return lambda library: change(library, table, lambda rows: rows.pop(row))


def with_column(library: Path) -> None:
    path = library / "links.parquet"
    table = pq.read_table(path)
    pq.write_table(table.append_column("extra", pa.nulls(len(table), pa.string())), path)
    write_seal(library)


def without_column(library: Path) -> None:
    path = library / "links.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["faces"]), path)
    write_seal(library)


def other_objects(*specs: ObjectSpec) -> Callable[[Path], None]:
    def damage(library: Path) -> None:
        shutil.rmtree(library)
        build_library(library, specs)

    return damage


def changed(number: int, **fields: Any) -> ObjectSpec:
    return replace(LIBRARY_OBJECTS[number], **fields)


def exclusion(first: str, second: str) -> Callable[[Path], None]:
    row = {"object_id": CABINET, "first": first, "second": second, "reason": "overlap_at_rest"}
    return lambda library: change(library, "exclusions", lambda rows: rows.append(row))


def gap(library: Path) -> None:
    """Move the second object of a tar behind a block of zeros."""
    rows = pq.read_table(library / "objects.parquet").to_pylist()
    held = sorted((row for row in rows if row["shard"] == SHARD), key=lambda row: row["offset"])
    place = held[1]["offset"]
    data = (library / TAR).read_bytes()
    (library / TAR).write_bytes(data[:place] + bytes(512) + data[place:])

    def edit(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["shard"] == SHARD and row["offset"] >= place:
                row["offset"] += 512

    change(library, "objects", edit)


def overlap(library: Path) -> None:
    def edit(rows: list[dict[str, Any]]) -> None:
        next(row for row in rows if row["object_id"] == JAR)["offset"] = 0

    change(library, "objects", edit)


def bytes_after_the_end(library: Path) -> None:
    with (library / TAR).open("ab") as stream:
        stream.write(b"hidden" + bytes(506))
    write_seal(library)


def cut_tar(library: Path) -> None:
    data = (library / TAR).read_bytes()
    (library / TAR).write_bytes(data[:-1024])
    write_seal(library)


def wrong_checksum(library: Path) -> None:
    (library / "SHA256SUMS").write_text(f"{'0' * 64}  library.json\n")


def other_cache(library: Path) -> None:
    item = load_dataset(library, verbose=False)[JAR]
    item.urdf_path.write_bytes(item.urdf_path.read_bytes() + b" ")


def other_urdf(library: Path) -> None:
    """The tables of one library with the tars of another, whose joint turns further."""
    parts = (replace(LIBRARY_OBJECTS[4].parts[0], upper=1.7),)
    other = library.parent / "other"
    build_library(other, (*LIBRARY_OBJECTS[:4], changed(4, parts=parts)))
    columns = ("offset", "size", "content_sha256")
    found = pq.read_table(other / "objects.parquet").to_pylist()
    shutil.copytree(other / "assets", library / "assets", dirs_exist_ok=True)
    for table, names in (("objects", columns), ("splits", columns[2:])):
        by_id = {row["object_id"]: {name: row[name] for name in names} for row in found}
        change(library, table, lambda rows, by_id=by_id: update(rows, by_id))


def update(rows: list[dict[str, Any]], by_id: dict[str, dict[str, Any]]) -> None:
    for row in rows:
        row.update(by_id[row["object_id"]])


def nameless(library: Path) -> None:
    put("objects", "redistribution", "assets", row=3)(library)
    put("objects", "attribution", " ", row=3)(library)


def release_with_files(library: Path) -> None:
    def edit(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            closed = row["redistribution"] == "none"
            row["redistribution"] = "annotations" if closed else "assets"

    change(library, "objects", edit)
    release(library)


def release(library: Path) -> None:
    (library / "SHA256SUMS").write_text("")


MIMIC = {"joint": "nothing", "multiplier": 1.0, "offset": 0.0}
DAMAGES: dict[str, list[Callable[[Path], object]]] = {
    "seal": [lambda p: (p / "library.json").write_text("{")],
    "files": [
        lambda p: flip(p / TAR, 600),
        lambda p: (p / TAR).unlink(),
        lambda p: (p / "links.parquet").unlink(),
    ],
    "strays": [lambda p: shutil.copy(p / TAR, p / "assets/old-0000.tar")],
    "checksums": [wrong_checksum],
    "schema": [with_column, without_column],
    "agreement": [twice("objects"), lambda p: write_seal(p, objects=6)],
    "revision": [lambda p: write_seal(p, revision="0" * 16)],
    "contents": [
        lambda p: (flip(p / TAR, 520), write_seal(p)),
        lambda p: (flip(p / TAR, 5), write_seal(p)),
        put("objects", "content_sha256", "0" * 64),
    ],
    "cache": [other_cache],
    "ids": [put("objects", "source", "another")],
    "owners": [put(table, "object_id", "generated-ghost") for table in ("links", "splits")],
    "unique": [twice(table) for table in ("links", "joints", "splits", "categories")],
    "link_counts": [without("links"), put("objects", "links", 9)],
    "joint_counts": [
        put("objects", "joints_helical", 3),
        put("objects", "joints_movable", 7),
        without("joints"),
    ],
    "ends": [put("joints", "parent", "nowhere"), exclusion("door", "ghost"), exclusion("b", "a")],
    "trees": [
        put("objects", "depth", 8),
        put("joints", "parent", lambda _: "door"),
        put("joints", "type", "ball"),
    ],
    "axes": [put("joints", "axis", [0.0, 0.0, 2.0]), put("joints", "axis", [0.0, 0.0, 1.0], row=3)],
    "ranges": [
        put("joints", "lower", 5.0),
        put("joints", "upper", float("nan")),
        put("joints", "pitch", 0.1),
    ],
    "twists": [
        put("joints", "screw", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        put("joints", "endpoint_upper", None),
        put("joints", "endpoint_upper", lambda old: [1.001 * x for x in old]),
        put("joints", "origin", lambda old: [old[0] + 1e-6, *old[1:]]),
    ],
    "couplings": [put("joints", "mimic", MIMIC)],
    "masses": [
        put("links", "mass", 0.0),
        put("links", "inertia", [1.0, 0, 0, 0, 1.0, 0, 0, 0, 3.0]),
        put("joints", "body_mass", float("inf")),
    ],
    "boxes": [
        put("links", "bounds_lower", [2.0, 0.0, 0.0]),
        put("links", "bounds_upper", None),
        put("objects", "extents", [1.0, -1.0, 1.0]),
        put("objects", "floor_z", float("-inf")),
    ],
    "sizes": [
        put("objects", "extents", [0.6, 0.4, 0.80001]),
        put("objects", "floor_z", -0.39999),
        put("links", "bounds_lower", [-0.30001, -0.2, -0.4]),
        put("links", "bounds_upper", [0.3, 0.2, 0.40001]),
    ],
    "severities": [
        lambda p: change(
            p,
            "findings",
            lambda rows: rows.append(
                {
                    "object_id": JAR,
                    "stage": "verify",
                    "code": "x",
                    "severity": "grave",
                    "detail": "y",
                }
            ),
        )
    ],
    "splits": [
        without("splits"),
        lambda p: change(
            p,
            "splits",
            lambda rows: rows.append(
                {**next(r for r in rows if r["split"] == "train"), "split": "eval200_1a2b3c4d"}
            ),
        ),
    ],
    "split_contents": [put("splits", "content_sha256", "1" * 64)],
    "categories": [put("objects", "supercategory", "food"), without("categories")],
    "category_counts": [
        put("categories", "objects", 4),
        put("categories", "by_source", {"generated": 7}),
    ],
    "rejects": [put("rejects", "object_id", JAR)],
    "terms": [put("objects", "redistribution", word, row=4) for word in ("assets", "yes")],
    "credits": [nameless],
    "released": [release, release_with_files],
    "places": [gap, overlap],
    "tar_ends": [bytes_after_the_end, cut_tar],
    "object_files": [
        other_objects(changed(0, extra_files={"preview.png": None})),
        other_objects(changed(0, extra_files={"preview_parts.png": None})),
        put("objects", "preview_backend", None),
        other_objects(changed(0, extra_files={"meshes/door.obj": None})),
    ],
    "urdf": [other_urdf],
}
RULES = {
    **dict(BYTE_LAWS),
    **{law.code: law.rule for law in LAWS},
    **dict(OBJECT_LAWS),
}
CASES = [(law, number) for law, damages in DAMAGES.items() for number in range(len(damages))]


def problems(library: Path) -> list[Problem]:
    return list(verify_library(library))


def test_a_sound_library_breaks_no_law(pristine_library):
    assert problems(pristine_library) == []


@pytest.mark.parametrize(("law", "number"), CASES)
def test_a_law_catches_its_damage(library, law, number):
    DAMAGES[law][number](library)
    found = problems(library)
    assert law in {one.law for one in found}, found
    assert all(one.law in RULES and "\n" not in one.sentence for one in found)


def test_every_law_has_a_damage_and_a_line_in_the_documentation():
    assert {*DAMAGES} == {*RULES}
    text = (REPOSITORY / "docs/laws.md").read_text()
    absent = [law for law, rule in RULES.items() if f"| `{law}` | {rule} |" not in text]
    assert absent == []


def test_a_broken_law_is_named_and_gives_status_one(library, capsys):
    put("objects", "depth", 8)(library)
    put("joints", "axis", [0.0, 0.0, 2.0])(library)
    assert main(["verify", str(library)]) == 1
    out = capsys.readouterr().out
    assert f"'{CABINET}': objects states depth 8, the joints have" in out
    assert f"'{CABINET} door_joint': the axis is not of length 1" in out
    assert main(["verify", str(library), "--json"]) == 1
    laws = {one["law"] for one in json.loads(capsys.readouterr().out)["problems"]}
    assert {"trees", "axes"} <= laws


def test_sizes_follow_from_the_links_that_have_boxes(library):
    """Links in any order, each with a part of the box; links and objects without one."""

    def edit(rows: list[dict[str, Any]]) -> None:
        own = [row for row in rows if row["object_id"] == CABINET]
        for row in own:
            row |= {"bounds_lower": [-0.1, -0.1, -0.1], "bounds_upper": [0.1, 0.1, 0.1]}
        own[0] |= {"bounds_lower": [-0.3, -0.1, -0.1], "bounds_upper": [0.1, 0.1, 0.4]}
        own[1] |= {"bounds_lower": [-0.1, -0.2, -0.4], "bounds_upper": [0.3, 0.2, 0.1]}
        for row in rows:
            if row["object_id"] == JAR or row is own[2]:
                row |= {"bounds_lower": None, "bounds_upper": None}
        rows.reverse()

    change(library, "links", edit)
    assert [one for one in problems(library) if one.law == "sizes"] == []
    put("objects", "floor_z", -0.1)(library)
    found = [one.sentence for one in problems(library) if one.law == "sizes"]
    assert len(found) == 1 and f"'{CABINET}': floor_z is not the lowest" in found[0]


def test_many_broken_rows_are_one_line_with_examples(library):
    def edit(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["mass"] = -1.0

    change(library, "links", edit)
    found = [one.sentence for one in problems(library) if one.law == "masses"]
    count = len(pq.read_table(library / "links.parquet"))
    assert len(found) == 1 and f"and {count - 5} more: mass or inertia" in found[0]
