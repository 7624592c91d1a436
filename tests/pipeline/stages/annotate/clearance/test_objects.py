# SPDX-License-Identifier: Apache-2.0
"""Clearance of a URDF: link frames in meters, the grid, and the sentence of a finding."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.base.reasons import Code, Severity
from pipeline.handover.annotated import ExclusionRow
from pipeline.shapes.grid import grid_decimals
from pipeline.stages.annotate.clearance.carving import GAP
from pipeline.stages.annotate.clearance.objects import Cleared, cleared_parts, exclusion_findings
from pipeline.stages.annotate.collision.convex import CollisionMesh
from tests.kit import bench
from tests.pipeline.stages.annotate.clearance.shapes import Size, solid

DIAGONAL = 3.0  # m
ORIGIN = np.array([0.7, 0.1, 0.2])  # m, of the drawer's frame
SLIDE = bench.joint_text(
    "slide", "prismatic", "base", "drawer", xyz="0.7 0.1 0.2", axis="1 0 0",
    limit='lower="0" upper="0.5" effort="5" velocity="2"',
)  # fmt: skip
WELD = bench.joint_text("weld", "fixed", "base", "drawer", xyz="0.7 0.1 0.2", axis=None, limit=None)
# A side of a cabinet, and a knob out of the way [m].
SIDE = solid([0, -0.3, -0.5], [1, 0, 1])
KNOB = solid([0, 2, 0], [0.1, 2.1, 0.1])


def surface(mesh: trimesh.Trimesh, origin: Size = (0, 0, 0)) -> CollisionMesh:
    return CollisionMesh(np.asarray(mesh.vertices) - np.array(origin), np.asarray(mesh.faces))


def cleared(
    drawer: trimesh.Trimesh, joint: str = SLIDE
) -> tuple[Cleared, dict[str, list[CollisionMesh]]]:
    """Clear a side and a drawer, given in the object frame; return the parts before too."""
    urdf = bench.robot(bench.box_link("base"), bench.box_link("drawer"), joint)
    before = {"base": [surface(SIDE), surface(KNOB)], "drawer": [surface(drawer, ORIGIN)]}
    meshes = {"base": [SIDE, KNOB], "drawer": [drawer]}
    model = parse_urdf(urdf.encode())
    return cleared_parts(model, before, meshes, diagonal=DIAGONAL, most=16), before


def drawer_at(y: float) -> trimesh.Trimesh:
    """Return a drawer of 0.8 m x 0.6 m x 0.2 m whose side is at a height y."""
    return solid([0, y, 0], [0.8, y + 0.6, 0.2])


def test_a_trimmed_part_is_in_its_link_frame_on_the_grid() -> None:
    made, before = cleared(drawer_at(-0.01 / 3))
    assert made.exclusions == ()
    [part] = made.hulls["drawer"]
    low, high = part.vertices.min(axis=0) + ORIGIN, part.vertices.max(axis=0) + ORIGIN
    step = 10.0 ** -grid_decimals(DIAGONAL)
    assert low == pytest.approx([0, GAP * DIAGONAL, 0], abs=step)
    assert high == pytest.approx([0.8, 0.6 - 0.01 / 3, 0.2], abs=step)
    assert (part.vertices == np.round(part.vertices, grid_decimals(DIAGONAL))).all()
    # Its faces are those of a closed box, outward.
    mesh = trimesh.Trimesh(part.vertices, part.faces, process=False)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(ConvexHull(part.vertices).volume)
    # A link of which nothing was cut keeps its parts.
    assert all(a is b for a, b in zip(made.hulls["base"], before["base"], strict=True))


def test_parts_that_are_far_enough_apart_are_the_same_objects() -> None:
    made, before = cleared(drawer_at(2 * GAP * DIAGONAL))
    for link, parts in before.items():
        assert all(a is b for a, b in zip(made.hulls[link], parts, strict=True))


def test_a_pair_that_penetrates_is_a_row_and_keeps_its_parts() -> None:
    made, before = cleared(drawer_at(-0.2))
    assert made.exclusions == (ExclusionRow("base", "drawer", "overlap_at_rest"),)
    assert made.hulls["drawer"][0] is before["drawer"][0]


def test_an_object_without_movable_joints_is_left_as_it_is() -> None:
    made, before = cleared(drawer_at(-0.2), WELD)
    assert made.exclusions == ()
    assert made.hulls == before


@pytest.mark.parametrize(
    ("reason", "when"),
    [("overlap_at_rest", "at rest"), ("overlap_in_motion", "when a joint moves")],
)
def test_a_finding_names_both_links_and_says_when(reason: str, when: str) -> None:
    [finding] = exclusion_findings([ExclusionRow("base", "drawer", reason)])
    assert finding.code is Code.CONTACT_EXCLUDED
    assert finding.severity is Severity.INFO
    assert f"links base and drawer penetrate each other {when}" in finding.detail
    assert "excludes contacts" in finding.detail
