# SPDX-License-Identifier: Apache-2.0
"""Strange geometry: a valid body or a finding, never a silent number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mpmath
import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import RigidBody
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from pipeline.stages.annotate.mass import link_mass
from pipeline.stages.annotate.rounding import rounded_body, rounded_up
from pipeline.stages.annotate.stage import annotate
from tests.kit import bench
from tests.kit import settings as settings_kit

DENSITY = 500.0


@pytest.fixture
def annotated(tmp_path: Path) -> Callable[..., Outcome]:
    """Annotate a raw object of a box and one more link, joined by a hinge."""

    def run_one(link: str, files: dict[str, str] | None = None, size: str = "1 1 1") -> Outcome:
        hinge = bench.joint_text("hinge", "revolute", "a", "b")
        raw = bench.robot(bench.box_link("a", size), link, hinge)
        normal = bench.normal(bench.write_object(tmp_path / "raw", raw, files))
        row, where = bench.stored(tmp_path / "object.tar", normal)
        return annotate(bench.annotate_task(row, where), settings_kit.SETTINGS)

    return run_one


def assert_physical(row: dict) -> None:
    """Check what every link must have."""
    low, middle, high = np.linalg.eigvalsh(np.array(row.inertia).reshape(3, 3))
    assert row.mass > 0
    assert low > 0
    assert high <= low + middle
    assert 0 <= row.inertia_error <= 1
    if row.bounds_lower is not None:
        slack = 1e-6 * np.linalg.norm(np.subtract(row.bounds_upper, row.bounds_lower))
        assert (np.array(row.com) >= np.array(row.bounds_lower) - slack).all()
        assert (np.array(row.com) <= np.array(row.bounds_upper) + slack).all()


def link_b(outcome: Outcome) -> dict:
    """Return the row of the link in question; check all rows."""
    for row in outcome.record.links:
        assert_physical(row)
    return next(row for row in outcome.record.links if row.link == "b")


def said(outcome: Outcome) -> list[str]:
    """Return what was found about the link in question."""
    return [str(f.code) for f in outcome.findings if "link b:" in f.detail]


def test_a_link_without_geometry_has_a_negligible_body_and_a_finding(
    annotated: Callable[..., Outcome],
) -> None:
    outcome = annotated('<link name="b"/>')
    row = link_b(outcome)
    assert (row.inertia_method, row.inertia_error) == ("negligible", 1.0)
    assert row.mass <= 1e-6
    assert said(outcome) == ["mass_approximate"]


@pytest.mark.parametrize(
    "text",
    [
        "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n",
        "v 0 0 0\nv 0.1 0 0\nv 0.2 0 0\nf 1 2 3\n",
        "v 0 0 0\nv 1e-9 0 0\nv 0 1e-9 0\nf 1 2 3\n",
    ],
)
def test_a_mesh_without_area_has_a_valid_body_and_a_finding(
    annotated: Callable[..., Outcome], text: str
) -> None:
    outcome = annotated(bench.mesh_link("b", "flat.obj"), {"flat.obj": text})
    assert link_b(outcome).inertia_error == 1.0
    assert said(outcome) == ["mass_approximate"]


@pytest.mark.parametrize("size", [1e-5, 1e-3, 1.0, 100.0])
def test_objects_of_any_size_have_the_closed_form(
    annotated: Callable[..., Outcome], size: float
) -> None:
    a, b, c = 0.5 * size, 0.25 * size, size
    outcome = annotated(bench.box_link("b", f"{a!r} {b!r} {c!r}"), size=f"{size!r} " * 3)
    row, mass = link_b(outcome), DENSITY * a * b * c
    tensor = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    assert row.inertia_method == "primitive"
    assert row.mass == pytest.approx(mass, rel=1e-9)
    # A moving link has at least the moment that simulators can compute with.
    raised = max(1e-12 - float(np.diag(tensor).min()), 0.0)
    found = np.array(row.inertia).reshape(3, 3)
    assert found == pytest.approx(
        tensor + raised * np.eye(3), rel=1e-9, abs=1e-9 * np.trace(tensor)
    )
    assert row.inertia_error < 1e-8
    assert said(outcome) == (["inertia_raised"] if raised else [])


@pytest.mark.parametrize("size", [1e-5, 100.0])
def test_open_objects_of_any_size_stay_within_their_estimate(size: float) -> None:
    box = trimesh.creation.box((size, size, size)).subdivide().subdivide().subdivide()
    pricked = trimesh.Trimesh(box.vertices, box.faces[1:], process=False)
    found = link_mass([pricked], density=DENSITY, thickness=0.002 * size)
    assert found.method == "winding"
    assert found.body.mass == pytest.approx(DENSITY * size**3, rel=found.error)
    assert found.error < 0.02
    sides = trimesh.Trimesh(box.vertices, box.faces[box.face_normals[:, 2] < 0.5], process=False)
    found = link_mass([sides], density=DENSITY, thickness=0.002 * size)
    assert found.method == "shell"
    assert found.body.mass == pytest.approx(DENSITY * 5 * size**2 * 0.002 * size)
    assert found.error == 1.0


@pytest.mark.parametrize("distance", [1e3, 1e6])
def test_a_body_far_from_its_origin_reports_its_error(
    annotated: Callable[..., Outcome], distance: float
) -> None:
    far = bench.box_link("b", "1 1 1", f'<origin xyz="{distance:g} 0 0"/>')
    try:
        outcome = annotated(far)
    except Rejection as rejection:
        assert "b" in rejection.detail
        return
    row = link_b(outcome)
    assert row.mass == pytest.approx(DENSITY, rel=row.inertia_error)
    tensor = DENSITY / 6 * np.eye(3)
    error = np.linalg.norm(np.array(row.inertia).reshape(3, 3) - tensor)
    assert error <= row.inertia_error * np.linalg.norm(tensor)
    # Single precision steps by 0.06 m at a million meters, and by 0.00006 m at a thousand.
    assert (said(outcome) == ["mass_approximate"]) == (distance > 1e5)


def test_integrals_do_not_depend_on_the_distance_from_the_origin() -> None:
    shift = np.array([2.0**20, -(2.0**20), 2.0**20])
    box = trimesh.creation.box((1, 2, 3))
    near = link_mass([box], density=1.0, thickness=0.01).body
    far = link_mass([box.copy().apply_translation(shift)], density=1.0, thickness=0.01).body
    assert far.mass == pytest.approx(near.mass, rel=1e-12)
    assert far.inertia == pytest.approx(near.inertia, abs=1e-12)
    assert far.center - shift == pytest.approx(near.center, abs=1e-9)


@given(
    st.tuples(*[st.floats(1e-7, 1.0)] * 3),
    st.tuples(*[st.floats(-3.0, 3.0)] * 3),
    st.floats(1e-6, 1e3),
)
def test_rounding_keeps_a_body_physical(
    sides: tuple[float, ...], angles: tuple[float, ...], size: float
) -> None:
    a, b, c = np.array(sides) * size
    turn = Rotation.from_euler("xyz", angles).as_matrix()
    tensor = turn @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ turn.T / 12
    found = rounded_body(RigidBody(1.0, np.zeros(3), tensor), size)
    assert np.array_equal(found.inertia, found.inertia.T)
    # Eigenvalues of the rounded numbers in 50 digits: the judge does not round.
    with mpmath.workdps(50):
        exact = mpmath.matrix(found.inertia.tolist())
        low, middle, high = sorted(mpmath.eigsy(exact, eigvals_only=True))
        assert low > 0
        assert high <= (low + middle) * (1 + mpmath.mpf(10) ** -14)
    assert found.inertia == pytest.approx(tensor, abs=1e-9 * np.trace(tensor))


def test_errors_are_never_rounded_down() -> None:
    for value in (0.0, 1e-12, 0.00101, 0.0099, 0.5, 0.996, 1.0):
        assert value <= rounded_up(value) <= value * 1.1
