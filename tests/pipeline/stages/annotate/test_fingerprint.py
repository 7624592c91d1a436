# SPDX-License-Identifier: Apache-2.0
"""The same object is known again in any frame, unit and format; another object never is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from pipeline.engine.runner import Outcome
from pipeline.generate.collection import members
from pipeline.generate.emit import object_files
from pipeline.generate.registry import family_categories, family_names
from pipeline.handover.annotated import Fingerprint
from pipeline.stages.annotate.fingerprint import fingerprint
from pipeline.stages.annotate.stage import annotate
from pipeline.stages.deduplicate.alike import same_motion, same_shape
from pipeline.stages.deduplicate.stage import Candidate, find_duplicates
from tests.kit import bench
from tests.kit import settings as settings_kit
from tests.kit.places import SAMPLES, skip_without_samples

TURNED = {"frame": {"up": "-x", "front": "y"}, "scale": "unit_sphere"}
ARBITRARY = {"frame": {"up": "y", "front": "z"}, "scale": "arbitrary"}


@pytest.fixture
def printed(tmp_path: Path) -> Callable[..., Fingerprint]:
    """Return a function that normalizes and annotates a raw folder and returns its fingerprint."""

    def made(folder: Path, source: Any = None, **more: Any) -> Fingerprint:
        return of_outcome(tmp_path, bench.normal(folder, source or bench.METRIC, **more))

    return made


def of_outcome(folder: Path, outcome: Outcome) -> Fingerprint:
    row, where = bench.stored(folder / "one.tar", outcome)
    final = annotate(bench.annotate_task(row, where), settings_kit.SETTINGS)
    return final.record.fingerprint


def are_one(one: Fingerprint, two: Fingerprint) -> bool:
    return same_shape(one, two) and same_motion(one, two)


def rewritten(door: Path, folder: Path, *changes: tuple[str, str], **files: str) -> Path:
    """Copy the door with its URDF changed by regular expressions."""
    text = (door / "model.urdf").read_text()
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text)
        assert count, pattern
    for path in door.rglob("*.obj"):
        target = folder / path.relative_to(door)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(files.get(path.stem, path.read_text()))
    (folder / "model.urdf").write_text(text)
    return folder


@pytest.mark.parametrize("source", [TURNED, ARBITRARY], ids=["turned", "arbitrary"])
def test_frame_and_scale_change_nothing(
    door: Path, printed: Callable[..., Fingerprint], source: Any
) -> None:
    assert are_one(printed(door), printed(door, source))


def test_units_names_colors_and_collisions_change_nothing(
    door: Path, printed: Callable[..., Fingerprint], tmp_path: Path
) -> None:
    color = '<material name="c"><color rgba="1 0 0 1"/></material></visual>'
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision></link>'
    again = rewritten(
        door,
        tmp_path / "again",
        ("</visual>", color),
        ("</link>", box),
        ('"(leaf|bolt|hinge|slide)"', r'"other_\1"'),
        ('effort="5"', 'effort="50"'),
    )
    assert are_one(printed(door), printed(again))
    millimetres = rewritten(
        door,
        tmp_path / "mm",
        ('filename="([a-z/.]*)"', r'filename="\1" scale="1000 1000 1000"'),
        ('xyz="0.4 0 0.1"', 'xyz="400 0 100"'),
        ('xyz="-0.7 0 0"', 'xyz="-700 0 0"'),
        ('(type="prismatic".*)lower="-1" upper="1"', r'\1lower="-1000" upper="1000"'),
    )
    scaled = {"frame": {"up": "z", "front": "x"}, "scale": "metric", "unit": 0.001}
    assert are_one(printed(door), printed(millimetres, scaled))


def test_an_axis_written_the_other_way_round_is_the_same_motion(
    door: Path, printed: Callable[..., Fingerprint], tmp_path: Path
) -> None:
    narrow = rewritten(door, tmp_path / "a", ('lower="-1" upper="1"', 'lower="-0.2" upper="1"'))
    turned = rewritten(
        narrow,
        tmp_path / "b",
        ('lower="-0.2" upper="1"', 'lower="-1" upper="0.2"'),
        ('<axis xyz="0 0 1"', '<axis xyz="0 0 -1"'),
        ('<axis xyz="1 0 0"', '<axis xyz="-1 0 0"'),
    )
    assert are_one(printed(narrow), printed(turned))


def test_the_same_object_as_mjcf_is_the_same_object(
    door: Path, printed: Callable[..., Fingerprint]
) -> None:
    pytest.importorskip("mujoco", reason="pip install 'aa-dataset[mjcf]'")
    meshes = "".join(f'<mesh file="meshes/{n}.obj"/>' for n in ("frame", "leaf", "bolt"))
    (door / "m.xml").write_text(
        f'<mujoco><compiler angle="radian"/><asset>{meshes}</asset><worldbody><body name="f">'
        '<geom type="mesh" mesh="frame"/><body name="l" pos=".4 0 .1">'
        '<joint axis="0 0 1" range="-1 1"/><geom type="mesh" mesh="leaf"/>'
        '<body name="b" pos="-.7 0 0"><joint type="slide" axis="1 0 0" range="-1 1"/>'
        '<geom type="mesh" mesh="bolt"/></body></body></body></worldbody></mujoco>'
    )
    source = {**bench.METRIC, "format": "mjcf"}
    assert are_one(printed(door), printed(door, source, urdf="m.xml"))


@pytest.mark.parametrize(
    "change",
    [
        ('type="prismatic"', 'type="fixed"'),
        ('type="revolute"', 'type="continuous"'),
        ('(name="hinge".*?)upper="1"', r'\1upper="1.1"'),
        ('(name="slide".*?)<axis xyz="1 0 0"', r'\1<axis xyz="0 0 1"'),
        ('(name="hinge".*?)<axis xyz="0 0 1"', r'\1<axis xyz="0 1 0"'),
    ],
)
def test_other_joints_are_the_same_geometry_with_another_motion(
    door: Path, printed: Callable[..., Fingerprint], tmp_path: Path, change: tuple[str, str]
) -> None:
    one, two = printed(door), printed(rewritten(door, tmp_path / "other", change))
    assert same_shape(one, two)
    assert not same_motion(one, two)


def test_opening_to_the_other_side_is_another_motion(
    door: Path, printed: Callable[..., Fingerprint], tmp_path: Path
) -> None:
    """A leaf off the frame's middle swings away from it, or towards it."""
    shifted = ('(name="hinge".*?)xyz="0.4 0 0.1"', r'\1xyz="0.4 0.3 0.1"')
    out = rewritten(door, tmp_path / "a", shifted, ('(name="hinge".*?)lower="-1"', r'\1lower="0"'))
    back = rewritten(out, tmp_path / "b", ('lower="0" upper="1"', 'lower="-1" upper="0"'))
    one, two = printed(out), printed(back)
    assert same_shape(one, two)
    assert not same_motion(one, two)


def cabinet(folder: Path, joint: str) -> Path:
    """Write a cabinet on legs that is its own mirror image, left and right, with one front."""
    boxes = [("0.5 1 1.5", "0 0 0")]
    boxes += [("0.05 0.05 0.3", f"{x} {y} -0.9") for x in (-0.2, 0.2) for y in (-0.4, 0.4)]
    visuals = "".join(
        f'<visual><origin xyz="{place}"/><geometry><box size="{size}"/></geometry></visual>'
        for size, place in boxes
    )
    leaf = '<origin xyz="{}"/>'.format("0 {} 0".format(0.5 if "-0.5" in joint else -0.5))
    leaf = bench.box_link("leaf", "0.04 1 1.5", leaf if "revolute" in joint else "")
    return bench.write_object(
        folder, bench.robot(f'<link name="body">{visuals}</link>', leaf, joint)
    )


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_door_on_the_left_is_not_the_same_door_on_the_right(
    printed: Callable[..., Fingerprint], tmp_path: Path, kind: str
) -> None:
    """The geometry at rest is the same, and no rotation leads from one motion to the other."""
    limit = 'lower="0" upper="1.5" effort="1" velocity="1"'
    limits = {"limit": limit, "name": "j", "kind": kind, "parent": "body", "child": "leaf"}
    is_hinge = kind == "revolute"
    prints = []
    for side in (1, -1):
        place = f"0.28 {0.5 * side} 0" if is_hinge else "0.28 0 0"
        axis = f"0 0 {side}" if is_hinge else f"0 {side} 0"
        joint = bench.joint_text(xyz=place, axis=axis, **limits)
        prints.append(cabinet(tmp_path / f"{side}", joint))
    one, two, turned = printed(prints[0]), printed(prints[1]), printed(prints[0], ARBITRARY)
    assert same_shape(one, two)
    assert not same_motion(one, two)
    assert are_one(one, turned)


def test_a_moved_part_a_mirror_image_and_another_size_are_other_geometry(
    door: Path,
    printed: Callable[..., Fingerprint],
    tmp_path: Path,
) -> None:
    first = printed(door)
    moved = ('xyz="-0.7 0 0"', 'xyz="-0.701 0 0"')
    assert not same_shape(first, printed(rewritten(door, tmp_path / "moved", moved)))
    larger = {"frame": {"up": "z", "front": "x"}, "scale": "metric", "unit": 1.01}
    assert not same_shape(first, printed(door, larger))
    assert same_shape(first, printed(door, larger | {"scale": "unit_sphere"}))
    wedge = trimesh.Trimesh(
        [(0, 0, 0), (1, 0, 0), (0, 0.7, 0), (0, 0, 0.4)],
        [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
        process=False,
    )
    one = rewritten(door, tmp_path / "left", leaf=bench.obj_text(wedge))
    mirrored = ('leaf.obj"', 'leaf.obj" scale="1 1 -1"')
    two = rewritten(one, tmp_path / "right", mirrored)
    assert not same_shape(printed(one), printed(two))


def test_a_left_handed_thread_is_another_motion() -> None:
    """A bolt that is symmetric about its axis looks alike in a mirror; its thread does not."""
    bolt = trimesh.creation.cylinder(0.1, 0.5)
    bolt.apply_translation((0, 0, 0.4))
    meshes = {"base": [trimesh.creation.box((1, 1, 0.3))], "bolt": [bolt]}
    prints = []
    for pitch, axis, limits in ((0.02, 1, (0, 9)), (-0.02, 1, (0, 9)), (0.02, -1, (-9, 0))):
        joint = Joint("j", JointType.HELICAL, np.array([0.0, 0.0, axis]), np.zeros(3),
                      *limits, pitch, "base", "bolt")  # fmt: skip
        tree = KinematicTree("x", ("base", "bolt"), (joint,))
        prints.append(fingerprint(tree, meshes, is_metric=True))
    right, left, turned = prints
    assert are_one(right, turned)
    assert same_shape(right, left)
    assert not same_motion(right, left)


def test_what_has_no_area_has_no_fingerprint() -> None:
    line = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], process=False)
    tree = KinematicTree("x", ("base",), ())
    assert fingerprint(tree, {"base": [line]}, is_metric=True) is None
    assert fingerprint(tree, {"base": []}, is_metric=True) is None


def assert_all_different(prints: dict[str, Fingerprint]) -> None:
    objects = [
        Candidate(0, name, "s", name, f"s/{name}", fingerprint=one) for name, one in prints.items()
    ]
    rejects, findings = find_duplicates(objects)
    assert (rejects, findings) == ([], [])
    # The bound of the comparison, 1e-5, is far from being reached by anything of about one size.
    for one, two in itertools.combinations(prints.values(), 2):
        if one.faces == two.faces and abs(np.log(one.radius / two.radius)) < 0.02:
            assert np.abs(np.subtract(one.shape, two.shape)).max() > 1e-4


def test_no_family_is_taken_for_another(normalized: Callable[[str], Any], tmp_path: Path) -> None:
    # Every fifth family in the daily run; the slow test below takes all of them.
    prints = {f: of_outcome(tmp_path, normalized(f)[1]) for f in family_names()[::5]}
    assert_all_different(prints)


@pytest.mark.slow
def test_no_generated_object_of_any_category_is_taken_for_another(
    printed: Callable[..., Fingerprint], tmp_path: Path
) -> None:
    """Two rounds: every category of every family, and a sibling of each."""
    count = 2 * sum(len(family_categories(name)) for name in family_names())
    prints = {}
    for family, index in members(count):
        name = f"{family}-{index}"
        for file, data in object_files(family, index, seed=5).items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        prints[name] = printed(tmp_path / name)
    assert_all_different(prints)


def sample(name: str) -> Path:
    path = SAMPLES / name
    if not path.is_dir():
        skip_without_samples()
    return path


def test_gapartnet_is_known_as_partnet_again(printed: Callable[..., Fingerprint]) -> None:
    folder = sample("gapartnet/102442")
    one = printed(folder, {**bench.METRIC, "scale": "unit_sphere"}, urdf="mobility.urdf")
    two = printed(folder, ARBITRARY, urdf="mobility_annotation_gapartnet.urdf")
    assert are_one(one, two)


def test_an_edition_with_frozen_joints_shares_the_shape_alone(
    printed: Callable[..., Fingerprint], tmp_path: Path
) -> None:
    """What GenSim2 did to its objects: all joints but one are frozen."""
    folder = sample("partnet_mobility/40147")
    edited = tmp_path / "edited"
    edited.mkdir()
    for name in ("textured_objs", "images"):
        if (folder / name).is_dir():
            (edited / name).mkdir()
            for path in (folder / name).iterdir():
                (edited / name / path.name).write_bytes(path.read_bytes())
    text = (folder / "mobility.urdf").read_text()
    frozen = re.sub('type="(revolute|prismatic|continuous)"', 'type="fixed"', text)
    (edited / "mobility.urdf").write_text(frozen)
    one, two = printed(folder, urdf="mobility.urdf"), printed(edited, urdf="mobility.urdf")
    assert len(one.joints) > len(two.joints) == 0
    assert same_shape(one, two)
    assert not same_motion(one, two)
