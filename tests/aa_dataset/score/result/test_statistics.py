# SPDX-License-Identifier: Apache-2.0
"""Every mean follows from the two tables, and every interval from the objects drawn."""

from __future__ import annotations

import json
import math
import re
import statistics
import tracemalloc
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.metric import bootstrap_mean
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result import resampling
from aa_dataset.score.result.record import read_result, write_result
from aa_dataset.score.result.resampling import aggregates, draws, weighted_medians
from aa_dataset.score.result.scores import COMPONENTS, PROTOCOLS, SCORES, TREES, VARIANTS
from aa_dataset.score.result.statistics import Label, Statistic
from tests.kit.library_folder import build_library
from tests.kit.library_objects import ObjectSpec, Part, write_urdf
from tests.kit.places import REPOSITORY
from tests.kit.score_rows import mean, object_row

RESAMPLES = 400
COUNT = 18


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """Return a result with everything that can happen to an object and to a joint."""
    root = tmp_path_factory.mktemp("statistics")
    door = Part("door", "revolute", xyz=(0.1, 0.2, 0.0), upper=1.0)
    wheel = Part("wheel", "continuous", parent="door", xyz=(0.0, 0.3, 0.0))
    slide = Part("slide", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.4)
    things, folder = [], root / "predictions"
    for k in range(COUNT):
        parts = (replace(door, upper=0.6 + 0.1 * k), slide, wheel)[: k % 3 + 1]
        name, is_metric = f"generated-t{k:02d}", k % 4 != 3
        category = "few" if k < 3 else f"kind{k % 2}"
        things.append(ObjectSpec(name, category, parts, is_metric=is_metric))
        if k == 5:
            continue
        wrong = [replace(part, xyz=(0.15, 0.2, 0.02 * k)) for part in parts]
        wrong[0] = replace(wrong[0], upper=0.9 - 0.02 * k)
        if k % 5 == 1:
            wrong.append(replace(slide, name="extra", upper=0.05 * k))
        if k == 8:
            wrong = wrong[:1]
        if k == 11:
            wrong[-1] = Part("hinge", "revolute", parent="door", upper=0.3)
        text = b"<robot" if k == 7 else write_urdf("x", () if k == 9 else tuple(wrong))
        (folder / name).mkdir(parents=True)
        (folder / name / "object.urdf").write_bytes(text)
    dataset = load_dataset(build_library(root / "library", tuple(things)), verbose=False)
    by = ("category", "joint-type", "joints", "metric", "source", "supercategory")
    parameters = Parameters(resamples=RESAMPLES)
    return evaluate(dataset, open_predictions(folder), parameters=parameters, by=by)


def in_scale(row, scale):
    return scale == "all" or row["is_metric"] == (scale == "metric")


def object_lists(result, label):
    """Return the tops and bottoms of a statistic per object, from the rows, in plain Python."""
    rows = result.rows(label.protocol) if label.protocol else []
    rows = [row for row in rows if in_scale(row, label.scale)]
    objects = result.per_object.to_pylist()
    found = []
    for item in objects:
        own = [row for row in rows if row["object_id"] == item["object_id"]]
        found.append(object_terms(item, own, label))
    return found


def object_terms(item, rows, label):
    truth = [row for row in rows if row["role"] == "truth"]
    paired = [row for row in truth if row["predicted"] is not None]
    key = label.score
    if label.statistic == "share":
        return [float(item["status"] == key)], 1
    if not label.protocol:
        return tree_terms(item, label)
    if label.statistic in ("rate", "rate_over_matched"):
        some = truth if label.statistic == "rate" else paired
        return [float(row[key]) for row in some], len(some)
    if key.endswith("range_error"):
        slides = {(True, True)} if label.unit == "m" else {(False, False)}
        kinds = lambda row: (row["type"] == "prismatic", row["predicted_type"] == "prismatic")  # noqa: E731
        paired = [row for row in paired if kinds(row) in slides]
    if label.statistic == "mean_over_matched":
        values = [row[key] for row in paired if row[key] is not None]
        return values, len(values)
    defined = [row for row in truth if row[f"{key}_cost"] is not None]
    added = [row[f"{key}_cost"] for row in rows if row["role"] == "spurious"]
    added = [value for value in added if value is not None] + [row[f"{key}_extra"] for row in rows]
    costs = [row[f"{key}_cost"] for row in defined] + added
    if label.statistic == "mean_over_joints":
        return costs, len(defined)
    if defined:
        return [math.fsum(costs) / len(defined)], 1
    return (costs, 0) if label.statistic == "mean_of_objects" else ([], 0)


def tree_terms(item, label):
    if not in_scale(item, label.scale):
        return [], 0
    key = label.score
    end = {"mean_per_truth_joint": "_per_truth_joint", "mean_per_max_joints": "_per_max_joints"}
    if label.statistic == "mean_over_matched":
        value = item[key] if item["status"] == "scored" else None
    elif key == "constant_penalty":
        value = item[key] if item[key] is not None else float(item["joints"])
    else:
        value = item[key + end.get(label.statistic, "_cost")]
    return ([], 0) if value is None else ([value], 1)


def test_every_estimate_follows_from_the_rows(result):
    assert {item["status"] for item in result.per_object.to_pylist()} == {
        "scored",
        "missing",
        "unreadable",
        "motionless",
    }
    for one in result.summary.aggregates:
        terms = object_lists(result, one.label)
        count = sum(bottom for _, bottom in terms)
        assert one.values == count <= one.of, one.label
        values = [value for top, _ in terms for value in top]
        if not count:
            assert math.isnan(one.estimate), one.label
        elif one.label.statistic == "median_of_objects":
            assert one.estimate == pytest.approx(statistics.median(values), rel=1e-12), one.label
        else:
            expected = math.fsum(values) / count
            assert one.estimate == pytest.approx(expected, rel=1e-12, abs=1e-15), one.label


def test_every_number_that_the_docs_promise_is_there(result):
    labels = [one.label for one in result.summary.aggregates]
    assert len(set(labels)) == len(labels)
    names = {(label.protocol, label.score, label.statistic) for label in labels}
    for protocol in PROTOCOLS:
        for score in SCORES:
            for kind in ("mean_over_joints", "mean_of_objects", "median_of_objects"):
                assert (protocol, score.key, kind) in names
            assert (protocol, score.key, "mean_over_matched") in names
        for variant in VARIANTS:
            assert (protocol, f"{variant}_success", "rate") in names
            for component in COMPONENTS:
                assert (protocol, f"{variant}_{component.key}", "mean_over_matched") in names
    for tree in TREES:
        for kind in ("mean_of_objects", "mean_per_truth_joint", "mean_per_max_joints"):
            assert ("", tree.key, kind) in names
    # Whatever holds a length is apart for metric and other objects.
    lengths = {label.score for label in labels if label.scale != "all"}
    assert {score.key for score in (*SCORES, *TREES)} < lengths
    assert {"strict_origin_error", "released_range_error", "rest_offset"} < lengths
    assert not any(label.scale == "all" for label in labels if label.score in ("e_alpha", "e_b"))


def resampled(result, label):
    """Return the statistic of every resample, one object after the other."""
    terms = object_lists(result, label)
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(terms), size=(RESAMPLES, len(terms)))
    found = []
    for some in drawn.tolist():
        values = [value for k in some for value in terms[k][0]]
        count = sum(terms[k][1] for k in some)
        if count and label.statistic == "median_of_objects":
            found.append(statistics.median(values))
        elif count:
            found.append(math.fsum(values) / count)
    return found


def test_every_interval_follows_from_the_objects_drawn(result):
    for one in result.summary.aggregates:
        found = resampled(result, one.label)
        if not found:
            assert math.isnan(one.low) and math.isnan(one.high)
            continue
        low, high = np.percentile(found, [2.5, 97.5])
        assert (one.low, one.high) == pytest.approx((low, high), rel=1e-9, abs=1e-12), one.label


def test_the_intervals_are_those_of_the_metric(result):
    rows = [row for row in result.rows() if row["role"] == "truth" and row["is_metric"]]
    ids = result.per_object["object_id"].to_pylist()
    groups = [[r["e_alpha_phi"] for r in rows if r["object_id"] == name] for name in ids]
    lists = [[math.nan if value is None else value for value in group] for group in groups]
    expected = bootstrap_mean(lists, resamples=RESAMPLES)
    one = mean(result, "e_alpha_phi", "mean_over_matched", scale="metric")
    found = (one.estimate, one.low, one.high)
    assert found == pytest.approx((expected.estimate, expected.low, expected.high), rel=1e-12)


def test_draws_depend_on_count_and_seed_alone(monkeypatch):
    whole = np.concatenate([drawn for _, drawn in draws(7, 50, 3)])
    assert whole.shape == (50, 7) and set(whole.sum(axis=1)) == {7.0}
    monkeypatch.setattr(resampling, "DRAWN_NUMBERS", 20)
    chunks = list(draws(7, 50, 3))
    assert [start for start, _ in chunks] == list(range(0, 50, 2))
    assert np.array_equal(np.concatenate([drawn for _, drawn in chunks]), whole)
    assert not np.array_equal(np.concatenate([drawn for _, drawn in draws(7, 50, 4)]), whole)


def some_statistics(count, columns):
    rng = np.random.default_rng(1)
    kinds = ("mean_over_joints", "median_of_objects")
    return [
        Statistic(
            Label("p", str(k), "all", kinds[k % 5 == 4]), rng.random(count), np.ones(count), 0
        )
        for k in range(columns)
    ]


def test_chunks_change_no_digit(monkeypatch):
    some, how = some_statistics(30, 12), Parameters(resamples=300)
    whole = aggregates([some], how)
    monkeypatch.setattr(resampling, "DRAWN_NUMBERS", 100)
    monkeypatch.setattr(resampling, "CACHED_NUMBERS", 7)
    assert aggregates([some], how) == whole
    assert aggregates([some[:3], some[3:]], how) == [whole[0][:3], whole[0][3:]]


def test_memory_is_bounded_for_many_objects():
    some = some_statistics(20_000, 40)
    tracemalloc.start()
    aggregates([some], Parameters(resamples=120))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000_000


def test_a_weighted_median_is_the_median_of_the_repeated_values():
    rng = np.random.default_rng(2)
    values = rng.integers(0, 6, size=11).astype(float)
    values[3] = np.nan
    drawn = rng.integers(0, 4, size=(200, 11)).astype(float)
    drawn[0] = 0
    found = weighted_medians(values, drawn)
    assert math.isnan(found[0])
    for row, median in zip(drawn[1:], found[1:], strict=True):
        some = [v for v, n in zip(values, row.astype(int), strict=True) for _ in range(n) if v == v]
        assert median == statistics.median(some)
    assert np.isnan(weighted_medians(np.full(11, np.nan), drawn)).all()


# --- breakdowns ----------------------------------------------------------------------------------


def test_groups_have_their_objects_and_small_ones_no_mean(result):
    groups = {(group.by, group.name): group for group in result.summary.groups}
    few = groups["category", "few"]
    assert (few.objects, few.aggregates) == (3, None)
    names = [name for by, name in groups if by == "joints"]
    assert names == ["1", "2", "3-4"]
    assert sum(groups["joints", name].objects for name in names) == COUNT
    for by in ("category", "joints", "metric", "source", "supercategory"):
        some = [group for (kind, _), group in groups.items() if kind == by]
        assert sum(group.objects for group in some) == COUNT
        assert sum(group.joints for group in some) == result.joint_counts()["ground_truth"]


def test_the_mean_of_a_group_is_that_of_its_objects(result):
    groups = {(group.by, group.name): group for group in result.summary.groups}
    kind = groups["category", "kind1"]
    ids = {r["object_id"] for r in result.per_object.to_pylist() if r["category"] == "kind1"}
    for one in kind.aggregates:
        terms = [
            term
            for item, term in zip(
                result.per_object.to_pylist(), object_lists(result, one.label), strict=True
            )
            if item["object_id"] in ids
        ]
        count = sum(bottom for _, bottom in terms)
        assert one.values == count, one.label
        if count and one.label.statistic not in ("median_of_objects",):
            values = [value for top, _ in terms for value in top]
            assert one.estimate == pytest.approx(math.fsum(values) / count, rel=1e-12, abs=1e-15)
    assert any(one.label.score == "e_alpha_phi_tree" for one in kind.aggregates)


def test_joint_types_share_the_costs_of_the_whole(result):
    whole = mean(result, "e_alpha_phi", scale="metric")
    total = 0.0
    for group in result.summary.groups:
        if group.by == "joint-type" and group.aggregates is not None:
            assert not any("tree" in one.label.score for one in group.aggregates)
            for one in group.aggregates:
                if one.label == whole.label:
                    total += one.estimate * one.values
    assert total == pytest.approx(whole.estimate * whole.values, rel=1e-12)


def test_an_unknown_breakdown_is_a_sentence(result):
    with pytest.raises(ArenaError, match="by 'color' is not one of supercategory, category"):
        _ = replace(result, by=("color",)).summary


def test_charges_give_the_reasons(result):
    for one in result.summary.charges:
        rows = [row for row in result.rows(one.protocol) if in_scale(row, one.scale)]
        truth = [row for row in rows if row["role"] == "truth"]
        undefined = [row for row in truth if row[f"{one.score}_cost"] is None]
        assert sum(one.undefined.values()) == len(undefined)
        welded = [
            row for row in truth if row[one.score] is None and row[f"{one.score}_cost"] is not None
        ]
        assert sum(one.welded.values()) == len(welded)
        assert set(one.undefined) <= {"unbounded"}
    reasons = {
        reason
        for charge in result.summary.charges
        if (charge.score, charge.protocol) == ("e_alpha_phi", "all-joints")
        for reason in charge.welded
    }
    assert reasons == {"absent", "unmatched", "unreadable"}


def test_the_summary_of_a_folder_is_that_of_the_run(result, tmp_path):
    write_result(result, tmp_path / "out")
    data = json.loads((tmp_path / "out/summary.json").read_text())
    assert read_result(tmp_path / "out").as_dict() == data
    for name, table in (("per_joint", result.per_joint), ("per_object", result.per_object)):
        assert pc.any(pc.is_null(table[table.column_names[0]])).as_py() is False, name


def test_an_object_without_a_prediction_costs_its_weld_in_both_trees(result):
    lost, broken, still = (object_row(result, f"generated-t{k:02d}") for k in (5, 7, 9))
    assert [row.status for row in (lost, broken, still)] == ["missing", "unreadable", "motionless"]
    for row in (lost, broken, still):
        for tree in TREES:
            costs = [getattr(row, f"{tree.key}{end}") for end in ("_cost", "_weld")]
            assert costs[0] == costs[1] > 0
            share = getattr(row, f"{tree.key}_per_truth_joint")
            assert share == pytest.approx(costs[0] / row.joints)
    assert lost.e_alpha_phi_tree is None and lost.edits is None
    assert still.e_alpha_phi_tree == still.e_alpha_phi_tree_weld
    assert {edit["operation"] for edit in still.edits} == {"expand"}


@pytest.mark.parametrize(("scale", "is_metric"), [("metric", "True"), ("other", "False")])
def test_the_lines_of_the_page_print_every_headline(
    result, scale, is_metric, tmp_path, monkeypatch, capsys
):
    page = (REPOSITORY / "docs" / "scoring.md").read_text()
    (lines,) = re.findall(r"```python\n(import pyarrow\.compute.*?)```", page, re.S)
    assert lines.count('"=", True') == 1
    write_result(result, tmp_path / "result")
    monkeypatch.chdir(tmp_path)
    exec(lines.replace('"=", True', f'"=", {is_metric}'), {})
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert len(printed) == len(SCORES) * len(PROTOCOLS) + len(TREES)
    for name, *protocol, value in printed:
        statistic = "mean_over_joints" if protocol else "mean_of_objects"
        found = result.summary.find(name, statistic, protocol="".join(protocol), scale=scale)
        assert found.estimate == pytest.approx(float(value), rel=1e-12)
