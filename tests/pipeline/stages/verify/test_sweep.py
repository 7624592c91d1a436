# SPDX-License-Identifier: Apache-2.0
"""Driven joints: what runs into what, by closed form, and by FCL and exact volumes as judges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.kinematics.joints import Mimic
from pipeline.stages.verify.contact import collision_object
from pipeline.stages.verify.evidence import Evidence
from pipeline.stages.verify.motion import ways
from pipeline.stages.verify.sweep import Entry, Sweep, check_sweep
from tests.kit import evidence as make

QUARTER = math.pi / 2
NOISE = 0.03  # of a share that 256 spread points measure: sqrt(p (1 - p) / 256) at most


def worst(evidence: Evidence, name: str) -> Entry | None:
    """Return what one joint makes worst."""
    entries = Sweep(evidence).entries(evidence.tree.joint(name))
    return max(entries, key=lambda entry: entry.share, default=None)


def intersects(evidence: Evidence, entry_joint: str, coordinate: float, a: str, b: str) -> bool:
    """Ask FCL whether the triangles of two links meet in one state."""
    fcl = pytest.importorskip("fcl")
    placed = evidence.tree.placements({entry_joint: coordinate})
    objects = []
    for link in (a, b):
        thing = collision_object(evidence.shapes[link])
        thing.setTransform(fcl.Transform(placed[link][:3, :3], placed[link][:3, 3]))
        objects.append(thing)
    return bool(fcl.collide(*objects, fcl.CollisionRequest(), fcl.CollisionResult()))


def wall_at(start: float) -> trimesh.Trimesh:
    """Return a wall that stands at 45 degrees, from a radius on outward."""
    wall = trimesh.creation.box((1.0, 0.05, 1.2))
    wall.apply_translation((start + 0.5, 0, 0))
    wall.apply_transform(trimesh.transformations.rotation_matrix(math.pi / 4, (0, 0, 1)))
    return wall


def door(wall: trimesh.Trimesh, **options: Any) -> Evidence:
    """Return a door of a meter that swings by 90 degrees about z, and a wall."""
    hinge = make.joint("hinge", "revolute", "wall", "leaf", upper=QUARTER)
    leaf = make.box((1, 0.02, 1), (0.5, 0, 0))
    return make.evidence({"wall": wall, "leaf": leaf}, hinge, **options)


@pytest.mark.parametrize("start", [0.3, 0.5, 0.75])
def test_a_door_that_swings_through_a_wall_enters_by_the_part_beyond_it(start: float) -> None:
    # Of the leaf's 2 (1 + 2 t) m^2, what lies beyond radius r is 2 (1 - r) (1 + t) + t.
    t, beyond = 0.02, 1 - start
    expected = (2 * beyond * (1 + t) + t) / (2 + 4 * t)
    evidence = door(wall_at(start))
    entry = worst(evidence, "hinge")
    assert entry is not None
    assert (entry.link, entry.other) == ("leaf", "wall")
    assert entry.share == pytest.approx(expected, abs=NOISE)
    assert entry.coordinate == pytest.approx(math.pi / 4, abs=0.2)
    assert intersects(evidence, "hinge", math.pi / 4, "leaf", "wall")
    (finding,) = check_sweep(evidence)
    assert str(finding.severity) == "warning"
    assert "joint hinge" in finding.detail
    assert "leaf passes into wall" in finding.detail


def test_a_door_that_just_clears_the_wall_is_fine() -> None:
    evidence = door(wall_at(1.01))
    assert not any(
        intersects(evidence, "hinge", q, "leaf", "wall") for q in np.linspace(0, QUARTER, 60)
    )
    assert list(check_sweep(evidence)) == []


def sheet(size: float, x: float) -> trimesh.Trimesh:
    """Return a square without thickness across x."""
    half = size / 2
    corners = [[x, -half, -half], [x, half, -half], [x, half, half], [x, -half, half]]
    return trimesh.Trimesh(corners, [[0, 1, 2], [0, 2, 3]], process=False)


def doubled(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return a mesh with every face a second time, wound the other way."""
    faces = np.concatenate([mesh.faces, mesh.faces[:, ::-1]])
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def turned(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return a mesh that is inside out."""
    return trimesh.Trimesh(mesh.vertices, mesh.faces[:, ::-1], process=False)


BACKS = {
    "panel": trimesh.creation.box((0.02, 1, 1), trimesh.transformations.translation_matrix(
        (0.91, 0, 0))),
    "sheet": sheet(1.0, 0.9),
    "doubled sheet": doubled(sheet(1.0, 0.9)),
}  # fmt: skip


@pytest.mark.parametrize("back", BACKS)
@pytest.mark.parametrize("change", [lambda mesh: mesh, doubled, turned])
@pytest.mark.parametrize("travel", [0.15, 0.3, 0.6])
def test_a_drawer_that_slides_through_the_back_enters_by_what_passes_it(
    back: str, change: Any, travel: float
) -> None:
    # The drawer ends at x = 0.8, the back begins at 0.9: what passes is travel - 0.1 of its length.
    a, b, length, passed = 0.4, 0.3, 0.8, travel - 0.1
    around, end = 2 * (a + b), a * b
    expected = (around * passed + end) / (around * length + 2 * end)
    tray = change(make.box((length, a, b), (length / 2, 0, 0)))
    slide = make.joint("slide", "prismatic", "back", "tray", axis=(1, 0, 0), upper=travel)
    entry = worst(make.evidence({"back": BACKS[back], "tray": tray}, slide), "slide")
    assert entry is not None
    assert (entry.link, entry.other) == ("tray", "back")
    assert entry.share == pytest.approx(expected, abs=NOISE)


def test_a_drawer_that_stops_before_the_back_is_fine() -> None:
    tray = make.box((0.8, 0.4, 0.3), (0.4, 0, 0))
    for back in BACKS.values():
        slide = make.joint("slide", "prismatic", "back", "tray", axis=(1, 0, 0), upper=0.0999)
        assert list(check_sweep(make.evidence({"back": back, "tray": tray}, slide))) == []


@pytest.mark.parametrize(("height", "share"), [(0.0, 1.0), (0.021, 0.0)])
def test_scissor_blades_in_one_plane_pass_through_each_other(height: float, share: float) -> None:
    first = make.box((1, 0.1, 0.02), (0.7, 0, 0))
    second = make.box((0.1, 1, 0.02), (0, 0.7, height))
    pivot = make.joint("pivot", "revolute", "first", "second", lower=-math.pi, upper=0)
    entry = worst(make.evidence({"first": first, "second": second}, pivot), "pivot")
    assert (entry.share if entry else 0.0) == pytest.approx(share, abs=NOISE)


def test_a_rod_that_slides_in_a_solid_weight_counts_by_the_growth_alone() -> None:
    rod = make.box((0.02, 0.02, 2), (0, 0, 0))
    slide = make.joint("slide", "prismatic", "rod", "weight", lower=-0.5, upper=0.5)
    meshes = {"rod": rod, "weight": make.box((0.2, 0.2, 0.2))}
    assert list(check_sweep(make.evidence(meshes, slide))) == []


def test_a_rod_driven_deeper_into_a_solid_counts_by_the_growth() -> None:
    # A tenth of the rod is inside at rest, half a meter more at the end.
    rod = make.box((0.02, 0.02, 1), (0, 0, 1.4))
    push = make.joint("push", "prismatic", "block", "rod", axis=(0, 0, -1), upper=0.5)
    entry = worst(make.evidence({"block": make.box((1, 1, 2)), "rod": rod}, push), "push")
    assert entry is not None
    assert entry.share == pytest.approx(0.5, abs=NOISE)


def contact_cases() -> dict[str, Evidence]:
    """Return parts that touch without a gap and slide along each other."""
    shaft = trimesh.creation.cylinder(radius=0.1, height=1.0, sections=48)
    bearing = trimesh.creation.annulus(r_min=0.1, r_max=0.3, height=0.4, sections=48)
    disc = trimesh.creation.cylinder(radius=0.3, height=0.1, sections=48)
    disc.apply_translation((0, 0, 0.1))
    spin = make.joint("spin", "continuous", "still", "moved")
    slide = make.joint("slide", "prismatic", "still", "moved", axis=(1, 0, 0), upper=0.5)
    rails = [make.box((1, 0.1, 0.1), (0, y, -0.15)) for y in (-0.3, 0.3)]
    return {
        "shaft": make.evidence({"still": bearing, "moved": shaft}, spin),
        "knob": make.evidence({"still": make.box((1, 1, 0.1)), "moved": disc}, spin),
        "drawer": make.evidence({"still": rails, "moved": make.box((0.8, 0.5, 0.2))}, slide),
    }


@pytest.mark.parametrize("case", ["shaft", "knob", "drawer"])
def test_parts_in_contact_that_slide_along_each_other_are_fine(case: str) -> None:
    assert list(check_sweep(contact_cases()[case])) == []


@pytest.mark.parametrize(("opens", "found"), [(QUARTER, []), (0.05, ["rack"])])
def test_what_another_joint_clears_is_no_collision(opens: float, found: list[str]) -> None:
    body = make.box((1, 0.02, 1), (0.5, 0.51, 0))
    meshes = {
        "body": body,
        "leaf": make.box((0.02, 1, 1), (1.02, 0, 0)),
        "rack": make.box((0.8, 0.6, 0.1), (0.5, 0, 0)),
    }
    hinge = make.joint("hinge", "revolute", "body", "leaf", origin=(1.02, 0.5, 0), upper=opens)
    pull = make.joint("pull", "prismatic", "body", "rack", axis=(1, 0, 0), upper=0.5)
    evidence = make.evidence(meshes, hinge, pull)
    entries = list(Sweep(evidence).entries(evidence.tree.joint("pull")))
    assert [entry.link for entry in entries] == found


def test_a_follower_collides_when_its_leader_is_driven() -> None:
    meshes = {
        "wall": wall_at(0.5),
        "crank": make.box((0.1, 0.1, 0.1), (0, 0, 3)),
        "leaf": make.box((1, 0.02, 1), (0.5, 0, 0)),
    }
    lead = make.joint("lead", "revolute", "wall", "crank", upper=1.0)
    obey = make.joint("obey", "revolute", "wall", "leaf", upper=2.0, mimic=Mimic("lead", QUARTER))
    (finding,) = check_sweep(make.evidence(meshes, lead, obey))
    assert "joint lead: " in finding.detail
    assert "leaf passes into wall" in finding.detail


def test_a_button_that_dips_into_a_solid_housing_is_a_remark_for_all_of_them() -> None:
    meshes = {"case": make.box((1, 1, 0.2))}
    joints = []
    for number, x in enumerate((-0.3, 0.0, 0.3)):
        meshes[f"key_{number}"] = make.box((0.1, 0.1, 0.011), (x, 0, 0.106))
        joints.append(make.joint(f"press_{number}", "prismatic", "case", f"key_{number}",
                                 axis=(0, 0, -1), upper=0.01))  # fmt: skip
    (finding,) = check_sweep(make.evidence(meshes, *joints))
    assert str(finding.severity) == "info"
    assert "and 2 more (the largest)" in finding.detail


def test_the_end_of_the_budget_is_reported() -> None:
    evidence = door(wall_at(0.5), sweep_steps=1000)
    (finding,) = check_sweep(evidence)
    assert str(finding.code) == "sweep_partial"
    assert "1000 steps" in finding.detail
    assert "joint hinge" in finding.detail


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "ends"),
    [
        ("revolute", -1.0, 2.0, [2.0, -1.0]),
        ("revolute", 0.5, 2.0, [2.0]),
        ("revolute", -2.0, -0.5, [-2.0]),
        ("revolute", -9.0, 9.0, [2 * math.pi]),
        ("continuous", 0.0, 0.0, [2 * math.pi]),
        ("prismatic", -1.0, 0.0, [-1.0]),
        ("helical", 0.0, 20.0, [20.0]),
        ("prismatic", 0.0, 0.0, []),
    ],
)
def test_the_way_leads_from_rest_to_both_ends_and_round_once(
    kind: str, lower: float, upper: float, ends: list[float]
) -> None:
    pitch = {"pitch": 0.01} if kind == "helical" else {}
    moved = make.joint("j", kind, "a", "b", lower=lower, upper=upper, **pitch)
    tree = make.evidence({"a": make.box((1, 1, 1)), "b": make.box((1, 1, 1))}, moved).tree
    found = ways(tree, moved, size=1.0, step=0.131, slides=8)
    assert [way.coordinates[-1] for way in found] == pytest.approx(ends)
    for way in found:
        if kind != "prismatic":
            assert np.abs(np.diff(way.coordinates)).max() <= 0.131 + 1e-9
        for q, placed in zip(way.coordinates, way.placements["b"], strict=True):
            assert placed == pytest.approx(tree.placements({"j": float(q)})["b"], abs=1e-12)


def random_case(seed: int) -> Evidence:
    """Return two boxes at random places and a hinge or slide between them."""
    draw = np.random.default_rng(seed)
    meshes = {}
    for name in ("still", "moved"):
        mesh = trimesh.creation.box(draw.uniform(0.1, 0.6, 3))
        mesh.apply_transform(trimesh.transformations.random_rotation_matrix(draw.uniform(size=3)))
        mesh.apply_translation(draw.uniform(-0.5, 0.5, 3))
        meshes[name] = mesh
    kind = "revolute" if seed % 2 else "prismatic"
    axis = draw.normal(size=3)
    moved = make.joint("j", kind, "still", "moved", axis=axis, upper=1.0,
                       origin=draw.uniform(-0.5, 0.5, 3))  # fmt: skip
    return make.evidence(meshes, moved)


def exact_share(evidence: Evidence, coordinate: float) -> float:
    """Return the shared volume over the smaller volume, by booleans."""
    manifold = pytest.importorskip("manifold3d")
    placed = evidence.tree.placements({"j": coordinate})
    solids = []
    for link in ("still", "moved"):
        shape = evidence.shapes[link]
        mesh = manifold.Mesh64(shape.vertices, shape.faces.astype(np.uint64))
        solids.append(manifold.Manifold(mesh).transform(placed[link][:3]))
    shared = (solids[0] ^ solids[1]).volume()
    return float(shared / min(solid.volume() for solid in solids))


def test_fcl_and_exact_volumes_agree_on_random_boxes() -> None:
    states = np.linspace(0, 1, 40)
    alarms = silences = 0
    for seed in range(120):
        evidence = random_case(seed)
        if intersects(evidence, "j", 0.0, "still", "moved"):
            continue  # overlap at rest has its own tests
        meets = any(intersects(evidence, "j", q, "still", "moved") for q in states)
        deep = max(exact_share(evidence, q) for q in states) > 0.1
        entry = worst(evidence, "j")
        if entry is not None:
            alarms += 1
            assert meets, seed
        if deep:
            assert entry is not None, seed
        silences += not meets
    assert alarms >= 10
    assert silences >= 5
