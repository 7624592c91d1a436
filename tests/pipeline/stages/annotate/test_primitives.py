# SPDX-License-Identifier: Apache-2.0
"""Links of primitives have the closed forms, whatever their triangles leave out.

The expected bodies come from quadrature over slices, not from the formulas of the stage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import trimesh
from scipy.integrate import quad
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import RigidBody
from pipeline.engine.runner import Outcome
from pipeline.shapes.glb import link_points, mesh_order, read_links
from pipeline.stages.annotate.stage import annotate
from tests.kit import bench
from tests.kit import settings as settings_kit
from tests.kit.places import SAMPLES

ARTICRAFT = SAMPLES / "articraft"
# Samples in which some links are primitives that do not overlap, the round ones among them.
RECORDS = (
    "rec_playground_swing_047a11bb1e57408da9c",
    "rec_turntable_ba9271c72bdf48c7a0b760f0aa",
    "rec_xyz_cartesian_stage_5dc892f81a7e4c51",
)
DENSITY = 500.0
EXACT = 1e-9
RPY = (0.4, -0.8, 1.3)
TURN = Rotation.from_euler("xyz", RPY).as_matrix()
SIZES = {
    "box": (0.3, 0.2, 0.7),
    "sphere": (0.35,),
    "cylinder": (0.15, 0.8),
    "capsule": (0.12, 0.5),
}
Part = tuple[str, tuple[float, ...], np.ndarray, np.ndarray]


@pytest.fixture
def annotated(tmp_path: Path) -> Callable[..., Outcome]:
    """Annotate a normalized object."""

    def run_one(outcome: Outcome) -> Outcome:
        row, where = bench.stored(tmp_path / "object.tar", outcome)
        return annotate(bench.annotate_task(row, where), settings_kit.SETTINGS)

    return run_one


def visual(kind: str, size: Sequence[float], xyz: Sequence[float] = (0, 0, 0),
           rpy: Sequence[float] = (0, 0, 0)) -> str:  # fmt: skip
    """Return a <visual> of a primitive."""
    names = ("radius", "length")[: len(size)]
    said = " ".join(f'{name}="{value!r}"' for name, value in zip(names, size, strict=False))
    if kind == "box":
        said = 'size="{!r} {!r} {!r}"'.format(*size)
    place = 'xyz="{!r} {!r} {!r}" rpy="{!r} {!r} {!r}"'.format(*xyz, *rpy)
    return f"<visual><origin {place}/><geometry><{kind} {said}/></geometry></visual>"


def one_link(folder: Path, *visuals: str, files: Any = None) -> Path:
    """Return a raw object with one link of these visuals, hinged on a far box."""
    return bench.write_object(
        folder,
        bench.robot(
            bench.box_link("foot", "0.5 0.5 0.5", '<origin xyz="-2 0.5 0"/>'),
            f'<link name="body">{"".join(visuals)}</link>',
            bench.joint_text("j", "revolute", "foot", "body", xyz="0.1 0.2 0.3"),
        ),
        files,
    )


def ring(kind: str, size: Sequence[float], z: float) -> float:
    """Return the radius of a solid of revolution at a height above its middle."""
    radius, half = size[0], (0.0 if kind == "sphere" else size[1] / 2)
    if kind == "cylinder":
        return radius
    return math.sqrt(max(radius**2 - max(abs(z) - half, 0.0) ** 2, 0.0))


def body_of(kind: str, size: Sequence[float], turn: np.ndarray, place: np.ndarray) -> RigidBody:
    """Return the body of one primitive; round ones by quadrature over discs."""
    if kind == "box":
        mass = DENSITY * math.prod(size)
        a, b, c = np.square(size)
        tensor = mass / 12 * np.diag([b + c, a + c, a + b])
        return RigidBody(mass, place, turn @ tensor @ turn.T)
    half = size[0] if kind == "sphere" else size[1] / 2
    bend, top = half, half + (size[0] if kind == "capsule" else 0.0)

    def total(slice_of: Callable[[float, float], float]) -> float:
        spans = [(0.0, bend), (bend, top)]
        parts = [
            quad(lambda z: slice_of(ring(kind, size, z), z), *span, epsabs=0, epsrel=1e-13)[0]
            for span in spans
            if span[1] > span[0]
        ]
        return 2 * DENSITY * math.pi * sum(parts)

    across = total(lambda r, z: r**4 / 4 + r**2 * z**2)
    tensor = np.diag([across, across, total(lambda r, _: r**4 / 2)])
    return RigidBody(total(lambda r, _: r**2), place, turn @ tensor @ turn.T)


def total_of(bodies: Sequence[RigidBody]) -> RigidBody:
    """Add bodies up by the parallel axis theorem."""
    mass = sum(body.mass for body in bodies)
    center = sum(body.mass * body.center for body in bodies) / mass
    tensor = np.zeros((3, 3))
    for body in bodies:
        arm = body.center - center
        tensor += body.inertia + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return RigidBody(mass, center, tensor)


def row_of(outcome: Outcome, name: str = "body") -> dict[str, Any]:
    """Return a link's row."""
    return next(row for row in outcome.record.links if row.link == name)


def assert_is(row: dict[str, Any], body: RigidBody, normal: Outcome) -> None:
    """Compare a row in the object frame with a body in the source's frame, to 1e-9."""
    turn = np.array(normal.record.rotation).reshape(3, 3)
    scale = normal.record.scale_factor
    center = scale * turn @ body.center - normal.record.center
    tensor = scale**5 * turn @ body.inertia @ turn.T
    diagonal = float(np.linalg.norm(normal.record.extents))
    assert row.mass == pytest.approx(scale**3 * body.mass, rel=EXACT)
    assert row.com == pytest.approx(center.tolist(), abs=EXACT * diagonal)
    found = np.array(row.inertia).reshape(3, 3)
    assert found == pytest.approx(tensor, abs=EXACT * np.trace(tensor))
    # The table's ten digits are part of its error.
    assert np.linalg.norm(found - tensor) <= row.inertia_error * np.linalg.norm(tensor)


ORIGIN = np.array([0.1, 0.2, 0.3])
AT = (0.03, -0.04, 0.05)


@pytest.mark.parametrize("kind", SIZES)
def test_a_single_primitive_has_the_closed_form(
    annotated: Callable[..., Outcome], tmp_path: Path, kind: str
) -> None:
    folder = one_link(tmp_path / "raw", visual(kind, SIZES[kind], AT, RPY))
    normal = bench.normal(folder)
    outcome = annotated(normal)
    row = row_of(outcome)
    assert_is(row, body_of(kind, SIZES[kind], TURN, ORIGIN + AT), normal)
    assert (row.inertia_method, row.watertight) == ("primitive", True)
    assert row.inertia_error <= 3e-9
    assert bench.codes(outcome) == []


def test_a_turned_sphere_on_a_turned_box_has_the_sum(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    # The box's own z leads from its middle to the sphere: their boxes overlap, they only touch.
    above = TURN[:, 2] * (SIZES["box"][2] / 2 + SIZES["sphere"][0])
    visuals = [visual("box", SIZES["box"], rpy=RPY)]
    visuals += [visual("sphere", SIZES["sphere"], above.tolist(), (1.0, 0.2, 0.1))]
    normal = bench.normal(one_link(tmp_path / "raw", *visuals))
    row = row_of(annotated(normal))
    parts = [body_of("box", SIZES["box"], TURN, ORIGIN)]
    parts += [body_of("sphere", SIZES["sphere"], np.eye(3), ORIGIN + above)]
    assert_is(row, total_of(parts), normal)
    assert row.inertia_method == "primitive"


@pytest.mark.parametrize("frame", [{"up": "y", "front": "z"}, {"up": "z", "front": "-y"}])
def test_a_scaled_and_turned_source_has_the_closed_form(
    annotated: Callable[..., Outcome], tmp_path: Path, frame: dict[str, str]
) -> None:
    kinds = ("cylinder", "capsule")
    places = [(0.0, 0.0, 0.0), (1.5, 0.3, -0.2)]
    visuals = [visual(kind, SIZES[kind], at, RPY) for kind, at in zip(kinds, places, strict=True)]
    source = {"frame": frame, "scale": "arbitrary"}
    normal = bench.normal(one_link(tmp_path / "raw", *visuals), source)
    assert normal.record.scale_factor != 1.0
    row = row_of(annotated(normal))
    parts = [
        body_of(kind, SIZES[kind], TURN, ORIGIN + at)
        for kind, at in zip(kinds, places, strict=True)
    ]
    assert_is(row, total_of(parts), normal)
    assert row.inertia_method == "primitive"


@pytest.mark.parametrize("share", [0.1, 1.0, 1.9])
def test_overlapping_spheres_stay_triangles_and_within_their_estimate(
    annotated: Callable[..., Outcome], tmp_path: Path, share: float
) -> None:
    radius, apart = 0.35, 0.35 * share
    visuals = [visual("sphere", (radius,), at) for at in ((0, 0, 0), (apart, 0, 0))]
    row = row_of(annotated(bench.normal(one_link(tmp_path / "raw", *visuals))))
    lens = math.pi * (4 * radius + apart) * (2 * radius - apart) ** 2 / 12
    mass = DENSITY * (8 / 3 * math.pi * radius**3 - lens)
    assert row.inertia_method == "volume"
    assert 0.005 < 1 - row.mass / mass <= row.inertia_error < 0.05


def test_a_primitive_inside_a_box_adds_nothing(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    visuals = [visual("box", (1.0, 1.0, 1.0)), visual("sphere", (0.3,))]
    row = row_of(annotated(bench.normal(one_link(tmp_path / "raw", *visuals))))
    assert row.mass == pytest.approx(DENSITY, rel=1e-6)
    assert row.inertia_method == "volume"


def test_a_primitive_drawn_twice_counts_once(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    visuals = [visual("cylinder", SIZES["cylinder"], rpy=RPY)] * 2
    normal = bench.normal(one_link(tmp_path / "raw", *visuals))
    row = row_of(annotated(normal))
    assert_is(row, body_of("cylinder", SIZES["cylinder"], TURN, ORIGIN), normal)
    assert row.inertia_method == "primitive"


def test_crossing_boxes_of_slanted_rods_do_not_make_them_overlap(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    size, rpy = (0.02, 1.0), (math.pi / 4, 0.0, 0.0)
    turn = Rotation.from_euler("xyz", rpy).as_matrix()
    places = [(0.0, 0.0, 0.0), (0.01, 0.1, 0.0)]
    visuals = [visual("cylinder", size, at, rpy) for at in places]
    normal = bench.normal(one_link(tmp_path / "raw", *visuals))
    row = row_of(annotated(normal))
    assert_is(
        row, total_of([body_of("cylinder", size, turn, ORIGIN + at) for at in places]), normal
    )
    assert row.inertia_method == "primitive"


def test_a_mesh_beside_a_primitive_is_integrated_as_it_is(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    mesh = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    folder = one_link(
        tmp_path / "raw", mesh, visual("cylinder", SIZES["cylinder"], (1, 0, 0)),
        files={"m.obj": bench.box_text((0.5, 0.25, 0.125))},
    )  # fmt: skip
    normal = bench.normal(folder)
    row = row_of(annotated(normal))
    parts = [body_of("box", (0.5, 0.25, 0.125), np.eye(3), ORIGIN)]
    parts += [body_of("cylinder", SIZES["cylinder"], np.eye(3), ORIGIN + np.eye(3)[0])]
    assert row.mass == pytest.approx(total_of(parts).mass, rel=1e-6)
    assert row.inertia_method == "volume"
    # Without the record the cylinder is its 48 sides: area of a polygon over that of its circle.
    polygon = 24 * math.sin(math.pi / 24) / math.pi
    bare = row_of(annotated(Outcome(replace(normal.record, primitives={}), files=normal.files)))
    less = parts[0].mass + polygon * parts[1].mass
    assert bare.mass == pytest.approx(less, rel=1e-6)


@pytest.mark.parametrize("lost", ["triangle", "side"])
def test_an_open_mesh_beside_a_primitive_is_read_as_without(
    annotated: Callable[..., Outcome], tmp_path: Path, lost: str
) -> None:
    box = trimesh.creation.box((0.5, 0.5, 0.5)).subdivide().subdivide().subdivide()
    top = box.face_normals[:, 2] > 0.5
    box.update_faces(~top if lost == "side" else np.arange(len(top)) > 0)
    mesh = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    ball, files = visual("sphere", (0.35,), (1, 0, 0)), {"m.obj": bench.obj_text(box)}
    row = row_of(annotated(bench.normal(one_link(tmp_path / "raw", mesh, ball, files=files))))
    solid, bin_2mm, sphere = 0.125, 5 * 0.25 * 0.002, 4 / 3 * math.pi * 0.35**3
    read, method = (bin_2mm, "volume+shell") if lost == "side" else (solid, "winding")
    assert (row.inertia_method, row.watertight) == (method, False)
    assert row.mass == pytest.approx(DENSITY * (read + sphere), rel=0.003)
    assert row.inertia_error >= (solid - read) / (read + sphere)  # the bin may be a solid


def test_the_carrier_of_a_screw_stays_negligible(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    bulb = f'<link name="bulb">{visual("capsule", SIZES["capsule"], AT, RPY)}</link>'
    folder = bench.write_object(
        tmp_path / "raw",
        bench.robot(
            bench.box_link("foot", "0.4 0.4 0.4"),
            '<link name="between"/>',
            bulb,
            bench.joint_text("turn", "revolute", "foot", "between", xyz="0.1 0.2 0.3"),
            bench.joint_text("lift", "prismatic", "between", "bulb",
                             more='<mimic joint="turn" multiplier="0.003"/>'),
        ),
    )  # fmt: skip
    normal = bench.normal(folder)
    outcome = annotated(normal)
    assert [row.type for row in outcome.record.joints] == ["helical"]
    expected = body_of("capsule", SIZES["capsule"], TURN, ORIGIN + AT)
    assert_is(row_of(outcome, "bulb"), expected, normal)
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    assert robot.link_map["bulb_carrier"].inertial.mass == 1e-6
    assert robot.link_map["bulb"].inertial.mass == pytest.approx(expected.mass, rel=EXACT)


def test_the_record_and_the_triangles_are_one_geometry(tmp_path: Path) -> None:
    visuals = [
        visual(kind, size, (n, 0.1, 0.2), RPY) for n, (kind, size) in enumerate(SIZES.items())
    ]
    source = {"frame": {"up": "y", "front": "-x"}, "scale": "arbitrary"}
    outcome = bench.normal(one_link(tmp_path / "raw", *visuals), source)
    entries = outcome.record.primitives
    assert [entry.solid.kind for entry in entries["body"]] == list(SIZES)
    assert [entry.solid.kind for entry in entries["base"]] == ["box"]
    meshes = read_links(outcome.files["object.glb"], ("base", "body"))
    shown = link_points(meshes["body"])
    triangles = [entry.solid.triangles() for entry in entries["body"]]
    points = np.concatenate(triangles).reshape(-1, 3)
    assert cKDTree(shown).query(points)[0].max() < 1e-6  # single precision
    assert cKDTree(points).query(shown)[0].max() < 1e-6
    assert outcome.record.to_row() == bench.normal(tmp_path / "raw", source).record.to_row()


def test_the_record_lists_the_triangles_of_each_primitive(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    """They used to be found again by their box and moments."""
    mesh = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    looks = [f'<material name="{n}"><color rgba="0.{n:02d} 0 0 1"/></material>' for n in range(12)]
    kinds = [*SIZES] * 6  # two of every look, and ten looks more than a digit counts
    shapes = [visual(kind, SIZES[kind], (2 * n, 0, 0), RPY) for n, kind in enumerate(kinds)]
    painted = [s.replace("</visual>", f"{looks[n % 12]}</visual>") for n, s in enumerate(shapes)]
    painted[5:5] = [mesh.replace("</visual>", f"{looks[0]}</visual>"), shapes[0]]
    folder = one_link(
        tmp_path / "raw", *painted, files={"m.obj": bench.box_text((0.5, 0.25, 0.125))}
    )
    outcome = bench.normal(folder)
    entries = outcome.record.primitives["body"]
    meshes = read_links(outcome.files["object.glb"], ("base", "body"))["body"]
    named = dict(zip(mesh_order(len(meshes)), meshes, strict=True))
    assert [entry.solid.kind for entry in entries] == [*kinds[:5], "box", *kinds[5:]]
    assert len({entry.mesh for entry in entries}) == len(meshes) == 13
    for entry in entries:
        expected = entry.solid.triangles()
        found = named[entry.mesh].triangles[entry.face : entry.face + len(expected)]
        assert np.abs(found - expected).max() < 1e-5  # single precision of 50 m
    # All are apart but the box that is drawn twice, and the mesh is integrated as it is.
    assert row_of(annotated(outcome)).inertia_method == "volume"


def test_meshes_are_no_primitives(door: Path) -> None:
    entries = bench.normal(door).record.primitives
    assert entries == {"base": (), "leaf": (), "bolt": ()}


def shapes_of(link: ElementTree.Element, frame: np.ndarray) -> list[Part] | None:
    """Return the primitives of a source's link in the source's frame, None if it has a mesh."""
    parts: list[Part] = []
    for one in link.findall("visual"):
        shape = next(iter(one.find("geometry")))
        if shape.tag == "mesh":
            return None
        said = "size" if shape.tag == "box" else "radius length"
        size = tuple(float(x) for name in said.split() for x in shape.get(name, "").split())
        origin = one.find("origin")
        told = {} if origin is None else origin.attrib
        xyz, rpy = ([float(x) for x in told.get(name, "0 0 0").split()] for name in ("xyz", "rpy"))
        turn = frame[:3, :3] @ Rotation.from_euler("xyz", rpy).as_matrix()
        parts.append((shape.tag, size, turn, frame[:3, :3] @ xyz + frame[:3, 3]))
    return parts


@pytest.mark.parametrize("name", RECORDS)
def test_links_of_a_real_object_are_the_sum_of_closed_forms(
    annotated: Callable[..., Outcome], name: str
) -> None:
    folder = next(ARTICRAFT.glob(f"{name}*"), None)
    if folder is None:
        pytest.skip("the samples of Articraft are not here")
    normal = bench.normal(folder)
    outcome = annotated(normal)
    frames = bench.judged_frames(folder / "model.urdf", {})
    links = {
        one.get("name"): one for one in ElementTree.parse(folder / "model.urdf").findall("link")
    }
    compared = 0
    for row in outcome.record.links:
        parts = shapes_of(links[row.source_name], frames[row.source_name])
        if row.inertia_method == "primitive":
            assert parts is not None
            assert_is(row, total_of([body_of(*part) for part in parts]), normal)
            compared += any(part[0] != "box" for part in parts)
    assert compared
