# SPDX-License-Identifier: Apache-2.0
"""Normalizing changes no motion: every triangle of every link moves as in the source."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from pipeline.generate.collection import members
from pipeline.generate.emit import emit, object_files
from pipeline.generate.layout import object_name
from pipeline.generate.registry import family_categories, family_names
from tests.kit import bench

Y_UP = {"frame": {"up": "y", "front": "z"}, "scale": "unit_sphere"}
ARBITRARY = {"frame": {"up": "-x", "front": "y"}, "scale": "arbitrary"}
SOURCES = ["metric", "y_up", "arbitrary"]


@pytest.fixture
def source(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the description of a source by name."""
    return {"metric": bench.METRIC, "y_up": Y_UP, "arbitrary": ARBITRARY}[request.param]


# Daily, each family is in one of the two tests below; both hold the same law, by two judges.
@pytest.mark.parametrize(
    "family",
    [
        name if number % 2 == 0 else pytest.param(name, marks=pytest.mark.slow)
        for number, name in enumerate(family_names())
    ],
)
def test_generated_objects_move_as_before(
    normalized: Callable[[str], Any],
    same_motion: Callable[..., None],
    family: str,
) -> None:
    folder, outcome, files = normalized(family)
    same_motion(folder / "model.urdf", outcome, files, bench.METRIC, states=1)


ROUND = sum(len(family_categories(name)) for name in family_names())


# One object of every second family in the daily run, the other categories in the slow one.
DAILY = {(name, 0) for name in family_names()[1::2]}
MEMBERS = [
    member if member in DAILY else pytest.param(member, marks=pytest.mark.slow)
    for member in members(ROUND)
]


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: object_name(*member))
def test_every_vertex_of_every_category_moves_by_the_record(
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    member: tuple[str, int],
) -> None:
    emit(tmp_path, "raw", files=object_files(*member, seed=6))
    outcome = bench.normal(tmp_path / "raw")
    files = bench.unpacked(outcome, tmp_path / "out")
    law_of_motion(tmp_path / "raw/model.urdf", outcome, files, states=1)


def rover(folder: Path, *, stretch: float = 1.0) -> Path:
    """Return an object with everything at once that a source may do to frames.

    Turned visuals and joints, primitives, scaled and mirrored meshes, several visuals in a link,
    nested empty links on fixed joints, an empty root, oblique axes of length `stretch`, mimics of
    both kinds, and a screw.
    """

    def axis(*values: float) -> str:
        unit = np.array(values) / np.linalg.norm(values)
        return " ".join(repr(float(value)) for value in unit * stretch)

    turned = '<origin xyz="0.1 -0.2 0.3" rpy="0.3 -0.4 1.1"/>'
    wedge = '<mesh filename="meshes/wedge.obj" scale="{}"/>'
    small, slim = '<box size="0.3 0.1 0.2"/>', '<box size="0.1 0.2 0.5"/>'
    parts = [
        '<link name="World"/><link name="Mount A"/>',
        f'<link name="Body">{visual(turned, wedge.format("0.5 2 1"))}'
        f"{visual('', small)}</link>",
        f'<link name="Arm">{visual(turned, wedge.format("1 -1 1"))}</link>',
        f'<link name="Hand">{visual(turned, slim)}</link>',
        '<link name="nothing"/><link name="nothing more"/>',
        f'<link name="Finger">{visual("", wedge.format("-0.2 -0.2 -0.2"))}</link>',
        '<link name="carrier"/>',
        f'<link name="cap">{visual("", wedge.format("0.1 0.1 0.1"))}</link>',
        f'<link name="slider">{visual(turned, wedge.format("0.3 0.3 0.3"))}</link>',
        bench.joint_text("weld 1", "fixed", "World", "Mount A", xyz="5 6 7", rpy="0.1 0.2 0.3"),
        bench.joint_text("weld 2", "fixed", "Mount A", "Body", xyz="0 1 0", rpy="1 0 -1"),
        bench.joint_text("shoulder", "revolute", "Body", "Arm", xyz="0.5 0 0.1",
                         rpy="0.5 0.6 0.7", axis=axis(1, 2, 3)),
        bench.joint_text("elbow", "continuous", "Arm", "Hand", xyz="0.2 0.4 0", rpy="0 1 0",
                         axis=axis(-1, 0.2, 0.3), more='<mimic joint="shoulder" multiplier="-2"/>'),
        bench.joint_text("weld 3", "fixed", "Hand", "nothing", xyz="0.1 0 0", rpy="0 0 1"),
        bench.joint_text("weld 4", "fixed", "nothing", "nothing more", xyz="0 0.1 0", rpy="1 0 0"),
        bench.joint_text("grip", "prismatic", "nothing more", "Finger", xyz="0 0 0.2",
                         rpy="0.2 0.2 0.2", axis=axis(1, 1, 0),
                         more='<mimic joint="shoulder" multiplier="0.3" offset="0.05"/>'),
        bench.joint_text("twist", "revolute", "Body", "carrier", xyz="-0.3 0 0.2", rpy="0.7 0 0",
                         axis=axis(0, 1, 1)),
        bench.joint_text("lift", "prismatic", "carrier", "cap", xyz="0 0.01 0.02", rpy="0 0 0",
                         axis=axis(0, -1, -1), more='<mimic joint="twist" multiplier="0.02"/>'),
        bench.joint_text("slide", "prismatic", "Body", "slider", xyz="0 -1 0", rpy="0 0.5 0.5",
                         axis=axis(0.3, 0.5, -0.7)),
    ]  # fmt: skip
    mesh = trimesh.Trimesh(
        [(0, 0, 0), (1, 0, 0), (0, 0.7, 0), (0, 0, 0.4)],
        [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
        process=False,
    )
    return bench.write_object(
        folder, bench.robot(*parts), {"meshes/wedge.obj": bench.obj_text(mesh)}
    )


def visual(origin: str, shape: str) -> str:
    """Return a <visual>."""
    return f"<visual>{origin}<geometry>{shape}</geometry></visual>"


@pytest.mark.parametrize("source", SOURCES, indirect=True)
@pytest.mark.parametrize("stretch", [1.0, 7.0])
def test_turned_scaled_mirrored_and_nested_parts_move_as_before(
    tmp_path: Path,
    same_motion: Callable[..., None],
    source: dict[str, Any],
    stretch: float,
) -> None:
    reference = rover(tmp_path / "reference")
    outcome = bench.normal(rover(tmp_path / "raw", stretch=stretch), source)
    files = bench.unpacked(outcome, tmp_path / "out")
    same_motion(reference / "model.urdf", outcome, files, source, states=4)
    names = outcome.record.link_names
    assert names["base"] == "Body"
    assert not {"World", "Mount A", "nothing", "nothing more", "carrier"} & set(names.values())


def test_the_screw_of_that_object_is_one_helical_joint_with_its_sign(tmp_path: Path) -> None:
    outcome = bench.normal(rover(tmp_path / "raw"))
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    lift = robot.joint_map["twist_slide"]
    # The source's slide runs against its rotation's axis; ours runs along it.
    assert lift.mimic.joint == "twist"
    assert lift.mimic.multiplier == pytest.approx(-0.02)
    assert lift.axis == pytest.approx(robot.joint_map["twist"].axis)
    assert (lift.limit.lower, lift.limit.upper) == pytest.approx((-0.02, 0.02))


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_the_box_is_centered_and_the_scale_is_the_sources_policy(
    tmp_path: Path, source: dict[str, Any]
) -> None:
    outcome = bench.normal(rover(tmp_path / "raw"), source)
    record = outcome.record
    files = bench.unpacked(outcome, tmp_path / "out")
    points = rest_points(files)
    lower, upper = points.min(axis=0), points.max(axis=0)
    diagonal = float(np.linalg.norm(upper - lower))
    assert (lower + upper) / 2 == pytest.approx(np.zeros(3), abs=1e-8 * diagonal)
    assert record.extents == pytest.approx((upper - lower).tolist(), abs=1e-8 * diagonal)
    assert record.floor_z == pytest.approx(lower[2], abs=1e-8 * diagonal)
    if source["scale"] == "arbitrary":
        assert diagonal / 2 == pytest.approx(1.0, abs=1e-8)
    else:
        assert record.scale_factor == 1.0
    assert record.is_metric == (source["scale"] == "metric")


def rest_points(files: Path) -> np.ndarray:
    """Return all vertices with every joint at 0, mimics with an offset too.

    Link frames are then pure translations.
    """
    robot = bench.judge(files / "object.urdf")
    places = {robot.base_link: np.zeros(3)}
    waiting = list(robot.joint_map.values())
    while waiting:
        joint = waiting.pop(0)
        if joint.parent in places:
            places[joint.child] = places[joint.parent] + joint.origin[:3, 3]
        else:
            waiting.append(joint)
    return np.concatenate(
        [
            np.asarray(trimesh.load_mesh(files / shape.geometry.mesh.filename).vertices)
            + places[name]
            for name, link in robot.link_map.items()
            for shape in link.visuals
        ]
    )


@pytest.mark.parametrize("distance", ["1e2", "1e5"])
def test_an_axis_far_from_the_object_keeps_the_object_in_place(
    tmp_path: Path, same_motion: Callable[..., None], distance: str
) -> None:
    far = f"{distance}.123456789".replace("e2", "00").replace("e5", "00000")
    urdf = bench.robot(
        bench.mesh_link("a", "a.obj"),
        bench.mesh_link("b", "b.obj", f'<origin xyz="-{far} 0.3 0"/>'),
        bench.joint_text("j", "prismatic", "a", "b", xyz=f"{far} 0 0", axis="0 1 0"),
    )
    meshes = {"a.obj": bench.box_text((1, 1, 1)), "b.obj": bench.box_text((1, 2, 1))}
    raw = bench.write_object(tmp_path / "raw", urdf, meshes)
    outcome = bench.normal(raw)
    files = bench.unpacked(outcome, tmp_path / "out")
    same_motion(raw / "model.urdf", outcome, files, bench.METRIC)


@pytest.mark.parametrize("kind", ["cylinder", "sphere", "capsule"])
def test_round_primitives_lie_on_their_surface_at_any_place(tmp_path: Path, kind: str) -> None:
    radius, length = 0.3, 1.2
    size = f'radius="{radius}"' + ("" if kind == "sphere" else f' length="{length}"')
    pose = '<origin xyz="1 2 3" rpy="0.4 0.5 0.6"/>'
    urdf = bench.robot(
        bench.box_link("a", "0.1 0.1 0.1"),
        f'<link name="b">{visual(pose, f"<{kind} {size}/>")}</link>',
        bench.joint_text("j", "revolute", "a", "b", xyz="0 0 1", rpy="0 0 0.5"),
    )
    outcome = bench.normal(bench.write_object(tmp_path / "raw", urdf))
    files = bench.unpacked(outcome, tmp_path / "out")
    found = bench.judged_frames(files / "object.urdf", {"j": 0.4})["b"]
    mesh = trimesh.load_mesh(files / "meshes/b_0.obj", process=False)
    points = np.asarray(mesh.vertices) @ found[:3, :3].T + found[:3, 3] + outcome.record.center
    reference = tmp_path / "reference.urdf"  # the judge knows no capsule
    reference.write_text(urdf.replace("<capsule", "<cylinder"))
    raw = bench.judged_frames(reference, {"j": 0.4})["b"]
    place = raw @ bench.judge(reference).link_map["b"].visuals[0].origin
    local = (points - place[:3, 3]) @ place[:3, :3]
    around = np.hypot(local[:, 0], local[:, 1])
    if kind == "sphere":
        assert np.linalg.norm(local, axis=1) == pytest.approx(radius, abs=1e-6)
    elif kind == "cylinder":
        assert np.abs(local[:, 2]) == pytest.approx(length / 2, abs=1e-6)
        assert around.max() == pytest.approx(radius, abs=1e-6)
    else:
        beyond = np.maximum(np.abs(local[:, 2]) - length / 2, 0)
        assert np.hypot(around, beyond) == pytest.approx(radius, abs=1e-6)
    assert mesh.is_volume
    solid = {
        "sphere": 4 / 3 * math.pi * radius**3,
        "cylinder": math.pi * radius**2 * length,
        "capsule": math.pi * radius**2 * (length + 4 / 3 * radius),
    }[kind]
    assert mesh.volume == pytest.approx(solid, rel=0.03)
    assert mesh.volume < solid
