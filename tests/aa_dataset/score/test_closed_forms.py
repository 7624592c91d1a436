# SPDX-License-Identifier: Apache-2.0
"""First tests of all: the truth against itself is 0, a tilted hinge costs its closed form."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Parameters
from aa_dataset.score.result.scores import SCORES
from tests.kit.library_objects import LIBRARY_OBJECTS, write_urdf
from tests.kit.score_rows import joints, mean, object_cost, object_row, objects, values

TILT = math.radians(10)
KAPPA = math.pi


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, verbose=False)


@pytest.mark.parametrize("pairing", ["tree", "assignment"])
def test_the_truth_against_itself_is_exactly_zero_through_the_tables(
    dataset, pristine_library, pairing
):
    result = evaluate(
        dataset, open_predictions(pristine_library), parameters=Parameters(pairing=pairing)
    )
    assert len(values(result)) == 5 * 10 - 3 * 2  # five scores of ten joints, two continuous
    assert set(values(result)) == set(values(result, "one-joint")) == {0.0}
    assert result.generated_percent == 100.0
    counts = result.joint_counts()
    assert (counts["ground_truth"], counts["matched"], counts["spurious"]) == (10, 10, 0)
    assert result.joint_counts("one-joint")["matched"] == 5
    for score in SCORES:
        for name in ("mean_over_joints", "mean_of_objects", "median_of_objects"):
            for scale in ("metric", "other"):
                row = mean(result, score.key, name, scale=scale)
                assert row.estimate == row.low == row.high == 0.0
        part = mean(result, score.key, "mean_over_matched", scale="metric")
        assert (part.estimate, part.values) == (0.0, part.of)
    for charge in result.summary.charges:
        assert charge.welded == {} and charge.spurious == 0
    for key, count in (("e_alpha", 2), ("e_alpha_phi", 0), ("e_b", 2), ("e_b_phi", 0)):
        charges = [one for one in result.summary.charges if one.score == key]
        undefined = [one.undefined for one in charges if one.protocol == "all-joints"]
        assert sum(sum(reasons.values()) for reasons in undefined) == count
        assert {reason for reasons in undefined for reason in reasons} <= {"unbounded"}
    for tree in ("e_alpha_phi_tree", "e_b_phi_tree", "constant_penalty"):
        assert mean(result, tree, "mean_of_objects", protocol="").estimate == 0.0
    assert all(item.e_alpha_phi_tree_exact for item in objects(result))


def test_the_truth_against_itself_is_zero_through_urdf_text(dataset, tmp_path):
    dataset.unpack(tmp_path / "unpacked")
    result = evaluate(dataset, open_predictions(tmp_path / "unpacked"))
    assert len(values(result)) == 44
    assert max(values(result)) <= 1e-9


def tilted_axis() -> np.ndarray:
    """The door's axis (0, 0, 1) turned by 10 degrees about x."""
    return np.array([0.0, -math.sin(TILT), math.cos(TILT)])


@pytest.fixture
def tilted(dataset, tmp_path):
    """The ground truth as URDF files, the cabinet's door hinge tilted about its own origin."""
    folder = tmp_path / "tilted"
    dataset.unpack(folder)
    cabinet = next(t for t in LIBRARY_OBJECTS if t.object_id == "generated-cabinet")
    parts = tuple(
        replace(part, axis=tuple(tilted_axis())) if part.name == "door" else part
        for part in cabinet.parts
    )
    (folder / cabinet.object_id / "object.urdf").write_bytes(write_urdf("cabinet", parts))
    return folder


def door_closed_forms(dataset) -> dict[str, float]:
    """Return the four distances of the tilted door, from the definition with plain numbers.

    The joint has the limits [0, 1.6] and both screws pass through the same point o, so
    ``xi = (a, o x a)``, ``xi' = (a', o x a')`` and the better assignment of endpoints pairs 0 with
    0 and 1.6 xi with 1.6 xi': ``E = sqrt(l-^2 + l+^2) |xi' - xi|``.
    """
    lower, upper = 0.0, 1.6
    o, a, b = np.array([0.3, -0.2, 0.1]), np.array([0.0, 0.0, 1.0]), tilted_axis()
    screws = [np.r_[a, np.cross(o, a)], np.r_[b, np.cross(o, b)]]
    body = dataset["generated-cabinet"].tree.joint("door_joint").body

    def split(z):
        return math.sqrt(z @ z)

    def kinetic(z):
        omega, v = z[:3], z[3:]
        center_speed = v + np.cross(omega, body.center)
        return math.sqrt(omega @ body.inertia @ omega / body.mass + center_speed @ center_speed)

    def raw(norm):
        return math.hypot(lower, upper) * norm(screws[1] - screws[0])

    def compact(norm):
        ends = [
            [math.tanh(limit * norm(xi) / KAPPA) * xi / norm(xi) for limit in (lower, upper)]
            for xi in screws
        ]
        pairs = [(ends[0][k], ends[1][k]) for k in (0, 1)]
        return math.sqrt(sum(norm(p - q) ** 2 for p, q in pairs))

    return {
        "e_alpha": raw(split),
        "e_alpha_phi": compact(split),
        "e_b": raw(kinetic),
        "e_b_phi": compact(kinetic),
        # Both motions start at rest: the gap grows linearly from 0 to the raw distance.
        "d_path": raw(split) / math.sqrt(3),
    }


def test_the_chord_of_the_tilt_is_in_the_closed_form(dataset):
    a, b, o = np.array([0.0, 0.0, 1.0]), tilted_axis(), np.array([0.3, -0.2, 0.1])
    chord = 2 * math.sin(TILT / 2)
    assert np.linalg.norm(b - a) == pytest.approx(chord, rel=1e-14)
    arm = np.linalg.norm(np.cross(o, b - a))
    expected = 1.6 * math.hypot(chord, arm)
    assert door_closed_forms(dataset)["e_alpha"] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("pairing", ["tree", "assignment"])
def test_a_hinge_tilted_by_ten_degrees_costs_the_closed_form(dataset, tilted, pairing):
    result = evaluate(dataset, open_predictions(tilted), parameters=Parameters(pairing=pairing))
    expected = door_closed_forms(dataset)
    (door,) = [joint for joint in joints(result) if joint.joint == "door_joint"]
    assert door.predicted == "door_joint"
    for key, value in expected.items():
        assert door.values[key] == pytest.approx(value, rel=1e-12), key
    others = [
        value
        for joint in joints(result)
        if joint.joint != "door_joint"
        for value in joint.values.values()
        if value is not None
    ]
    assert max(others) <= 1e-9
    cabinet = object_row(result, "generated-cabinet")
    cost = object_cost(result, "generated-cabinet", "e_b")
    assert cost == pytest.approx(expected["e_b"] / 3, rel=1e-9)
    assert cabinet.e_alpha_phi_tree == pytest.approx(expected["e_alpha_phi"], rel=1e-9)
    assert cabinet.e_b_phi_tree == pytest.approx(expected["e_b_phi"], rel=1e-9)
    assert cabinet.constant_penalty == pytest.approx(expected["e_alpha_phi"], rel=1e-9)


def test_the_means_are_those_of_the_one_joint(dataset, tilted):
    result = evaluate(dataset, open_predictions(tilted))
    expected = door_closed_forms(dataset)
    # Ten moving joints, two of them continuous and so without raw E; five objects. The stool is
    # not metric: its slide counts with the others.
    metric, other = (mean(result, "e_alpha", scale=scale) for scale in ("metric", "other"))
    assert (metric.values, metric.objects, other.values, other.objects) == (7, 4, 1, 1)
    assert metric.estimate == pytest.approx(expected["e_alpha"] / 7, rel=1e-9)
    of_objects = mean(result, "e_alpha", "mean_of_objects", scale="metric")
    assert of_objects.estimate == pytest.approx(expected["e_alpha"] / 3 / 4, rel=1e-9)
    body = mean(result, "e_b", scale="metric")
    assert body.estimate == pytest.approx(expected["e_b"] / 7, rel=1e-9)
    assert mean(result, "e_b", scale="other").estimate <= 1e-9
    assert sum(mean(result, "e_alpha_phi", scale=s).values for s in ("metric", "other")) == 10


def test_alpha_weighs_the_translation(dataset, tilted):
    alpha = 2.5
    result = evaluate(dataset, open_predictions(tilted), parameters=Parameters(alpha=alpha))
    (door,) = [joint for joint in joints(result) if joint.joint == "door_joint"]
    change = tilted_axis() - np.array([0.0, 0.0, 1.0])
    shift = np.cross([0.3, -0.2, 0.1], change)
    expected = 1.6 * math.sqrt(change @ change + alpha**2 * (shift @ shift))
    assert door.values["e_alpha"] == pytest.approx(expected, rel=1e-12)


def test_every_score_of_the_table_is_covered_here(dataset):
    assert set(door_closed_forms(dataset)) == {score.key for score in SCORES}
