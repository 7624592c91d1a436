# SPDX-License-Identifier: Apache-2.0
"""The frozen benchmark: checked against a library, never resampled, and rebuildable by anyone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.truth import read_truths
from pipeline.base.assets import AssetRange, pack
from pipeline.base.errors import PipelineError
from pipeline.base.tables import write_table
from pipeline.engine.config import load_config
from pipeline.engine.runner import Task
from pipeline.engine.settings import Config
from pipeline.generate.emit import emit, object_files
from pipeline.raw.records import Found
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.stage import AnnotateInput, annotate
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from pipeline.stages.split.frozen import (
    FrozenList,
    frozen_members,
    frozen_versions,
    list_files,
    list_paths,
    read_frozen,
    recognize,
)
from pipeline.stages.split.stage import choose_evaluations
from pipeline.tools.freeze import freeze
from tests.kit.places import REPOSITORY

FROZEN = read_frozen(frozen_versions()[-1])
Row = dict[str, Any]


def rebuilt(identifier: str, root: Path, config: Config) -> tuple[Row, list[Row]]:
    """Make one generated object from its id; return its row of `objects` and of `joints`."""
    name = identifier.removeprefix("generated-")
    family, index = name.rsplit("_", 1)
    seed = config.generated.seed
    emit(root, name, files=object_files(family, int(index), seed=seed))
    facts = replace(config.sources["generated"].facts, folder=str(root))
    task = Task(identifier, IngestInput("generated", facts, Found(name, (name,)), "", None))
    raw = ingest(task, config).record
    normal = normalize(Task(identifier, NormalizeInput(root, raw)), config)
    fragment = pack(identifier, normal.files or {})
    (root / f"{name}.tar").write_bytes(fragment)
    where = AssetRange(root / f"{name}.tar", 0, len(fragment))
    given = AnnotateInput(ObjectFacts(normal.record, raw.source, raw.parts), where)
    done = annotate(Task(identifier, given), config).record.to_row()
    told = {key: getattr(normal.record, key) for key in ("is_metric", "extents")}
    told |= {"object_id": identifier, "content_sha256": done["content_sha256"]}
    return told, [{"object_id": identifier, **joint} for joint in done["joints"]]


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(REPOSITORY)
    return load_config()


def test_the_frozen_list_has_two_hundred_objects_and_every_type_of_joint() -> None:
    assert len(FROZEN.contents) == 200
    assert frozen_members() == FROZEN.contents
    assert all(identifier.startswith("generated-") for identifier in FROZEN.contents)
    kinds = {joint["type"] for truth in FROZEN.truths.values() for joint in truth.joints}
    assert kinds == {"fixed", "revolute", "continuous", "prismatic", "helical"}


def part_of(frozen: FrozenList, members: list[str]) -> FrozenList:
    """Return a list of some of the members."""
    contents = {key: frozen.contents[key] for key in members}
    return FrozenList(frozen.version, contents, {key: frozen.truths[key] for key in members})


# Every twentieth object in the daily run; the slow run takes all of them.
@pytest.mark.parametrize("identifier", sorted(FROZEN.contents)[::20])
def test_a_frozen_object_can_be_rebuilt_to_the_byte(
    identifier: str, tmp_path: Path, config: Config
) -> None:
    facts, joints = rebuilt(identifier, tmp_path, config)
    found = recognize(part_of(FROZEN, [identifier]), [facts], joints)
    assert (found.by_bytes, found.by_numbers, found.problem) == (1, 0, "")


@pytest.mark.slow
def test_the_whole_frozen_split_can_be_rebuilt(tmp_path: Path, config: Config) -> None:
    made = [rebuilt(identifier, tmp_path, config) for identifier in FROZEN.contents]
    joints = [joint for _, rows in made for joint in rows]
    found = recognize(FROZEN, [facts for facts, _ in made], joints)
    assert (found.by_bytes, found.by_numbers, found.problem) == (200, 0, "")


def library_rows() -> tuple[list[Row], list[Row]]:
    """Return rows of a library that holds the frozen objects, as far as the stage reads them."""
    objects, joints = [], []
    for key, truth in FROZEN.truths.items():
        facts = {"category": "box", "supercategory": "Tools", "is_metric": truth.is_metric}
        content = {"object_id": key, "content_sha256": FROZEN.contents[key]}
        content |= {"source": "generated"}
        objects.append({**facts, **content, "extents": list(truth.extents)})
        joints += [{"object_id": key, "motion_alpha": 1.0, **table_row(j)} for j in truth.joints]
    return objects, joints


def table_row(joint: Any) -> Row:
    """Return a joint of the list as the table has it."""
    vectors = ("axis", "origin", "body_com", "body_inertia")
    row = {
        name: value if isinstance(value, str | None) or name in vectors else value[0]
        for name, value in joint.items()
    }
    mimic = {key: row.pop(f"mimic_{key}") for key in ("joint", "multiplier", "offset")}
    return row | {"mimic": mimic if mimic["joint"] else None}


def test_a_generated_library_with_all_members_gets_the_list_alone(config: Config) -> None:
    objects, joints = library_rows()
    more = [objects[0] | {"object_id": f"generated-{n}", "content_sha256": "x"} for n in range(500)]
    (chosen,) = choose_evaluations([*more, *objects], joints, config.split).splits
    assert chosen.name == "eval200"
    assert set(chosen.reasons) == set(FROZEN.contents)
    assert chosen.benchmark is not None
    assert chosen.benchmark.version == FROZEN.version
    assert chosen.benchmark.digest == FROZEN.digest
    assert "200 objects agree by bytes and 0 by numbers" in chosen.remarks[0]
    assert FROZEN.version in chosen.remarks[0]


def test_a_library_of_other_bytes_and_the_same_numbers_gets_the_list_with_a_notice(
    config: Config,
) -> None:
    objects, joints = library_rows()
    for row in objects[:7]:
        row["content_sha256"] = "0" * 64
    (chosen,) = choose_evaluations(objects, joints, config.split).splits
    assert chosen.name == "eval200"
    assert "193 objects agree by bytes and 7 by numbers" in chosen.remarks[0]


@pytest.mark.parametrize("damage", ["absent", "changed"])
def test_a_library_that_lacks_one_object_samples_under_another_name(
    config: Config, damage: str
) -> None:
    objects, joints = library_rows()
    first = objects[0]["object_id"]
    if damage == "absent":
        objects, joints = objects[1:], [row for row in joints if row["object_id"] != first]
    else:
        joints[0]["upper"] += 0.1
    (chosen,) = choose_evaluations(objects, joints, config.split).splits
    assert chosen.name.startswith("eval200_")
    assert chosen.benchmark is None
    assert f"is no version: 1 of the 200 objects of {FROZEN.version}" in chosen.remarks[0]
    assert first in chosen.remarks[0]


def write_library(root: Path, rows: tuple[list[Row], list[Row]]) -> LibraryLayout:
    """Write the two tables that freezing reads, with nothing in the columns it does not read."""
    place = LibraryLayout(root)
    root.mkdir()
    for name, table in zip(("objects", "joints"), rows, strict=True):
        names = set.union(*(set(row) for row in table))
        schema = TABLES[name]
        for index, field in reversed(list(enumerate(schema))):
            schema = schema if field.name in names else schema.remove(index)
        write_table(place.table(name), [{k: row[k] for k in schema.names} for row in table], schema)
    return place


def test_freezing_again_keeps_the_members_and_takes_the_rest_from_the_library(
    rows: tuple[list[Row], list[Row]], tmp_path: Path
) -> None:
    folder = tmp_path / "frozen"
    folder.mkdir()
    for name, data in list_files(part_of_library(rows, ["b-press"])).items():
        list_paths("eval200-v0", folder)[name].write_bytes(data)
    rows[1][4]["upper"], rows[0][1]["content_sha256"] = 21.0, "9" * 64
    library = write_library(tmp_path / "library", rows)
    with pytest.raises(PipelineError, match=r"eval200-v0 is frozen already.*b-press.*--again"):
        freeze(library, "eval200-v0", folder=folder)
    said = freeze(library, "eval200-v0", again=True, folder=folder)
    frozen = read_frozen("eval200-v0", folder)
    assert frozen.contents == {"b-press": "9" * 64}
    assert frozen.truths["b-press"].joints[1]["upper"] == (21.0,)
    assert said[-1] == f"eval200-v0: 1 objects, list {frozen.digest}"
    # A new version begins with the members of the newest.
    freeze(library, "eval200-v1", folder=folder)
    assert read_frozen("eval200-v1", folder).truths == frozen.truths
    assert frozen_versions(folder) == ["eval200-v0", "eval200-v1"]


@pytest.mark.parametrize("again", [False, True])
def test_a_version_that_is_not_provisional_is_never_replaced(
    rows: tuple[list[Row], list[Row]], tmp_path: Path, again: bool
) -> None:
    folder = tmp_path / "frozen"
    folder.mkdir()
    paths = list_paths("eval200-v10", folder)
    for name, data in list_files(part_of_library(rows, ["b-press"])).items():
        paths[name].write_bytes(data)
    before = {name: path.read_bytes() for name, path in paths.items()}
    rows[1][4]["upper"] = 21.0
    library = write_library(tmp_path / "library", rows)
    with pytest.raises(PipelineError, match=r"eval200-v10 .*not provisional.*needs a new version"):
        freeze(library, "eval200-v10", again=again, folder=folder)
    assert {name: path.read_bytes() for name, path in paths.items()} == before


def part_of_library(rows: tuple[list[Row], list[Row]], members: list[str]) -> FrozenList:
    """Return a list of some objects of the small library."""
    contents = {r["object_id"]: r["content_sha256"] for r in rows[0] if r["object_id"] in members}
    truths = read_truths(*rows)
    return FrozenList("eval200-v0", contents, {key: truths[key] for key in members})


def test_freezing_refuses_a_library_without_a_member(
    rows: tuple[list[Row], list[Row]], tmp_path: Path
) -> None:
    folder = tmp_path / "frozen"
    folder.mkdir()
    for name, data in list_files(part_of_library(rows, ["a-cabinet", "b-press"])).items():
        list_paths("eval200-v0", folder)[name].write_bytes(data)
    library = write_library(tmp_path / "library", (rows[0][1:], rows[1][3:]))
    with pytest.raises(
        PipelineError, match=r"1 of the 2 members are not in the library.*a-cabinet"
    ):
        freeze(library, "eval200-v0", again=True, folder=folder)
