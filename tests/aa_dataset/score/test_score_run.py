# SPDX-License-Identifier: Apache-2.0
"""Scoring predictions as they come: absent, broken, partial, odd."""

from __future__ import annotations

import json
import math
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.budgets import STATED
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.parameters import ACCOUNTING, ONE_JOINT_RULE, SEARCH_BUDGET
from aa_dataset.score.readers import PredictionError, open_predictions
from aa_dataset.score.result.record import Parameters, write_result
from aa_dataset.score.result.report import report_lines
from aa_dataset.score.result.scores import SCORES
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec, Part, write_urdf
from tests.kit.score_rows import joints, mean, object_cost, object_row, objects, spurious, values


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, split="eval200", verbose=False)


@pytest.fixture
def folder(dataset, tmp_path):
    dataset.unpack(tmp_path / "predictions")
    return tmp_path / "predictions"


def run(dataset, folder: Path, **parameters):
    return evaluate(dataset, open_predictions(folder), parameters=Parameters(**parameters))


def cabinet() -> tuple:
    return next(t for t in LIBRARY_OBJECTS if t.object_id == "generated-cabinet").parts


def write(folder: Path, parts) -> None:
    (folder / "generated-cabinet" / "object.urdf").write_bytes(write_urdf("x", tuple(parts)))


def test_a_missing_prediction_is_counted_not_zero(dataset, folder):
    (folder / "generated-lamp" / "object.urdf").unlink()
    (folder / "generated-lamp").rename(folder / "generated-lamb")
    result = run(dataset, folder)
    lamp = object_row(result, "generated-lamp")
    assert lamp.status == "missing" and lamp.joints == 3 and lamp.matched == 0
    assert lamp.e_alpha_phi_tree is None and lamp.e_alpha_phi_tree_exact is None
    assert result.generated_percent == pytest.approx(200 / 3)
    assert result.predictions.surplus == ("generated-lamb",)
    assert result.joint_counts()["absent"] == 3 and result.joint_counts()["ground_truth"] == 8
    lost = [joint for joint in joints(result) if joint.object_id == "generated-lamp"]
    assert [joint.why for joint in lost] == ["absent"] * 3
    assert all(value is None for joint in lost for value in joint.values.values())
    assert not any(joint.parallel_safe_success for joint in lost)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "object.urdf"),
        (b"<robot", "object.urdf"),
        (b"\xff\xfe\x00", "object.urdf"),
        (b'<robot name="x"></robot>', "no link"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><robot name="x"><link name="b"/></robot>', "object.urdf"),
        (
            b'<robot name="x"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
            b'<parent link="a"/><child link="b"/><axis xyz="0 0 0"/>'
            b'<limit lower="0" upper="1"/></joint></robot>',
            "joint 'j'",
        ),
        (
            b'<robot name="x"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
            b'<parent link="a"/><child link="b"/><origin xyz="1e200 0 0"/>'
            b'<axis xyz="0 0 1"/><limit lower="0" upper="1"/></joint></robot>',
            "beyond 1e+70",
        ),
    ],
)
def test_an_unreadable_prediction_is_a_row_with_a_sentence(dataset, folder, text, words):
    (folder / "generated-lamp" / "object.urdf").write_bytes(text)
    result = run(dataset, folder)
    lamp = object_row(result, "generated-lamp")
    assert lamp.status == "unreadable" and words in lamp.detail
    assert result.count("scored") == 2
    assert {joint.why for joint in joints(result) if joint.predicted is None} == {"unreadable"}
    shown = " ".join(line.strip() for line in report_lines(result))
    assert " ".join(lamp.detail.split()) in shown


def test_a_prediction_of_thousands_of_joints_is_refused(dataset, folder):
    part = Part("p", "prismatic")
    write(folder, [replace(part, name=f"p{k}") for k in range(1001)])
    assert "1,001 movable joints" in object_row(run(dataset, folder), "generated-cabinet").detail


def test_a_wrong_folder_is_an_error_that_shows_the_expected_names(dataset, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(PredictionError, match=r"`generated-cabinet/object\.urdf`"):
        run(dataset, tmp_path / "empty")
    with pytest.raises(PredictionError, match="is not a folder"):
        open_predictions(tmp_path / "nothing")


def test_the_three_ways_to_lay_out_urdf_files(dataset, folder):
    (folder / "generated-cabinet" / "object.urdf").rename(folder / "generated-cabinet.urdf")
    for path in sorted((folder / "generated-cabinet").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / "generated-cabinet").rmdir()
    urdf = folder / "generated-lamp" / "object.urdf"
    urdf.rename(urdf.with_name("mobility.urdf"))
    result = run(dataset, folder)
    assert result.count("scored") == 3 and result.joint_counts()["matched"] == 8


def test_two_unnamed_urdf_files_are_ambiguous(dataset, folder):
    urdf = folder / "generated-lamp" / "object.urdf"
    urdf.rename(urdf.with_name("one.urdf"))
    urdf.with_name("two.urdf").write_bytes(b"")
    assert "one.urdf, two.urdf" in object_row(run(dataset, folder), "generated-lamp").detail


@pytest.mark.parametrize("pairing", ["tree", "assignment"])
def test_joints_without_a_partner_cost_their_motion(dataset, folder, pairing):
    door, knob, drawer, tray = cabinet()
    write(folder, (door, knob, replace(drawer, name="renamed")))
    result = run(dataset, folder, pairing=pairing)
    item = object_row(result, "generated-cabinet")
    assert (item.joints, item.matched, item.spurious) == (3, 2, 0)
    (lost,) = [joint for joint in joints(result) if joint.predicted is None]
    assert lost.why == "unmatched" and all(value is None for value in lost.values.values())
    assert lost.e_alpha_cost == pytest.approx(0.35, rel=1e-12)  # a slide of 0.35 m, lost
    assert lost.e_b_cost == pytest.approx(0.35, rel=1e-12)  # every point moves that far
    assert lost.d_path_cost == pytest.approx(0.35 / math.sqrt(3), rel=1e-12)
    assert lost.e_alpha_phi_cost == pytest.approx(math.tanh(0.35 / math.pi), rel=1e-12)
    cost = object_cost(result, "generated-cabinet", "e_alpha")
    assert cost == pytest.approx(0.35 / 3, rel=1e-9)
    extra = Part("extra", "revolute", xyz=(0.0, 0.0, 0.3), axis=(0.0, 1.0, 0.0))
    write(folder, (door, knob, drawer, tray, extra))
    result = run(dataset, folder, pairing=pairing)
    item = object_row(result, "generated-cabinet")
    assert (item.matched, item.spurious) == (3, 1)
    (extra_row,) = spurious(result)
    assert extra_row.predicted == "extra_joint" and extra_row.joint is None
    arm = 0.3  # the axis (0, 1, 0) through (0, 0, 0.3) has |v| = 0.3, and the range is [0, 1]
    assert extra_row.costs["e_alpha"] == pytest.approx(math.hypot(1.0, arm), rel=1e-12)
    cost = object_cost(result, "generated-cabinet", "e_alpha")
    assert cost == pytest.approx(math.hypot(1.0, arm) / 3, rel=1e-9)


def test_a_missing_joint_costs_its_motion_in_the_tree_score(dataset, folder):
    door, knob, drawer, _ = cabinet()
    write(folder, (door, knob, drawer))
    item = object_row(run(dataset, folder), "generated-cabinet")
    assert item.e_alpha_phi_tree == pytest.approx(math.tanh(0.35 / math.pi), rel=1e-9)


def test_a_prediction_that_never_moves_is_scored_as_all_missing(dataset, folder):
    write(folder, (replace(cabinet()[0], type="fixed"),))
    item = object_row(run(dataset, folder), "generated-cabinet")
    assert (item.status, item.matched, item.joints) == ("motionless", 0, 3)
    for key in ("e_alpha_phi_tree", "e_b_phi_tree"):
        assert getattr(item, key) == getattr(item, f"{key}_weld") == getattr(item, f"{key}_cost")
    assert object_row(run(dataset, folder, pairing="assignment"), "generated-cabinet").matched == 0


def test_a_range_of_zero_counts_as_fixed_on_both_sides(tmp_path):
    still = Part("still", "revolute", lower=0.0, upper=0.0)
    thing = ObjectSpec("generated-a", "a", (still, Part("moving", "revolute")))
    root = build_library(tmp_path / "library", (thing,))
    result = evaluate(load_dataset(root, verbose=False), open_predictions(root))
    assert [joint.joint for joint in joints(result)] == ["moving_joint"]
    assert result.joint_counts()["matched"] == 1 and result.joint_counts()["spurious"] == 0


@pytest.mark.parametrize("pairing", ["tree", "assignment"])
def test_equal_drawers_are_all_paired_at_no_cost(tmp_path, pairing):
    part = Part("d0", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.4)
    parts = tuple(replace(part, name=f"d{k}", xyz=(0.0, 0.0, 0.2 * k)) for k in range(6))
    thing = ObjectSpec("generated-chest", "chest", parts)
    root = build_library(tmp_path / "library", (thing,))
    dataset = load_dataset(root, verbose=False)
    result = run(dataset, root, pairing=pairing)
    assert result.joint_counts()["matched"] == 6
    assert set(values(result)) == {0.0}
    if pairing == "assignment":
        assert all(joint.joint == joint.predicted for joint in joints(result))


def test_another_way_to_write_the_same_motion_costs_nothing(dataset, folder):
    door, knob, drawer, tray = cabinet()
    flipped = replace(drawer, axis=(-2.0, 0.0, 0.0), lower=-0.35, upper=0.0, name="zz")
    slid = replace(door, xyz=(0.3, -0.2, 7.0), axis=(0.0, 0.0, -3.0), lower=-1.6, upper=0.0)
    write(folder, (tray, flipped, replace(slid, name="aa"), replace(knob, parent="aa")))
    result = run(dataset, folder)
    item = object_row(result, "generated-cabinet")
    assert item.matched == 3 and item.e_alpha_phi_tree <= 1e-9 and item.e_b_phi_tree <= 1e-9
    assert max(values(result)) <= 1e-9


def test_an_unbounded_prediction_has_no_raw_score_but_a_compact_one(dataset, folder):
    door, *others = cabinet()
    write(folder, (replace(door, type="continuous"), *others))
    (joint,) = [j for j in joints(run(dataset, folder)) if j.joint == "door_joint"]
    raw = ("e_alpha", "e_b", "d_path")
    assert [joint.values[key] for key in raw] == [None] * 3
    assert joint.undefined == dict.fromkeys(raw, "unbounded_guess")
    assert joint.why == "nonfinite" and joint.predicted == "door_joint"
    assert joint.e_alpha_cost == joint.e_alpha_weld > 1.6
    assert joint.values["e_alpha_phi"] > 0.5 and joint.values["e_b_phi"] > 0


def test_a_singular_or_absent_body_is_undefined_and_counted(library):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = library / "joints.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    for entry in rows:
        if entry["joint"] == "door_joint":
            entry["body_inertia"] = [1.0, 0, 0, 0, 1.0, 0, 0, 0, 0.0]  # a rod along z
        if entry["joint"] == "drawer_joint":
            entry["body_mass"] = entry["body_com"] = entry["body_inertia"] = None
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    write_seal(library)
    dataset = load_dataset(library, split="eval200", verbose=False)
    result = evaluate(dataset, open_predictions(library))
    metric = {
        row.score: row
        for row in result.summary.charges
        if (row.protocol, row.scale) == ("all-joints", "metric")
    }
    assert metric["e_b_phi"].undefined == {"no_body": 1, "singular_body": 1}
    assert metric["e_b"].undefined == {"no_body": 1, "singular_body": 1, "unbounded": 1}
    row = mean(result, "e_b", scale="metric")
    assert row.values == 3 and row.estimate == 0.0
    trees = {item.object_id: item for item in objects(result)}
    cabinet = trees["generated-cabinet"]
    assert cabinet.e_b_phi_tree is None and cabinet.e_b_phi_tree_cost is None
    assert cabinet.e_b_phi_tree_undefined == "no_body" and cabinet.e_alpha_phi_tree == 0.0


def test_a_broken_row_of_a_library_is_reported_without_its_folder(library):
    import pyarrow as pa
    import pyarrow.parquet as pq

    dataset = load_dataset(library, split="eval200", verbose=False)
    path = library.parent / "theirs/joints.parquet"
    shutil.copytree(library, path.parent)
    table = pq.read_table(path)
    rows = table.to_pylist()
    for entry in rows:
        if entry["joint"] == "door_joint":
            entry["type"] = "wobbly"
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    write_seal(path.parent)
    result = evaluate(dataset, open_predictions(path.parent))
    (broken,) = (item for item in objects(result) if item.status == "unreadable")
    assert broken.detail.startswith(f"joints.parquet, object {broken.object_id!r}: ")
    everything = json.dumps([result.as_dict(), result.per_object.to_pylist()])
    assert str(library.parent) not in everything


def test_a_mimic_joint_is_scored_and_counted(library):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = library / "joints.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    for entry in rows:
        if entry["joint"] == "tray_joint":
            entry["mimic"] = {"joint": "drawer_joint", "multiplier": 1.0, "offset": 0.0}
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    write_seal(library)
    dataset = load_dataset(library, split="eval200", verbose=False)
    result = evaluate(dataset, open_predictions(library))
    assert result.joint_counts()["mimic"] == 1 and result.joint_counts()["matched"] == 8


def test_the_summary_is_strict_json_and_complete(dataset, folder, tmp_path):
    result = run(dataset, folder)
    place = tmp_path / "result"
    write_result(result, place)
    assert sorted(path.name for path in place.iterdir()) == [
        "method.json",
        "per_joint.parquet",
        "per_object.parquet",
        "summary.json",
        "timing.tsv",
    ]
    text = (place / "summary.json").read_text()
    data = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert data["result_version"] == "5"
    assert data["dataset"]["name"] == "articulatearena-20k"
    assert data["dataset"]["revision"] == dataset.revision
    assert data["dataset"]["split"] == "eval200_1a2b3c4d"
    assert data["metric_version"] == "1" and data["package_version"]
    assert data["parameters"] == {
        "alpha": 1.0,
        "kappa": math.pi,
        "pairing": "tree",
        "budget": SEARCH_BUDGET,
        "time_limit_s": None,
        "impute_limits": "none",
        "penalty": 1.0,
        "resamples": 10_000,
        "seed": 0,
        "level": 0.95,
        "norms": "split (alpha), kinetic (the ground truth's bodies)",
        "registration": "identity",
        "anchor": "rest",
        "accounting": ACCOUNTING,
        "main_joint": ONE_JOINT_RULE,
        "prediction_limits": STATED,
    }
    for row in data["aggregates"]:  # no mean without its coverage
        assert 0 <= row["values"] <= row["of"] and (row["estimate"] is None) == (row["values"] == 0)
    continuous = next(joint for joint in joints(result) if joint.type == "continuous")
    assert continuous.e_alpha_cost is None
    assert continuous.undefined["e_alpha"] == "unbounded"
    assert str(tmp_path) not in text
    with pytest.raises(ArenaError, match="is not a folder"):
        write_result(result, tmp_path / "nowhere" / "result")


def test_the_report_fits_the_terminal_and_names_the_frame(dataset, folder):
    lines = report_lines(run(dataset, folder), objects=True)
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "predictions are taken in the ground truth's object frame" in text
    assert dataset.revision in text and "5 of 19,977" in text
    assert all(score.symbol in text for score in SCORES)


def test_limits_and_what_they_struck_are_in_the_result(dataset, folder):
    scored = [item for item in objects(run(dataset, folder)) if item.status == "scored"]
    assert scored and all(item.e_alpha_phi_tree_exact for item in scored)
    assert all(0 < item.tree_work <= SEARCH_BUDGET for item in scored)
    assert not any(item.tree_timed_out for item in scored)
    limited = run(dataset, folder, time_limit_s=0.0)
    assert limited.as_dict()["parameters"]["time_limit_s"] == 0.0
    assert "depend on this machine" in "\n".join(report_lines(limited))
    for item in objects(limited):
        if item.status == "scored" and not item.e_alpha_phi_tree_exact:
            assert item.tree_timed_out


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0.0},
        {"kappa": -1.0},
        {"pairing": "luck"},
        {"budget": -1},
        {"time_limit_s": -1.0},
        {"impute_limits": "guess"},
        {"penalty": 0.0},
        {"resamples": 0},
        {"level": 1.0},
    ],
)
def test_wrong_parameters_are_sentences(wrong):
    with pytest.raises(ArenaError):
        Parameters(**wrong)


def test_a_pipe_and_a_huge_file_are_rows_and_stop_nothing(dataset, folder):
    lamp, stool = folder / "generated-lamp/object.urdf", folder / "local-stool/object.urdf"
    lamp.unlink()
    os.mkfifo(lamp)
    os.truncate(stool, 10**12)
    result = run(dataset, folder)
    assert object_row(result, "generated-lamp").status == "unreadable"
    assert "more than 32,000,000 bytes" in object_row(result, "local-stool").detail
    assert result.count("scored") == 1
