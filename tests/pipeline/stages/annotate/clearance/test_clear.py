# SPDX-License-Identifier: Apache-2.0
"""Clearance of small objects: what is cut, what is excluded, and what is left as it is.

Whether parts are apart is judged by a linear program at many states.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from pipeline.stages.annotate.clearance.carving import DEEPEST, GAP
from pipeline.stages.annotate.clearance.clear import Clearance, Why
from pipeline.stages.annotate.clearance.parts import Part
from tests.pipeline.stages.annotate.clearance.shapes import (
    Size,
    box,
    is_separate,
    material,
    solid,
)

Box = tuple[Size, Size]
SLIDE, TURN = JointType.PRISMATIC, JointType.REVOLUTE
MOST = 32
SIZE = 2.0  # m, the diagonal; all lengths below are shares of it


def slider(name: str, low: float, high: float, axis: Size = (1, 0, 0)) -> Joint:
    """Return a slide of a link of this name, from the base."""
    ends = low * SIZE, high * SIZE
    return Joint(
        f"{name}_slide", SLIDE, np.array(axis), np.zeros(3), *ends, parent="base", child=name
    )


def hinge(name: str, origin: Size, low: float, high: float) -> Joint:
    """Return a hinge about z of a link of this name, from the base."""
    axis, place = np.array([0, 0, 1]), np.array(origin) * SIZE
    return Joint(f"{name}_hinge", TURN, axis, place, low, high, parent="base", child=name)


def cleared(
    joints: Sequence[Joint],
    parts: Mapping[str, Sequence[Part]],
    solids: Mapping[str, Sequence[trimesh.Trimesh]],
    most: int = MOST,
) -> Clearance:
    """Make room between parts."""
    tree = KinematicTree("thing", ("base", *(one.child for one in joints)), tuple(joints))
    materials = {link: material(*some) for link, some in solids.items()}
    made = Clearance(tree, SIZE, {k: list(some) for k, some in parts.items()}, materials, most)
    made.make()
    return made


def solid_object(joints: Sequence[Joint], links: Mapping[str, Sequence[Box]]) -> Clearance:
    """Make room between boxes that are parts and material alike."""
    parts = {link: [box(*one) for one in some] for link, some in links.items()}
    return cleared(
        joints, parts, {link: [solid(*one) for one in some] for link, some in links.items()}
    )


def left(made: Clearance, link: str) -> list[Part]:
    """Return the parts that a link has now."""
    return [one for one in made.parts[link] if one is not None]


def moved(points: np.ndarray, joint: Joint, value: float) -> np.ndarray:
    """Return points at a coordinate of a joint of the base, by scipy."""
    axis, origin = np.asarray(joint.axis), np.asarray(joint.origin) / SIZE
    if joint.type is SLIDE:
        return points + value / SIZE * axis
    return np.asarray(Rotation.from_rotvec(value * axis).apply(points - origin) + origin)


def assert_free(made: Clearance, joint: Joint, states: int = 101) -> None:
    """Check that a joint moves through its range without an overlap with the base."""
    for value in np.linspace(joint.lower, joint.upper, states):
        for one, other in itertools.product(left(made, joint.child), left(made, "base")):
            assert is_separate(moved(one.vertices, joint, value), other.vertices), value


# A drawer between two sides of a cabinet; it reaches into the first one by `OVERLAP`.
OVERLAP = 0.4 * DEEPEST
SIDES: list[Box] = [([0, 0, 0], [0.4, 0.02, 0.4]), ([0, 0.38, 0], [0.4, 0.4, 0.4])]
DRAWER: Box = ([0.01, 0.02 - OVERLAP, 0.1], [0.41, 0.37, 0.2])


def test_a_drawer_that_reaches_a_little_into_the_side_is_trimmed_and_slides_free() -> None:
    joint = slider("drawer", 0, 0.5)
    made = solid_object([joint], {"base": SIDES, "drawer": [DRAWER]})
    assert made.exclusions == {}
    assert made.is_changed("drawer")
    assert not made.is_changed("base")  # the thin side would lose a larger share
    [drawer] = left(made, "drawer")
    assert drawer.volume == pytest.approx(0.4 * (0.37 - 0.02 - GAP) * 0.1)
    assert_free(made, joint)


def test_a_drawer_that_fits_is_left_alone() -> None:
    joint = slider("drawer", 0, 0.5)
    made = solid_object([joint], {"base": SIDES, "drawer": [([0, 0.03, 0.1], [0.4, 0.37, 0.2])]})
    assert made.exclusions == {}
    assert not made.is_changed("drawer")
    assert not made.is_changed("base")


def test_a_door_whose_edge_scrapes_the_post_turns_free() -> None:
    """The inner edge is 0.02 from the axis and dives 0.005 into the post on a quarter of a turn."""
    joint = hinge("door", [0.42, 0, 0], 0, math.pi / 2)
    links: dict[str, list[Box]] = {
        "base": [([0.3, -0.1, 0], [0.45, -0.015, 0.4])],
        "door": [([0.4, 0, 0], [0.42, 0.4, 0.4])],
    }
    before = [moved(box(*links["door"][0]).vertices, joint, v) for v in np.linspace(0, 1.5, 61)]
    post = box(*links["base"][0]).vertices
    assert is_separate(before[0], post)
    assert not all(is_separate(points, post) for points in before)
    made = solid_object([joint], links)
    assert made.exclusions == {}
    assert_free(made, joint, states=181)


# A cabinet with five walls of 0.02, open in front; its hull fills it.
WALLS: list[Box] = [
    ([0, 0, 0], [0.02, 0.4, 0.4]),
    ([0, 0, 0], [0.4, 0.02, 0.4]),
    ([0, 0.38, 0], [0.4, 0.4, 0.4]),
    ([0, 0, 0], [0.4, 0.4, 0.02]),
    ([0, 0, 0.38], [0.4, 0.4, 0.4]),
]
INNER: Box = ([0.05, 0.05, 0.05], [0.4, 0.35, 0.35])


def hollow_cabinet(most: int = MOST) -> tuple[Clearance, Joint]:
    joint = slider("drawer", 0, 0.5)
    made = cleared(
        [joint],
        {"base": [box([0, 0, 0], [0.4, 0.4, 0.4])], "drawer": [box(*INNER)]},
        {"base": [solid(*one) for one in WALLS], "drawer": [solid(*INNER)]},
        most,
    )
    return made, joint


def test_a_hull_that_fills_only_air_is_carved_around_the_drawer() -> None:
    made, joint = hollow_cabinet()
    assert made.exclusions == {}
    assert not made.is_changed("drawer")
    assert_free(made, joint)
    # What is left is the hull but for the drawer's room, which is wider by the gap.
    room = (0.35 + GAP) * (0.3 + 2 * GAP) ** 2
    assert sum(one.volume for one in left(made, "base")) == pytest.approx(0.4**3 - room)


def test_what_is_left_of_a_carved_hull_still_covers_the_walls() -> None:
    made, _ = hollow_cabinet()
    points = np.concatenate([solid(*one).sample(200, seed=3) for one in WALLS])
    depths = [(points @ p.normals.T - p.offsets).max(axis=1) for p in left(made, "base")]
    assert np.min(depths, axis=0).max() <= 1e-9


def test_equal_objects_are_cut_to_equal_bytes() -> None:
    first, second = (hollow_cabinet()[0] for _ in range(2))
    for link in ("base", "drawer"):
        pairs = zip(left(first, link), left(second, link), strict=True)
        for one, other in pairs:
            assert one.vertices.tobytes() == other.vertices.tobytes()
            assert one.faces.tobytes() == other.faces.tobytes()


@pytest.mark.parametrize("most", [1, 4, 5, 6])
def test_a_hull_is_only_carved_within_the_budget(most: int) -> None:
    """The room of the drawer leaves five walls."""
    made, _ = hollow_cabinet(most)
    assert len(left(made, "base")) == (5 if most >= 5 else 1)
    assert made.is_changed("base") is (most >= 5)
    assert bool(made.exclusions) is (most < 5)


def test_links_that_penetrate_each_other_at_rest_are_excluded_and_stay_whole() -> None:
    """The first parts of both could be trimmed; the second ones are deep in each other."""
    links: dict[str, list[Box]] = {
        "base": [([0, 0, 0], [0.2, 0.2, 0.2]), ([0, 0, 0.5], [0.2, 0.2, 0.7])],
        "arm": [([0.196, 0, 0], [0.4, 0.2, 0.2]), ([0.1, 0, 0.5], [0.4, 0.2, 0.7])],
    }
    made = solid_object([slider("arm", 0, 0.3)], links)
    assert made.exclusions == {("arm", "base"): Why.REST}
    assert Why.REST == "overlap_at_rest"
    for link, boxes in links.items():
        assert not made.is_changed(link)
        assert [one.box.tolist() for one in left(made, link)] == [[*one] for one in boxes]


def test_cuts_of_a_pair_are_undone_if_one_of_its_parts_cannot_be_cut() -> None:
    """Two sheets in one place are not deep in each other, yet a plane would take all of one."""
    sheet: Box = ([0, 0, 0.5], [0.2, 0.2, 0.504])
    bases, arms = [([0, 0, 0], [0.2, 0.2, 0.2])], [([0.196, 0, 0], [0.4, 0.2, 0.2])]
    joint = slider("arm", 0, 0.3)
    alone = solid_object([joint], {"base": bases, "arm": arms})
    assert alone.is_changed("arm")  # without the sheets
    made = solid_object([joint], {"base": [*bases, sheet], "arm": [*arms, sheet]})
    assert made.exclusions == {("arm", "base"): Why.REST}
    assert not made.is_changed("arm")
    assert not made.is_changed("base")


def test_a_cut_for_another_link_outlives_the_exclusion_of_a_pair() -> None:
    """The arm is deep in the base; the plate reaches a little into both of them."""
    links: dict[str, list[Box]] = {
        "base": [([0, 0, 0], [0.2, 0.2, 0.2])],
        "arm": [([0.1, 0, 0], [0.4, 0.2, 0.2])],
        "plate": [([0.1, 0.196, 0], [0.4, 0.4, 0.2])],
    }
    made = solid_object([slider("arm", 0, 0.3), slider("plate", 0, 0.3)], links)
    assert set(made.exclusions) == {("arm", "base")}
    for other in ("base", "arm"):
        for one, two in itertools.product(left(made, "plate"), left(made, other)):
            assert is_separate(one.vertices, two.vertices)


def test_a_slide_into_a_solid_wall_is_an_overlap_in_motion() -> None:
    links: dict[str, list[Box]] = {
        "base": [([0.4, 0, 0], [0.6, 0.2, 0.2])],
        "block": [([0, 0, 0], [0.2, 0.2, 0.2])],
    }
    made = solid_object([slider("block", 0, 0.3)], links)
    assert made.exclusions == {("base", "block"): Why.MOTION}
    assert Why.MOTION == "overlap_in_motion"
    assert not made.is_changed("base")
    assert not made.is_changed("block")
    free = solid_object([slider("block", 0, 0.19)], links)
    assert free.exclusions == {}


@pytest.mark.parametrize("opening", [math.pi / 2, 0.05])
def test_a_rack_behind_a_door_is_excluded_only_if_the_door_does_not_make_room(
    opening: float,
) -> None:
    """The rack slides out through the door, which opens by a quarter of a turn, or a little."""
    links: dict[str, list[Box]] = {
        "base": [([-0.3, 0, 0], [-0.2, 0.4, 0.4])],
        "rack": [([0, 0.05, 0.1], [0.3, 0.3, 0.3])],
        "door": [([0.32, 0, 0], [0.34, 0.4, 0.4])],
    }
    # A positive turn swings the door outward, to +x.
    joints = [slider("rack", 0, 0.25), hinge("door", [0.34, 0.4, 0], 0, opening)]
    made = solid_object(joints, links)
    if opening > 1:
        assert made.exclusions == {}
    else:
        assert made.exclusions == {("door", "rack"): Why.MOTION}
    assert not any(made.is_changed(link) for link in links)


def test_links_that_only_meet_when_both_have_moved_are_left_alone() -> None:
    """Two drawers of a corner cabinet block each other once both are open."""
    links: dict[str, list[Box]] = {
        "base": [([-0.5, -0.5, 0], [-0.4, -0.4, 0.1])],
        "east": [([-0.3, 0, 0], [0, 0.2, 0.2])],
        "south": [([0.05, 0.25, 0], [0.25, 0.5, 0.2])],
    }
    joints = [slider("east", 0, 0.3), slider("south", 0, 0.3, [0, -1, 0])]
    ends = [moved(box(*links[j.child][0]).vertices, j, j.upper) for j in joints]
    assert not is_separate(*ends)
    made = solid_object(joints, links)
    assert made.exclusions == {}
    assert not any(made.is_changed(link) for link in links)
