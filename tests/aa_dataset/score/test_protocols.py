# SPDX-License-Identifier: Apache-2.0
"""Both protocols, the four pairings, imputed limits and the shapes at rest."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.kinematics import Joint
from aa_dataset.metric import component_errors, joint_distance, motion_size
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Parameters
from aa_dataset.score.result.scores import COMPONENTS, VARIANTS
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import ObjectSpec, Part, write_urdf
from tests.kit.score_rows import joints, mean, object_row, spurious

NAME = "generated-a"
DOOR = Part("door", "revolute", xyz=(0.3, -0.2, 0.1), upper=1.6)
LID = Part("lid", "revolute", xyz=(0.0, 0.1, 0.0), axis=(1.0, 0.0, 0.0), upper=0.5)
TRAY = Part("tray", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.2)


@pytest.fixture
def scored(tmp_path):
    """Return a function that scores predicted parts against true ones."""

    def run(truth, predicted, **parameters):
        root = build_library(tmp_path / "library", (ObjectSpec(NAME, "a", tuple(truth)),))
        folder = tmp_path / "predictions" / NAME
        folder.mkdir(parents=True)
        text = predicted if isinstance(predicted, bytes) else write_urdf("x", tuple(predicted))
        (folder / "object.urdf").write_bytes(text)
        dataset = load_dataset(root, verbose=False)
        predictions = open_predictions(folder.parent)
        return evaluate(dataset, predictions, parameters=Parameters(**parameters))

    return run


def without_limits(*parts: Part) -> bytes:
    """Return a URDF whose joints state an effort but no range, as several methods write it."""
    import re

    text = write_urdf("x", parts).decode()
    return re.sub(r'<limit lower="[^"]*" upper="[^"]*"', "<limit", text).encode()


def test_the_main_joint_has_the_largest_motion_and_its_partner_of_the_tree(scored):
    moved = replace(DOOR, xyz=(0.3, -0.2, 0.2), upper=1.2)
    result = scored((TRAY, LID, DOOR), (TRAY, LID, replace(moved, name="x")))
    (main,) = joints(result, "one-joint")
    sizes = {j.joint: j.e_alpha_phi_weld for j in joints(result)}
    assert main.joint == "door_joint" == max(sizes, key=sizes.get)
    assert (main.predicted, main.is_main, main.why) == ("x_joint", True, "matched")
    row = object_row(result, NAME)
    assert (row.main_joint, row.main_partner) == ("door_joint", "x_joint")
    assert [j.joint for j in joints(result) if j.is_main] == ["door_joint"]
    same = next(j for j in joints(result) if j.is_main)
    assert main.costs == same.costs and main.e_alpha > 0


def test_equal_motions_are_told_apart_by_name(scored):
    twins = [replace(TRAY, name=name) for name in ("c", "a", "b")]
    result = scored(twins, twins)
    assert object_row(result, NAME).main_joint == "a_joint"


def test_without_a_partner_in_the_tree_the_closest_joint_is_taken(scored):
    # The door of the prediction fits the lid better, so the tree pairs them and leaves the door.
    far = replace(LID, name="far", upper=0.55)
    result = scored((DOOR, LID), (far,))
    every = {j.joint: j.predicted for j in joints(result)}
    assert every == {"door_joint": None, "lid_joint": "far_joint"}
    (main,) = joints(result, "one-joint")
    assert (main.joint, main.predicted) == ("door_joint", "far_joint")
    guess = Joint("far", "revolute", [1, 0, 0], [0, 0.1, 0], 0, 0.55)
    truth = Joint("door", "revolute", [0, 0, 1], [0.3, -0.2, 0.1], 0, 1.6)
    assert main.e_alpha == pytest.approx(joint_distance(guess, truth), rel=1e-12)
    assert not spurious(result)


def test_without_a_predicted_joint_the_main_joint_costs_its_weld(scored):
    result = scored((DOOR, LID), (replace(DOOR, type="fixed"),))
    (main,) = joints(result, "one-joint")
    assert main.predicted is None and main.why == "unmatched"
    assert main.e_alpha_cost == main.e_alpha_weld > 1.6
    assert not main.released_success
    assert object_row(result, NAME).main_partner is None


def test_an_object_that_never_moves_has_no_row_but_counts_as_scored(scored):
    result = scored((replace(DOOR, type="fixed"),), (replace(DOOR, type="fixed"),))
    assert joints(result) == joints(result, "one-joint") == []
    row = object_row(result, NAME)
    assert (row.status, row.joints, row.main_joint) == ("scored", 0, None)
    assert row.e_alpha_phi_tree == 0.0 and row.e_alpha_phi_tree_per_truth_joint is None
    assert row.e_b_phi_tree is None and row.e_b_phi_tree_undefined == "no_body"
    tree = mean(result, "e_alpha_phi_tree", "mean_per_truth_joint", protocol="")
    assert math.isnan(tree.estimate) and (tree.values, tree.of) == (0, 1)


def test_components_are_those_of_the_metric_in_every_variant(scored):
    moved = replace(DOOR, xyz=(0.32, -0.2, 0.1), axis=(0.0, 0.1, 1.0), upper=1.2)
    (row,) = joints(scored((DOOR,), (moved,)))
    truth = Joint("door", "revolute", [0, 0, 1], [0.3, -0.2, 0.1], 0, 1.6)
    guess = Joint("door", "revolute", [0, 0.1, 1], [0.32, -0.2, 0.1], 0, 1.2)
    for name, variant in VARIANTS.items():
        errors = component_errors(guess, truth, variant=variant)
        for component in COMPONENTS:
            found = getattr(row, f"{name}_{component.key}")
            assert found == pytest.approx(getattr(errors, component.key), rel=1e-9, abs=1e-12)
        assert getattr(row, f"{name}_success") == errors.success


def test_turns_and_slides_have_range_errors_apart(scored):
    wrong = (replace(DOOR, upper=1.5), replace(TRAY, upper=0.15), replace(LID, type="prismatic"))
    result = scored((DOOR, TRAY, LID), wrong, pairing="name")
    found = {
        (one.label.unit, one.label.scale): one
        for one in result.summary.aggregates
        if (one.label.score, one.label.protocol) == ("strict_range_error", "all-joints")
    }
    assert {key: (one.values, one.of) for key, one in found.items()} == {
        ("rad", "all"): (1, 1),
        ("m", "metric"): (1, 1),
    }
    assert found["rad", "all"].estimate == pytest.approx(0.1)
    assert found["m", "metric"].estimate == pytest.approx(0.05)


def test_names_pair_joints_whatever_they_do(scored):
    swapped = (replace(DOOR, name="tray"), replace(TRAY, name="door"), replace(LID, name="extra"))
    by_tree = scored((DOOR, TRAY, LID), swapped)
    assert by_tree.joint_counts()["matched"] == 3
    assert max(j.e_alpha for j in joints(by_tree)) == 0.0


def test_pairing_by_name_leaves_other_names_alone(scored):
    swapped = (replace(DOOR, name="tray"), replace(TRAY, name="door"), replace(LID, name="extra"))
    result = scored((DOOR, TRAY, LID), swapped, pairing="name")
    pairs = {j.joint: j.predicted for j in joints(result)}
    assert pairs == {"door_joint": "door_joint", "tray_joint": "tray_joint", "lid_joint": None}
    assert [j.predicted for j in spurious(result)] == ["extra_joint"]
    assert min(j.e_alpha for j in joints(result) if j.predicted) > 0.2
    assert object_row(result, NAME).e_alpha_phi_tree == 0.0  # the trees are the same


# --- limits that a prediction does not state -----------------------------------------------------


def test_absent_limits_cost_as_much_as_unbounded_guesses(scored):
    result = scored((DOOR, TRAY), without_limits(DOOR, TRAY))
    for row in joints(result):
        assert row.predicted_limits == "absent" and row.why == "nonfinite"
        assert row.undefined == dict.fromkeys(("e_alpha", "e_b", "d_path"), "limits_absent")
        assert row.e_alpha_cost == row.e_alpha_weld and row.e_alpha is None
        assert row.e_alpha_phi > 0
    assert result.joint_counts()["limits_absent"] == 2 and not result.method.dagger


def test_imputed_limits_are_the_partners_with_the_better_sign(scored):
    turned = replace(DOOR, axis=(0.0, 0.0, -1.0))
    result = scored((DOOR, TRAY), without_limits(turned, TRAY), impute_limits="truth")
    assert all(row.predicted_limits == "imputed" for row in joints(result))
    assert max(value for row in joints(result) for value in row.values.values()) <= 1e-12
    assert object_row(result, NAME).e_alpha_phi_tree <= 1e-12
    assert {row.predicted_limits for row in joints(result, "one-joint")} == {"imputed"}
    assert result.method.dagger and "ground truth" in result.method.imputed
    assert result.method.marked_name.endswith("†")


def test_imputation_touches_absent_limits_of_paired_joints_alone(scored):
    short = replace(DOOR, upper=0.1)
    text = without_limits(TRAY, replace(LID, name="other")).decode()
    given = write_urdf("x", (short,)).decode()
    door = given[given.index("<joint") : given.index("</joint>") + len("</joint>")]
    link = given[given.index('<link name="door"') :]
    link = link[: link.index("</link>") + len("</link>")]
    both = text.replace("</robot>", f"{link}{door}</robot>").encode()
    result = scored((DOOR, TRAY), both, impute_limits="truth", pairing="name")
    limits = {row.predicted: row.predicted_limits for row in joints(result)}
    assert limits == {"door_joint": "given", "tray_joint": "imputed"}
    (left,) = spurious(result)
    assert left.predicted_limits == "absent"
    # A spurious joint without limits counts as half a turn each way.
    assert left.e_alpha_cost == pytest.approx(math.sqrt(2) * math.pi * math.hypot(1, 0.1))


def test_a_slide_takes_no_range_of_a_turn(scored):
    slide = replace(DOOR, type="prismatic")
    result = scored((DOOR,), without_limits(slide), impute_limits="truth")
    (row,) = joints(result)
    assert row.predicted_limits == "absent" and row.e_alpha_cost == row.e_alpha_weld


# --- shapes at rest ------------------------------------------------------------------------------


def with_bounds(root, centers):
    """Give the links of a library cubes of 0.2 m around other centers."""
    path = root / "links.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    for row in rows:
        center = centers.get(row["link"])
        for name, half in (("bounds_lower", -0.1), ("bounds_upper", 0.1)):
            row[name] = None if center is None else [x + half for x in center]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    write_seal(root)


BOX = '<visual><origin xyz="{xyz}"/><geometry>{shape}</geometry></visual>'


def shaped_urdf(shapes: dict[str, str]) -> bytes:
    """Return three slides along x from the base, all alike but for the shapes of their links."""
    links = "".join(f'<link name="{name}">{shape}</link>' for name, shape in shapes.items())
    joints_ = "".join(
        f'<joint name="{name}_j" type="prismatic"><parent link="base"/><child link="{name}"/>'
        '<axis xyz="1 0 0"/><limit lower="0" upper="0.2"/></joint>'
        for name in shapes
        if name != "base"
    )
    return f'<robot name="x">{links}{joints_}</robot>'.encode()


@pytest.fixture
def drawers(tmp_path):
    """Return a library of three equal drawers above each other, and a folder for predictions."""
    parts = tuple(replace(TRAY, name=f"d{k}", xyz=(0.0, 0.0, 0.3 * k)) for k in range(3))
    root = build_library(tmp_path / "library", (ObjectSpec(NAME, "a", parts),))
    with_bounds(root, {f"d{k}": (0.0, 0.0, 0.3 * k) for k in range(3)})
    folder = tmp_path / "predictions" / NAME
    folder.mkdir(parents=True)
    return load_dataset(root, verbose=False), folder


def box(z: float, shape: str = '<box size="0.2 0.2 0.2"/>') -> str:
    return BOX.format(xyz=f"0 0 {z}", shape=shape)


def test_geometry_pairs_the_centers_of_what_moves(drawers):
    dataset, folder = drawers
    shapes = {
        "base": "",
        "a": box(0.55),
        "b": box(0.0, '<cylinder radius="0.1" length="0.2"/>'),
        "c": box(0.28, '<sphere radius="0.1"/>'),
    }
    (folder / "object.urdf").write_bytes(shaped_urdf(shapes))
    result = evaluate(
        dataset, open_predictions(folder.parent), parameters=Parameters(pairing="geometry")
    )
    pairs = {j.joint: j.predicted for j in joints(result)}
    assert pairs == {"d0_joint": "b_j", "d1_joint": "c_j", "d2_joint": "a_j"}
    gaps = [j.rest_offset for j in joints(result)]
    assert gaps == pytest.approx([0.0, 0.02, 0.05], abs=1e-12)
    found = mean(result, "rest_offset", "mean_over_matched")
    assert found.estimate == pytest.approx(0.07 / 3) and (found.values, found.of) == (3, 3)


def test_geometry_without_shapes_says_what_it_needs(drawers):
    dataset, folder = drawers
    (folder / "object.urdf").write_bytes(shaped_urdf({"base": "", "a": "", "b": "", "c": ""}))
    predictions = open_predictions(folder.parent)
    result = evaluate(dataset, predictions, parameters=Parameters(pairing="geometry"))
    row = object_row(result, NAME)
    assert row.status == "unreadable"
    assert "needs the visual geometry of every moving link: primitives or OBJ meshes" in row.detail
    plain = evaluate(dataset, predictions)
    assert object_row(plain, NAME).status == "scored"
    assert [j.rest_offset for j in joints(plain)] == [None] * 3


def test_meshes_are_read_inside_the_folder_alone(drawers):
    dataset, folder = drawers
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    (folder / "mesh.obj").write_text(text)
    (folder.parent / "outside.obj").write_text(text)
    (folder / "link.obj").symlink_to(folder / "mesh.obj")

    def mesh(name):
        return f'<mesh filename="{name}" scale="0.1 0.1 0.1"/>'

    for name, known in (
        ("mesh.obj", True),
        ("./x/../mesh.obj", True),
        ("../outside.obj", False),
        ("/etc/passwd", False),
        ("link.obj", False),
        ("absent.obj", False),
        ("mesh.stl", False),
        ("package://p/mesh.obj", False),
    ):
        shapes = {"base": "", "a": box(0.55, mesh(name)), "b": box(0.0), "c": box(0.28)}
        (folder / "object.urdf").write_bytes(shaped_urdf(shapes))
        result = evaluate(dataset, open_predictions(folder.parent))
        offsets = {j.predicted: j.rest_offset for j in joints(result)}
        assert (offsets["a_j"] is not None) == known, name
        assert offsets["b_j"] is not None


def test_a_turned_primitive_has_the_box_of_its_points():
    from aa_dataset.kinematics.urdf import parse_urdf
    from aa_dataset.score.readers.shapes import link_boxes

    shapes = {
        "a": '<box size="0.2 0.4 0.6"/>',
        "b": '<cylinder radius="0.3" length="0.8"/>',
        "c": '<capsule radius="0.3" length="0.8"/>',
    }
    pose = '<origin xyz="1 2 3" rpy="0.3 -0.5 0.7"/>'
    visuals = {
        name: f"<visual>{pose}<geometry>{shape}</geometry></visual>"
        for name, shape in shapes.items()
    }
    found = link_boxes(parse_urdf(shaped_urdf({"base": "", **visuals})), lambda name: b"")
    cr, cp, cy = (math.cos(x) for x in (0.3, -0.5, 0.7))
    sr, sp, sy = (math.sin(x) for x in (0.3, -0.5, 0.7))
    turn = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    angles = np.linspace(0, 2 * math.pi, 20_000)
    ring = np.stack([0.3 * np.cos(angles), 0.3 * np.sin(angles)])
    clouds = {
        "a": np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]),
        "b": np.concatenate([np.vstack([ring, np.full(len(angles), z)]).T for z in (-0.4, 0.4)]),
    }
    for name, cloud in clouds.items():
        placed = cloud @ turn.T + [1, 2, 3]
        lower, upper = found.boxes[name]
        assert lower == pytest.approx(placed.min(axis=0), abs=1e-6)
        assert upper == pytest.approx(placed.max(axis=0), abs=1e-6)
    axis = 0.4 * np.abs(turn[:, 2]) + 0.3  # a segment with a ball around every point
    assert found.boxes["c"][1] == pytest.approx(np.array([1, 2, 3]) + axis, abs=1e-12)


def test_the_weld_of_the_main_joint_is_its_motion_size(scored):
    result = scored((DOOR, LID, TRAY), (DOOR,))
    truth = Joint("door", "revolute", [0, 0, 1], [0.3, -0.2, 0.1], 0, 1.6)
    (main,) = joints(result, "one-joint")
    expected = motion_size(truth, compactify=math.pi)
    assert main.e_alpha_phi_weld == pytest.approx(expected, rel=1e-12)
