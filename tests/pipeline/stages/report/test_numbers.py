# SPDX-License-Identifier: Apache-2.0
"""What the figures draw, against a count over the rows of the tables, one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.kinematics import JointType
from pipeline.stages.report.numbers import composition, counting, joints, quality, shapes
from pipeline.stages.report.tables import LibraryTables, StageCost
from tests.kit.report_tables import random_tables, report_tables

SEEDS = pytest.mark.parametrize("seed", range(4))


def meeting(found: counting.CrossCount) -> dict[tuple[str, str], int]:
    """Return the counts above zero by row and column."""
    return {
        (row, column): int(found.counts[i, j])
        for i, row in enumerate(found.rows)
        for j, column in enumerate(found.columns)
        if found.counts[i, j]
    }


def objects_of(tables: LibraryTables) -> dict[str, dict[str, Any]]:
    """Return the rows of `objects` by id."""
    return {row["object_id"]: row for row in tables.objects.to_pylist()}


def diagonal(row: dict[str, Any]) -> float:
    """Return the diagonal of an object's box."""
    return math.hypot(*row["extents"])


def within(values: Iterable[float], low: float, high: float) -> int:
    """Count the values in ``[low, high)``."""
    return sum(low <= value < high for value in values)


def require_counts(found: counting.Histogram, values: list[float]) -> None:
    """Require that a histogram has counted these values."""
    edges = [-math.inf, *found.edges.tolist(), math.inf]
    assert found.counts.tolist() == [within(values, *pair) for pair in pairwise(edges)]


@SEEDS
def test_composition_counts_rows(seed: int) -> None:
    tables = random_tables(seed)
    rows = tables.objects.to_pylist()
    kinds = [row["type"] for row in tables.joints.to_pylist()]
    assert composition.joints_by_type(tables) == {k: kinds.count(k.value) for k in JointType}
    assert meeting(composition.objects_by_source(tables)) == Counter(
        (row["supercategory"], row["source"]) for row in rows
    )


@SEEDS
def test_a_category_counts_once_for_the_source_with_most_of_it(seed: int) -> None:
    tables = random_tables(seed)
    rows = tables.objects.to_pylist()
    owners: Counter[tuple[str, str]] = Counter()
    for name in {row["category"] for row in rows} - {"uncategorized"}:
        own = [row for row in rows if row["category"] == name]
        sources = sorted({row["source"] for row in own})
        most = max(sources, key=lambda source: sum(row["source"] == source for row in own))
        owners[own[0]["supercategory"], most] += 1
    assert meeting(composition.categories_by_source(tables)) == owners


@SEEDS
def test_one_object_stands_for_each_supercategory(seed: int) -> None:
    tables = random_tables(seed)
    rows = tables.objects.to_pylist()
    found = composition.specimens(tables)
    assert {one.supercategory for one in found} == {row["supercategory"] for row in rows}
    for one in found:
        own = [row for row in rows if row["supercategory"] == one.supercategory]
        sizes = Counter(row["category"] for row in own)
        assert sizes[one.category] == max(sizes.values())
        fitting = [row for row in own if row["category"] == one.category]
        chosen = rows[one.row]
        assert chosen["object_id"] == one.object_id and chosen in fitting
        assert chosen["joints_movable"] == max(row["joints_movable"] for row in fitting)


def test_an_object_with_too_many_joints_stands_for_others_only_if_all_have() -> None:
    def chosen(*joints: int) -> int:
        rows = [
            {"object_id": f"a-{k}", "supercategory": "Tools", "category": "pliers",
             "joints_movable": count}
            for k, count in enumerate(joints)
        ]  # fmt: skip
        return joints[composition.specimens(report_tables(objects=rows))[0].row]

    assert chosen(1, 8, 9, 122) == 8
    assert chosen(122, 9, 30) == 9


@SEEDS
def test_category_sizes_fall_and_add_up(seed: int) -> None:
    tables = random_tables(seed)
    names = [row["category"] for row in tables.objects.to_pylist()]
    labeled = [name for name in names if name != "uncategorized"]
    found = shapes.category_sizes(tables)
    sizes = sorted((labeled.count(name) for name in {*labeled}), reverse=True)
    assert found.sizes.tolist() == sizes
    assert found.unlabeled == len(names) - len(labeled)
    for rank, share in enumerate(found.shares, start=1):
        assert share == pytest.approx(sum(sizes[:rank]) / len(labeled), rel=1e-14)


def test_bins_hold_every_number_once() -> None:
    values = np.arange(400)
    bins = dict(shapes.binned(values))
    assert sum(bins.values()) == 400
    assert bins["0"] == bins["10"] == 1
    assert (bins["11-15"], bins["51-100"], bins["> 100"]) == (5, 50, 299)


@SEEDS
def test_joints_and_depths_are_columns_of_the_objects(seed: int) -> None:
    tables = random_tables(seed)
    rows = tables.objects.to_pylist()
    for bins, name in (
        (shapes.objects_by_joints(tables), "joints_movable"),
        (shapes.objects_by_depth(tables), "depth"),
    ):
        for label, count in bins[:11]:
            assert count == sum(row[name] == int(label) for row in rows)


@SEEDS
def test_sizes_are_diagonals_over_the_usual_one(seed: int) -> None:
    tables = random_tables(seed)
    usual = {row["category"]: row["usual_size"] for row in tables.categories.to_pylist()}
    rows = tables.objects.to_pylist()
    metric = [row for row in rows if row["is_metric"]]
    sized = [row for row in metric if usual[row["category"]]]
    found = shapes.size_ratios(tables)
    expected = [diagonal(row) / usual[row["category"]] for row in sized]
    np.testing.assert_allclose(found.ratios, expected, rtol=1e-14)
    assert found.not_metric == len(rows) - len(metric)
    assert found.without_usual == len(metric) - len(sized)
    for group, spread in zip(found.groups, found.spread, strict=True):
        own = [diagonal(r) / usual[r["category"]] for r in sized if r["supercategory"] == group]
        assert spread[0] == pytest.approx(min(own)) and spread[-1] == pytest.approx(max(own))
        assert (np.diff(spread) >= 0).all()


@SEEDS
def test_ranges_are_the_differences_of_limits(seed: int) -> None:
    tables = random_tables(seed)
    objects = objects_of(tables)
    rows = tables.joints.to_pylist()
    spans = {kind: [row for row in rows if row["type"] == kind] for kind in JointType}
    found = joints.joint_ranges(tables)
    for kind in (JointType.REVOLUTE, JointType.HELICAL):
        turns = [math.degrees(r["upper"] - r["lower"]) for r in spans[kind]]
        require_counts(found.turns[kind], [turn for turn in turns if turn < math.inf])
    slides = [r for r in spans[JointType.PRISMATIC] if r["upper"] < math.inf]
    metric = [r for r in slides if objects[r["object_id"]]["is_metric"]]
    require_counts(found.meters, [r["upper"] - r["lower"] for r in metric])
    shares = [(r["upper"] - r["lower"]) / diagonal(objects[r["object_id"]]) for r in slides]
    require_counts(found.diagonals, shares)
    assert found.continuous == len(spans[JointType.CONTINUOUS])
    assert found.not_metric == len(slides) - len(metric)
    others = [k for k in JointType if k not in (JointType.FIXED, JointType.CONTINUOUS)]
    assert found.unlimited == sum(r["upper"] == math.inf for kind in others for r in spans[kind])


@SEEDS
def test_pitches_are_millimeters_per_turn(seed: int) -> None:
    tables = random_tables(seed)
    objects = objects_of(tables)
    rows = [row for row in tables.joints.to_pylist() if row["type"] == "helical"]
    rows = [row for row in rows if objects[row["object_id"]]["is_metric"]]
    found = joints.pitches(tables)
    assert {*found} == {row["pitch_source"] for row in rows}
    for name, counts in found.items():
        own = [row["pitch"] for row in rows if row["pitch_source"] == name]
        require_counts(counts, [abs(pitch) * 2 * math.pi * 1000 for pitch in own])


def test_round_ranges_lie_inside_a_bin() -> None:
    for edges, nominal in (
        (joints.DEGREES, (0, 15, 30, 45, 60, 90, 120, 180, 270, 360)),
        (joints.MILLIMETERS, (0.1, 0.5, 1, 1.5, 2, 3, 4, 5, 8, 10, 20, 50, 100)),
        (joints.METERS, (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2)),
    ):
        assert (
            min(abs(edge - value) / max(value, 1e-9) for edge in edges for value in nominal) > 0.01
        )


@SEEDS
def test_methods_of_inertia_have_the_quantiles_of_their_links(seed: int) -> None:
    tables = random_tables(seed)
    rows = tables.links.to_pylist()
    found = quality.inertia_methods(tables)
    assert {*found.methods} == {row["inertia_method"] for row in rows}
    assert list(found.links) == sorted(found.links, reverse=True)
    for name, links, errors in zip(found.methods, found.links, found.errors, strict=True):
        own = [row["inertia_error"] for row in rows if row["inertia_method"] == name]
        assert links == len(own) and errors[-1] == max(own)
        for share, error in zip(quality.ERROR_SHARES, errors, strict=True):
            assert sum(value <= error for value in own) >= share * len(own) - 1e-9
            assert sum(value < error for value in own) < share * len(own)


@SEEDS
def test_findings_and_rejects_meet_their_sources(seed: int) -> None:
    tables = random_tables(seed)
    objects = objects_of(tables)
    assert meeting(quality.findings_by_code(tables)) == Counter(
        (row["code"], objects[row["object_id"]]["source"]) for row in tables.findings.to_pylist()
    )
    assert meeting(quality.rejects_by_code(tables)) == Counter(
        (f"{row['stage']}: {row['code']}", row["source"]) for row in tables.rejects.to_pylist()
    )


@SEEDS
def test_coverage_counts_the_members_of_the_split(seed: int) -> None:
    tables = random_tables(seed)
    members = {row["object_id"] for row in tables.splits.to_pylist()}
    rows = tables.objects.to_pylist()
    found = quality.split_coverage(tables)
    assert found.split == "eval200"
    assert {*found.groups} == {row["supercategory"] for row in rows}
    for k, group in enumerate(found.groups):
        own = [row for row in rows if row["supercategory"] == group]
        inside = [row for row in own if row["object_id"] in members]
        assert found.objects[k] == len(inside)
        for counts, some in ((found.categories, inside), (found.of_categories, own)):
            assert counts[k] == len({row["category"] for row in some} - {"uncategorized"})


def test_costs_come_in_the_order_of_the_workflow() -> None:
    names = ("publish", "made_up", "ingest", "verify")
    costs = tuple(StageCost(name, 1, 1.0, 1.0, 1) for name in names)
    ordered = quality.stage_costs(report_tables(costs=costs))
    assert [cost.stage for cost in ordered] == ["ingest", "verify", "publish", "made_up"]


@given(st.lists(st.integers(-5, 5)), st.sampled_from((0.0, 0.05, 0.25, 0.5, 0.95, 1.0)))
def test_a_quantile_is_the_smallest_value_that_enough_do_not_exceed(
    values: list[int], share: float
) -> None:
    found = counting.quantile(np.array(values, float), share)
    if not values:
        assert math.isnan(found)
        return
    enough = [v for v in values if sum(x <= v for x in values) >= share * len(values) - 1e-9]
    assert found == min(enough)


@given(st.lists(st.floats(-2, 12) | st.just(math.inf)), st.lists(st.floats(0, 10), max_size=6))
def test_a_histogram_counts_every_finite_value_once(
    values: list[float], edges: list[float]
) -> None:
    found = counting.histogram(np.array(values, float), sorted({*edges}))
    require_counts(found, [value for value in values if value < math.inf])


def test_a_cross_count_orders_by_frequency_and_then_by_name() -> None:
    found = counting.cross_count([("b", "x"), ("a", "x"), ("c", "y"), ("c", "x")])
    assert found.rows == ("c", "a", "b") and found.columns == ("x", "y")
    assert found.counts.tolist() == [[1, 1], [1, 0], [1, 0]]
    assert found.totals.tolist() == [2, 1, 1]
    assert counting.cross_count([]).counts.shape == (0, 0)
