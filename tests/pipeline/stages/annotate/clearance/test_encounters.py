# SPDX-License-Identifier: Apache-2.0
"""Encounters: which links are compared, and their parts against a linear program at many states."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from pipeline.stages.annotate.clearance.encounters import Encounter, encounters
from pipeline.stages.annotate.clearance.motions import driven_motion, rest_motion
from pipeline.stages.annotate.clearance.parts import Part
from tests.pipeline.stages.annotate.clearance.shapes import box, is_separate, part

SIZE = 1.0
CUBE = box([0, 0, 0], [0.2, 0.2, 0.2])


def joint(kind: JointType, parent: str, child: str, upper: float) -> Joint:
    axis = [1, 0, 0] if kind is JointType.PRISMATIC else [0, 0, 1]
    upper = 0.0 if kind is JointType.FIXED else upper
    ends = 0.0, upper
    return Joint(child, kind, np.array(axis), np.zeros(3), *ends, parent=parent, child=child)


def tree(*joints: Joint) -> KinematicTree:
    return KinematicTree("thing", ("base", *(one.child for one in joints)), joints)


CHAIN = tree(
    joint(JointType.PRISMATIC, "base", "arm", 0.3),
    joint(JointType.FIXED, "arm", "knob", 0.0),
    joint(JointType.REVOLUTE, "arm", "hand", 1.0),
)
IN_ONE_PLACE = {link: [CUBE] for link in CHAIN.links}


def met(found: Iterable[Encounter]) -> set[tuple[str, str]]:
    pairs = [sorted((one.moving, one.still)) for one in found]
    return {(first, second) for first, second in pairs}


def test_all_links_that_are_not_welded_are_compared_at_rest_parents_and_children_too() -> None:
    found = met(encounters(rest_motion(CHAIN, size=SIZE), IN_ONE_PLACE))
    assert found == {("arm", "base"), ("base", "knob"), ("base", "hand"), ("arm", "hand"),
                     ("hand", "knob")}  # fmt: skip


def test_a_joint_compares_what_it_moves_with_what_it_does_not() -> None:
    slide, _, turn = CHAIN.joints
    found = met(encounters(driven_motion(CHAIN, slide, size=SIZE), IN_ONE_PLACE))
    assert found == {("arm", "base"), ("base", "knob"), ("base", "hand")}
    found = met(encounters(driven_motion(CHAIN, turn, size=SIZE), IN_ONE_PLACE))
    assert found == {("arm", "hand"), ("hand", "knob"), ("base", "hand")}


def test_ignored_pairs_and_links_without_parts_meet_nothing() -> None:
    motion = rest_motion(CHAIN, size=SIZE)
    ignored = {("arm", "base"), ("hand", "knob")}
    assert not met(encounters(motion, IN_ONE_PLACE, ignored)) & ignored
    assert ("arm", "hand") in met(encounters(motion, IN_ONE_PLACE, ignored))
    bare = {**IN_ONE_PLACE, "hand": []}
    assert not any("hand" in pair for pair in met(encounters(motion, bare)))


def random_parts(source: np.random.Generator, count: int) -> list[Part]:
    """Return small hulls within 0.5 of the axis."""
    centers = source.uniform(-0.35, 0.35, (count, 1, 3)) * [1, 1, 0.2]
    return [part(one) for one in centers + source.uniform(-0.12, 0.12, (count, 10, 3))]


def shrunk(one: Part, share: float) -> np.ndarray:
    center = one.vertices.mean(axis=0)
    return np.asarray(center + share * (one.vertices - center))


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC])
@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_parts_are_those_that_meet_in_many_states(kind: JointType, seed: int) -> None:
    """A pair that meets is found. One whose parts, 1.3 times as large, never meet is not."""
    source = np.random.default_rng(seed)
    one = joint(kind, "base", "arm", 1.2 if kind is JointType.REVOLUTE else 0.4)
    parts = {"base": random_parts(source, 5), "arm": random_parts(source, 5)}
    found = list(encounters(driven_motion(tree(one), one, size=SIZE), parts))
    pairs = {(p, q) for some in found for p, q, _ in some.pairs}
    assert [(some.moving, some.still) for some in found] == [("arm", "base")]

    def meets(p: int, q: int, share: float) -> bool:
        still = shrunk(parts["base"][q], share)
        points = shrunk(parts["arm"][p], share)
        for value in np.linspace(0, one.upper, 61):
            turned = Rotation.from_rotvec([0, 0, value]).apply(points)
            moved = turned if kind is JointType.REVOLUTE else points + np.array([value, 0, 0])
            if not is_separate(moved, still):
                return True
        return False

    for pair in [(p, q) for p in range(5) for q in range(5)]:
        if pair in pairs:
            assert meets(*pair, share=1.3), pair
        else:
            assert not meets(*pair, share=1.0), pair
    assert 0 < len(pairs) < 25


def test_the_pieces_of_a_turn_are_those_in_which_parts_meet() -> None:
    """A bar turns 90 degrees and meets a post near 45 degrees, in fine pieces of 7.5."""
    one = joint(JointType.REVOLUTE, "base", "arm", np.pi / 2)
    bar, middle = box([0.1, -0.01, 0], [0.4, 0.01, 0.1]), np.array([0.2, 0.2, 0.05])
    post = box(middle - 0.02, middle + 0.02)
    motion = driven_motion(tree(one), one, size=SIZE)
    [found] = encounters(motion, {"base": [post], "arm": [bar]})
    [(_, _, pieces)] = found.pairs
    fine = motion.fine.reshape(-1, 3)
    expected = []
    for number, ends in enumerate(np.linspace(0, np.pi / 2, len(fine) + 1)[:-1]):
        states = Rotation.from_rotvec(
            [[0, 0, ends + s * np.pi / 2 / len(fine)] for s in np.linspace(0, 1, 31)]
        )
        if any(not is_separate(s.apply(bar.vertices), post.vertices) for s in states):
            expected.append(fine[number].tolist())
    assert pieces.tolist() == expected
    assert 0 < len(expected) < len(fine)
