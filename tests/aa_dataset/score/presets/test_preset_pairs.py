# SPDX-License-Identifier: Apache-2.0
"""The pairs of a preset are those of the scored rows, with the diagonals of the parts."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from aa_dataset import load_dataset
from aa_dataset.score.presets import PRESETS, JointPair, by_name
from aa_dataset.score.presets.pairs import _part_diagonal, scored_pairs
from aa_dataset.score.presets.report import preset_content, preset_lines
from aa_dataset.score.readers import open_predictions


def rows(*lines: tuple) -> pa.Table:
    names = ("protocol", "role", "object_id", "joint", "predicted")
    return pa.Table.from_pylist([dict(zip(names, line, strict=True)) for line in lines])


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, split="eval200", verbose=False)


@pytest.fixture
def table() -> pa.Table:
    cabinet = "generated-cabinet"
    return rows(
        ("all-joints", "truth", cabinet, "door_joint", "door_joint"),
        ("all-joints", "truth", cabinet, "drawer_joint", "tray_joint"),
        ("all-joints", "truth", cabinet, "tray_joint", None),
        ("all-joints", "spurious", cabinet, None, "drawer_joint"),
        ("all-joints", "truth", "generated-lamp", "arm_joint", None),
        ("one-joint", "truth", cabinet, "door_joint", "door_joint"),
    )


def test_pairs_follow_the_rows_of_their_protocol(dataset, pristine_library, table):
    predictions = open_predictions(pristine_library)
    pairs, spurious = scored_pairs(table, dataset, predictions, "all-joints")
    found = [(p.truth.name, p.predicted and p.predicted.name) for p in pairs]
    assert found == [
        ("door_joint", "door_joint"), ("drawer_joint", "tray_joint"), ("tray_joint", None),
        ("arm_joint", None),
    ]  # fmt: skip
    assert spurious == 1
    pairs, spurious = scored_pairs(table, dataset, predictions, "one-joint")
    assert ([pair.truth.name for pair in pairs], spurious) == (["door_joint"], 0)


def test_a_part_is_the_child_with_what_is_welded_to_it(dataset):
    tree = dataset["generated-cabinet"].tree
    unit = (np.zeros(3), np.ones(3))
    boxes = {
        ("generated-cabinet", "door"): unit,
        ("generated-cabinet", "knob"): (np.array([1.0, 1.0, 1.0]), np.array([2.0, 3.0, 6.0])),
        ("generated-cabinet", "drawer"): unit,
        ("generated-lamp", "door"): (np.zeros(3), 9 * np.ones(3)),
    }

    def diagonal(name: str) -> float:
        return _part_diagonal(tree, tree.joint(name), boxes, "generated-cabinet")

    assert diagonal("door_joint") == 7.0  # 2, 3 and 6 from corner to corner
    assert diagonal("drawer_joint") == pytest.approx(math.sqrt(3))
    assert math.isnan(diagonal("tray_joint"))


def test_parts_are_measured_in_the_links_of_the_library(dataset, pristine_library, table):
    pairs, _ = scored_pairs(table, dataset, open_predictions(pristine_library), "all-joints")
    rows = dataset.catalog.table("links").to_pylist()
    drawer = next(row for row in rows if row["link"] == "drawer")
    expected = math.dist(drawer["bounds_lower"], drawer["bounds_upper"])
    assert pairs[1].part_diagonal == pytest.approx(expected)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_report_has_every_number_its_unit_and_the_quirks(
    dataset, pristine_library, table, preset
):
    pairs, spurious = scored_pairs(
        table, dataset, open_predictions(pristine_library), preset.protocol
    )
    found = preset.compute(pairs, spurious=spurious)
    lines = preset_lines(preset, found)
    assert preset.name in lines[0] and max(map(len, lines)) <= 80
    assert len(lines) >= 3 + len(preset.columns) + len(preset.quirks)
    for column, line in zip(preset.columns, lines[3:], strict=False):
        assert line.startswith(column.key) and f" {column.unit} " in line
    content = json.loads(json.dumps(preset_content(preset, found), allow_nan=False))
    assert [value["value"] for value in content["values"]] == [c.key for c in preset.columns]


def test_infinite_and_undefined_means_are_told_apart(dataset):
    joint = dataset["generated-cabinet"].tree.joint("door_joint")
    tilted = replace(joint, axis=joint.axis + np.array([0.1, 0.0, 0.0]))
    preset = by_name("articulate-anything-code")
    pairs = [JointPair("a", joint, tilted), JointPair("a", joint, None)]
    values = preset_content(preset, preset.compute(pairs))["values"]
    by_key = {value["value"]: value["number"] for value in values}
    assert by_key["joint_axis"] == "inf" and by_key["success"] == 0.5
    empty = preset_content(preset, preset.compute([]))["values"]
    assert {value["number"] for value in empty} == {None}
