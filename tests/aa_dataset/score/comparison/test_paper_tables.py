# SPDX-License-Identifier: Apache-2.0
"""The paper's four tables on results that a hand can compute."""

from __future__ import annotations

import math

import pytest

from aa_dataset.score.comparison.measures import Choice
from aa_dataset.score.comparison.tables import Kind
from tests.aa_dataset.score.comparison.results import compared, made, row, simple, table, values
from tests.kit.made_results import (
    alone,
    failed,
    one_object,
    paired,
    surplus,
)


def test_means_over_valid_outputs_stand_beside_means_over_all():
    one = simple("a", {"x": 0.2, "y": 0.4, "z": None, "w": 0.6})
    found = values(compared(one), "main", "a")
    assert found["gen"] == 75.0
    for key in ("e_b", "e_alpha_phi", "e_alpha_phi_tree"):
        assert found[key] == pytest.approx((0.2 + 0.4 + 0.6) / 3)
        assert found[f"{key}_all"] == pytest.approx((0.2 + 0.4 + 0.6 + 1.0) / 4)  # a weld costs 1
    assert (found["success"], found["success_all"]) == (100.0, 75.0)


def test_components_are_over_the_pairs_that_define_them():
    joints = [
        paired("x", "one-joint", strict_type_error=1.0, strict_origin_error=None,
               strict_axis_error=0.3, strict_success=False, strict_range_error=2.0),
        paired("y", "one-joint", strict_origin_error=0.1, strict_axis_error=0.1),
        alone("z", "one-joint"),
    ]  # fmt: skip
    objects = [one_object("x"), one_object("y"), failed("z")]
    report = compared(made(joints, objects, name="a"))
    found, counts = values(report, "main", "a"), values(report, "coverage", "a")
    assert found["type_error"] == 50.0
    assert found["origin_error"] == 0.1
    assert found["axis_error"] == pytest.approx(0.2)
    assert found["range_error"] == 1.0
    assert found["success"] == 50.0
    assert found["success_all"] == pytest.approx(100 / 3)
    assert (counts["origin_error"], counts["type_error"], counts["joints_all"]) == (1, 2, 3)


def test_the_variant_and_the_protocol_choose_rows_and_columns():
    joints = [
        paired("x", "one-joint", strict_axis_error=0.1, parallel_safe_axis_error=0.2),
        paired("x", "all-joints", strict_axis_error=0.3, parallel_safe_axis_error=0.4),
        paired("x", "all-joints", joint="other", is_main=False, strict_axis_error=0.5,
               parallel_safe_axis_error=0.8),
    ]  # fmt: skip
    one = made(joints, [one_object("x", joints=2, matched=2)], name="a")
    for protocol, variant, expected in (
        ("one-joint", "strict", 0.1),
        ("one-joint", "parallel-safe", 0.2),
        ("all-joints", "strict", 0.4),
        ("all-joints", "parallel-safe", 0.6),
    ):
        report = compared(one, choice=Choice(protocol, variant))
        assert values(report, "main", "a")["axis_error"] == pytest.approx(expected)


def test_all_joints_charges_spurious_joints_and_bounded_partners():
    """(0.5 + 1 + 0.25 + 0.125) / 2: a pair, a weld, a spurious joint and an extra charge."""
    unbounded = {"e_b": None, "e_b_cost": None, "e_b_weld": None, "e_b_undefined": "unbounded"}
    joints = [
        paired("x", "all-joints"),
        alone("x", "all-joints", why="unmatched", joint="other", is_main=False),
        paired("x", "all-joints", joint="wheel", is_main=False, e_b_extra=0.125, **unbounded),
        surplus("x"),
    ]
    objects = [one_object("x", joints=3, predicted=3, matched=2, spurious=1)]
    report = compared(made(joints, objects, name="a"), choice=Choice("all-joints"))
    found = values(report, "main", "a")
    assert found["e_b"] == 0.5
    assert found["e_b_all"] == pytest.approx((0.5 + 1.0 + 0.25 + 0.125) / 2)
    assert found["e_alpha_phi_all"] == pytest.approx((0.5 + 1.0 + 0.5 + 0.25) / 3)
    assert values(report, "coverage", "a")["pair"] == 1


def test_coverage_splits_failures():
    statuses = ("missing", "missing", "unreadable", "motionless")
    names = [f"x{k}" for k in range(5)]
    joints = [alone(name, "one-joint") for name in names[:4]] + [paired("x4", "one-joint")]
    objects = [failed(n, s) for n, s in zip(names, statuses, strict=False)] + [one_object("x4")]
    report = compared(made(joints, objects, name="a"))
    found = values(report, "coverage", "a")
    counts = [found[key] for key in ("gen", "missing", "unreadable", "motionless", "pair")]
    assert counts == [1, 2, 1, 1, 1]


def test_tree_intervals_are_over_own_valid_objects_and_over_all():
    one = simple("a", {"x": 0.2, "y": 0.2, "z": None})
    found = row(compared(one), "treeci", "a")
    tree = found["e_alpha_phi_tree"]
    assert (tree.value, tree.low, tree.high) == pytest.approx((0.2, 0.2, 0.2))
    assert (found["objects"].value, found["objects_all"].value) == (2, 3)
    assert found["e_alpha_phi_tree_all"].value == pytest.approx(1.4 / 3)


def test_the_common_set_has_the_objects_with_all_outputs():
    first = simple("a", {"x": 0.1, "y": 0.3, "z": None, "w": 0.9})
    second = simple("b", {"x": 0.5, "y": 0.7, "z": 0.2, "w": None})
    report = compared(first, second)
    assert "2 objects, on which every method" in table(report, "intersection").caption
    for name, mean in (("a", 0.2), ("b", 0.6)):
        found = values(report, "intersection", name)
        assert found["e_b_phi"] == found["e_alpha_phi_tree_all"] == pytest.approx(mean)


def test_without_a_common_object_the_means_are_undefined():
    first = simple("a", {"x": 0.1, "y": None})
    second = simple("b", {"x": None, "y": 0.2})
    found = row(compared(first, second), "intersection", "a")
    assert all(math.isnan(cell.value) for cell in found.values())


def test_a_method_without_any_output_does_not_empty_the_common_set():
    results = [simple("a", {"x": 0.1, "y": None}), simple("null", {"x": None, "y": None})]
    report = compared(*results)
    assert "1 objects, on which" in table(report, "intersection").caption
    assert values(report, "intersection", "a")["e_b"] == 0.1
    assert all(math.isnan(value) for value in values(report, "intersection", "null").values())


def test_metric_and_other_objects_are_never_averaged_together():
    folders = []
    for name, shift in (("a", 0.0), ("b", 0.1)):
        rows = []
        for object_id, value, is_metric in (("x", 0.2, True), ("y", 8.0, False)):
            value += shift
            scores = {"e_b": value, "e_b_cost": value, "is_metric": is_metric}
            tree = {"e_alpha_phi_tree": value, "e_alpha_phi_tree_cost": value}
            rows.append(
                (
                    paired(object_id, "one-joint", **scores),
                    one_object(object_id, is_metric=is_metric, **tree),
                )
            )
        joints, objects = zip(*rows, strict=True)
        folders.append(made(joints, objects, name=name))
    report = compared(*folders)
    assert [section.scale for section in report.sections] == ["metric", "other"]
    assert values(report, "main", "a")["e_b"] == 0.2
    assert values(report, "main", "a", scale="other")["e_b"] == 8.0
    assert [section.objects for section in report.sections] == [1, 1]


def best(report, key, column):
    """Return the methods whose entry is shaded."""
    found = table(report, key)
    place = [c.key for c in found.columns].index(column)
    return [line.heads[0] for line in found.rows if line.cells[place].best]


def test_the_best_defined_value_is_shaded_but_never_with_a_dagger():
    report = compared(
        simple("a", {"x": 0.4}),
        simple("b", {"x": 0.3}),
        simple("same", {"x": 0.3}),
        simple("cheat", {"x": 0.1}, method={"imputed": "limits"}),
        simple("none", {"x": None}),
        published=True,
    )
    assert best(report, "main", "e_b") == ["b", "same"]
    assert best(report, "main", "success_all") == ["a", "b", "same"]
    assert best(report, "main", "gen") == []
    shaded = [
        line.kind
        for section in report.sections
        for found in section.tables
        for line in found.rows
        if any(cell.best for cell in line.cells)
    ]
    assert set(shaded) == {Kind.OWN}
