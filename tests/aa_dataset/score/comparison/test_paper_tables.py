# SPDX-License-Identifier: Apache-2.0
"""The paper's four tables on results that a hand can compute."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aa_dataset.score.comparison.measures import Choice
from aa_dataset.score.comparison.tables import Kind
from aa_dataset.score.result.scores import COMPONENTS, PROTOCOLS, SCORES, TREES
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


def random_rows(seed):
    """Return rows of ten objects with one or two joints, failures, charges and undefined errors."""
    rng = np.random.default_rng(seed)
    joints, objects = [], []
    for k in range(10):
        name, is_lost, kind = f"x{k}", rng.random() < 0.3, ("revolute", "prismatic")[k % 2]
        for protocol in PROTOCOLS:
            for joint in ("hinge", "other")[: 1 if protocol == "one-joint" else 1 + k % 2]:
                facts = {"joint": joint, "is_main": joint == "hinge", "type": kind}
                guess = "prismatic" if rng.random() < 0.2 else kind
                if is_lost or rng.random() < 0.2:
                    joints.append(alone(name, protocol, "unmatched", **facts))
                    continue
                distance = {s.key: float(rng.exponential()) for s in SCORES}
                errors = {f"strict_{c.key}": float(rng.random()) for c in COMPONENTS}
                errors["strict_origin_error"] = None if rng.random() < 0.4 else 0.25
                charged = {f"{key}_cost": value for key, value in distance.items()}
                success = {"strict_success": bool(rng.random() < 0.5)}
                joints.append(
                    paired(
                        name,
                        protocol,
                        predicted_type=guess,
                        **facts,
                        **distance,
                        **charged,
                        **errors,
                        **success,
                    )
                )
        if rng.random() < 0.4:
            joints.append(surplus(name))
        trees = {f"{t.key}{e}": float(rng.exponential()) for t in TREES for e in ("",)}
        trees |= {f"{t.key}_cost": trees[t.key] for t in TREES}
        objects.append(failed(name) if is_lost else one_object(name, **trees))
    return joints, objects


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_mean_and_interval_is_that_of_the_report_of_one_method(protocol):
    """`aa score` computes the same numbers from the same rows in its own way."""
    one = made(*random_rows(1), name="a", resamples=300)
    found = compared(one, how=None, choice=Choice(protocol))
    summary, main = one.result.summary, values(found, "main", "a")
    for key in ("e_b", "e_alpha_phi"):
        for column, statistic in ((key, "mean_over_matched"), (f"{key}_all", "mean_over_joints")):
            assert main[column] == summary.find(key, statistic, protocol=protocol).estimate
    for key in ("type_error", "origin_error", "axis_error", "range_error", "direction_error"):
        other = summary.find(f"strict_{key}", "mean_over_matched", protocol=protocol)
        factor = 100 if key == "type_error" else 1
        if key != "range_error":
            assert main[key] == pytest.approx(factor * other.estimate, rel=1e-14)
    for column, statistic in (("success", "rate_over_matched"), ("success_all", "rate")):
        other = summary.find("strict_success", statistic, protocol=protocol)
        assert main[column] == pytest.approx(100 * other.estimate, rel=1e-14)
    limits = row(found, "limits", "a")
    for key, scale in (("range_error_turns", "all"), ("range_error_slides", "metric")):
        other = summary.find(
            "strict_range_error", "mean_over_matched", protocol=protocol, scale=scale
        )
        assert limits[key].value == pytest.approx(other.estimate, rel=1e-14)
        assert (limits[key].low, limits[key].high) == pytest.approx((other.low, other.high))
    trees = row(found, "treeci", "a")
    for column, statistic in (
        ("e_alpha_phi_tree", "mean_over_matched"), ("e_alpha_phi_tree_all", "mean_of_objects"),
    ):  # fmt: skip
        other, cell = summary.find("e_alpha_phi_tree", statistic), trees[column]
        assert cell.value == pytest.approx(other.estimate, rel=1e-14)
        if statistic == "mean_of_objects":  # the other is resampled within the valid outputs
            assert (cell.low, cell.high) == pytest.approx((other.low, other.high), rel=1e-12)


def test_range_errors_of_turns_and_slides_are_apart():
    joints = [
        paired(name, protocol, type=kind, predicted_type=guess, strict_range_error=error)
        for name, kind, guess, error in (
            ("x", "revolute", "continuous", 1.5),
            ("y", "prismatic", "prismatic", 0.1),
            ("z", "prismatic", "revolute", 7.0),
        )
        for protocol in PROTOCOLS
    ]
    found = values(compared(made(joints, list(map(one_object, "xyz")))), "limits", "method")
    assert (found["range_error_turns"], found["range_error_slides"]) == (1.5, 0.1)
    assert (found["range_error_turns_pairs"], found["range_error_slides_pairs"]) == (1, 1)
